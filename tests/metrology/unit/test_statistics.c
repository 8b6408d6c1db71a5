/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Quantiles, intervals and bounds against printed tables and against sums over all outcomes; the split of
 * jitter against samples with a known random and deterministic part; sums of uncertain contributions against
 * closed forms and a Monte Carlo (JCGM 101); bathtubs against samples and printed quantiles.
 */
#include "phasebench/statistics.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.12g, expected %.12g", value, expected);
}

/* ---- printed tables */

TEST(normal_quantiles)
{
    /* Abramowitz and Stegun, table 26.5; upper percentage points. */
    const struct {
        double tail, z;
    } table[] = {{0.5, 0},          {0.25, 0.674490}, {0.05, 1.644854}, {0.025, 1.959964}, {0.01, 2.326348},
                 {0.001, 3.090232}, {1e-4, 3.719016}, {1e-6, 4.753424}, {1e-9, 5.997807},  {1e-12, 7.034484}};
    for (unsigned i = 0; i < COUNT(table); i++) {
        const double low = pb_normal_quantile(table[i].tail);
        assert_true(fabs(low + table[i].z) < 1e-6);
        assert_close(pb_normal_cdf(low), table[i].tail, 1e-9);
    }
    assert_true(isnan(pb_normal_quantile(0)));
    assert_true(isnan(pb_normal_quantile(1)));
}

TEST(gamma_probabilities)
{
    /* P(1, x) = 1 - exp(-x), P(1/2, x) = erf(sqrt x), P(a + 1, x) = P(a, x) - x^a exp(-x) / gamma(a + 1). */
    const double x[] = {1e-6, 0.1, 0.9, 1, 1.1, 2, 4.9, 5.1, 30, 200};
    for (unsigned i = 0; i < COUNT(x); i++) {
        assert_close(pb_gamma_p(1, x[i]), -expm1(-x[i]), 1e-12);
        assert_close(pb_gamma_p(0.5, x[i]), erf(sqrt(x[i])), 1e-12);
        for (double a = 0.5; a < 40; a += 1.5) {
            const double step = exp(a * log(x[i]) - x[i] - lgamma(a + 1));
            assert_true(fabs(pb_gamma_p(a + 1, x[i]) + step - pb_gamma_p(a, x[i])) < 1e-12);
        }
        assert_true(pb_gamma_p(2.5, 0) == 0);
    }
}

TEST(chi_square_quantiles)
{
    /* Upper 5 %, upper 97.5 % and upper 2.5 % points, as printed in every table. */
    const struct {
        double p, freedom, value;
    } table[] = {{0.95, 1, 3.841459},   {0.95, 10, 18.30704},    {0.025, 10, 3.246973},
                 {0.975, 10, 20.48318}, {0.025, 1, 9.820691e-4}, {0.975, 100, 129.5612},
                 {0.025, 100, 74.22193}};
    for (unsigned i = 0; i < COUNT(table); i++)
        assert_close(pb_chi_square_quantile(table[i].p, table[i].freedom), table[i].value, 1e-6);
}

TEST(f_tails)
{
    /* Upper 5 % and 1 % points of F. */
    assert_close(pb_f_tail(4.256495, 2, 9), 0.05, 1e-5);
    assert_close(pb_f_tail(3.708265, 3, 10), 0.05, 1e-5);
    assert_close(pb_f_tail(6.552313, 3, 10), 0.01, 1e-5);
    /* MSA 4th edition, interaction of the study of ten parts: F 0.43372 of 18 and 60. */
    assert_close(pb_f_tail(0.43372, 18, 60), 0.97411, 1e-4);
}

