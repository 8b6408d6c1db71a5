/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The links, bit by bit, and the phase clock. Timer 1 counts cycles of the CPU: its capture unit takes the
 * time of an edge of TDMA_CLK, compare unit A times the bits that are sent, unit B those that are
 * received.
 *
 * The interrupts of this file are short, call nothing and mask all others. Each of them that has work for
 * the firmware requests the handlers (pins.h).
 */
#ifndef FW_AVR_LINKS_H
#define FW_AVR_LINKS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the timer. bit_ticks: cycles of a bit. Interrupts are masked. */
void links_start(uint16_t bit_ticks);

/* The oldest byte received and not yet taken; false: none. Interrupts are masked. */
bool links_byte(uint8_t *byte, bool *framing_ok);

/* The edge not yet taken, with the level of TDMA_SYNC after it; false: none. All bytes before it come first.
 * Interrupts are masked. */
bool links_edge(uint32_t *edge_ticks, bool *sync);

#endif
