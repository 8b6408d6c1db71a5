/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The phase clock: single displaced, missing and surplus edges, TDMA_SYNC, jitter, drift, an outside clock.
 * Each by its name, once, and none taken for another. faults_fixture.h says what the lines carry. */
#include "tests/unit/faults_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_PS (1e6 / 48)

static const struct pb_measurement *tie_of(const struct pb_result *result)
{
    const struct pb_measurement *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1);
    assert_non_null(tie);
    return tie;
}

static struct model model;

static int open_model(void **state)
{
    (void)state;
    model_open(&model);
    return 0;
}

static int close_model(void **state)
{
    (void)state;
    model_close(&model);
    return 0;
}

static unsigned index_of(uint32_t superframe, unsigned phase)
{
    return M_PHASES * superframe + phase;
}

/* Displaces an edge, and with it what the node sends after it. */
static void displace(uint32_t superframe, unsigned phase, int ticks)
{
    model.tie[index_of(superframe, phase)] = ticks;
    for (unsigned i = 0; i < model.frames; i++)
        if (!model.frame[i].bench && model.frame[i].superframe == superframe && model.frame[i].phase == phase)
            model.frame[i].start += (uint64_t)(int64_t)ticks;
}

/* The schedule itself: `excess` ticks a phase more from an edge on, in 1/1000. */
static void stretch(unsigned from, int excess)
{
    for (unsigned i = from; i < M_EDGES; i++) {
        const int64_t more = llround((double)excess * (i - from) / 1000);
        model.ideal[i] += (uint64_t)more;
        for (unsigned k = 0; k < model.frames; k++)
            if (index_of(model.frame[k].superframe, model.frame[k].phase) == i)
                model.frame[k].start += (uint64_t)more;
    }
}

static uint32_t state_of_random = 1;
static unsigned below(unsigned limit)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (unsigned)((uint64_t)state_of_random * limit >> 32);
}

static void jitter(unsigned from, unsigned to, unsigned most)
{
    for (unsigned i = from; i < to; i++)
        displace(i / M_PHASES, i % M_PHASES, (int)below(most + 1));
}

/* ---- single edges */

static void test_late_and_early(void **state)
{
    static const int ticks[] = {2, 96, 700, 2390, -2, -96, -700, -2390};
    (void)state;
    for (unsigned i = 0; i < COUNT(ticks); i++)
        for (unsigned phase = 0; phase < M_PHASES; phase++) {
            char text[40];
            memset(model.tie, 0, sizeof model.tie);
            model.tie[index_of(9, phase)] = ticks[i];
            if (phase == 0 && ticks[i] < 0)
                model.sync[index_of(9, 0)] = false; /* TDMA_SYNC rises when the phase begins */
            if (phase == 1 && ticks[i] < 0)
                model.sync[index_of(9, 1)] = true;
            model_expect_one(&model, PB_VERDICT_INCONCLUSIVE,
                             ticks[i] > 0 ? PB_FINDING_CLOCK_LATE : PB_FINDING_CLOCK_EARLY, 9, phase, -1);
            struct pb_result *result = model_judge(&model);
            snprintf(text, sizeof text, "%.1f ns %s", abs(ticks[i]) * TICK_PS / 1e3,
                     ticks[i] > 0 ? "late" : "early");
            assert_non_null(strstr(result->finding[0].seen, text));
            pb_result_free(result);
            model.sync[index_of(9, 0)] = true;
            model.sync[index_of(9, 1)] = false;
        }
}

/* What a node sees is the edge; what the bench sends by is its own schedule. */
static void test_node_follows_the_edge(void **state)
{
    (void)state;
    displace(3, 1, 2 * M_US);
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_LATE, 3, 1, -1);
    model_find(&model, 3, 1)->start -= 2 * M_US; /* in time for the schedule, early for the edge */
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 2);
    assert_finding(result, 0, PB_FINDING_CLOCK_LATE, 3, 1, -1);
    assert_finding(result, 1, PB_FINDING_EARLY, 3, 1, 0);
    pb_result_free(result);
    model_find(&model, 3, 1)->start += 2 * M_US;
    displace(3, 1, 0);
    model.tie[index_of(3, 0)] = 2 * M_US; /* a phase of the bench */
    model.tie[index_of(3, 1)] = 0;
    model_find(&model, 3, 1)->start = model_at(3, 1) + 242;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_LATE, 3, 0, -1);
}

