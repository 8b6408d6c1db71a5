/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Special functions of intervals and tests. The established library for them is under the GPL, which a
 * program under the Apache licence cannot link. Series and continued fractions: Abramowitz and Stegun 6.5.29,
 * 6.5.31, 26.5.8; the fractions are evaluated as Lentz proposed. Quantiles by bisection: slow, but reliable.
 */
#define _DEFAULT_SOURCE /* lgamma_r */

#include "phasebench/statistics.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 100000, HALVINGS = 200 };

static const double tiny = DBL_MIN / DBL_EPSILON;

double pb_normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* lgamma of a positive number; lgamma itself writes a global variable, and several threads come here. */
static double log_gamma(double a)
{
    int sign;
    return lgamma_r(a, &sign);
}

double pb_gamma_p(double a, double x)
{
    if (!(a > 0) || !(x >= 0))
        return NAN;
    if (x == 0)
        return 0;
    const double scale = exp(a * log(x) - x - log_gamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int k = 1; k < TERMS_MAX && fabs(term) > fabs(sum) * DBL_EPSILON; k++)
            sum += term *= x / (a + k);
        return sum * scale;
    }
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
    for (int k = 1; k < TERMS_MAX; k++) {
        const double above = -k * (k - a);
        b += 2;
        d = above * d + b;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = b + above / c;
        c = fabs(c) < tiny ? tiny : c;
        fraction *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return 1 - fraction * scale;
}

/* Converges quickly for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int k = 1; k < TERMS_MAX; k++) {
        const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
                     odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        double change = 1;
        for (int half = 0; half < 2; half++) {
            const double above = half ? odd : even;
            d = 1 + above * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + above / c;
            c = fabs(c) < tiny ? tiny : c;
            fraction *= c * d;
            change = c * d;
        }
        if (fabs(change - 1) < DBL_EPSILON)
            break;
    }
    return fraction;
}

double pb_beta_i(double x, double a, double b)
{
    if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1))
        return NAN;
    if (x == 0 || x == 1)
        return x;
    const double scale = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? scale * beta_fraction(x, a, b) / a
                                     : 1 - scale * beta_fraction(1 - x, b, a) / b;
}

double pb_f_tail(double f, double freedom_above, double freedom_below)
{
    return pb_beta_i(freedom_below / (freedom_below + freedom_above * f), freedom_below / 2,
                     freedom_above / 2);
}

/* ---- quantiles */

struct distribution {
    double (*cdf)(const struct distribution *distribution, double x);
    double a, b;
};

static double normal(const struct distribution *distribution, double x)
{
    (void)distribution;
    return pb_normal_cdf(x);
}

static double chi_square(const struct distribution *distribution, double x)
{
    return pb_gamma_p(distribution->a / 2, x / 2);
}

static double beta(const struct distribution *distribution, double x)
{
    return pb_beta_i(x, distribution->a, distribution->b);
}

static double invert(const struct distribution *distribution, double p, double low, double high)
{
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = low + (high - low) / 2;
        if (middle == low || middle == high)
            break;
        if (distribution->cdf(distribution, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

double pb_normal_quantile(double p)
{
    if (!(p > 0) || !(p < 1))
        return NAN;
    const struct distribution distribution = {.cdf = normal};
    return p > 0.5 ? -invert(&distribution, 1 - p, -40, 0) : invert(&distribution, p, -40, 0);
}

double pb_chi_square_quantile(double p, double freedom)
{
    if (!(p > 0) || !(p < 1) || !(freedom > 0))
        return NAN;
    const struct distribution distribution = {.cdf = chi_square, .a = freedom};
    double high = freedom + 1;
    while (chi_square(&distribution, high) < p)
        high *= 2;
    return invert(&distribution, p, 0, high);
}

double pb_beta_quantile(double p, double a, double b)
{
    if (!(p > 0) || !(p < 1) || !(a > 0) || !(b > 0))
        return NAN;
    const struct distribution distribution = {.cdf = beta, .a = a, .b = b};
    return invert(&distribution, p, 0, 1);
}

/* P(|t| > x) = I_y(freedom / 2, 1 / 2) with y = freedom / (freedom + x^2). */
double pb_student_factor(double confidence, double freedom)
{
    const double y = pb_beta_quantile(1 - confidence, freedom / 2, 0.5);
    return sqrt(freedom * (1 - y) / y);
}
