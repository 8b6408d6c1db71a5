/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bench's own clock is held against two things: its PHASE events, which are the schedule as the bench
 * keeps it, against the ordered rate; and the edges at the pin (TDMA events) against the PHASE events. An
 * outside clock is what the PHASE events follow, so its edges are held against the ordered rate and the
 * straight line through them.
 */
#include "host/check/clock_error.h"

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

/* Phases are counted. When an event counts otherwise and the next one goes on from there, phases were left
 * out; a number that nothing confirms is only wrong. */
static void make_mark(struct pb_checker *checker, const struct pb_event *event, const struct pb_event *next)
{
    struct pb_clock *clock = &checker->clock;
    const unsigned phases = checker->run.scenario->network.phases;
    const uint64_t limit = (uint64_t)phases * checker->run.scenario->superframes, index = clock->index,
                   number = number_of(&checker->run, event, index);
    const bool wrong = number != index;
    struct pb_phase_mark *mark = pb_marks_add(&checker->marks);
    if (!mark) {
        checker->out.code = PB_ERR_MEMORY;
        return;
    }
    *mark = (struct pb_phase_mark){.ideal_tick = event->tick,
                                   .tick = event->tick,
                                   .superframe = (uint32_t)(index / phases),
                                   .phase = (unsigned)(index % phases),
                                   .half = PB_HALF_UNKNOWN};
    if (wrong && number - index != clock->reported) {
        const struct pb_schedule_place place = pb_schedule_place_at(&checker->run, mark);
        struct pb_finding *finding = pb_finding_add(&checker->out, &place, PB_FINDING_CLOCK, -1);
        pb_finding_expected(finding, "superframe %" PRIu32 " phase %u", mark->superframe, mark->phase);
        pb_finding_seen(finding, "superframe %u phase %u", pb_event_superframe(event), pb_event_phase(event));
    }
    clock->reported = wrong ? number - index : UINT64_MAX;
    if (wrong && number > index && number < limit && pb_event_phase(event) < phases &&
        (!next || number_of(&checker->run, next, number + 1) == number + 1)) {
        clock->index = number;
        mark->superframe = (uint32_t)(number / phases);
        mark->phase = (unsigned)(number % phases);
        clock->reported = UINT64_MAX;
    }
    clock->index++;
}

static void judge_count(struct pb_checker *checker)
{
    const uint64_t limit =
        (uint64_t)checker->run.scenario->network.phases * checker->run.scenario->superframes;
    if (checker->marks.end == limit || *checker->run.observation->cut)
        return;
    const struct pb_schedule_place place = pb_schedule_place_last(&checker->marks);
    struct pb_finding *finding = pb_finding_add(&checker->out, &place, PB_FINDING_CLOCK, -1);
    pb_finding_expected(finding, "%" PRIu64 " phases", limit);
    pb_finding_seen(finding, "%zu phases", checker->marks.end);
}

int pb_clock_take_edge(struct pb_clock *clock, const struct pb_event *event)
{
    return pb_queue_add(&clock->edge, event, 0);
}

void pb_clock_take_phase(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_clock *clock = &checker->clock;
    if (clock->waiting)
        make_mark(checker, &clock->phase, event);
    clock->waiting = event != NULL;
    if (event)
        clock->phase = *event;
    else if (!checker->out.code)
        judge_count(checker);
}

static int64_t interval_ps(const struct pb_checker *checker, size_t mark)
{
    return pb_ticks_to_ps(&checker->run, pb_mark(&checker->marks, mark + 1)->ideal_tick) -
           pb_ticks_to_ps(&checker->run, pb_mark(&checker->marks, mark)->ideal_tick);
}

/* Within two ticks: each of two stamps is whole. A time in ps is rounded by one at most for each. */
static bool is_nothing(const struct pb_check_run *run, int64_t ps)
{
    return llabs(ps) <= pb_span_most_ps(run, 2);
}

static bool is_alike(const struct pb_checker *checker, size_t mark, int64_t excess)
{
    const int64_t other = interval_ps(checker, mark) - checker->run.phase_ps;
    return (other > 0) == (excess > 0) && other && is_nothing(&checker->run, other - excess);
}

