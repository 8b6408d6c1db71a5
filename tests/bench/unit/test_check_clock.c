/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The phase clock: jitter and rates, by figures that are computed from the edges that the test
 * draws. tests/bench/unit/check/clock.cases has the rest. faults_fixture.h says what the lines carry. */
#include "tests/bench/unit/faults_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICK_PS (1e6 / 48)

static const struct pb_measurement *tie_of(const struct pb_result *result)
{
    const struct pb_measurement *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1);
    assert_non_null(tie);
    return tie;
}

static unsigned index_of(uint32_t superframe, unsigned phase)
{
    return M_PHASES * superframe + phase;
}

static void jitter(unsigned from, unsigned to, unsigned most)
{
    for (unsigned i = from; i < to; i++)
        model_displace(&model, i / M_PHASES, i % M_PHASES, (int)below(most + 1));
}

/* Phases that all come at one tick, or at two, have no rate; what is made of it stays a number, and no pass.
 */
TEST(test_phases_at_once)
{
    const uint64_t first = model.ideal[0];
    for (unsigned ticks = 0; ticks < 3; ticks++) {
        for (unsigned i = 0; i < M_EDGES; i++)
            model.ideal[i] = first + (i == M_EDGES - 1 ? ticks : 0);
        struct pb_result *result = model_judge(&model);
        assert_true(result->verdict != PB_VERDICT_PASS);
        const struct pb_measurement *rate = pb_measurement_find(result, PB_FIGURE_CLOCK_RATE, -1);
        assert_true(!rate || (rate->margin < 0 && rate->judgement == PB_JUDGED_FAIL));
    }
}

/* ---- jitter */

TEST(test_jitter)
{
    static const unsigned most[] = {4, 12, 48, 200};
    for (unsigned i = 0; i < COUNT(most); i++) {
        memset(model.tie, 0, sizeof model.tie);
        model_close(&model);
        model_open(&model);
        jitter(index_of(2, 0), index_of(6, 0), most[i]);
        struct pb_result *result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_int_equal(result->findings_total, 4); /* one per superframe */
        int64_t least = 0, greatest = 0;
        double sum = 0, squares = 0;
        for (unsigned k = 0; k < M_EDGES; k++) {
            least = model.tie[k] < least ? model.tie[k] : least;
            greatest = model.tie[k] > greatest ? model.tie[k] : greatest;
            sum += (double)model.tie[k] * TICK_PS;
        }
        for (unsigned k = 0; k < M_EDGES; k++)
            squares += pow((double)model.tie[k] * TICK_PS - sum / M_EDGES, 2);
        for (unsigned k = 0; k < 4; k++) {
            assert_int_equal(result->finding[k].kind, PB_FINDING_JITTER);
            assert_int_equal(result->finding[k].superframe, 2 + k);
        }
        assert_int_equal(tie_of(result)->n, M_EDGES);
        assert_in_range(tie_of(result)->max, (int64_t)(greatest * TICK_PS) - 2,
                        (int64_t)(greatest * TICK_PS) + 2);
        assert_in_range(tie_of(result)->sd, (int64_t)sqrt(squares / (M_EDGES - 1)) - 2,
                        (int64_t)sqrt(squares / (M_EDGES - 1)) + 2);
        assert_in_range(tie_of(result)->mean, (int64_t)(sum / M_EDGES) - 2, (int64_t)(sum / M_EDGES) + 2);
        const struct pb_measurement *period = pb_measurement_find(result, PB_FIGURE_CLOCK_PERIOD, -1);
        assert_int_equal(period->n, M_EDGES - 1);
        assert_true(period->sd > 0);
    }
}

/* Peak to peak and standard deviation of a superframe, reported in the finding. */
TEST(test_jitter_is_measured)
{
    static const int tie[M_PHASES] = {0, 48, 12, 36, 24, 6}; /* ticks */
    for (uint32_t superframe = 2; superframe < 5; superframe++)
        for (unsigned phase = 0; phase < M_PHASES; phase++)
            model_displace(&model, superframe, phase, tie[phase]);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 3);
    double peak = 0, deviation = 0, mean = 0, squares = 0;
    /* In superframe 3 from the first displaced edge to the last one: phases 1 to 5. */
    assert_int_equal(sscanf(result->finding[1].seen, "TIE %lf ns peak to peak, %lf ns standard deviation",
                            &peak, &deviation),
                     2);
    for (unsigned phase = 1; phase < M_PHASES; phase++)
        mean += tie[phase] / 5.0;
    for (unsigned phase = 1; phase < M_PHASES; phase++)
        squares += (tie[phase] - mean) * (tie[phase] - mean);
    assert_true(fabs(peak - (48 - 6) * TICK_PS / 1e3) < 0.1);
    assert_true(fabs(deviation - sqrt(squares / 4) * TICK_PS / 1e3) < 0.1);
}

