/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The edges of TDMA_CLK, and the parts of the computation that are files of their own. Private to
 * host/jitter.
 */
#ifndef PHASEBENCH_JITTER_PARTS_H
#define PHASEBENCH_JITTER_PARTS_H

#include "host/jitter/collect.h"

#define NORMAL_95 1.959964

/* Edges in the order of time; a missing one leaves a gap in the numbers of the phases. */
struct train {
    const struct jitter_sample *edge; /* value_ps is not used */
    size_t count;
    double step_ps;
    bool fine; /* of the converter, whose bins are uneven: the errors of two edges are independent */
};
/* edge: room for twice as many as there are periods, and 2. */
struct train pb_train_of(const struct jitter_series *periods, struct jitter_sample *edge);
/* Of samples whose value is the distance from time_ps, the first of each superframe of n phases, numbered by
 * superframe. edge: room for all samples. */
struct train pb_train_of_superframes(const struct jitter_series *series, unsigned n,
                                     struct jitter_sample *edge);
/* Phases, and ps, since the first edge. */
long double pb_train_place(const struct train *train, size_t i);
long double pb_train_time(const struct train *train, size_t i);

/* The least-squares line through time over place; of two edges or more. */
struct line {
    long double start_ps, period_ps, spread;
};
struct line pb_train_fit(const struct train *train);
double pb_train_tie(const struct train *train, size_t i, const struct line *line);

struct rate {
    double ppm, u95_ppm; /* faster above 0; by the scatter of the edges about their line, and the step */
};
struct rate pb_train_rate(const struct train *train, const struct line *line, double nominal_ps);

/* The TIE of each edge, owned by the caller; NULL: memory ran out. */
double *pb_train_ties(const struct train *train, const struct line *reference);

/* Takes over the values. */
struct pb_jitter_row *pb_row_add(struct pb_jitter *jitter, enum pb_jitter_quantity quantity, double *value,
                                 size_t n, double step_ps, bool swept);
/* Takes out what the stamps add: shift_ps is added to the mean, variance_ps2 taken from the variance. */
void pb_row_correct(struct pb_jitter_row *row, double variance_ps2, double shift_ps);
/* Whether values are many within a step, or scatter by more than half of one. */
bool pb_values_swept(const double *value, size_t n, double step_ps, double sd_ps);
/* Period, cycle to cycle, n-period (n above 0) and TIE, of two edges or more. line: fitted. */
int pb_rows_of_train(struct pb_jitter *jitter, const struct train *train, unsigned n, const struct line *line,
                     const double *tie_ps);
/* TDMA_SYNC: its changes after the edges of TDMA_CLK, and its rises as edges. After the rows of TDMA_CLK. */
int pb_rows_of_sync(struct pb_jitter *jitter, const struct pb_jitter_collector *collector);
int pb_rows_stability(struct pb_jitter_stable *out, const struct train *train, const double *tie_ps,
                      double period_ps);

/* Fills block, blocks and the drift. */
void pb_jitter_drift(struct pb_jitter *jitter, const struct train *train);

/* Fills the budgets, the expanded uncertainties of means and rate, and the skew. After all rows. */
struct pb_result;
void pb_jitter_expand(struct pb_jitter *jitter, const struct pb_result *result);

#endif
