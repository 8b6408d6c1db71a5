/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Straight lines by least squares. docs/use/cal.md derives the uncertainties.
 */
#include "phasebench/calibration.h"
#include "phasebench/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 64, READS_MIN = 16 };
#define APART_MAX 0.25    /* of a period, that an edge may be from its place by the one before */
#define SWEEPING 0.577    /* deviation in steps from which the mean of rounded stamps is true to 0.23 % */
#define CONFIDENCE 0.05

/* Both sides of Student's t; freedom >= 1. */
static double student_95(double freedom)
{
    const double x = pb_beta_quantile(CONFIDENCE, freedom / 2, 0.5);
    return sqrt(freedom * (1 - x) / x);
}

struct point {
    double x, y;
};

struct line {
    double slope, error95; /* of the slope */
    double residual;       /* standard deviation about it */
};

/* At least 3 points with different x. Residuals that follow each other (a reference that wanders) count
 * for fewer: by the factor (1 + r) / (1 - r) of an autoregression with the correlation r of neighbours. */
static struct line fit(const struct point *point, size_t count)
{
    double x = 0, y = 0, xx = 0, xy = 0, squares = 0, products = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        x += point[i].x / (double)count;
        y += point[i].y / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (point[i].x - x) * (point[i].x - x);
        xy += (point[i].x - x) * (point[i].y - y);
    }
    const double slope = xy / xx;
    for (size_t i = 0; i < count; i++) {
        const double rest = point[i].y - y - slope * (point[i].x - x);
        squares += rest * rest;
        products += i ? rest * before : 0;
        before = rest;
    }
    const double freedom = (double)count - 2, correlation = squares > 0 ? products / squares : 0,
                 noticed = 2 / sqrt((double)count);
    double widening = 1;
    if (correlation > noticed)
        widening = correlation < 0.999 ? (1 + correlation) / (1 - correlation) : 2000;
    return (struct line){.slope = slope,
                         .residual = sqrt(squares / freedom),
                         .error95 = student_95(freedom) * sqrt(squares / freedom / xx * widening)};
}

static int check_offset(const struct pb_calibration_fit *out, const char *reference, struct pb_diag *diag)
{
    return fabs(out->offset_ppb) <= PB_CALIBRATION_PPB_MAX
               ? PB_OK
               : pb_fail(diag, PB_ERR_CONFIG,
                         "the core differs from %s by %.0f ppm; %.0f ppm are the limit, check the rate of "
                         "the reference",
                         reference, out->offset_ppb / 1e3, PB_CALIBRATION_PPB_MAX / 1e3);
}

static void combine(struct pb_calibration_fit *out)
{
    out->u95_ppb = sqrt(out->scatter_ppb * out->scatter_ppb + out->step_ppb * out->step_ppb +
                        out->path_ppb * out->path_ppb + out->reference_ppb * out->reference_ppb);
}

/* ---- edges */

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns the median distance in ticks, for the diagnostic of another rate. NAN: no memory for it. */
static double usual_distance(const struct pb_calibration_edges *edges)
{
    const size_t count = edges->count - 1;
    double *distance = malloc(count * sizeof *distance), median = NAN;
    for (size_t i = 0; distance && i < count; i++)
        distance[i] = edges->tick[i + 1] - edges->tick[i];
    if (distance) {
        qsort(distance, count, sizeof *distance, by_size);
        median = distance[count / 2];
    }
    free(distance);
    return median;
}

/* Numbers the edges; *numbers: the expected number of edges. */
static int number(struct point *point, uint64_t *numbers, const struct pb_calibration_edges *edges,
                  struct pb_diag *diag)
{
    const double period = edges->clock_hz / edges->hz;
    uint64_t at = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const double steps = i ? (edges->tick[i] - edges->tick[i - 1]) / period : 0,
                     whole = floor(steps + 0.5);
        if (i && (whole < 1 || fabs(steps - whole) > APART_MAX))
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "the edges of the reference are not of %g Hz: edge %zu comes %.3f periods after the one "
                "before, and most are %.3f Hz apart; give its rate with --hz, and look at its levels",
                edges->hz, i, steps, edges->clock_hz / usual_distance(edges));
        at += (uint64_t)whole;
        point[i] = (struct point){(double)at, edges->tick[i] - edges->tick[0]};
    }
    *numbers = at + 1;
    return PB_OK;
}

