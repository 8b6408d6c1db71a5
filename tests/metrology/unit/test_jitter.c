/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Jitter of clocks and responses that are made here, so that the truth is known; and of two runs on the
 * simulated bench with jitter that its models inject.
 *
 * evidence: jitter of clock and responses
 *   simulated: injected jitter of 0.1 to 3 steps of a stamp is recovered within 5 % of a step; setup and
 *   hold of TDMA_SYNC behind another controller within 5 % of a tick, the age of TDMA_SYNC in the core
 *   proven; Allan family against the tables of NIST SP 1065; expanded uncertainties against closed forms
 *   and a Monte Carlo; on no board yet
 *   also: test_stability, test_statistics, jitter.sh
 */
#include "phasebench/jitter.h"
#include "phasebench/report.h"
#include "phasebench/result.h"
#include "phasebench/run.h"
#include "phasebench/scenario.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { US = 1000000, PHASES = 24 };

static struct pb_result run_result = {.phase_rate_mhz = 10000000, .network = {.phases = PHASES}};

static int64_t stamp(double ps, double step_ps)
{
    return step_ps > 0 ? llround(step_ps * floor(ps / step_ps)) : llround(ps);
}

struct made {
    double period_ps, sd_ps, step_ps;
    double response_ps, response_sd_ps;
    size_t phases;
    uint64_t seed, gap_every; /* 0: no gap */
    double drift_ppm_s;       /* of the rate, faster above 0 */
    bool follows;             /* another controller's clock */
    bool locked_links;        /* also: responses on links 4 and 5, always the same */
};

static void release(void *jitter)
{
    pb_jitter_free(jitter);
}

/* Edges of a clock, and one response a superframe on link 3. */
static struct pb_jitter *jitter_of(const struct made *made, enum pb_jitter_reference reference, int64_t *edge)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *jitter;
    assert_non_null(collector);
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    random_state = made->seed;
    int64_t before = 0;
    bool known = false;
    for (size_t k = 0; k < made->phases; k++) {
        /* A rate that rises by d a second makes the edges come earlier by d t^2 / 2. */
        const double elapsed_s = (double)k * made->period_ps / 1e12,
                     early_ps = made->drift_ppm_s * 1e-6 * elapsed_s * elapsed_s / 2 * 1e12;
        const double truth = 7e9 + (double)k * made->period_ps - early_ps + made->sd_ps * gaussian();
        const int64_t now = stamp(truth, made->step_ps);
        const bool missing = made->gap_every && k % made->gap_every == made->gap_every - 1;
        if (edge)
            edge[k] = missing ? INT64_MIN : now;
        if (known && !missing)
            sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_CLOCK_PERIOD,
                                                        .phase = k,
                                                        .time_ps = now,
                                                        .value = now - before,
                                                        .step_ps = (int64_t)made->step_ps});
        known = !missing;
        before = now;
        if (made->response_ps > 0 && k % PHASES == 5) {
            const double response = made->response_ps + made->response_sd_ps * gaussian();
            /* The node's own clock moves through the step of the stamps, as the phase of the bench's edge. */
            const double phase = fmod((double)k * 1234.567, made->step_ps > 0 ? made->step_ps : 1);
            sink.take(sink.context,
                      &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                          .link = 3,
                                          .phase = k,
                                          .time_ps = now,
                                          .value = stamp(response + phase, made->step_ps) - llround(phase),
                                          .step_ps = (int64_t)made->step_ps});
        }
        for (unsigned link = 4; made->locked_links && link < 6; link++)
            if (k % PHASES == 2 * link)
                sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                                        .link = link,
                                                        .phase = k,
                                                        .time_ps = now,
                                                        .value = 5 * US + 1000 * link,
                                                        .step_ps = (int64_t)made->step_ps});
    }
    assert_int_equal(pb_jitter_compute(&jitter, collector, &run_result, made->follows, reference), PB_OK);
    pb_jitter_collector_free(collector);
    return hand_over(jitter, release);
}

static const struct pb_jitter_row *row_of(const struct pb_jitter *jitter, enum pb_jitter_quantity quantity)
{
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == quantity)
            return &jitter->row[i];
    fail_msg("no row %s", pb_jitter_id(quantity));
    return NULL;
}

