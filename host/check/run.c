/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/run.h"
#include "host/check/uncertainty.h"
#include "host/plan/node_map.h"
#include "phasebench/signal_limits.h"

#include <stdlib.h>

#define TIME_MAX_PS INT64_C(4000000000000000000) /* 46 days */
#define ORIGIN_S 1000                            /* more than any run takes up to its first phase */

/* ---- units */

int64_t pb_ticks_to_ps(const struct pb_check_run *run, uint64_t ticks)
{
    return ticks <= run->exact_ticks ? (int64_t)(ticks * run->ps_num / run->ps_den)
                                     : (int64_t)((unsigned __int128)ticks * run->ps_num / run->ps_den);
}

int64_t pb_ps_to_ticks(const struct pb_check_run *run, int64_t ps)
{
    return (int64_t)((__int128)ps * run->observation->info.clock_hz / PB_PS_PER_S);
}

/* The core makes the phase edge, so its stamp is exact. The stamp of an external edge, or of an edge of a
 * line, is rounded down to its tick or half tick. So a time between two stamps is too short by less than
 * that, or off by less than that in either direction. These are bounds: they cover more than 95 %. */
int64_t pb_uncertainty_ps(const struct pb_check_run *run, const struct pb_schedule_place *at, unsigned half)
{
    const bool known = (half == PB_HALF_FIRST || half == PB_HALF_SECOND) &&
                       !(run->scenario->follow && at->half == PB_HALF_UNKNOWN);
    return run->fall_rest_ps + (known ? run->edge_resolution_ps : run->resolution_ps);
}

int64_t pb_phase_play_ps(const struct pb_check_run *run)
{
    const struct pb_controller *clock = &run->scenario->controller;
    const int64_t ppm = llabs((int64_t)clock->clock_error_ppm) + PB_FOLLOW_TOLERANCE_PPM;
    return run->scenario->follow ? run->phase_ps * ppm / (1000000 - ppm) + clock->jitter_ps : 0;
}

bool pb_may_meet_edge(const struct pb_check_run *run, int64_t start_ps, bool bench)
{
    const int64_t bit_ps = PB_PS_PER_S / (int64_t)run->scenario->baud_hz,
                  frame_ps = 10 * bit_ps * (int64_t)run->scenario->frame_bytes,
                  slow_ps = bench ? bit_ps / 2 : frame_ps * PB_BIT_TIME_LIMIT_PPM / 1000000;
    return start_ps + frame_ps + slow_ps > run->phase_ps - pb_phase_play_ps(run);
}

/* ---- origin */

uint64_t pb_moved_tick(const struct pb_check_run *run, uint64_t tick)
{
    const uint64_t moved = tick + run->origin_tick; /* not before the beginning of time */
    return moved > run->clock_start_tick ? moved - run->clock_start_tick : 0;
}

void pb_origin_set(struct pb_check_run *run, uint64_t tick)
{
    struct pb_before *before = &run->before;
    uint64_t *const stamp[] = {&before->capture_tick,  &before->reset_from_tick, &before->reset_tick,
                               &before->released_tick, &before->held_tick,       &before->typing_tick,
                               &run->clock_tick};
    run->clock_start_tick = tick;
    run->origin_tick = (uint64_t)ORIGIN_S * run->observation->info.clock_hz;
    for (size_t i = 0; i < sizeof stamp / sizeof stamp[0]; i++)
        if (*stamp[i]) /* 0: not known */
            *stamp[i] = pb_moved_tick(run, *stamp[i]);
    for (unsigned i = 0; i < before->pulls; i++) {
        before->pull[i].from_tick = pb_moved_tick(run, before->pull[i].from_tick);
        before->pull[i].to_tick = pb_moved_tick(run, before->pull[i].to_tick);
    }
}

uint64_t pb_end_tick(const struct pb_check_run *run)
{
    const uint64_t tick = run->observation->end_tick;
    return tick ? pb_moved_tick(run, tick) : 0;
}

void pb_origin_apply(const struct pb_check_run *run, struct pb_result *result)
{
    const int64_t origin_ps = pb_ticks_to_ps(run, run->origin_tick);
    result->clock_start_ps = pb_ticks_to_ps(run, run->clock_start_tick);
    for (size_t i = 0; i < result->findings; i++)
        result->finding[i].time_ps -= origin_ps;
    for (size_t i = 0; i < result->faults; i++) {
        struct pb_fault_row *fault = &result->fault[i];
        fault->start_ps -= fault->began ? origin_ps : 0;
        fault->detected_ps -= fault->detected ? origin_ps : 0;
    }
}

