/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calibrations: the offset that a generator put in is inside the stated U95 as often as it says, and the
 * file keeps what it holds. Expected scatter: the standard error of a slope, from its formula.
 *
 * evidence: calibration of a core's clock
 *   simulated: an error of the core's clock is found inside its U95 by a signal on TDMA_CLK or on a link,
 *   and corrected in `jitter` and `run`; against the host's clock its arithmetic alone is tested, on no
 *   board yet
 *   also: cal.sh
 */
#define _DEFAULT_SOURCE /* timegm */
#include "phasebench/calibration.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_HZ = 48000000 };

/* Edges of a reference of `hz` on a core that is fast by ppb: jitter in ticks, stamped in steps. */
static size_t make_edges(double *tick, size_t count, double hz, double ppb, double jitter, double step)
{
    const double start = 1e6 * uniform();
    for (size_t i = 0; i < count; i++) {
        const double at = start + (double)i * CLOCK_HZ / hz * (1 + ppb / 1e9) + jitter * gaussian();
        tick[i] = floor(at / step) * step;
    }
    return count;
}

TEST(offset_of_edges_is_inside_its_u95_as_often_as_stated)
{
    enum { TRIALS = 1000, EDGES = 400 };
    static const double offset[] = {0, 12345, -250000};
    static double tick[EDGES];
    for (size_t k = 0; k < COUNT(offset); k++) {
        unsigned inside = 0;
        double scatter = 0;
        random_state = 7 + k;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            struct pb_calibration_fit fit;
            const struct pb_calibration_edges edges = {.tick = tick,
                                                       .count =
                                                           make_edges(tick, EDGES, 10000, offset[k], 3, 0.5),
                                                       .hz = 10000,
                                                       .step_ticks = 0.5,
                                                       .clock_hz = CLOCK_HZ};
            assert_succeeds(pb_calibration_fit_edges(&fit, &edges, &diag));
            inside += fabs(fit.offset_ppb - offset[k]) <= fit.u95_ppb;
            scatter += fit.scatter_ppb / TRIALS;
            assert_true(fit.step_ppb == 0 && fit.missing == 0 && fabs(fit.span_s - 0.0399) < 1e-9);
        }
        /* 95 % of 1000: a deviation of 6.9 */
        if (inside < 925 || inside > 975)
            fail_msg("%g ppb: %u of %d inside", offset[k], inside, TRIALS);
        /* 1.966 s sqrt(12 / (n (n^2 - 1))) / period, s with the step: the few that are widened add to it */
        const double expected =
            1.966 * sqrt(9 + 0.25 / 12) * sqrt(12.0 / (EDGES * (EDGES * (double)EDGES - 1))) / 4800 * 1e9;
        assert_true(scatter > 0.98 * expected && scatter < 1.06 * expected);
    }
}

TEST(wander_of_the_reference_widens)
{
    enum { TRIALS = 400, EDGES = 400 };
    static double tick[EDGES];
    unsigned inside = 0;
    random_state = 3;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct pb_calibration_fit fit;
        double wander = 0;
        for (size_t i = 0; i < EDGES; i++) { /* an autoregression of 0.9 */
            wander = 0.9 * wander + 5 * gaussian();
            tick[i] = floor(1000 + 4800.0 * (double)i + wander);
        }
        const struct pb_calibration_edges edges = {
            .tick = tick, .count = EDGES, .hz = 10000, .step_ticks = 1, .clock_hz = CLOCK_HZ};
        assert_succeeds(pb_calibration_fit_edges(&fit, &edges, &diag));
        inside += fabs(fit.offset_ppb) <= fit.u95_ppb;
    }
    /* Without the factor of 19 in the variance: 35 %. */
    assert_true(inside > 0.90 * TRIALS);
}

TEST(stamps_that_stand_still_leave_a_step)
{
    static double tick[100];
    struct pb_calibration_fit fit;
    for (unsigned ppb = 0; ppb < 2000; ppb += 7) {
        random_state = ppb;
        const struct pb_calibration_edges edges = {.tick = tick,
                                                   .count = make_edges(tick, 100, 10000, ppb, 0, 1),
                                                   .hz = 10000,
                                                   .step_ticks = 1,
                                                   .clock_hz = CLOCK_HZ};
        assert_succeeds(pb_calibration_fit_edges(&fit, &edges, &diag));
        assert_true(fabs(fit.offset_ppb - ppb) <= fit.u95_ppb);
        /* 1.5 ticks of 20.8 ns in 9.9 ms */
        assert_true(fabs(fit.step_ppb - 1.5e9 / (99 * 4800)) < 7);
    }
}