/* An estimate within a tolerance; a bound above the truth, by no more than half a step. */
static void holds(const struct pb_jitter *jitter, enum pb_jitter_quantity quantity, double truth,
                  double within)
{
    const struct pb_jitter_row *row = row_of(jitter, quantity);
    assert_true(row->sd95.lower <= truth && truth <= row->sd95.upper);
    if (row->sd_is_bound)
        assert_true(row->sd95.lower == 0 && row->sd_ps >= truth && row->sd_ps <= truth + 0.5 * row->step_ps);
    else
        assert_near(row->sd_ps, truth, within);
}

/* White TIE of deviation s: period sqrt(2) s, cycle to cycle sqrt(6) s, n-period sqrt(2) s. 0.1 to 3 steps,
 * each within 5 % of a step. From 0.2 steps on the TIE is no bound, and from half a step on nothing is. */
TEST(injected_jitter_is_recovered)
{
    const double step = 10416, part[] = {0.1, 0.2, 0.3, 0.5, 1, 3};
    for (unsigned i = 0; i < COUNT(part); i++) {
        const double sd = part[i] * step;
        const struct made made = {
            .period_ps = 100 * US + 37.3, .sd_ps = sd, .step_ps = step, .phases = 40000, .seed = 3 + i};
        struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        const double within = 0.05 * step;
        for (unsigned k = 0; k < jitter->rows; k++) {
            assert_true(jitter->row[k].swept);
            if (part[i] >= 0.5 || (part[i] >= 0.2 && jitter->row[k].quantity == PB_JITTER_TIE))
                assert_false(jitter->row[k].sd_is_bound);
        }
        holds(jitter, PB_JITTER_TIE, sd, within);
        holds(jitter, PB_JITTER_PERIOD, sqrt(2) * sd, 1.5 * within);
        holds(jitter, PB_JITTER_CYCLE, sqrt(6) * sd, 2.5 * within);
        holds(jitter, PB_JITTER_N_PERIOD, sqrt(2) * sd, 1.5 * within);
        assert_near(row_of(jitter, PB_JITTER_PERIOD)->mean_ps, made.period_ps, 1);
        assert_near(jitter->rate_ppm, -0.373, 0.002);
        assert_true(fabs(jitter->rate_ppm + 0.373) <= jitter->rate_u95_ppm);
    }
}

/* The mean of n periods is (t[n] - t[0]) / n: 1.96 sqrt(2) s / n of its ends, and a step / n. */
TEST(mean_period_is_known_by_its_ends)
{
    const struct made made = {
        .period_ps = 100 * US + 37.3, .sd_ps = 30000, .step_ps = 10416, .phases = 10001, .seed = 12};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_PERIOD);
    const double scatter = 1.96 * sqrt(2) * made.sd_ps / 10000, most = scatter + made.step_ps / 10000;
    assert_true(fabs(row->mean_ps - made.period_ps) <= row->mean_u95_ps);
    assert_true(row->mean_u95_ps >= scatter && row->mean_u95_ps <= 1.1 * most);
}

/* A clock without jitter whose period is a whole number of steps: nothing dithers. */
TEST(locked_clock_gives_a_bound)
{
    const struct made made = {.period_ps = 9600 * 10416, .step_ps = 10416, .phases = 5000};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const struct pb_jitter_row *tie = row_of(jitter, PB_JITTER_TIE);
    assert_true(!tie->swept && tie->sd_is_bound);
    assert_near(tie->sd_ps, 10416 / 2.0, 1);
    assert_near(tie->mean_u95_ps, 10416 / 2.0, 1);
    assert_int_equal(tie->split.refusal, PB_SPLIT_COARSE);
}

/* The mean of 10,000 responses within 5 % of a step of the truth, their deviation too. */
TEST(responses)
{
    const double step = 10416;
    const struct made made = {.period_ps = 100 * US,
                              .step_ps = step,
                              .response_ps = 5.0123456 * US,
                              .response_sd_ps = 1.3 * step,
                              .phases = 10000 * PHASES,
                              .seed = 77};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    assert_int_equal(row->raw.n, 10000);
    assert_int_equal(row->link, 3);
    /* No measurement shows that these stamps sweep, so the row does not claim it. */
    assert_true(row->sd_is_bound);
    assert_near(row->mean_ps, made.response_ps, 0.05 * step);
    assert_near(row->raw.sd, sqrt(made.response_sd_ps * made.response_sd_ps + step * step / 12), 0.05 * step);
    assert_int_equal(jitter->skew_links, 1);
}

