/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Jitter of clocks and responses that are made here, so that the truth is known; and of two runs on the
 * simulated bench with jitter that its models inject.
 */
#include "phasebench/jitter.h"
#include "phasebench/report.h"
#include "phasebench/result.h"
#include "phasebench/run.h"
#include "phasebench/scenario.h"
#include "tests/unit/tests.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { US = 1000000, PHASES = 24 };

static struct pb_result run_result = {.phase_rate_mhz = 10000000, .network = {.phases = PHASES}};
static uint64_t random_state;

static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double gaussian(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static int64_t stamp(double ps, double step_ps)
{
    return step_ps > 0 ? llround(step_ps * floor(ps / step_ps)) : llround(ps);
}

struct made {
    double period_ps, sd_ps, step_ps;
    double response_ps, response_sd_ps;
    size_t phases;
    uint64_t seed, gap_every; /* 0: no gap */
};

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
        const double truth = 7e9 + (double)k * made->period_ps + made->sd_ps * gaussian();
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
    }
    assert_int_equal(pb_jitter_compute(&jitter, collector, &run_result, false, reference), PB_OK);
    pb_jitter_collector_free(collector);
    return jitter;
}

static const struct pb_jitter_row *row_of(const struct pb_jitter *jitter, enum pb_jitter_quantity quantity)
{
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == quantity)
            return &jitter->row[i];
    fail_msg("no row %s", pb_jitter_id(quantity));
    return NULL;
}

static void assert_near(double value, double expected, double apart)
{
    if (!(fabs(value - expected) <= apart))
        fail_msg("%.9g, expected %.9g within %.3g", value, expected, apart);
}

/* White TIE of deviation s: period sqrt(2) s, cycle to cycle sqrt(6) s, n-period sqrt(2) s. 0.1 to 3 steps,
 * each within 5 % of a step. */
TEST(injected_jitter_is_recovered)
{
    const double step = 10416, part[] = {0.1, 0.2, 0.3, 0.5, 1, 3};
    for (unsigned i = 0; i < COUNT(part); i++) {
        const double sd = part[i] * step;
        const struct made made = {
            .period_ps = 100 * US + 37.3, .sd_ps = sd, .step_ps = step, .phases = 40000, .seed = 3 + i};
        struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        const double within = 0.05 * step;
        for (unsigned k = 0; k < jitter->rows; k++)
            assert_true(jitter->row[k].swept && !jitter->row[k].sd_is_bound);
        assert_near(row_of(jitter, PB_JITTER_TIE)->sd_ps, sd, within);
        assert_near(row_of(jitter, PB_JITTER_PERIOD)->sd_ps, sqrt(2) * sd, 1.5 * within);
        assert_near(row_of(jitter, PB_JITTER_CYCLE)->sd_ps, sqrt(6) * sd, 2.5 * within);
        assert_near(row_of(jitter, PB_JITTER_N_PERIOD)->sd_ps, sqrt(2) * sd, 1.5 * within);
        assert_near(row_of(jitter, PB_JITTER_PERIOD)->mean_ps, made.period_ps, 1);
        assert_near(jitter->rate_ppm, -0.373, 0.002);
        assert_true(fabs(jitter->rate_ppm + 0.373) <= jitter->rate_u95_ppm);
        pb_jitter_free(jitter);
    }
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
    pb_jitter_free(jitter);
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
    /* No measurement tells that these stamps sweep, so the row does not claim it. */
    assert_true(row->sd_is_bound);
    assert_near(row->mean_ps, made.response_ps, 0.05 * step);
    assert_near(row->raw.sd, sqrt(made.response_sd_ps * made.response_sd_ps + step * step / 12), 0.05 * step);
    assert_int_equal(jitter->skew_links, 1);
    pb_jitter_free(jitter);
}

/* Every quantity from the edges themselves; a missing one spoils only what needs it. */
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
        assert_int_equal(jitter->stability_edges, 299);
        const struct pb_distribution *raw = &row_of(jitter, PB_JITTER_PERIOD)->raw;
        assert_near(raw->mean, sum / (double)periods, 1);
        const double mean = sum / (double)periods - 100 * US;
        assert_near(raw->sd, sqrt((squares - (double)periods * mean * mean) / (double)(periods - 1)), 1);
        if (reference == PB_JITTER_NOMINAL)
            for (size_t k = 0, i = 0; k < N; k++)
                if (edge[k] != INT64_MIN)
                    assert_near(jitter->tie_ps[i++], (double)(edge[k] - edge[0]) - (double)k * 100 * US, 1);
        pb_jitter_free(jitter);
    }
}

