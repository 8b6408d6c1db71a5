/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Uses what the bench does not model: the ADC.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

volatile uint32_t results[16];

int main(void)
{
    uart_init(460800);
    results[0] = REG(0x4004C000);
    for (;;)
        sleep_us(1000);
}