/* The resolution of a stamp is a tick. */
static void test_a_tick_is_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < M_EDGES; i++)
        model.ideal[i] += 1; /* whatever a tick is rounded to */
    for (unsigned i = 0; i < M_EDGES; i++)
        model.tie[i] = (int)(i % 3) - 1;
    model_expect_clean(&model);
    for (unsigned i = 0; i < M_EDGES; i++)
        model.ideal[i] -= 1;
    for (unsigned i = 0; i < M_EDGES; i++)
        model.tie[i] = (int)(i % 3) - 1;
    model_expect_clean(&model);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(tie_of(result)->n, M_EDGES);
    assert_in_range(tie_of(result)->max, 20833, 20834);
    assert_in_range(-tie_of(result)->min, 20833, 20834);
    pb_result_free(result);
    memset(model.tie, 0, sizeof model.tie);
    for (unsigned i = 0; i < M_EDGES; i++)
        model.ideal[i] += i % 2; /* phases of 4801 and 4799 ticks */
    model_expect_clean(&model);
}

static void test_missing_edges(void **state)
{
    (void)state;
    model.absent[index_of(8, 4)] = true;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_MISSING, 8, 4, -1);
    model_alarm(&model, PB_ALARM_NO_EDGE, 63, model_at(8, 5));
    model_alarm(&model, PB_ALARM_PERIOD, 63, model_at(8, 5));
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_MISSING, 8, 4, -1);
    /* The last edge of the run. */
    model.extras = 0;
    model.absent[index_of(8, 4)] = false;
    model.absent[M_EDGES - 1] = true;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_MISSING, 9, 5, -1);
    /* A clock that stands is told of in a few places, not at every edge. */
    for (unsigned i = index_of(4, 0); i < M_EDGES; i++)
        model.absent[i] = true;
    struct pb_result *result = model_judge(&model);
    assert_in_range(model_count(result, PB_FINDING_CLOCK_MISSING), 6, 2 * 6);
    pb_result_free(result);
}

static void test_extra_edge(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < M_PHASES; phase++) {
        model.extras = 0;
        model_event(&model, PB_EVENT_TDMA, 0, model_at(8, phase) + 3600, phase == 0);
        model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_EXTRA, 8, phase, -1);
        model.extra[0].tick = model_at(8, phase) + 1200;
        model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_EXTRA, 8, phase, -1);
    }
    /* After the last phase, too. */
    model.extra[0].tick = model_at(10, 0);
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_EXTRA, 9, 5, -1);
}

static void test_sync(void **state)
{
    (void)state;
    model.sync[index_of(8, 0)] = false;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_SYNC_MISSING, 8, 0, -1);
    model_alarm(&model, PB_ALARM_SYNC, 63, model_at(8, 0) + 3);
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_SYNC_MISSING, 8, 0, -1);
    model.extras = 0;
    model.sync[index_of(8, 0)] = true;
    model.sync[M_EDGES - 1] = true;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_SYNC_EXTRA, 9, 5, -1);
}

/* What only the core saw. */
static void test_clock_alarms_alone(void **state)
{
    static const struct {
        unsigned code, phase;
        enum pb_finding_kind kind;
    } alarm[] = {{PB_ALARM_PERIOD, 2, PB_FINDING_CLOCK},
                 {PB_ALARM_NO_EDGE, 2, PB_FINDING_CLOCK_MISSING},
                 {PB_ALARM_SYNC, 0, PB_FINDING_SYNC_MISSING},
                 {PB_ALARM_SYNC, 3, PB_FINDING_SYNC_EXTRA}};
    (void)state;
    for (unsigned i = 0; i < COUNT(alarm); i++) {
        model.extras = 0;
        model_alarm(&model, alarm[i].code, 63, model_at(8, alarm[i].phase) + 40);
        model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, alarm[i].kind, 8, alarm[i].phase, -1);
    }
    /* The clock stops at the end of the run; that is no missing edge. */
    model.extras = 0;
    model_alarm(&model, PB_ALARM_NO_EDGE, 63, model_at(9, 5) + 2 * M_PHASE);
    model_expect_clean(&model);
}

