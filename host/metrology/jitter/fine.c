/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Edges of the time-to-digital converter in place of stamps. The delay of its pin is not known. An edge is
 * not before its stamp, and less than a step after it, so each edge gives two bounds of the delay. All of
 * them together leave an interval, whose middle is taken. Bounds that contradict each other by more than the
 * widest bins show that the table is not that of this chain.
 */
#include "host/metrology/jitter/collect.h"
#include "phasebench/result.h"
#include "phasebench/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define PS_PER_S 1e12
#define NEAR_TICKS 8 /* from a stamp to its edge at most; two edges of the converter are 32 ticks apart */

struct finder {
    const int64_t *fine_ps;
    size_t fines;
    int64_t near_ps;
};

/* The edge next to a stamp; false: there is none. */
static bool find(int64_t *fine_ps, const struct finder *finder, int64_t stamp_ps)
{
    size_t low = 0, high = finder->fines;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (finder->fine_ps[middle] < stamp_ps)
            low = middle + 1;
        else
            high = middle;
    }
    const int64_t after_ps = low < finder->fines ? finder->fine_ps[low] - stamp_ps : INT64_MAX,
                  before_ps = low ? stamp_ps - finder->fine_ps[low - 1] : INT64_MAX;
    *fine_ps = after_ps < before_ps ? stamp_ps + after_ps : stamp_ps - before_ps;
    return (after_ps < before_ps ? after_ps : before_ps) <= finder->near_ps;
}

/* Delays of edges after their stamps. */
struct delays {
    int64_t least_ps, most_ps;
    uint64_t edges, without;
};

static void compare(struct delays *delays, const struct finder *finder, int64_t stamp_ps)
{
    int64_t fine_ps;
    if (!find(&fine_ps, finder, stamp_ps)) {
        delays->without++;
        return;
    }
    const int64_t delay_ps = fine_ps - stamp_ps;
    if (!delays->edges++)
        delays->least_ps = delays->most_ps = delay_ps;
    delays->least_ps = delay_ps < delays->least_ps ? delay_ps : delays->least_ps;
    delays->most_ps = delay_ps > delays->most_ps ? delay_ps : delays->most_ps;
}

/* A period begins where the one before it ended, but after a gap. */
static bool begins_anew(const struct jitter_series *periods, size_t i)
{
    return !i || periods->sample[i - 1].phase + 1 != periods->sample[i].phase;
}

static int64_t half_ps(const struct pb_uncertainty_row *row, unsigned rows, bool rises)
{
    for (unsigned i = 0; i < rows; i++)
        if (row[i].kind == PB_UNCERTAINTY_DUTY)
            return rises ? row[i].rise_ps : row[i].fall_ps;
    return 0;
}

static void replace(struct jitter_series *series, const struct finder *finder, bool periods, int64_t delay_ps)
{
    size_t kept = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct jitter_sample sample = series->sample[i];
        int64_t end_ps, begin_ps = sample.time_ps + delay_ps;
        const int64_t stamp_ps = periods ? sample.time_ps : sample.time_ps + sample.value_ps;
        if (!find(&end_ps, finder, stamp_ps) ||
            (periods && !find(&begin_ps, finder, sample.time_ps - sample.value_ps)))
            continue;
        series->sample[kept++] =
            (struct jitter_sample){.phase = sample.phase,
                                   .time_ps = periods ? end_ps - delay_ps : sample.time_ps,
                                   .value_ps = end_ps - begin_ps};
    }
    series->count = kept;
    series->fine = true;
}

int pb_jitter_refine(struct pb_jitter_collector *collector, const struct pb_tdc_watch *watch,
                     const struct pb_result *result, struct pb_diag *diag)
{
    const bool clock = collector->fine_pin == PB_TDC_CLOCK;
    struct jitter_series *series =
        clock ? &collector->period : &collector->start[collector->fine_pin % JITTER_LINKS];
    struct pb_jitter_fine *fine = &collector->fine;
    struct pb_tdc_figures figures;
    pb_tdc_figures(&figures, &watch->table, clock);
    const double tick_ps = PS_PER_S / watch->table.clock_hz, ratio = watch->scale.ratio,
                 end = watch->ratio_end > 0 ? watch->ratio_end : ratio;
    *fine = (struct pb_jitter_fine){
        .used = true,
        .link = clock ? -1 : (int)collector->fine_pin,
        .rms_ps = ratio * figures.rms_ps,
        .widest_ps = ratio * figures.widest_ps,
        .table_ps = ratio * figures.edge_sd_ps,
        .ratio = ratio,
        .ratio_end = end,
        .drift_ps = tick_ps * (fabs(end - ratio) + PB_TDC_UNLIKE * fabs(ratio - 1)),
    };
    const struct finder finder = {.fine_ps = collector->fine_ps,
                                  .fines = collector->fines,
                                  .near_ps = llround(NEAR_TICKS * tick_ps)};
    struct delays delays = {.edges = 0};
    for (size_t i = 0; i < series->count; i++) {
        const struct jitter_sample *sample = &series->sample[i];
        if (clock && begins_anew(series, i))
            compare(&delays, &finder, sample->time_ps - sample->value_ps);
        compare(&delays, &finder, clock ? sample->time_ps : sample->time_ps + sample->value_ps);
    }
    fine->edges = delays.edges;
    fine->without = delays.without;
    if (!delays.edges)
        return pb_fail(diag, PB_ERR_LINK,
                       "the converter observed none of the %" PRIu64
                       " edges that were stamped at its pin; choose a pin with edges, by --tdc-link",
                       delays.without);
    const double step_ps = (double)series->step_ps,
                 range_ps = (double)(delays.most_ps - delays.least_ps),
                 duty_ps = (double)(clock ? half_ps(result->clock_budget, result->clock_budget_rows, true)
                                          : half_ps(result->budget, result->budget_rows, false)),
                 limit_ps = step_ps + 2 * fine->widest_ps + 2 * (duty_ps + fine->drift_ps);
    if (range_ps > limit_ps)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "table of the converter: edges by it are %.0f ps apart from their stamps; %.0f ps are "
                       "the limit, so the table is not that of this chain; calibrate again",
                       range_ps, limit_ps);
    fine->place_ps = fmax(0, (step_ps - range_ps) / 2) + fine->widest_ps / 2;
    replace(series, &finder, clock,
            llround(((double)delays.least_ps + (double)delays.most_ps - step_ps) / 2));
    series->step_ps = llround(sqrt(12) * fine->rms_ps);
    return PB_OK;
}

const char *pb_jitter_fine_line(const struct pb_jitter *jitter, char line[PB_JITTER_FINE_LINE])
{
    const struct pb_jitter_fine *fine = &jitter->fine;
    char pin[24];
    snprintf(pin, sizeof pin, fine->link < 0 ? "rises of TDMA_CLK" : "falls of link %d", fine->link);
    snprintf(line, PB_JITTER_FINE_LINE,
             "%s: %" PRIu64 " edges, %" PRIu64
             " without a place; single shot %.0f ps rms, widest bin %.0f ps; delays %.4f of those in the "
             "table, %.4f after the run",
             pin, fine->edges, fine->without, fine->rms_ps, fine->widest_ps, fine->ratio, fine->ratio_end);
    return line;
}
