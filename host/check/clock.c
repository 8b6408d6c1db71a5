/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the phase clock. The bench's own clock has two comparisons: its PHASE events with the configured
 * rate, and the edges at the pin (TDMA events) with the PHASE events. PHASE events follow an external clock,
 * so its edges are compared with the configured rate and with the straight line through them.
 */
#include "host/check/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    FOLLOW_BLOCK = PB_AHEAD_MIN /* edges, at least, for a straight line */
};

/* ---- the schedule */

static uint64_t number_of(const struct pb_check_run *run, const struct pb_event *event, uint64_t expected)
{
    const unsigned phases = run->scenario->network.phases;
    const uint64_t superframe = expected / phases;
    const uint32_t ahead =
        (pb_event_superframe(event) - (uint32_t)superframe) & PB_EVENT_PHASE_SUPERFRAME_MASK;
    return (superframe + ahead) * phases + pb_event_phase(event);
}

/* Makes the mark of the next phase. Phases are counted. If the number of an event differs and the next event
 * continues from it, phases are missing; a number that the next event does not confirm is only incorrect. */
static void make_mark(struct pb_clock *clock, const struct pb_event *event, const struct pb_event *next)
{
    const unsigned phases = clock->run->scenario->network.phases;
    const uint64_t limit = (uint64_t)phases * clock->run->scenario->superframes, index = clock->index,
                   number = number_of(clock->run, event, index);
    const bool wrong = number != index;
    struct pb_phase_mark *mark = pb_marks_add(clock->marks);
    if (!mark) {
        clock->out->code = PB_ERR_MEMORY;
        return;
    }
    *mark = (struct pb_phase_mark){.ideal_tick = event->tick,
                                   .tick = event->tick,
                                   .superframe = (uint32_t)(index / phases),
                                   .phase = (unsigned)(index % phases),
                                   .half = PB_HALF_UNKNOWN,
                                   .sync_tick = UINT64_MAX,
                                   .sync_half = PB_HALF_UNKNOWN};
    if (wrong && number - index != clock->reported) {
        const struct pb_schedule_place place = pb_schedule_place_at(clock->run, mark);
        struct pb_finding *finding = pb_finding_add(clock->out, &place, PB_FINDING_CLOCK, -1);
        pb_finding_expected(finding, "superframe %" PRIu32 " phase %u", mark->superframe, mark->phase);
        pb_finding_seen(finding, "superframe %u phase %u", pb_event_superframe(event), pb_event_phase(event));
    }
    clock->reported = wrong ? number - index : UINT64_MAX;
    if (wrong && number > index && number < limit && pb_event_phase(event) < phases &&
        (!next || number_of(clock->run, next, number + 1) == number + 1)) {
        clock->index = number;
        mark->superframe = (uint32_t)(number / phases);
        mark->phase = (unsigned)(number % phases);
        clock->reported = UINT64_MAX;
    }
    clock->index++;
}

static void judge_count(struct pb_clock *clock)
{
    const uint64_t limit = (uint64_t)clock->run->scenario->network.phases * clock->run->scenario->superframes;
    if (clock->marks->end == limit || *clock->run->observation->cut)
        return;
    const struct pb_schedule_place place = pb_schedule_place_last(clock->marks);
    struct pb_finding *finding = pb_finding_add(clock->out, &place, PB_FINDING_CLOCK, -1);
    pb_finding_expected(finding, "%" PRIu64 " phases", limit);
    pb_finding_seen(finding, "%zu phases", clock->marks->end);
}

void pb_clock_open(struct pb_clock *clock, struct pb_marks *marks, struct pb_check_output *out)
{
    *clock = (struct pb_clock){
        .run = out->run,
        .marks = marks,
        .out = out,
        .reported = UINT64_MAX,
        .crowds = {.marks = marks, .out = out}};
}

int pb_clock_take_edge(struct pb_clock *clock, const struct pb_event *event)
{
    return pb_queue_add(&clock->edge, event, 0);
}

