/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Beyond it (hours) a time in a phase means nothing. */
#define PHASE_TICKS_MAX (INT64_C(1) << 40)

/* ---- what happens in a phase */

/* An edge to the level that the line has already: told once a phase, and not where a loss is known anyway. */
static void report_lost_edge(struct pb_checker *checker, unsigned link, int64_t at_ps, bool high)
{
    const uint64_t bit = UINT64_C(1) << link;
    if (checker->loss_told || checker->edge_lost & bit || pb_is_edgeless(checker, link))
        return;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_EDGE_LOST, (int)link, at_ps);
    pb_finding_expected(finding, "link %u falls and rises in turn", link);
    pb_finding_seen(finding, "it %s at %.3f us, and was %s before", high ? "rose" : "fell", pb_us(at_ps),
                    high ? "high" : "low");
    checker->edge_lost |= bit;
    checker->loss = true;
}

/* What happened to a line between an edge and the next one is not known when events are missing there. */
static bool is_unknown_to(const struct pb_checker *checker, unsigned link, uint64_t sequence)
{
    return checker->loss_told && pb_gaps_between(&checker->gaps, checker->edge_sequence[link], sequence);
}

/* A low of which only the beginning is known: a bit long, as the shortest that senders make. */
static int64_t known_low_to(const struct pb_checker *checker, unsigned link, int64_t beyond_tick)
{
    const struct pb_wave *wave = &checker->wave[link];
    const int64_t from = wave->count ? wave->edge[wave->count - 1].tick : 0,
                  to = from + (checker->bit_period_q4 + 15) / 16;
    return to < beyond_tick ? to : beyond_tick;
}

static void add_to_wave(struct pb_wave *wave, int64_t tick, bool high)
{
    if (wave->count < PB_WAVE_EDGES_MAX && tick < PHASE_TICKS_MAX)
        wave->edge[wave->count++] = (struct pb_wave_edge){.tick = tick, .high = high, .laid = true};
}

/* The same for an edge that was captured. That of a rise: when the line was released. */
static void add_edge_to_wave(struct pb_checker *checker, const struct pb_event *event, int64_t ps,
                             int64_t u95_ps)
{
    struct pb_wave *wave = &checker->wave[event->link];
    const bool high = pb_event_high(event);
    const unsigned count = wave->count;
    struct pb_released at = {ps, u95_ps};
    int64_t tick = (int64_t)(event->tick - checker->phase_tick);
    if (high) {
        at = pb_released_at(checker, event->link, ps, u95_ps);
        const int64_t earlier_ps = ps - at.ps, tick_ps = checker->result->resolution_ps;
        tick -= (earlier_ps + tick_ps / 2) / tick_ps;
        if (wave->count && tick <= wave->edge[wave->count - 1].tick)
            tick = wave->edge[wave->count - 1].tick + 1;
    }
    add_to_wave(wave, tick, high);
    if (wave->count > count) {
        struct pb_wave_edge *edge = &wave->edge[count];
        edge->laid = pb_event_half(event) == PB_HALF_LAID;
        edge->ps = at.ps;
        edge->u95_ps = at.u95_ps;
    }
}

static void take_edge(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    struct pb_wave *wave = &checker->wave[event->link];
    const uint64_t ticks = event->tick - checker->phase_tick;
    const unsigned half = pb_event_half(event);
    const int64_t from_tick_ps = pb_ticks_to_ps(checker, ticks) + pb_half_ps(checker, half),
                  edge_ps = pb_half_ps(checker, checker->phase_half),
                  at_ps = from_tick_ps > edge_ps ? from_tick_ps - edge_ps : 0;
    const int64_t u95_ps = pb_uncertainty_ps(checker, half);
    const uint64_t bit = UINT64_C(1) << event->link;
    const bool high = pb_event_high(event);
    const bool was_high = checker->line_level & ~checker->level_lost & bit;
    if (high == was_high)
        report_lost_edge(checker, event->link, at_ps, high);
    if (high && !was_high && is_unknown_to(checker, event->link, event->sequence))
        add_to_wave(wave, known_low_to(checker, event->link, (int64_t)ticks), true);
    checker->level_lost &= ~bit;
    checker->edge_sequence[event->link] = event->sequence;
    checker->result->edges_seen += !pb_is_edgeless(checker, event->link);
    seen->edges++;
    add_edge_to_wave(checker, event, at_ps, u95_ps);
    if (!seen->any_low) {
        seen->first_low_ps = at_ps;
        seen->first_low_u95_ps = u95_ps;
    }
    seen->any_low = true; /* before a rising edge it was low, too */
    if (high) {
        checker->line_level |= bit;
        seen->last_low_ps = at_ps;
        seen->last_low_u95_ps = u95_ps;
    } else
        checker->line_level &= ~bit;
}

