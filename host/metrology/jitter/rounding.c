/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bounds of the errors by the steps of the stamps. A stamp is rounded down, so its error is a sawtooth of the
 * edge's place within a step. The errors of two edges depend on each other, since a clock moves through a
 * step in a regular way. docs/use/jitter.md derives the bounds.
 */
#include "host/metrology/jitter/parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    CELLS = 2048,     /* parts of a step */
    CYCLE_MOST = 400, /* steps after which a clock may be back at its place, and is held to be locked */
    SAMPLES_LEAST = 16,
    VALUE_CELLS = 64,
    VALUES_LEAST = 4 /* places within a step that show that values move through it */
};

#define UNEVEN_SWEPT 0.25 /* four places within a step, evenly spaced */
#define DITHERED 0.6      /* deviation in steps above which a smooth jitter hides the sawtooth */
#define CURVED_LEAST 2    /* steps of curvature that rounding alone cannot show */
#define SLOPE_BY_STEP 1.5 /* steps over the whole train: the error of its slope by rounding, at worst */
#define SLOPE_BY_SD 6.8   /* the same by jitter, 95 %: 1.96 sqrt(12), in deviations over sqrt(n) */

/* What rounding adds to a variance is between least and most, in steps squared, when the places are even.
 * Uneven places change that by (flat step + tilted sd) step of their discrepancy. For all places, rounding
 * changes a deviation by at most `apart` steps. */
static const struct effect {
    double least, most, flat, tilted, apart;
    double freedom, freedom_excess; /* variance of a mean square: (freedom + freedom_excess k) / n */
} effects[] = {
    [ROUNDED_EDGE] = {1.0 / 12, 1.0 / 12, 0.5, 4, 0.5, 2, 1},
    [ROUNDED_PAIR] = {0, 0.25, 2, 8, 1, 2, 1},
    [ROUNDED_PERIOD] = {0, 0.25, 2, 8, 1, 3, 2},
    [ROUNDED_CYCLE] = {0, 1, 8, 16, 2, 140.0 / 36, 2},
};

/* ---- places of the edges */

/* The curvature of the train about its line, in steps: that of a rate that drifts. 0: none is certain. */
static double curvature(const struct train *train, const struct line *line)
{
    const long double last = pb_train_place(train, train->count - 1);
    double product = 0, squares = 0;
    for (size_t i = 0; i < train->count; i++) {
        const double u = (double)(2 * pb_train_place(train, i) / last - 1), shape = (3 * u * u - 1) / 2;
        product += shape * pb_train_tie(train, i, line);
        squares += shape * shape;
    }
    const double steps = product / squares / train->step_ps;
    return fabs(steps) > CURVED_LEAST ? steps : 0;
}

/* The discrepancy of the places: how far the share of edges in any part of a step is from its length. */
static double discrepancy(const struct train *train, const struct line *line, double curved)
{
    static const double cell = 1.0 / CELLS;
    size_t *const hits = calloc(CELLS, sizeof *hits), within = train->count;
    const long double last = pb_train_place(train, train->count - 1);
    double low = 0, high = 0, share = 0;
    if (!hits)
        return 1;
    for (size_t i = 0; i < within; i++) {
        const long double place = pb_train_place(train, i);
        const double u = (double)(2 * place / last - 1);
        const long double steps = (line->start_ps + place * line->period_ps) / train->step_ps +
                                  (long double)(curved * (3 * u * u - 1) / 2);
        hits[(size_t)((steps - floorl(steps)) * CELLS) % CELLS]++;
    }
    for (size_t k = 0; k < CELLS; k++) {
        share += (double)hits[k] / (double)within;
        low = fmin(low, share - (double)(k + 1) * cell);
        high = fmax(high, share - (double)(k + 1) * cell);
    }
    free(hits);
    return fmin(high - low + cell, 1);
}

/* The line is known to a part of a step only. If it agrees with a clock that comes back to the same places
 * after `cycle` edges, the places may be no more than that, 1 / cycle apart. */
static double locked_share(const struct train *train, const struct line *line, double curved, double sd_steps)
{
    const double count = (double)train->count, span = (double)pb_train_place(train, train->count - 1);
    const long double period = line->period_ps / train->step_ps;
    for (int cycle = 1; cycle <= CYCLE_MOST; cycle++) {
        const long double turns = period * cycle;
        const double moved = span * fabs((double)(turns - roundl(turns))),
                     known = SLOPE_BY_STEP + 3.0 * cycle * cycle / count +
                             cycle * SLOPE_BY_SD * sd_steps / sqrt(count);
        if (moved <= known && cycle * fabs(curved) <= CURVED_LEAST)
            return 1.0 / cycle;
    }
    return 0;
}

