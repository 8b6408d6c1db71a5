/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Makes the marks of the phases, judges and measures the phase clock. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_CLOCK_H
#define PHASEBENCH_CHECK_CLOCK_H

#include "host/check/clock_error.h"
#include "host/check/queue.h"

/* State of the stage from mark to mark. */
struct pb_clock {
    const struct pb_check_run *run; /* borrowed, as are: */
    struct pb_marks *marks;
    struct pb_check_output *out;
    bool waiting; /* for the next PHASE event, which confirms the number of this one: */
    struct pb_event phase;
    uint64_t index, reported;        /* of the next mark; by how much the last one counted otherwise */
    struct pb_queue edge;            /* TDMA events */
    size_t next_edge;                /* the first one without a mark so far */
    bool recorded;                   /* such events come at all */
    struct pb_phase_mark unseen[2];  /* the first marks, as long as none came */
    size_t rate, pins, ties, judged; /* marks done by each stage */
    bool drifts, drifted;            /* in the present superframe; ever */
    size_t drift_first, drift_count, drift_used;
    int64_t drift_ps;
    struct pb_crowds crowds;
};

void pb_clock_open(struct pb_clock *clock, struct pb_marks *marks, struct pb_check_output *out);
int pb_clock_take_edge(struct pb_clock *clock, const struct pb_event *event);   /* 0 or PB_ERR_MEMORY */
void pb_clock_take_phase(struct pb_clock *clock, const struct pb_event *event); /* NULL: the last came */
void pb_clock_advance(struct pb_clock *clock);                                  /* as far as the marks go */
void pb_clock_free(struct pb_clock *clock);
/* The first mark whose superframe is not judged yet, or a later one. */
size_t pb_clock_done(const struct pb_clock *clock);

#endif
