/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a train of edges, and what the step of the stamps adds to them. A quantity that needs a missing
 * edge is left out.
 */
#include "host/jitter/parts.h"

#include <math.h>
#include <stdlib.h>

#define PS_PER_S 1e12

enum {
    SWEPT_CELLS = 64, /* parts of a step */
    SWEPT_LEAST = 4,  /* distinct places within a step that show that the instants move through it */
    SAMPLES_LEAST = 16,
    STABILITY_LEAST = 8 /* edges in a row */
};

/* ---- the step of the stamps */

/* Rounding is a sawtooth of the place within a step. Of two edges `lag` periods apart, each with a white
 * jitter of sd_steps, its covariance is the series of the sawtooth, in steps squared; the period leaves
 * `part` of a step. Without jitter the variance of a period so is part (1 - part), and with much of it 1/6.
 */
static double covariance(double part, unsigned lag, double sd_steps)
{
    const double turn = 2 * acos(-1), angle = turn * part * lag, fade = turn * turn * sd_steps * sd_steps;
    double sum = 0;
    for (int j = 1; j < 2000 && fade * j * j < 50; j++)
        sum += cos(angle * j) * exp(-fade * j * j) / (j * j);
    return 2 * sum / (turn * turn);
}

/* How the edges lie on the grid of their stamps. */
struct grid {
    bool swept, fine;
    double part;     /* of a step that the period leaves */
    double sd_steps; /* of the TIE without its step; 0: the step hides it */
};

/* Variance that the step adds to a quantity of the clock, in steps squared. */
static double clock_variance(enum pb_jitter_quantity quantity, const struct grid *grid, unsigned n)
{
    const double part = grid->part, sd_steps = grid->sd_steps;
    if (grid->fine)
        return quantity == PB_JITTER_CYCLE ? 1.0 / 2 : 1.0 / 6;
    switch (quantity) {
    case PB_JITTER_PERIOD:
        return 1.0 / 6 - 2 * covariance(part, 1, sd_steps);
    case PB_JITTER_N_PERIOD:
        return 1.0 / 6 - 2 * covariance(part, n, sd_steps);
    case PB_JITTER_CYCLE:
        return 1.0 / 2 - 8 * covariance(part, 1, sd_steps) + 2 * covariance(part, 2, sd_steps);
    default:
        return 1.0 / 12;
    }
}

/* ---- rows */

void pb_row_correct(struct pb_jitter_row *row, double variance_ps2, double shift_ps)
{
    const double n = (double)row->raw.n, step = row->step_ps, sd = row->raw.sd,
                 variance = sd * sd - variance_ps2;
    row->mean_ps = row->raw.mean + shift_ps;
    /* A response to a stamped edge has the errors of two stamps; between the edges of a train they cancel but
     * for those of the ends. */
    row->mean_u95_ps = (row->swept || step == 0) && n > 1 ? NORMAL_95 * sd / sqrt(n)
                                                          : (step + row->reference_step_ps) / 2;
    row->sd_is_bound = step > 0 && (!row->swept || variance <= 0);
    if (!row->sd_is_bound)
        row->sd_ps = sqrt(fmax(variance, 0));
    else /* swept: the scatter of the variance of a uniform error, 95 % */
        row->sd_ps = row->swept ? step * sqrt(1.645 * 0.0745 / sqrt(n)) : sd + step / 2;
}

struct pb_jitter_row *pb_row_add(struct pb_jitter *jitter, enum pb_jitter_quantity quantity, double *value,
                                 size_t n, double step_ps, bool swept)
{
    struct pb_jitter_row *row = &jitter->row[jitter->rows++];
    *row = (struct pb_jitter_row){.quantity = quantity,
                                  .link = -1,
                                  .node = -1,
                                  .dimension = -1,
                                  .phase = -1,
                                  .from = -1,
                                  .to = -1,
                                  .step_ps = step_ps,
                                  .swept = swept,
                                  .value = value};
    pb_distribution_of(&row->raw, value, n);
    pb_split_of(&row->split, value, n, step_ps);
    return row;
}

/* ---- trains */

/* One bit: the part of a step in which this is. */
static uint64_t cell_of(long double steps)
{
    return UINT64_C(1) << ((unsigned)((steps - floorl(steps)) * SWEPT_CELLS) % SWEPT_CELLS);
}

/* Whether the edges, by their line, come at many places within a step of the stamps; scatter of more than
 * half a step does the same. */
static bool is_swept(const struct train *train, const struct line *line, double sd_ps)
{
    uint64_t seen = 0;
    if (train->step_ps == 0 || train->count < SAMPLES_LEAST)
        return false;
    if (sd_ps > 0.6 * train->step_ps)
        return true;
    for (size_t i = 0; i < train->count; i++)
        seen |= cell_of((line->start_ps + pb_train_place(train, i) * line->period_ps) / train->step_ps);
    return __builtin_popcountll(seen) >= SWEPT_LEAST;
}

bool pb_values_swept(const double *value, size_t n, double step_ps, double sd_ps)
{
    uint64_t seen = 0;
    if (!(step_ps > 0) || n < SAMPLES_LEAST)
        return false;
    for (size_t i = 0; i < n; i++)
        seen |= cell_of(value[i] / step_ps);
    return sd_ps > 0.6 * step_ps || __builtin_popcountll(seen) >= SWEPT_LEAST;
}