TEST(edges_that_are_missing_are_counted)
{
    double tick[60];
    struct pb_calibration_fit fit;
    struct pb_diag diag;
    size_t count = 0;
    for (unsigned i = 0; i < 60; i++)
        if (i != 7 && i != 8 && i != 40)
            tick[count++] = 5 + 480.0 * i;
    const struct pb_calibration_edges edges = {.tick = tick,
                                               .count = count,
                                               .hz = 100000,
                                               .step_ticks = 1,
                                               .reference_u95_ppb = 40,
                                               .clock_hz = CLOCK_HZ};
    assert_int_equal(pb_calibration_fit_edges(&fit, &edges, &diag), PB_OK);
    assert_int_equal(fit.missing, 3);
    assert_true(fabs(fit.offset_ppb) < 1e-3 && fit.u95_ppb > fit.step_ppb && fit.u95_ppb >= 40);
    struct pb_calibration_edges wrong = edges;
    wrong.hz = 95000; /* numbered alike */
    assert_int_equal(pb_calibration_fit_edges(&fit, &wrong, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "differs from the reference by -50000 ppm; 10000 ppm are the limit"));
}

TEST(edges_of_another_rate_are_refused)
{
    double tick[60];
    struct pb_calibration_fit fit;
    struct pb_diag diag;
    for (unsigned i = 0; i < 60; i++)
        tick[i] = 700.0 * i;
    const struct pb_calibration_edges edges = {
        .tick = tick, .count = 60, .hz = 100000, .step_ticks = 1, .clock_hz = CLOCK_HZ};
    assert_int_equal(pb_calibration_fit_edges(&fit, &edges, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text,
                           "not of 100000 Hz: edge 1 comes 1.458 periods after the one before, and most are "
                           "68571.429 Hz apart"));
    struct pb_calibration_edges few = edges;
    few.count = 7;
    assert_int_equal(pb_calibration_fit_edges(&fit, &few, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "7 edges; 8 are the least"));
}

/* Reads over USB: 125 us there and back at best, and an exponential wait on either way. */
static void make_reads(struct pb_calibration_host_read *read, size_t count, double ppb)
{
    double now = 0;
    for (size_t i = 0; i < count; i++) {
        const double there = 60000 - 80000 * log(uniform()), back = 65000 - 80000 * log(uniform());
        now += 5e6;
        read[i].before_ns = (int64_t)now;
        read[i].tick = (uint64_t)((now + there) * (CLOCK_HZ / 1e9) * (1 + ppb / 1e9)) + 1000;
        now += there + back;
        read[i].after_ns = (int64_t)now;
    }
}

TEST(offset_of_reads_is_inside_u95_and_envelope)
{
    enum { TRIALS = 300, READS = 2000 };
    static struct pb_calibration_host_read read[READS];
    static const double offset[] = {0, -31000, 4000};
    for (size_t k = 0; k < COUNT(offset); k++) {
        unsigned inside = 0;
        random_state = 11 + k;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            struct pb_calibration_fit fit;
            const struct pb_calibration_reads reads = {.read = read, .count = READS, .clock_hz = CLOCK_HZ};
            make_reads(read, READS, offset[k]);
            assert_succeeds(pb_calibration_fit_reads(&fit, &reads, &diag));
            inside += fabs(fit.offset_ppb - offset[k]) <= fit.u95_ppb;
            /* Truth is always within what the reads allow: half a tick is lost by rounding. */
            assert_true(fit.enveloped && fit.least_ppb < offset[k] + 3 && fit.most_ppb > offset[k] - 3);
            assert_true(fit.span_s > 9 && fit.u95_ppb < 40000);
        }
        assert_true(inside >= 0.93 * TRIALS); /* the row of the path makes it more than 95 % */
    }
}

TEST(a_rate_that_changes_is_outside_the_envelope)
{
    enum { READS = 800 };
    static struct pb_calibration_host_read read[READS];
    struct pb_calibration_fit fit;
    struct pb_diag diag;
    random_state = 1;
    make_reads(read, READS, 0);
    for (size_t i = READS / 2; i < READS; i++) /* the host's clock is set by 5 ms */
        read[i].before_ns += 5000000, read[i].after_ns += 5000000;
    const struct pb_calibration_reads reads = {.read = read, .count = READS, .clock_hz = CLOCK_HZ};
    assert_int_equal(pb_calibration_fit_reads(&fit, &reads, &diag), PB_OK);
    assert_false(fit.enveloped);
    struct pb_calibration_reads few = reads;
    few.count = 15;
    assert_int_equal(pb_calibration_fit_reads(&fit, &few, &diag), PB_ERR_CONFIG);
    memset(read, 0, sizeof read);
    assert_int_equal(pb_calibration_fit_reads(&fit, &reads, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "no time passed"));
}

