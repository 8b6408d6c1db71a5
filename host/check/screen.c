/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <string.h>

/* 46 days in ps: sums of a few such times stay within an int64. */
#define TIME_MAX_PS INT64_C(4000000000000000000)

static bool is_possible(const struct pb_checker *checker, const struct pb_event *event)
{
    const bool of_line = event->link < pb_link_count(checker->scenario);
    const bool half_possible =
        pb_event_half(event) <=
        (checker->observation->info.half_ticks ? (unsigned)PB_HALF_SECOND : (unsigned)PB_HALF_UNKNOWN);
    if ((unsigned __int128)event->tick * PB_PS_PER_S / checker->observation->info.clock_hz > TIME_MAX_PS)
        return false;
    switch (event->kind) {
    case PB_EVENT_EDGE:
        return (of_line || event->link < checker->observation->info.links) &&
               (!pb_is_edgeless(checker, event->link) || event->tick < checker->observation->clock_tick) &&
               half_possible;
    case PB_EVENT_TDMA:
        return half_possible;
    case PB_EVENT_BYTE:
        return of_line;
    case PB_EVENT_ALARM:
        return (of_line || event->link < checker->observation->info.links ||
                event->link == PB_FAULT_CLOCK_LINK) &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) >= PB_ALARM_CONTENTION &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) <= PB_ALARM_WATCHDOG;
    case PB_EVENT_FAULT:
        return of_line || event->link == PB_FAULT_CLOCK_LINK;
    default:
        return event->kind >= PB_EVENT_PHASE && event->kind <= PB_EVENT_TDMA;
    }
}

uint64_t pb_screen(struct pb_checker *checker, uint64_t *overflown)
{
    struct pb_events *events = &checker->observation->events;
    size_t kept = 0;
    *overflown = 0;
    for (size_t i = 0; i < events->count; i++) {
        struct pb_event *event = &events->event[i];
        if (!is_possible(checker, event))
            continue;
        if (event->kind == PB_EVENT_OVERFLOW)
            *overflown += event->value;
        if (event->kind == PB_EVENT_BYTE) {
            const uint64_t back = pb_sample_ticks(checker->bit_period_q4, 9);
            event->tick = event->tick > back ? event->tick - back : 0;
        }
        events->event[kept++] = *event;
    }
    const uint64_t dropped = events->count - kept;
    events->count = kept;
    pb_events_sort(events);
    return dropped;
}