/* ---- drift */

static void expect_rate(const struct pb_finding *finding, double ppm)
{
    double told = 0, uncertainty = 0;
    assert_int_equal(finding->kind, PB_FINDING_DRIFT);
    assert_int_equal(sscanf(finding->seen, "rate off by %lf ppm (U95 %lf ppm)", &told, &uncertainty), 2);
    /* A tick in a superframe of 28,800. */
    assert_true(uncertainty > 1e6 / 28800 * 0.9 && uncertainty < 1e6 / 28800 * 1.3);
    if (fabs(told - ppm) > uncertainty)
        fail_msg("%f ppm, not %f", told, ppm);
}

TEST(test_drift)
{
    static const int excess[] = {2400, -2400, 400, 24000, -1200};
    for (unsigned i = 0; i < COUNT(excess); i++) {
        model_close(&model);
        model_open(&model);
        model_stretch(&model, index_of(3, 0), excess[i]);
        struct pb_result *result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_int_equal(result->findings_total, M_SUPERFRAMES - 3); /* one per superframe */
        for (unsigned k = 0; k < result->findings; k++) {
            assert_int_equal(result->finding[k].superframe, 3 + k);
            if (k)
                expect_rate(&result->finding[k], (4800 / (4800 + excess[i] / 1e3) - 1) * 1e6);
        }
    }
}

TEST(test_drift_with_jitter)
{
    model_stretch(&model, 0, 2400);
    jitter(index_of(2, 0), index_of(6, 0), 48);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(model_count(result, PB_FINDING_DRIFT), M_SUPERFRAMES);
    assert_int_equal(model_count(result, PB_FINDING_JITTER), 4);
    assert_int_equal(result->findings_total, M_SUPERFRAMES + 4);
}

/* ---- an external clock: the schedule follows it */

static void outside(int excess, unsigned most)
{
    model_follow(&model, excess);
    for (unsigned i = 0; most && i < M_EDGES; i++) {
        const unsigned late = below(most + 1);
        model.ideal[i] += late;
        for (unsigned k = 0; k < model.frames; k++)
            if (index_of(model.frame[k].superframe, model.frame[k].phase) == i)
                model.frame[k].start += late;
    }
}

TEST(test_jitter_of_an_external_clock)
{
    outside(0, 48);
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_true(result->findings_total > 0);
    assert_int_equal(model_count(result, PB_FINDING_JITTER), result->findings_total);
    model.scenario->controller.jitter_ps = 1000000; /* 48 ticks */
    model_expect_clean(&model);
}

/* By how much the edges scatter about a schedule of the configured rate, in ticks. */
static double scatter_ticks(void)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < M_EDGES; i++) {
        const double late = (double)model.ideal[i] - (double)model.ideal[0] - (double)i * M_PHASE;
        sum += late;
        squares += late * late;
    }
    return sqrt(squares / M_EDGES - sum * sum / M_EDGES / M_EDGES);
}

/* The line of least squares is the one about which the edges scatter least. */
static void expect_rate_right(bool right)
{
    struct pb_result *result = model_judge(&model);
    assert_int_equal(model_count(result, PB_FINDING_DRIFT) == 0, right);
    assert_true(!right || (double)tie_of(result)->sd < (scatter_ticks() + 2) * 20834);
}

/* Jitter that the scenario allows, to a sixteenth of a phase, makes no rate wrong, not even in the order that
 * moves a least-squares line most. A rate that is wrong by more is found. */
TEST(test_jitter_is_no_rate)
{
    enum { BLOCK = 16 };
    for (unsigned round = 0; round < 300; round++) {
        const unsigned ticks = 8 + below(M_PHASE / 16 - 8);
        outside(0, ticks);
        model.scenario->controller.jitter_ps = (int64_t)ticks * 20834;
        expect_rate_right(true);
        outside(0, 0);
        model.scenario->controller.jitter_ps = (int64_t)ticks * 20834;
        for (unsigned i = 0; i < M_EDGES; i++)
            model.ideal[i] += i % BLOCK < BLOCK / 2 ? 0 : ticks;
        expect_rate_right(true);
        /* The limit is 1.5 jitter in a block and 200 ppm; the jitter here turns the line by as much at most.
         */
        outside((int)(3 * 1000 * ticks / BLOCK) + 2400, ticks);
        model.scenario->controller.jitter_ps = (int64_t)ticks * 20834;
        expect_rate_right(false);
    }
    outside(4800, 10); /* 1,000 ppm */
    model.scenario->controller.jitter_ps = 10 * 20834;
    expect_rate_right(false);
}

/* ---- TDMA_SYNC */

