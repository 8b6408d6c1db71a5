/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What fits into a phase, and what a sound node can keep, by docs/reference/scenario.md,
 * docs/reference/timing.md (sections 5 and 6) and docs/node.md.
 */
#include "case.h"

#include <stdlib.h>

enum {
    SMALL_CORE_HZ = 48000000, /* one node */
    LARGE_CORE_HZ = 24000000, /* several */
    LINKS_MAX = 64,
    CORE_BIT_TICKS = 8, /* the shortest bit of a core */
    CORE_BIT_TOP = 65536,
    JOIN_TICKS = 8,         /* the path through the core, between two nodes of the bench */
    NATIVE_LATE_PS = 41667, /* "between 0 and 2 ticks of 48 MHz after the guard" */
    REF_CLOCK_PS = 62500,
    REF_LATE_CLOCKS =
        2, /* "between guard_i and guard_i + 1 clocks", and one for the guard that is rounded up */
    REF_READY_CLOCKS = 20, /* "for a guard of 20 clocks or more" */
    UNCERTAIN_TICKS = 4,
    STAMPS_TICKS = 3 /* two stamps, and their U95 */
};

static int64_t or_default(int64_t value, int64_t otherwise)
{
    return value == UNSET ? otherwise : value;
}

static bool settings_in_range(const struct test_case *test, const struct fit *fit)
{
    const uint64_t least = fit->clock_hz / CORE_BIT_TOP + 1, most = fit->clock_hz / CORE_BIT_TICKS;
    return test->rate_mhz >= 1000 && test->rate_mhz <= 100000000 && test->baud >= least &&
           test->baud <= most && test->console_baud >= least && test->console_baud <= most &&
           test->baud >= 300 && test->console_baud >= 300 && test->dims >= 1 && test->dims <= 12 &&
           test->nodes >= 1 && test->nodes * test->dims <= LINKS_MAX;
}

/* The slowest core that docs/reference/timing.md lets the rig choose for such limits. What a fault or
 * an external clock forbids is left out, so it may be slower than it is. */
static int64_t coarsest_tick_ps(const struct fit *fit)
{
    for (int64_t hz = SMALL_CORE_HZ / 4; hz < fit->clock_hz; hz *= 2) {
        const int64_t limit_ps = 4 * PS_PER_S / hz;
        if (fit->start_early_ps >= limit_ps && fit->start_late_ps >= limit_ps && fit->bit_ps >= 3 * limit_ps)
            return PS_PER_S / hz + 1;
    }
    return fit->tick_ps;
}

bool fit_settings(struct fit *fit, const struct test_case *test)
{
    *fit = (struct fit){.clock_hz = test->nodes > 1 ? LARGE_CORE_HZ : SMALL_CORE_HZ,
                        .lanes = test->nodes > 1 ? 8 : 2,
                        .fault_units = test->nodes > 1 ? 4 : 2,
                        .phases = phases_of(test),
                        .overhead = test->starc ? 7 : 3};
    if (!settings_in_range(test, fit))
        return false;
    fit->phase_ps = (int64_t)(UINT64_C(1000000000000000) / test->rate_mhz);
    fit->tick_ps = PS_PER_S / fit->clock_hz + 1;
    fit->bit_ps = (PS_PER_S + (int64_t)test->baud - 1) / (int64_t)test->baud;
    fit->guard_ps = or_default(test->guard_ps, 10000000);
    fit->head_ps = or_default(test->head_ps, fit->guard_ps / 2);
    fit->tail_ps = fit->guard_ps - fit->head_ps;
    if (fit->guard_ps < 0 || fit->guard_ps >= fit->phase_ps || fit->head_ps < 0 || fit->tail_ps < 0)
        return false;
    /* floor((1/F - G) B / 10), exactly */
    const __int128 free_time = (__int128)1000000000000000 - (__int128)fit->guard_ps * test->rate_mhz;
    fit->room = (unsigned)(free_time * test->baud / ((__int128)test->rate_mhz * 10 * PS_PER_S));
    const int64_t top = test->starc ? 78 : 80, fits = (int64_t)fit->room - fit->overhead;
    const int64_t payload = or_default(test->payload, fits < top ? fits : top);
    if (payload < 1 || payload > top || payload > fits)
        return false;
    fit->payload = (unsigned)payload;
    fit->frame_bytes = fit->payload + fit->overhead;
    fit->frame_ps = (int64_t)((__int128)fit->frame_bytes * 10 * PS_PER_S / (int64_t)test->baud);
    const int64_t slack = fit->phase_ps - fit->guard_ps -
                          (int64_t)((__int128)(10 * fit->frame_bytes - 1) * PS_PER_S / (int64_t)test->baud);
    fit->start_early_ps = or_default(test->start_early_ps, fit->head_ps < 100000 ? fit->head_ps : 100000);
    fit->start_late_ps = or_default(test->start_late_ps, slack > 0 ? slack : 0);
    fit->coarsest_tick_ps = coarsest_tick_ps(fit);
    return fit->start_early_ps >= 0 && fit->start_early_ps <= fit->head_ps && fit->start_late_ps >= 0 &&
           fit->start_late_ps <= fit->phase_ps - fit->head_ps;
}

