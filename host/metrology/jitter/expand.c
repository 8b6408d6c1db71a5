/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The uncertainty budget of an instant of each kind of edge, and of a mean. Contributions that scatter shrink
 * with n. Contributions that are the same in each value remain. Contributions that are the same at both ends
 * of an interval cancel.
 */
#include "host/metrology/jitter/parts.h"
#include "phasebench/result.h"

#include <math.h>
#include <stdio.h>

struct sum {
    struct pb_contribution part[4 * PB_BUDGET_MAX];
    unsigned parts;
};

static void add(struct sum *sum, bool normal, double size)
{
    if (size > 0)
        sum->part[sum->parts++] = (struct pb_contribution){normal, size};
}

static void add_kind(struct sum *sum, const struct pb_uncertainty_row *row, unsigned rows, bool rise,
                     enum pb_uncertainty_kind kind)
{
    for (unsigned i = 0; i < rows; i++)
        if (row[i].kind == kind)
            add(sum, row[i].normal, (double)(rise ? row[i].rise_ps : row[i].fall_ps));
}

/* A response to a stamped edge whose stamps do not dither has the errors of two of them, each of half a
 * step. */
static void add_scatter(struct sum *sum, const struct pb_jitter_row *row)
{
    const double both_ps = (row->step_ps + row->reference_step_ps) / 2;
    if (isfinite(row->scatter_ps))
        add(sum, true, row->scatter_ps);
    if (row->reference_step_ps > 0 && row->place_ps >= both_ps) {
        add(sum, false, row->step_ps / 2);
        add(sum, false, row->reference_step_ps / 2);
    } else {
        add(sum, false, row->place_ps);
    }
}

/* What of the converter is the same in all of its edges. */
static void add_fine(struct sum *sum, const struct pb_jitter_row *row, const struct pb_jitter *jitter)
{
    if (!row->fine)
        return;
    add(sum, true, jitter->fine.table_ps);
    add(sum, false, jitter->fine.drift_ps);
    if (row->quantity == PB_JITTER_RESPONSE)
        add(sum, false, jitter->fine.place_ps);
}

static void add_fall(struct sum *sum, const struct pb_result *result)
{
    add_kind(sum, result->budget, result->budget_rows, false, PB_UNCERTAINTY_DUTY);
    add_kind(sum, result->budget, result->budget_rows, false, PB_UNCERTAINTY_LEVEL);
}

static void add_path(struct sum *sum, const struct pb_result *result)
{
    add_kind(sum, result->budget, result->budget_rows, false, PB_UNCERTAINTY_PATH);
}

static void add_skew(struct sum *sum, const struct pb_result *result)
{
    add_kind(sum, result->budget, result->budget_rows, false, PB_UNCERTAINTY_SKEW);
}

/* Of TDMA_CLK or TDMA_SYNC. */
static void add_clock_edge(struct sum *sum, const struct pb_result *result, bool rise)
{
    add_kind(sum, result->clock_budget, result->clock_budget_rows, rise, PB_UNCERTAINTY_DUTY);
    add_kind(sum, result->clock_budget, result->clock_budget_rows, rise, PB_UNCERTAINTY_LEVEL);
}

/* Edges of TDMA_CLK come through one pin and pass one level, so only the scale of their distance is left. */
static void expand_row(struct pb_jitter_row *row, const struct pb_jitter *jitter,
                       const struct pb_result *result)
{
    struct sum sum = {.parts = 0};
    double length_ps = fabs(row->mean_ps);
    add_scatter(&sum, row);
    if (row->quantity == PB_JITTER_RESPONSE) {
        add_fine(&sum, row, jitter);
        add_fall(&sum, result);
        add_path(&sum, result);
        add_skew(&sum, result);
        add_clock_edge(&sum, result, true);
    } else if (row->quantity == PB_JITTER_SYNC_RISE || row->quantity == PB_JITTER_SYNC_FALL) {
        add_clock_edge(&sum, result, true);
        add_clock_edge(&sum, result, row->quantity == PB_JITTER_SYNC_RISE);
        add_skew(&sum, result);
    } else if (row->quantity == PB_JITTER_TIE || row->quantity == PB_JITTER_SYNC_TIE) {
        /* To the middle of the run, on average; a fitted line takes the scale out. */
        length_ps = jitter->reference == PB_JITTER_NOMINAL ? row->span_ps / 2 : 0;
        add_fine(&sum, row, jitter);
    } else if (row->quantity == PB_JITTER_CYCLE || row->quantity == PB_JITTER_SYNC_CYCLE) {
        length_ps = 0;
    }
    add(&sum, false, jitter->oscillator_ppm / 1e6 * length_ps);
    pb_expand(&row->expanded, sum.part, sum.parts);
}