/* Two links whose stamps never move: each mean is off by any part of half a step, so their difference is a
 * triangle, of which 95 % lie within q (1 - sqrt 0.05). The root of the squares of half steps, 0.707 q, is
 * too small. */
TEST(skew_of_locked_links)
{
    const double step = 10416;
    const struct made made = {
        .period_ps = 100 * US, .step_ps = step, .phases = 100 * PHASES, .locked_links = true};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    assert_int_equal(jitter->skew_links, 2);
    assert_near(jitter->skew_ps, 1000, 1e-6);
    assert_near(jitter->skew.u95, step * (1 - sqrt(0.05)), 0.002 * step);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == PB_JITTER_RESPONSE) {
            assert_true(pb_jitter_is_locked(&jitter->row[i]));
            assert_int_equal(jitter->row[i].phase, 2 * jitter->row[i].link);
            assert_near(jitter->row[i].expanded.u95, 0.95 * step / 2, 0.002 * step);
            assert_near(jitter->row[i].mean_u95_ps, step / 2, 1e-6);
        }
}

/* After a stamped edge a locked response has the errors of two stamps: a triangle of half-width q. */
TEST(locked_response_to_another_controller)
{
    const double step = 10416;
    const struct made made = {.period_ps = 9600 * step,
                              .step_ps = step,
                              .phases = 100 * PHASES,
                              .locked_links = true,
                              .follows = true};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    assert_near(row->expanded.u95, step * (1 - sqrt(0.05)), 0.002 * step);
    assert_near(row->mean_u95_ps, step, 1e-6);
    assert_near(row->mean_ps, 5 * US + 4000, 1e-6);
}

static void set_row(struct pb_uncertainty_row *row, enum pb_uncertainty_kind kind, int64_t fall_ps,
                    int64_t rise_ps)
{
    *row = (struct pb_uncertainty_row){
        .name = "a part", .kind = kind, .normal = kind == PB_UNCERTAINTY_RANDOM, fall_ps, rise_ps};
}

/* A board's parts in ps, by hand. 10,000 responses of 10.4 ns deviation leave 0.1 ns of scatter in the
 * mean; a level of 1500 ps at the link and of 1000 ps at the clock do not shrink, nor does a skew of 300 ps,
 * once. The period is between edges at one pin: 50 ppm of it are left, and nothing of cycle to cycle. */
TEST(budget_in_means)
{
    const struct made made = {.period_ps = 100 * US,
                              .sd_ps = 1000,
                              .step_ps = 0,
                              .response_ps = 5 * US,
                              .response_sd_ps = 10400,
                              .phases = 10000 * PHASES,
                              .seed = 5};
    run_result.budget_rows = 5;
    set_row(&run_result.budget[0], PB_UNCERTAINTY_STEP, 5208, 5208);
    set_row(&run_result.budget[1], PB_UNCERTAINTY_RANDOM, 75, 75);
    set_row(&run_result.budget[2], PB_UNCERTAINTY_SKEW, 300, 300);
    set_row(&run_result.budget[3], PB_UNCERTAINTY_SCALE, 5000, 5000);
    set_row(&run_result.budget[4], PB_UNCERTAINTY_LEVEL, 1500, 36000);
    run_result.clock_budget_rows = 2;
    set_row(&run_result.clock_budget[0], PB_UNCERTAINTY_SKEW, 0, 300);
    set_row(&run_result.clock_budget[1], PB_UNCERTAINTY_LEVEL, 0, 1000);
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    run_result.budget_rows = run_result.clock_budget_rows = 0;
    assert_near(jitter->oscillator_ppm, 50, 1e-6);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    const double scatter = row->raw.sd / 100, scale = 50e-6 * 5 * US;
    assert_near(row->expanded.u,
                sqrt(scatter * scatter + (1500.0 * 1500 + 1000.0 * 1000 + 300.0 * 300 + scale * scale) / 3),
                1);
    assert_true(row->expanded.u95 > 1500 && row->expanded.k < 1.9);
    row = row_of(jitter, PB_JITTER_PERIOD);
    assert_near(row->expanded.u, hypot(row->raw.sd / sqrt((double)row->raw.n), 50e-6 * 100 * US / sqrt(3)),
                1);
    assert_near(row->expanded.u95, 0.95 * 5000, 20);
    row = row_of(jitter, PB_JITTER_CYCLE);
    assert_near(row->expanded.u95, row->mean_u95_ps, 1e-3 * row->mean_u95_ps);
    assert_near(jitter->absolute_rate.u95, 0.95 * 50, 0.2);
    assert_int_equal(jitter->budget[PB_JITTER_CLOCK_RISE].parts, 2);
    assert_int_equal(jitter->budget[PB_JITTER_LINK_FALL].parts, 5);
    /* One rectangle outweighs the rest: little above the factor of a rectangle, sqrt 3 times 0.95 = 1.645. */
    assert_near(jitter->budget[PB_JITTER_LINK_RISE].sum.k, 1.68, 0.03);
    assert_true(jitter->budget[PB_JITTER_LINK_FALL].part[0].averages);
    assert_false(jitter->budget[PB_JITTER_LINK_FALL].part[4].averages);
    /* Against the configured period, the error of the oscillator has grown to the middle of the run. */
    run_result.budget_rows = 1;
    set_row(&run_result.budget[0], PB_UNCERTAINTY_SCALE, 5000, 5000);
    jitter = jitter_of(&(struct made){.period_ps = 100 * US, .phases = 1001}, PB_JITTER_NOMINAL, NULL);
    run_result.budget_rows = 0;
    assert_near(row_of(jitter, PB_JITTER_TIE)->expanded.u95, 0.95 * 5000 * 500, 0.002 * 5000 * 500);
}