static const struct pb_calibration sample = {.board = "FT1ABC",
                                             .map_hash = 0x43C79354,
                                             .clock_hz = CLOCK_HZ,
                                             .offset_ppb = 12345.25,
                                             .u95_ppb = 3.5,
                                             .reference = "TDMA_CLK, 10000 Hz",
                                             .date_utc = "2026-11-24T12:00:00Z",
                                             .span_s = 60,
                                             .samples = 600001,
                                             .note = "23 C"};

TEST(a_rate_is_corrected)
{
    /* A clock of 10000 Hz, reported by a core that is 100 ppm fast: it shows 9999.0001 Hz, -99.99 ppm. */
    struct pb_calibration fast = sample;
    fast.offset_ppb = 100000;
    fast.u95_ppb = 3000;
    double rate = (1 / (1 + 100e-6) - 1) * 1e6, u95 = 4;
    pb_calibrate_rate_ppm(&fast, &rate, &u95);
    assert_true(fabs(rate) < 1e-9);
    assert_true(fabs(u95 - 5) < 1e-12); /* 3 and 4 */
    pb_calibrate_rate_ppm(&fast, &rate, NULL);
    assert_true(fabs(rate - 100) < 1e-9); /* the bench's own clock, which it reports as exact */
    pb_calibrate_rate_ppm(NULL, &rate, &u95);
    assert_true(fabs(rate - 100) < 1e-9 && fabs(u95 - 5) < 1e-12);
}

TEST(a_file_keeps_what_it_holds)
{
    struct pb_calibration back;
    struct pb_diag diag;
    FILE *stream = open_text();
    assert_int_equal(pb_calibration_write(stream, &sample), PB_OK);
    const char *text = close_text(stream);
    const size_t length = strlen(text);
    assert_int_equal(pb_calibration_read(&back, text, length, &diag), PB_OK);
    assert_string_equal(back.board, sample.board);
    assert_string_equal(back.reference, sample.reference);
    assert_string_equal(back.date_utc, sample.date_utc);
    assert_string_equal(back.note, sample.note);
    assert_true(back.map_hash == sample.map_hash && back.clock_hz == sample.clock_hz &&
                back.samples == sample.samples && back.span_s == sample.span_s &&
                fabs(back.offset_ppb - sample.offset_ppb) < 1e-6 &&
                fabs(back.u95_ppb - sample.u95_ppb) < 1e-9);
    struct tm day = {.tm_year = 126, .tm_mon = 11, .tm_mday = 4};
    assert_true(fabs(pb_calibration_age_days(&back, timegm(&day)) - 9.5) < 1e-9);
    for (size_t cut = 0; cut + 2 < length; cut++)
        assert_int_equal(pb_calibration_read(&back, text, cut, &diag), PB_ERR_CONFIG);
}

TEST(a_file_that_is_none_is_refused)
{
#define GOOD                                                                                                 \
    "\"phasebench_calibration\":1,\"board\":\"A\",\"map_hash\":\"0x1\",\"core_clock_hz\":48000000,\"u95_"    \
    "ppb\":1,"                                                                                               \
    "\"reference\":\"r\",\"span_s\":1,\"samples\":9,\"note\":\"\""
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"", "no calibration"},
        {"[]", "the whole"},
        {"{}", "phasebench_calibration is missing"},
        {"{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\"}", "offset_ppb is missing"},
        {"{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\",\"offset_ppb\":2e7}",
         "offset_ppb is missing or wrong"},
        {"{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\",\"offset_ppb\":\"1\"}",
         "offset_ppb is missing or wrong"},
        {"{" GOOD ",\"date_utc\":\"24.11.2026\",\"offset_ppb\":1}", "date_utc"},
        {"{" GOOD ",\"date_utc\":\"2026-13-24T12:00:00Z\",\"offset_ppb\":1}", "date_utc"},
        {"{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\",\"offset_ppb\":1,\"more\":1}", "another member"},
        {"{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\",\"offset_ppb\":1,\"board\":\"B\"}",
         "no calibration: duplicate"},
    };
    struct pb_calibration out;
    struct pb_diag diag;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const int code = pb_calibration_read(&out, wrong[i].text, strlen(wrong[i].text), &diag);
        if (code != PB_ERR_CONFIG || !strstr(diag.text, wrong[i].word))
            fail_msg("%s: %d %s", wrong[i].text, code, diag.text);
    }
    const char *good = "{" GOOD ",\"date_utc\":\"2026-11-24T12:00:00Z\",\"offset_ppb\":-1}";
    assert_int_equal(pb_calibration_read(&out, good, strlen(good), &diag), PB_OK);
    assert_true(out.offset_ppb == -1 && out.map_hash == 1);
}
