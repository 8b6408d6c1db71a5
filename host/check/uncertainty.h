/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Uncertainty of an instant of a line, and correction of mean and spread for the quantisation of stamps. Pure
 * arithmetic; docs/reference/timing.md has the figures and their sources.
 */
#ifndef PHASEBENCH_UNCERTAINTY_H
#define PHASEBENCH_UNCERTAINTY_H

#include "phasebench/result.h"

struct pb_uncertainty_input {
    uint32_t clock_hz;      /* of the core; it determines the board, and so the rows */
    bool half_ticks;        /* stamps of edges have halves */
    int64_t step_ps;        /* of a stamp */
    int64_t interval_ps;    /* longest one from a phase edge that is judged */
    bool rise_known;        /* and the rise of all lines is within: */
    int64_t rise_spread_ps; /* of one line: largest less smallest */
    bool follows;           /* TDMA_CLK is that of another controller, and its edges are stamped */
};

/* Fills budget, clock_budget, the numbers of their rows, board, u95_fall_ps and u95_rise_ps of the result. A
 * simulated core has the rows of its stamps alone. */
void pb_uncertainty_budget(struct pb_result *result, const struct pb_uncertainty_input *input);

/* The 95 % half-width of the sum of the rows from `first` on, for falls or rises. */
int64_t pb_uncertainty_u95_ps(const struct pb_uncertainty_row *row, unsigned first, unsigned rows, bool rise);

/* Corrects the figures of raw->n stamps, each rounded down to a multiple of step_ps. ps: the values that
 * occur, enough to distinguish them; some may be repeated. from_stamps: the values count from edges with the
 * same rounding, so that the mean has no offset, and both ends have an error. */
struct pb_corrected pb_statistics_correct(const struct pb_measurement *raw, const int64_t *ps, size_t values,
                                          int64_t step_ps, bool from_stamps);

#endif