/* A rate that rises by 2 ppm/s over 10 s: found within its U95, and each part of the run has the rate of its
 * middle. A steady rate has no drift. */
TEST(drift)
{
    struct made made = {.period_ps = 100 * US,
                        .sd_ps = 20000,
                        .step_ps = 10416,
                        .phases = 100000,
                        .seed = 11,
                        .drift_ppm_s = 2};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    assert_int_equal(jitter->blocks, PB_JITTER_BLOCKS);
    assert_true(pb_jitter_drifts(jitter));
    assert_near(jitter->drift_ppm_s, 2, fmin(jitter->drift_u95_ppm_s, 0.01));
    for (unsigned i = 0; i < jitter->blocks; i++) {
        const struct pb_jitter_block *block = &jitter->block[i];
        assert_int_equal(block->edges, 100000 / PB_JITTER_BLOCKS);
        assert_near(block->time_s, 0.25 + 0.5 * i, 0.001);
        assert_near(block->rate_ppm, 2 * block->time_s, 1.5 * block->rate_u95_ppm);
    }
    made.drift_ppm_s = 0;
    unsigned found = 0;
    made.phases = 2000;
    for (made.seed = 1; made.seed <= 100; made.seed++) {
        jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        found += pb_jitter_drifts(jitter);
    }
    assert_true(found <= 10); /* 5 are due; more than 10 have a probability of 1 % */
}

/* Responses of white jitter s after a steady clock: the starts on their link are edges a superframe apart,
 * whose periods have sqrt(2) s, cycles sqrt(6) s, and whose TDEV at one superframe is s. */
TEST(starts_as_edges)
{
    const double sd = 30000;
    const struct made made = {.period_ps = 100 * US,
                              .response_ps = 5 * US,
                              .response_sd_ps = sd,
                              .phases = 5000 * PHASES,
                              .seed = 6};
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const double expected[] = {
        [PB_JITTER_PERIOD] = sqrt(2) * sd, [PB_JITTER_CYCLE] = sqrt(6) * sd, [PB_JITTER_TIE] = sd};
    unsigned found = 0;
    assert_int_equal(jitter->start_links, 1);
    assert_int_equal(jitter->starts[0].link, 3);
    assert_int_equal(jitter->starts[0].missing, 0);
    assert_near(jitter->starts[0].period_ps, PHASES * 100.0 * US, 10);
    assert_near(jitter->starts[0].stable.at[0].tau_s, PHASES * 100e-6, 1e-9);
    assert_near(jitter->starts[0].stable.at[0].tdev_ps, sd, 0.05 * sd);
    assert_int_equal(jitter->starts[0].stable.at[0].noise, PB_NOISE_WHITE_PM);
    assert_int_equal(jitter->starts[0].stable.edges, 5000);
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->link != 3 || row->quantity == PB_JITTER_RESPONSE)
            continue;
        found |= 1u << row->quantity;
        assert_int_equal(row->raw.n, 5000 - (row->quantity == PB_JITTER_PERIOD ? 1
                                             : row->quantity == PB_JITTER_CYCLE ? 2
                                                                                : 0));
        assert_near(row->sd_ps, expected[row->quantity], 0.05 * expected[row->quantity]);
    }
    assert_int_equal(found, 1u << PB_JITTER_PERIOD | 1u << PB_JITTER_CYCLE | 1u << PB_JITTER_TIE);
}

