/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/node_map.h"

static bool is_possible(const struct pb_checker *checker, const struct pb_event *event)
{
    const bool of_line = event->link < pb_link_count(checker->scenario);
    const bool half_possible =
        pb_event_half(event) <=
        (checker->observation->info.half_ticks ? (unsigned)PB_HALF_SECOND : (unsigned)PB_HALF_UNKNOWN);
    if (event->tick > checker->scale.ticks_max)
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

bool pb_screen(const struct pb_checker *checker, struct pb_event *event)
{
    if (!is_possible(checker, event))
        return false;
    if (event->kind == PB_EVENT_BYTE) {
        const uint64_t back = pb_sample_ticks(checker->scale.bit_period_q4, 9);
        event->tick = event->tick > back ? event->tick - back : 0;
    }
    return true;
}
