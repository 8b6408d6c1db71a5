/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/stability.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *id, *text;
} names[] = {
#define PB_STABILITY_NAMES(name, id, text) {id, text},
    PB_STABILITY_LIST(PB_STABILITY_NAMES)
#undef PB_STABILITY_NAMES
};

const char *pb_stability_id(enum pb_stability kind)
{
    return (unsigned)kind < PB_STABILITIES ? names[kind].id : "";
}

const char *pb_stability_text(enum pb_stability kind)
{
    return (unsigned)kind < PB_STABILITIES ? names[kind].text : "";
}

/* ---- deviations */

static double second(const double *x, size_t i, size_t m)
{
    return x[i + 2 * m] - 2 * x[i + m] + x[i];
}

static double third(const double *x, size_t i, size_t m)
{
    return x[i + 3 * m] - 3 * x[i + 2 * m] + 3 * x[i + m] - x[i];
}

/* The mean square of the differences of `order` at each stride, over the first n values. */
static double mean_square(double (*difference)(const double *x, size_t i, size_t m), unsigned order,
                          const double *x, size_t n, size_t m, size_t stride, size_t *terms)
{
    double sum = 0;
    *terms = 0;
    for (size_t i = 0; i + order * m < n; i += stride, ++*terms)
        sum += difference(x, i, m) * difference(x, i, m);
    return *terms ? sum / (double)*terms : NAN;
}

/* Differences of the means of m neighbours, each from the one before it. */
static double modified(const double *x, size_t n, size_t m, size_t *terms)
{
    *terms = 0;
    if (n < 3 * m)
        return NAN;
    double inner = 0, sum = 0;
    for (size_t i = 0; i < m; i++)
        inner += second(x, i, m);
    for (size_t j = 0;; j++) {
        sum += inner / (double)m * (inner / (double)m);
        ++*terms;
        if (j + 3 * m >= n)
            break;
        inner += x[j + 3 * m] - 3 * x[j + 2 * m] + 3 * x[j + m] - x[j];
    }
    return sum / (double)*terms;
}

double pb_stability_deviation(enum pb_stability kind, const double *x, size_t n, double tau0, size_t m,
                              size_t *terms)
{
    size_t none;
    const double tau = (double)m * tau0;
    terms = terms ? terms : &none;
    *terms = 0;
    if (!m || !(tau0 > 0) || m > n)
        return NAN;
    switch (kind) {
    case PB_STABILITY_ADEV:
        return sqrt(mean_square(second, 2, x, n, m, m, terms) / 2) / tau;
    case PB_STABILITY_OADEV:
        return sqrt(mean_square(second, 2, x, n, m, 1, terms) / 2) / tau;
    case PB_STABILITY_HDEV:
        return sqrt(mean_square(third, 3, x, n, m, m, terms) / 6) / tau;
    case PB_STABILITY_OHDEV:
        return sqrt(mean_square(third, 3, x, n, m, 1, terms) / 6) / tau;
    case PB_STABILITY_MDEV:
        return sqrt(modified(x, n, m, terms) / 2) / tau;
    case PB_STABILITY_TDEV:
        return sqrt(modified(x, n, m, terms) / 6);
    case PB_STABILITIES:
        break;
    }
    return NAN;
}

/* ---- noise */

double pb_stability_freedom(enum pb_noise noise, size_t values, size_t averaged)
{
    const double n = (double)values, m = (double)averaged;
    if (!averaged || values < 2 * averaged + 1 || values < 4)
        return NAN;
    switch (noise) {
    case PB_NOISE_WHITE_PM:
        return (n + 1) * (n - 2 * m) / (2 * (n - m));
    case PB_NOISE_FLICKER_PM:
        return exp(sqrt(log((n - 1) / (2 * m)) * log((2 * m + 1) * (n - 1) / 4)));
    case PB_NOISE_WHITE_FM:
        return (3 * (n - 1) / (2 * m) - 2 * (n - 2) / n) * 4 * m * m / (4 * m * m + 5);
    case PB_NOISE_FLICKER_FM:
        return averaged == 1 ? 2 * (n - 2) * (n - 2) / (2.3 * n - 4.9) : 5 * n * n / (4 * m * (n + 3 * m));
    case PB_NOISE_WALK_FM:
        return (n - 2) / m * ((n - 1) * (n - 1) - 3 * m * (n - 1) + 4 * m * m) / ((n - 3) * (n - 3));
    }
    return NAN;
}

enum pb_noise pb_noise_of_slope(double mdev_slope)
{
    const double step = round(2 * (mdev_slope + 1.5)); /* half a power each, from white PM on */
    return step <= 0 ? PB_NOISE_WHITE_PM : step >= 4 ? PB_NOISE_WALK_FM : (enum pb_noise)(int)step;
}

const char *pb_noise_name(enum pb_noise noise)
{
    static const char *const name[] = {"white PM", "flicker PM", "white FM", "flicker FM", "random walk FM"};
    return (unsigned)noise < sizeof name / sizeof *name ? name[noise] : "";
}

/* ---- MTIE */

/* Places of values that may still be the extreme of a window, the best first. */
struct candidates {
    size_t *place, first, count;
};

static void offer(struct candidates *candidates, const double *x, size_t at, double sign)
{
    while (candidates->count > candidates->first &&
           sign * x[candidates->place[candidates->count - 1]] <= sign * x[at])
        candidates->count--;
    candidates->place[candidates->count++] = at;
}

double pb_stability_mtie(const double *x, size_t n, size_t m)
{
    if (n <= m)
        return NAN;
    size_t *const place = malloc(2 * n * sizeof *place);
    if (!place)
        return -1;
    struct candidates high = {.place = place}, low = {.place = place + n};
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        offer(&high, x, i, 1);
        offer(&low, x, i, -1);
        high.first += high.place[high.first] + m < i;
        low.first += low.place[low.first] + m < i;
        if (i >= m)
            most = fmax(most, x[high.place[high.first]] - x[low.place[low.first]]);
    }
    free(place);
    return most;
}