static char *page_of(const struct pb_jitter *jitter)
{
    FILE *stream = open_text();
    assert_int_equal(pb_report_jitter_html(stream, jitter, &run_result), PB_OK);
    return close_text(stream);
}

/* Normal responses of deviation s in bits of 1 us: at 1e-2 model and count are at the quantile of 2e-2,
 * 2.054 s; the model goes on to 1e-12. Constant ones have no bathtub, and the page says why. */
TEST(bathtub)
{
    struct made made = {.period_ps = 100 * US,
                        .response_ps = 5 * US,
                        .response_sd_ps = 20000,
                        .phases = 20000 * PHASES,
                        .seed = 78};
    run_result.baud_hz = 1000000;
    struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    char *page = page_of(jitter);
    assert_int_equal(row->split.refusal, PB_SPLIT_VALID);
    assert_near(row->bit_ps, US, 1e-6);
    assert_near(row->window[0].ratio, 1e-2, 1e-12);
    assert_true(row->window[0].is_counted);
    assert_near(row->window[0].counted.lower, 2.054 * 20000, 1000);
    assert_near(row->window[0].counted.upper, US - 2.054 * 20000, 1000);
    assert_near(row->window[0].model.lower, 2.054 * 20000, 2000);
    assert_false(row->window[PB_JITTER_WINDOWS - 1].is_counted);
    assert_near(row->window[PB_JITTER_WINDOWS - 1].model.lower, 6.92 * 20000, 0.06 * 6.92 * 20000);
    assert_non_null(strstr(page, "Bathtub of link 3"));
    made.response_sd_ps = 0;
    jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
    page = page_of(jitter);
    assert_true(row_of(jitter, PB_JITTER_RESPONSE)->bit_ps == 0);
    assert_null(strstr(page, "Bathtub of link 3"));
    assert_non_null(strstr(page, "No bathtub without a split: "));
    assert_non_null(strstr(page, ": link 3, n 20000.</p>"));
    run_result.baud_hz = 0;
}

/* Text and page say of a locked response that nothing dithers, and of a swept clock nothing of the kind. */
TEST(locked_is_told)
{
    for (int locked = 0; locked < 2; locked++) {
        const struct made made = {.period_ps = 100 * US + 37.3,
                                  .sd_ps = 30000,
                                  .step_ps = 10416,
                                  .phases = 100 * PHASES,
                                  .seed = 4,
                                  .locked_links = locked};
        struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        char *page = page_of(jitter);
        FILE *stream = open_text();
        const struct pb_report_style style = {.columns = 200};
        assert_int_equal(pb_report_jitter_text(stream, jitter, &style), PB_OK);
        const char *text = close_text(stream);
        assert_int_equal(strstr(page, "nothing dithers") != NULL, locked);
        assert_int_equal(strstr(text, "nothing dithers") != NULL, locked);
    }
}

