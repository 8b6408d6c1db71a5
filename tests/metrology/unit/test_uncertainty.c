/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The uncertainty budget and what quantised stamps are corrected by. Expected values: textbook figures for
 * rectangles, triangles and normals; a budget worked out by Monte Carlo; drawn samples of known spread.
 */
#include "host/check/uncertainty.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The half-width that holds 95 % of a sum of rectangles and normals about 0, drawn 200,000 times. */
static double drawn_u95(const double *rectangle, size_t rectangles, double normal)
{
    enum { DRAWS = 200000, CELLS = 20000 };
    static unsigned cell[CELLS];
    random_state = 5;
    memset(cell, 0, sizeof cell);
    for (size_t i = 0; i < DRAWS; i++) {
        double sum = normal * gaussian();
        for (size_t k = 0; k < rectangles; k++)
            sum += rectangle[k] * (2 * uniform() - 1);
        const size_t at = (size_t)fabs(sum);
        cell[at < CELLS ? at : CELLS - 1]++;
    }
    size_t within = 0, at = 0;
    while (within < 0.95 * DRAWS)
        within += cell[at++];
    return (double)at;
}

/* 96 MHz with halves, 10 us after the phase edge, and a start at 36 MHz. Path of the vendor's tables: 3.0 to
 * 5.0 ns and 4.5 to 9.5 ns. A fall after its pull: of a node of 65 ohms and 50 pF, and a pad of 6 pF after
 * 220 or 253 ohms, at 2.0 and at 0.8 V. */
TEST(test_path_and_levels_of_a_board)
{
    static const struct {
        uint32_t clock_hz;
        double from_ps, to_ps, series_ohm, pll_ps, rectangle[6];
    } board[] = {{96000000, 3000, 5000, 220, 75, {2604, 1041, 290, 300, 500}},
                 {36000000, 4500, 9500, 253, 231, {6944, 2777, 510, 530, 500}}};
    for (size_t i = 0; i < COUNT(board); i++) {
        const struct pb_uncertainty_input input = {.clock_hz = board[i].clock_hz,
                                                   .half_ticks = true,
                                                   .step_ps = 500000000000 / board[i].clock_hz,
                                                   .interval_ps = 10000000,
                                                   .rise_known = true};
        struct pb_result result = {.budget_rows = 0};
        const double line_ps = 65 * 50.0, pad_ps = board[i].series_ohm * 6;
        double at_ps = 0, reached_ps[2] = {0, 0}, volts = 3.3;
        for (unsigned level = 0; level < 2; level++) /* of two low passes in a row */
            for (; volts > (level ? 0.8 : 2.0); reached_ps[level] = at_ps += 0.5)
                volts = 3.3 * (line_ps * exp(-at_ps / line_ps) - pad_ps * exp(-at_ps / pad_ps)) /
                        (line_ps - pad_ps);
        const double path_ps = (board[i].from_ps + board[i].to_ps) / 2,
                     fall_ps = (reached_ps[0] + reached_ps[1]) / 2,
                     clock_ps = 65 * 50 * (log(3.3 / 2.5) + log(3.3 / 1.3)) / 2;
        double rectangle[7];
        memcpy(rectangle, board[i].rectangle, sizeof board[i].rectangle);
        rectangle[5] = (reached_ps[1] - reached_ps[0]) / 2;
        rectangle[6] = (board[i].to_ps - board[i].from_ps) / 2;
        pb_uncertainty_budget(&result, &input);
        assert_near((double)result.late_fall_ps, path_ps + fall_ps + clock_ps, 5);
        assert_near((double)result.late_rise_ps, path_ps + clock_ps, 5);
        assert_near((double)result.u95_fall_ps, drawn_u95(rectangle, 7, board[i].pll_ps),
                    0.01 * (double)result.u95_fall_ps);
        struct pb_uncertainty_input other = input;
        other.follows = true; /* its edge takes the same way in */
        pb_uncertainty_budget(&result, &other);
        assert_near((double)result.late_fall_ps, fall_ps, 5);
        assert_int_equal(result.late_rise_ps, 0);
    }
    const struct pb_uncertainty_input simulated = {
        .clock_hz = 48000000, .half_ticks = true, .step_ps = 10416};
    struct pb_result result = {.late_fall_ps = 1};
    pb_uncertainty_budget(&result, &simulated);
    assert_int_equal(result.late_fall_ps, 0);
    assert_int_equal(result.late_rise_ps, 0);
}

/* 96 MHz with halves, 10 us after the phase edge: 3.53 ns for a falling edge by Monte Carlo without the path,
 * which adds a rectangle of 1 ns, and with 1.63 in place of 1.5 ns for the fall: 3.80 ns. */
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
    assert_int_equal(result.budget_rows, 9);
    assert_near((double)result.u95_fall_ps, 3803, 40);
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
    random_state = 1;
    assert_non_null(ps);
    for (size_t s = 0; s < COUNT(spread); s++) {
        for (size_t i = 0; i < N; i++)
            ps[i] = (int64_t)floor((5000000 + spread[s] * gaussian()) / STEP) * STEP;
        const struct pb_measurement raw = raw_of(ps, N);
        const struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, STEP, false);
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
        const struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, STEP, false);
        assert_false(corrected.swept);
        assert_true(corrected.sd_is_bound);
        assert_int_equal(corrected.residues, phases);
        /* Half a step, and the scatter of n stamps. */
        assert_near((double)corrected.mean_u95_ps, STEP / 2.0 + 1.96 * (double)raw.sd / sqrt(N), 2);
        assert_true(corrected.sd_ps >= raw.sd + STEP / 2);
    }
}

/* No deviation is left of a swept phase without jitter: an upper bound is given, never 0. */
TEST(test_no_jitter_is_a_bound)
{
    enum { N = 1000, STEP = 10000 };
    int64_t ps[N];
    random_state = 7;
    for (size_t i = 0; i < N; i++)
        ps[i] = (int64_t)(4 * uniform()) * 1000 + 5000000; /* 4 stamps within less than a step */
    const struct pb_measurement raw = raw_of(ps, N);
    struct pb_corrected corrected = pb_statistics_correct(&raw, ps, N, 1999, false);
    assert_true(corrected.sd_ps > 0);
    corrected = pb_statistics_correct(&raw, ps, N, STEP, false);
    assert_true(corrected.sd_is_bound && corrected.sd_ps > 0);
}
