/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples into figures. An edge is known by the number of its phase, so a missing one leaves a gap: a
 * quantity that needs it is left out, the line through all edges goes on, and the deviations of the Allan
 * family are those of the longest stretch without a gap.
 */
#include "host/jitter/collect.h"
#include "phasebench/result.h"

#include <math.h>
#include <stdlib.h>

#define PS_PER_S 1e12
#define NORMAL_95 1.959964

enum {
    SWEPT_CELLS = 64, /* parts of a step */
    SWEPT_LEAST = 4,  /* distinct places within a step that show that the instants move through it */
    SAMPLES_LEAST = 16,
    STABILITY_LEAST = 8 /* edges in a row */
};

/* The edges of TDMA_CLK. */
struct train {
    const struct jitter_sample *edge; /* value_ps is not used */
    size_t count;
    double step_ps;
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

/* Variance that the step adds to a quantity of the clock, in steps squared. */
static double clock_variance(enum pb_jitter_quantity quantity, double part, unsigned n, double sd_steps)
{
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

/* The mean of stamps that are rounded down is low by half a step after an exact edge; the difference of two
 * such stamps is not. added: variance by the step, in steps squared. */
static void correct(struct pb_jitter_row *row, double added, bool after_exact_edge)
{
    const double n = (double)row->raw.n, step = row->step_ps, sd = row->raw.sd,
                 variance = sd * sd - step * step * added;
    row->mean_ps = row->raw.mean + (after_exact_edge ? step / 2 : 0);
    row->mean_u95_ps = (row->swept || step == 0) && n > 1 ? NORMAL_95 * sd / sqrt(n) : step / 2;
    row->sd_is_bound = step > 0 && (!row->swept || variance <= 0);
    if (!row->sd_is_bound)
        row->sd_ps = sqrt(fmax(variance, 0));
    else /* swept: the scatter of the variance of a uniform error, 95 % */
        row->sd_ps = row->swept ? step * sqrt(1.645 * 0.0745 / sqrt(n)) : sd + step / 2;
}

/* Takes over the values. */
static struct pb_jitter_row *add_row(struct pb_jitter *jitter, enum pb_jitter_quantity quantity,
                                     double *value, size_t n, double step_ps, bool swept)
{
    struct pb_jitter_row *row = &jitter->row[jitter->rows++];
    *row = (struct pb_jitter_row){.quantity = quantity,
                                  .link = -1,
                                  .node = -1,
                                  .dimension = -1,
                                  .step_ps = step_ps,
                                  .swept = swept,
                                  .value = value};
    pb_distribution_of(&row->raw, value, n);
    pb_split_of(&row->split, value, n, step_ps);
    return row;
}

/* ---- the clock */

static struct train train_of(const struct jitter_series *periods, struct jitter_sample *edge)
{
    struct train train = {.edge = edge, .step_ps = (double)periods->step_ps};
    for (size_t i = 0; i < periods->count; i++) {
        const struct jitter_sample *period = &periods->sample[i];
        if (!train.count || edge[train.count - 1].phase + 1 != period->phase)
            edge[train.count++] = (struct jitter_sample){.phase = period->phase - 1,
                                                         .time_ps = period->time_ps - period->value_ps};
        edge[train.count++] = *period;
    }
    return train;
}

static long double place_of(const struct train *train, size_t i)
{
    return (long double)(train->edge[i].phase - train->edge[0].phase);
}

static long double time_of(const struct train *train, size_t i)
{
    return (long double)(train->edge[i].time_ps - train->edge[0].time_ps);
}

/* The least-squares line through time over place; fits only a train of two edges or more. */
struct line {
    long double start_ps, period_ps, spread;
};

static struct line fit(const struct train *train)
{
    const long double n = (long double)train->count;
    long double k = 0, t = 0, kk = 0, kt = 0;
    for (size_t i = 0; i < train->count; i++) {
        k += place_of(train, i);
        t += time_of(train, i);
    }
    k /= n;
    t /= n;
    for (size_t i = 0; i < train->count; i++) {
        const long double apart = place_of(train, i) - k;
        kk += apart * apart;
        kt += apart * (time_of(train, i) - t);
    }
    return (struct line){.start_ps = t - kt / kk * k, .period_ps = kt / kk, .spread = kk};
}

static double tie_of(const struct train *train, size_t i, const struct line *line)
{
    return (double)(time_of(train, i) - line->start_ps - place_of(train, i) * line->period_ps);
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
    for (size_t i = 0; i < train->count; i++) {
        const long double steps = (line->start_ps + place_of(train, i) * line->period_ps) / train->step_ps;
        seen |= UINT64_C(1) << ((unsigned)((steps - floorl(steps)) * SWEPT_CELLS) % SWEPT_CELLS);
    }
    return __builtin_popcountll(seen) >= SWEPT_LEAST;
}

static void rate(struct pb_jitter *jitter, const struct train *train, const struct line *line)
{
    double squares = 0;
    for (size_t i = 0; i < train->count; i++)
        squares += tie_of(train, i, line) * tie_of(train, i, line);
    const double freedom = train->count > 2 ? (double)(train->count - 2) : 1,
                 period_u95 = NORMAL_95 * sqrt(squares / freedom / (double)line->spread) +
                              train->step_ps / (double)place_of(train, train->count - 1);
    jitter->rate_ppm = (jitter->nominal_ps / (double)line->period_ps - 1) * 1e6;
    jitter->rate_u95_ppm = period_u95 / (double)line->period_ps * 1e6;
}

/* How the edges lie on the grid of their stamps. */
struct grid {
    bool swept;
    double part;     /* of a step that the period leaves */
    double sd_steps; /* of the TIE without its step; 0: the step hides it */
};

static struct grid grid_of(const struct train *train, const struct line *line, double sd_ps)
{
    const double step = train->step_ps, variance = step > 0 ? sd_ps * sd_ps / step / step - 1.0 / 12 : 0;
    const long double steps = step > 0 ? line->period_ps / step : 0;
    return (struct grid){.swept = is_swept(train, line, sd_ps),
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
                        const struct grid *grid)
{
    double *value = malloc(train->count * sizeof *value);
    size_t n = 0;
    if (!value)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < train->count; i++)
        n += quantity_at(&value[n], quantity, train, i, jitter->n);
    correct(add_row(jitter, quantity, value, n, train->step_ps, grid->swept),
            clock_variance(quantity, grid->part, jitter->n, grid->sd_steps), false);
    return PB_OK;
}

static void stability(struct pb_jitter *jitter, const struct train *train, double *x)
{
    static const unsigned digit[] = {1, 2, 5};
    size_t first = 0, from = 0, count = 0;
    for (size_t i = 0; i < train->count; i++) {
        first = i && train->edge[i].phase != train->edge[i - 1].phase + 1 ? i : first;
        if (i + 1 - first > count) {
            count = i + 1 - first;
            from = first;
        }
    }
    const double tau0_s = jitter->period_ps / PS_PER_S;
    jitter->stability_edges = count;
    for (size_t i = 0; i < count; i++)
        x[i] = jitter->tie_ps[from + i] / PS_PER_S;
    size_t decade = 1;
    for (unsigned k = 0; count >= STABILITY_LEAST && jitter->taus < PB_JITTER_TAUS; k++) {
        const size_t m = digit[k % 3] * decade;
        if (3 * m > count)
            break;
        struct pb_jitter_stability *at = &jitter->stability[jitter->taus++];
        *at = (struct pb_jitter_stability){.averaged = m, .tau_s = (double)m * tau0_s};
        at->oadev = pb_stability_deviation(PB_STABILITY_OADEV, x, count, tau0_s, m, &at->terms);
        at->mdev = pb_stability_deviation(PB_STABILITY_MDEV, x, count, tau0_s, m, NULL);
        at->tdev_ps = PS_PER_S * pb_stability_deviation(PB_STABILITY_TDEV, x, count, tau0_s, m, NULL);
        at->mtie_ps = PS_PER_S * pb_stability_mtie(x, count, m);
        decade *= k % 3 == 2 ? 10 : 1;
    }
    for (unsigned k = 0; k < jitter->taus; k++) {
        struct pb_jitter_stability *at = &jitter->stability[k];
        const struct pb_jitter_stability *left = &jitter->stability[k ? k - 1 : k],
                                         *right = &jitter->stability[k + 1 < jitter->taus ? k + 1 : k];
        const double slope = log(right->mdev / left->mdev) / log(right->tau_s / left->tau_s);
        at->noise = isfinite(slope) ? pb_noise_of_slope(slope) : PB_NOISE_WHITE_PM;
        at->oadev95 =
            pb_deviation_interval(at->oadev, pb_stability_freedom(at->noise, count, at->averaged), 0.95);
    }
}

static int compute_clock(struct pb_jitter *jitter, const struct train *train)
{
    jitter->edges = train->count;
    if (train->count < 2)
        return PB_OK;
    const struct line line = fit(train),
                      ordered = {.start_ps = 0, .period_ps = (long double)jitter->nominal_ps},
                      *reference = jitter->reference == PB_JITTER_FIT ? &line : &ordered;
    jitter->missing = (uint64_t)place_of(train, train->count - 1) + 1 - train->count;
    jitter->period_ps = (double)reference->period_ps;
    rate(jitter, train, &line);

    double *const scratch = malloc(train->count * sizeof *scratch);
    jitter->tie_ps = malloc(train->count * sizeof *jitter->tie_ps);
    if (!scratch || !jitter->tie_ps) {
        free(scratch);
        return PB_ERR_MEMORY;
    }
    double squares = 0;
    for (size_t i = 0; i < train->count; i++) {
        const double apart = tie_of(train, i, &line);
        squares += apart * apart;
        jitter->tie_ps[i] = tie_of(train, i, reference);
    }
    const struct grid grid = grid_of(train, &line, sqrt(squares / (double)train->count));
    stability(jitter, train, scratch);
    int code = PB_OK;
    for (int quantity = PB_JITTER_PERIOD; quantity <= PB_JITTER_N_PERIOD && !code; quantity++)
        code = add_quantity(jitter, (enum pb_jitter_quantity)quantity, train, &grid);
    for (size_t i = 0; i < train->count; i++)
        scratch[i] = jitter->tie_ps[i];
    correct(add_row(jitter, PB_JITTER_TIE, scratch, train->count, train->step_ps, grid.swept), 1.0 / 12,
            false);
    return code;
}

/* ---- responses */

static int add_response(struct pb_jitter *jitter, const struct jitter_series *series, unsigned link,
                        const struct pb_result *result)
{
    const struct pb_measurement *measured = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link);
    double *value = malloc(series->count * sizeof *value);
    if (!value)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < series->count; i++)
        value[i] = (double)series->sample[i].value_ps;
    struct pb_jitter_row *row = add_row(jitter, PB_JITTER_RESPONSE, value, series->count,
                                        (double)series->step_ps, measured && measured->corrected.swept);
    correct(row, jitter->follows ? 1.0 / 6 : 1.0 / 12, !jitter->follows);
    row->link = (int)link;
    row->node = measured ? measured->node : -1;
    row->dimension = measured ? measured->dimension : -1;
    return PB_OK;
}

