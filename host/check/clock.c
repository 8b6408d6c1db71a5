/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bench's own clock is held against two things: its PHASE events, which are the schedule as the bench
 * keeps it, against the ordered rate; and the edges at the pin (TDMA events) against the PHASE events. An
 * outside clock is what the PHASE events follow, so its edges are held against the ordered rate and the
 * straight line through them.
 */
#include "host/check/tie.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    FOLLOW_BLOCK = 16 /* edges, at least, for a straight line */
};

void pb_turn_to_mark(struct pb_checker *checker, size_t mark)
{
    const struct pb_phase_mark *at = &checker->mark[mark];
    checker->phase_tick = at->tick;
    checker->phase_half = at->half;
    checker->ideal_ps = pb_ticks_to_ps(checker, at->ideal_tick) - pb_ticks_to_ps(checker, at->tick);
    checker->superframe = at->superframe;
    checker->phase = at->phase;
}

/* ---- the schedule */

static uint64_t number_of(const struct pb_checker *checker, const struct pb_event *event, uint64_t expected)
{
    const unsigned phases = checker->scenario->network.phases;
    const uint64_t superframe = expected / phases;
    const uint32_t ahead =
        (pb_event_superframe(event) - (uint32_t)superframe) & PB_EVENT_PHASE_SUPERFRAME_MASK;
    return (superframe + ahead) * phases + pb_event_phase(event);
}

static const struct pb_event *next_phase(const struct pb_events *events, size_t *at)
{
    while (*at < events->count && events->event[*at].kind != PB_EVENT_PHASE)
        ++*at;
    return *at < events->count ? &events->event[(*at)++] : NULL;
}

/* Phases are counted. When an event counts otherwise and the next one goes on from there, phases were left
 * out; a number that nothing confirms is only wrong. */
static void make_marks(struct pb_checker *checker)
{
    const unsigned phases = checker->scenario->network.phases;
    const uint64_t limit = (uint64_t)phases * checker->scenario->superframes;
    const struct pb_events *events = &checker->observation->events;
    size_t at = 0, capacity = 0;
    uint64_t index = 0, told = UINT64_MAX;
    for (size_t i = 0; i < events->count; i++)
        capacity += events->event[i].kind == PB_EVENT_PHASE;
    checker->mark = calloc(capacity + 1, sizeof *checker->mark);
    if (!checker->mark) {
        checker->code = PB_ERR_MEMORY;
        return;
    }
    for (const struct pb_event *event; (event = next_phase(events, &at)); index++) {
        const uint64_t number = number_of(checker, event, index);
        const bool wrong = number != index;
        size_t peek = at;
        const struct pb_event *next = next_phase(events, &peek);
        struct pb_phase_mark *mark = &checker->mark[checker->marks++];
        *mark = (struct pb_phase_mark){
            event->tick, event->tick,    (uint32_t)(index / phases), (unsigned)(index % phases), false,
            false,       PB_HALF_UNKNOWN};
        if (wrong && number - index != told) {
            pb_turn_to_mark(checker, checker->marks - 1);
            struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
            pb_finding_expected(finding, "superframe %" PRIu32 " phase %u", mark->superframe, mark->phase);
            pb_finding_seen(finding, "superframe %u phase %u", pb_event_superframe(event),
                            pb_event_phase(event));
        }
        told = wrong ? number - index : UINT64_MAX;
        if (wrong && number > index && number < limit && pb_event_phase(event) < phases &&
            (!next || number_of(checker, next, number + 1) == number + 1)) {
            index = number;
            mark->superframe = (uint32_t)(index / phases);
            mark->phase = (unsigned)(index % phases);
            told = UINT64_MAX;
        }
    }
    if (checker->marks != limit && !*checker->observation->cut) {
        if (checker->marks)
            pb_turn_to_mark(checker, checker->marks - 1);
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
        pb_finding_expected(finding, "%" PRIu64 " phases", limit);
        pb_finding_seen(finding, "%zu phases", checker->marks);
    }
}

static int64_t interval_ps(const struct pb_checker *checker, size_t mark)
{
    return pb_ticks_to_ps(checker, checker->mark[mark + 1].ideal_tick) -
           pb_ticks_to_ps(checker, checker->mark[mark].ideal_tick);
}