static void take_byte(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const unsigned at = seen->byte_count++;
    if (at >= PB_FRAME_MAX)
        return;
    seen->byte[at] = pb_event_data(event);
    seen->byte_start_ps[at] = pb_ticks_to_ps(checker, event->tick - checker->phase_tick);
    if (!seen->any_low)
        seen->first_low_ps = seen->last_low_ps = seen->byte_start_ps[at];
    seen->any_low = true; /* a byte without an edge is a contradiction that must not go by */
    if (!pb_event_stop_ok(event) && seen->bad_stop < 0)
        seen->bad_stop = (int)at;
}

static void report_underrun(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_STIMULUS, -1, 0);
    pb_finding_expected(finding, "slot player record in time");
    pb_finding_seen(finding, "record for superframe %u phase %u came too late on lane %u",
                    pb_event_superframe(event), pb_event_phase(event), event->link);
}

static void report_low_outside(struct pb_checker *checker, const struct pb_event *event)
{
    const int64_t at_ps = pb_ticks_to_ps(checker, event->tick) - pb_ticks_to_ps(checker, checker->phase_tick);
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_UNEXPECTED, event->link, at_ps);
    pb_finding_expected(finding, "line high while the phase clock stands");
    pb_finding_seen(finding, "line low");
}

/* ---- phases */

static bool is_before(const struct pb_checker *checker, const struct pb_crossing *crossing)
{
    return crossing->superframe < checker->superframe ||
           (crossing->superframe == checker->superframe && crossing->phase < checker->phase);
}

static void expect_phase(struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    memset(checker->expected, 0, sizeof checker->expected);
    for (; checker->next_crossing < checker->expectation.crossings; checker->next_crossing++) {
        const struct pb_crossing *crossing = &checker->expectation.crossing[checker->next_crossing];
        if (is_before(checker, crossing)) { /* its phase was left out, which was told */
            checker->expectation.fate[crossing->message].broken = true;
            continue;
        }
        if (crossing->superframe != checker->superframe || crossing->phase != checker->phase)
            break;
        const int from = pb_seat_of(scenario, crossing->from), to = pb_seat_of(scenario, crossing->to);
        if (from >= 0)
            checker->expected[pb_link_of(scenario, (unsigned)from, crossing->dimension)] =
                (struct pb_expected_frame){crossing, PB_SENDER_NODE, false};
        if (to >= 0)
            checker->expected[pb_link_of(scenario, (unsigned)to, crossing->dimension)] =
                (struct pb_expected_frame){crossing, from >= 0 ? PB_SENDER_NODE : PB_SENDER_BENCH, from >= 0};
    }
}

static void begin_slots(struct pb_checker *checker)
{
    checker->found_before = checker->found;
    checker->edge_lost = 0;
    checker->found = checker->low_before = 0;
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        const bool low = !(checker->line_level >> link & 1);
        checker->low_before |= (uint64_t)checker->seen[link].any_low << link;
        checker->seen[link] =
            (struct pb_slot_seen){.any_low = low,
                                  .first_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN),
                                  .last_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN),
                                  .bad_stop = -1};
        checker->wave[link].low_first = low;
        checker->wave[link].count = 0;
        checker->alarm[link] = (struct pb_alarm_seen){0};
    }
}

/* Whether a line that fell last was low when the phase ended, at which the events from `from` on come. Not
 * when it falls again, or when events are missing before its next one: it may have risen. */
static bool is_low_at_end(struct pb_checker *checker, unsigned link, size_t from)
{
    const struct pb_events *events = &checker->observation->events;
    size_t *next = &checker->next_edge[link];
    *next = *next < from ? from : *next;
    while (*next < events->count &&
           (events->event[*next].kind != PB_EVENT_EDGE || events->event[*next].link != link))
        ++*next;
    if (*next < events->count)
        return events->event[*next].value & 1 && !is_unknown_to(checker, link, events->event[*next].sequence);
    return !checker->gaps.count ||
           !is_unknown_to(checker, link, checker->gaps.sequence[checker->gaps.count - 1]);
}

/* The rise that ends a low which outlasts the phase, to tell a short pulse from a line that is held. */
static int64_t find_rise(const struct pb_checker *checker, unsigned link, size_t from, uint64_t end_tick)
{
    const struct pb_events *events = &checker->observation->events;
    const uint64_t beyond = end_tick + checker->bit_period_q4;
    for (size_t i = from; i < events->count && events->event[i].tick < beyond; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind == PB_EVENT_EDGE && event->link == link && pb_event_high(event))
            return (int64_t)(event->tick - checker->phase_tick);
    }
    return (int64_t)(beyond - checker->phase_tick);
}