TEST(rates)
{
    const struct {
        uint64_t errors, trials;
        double lower, upper;
    } both[] = {{0, 1000, 0, 0.0036821},
                {1, 1000, 2.5317e-5, 0.0055589},
                {5, 1000, 0.00162542, 0.0116295},
                {3, 10000, 6.1871e-5, 8.7647e-4},
                {50, 100, 0.398321, 0.601679}};
    for (unsigned i = 0; i < COUNT(both); i++) {
        const struct pb_interval interval = pb_rate_interval(both[i].errors, both[i].trials, 0.95);
        assert_close(interval.lower, both[i].lower, 2e-4);
        assert_close(interval.upper, both[i].upper, 2e-5);
    }
    assert_close(pb_rate_bound(0, 100, 0.95), 0.029513, 2e-5);
    assert_close(pb_rate_bound(0, 1000, 0.95), 0.00299125, 1e-6);
    assert_close(pb_rate_bound(0, 1000000, 0.95), 2.99573e-6, 2e-6);
    /* Poisson: the upper mean of k events. */
    const double mean[] = {2.9957, 4.7439, 6.2958, 7.7537, 9.1535, 10.513};
    for (unsigned k = 0; k < COUNT(mean); k++)
        assert_close(pb_rate_bound(k, 100000000, 0.95) * 1e8, mean[k], 2e-5);
    assert_true(pb_rate_bound(7, 7, 0.95) == 1);
    assert_true(isnan(pb_rate_bound(1, 0, 0.95)));
    assert_true(isnan(pb_rate_interval(2, 1, 0.95).lower));
}

/* ---- brute force */

static double binomial_at_most(uint64_t n, double p, uint64_t most)
{
    double sum = 0;
    for (uint64_t k = 0; k <= most; k++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                   (double)k * log(p) + (double)(n - k) * log1p(-p));
    return sum;
}

/* The bounds are the rates at which the observation has just the rest of the confidence. */
TEST(rates_by_summation)
{
    for (uint64_t trials = 1; trials < 60; trials += 7)
        for (uint64_t errors = 0; errors < trials; errors++) {
            const struct pb_interval interval = pb_rate_interval(errors, trials, 0.9);
            assert_close(binomial_at_most(trials, interval.upper, errors), 0.05, 1e-9);
            if (errors)
                assert_close(1 - binomial_at_most(trials, interval.lower, errors - 1), 0.05, 1e-8);
            assert_close(binomial_at_most(trials, pb_rate_bound(errors, trials, 0.99), errors), 0.01, 1e-8);
        }
}

TEST(bound_of_a_quantile)
{
    const double p[] = {0.5, 0.95, 0.99, 0.999};
    for (unsigned i = 0; i < COUNT(p); i++)
        for (uint64_t n = 1; n < 4000; n += 37) {
            uint64_t rank = 0;
            double below = 0; /* P(binomial < rank) */
            while (rank <= n && below < 0.95) {
                below +=
                    exp(lgamma((double)n + 1) - lgamma((double)rank + 1) - lgamma((double)(n - rank) + 1) +
                        (double)rank * log(p[i]) + (double)(n - rank) * log1p(-p[i]));
                rank++;
            }
            assert_int_equal(pb_quantile_bound_rank(n, p[i], 0.95), rank <= n ? rank : 0);
        }
    /* The largest value bounds it from n = ln 0.05 / ln p on. */
    assert_int_equal(pb_quantile_bound_rank(58, 0.95, 0.95), 0);
    assert_int_equal(pb_quantile_bound_rank(59, 0.95, 0.95), 59);
    assert_int_equal(pb_quantile_bound_rank(298, 0.99, 0.95), 0);
    assert_int_equal(pb_quantile_bound_rank(299, 0.99, 0.95), 299);
    assert_int_equal(pb_quantile_bound_rank(2994, 0.999, 0.95), 0);
    assert_int_equal(pb_quantile_bound_rank(2995, 0.999, 0.95), 2995);
}

/* ---- samples */