void pb_clock_take_phase(struct pb_clock *clock, const struct pb_event *event)
{
    if (clock->waiting)
        make_mark(clock, &clock->phase, event);
    clock->waiting = event != NULL;
    if (event)
        clock->phase = *event;
    else if (!clock->out->code)
        judge_count(clock);
}

static int64_t interval_ps(const struct pb_clock *clock, size_t mark)
{
    return pb_ticks_to_ps(clock->run, pb_mark(clock->marks, mark + 1)->ideal_tick) -
           pb_ticks_to_ps(clock->run, pb_mark(clock->marks, mark)->ideal_tick);
}

/* Within two ticks: each of two stamps is whole. A time in ps is rounded by one at most for each. */
static bool is_nothing(const struct pb_check_run *run, int64_t ps)
{
    return llabs(ps) <= pb_span_most_ps(run, 2);
}

static bool is_alike(const struct pb_clock *clock, size_t mark, int64_t excess)
{
    const int64_t other = interval_ps(clock, mark) - clock->run->phase_ps;
    return (other > 0) == (excess > 0) && other && is_nothing(clock->run, other - excess);
}

/* How much longer than configured the interval after a mark is; *single: fewer than PB_DRIFT_RUN successive
 * intervals have this excess. */
static int64_t excess_ps(const struct pb_clock *clock, size_t mark, bool *single)
{
    const int64_t phase_ps = clock->run->phase_ps, step_ps = clock->run->resolution_ps;
    const int64_t excess = interval_ps(clock, mark) - phase_ps;
    *single = false;
    if (llabs(excess) <= step_ps + 1)
        return excess;
    unsigned alike = 1;
    for (size_t i = mark; i-- > 0 && alike < PB_DRIFT_RUN && is_alike(clock, i, excess);)
        alike++;
    for (size_t i = mark + 1; i + 1 < clock->marks->end && alike < PB_DRIFT_RUN && is_alike(clock, i, excess);
         i++)
        alike++;
    *single = alike < PB_DRIFT_RUN;
    return excess;
}

/* A stamp of the bench's own edge is exact, one of an external edge is rounded down. */
static int64_t edge_u95_ps(const struct pb_check_run *run)
{
    return run->scenario->follow ? run->edge_resolution_ps : 0;
}

static void measure_period(struct pb_clock *clock, size_t mark)
{
    const struct pb_phase_mark *at = pb_mark(clock->marks, mark);
    const uint64_t ordered = (uint64_t)at->superframe * clock->run->scenario->network.phases + at->phase;
    const struct pb_reading reading = {.value = pb_mark_ps(clock->marks, mark) -
                                                pb_mark_ps(clock->marks, mark - 1),
                                       .u95 = edge_u95_ps(clock->run),
                                       .lower = PB_ABSENT,
                                       .upper = PB_ABSENT,
                                       .placed = true,
                                       .phase = clock->run->scenario->follow ? (uint64_t)at->number : ordered,
                                       .time_ps = pb_mark_ps(clock->marks, mark),
                                       .step_ps = edge_u95_ps(clock->run)};
    pb_measure_take(&clock->out->measure, PB_FIGURE_CLOCK_PERIOD, 0, &reading);
}

/* TDMA_SYNC of an external controller changed after an edge, while a node may read it: the node and the bench
 * may have seen different levels. */
static void report_late_sync(struct pb_check_output *out, const struct pb_phase_mark *edge, bool rises,
                             int64_t lag_ps)
{
    const struct pb_schedule_place place = pb_schedule_place_at(out->run, edge);
    struct pb_finding *finding =
        pb_finding_add(out, &place, rises ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA, -1);
    pb_finding_expected(finding, "TDMA_SYNC changes with the edge or before it, or at least %.3f us after it",
                        pb_us(out->run->scenario->head_guard_ps));
    pb_finding_seen(finding,
                    "it %s %.3f us after the edge, so a node that reads it later sees another level than the "
                    "bench",
                    rises ? "rose" : "fell", pb_us(lag_ps));
}

/* TDMA_SYNC changed between the edge before this mark and that of the mark: at which distance from the
 * nearest of the two. */
