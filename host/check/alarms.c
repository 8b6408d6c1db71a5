/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Alarms of the core, which watches the lines and the clock by itself. An error that the edges show is
 * reported once, by the edges. An alarm becomes a finding only where the edges show nothing.
 */
#include "host/check/alarms.h"
#include "host/plan/node_map.h"

#include <inttypes.h>

void pb_alarm_take(const struct pb_check_run *run, struct pb_line_slot *slot, const struct pb_event *event)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    const uint64_t ticks = event->tick - slot->at.tick;
    /* It is about the phase before when the stamp is young enough for that and this phase has shown nothing.
     */
    const bool before =
        code == PB_ALARM_STUCK || (ticks <= PB_ALARM_LATE_TICKS && !slot->seen.any_low);
    if (before && (slot->found_before || slot->low_before))
        return;
    if (!slot->alarm.codes)
        slot->alarm.at_ps = pb_ticks_to_ps(run, ticks);
    slot->alarm.codes |= UINT32_C(1) << code;
}

/* Whether the line was low in a guard by its edges, or nearly so: they were judged. The limits of the core
 * are wider than those of the check. By bytes the last rise is known to half a bit. */
static bool guard_shown(const struct pb_check_run *run, const struct pb_line_slot *slot, bool head)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const int64_t ticks_ps = pb_most_ps(run, PB_FOLLOW_DELAY_TICKS),
                  bit_ps = PB_PS_PER_S / (int64_t)run->scenario->baud_hz;
    if (!seen->any_low)
        return false;
    return head ? seen->first_low_ps <= slot->limits.start_min_ps + ticks_ps
                : seen->last_low_ps >= slot->limits.end_max_ps - slot->limits.longer_ps - ticks_ps -
                                           (pb_is_edgeless(run, slot->link) ? bit_ps / 2 : 0);
}

/* The core detects an external edge some ticks late. For the core a node that starts earlier is low at the
 * end of the phase before, which is that of another sender. */
static bool starts_with_edge(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    return run->scenario->follow && slot->seen.any_low &&
           slot->seen.first_low_ps <= pb_most_ps(run, PB_FOLLOW_DELAY_TICKS) && !slot->wave.low_first;
}

void pb_alarm_judge(struct pb_check_output *out, struct pb_line_slot *slot)
{
    const struct pb_alarm_seen *alarm = &slot->alarm;
    if (!alarm->codes || slot->found)
        return;
    /* The core holds the lines against its own phases. */
    const bool own_phases = !slot->displaced && slot->expected.kind == PB_SLOT_PLAIN;
    const bool with_edge = starts_with_edge(out->run, slot), head = alarm->at_ps < out->run->phase_ps / 2;
    enum pb_finding_kind kind = PB_FINDING_KINDS;
    if (alarm->codes >> PB_ALARM_CONTENTION & 1 && slot->expected.kind != PB_SLOT_COLLISION)
        kind = PB_FINDING_CONTENTION;
    else if (alarm->codes >> PB_ALARM_OUTSIDE_PHASE & 1 && own_phases && !with_edge)
        kind = PB_FINDING_OUTSIDE;
    else if (alarm->codes >> PB_ALARM_STUCK & 1 && own_phases && !with_edge)
        kind = PB_FINDING_STUCK;
    else if (alarm->codes >> PB_ALARM_GUARD & 1 && own_phases && !guard_shown(out->run, slot, head))
        kind = head ? PB_FINDING_EARLY : PB_FINDING_OVERRUN;
    if (kind == PB_FINDING_KINDS)
        return;
    /* The stamp may be that much later than what the alarm is about. */
    const int64_t late_ps = pb_ticks_to_ps(out->run, PB_ALARM_LATE_TICKS);
    struct pb_finding *finding =
        pb_slot_report(out, slot,
                       &(struct pb_claim){.kind = kind,
                                          .at_ps = alarm->at_ps,
                                          .from_ps = alarm->at_ps > late_ps ? alarm->at_ps - late_ps : 1,
                                          .sender = PB_SENDER_NONE});
    pb_finding_expected(finding, "no alarm of the line watch");
    pb_finding_seen(finding, "an alarm, and nothing of it among the %s",
                    pb_is_edgeless(out->run, slot->link) ? "bytes" : "edges");
}