TEST(distribution)
{
    double value[] = {3, 1, 2, 2, 12};
    struct pb_distribution found;
    pb_distribution_of(&found, value, COUNT(value));
    assert_int_equal(found.n, 5);
    assert_close(found.mean, 4, 1e-12);
    assert_close(found.sd, sqrt((1 + 9 + 4 + 4 + 64) / 4.0), 1e-12);
    assert_close(found.rms, sqrt((9 + 1 + 4 + 4 + 144) / 5.0), 1e-12);
    assert_true(found.min == 1 && found.max == 12 && found.quantile[0] == 2 && found.quantile[1] == 12);
    /* P(binomial(5, 1/2) < 5) = 31/32; of 4: 26/32. */
    assert_true(found.bounded[0] && found.bound[0] == 12 && !found.bounded[1] && !found.bounded[2]);
    double one[] = {-7};
    pb_distribution_of(&found, one, 1);
    assert_true(found.mean == -7 && found.sd == 0 && found.sd95.upper == 0 && !found.bounded[0]);
    pb_distribution_of(&found, NULL, 0);
    assert_int_equal(found.n, 0);
}

/* Of samples of 20 normal values the interval covers the true deviation in 95 %. */
TEST(deviation_interval_covers)
{
    unsigned covered = 0;
    random_state = 1;
    for (unsigned run = 0; run < 4000; run++) {
        double value[20];
        struct pb_distribution found;
        for (unsigned i = 0; i < COUNT(value); i++)
            value[i] = 3 * gaussian();
        pb_distribution_of(&found, value, COUNT(value));
        covered += found.sd95.lower <= 3 && 3 <= found.sd95.upper;
    }
    assert_in_range(covered, 3745, 3855); /* 3800, four standard deviations of the binomial */
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

enum shape { NORMAL, TWO_DELTAS, UNIFORM, ENDLESS_DRIFT };

static struct pb_split split_of(enum shape shape, size_t n, double span, double step, uint64_t seed)
{
    double *value = malloc(n * sizeof *value);
    struct pb_split split;
    assert_non_null(value);
    random_state = seed * 2 + 1;
    for (size_t i = 0; i < n; i++) {
        const double jitter = shape == UNIFORM ? 0 : gaussian();
        value[i] = jitter + (shape == TWO_DELTAS                    ? (uniform() < 0.5 ? -span / 2 : span / 2)
                             : shape == UNIFORM                     ? span * uniform()
                             : shape == ENDLESS_DRIFT && i % 4 == 0 ? span * fabs(gaussian())
                                                                    : 0);
        if (step > 0)
            value[i] = step * floor(value[i] / step);
    }
    qsort(value, n, sizeof *value, by_value);
    pb_split_of(&split, value, n, step);
    free(value);
    return split;
}

/* Two deltas: the model is exact. Scatter of the fit at 10,000 and at 100,000 values: 3 % and 1 %. */
TEST(split_of_two_deltas)
{
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (double span = 3; span < 11; span += 7) {
            const struct pb_split few = split_of(TWO_DELTAS, 10000, span, 0, seed),
                                  many = split_of(TWO_DELTAS, 100000, span, 0, seed);
            assert_int_equal(few.refusal, PB_SPLIT_VALID);
            assert_int_equal(many.refusal, PB_SPLIT_VALID);
            assert_close(few.random, 1, 0.12);
            assert_close(many.random, 1, 0.04);
            assert_true(fabs(many.deterministic - span) < 0.16);
            assert_close(many.total_1e12, span + 13.874, 0.02);
        }
}

/* A normal jitter alone is no two deltas. Least squares over the exact quantiles, p from 1e-5 to 0.05, give a
 * deviation of 0.9031, a deterministic part of 0.956 and a total of 13.485. */
TEST(split_of_a_normal_jitter)
{
    const struct pb_split split = split_of(NORMAL, 1000000, 0, 0, 3);
    assert_int_equal(split.refusal, PB_SPLIT_VALID);
    assert_close(split.random, 0.9031, 0.01);
    assert_close(split.deterministic, 0.956, 0.03);
    assert_close(split.total_1e12, 13.485, 0.01);
}

TEST(split_is_refused)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        assert_int_equal(split_of(NORMAL, 999, 0, 0, seed).refusal, PB_SPLIT_FEW);
        assert_int_equal(split_of(NORMAL, 100000, 0, 2.2, seed).refusal, PB_SPLIT_COARSE);
        assert_int_equal(split_of(NORMAL, 100000, 0, 0.5, seed).refusal, PB_SPLIT_VALID);
        assert_int_equal(split_of(UNIFORM, 100000, 5, 0, seed).refusal, PB_SPLIT_BOUNDED);
        assert_int_equal(split_of(UNIFORM, 10000, 5, 0.01, seed).refusal, PB_SPLIT_BOUNDED);
        assert_int_equal(split_of(ENDLESS_DRIFT, 100000, 5, 0, seed).refusal, PB_SPLIT_UNLIKE);
    }
    /* A constant. */
    double same[2000];
    struct pb_split split;
    for (unsigned i = 0; i < COUNT(same); i++)
        same[i] = 5;
    pb_split_of(&split, same, COUNT(same), 0);
    assert_int_equal(split.refusal, PB_SPLIT_COARSE);
    assert_true(split.random == 0 && *pb_split_reason(split.refusal));
}

