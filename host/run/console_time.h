/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the bit time of a node's UART0_TX with the stop bits of its answers. The last data bit of an ASCII
 * character is low, so UART0_TX rises nine bits after the start edge. The receiver of the core samples the
 * stop bit so many whole ticks after that edge as CONSOLE_PERIOD says: the level there tells whether nine
 * bits are longer. A bisection over these ticks finds them; how many of the characters of an answer are low
 * there tells the part of a tick. And sets the receiver so that it shows short pulses.
 */
#ifndef PHASEBENCH_RUN_CONSOLE_TIME_H
#define PHASEBENCH_RUN_CONSOLE_TIME_H

#include "host/run/console.h"

/* Types Z to a node that answered it with so many characters before, until its bit time is known; near a
 * limit I, whose answer is longer. Into seen->console_time; the events of these answers are taken. Before
 * the clock starts. 0 or a negative code of the link. */
int pb_console_time(struct pb_console *console, unsigned node_index, unsigned z_characters,
                    unsigned i_characters);

/* Whether the receiver of the selected UART0 takes falls of PB_CONSOLE_PULSE_TICKS ticks and more for
 * characters, or characters of the set bit time. */
int pb_console_watch(struct pb_console *console, bool pulses);

#endif