/* How much longer than ordered the interval after a mark is; *single: it stands alone. */
static int64_t excess_ps(const struct pb_checker *checker, size_t mark, bool *single)
{
    const int64_t phase_ps = checker->run.phase_ps, step_ps = checker->run.resolution_ps;
    const int64_t excess = interval_ps(checker, mark) - phase_ps;
    *single = false;
    if (llabs(excess) <= step_ps + 1)
        return excess;
    unsigned alike = 1;
    for (size_t i = mark; i-- > 0 && alike < PB_DRIFT_RUN && is_alike(checker, i, excess);)
        alike++;
    for (size_t i = mark + 1;
         i + 1 < checker->marks.end && alike < PB_DRIFT_RUN && is_alike(checker, i, excess); i++)
        alike++;
    *single = alike < PB_DRIFT_RUN;
    return excess;
}

/* A stamp of the bench's own edge is exact, one of an external edge is rounded down. */
static int64_t edge_u95_ps(const struct pb_check_run *run)
{
    return run->scenario->follow ? run->edge_resolution_ps : 0;
}

static void measure_period(struct pb_checker *checker, size_t mark)
{
    const struct pb_phase_mark *at = pb_mark(&checker->marks, mark);
    const uint64_t ordered = (uint64_t)at->superframe * checker->run.scenario->network.phases + at->phase;
    const struct pb_reading reading = {
        .value = pb_mark_ps(&checker->marks, mark) - pb_mark_ps(&checker->marks, mark - 1),
        .u95 = edge_u95_ps(&checker->run),
        .lower = PB_ABSENT,
        .upper = PB_ABSENT,
        .placed = true,
        .phase = checker->run.scenario->follow ? (uint64_t)at->number : ordered,
        .time_ps = pb_mark_ps(&checker->marks, mark),
        .step_ps = edge_u95_ps(&checker->run)};
    pb_measure_take(&checker->out.measure, PB_FIGURE_CLOCK_PERIOD, 0, &reading);
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
static void report_drift(struct pb_checker *checker, size_t at, int64_t known_ps, size_t count, double excess,
                         double uncertainty)
{
    const double ordered_ps = (double)count * (double)checker->run.phase_ps;
    const struct pb_schedule_place place = pb_schedule_place_of_mark(&checker->marks, at);
    struct pb_finding *finding = pb_finding_claim(
        &checker->out, &place, -1,
        &(struct pb_claim){.kind = PB_FINDING_DRIFT, .at_ps = known_ps, .sender = PB_SENDER_NONE});
    finding->measurement = pb_measure_key(PB_FIGURE_CLOCK_RATE, 0);
    pb_finding_expected(finding, "a phase every %.3f us", pb_us(checker->run.phase_ps));
    pb_finding_seen(finding, "rate off by %+.1f ppm (U95 %.1f ppm) over %zu phases",
                    -excess / (ordered_ps + excess) * 1e6, uncertainty / ordered_ps * 1e6, count);
}

/* A displaced stamp makes one interval long and its neighbour short: that is one finding. */
static void report_interval(struct pb_checker *checker, size_t mark, int64_t excess)
{
    bool single;
    if (mark > 0) {
        const int64_t before = excess_ps(checker, mark - 1, &single);
        if (single && is_nothing(&checker->run, before + excess))
            return;
    }
    const struct pb_schedule_place place = pb_schedule_place_of_mark(&checker->marks, mark);
    struct pb_finding *finding = pb_finding_add(&checker->out, &place, PB_FINDING_CLOCK, -1);
    pb_finding_expected(finding, "a phase of %.3f us", pb_us(checker->run.phase_ps));
    pb_finding_seen(finding, "%.3f us to the next phase edge", pb_us(interval_ps(checker, mark)));
}

/* The rate over the last superframe, at every phase, so that a drift is found as soon as it can be. Stamps
 * are whole ticks of a schedule that is exact on average: any span is right to a tick. */
static void judge_rate(struct pb_checker *checker, size_t i)
{
    struct pb_clock *clock = &checker->clock;
    const size_t phases = checker->run.scenario->network.phases;
    const int64_t limit_ps = checker->run.resolution_ps + (int64_t)phases;
    bool single;
    const int64_t excess = excess_ps(checker, i - 1, &single);
    if (single)
        report_interval(checker, i - 1, excess);
    struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
    mark->late_ps = mark[-1].late_ps + (single ? 0 : excess);
    const size_t from = i > clock->drift_used + phases ? i - phases : clock->drift_used;
    const int64_t over = mark->late_ps - pb_mark(&checker->marks, from)->late_ps;
    if (llabs(over) > limit_ps && (!clock->drifts || llabs(over) >= llabs(clock->drift_ps))) {
        clock->drift_first = clock->drifts ? clock->drift_first : i;
        clock->drift_ps = over;
        clock->drift_count = i - from;
        clock->drifts = clock->drifted = true;
    }
    if (i + 1 != checker->marks.end && mark->superframe == mark[-1].superframe)
        return;
    measure_rate(&checker->out, clock->drifts ? clock->drift_count : i - from,
                 clock->drifts ? clock->drift_ps : over, limit_ps,
                 clock->drifts ? PB_JUDGED_FAIL : PB_JUDGED_PASS);
    if (!clock->drifts)
        return;
    report_drift(checker, clock->drift_first - 1, interval_ps(checker, clock->drift_first - 1),
                 clock->drift_count, (double)clock->drift_ps, (double)checker->run.resolution_ps);
    clock->drift_used = i;
    clock->drifts = false;
}

static void judge_whole_rate(struct pb_checker *checker)
{
    const int64_t limit_ps = checker->run.resolution_ps + (int64_t)checker->marks.end;
    const int64_t late_ps =
        checker->marks.end ? pb_mark(&checker->marks, checker->marks.end - 1)->late_ps : 0;
    if (checker->marks.end < 2 || checker->clock.drifted || llabs(late_ps) <= limit_ps)
        return;
    measure_rate(&checker->out, checker->marks.end - 1, late_ps, limit_ps, PB_JUDGED_FAIL);
    report_drift(checker, checker->marks.end - 1, 0, checker->marks.end - 1, (double)late_ps,
                 (double)checker->run.resolution_ps);
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
static void take_edges(struct pb_checker *checker, size_t at)
{
    struct pb_clock *clock = &checker->clock;
    struct pb_phase_mark *mark = pb_mark(&checker->marks, at);
    const bool last = at + 1 == checker->marks.end;
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
        if (apart < nearest &&
            2 * (double)pb_ticks_to_ps(&checker->run, apart) < (double)checker->run.phase_ps) {
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
        mark->half = checker->run.scenario->follow ? pb_event_half(edge) : PB_HALF_UNKNOWN;
    }
    for (size_t i = from; i < clock->next_edge && !checker->run.scenario->follow; i++)
        if (i != own) {
            edge = pb_queue_at(&clock->edge, i);
            const size_t within = edge->tick < mark->ideal_tick && at > 0 ? at - 1 : at;
            report_edge(&checker->out, pb_mark(&checker->marks, within), edge->tick, PB_FINDING_CLOCK_EXTRA,
                        "another rising edge");
            break;
        }
}

static void judge_pin(struct pb_checker *checker, size_t i)
{
    struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
    take_edges(checker, i);
    if (!mark->has_edge) {
        /* A clock that stands is told of in its first two phases, and again in every superframe. */
        const bool stands = i >= 2 && mark->phase >= 2 && !mark[-1].has_edge && !mark[-2].has_edge;
        if (!stands)
            report_edge(&checker->out, mark, mark->ideal_tick, PB_FINDING_CLOCK_MISSING, "no rising edge");
        return;
    }
    /* An early edge finds TDMA_SYNC as the phase before left it. The schedule always lags behind an
     * outside clock. */
    const bool early = !checker->run.scenario->follow && mark->tick + 1 < mark->ideal_tick;
    const bool wanted = early ? i > 0 && mark[-1].phase == 0 : mark->phase == 0;
    if (mark->sync != wanted)
        report_edge(&checker->out, mark, mark->tick, wanted ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA,
                    wanted ? "TDMA_SYNC low" : "TDMA_SYNC high");
}

/* A core that records no edge of TDMA_CLK at all leaves them to be taken as ordered. One that does so later
 * shows that the first ones did not come. */
static void look_for_edges(struct pb_checker *checker)
{
    struct pb_clock *clock = &checker->clock;
    if (clock->recorded || !pb_queue_end(&clock->edge))
        return;
    clock->recorded = true;
    for (size_t i = 0; i < 2 && i < clock->pins; i++)
        report_edge(&checker->out, &clock->unseen[i], clock->unseen[i].ideal_tick, PB_FINDING_CLOCK_MISSING,
                    "no rising edge");
}

/* ---- an outside clock */

/* Scatter of the edges makes the rate uncertain: by three standard errors of the slope. Jitter that the
 * scenario allows never does more than with the early half of the edges at one end of its range and the late
 * half at the other: 1.5 jitter / count for a least-squares line. */
static void judge_outside_rate(struct pb_checker *checker, size_t from, size_t to,
                               const struct pb_line *line)
{
    const double phase_ps = (double)checker->run.phase_ps, count = (double)(to - from);
    double ppm = (phase_ps / line->slope_ps - 1) * 1e6, calibration_u95 = 0;
    pb_calibrate_rate_ppm(checker->run.observation->calibration, &ppm, &calibration_u95);
    double squares = 0;
    for (size_t i = from; i < to; i++) {
        const struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
        squares += mark->tie_known ? (double)mark->tie_ps * (double)mark->tie_ps : 0;
    }
    const double error_ps = fmax(3 * sqrt(squares / count / line->spread),
                                 1.5 * (double)checker->run.scenario->controller.jitter_ps / count);
    const double uncertainty_ps =
        (double)checker->run.resolution_ps / count + error_ps + calibration_u95 / 1e6 * phase_ps;
    const double stated = checker->run.scenario->controller.clock_error_ppm, told = ppm - stated,
                 limit = PB_FOLLOW_TOLERANCE_PPM + uncertainty_ps / phase_ps * 1e6;
    const bool wrong = fabs(told) > limit;
    pb_measure_take(&checker->out.measure, PB_FIGURE_CLOCK_RATE, 0,
                    &(struct pb_reading){.value = whole_ppb(ppm * 1e3),
                                         .u95 = whole_ppb(uncertainty_ps / phase_ps * 1e9),
                                         .lower = whole_ppb((stated - limit) * 1e3),
                                         .upper = whole_ppb((stated + limit) * 1e3),
                                         .judgement = wrong ? PB_JUDGED_FAIL : PB_JUDGED_PASS});
    if (wrong)
        report_drift(checker, from, 0, to - from, (line->slope_ps - phase_ps) * count,
                     uncertainty_ps * count);
}

/* The edges are numbered by the time between them. */
static void number_edge(struct pb_checker *checker, size_t i)
{
    struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
    const double between = (double)(pb_mark_ps(&checker->marks, i) - pb_mark_ps(&checker->marks, i - 1)) /
                           (double)checker->run.phase_ps;
    const int64_t steps = between < 1e9 ? (int64_t)(between + 0.5) : 1000000000;
    mark->number = mark[-1].number + steps;
    if (steps != 1)
        report_edge(&checker->out, mark - (steps > 1), mark[-(steps > 1)].tick,
                    steps ? PB_FINDING_CLOCK_MISSING : PB_FINDING_CLOCK_EXTRA,
                    steps ? "no rising edge when the next phase was due" : "another rising edge");
}

/* Fits a straight line to a block of edges, and takes the distances from it. */
static void take_outside_ties(struct pb_checker *checker, size_t from, size_t to, int64_t scatter_ps)
{
    struct pb_line line = {0, (double)checker->run.phase_ps, 0};
    if (!pb_fit_line(&line, checker, from, to, scatter_ps))
        return;
    const int64_t base_ps = pb_mark_ps(&checker->marks, from);
    for (size_t i = from; i < to; i++) {
        struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
        const double place =
            line.origin_ps + (double)(mark->number - pb_mark(&checker->marks, from)->number) * line.slope_ps;
        const double error = (double)(pb_mark_ps(&checker->marks, i) - base_ps) - place;
        mark->tie_known = error < 1e15 && error > -1e15 && (i == 0 || mark->number != mark[-1].number);
        mark->tie_ps = mark->tie_known ? (int64_t)(error < 0 ? error - 0.5 : error + 0.5) : 0;
    }
    judge_outside_rate(checker, from, to, &line);
}

/* ---- from mark to mark */

/* Whether a stage may judge a mark that looks at so many after it. */
static bool is_ready(const struct pb_check_run *run, size_t mark, size_t known, size_t ahead)
{
    return run->ended ? mark < known : mark + ahead < known;
}

static void advance_pins(struct pb_checker *checker)
{
    struct pb_clock *clock = &checker->clock;
    look_for_edges(checker);
    while (is_ready(&checker->run, clock->pins, checker->marks.end,
                    clock->recorded ? 1 : pb_ahead(&checker->run))) {
        const size_t i = clock->pins;
        struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
        if (clock->recorded)
            judge_pin(checker, i);
        else if (i < 2)
            clock->unseen[i] = *mark;
        if (i == 0)
            checker->marks.first = *mark;
        else if (checker->run.scenario->follow)
            number_edge(checker, i);
        if (!checker->run.scenario->follow && clock->recorded) {
            mark->tie_known = mark->has_edge;
            mark->tie_ps =
                pb_ticks_to_ps(&checker->run, mark->tick) - pb_ticks_to_ps(&checker->run, mark->ideal_tick);
        }
        clock->pins++;
        pb_faults_pass(&checker->faults, clock->pins);
        if (i > 0)
            pb_walk_take_mark(checker, i - 1);
    }
    if (checker->run.ended && checker->marks.end)
        pb_walk_take_mark(checker, checker->marks.end - 1);
}

static void advance_ties(struct pb_checker *checker, int64_t scatter_ps)
{
    struct pb_clock *clock = &checker->clock;
    const size_t phases = checker->run.scenario->network.phases,
                 block = phases < FOLLOW_BLOCK ? FOLLOW_BLOCK : phases;
    if (!checker->run.scenario->follow) {
        clock->ties = clock->pins;
        return;
    }
    while (clock->ties < clock->pins && (checker->run.ended || clock->pins - clock->ties >= 2 * block)) {
        const size_t from = clock->ties;
        /* The last block takes a remainder that is too short for one of its own. */
        clock->ties = clock->pins - from < 2 * block ? clock->pins : from + block;
        take_outside_ties(checker, from, clock->ties, scatter_ps);
    }
}

void pb_clock_advance(struct pb_checker *checker)
{
    struct pb_clock *clock = &checker->clock;
    const bool follow = checker->run.scenario->follow;
    /* One tick, which may be rounded up; from a straight line, which is no whole number of ticks, two. */
    const int64_t scatter_ps =
        follow ? pb_span_most_ps(&checker->run, 2) + checker->run.scenario->controller.jitter_ps
               : pb_span_most_ps(&checker->run, 1);
    clock->rate += !clock->rate;
    for (; !follow && is_ready(&checker->run, clock->rate, checker->marks.end, PB_DRIFT_RUN); clock->rate++)
        judge_rate(checker, clock->rate);
    if (!follow && checker->run.ended)
        judge_whole_rate(checker);
    advance_pins(checker);
    advance_ties(checker, scatter_ps);
    for (; is_ready(&checker->run, clock->judged, clock->ties, PB_TIES_AHEAD); clock->judged++) {
        const size_t i = clock->judged;
        const struct pb_phase_mark *mark = pb_mark(&checker->marks, i);
        pb_judge_tie(checker, i, scatter_ps);
        if (mark->tie_known)
            measure_tie(&checker->out, mark->tie_ps, scatter_ps);
        if (i > 0 && (!clock->recorded || (mark->has_edge && mark[-1].has_edge)))
            measure_period(checker, i);
    }
}

size_t pb_clock_done(const struct pb_checker *checker)
{
    const struct pb_clock *clock = &checker->clock;
    const size_t rate = checker->run.scenario->follow ? SIZE_MAX : clock->rate;
    size_t least = clock->judged < rate ? clock->judged : rate;
    least = least < clock->ties ? least : clock->ties;
    const size_t superframe = checker->run.scenario->network.phases;
    return least > superframe ? least - superframe : 0;
}

void pb_clock_free(struct pb_checker *checker)
{
    pb_queue_free(&checker->clock.edge);
    pb_marks_free(&checker->marks);
}
