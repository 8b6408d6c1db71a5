/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The uncertainty budget and what quantised stamps are corrected by. Expected values: textbook figures for
 * rectangles, triangles and normals; a budget worked out by Monte Carlo; drawn samples of known spread.
 */
#include "host/check/uncertainty.h"
#include "tests/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_near(double value, double expected, double by)
{
    if (fabs(value - expected) > by)
        fail_msg("%f, not %f", value, expected);
}

/* A rectangle of half-width a: 0.95 a. Two of them, a triangle of half-width 2 a: 2 a (1 - sqrt 0.05). A
 * normal: 1.96 times its deviation. */
TEST(test_u95_of_known_shapes)
{
    const struct pb_uncertainty_row rectangle[] = {{.fall_ps = 10000, .rise_ps = 500},
                                                   {.fall_ps = 10000, .rise_ps = 0}};
    const struct pb_uncertainty_row normal = {.normal = true, .fall_ps = 1000};
    assert_near((double)pb_uncertainty_u95_ps(rectangle, 0, 1, false), 9500, 20);
    assert_near((double)pb_uncertainty_u95_ps(rectangle, 0, 2, true), 475, 2);
    assert_near((double)pb_uncertainty_u95_ps(rectangle, 0, 2, false), 20000 * (1 - sqrt(0.05)), 40);
    assert_near((double)pb_uncertainty_u95_ps(&normal, 0, 1, false), 1960, 40);
    assert_int_equal(pb_uncertainty_u95_ps(rectangle, 2, 2, false), 0);
}

/* 96 MHz with halves, 10 us after the phase edge: 3.53 ns for a falling edge by Monte Carlo. */
TEST(test_budget_of_a_board)
{
    const struct pb_uncertainty_input input = {.clock_hz = 96000000,
                                               .half_ticks = true,
                                               .step_ps = 5208,
                                               .interval_ps = 10000000,
                                               .rise_known = true};
    struct pb_result result = {.budget_rows = 0};
    pb_uncertainty_budget(&result, &input);
    assert_string_equal(result.board, "iCE40 HX8K");
    assert_int_equal(result.budget_rows, 8);
    assert_near((double)result.u95_fall_ps, 3530, 40);
    /* A measured line leaves its own step in place of 36 ns for an unknown threshold. */
    assert_true(result.u95_rise_ps < 4500);
    struct pb_uncertainty_input unknown = input;
    unknown.rise_known = false;
    pb_uncertainty_budget(&result, &unknown);
    assert_true(result.u95_rise_ps > 34000);
}

/* A rise of TDMA_CLK, driven through 65 ohms into 50 pF: 0.8 and 2.0 V of 3.3 V after 0.278 and 0.932 of
 * 3.25 ns, so half of 2.13 ns either way. The bench's own edge has neither step nor duty cycle. */
TEST(test_budget_of_the_clock)
{
    struct pb_uncertainty_input input = {.clock_hz = 96000000, .half_ticks = true, .step_ps = 5208};
    struct pb_result result = {.budget_rows = 0};
    const double level_ps = 65 * 50e-12 * log((3.3 - 0.8) / (3.3 - 2.0)) / 2 * 1e12;
    pb_uncertainty_budget(&result, &input);
    assert_int_equal(result.clock_budget_rows, 4);
    const struct pb_uncertainty_row *last = &result.clock_budget[3];
    assert_int_equal(last->kind, PB_UNCERTAINTY_LEVEL);
    assert_near((double)last->rise_ps, level_ps, 5);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(result.clock_budget[i].fall_ps, 0);
        assert_true(result.clock_budget[i].kind != PB_UNCERTAINTY_STEP &&
                    result.clock_budget[i].kind != PB_UNCERTAINTY_DUTY);
    }
    input.follows = true;
    pb_uncertainty_budget(&result, &input);
    assert_int_equal(result.clock_budget_rows, 6);
    assert_int_equal(result.clock_budget[0].kind, PB_UNCERTAINTY_STEP);
    assert_int_equal(result.clock_budget[0].rise_ps, 2604);
    assert_int_equal(result.clock_budget[1].kind, PB_UNCERTAINTY_DUTY);
    assert_int_equal(result.clock_budget[1].rise_ps, 1041);
    input.clock_hz = 48000000; /* simulated */
    pb_uncertainty_budget(&result, &input);
    assert_int_equal(result.clock_budget_rows, 1);
}