/* Within two ticks: each of two stamps is whole. A time in ps is rounded by one at most for each. */
static bool is_nothing(const struct pb_checker *checker, int64_t ps)
{
    return llabs(ps) <= pb_span_most_ps(checker, 2);
}

static bool is_alike(const struct pb_checker *checker, size_t mark, int64_t excess)
{
    const int64_t other = interval_ps(checker, mark) - checker->result->phase_ps;
    return (other > 0) == (excess > 0) && other && is_nothing(checker, other - excess);
}

/* How much longer than ordered the interval after a mark is; *single: it stands alone. */
static int64_t excess_ps(const struct pb_checker *checker, size_t mark, bool *single)
{
    const int64_t phase_ps = checker->result->phase_ps, step_ps = checker->result->resolution_ps;
    const int64_t excess = interval_ps(checker, mark) - phase_ps;
    *single = false;
    if (llabs(excess) <= step_ps + 1)
        return excess;
    unsigned alike = 1;
    for (size_t i = mark; i-- > 0 && alike < PB_DRIFT_RUN && is_alike(checker, i, excess);)
        alike++;
    for (size_t i = mark + 1; i + 1 < checker->marks && alike < PB_DRIFT_RUN && is_alike(checker, i, excess);
         i++)
        alike++;
    *single = alike < PB_DRIFT_RUN;
    return excess;
}

/* A stamp of the bench's own edge is exact, one of an external edge is rounded down. */
static int64_t edge_u95_ps(const struct pb_checker *checker)
{
    return checker->scenario->follow ? checker->result->edge_resolution_ps : 0;
}

static void measure_period(struct pb_checker *checker, size_t mark)
{
    const struct pb_reading reading = {.value = pb_mark_ps(checker, mark) - pb_mark_ps(checker, mark - 1),
                                       .u95 = edge_u95_ps(checker),
                                       .lower = PB_ABSENT,
                                       .upper = PB_ABSENT};
    pb_measure_take(&checker->measure, PB_FIGURE_CLOCK_PERIOD, 0, &reading);
}

static void measure_tie(struct pb_checker *checker, int64_t tie_ps, int64_t limit_ps)
{
    struct pb_reading reading = {
        .value = tie_ps, .u95 = edge_u95_ps(checker), .lower = -limit_ps, .upper = limit_ps};
    reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    pb_measure_take(&checker->measure, PB_FIGURE_CLOCK_TIE, 0, &reading);
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
static void measure_rate(struct pb_checker *checker, size_t count, int64_t excess_ps, int64_t limit_ps,
                         enum pb_judgement judgement)
{
    const double ordered_ps = (double)count * (double)checker->result->phase_ps;
    const int64_t limit_ppb = ppb_of((double)limit_ps, ordered_ps);
    const struct pb_reading reading = {.value = ppb_of(-(double)excess_ps, ordered_ps + (double)excess_ps),
                                       .u95 = ppb_of((double)checker->result->resolution_ps, ordered_ps),
                                       .lower = -limit_ppb,
                                       .upper = limit_ppb,
                                       .judgement = judgement};
    pb_measure_take(&checker->measure, PB_FIGURE_CLOCK_RATE, 0, &reading);
}

/* known_ps: when it is known, from the beginning of the phase. */
static void report_drift(struct pb_checker *checker, size_t at, int64_t known_ps, size_t count, double excess,
                         double uncertainty)
{
    const double ordered_ps = (double)count * (double)checker->result->phase_ps;
    pb_turn_to_mark(checker, at);
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_DRIFT, -1, known_ps);
    finding->measurement = pb_measure_key(PB_FIGURE_CLOCK_RATE, 0);
    pb_finding_expected(finding, "a phase every %.3f us", pb_us(checker->result->phase_ps));
    pb_finding_seen(finding, "rate off by %+.1f ppm (U95 %.1f ppm) over %zu phases",
                    -excess / (ordered_ps + excess) * 1e6, uncertainty / ordered_ps * 1e6, count);
}