static void measure_sync(struct pb_clock *clock, size_t i)
{
    const struct pb_check_run *run = clock->run;
    const struct pb_phase_mark *mark = pb_mark(clock->marks, i), *before = pb_mark(clock->marks, i - 1);
    if (!before->has_edge || !mark->has_edge || before->sync == mark->sync || mark->sync_tick == UINT64_MAX ||
        mark->sync_tick < before->tick)
        return;
    const int64_t change_ps = pb_ticks_to_ps(run, mark->sync_tick) + pb_half_ps(run, mark->sync_half),
                  lead_ps = pb_mark_ps(clock->marks, i) - change_ps,
                  lag_ps = change_ps - pb_mark_ps(clock->marks, i - 1);
    const size_t nearest = lag_ps < lead_ps ? i - 1 : i;
    const struct pb_phase_mark *at = pb_mark(clock->marks, nearest);
    const uint64_t ordered = (uint64_t)at->superframe * run->scenario->network.phases + at->phase;
    const int64_t u95_ps = edge_u95_ps(run);
    if (run->scenario->follow && mark->sync_tick > before->tick && lag_ps < run->scenario->head_guard_ps)
        report_late_sync(clock->out, before, mark->sync, lag_ps);
    pb_measure_take(&clock->out->measure, mark->sync ? PB_FIGURE_SYNC_RISE : PB_FIGURE_SYNC_FALL, 0,
                    &(struct pb_reading){.value = nearest == i ? -lead_ps : lag_ps,
                                         .u95 = u95_ps,
                                         .lower = PB_ABSENT,
                                         .upper = PB_ABSENT,
                                         .placed = true,
                                         .phase = run->scenario->follow ? (uint64_t)at->number : ordered,
                                         .time_ps = pb_mark_ps(clock->marks, nearest),
                                         .step_ps = u95_ps});
}

static void measure_tie(struct pb_check_output *out, int64_t tie_ps, int64_t limit_ps)
{
    struct pb_reading reading = {
        .value = tie_ps, .u95 = edge_u95_ps(out->run), .lower = -limit_ps, .upper = limit_ps};
    reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    pb_measure_take(&out->measure, PB_FIGURE_CLOCK_TIE, 0, &reading);
}

/* Events that no clock makes may have any rate, or none. */
static int64_t whole_ppb(double ppb)
{
    const double most = 1e15;
    return ppb >= -most && ppb <= most ? llround(ppb) : (int64_t)(ppb > 0 ? most : -most);
}

static int64_t ppb_of(double part, double whole)
{
    return whole_ppb(part / whole * 1e9);
}

/* The rate over `count` phases that last longer than scheduled by excess_ps in all. */
static void measure_rate(struct pb_check_output *out, size_t count, int64_t excess_ps, int64_t limit_ps,
                         enum pb_judgement judgement)
{
    const double ordered_ps = (double)count * (double)out->run->phase_ps;
    const int64_t limit_ppb = ppb_of((double)limit_ps, ordered_ps);
    const struct pb_reading reading = {.value = ppb_of(-(double)excess_ps, ordered_ps + (double)excess_ps),
                                       .u95 = ppb_of((double)out->run->resolution_ps, ordered_ps),
                                       .lower = -limit_ppb,
                                       .upper = limit_ppb,
                                       .judgement = judgement};
    pb_measure_take(&out->measure, PB_FIGURE_CLOCK_RATE, 0, &reading);
}

/* known_ps: when it is known, from the beginning of the phase. */
static void report_drift(struct pb_clock *clock, size_t at, int64_t known_ps, size_t count, double excess,
                         double uncertainty)
{
    const double ordered_ps = (double)count * (double)clock->run->phase_ps;
    const struct pb_schedule_place place = pb_schedule_place_of_mark(clock->marks, at);
    struct pb_finding *finding = pb_finding_claim(
        clock->out, &place, -1,
        &(struct pb_claim){.kind = PB_FINDING_DRIFT, .at_ps = known_ps, .sender = PB_SENDER_NONE});
    finding->measurement = pb_measure_key(PB_FIGURE_CLOCK_RATE, 0);
    pb_finding_expected(finding, "a phase every %.3f us", pb_us(clock->run->phase_ps));
    pb_finding_seen(finding, "rate off by %+.1f ppm (U95 %.1f ppm) over %zu phases",
                    -excess / (ordered_ps + excess) * 1e6, uncertainty / ordered_ps * 1e6, count);
}