static void add_part(struct pb_jitter_budget *out, const char *name, bool normal, bool averages,
                     double size_ps)
{
    if (!(size_ps > 0) || out->parts == PB_JITTER_PARTS)
        return;
    struct pb_jitter_part *part = &out->part[out->parts++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->normal = normal;
    part->averages = averages;
    part->size_ps = size_ps;
    part->u_ps = normal ? size_ps : size_ps / sqrt(3);
}

static void add_rows(struct pb_jitter_budget *out, const struct pb_uncertainty_row *row, unsigned rows,
                     bool rise, bool stepped)
{
    for (unsigned i = 0; i < rows; i++)
        if (stepped || row[i].kind != PB_UNCERTAINTY_STEP)
            add_part(out, row[i].name, row[i].normal,
                     row[i].kind == PB_UNCERTAINTY_STEP || row[i].kind == PB_UNCERTAINTY_RANDOM,
                     (double)(rise ? row[i].rise_ps : row[i].fall_ps));
}

static void total(struct pb_jitter_budget *out)
{
    struct sum sum = {.parts = 0};
    for (unsigned i = 0; i < out->parts; i++)
        add(&sum, out->part[i].normal, out->part[i].size_ps);
    pb_expand(&out->sum, sum.part, sum.parts);
}

/* Of an edge that the converter observes: its rows in place of the step of a stamp. */
static void fine_budget(struct pb_jitter_budget *out, const struct pb_jitter_fine *fine,
                        const struct pb_result *result)
{
    add_part(out, "bins of the converter", true, true, fine->rms_ps);
    add_part(out, "edges of the bins in its table", true, false, fine->table_ps);
    add_part(out, "drift of its delays", false, false, fine->drift_ps);
    add_part(out, "delay of its pin, by the stamps", false, false, fine->place_ps);
    if (fine->link < 0)
        add_rows(out, result->clock_budget, result->clock_budget_rows, true, false);
    else
        add_rows(out, result->budget, result->budget_rows, false, false);
}

static void skew(struct pb_jitter *jitter, const struct pb_result *result)
{
    const struct pb_jitter_row *least = NULL, *most = NULL;
    struct sum sum = {.parts = 0};
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        least = !least || row->mean_ps < least->mean_ps ? row : least;
        most = !most || row->mean_ps > most->mean_ps ? row : most;
        jitter->skew_links++;
    }
    if (jitter->skew_links < 2)
        return;
    jitter->skew_ps = most->mean_ps - least->mean_ps;
    add_scatter(&sum, least);
    add_scatter(&sum, most);
    add_fine(&sum, least, jitter);
    add_fine(&sum, most, jitter);
    add_fall(&sum, result);
    add_fall(&sum, result);
    add_skew(&sum, result);
    pb_expand(&jitter->skew, sum.part, sum.parts);
}

void pb_jitter_expand(struct pb_jitter *jitter, const struct pb_result *result)
{
    struct sum rate = {.parts = 0};
    for (unsigned i = 0; i < result->budget_rows; i++)
        if (result->budget[i].kind == PB_UNCERTAINTY_SCALE)
            jitter->oscillator_ppm = 1e6 * (double)result->budget[i].fall_ps / jitter->nominal_ps;
    snprintf(jitter->board, sizeof jitter->board, "%s", result->board);
    add_rows(&jitter->budget[PB_JITTER_CLOCK_RISE], result->clock_budget, result->clock_budget_rows, true,
             true);
    add_rows(&jitter->budget[PB_JITTER_LINK_FALL], result->budget, result->budget_rows, false, true);
    add_rows(&jitter->budget[PB_JITTER_LINK_RISE], result->budget, result->budget_rows, true, true);
    if (jitter->fine.used)
        fine_budget(&jitter->budget[PB_JITTER_FINE_EDGE], &jitter->fine, result);
    for (int edge = 0; edge < PB_JITTER_EDGES; edge++)
        total(&jitter->budget[edge]);
    for (unsigned i = 0; i < jitter->rows; i++)
        expand_row(&jitter->row[i], jitter, result);
    add(&rate, true, jitter->rate_u95_ppm / NORMAL_95);
    add(&rate, false, jitter->oscillator_ppm);
    pb_expand(&jitter->absolute_rate, rate.part, rate.parts);
    skew(jitter, result);
}