/* Phases that all come at one tick, or at two, have no rate; what is made of it stays a number, and no pass.
 */
static void test_phases_at_once(void **state)
{
    (void)state;
    const uint64_t first = model.ideal[0];
    for (unsigned ticks = 0; ticks < 3; ticks++) {
        for (unsigned i = 0; i < M_EDGES; i++)
            model.ideal[i] = first + (i == M_EDGES - 1 ? ticks : 0);
        struct pb_result *result = model_judge(&model);
        assert_true(result->verdict != PB_VERDICT_PASS);
        const struct pb_measurement *rate = pb_measurement_find(result, PB_FIGURE_CLOCK_RATE, -1);
        assert_true(!rate || (rate->margin < 0 && rate->judgement == PB_JUDGED_FAIL));
        pb_result_free(result);
    }
}

/* ---- jitter */

static void test_jitter(void **state)
{
    static const unsigned most[] = {4, 12, 48, 200};
    (void)state;
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
        pb_result_free(result);
    }
}

/* Peak to peak and standard deviation of a superframe, told in the finding. */
static void test_jitter_is_measured(void **state)
{
    static const int tie[M_PHASES] = {0, 48, 12, 36, 24, 6}; /* ticks */
    (void)state;
    for (uint32_t superframe = 2; superframe < 5; superframe++)
        for (unsigned phase = 0; phase < M_PHASES; phase++)
            displace(superframe, phase, tie[phase]);
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
    pb_result_free(result);
}

/* Four of seventeen neighbours are four faults, and all by the same is no scatter. */
static void test_what_is_no_jitter(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        model.tie[index_of(8, 1) + 2 * i] = 100 + 50 * (int)i;
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 4);
    assert_int_equal(model_count(result, PB_FINDING_CLOCK_LATE), 4);
    pb_result_free(result);
    model.tie[index_of(8, 1) + 8] = 300; /* five are jitter: in superframes 8 and 9 */
    result = model_judge(&model);
    assert_int_equal(result->findings_total, 2);
    assert_int_equal(model_count(result, PB_FINDING_JITTER), 2);
    pb_result_free(result);

    memset(model.tie, 0, sizeof model.tie);
    for (unsigned i = 0; i < M_EDGES; i++)
        displace(i / M_PHASES, i % M_PHASES, 5);
    result = model_judge(&model);
    assert_int_equal(result->findings_total, M_SUPERFRAMES);
    assert_int_equal(model_count(result, PB_FINDING_CLOCK), M_SUPERFRAMES);
    pb_result_free(result);
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

static void test_drift(void **state)
{
    static const int excess[] = {2400, -2400, 400, 24000, -1200};
    (void)state;
    for (unsigned i = 0; i < COUNT(excess); i++) {
        model_close(&model);
        model_open(&model);
        stretch(index_of(3, 0), excess[i]);
        struct pb_result *result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_int_equal(result->findings_total, M_SUPERFRAMES - 3); /* one per superframe */
        for (unsigned k = 0; k < result->findings; k++) {
            assert_int_equal(result->finding[k].superframe, 3 + k);
            if (k)
                expect_rate(&result->finding[k], (4800 / (4800 + excess[i] / 1e3) - 1) * 1e6);
        }
        pb_result_free(result);
    }
    /* In time again: nothing more is found. */
    model_close(&model);
    model_open(&model);
    stretch(index_of(3, 0), 2400);
    stretch(index_of(5, 0), -2400);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 2);
    pb_result_free(result);
}

/* Too slow for a superframe to show, but not for the run: 0.06 ticks a phase are 3.5 in 59 phases. */
static void test_small_drift(void **state)
{
    (void)state;
    stretch(0, 60);
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_DRIFT, 9, 5, -1);
    model_close(&model);
    model_open(&model);
    stretch(0, 10);
    model_expect_clean(&model);
}

static void test_drift_with_jitter(void **state)
{
    (void)state;
    stretch(0, 2400);
    jitter(index_of(2, 0), index_of(6, 0), 48);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(model_count(result, PB_FINDING_DRIFT), M_SUPERFRAMES);
    assert_int_equal(model_count(result, PB_FINDING_JITTER), 4);
    assert_int_equal(result->findings_total, M_SUPERFRAMES + 4);
    pb_result_free(result);
}