/* Uniform jitter of 100 seen by steps of 10.4, as of a controller's clock: the steps smooth its tails, but
 * there is nothing to extrapolate. A normal jitter on two deltas has a tail. */
TEST(split_of_a_uniform_jitter_in_steps)
{
    enum { N = 10000, SAMPLES = 40 };
    double *value = malloc(N * sizeof *value);
    unsigned bounded = 0, valid = 0;
    assert_non_null(value);
    random_state = 20;
    for (unsigned sample = 0; sample < SAMPLES; sample++) {
        struct pb_distribution distribution;
        struct pb_split split;
        for (unsigned i = 0; i < N; i++)
            value[i] = 10.4 * floor((100 * uniform() + i * 6.4) / 10.4) - i * 6.4;
        pb_distribution_of(&distribution, value, N);
        pb_split_of(&split, value, N, 10.4);
        bounded += split.refusal == PB_SPLIT_BOUNDED;
        for (unsigned i = 0; i < N; i++)
            value[i] = gaussian() + (i % 2 ? 1.5 : -1.5);
        pb_distribution_of(&distribution, value, N);
        pb_split_of(&split, value, N, 0);
        valid += split.refusal == PB_SPLIT_VALID;
    }
    assert_true(bounded >= SAMPLES - 1);
    assert_true(valid >= SAMPLES - 1);
    free(value);
}

/* ---- uncertain contributions */

static void assert_expanded(const struct pb_contribution *part, unsigned parts, double u, double u95)
{
    struct pb_expanded expanded;
    pb_expand(&expanded, part, parts);
    assert_close(expanded.u, u, 1e-9);
    assert_close(expanded.u95, u95, 2e-3);
    assert_close(expanded.k, expanded.u95 / u, 1e-9);
}

/* A rectangle of half-width a: 0.95 a. Two of them make a triangle: 2 a (1 - sqrt 0.05). A rectangle on a
 * wide one: a trapezium, whose flat part holds 95 % of a. */
TEST(expanded_closed_forms)
{
    const struct pb_contribution rectangles[] = {{false, 10}, {false, 10}},
                                 wide[] = {{false, 100}, {false, 1}}, normals[] = {{true, 3}, {true, 4}},
                                 none[] = {{false, 0}, {true, 0}};
    struct pb_expanded expanded = {.u = 1};
    assert_expanded(rectangles, 1, 10 / sqrt(3), 9.5);
    assert_expanded(rectangles, 2, 10 * sqrt(2.0 / 3), 20 * (1 - sqrt(0.05)));
    assert_expanded(wide, 2, sqrt(10001 / 3.0), 95);
    assert_expanded(normals, 2, 5, 5 * 1.959964);
    pb_expand(&expanded, none, 2);
    assert_true(expanded.u == 0 && expanded.u95 == 0 && expanded.k == 0);
}

