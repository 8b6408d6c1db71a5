/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The core watches the lines and the clock by itself. What the edges show as well is told once, by them: an
 * alarm becomes a finding only where they are silent.
 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdlib.h>

void pb_alarm_take(struct pb_checker *checker, const struct pb_event *event)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    struct pb_alarm_seen *alarm = &checker->alarm[event->link];
    const uint64_t bit = UINT64_C(1) << event->link;
    const uint64_t ticks = event->tick - checker->phase_tick;
    /* It is about the phase before when the stamp is young enough for that and this phase has shown nothing.
     */
    const bool before =
        code == PB_ALARM_STUCK || (ticks <= PB_ALARM_LATE_TICKS && !checker->seen[event->link].any_low);
    if (before && ((checker->found_before | checker->low_before) & bit))
        return;
    if (!alarm->codes)
        alarm->at_ps = pb_ticks_to_ps(checker, ticks);
    alarm->codes |= UINT32_C(1) << code;
}

/* Whether the line was low in a guard by its edges, or nearly so: they were judged. The limits of the core
 * are wider than those of the check. By bytes the last rise is known to half a bit. */
static bool guard_shown(const struct pb_checker *checker, unsigned link, bool head)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const int64_t ticks_ps = pb_most_ps(checker, PB_FOLLOW_DELAY_TICKS),
                  bit_ps = PB_PS_PER_S / (int64_t)checker->scenario->baud_hz;
    if (!seen->any_low)
        return false;
    return head ? seen->first_low_ps <= checker->limits.start_min_ps + ticks_ps
                : seen->last_low_ps >= checker->limits.end_max_ps - checker->limits.longer_ps - ticks_ps -
                                           (pb_is_edgeless(checker, link) ? bit_ps / 2 : 0);
}

/* The core knows of an outside edge some ticks after it: a node that starts sooner is low, for the core, at
 * the end of the phase before, which is another's. */
static bool starts_with_edge(const struct pb_checker *checker, unsigned link)
{
    return checker->scenario->follow && checker->seen[link].any_low &&
           checker->seen[link].first_low_ps <= pb_most_ps(checker, PB_FOLLOW_DELAY_TICKS) &&
           !checker->wave[link].low_first;
}

void pb_alarm_judge(struct pb_checker *checker, unsigned link)
{
    const struct pb_alarm_seen *alarm = &checker->alarm[link];
    if (!alarm->codes || checker->found >> link & 1)
        return;
    /* The core holds the lines against its own phases. */
    const bool own_phases = !checker->displaced && checker->expected[link].kind == PB_SLOT_PLAIN;
    const bool with_edge = starts_with_edge(checker, link),
               head = alarm->at_ps < checker->result->phase_ps / 2;
    enum pb_finding_kind kind = PB_FINDING_KINDS;
    if (alarm->codes >> PB_ALARM_CONTENTION & 1 && checker->expected[link].kind != PB_SLOT_COLLISION)
        kind = PB_FINDING_CONTENTION;
    else if (alarm->codes >> PB_ALARM_OUTSIDE_PHASE & 1 && own_phases && !with_edge)
        kind = PB_FINDING_OUTSIDE;
    else if (alarm->codes >> PB_ALARM_STUCK & 1 && own_phases && !with_edge)
        kind = PB_FINDING_STUCK;
    else if (alarm->codes >> PB_ALARM_GUARD & 1 && own_phases && !guard_shown(checker, link, head))
        kind = head ? PB_FINDING_EARLY : PB_FINDING_OVERRUN;
    if (kind == PB_FINDING_KINDS)
        return;
    /* The stamp may be that much later than what the alarm is about. */
    const int64_t late_ps = pb_ticks_to_ps(checker, PB_ALARM_LATE_TICKS);
    checker->evidence_from_ps = alarm->at_ps > late_ps ? alarm->at_ps - late_ps : 1;
    struct pb_finding *finding = pb_finding_add(checker, kind, (int)link, alarm->at_ps);
    pb_finding_expected(finding, "no alarm of the line watch");
    pb_finding_seen(finding, "an alarm, and nothing of it among the %s",
                    pb_is_edgeless(checker, link) ? "bytes" : "edges");
}

static bool about_clock(unsigned code)
{
    return code == PB_ALARM_PERIOD || code == PB_ALARM_NO_EDGE || code == PB_ALARM_SYNC;
}

/* Told once per superframe, and not at all beside a finding about the clock that the edges gave. */
static bool told(const struct pb_checker *checker, int64_t at_ps)
{
    const struct pb_result *result = checker->result;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->kind >= PB_FINDING_CLOCK && finding->kind <= PB_FINDING_DRIFT &&
            llabs(finding->time_ps - at_ps) <= checker->superframe_ps + 2 * result->phase_ps)
            return true;
    }
    return false;
}

static void report_clock_alarm(struct pb_checker *checker, const struct pb_event *event, size_t mark)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    const uint32_t ticks = PB_GET(PB_EVENT_ALARM_TICKS, event->value);
    const double ns = (double)pb_ticks_to_ps(checker, PB_GET(PB_ALARM_PERIOD_SIZE, ticks)) / 1e3;
    pb_turn_to_mark(checker, mark);
    checker->phase_tick = event->tick;
    enum pb_finding_kind kind = PB_FINDING_CLOCK;
    if (code == PB_ALARM_NO_EDGE)
        kind = PB_FINDING_CLOCK_MISSING;
    else if (code == PB_ALARM_SYNC)
        kind = checker->phase == 0 ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA;
    struct pb_finding *finding = pb_finding_add(checker, kind, -1, 0);
    pb_finding_expected(finding, "no alarm of the clock watch");
    if (code == PB_ALARM_PERIOD)
        pb_finding_seen(finding, "a period %s by %.1f ns",
                        PB_GET(PB_ALARM_PERIOD_SHORT, ticks) ? "short" : "long", ns);
    else
        pb_finding_seen(finding, code == PB_ALARM_NO_EDGE ? "no edge of TDMA_CLK within two periods"
                                                          : "TDMA_SYNC wrong at an edge");
}

static void report_watchdog(struct pb_checker *checker, const struct pb_event *event)
{
    checker->phase_tick = event->tick;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_WATCHDOG, -1, 0);
    pb_finding_expected(finding, "packets from the host in time");
    pb_finding_seen(finding, "the core made itself safe");
}

void pb_alarms_of_clock(struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const uint64_t late = PB_ALARM_LATE_TICKS;
    size_t mark = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
        while (mark + 1 < checker->marks && checker->mark[mark + 1].tick + late / 2 <= event->tick)
            mark++;
        if (event->kind != PB_EVENT_ALARM)
            continue;
        checker->result->alarms++;
        if (code == PB_ALARM_WATCHDOG)
            report_watchdog(checker, event);
        if (!about_clock(code) || !checker->marks)
            continue;
        const int64_t at_ps = pb_ticks_to_ps(checker, event->tick);
        const int64_t end_ps = pb_ticks_to_ps(checker, checker->mark[checker->marks - 1].ideal_tick + late) +
                               checker->result->phase_ps;
        if (event->tick >= checker->mark[0].tick && at_ps <= end_ps && !told(checker, at_ps))
            report_clock_alarm(checker, event, mark);
    }
}
