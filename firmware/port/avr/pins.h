/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins of the ATmega1284P (docs/reference/avr.md has the numbers of the package), and what the port can do.
 *
 * Links 0 to 7 are PA0 to PA7, links 8 to 11 PB0 to PB3. PORTA and PORTB stay 0: a set bit of DDR pulls its
 * line low, a clear one releases it. The pins of the ISP and JTAG connectors are not used.
 */
#ifndef FW_AVR_PINS_H
#define FW_AVR_PINS_H

#include <avr/io.h>

#define PORT_A_LINKS 8
#define TDMA_SYNC_PIN PD2
/* TDMA_CLK is PD6 (ICP1), UART0_RX PD0, UART0_TX PD1. */

/* PC0 is an output that must remain unconnected: a change of it requests the interrupt of the handlers. */
#define REQUEST_PIN PC0
#define PORT_REQUEST() (PINC = _BV(REQUEST_PIN))

#define LINK_BAUD_MIN_HZ 1000
/* The interrupts of a byte on libsimavr: 50 kbaud still passes, at 62.5 kbaud frames are lost. */
#define LINK_BAUD_MAX_HZ 40000
/* From an edge to a transmitter or receiver that is armed, after the longest byte handler. */
#define LINK_GUARD_MIN_NS UINT32_C(120000)
/* The timer compares 16 bits: half of its range is ahead. */
#define LINK_GUARD_MAX_NS UINT32_C(1500000)
#define CONSOLE_BAUD_MIN_HZ 1000
#define CONSOLE_BAUD_MAX_HZ 125000
#define CONSOLE_BAUD_DEFAULT_HZ 38400
#define CONSOLE_ERROR_MAX 67 /* limit of the bit time error: 1/67, 1.5 % */

#endif