static void skew(struct pb_jitter *jitter)
{
    const struct pb_jitter_row *least = NULL, *most = NULL;
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
    jitter->skew_u95_ps = hypot(most->mean_u95_ps, least->mean_u95_ps);
}

int pb_jitter_compute(struct pb_jitter **out, const struct pb_jitter_collector *collector,
                      const struct pb_result *result, bool follows, enum pb_jitter_reference reference)
{
    struct pb_jitter *jitter = calloc(1, sizeof *jitter);
    struct jitter_sample *edge = malloc(2 * (collector->period.count + 1) * sizeof *edge);
    int code = jitter && edge && !collector->incomplete ? PB_OK : PB_ERR_MEMORY;
    *out = NULL;
    if (!code) {
        const struct train train = train_of(&collector->period, edge);
        jitter->reference = reference;
        jitter->follows = follows;
        jitter->nominal_ps = 1e15 / (double)result->phase_rate_mhz;
        jitter->n = result->network.phases;
        jitter->left_out = collector->left_out;
        code = compute_clock(jitter, &train);
    }
    for (unsigned link = 0; link < JITTER_LINKS && !code; link++)
        if (collector->start[link].count)
            code = add_response(jitter, &collector->start[link], link, result);
    free(edge);
    if (code) {
        pb_jitter_free(jitter);
        return code;
    }
    skew(jitter);
    *out = jitter;
    return PB_OK;
}

