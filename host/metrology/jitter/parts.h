/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The edges of TDMA_CLK, and the parts of the computation that are files of their own. Private to
 * host/metrology/jitter.
 */
#ifndef PHASEBENCH_JITTER_PARTS_H
#define PHASEBENCH_JITTER_PARTS_H

#include "host/metrology/jitter/collect.h"

#define NORMAL_95 1.959964
#define CONFIDENCE 0.95

/* Edges in the order of time; a missing one leaves a gap in the numbers of the phases. */
struct train {
    const struct jitter_sample *edge; /* value_ps is not used */
    size_t count;
    double step_ps;
    bool fine;  /* of the converter, whose bins are uneven: the errors of two edges are independent */
    bool bound; /* its edges follow those of the core, so that no line shows their places within a step */
};
/* The step of a series: a whole part of a tick, which the series has in whole ps. */
double pb_exact_step_ps(const struct jitter_series *series, double tick_ps);
/* edge: room for twice as many as there are periods, and 2. */
struct train pb_train_of(const struct jitter_series *periods, double tick_ps, struct jitter_sample *edge);
/* Of samples whose value is the distance from time_ps, the first of each superframe of n phases, numbered by
 * superframe. edge: room for all samples. */
struct train pb_train_of_superframes(const struct jitter_series *series, unsigned n, double tick_ps,
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

/* Places of the edges of a train on the grid of their stamps. */
struct grid {
    bool swept, fine;
    double part;     /* of a step that the period leaves */
    double sd_steps; /* of an edge without its step; 0: the step hides it */
    double uneven;   /* the most by which the share of edges in a part of a step differs from the length of
                        that part; 1: unknown */
};
/* line: fitted. sd_ps, local_ps: deviation of an edge from the line, and by its neighbours. */
struct grid pb_grid_of(const struct train *train, const struct line *line, double sd_ps, double local_ps);
struct grid pb_grid_of_train(const struct train *train, const struct line *line);

/* What a deviation is one of: an instant, one rounded stamp after an exact one or a line; a distance of two
 * stamped edges, in samples that share no edge; the same of samples that follow each other; second
 * differences. */
enum rounded { ROUNDED_EDGE, ROUNDED_PAIR, ROUNDED_PERIOD, ROUNDED_CYCLE };
/* The interval of a deviation of instants, from that of their stamps. uneven: of the grid. */
struct pb_interval pb_without_rounding(struct pb_interval raw, enum rounded kind, double step_ps,
                                       double uneven);

/* Takes over the values. */
struct pb_jitter_row *pb_row_add(struct pb_jitter *jitter, enum pb_jitter_quantity quantity, double *value,
                                 size_t n, double step_ps, bool swept);
/* Fills the deviation. variance_ps2: what the stamps add to the variance, as estimated. */
void pb_row_deviation(struct pb_jitter_row *row, enum rounded kind, double uneven, double variance_ps2);
/* Fills the mean. shift_ps is added to it; scatter_ps: its deviation by jitter; place_ps: the most by which
 * rounding changes it, for any n. */
void pb_row_mean(struct pb_jitter_row *row, double shift_ps, double scatter_ps, double place_ps);
/* Whether values are many within a step, or scatter by more than half of one. */
bool pb_values_swept(const double *value, size_t n, double step_ps, double sd_ps);
/* Period, cycle to cycle, n-period (n above 0) and TIE, of two edges or more. line: fitted; fitted: tie_ps,
 * too, is about it. */
int pb_rows_of_train(struct pb_jitter *jitter, const struct train *train, unsigned n, const struct line *line,
                     const double *tie_ps, bool fitted);
/* TDMA_SYNC: its changes after the edges of TDMA_CLK, and its rises as edges. After the rows of TDMA_CLK. */
int pb_rows_of_sync(struct pb_jitter *jitter, const struct pb_jitter_collector *collector);
int pb_rows_stability(struct pb_jitter_stable *out, const struct train *train, const double *tie_ps,
                      const struct line *line, double period_ps);

/* Fills block, blocks and the drift. */
void pb_jitter_drift(struct pb_jitter *jitter, const struct train *train);

/* known: has the given members (tick_ps, nominal_ps, n, follows, reference, source); all others are
 * computed. */
struct pb_result;
int pb_jitter_compute_known(struct pb_jitter **out, const struct pb_jitter_collector *collector,
                            const struct pb_jitter *known, const struct pb_result *result);

/* Fills the budgets, the expanded uncertainties of means and rate, and the skew. After all rows. */
void pb_jitter_expand(struct pb_jitter *jitter, const struct pb_result *result);

#endif