/* The straight line takes a rate out, the ordered period keeps it. */
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
    pb_jitter_free(fitted);
    pb_jitter_free(ordered);
}

TEST(few_samples)
{
    for (size_t phases = 0; phases < 9; phases++) {
        const struct made made = {.period_ps = 100 * US, .sd_ps = 5, .phases = phases};
        struct pb_jitter *jitter = jitter_of(&made, PB_JITTER_FIT, NULL);
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        assert_int_equal(jitter->edges, phases < 2 ? 0 : phases);
        assert_int_equal(jitter->taus, phases < 8 ? 0 : 2);
        assert_int_equal(pb_report_jitter_json(stream, jitter, &run_result), PB_OK);
        fclose(stream);
        json_error_t error;
        json_t *root = json_loads(text, 0, &error);
        assert_non_null(root);
        assert_int_equal(json_array_size(json_object_get(root, "stability")), jitter->taus);
        json_decref(root);
        free(text);
        stream = open_memstream(&text, &size);
        const struct pb_report_style style = {.columns = 80};
        assert_int_equal(pb_report_jitter_text(stream, jitter, &style), PB_OK);
        assert_int_equal(pb_report_jitter_html(stream, jitter, &run_result), PB_OK);
        fclose(stream);
        free(text);
        pb_jitter_free(jitter);
    }
}

/* ---- on the simulated bench */

static struct pb_jitter *run(const char *text, struct pb_result **result)
{
    struct pb_scenario *scenario;
    struct pb_diag diag;
    struct pb_jitter *jitter;
    struct pb_jitter_collector *collector = pb_jitter_collect();
    if (pb_scenario_parse(&scenario, "jitter.yaml", text, strlen(text), &diag))
        fail_msg("%s", diag.text);
    const struct pb_run_options options = {.samples = pb_jitter_sink(collector)};
    if (pb_run(result, scenario, &options, &diag))
        fail_msg("%s", diag.text);
    if ((*result)->verdict != PB_VERDICT_PASS)
        fail_msg("%s", (*result)->reason);
    assert_int_equal(pb_jitter_compute(&jitter, collector, *result, scenario->follow, PB_JITTER_FIT), PB_OK);
    pb_scenario_free(scenario);
    pb_jitter_collector_free(collector);
    return jitter;
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
    assert_int_equal(jitter->stability[0].noise, PB_NOISE_WHITE_PM);
    assert_near(jitter->stability[0].tdev_ps, hypot(truth, 10416 / sqrt(12)), 0.05 * tick);
    pb_jitter_free(jitter);
    pb_result_free(result);
}

/* The samples are the values of the measurements. */
TEST(samples_are_the_measured_values)
{
    struct pb_result *result;
    struct pb_jitter *jitter = run("name: jitter\ncube: {dims: 4}\nsuperframes: 40\nnodes:\n"
                                   "  - {address: 5, clock_error: 80 ppm}\ntraffic:\n"
                                   "  - {pattern: xor:0xF, repeat: forever}\n",
                                   &result);
    unsigned responses = 0;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        const struct pb_measurement *measured =
            row->quantity == PB_JITTER_PERIOD ? pb_measurement_find(result, PB_FIGURE_CLOCK_PERIOD, -1)
            : row->quantity == PB_JITTER_RESPONSE
                ? pb_measurement_find(result, PB_FIGURE_NODE_START, row->link)
                : NULL;
        if (!measured)
            continue;
        responses += row->quantity == PB_JITTER_RESPONSE;
        assert_int_equal(row->raw.n, measured->n);
        assert_near(row->raw.mean, (double)measured->mean, 1);
        assert_near(row->raw.sd, (double)measured->sd, 1);
        assert_near(row->raw.min, (double)measured->min, 0);
        assert_near(row->raw.max, (double)measured->max, 0);
    }
    assert_int_equal(responses, 4);
    pb_jitter_free(jitter);
    pb_result_free(result);
}
