/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/check_fixture.h"

#include <string.h>

struct pb_scenario *scenario;
struct pb_observation *demo;

struct pb_scenario *load_demo(void)
{
    struct pb_scenario *shipped = load_shipped("demo");
    shipped->node[0].clock_error_ppm = 50;
    return shipped;
}

void play_whole_ticks(struct pb_scenario *played)
{
    scenario = played;
    demo = play_scenario(scenario, NULL);
    demo->info.half_ticks = false;
    for (size_t i = 0; i < demo->events.count; i++) {
        struct pb_event *event = &demo->events.event[i];
        if (event->kind == PB_EVENT_EDGE || event->kind == PB_EVENT_TDMA)
            event->value = PB_SET(PB_EVENT_EDGE_HALF, event->value, PB_HALF_UNKNOWN);
        if (event->kind == PB_EVENT_TDMA)
            event->value = PB_SET(PB_EVENT_TDMA_AGE_HALF, event->value, PB_HALF_UNKNOWN);
    }
}

void play_demo(void)
{
    play_whole_ticks(load_demo());
}

struct pb_observation *copy(void)
{
    return copy_observation(demo);
}

struct pb_result *judge(struct pb_observation *seen)
{
    return judge_seen(scenario, seen);
}

struct pb_result *judge_first(struct pb_observation *seen, enum pb_verdict verdict, enum pb_finding_kind kind,
                              uint32_t superframe, unsigned phase, int link)
{
    struct pb_result *result = judge(seen);
    assert_verdict(result, verdict);
    assert_finding(result, 0, kind, superframe, phase, link);
    return result;
}

struct pb_event *phase_event(const struct pb_observation *seen, uint32_t superframe, unsigned phase)
{
    for (size_t i = 0; i < seen->events.count; i++) {
        struct pb_event *event = &seen->events.event[i];
        if (event->kind == PB_EVENT_PHASE && pb_event_superframe(event) == superframe &&
            pb_event_phase(event) == phase)
            return event;
    }
    fail_msg("no phase %u of superframe %u", phase, superframe);
    return NULL;
}

struct slot slot_of(uint32_t superframe, unsigned phase, unsigned link)
{
    const uint64_t from = phase_event(demo, superframe, phase)->tick;
    return (struct slot){from, from + PHASE, link};
}

bool in_slot(const struct pb_event *event, struct slot slot)
{
    return (event->kind == PB_EVENT_EDGE || event->kind == PB_EVENT_BYTE) && event->link == slot.link &&
           event->tick >= slot.from && event->tick < slot.to;
}

struct pb_event *event_in(const struct pb_observation *seen, struct slot slot, uint8_t kind, int index)
{
    int count = 0;
    for (size_t i = 0; i < seen->events.count; i++)
        count += in_slot(&seen->events.event[i], slot) && seen->events.event[i].kind == kind;
    const int wanted = index < 0 ? count + index : index;
    for (size_t i = 0, at = 0; i < seen->events.count; i++)
        if (in_slot(&seen->events.event[i], slot) && seen->events.event[i].kind == kind &&
            (int)at++ == wanted)
            return &seen->events.event[i];
    fail_msg("no event %d of kind %u in the slot: it has %d", index, kind, count);
    return NULL;
}

void erase(struct pb_observation *seen, const struct pb_event *event)
{
    const size_t at = (size_t)(event - seen->events.event);
    memmove(seen->events.event + at, seen->events.event + at + 1,
            (--seen->events.count - at) * sizeof *event);
}

void erase_slot(struct pb_observation *seen, struct slot slot)
{
    for (size_t i = seen->events.count; i-- > 0;)
        if (in_slot(&seen->events.event[i], slot))
            erase(seen, &seen->events.event[i]);
}

void shift_slot(struct pb_observation *seen, struct slot slot, int64_t ticks)
{
    for (size_t i = 0; i < seen->events.count; i++)
        if (in_slot(&seen->events.event[i], slot))
            seen->events.event[i].tick += (uint64_t)ticks;
    pb_events_sort(&seen->events);
}

void append(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    const struct pb_event event = {
        .sequence = seen->events.count, .tick = tick, .kind = kind, .link = (uint8_t)link, .value = value};
    assert_int_equal(pb_events_add(&seen->events, &event), 0);
}

void insert(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    append(seen, kind, link, tick, value);
    pb_events_sort(&seen->events);
}

void insert_pulse(struct pb_observation *seen, unsigned link, uint64_t tick, unsigned ticks)
{
    insert(seen, PB_EVENT_EDGE, link, tick, 0);
    insert(seen, PB_EVENT_EDGE, link, tick + ticks, 1);
}

struct slot node_slot(void)
{
    return slot_of(0, 1, 0);
}