static void expect_sync(enum pb_figure figure, uint64_t n, double least_ticks, double most_ticks)
{
    struct pb_result *result = model_judge(&model);
    const struct pb_measurement *sync = pb_measurement_find(result, figure, -1);
    if (!n) {
        assert_null(sync);
        return;
    }
    assert_non_null(sync);
    assert_int_equal(sync->n, n);
    assert_true(fabs((double)sync->min - least_ticks * TICK_PS) <= 2);
    assert_true(fabs((double)sync->max - most_ticks * TICK_PS) <= 2);
    assert_int_equal(sync->judgement, PB_NOT_JUDGED);
}

/* Rises before phase 0, falls after phase 0: by the nearest of the two edges about a change. */
TEST(test_changes_of_sync)
{
    const uint64_t rises = (M_EDGES - 1) / M_PHASES, falls = (M_EDGES + M_PHASES - 2) / M_PHASES;
    expect_sync(PB_FIGURE_SYNC_RISE, 0, 0, 0);
    expect_sync(PB_FIGURE_SYNC_FALL, 0, 0, 0);
    for (unsigned i = 0; i < M_EDGES; i++)
        model.sync_ago[i] = i % M_PHASES == 0 ? 10 : i % M_PHASES == 1 ? M_PHASE - 7 : M_PHASE + 100;
    expect_sync(PB_FIGURE_SYNC_RISE, rises, -10, -10);
    expect_sync(PB_FIGURE_SYNC_FALL, falls, 7, 7);
    /* In the tick of an edge, and of the one before. */
    model.sync_ago[M_PHASES] = 0;
    model.sync_ago[M_PHASES + 1] = M_PHASE;
    expect_sync(PB_FIGURE_SYNC_RISE, rises, -10, 0);
    expect_sync(PB_FIGURE_SYNC_FALL, falls, 0, 7);
    /* About the middle between two edges. */
    model.sync_ago[M_PHASES] = M_PHASE / 2 - 1;
    expect_sync(PB_FIGURE_SYNC_RISE, rises, -(M_PHASE / 2 - 1), -10);
    model.sync_ago[M_PHASES] = M_PHASE / 2 + 1;
    expect_sync(PB_FIGURE_SYNC_RISE, rises, -10, M_PHASE / 2 - 1);
    /* A change before the edge before explains no new level; neither does one that is not known. */
    model.sync_ago[M_PHASES] = M_PHASE + 1;
    expect_sync(PB_FIGURE_SYNC_RISE, rises - 1, -10, -10);
    model.sync_ago[M_PHASES] = -1;
    expect_sync(PB_FIGURE_SYNC_RISE, rises - 1, -10, -10);
}

static void sync_lag(unsigned ticks)
{
    for (unsigned i = 0; i < M_EDGES; i++)
        model.sync_ago[i] = i % M_PHASES > 1 ? -1 : ticks ? M_PHASE - (int64_t)ticks : 0;
}

/* With another controller a node reads TDMA_SYNC up to a head guard after the edge, the bench at the edge.
 * A change between the two is reported at each, and the node is not blamed. */
TEST(test_late_sync_of_a_controller)
{
    const unsigned head = (unsigned)(model.scenario->head_guard_ps / TICK_PS + 0.5);
    const uint64_t rises = (M_EDGES - 1) / M_PHASES, falls = (M_EDGES + M_PHASES - 2) / M_PHASES;
    const unsigned late[] = {1, 7, head - 1}, sound[] = {0, head + 1, M_PHASE / 2 - 1, M_PHASE - 1};
    outside(0, 0);
    for (unsigned i = 0; i < COUNT(late); i++) {
        sync_lag(late[i]);
        struct pb_result *result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_int_equal(model_count(result, PB_FINDING_SYNC_MISSING), rises);
        assert_int_equal(model_count(result, PB_FINDING_SYNC_EXTRA), falls);
        assert_int_equal(result->findings_total, rises + falls);
        assert_non_null(strstr(result->finding[0].seen, "after the edge, so a node that reads it later"));
    }
    for (unsigned i = 0; i < COUNT(sound); i++) {
        sync_lag(sound[i]);
        model_expect_clean(&model);
    }
}

/* The distance is that from the edge as it came, not as it was scheduled. */
TEST(test_sync_of_a_late_edge)
{
    for (unsigned i = 0; i < M_EDGES; i++)
        model.sync_ago[i] = i % M_PHASES == 0 ? 0 : -1;
    model_displace(&model, 2, 0, 30);
    model.sync_ago[2 * M_PHASES] = 30;
    expect_sync(PB_FIGURE_SYNC_RISE, (M_EDGES - 1) / M_PHASES, -30, 0);
}

AROUND_EACH(open_model, close_model)