struct grid pb_grid_of(const struct train *train, const struct line *line, double sd_ps, double local_ps)
{
    const double step = train->step_ps;
    struct grid grid = {.fine = train->fine, .uneven = 1};
    if (!(step > 0) || train->count < 2)
        return grid;
    const double variance = local_ps * local_ps / step / step - 1.0 / 12;
    const long double steps = line->period_ps / step;
    grid.part = (double)(steps - floorl(steps));
    grid.sd_steps = sqrt(fmax(variance, 0));
    if (train->count < SAMPLES_LEAST)
        return grid;
    const double curved = curvature(train, line);
    if (!train->bound && !train->fine)
        grid.uneven =
            fmax(discrepancy(train, line, curved), locked_share(train, line, curved, local_ps / step));
    grid.swept = sd_ps > DITHERED * step || grid.uneven <= UNEVEN_SWEPT ||
                 (train->fine && discrepancy(train, line, curved) <= UNEVEN_SWEPT);
    return grid;
}

/* Of values that no line places. */
bool pb_values_swept(const double *value, size_t n, double step_ps, double sd_ps)
{
    uint64_t seen = 0;
    if (!(step_ps > 0) || n < SAMPLES_LEAST)
        return false;
    for (size_t i = 0; i < n; i++) {
        const double steps = value[i] / step_ps;
        seen |= UINT64_C(1) << ((unsigned)((steps - floor(steps)) * VALUE_CELLS) % VALUE_CELLS);
    }
    return sd_ps > DITHERED * step_ps || __builtin_popcountll(seen) >= VALUES_LEAST;
}

/* ---- deviations */

struct pb_interval pb_without_rounding(struct pb_interval raw, enum rounded kind, double step_ps,
                                       double uneven)
{
    const struct effect *effect = &effects[kind];
    const double apart = effect->apart * step_ps, sd = raw.upper + apart, squared = step_ps * step_ps,
                 shift = uneven < 1 ? uneven * step_ps * (effect->flat * step_ps + effect->tilted * sd)
                                    : INFINITY,
                 low = raw.lower * raw.lower - effect->most * squared - shift,
                 high = raw.upper * raw.upper - effect->least * squared + shift;
    struct pb_interval sure = {.lower = fmax(raw.lower - apart, 0), .upper = sd};
    if (low > sure.lower * sure.lower)
        sure.lower = sqrt(low);
    if (high > 0 && high < sure.upper * sure.upper)
        sure.upper = sqrt(high);
    return sure;
}

/* Excess of the fourth moment over that of a normal distribution, of about `n` values; 0: none. */
static double excess_of(const struct pb_jitter_row *row)
{
    double fourth = 0, second = 0;
    for (size_t i = 0; i < row->raw.n; i++) {
        const double square = pow(row->value[i] - row->raw.mean, 2);
        second += square;
        fourth += square * square;
    }
    return second > 0 ? fmax(fourth * (double)row->raw.n / second / second - 3, 0) : 0;
}

void pb_row_deviation(struct pb_jitter_row *row, enum rounded kind, double uneven, double variance_ps2)
{
    const struct effect *effect = &effects[kind];
    const double n = (double)row->raw.n, sd = row->raw.sd, variance = sd * sd - variance_ps2;
    row->sd_is_bound = false;
    row->sd95 = (struct pb_interval){0, INFINITY};
    if (row->raw.n < PB_JITTER_SD_LEAST) {
        row->sd_ps = INFINITY;
        return;
    }
    const double freedom = 2 * (n - 2) / (effect->freedom + effect->freedom_excess * excess_of(row));
    row->sd95 = (struct pb_interval){sd, sd};
    if (sd > 0)
        row->sd95 = pb_deviation_interval(sd, fmax(freedom, 1), 0.95);
    if (row->step_ps > 0) {
        row->sd95 = pb_without_rounding(row->sd95, kind, row->step_ps, uneven);
        /* An estimate that may as well be 0 is none. */
        row->sd_is_bound = !row->swept || variance <= 0 || row->sd95.lower <= 0;
    }
    row->sd_ps = row->sd_is_bound ? row->sd95.upper : sqrt(fmax(variance, 0));
}
