/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Intervals and bounds of jitter, against clocks whose truth is known. Each cell of the grid has one kind of
 * jitter, one size in steps of the stamps, one way of the clock through a step, with a drift or without. Of
 * the runs of a cell, which share one sequence of random numbers, a bound may fail in as many as the binomial
 * distribution of 5 % allows, with 1 % for the whole grid together. Random numbers, rounding and truths are
 * of the tests alone; where a sequence begins is fixed, so the result is, too.
 *
 * A part of the grid runs as a unit test. PB_BOUNDS=all runs all of it (make bounds), PB_BOUNDS=show prints
 * each coverage as well.
 */
#include "phasebench/jitter.h"
#include "phasebench/result.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUPERFRAME = 8, CLAIMS_MAX = 64, DRAWS = 200000 };
#define PERIOD_PS 1e8
#define STEP_PS 10000.0
#define FAMILY_ALPHA 0.01

/* ---- randomness */

enum kind { UNIFORM, NORMAL, DELTAS, KINDS };
static const char *const kind_name[] = {"uniform", "normal", "two deltas"};

/* Mean 0, deviation 1. */
static double draw(enum kind kind)
{
    if (kind == UNIFORM)
        return sqrt(12) * (uniform() - 0.5);
    if (kind == DELTAS)
        return uniform() < 0.5 ? -1 : 1;
    return gaussian();
}

/* ---- cells */

/* How a clock without jitter goes through a step: any part of a step in a period; always the same place; up
 * to 0.7 steps in the run; a quarter of a step and a little in a period. */
enum beat { FREE, LOCKED, SLOW, QUARTER, BEATS };
static const char *const beat_name[] = {"free", "locked", "slow", "quarter"};

struct cell {
    enum kind kind;
    double sd_steps;
    enum beat beat;
    double drift_ppm_s;
    bool follows; /* another controller's TDMA_CLK, which has the jitter; else the responses alone have it */
    int edges;
};

static double truth_of(double *sorted, size_t n, double share);

/* ---- claims: what is printed and may be false */

struct claim {
    char name[48];
    unsigned tried, missed;
};
static struct claim claim[CLAIMS_MAX];
static unsigned claims;

static void state(const char *row, const char *what, bool holds)
{
    char name[48];
    unsigned i = 0;
    snprintf(name, sizeof name, "%s %s", row, what);
    while (i < claims && strcmp(claim[i].name, name))
        i++;
    if (i == claims) {
        assert_true(claims < CLAIMS_MAX);
        claim[claims++] = (struct claim){.tried = 0};
        memcpy(claim[i].name, name, sizeof name);
    }
    claim[i].tried++;
    claim[i].missed += !holds;
}

/* P(binomial(n, 0.05) >= k), summed up. */
static double chance(unsigned n, unsigned k)
{
    double sum = 0;
    for (unsigned i = k; i <= n; i++)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(0.05) +
                   (n - i) * log(0.95));
    return sum;
}

/* ---- truths */

struct world {
    double instant[8192]; /* of the edges, without jitter */
    double period_ps;
    double rate_ppm; /* of the straight line through them */
    double response_ps[2], sync_ps;
    double flat[8192]; /* their distances from that line */
};

static double edge_place(const struct cell *cell, double period_ps, double first_ps, int k)
{
    const double elapsed_s = k * PERIOD_PS / 1e12;
    return first_ps + k * period_ps - cell->drift_ppm_s * 1e-6 * elapsed_s * elapsed_s / 2 * 1e12;
}