TEST(test_budget_of_a_simulation)
{
    const struct pb_uncertainty_input input = {.clock_hz = 48000000, .half_ticks = true, .step_ps = 10416};
    struct pb_result result = {.budget_rows = 0};
    pb_uncertainty_budget(&result, &input);
    assert_string_equal(result.board, "");
    assert_int_equal(result.budget_rows, 1);
    assert_near((double)result.u95_fall_ps, 0.95 * 5208, 15);
    assert_near((double)result.u95_rise_ps, 0.95 * 5208, 15);
}

static double uniform(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

static struct pb_measurement raw_of(const int64_t *ps, size_t n)
{
    struct pb_measurement raw = {.n = n};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)ps[i];
    for (size_t i = 0; i < n; i++)
        squares += ((double)ps[i] - sum / (double)n) * ((double)ps[i] - sum / (double)n);
    raw.mean = llround(sum / (double)n);
    raw.sd = llround(sqrt(squares / (double)(n - 1)));
    return raw;
}

/* Instants of mean 5 us and a known spread, seen through steps of 10 ns, rounded down. */
TEST(test_mean_and_deviation_of_swept_stamps)
{
    static const double spread[] = {10000, 20000, 40000}; /* deviation, ps */
    enum { N = 40000, STEP = 10000 };
    int64_t *ps = malloc(N * sizeof *ps);
    uint32_t random = 1;
    assert_non_null(ps);
    for (size_t s = 0; s < COUNT(spread); s++) {
        for (size_t i = 0; i < N; i++) {
            double normal = -6;
            for (unsigned k = 0; k < 12; k++)
                normal += uniform(&random);
            ps[i] = (int64_t)floor((5000000 + spread[s] * normal) / STEP) * STEP;
        }
        const struct pb_measurement raw = raw_of(ps, N);
        const struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, STEP);
        assert_true(corrected.swept && !corrected.sd_is_bound);
        assert_near((double)corrected.mean_ps, 5000000, 4 * spread[s] / sqrt(N) + 100);
        assert_near((double)corrected.sd_ps, spread[s], 0.02 * spread[s]);
        assert_true(raw.sd > corrected.sd_ps);
    }
    free(ps);
}

/* A clock locked to that of the bench makes one, two or three stamps, however long it is watched: no spread
 * is made of them, and the mean is not called better than half a step. */
TEST(test_locked_stamps_are_told)
{
    enum { N = 3000, STEP = 10416 };
    int64_t ps[N];
    for (unsigned phases = 1; phases <= 3; phases++) {
        for (size_t i = 0; i < N; i++)
            ps[i] = (480 + (int64_t)(i % phases)) * STEP + (int64_t)(i % 2); /* rounding of the ps */
        const struct pb_measurement raw = raw_of(ps, N);
        const struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, STEP);
        assert_false(corrected.swept);
        assert_true(corrected.sd_is_bound);
        assert_int_equal(corrected.residues, phases);
        assert_int_equal(corrected.mean_u95_ps, STEP / 2);
        assert_true(corrected.sd_ps >= raw.sd);
    }
}

/* No deviation is left of a swept phase without jitter: an upper bound is given, never 0. */
TEST(test_no_jitter_is_a_bound)
{
    enum { N = 1000, STEP = 10000 };
    int64_t ps[N];
    uint32_t random = 7;
    for (size_t i = 0; i < N; i++)
        ps[i] = (int64_t)(4 * uniform(&random)) * 1000 + 5000000; /* 4 stamps within less than a step */
    const struct pb_measurement raw = raw_of(ps, N);
    struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, 1999);
    assert_true(corrected.sd_ps > 0);
    corrected = pb_statistics_correct(&raw, ps, N, STEP);
    assert_true(corrected.sd_is_bound && corrected.sd_ps > 0);
}
