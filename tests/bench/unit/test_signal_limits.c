/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One limit, one statement: the sentences T5 and C10 of docs/node.md, the formula and the table of
 * docs/reference/timing.md, and the functions of the limits. Expected values are computed from the numbers
 * that the documents show. test_limits.c compares the default limits of a validation.
 */
#include "phasebench/signal_limits.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* offset - (k +/- offset) / per: late adds the offset to k, early takes it. */
struct formula {
    double offset, per;
};

/* The text after a mark, which must be present. */
static const char *after(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    if (!at)
        fail_msg("'%s' is not there", mark);
    return at + strlen(mark);
}

static double bits(const struct formula *formula, unsigned k, int sign)
{
    return formula->offset - (k + sign * formula->offset) / formula->per;
}

static struct formula read_formula(const char *at, const char *format)
{
    int a = 0, b = 0, c = 0, d = 0, per = 0;
    assert_int_equal(sscanf(at, format, &a, &b, &c, &d, &per), 5);
    assert_true(a == c && b == d);
    return (struct formula){(double)a / b, per};
}

static void compare(const struct formula *late, const struct formula *early)
{
    static const int64_t bit_ps[] = {1000000, 166667, 8680556, 26041667};
    for (size_t i = 0; i < COUNT(bit_ps); i++)
        for (unsigned k = 1; k <= 10; k++) {
            assert_true(pb_edge_late_ps(bit_ps[i], k) ==
                        (int64_t)(bits(late, k, 1) * (double)bit_ps[i] + 1e-6));
            assert_true(pb_edge_early_ps(bit_ps[i], k) ==
                        (int64_t)(bits(early, k, -1) * (double)bit_ps[i] + 1e-6));
        }
    for (size_t i = 0; i < COUNT(bit_ps); i++)
        assert_true(pb_rise_most_ps(bit_ps[i]) == pb_edge_late_ps(bit_ps[i], 9));
}

TEST(the_contract_has_the_formula_of_the_code)
{
    char *text = file_read("docs/node.md", NULL);
    const char *row = after(text, "| T5 |");
    const struct formula late = read_formula(after(row, "late by at most "), "%d/%d - (k + %d/%d) / %d bit"),
                         early =
                             read_formula(after(row, "early by at most "), "%d/%d - (k - %d/%d) / %d bit");
    compare(&late, &early);
    assert_int_equal(llround(atof(after(row, "bit time is correct within ")) * 1e4), PB_BIT_TIME_LIMIT_PPM);
    row = after(text, "| C10 |");
    assert_int_equal(llround(atof(after(row, "bit time is correct within ")) * 1e4),
                     PB_CONSOLE_BIT_TIME_LIMIT_PPM);
}

TEST(so_has_the_page_of_the_limits)
{
    char *text = file_read("docs/reference/timing.md", NULL);
    const char *late_text = after(text, "    late   "), *early_text = after(text, "    early  ");
    const struct formula late = read_formula(late_text, "%d/%d − (k + %d/%d) / %d"),
                         early = read_formula(early_text, "%d/%d − (k − %d/%d) / %d");
    compare(&late, &early);
    static const unsigned boundary[] = {1, 3, 5, 7, 9, 10};
    const char *late_cell = after(text, "| late, bits "), *early_cell = after(text, "| early, bits ");
    for (size_t i = 0; i < COUNT(boundary); i++) {
        late_cell = after(late_cell, "| ");
        early_cell = after(early_cell, "| ");
        assert_true(fabs(atof(late_cell) - bits(&late, boundary[i], 1)) <= 0.0005);
        assert_true(fabs(atof(early_cell) - bits(&early, boundary[i], -1)) <= 0.0005);
    }
}