/* ---- what a run begins with */

/* Fills the rise times of the lines, and the uncertainty budget of an instant. */
static void set_uncertainty(struct pb_check_run *run, struct pb_result *result)
{
    const struct pb_observation *seen = run->observation;
    struct pb_uncertainty_input input = {
        .clock_hz = seen->info.clock_hz,
        .half_ticks = seen->info.half_ticks && !seen->edgeless,
        .step_ps = seen->edgeless ? run->resolution_ps : run->edge_resolution_ps,
        .interval_ps = run->phase_ps,
        .rise_known = true,
        .follows = run->scenario->follow,
    };
    result->lines = pb_link_count(run->scenario);
    for (unsigned link = 0; link < result->lines; link++) {
        const struct pb_line_rise *rise = &seen->rise[link];
        result->rise_source[link] = rise->source;
        input.rise_known &= rise->source != PB_RISE_UNKNOWN;
        if (rise->max_ps - rise->min_ps > input.rise_spread_ps)
            input.rise_spread_ps = rise->max_ps - rise->min_ps;
    }
    pb_uncertainty_budget(result, &input);
    run->late_fall_ps = result->late_fall_ps;
    run->late_rise_ps = result->late_rise_ps;
    run->fall_rest_ps = pb_uncertainty_u95_ps(result->budget, 1, result->budget_rows, false);
    run->rise_rest_ps = pb_uncertainty_u95_ps(result->budget, 1, result->budget_rows, true);
    /* The spread of a line's own rise is counted with that line (rise.c). */
    if (run->rise_rest_ps && input.rise_known)
        run->rise_rest_ps -=
            run->rise_rest_ps < input.rise_spread_ps / 2 ? run->rise_rest_ps : input.rise_spread_ps / 2;
    result->uncertainty_ps =
        run->fall_rest_ps + run->edge_resolution_ps; /* until a start is known less well */
}

/* What turns ticks into ps: the fraction in its lowest terms, so that most products stay within 64 bits. */
static void set_units(struct pb_check_run *run)
{
    const uint32_t clock_hz = run->observation->info.clock_hz;
    uint64_t a = PB_PS_PER_S, b = clock_hz;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    run->ps_num = PB_PS_PER_S / a;
    run->ps_den = clock_hz / a;
    run->exact_ticks = UINT64_MAX / run->ps_num;
    run->ticks_max = (uint64_t)((((unsigned __int128)TIME_MAX_PS + 1) * clock_hz - 1) / PB_PS_PER_S);
}

void pb_check_run_open(struct pb_check_run *run, struct pb_result *result, const struct pb_scenario *scenario,
                       const struct pb_observation *observation)
{
    const uint32_t clock_hz = observation->info.clock_hz;
    *run = (struct pb_check_run){.scenario = scenario,
                                 .observation = observation,
                                 .before = observation->before,
                                 .clock_tick = observation->clock_tick};
    set_units(run);
    run->bit_period_q4 = (uint32_t)((16 * (uint64_t)clock_hz + scenario->baud_hz / 2) / scenario->baud_hz);
    run->baud_limit_ppm =
        PB_BIT_TIME_LIMIT_PPM + (int32_t)(16 * 1000000 / (PB_BAUD_BITS_MIN * run->bit_period_q4));
    run->resolution_ps = PB_PS_PER_S / clock_hz;
    run->edge_resolution_ps = run->resolution_ps / (observation->info.half_ticks ? 2 : 1);
    run->phase_ps = (int64_t)((uint64_t)PB_PS_PER_S * 1000 / scenario->phase_rate_mhz);
    run->superframe_ps = run->phase_ps * scenario->network.phases;
    run->start_min_ps = scenario->head_guard_ps - scenario->limits.start_early_ps;
    run->start_max_ps = scenario->head_guard_ps + scenario->limits.start_late_ps;
    result->core_clock_hz = clock_hz;
    result->resolution_ps = run->resolution_ps;
    result->edge_resolution_ps = run->edge_resolution_ps;
    result->phase_ps = run->phase_ps;
    result->start_min_ps = run->start_min_ps;
    result->start_max_ps = run->start_max_ps;
    set_uncertainty(run, result);
}
