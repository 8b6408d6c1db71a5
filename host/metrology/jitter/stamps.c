/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stamps of another instrument as the edges of a clock: numbered by its period, so that a missing edge
 * leaves a gap.
 */
#include "phasebench/stamps.h"
#include "host/base/utf8.h"
#include "host/metrology/jitter/parts.h"
#include "phasebench/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* 0: memory ran out. */
static int64_t median_period(const struct pb_stamps *stamps)
{
    const size_t count = stamps->count - 1;
    int64_t *const period = malloc(count * sizeof *period);
    if (!period)
        return 0;
    for (size_t i = 0; i < count; i++)
        period[i] = stamps->time_ps[i + 1] - stamps->time_ps[i];
    qsort(period, count, sizeof *period, by_size);
    const int64_t median = period[count / 2];
    free(period);
    return median;
}

/* Of the distances between edges: how many periods each has, 0 as long as that is not known. */
struct numbering {
    const struct pb_stamps *stamps;
    uint64_t *periods;
    int64_t median_ps;
    double period_ps,
        over; /* the mean one of the longest stretch without an unknown distance, and its periods */
    double scatter_ps;      /* by how much the distance of two edges differs from whole periods, at most */
    size_t unknown;
};

static int64_t distance(const struct numbering *numbering, size_t i)
{
    return numbering->stamps->time_ps[i + 1] - numbering->stamps->time_ps[i];
}

/* Numbers the distances of one period, which have about the median length. Returns the index of a distance
 * that is too short for a period, else the number of distances. */
static size_t number_singles(struct numbering *numbering)
{
    const size_t count = numbering->stamps->count - 1;
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t its = distance(numbering, i);
        const int64_t periods = llround((double)its / (double)numbering->median_ps);
        if (!periods)
            return i;
        numbering->periods[i] = periods == 1;
        numbering->unknown += periods != 1;
        if (periods == 1) {
            least = its < least ? its : least;
            most = its > most ? its : most;
        }
    }
    numbering->scatter_ps = fmax((double)(most - least) / 2, numbering->stamps->step_ps);
    return count;
}

static void measure_longest_stretch(struct numbering *numbering)
{
    const size_t count = numbering->stamps->count - 1;
    uint64_t over = 0;
    int64_t length_ps = 0;
    numbering->over = 0;
    for (size_t i = 0; i < count; i++) {
        if (!numbering->periods[i]) {
            over = 0;
            length_ps = 0;
            continue;
        }
        over += numbering->periods[i];
        length_ps += distance(numbering, i);
        if ((double)over > numbering->over) {
            numbering->over = (double)over;
            numbering->period_ps = (double)length_ps / (double)over;
        }
    }
}

/* A gap of m periods is a whole number of them to the scatter of its two edges, and m times what is not known
 * of the period: the scatter over the stretch that gave it. A longer stretch knows it better, so short gaps
 * come first. The factor 2: of few edges the scatter is seen too small. */
static void number_gaps(struct numbering *numbering)
{
    const size_t count = numbering->stamps->count - 1;
    size_t before = numbering->unknown + 1;
    while (numbering->unknown && numbering->unknown < before) {
        before = numbering->unknown;
        measure_longest_stretch(numbering);
        for (size_t i = 0; i < count; i++) {
            if (numbering->periods[i])
                continue;
            const double periods = (double)distance(numbering, i) / numbering->period_ps;
            const double doubt_ps = numbering->scatter_ps * (1 + 2 * periods / numbering->over);
            if (doubt_ps < numbering->period_ps / 2) {
                numbering->periods[i] = (uint64_t)fmax(1, round(periods));
                numbering->unknown--;
            }
        }
    }
}

static int number_distances(struct numbering *numbering, const char *path, struct pb_diag *diag)
{
    const struct pb_stamps *const stamps = numbering->stamps;
    const size_t count = stamps->count - 1, glitch = number_singles(numbering);
    size_t i = 0;
    if (glitch < count)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: edges %zu and %zu of '%s' are %.3f ns apart, the median is %.3f ns; take the "
                       "glitch out of the file",
                       path, glitch + 1, glitch + 2, stamps->channel,
                       (double)distance(numbering, glitch) / 1e3, (double)numbering->median_ps / 1e3);
    /* Distances of two and three steps may be one period, as those of one and two. */
    if (numbering->unknown && (double)numbering->median_ps < 2.5 * stamps->step_ps)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%s: stamps of '%s' in steps of %.3f ns, the median period is %.3f ns, so a missing edge "
            "looks like rounding; write more digits, or subtract the first stamp from all",
            path, stamps->channel, stamps->step_ps / 1e3, (double)numbering->median_ps / 1e3);
    number_gaps(numbering);
    if (!numbering->unknown)
        return PB_OK;
    while (numbering->periods[i])
        i++;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s: edges %zu and %zu of '%s' are %.3f ns apart, and it is not known how many periods of "
                   "%.3f ns these are; put the edges before and after into two files",
                   path, i + 1, i + 2, stamps->channel, (double)distance(numbering, i) / 1e3,
                   numbering->period_ps / 1e3);
}

