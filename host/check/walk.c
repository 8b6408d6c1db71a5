/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what happens in a phase */

static void take_edge(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const int64_t at_ps = pb_ticks_to_ps(checker, event->tick - checker->phase_tick);
    const uint64_t bit = UINT64_C(1) << event->link;
    checker->result->edges_seen++;
    seen->edges++;
    if (!seen->any_low)
        seen->first_low_ps = at_ps;
    seen->any_low = true; /* before a rising edge it was low, too */
    if (event->value & 1) {
        checker->line_level |= bit;
        seen->last_low_ps = at_ps;
    } else
        checker->line_level &= ~bit;
}

static void take_byte(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const unsigned at = seen->byte_count++;
    int32_t error_ppm;
    if (at >= PB_FRAME_MAX)
        return;
    seen->byte[at] = pb_event_data(event);
    seen->byte_start_ps[at] = pb_ticks_to_ps(checker, event->tick - checker->phase_tick);
    if (!seen->any_low)
        seen->first_low_ps = seen->last_low_ps = seen->byte_start_ps[at];
    seen->any_low = true; /* a byte without an edge is a contradiction that must not go by */
    if (!pb_event_stop_ok(event) && seen->bad_stop < 0)
        seen->bad_stop = (int)at;
    if (pb_slot_baud_error(event, checker->bit_period_q4, &error_ppm) && seen->bad_baud < 0 &&
        abs(error_ppm) > checker->baud_limit_ppm) {
        seen->bad_baud = (int)at;
        seen->baud_error_ppm = error_ppm;
    }
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

static void expect_phase(struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    memset(checker->expected, 0, sizeof checker->expected);
    for (; checker->next_crossing < checker->expectation.crossings; checker->next_crossing++) {
        const struct pb_crossing *crossing = &checker->expectation.crossing[checker->next_crossing];
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
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        const bool low = !(checker->line_level >> link & 1);
        checker->seen[link] = (struct pb_slot_seen){.any_low = low, .bad_stop = -1, .bad_baud = -1};
    }
}

static void begin_phase(struct pb_checker *checker, uint64_t index, const struct pb_event *event)
{
    const unsigned phases = pb_cube_phases(checker->scenario->dims);
    if (index == 0)
        checker->start_tick = event->tick;
    checker->phase_tick = event->tick;
    checker->superframe = (uint32_t)(index / phases);
    checker->phase = (unsigned)(index % phases);
    begin_slots(checker);
    if (pb_event_phase(event) == checker->phase &&
        pb_event_superframe(event) == (checker->superframe & 0x1fff))
        return;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
    pb_finding_expected(finding, "superframe %" PRIu32 " phase %u", checker->superframe, checker->phase);
    pb_finding_seen(finding, "superframe %u phase %u", pb_event_superframe(event), pb_event_phase(event));
}

/* A phase is a whole number of ticks, either next to the ordered period. */
static void judge_period(struct pb_checker *checker, int64_t period_ps)
{
    pb_measure_period(&checker->measure, period_ps);
    if (llabs(period_ps - checker->result->phase_ps) <= checker->result->resolution_ps + 1)
        return;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
    pb_finding_expected(finding, "a phase of %.3f us", pb_us(checker->result->phase_ps));
    pb_finding_seen(finding, "%.3f us to the next phase edge", pb_us(period_ps));
}

static void end_phase(struct pb_checker *checker, int64_t phase_ps)
{
    checker->limits.end_max_ps = phase_ps - (checker->scenario->guard_ps - checker->scenario->head_guard_ps);
    expect_phase(checker);
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        if (!(checker->line_level >> link & 1))
            checker->seen[link].last_low_ps = phase_ps;
        pb_judge_slot(checker, link);
    }
    begin_slots(checker);
}

/* ---- all events */

/* A BYTE event is stamped at its stop bit; the check thinks in start edges. */
static void restamp_bytes(struct pb_checker *checker)
{
    struct pb_events *events = &checker->observation->events;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i].kind == PB_EVENT_BYTE)
            events->event[i].tick -= pb_sample_ticks(checker->bit_period_q4, 9);
    pb_events_sort(events);
}

/* The observed level may be older or younger than the first edge; where there is one, that edge says what was
 * before. */
static uint64_t first_levels(const struct pb_observation *observation)
{
    uint64_t level = observation->line_level, known = 0;
    for (size_t i = 0; i < observation->events.count; i++) {
        const struct pb_event *event = &observation->events.event[i];
        const uint64_t bit = UINT64_C(1) << (event->link & 63);
        if (event->kind != PB_EVENT_EDGE || known & bit)
            continue;
        known |= bit;
        level = event->value & 1 ? level & ~bit : level | bit;
    }
    return level;
}

void pb_walk(struct pb_checker *checker)
{
    restamp_bytes(checker);
    const struct pb_events *events = &checker->observation->events;
    const uint64_t phases =
        (uint64_t)pb_cube_phases(checker->scenario->dims) * checker->scenario->superframes;
    const int64_t period_ps = checker->result->phase_ps;
    uint64_t index = 0; /* of the next phase */
    bool in_phase = false;

    checker->phase_tick = 0;
    checker->line_level = first_levels(checker->observation);
    begin_slots(checker);
    for (size_t i = 0; i < events->count && !checker->code; i++) {
        const struct pb_event *event = &events->event[i];
        const int64_t at_ps = pb_ticks_to_ps(checker, event->tick - checker->phase_tick);
        if (in_phase && event->kind == PB_EVENT_PHASE) {
            judge_period(checker, at_ps);
            end_phase(checker, at_ps);
        } else if (in_phase && index == phases && at_ps >= period_ps) {
            /* The last phase has no edge to end it; it is as long as the others. */
            end_phase(checker, period_ps);
            in_phase = false;
        }
        if (event->kind == PB_EVENT_PHASE) {
            begin_phase(checker, index++, event);
            in_phase = true;
        } else if (event->kind == PB_EVENT_UNDERRUN)
            report_underrun(checker, event);
        if (event->link >= pb_link_count(checker->scenario))
            continue;
        if (event->kind == PB_EVENT_EDGE) {
            take_edge(checker, event);
            if (!in_phase && !(event->value & 1))
                report_low_outside(checker, event);
        } else if (event->kind == PB_EVENT_BYTE)
            take_byte(checker, event);
    }
    if (in_phase && !checker->code)
        end_phase(checker, period_ps);
    if (index != phases) {
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CLOCK, -1, 0);
        pb_finding_expected(finding, "%" PRIu64 " phases", phases);
        pb_finding_seen(finding, "%" PRIu64 " phases", index);
    }
}