/* A displaced stamp makes one interval long and its neighbour short: that is one finding. */
static void report_interval(struct pb_checker *checker, size_t mark, int64_t excess)
{
    bool single;
    if (mark > 0) {
        const int64_t before = excess_ps(checker, mark - 1, &single);
        if (single && is_nothing(checker, before + excess))
            return;
    }
    pb_turn_to_mark(checker, mark);
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
    pb_finding_expected(finding, "a phase of %.3f us", pb_us(checker->result->phase_ps));
    pb_finding_seen(finding, "%.3f us to the next phase edge", pb_us(interval_ps(checker, mark)));
}

/* The rate over the last superframe, at every phase, so that a drift is found as soon as it can be. Stamps
 * are whole ticks of a schedule that is exact on average: any span is right to a tick. */
static void judge_rate(struct pb_checker *checker)
{
    const size_t phases = checker->scenario->network.phases;
    const int64_t limit_ps = checker->result->resolution_ps + (int64_t)phases;
    int64_t *sum = calloc(checker->marks + 1, sizeof *sum);
    if (!sum) {
        checker->code = PB_ERR_MEMORY;
        return;
    }
    bool single, open = false, any = false;
    size_t first = 0, best_count = 0, used = 0;
    int64_t best = 0;
    for (size_t i = 1; i < checker->marks; i++) {
        const int64_t excess = excess_ps(checker, i - 1, &single);
        if (single)
            report_interval(checker, i - 1, excess);
        sum[i] = sum[i - 1] + (single ? 0 : excess);
        const size_t from = i > used + phases ? i - phases : used;
        const int64_t over = sum[i] - sum[from];
        if (llabs(over) > limit_ps && (!open || llabs(over) >= llabs(best))) {
            first = open ? first : i;
            best = over;
            best_count = i - from;
            open = any = true;
        }
        const bool last =
            i + 1 == checker->marks || checker->mark[i].superframe != checker->mark[i - 1].superframe;
        if (last)
            measure_rate(checker, open ? best_count : i - from, open ? best : over, limit_ps,
                         open ? PB_JUDGED_FAIL : PB_JUDGED_PASS);
        if (open && last) {
            report_drift(checker, first - 1, interval_ps(checker, first - 1), best_count, (double)best,
                         (double)checker->result->resolution_ps);
            used = i;
            open = false;
        }
    }
    const int64_t whole_limit_ps = checker->result->resolution_ps + (int64_t)checker->marks;
    if (checker->marks > 1 && !any && llabs(sum[checker->marks - 1]) > whole_limit_ps) {
        measure_rate(checker, checker->marks - 1, sum[checker->marks - 1], whole_limit_ps, PB_JUDGED_FAIL);
        report_drift(checker, checker->marks - 1, 0, checker->marks - 1, (double)sum[checker->marks - 1],
                     (double)checker->result->resolution_ps);
    }
    free(sum);
}

/* ---- edges at the pin */

static void report_edge(struct pb_checker *checker, size_t mark, uint64_t tick, enum pb_finding_kind kind,
                        const char *seen)
{
    pb_turn_to_mark(checker, mark);
    checker->phase_tick = tick;
    struct pb_finding *finding = pb_finding_add(checker, kind, -1, 0);
    pb_finding_expected(finding,
                        kind == PB_FINDING_CLOCK_EXTRA ? "TDMA_CLK rises only when a phase begins"
                        : kind == PB_FINDING_CLOCK_MISSING
                            ? "TDMA_CLK rises when phase %u begins"
                            : "TDMA_SYNC high at the edge of phase 0 only; this is phase %u",
                        checker->phase);
    pb_finding_seen(finding, "%s", seen);
}

