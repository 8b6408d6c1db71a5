/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Marks: the phases as the bench scheduled them and as the clock pin showed them. clock.c makes them. Private
 * to host/check.
 */
#ifndef PHASEBENCH_MARKS_H
#define PHASEBENCH_MARKS_H

#include "host/check/queue.h"
#include "host/check/run.h"

/* A phase as the bench scheduled it and as the clock pin showed it. */
struct pb_phase_mark {
    uint64_t ideal_tick; /* of the PHASE event */
    uint64_t tick;       /* of its rising edge; ideal_tick if there is none */
    uint32_t superframe;
    unsigned phase;
    bool has_edge, sync; /* level of TDMA_SYNC at that edge */
    unsigned half;       /* of an external edge: PB_HALF_* */
    uint64_t sync_tick;  /* of the last change of TDMA_SYNC up to that edge; UINT64_MAX: not known */
    unsigned sync_half;  /* as half */
    int64_t late_ps; /* by how much the phases before it were longer than configured, except single displaced
                        ones */
    int64_t number;      /* of an external edge, by the time between them */
    bool tie_known;
    int64_t tie_ps; /* distance of the edge from its place; late is positive */
};

/* Marks have numbers from 0 on; those that no stage needs any more are discarded. Empty: all zero, except
 * `run`. */
struct pb_marks {
    const struct pb_check_run *run; /* borrowed */
    struct pb_phase_mark *mark; /* owned; from number `base` on */
    size_t end;                 /* number that the next one gets */
    size_t base, capacity;
    struct pb_phase_mark first; /* number 0, once its edge is known */
};

/* number: base to end - 1. */
static inline struct pb_phase_mark *pb_mark(const struct pb_marks *marks, size_t number)
{
    return &marks->mark[number - marks->base];
}
/* The place after the last mark. */
static inline const struct pb_phase_mark *pb_marks_end(const struct pb_marks *marks)
{
    return marks->mark + (marks->end - marks->base);
}
/* The place of a new one, which the caller fills; NULL without memory. Others may move. */
struct pb_phase_mark *pb_marks_add(struct pb_marks *marks);
/* Forgets those before a number; each moves once at most. */
void pb_marks_forget(struct pb_marks *marks, size_t before);
void pb_marks_free(struct pb_marks *marks);

/* When its edge came, in ps of the time stamps. */
int64_t pb_mark_ps(const struct pb_marks *marks, size_t number);
/* The place of a phase whose times count from this tick, or from the half of it. */
struct pb_schedule_place pb_schedule_place_from(const struct pb_check_run *run,
                                                const struct pb_phase_mark *mark, uint64_t tick,
                                                unsigned half);
/* The same: its times count from its edge. */
struct pb_schedule_place pb_schedule_place_at(const struct pb_check_run *run,
                                              const struct pb_phase_mark *mark);
struct pb_schedule_place pb_schedule_place_of_mark(const struct pb_marks *marks, size_t number);
/* The place of the last mark; all 0 before the first. */
struct pb_schedule_place pb_schedule_place_last(const struct pb_marks *marks);
/* The place of a phase at its nominal tick, with or without a mark. */
struct pb_schedule_place pb_schedule_place_nominal(const struct pb_marks *marks, uint32_t superframe,
                                                   unsigned phase);

#endif
