/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Marks: the phases as the bench ordered them and as the clock pin showed them, and what clock.c and
 * clock_error.c carry from one to the next. Private to host/check.
 */
#ifndef PHASEBENCH_MARKS_H
#define PHASEBENCH_MARKS_H

#include "host/check/queue.h"

struct pb_checker;

/* A phase as the bench ordered it and as the clock pin showed it. */
struct pb_phase_mark {
    uint64_t ideal_tick; /* of the PHASE event */
    uint64_t tick;       /* of the rising edge that belongs to it, or the ideal one when there is none */
    uint32_t superframe;
    unsigned phase;
    bool has_edge, sync; /* level of TDMA_SYNC at that edge */
    unsigned half;       /* of an outside edge: PB_HALF_* */
    int64_t late_ps; /* what the phases before lasted longer than ordered, but for single displaced ones */
    int64_t number;      /* of an outside edge, by the time between them */
    bool tie_known;
    int64_t tie_ps;        /* how far the edge lies from its place; late is positive */
    uint64_t bench_due;    /* links on which the bench sends */
    size_t first_crossing; /* of the expectation */
};

/* What the phase clock's stages (clock.c, clock_error.c) carry from mark to mark. */
struct pb_clock {
    bool waiting;          /* for the next PHASE event, which confirms the number of this one: */
    struct pb_event phase;
    uint64_t index, reported;  /* of the next mark; by how much the last one counted otherwise */
    struct pb_queue edge;  /* TDMA events */
    size_t next_edge;      /* the first that belongs to no mark yet */
    bool recorded;         /* such events come at all */
    struct pb_phase_mark unseen[2]; /* the first marks, as long as none came */
    size_t rate, pins, ties, judged; /* marks done by each stage */
    bool drifts, drifted;  /* in the present superframe; ever */
    size_t drift_first, drift_count, drift_used;
    int64_t drift_ps;
    bool crowded[2]; /* clock_error.c: crowds of the present superframe, by sort */
    size_t crowd_from[2], crowd_to[2];
    int64_t *reported_ps; /* owned; times of findings about the clock that an alarm may repeat */
    size_t reported_count, reported_capacity;
};

/* ---- clock.c: makes the marks, judges the clock, measures it */
void pb_clock_take_phase(struct pb_checker *checker, const struct pb_event *event); /* NULL: the last came */
void pb_clock_advance(struct pb_checker *checker); /* as far as the marks go */
void pb_clock_free(struct pb_checker *checker);
/* The first mark whose superframe is not judged yet, or a later one. */
size_t pb_clock_done(const struct pb_checker *checker);
/* Forgets marks that no stage asks for any more. */
void pb_marks_forget(struct pb_checker *checker, size_t before);

#endif