static void end_phase(struct pb_checker *checker, uint64_t end_tick, size_t at)
{
    const struct pb_scenario *scenario = checker->scenario;
    const int64_t phase_ps = pb_ticks_to_ps(checker, end_tick - checker->phase_tick);
    checker->limits.end_max_ps = checker->result->phase_ps - (scenario->guard_ps - scenario->head_guard_ps);
    expect_phase(checker);
    for (unsigned link = 0; link < pb_link_count(scenario); link++)
        if (!(checker->line_level >> link & 1) && is_low_at_end(checker, link, at)) {
            checker->seen[link].last_low_ps = phase_ps;
            checker->seen[link].last_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN);
            checker->low_until_tick[link] = find_rise(checker, link, at, end_tick);
        } else if (!(checker->line_level >> link & 1)) {
            const uint64_t bit = UINT64_C(1) << link;
            checker->line_level |= bit;
            checker->level_lost |= bit;
            checker->low_until_tick[link] =
                known_low_to(checker, link, (int64_t)(end_tick - checker->phase_tick));
            checker->seen[link].last_low_ps =
                pb_ticks_to_ps(checker, (uint64_t)checker->low_until_tick[link]);
            checker->seen[link].last_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN);
        }
    for (unsigned link = 0; link < pb_link_count(scenario); link++)
        pb_judge_slot(checker, link);
    begin_slots(checker);
}

/* ---- all events */

/* The level was observed between the start of the capture and that of the clock. Where a line moved in that
 * time, its first edge says what was before. */
static uint64_t first_levels(const struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const uint64_t clock_tick = checker->marks ? checker->mark[0].tick : UINT64_MAX;
    uint64_t level = checker->observation->line_level, known = 0;
    for (size_t i = 0; i < events->count && events->event[i].tick < clock_tick; i++) {
        const struct pb_event *event = &events->event[i];
        const uint64_t bit = UINT64_C(1) << (event->link & 63);
        if (event->kind != PB_EVENT_EDGE || known & bit)
            continue;
        known |= bit;
        level = pb_event_high(event) ? level & ~bit : level | bit;
    }
    return level;
}

static void take(struct pb_checker *checker, const struct pb_event *event, bool in_phase)
{
    const bool of_line = event->link < pb_link_count(checker->scenario);
    if (event->kind == PB_EVENT_UNDERRUN)
        report_underrun(checker, event);
    else if (event->kind == PB_EVENT_ALARM && of_line && in_phase)
        pb_alarm_take(checker, event);
    else if (event->kind == PB_EVENT_BYTE && of_line)
        take_byte(checker, event);
    else if (event->kind == PB_EVENT_EDGE && of_line) {
        take_edge(checker, event);
        if (!in_phase && !pb_event_high(event))
            report_low_outside(checker, event);
    }
}

void pb_walk(struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const int64_t period_ps = checker->result->phase_ps;
    const uint64_t period_ticks =
        (uint64_t)((unsigned __int128)period_ps * checker->observation->info.clock_hz / PB_PS_PER_S);
    size_t next = 0; /* mark */
    bool in_phase = false;

    checker->wave = calloc(PB_LINKS_MAX, sizeof *checker->wave);
    checker->pulses = calloc(1, sizeof *checker->pulses);
    if (!checker->wave || !checker->pulses) {
        checker->code = PB_ERR_MEMORY;
        return;
    }
    checker->phase_tick = 0;
    checker->phase_half = PB_HALF_UNKNOWN;
    checker->superframe = checker->phase = 0;
    checker->line_level = first_levels(checker);
    begin_slots(checker);
    for (size_t i = 0; i < events->count && !checker->code; i++) {
        const struct pb_event *event = &events->event[i];
        for (; next < checker->marks && checker->mark[next].tick <= event->tick; in_phase = true) {
            if (in_phase)
                end_phase(checker, checker->mark[next].tick, i);
            else
                begin_slots(checker);
            pb_turn_to_mark(checker, next++);
        }
        /* The last phase has no edge to end it; it is as long as the others. */
        if (in_phase && next == checker->marks &&
            pb_ticks_to_ps(checker, event->tick - checker->phase_tick) >= period_ps) {
            end_phase(checker, checker->phase_tick + period_ticks, i);
            in_phase = false;
        }
        take(checker, event, in_phase);
    }
    if (in_phase && !checker->code)
        end_phase(checker, checker->phase_tick + period_ticks, events->count);
}
