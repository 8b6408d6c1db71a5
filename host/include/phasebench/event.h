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
    uint64_t sequence; /* counts every event of the core, lost ones too */
    uint64_t tick;     /* core clocks since its reset; differences are differences at the pins */
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
/* EDGE, TDMA: in which half of its tick the line or TDMA_CLK changed. Not known: the core does not tell
 * halves, or several lines changed in this tick, in different halves. */
enum pb_half {
    PB_HALF_UNKNOWN = PB_EVENT_HALF_UNKNOWN,
    PB_HALF_FIRST = PB_EVENT_HALF_FIRST,
    PB_HALF_SECOND = PB_EVENT_HALF_SECOND
};
static inline unsigned pb_event_half(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_EDGE_HALF, event->value); /* 3 is none: no core says so */
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
/* BYTE, CONSOLE. */
static inline uint8_t pb_event_data(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_DATA, event->value);
}
static inline bool pb_event_stop_ok(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_STOP, event->value);
}
/* BYTE: ticks from the last edge inside a byte to the next sample; PB_EVENT_LEFT_MORE stands for "more". */
static inline uint32_t pb_event_edge_left(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_BYTE_LEFT, event->value);
}

/* Turns the 64-bit words of one core, in the order in which they came, into events. All zero before the first
 * word. */
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

/* Sample k (0 start bit .. 9 stop bit) of a byte lies so many ticks after its start edge, for a bit period in
 * 1/16 ticks. */
static inline uint64_t pb_sample_ticks(uint32_t period_q4, unsigned k)
{
    return (uint64_t)(2 * k + 1) * period_q4 >> 5;
}

PB_API_END

#endif
