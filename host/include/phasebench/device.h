/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A core at the far end of a byte stream: register access, slot player data and captured events.
 *
 * A reply is believed only when sequence, opcode, address, count, length and FCS fit. A command without a
 * believed reply is repeated every 4 ms with the same sequence number (the core carries a repetition out only
 * once); after 500 ms without a byte, or 500 reads that brought others, the call fails with PB_ERR_LINK, and
 * so does every later one. No call is safe to use from two threads at once.
 *
 * The core has a watchdog (register WATCHDOG) that makes it safe when its host is silent. A call that waits
 * keeps it quiet; a caller that does something else for longer loses the run. Time is counted in reads, never
 * taken from a clock, so that the same bytes make the same calls.
 */
#ifndef PHASEBENCH_DEVICE_H
#define PHASEBENCH_DEVICE_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

/* What carries the bytes. Implementations embed it as first member. */
struct pb_transport {
    const struct pb_transport_ops *ops;
};
struct pb_transport_ops {
    /* Sends all bytes or fails: 0 or a negative code. Blocks at most a second. */
    int (*write)(struct pb_transport *transport, const uint8_t *bytes, size_t count, struct pb_diag *diag);
    /* Waits up to timeout_ms (of the rig's own time: simulated on a simulated rig) for at least one byte;
     * returns the number of bytes stored, 0 at the end of the time, or a negative code. timeout_ms 0 does not
     * wait. */
    int (*read)(struct pb_transport *transport, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                struct pb_diag *diag);
    void (*close)(struct pb_transport *transport); /* releases it; cannot fail */
};

struct pb_device_info {
    uint32_t map_hash, clock_hz;
    unsigned links, lanes, nodes; /* link pins, slot player lanes, node control ports */
    unsigned faults;              /* fault units; 0: none */
    bool fault_feedback;          /* they inject SHORT and SLOW_RISE, too */
    unsigned play_bytes, event_buffer;
    bool half_ticks; /* EDGE and TDMA events tell in which half of their tick something changed */
};

struct pb_device;

/* Takes ownership of the transport, also on failure. Checks ID and MAP_HASH (PB_ERR_MAP: the sentence says
 * which side is to be replaced), stops the clock, releases all lines and throws away what an earlier session
 * left in the core. */
int pb_device_open(struct pb_device **out, struct pb_transport *transport, struct pb_diag *diag);
/* Stops the clock and releases all lines (as far as the link still works), then closes. NULL is fine. */
void pb_device_close(struct pb_device *device);

const struct pb_device_info *pb_device_info(const struct pb_device *device);

int pb_device_read(struct pb_device *device, unsigned address, uint32_t *value, struct pb_diag *diag);
int pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag);
int pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *values, size_t count,
                        struct pb_diag *diag);
int pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *values, size_t count,
                         struct pb_diag *diag);

/* Appends bytes (1..249) to a slot player lane. Sets *taken: all were, or none for want of room. *free_bytes:
 * what is left. */
int pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *bytes, size_t count, bool *taken,
                   unsigned *free_bytes, struct pb_diag *diag);

/* The same for a fault unit, 0..info.faults - 1; records: layout FAULT_RECORD. PB_ERR_ARGUMENT: no such
 * unit. */
int pb_device_fault(struct pb_device *device, unsigned unit, const uint8_t *bytes, size_t count, bool *taken,
                    unsigned *free_bytes, struct pb_diag *diag);

/* Reads STATUS. PB_ERR_LINK: the watchdog has tripped since the device was opened. */
int pb_device_status(struct pb_device *device, uint32_t *status, struct pb_diag *diag);

/* Appends the events that have come, waiting up to timeout_ms for the first; keeps the core supplied with
 * credits. Reads STATUS at least every 20 ms of the wait, as pb_device_status does. Returns the number
 * appended or a negative code. A timeout_ms of 0 does not wait and counts as no time. */
int pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                   struct pb_diag *diag);

/* Takes what is still in the core, up to 3 ms of silence, and makes the counts of lost events final. The
 * capture must be off (CTRL.CAPTURE), or they are not. PB_ERR_LINK: the core goes on sending, or the counts
 * contradict one another: a spoiled packet was believed. */
int pb_device_settle(struct pb_device *device, struct pb_events *events, struct pb_diag *diag);

/* Since the device was opened. events + events_lost + events_missing is, after pb_device_settle, the number
 * by which EVENTS_SENT has grown; before, it is the number of the last event that came. */
struct pb_device_counters {
    uint64_t bytes_in, bytes_out, packets_bad, packets_stray, retries, event_packets;
    uint64_t event_packets_missing; /* at least so many; modulo 256 in each gap */
    uint64_t events;                /* that came, overflow events among them */
    uint64_t events_lost;           /* in the core, which found its buffer full */
    uint64_t events_missing;        /* sent by the core, lost on the way */
};
void pb_device_counters(const struct pb_device *device, struct pb_device_counters *counters);

PB_API_END

#endif
