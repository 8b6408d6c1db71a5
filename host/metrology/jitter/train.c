/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/metrology/jitter/parts.h"

#include <math.h>
#include <stdlib.h>

double pb_exact_step_ps(const struct jitter_series *series, double tick_ps)
{
    const double step_ps = (double)series->step_ps, parts = step_ps > 0 ? round(tick_ps / step_ps) : 0;
    return parts > 0 && !series->fine ? tick_ps / parts : step_ps;
}

struct train pb_train_of(const struct jitter_series *periods, double tick_ps, struct jitter_sample *edge)
{
    struct train train = {.edge = edge, .step_ps = pb_exact_step_ps(periods, tick_ps), .fine = periods->fine};
    for (size_t i = 0; i < periods->count; i++) {
        const struct jitter_sample *period = &periods->sample[i];
        if (period->value_ps != JITTER_LONE_EDGE &&
            (!train.count || edge[train.count - 1].phase + 1 != period->phase))
            edge[train.count++] = (struct jitter_sample){.phase = period->phase - 1,
                                                         .time_ps = period->time_ps - period->value_ps};
        edge[train.count++] = *period;
    }
    return train;
}

struct train pb_train_of_superframes(const struct jitter_series *series, unsigned n, double tick_ps,
                                     struct jitter_sample *edge)
{
    struct train train = {.edge = edge, .step_ps = pb_exact_step_ps(series, tick_ps), .fine = series->fine};
    for (size_t i = 0; i < series->count; i++) {
        const struct jitter_sample *sample = &series->sample[i];
        const uint64_t superframe = sample->phase / n;
        if (!train.count || edge[train.count - 1].phase < superframe)
            edge[train.count++] = (struct jitter_sample){.phase = superframe,
                                                         .time_ps = sample->time_ps + sample->value_ps};
    }
    return train;
}

long double pb_train_place(const struct train *train, size_t i)
{
    return (long double)(train->edge[i].phase - train->edge[0].phase);
}

long double pb_train_time(const struct train *train, size_t i)
{
    return (long double)(train->edge[i].time_ps - train->edge[0].time_ps);
}

struct line pb_train_fit(const struct train *train)
{
    const long double n = (long double)train->count;
    long double k = 0, t = 0, kk = 0, kt = 0;
    for (size_t i = 0; i < train->count; i++) {
        k += pb_train_place(train, i);
        t += pb_train_time(train, i);
    }
    k /= n;
    t /= n;
    for (size_t i = 0; i < train->count; i++) {
        const long double apart = pb_train_place(train, i) - k;
        kk += apart * apart;
        kt += apart * (pb_train_time(train, i) - t);
    }
    return (struct line){.start_ps = t - kt / kk * k, .period_ps = kt / kk, .spread = kk};
}

double pb_train_tie(const struct train *train, size_t i, const struct line *line)
{
    return (double)(pb_train_time(train, i) - line->start_ps - pb_train_place(train, i) * line->period_ps);
}

struct rate pb_train_rate(const struct train *train, const struct line *line, double nominal_ps)
{
    double squares = 0;
    for (size_t i = 0; i < train->count; i++)
        squares += pb_train_tie(train, i, line) * pb_train_tie(train, i, line);
    const double
        freedom = train->count > 2 ? (double)(train->count - 2) : 1,
        scatter = sqrt(squares / freedom / (double)line->spread),
        /* At worst the early half of the edges is at one end of a step and the late half at the other. */
        step = 1.5 * train->step_ps / (double)pb_train_place(train, train->count - 1),
        period_u95 = pb_student_factor(CONFIDENCE, freedom) * scatter + step;
    return (struct rate){.ppm = (nominal_ps / (double)line->period_ps - 1) * 1e6,
                         .u95_ppm = period_u95 / (double)line->period_ps * 1e6};
}

double *pb_train_ties(const struct train *train, const struct line *reference)
{
    double *tie_ps = malloc(train->count * sizeof *tie_ps);
    for (size_t i = 0; tie_ps && i < train->count; i++)
        tie_ps[i] = pb_train_tie(train, i, reference);
    return tie_ps;
}