/* Each period, and each edge with a gap on both sides, which no period has. */
static void give_samples(const struct numbering *numbering, const struct pb_sample_sink *sink)
{
    const struct pb_stamps *const stamps = numbering->stamps;
    struct pb_sample sample = {.figure = PB_FIGURE_CLOCK_PERIOD, .step_ps = llround(stamps->step_ps)};
    for (size_t i = 0; i < stamps->count; i++) {
        const bool follows = i && numbering->periods[i - 1] == 1,
                   leads = i + 1 < stamps->count && numbering->periods[i] == 1;
        sample.time_ps = stamps->time_ps[i];
        sample.phase += i ? numbering->periods[i - 1] : 0;
        sample.value = follows ? distance(numbering, i - 1) : JITTER_LONE_EDGE;
        if (follows || !leads)
            sink->take(sink->context, &sample);
    }
}

static int collect(struct pb_jitter_collector *collector, const struct pb_stamps *stamps, const char *path,
                   struct pb_diag *diag)
{
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    if (stamps->count < 3)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %zu edges of '%s'; a clock has 3 or more", path,
                       stamps->count, stamps->channel);
    struct numbering numbering = {.stamps = stamps,
                                  .periods = malloc((stamps->count - 1) * sizeof *numbering.periods),
                                  .median_ps = median_period(stamps)};
    int code = numbering.periods && numbering.median_ps
                   ? number_distances(&numbering, path, diag)
                   : pb_fail(diag, PB_ERR_MEMORY, "no memory for the stamps");
    if (!code)
        give_samples(&numbering, &sink);
    collector->left_out = stamps->left_out;
    free(numbering.periods);
    return code;
}

/* Returns the period of the line through all edges, used if none is configured. */
static double mean_period(const struct pb_jitter_collector *collector, double step_ps)
{
    struct jitter_sample *edge = malloc(2 * (collector->period.count + 1) * sizeof *edge);
    double period_ps = 0;
    if (edge) {
        const struct train train = pb_train_of(&collector->period, step_ps, edge);
        period_ps = train.count > 1 ? (double)pb_train_fit(&train).period_ps : 0;
    }
    free(edge);
    return period_ps;
}

int pb_jitter_of_stamps(struct pb_jitter **out, const struct pb_stamps *stamps, const char *path, unsigned n,
                        double nominal_ps, enum pb_jitter_reference reference, struct pb_diag *diag)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *known = calloc(1, sizeof *known);
    struct pb_result *result = calloc(1, sizeof *result);
    *out = NULL;
    int code = collector && known && result ? collect(collector, stamps, path, diag) : PB_ERR_MEMORY;
    if (!code) {
        char clean[PB_JITTER_SOURCE_SIZE / 2];
        pb_utf8_clean(clean, sizeof clean, path);
        known->tick_ps = stamps->step_ps;
        known->nominal_ps = nominal_ps > 0 ? nominal_ps : mean_period(collector, stamps->step_ps);
        known->n = n;
        known->follows = true;
        known->reference = reference;
        snprintf(known->source, sizeof known->source, "%s, %s, '%s'", clean, stamps->form, stamps->channel);
        snprintf(result->board, sizeof result->board, "another instrument");
        result->clock_budget_rows = 1;
        result->clock_budget[0] = (struct pb_uncertainty_row){
            .name = "step of a stamp", .kind = PB_UNCERTAINTY_STEP, .rise_ps = llround(stamps->step_ps / 2)};
        code = known->nominal_ps > 0 ? pb_jitter_compute_known(out, collector, known, result) : PB_ERR_MEMORY;
    }
    if (code == PB_ERR_MEMORY)
        pb_fail(diag, code, "no memory for the stamps of %s", path);
    pb_jitter_collector_free(collector);
    free(known);
    free(result);
    return code;
}