/* A displaced stamp makes one interval long and its neighbour short: that is one finding. */
static void report_interval(struct pb_clock *clock, size_t mark, int64_t excess)
{
    bool single;
    if (mark > 0) {
        const int64_t before = excess_ps(clock, mark - 1, &single);
        if (single && is_nothing(clock->run, before + excess))
            return;
    }
    const struct pb_schedule_place place = pb_schedule_place_of_mark(clock->marks, mark);
    struct pb_finding *finding = pb_finding_add(clock->out, &place, PB_FINDING_CLOCK, -1);
    pb_finding_expected(finding, "a phase of %.3f us", pb_us(clock->run->phase_ps));
    pb_finding_seen(finding, "%.3f us to the next phase edge", pb_us(interval_ps(clock, mark)));
}

/* Judges the rate over the last superframe, at every phase, so that a drift is found as early as possible.
 * Stamps are whole ticks of a schedule that is exact on average, so any span is exact to a tick. */
static void judge_rate(struct pb_clock *clock, size_t i)
{
    const size_t phases = clock->run->scenario->network.phases;
    const int64_t limit_ps = clock->run->resolution_ps + (int64_t)phases;
    bool single;
    const int64_t excess = excess_ps(clock, i - 1, &single);
    if (single)
        report_interval(clock, i - 1, excess);
    struct pb_phase_mark *mark = pb_mark(clock->marks, i);
    mark->late_ps = mark[-1].late_ps + (single ? 0 : excess);
    const size_t from = i > clock->drift_used + phases ? i - phases : clock->drift_used;
    const int64_t over = mark->late_ps - pb_mark(clock->marks, from)->late_ps;
    if (llabs(over) > limit_ps && (!clock->drifts || llabs(over) >= llabs(clock->drift_ps))) {
        clock->drift_first = clock->drifts ? clock->drift_first : i;
        clock->drift_ps = over;
        clock->drift_count = i - from;
        clock->drifts = clock->drifted = true;
    }
    if (i + 1 != clock->marks->end && mark->superframe == mark[-1].superframe)
        return;
    measure_rate(clock->out, clock->drifts ? clock->drift_count : i - from,
                 clock->drifts ? clock->drift_ps : over, limit_ps,
                 clock->drifts ? PB_JUDGED_FAIL : PB_JUDGED_PASS);
    if (!clock->drifts)
        return;
    report_drift(clock, clock->drift_first - 1, interval_ps(clock, clock->drift_first - 1),
                 clock->drift_count, (double)clock->drift_ps, (double)clock->run->resolution_ps);
    clock->drift_used = i;
    clock->drifts = false;
}

static void judge_whole_rate(struct pb_clock *clock)
{
    const int64_t limit_ps = clock->run->resolution_ps + (int64_t)clock->marks->end;
    const int64_t late_ps = clock->marks->end ? pb_mark(clock->marks, clock->marks->end - 1)->late_ps : 0;
    if (clock->marks->end < 2 || clock->drifted || llabs(late_ps) <= limit_ps)
        return;
    measure_rate(clock->out, clock->marks->end - 1, late_ps, limit_ps, PB_JUDGED_FAIL);
    report_drift(clock, clock->marks->end - 1, 0, clock->marks->end - 1, (double)late_ps,
                 (double)clock->run->resolution_ps);
}

/* ---- edges at the pin */

