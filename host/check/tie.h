/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Time interval error: how far each edge of TDMA_CLK lies from its place in a schedule. Tells jitter from
 * single displaced edges. Private to host/check.
 */
#ifndef PHASEBENCH_TIE_H
#define PHASEBENCH_TIE_H

#include "host/check/checker.h"

struct pb_tie {
    bool known; /* the edge was there */
    int64_t ps; /* late is positive */
};

/* One per mark. Adds CLOCK_LATE and CLOCK_EARLY for single edges that are off by more than the tolerance,
 * JITTER (one per superframe) where many are and scatter, CLOCK (one per superframe) where many are off by
 * the same. */
void pb_judge_ties(struct pb_checker *checker, const struct pb_tie *tie, int64_t tolerance_ps);

/* Places of the edges on the straight line that fits them best. Single ones are left out, but none that is
 * off by scatter_ps or less. The marks' edges are numbered by `number`; the slope is in ps. False for fewer
 * than three edges. */
struct pb_line {
    double origin_ps, slope_ps;
    double spread; /* sum of the squares of the numbers' distances from their mean, of the edges that count */
};
bool pb_fit_line(struct pb_line *line, const struct pb_checker *checker, const int64_t *number, size_t from,
                 size_t to, int64_t scatter_ps);

#endif
