/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Deviations against the tables of NIST SP 1065: the nine frequencies of NBS Monograph 140 (table 30) and the
 * thousand of the generator 16807 x mod 2147483647 (table 31). Two printed values end in another digit
 * than the definition gives, so the tolerance is one in the last printed digit.
 */
#include "phasebench/stability.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCIES = 1000 };
static double nine[10], thousand[FREQUENCIES + 1];

static void make_sets(void)
{
    const double frequency[] = {892, 809, 823, 798, 671, 644, 883, 903, 677};
    for (unsigned i = 0; i < COUNT(frequency); i++)
        nine[i + 1] = nine[i] + frequency[i];
    uint64_t n = 1234567890;
    for (unsigned i = 0; i < FREQUENCIES; i++, n = 16807 * n % 2147483647)
        thousand[i + 1] = thousand[i] + (double)n / 2147483647;
}

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.12g, expected %.12g", value, expected);
}

struct published {
    enum pb_stability kind;
    size_t m;
    double value;
};

static void compare(const double *x, size_t n, const struct published *published, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_close(pb_stability_deviation(published[i].kind, x, n, 1, published[i].m, NULL),
                     published[i].value, 5e-7);
}

TEST(nine_frequencies)
{
    const struct published published[] = {
        {PB_STABILITY_ADEV, 1, 91.22945},  {PB_STABILITY_ADEV, 2, 115.8082},
        {PB_STABILITY_OADEV, 1, 91.22945}, {PB_STABILITY_OADEV, 2, 85.95287},
        {PB_STABILITY_MDEV, 1, 91.22945},  {PB_STABILITY_MDEV, 2, 74.78849},
        {PB_STABILITY_TDEV, 1, 52.67135},  {PB_STABILITY_TDEV, 2, 86.35831},
        {PB_STABILITY_HDEV, 1, 70.80607},  {PB_STABILITY_HDEV, 2, 116.7980},
        {PB_STABILITY_OHDEV, 1, 70.80607}, {PB_STABILITY_OHDEV, 2, 85.61487},
    };
    make_sets();
    compare(nine, COUNT(nine), published, COUNT(published));
}

TEST(thousand_frequencies)
{
    const struct published published[] = {
        {PB_STABILITY_ADEV, 1, 2.922319e-1},   {PB_STABILITY_ADEV, 10, 9.965736e-2},
        {PB_STABILITY_ADEV, 100, 3.897804e-2}, {PB_STABILITY_OADEV, 1, 2.922319e-1},
        {PB_STABILITY_OADEV, 10, 9.159953e-2}, {PB_STABILITY_OADEV, 100, 3.241343e-2},
        {PB_STABILITY_MDEV, 1, 2.922319e-1},   {PB_STABILITY_MDEV, 10, 6.172376e-2},
        {PB_STABILITY_MDEV, 100, 2.170921e-2}, {PB_STABILITY_TDEV, 1, 1.687202e-1},
        {PB_STABILITY_TDEV, 10, 3.563623e-1},  {PB_STABILITY_TDEV, 100, 1.253382},
        {PB_STABILITY_HDEV, 1, 2.943883e-1},   {PB_STABILITY_HDEV, 10, 1.052754e-1},
        {PB_STABILITY_HDEV, 100, 3.910860e-2}, {PB_STABILITY_OHDEV, 1, 2.943883e-1},
        {PB_STABILITY_OHDEV, 10, 9.581083e-2}, {PB_STABILITY_OHDEV, 100, 3.237638e-2},
    };
    make_sets();
    compare(thousand, COUNT(thousand), published, COUNT(published));
}

