/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The slots of some superframes that were run one by one, by their phase edges. Pure.
 */
#ifndef PHASEBENCH_CHECK_SLOT_TICKS_H
#define PHASEBENCH_CHECK_SLOT_TICKS_H

#include "phasebench/event.h"

/* tick[slots]: the edges among the events from index `from` on, of whole superframes of `phases` phases.
 * PB_ERR_LINK: one is missing, or there are more. */
int pb_slot_ticks(uint64_t *tick, unsigned slots, unsigned phases, const struct pb_events *events,
                  size_t from);
/* The slot in which this instant is; before the first edge -1. */
int pb_slot_at(const uint64_t *tick, unsigned slots, uint64_t instant);

#endif
