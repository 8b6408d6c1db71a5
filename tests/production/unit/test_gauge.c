/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gauge studies against the published one of AIAG (Measurement Systems Analysis, 4th edition: ten parts,
 * three appraisers, three trials) and against studies with components that are made here.
 *
 * evidence: gauge study
 *   figures equal the published ones of AIAG
 *   also: grr.sh
 */
#include "phasebench/gauge.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 10, APPRAISERS = 3, TRIALS = 3 };

static const double published[APPRAISERS][TRIALS][PARTS] = {
    {{0.29, -0.56, 1.34, 0.47, -0.80, 0.02, 0.59, -0.31, 2.26, -1.36},
     {0.41, -0.68, 1.17, 0.50, -0.92, -0.11, 0.75, -0.20, 1.99, -1.25},
     {0.64, -0.58, 1.27, 0.64, -0.84, -0.21, 0.66, -0.17, 2.01, -1.31}},
    {{0.08, -0.47, 1.19, 0.01, -0.56, -0.20, 0.47, -0.63, 1.80, -1.68},
     {0.25, -1.22, 0.94, 1.03, -1.20, 0.22, 0.55, 0.08, 2.12, -1.62},
     {0.07, -0.68, 1.34, 0.20, -1.28, 0.06, 0.83, -0.34, 2.19, -1.50}},
    {{0.04, -1.38, 0.88, 0.14, -1.46, -0.29, 0.02, -0.46, 1.77, -1.49},
     {-0.11, -1.13, 1.09, 0.20, -1.07, -0.67, 0.01, -0.56, 1.45, -1.77},
     {-0.15, -0.96, 0.67, 0.11, -1.45, -0.49, 0.21, -0.49, 1.87, -2.16}},
};

static struct pb_gauge_value study[PARTS * APPRAISERS * TRIALS];

static void take_published(void)
{
    size_t count = 0;
    for (unsigned t = 0; t < TRIALS; t++)
        for (unsigned a = 0; a < APPRAISERS; a++)
            for (unsigned p = 0; p < PARTS; p++)
                study[count++] = (struct pb_gauge_value){p, a, published[a][t][p]};
}

static void assert_close(double value, double expected, double apart)
{
    if (!(fabs(value - expected) <= apart))
        fail_msg("%.9g, expected %.9g", value, expected);
}

