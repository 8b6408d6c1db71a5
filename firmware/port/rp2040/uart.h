/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * UART0 at GPIO 0 and 1, byte by byte: its FIFOs are off, so that a handler takes one byte and is short.
 */
#ifndef FW_RP2040_UART_H
#define FW_RP2040_UART_H

#include <stdbool.h>
#include <stdint.h>

/* A byte must be read before the next one ends, 10 us later at the highest rate. A handler that encodes a
 * long frame takes longer (docs/reference/rp2040.md); a byte that is lost then invalidates its line. */
enum { CONSOLE_BAUD_MIN_HZ = 300, CONSOLE_BAUD_MAX_HZ = 1000000, CONSOLE_BAUD_DEFAULT_HZ = 460800 };

void uart_start(uint32_t baud_hz);
/* Of the interrupt: the byte that came, 0 in place of a damaged one; false: none. */
bool uart_take(uint8_t *byte);
/* Of the interrupt: sends on what port_console_write has queued. */
void uart_send(void);

#endif
