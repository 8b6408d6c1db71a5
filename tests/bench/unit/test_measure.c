/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Statistics and margins of measured values, against figures worked out by hand.
 */
#include "host/check/measure.h"
#include "phasebench/random.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>

static struct pb_result result;

/* The values as starts at a link, between limits, and as periods, which have none. */
static void measure_within(const int64_t *ps, size_t count, unsigned link, int64_t lower, int64_t upper)
{
    struct pb_measure *measure = calloc(1, sizeof *measure);
    assert_non_null(measure);
    result = (struct pb_result){.measurement = NULL};
    measure->step_ps[link] = 1;
    for (size_t i = 0; i < count; i++) {
        struct pb_reading start = {.value = ps[i], .u95 = 10 + (int64_t)i, .lower = lower, .upper = upper};
        const struct pb_reading period = {.value = ps[i], .lower = PB_ABSENT, .upper = PB_ABSENT};
        start.judgement = pb_decide_u95(pb_reading_margin(&start), start.u95);
        assert_int_equal(pb_measure_take(measure, PB_FIGURE_NODE_START, link, &start),
                         pb_measure_key(PB_FIGURE_NODE_START, link));
        pb_measure_take(measure, PB_FIGURE_CLOCK_PERIOD, 0, &period);
    }
    assert_int_equal(pb_measure_finish(measure, &result, 12), PB_OK);
    pb_measure_free(measure);
    free(measure);
}

static void measure(const int64_t *ps, size_t count, unsigned link)
{
    measure_within(ps, count, link, PB_ABSENT, PB_ABSENT);
}

static const struct pb_measurement *period(void)
{
    return pb_measurement_find(&result, PB_FIGURE_CLOCK_PERIOD, -1);
}

static const struct pb_measurement *start_at(int link)
{
    return pb_measurement_find(&result, PB_FIGURE_NODE_START, link);
}

TEST(test_none)
{
    measure(NULL, 0, 0);
    assert_int_equal(result.measurements, 0);
    assert_int_equal(result.histogram[0].bin_ps, 0);
    free(result.measurement);
}

TEST(test_one)
{
    measure((const int64_t[]){-7}, 1, 15);
    assert_int_equal(result.measurements, 2);
    assert_int_equal(period()->n, 1);
    assert_int_equal(period()->mean, -7);
    assert_int_equal(period()->sd, 0);
    assert_int_equal(period()->margin, PB_ABSENT);
    assert_int_equal(period()->judgement, PB_NOT_JUDGED);
    assert_true(period()->node == -1 && period()->link == -1 && period()->dimension == -1);
    assert_int_equal(start_at(15)->n, 1);
    assert_true(start_at(15)->node == 1 && start_at(15)->dimension == 3); /* 15 = 1 * 12 + 3 */
    assert_string_equal(pb_measurement_id(start_at(15)).text, "node_start/link15");
    assert_string_equal(pb_measurement_id(period()).text, "clock_period");
    assert_null(start_at(2));
    free(result.measurement);
}

/* Sum 40, mean 5, squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7 = 4.571, its root 2.138; of a
 * population it would be 2. A thousand times larger, so that the difference survives rounding. */
TEST(test_eight)
{
    measure((const int64_t[]){2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000}, 8, 0);
    for (size_t i = 0; i < result.measurements; i++) {
        const struct pb_measurement *row = &result.measurement[i];
        assert_int_equal(row->n, 8);
        assert_int_equal(row->min, 2000);
        assert_int_equal(row->max, 9000);
        assert_int_equal(row->mean, 5000);
        assert_int_equal(row->sd, 2138);
    }
    free(result.measurement);
}

/* A spread of 2 around a mean of 10^15 must not drown in it. */
TEST(test_small_spread_around_a_large_mean)
{
    const int64_t mean = INT64_C(1000000000000000);
    measure((const int64_t[]){mean - 1, mean + 1, mean - 1, mean + 1, mean}, 5, 0);
    assert_int_equal(period()->mean, mean);
    assert_int_equal(period()->sd, 1);
    free(result.measurement);
}

/* The margin is the limit less the worst value, whichever limit is nearer; the verdict is that of the worst
 * value. U95 of value i is 10 + i. */