TEST(terms)
{
    size_t terms;
    make_sets();
    pb_stability_deviation(PB_STABILITY_ADEV, thousand, COUNT(thousand), 1, 100, &terms);
    assert_int_equal(terms, 9); /* of ten averages */
    pb_stability_deviation(PB_STABILITY_OADEV, thousand, COUNT(thousand), 1, 100, &terms);
    assert_int_equal(terms, 1001 - 2 * 100);
    pb_stability_deviation(PB_STABILITY_MDEV, thousand, COUNT(thousand), 1, 100, &terms);
    assert_int_equal(terms, 1001 - 3 * 100 + 1);
    pb_stability_deviation(PB_STABILITY_OHDEV, thousand, COUNT(thousand), 1, 100, &terms);
    assert_int_equal(terms, 1001 - 3 * 100);
    assert_true(isnan(pb_stability_deviation(PB_STABILITY_MDEV, thousand, 8, 1, 3, &terms)));
    assert_int_equal(terms, 0);
    assert_false(isnan(pb_stability_deviation(PB_STABILITY_MDEV, thousand, 9, 1, 3, &terms)));
    assert_true(isnan(pb_stability_deviation(PB_STABILITY_ADEV, thousand, 8, 1, 4, NULL)));
    assert_true(isnan(pb_stability_deviation(PB_STABILITY_ADEV, thousand, 8, 1, 0, NULL)));
    assert_true(isnan(pb_stability_deviation(PB_STABILITY_ADEV, NULL, 0, 1, 1, NULL)));
}

/* tau is m tau0: the same phase in seconds, sampled every 100 us. */
TEST(scale)
{
    double seconds[COUNT(thousand)];
    make_sets();
    for (unsigned i = 0; i < COUNT(thousand); i++)
        seconds[i] = thousand[i] * 1e-9;
    assert_close(pb_stability_deviation(PB_STABILITY_OADEV, seconds, COUNT(seconds), 1e-4, 10, NULL),
                 9.159953e-2 * 1e-5, 1e-6);
    assert_close(pb_stability_deviation(PB_STABILITY_TDEV, seconds, COUNT(seconds), 1e-4, 10, NULL),
                 3.563623e-1 * 1e-9, 1e-6);
}

/* Table 32 prints 8.223942e-2 and 1.035201e-1, with an approximate chi-square: 0.06 % higher than the exact
 * quantiles. */
TEST(interval_of_white_fm)
{
    const double freedom = pb_stability_freedom(PB_NOISE_WHITE_FM, 1001, 10);
    const struct pb_interval interval = pb_deviation_interval(9.159953e-2, freedom, 0.95);
    assert_close(freedom, 146.177, 1e-5);
    assert_close(interval.lower, 8.21949e-2, 1e-5);
    assert_close(interval.upper, 1.034536e-1, 1e-5);
    assert_true(isnan(pb_stability_freedom(PB_NOISE_WHITE_FM, 20, 10)));
}

/* ---- noise that is made here */

/* OADEV of white FM scatters by sd/mean = 1/sqrt(2 nu): the freedoms of the formula against 4000 runs. */
TEST(freedom_by_simulation)
{
    enum { N = 257, RUNS = 4000 };
    const enum pb_noise noise[] = {PB_NOISE_WHITE_PM, PB_NOISE_WHITE_FM, PB_NOISE_WALK_FM};
    random_state = 5;
    for (unsigned k = 0; k < COUNT(noise); k++) {
        double sum = 0, squares = 0;
        const size_t m = 8;
        for (unsigned run = 0; run < RUNS; run++) {
            double x[N], phase = 0, frequency = 0;
            for (unsigned i = 0; i < N; i++) {
                frequency = noise[k] == PB_NOISE_WALK_FM ? frequency + gaussian() : gaussian();
                phase = noise[k] == PB_NOISE_WHITE_PM ? gaussian() : phase + frequency;
                x[i] = phase;
            }
            const double deviation = pb_stability_deviation(PB_STABILITY_OADEV, x, N, 1, m, NULL);
            sum += deviation * deviation;
            squares += deviation * deviation * deviation * deviation;
        }
        /* Of a scaled chi-square: mean^2 = nu / 2 times the variance. */
        const double mean = sum / RUNS, variance = squares / RUNS - mean * mean;
        assert_close(2 * mean * mean / variance, pb_stability_freedom(noise[k], N, m), 0.12);
    }
}