/* The bench's own stamp is wrong at one place: no drift. */
static void test_displaced_schedule(void **state)
{
    (void)state;
    model.no_tdma = true;
    model.ideal[index_of(8, 3)] += 5;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 8, 2, -1);
}

/* ---- an outside clock: the schedule follows it */

/* The bench goes by the edges; its PHASE events are a few ticks late. */
static void outside(int excess, unsigned most)
{
    model_close(&model);
    model_open(&model);
    model.scenario->follow = true;
    stretch(0, excess);
    for (unsigned i = 0; i < M_EDGES; i++) {
        const unsigned late = most ? below(most + 1) : 0;
        model.ideal[i] += late;
        model.tie[i] = -2;
        model.ideal[i] += 2;
        for (unsigned k = 0; k < model.frames; k++)
            if (index_of(model.frame[k].superframe, model.frame[k].phase) == i)
                model.frame[k].start += late;
    }
}

static void test_outside_clock(void **state)
{
    (void)state;
    outside(480, 0); /* 100 ppm */
    model_expect_clean(&model);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(tie_of(result)->n, M_EDGES);
    assert_true(tie_of(result)->max < 2 * 20834);
    pb_result_free(result);

    outside(2400, 0); /* 500 ppm */
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_true(result->findings_total > 0);
    assert_int_equal(model_count(result, PB_FINDING_DRIFT), result->findings_total);
    pb_result_free(result);
    model.scenario->controller.clock_error_ppm = -500; /* as was said */
    model_expect_clean(&model);

    outside(0, 48);
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_true(result->findings_total > 0);
    assert_int_equal(model_count(result, PB_FINDING_JITTER), result->findings_total);
    pb_result_free(result);
    model.scenario->controller.jitter_ps = 1000000; /* 48 ticks */
    model_expect_clean(&model);
}

/* By how much the edges scatter about a schedule of the ordered rate, in ticks. */
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
    pb_result_free(result);
}

/* Jitter that the scenario allows, to a sixteenth of a phase, makes no rate wrong, not even in the order that
 * moves a least-squares line most. A rate that is wrong by more is found. */
static void test_jitter_is_no_rate(void **state)
{
    (void)state;
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

/* A tick is allowed, as without an outside clock. */
static void test_bench_that_follows_late(void **state)
{
    (void)state;
    outside(0, 0);
    model_find(&model, 3, 0)->start += 1;
    model_expect_clean(&model);
    model_find(&model, 3, 0)->start += 1;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LATE, 3, 0, 0);
}

/* A bench that should send before it knows of the edge may send up to eleven ticks after it. */
static void test_bench_that_cannot_follow(void **state)
{
    (void)state;
    outside(0, 0);
    model.scenario->head_guard_ps = 0;
    for (unsigned i = 0; i < model.frames; i++)
        model.frame[i].start -= M_HEAD;
    model_find(&model, 3, 0)->start += 11;
    model_expect_clean(&model);
    model_find(&model, 3, 0)->start += 1;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LATE, 3, 0, 0);
}

static void test_outside_edges(void **state)
{
    (void)state;
    outside(480, 0);
    model.ideal[index_of(8, 3)] += 100;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_LATE, 8, 3, -1);
    model.ideal[index_of(8, 3)] -= 200;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_EARLY, 8, 3, -1);
    /* An edge left out: the schedule goes on from the next one. */
    outside(480, 0);
    for (unsigned i = index_of(8, 4); i < M_EDGES; i++)
        model.ideal[i] += M_PHASE;
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK_MISSING, 8, 3, -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_late_and_early),
        TEST(test_node_follows_the_edge),
        TEST(test_a_tick_is_nothing),
        TEST(test_missing_edges),
        TEST(test_extra_edge),
        TEST(test_sync),
        TEST(test_clock_alarms_alone),
        TEST(test_jitter),
        TEST(test_phases_at_once),
        TEST(test_jitter_is_measured),
        TEST(test_what_is_no_jitter),
        TEST(test_drift),
        TEST(test_small_drift),
        TEST(test_drift_with_jitter),
        TEST(test_displaced_schedule),
        TEST(test_outside_clock),
        TEST(test_jitter_is_no_rate),
        TEST(test_bench_that_follows_late),
        TEST(test_bench_that_cannot_follow),
        TEST(test_outside_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