void pb_jitter_calibrate(struct pb_jitter *jitter, const struct pb_calibration *calibration)
{
    if (!calibration || jitter->edges < 2)
        return;
    pb_calibrate_rate_ppm(calibration, &jitter->rate_ppm, &jitter->rate_u95_ppm);
    pb_calibration_line(calibration, jitter->calibration);
}

void pb_jitter_free(struct pb_jitter *jitter)
{
    for (unsigned i = 0; jitter && i < jitter->rows; i++)
        free(jitter->row[i].value);
    if (jitter)
        free(jitter->tie_ps);
    free(jitter);
}

const char *pb_jitter_id(enum pb_jitter_quantity quantity)
{
    static const char *const id[] = {
#define PB_JITTER_ID(name, id, text) id,
        PB_JITTER_LIST(PB_JITTER_ID)
#undef PB_JITTER_ID
    };
    return (unsigned)quantity < PB_JITTER_QUANTITIES ? id[quantity] : "";
}

const char *pb_jitter_text(enum pb_jitter_quantity quantity)
{
    static const char *const name[] = {
#define PB_JITTER_TEXT(name, id, text) text,
        PB_JITTER_LIST(PB_JITTER_TEXT)
#undef PB_JITTER_TEXT
    };
    return (unsigned)quantity < PB_JITTER_QUANTITIES ? name[quantity] : "";
}