TEST(noise_by_the_slope_of_mdev)
{
    enum { N = 20000 };
    double *x = malloc(N * sizeof *x);
    assert_non_null(x);
    random_state = 7;
    const enum pb_noise noise[] = {PB_NOISE_WHITE_PM, PB_NOISE_WHITE_FM, PB_NOISE_WALK_FM};
    for (unsigned k = 0; k < COUNT(noise); k++) {
        double phase = 0, frequency = 0;
        for (unsigned i = 0; i < N; i++) {
            frequency = noise[k] == PB_NOISE_WALK_FM ? frequency + gaussian() : gaussian();
            phase = noise[k] == PB_NOISE_WHITE_PM ? gaussian() : phase + frequency;
            x[i] = phase;
        }
        const double near = pb_stability_deviation(PB_STABILITY_MDEV, x, N, 1, 10, NULL),
                     far = pb_stability_deviation(PB_STABILITY_MDEV, x, N, 1, 100, NULL);
        assert_int_equal(pb_noise_of_slope(log10(far / near)), noise[k]);
        /* White PM of deviation 1: ADEV sqrt(3) / tau. */
        if (noise[k] == PB_NOISE_WHITE_PM)
            assert_close(pb_stability_deviation(PB_STABILITY_OADEV, x, N, 1, 10, NULL), sqrt(3) / 10, 0.03);
    }
    assert_int_equal(pb_noise_of_slope(-1), PB_NOISE_FLICKER_PM);
    assert_int_equal(pb_noise_of_slope(0.1), PB_NOISE_FLICKER_FM);
    assert_int_equal(pb_noise_of_slope(-9), PB_NOISE_WHITE_PM);
    assert_int_equal(pb_noise_of_slope(9), PB_NOISE_WALK_FM);
    assert_true(!strcmp(pb_noise_name(PB_NOISE_WALK_FM), "random walk FM"));
    free(x);
}

TEST(names_of_deviations)
{
    /* Abbreviations and names as NIST SP 1065 has them, chapter 5. */
    const struct {
        enum pb_stability kind;
        const char *id, *text;
    } name[] = {
        {PB_STABILITY_ADEV, "adev", "Allan deviation"},
        {PB_STABILITY_OADEV, "oadev", "overlapping Allan deviation"},
        {PB_STABILITY_MDEV, "mdev", "modified Allan deviation"},
        {PB_STABILITY_TDEV, "tdev", "time deviation"},
        {PB_STABILITY_HDEV, "hdev", "Hadamard deviation"},
        {PB_STABILITY_OHDEV, "ohdev", "overlapping Hadamard deviation"},
    };
    assert_int_equal(COUNT(name), PB_STABILITIES);
    for (unsigned i = 0; i < COUNT(name); i++) {
        assert_string_equal(pb_stability_id(name[i].kind), name[i].id);
        assert_string_equal(pb_stability_text(name[i].kind), name[i].text);
    }
    assert_string_equal(pb_stability_id(PB_STABILITIES), "");
    assert_string_equal(pb_stability_text(PB_STABILITIES), "");
}

TEST(mtie)
{
    enum { N = 300 };
    double x[N];
    random_state = 11;
    for (unsigned i = 0; i < N; i++)
        x[i] = gaussian() + (i % 50 == 3 ? 4 : i ? 0 : 50); /* the first value is in one window alone */
    for (size_t m = 1; m < N; m += 13) {
        double most = 0;
        for (size_t from = 0; from + m < N; from++)
            for (size_t i = from; i <= from + m; i++)
                for (size_t j = from; j <= from + m; j++)
                    most = fmax(most, x[i] - x[j]);
        assert_true(pb_stability_mtie(x, N, m) == most);
    }
    assert_true(isnan(pb_stability_mtie(x, N, N)));
}