static void report_edge(struct pb_check_output *out, const struct pb_phase_mark *mark, uint64_t tick,
                        enum pb_finding_kind kind, const char *seen)
{
    struct pb_schedule_place place = pb_schedule_place_at(out->run, mark);
    place.tick = tick;
    struct pb_finding *finding = pb_finding_add(out, &place, kind, -1);
    pb_finding_expected(finding,
                        kind == PB_FINDING_CLOCK_EXTRA ? "TDMA_CLK rises only when a phase begins"
                        : kind == PB_FINDING_CLOCK_MISSING
                            ? "TDMA_CLK rises when phase %u begins"
                            : "TDMA_SYNC high at the edge of phase 0 only; this is phase %u",
                        place.phase);
    pb_finding_seen(finding, "%s", seen);
}

/* The edges between half a phase before a mark and half a phase after it; the nearest is the mark's. */
static void take_edges(struct pb_clock *clock, size_t at)
{
    struct pb_phase_mark *mark = pb_mark(clock->marks, at);
    const bool last = at + 1 == clock->marks->end;
    const uint64_t to =
        last ? UINT64_MAX : mark->ideal_tick + (mark[1].ideal_tick - mark->ideal_tick + 1) / 2;
    const size_t from = clock->next_edge;
    size_t own = SIZE_MAX;
    uint64_t nearest = UINT64_MAX;
    const struct pb_event *edge;
    for (; (edge = pb_queue_at(&clock->edge, clock->next_edge)) && (edge->tick < to || last);
         clock->next_edge++) {
        const uint64_t tick = edge->tick;
        const uint64_t apart = tick > mark->ideal_tick ? tick - mark->ideal_tick : mark->ideal_tick - tick;
        if (apart < nearest && 2 * (double)pb_ticks_to_ps(clock->run, apart) < (double)clock->run->phase_ps) {
            nearest = apart;
            own = clock->next_edge;
        }
    }
    if (own != SIZE_MAX) {
        edge = pb_queue_at(&clock->edge, own);
        mark->has_edge = true;
        mark->tick = edge->tick;
        mark->sync = PB_GET(PB_EVENT_TDMA_SYNC, edge->value);
        /* The bench's own edge is made at the edge of its clock. */
        const uint32_t sync_ticks = pb_event_sync_ticks(edge);
        if (sync_ticks < PB_EVENT_TDMA_AGE_MASK && sync_ticks <= edge->tick)
            mark->sync_tick = edge->tick - sync_ticks;
        if (clock->run->scenario->follow) {
            mark->half = pb_event_half(edge);
            mark->sync_half = pb_event_sync_half(edge);
        }
    }
    for (size_t i = from; i < clock->next_edge && !clock->run->scenario->follow; i++)
        if (i != own) {
            edge = pb_queue_at(&clock->edge, i);
            const size_t within = edge->tick < mark->ideal_tick && at > 0 ? at - 1 : at;
            report_edge(clock->out, pb_mark(clock->marks, within), edge->tick, PB_FINDING_CLOCK_EXTRA,
                        "another rising edge");
            break;
        }
}

static void judge_pin(struct pb_clock *clock, size_t i)
{
    struct pb_phase_mark *mark = pb_mark(clock->marks, i);
    take_edges(clock, i);
    if (!mark->has_edge) {
        /* A stopped clock is reported in its first two phases, and again in every superframe. */
        const bool stands = i >= 2 && mark->phase >= 2 && !mark[-1].has_edge && !mark[-2].has_edge;
        if (!stands)
            report_edge(clock->out, mark, mark->ideal_tick, PB_FINDING_CLOCK_MISSING, "no rising edge");
        return;
    }
    /* An early edge finds TDMA_SYNC as the phase before left it. The schedule always lags behind an external
     * clock. */
    const bool early = !clock->run->scenario->follow && mark->tick + 1 < mark->ideal_tick;
    const bool wanted = early ? i > 0 && mark[-1].phase == 0 : mark->phase == 0;
    if (mark->sync != wanted)
        report_edge(clock->out, mark, mark->tick, wanted ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA,
                    wanted ? "TDMA_SYNC low" : "TDMA_SYNC high");
}

/* If the core records no edge of TDMA_CLK at all, the edges are taken as configured. If it records one later,
 * the first ones did not come. */
