/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/measure.h"
#include "host/check/uncertainty.h"

#include <math.h>
#include <stdlib.h>

static void add(struct pb_samples *samples, int64_t ps)
{
    if (samples->count == samples->capacity) {
        const size_t capacity = samples->capacity ? 2 * samples->capacity : 256;
        int64_t *grown = realloc(samples->ps, capacity * sizeof *grown);
        if (!grown) {
            samples->incomplete = true;
            return;
        }
        samples->ps = grown;
        samples->capacity = capacity;
    }
    samples->ps[samples->count++] = ps;
}

void pb_measure_start(struct pb_measure *measure, unsigned dimension, int64_t start_ps, int64_t step_ps)
{
    if (step_ps > measure->step_ps[dimension])
        measure->step_ps[dimension] = step_ps;
    add(&measure->start[dimension], start_ps);
}

void pb_measure_period(struct pb_measure *measure, int64_t period_ps)
{
    add(&measure->period, period_ps);
}

void pb_measure_tie(struct pb_measure *measure, int64_t tie_ps)
{
    add(&measure->tie, tie_ps);
}

/* Two passes, so that the sum of squares does not swallow a small spread around a large mean. */
static struct pb_statistics statistics(const struct pb_samples *samples)
{
    struct pb_statistics s = {.count = samples->count};
    if (!samples->count)
        return s;
    __int128 sum = 0;
    s.min_ps = s.max_ps = samples->ps[0];
    for (size_t i = 0; i < samples->count; i++) {
        sum += samples->ps[i];
        if (samples->ps[i] < s.min_ps)
            s.min_ps = samples->ps[i];
        if (samples->ps[i] > s.max_ps)
            s.max_ps = samples->ps[i];
    }
    const double mean = (double)sum / (double)samples->count;
    double squares = 0;
    for (size_t i = 0; i < samples->count; i++)
        squares += ((double)samples->ps[i] - mean) * ((double)samples->ps[i] - mean);
    s.mean_ps = (int64_t)llround(mean);
    s.sd_ps = samples->count < 2 ? 0 : (int64_t)llround(sqrt(squares / (double)(samples->count - 1)));
    return s;
}

/* Bin widths of 1, 2 or 5 times a power of ten, so that the axis reads well. */
static int64_t round_bin(int64_t span_ps)
{
    static const int64_t step[] = {1, 2, 5};
    int64_t decade = 1000;
    for (;; decade *= 10)
        for (unsigned i = 0; i < 3; i++)
            if (step[i] * decade * (PB_HISTOGRAM_BINS - 2) >= span_ps)
                return step[i] * decade;
}

int pb_measure_finish(const struct pb_measure *measure, struct pb_result *result)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    bool incomplete = measure->period.incomplete || measure->tie.incomplete;
    for (unsigned d = 0; d < PB_DIMS_MAX; d++) {
        incomplete |= measure->start[d].incomplete;
        struct pb_statistics *start = &result->dimension[d].start;
        *start = statistics(&measure->start[d]);
        result->dimension[d].corrected =
            pb_statistics_correct(start, measure->start[d].ps, measure->start[d].count, measure->step_ps[d]);
        if (start->count && start->min_ps < low)
            low = start->min_ps;
        if (start->count && start->max_ps > high)
            high = start->max_ps;
    }
    result->period = statistics(&measure->period);
    result->tie = statistics(&measure->tie);
    if (incomplete)
        return PB_ERR_MEMORY;
    if (low > high)
        return PB_OK;
    const int64_t bin_ps = round_bin(high - low), from_ps = low / bin_ps * bin_ps - bin_ps;
    for (unsigned d = 0; d < PB_DIMS_MAX; d++) {
        struct pb_histogram *histogram = &result->dimension[d].histogram;
        histogram->from_ps = from_ps;
        histogram->bin_ps = bin_ps;
        for (size_t i = 0; i < measure->start[d].count; i++) {
            const int64_t at = (measure->start[d].ps[i] - from_ps) / bin_ps;
            if (at < 0)
                histogram->below++;
            else if (at >= PB_HISTOGRAM_BINS)
                histogram->above++;
            else
                histogram->bin[at]++;
        }
    }
    return PB_OK;
}

void pb_measure_free(struct pb_measure *measure)
{
    for (unsigned d = 0; d < PB_DIMS_MAX; d++)
        free(measure->start[d].ps);
    free(measure->period.ps);
    free(measure->tie.ps);
    *measure = (struct pb_measure){0};
}