static void make_world(struct world *world, const struct cell *cell)
{
    const double whole = PERIOD_PS, n = cell->edges;
    double mean_k = (n - 1) / 2, mean = 0, kk = 0, kt = 0;
    world->period_ps = cell->beat == FREE     ? whole + STEP_PS * uniform()
                       : cell->beat == LOCKED ? whole
                       : cell->beat == SLOW   ? whole + STEP_PS * (0.7 * uniform()) / n
                                              : whole + STEP_PS * (0.25 + (uniform() - 0.5) / n);
    const double first_ps = 7e9 + STEP_PS * uniform();
    for (int k = 0; k < cell->edges; k++) {
        world->instant[k] = edge_place(cell, world->period_ps, first_ps, k);
        mean += (world->instant[k] - first_ps) / n;
    }
    for (int k = 0; k < cell->edges; k++) {
        kk += (k - mean_k) * (k - mean_k);
        kt += (k - mean_k) * (world->instant[k] - first_ps - mean);
    }
    for (int k = 0; k < cell->edges; k++)
        world->flat[k] = world->instant[k] - first_ps - mean - kt / kk * (k - mean_k);
    world->rate_ppm = (PERIOD_PS / (kt / kk) - 1) * 1e6;
    world->response_ps[0] = 5e6 + STEP_PS * uniform();
    world->response_ps[1] = 7e6 + STEP_PS * uniform();
    world->sync_ps = 3e6 + STEP_PS * uniform();
}

/* The value of a quantity at edge k, from edges at these places. */
static double value_at(const double *at, enum pb_jitter_quantity quantity, int k)
{
    return quantity == PB_JITTER_PERIOD     ? at[k + 1] - at[k]
           : quantity == PB_JITTER_CYCLE    ? at[k + 2] - at[k + 1] - (at[k + 1] - at[k])
           : quantity == PB_JITTER_N_PERIOD ? at[k + SUPERFRAME] - at[k]
                                            : at[k];
}

static int reach_of(enum pb_jitter_quantity quantity)
{
    return quantity == PB_JITTER_PERIOD     ? 1
           : quantity == PB_JITTER_CYCLE    ? 2
           : quantity == PB_JITTER_N_PERIOD ? SUPERFRAME
                                            : 0;
}

/* Mean and deviation without jitter: by the drift alone. */
static void still(double *mean, double *variance, const double *at, enum pb_jitter_quantity quantity,
                  int edges)
{
    const int n = edges - reach_of(quantity);
    const double origin = value_at(at, quantity, 0);
    *mean = *variance = 0;
    for (int k = 0; k < n; k++)
        *mean += (value_at(at, quantity, k) - origin) / n;
    for (int k = 0; k < n; k++)
        *variance += pow(value_at(at, quantity, k) - origin - *mean, 2) / n;
    *mean += origin;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double truth_of(double *sorted, size_t n, double share)
{
    return sorted[(size_t)(share * (double)n)];
}

/* Quantiles of a quantity about its mean, of jitter of deviation 1; without drift. */
struct quantile_truth {
    double at[PB_QUANTILES];
};
static struct quantile_truth quantiles[KINDS][4];

static void make_quantiles(void)
{
    static double value[DRAWS];
    static const double share[PB_QUANTILES] = {0.5, 0.99, 0.999};
    static bool made;
    if (made)
        return;
    made = true;
    random_state = 99;
    for (int kind = 0; kind < KINDS; kind++)
        for (int quantity = PB_JITTER_PERIOD; quantity <= PB_JITTER_TIE; quantity++) {
            for (size_t i = 0; i < DRAWS; i++) {
                const double x = draw((enum kind)kind), y = draw((enum kind)kind), z = draw((enum kind)kind);
                value[i] = quantity == PB_JITTER_CYCLE ? x - 2 * y + z
                           : quantity == PB_JITTER_TIE ? x
                                                       : y - x;
            }
            qsort(value, DRAWS, sizeof *value, by_value);
            for (unsigned q = 0; q < PB_QUANTILES; q++)
                quantiles[kind][quantity].at[q] = truth_of(value, DRAWS, share[q]);
        }
}

/* ---- one run */

static int64_t stamp(double ps)
{
    return llround(STEP_PS * floor(ps / STEP_PS));
}

static struct pb_jitter *observe(const struct world *world, const struct cell *cell)
{
    static const struct pb_result result = {.phase_rate_mhz = 10000000, .network = {.phases = SUPERFRAME}};
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *jitter;
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    const double sd_ps = cell->sd_steps * STEP_PS;
    const int64_t step_ps = (int64_t)STEP_PS;
    int64_t before = 0;
    for (int k = 0; k < cell->edges; k++) {
        /* The bench's own edges are whole steps, and exact. */
        const double edge = cell->follows ? world->instant[k] + sd_ps * draw(cell->kind) : k * PERIOD_PS;
        const int64_t now = stamp(edge);
        if (k)
            sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_CLOCK_PERIOD,
                                                        .phase = (uint64_t)k,
                                                        .time_ps = now,
                                                        .value = now - before,
                                                        .step_ps = cell->follows ? step_ps : 0});
        before = now;
        for (unsigned link = 0; link < 2; link++)
            if (k % SUPERFRAME == 3 + (int)link) {
                const double start = edge + world->response_ps[link] + sd_ps * draw(cell->kind);
                sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                                            .link = link,
                                                            .phase = (uint64_t)k,
                                                            .time_ps = now,
                                                            .value = stamp(start) - now,
                                                            .step_ps = step_ps});
            }
        if (cell->follows && k % SUPERFRAME == 0) {
            const double sync = edge + world->sync_ps + sd_ps * draw(cell->kind);
            sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_SYNC_RISE,
                                                        .phase = (uint64_t)k,
                                                        .time_ps = now,
                                                        .value = stamp(sync) - now,
                                                        .step_ps = step_ps});
        }
    }
    assert_int_equal(pb_jitter_compute(&jitter, collector, &result, cell->follows, PB_JITTER_FIT), PB_OK);
    pb_jitter_collector_free(collector);
    return jitter;
}

