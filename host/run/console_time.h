/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the bit time of a node's UART0_TX with the stop bits of its answers. The last data bit of an ASCII
 * character is low, so UART0_TX rises nine bits after the start edge. The receiver of the core samples the
 * stop bit at a whole number of ticks after that edge, set by CONSOLE_PERIOD. The sampled level shows whether
 * nine bits are longer. A bisection over these ticks finds their length; the share of characters with a low
 * sample gives the fraction of a tick. Also sets the receiver so that it captures short pulses.
 */
#ifndef PHASEBENCH_RUN_CONSOLE_TIME_H
#define PHASEBENCH_RUN_CONSOLE_TIME_H

#include "host/run/console.h"

/* Measures the bit time of a node into seen->console_time. Types Z until it is known; near a limit I, whose
 * answer is longer. z_characters, i_characters: length of the node's earlier answers. Removes the events of
 * these answers. Call it before the clock starts. Returns 0 or a negative code of the link. */
int pb_console_time(struct pb_console *console, unsigned node_index, unsigned z_characters,
                    unsigned i_characters);

/* Sets the receiver of the selected UART0. pulses: it takes each low of at least PB_CONSOLE_PULSE_TICKS ticks
 * for a character; else it receives characters of the configured bit time. */
int pb_console_watch(struct pb_console *console, bool pulses);

#endif
