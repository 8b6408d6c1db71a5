/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/event.h"
#include "phasebench/error.h"

#include <stdlib.h>
#include <string.h>

void pb_event_unpack(struct pb_event_unpacker *unpacker, uint64_t word, uint64_t sequence,
                     struct pb_event *event)
{
    event->sequence = sequence;
    event->kind = (uint8_t)(word >> 60);
    if (event->kind == PB_EVENT_OVERFLOW) {
        event->link = 0;
        event->value = word >> 32 & 0x0fffffff;
    } else {
        event->link = word >> 54 & 0x3f;
        event->value = word >> 32 & 0x3fffff;
    }
    if (!unpacker->started) {
        /* The core may have been up for any time: its first stamp is taken as it is. */
        unpacker->started = true;
        unpacker->tick = (uint32_t)word;
    }
    /* Stamps of neighbouring events differ by far less than 2^31 ticks in either direction: the heartbeat
     * sees to that. */
    const int32_t ahead = (int32_t)((uint32_t)word - (uint32_t)unpacker->tick);
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
    /* A phase begins before what happens at its first instant. */
    if ((a->kind == PB_EVENT_PHASE) != (b->kind == PB_EVENT_PHASE))
        return a->kind == PB_EVENT_PHASE ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

void pb_events_sort(struct pb_events *events)
{
    if (events->count)
        qsort(events->event, events->count, sizeof *events->event, by_tick);
}

void pb_events_free(struct pb_events *events)
{
    free(events->event);
    memset(events, 0, sizeof *events);
}
