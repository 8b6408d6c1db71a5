/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/tdc.h"

#include <inttypes.h>
#include <math.h>

#define PS_PER_S 1e12
#define BIN_SHARE_MAX 0.125
#define BUBBLE_SHARE_MAX 0.25

static const char *const side_name[2] = {"falls", "rises"};

static double tick_ps(const struct pb_tdc_table *table)
{
    return PS_PER_S / table->clock_hz;
}

/* Taps that the edge has passed. The chain is filled from its first tap: with ones by a rise, with zeros by
 * a fall. */
static unsigned passed_taps(const struct pb_event *event, unsigned taps)
{
    const unsigned ones = PB_GET(PB_EVENT_TDC_CODE, event->value);
    return pb_tdc_rises(event) ? ones : ones < taps ? taps - ones : 0;
}

void pb_tdc_count(struct pb_tdc_table *table, const struct pb_event *event)
{
    struct pb_tdc_side *side = &table->side[pb_tdc_rises(event)];
    side->hits[passed_taps(event, table->taps)]++;
    side->bubbles += PB_GET(PB_EVENT_TDC_BUBBLE, event->value);
}

void pb_tdc_figures(struct pb_tdc_figures *figures, const struct pb_tdc_table *table, bool rises)
{
    const struct pb_tdc_side *side = &table->side[rises];
    double cubes = 0;
    unsigned used = 0;
    *figures = (struct pb_tdc_figures){0};
    for (unsigned code = 0; code < PB_TDC_CODES; code++) {
        if (side->hits[code] && !figures->hits)
            figures->first = code;
        if (side->hits[code])
            figures->last = code;
        used += side->hits[code] > 0;
        figures->hits += side->hits[code];
    }
    if (!figures->hits)
        return;
    const double hits = (double)figures->hits, tick = tick_ps(table);
    for (unsigned code = figures->first; code <= figures->last; code++) {
        const double width_ps = tick * side->hits[code] / hits;
        cubes += width_ps * width_ps * width_ps;
        figures->widest_ps = fmax(figures->widest_ps, width_ps);
    }
    figures->empty = figures->last - figures->first + 1 - used;
    figures->mean_ps = tick / used;
    figures->rms_ps = sqrt(cubes / (12 * tick));
    figures->edge_sd_ps = tick / (2 * sqrt(hits));
    figures->bubble_share = side->bubbles / hits;
}

static int check_side(const struct pb_tdc_table *table, bool rises, struct pb_diag *diag)
{
    struct pb_tdc_figures figures;
    pb_tdc_figures(&figures, table, rises);
    if (figures.hits < PB_TDC_HITS_MIN)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "calibration of the converter: has %" PRIu64 " %s; %d are the least; calibrate longer",
                       figures.hits, side_name[rises], PB_TDC_HITS_MIN);
    if (figures.last >= table->taps)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "calibration of the converter: %s reach the last of %u taps within a tick of %.0f ps; the "
            "chain must be longer than a tick; use a faster clock of the core",
            side_name[rises], table->taps, tick_ps(table));
    if (figures.widest_ps > BIN_SHARE_MAX * tick_ps(table))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "calibration of the converter: one code has %.1f %% of the %s; %.1f %% is the limit, as the "
            "oscillator must not be locked to the clock; calibrate again",
            100 * figures.widest_ps / tick_ps(table), side_name[rises], 100 * BIN_SHARE_MAX);
    if (figures.bubble_share > BUBBLE_SHARE_MAX)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "calibration of the converter: %.1f %% of the %s have taps in the wrong order; %.0f %% is the "
            "limit; use another bitstream",
            100 * figures.bubble_share, side_name[rises], 100 * BUBBLE_SHARE_MAX);
    return PB_OK;
}

int pb_tdc_check(const struct pb_tdc_table *table, struct pb_diag *diag)
{
    const int code = check_side(table, false, diag);
    return code ? code : check_side(table, true, diag);
}

/* Centre of each bin. The tick ends inside the last one, of which only a part was seen: it and those beyond
 * have the mean width. */
static void place(double *place_ps, const struct pb_tdc_table *table, bool rises, double ratio)
{
    const struct pb_tdc_side *side = &table->side[rises];
    struct pb_tdc_figures figures;
    pb_tdc_figures(&figures, table, rises);
    double begin_ps = 0;
    for (unsigned code = 0; code < PB_TDC_CODES; code++) {
        const double width_ps = code < figures.last
                                    ? tick_ps(table) * side->hits[code] / (double)figures.hits
                                    : figures.mean_ps;
        place_ps[code] = ratio * (begin_ps + width_ps / 2);
        begin_ps += width_ps;
    }
}

int pb_tdc_scale(struct pb_tdc_scale *scale, const struct pb_tdc_table *table, double oscillator_hz,
                 struct pb_diag *diag)
{
    const double ratio = table->oscillator_hz / oscillator_hz;
    const int code = pb_tdc_check(table, diag);
    if (code)
        return code;
    if (!(fabs(ratio - 1) <= PB_TDC_RATIO_MAX))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "table of the converter: delays are %.3f of those in it, as at another temperature or core "
            "voltage; %.2f to %.2f can be scaled; calibrate again",
            ratio, 1 - PB_TDC_RATIO_MAX, 1 + PB_TDC_RATIO_MAX);
    *scale = (struct pb_tdc_scale){.taps = table->taps, .ratio = ratio};
    place(scale->place_ps[0], table, false, ratio);
    place(scale->place_ps[1], table, true, ratio);
    return PB_OK;
}

double pb_tdc_place_ps(const struct pb_tdc_scale *scale, const struct pb_event *event)
{
    return scale->place_ps[pb_tdc_rises(event)][passed_taps(event, scale->taps)];
}

double pb_tdc_instant_ps(const struct pb_tdc_scale *scale, const struct pb_event *event, uint32_t clock_hz)
{
    return (double)event->tick * (PS_PER_S / clock_hz) - pb_tdc_place_ps(scale, event);
}
