/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Time interval error: the distance of each edge of TDMA_CLK from its place in a schedule. Distinguishes
 * jitter from single displaced edges. Private to host/check.
 */
#ifndef PHASEBENCH_CLOCK_ERROR_H
#define PHASEBENCH_CLOCK_ERROR_H

#include "host/check/findings.h"

/* Number of later marks whose edges the judgement of a mark needs: twice its neighbours, and one mark to see
 * whether the superframe continues. */
#define PB_TIES_AHEAD 17

/* Crowds of displaced edges in the current superframe, by sort. Empty: all zero, except the borrowed
 * members. */
struct pb_crowds {
    const struct pb_marks *marks; /* borrowed */
    struct pb_check_output *out;  /* borrowed */
    bool crowded[2];
    size_t crowd_from[2], crowd_to[2];
};

/* The next mark. Adds CLOCK_LATE and CLOCK_EARLY for single edges that are off by more than the tolerance,
 * JITTER (one per superframe) where many are and scatter, CLOCK (one per superframe) where many are off by
 * the same. */
void pb_judge_tie(struct pb_crowds *crowds, size_t mark, int64_t tolerance_ps);

/* Places of the edges on the straight line that fits them best. Single ones are left out, but none that is
 * off by scatter_ps or less. The slope is in ps. False for fewer than three edges. */
struct pb_line {
    double origin_ps, slope_ps;
    double spread; /* sum of the squares of the numbers' distances from their mean, of the edges that count */
};
bool pb_fit_line(struct pb_line *line, const struct pb_marks *marks, size_t from, size_t to,
                 int64_t scatter_ps);

#endif
