/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Batch means and the end of a transient: series whose means are known.
 */
#include "tests/bench/unit/tests.h"

#include "phasebench/machine.h"
#include "phasebench/random.h"

#include <math.h>

enum { VALUES = 4000, RUNS = 400, BATCHES = 20 };

static double share(uint64_t *random)
{
    return (double)(pb_splitmix64(random) >> 11) * 0x1p-53;
}

/* By the sum of twelve uniform numbers. */
static double normal(uint64_t *random)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += share(random);
    return sum;
}

static void assert_covers(unsigned hits)
{
    /* 95 % of 400 are 380, with a deviation of 4.4; a dependent series loses a little. */
    assert_in_range(hits, 364, 395);
}

TEST(intervals_of_an_autoregressive_series_hold_its_mean_in_95_of_100)
{
    static double value[VALUES];
    uint64_t random = 7;
    unsigned hits = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        double state = normal(&random) / sqrt(1 - 0.64);
        struct pb_batch_means means;
        for (unsigned i = 0; i < VALUES; i++) {
            value[i] = 5 + state;
            state = 0.8 * state + normal(&random);
        }
        pb_batch_means_of(&means, value, NULL, VALUES, BATCHES);
        hits += fabs(means.mean - 5) <= means.half95;
    }
    assert_covers(hits);
}

/* In each step 2 come with probability 0.3, else none, and 1 leaves: the queue left behind has the mean
 * E[A (A - 1)] / (2 (1 - E[A])) = 0.6 / 0.8 = 0.75. */
TEST(intervals_of_a_queue_hold_its_mean_in_95_of_100)
{
    static double value[VALUES];
    uint64_t random = 11;
    unsigned hits = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        struct pb_batch_means means;
        double queue = 0;
        for (unsigned i = 0; i < 200 + VALUES; i++) {
            queue += share(&random) < 0.3 ? 2 : 0;
            queue -= queue > 0;
            if (i >= 200)
                value[i - 200] = queue;
        }
        pb_batch_means_of(&means, value, NULL, VALUES, BATCHES);
        hits += fabs(means.mean - 0.75) <= means.half95;
    }
    assert_covers(hits);
}

TEST(a_mean_of_ratios_weighs_every_value)
{
    const double sum[] = {2, 0, 12, 3}, weight[] = {1, 0, 4, 1};
    struct pb_batch_means means;

    /* Batches of 2, 3 and 3, and one without weight: deviation 1 / sqrt(3), t(2) = 4.30265. */
    pb_batch_means_of(&means, sum, weight, 4, 4);
    assert_true(fabs(means.mean - 17.0 / 6) < 1e-12);
    assert_true(fabs(means.half95 - 4.302653 / 3) < 1e-5);
    /* 2 and 15 / 5 */
    pb_batch_means_of(&means, sum, weight, 4, 2);
    assert_true(fabs(means.half95 - 12.7062 / 2) < 1e-3);
}

TEST(the_first_batch_takes_what_is_left_over)
{
    const double value[] = {1, 2, 3, 10, 20};
    struct pb_batch_means means;

    /* 2 and 15: deviation 13 / sqrt(2) */
    pb_batch_means_of(&means, value, NULL, 5, 2);
    assert_true(fabs(means.mean - 7.2) < 1e-12);
    assert_true(fabs(means.half95 - 12.7062 * 6.5) < 1e-2);
}

TEST(few_values_have_a_mean_and_no_interval)
{
    const double value[] = {4};
    struct pb_batch_means means;

    pb_batch_means_of(&means, value, NULL, 1, BATCHES);
    assert_true(means.mean == 4 && isnan(means.half95));
    pb_batch_means_of(&means, value, NULL, 0, BATCHES);
    assert_true(means.mean == 0 && isnan(means.half95));
}

TEST(a_transient_is_cut_where_it_ends)
{
    static double value[500];
    uint64_t random = 3;

    for (unsigned i = 0; i < 500; i++)
        value[i] = normal(&random) + (i < 100 ? 50.0 - 0.5 * i : 0);
    assert_in_range(pb_transient_of(value, 500), 85, 130);
}

TEST(a_stationary_series_is_kept)
{
    static double value[500];
    uint64_t random = 5;

    for (unsigned i = 0; i < 500; i++)
        value[i] = normal(&random);
    assert_in_range(pb_transient_of(value, 500), 0, 250);
}

TEST(a_series_that_grows_is_a_transient_to_its_end)
{
    static double value[500];
    uint64_t random = 9;

    for (unsigned i = 0; i < 500; i++)
        value[i] = i + normal(&random);
    assert_true(pb_transient_of(value, 500) > 250);
}