static bool about_clock(unsigned code)
{
    return code == PB_ALARM_PERIOD || code == PB_ALARM_NO_EDGE || code == PB_ALARM_SYNC;
}

static int64_t reach_ps(const struct pb_check_run *run)
{
    return run->superframe_ps + 2 * run->phase_ps;
}

static void report_clock_alarm(struct pb_alarms *alarms, const struct pb_event *event, size_t mark)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    const uint32_t ticks = PB_GET(PB_EVENT_ALARM_TICKS, event->value);
    const double ns = (double)pb_ticks_to_ps(alarms->run, PB_GET(PB_ALARM_PERIOD_SIZE, ticks)) / 1e3;
    struct pb_schedule_place at = pb_schedule_place_of_mark(alarms->marks, mark);
    at.tick = event->tick;
    enum pb_finding_kind kind = PB_FINDING_CLOCK;
    if (code == PB_ALARM_NO_EDGE)
        kind = PB_FINDING_CLOCK_MISSING;
    else if (code == PB_ALARM_SYNC)
        kind = at.phase == 0 ? PB_FINDING_SYNC_MISSING : PB_FINDING_SYNC_EXTRA;
    struct pb_finding *finding = pb_finding_add(alarms->out, &at, kind, -1);
    pb_finding_expected(finding, "no alarm of the clock watch");
    if (code == PB_ALARM_PERIOD)
        pb_finding_seen(finding, "a period %s by %.1f ns",
                        PB_GET(PB_ALARM_PERIOD_SHORT, ticks) ? "short" : "long", ns);
    else
        pb_finding_seen(finding, code == PB_ALARM_NO_EDGE ? "no edge of TDMA_CLK within two periods"
                                                          : "TDMA_SYNC wrong at an edge");
}

static void judge_clock_alarm(struct pb_alarms *alarms, const struct pb_event *event)
{
    const uint64_t late = PB_ALARM_LATE_TICKS;
    const int64_t at_ps = pb_ticks_to_ps(alarms->run, event->tick);
    while (alarms->mark + 1 < alarms->clock->pins &&
           pb_mark(alarms->marks, alarms->mark + 1)->tick + late / 2 <= event->tick)
        alarms->mark++;
    if (!about_clock(PB_GET(PB_EVENT_ALARM_CODE, event->value)) || !alarms->marks->end)
        return;
    const int64_t end_ps =
        alarms->run->ended
            ? pb_ticks_to_ps(alarms->run, pb_mark(alarms->marks, alarms->marks->end - 1)->ideal_tick + late) +
                  alarms->run->phase_ps
            : INT64_MAX;
    if (event->tick >= alarms->marks->first.tick && at_ps <= end_ps &&
        !pb_output_clock_near(alarms->out, at_ps, reach_ps(alarms->run)))
        report_clock_alarm(alarms, event, alarms->mark);
}

void pb_alarms_advance(struct pb_alarms *alarms)
{
    const struct pb_event *event;
    const size_t done = pb_clock_done(alarms->clock);
    const int64_t done_ps = alarms->run->ended ? INT64_MAX : done ? pb_mark_ps(alarms->marks, done - 1) : 0;
    while ((event = pb_queue_first(&alarms->waiting)) &&
           pb_ticks_to_ps(alarms->run, event->tick) + reach_ps(alarms->run) < done_ps) {
        judge_clock_alarm(alarms, event);
        pb_queue_forget(&alarms->waiting, alarms->waiting.first + 1);
    }
    pb_output_clock_forget(
        alarms->out, (event ? pb_ticks_to_ps(alarms->run, event->tick) : done_ps - reach_ps(alarms->run)) -
                         reach_ps(alarms->run));
}

int pb_alarms_push(struct pb_alarms *alarms, const struct pb_event *event)
{
    return pb_queue_add(&alarms->waiting, event, 0);
}

size_t pb_alarms_mark(struct pb_alarms *alarms, size_t judged)
{
    pb_queue_follow(&alarms->waiting, &alarms->mark, judged);
    return alarms->mark;
}

void pb_alarms_free(struct pb_alarms *alarms)
{
    pb_queue_free(&alarms->waiting);
}