/* The edges between half a phase before a mark and half a phase after it; the nearest is the mark's. */
static size_t take_edges(struct pb_checker *checker, size_t at, const struct pb_event *const *edge,
                         size_t count, size_t next)
{
    struct pb_phase_mark *mark = &checker->mark[at];
    const bool last = at + 1 == checker->marks;
    const uint64_t to =
        last ? UINT64_MAX : mark->ideal_tick + (checker->mark[at + 1].ideal_tick - mark->ideal_tick + 1) / 2;
    const size_t from = next;
    size_t own = SIZE_MAX;
    uint64_t nearest = UINT64_MAX;
    for (; next < count && (edge[next]->tick < to || last); next++) {
        const uint64_t tick = edge[next]->tick;
        const uint64_t apart = tick > mark->ideal_tick ? tick - mark->ideal_tick : mark->ideal_tick - tick;
        if (apart < nearest &&
            2 * (double)pb_ticks_to_ps(checker, apart) < (double)checker->result->phase_ps) {
            nearest = apart;
            own = next;
        }
    }
    if (own != SIZE_MAX) {
        mark->has_edge = true;
        mark->tick = edge[own]->tick;
        mark->sync = PB_GET(PB_EVENT_TDMA_SYNC, edge[own]->value);
        /* The bench's own edge is made at the edge of its clock. */
        mark->half = checker->scenario->follow ? pb_event_half(edge[own]) : PB_HALF_UNKNOWN;
    }
    bool reported = false;
    for (size_t i = from; i < next; i++)
        if (i != own && !reported && !checker->scenario->follow) {
            const size_t within = edge[i]->tick < mark->ideal_tick && at > 0 ? at - 1 : at;
            report_edge(checker, within, edge[i]->tick, PB_FINDING_CLOCK_EXTRA, "another rising edge");
            reported = true;
        }
    return next;
}

static void judge_pins(struct pb_checker *checker, const struct pb_event *const *edge, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < checker->marks; i++) {
        struct pb_phase_mark *mark = &checker->mark[i];
        next = take_edges(checker, i, edge, count, next);
        if (!mark->has_edge) {
            /* A clock that stands is told of in its first two phases, and again in every superframe. */
            const bool stands = i >= 2 && mark->phase >= 2 && !mark[-1].has_edge && !mark[-2].has_edge;
            if (!stands)
                report_edge(checker, i, mark->ideal_tick, PB_FINDING_CLOCK_MISSING, "no rising edge");
            continue;
        }
        /* An early edge finds TDMA_SYNC as the phase before left it. The schedule always lags behind an
         * outside clock. */
        const bool early = !checker->scenario->follow && mark->tick + 1 < mark->ideal_tick;
        const bool wanted = early ? i > 0 && checker->mark[i - 1].phase == 0 : mark->phase == 0;
        if (mark->sync != wanted)
            report_edge(checker, i, mark->tick, wanted ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA,
                        wanted ? "TDMA_SYNC low" : "TDMA_SYNC high");
    }
}

static void take_own_ties(struct pb_checker *checker, struct pb_tie *tie)
{
    for (size_t i = 0; i < checker->marks; i++) {
        const struct pb_phase_mark *mark = &checker->mark[i];
        tie[i].known = mark->has_edge;
        tie[i].ps = pb_ticks_to_ps(checker, mark->tick) - pb_ticks_to_ps(checker, mark->ideal_tick);
    }
}

/* ---- an outside clock */

/* Scatter of the edges makes the rate uncertain: by three standard errors of the slope. Jitter that the
 * scenario allows never does more than with the early half of the edges at one end of its range and the late
 * half at the other: 1.5 jitter / count for a least-squares line. */
static void judge_outside_rate(struct pb_checker *checker, const struct pb_tie *tie, size_t from, size_t to,
                               const struct pb_line *line)
{
    const double phase_ps = (double)checker->result->phase_ps, count = (double)(to - from);
    const double ppm = (phase_ps / line->slope_ps - 1) * 1e6;
    double squares = 0;
    for (size_t i = from; i < to; i++)
        squares += tie[i].known ? (double)tie[i].ps * (double)tie[i].ps : 0;
    const double error_ps = fmax(3 * sqrt(squares / count / line->spread),
                                 1.5 * (double)checker->scenario->controller.jitter_ps / count);
    const double uncertainty_ps = (double)checker->result->resolution_ps / count + error_ps;
    const double stated = checker->scenario->controller.clock_error_ppm, told = ppm - stated,
                 limit = PB_FOLLOW_TOLERANCE_PPM + uncertainty_ps / phase_ps * 1e6;
    const bool wrong = fabs(told) > limit;
    pb_measure_take(&checker->measure, PB_FIGURE_CLOCK_RATE, 0,
                    &(struct pb_reading){.value = whole_ppb(ppm * 1e3),
                                         .u95 = whole_ppb(uncertainty_ps / phase_ps * 1e9),
                                         .lower = whole_ppb((stated - limit) * 1e3),
                                         .upper = whole_ppb((stated + limit) * 1e3),
                                         .judgement = wrong ? PB_JUDGED_FAIL : PB_JUDGED_PASS});
    if (wrong)
        report_drift(checker, from, 0, to - from, (line->slope_ps - phase_ps) * count,
                     uncertainty_ps * count);
}

