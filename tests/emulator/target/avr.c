/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ATmega1284P: USART0, and a sleep with interrupts masked, at which avr_run.c ends.
 */
#include "target.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void say(char character)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = (uint8_t)character;
}

int main(void)
{
    UCSR0B = _BV(TXEN0);
    target_tests();
    cli();
    sleep_enable();
    for (;;)
        sleep_cpu();
}
