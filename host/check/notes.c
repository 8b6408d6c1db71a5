/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/notes.h"

int pb_notes_push(struct pb_notes *notes, const struct pb_event *event)
{
    return pb_queue_add(&notes->waiting, event, 0);
}

static void report_watchdog(struct pb_check_output *out, struct pb_schedule_place at,
                            const struct pb_event *event)
{
    at.tick = event->tick;
    struct pb_finding *finding = pb_finding_add(out, &at, PB_FINDING_WATCHDOG, -1);
    pb_finding_expected(finding, "packets from the host in time");
    pb_finding_seen(finding, "the core made itself safe");
}

static void report_underrun(struct pb_check_output *out, const struct pb_schedule_place *at,
                            const struct pb_event *event)
{
    struct pb_finding *finding = pb_finding_add(out, at, PB_FINDING_STIMULUS, -1);
    pb_finding_expected(finding, "slot player record in time");
    pb_finding_seen(finding, "record for superframe %u phase %u came too late on lane %u%s",
                    pb_event_superframe(event), pb_event_phase(event), event->link,
                    out->run->scenario->reacts
                        ? "; with rest reacts the bench plans late: lower phase_rate, or set rest ideal"
                        : "");
}

static void take(struct pb_notes *notes, const struct pb_event *event)
{
    while (notes->mark + 1 < notes->clock->pins &&
           pb_mark(notes->marks, notes->mark + 1)->tick <= event->tick)
        notes->mark++;
    const struct pb_phase_mark *at = notes->marks->end ? pb_mark(notes->marks, notes->mark) : NULL;
    if (event->kind == PB_EVENT_CONSOLE) {
        pb_pins_take_console(notes->consoles, event);
        pb_answers_take(notes->consoles, event, at);
        return;
    }
    const struct pb_schedule_place place =
        at ? pb_schedule_place_at(notes->run, at) : (struct pb_schedule_place){0};
    if (event->kind == PB_EVENT_ALARM)
        report_watchdog(notes->out, place, event);
    else
        report_underrun(notes->out, &place, event);
}

void pb_notes_advance(struct pb_notes *notes)
{
    struct pb_queue *waiting = &notes->waiting;
    const struct pb_event *event;
    const size_t pins = notes->clock->pins;
    const uint64_t known_tick = notes->run->ended ? UINT64_MAX
                                : pins            ? pb_mark(notes->marks, pins - 1)->tick
                                                  : 0;
    while ((event = pb_queue_first(waiting)) && event->tick < known_tick) {
        take(notes, event);
        pb_queue_forget(waiting, waiting->first + 1);
    }
}

size_t pb_notes_mark(struct pb_notes *notes, size_t judged)
{
    pb_queue_follow(&notes->waiting, &notes->mark, judged);
    return notes->mark;
}

void pb_notes_free(struct pb_notes *notes)
{
    pb_queue_free(&notes->waiting);
}