/* Every quantity from the edges themselves; a missing one affects only what needs it. */
TEST(gaps)
{
    enum { N = 1000 };
    static int64_t edge[N];
    const struct made made = {
        .period_ps = 100 * US, .sd_ps = 40000, .phases = N, .seed = 9, .gap_every = 300};
    for (int reference = PB_JITTER_FIT; reference <= PB_JITTER_NOMINAL; reference++) {
        struct pb_jitter *jitter = jitter_of(&made, (enum pb_jitter_reference)reference, edge);
        size_t periods = 0, cycles = 0, superframes = 0;
        double sum = 0, squares = 0;
        for (size_t k = 0; k + 1 < N; k++) {
            const bool period = edge[k] != INT64_MIN && edge[k + 1] != INT64_MIN;
            periods += period;
            cycles += period && k + 2 < N && edge[k + 2] != INT64_MIN;
            if (period) {
                sum += (double)(edge[k + 1] - edge[k]);
                squares += pow((double)(edge[k + 1] - edge[k]) - 100 * US, 2);
            }
            bool whole = k + PHASES < N;
            for (size_t i = k; whole && i <= k + PHASES; i++)
                whole = edge[i] != INT64_MIN;
            superframes += whole;
        }
        assert_int_equal(jitter->missing, 3);
        assert_int_equal(jitter->edges, N - 3);
        assert_int_equal(row_of(jitter, PB_JITTER_PERIOD)->raw.n, periods);
        assert_int_equal(row_of(jitter, PB_JITTER_CYCLE)->raw.n, cycles);
        assert_int_equal(row_of(jitter, PB_JITTER_N_PERIOD)->raw.n, superframes);
        assert_int_equal(row_of(jitter, PB_JITTER_TIE)->raw.n, N - 3);
        assert_int_equal(jitter->stable.edges, 299);
        const struct pb_distribution *raw = &row_of(jitter, PB_JITTER_PERIOD)->raw;
        assert_near(raw->mean, sum / (double)periods, 1);
        const double mean = sum / (double)periods - 100 * US;
        assert_near(raw->sd, sqrt((squares - (double)periods * mean * mean) / (double)(periods - 1)), 1);
        if (reference == PB_JITTER_NOMINAL)
            for (size_t k = 0, i = 0; k < N; k++)
                if (edge[k] != INT64_MIN)
                    assert_near(jitter->tie_ps[i++], (double)(edge[k] - edge[0]) - (double)k * 100 * US, 1);
    }
}

/* The straight line takes a rate out, the configured period keeps it. */
TEST(reference)
{
    const struct made made = {.period_ps = 100 * US * (1 + 50e-6), .phases = 2401};
    struct pb_jitter *fitted = jitter_of(&made, PB_JITTER_FIT, NULL),
                     *ordered = jitter_of(&made, PB_JITTER_NOMINAL, NULL);
    assert_near(row_of(fitted, PB_JITTER_TIE)->raw.max, 0, 2);
    assert_near(row_of(ordered, PB_JITTER_TIE)->raw.max, 2400 * 100.0 * US * 50e-6, 2);
    assert_near(ordered->rate_ppm, -50 / (1 + 50e-6), 1e-4);
    assert_near(fitted->period_ps, made.period_ps, 1e-3);
    assert_near(ordered->period_ps, 100 * US, 1e-9);
}

TEST(few_samples)
{
    for (size_t phases = 0; phases < 9; phases++) {
        const struct made made = {.period_ps = 100 * US, .sd_ps = 5, .phases = phases};
        struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        FILE *stream = open_text();
        assert_int_equal(jitter->edges, phases < 2 ? 0 : phases);
        assert_int_equal(jitter->stable.taus, phases < 8 ? 0 : 2);
        assert_int_equal(pb_report_jitter_json(stream, jitter, &run_result), PB_OK);
        json_error_t error;
        json_t *root = json_loads(close_text(stream), 0, &error);
        assert_non_null(root);
        assert_int_equal(json_array_size(json_object_get(root, "stability")), jitter->stable.taus);
        json_decref(root);
        stream = open_text();
        const struct pb_report_style style = {.columns = 80};
        assert_int_equal(pb_report_jitter_text(stream, jitter, &style), PB_OK);
        assert_int_equal(pb_report_jitter_html(stream, jitter, &run_result), PB_OK);
        close_text(stream);
    }
}

/* ---- on the simulated bench */

static struct pb_jitter *run(const char *text, struct pb_result **result)
{
    struct pb_scenario *scenario;
    struct pb_jitter *jitter;
    struct pb_jitter_collector *collector = pb_jitter_collect();
    assert_succeeds(pb_scenario_parse(&scenario, "jitter.yaml", text, strlen(text), &diag));
    const struct pb_run_options options = {.samples = pb_jitter_sink(collector)};
    assert_succeeds(pb_run(result, scenario, &options, &diag));
    if ((*result)->verdict != PB_VERDICT_PASS)
        fail_msg("%s", (*result)->reason);
    assert_int_equal(pb_jitter_compute(&jitter, collector, *result, scenario->follow, PB_JITTER_FIT), PB_OK);
    pb_scenario_free(scenario);
    pb_jitter_collector_free(collector);
    return hand_over(jitter, release);
}

/* A controller 20 ppm fast whose edges are late by 0 to 100 ns, uniform: a deviation of 100 ns / sqrt(12).
 * Stamps have steps of 10.4 ns. */