static void look_for_edges(struct pb_clock *clock)
{
    if (clock->recorded || !pb_queue_end(&clock->edge))
        return;
    clock->recorded = true;
    for (size_t i = 0; i < 2 && i < clock->pins; i++)
        report_edge(clock->out, &clock->unseen[i], clock->unseen[i].ideal_tick, PB_FINDING_CLOCK_MISSING,
                    "no rising edge");
}

/* ---- an external clock */

/* Scatter of the edges makes the rate uncertain: by three standard errors of the slope. Jitter that the
 * scenario allows never does more than with the early half of the edges at one end of its range and the late
 * half at the other: 1.5 jitter / count for a least-squares line. */
static void judge_outside_rate(struct pb_clock *clock, size_t from, size_t to, const struct pb_line *line)
{
    const double phase_ps = (double)clock->run->phase_ps, count = (double)(to - from);
    double ppm = (phase_ps / line->slope_ps - 1) * 1e6, calibration_u95 = 0;
    pb_calibrate_rate_ppm(clock->run->observation->calibration, &ppm, &calibration_u95);
    double squares = 0;
    for (size_t i = from; i < to; i++) {
        const struct pb_phase_mark *mark = pb_mark(clock->marks, i);
        squares += mark->tie_known ? (double)mark->tie_ps * (double)mark->tie_ps : 0;
    }
    const double error_ps = fmax(3 * sqrt(squares / count / line->spread),
                                 1.5 * (double)clock->run->scenario->controller.jitter_ps / count);
    const double uncertainty_ps =
        (double)clock->run->resolution_ps / count + error_ps + calibration_u95 / 1e6 * phase_ps;
    const double stated = clock->run->scenario->controller.clock_error_ppm, excess = ppm - stated,
                 limit = PB_FOLLOW_TOLERANCE_PPM + uncertainty_ps / phase_ps * 1e6;
    const bool wrong = fabs(excess) > limit;
    pb_measure_take(&clock->out->measure, PB_FIGURE_CLOCK_RATE, 0,
                    &(struct pb_reading){.value = whole_ppb(ppm * 1e3),
                                         .u95 = whole_ppb(uncertainty_ps / phase_ps * 1e9),
                                         .lower = whole_ppb((stated - limit) * 1e3),
                                         .upper = whole_ppb((stated + limit) * 1e3),
                                         .judgement = wrong ? PB_JUDGED_FAIL : PB_JUDGED_PASS});
    if (wrong)
        report_drift(clock, from, 0, to - from, (line->slope_ps - phase_ps) * count, uncertainty_ps * count);
}

/* The edges are numbered by the time between them. */
static void number_edge(struct pb_clock *clock, size_t i)
{
    struct pb_phase_mark *mark = pb_mark(clock->marks, i);
    const double between = (double)(pb_mark_ps(clock->marks, i) - pb_mark_ps(clock->marks, i - 1)) /
                           (double)clock->run->phase_ps;
    const int64_t steps = between < 1e9 ? (int64_t)(between + 0.5) : 1000000000;
    mark->number = mark[-1].number + steps;
    if (steps != 1)
        report_edge(clock->out, mark - (steps > 1), mark[-(steps > 1)].tick,
                    steps ? PB_FINDING_CLOCK_MISSING : PB_FINDING_CLOCK_EXTRA,
                    steps ? "no rising edge when the next phase was due" : "another rising edge");
}

/* Fits a straight line to a block of edges, and takes the distances from it. */
static void take_outside_ties(struct pb_clock *clock, size_t from, size_t to, int64_t scatter_ps)
{
    struct pb_line line = {0, (double)clock->run->phase_ps, 0};
    if (!pb_fit_line(&line, clock->marks, from, to, scatter_ps))
        return;
    const int64_t base_ps = pb_mark_ps(clock->marks, from);
    for (size_t i = from; i < to; i++) {
        struct pb_phase_mark *mark = pb_mark(clock->marks, i);
        const double place =
            line.origin_ps + (double)(mark->number - pb_mark(clock->marks, from)->number) * line.slope_ps;
        const double error = (double)(pb_mark_ps(clock->marks, i) - base_ps) - place;
        mark->tie_known = error < 1e15 && error > -1e15 && (i == 0 || mark->number != mark[-1].number);
        mark->tie_ps = mark->tie_known ? (int64_t)(error < 0 ? error - 0.5 : error + 0.5) : 0;
    }
    judge_outside_rate(clock, from, to, &line);
}

