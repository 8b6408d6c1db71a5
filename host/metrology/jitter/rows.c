/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a train of edges, and what the step of the stamps adds to them. A quantity that needs a missing
 * edge is left out.
 */
#include "host/metrology/jitter/parts.h"

#include <math.h>
#include <stdlib.h>

#define PS_PER_S 1e12

enum { STABILITY_LEAST = 8 /* edges in a row */ };

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

void pb_row_mean(struct pb_jitter_row *row, double shift_ps, double scatter_ps, double place_ps)
{
    const double n = (double)row->raw.n;
    row->mean_ps = row->raw.mean + shift_ps;
    /* A deviation of few values is uncertain itself. */
    row->scatter_ps =
        n > 1 ? scatter_ps * pb_student_factor(CONFIDENCE, fmax(n - 2, 1)) / NORMAL_95 : INFINITY;
    row->place_ps = place_ps;
    row->mean_u95_ps = NORMAL_95 * row->scatter_ps + place_ps;
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

/* The deviations of an edge that its train shows: about the line, and between neighbours, which a drift does
 * not change. */
static void deviations(double *sd_ps, double *local_ps, const struct train *train, const struct line *line)
{
    double squares = 0, cycles = 0;
    size_t count = 0;
    for (size_t i = 0; i < train->count; i++) {
        double cycle;
        const double apart = pb_train_tie(train, i, line);
        squares += apart * apart;
        if (quantity_at(&cycle, PB_JITTER_CYCLE, train, i, 2)) {
            cycles += cycle * cycle;
            count++;
        }
    }
    *sd_ps = sqrt(squares / (double)train->count);
    *local_ps = count ? fmin(*sd_ps, sqrt(cycles / 6 / (double)count)) : *sd_ps;
}

struct grid pb_grid_of_train(const struct train *train, const struct line *line)
{
    double sd_ps, local_ps;
    deviations(&sd_ps, &local_ps, train, line);
    return pb_grid_of(train, line, sd_ps, local_ps);
}

/* A mean of differences is one of the edges at the ends of each stretch without a gap: how often each edge is
 * in the sum of all values. */
struct ends {
    double squares, sizes;
};

static void count_ends(struct ends *ends, double *weight, const struct train *train,
                       enum pb_jitter_quantity quantity, unsigned n)
{
    const size_t reach = quantity == PB_JITTER_PERIOD ? 1 : quantity == PB_JITTER_CYCLE ? 2 : n;
    double value;
    *ends = (struct ends){.squares = 0};
    for (size_t i = 0; i < train->count; i++)
        weight[i] = 0;
    for (size_t i = 0; i < train->count; i++)
        if (quantity_at(&value, quantity, train, i, n)) {
            weight[i] += quantity == PB_JITTER_CYCLE ? 1 : -1;
            weight[i + reach] += 1;
            if (quantity == PB_JITTER_CYCLE)
                weight[i + 1] -= 2;
        }
    for (size_t i = 0; i < train->count; i++) {
        ends->squares += weight[i] * weight[i];
        ends->sizes += fabs(weight[i]);
    }
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
    row->late_ps = (quantity == PB_JITTER_CYCLE ? 2 : 1) * train->step_ps;
    pb_row_deviation(row, quantity == PB_JITTER_CYCLE ? ROUNDED_CYCLE : ROUNDED_PERIOD, grid->uneven,
                     train->step_ps * train->step_ps * clock_variance(quantity, grid, n));
    return PB_OK;
}

/* What no jitter is: a drift makes the TIE of an edge larger than its jitter, and not its cycles. */
static double edge_most_ps(const struct pb_jitter_row *tie, const struct pb_jitter_row *cycle)
{
    return fmin(tie->sd95.upper, cycle->sd95.upper / sqrt(6));
}

/* A difference of two edges has at most twice the deviation of an edge, and that of cycles at most four
 * times, however the edges depend on each other. */
static void hold_below(struct pb_jitter_row *row, const struct pb_jitter_row *tie)
{
    const double most = (row->quantity == PB_JITTER_CYCLE ? 4 : 2) * tie->sd95.upper;
    if (!(row->sd95.upper > most))
        return;
    row->sd95.upper = most;
    row->sd95.lower = fmin(row->sd95.lower, most);
    row->sd_ps = row->sd_is_bound ? most : fmin(row->sd_ps, most);
}

static int add_means(struct pb_jitter *jitter, unsigned first, const struct train *train, unsigned n)
{
    const struct pb_jitter_row *tie = &jitter->row[jitter->rows - 1];
    double *const weight = malloc(train->count * sizeof *weight);
    if (!weight)
        return PB_ERR_MEMORY;
    const double edge_ps = edge_most_ps(tie, &jitter->row[first + PB_JITTER_CYCLE]);
    for (struct pb_jitter_row *row = &jitter->row[first]; row < tie; row++) {
        struct ends ends;
        const double count = (double)row->raw.n;
        count_ends(&ends, weight, train, row->quantity, n);
        hold_below(row, tie);
        pb_row_mean(row, 0, edge_ps * sqrt(ends.squares) / count,
                    train->step_ps / 2 * ends.sizes / count);
    }
    free(weight);
    return PB_OK;
}

int pb_rows_of_train(struct pb_jitter *jitter, const struct train *train, unsigned n, const struct line *line,
                     const double *tie_ps, bool fitted)
{
    const unsigned first = jitter->rows;
    double *const tie = malloc(train->count * sizeof *tie);
    int code = tie ? PB_OK : PB_ERR_MEMORY;
    if (code)
        return code;
    for (size_t i = 0; i < train->count; i++)
        tie[i] = tie_ps[i];
    const struct grid grid = pb_grid_of_train(train, line);
    for (int quantity = PB_JITTER_PERIOD; quantity <= (n ? PB_JITTER_N_PERIOD : PB_JITTER_CYCLE) && !code;
         quantity++)
        code = add_quantity(jitter, (enum pb_jitter_quantity)quantity, train, n, &grid);
    if (code) {
        free(tie);
        return code;
    }
    const double step_ps = train->step_ps;
    struct pb_jitter_row *row = pb_row_add(jitter, PB_JITTER_TIE, tie, train->count, step_ps, grid.swept);
    row->fine = train->fine;
    row->span_ps = (double)pb_train_time(train, train->count - 1);
    pb_row_deviation(row, ROUNDED_EDGE, grid.uneven, step_ps * step_ps / 12);
    /* At its ends the line is known to two deviations over sqrt(n). */
    row->late_ps = step_ps + 2 * NORMAL_95 * row->raw.sd / sqrt((double)train->count);
    /* With the configured period the first edge is the origin, and its rounding is in every value. */
    pb_row_mean(row, 0, row->raw.sd / sqrt((double)row->raw.n),
                !fitted ? step_ps : grid.swept ? 0 : step_ps / 2);
    return add_means(jitter, first, train, n);
}

/* The deviation is that of second differences over sqrt(2) tau, which rounding changes as it does cycles. */
static struct pb_interval stability_interval(const struct pb_jitter_stability *at, size_t count,
                                             const struct train *train, double uneven)
{
    const double scale = sqrt(2) * at->tau_s * PS_PER_S;
    struct pb_interval sure = pb_deviation_interval(
        at->oadev * scale, pb_stability_freedom(at->noise, count, at->averaged), CONFIDENCE);
    if (train->step_ps > 0)
        sure = pb_without_rounding(sure, ROUNDED_CYCLE, train->step_ps, uneven);
    return (struct pb_interval){sure.lower / scale, sure.upper / scale};
}

int pb_rows_stability(struct pb_jitter_stable *out, const struct train *train, const double *tie_ps,
                      const struct line *line, double period_ps)
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
    const double tau0_s = period_ps / PS_PER_S,
                 uneven = train->step_ps > 0 ? pb_grid_of_train(train, line).uneven : 1;
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
        at->oadev95 = stability_interval(at, count, train, uneven);
    }
    free(x);
    return PB_OK;
}
