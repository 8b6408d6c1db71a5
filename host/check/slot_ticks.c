/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/slot_ticks.h"
#include "phasebench/error.h"

int pb_slot_ticks(uint64_t *tick, unsigned slots, unsigned phases, const struct pb_events *events,
                  size_t from)
{
    unsigned seen = 0;
    for (size_t i = from; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_PHASE)
            continue;
        if (seen == slots || pb_event_phase(event) != seen % phases)
            return PB_ERR_LINK;
        tick[seen++] = event->tick;
    }
    return seen == slots ? PB_OK : PB_ERR_LINK;
}

int pb_slot_at(const uint64_t *tick, unsigned slots, uint64_t instant)
{
    int slot = -1;
    while (slot + 1 < (int)slots && tick[slot + 1] <= instant)
        slot++;
    return slot;
}
