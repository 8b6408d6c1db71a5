/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where events are missing: every event has a number, lost ones too.
 */
#ifndef PHASEBENCH_GAPS_H
#define PHASEBENCH_GAPS_H

#include "phasebench/event.h"

#include <stdbool.h>

struct pb_gaps {
    uint64_t *sequence; /* owned; of the events that came, ascending */
    size_t count;
};

/* 0 or PB_ERR_MEMORY. */
int pb_gaps_make(struct pb_gaps *gaps, const struct pb_events *events);
void pb_gaps_free(struct pb_gaps *gaps); /* all zero is fine */

/* Whether an event is missing between these two. */
bool pb_gaps_between(const struct pb_gaps *gaps, uint64_t from_sequence, uint64_t to_sequence);

/* The tick of the last event before the first one that is missing behind the first PHASE event; 0 when none
 * is missing between two that came. */
uint64_t pb_gaps_whole_to(const struct pb_gaps *gaps, const struct pb_events *events);

#endif
