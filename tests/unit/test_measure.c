/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of measured times, against values worked out by hand.
 */
#include "host/check/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct pb_result result;

static void measure(const int64_t *ps, size_t count, unsigned dimension)
{
    struct pb_measure measure = {0};
    result = (struct pb_result){0};
    for (size_t i = 0; i < count; i++) {
        pb_measure_start(&measure, dimension, ps[i], 1);
        pb_measure_period(&measure, ps[i]);
    }
    assert_int_equal(pb_measure_finish(&measure, &result), PB_OK);
    pb_measure_free(&measure);
}

static void test_none(void **state)
{
    (void)state;
    measure(NULL, 0, 0);
    assert_int_equal(result.period.count, 0);
    assert_int_equal(result.dimension[0].histogram.bin_ps, 0);
}

static void test_one(void **state)
{
    (void)state;
    measure((const int64_t[]){-7}, 1, 3);
    assert_int_equal(result.period.count, 1);
    assert_int_equal(result.period.mean_ps, -7);
    assert_int_equal(result.period.sd_ps, 0);
    assert_int_equal(result.dimension[3].start.count, 1);
    assert_int_equal(result.dimension[2].start.count, 0);
}

/* Sum 40, mean 5, squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7 = 4.571, its root 2.138; of a
 * population it would be 2. A thousand times larger, so that the difference survives rounding. */
static void test_eight(void **state)
{
    (void)state;
    measure((const int64_t[]){2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000}, 8, 0);
    assert_int_equal(result.period.min_ps, 2000);
    assert_int_equal(result.period.max_ps, 9000);
    assert_int_equal(result.period.mean_ps, 5000);
    assert_int_equal(result.period.sd_ps, 2138);
    assert_memory_equal(&result.period, &result.dimension[0].start, sizeof result.period);
}

/* A spread of 2 around a mean of 10^15 must not drown in it. */
static void test_small_spread_around_a_large_mean(void **state)
{
    (void)state;
    const int64_t mean = INT64_C(1000000000000000);
    measure((const int64_t[]){mean - 1, mean + 1, mean - 1, mean + 1, mean}, 5, 0);
    assert_int_equal(result.period.mean_ps, mean);
    assert_int_equal(result.period.sd_ps, 1);
}

static void test_every_sample_is_in_a_bin(void **state)
{
    (void)state;
    int64_t ps[600];
    for (int i = 0; i < 600; i++)
        ps[i] = 5000000 + (i * 7919 % 600) * 333;
    measure(ps, 600, 11);
    const struct pb_histogram *histogram = &result.dimension[11].histogram;
    uint64_t sum = histogram->below + histogram->above;
    assert_int_equal(sum, 0);
    for (unsigned i = 0; i < PB_HISTOGRAM_BINS; i++)
        sum += histogram->bin[i];
    assert_int_equal(sum, 600);
    assert_true(histogram->from_ps <= 5000000 && histogram->bin_ps > 0);
    assert_true(histogram->from_ps + PB_HISTOGRAM_BINS * histogram->bin_ps > 5000000 + 599 * 333);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_eight),
        cmocka_unit_test(test_small_spread_around_a_large_mean),
        cmocka_unit_test(test_every_sample_is_in_a_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
