/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/lows.h"

/* True if the line falls where the byte begins, within the grain of its stamp. */
static bool has_start_edge(const struct pb_line_watch *watch, size_t at)
{
    const struct pb_events *events = watch->events;
    const struct pb_event *byte = &events->event[at];
    const uint64_t grain = watch->bit_period_q4 / 32 + 1;
    size_t i = at;
    while (i > 0 && events->event[i - 1].tick + grain >= byte->tick)
        i--;
    for (; i < events->count && events->event[i].tick <= byte->tick + grain; i++)
        if (events->event[i].kind == PB_EVENT_EDGE && events->event[i].link == byte->link &&
            !pb_event_high(&events->event[i]))
            return true;
    return false;
}

bool pb_line_lows(const struct pb_line_watch *watch, void (*take)(void *context, struct pb_low low),
                  void *context, struct pb_low *low)
{
    const struct pb_events *events = watch->events;
    bool known = false, is_low = watch->low_first;
    *low = (struct pb_low){watch->from_tick, UINT64_MAX};
    for (size_t i = 0; i < events->count && events->event[i].tick < watch->end_tick; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->link != watch->link || event->tick < watch->from_tick)
            continue;
        if (event->kind == PB_EVENT_BYTE && watch->bit_period_q4 && !is_low && !has_start_edge(watch, i))
            take(context, (struct pb_low){event->tick, event->tick + watch->bit_period_q4 / 16});
        if (event->kind != PB_EVENT_EDGE)
            continue;
        const bool high = pb_event_high(event);
        if (high && (is_low || !known)) { /* a first edge that rises: the line was low before */
            low->to_tick = event->tick;
            take(context, *low);
        } else if (!high && (!is_low || !known))
            *low = (struct pb_low){event->tick, UINT64_MAX};
        is_low = !high;
        known = true;
    }
    return known ? is_low : watch->low_last;
}

bool pb_console_unasked(const struct pb_event *event, uint64_t reset_tick, uint64_t held_tick)
{
    if (event->kind != PB_EVENT_CONSOLE)
        return false;
    const bool low = event->tick > reset_tick && !pb_event_stop_ok(event);
    return event->tick >= held_tick || low;
}
