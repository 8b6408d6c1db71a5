/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/event.h"
#include "phasebench/error.h"

#include <stdlib.h>
#include <string.h>

/* The accessors of event.h read the same part of two kinds. */
#define SAME(one, other)                                                                                     \
    _Static_assert(one##_LSB == other##_LSB && one##_MASK == other##_MASK, "one accessor for both")
SAME(PB_EVENT_EDGE_HALF, PB_EVENT_TDMA_HALF);
SAME(PB_EVENT_PHASE_PHASE, PB_EVENT_UNDERRUN_PHASE);
SAME(PB_EVENT_PHASE_SUPERFRAME, PB_EVENT_UNDERRUN_SUPERFRAME);
SAME(PB_EVENT_BYTE_DATA, PB_EVENT_CONSOLE_DATA);
SAME(PB_EVENT_BYTE_STOP, PB_EVENT_CONSOLE_STOP);

void pb_event_unpack(struct pb_event_unpacker *unpacker, uint64_t word, uint64_t sequence,
                     struct pb_event *event)
{
    const uint32_t stamp = (uint32_t)PB_GET(PB_EVENT_STAMP, word);
    event->sequence = sequence;
    event->kind = (uint8_t)PB_GET(PB_EVENT_KIND, word);
    if (event->kind == PB_EVENT_OVERFLOW) {
        event->link = 0;
        event->value = (uint32_t)PB_GET(PB_EVENT_OVERFLOW_COUNT, word);
    } else {
        event->link = (uint8_t)PB_GET(PB_EVENT_LINK, word);
        event->value = (uint32_t)PB_GET(PB_EVENT_VALUE, word);
    }
    if (!unpacker->started) {
        /* The uptime of the core is unknown: use its first stamp unchanged. */
        unpacker->started = true;
        unpacker->tick = stamp;
    }
    /* The heartbeat keeps stamps of neighbouring events far less than 2^31 ticks apart. */
    const int32_t ahead = (int32_t)(stamp - (uint32_t)unpacker->tick);
    event->tick = unpacker->tick + (uint64_t)(int64_t)ahead;
    if (ahead > 0)
        unpacker->tick = event->tick;
}

int pb_events_add(struct pb_events *events, const struct pb_event *event)
{
    if (events->count == events->capacity) {
        const size_t capacity = events->capacity ? 2 * events->capacity : 1024;
        struct pb_event *grown = realloc(events->event, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        events->event = grown;
        events->capacity = capacity;
    }
    events->event[events->count++] = *event;
    return PB_OK;
}

static int by_tick(const void *left, const void *right)
{
    const struct pb_event *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick ? -1 : 1;
    /* A PHASE event precedes other events of its tick. */
    if ((a->kind == PB_EVENT_PHASE) != (b->kind == PB_EVENT_PHASE))
        return a->kind == PB_EVENT_PHASE ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* Insertion sort, as a core sends events nearly in order. Returns false after 16 moves per event; some events
 * have then moved. */
static bool insert_each(struct pb_events *events)
{
    size_t moves = 16 * events->count + 1;
    for (size_t i = 1; i < events->count && moves > 0; i++) {
        const struct pb_event event = events->event[i];
        size_t at = i;
        for (; at > 0 && moves > 0 && by_tick(&events->event[at - 1], &event) > 0; at--, moves--)
            events->event[at] = events->event[at - 1];
        events->event[at] = event;
    }
    return moves > 0;
}

void pb_events_sort(struct pb_events *events)
{
    if (!insert_each(events))
        qsort(events->event, events->count, sizeof *events->event, by_tick);
}

void pb_events_free(struct pb_events *events)
{
    free(events->event);
    memset(events, 0, sizeof *events);
}