int pb_calibration_fit_edges(struct pb_calibration_fit *out, const struct pb_calibration_edges *edges,
                             struct pb_diag *diag)
{
    uint64_t numbers = 0;
    *out = (struct pb_calibration_fit){.samples = edges->count, .reference_ppb = edges->reference_u95_ppb};
    if (edges->count < PB_CALIBRATION_EDGES_MIN)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the reference made %zu edges; %d are the least, connect it, or measure --for longer",
                       edges->count, PB_CALIBRATION_EDGES_MIN);
    struct point *point = malloc(edges->count * sizeof *point);
    if (!point)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu edges; measure --for a shorter time",
                       edges->count);
    int code = number(point, &numbers, edges, diag);
    if (!code) {
        const double period = edges->clock_hz / edges->hz;
        const struct line line = fit(point, edges->count);
        const bool sweeps = line.residual >= SWEEPING * edges->step_ticks;
        out->offset_ppb = (line.slope / period - 1) * 1e9;
        out->scatter_ppb = line.error95 / period * 1e9;
        /* At worst the early half of the edges is at one end of a step and the late half at the other:
         * 1.5 steps over the whole for a least-squares line. */
        out->step_ppb = sweeps ? 0 : 1.5 * edges->step_ticks / point[edges->count - 1].y * 1e9;
        out->residual_ps = line.residual / edges->clock_hz * 1e12;
        out->span_s = (double)(numbers - 1) / edges->hz;
        out->missing = (size_t)(numbers - edges->count);
        combine(out);
        code = check_offset(out, "the reference", diag);
    }
    free(point);
    return code;
}

/* ---- reads by the host */

static int64_t delay_of(const struct pb_calibration_host_read *read)
{
    return read->after_ns - read->before_ns;
}

/* Chooses the shortest read of each stretch; returns the number of stretches. */
static size_t choose(const struct pb_calibration_host_read *chosen[STRETCHES],
                     const struct pb_calibration_reads *reads)
{
    const size_t stretches = reads->count / 4 < STRETCHES ? reads->count / 4 : STRETCHES;
    for (size_t k = 0; k < stretches; k++) {
        const size_t from = k * reads->count / stretches, to = (k + 1) * reads->count / stretches;
        chosen[k] = &reads->read[from];
        for (size_t i = from + 1; i < to; i++)
            if (delay_of(&reads->read[i]) < delay_of(chosen[k]))
                chosen[k] = &reads->read[i];
    }
    return stretches;
}

/* A constant rate is between the least and the most that each pair of reads allows: the projection of all
 * their bounds on the slope. */
static void envelope(struct pb_calibration_fit *out, const struct pb_calibration_host_read *const *chosen,
                     size_t count, double clock_hz)
{
    double least = -HUGE_VAL, most = HUGE_VAL;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const double ticks = (double)(chosen[k]->tick - chosen[i]->tick);
            const double longest = (double)(chosen[k]->after_ns - chosen[i]->before_ns),
                         shortest = (double)(chosen[k]->before_ns - chosen[i]->after_ns);
            least = fmax(least, ticks / longest);
            most = shortest > 0 ? fmin(most, ticks / shortest) : most;
        }
    out->least_ppb = (least * 1e9 / clock_hz - 1) * 1e9;
    out->most_ppb = (most * 1e9 / clock_hz - 1) * 1e9;
    out->enveloped = least <= most;
}

int pb_calibration_fit_reads(struct pb_calibration_fit *out, const struct pb_calibration_reads *reads,
                             struct pb_diag *diag)
{
    const struct pb_calibration_host_read *chosen[STRETCHES];
    struct point point[STRETCHES];
    *out = (struct pb_calibration_fit){.samples = reads->count, .reference_ppb = reads->reference_u95_ppb};
    if (reads->count < READS_MIN)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%zu reads of the core's counter; %d are the least, measure --for longer",
                       reads->count, READS_MIN);
    const size_t count = choose(chosen, reads);
    for (size_t k = 0; k < count; k++) {
        const double delay = (double)delay_of(chosen[k]);
        point[k] = (struct point){(double)(chosen[k]->before_ns - chosen[0]->before_ns) + delay / 2,
                                  (double)(chosen[k]->tick - chosen[0]->tick)};
    }
    const double span_ns = point[count - 1].x - point[0].x, quickest = (double)delay_of(chosen[0]);
    double slowest = quickest;
    for (size_t k = 1; k < count; k++)
        slowest = fmax(slowest, (double)delay_of(chosen[k]));
    if (span_ns <= 0)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "no time passed between the reads of the core's counter; is it stopped?");
    const struct line line = fit(point, count);
    const double nominal = reads->clock_hz / 1e9; /* ticks per ns */
    out->offset_ppb = (line.slope / nominal - 1) * 1e9;
    out->scatter_ppb = line.error95 / nominal * 1e9;
    /* The way there may take from none to all of the time, and may change once: a rectangle of half the
     * time at either end, 1.96 sqrt(2) / sqrt(3) of it. */
    out->path_ppb = 1.96 * sqrt(2.0 / 3) * (slowest / 2) / span_ns * 1e9;
    out->residual_ps = line.residual / nominal * 1e3;
    out->span_s = span_ns / 1e9;
    envelope(out, chosen, count, reads->clock_hz);
    combine(out);
    return check_offset(out, "the host's clock", diag);
}