TEST(test_margins)
{
    static const struct {
        int64_t lower, upper, margin;
        enum pb_judgement judgement;
    } row[] = {
        {4000, 7000, 900, PB_JUDGED_PASS},      /* 4900 - 4000; 7000 - 5100 is more */
        {4000, 5500, 400, PB_JUDGED_PASS},      /* 5500 - 5100 */
        {PB_ABSENT, 5500, 400, PB_JUDGED_PASS}, /* the same without the other one */
        {4888, 7000, 12, PB_JUDGED_PASS},       /* 4900 is the third value, known to 12 */
        {4889, 7000, 11, PB_JUDGED_MARGINAL},   /* nearer than that */
        {4912, 7000, -12, PB_JUDGED_MARGINAL},  /* beyond the limit by no more than that */
        {4913, 7000, -13, PB_JUDGED_FAIL},      /* and by more */
        {4000, 5088, -12, PB_JUDGED_FAIL},      /* 5100 is the second, known to 11 */
        {4000, 5089, -11, PB_JUDGED_MARGINAL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        measure_within((const int64_t[]){5000, 5100, 4900}, 3, 0, row[i].lower, row[i].upper);
        assert_int_equal(start_at(0)->margin, row[i].margin);
        assert_int_equal(start_at(0)->judgement, row[i].judgement);
        assert_int_equal(start_at(0)->lower, row[i].lower);
        assert_int_equal(start_at(0)->upper, row[i].upper);
        assert_int_equal(start_at(0)->u95, 12);
        free(result.measurement);
    }
}

/* Where the limits change from value to value those of the worst margin are kept. */
TEST(test_limits_that_change)
{
    struct pb_measure *measure = calloc(1, sizeof *measure);
    assert_non_null(measure);
    result = (struct pb_result){.measurement = NULL};
    for (int64_t i = 0; i < 3; i++)
        pb_measure_take(measure, PB_FIGURE_BENCH_END, 3,
                        &(struct pb_reading){.value = 100 + 10 * i,
                                             .lower = i == 1 ? 107 : 90,
                                             .upper = PB_ABSENT,
                                             .judgement = PB_JUDGED_PASS});
    assert_int_equal(pb_measure_finish(measure, &result, 12), PB_OK);
    const struct pb_measurement *end = pb_measurement_find(&result, PB_FIGURE_BENCH_END, 3);
    assert_int_equal(end->margin, 3);
    assert_int_equal(end->lower, 107);
    pb_measure_free(measure);
    free(measure);
    free(result.measurement);
}

/* A finding carries the key of its figure until the list is made, and its place in the list then; none when
 * the figure has no value. */
TEST(test_findings_find_their_measurement)
{
    struct pb_measure *measure = calloc(1, sizeof *measure);
    struct pb_finding finding[3] = {{.measurement = pb_measure_key(PB_FIGURE_CLOCK_TIE, 0)},
                                    {.measurement = pb_measure_key(PB_FIGURE_NODE_END, 5)},
                                    {.measurement = -1}};
    const struct pb_reading reading = {.value = 1, .lower = PB_ABSENT, .upper = PB_ABSENT};
    assert_non_null(measure);
    result = (struct pb_result){.finding = finding, .findings = 3};
    pb_measure_take(measure, PB_FIGURE_NODE_END, 4, &reading);
    pb_measure_take(measure, PB_FIGURE_CLOCK_TIE, 0, &reading);
    assert_int_equal(pb_measure_finish(measure, &result, 12), PB_OK);
    assert_int_equal(finding[0].measurement, 1);
    assert_int_equal(finding[1].measurement, -1);
    assert_int_equal(finding[2].measurement, -1);
    pb_measure_free(measure);
    free(measure);
    free(result.measurement);
}

TEST(test_every_sample_is_in_a_bin)
{
    int64_t ps[600];
    for (int i = 0; i < 600; i++)
        ps[i] = 5000000 + (i * 7919 % 600) * 333;
    measure(ps, 600, 11);
    const struct pb_histogram *histogram = &result.histogram[11];
    uint64_t sum = histogram->below + histogram->above;
    assert_int_equal(sum, 0);
    for (unsigned i = 0; i < PB_HISTOGRAM_BINS; i++)
        sum += histogram->bin[i];
    assert_int_equal(sum, 600);
    assert_true(histogram->from_ps <= 5000000 && histogram->bin_ps > 0);
    assert_true(histogram->from_ps + PB_HISTOGRAM_BINS * histogram->bin_ps > 5000000 + 599 * 333);
    free(result.measurement);
}

/* Starts at random around two places that lie ever farther apart, the second now and then before the first:
 * bins and moments against those of the list itself. */
TEST(test_spread_of_many_values)
{
    enum { VALUES = 400 };
    int64_t ps[VALUES], apart = 100;
    uint64_t random = 3;
    for (unsigned round = 0; round < 40; round++, apart = apart * 7 / 4) {
        const struct pb_histogram *histogram = &result.histogram[4];
        long double sum = 0, squares = 0;
        for (size_t i = 0; i < VALUES; i++) {
            ps[i] = (int64_t)(pb_splitmix64(&random) % 3000) - 500;
            if (pb_splitmix64(&random) % 4 == 0)
                ps[i] += round % 2 ? -apart : apart;
            sum += ps[i];
        }
        measure(ps, VALUES, 4);
        for (size_t i = 0; i < VALUES; i++)
            squares += (ps[i] - sum / VALUES) * (ps[i] - sum / VALUES);
        assert_int_equal(period()->mean, llroundl(sum / VALUES));
        assert_int_equal(start_at(4)->sd, llroundl(sqrtl(squares / (VALUES - 1))));
        for (int64_t bin = 0; bin < PB_HISTOGRAM_BINS; bin++) {
            const int64_t from_ps = histogram->from_ps + bin * histogram->bin_ps;
            uint32_t count = 0;
            for (size_t i = 0; i < VALUES; i++)
                count += ps[i] >= from_ps && ps[i] < from_ps + histogram->bin_ps;
            assert_int_equal(histogram->bin[bin], count);
        }
        assert_int_equal(histogram->below + histogram->above, 0);
        free(result.measurement);
    }
}