TEST(outside_clock)
{
    struct pb_result *result;
    struct pb_jitter *jitter = run("name: jitter\ncube: {dims: 4}\nsuperframes: 400\n"
                                   "clock: {source: external, error: 20 ppm, jitter: 100 ns}\nnodes:\n"
                                   "  - {address: 5}\ntraffic:\n  - {from: 4, to: 7, repeat: forever}\n",
                                   &result);
    const struct pb_jitter_row *tie = row_of(jitter, PB_JITTER_TIE);
    const double truth = 100000 / sqrt(12), tick = 20833;
    assert_int_equal(jitter->edges, 400 * 8);
    assert_near(jitter->rate_ppm, 20, 0.02);
    assert_near(tie->sd_ps, truth, 0.05 * tick);
    assert_near(row_of(jitter, PB_JITTER_PERIOD)->sd_ps, sqrt(2) * truth, 1.5 * 0.05 * tick);
    assert_near(row_of(jitter, PB_JITTER_CYCLE)->sd_ps, sqrt(6) * truth, 2.5 * 0.05 * tick);
    assert_near(tie->raw.max - tie->raw.min, 100000, tick);
    assert_int_equal(tie->split.refusal, PB_SPLIT_BOUNDED);
    /* White phase noise: TDEV at tau0 is its deviation, with that of the stamps. */
    assert_int_equal(jitter->stable.at[0].noise, PB_NOISE_WHITE_PM);
    assert_near(jitter->stable.at[0].tdev_ps, hypot(truth, 10416 / sqrt(12)), 0.05 * tick);
    pb_result_free(result);
}

/* TDMA_SYNC of an external controller, whose edges go through the steps of the stamps: mean within 5 % of a
 * tick of 10.4 ns, and no deviation is claimed that the controller has not. */
TEST(skew_of_sync_is_recovered)
{
    static const int skew_ns[] = {-24000, -203, -7, 0, 5300, 24990};
    for (unsigned i = 0; i < COUNT(skew_ns); i++) {
        char text[400];
        struct pb_result *result;
        snprintf(text, sizeof text,
                 "name: skew\ncube: {dims: 2}\nsuperframes: 1500\n"
                 "clock: {source: external, error: 20 ppm, jitter: 100 ns, sync_skew: %d ns}\nnodes:\n"
                 "  - {address: 1}\ntraffic:\n  - {from: 0, to: 1, superframe: 4}\n",
                 skew_ns[i]);
        struct pb_jitter *jitter = run(text, &result);
        static const enum pb_jitter_quantity change[] = {PB_JITTER_SYNC_RISE, PB_JITTER_SYNC_FALL};
        for (unsigned k = 0; k < 2; k++) {
            const struct pb_jitter_row *row = row_of(jitter, change[k]);
            assert_true(row->raw.n >= 1490 && row->raw.n <= 1500);
            assert_near(row->mean_ps, 1000.0 * skew_ns[i], 0.05 * 10416);
            assert_true(row->sd_is_bound && row->sd_ps < row->step_ps);
        }
        /* Its rises have the jitter of their edges. */
        assert_near(row_of(jitter, PB_JITTER_SYNC_TIE)->sd_ps, 100000 / sqrt(12), 2500);
        assert_near(row_of(jitter, PB_JITTER_SYNC_PERIOD)->mean_ps, 4 * jitter->period_ps, 400);
        pb_result_free(result);
    }
}

/* The age of TDMA_SYNC is counted up to 131,070 ticks: 2.7 ms at 48 MHz, 10.9 ms at 12 MHz. A phase has
 * 50 ms. */
TEST(sync_of_slow_phases)
{
    static const char *const skew[] = {"-2 ms", "12 ms"};
    for (unsigned i = 0; i < 2; i++) {
        char text[400];
        struct pb_result *result;
        snprintf(text, sizeof text,
                 "name: slow\ncube: {dims: 2}\nlink: {phase_rate: 20 Hz}\nsuperframes: 8\n"
                 "clock: {source: external, sync_skew: %s}\nnodes:\n  - {address: 1}\n"
                 "traffic:\n  - {from: 0, to: 1, superframe: 4}\n",
                 skew[i]);
        struct pb_jitter *jitter = run(text, &result);
        unsigned found = 0;
        for (unsigned k = 0; k < jitter->rows; k++)
            if (jitter->row[k].quantity == PB_JITTER_SYNC_RISE ||
                jitter->row[k].quantity == PB_JITTER_SYNC_FALL) {
                assert_near(jitter->row[k].raw.min, -2e9, 50000);
                assert_near(jitter->row[k].raw.max, -2e9, 50000);
                found++;
            }
        assert_int_equal(found, i ? 0 : 2);
        pb_result_free(result);
    }
}

