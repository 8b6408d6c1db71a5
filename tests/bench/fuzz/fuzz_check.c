/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check, with the events of a real run, and of what was tried after it, that the input has tampered with:
 * events changed, taken away, added. It never passes a run in which a line showed other bytes or more or
 * fewer edges than in the clean one, or in which events were lost.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/check/check.h"
#include "host/plan/node_map.h"
#include "host/run/session.h"

#include <string.h>

static const char text[] = "name: fuzz\n"
                           "cube: {dims: 3}\n"
                           "nodes:\n  - {address: 5, kind: ref}\n"
                           "traffic:\n  - {pattern: complement, superframe: 1}\n  - {from: 5, to: 2}\n";

static struct pb_scenario *scenario;
static struct pb_observation clean;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct pb_run_options options = {0};
    const struct pb_rig_options rig = {.url = "sim:"};
    (void)argc;
    (void)argv;
    MUST(pb_scenario_parse(&scenario, "fuzz", text, strlen(text), NULL) == PB_OK);
    MUST(pb_session_play(&clean, scenario, &options, &rig, NULL, NULL) == PB_OK);
    return 0;
}

/* What a line showed while the phase clock ran: its bytes, in order, and how many edges. */
struct shown {
    uint64_t bytes; /* digest */
    size_t byte_count, edge_count;
};

struct view {
    struct shown link[PB_WIRE_PORTS_MAX];
    size_t phases;
};

static uint64_t digest(uint64_t sum, uint32_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3);
}

static struct view look(const struct pb_observation *seen)
{
    struct view view = {0};
    uint64_t from = UINT64_MAX;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind == PB_EVENT_PHASE) {
            view.phases++;
            if (seen->events.event[i].tick < from)
                from = seen->events.event[i].tick;
        }
    for (size_t i = 0; i < seen->events.count; i++) {
        const struct pb_event *event = &seen->events.event[i];
        const uint64_t end = from + view.phases * 4800;
        if (event->link >= pb_link_count(scenario) || event->tick < from || event->tick >= end)
            continue;
        struct shown *shown = &view.link[event->link];
        if (event->kind == PB_EVENT_BYTE) {
            shown->bytes = digest(shown->bytes,
                                  event->value & (PB_EVENT_BYTE_DATA_MASK | PB_PUT(PB_EVENT_BYTE_STOP, 1u)));
            shown->byte_count++;
        } else if (event->kind == PB_EVENT_EDGE) {
            shown->edge_count++;
        }
    }
    return view;
}

static struct pb_event any_event(struct input *input)
{
    struct pb_event event = {.sequence = take(input)};
    event.kind = take(input) % 16;
    event.link = take(input) % 64;
    event.value = (uint32_t)PB_GET(PB_EVENT_VALUE, (uint64_t)take32(input) << PB_EVENT_VALUE_LSB);
    event.tick = clean.events.event[take32(input) % clean.events.count].tick + take(input) - 128;
    return event;
}

static void tamper(struct pb_observation *seen, struct input *input)
{
    while (input->left) {
        const unsigned what = take(input);
        struct pb_events *events = what & 0x40 ? &seen->epilogue.events : &seen->events;
        const size_t at = take32(input) % (events->count + 1);
        struct pb_event *event = at < events->count ? &events->event[at] : NULL;
        const struct pb_event added = any_event(input);
        switch (what % 8) {
        case 0:
            MUST(pb_events_add(events, &added) == PB_OK);
            break;
        case 1:
            if (event)
                memmove(event, event + 1, (--events->count - at) * sizeof *event);
            break;
        case 2:
            if (event)
                event->tick += (uint64_t)(int64_t)(int8_t)what * added.sequence;
            break;
        case 3:
            if (event)
                event->link = added.link;
            break;
        case 4:
            if (event)
                event->value ^= added.value;
            break;
        case 5:
            if (event)
                event->kind = added.kind;
            break;
        case 6:
            if (what & 0x80)
                seen->events_lost += added.sequence;
            else
                seen->counters.events_missing += added.sequence;
            break;
        default:
            if (what & 0x80)
                seen->line_level ^= UINT64_C(1) << added.link;
            else
                events->count = at;
        }
    }
    pb_events_sort(&seen->events);
    pb_events_sort(&seen->epilogue.events);
}

static void copy_events(struct pb_events *to, const struct pb_events *from)
{
    *to = (struct pb_events){0};
    for (size_t i = 0; i < from->count; i++)
        MUST(pb_events_add(to, &from->event[i]) == PB_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size < 400 ? size : 400};
    struct pb_observation seen = clean;
    struct pb_result *result = calloc(1, sizeof *result);
    MUST(result);
    copy_events(&seen.events, &clean.events);
    copy_events(&seen.epilogue.events, &clean.epilogue.events);
    seen.typed = calloc(clean.typings + 1, sizeof *seen.typed);
    MUST(seen.typed);
    for (size_t i = 0; i < clean.typings; i++)
        seen.typed[i] = clean.typed[i];
    tamper(&seen, &input);
    const struct view good = look(&clean), bad = look(&seen);
    const bool lost = seen.events_lost || seen.counters.events_missing;
    result->network = scenario->network;
    MUST(pb_check(result, scenario, &seen) == PB_OK);
    MUST(*result->reason && result->findings <= result->findings_total);
    if (!size)
        MUST(result->verdict == PB_VERDICT_PASS);
    if (result->verdict == PB_VERDICT_PASS) {
        MUST(!lost && !result->findings_total);
        MUST(!memcmp(&good, &bad, sizeof good));
    }
    pb_result_free(result);
    pb_observation_free(&seen);
    return 0;
}
