/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stamps of another instrument as the edges of a clock: numbered by the median period, so that a missing
 * edge leaves a gap.
 */
#include "phasebench/stamps.h"
#include "host/base/utf8.h"
#include "host/metrology/jitter/parts.h"
#include "phasebench/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* 0: memory ran out. */
static int64_t median_period(const struct pb_stamps *stamps)
{
    const size_t count = stamps->count - 1;
    int64_t *const period = malloc(count * sizeof *period);
    if (!period)
        return 0;
    for (size_t i = 0; i < count; i++)
        period[i] = stamps->time_ps[i + 1] - stamps->time_ps[i];
    qsort(period, count, sizeof *period, by_size);
    const int64_t median = period[count / 2];
    free(period);
    return median;
}

static int collect(struct pb_jitter_collector *collector, const struct pb_stamps *stamps, const char *path,
                   struct pb_diag *diag)
{
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    struct pb_sample sample = {.figure = PB_FIGURE_CLOCK_PERIOD, .step_ps = llround(stamps->step_ps)};
    if (stamps->count < 3)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %zu edges of '%s'; a clock has 3 or more", path,
                       stamps->count, stamps->channel);
    const int64_t median_ps = median_period(stamps);
    if (!median_ps)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the stamps");
    for (size_t i = 1; i < stamps->count; i++) {
        sample.time_ps = stamps->time_ps[i];
        sample.value = stamps->time_ps[i] - stamps->time_ps[i - 1];
        const int64_t periods = llround((double)sample.value / (double)median_ps);
        if (!periods)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: edges %zu and %zu of '%s' are %.3f ns apart, the median is %.3f ns; take the "
                           "glitch out of the file",
                           path, i, i + 1, stamps->channel, (double)sample.value / 1e3,
                           (double)median_ps / 1e3);
        sample.phase += (uint64_t)periods;
        if (periods == 1)
            sink.take(sink.context, &sample);
    }
    collector->left_out = stamps->left_out;
    return PB_OK;
}

/* Returns the period of the line through all edges, used if none is configured. */
static double mean_period(const struct pb_jitter_collector *collector, double step_ps)
{
    struct jitter_sample *edge = malloc(2 * (collector->period.count + 1) * sizeof *edge);
    double period_ps = 0;
    if (edge) {
        const struct train train = pb_train_of(&collector->period, step_ps, edge);
        period_ps = train.count > 1 ? (double)pb_train_fit(&train).period_ps : 0;
    }
    free(edge);
    return period_ps;
}

int pb_jitter_of_stamps(struct pb_jitter **out, const struct pb_stamps *stamps, const char *path, unsigned n,
                        double nominal_ps, enum pb_jitter_reference reference, struct pb_diag *diag)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *known = calloc(1, sizeof *known);
    struct pb_result *result = calloc(1, sizeof *result);
    *out = NULL;
    int code = collector && known && result ? collect(collector, stamps, path, diag) : PB_ERR_MEMORY;
    if (!code) {
        char clean[PB_JITTER_SOURCE_SIZE / 2];
        pb_utf8_clean(clean, sizeof clean, path);
        known->tick_ps = stamps->step_ps;
        known->nominal_ps = nominal_ps > 0 ? nominal_ps : mean_period(collector, stamps->step_ps);
        known->n = n;
        known->follows = true;
        known->reference = reference;
        snprintf(known->source, sizeof known->source, "%s, %s, '%s'", clean, stamps->form, stamps->channel);
        snprintf(result->board, sizeof result->board, "another instrument");
        result->clock_budget_rows = 1;
        result->clock_budget[0] = (struct pb_uncertainty_row){
            .name = "step of a stamp", .kind = PB_UNCERTAINTY_STEP, .rise_ps = llround(stamps->step_ps / 2)};
        code = known->nominal_ps > 0 ? pb_jitter_compute_known(out, collector, known, result) : PB_ERR_MEMORY;
    }
    if (code == PB_ERR_MEMORY)
        pb_fail(diag, code, "no memory for the stamps of %s", path);
    pb_jitter_collector_free(collector);
    free(known);
    free(result);
    return code;
}
