/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Error ratio of a receiver. A bit is misread if its first edge comes after the instant of sampling, or its
 * last edge before it.
 */
#include "phasebench/statistics.h"

#include <math.h>

enum { LEAST_HITS = 10 };

#define HALF 0.5 /* of all edges, in each tail of the model */

/* Edges that are later than this after their centre. */
static double tail(const struct pb_split *split, double late)
{
    return HALF * pb_normal_cdf((split->deterministic / 2 - late) / split->random);
}

double pb_bathtub_model(const struct pb_split *split, double unit, double at)
{
    return PB_BATHTUB_TRANSITIONS * (tail(split, at) + tail(split, unit - at));
}

/* Values of the sample that are less than `limit`, or not above it. */
static size_t below(const double *value, size_t n, double limit, bool or_equal)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (value[middle] < limit || (or_equal && value[middle] == limit))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double pb_bathtub_counted(const double *value, size_t n, double centre, double unit, double at)
{
    const size_t late = n - below(value, n, centre + at, true),
                 early = below(value, n, centre + at - unit, false);
    return PB_BATHTUB_TRANSITIONS * (double)(late + early) / (double)n;
}

struct pb_interval pb_bathtub_window(const struct pb_split *split, double unit, double ratio)
{
    const double beyond = ratio / PB_BATHTUB_TRANSITIONS / HALF,
                 reach = split->deterministic / 2 - split->random * pb_normal_quantile(beyond);
    return (struct pb_interval){reach, unit - reach};
}

bool pb_bathtub_counted_window(struct pb_interval *out, const double *value, size_t n, double centre,
                               double unit, double ratio)
{
    const double beyond = floor(ratio / PB_BATHTUB_TRANSITIONS * (double)n);
    if (!(beyond >= LEAST_HITS) || beyond >= (double)n)
        return false;
    *out = (struct pb_interval){value[n - 1 - (size_t)beyond] - centre,
                                unit + value[(size_t)beyond] - centre};
    return true;
}