static bool within(double truth, double value, double u95)
{
    return fabs(value - truth) <= u95 * (1 + 1e-9) + 1e-3;
}

static void hold_row(const struct pb_jitter_row *row, const char *name, double mean, double sd)
{
    state(name, "mean", within(mean, row->mean_ps, row->expanded.u95));
    state(name, "mean by scatter", within(mean, row->mean_ps, row->mean_u95_ps));
    state(name, "sd95", row->sd95.lower <= sd && sd <= row->sd95.upper);
    if (row->sd_is_bound)
        state(name, "sd bound", sd <= row->sd_ps);
}

/* Allan deviation: second differences over m periods, of white jitter 6 s^2. */
static void hold_stability(const struct pb_jitter *jitter, const struct world *world, const struct cell *cell)
{
    const double sd = cell->sd_steps * STEP_PS;
    for (unsigned i = 0; i < jitter->stable.taus; i++) {
        const struct pb_jitter_stability *at = &jitter->stable.at[i];
        const int m = (int)at->averaged;
        double squares = 0;
        char name[24];
        for (int k = 0; k + 2 * m < cell->edges; k++)
            squares += pow(world->instant[k + 2 * m] - world->instant[k + m] -
                               (world->instant[k + m] - world->instant[k]),
                           2);
        const double truth =
            sqrt(6 * sd * sd + squares / (cell->edges - 2 * m)) / sqrt(2) / (m * world->period_ps);
        snprintf(name, sizeof name, "oadev %d", m);
        state(name, "interval", at->oadev95.lower <= truth * 1.0001 && truth * 0.9999 <= at->oadev95.upper);
    }
}

static void hold(const struct pb_jitter *jitter, const struct world *world, const struct cell *cell)
{
    static const double share[] = {
        [PB_JITTER_PERIOD] = 2, [PB_JITTER_CYCLE] = 6, [PB_JITTER_N_PERIOD] = 2, [PB_JITTER_TIE] = 1};
    const double sd = cell->sd_steps * STEP_PS;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        const char *name = pb_jitter_id(row->quantity);
        char of_link[32];
        if (row->link >= 0 && row->quantity != PB_JITTER_RESPONSE)
            continue;
        if (row->quantity == PB_JITTER_RESPONSE) {
            snprintf(of_link, sizeof of_link, "response %d", row->link);
            hold_row(row, of_link, world->response_ps[row->link], sd);
        } else if (row->quantity == PB_JITTER_SYNC_RISE) {
            hold_row(row, name, world->sync_ps, sd);
        } else if (row->quantity <= PB_JITTER_TIE && cell->follows) {
            const double *at = row->quantity == PB_JITTER_TIE ? world->flat : world->instant;
            double mean, variance;
            still(&mean, &variance, at, row->quantity, cell->edges);
            hold_row(row, name, mean, sqrt(share[row->quantity] * sd * sd + variance));
            for (unsigned q = 0; q < PB_QUANTILES && cell->drift_ppm_s == 0; q++)
                if (row->raw.bounded[q])
                    state(name, "quantile",
                          row->raw.bound[q] + row->late_ps >=
                              mean + sd * quantiles[cell->kind][row->quantity].at[q]);
        }
    }
    if (jitter->skew_links == 2)
        state("skew", "U95",
              within(world->response_ps[1] - world->response_ps[0], jitter->skew_ps, jitter->skew.u95));
    if (!cell->follows)
        return;
    state("rate", "U95", within(world->rate_ppm, jitter->rate_ppm, jitter->rate_u95_ppm));
    if (jitter->has_drift)
        state("drift", "U95",
              within(cell->drift_ppm_s, jitter->drift_ppm_s, jitter->drift_u95_ppm_s * 1.0001));
    hold_stability(jitter, world, cell);
}

