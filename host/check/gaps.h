/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where events are missing: every event has a number, lost ones too. A number is missing while an event with
 * a higher one is there; they may come in any order.
 */
#ifndef PHASEBENCH_GAPS_H
#define PHASEBENCH_GAPS_H

#include "phasebench/event.h"

#include <stdbool.h>

struct pb_gap {
    uint64_t from, to;                /* numbers that are missing: from .. to - 1 */
    uint64_t before_tick, after_tick; /* of the events on either side */
};

struct pb_gaps {
    struct pb_gap *gap; /* owned; ascending */
    size_t count, capacity;
    uint64_t next;         /* number behind the highest that came */
    uint64_t newest_tick;  /* of the event with that one */
    uint64_t forgotten_to; /* where the last gap ended that is no longer in the list */
};

/* Takes note of an event that came. 0 or PB_ERR_MEMORY. */
int pb_gaps_take(struct pb_gaps *gaps, const struct pb_event *event);
/* Adds to the stamps that were noted. */
void pb_gaps_move(struct pb_gaps *gaps, int64_t ticks);
void pb_gaps_free(struct pb_gaps *gaps); /* all zero is fine */

/* Whether an event is missing between these two, the later of which is among those that came last. */
bool pb_gaps_between(const struct pb_gaps *gaps, uint64_t from_sequence, uint64_t to_sequence);
/* The first gap behind this number; NULL: there is none. */
const struct pb_gap *pb_gaps_first_behind(const struct pb_gaps *gaps, uint64_t sequence);
/* Keeps no more of the gaps that end before this stamp than pb_gaps_between needs. */
void pb_gaps_forget(struct pb_gaps *gaps, uint64_t before_tick);

#endif