/* The budget of an edge at 96 MHz, 10 us after the phase edge, ns: a fall has k = 1.88, and a rise whose
 * threshold is unknown 1.68, as one rectangle outweighs the rest. Worked out by Monte Carlo. */
TEST(expanded_budget_of_an_edge)
{
    const struct pb_contribution fall[] = {{false, 2.60}, {false, 1.04}, {true, 0.075}, {false, 0.29},
                                           {false, 0.30}, {false, 0.5},  {false, 1.5},  {true, 0.02}},
                                 rise[] = {{false, 2.60}, {false, 1.04}, {true, 0.075},
                                           {false, 0.29}, {false, 0.30}, {false, 0.5},
                                           {false, 77},   {false, 13},   {true, 1.24}};
    struct pb_expanded expanded;
    pb_expand(&expanded, fall, COUNT(fall));
    assert_close(expanded.u, 1.87, 0.003);
    assert_close(expanded.u95, 3.53, 0.003);
    assert_close(expanded.k, 1.88, 0.003);
    pb_expand(&expanded, rise, COUNT(rise));
    assert_close(expanded.u, 45, 0.011);
    assert_close(expanded.u95, 76, 0.007);
    assert_close(expanded.k, 1.68, 0.003);
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* JCGM 101: 200,000 draws of budgets with one to seven parts of any size; the 95 % point of their absolute
 * values has a standard error of 0.5 % at most. */
TEST(expanded_equals_a_monte_carlo)
{
    enum { DRAWS = 200000, BUDGETS = 12 };
    double *sum = malloc(DRAWS * sizeof *sum);
    assert_non_null(sum);
    for (unsigned budget = 0; budget < BUDGETS; budget++) {
        struct pb_contribution part[7];
        struct pb_expanded expanded;
        const unsigned parts = 1 + budget % COUNT(part);
        double variance = 0;
        for (unsigned i = 0; i < parts; i++) {
            part[i] = (struct pb_contribution){.normal = uniform() < 0.3, .size = pow(10, 3 * uniform())};
            variance += part[i].size * part[i].size / (part[i].normal ? 1 : 3);
        }
        for (unsigned k = 0; k < DRAWS; k++) {
            sum[k] = 0;
            for (unsigned i = 0; i < parts; i++)
                sum[k] += part[i].size * (part[i].normal ? gaussian() : 2 * uniform() - 1);
            sum[k] = fabs(sum[k]);
        }
        qsort(sum, DRAWS, sizeof *sum, ascending);
        pb_expand(&expanded, part, parts);
        assert_close(expanded.u, sqrt(variance), 1e-9);
        assert_close(expanded.u95, sum[DRAWS * 95 / 100], 0.01);
    }
    free(sum);
}

/* The table of Student's t, two-sided. */
TEST(student_factors)
{
    const struct {
        double freedom, factor;
    } table[] = {{1, 12.706}, {2, 4.303}, {5, 2.571}, {10, 2.228}, {18, 2.101}, {30, 2.042}, {1e6, 1.960}};
    for (unsigned i = 0; i < COUNT(table); i++)
        assert_close(pb_student_factor(0.95, table[i].freedom), table[i].factor, 3e-4);
    assert_close(pb_student_factor(0.99, 10), 3.169, 3e-4);
}

/* ---- bathtub */

/* Two deltas 3 apart with a normal jitter of 1, as a model. Half of the edges is in each tail, half of the
 * bits has an edge: a ratio r is at tail quantile 4 r. 4e-3: 2.652, 4e-6: 4.465 deviations. */
TEST(bathtub_of_the_model)
{
    const struct pb_split split = {.random = 1, .random_left = 1, .random_right = 1, .deterministic = 3};
    const struct {
        double ratio, z;
    } table[] = {{1e-3, 2.6521}, {1e-6, 4.4652}, {2.5e-10, 5.997807}, {2.5e-13, 7.034484}};
    for (unsigned i = 0; i < COUNT(table); i++) {
        const struct pb_interval window = pb_bathtub_window(&split, 100, table[i].ratio);
        assert_close(window.lower, 1.5 + table[i].z, 1e-4);
        assert_close(window.upper, 100 - 1.5 - table[i].z, 1e-4);
        assert_close(pb_bathtub_model(&split, 100, window.lower), table[i].ratio, 1e-6);
        assert_close(pb_bathtub_model(&split, 100, window.upper), table[i].ratio, 1e-6);
    }
    /* In a short bit both ends count. */
    assert_close(pb_bathtub_model(&split, 3, 1.5), 0.5 * (0.25 + 0.25), 1e-9);
    const struct pb_interval closed = pb_bathtub_window(&split, 10, 1e-12);
    assert_true(closed.lower >= closed.upper);
}

/* Edges at -2, -1 .. 2 about a centre of 50: each share by hand. */
TEST(bathtub_counted)
{
    const double edge[] = {48, 49, 50, 51, 52};
    assert_close(pb_bathtub_counted(edge, 5, 50, 10, -3), 0.5, 1e-9);
    assert_close(pb_bathtub_counted(edge, 5, 50, 10, 1), 0.1, 1e-9);
    assert_close(pb_bathtub_counted(edge, 5, 50, 10, 0.5), 0.2, 1e-9);
    assert_true(pb_bathtub_counted(edge, 5, 50, 10, 5) == 0);
    assert_true(pb_bathtub_counted(edge, 5, 50, 10, 8) == 0);
    assert_close(pb_bathtub_counted(edge, 5, 50, 10, 8.5), 0.1, 1e-9);
    assert_close(pb_bathtub_counted(edge, 5, 50, 3, 1.5), 0.5 * 2 / 5, 1e-9);
}

/* The counted window is that of the counted ratio, and the model of the same sample is near it. */
TEST(bathtub_windows_agree)
{
    enum { N = 20000 };
    double *edge = malloc(N * sizeof *edge);
    struct pb_distribution distribution;
    struct pb_split split;
    struct pb_interval counted;
    assert_non_null(edge);
    for (unsigned i = 0; i < N; i++)
        edge[i] = 1000 + (i % 2 ? 3 : -3) + gaussian();
    pb_distribution_of(&distribution, edge, N);
    pb_split_of(&split, edge, N, 0);
    assert_int_equal(split.refusal, PB_SPLIT_VALID);
    assert_true(fabs(split.centre - 1000) < 0.1);
    assert_true(pb_bathtub_counted_window(&counted, edge, N, split.centre, 50, 1e-3));
    assert_close(pb_bathtub_counted(edge, N, split.centre, 50, counted.lower), 1e-3, 1e-9);
    assert_close(pb_bathtub_counted(edge, N, split.centre, 50, counted.upper), 1e-3, 1e-9);
    const struct pb_interval model = pb_bathtub_window(&split, 50, 1e-3);
    assert_true(fabs(model.lower - counted.lower) < 0.3 && fabs(model.upper - counted.upper) < 0.3);
    /* 10 of 20,000 edges in a tail, at half the transitions: 2.5e-4. */
    assert_true(pb_bathtub_counted_window(&counted, edge, N, split.centre, 50, 2.5e-4));
    assert_false(pb_bathtub_counted_window(&counted, edge, N, split.centre, 50, 2.4e-4));
    assert_false(pb_bathtub_counted_window(&counted, edge, N, split.centre, 50, 0.5));
    free(edge);
}
