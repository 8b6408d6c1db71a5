/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of a distribution from a sample.
 */
#include "phasebench/statistics.h"

#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95

double pb_quantile_share(unsigned quantile)
{
    static const double share[PB_QUANTILES] = {0.5, 0.99, 0.999};
    return quantile < PB_QUANTILES ? share[quantile] : NAN;
}

struct pb_interval pb_rate_interval(uint64_t errors, uint64_t trials, double confidence)
{
    const double beyond = (1 - confidence) / 2, bad = (double)errors, good = (double)(trials - errors);
    if (!trials || errors > trials || !(confidence > 0) || !(confidence < 1))
        return (struct pb_interval){NAN, NAN};
    return (struct pb_interval){
        .lower = errors ? pb_beta_quantile(beyond, bad, good + 1) : 0,
        .upper = errors < trials ? pb_beta_quantile(1 - beyond, bad + 1, good) : 1,
    };
}

double pb_rate_bound(uint64_t errors, uint64_t trials, double confidence)
{
    if (!trials || errors > trials || !(confidence > 0) || !(confidence < 1))
        return NAN;
    if (errors == trials)
        return 1;
    if (!errors)
        return -expm1(log1p(-confidence) / (double)trials);
    return pb_beta_quantile(confidence, (double)errors + 1, (double)(trials - errors));
}

struct pb_interval pb_deviation_interval(double deviation, double freedom, double confidence)
{
    const double beyond = (1 - confidence) / 2;
    return (struct pb_interval){
        .lower = deviation * sqrt(freedom / pb_chi_square_quantile(1 - beyond, freedom)),
        .upper = deviation * sqrt(freedom / pb_chi_square_quantile(beyond, freedom)),
    };
}

/* P(binomial(n, p) < r) = I_(1-p)(n - r + 1, r); it rises with r. */
uint64_t pb_quantile_bound_rank(uint64_t n, double p, double confidence)
{
    if (!n || !(p > 0) || !(p < 1) || !(confidence > 0) || !(confidence < 1))
        return 0;
    uint64_t low = 0, high = n + 1;
    while (high - low > 1) {
        const uint64_t rank = low + (high - low) / 2;
        if (pb_beta_i(1 - p, (double)(n - rank + 1), (double)rank) >= confidence)
            high = rank;
        else
            low = rank;
    }
    return high <= n ? high : 0;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void pb_distribution_of(struct pb_distribution *out, double *value, size_t n)
{
    *out = (struct pb_distribution){.n = n};
    if (!n)
        return;
    qsort(value, n, sizeof *value, by_value);
    double sum = 0, about = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i] - value[0];
    out->mean = value[0] + sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        about += (value[i] - out->mean) * (value[i] - out->mean);
        squares += value[i] * value[i];
    }
    out->sd = n > 1 ? sqrt(about / (double)(n - 1)) : 0;
    out->sd95 = n > 1 && out->sd > 0 ? pb_deviation_interval(out->sd, (double)(n - 1), CONFIDENCE)
                                     : (struct pb_interval){out->sd, out->sd};
    out->rms = sqrt(squares / (double)n);
    out->min = value[0];
    out->max = value[n - 1];
    for (unsigned q = 0; q < PB_QUANTILES; q++) {
        const double p = pb_quantile_share(q);
        const uint64_t rank = pb_quantile_bound_rank(n, p, CONFIDENCE);
        out->quantile[q] = value[(size_t)ceil(p * (double)n) - 1];
        out->bounded[q] = rank;
        out->bound[q] = rank ? value[rank - 1] : 0;
    }
}
