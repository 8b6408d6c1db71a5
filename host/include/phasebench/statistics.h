/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distributions, intervals and bounds for measured values. Pure functions. An argument outside its range
 * gives NAN; there is no other error.
 */
#ifndef PHASEBENCH_STATISTICS_H
#define PHASEBENCH_STATISTICS_H

#include "phasebench/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

/* Probability that a standard normal variable is at most z. */
double pb_normal_cdf(double z);
/* Inverse of pb_normal_cdf; 0 < p < 1. */
double pb_normal_quantile(double p);
/* Regularised lower incomplete gamma function P(a, x); a > 0, x >= 0. */
double pb_gamma_p(double a, double x);
/* Regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1. */
double pb_beta_i(double x, double a, double b);
/* Quantiles; 0 < p < 1, freedom, a, b > 0. */
double pb_chi_square_quantile(double p, double freedom);
double pb_beta_quantile(double p, double a, double b);
/* Probability that a variable of Snedecor's F exceeds f >= 0. */
double pb_f_tail(double f, double freedom_above, double freedom_below);

struct pb_interval {
    double lower, upper;
};

/* Clopper-Pearson interval of an error rate, from `errors` in `trials` independent trials; 0 < confidence <
 * 1, trials >= 1, errors <= trials. */
struct pb_interval pb_rate_interval(uint64_t errors, uint64_t trials, double confidence);
/* One-sided upper bound of the same; without an error 1 - (1 - confidence)^(1 / trials). */
double pb_rate_bound(uint64_t errors, uint64_t trials, double confidence);

/* Interval of the standard deviation of a normal variable, from a sample deviation with `freedom` degrees of
 * freedom: sqrt(freedom / chi-square quantile). */
struct pb_interval pb_deviation_interval(double deviation, double freedom, double confidence);

/* Rank, from 1, of the sorted sample of n whose value is an upper bound of the p-quantile at this confidence:
 * the least r with P(binomial(n, p) < r) >= confidence. 0: n is too small for one. */
uint64_t pb_quantile_bound_rank(uint64_t n, double p, double confidence);

/* A contribution to an uncertainty: the half-width of a rectangular, or the standard deviation of a normal
 * distribution about 0. */
struct pb_contribution {
    bool normal;
    double size; /* >= 0 */
};
/* Of their sum, as independent: standard uncertainty; the half-width that holds 95 %, by convolution of the
 * distributions, so that one dominant rectangle gets its own coverage factor; and that factor u95 / u. All 0
 * without a contribution. */
struct pb_expanded {
    double u, u95, k;
};
void pb_expand(struct pb_expanded *out, const struct pb_contribution *part, unsigned parts);

/* The factor of a standard deviation with `freedom` > 0 degrees of freedom, 0 < confidence < 1: two-sided
 * quantile of Student's t. */
double pb_student_factor(double confidence, double freedom);

#define PB_QUANTILES 3 /* of struct pb_distribution: 50 %, 99 %, 99.9 % */
double pb_quantile_share(unsigned quantile); /* 0 .. PB_QUANTILES - 1 */

/* A sample. All values are in the unit of the sample. */
struct pb_distribution {
    uint64_t n;                    /* 0: all else is 0 */
    double mean, sd, rms;          /* sd: with n - 1; 0 for one value; rms: about 0 */
    double min, max;               /* max - min grows with n, so it is never printed without n */
    struct pb_interval sd95;       /* of a normal distribution; sd itself for fewer than 2 values */
    double quantile[PB_QUANTILES]; /* the value of rank ceil(p n) */
    double bound[PB_QUANTILES];    /* of the quantile, from above, 95 % */
    bool bounded[PB_QUANTILES];    /* n is large enough for that */
};
/* Sorts the values. */
void pb_distribution_of(struct pb_distribution *out, double *value, size_t n);

/* The split of a jitter into a random and a deterministic part by the dual Dirac model (Stephens, Agilent
 * 5989-3206EN, 2004): a straight line through each tail on the scale of normal quantiles, each tail with half
 * of all values. total(ber) = deterministic + 2 Q random, where a share `ber` of all values is beyond a limit
 * of one side. */
enum pb_split_refusal {
    PB_SPLIT_VALID,
    PB_SPLIT_FEW,    /* fewer than PB_SPLIT_LEAST values */
    PB_SPLIT_COARSE, /* the step of the values is not below twice their deviation in the tails */
    PB_SPLIT_UNLIKE, /* deviations of left and right tail differ by more than their uncertainty */
    PB_SPLIT_BOUNDED /* the tails end: no normal part that could be extrapolated */
};
#define PB_SPLIT_LEAST 1000
struct pb_split {
    enum pb_split_refusal refusal;            /* all else is 0 unless PB_SPLIT_VALID */
    double random_left, random_right, random; /* deviations of the tails, and their mean */
    double deterministic;                     /* distance of the two deltas; a parameter of the model, below
                                                 the peak-to-peak value of the deterministic part */
    double centre;                            /* midway between the two deltas */
    double total_1e12;                        /* at an error ratio of 1e-12 */
};
/* value: ascending. step: quantisation of the values; 0: none. */
void pb_split_of(struct pb_split *out, const double *value, size_t n, double step);
const char *pb_split_reason(enum pb_split_refusal refusal);

/* Bathtub: the error ratio of a receiver that samples a bit at a fixed instant, from the jitter of its edges
 * about their centre. The bit begins at 0 and ends at `unit`; both of its edges have the same jitter, and a
 * share PB_BATHTUB_TRANSITIONS of all bits has each of them. */
#define PB_BATHTUB_TRANSITIONS 0.5
/* By the dual Dirac model, each tail with half of the edges: an extrapolation. split: valid. */
double pb_bathtub_model(const struct pb_split *split, double unit, double at);
/* Counted in the sample (ascending), which shows no ratio below PB_BATHTUB_TRANSITIONS / n. */
double pb_bathtub_counted(const double *value, size_t n, double centre, double unit, double at);
/* The instants at which the model stays within this error ratio, below PB_BATHTUB_TRANSITIONS / 2, at either
 * end of the bit; the bit has none if lower >= upper. */
struct pb_interval pb_bathtub_window(const struct pb_split *split, double unit, double ratio);
/* The same, counted; false: fewer than 10 edges of the sample are beyond at such a ratio. */
bool pb_bathtub_counted_window(struct pb_interval *out, const double *value, size_t n, double centre,
                               double unit, double ratio);

PB_API_END

#endif
