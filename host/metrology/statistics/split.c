/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each tail, from 10 values in from its end to a share of 5 %, is a straight line over the normal quantiles
 * of the share of its half: its slope is the deviation, its place at quantile 0 one of the two deltas. A
 * value that comes again counts once, with its hits as the weight, since only the share up to the next value
 * is known.
 */
#include "phasebench/statistics.h"

#include <math.h>

enum { LEAST_HITS = 10, POINTS_MIN = 3 };

#define TAIL_SHARE 0.05
#define HALF 0.5
#define Q_1E12 6.937 /* of the share 2e-12 of one half */

/* Of points (z, x). */
struct line_fit {
    double weight, z, x, zz, zx;
    unsigned points;
};

static void add_point(struct line_fit *fit, double z, double x, double weight)
{
    fit->weight += weight;
    fit->z += weight * z;
    fit->x += weight * x;
    fit->zz += weight * z * z;
    fit->zx += weight * z * x;
    fit->points++;
}

static double slope_of(const struct line_fit *fit)
{
    const double spread = fit->zz - fit->z * fit->z / fit->weight;
    return spread > 0 ? (fit->zx - fit->z * fit->x / fit->weight) / spread : NAN;
}

static double origin_of(const struct line_fit *fit)
{
    return (fit->x - slope_of(fit) * fit->z) / fit->weight;
}

struct tail {
    struct line_fit all, outer, inner; /* outer: the farther half of the range of z */
};

/* Value i from the end of the tail, mirrored for the right one. */
static double from_end(const double *value, size_t n, bool right, size_t i)
{
    return right ? -value[n - 1 - i] : value[i];
}

static void fit_tail(struct tail *tail, const double *value, size_t n, bool right)
{
    const double count = (double)n, first_z = pb_normal_quantile(LEAST_HITS / count / HALF),
                 last_z = pb_normal_quantile(TAIL_SHARE / HALF), middle_z = (first_z + last_z) / 2;
    const size_t last = (size_t)(TAIL_SHARE * count);
    const size_t stride = last / 2000 + 1; /* quantiles are slow, and neighbours in a dense tail alike */
    size_t hits = 0;
    *tail = (struct tail){.all = {.points = 0}};
    for (size_t i = 0; i < last; i++) {
        const double x = from_end(value, n, right, i), next = from_end(value, n, right, i + 1);
        hits++;
        if (next == x || i + 1 < LEAST_HITS || (i + 1 < last && hits < stride))
            continue;
        const double z = pb_normal_quantile((double)(i + 1) / count / HALF), at = (x + next) / 2;
        add_point(&tail->all, z, at, (double)hits);
        add_point(z < middle_z ? &tail->outer : &tail->inner, z, at, (double)hits);
        hits = 0;
    }
}

/* A line that flattens towards the end of the tail: the values have a bound there. The ratio of its slopes
 * scatters less in a larger sample. By simulation, 1 % of the tails of a normal jitter, of two deltas with it
 * and of a sine with it are below 0.38 (n = 1000), 0.56, 0.68 (10,000), 0.79 and 0.81 (100,000). */
static bool ends(const struct tail *tail, size_t n)
{
    const double least = 0.5 + 0.12 * log10((double)n / PB_SPLIT_LEAST);
    return tail->outer.points >= POINTS_MIN && tail->inner.points >= POINTS_MIN &&
           slope_of(&tail->outer) < slope_of(&tail->inner) * fmin(least, 0.75);
}

/* Three standard deviations of the difference of the slopes. Theirs were found by simulation: 3 % of the mean
 * slope of two deltas at 10,000 values, and 3 % of it if the step is as large as the deviation. */
static bool unlike(double left, double right, size_t n, double step)
{
    const double mean = (left + right) / 2, share = 20 / sqrt((double)n) + 0.2 * step / mean;
    return fabs(left - right) > share * mean;
}

static enum pb_split_refusal refusal_of(const struct tail *left, const struct tail *right, size_t n,
                                        double step)
{
    if (left->all.points < POINTS_MIN || right->all.points < POINTS_MIN)
        return PB_SPLIT_COARSE;
    const double a = slope_of(&left->all), b = slope_of(&right->all);
    if (!(a > 0) || !(b > 0) || step >= 2 * fmin(a, b))
        return PB_SPLIT_COARSE;
    if (ends(left, n) || ends(right, n))
        return PB_SPLIT_BOUNDED;
    return unlike(a, b, n, step) ? PB_SPLIT_UNLIKE : PB_SPLIT_VALID;
}

void pb_split_of(struct pb_split *out, const double *value, size_t n, double step)
{
    struct tail left, right;
    *out = (struct pb_split){.refusal = PB_SPLIT_FEW};
    if (n < PB_SPLIT_LEAST)
        return;
    fit_tail(&left, value, n, false);
    fit_tail(&right, value, n, true);
    out->refusal = refusal_of(&left, &right, n, step);
    if (out->refusal != PB_SPLIT_VALID)
        return;
    out->random_left = slope_of(&left.all);
    out->random_right = slope_of(&right.all);
    out->random = (out->random_left + out->random_right) / 2;
    out->deterministic = -origin_of(&right.all) - origin_of(&left.all);
    out->centre = (origin_of(&left.all) - origin_of(&right.all)) / 2;
    out->total_1e12 = out->deterministic + 2 * Q_1E12 * out->random;
}

const char *pb_split_reason(enum pb_split_refusal refusal)
{
    switch (refusal) {
    case PB_SPLIT_VALID:
        return "";
    case PB_SPLIT_FEW:
        return "fewer than 1000 values";
    case PB_SPLIT_COARSE:
        return "the step of the stamps hides the tails";
    case PB_SPLIT_UNLIKE:
        return "left and right tail differ: drift, or two populations";
    case PB_SPLIT_BOUNDED:
        return "the tails end: a bounded jitter has no random part to extrapolate";
    }
    return "";
}
