/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/measure.h"
#include "host/check/uncertainty.h"

#include <math.h>
#include <stdlib.h>

static bool keep(struct pb_samples *samples, int64_t value)
{
    if (samples->count == samples->capacity) {
        const size_t capacity = samples->capacity ? 2 * samples->capacity : 64;
        int64_t *grown = realloc(samples->value, capacity * sizeof *grown);
        if (!grown)
            return false;
        samples->value = grown;
        samples->capacity = capacity;
    }
    samples->value[samples->count++] = value;
    return true;
}

int64_t pb_reading_margin(const struct pb_reading *reading)
{
    const bool lower = reading->lower != PB_ABSENT, upper = reading->upper != PB_ABSENT;
    const int64_t above = lower ? reading->value - reading->lower : 0,
                  below = upper ? reading->upper - reading->value : 0;
    if (lower && upper)
        return above < below ? above : below;
    return lower ? above : upper ? below : PB_ABSENT;
}

enum pb_judgement pb_decide_u95(int64_t margin, int64_t u95)
{
    return margin >= u95 ? PB_JUDGED_PASS : margin >= -u95 ? PB_JUDGED_MARGINAL : PB_JUDGED_FAIL;
}

enum pb_judgement pb_decide_limit(int64_t margin)
{
    return margin >= 0 ? PB_JUDGED_PASS : PB_JUDGED_FAIL;
}

int pb_measure_take(struct pb_measure *measure, enum pb_figure figure, unsigned link,
                    const struct pb_reading *reading)
{
    const int key = pb_measure_key(figure, link);
    struct pb_samples *samples = &measure->sample[key];
    const int64_t margin = pb_reading_margin(reading);
    const bool first = !samples->count;
    if (!keep(samples, reading->value)) {
        samples->incomplete = true;
        return key;
    }
    if (first || reading->u95 > samples->u95)
        samples->u95 = reading->u95;
    if (reading->judgement > samples->judgement)
        samples->judgement = reading->judgement;
    if (first || margin < samples->margin) {
        samples->margin = margin;
        samples->lower = reading->lower;
        samples->upper = reading->upper;
    }
    return key;
}

/* Two passes, so that the sum of squares does not swallow a small spread around a large mean. */
static void describe(struct pb_measurement *row, const struct pb_samples *samples)
{
    __int128 sum = 0;
    row->n = samples->count;
    row->min = row->max = samples->value[0];
    for (size_t i = 0; i < samples->count; i++) {
        sum += samples->value[i];
        if (samples->value[i] < row->min)
            row->min = samples->value[i];
        if (samples->value[i] > row->max)
            row->max = samples->value[i];
    }
    const double mean = (double)sum / (double)samples->count;
    double squares = 0;
    for (size_t i = 0; i < samples->count; i++)
        squares += ((double)samples->value[i] - mean) * ((double)samples->value[i] - mean);
    row->mean = (int64_t)llround(mean);
    row->sd = samples->count < 2 ? 0 : (int64_t)llround(sqrt(squares / (double)(samples->count - 1)));
    row->lower = samples->lower;
    row->upper = samples->upper;
    row->u95 = samples->u95;
    row->margin = samples->margin;
    row->judgement = samples->judgement;
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

/* One axis for all links, so that an eye can compare them. */
static void make_histograms(const struct pb_samples start[PB_RISE_LINKS], struct pb_result *result)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned link = 0; link < PB_RISE_LINKS; link++)
        for (size_t i = 0; i < start[link].count; i++) {
            low = start[link].value[i] < low ? start[link].value[i] : low;
            high = start[link].value[i] > high ? start[link].value[i] : high;
        }
    if (low > high)
        return;
    const int64_t bin_ps = round_bin(high - low), from_ps = low / bin_ps * bin_ps - bin_ps;
    for (unsigned link = 0; link < PB_RISE_LINKS; link++) {
        struct pb_histogram *histogram = &result->histogram[link];
        histogram->from_ps = from_ps;
        histogram->bin_ps = bin_ps;
        for (size_t i = 0; i < start[link].count; i++) {
            const int64_t at = (start[link].value[i] - from_ps) / bin_ps;
            if (at < 0)
                histogram->below++;
            else if (at >= PB_HISTOGRAM_BINS)
                histogram->above++;
            else
                histogram->bin[at]++;
        }
    }
}

int pb_measure_finish(const struct pb_measure *measure, struct pb_result *result, unsigned ports)
{
    const int keys = PB_FIGURES * PB_RISE_LINKS;
    int place[PB_FIGURES * PB_RISE_LINKS];
    bool incomplete = false;
    size_t count = 0;
    for (int key = 0; key < keys; key++) {
        incomplete |= measure->sample[key].incomplete;
        place[key] = measure->sample[key].count ? (int)count++ : -1;
    }
    free(result->measurement);
    result->measurements = 0;
    result->measurement = calloc(count + 1, sizeof *result->measurement);
    if (incomplete || !result->measurement)
        return PB_ERR_MEMORY;
    for (int key = 0; key < keys; key++) {
        const struct pb_samples *samples = &measure->sample[key];
        if (!samples->count)
            continue;
        struct pb_measurement *row = &result->measurement[result->measurements++];
        const int link = key % PB_RISE_LINKS;
        row->figure = (enum pb_figure)(key / PB_RISE_LINKS);
        const bool at_link = pb_figure_is_of_link(row->figure);
        row->node = at_link ? link / (int)ports : -1;
        row->link = at_link ? link : -1;
        row->dimension = at_link ? link % (int)ports : -1;
        describe(row, samples);
        if (row->figure == PB_FIGURE_NODE_START)
            row->corrected =
                pb_statistics_correct(row, samples->value, samples->count, measure->step_ps[link]);
    }
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].measurement >= 0)
            result->finding[i].measurement = place[result->finding[i].measurement];
    make_histograms(&measure->sample[pb_measure_key(PB_FIGURE_NODE_START, 0)], result);
    return PB_OK;
}

void pb_measure_free(struct pb_measure *measure)
{
    for (int key = 0; key < PB_FIGURES * PB_RISE_LINKS; key++)
        free(measure->sample[key].value);
    *measure = (struct pb_measure){0};
}