/* Driven by the bench TDMA_SYNC changes in the tick of the edge. A fault that delays an edge of TDMA_CLK does
 * not delay TDMA_SYNC. */
TEST(sync_of_the_bench)
{
    struct pb_result *result;
    struct pb_jitter *jitter = run("name: own\ncube: {dims: 2}\nsuperframes: 40\nnodes:\n  - {address: 1}\n"
                                   "traffic:\n  - {from: 0, to: 1}\nfaults:\n"
                                   "  - {kind: late_edge, superframe: 5, phase: 0, amount: 3 us}\n",
                                   &result);
    const struct pb_jitter_row *rise = row_of(jitter, PB_JITTER_SYNC_RISE),
                               *fall = row_of(jitter, PB_JITTER_SYNC_FALL);
    assert_int_equal(rise->raw.n, 39);
    assert_int_equal(fall->raw.n, 40);
    assert_near(rise->raw.min, -3000000, 21000);
    assert_near(rise->raw.max, 0, 0);
    assert_near(fall->raw.min, 0, 0);
    assert_near(fall->raw.max, 0, 0);
    assert_true(rise->step_ps == 0);
    pb_result_free(result);
}

/* The samples are the values of the measurements. */
TEST(samples_are_the_measured_values)
{
    struct pb_result *result;
    struct pb_jitter *jitter = run("name: jitter\ncube: {dims: 4}\nsuperframes: 40\nnodes:\n"
                                   "  - {address: 5, clock_error: 2000 ppm}\ntraffic:\n"
                                   "  - {pattern: xor:0xF, repeat: forever}\n",
                                   &result);
    unsigned responses = 0;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        const struct pb_measurement *measured =
            row->quantity == PB_JITTER_PERIOD && row->link < 0
                ? pb_measurement_find(result, PB_FIGURE_CLOCK_PERIOD, -1)
            : row->quantity == PB_JITTER_RESPONSE
                ? pb_measurement_find(result, PB_FIGURE_NODE_START, row->link)
                : NULL;
        if (!measured)
            continue;
        responses += row->quantity == PB_JITTER_RESPONSE;
        if (row->quantity == PB_JITTER_RESPONSE) {
            /* Cube: bit d of address 5, in phase 2 d + bit, to the other value. */
            const int bit = 5 >> row->dimension & 1;
            assert_int_equal(row->phase, 2 * row->dimension + bit);
            assert_int_equal(row->from, bit);
            assert_int_equal(row->to, !bit);
        }
        assert_int_equal(row->raw.n, measured->n);
        assert_near(row->raw.mean, (double)measured->mean, 1);
        assert_near(row->raw.sd, (double)measured->sd, 1);
        assert_near(row->raw.min, (double)measured->min, 0);
        assert_near(row->raw.max, (double)measured->max, 0);
    }
    assert_int_equal(responses, 4);
    /* Bit times of the node, whose clock is 2000 ppm off, link by link and in the order of time. */
    for (unsigned link = 0, i = 0; link < 4; link++) {
        const struct pb_measurement *measured =
            pb_measurement_find(result, PB_FIGURE_NODE_BIT_TIME, (int)link);
        double sum = 0, before_s = -1;
        uint64_t n = 0;
        for (; i < jitter->bit_times && jitter->bit_time[i].link == (int)link; i++, n++) {
            const struct pb_jitter_bit_time *at = &jitter->bit_time[i];
            assert_true(at->time_s > before_s && at->time_s < 40 * 8 * 100e-6);
            assert_true(1e3 * at->ppm >= (double)measured->min && 1e3 * at->ppm <= (double)measured->max);
            before_s = at->time_s;
            sum += 1e3 * at->ppm;
        }
        assert_int_equal(n, measured->n);
        assert_near(sum / (double)n, (double)measured->mean, 1);
        assert_near(fabs(sum / (double)n), 2000e3, 100e3);
    }
    pb_result_free(result);
}