/* ---- the grid */

static void run_cell(const struct cell *cell, unsigned runs, unsigned tests, bool show, unsigned *failed)
{
    static struct world world;
    char name[96];
    snprintf(name, sizeof name, "%s of %g steps, %s clock, drift %g ppm/s, %s, %d edges",
             kind_name[cell->kind], cell->sd_steps, beat_name[cell->beat], cell->drift_ppm_s,
             cell->follows ? "outside" : "own", cell->edges);
    claims = 0;
    random_state =
        (unsigned)cell->kind * 31 + (unsigned)(cell->sd_steps * 977) + (unsigned)cell->beat * 131071;
    for (unsigned run = 0; run < runs; run++) {
        make_world(&world, cell);
        struct pb_jitter *jitter = observe(&world, cell);
        hold(jitter, &world, cell);
        pb_jitter_free(jitter);
    }
    for (unsigned i = 0; i < claims; i++) {
        const double by_chance = chance(claim[i].tried, claim[i].missed);
        const bool bad = by_chance < FAMILY_ALPHA / tests;
        if (bad || show)
            print_message("%s %5.1f %% of %u: %s: %s\n", bad ? "BAD" : "   ",
                          100 - 100.0 * claim[i].missed / claim[i].tried, claim[i].tried, name,
                          claim[i].name);
        *failed += bad;
    }
}

static const double sizes[] = {0.1, 0.5, 1, 3, 10};

TEST(bounds_hold)
{
    const char *wish = getenv("PB_BOUNDS");
    const bool all = wish && *wish, show = wish && !strcmp(wish, "show");
    const char *number = getenv("PB_BOUNDS_RUNS");
    const unsigned runs = number ? (unsigned)atoi(number) : all ? 400 : 40;
    unsigned failed = 0, cells = 0;
    make_quantiles();
    for (int kind = 0; kind < KINDS; kind++)
        for (unsigned s = 0; s < COUNT(sizes); s++)
            for (int beat = 0; beat < BEATS; beat++)
                for (int drift = 0; drift < 2; drift++) {
                    if (!all && (cells++ % 7))
                        continue;
                    run_cell(&(struct cell){.kind = (enum kind)kind,
                                            .sd_steps = sizes[s],
                                            .beat = (enum beat)beat,
                                            .drift_ppm_s = drift ? 30 : 0,
                                            .follows = true,
                                            .edges = 600},
                             runs, 120 * 40, show, &failed);
                    if (beat == LOCKED && !drift)
                        run_cell(
                            &(struct cell){
                                .kind = (enum kind)kind, .sd_steps = sizes[s], .beat = LOCKED, .edges = 600},
                            runs, 120 * 40, show, &failed);
                }
    assert_int_equal(failed, 0);
}

/* Jitter so large that steps do not matter: intervals of samples that overlap are wide enough. */
TEST(bounds_of_overlapping_samples_hold)
{
    unsigned failed = 0;
    make_quantiles();
    run_cell(&(struct cell){.kind = NORMAL, .sd_steps = 100, .beat = FREE, .follows = true, .edges = 200},
             300, 60, false, &failed);
    assert_int_equal(failed, 0);
}