/* The time t of a clock that is fast by ppm, in true time. */
static int64_t by_clock(int64_t ps, int64_t ppm)
{
    return (int64_t)((__int128)ps * 1000000 / (1000000 + ppm));
}

static bool is_joined(const struct test_case *test, const struct case_node *node)
{
    for (unsigned d = 0; d < test->dims; d++)
        if (node_index(test, neighbour(test, node->address, d)) >= 0)
            return true;
    return false;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* To the end of the last data bit. A ref node's bit is the nearest whole number of sixteenths of its clock.
 */
static int64_t frame_low_ps(const struct test_case *test, const struct fit *fit, bool ref)
{
    const __int128 bits = 10 * fit->frame_bytes - 1;
    const int64_t baud = (int64_t)test->baud,
                  sixteenths = (16 * PS_PER_S / REF_CLOCK_PS + baud / 2) / baud;
    return (int64_t)(ref ? bits * sixteenths * REF_CLOCK_PS / 16 : bits * PS_PER_S / baud);
}

enum fit_node fit_node(const struct test_case *test, const struct fit *fit, const struct case_node *node)
{
    const bool ref = node->kind == KIND_REF;
    const int64_t join_ps = is_joined(test, node) ? JOIN_TICKS * fit->tick_ps : 0;
    /* What a phase has at least: an external clock may be fast, and each of its edges late by the jitter. */
    const int64_t phase_ps = test->external
                                 ? by_clock(fit->phase_ps, test->external_ppm) - test->external_jitter_ps
                                 : fit->phase_ps;
    const int64_t ready_ps =
        ref ? REF_READY_CLOCKS * REF_CLOCK_PS
            : or_default(node->latency_ps, 1500000) + or_default(node->jitter_ps, 500000);
    const int64_t late_ps = ref ? REF_LATE_CLOCKS * REF_CLOCK_PS : NATIVE_LATE_PS;
    const int64_t first_ps = by_clock(fit->head_ps, node->ppm),
                  last_ps = by_clock(fit->head_ps + late_ps, node->ppm),
                  end_ps = last_ps + by_clock(frame_low_ps(test, fit, ref), node->ppm);

    /* It must listen before a neighbour may start, and have a frame in hand before the next phase begins. */
    if (ready_ps + fit->bit_ps / 4 > fit->head_ps - fit->start_early_ps - 4 * fit->tick_ps ||
        fit->guard_ps + fit->bit_ps / 2 < (ref ? 40 * REF_CLOCK_PS : 1000000) ||
        (test->external && fit->head_ps < 12 * fit->tick_ps) ||
        end_ps + join_ps + fit->bit_ps / 2 + 8 * fit->tick_ps > phase_ps)
        return FIT_CORNER;
    int64_t margin = first_ps - (fit->head_ps - fit->start_early_ps);
    margin = least(margin, fit->head_ps + fit->start_late_ps - last_ps);
    margin = least(margin, phase_ps - fit->tail_ps - end_ps);
    const int64_t uncertain_ps = UNCERTAIN_TICKS * fit->tick_ps;
    /* Ten bits after the start edge of a byte the next one may be early by 6/16 - (10 - 6/16) / 80 bit: by
     * the node's clock, two stamps and their U95. */
    const int64_t drift_ps = llabs(by_clock(10 * fit->bit_ps, node->ppm) - 10 * fit->bit_ps),
                  shape_ps = fit->bit_ps * 163 / 640 - drift_ps - (ref ? REF_CLOCK_PS : 0);
    if (shape_ps <= STAMPS_TICKS * fit->tick_ps && margin > uncertain_ps)
        return FIT_CLOSE;
    return margin > uncertain_ps ? FIT_INSIDE : margin >= 0 ? FIT_CLOSE : FIT_OUTSIDE;
}
