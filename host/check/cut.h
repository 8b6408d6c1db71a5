/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transmissions that an edge of TDMA_CLK cuts off, or may cut off (T6): a part of nodes.c. Private to
 * host/check.
 */
#ifndef PHASEBENCH_CHECK_CUT_H
#define PHASEBENCH_CHECK_CUT_H

#include "host/check/slots.h"

/* Of a frame that cannot be read, as it was cut off, or the core's receiver was in the midst of a byte: the
 * node sends one of the messages that its model allows, and the edges of the line tell which. Sets `due` and
 * `told` of the line, if any fits. */
void pb_cut_choose(struct pb_walk *walk, unsigned link);

/* How the transmission that was due ended. Whether an edge in the last stop bit cuts it off is up to the
 * node, and so is what it counts and keeps of one that had not begun. closed: the slot is filled;
 * undisturbed: no fault acted on it. */
enum pb_model_end pb_cut_end(const struct pb_walk *walk, unsigned link, bool closed, bool undisturbed);

#endif
