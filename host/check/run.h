/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Data that every stage reads and none writes: scenario, observation, units and limits of the stamps of a
 * run, and the origin of its times. Private to host/check.
 *
 * The core counts from its power-up; the time from power-up to the start of a run depends on the host link.
 * All stamps are shifted so that the first phase edge is at a whole second. Picoseconds are then rounded
 * identically on every rig.
 */
#ifndef PHASEBENCH_CHECK_RUN_H
#define PHASEBENCH_CHECK_RUN_H

#include "host/check/observation.h"
#include "host/check/slot.h"

#define PB_PS_PER_S INT64_C(1000000000000)
#define PB_LINKS_MAX 64
#define PB_ALARM_LATE_TICKS 64      /* an alarm is stamped at most this many ticks late */
#define PB_FOLLOW_DELAY_TICKS 11    /* largest delay from an external edge to the reaction of the bench */
#define PB_FOLLOW_TOLERANCE_PPM 200 /* of an external clock, beyond the stated error: two crystals */
#define PB_AHEAD_MIN 16             /* least number of phases in half of the look-ahead of a stage */
#define PB_DRIFT_RUN 3              /* this many successive periods with the same error are a drift */

struct pb_check_run {
    const struct pb_scenario *scenario;       /* borrowed */
    const struct pb_observation *observation; /* borrowed; its events are not read */
    uint32_t bit_period_q4;
    int32_t baud_limit_ppm;
    int64_t resolution_ps, edge_resolution_ps; /* steps of a stamp; of that of an edge */
    int64_t phase_ps, superframe_ps;
    int64_t start_min_ps, start_max_ps; /* of a node's first low, from its edge */
    int64_t fall_rest_ps, rise_rest_ps; /* U95 of an instant without the step of its stamp */
    int64_t late_fall_ps, late_rise_ps; /* of an edge of a node, from its phase edge: what the board adds */
    uint64_t ticks_max; /* of a stamp: 46 days, so that sums of a few such times stay within an int64 */
    uint64_t ps_num, ps_den, exact_ticks; /* pb_ticks_to_ps: ps in a tick, and where that product ends */
    /* The session's stamps, and the origin: they move once, before a stage gets the first event. */
    struct pb_before before;
    uint64_t clock_tick;       /* when the run was started */
    uint64_t clock_start_tick; /* the first phase edge, from power-up of the core */
    uint64_t origin_tick;      /* the same in the present stamps; times of the result count from it */
    bool ended;                /* no further event comes */
};

/* Fills *run, and in *result the same units and limits, and the uncertainty budget of an instant. */
void pb_check_run_open(struct pb_check_run *run, struct pb_result *result, const struct pb_scenario *scenario,
                       const struct pb_observation *observation);
/* The first phase, which now has a fixed stamp, was at this tick: moves the session's stamps. */
void pb_origin_set(struct pb_check_run *run, uint64_t tick);
/* Makes the times of findings and faults count from the first phase. Last. */
void pb_origin_apply(const struct pb_check_run *run, struct pb_result *result);
/* A stamp of the core, moved; as it is while no first phase is known. */
uint64_t pb_moved_tick(const struct pb_check_run *run, uint64_t tick);
/* When the run was over; 0: not known. */
uint64_t pb_end_tick(const struct pb_check_run *run);

int64_t pb_ticks_to_ps(const struct pb_check_run *run, uint64_t ticks);
int64_t pb_ps_to_ticks(const struct pb_check_run *run, int64_t ps); /* towards 0 */
/* From the first phase. */
static inline int64_t pb_run_ps(const struct pb_check_run *run, uint64_t tick)
{
    return pb_ticks_to_ps(run, tick) - pb_ticks_to_ps(run, run->origin_tick);
}
/* Longest time for which `ticks` ticks can appear between two stamps, each of which is rounded to a ps. */
static inline int64_t pb_span_most_ps(const struct pb_check_run *run, uint64_t ticks)
{
    return pb_ticks_to_ps(run, ticks) + 1;
}
/* The same where an instant is the sum of a slot's beginning and a time in it. */
static inline int64_t pb_most_ps(const struct pb_check_run *run, uint64_t ticks)
{
    return pb_ticks_to_ps(run, ticks) + 2;
}
/* Delay from the begin of a tick to an event that is stamped with this half of the tick. */
static inline int64_t pb_half_ps(const struct pb_check_run *run, unsigned half)
{
    return half == PB_HALF_SECOND ? run->edge_resolution_ps : 0;
}
/* The U95 of a time between the phase edge of a place and an event stamped with its tick, or with the half of
 * it if known. */
int64_t pb_uncertainty_ps(const struct pb_check_run *run, const struct pb_schedule_place *at, unsigned half);
/* Largest delay after which a node handles an edge of TDMA_CLK: synchronisers, or the interrupt latency that
 * the scenario states, stretched by the error of its clock (at most 10 %). */
static inline int64_t pb_reaction_max_ps(const struct pb_scenario_node *node)
{
    enum { SYNCHRONISERS_PS = 1000000 };
    const int64_t stated_ps = node->irq_latency_ps + node->irq_jitter_ps;
    return stated_ps + stated_ps / 8 + SYNCHRONISERS_PS;
}
/* Whether a node with this reaction time may start after the head guard, by its own clock. */
static inline bool pb_may_miss_head_guard(const struct pb_check_run *run, int64_t reaction_ps)
{
    return reaction_ps > run->scenario->head_guard_ps - run->scenario->head_guard_ps / 8;
}
static inline int64_t pb_tail_guard_ps(const struct pb_check_run *run)
{
    return run->scenario->guard_ps - run->scenario->head_guard_ps;
}
/* When the tail guard begins, from the phase edge. */
static inline int64_t pb_end_max_ps(const struct pb_check_run *run)
{
    return run->phase_ps - pb_tail_guard_ps(run);
}
/* By how much a phase of an external clock may be longer or shorter than the scheduled one; 0 for the bench's
 * own clock. */
int64_t pb_phase_play_ps(const struct pb_check_run *run);
/* Whether the next edge may meet the last stop bit of a frame that begins start_ps after its own one: of the
 * bench, or with bits as slow as a node's may be. The contract then lets a node count it as cut. */
bool pb_may_meet_edge(const struct pb_check_run *run, int64_t start_ps, bool bench);
/* Number of later marks that a stage waits for before it judges one: two superframes, or two blocks of edges
 * of an external clock. An edge of TDMA_CLK, a rise or a fall that comes later counts as missing. */
static inline size_t pb_ahead(const struct pb_check_run *run)
{
    const size_t phases = run->scenario->network.phases;
    return 2 * (phases > PB_AHEAD_MIN ? phases : PB_AHEAD_MIN);
}
/* The edges of the link are rebuilt, none was recorded. */
static inline bool pb_is_edgeless(const struct pb_check_run *run, unsigned link)
{
    return run->observation->edgeless >> link & 1;
}

static inline double pb_us(int64_t ps)
{
    return (double)ps / 1e6;
}

#endif