static struct grid grid_of(const struct train *train, const struct line *line, double sd_ps)
{
    const double step = train->step_ps, variance = step > 0 ? sd_ps * sd_ps / step / step - 1.0 / 12 : 0;
    const long double steps = step > 0 ? line->period_ps / step : 0;
    return (struct grid){.swept = is_swept(train, line, sd_ps),
                         .fine = train->fine,
                         .part = (double)(steps - floorl(steps)),
                         .sd_steps = sqrt(fmax(variance, 0))};
}

/* The quantity at edge i; false: an edge that it needs is missing. */
static bool quantity_at(double *value, enum pb_jitter_quantity quantity, const struct train *train, size_t i,
                        unsigned n)
{
    const size_t last = i + (quantity == PB_JITTER_PERIOD ? 1 : quantity == PB_JITTER_CYCLE ? 2 : n);
    if (last >= train->count || train->edge[last].phase - train->edge[i].phase != last - i)
        return false;
    *value = (double)(train->edge[last].time_ps - train->edge[i].time_ps);
    if (quantity == PB_JITTER_CYCLE)
        *value = (double)(train->edge[last].time_ps - train->edge[i + 1].time_ps -
                          (train->edge[i + 1].time_ps - train->edge[i].time_ps));
    return true;
}

static int add_quantity(struct pb_jitter *jitter, enum pb_jitter_quantity quantity, const struct train *train,
                        unsigned n, const struct grid *grid)
{
    double *value = malloc(train->count * sizeof *value);
    size_t count = 0;
    if (!value)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < train->count; i++)
        count += quantity_at(&value[count], quantity, train, i, n);
    struct pb_jitter_row *row = pb_row_add(jitter, quantity, value, count, train->step_ps, grid->swept);
    row->fine = train->fine;
    pb_row_correct(row, train->step_ps * train->step_ps * clock_variance(quantity, grid, n), 0);
    return PB_OK;
}

int pb_rows_of_train(struct pb_jitter *jitter, const struct train *train, unsigned n, const struct line *line,
                     const double *tie_ps)
{
    double squares = 0, *const tie = malloc(train->count * sizeof *tie);
    int code = tie ? PB_OK : PB_ERR_MEMORY;
    if (code)
        return code;
    for (size_t i = 0; i < train->count; i++) {
        const double apart = pb_train_tie(train, i, line);
        squares += apart * apart;
        tie[i] = tie_ps[i];
    }
    const struct grid grid = grid_of(train, line, sqrt(squares / (double)train->count));
    for (int quantity = PB_JITTER_PERIOD; quantity <= (n ? PB_JITTER_N_PERIOD : PB_JITTER_CYCLE) && !code;
         quantity++)
        code = add_quantity(jitter, (enum pb_jitter_quantity)quantity, train, n, &grid);
    struct pb_jitter_row *row =
        pb_row_add(jitter, PB_JITTER_TIE, tie, train->count, train->step_ps, grid.swept);
    row->fine = train->fine;
    pb_row_correct(row, train->step_ps * train->step_ps / 12, 0);
    row->span_ps = (double)pb_train_time(train, train->count - 1);
    return code;
}

int pb_rows_stability(struct pb_jitter_stable *out, const struct train *train, const double *tie_ps,
                      double period_ps)
{
    static const unsigned digit[] = {1, 2, 5};
    size_t first = 0, from = 0, count = 0;
    double *const x = malloc(train->count * sizeof *x);
    if (!x)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < train->count; i++) {
        first = i && train->edge[i].phase != train->edge[i - 1].phase + 1 ? i : first;
        if (i + 1 - first > count) {
            count = i + 1 - first;
            from = first;
        }
    }
    const double tau0_s = period_ps / PS_PER_S;
    out->edges = count;
    for (size_t i = 0; i < count; i++)
        x[i] = tie_ps[from + i] / PS_PER_S;
    size_t decade = 1;
    for (unsigned k = 0; count >= STABILITY_LEAST && out->taus < PB_JITTER_TAUS; k++) {
        const size_t m = digit[k % 3] * decade;
        if (3 * m > count)
            break;
        struct pb_jitter_stability *at = &out->at[out->taus++];
        *at = (struct pb_jitter_stability){.averaged = m, .tau_s = (double)m * tau0_s};
        at->oadev = pb_stability_deviation(PB_STABILITY_OADEV, x, count, tau0_s, m, &at->terms);
        at->mdev = pb_stability_deviation(PB_STABILITY_MDEV, x, count, tau0_s, m, NULL);
        at->tdev_ps = PS_PER_S * pb_stability_deviation(PB_STABILITY_TDEV, x, count, tau0_s, m, NULL);
        at->mtie_ps = PS_PER_S * pb_stability_mtie(x, count, m);
        decade *= k % 3 == 2 ? 10 : 1;
    }
    for (unsigned k = 0; k < out->taus; k++) {
        struct pb_jitter_stability *at = &out->at[k];
        const struct pb_jitter_stability *left = &out->at[k ? k - 1 : k],
                                         *right = &out->at[k + 1 < out->taus ? k + 1 : k];
        const double slope = log(right->mdev / left->mdev) / log(right->tau_s / left->tau_s);
        at->noise = isfinite(slope) ? pb_noise_of_slope(slope) : PB_NOISE_WHITE_PM;
        at->oadev95 =
            pb_deviation_interval(at->oadev, pb_stability_freedom(at->noise, count, at->averaged), 0.95);
    }
    free(x);
    return PB_OK;
}
