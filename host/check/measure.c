/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/measure.h"
#include "host/check/uncertainty.h"

#include <math.h>
#include <stdlib.h>

enum { CELL_PS = 1000 }; /* the narrowest bin of a histogram */

/* ---- how the starts are spread */

static int64_t cell_of(int64_t value, int64_t cell_ps)
{
    return value / cell_ps - (value % cell_ps < 0);
}

static uint32_t *place_of(struct pb_spread *spread, int64_t cell)
{
    return &spread->cell[(uint64_t)cell % PB_SPREAD_CELLS];
}

static void widen(struct pb_spread *spread)
{
    struct pb_spread wide = {.cell_ps = 10 * spread->cell_ps,
                             .first = cell_of(spread->first, 10),
                             .last = cell_of(spread->last, 10)};
    for (int64_t cell = spread->first; cell <= spread->last; cell++)
        *place_of(&wide, cell_of(cell, 10)) += *place_of(spread, cell);
    for (unsigned i = 0; i < PB_SPREAD_CELLS; i++)
        spread->cell[i] = wide.cell[i];
    spread->cell_ps = wide.cell_ps;
    spread->first = wide.first;
    spread->last = wide.last;
}

/* The values of a sound node are few, and come again and again. */
static void keep_distinct(struct pb_spread *spread, int64_t value)
{
    const unsigned places = 2 * PB_SPREAD_DISTINCT;
    unsigned at = (unsigned)((uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) >> 32) % places;
    for (; spread->place[at]; at = (at + 1) % places)
        if (spread->value[spread->place[at] - 1] == value)
            return;
    if (spread->values == PB_SPREAD_DISTINCT)
        return;
    spread->value[spread->values++] = value;
    spread->place[at] = (uint16_t)spread->values;
}

static void take_start(struct pb_measure *measure, unsigned link, int64_t value)
{
    struct pb_spread *spread = measure->start[link];
    const bool first = !spread;
    if (first)
        spread = measure->start[link] = calloc(1, sizeof *spread);
    if (!spread) {
        measure->incomplete = true;
        return;
    }
    if (first) {
        spread->cell_ps = CELL_PS;
        spread->first = spread->last = cell_of(value, CELL_PS);
    }
    int64_t from, to, cell;
    for (;; widen(spread)) {
        cell = cell_of(value, spread->cell_ps);
        from = cell < spread->first ? cell : spread->first;
        to = cell > spread->last ? cell : spread->last;
        if (to - from < PB_SPREAD_CELLS)
            break;
    }
    spread->first = from;
    spread->last = to;
    ++*place_of(spread, cell);
    keep_distinct(spread, value);
}

/* ---- readings */

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

/* A sum of squares that is exact does not swallow a small spread around a large mean. */
static void add_value(struct pb_samples *samples, int64_t value)
{
    const int64_t apart = value - samples->first;
    const __int128 square = (__int128)apart * apart;
    samples->count++;
    samples->sum += apart;
    samples->min = value < samples->min ? value : samples->min;
    samples->max = value > samples->max ? value : samples->max;
    if (samples->vast_squares >= 0)
        samples->vast_squares += (double)square;
    else if (__builtin_add_overflow(samples->squares, square, &samples->squares))
        samples->vast_squares = (double)(samples->squares - square) + (double)square;
}

int pb_measure_take(struct pb_measure *measure, enum pb_figure figure, unsigned at,
                    const struct pb_reading *reading)
{
    const int key = pb_measure_key(figure, at);
    struct pb_samples *samples = &measure->sample[key];
    const int64_t margin = pb_reading_margin(reading);
    const bool first = !samples->count;
    if (first) {
        samples->first = samples->min = samples->max = reading->value;
        samples->vast_squares = -1;
    }
    add_value(samples, reading->value);
    if (figure == PB_FIGURE_NODE_START)
        take_start(measure, at, reading->value);
    if (first || reading->u95 > samples->u95)
        samples->u95 = reading->u95;
    if (reading->judgement > samples->judgement)
        samples->judgement = reading->judgement;
    if (first || margin < samples->margin) {
        samples->margin = margin;
        samples->lower = reading->lower;
        samples->upper = reading->upper;
    }
    if (reading->placed && measure->samples.take)
        measure->samples.take(measure->samples.context, &(struct pb_sample){.figure = figure,
                                                                            .link = at,
                                                                            .phase = reading->phase,
                                                                            .time_ps = reading->time_ps,
                                                                            .value = reading->value,
                                                                            .step_ps = reading->step_ps});
    return key;
}

