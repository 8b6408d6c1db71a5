/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The twelve links on PIO0, and TDMA_CLK. With the functions of port.h, which links.c defines.
 */
#ifndef FW_RP2040_LINKS_H
#define FW_RP2040_LINKS_H

#include <stdbool.h>
#include <stdint.h>

/* Bits have 125 cycles of a machine, whose clock is at most clk_sys and at least clk_sys / 65,536. The
 * guard has its shortest form with a count of 0. */
enum { LINK_BAUD_MIN_HZ = 300, LINK_BAUD_MAX_HZ = 1000000, LINK_GUARD_MIN_NS = 328 };

/* Sets pins and machines up, and starts to wait for edges of TDMA_CLK. baud_hz, guard_ns: within these
 * limits. */
void links_start(uint32_t baud_hz, uint32_t guard_ns);

/* Of the interrupt. Takes a byte that the receiver has; false: none. Reports an edge of TDMA_CLK once.
 * Writes more of a long frame to the transmitter. */
bool links_byte(uint8_t *byte, bool *framing_ok);
bool links_edge(void);
void links_refill(void);

#endif
