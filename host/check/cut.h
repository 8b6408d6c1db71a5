/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transmissions that an edge of TDMA_CLK cuts off, or may cut off (T6): a part of nodes.c. Private to
 * host/check.
 */
#ifndef PHASEBENCH_CHECK_CUT_H
#define PHASEBENCH_CHECK_CUT_H

#include "host/check/slots.h"

/* Chooses the message of a frame that cannot be read, because it was cut off or the core's receiver was in
 * the middle of a byte. The node sends one of the messages that its model allows; the edges of the line
 * decide which. Sets `due` and `by_edges` of the line if any message matches. */
void pb_cut_choose(struct pb_walk *walk, unsigned link);

/* How the transmission that was due ended. The node may decide whether an edge in the last stop bit cuts it
 * off, and what it counts and keeps of a transmission that had not begun. closed: the slot is filled;
 * undisturbed: no fault acted on it. */
enum pb_model_end pb_cut_end(const struct pb_walk *walk, unsigned link, bool closed, bool undisturbed);

#endif