TEST(published_study)
{
    struct pb_gauge gauge;
    const double ss[] = {88.361934, 3.167262, 0.358982, 2.758933}, df[] = {9, 2, 18, 60};
    take_published();
    assert_succeeds(pb_gauge_evaluate(&gauge, study, COUNT(study), 0, NULL, &diag));
    for (unsigned i = 0; i < COUNT(ss); i++) {
        assert_close(gauge.row[i].squares, ss[i], 1e-6);
        assert_close(gauge.row[i].freedom, df[i], 0);
    }
    assert_close(gauge.f_interaction, 0.43372, 1e-5);
    assert_close(gauge.p_interaction, 0.97411, 1e-5);
    assert_true(gauge.pooled);
    assert_close(gauge.repeatability, 0.199933, 1e-6);
    assert_close(gauge.reproducibility, 0.226838, 1e-6);
    assert_close(gauge.study, 0.302372, 1e-6);
    assert_close(gauge.parts_deviation, 1.042327, 1e-6);
    assert_close(gauge.total, 1.085300, 1e-6);
    assert_close(gauge.contribution_percent, 7.7622, 1e-4);
    assert_close(gauge.study_percent, 27.8607, 1e-4);
    assert_close(gauge.categories, 4.875, 1e-3);
    assert_int_equal(gauge.verdict, PB_GAUGE_CONDITIONAL);
    assert_succeeds(pb_gauge_evaluate(&gauge, study, COUNT(study), 5, NULL, &diag));
    assert_close(gauge.tolerance_percent, 36.2846, 1e-3);
    assert_int_equal(gauge.verdict, PB_GAUGE_POOR);
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* Each component alone, and all together, of a study of 60 parts and 40 appraisers. */
TEST(components_are_recovered)
{
    enum { P = 60, A = 40, T = 3 };
    struct pb_gauge_value *value = malloc(sizeof *value * P * A * T);
    assert_non_null(value);
    random_state = 42;
    for (unsigned which = 0; which < 16; which++) {
        const double part = which & 1 ? 5 : 0, appraiser = which & 2 ? 3 : 0, both = which & 4 ? 2 : 0,
                     error = which & 8 ? 1 : 1e-9;
        double of_part[P], of_appraiser[A];
        size_t count = 0;
        struct pb_gauge gauge;
        for (unsigned p = 0; p < P; p++)
            of_part[p] = part * normal();
        for (unsigned a = 0; a < A; a++)
            of_appraiser[a] = appraiser * normal();
        for (unsigned p = 0; p < P; p++)
            for (unsigned a = 0; a < A; a++) {
                const double together = both * normal();
                for (unsigned t = 0; t < T; t++)
                    value[count++] = (struct pb_gauge_value){
                        p, a, of_part[p] + of_appraiser[a] + together + error * normal()};
            }
        assert_succeeds(pb_gauge_evaluate(&gauge, value, count, 0, NULL, &diag));
        assert_close(gauge.repeatability, error, 0.05 * error);
        /* Scatter of a deviation from 40 or 60: 11 % and 9 %. */
        assert_close(gauge.reproducibility, hypot(appraiser, both), 0.3 * hypot(appraiser, both) + 0.1);
        assert_close(gauge.parts_deviation, part, 0.3 * part + 0.1);
        if (both > 0)
            assert_false(gauge.pooled);
    }
    free(value);
}

TEST(one_appraiser)
{
    const struct pb_gauge_value value[] = {{0, 0, 1}, {0, 0, 1.2}, {1, 0, 5}, {1, 0, 5.4}};
    struct pb_gauge gauge;
    assert_succeeds(pb_gauge_evaluate(&gauge, value, COUNT(value), 0, NULL, &diag));
    /* Within: (0.02 + 0.08) / 2. Means 1.1 and 5.2: (4.1^2 / 2 - 0.05 / 2). */
    assert_close(gauge.repeatability, sqrt(0.05), 1e-12);
    assert_close(gauge.reproducibility, 0, 0);
    assert_close(gauge.parts_deviation, sqrt(4.1 * 4.1 / 2 - 0.05 / 2), 1e-12);
}

TEST(no_spread_of_the_bench)
{
    const struct pb_gauge_value value[] = {{0, 0, 1}, {0, 0, 1}, {1, 0, 5}, {1, 0, 5}};
    struct pb_gauge gauge;
    assert_succeeds(pb_gauge_evaluate(&gauge, value, COUNT(value), 1, NULL, &diag));
    assert_close(gauge.study_percent, 0, 0);
    assert_true(isinf(gauge.categories));
    assert_int_equal(gauge.verdict, PB_GAUGE_GOOD);
}

/* What rounding leaves of equal values has no meaning. */
TEST(rounding_is_no_effect)
{
    static const double unit[] = {1, 0.1, 1e9 / 3, 1e-9};
    for (unsigned which = 0; which < COUNT(unit); which++)
        for (unsigned trials = 2; trials <= 7; trials++) {
            struct pb_gauge_value value[3 * 5 * 7];
            struct pb_gauge gauge;
            size_t count = 0;
            for (unsigned p = 0; p < 3; p++)
                for (unsigned a = 0; a < 5; a++)
                    for (unsigned t = 0; t < trials; t++)
                        value[count++] = (struct pb_gauge_value){p, a, (p + 1) * unit[which]};
            assert_succeeds(pb_gauge_evaluate(&gauge, value, count, 0, NULL, &diag));
            assert_close(gauge.study, 0, 0);
            assert_close(gauge.p_interaction, 1, 0);
            assert_close(gauge.parts_deviation, unit[which], 1e-12 * unit[which]);
            assert_true(isinf(gauge.categories));
        }
}

/* The data sets SmLs01, SmLs04 and SmLs07 of NIST (StRD, analysis of variance): nine treatments of 21 values,
 * c and ten times c - 0.1 and c + 0.1, at 1, 1e6 and 1e12. Certified: 1.68 between, 1.80 within. */
TEST(leading_digits)
{
    static const char *const before[] = {"", "10000", "10000000000", "10000000000000"};
    static const unsigned tenths[] = {14, 13, 15, 13, 15, 13, 15, 13, 15};
    for (unsigned which = 0; which < COUNT(before); which++) {
        char text[9 * 21 * 32] = "part,appraiser,value\n";
        struct pb_gauge_file file;
        struct pb_gauge gauge;
        struct pb_diag diag;
        for (unsigned p = 0; p < COUNT(tenths); p++)
            for (unsigned t = 0; t < 21; t++) {
                const unsigned its = tenths[p] + (t ? t % 2 ? -1u : 1u : 0);
                char *const end = text + strlen(text);
                snprintf(end, (size_t)(text + sizeof text - end), "%u,A,%s%s%u.%u\n", p, before[which],
                         which ? "0" : "", its / 10, its % 10);
            }
        assert_int_equal(pb_gauge_file_read(&file, "f", text, strlen(text), &diag), PB_OK);
        const int code = pb_gauge_evaluate(&gauge, file.value, file.count, 0, &file.names, &diag);
        if (which < 3) {
            assert_int_equal(code, PB_OK);
            assert_close(gauge.row[PB_GAUGE_PART].squares, 1.68, 1e-5);
            assert_close(gauge.row[PB_GAUGE_ERROR].squares, 1.8, 1e-5);
        } else {
            assert_int_equal(code, PB_ERR_CONFIG);
            static const char why[] = "values of 1e+15 with an effect of 0.0943 (part) have more digits than "
                                      "are computed with; round them, or subtract one number from all";
            if (strcmp(diag.text, why) != 0)
                fail_msg("'%s' is not '%s'", diag.text, why);
        }
        pb_gauge_file_free(&file);
    }
}

TEST(refused)
{
    struct pb_gauge gauge;
    struct pb_diag diag;
    take_published();
    assert_int_equal(pb_gauge_evaluate(&gauge, study, COUNT(study) - 1, 0, NULL, &diag), PB_ERR_CONFIG);
    assert_non_null(
        strstr(diag.text, "part 10 has 2 values of appraiser 3, and part 1 has 3 of appraiser 1; "));
    assert_int_equal(pb_gauge_evaluate(&gauge, study, PARTS * APPRAISERS, 0, NULL, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "2 or more"));
    assert_int_equal(pb_gauge_evaluate(&gauge, study, 0, 0, NULL, &diag), PB_ERR_CONFIG);
    assert_int_equal(pb_gauge_evaluate(&gauge, study, 1, 0, NULL, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "2 parts"));
    static const char *const part[] = {"left", "right"}, *const appraiser[] = {"Ann", "Bob"};
    const struct pb_gauge_names names = {part, appraiser};
    const struct {
        struct pb_gauge_value value[5];
        size_t count;
        const char *why;
    } named[] = {
        {{{0, 0, 1}, {0, 1, 2}, {1, 0, 3}}, 3,
         "part 'right' has no value of appraiser 'Bob'; each appraiser measures each part 2 times or more"},
        {{{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 0, 4}}, 4,
         "part 'right' has 0 values of appraiser 'Bob', and part 'right' has 2 of appraiser 'Ann'; each"},
        {{{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}, {0, 1, 5}}, 5,
         "part 'left' has 1 value of appraiser 'Ann', and part 'left' has 2 of appraiser 'Bob'; each needs"},
        {{{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}}, 4, "each part has 1 value of each appraiser"},
        {{{0, 0, 1}, {0, 1, 2}}, 2, "all values are of part 'left'; a study needs 2 parts or more"},
        {{{0, 1, NAN}}, 1, "a value of part 'left' by appraiser 'Bob' is not a number"},
    };
    for (size_t i = 0; i < COUNT(named); i++) {
        assert_int_equal(pb_gauge_evaluate(&gauge, named[i].value, named[i].count, 0, &names, &diag),
                         PB_ERR_CONFIG);
        if (!strstr(diag.text, named[i].why))
            fail_msg("'%s' without '%s'", diag.text, named[i].why);
    }
    const struct pb_gauge_value sparse[] = {{0, 0, 1}, {1, 4000000000u, 1}, {3, 0, 1}};
    assert_int_equal(pb_gauge_evaluate(&gauge, sparse, COUNT(sparse), 0, NULL, &diag), PB_ERR_CONFIG);
    study[17].value = NAN;
    assert_int_equal(pb_gauge_evaluate(&gauge, study, COUNT(study), 0, NULL, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "not a number"));
}