void pb_measure_take_fine(const struct pb_measure *measure, bool rises, int64_t time_ps)
{
    if (measure->samples.take_fine)
        measure->samples.take_fine(measure->samples.context, &(struct pb_fine_stamp){rises, time_ps});
}

/* The sum of the squares of the distances from the mean, by way of the whole number next to it. */
static double squares_about_mean(const struct pb_samples *samples)
{
    const __int128 count = (__int128)samples->count, near = samples->sum / count,
                   rest = samples->sum - near * count;
    if (samples->vast_squares >= 0)
        return samples->vast_squares - (double)samples->sum * ((double)samples->sum / (double)count);
    const double beside = (double)rest / (double)count;
    return (double)(samples->squares - near * samples->sum - near * rest) - (double)count * beside * beside;
}

static void describe(struct pb_measurement *row, const struct pb_samples *samples)
{
    const __int128 sum = samples->sum + (__int128)samples->first * (__int128)samples->count;
    const double squares = fmax(squares_about_mean(samples), 0);
    row->n = samples->count;
    row->min = samples->min;
    row->max = samples->max;
    row->mean = (int64_t)llround((double)sum / (double)samples->count);
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
    int64_t decade = CELL_PS;
    for (;; decade *= 10)
        for (unsigned i = 0; i < 3; i++)
            if (step[i] * decade * (PB_HISTOGRAM_BINS - 2) >= span_ps)
                return step[i] * decade;
}

/* One axis for all links, so that an eye can compare them. Its bins are whole numbers of cells. */
static void make_histograms(const struct pb_measure *measure, struct pb_result *result)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned link = 0; link < PB_RISE_LINKS; link++) {
        const struct pb_samples *start = &measure->sample[pb_measure_key(PB_FIGURE_NODE_START, link)];
        if (start->count) {
            low = start->min < low ? start->min : low;
            high = start->max > high ? start->max : high;
        }
    }
    if (low > high)
        return;
    const int64_t bin_ps = round_bin(high - low), from_ps = low / bin_ps * bin_ps - bin_ps;
    for (unsigned link = 0; link < PB_RISE_LINKS; link++) {
        struct pb_histogram *histogram = &result->histogram[link];
        struct pb_spread *spread = measure->start[link];
        histogram->from_ps = from_ps;
        histogram->bin_ps = bin_ps;
        for (int64_t cell = spread ? spread->first : 0; spread && cell <= spread->last; cell++) {
            const uint32_t count = *place_of(spread, cell);
            const int64_t at = cell_of(cell * spread->cell_ps - from_ps, bin_ps);
            if (at < 0)
                histogram->below += count;
            else if (at >= PB_HISTOGRAM_BINS)
                histogram->above += count;
            else
                histogram->bin[at] += count;
        }
    }
}

int pb_measure_finish(const struct pb_measure *measure, struct pb_result *result, unsigned ports)
{
    const int keys = PB_FIGURES * PB_RISE_LINKS;
    int place[PB_FIGURES * PB_RISE_LINKS];
    size_t count = 0;
    for (int key = 0; key < keys; key++)
        place[key] = measure->sample[key].count ? (int)count++ : -1;
    free(result->measurement);
    result->measurements = 0;
    result->measurement = calloc(count + 1, sizeof *result->measurement);
    if (measure->incomplete || !result->measurement)
        return PB_ERR_MEMORY;
    for (int key = 0; key < keys; key++) {
        const struct pb_samples *samples = &measure->sample[key];
        if (!samples->count)
            continue;
        struct pb_measurement *row = &result->measurement[result->measurements++];
        const int at = key % PB_RISE_LINKS;
        row->figure = (enum pb_figure)(key / PB_RISE_LINKS);
        const enum pb_place of = pb_figure_place(row->figure);
        row->node = of == PB_OF_LINK ? at / (int)ports : of == PB_OF_NODE ? at : -1;
        row->link = of == PB_OF_LINK ? at : -1;
        row->dimension = of == PB_OF_LINK ? at % (int)ports : -1;
        describe(row, samples);
        if (row->figure == PB_FIGURE_NODE_START)
            row->corrected = pb_statistics_correct(row, measure->start[at]->value,
                                                   measure->start[at]->values, measure->step_ps[at],
                                                   measure->from_stamps);
    }
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].measurement >= 0)
            result->finding[i].measurement = place[result->finding[i].measurement];
    make_histograms(measure, result);
    return PB_OK;
}

void pb_measure_free(struct pb_measure *measure)
{
    for (unsigned link = 0; link < PB_RISE_LINKS; link++)
        free(measure->start[link]);
    *measure = (struct pb_measure){0};
}