/* ---- from mark to mark */

/* Whether a stage may judge a mark. ahead: number of later marks that the stage needs. */
static bool is_ready(const struct pb_check_run *run, size_t mark, size_t known, size_t ahead)
{
    return run->ended ? mark < known : mark + ahead < known;
}

static void advance_pins(struct pb_clock *clock)
{
    look_for_edges(clock);
    while (is_ready(clock->run, clock->pins, clock->marks->end, clock->recorded ? 1 : pb_ahead(clock->run))) {
        const size_t i = clock->pins;
        struct pb_phase_mark *mark = pb_mark(clock->marks, i);
        if (clock->recorded)
            judge_pin(clock, i);
        else if (i < 2)
            clock->unseen[i] = *mark;
        if (i == 0)
            clock->marks->first = *mark;
        else if (clock->run->scenario->follow)
            number_edge(clock, i);
        if (!clock->run->scenario->follow && clock->recorded) {
            mark->tie_known = mark->has_edge;
            mark->tie_ps =
                pb_ticks_to_ps(clock->run, mark->tick) - pb_ticks_to_ps(clock->run, mark->ideal_tick);
        }
        clock->pins++;
    }
}

static void advance_ties(struct pb_clock *clock, int64_t scatter_ps)
{
    const size_t phases = clock->run->scenario->network.phases,
                 block = phases < FOLLOW_BLOCK ? FOLLOW_BLOCK : phases;
    if (!clock->run->scenario->follow) {
        clock->ties = clock->pins;
        return;
    }
    while (clock->ties < clock->pins && (clock->run->ended || clock->pins - clock->ties >= 2 * block)) {
        const size_t from = clock->ties;
        /* The last block takes a remainder that is too short for one of its own. */
        clock->ties = clock->pins - from < 2 * block ? clock->pins : from + block;
        take_outside_ties(clock, from, clock->ties, scatter_ps);
    }
}

void pb_clock_advance(struct pb_clock *clock)
{
    const bool follow = clock->run->scenario->follow;
    /* One tick, which may be rounded up; from a straight line, which is no whole number of ticks, two. */
    const int64_t scatter_ps =
        follow ? pb_span_most_ps(clock->run, 2) + clock->run->scenario->controller.jitter_ps
               : pb_span_most_ps(clock->run, 1);
    clock->rate += !clock->rate;
    for (; !follow && is_ready(clock->run, clock->rate, clock->marks->end, PB_DRIFT_RUN); clock->rate++)
        judge_rate(clock, clock->rate);
    if (!follow && clock->run->ended)
        judge_whole_rate(clock);
    advance_pins(clock);
    advance_ties(clock, scatter_ps);
    for (; is_ready(clock->run, clock->judged, clock->ties, PB_TIES_AHEAD); clock->judged++) {
        const size_t i = clock->judged;
        const struct pb_phase_mark *mark = pb_mark(clock->marks, i);
        pb_judge_tie(&clock->crowds, i, scatter_ps);
        if (mark->tie_known)
            measure_tie(clock->out, mark->tie_ps, scatter_ps);
        if (i > 0 && (!clock->recorded || (mark->has_edge && mark[-1].has_edge)))
            measure_period(clock, i);
        if (i > 0 && clock->recorded)
            measure_sync(clock, i);
    }
}

size_t pb_clock_done(const struct pb_clock *clock)
{
    const size_t rate = clock->run->scenario->follow ? SIZE_MAX : clock->rate;
    size_t least = clock->judged < rate ? clock->judged : rate;
    least = least < clock->ties ? least : clock->ties;
    const size_t superframe = clock->run->scenario->network.phases;
    return least > superframe ? least - superframe : 0;
}

void pb_clock_free(struct pb_clock *clock)
{
    pb_queue_free(&clock->edge);
    pb_marks_free(clock->marks);
}
