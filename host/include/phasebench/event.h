/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events as the core captured them, with the full time stamp and sequence number restored.
 */
#ifndef PHASEBENCH_EVENT_H
#define PHASEBENCH_EVENT_H

#include "phasebench/api.h"
#include "rtl/proto/gen/pb_regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

struct pb_event {
    uint64_t sequence; /* counts every event of the core, also the lost */
    uint64_t tick;     /* ticks since the reset of the core; differences are those at the pins */
    uint32_t value;    /* by kind: PB_GET(PB_EVENT_<kind>_<part>, value); for PB_EVENT_OVERFLOW the number of
                          lost events */
    uint8_t kind;      /* PB_EVENT_* */
    uint8_t link;
};

/* EDGE: the new level of the line. */
static inline bool pb_event_high(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_EDGE_LEVEL, event->value);
}
/* EDGE, TDMA: the half tick in which the line or TDMA_CLK changed. UNKNOWN: the core does not report half
 * ticks, or several lines changed in different halves of this tick. */
enum pb_half {
    PB_HALF_UNKNOWN = PB_EVENT_HALF_UNKNOWN,
    PB_HALF_FIRST = PB_EVENT_HALF_FIRST,
    PB_HALF_SECOND = PB_EVENT_HALF_SECOND
};
static inline unsigned pb_event_half(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_EDGE_HALF, event->value); /* 3 is not used by any core */
}

/* TDMA: ticks from the last change of TDMA_SYNC to this edge, by whole stamps, and the half of the tick of
 * that change. PB_EVENT_TDMA_AGE_MASK ticks: that many or more, or TDMA_SYNC has not changed. */
static inline uint32_t pb_event_sync_ticks(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_TDMA_AGE, event->value);
}
static inline unsigned pb_event_sync_half(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_TDMA_AGE_HALF, event->value);
}

/* PHASE, UNDERRUN. */
static inline unsigned pb_event_phase(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_PHASE_PHASE, event->value);
}
static inline uint32_t pb_event_superframe(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_PHASE_SUPERFRAME, event->value);
} /* modulo 8192 */
/* Number of phases begun at a PHASE event; `seen`: the number begun at the PHASE event received before it.
 * PHASE events of up to 4095 superframes between them may be lost. An event with any other superframe counts
 * as the next phase. */
static inline uint64_t pb_event_phases(const struct pb_event *event, uint64_t seen, unsigned phases)
{
    const uint64_t superframe = seen / phases;
    const uint32_t ahead =
        (pb_event_superframe(event) - (uint32_t)superframe) & PB_EVENT_PHASE_SUPERFRAME_MASK;
    const uint64_t begun = (superframe + ahead) * phases + pb_event_phase(event) + 1;
    return ahead <= PB_EVENT_PHASE_SUPERFRAME_MASK / 2 && begun > seen ? begun : seen + 1;
}
/* BYTE, CONSOLE. */
static inline uint8_t pb_event_data(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_DATA, event->value);
}
static inline bool pb_event_stop_ok(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_STOP, event->value);
}
/* BYTE: ticks from the last edge inside a byte to the next sample; PB_EVENT_LEFT_MORE: "or more". */
static inline uint32_t pb_event_edge_left(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_LEFT, event->value);
}

/* Decodes the 64-bit words of one core, in order of arrival, into events. All zero before the first word. */
struct pb_event_unpacker {
    bool started;
    uint64_t tick; /* largest so far */
};
void pb_event_unpack(struct pb_event_unpacker *unpacker, uint64_t word, uint64_t sequence,
                     struct pb_event *event);

/* A growing list. All zero is empty. */
struct pb_events {
    struct pb_event *event; /* owned */
    size_t count, capacity;
};
int pb_events_add(struct pb_events *events, const struct pb_event *event); /* 0 or PB_ERR_MEMORY */
void pb_events_sort(struct pb_events *events); /* by tick; at equal ticks phases first, then by sequence */
void pb_events_free(struct pb_events *events);

/* Ticks from the start edge of a byte to sample k (0 start bit .. 9 stop bit). period_q4: bit period in 1/16
 * ticks. */
static inline uint64_t pb_sample_ticks(uint32_t period_q4, unsigned k)
{
    return (uint64_t)(2 * k + 1) * period_q4 >> 5;
}

PB_API_END

#endif
