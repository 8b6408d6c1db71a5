/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/event_filter.h"
#include "host/plan/node_map.h"

static bool is_possible(const struct pb_event *event, const struct pb_scenario *scenario,
                        const struct pb_observation *observation, const struct pb_scale *scale)
{
    const bool of_line = event->link < pb_link_count(scenario);
    const bool half_possible =
        pb_event_half(event) <=
        (observation->info.half_ticks ? (unsigned)PB_HALF_SECOND : (unsigned)PB_HALF_UNKNOWN);
    if (event->tick > scale->ticks_max)
        return false;
    switch (event->kind) {
    case PB_EVENT_EDGE:
        return (of_line || event->link < observation->info.links) &&
               (!(observation->edgeless >> event->link & 1) || event->tick < observation->clock_tick) &&
               half_possible;
    case PB_EVENT_TDMA:
        return half_possible;
    case PB_EVENT_TDC:
        return observation->tdc && PB_GET(PB_EVENT_TDC_CODE, event->value) <= observation->tdc->taps;
    case PB_EVENT_BYTE:
        return of_line;
    case PB_EVENT_ALARM:
        return (of_line || event->link < observation->info.links || event->link == PB_FAULT_CLOCK_LINK) &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) >= PB_ALARM_CONTENTION &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) <= PB_ALARM_WATCHDOG;
    case PB_EVENT_FAULT:
        return of_line || event->link == PB_FAULT_CLOCK_LINK;
    default:
        return event->kind >= PB_EVENT_PHASE && event->kind <= PB_EVENT_TDMA;
    }
}

bool pb_screen(struct pb_event *event, const struct pb_scenario *scenario,
               const struct pb_observation *observation, const struct pb_scale *scale)
{
    if (!is_possible(event, scenario, observation, scale))
        return false;
    if (event->kind == PB_EVENT_BYTE) {
        const uint64_t back = pb_sample_ticks(scale->bit_period_q4, 9);
        event->tick = event->tick > back ? event->tick - back : 0;
    }
    return true;
}