/* Numbers the edges by the time between them, fits a straight line to each block of them, and takes the
 * distances from it. */
static void take_outside_ties(struct pb_checker *checker, struct pb_tie *tie, int64_t scatter_ps)
{
    const size_t phases = checker->scenario->network.phases,
                 block = phases < FOLLOW_BLOCK ? FOLLOW_BLOCK : phases;
    const double phase_ps = (double)checker->result->phase_ps;
    int64_t *number = calloc(checker->marks + 1, sizeof *number);
    if (!number) {
        checker->code = PB_ERR_MEMORY;
        return;
    }
    for (size_t i = 1; i < checker->marks; i++) {
        const double between = (double)(pb_mark_ps(checker, i) - pb_mark_ps(checker, i - 1)) / phase_ps;
        const int64_t steps = between < 1e9 ? (int64_t)(between + 0.5) : 1000000000;
        number[i] = number[i - 1] + steps;
        if (steps != 1)
            report_edge(checker, i - (steps > 1), checker->mark[i - (steps > 1)].tick,
                        steps ? PB_FINDING_CLOCK_MISSING : PB_FINDING_CLOCK_EXTRA,
                        steps ? "no rising edge when the next phase was due" : "another rising edge");
    }
    for (size_t from = 0; from < checker->marks;) {
        /* The last block takes a remainder that is too short for one of its own. */
        const size_t to = checker->marks - from < 2 * block ? checker->marks : from + block;
        struct pb_line line = {0, phase_ps, 0};
        if (pb_fit_line(&line, checker, number, from, to, scatter_ps)) {
            const int64_t base_ps = pb_mark_ps(checker, from);
            for (size_t i = from; i < to; i++) {
                const double place = line.origin_ps + (double)(number[i] - number[from]) * line.slope_ps;
                const double error = (double)(pb_mark_ps(checker, i) - base_ps) - place;
                tie[i].known = error < 1e15 && error > -1e15 && (i == 0 || number[i] != number[i - 1]);
                tie[i].ps = tie[i].known ? (int64_t)(error < 0 ? error - 0.5 : error + 0.5) : 0;
            }
            judge_outside_rate(checker, tie, from, to, &line);
        }
        from = to;
    }
    free(number);
}

void pb_judge_clock(struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const bool follow = checker->scenario->follow;
    size_t count = 0;
    make_marks(checker);
    if (checker->code)
        return;
    if (!follow)
        judge_rate(checker);
    struct pb_tie *tie = calloc(checker->marks + 1, sizeof *tie);
    const struct pb_event **edge = calloc(events->count + 1, sizeof *edge);
    if (!tie || !edge)
        checker->code = PB_ERR_MEMORY;
    for (size_t i = 0; edge && i < events->count; i++)
        if (events->event[i].kind == PB_EVENT_TDMA)
            edge[count++] = &events->event[i];
    if (!checker->code && count)
        judge_pins(checker, edge, count);
    /* One tick, which may be rounded up; from a straight line, which is no whole number of ticks, two. */
    const int64_t scatter_ps = follow ? pb_span_most_ps(checker, 2) + checker->scenario->controller.jitter_ps
                                      : pb_span_most_ps(checker, 1);
    if (!checker->code && follow)
        take_outside_ties(checker, tie, scatter_ps);
    else if (!checker->code && count)
        take_own_ties(checker, tie);
    if (!checker->code)
        pb_judge_ties(checker, tie, scatter_ps);
    for (size_t i = 0; !checker->code && i < checker->marks; i++) {
        if (tie[i].known)
            measure_tie(checker, tie[i].ps, scatter_ps);
        if (i > 0 && (!count || (checker->mark[i].has_edge && checker->mark[i - 1].has_edge)))
            measure_period(checker, i);
    }
    free(tie);
    free(edge);
}
