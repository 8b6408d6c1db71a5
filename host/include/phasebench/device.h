/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A core at the far end of a byte stream: register access, slot player data and captured events.
 *
 * A reply is accepted only if its sequence, opcode, address, count, length and FCS match. A command without
 * an accepted reply is repeated every 4 ms with the same sequence number; the core executes it once. After
 * 500 ms without a byte, or 500 reads that brought other bytes, the call fails with PB_ERR_LINK, and so does
 * every later call. Do not use a device from two threads at once.
 *
 * The core has a watchdog (register WATCHDOG) that enters the safe state when its host is silent. A waiting
 * call keeps feeding it. A caller that makes no call for longer than WATCHDOG trips it and loses the run.
 * Time is counted in reads, never taken from a clock, so that the same bytes make the same calls.
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

#define PB_DEVICE_WATCHDOG_MS 100 /* WATCHDOG after a reset of the core (docs/reference/registers.md) */
#define PB_DEVICE_READS_ALIVE 6   /* reads of a waiting call before it feeds the watchdog */
#define PB_DEVICE_LANES_MAX 32    /* slot player lanes of a core */
/* A bit of a link or a console lasts from this many ticks of the core to less than that many. */
#define PB_DEVICE_BIT_TICKS_MIN 8
#define PB_DEVICE_BIT_TICKS_TOP 65536

/* The byte stream. Implementations embed it as first member. */
struct pb_transport {
    const struct pb_transport_ops *ops;
};
struct pb_transport_ops {
    /* Sends all bytes. Returns 0 or a negative code. Blocks at most 1 s. */
    int (*write)(struct pb_transport *transport, const uint8_t *bytes, size_t count, struct pb_diag *diag);
    /* Waits up to timeout_ms for at least one byte; timeout_ms 0 does not wait. The time is that of the rig:
     * simulated on a simulated rig. Returns the number of bytes stored, 0 on timeout, or a negative code. */
    int (*read)(struct pb_transport *transport, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                struct pb_diag *diag);
    void (*close)(struct pb_transport *transport); /* releases it; cannot fail */
};

struct pb_device_info {
    uint32_t map_hash, clock_hz;
    unsigned links, lanes, nodes; /* link pins, slot player lanes, node control ports */
    unsigned faults;              /* fault units; 0: none */
    bool fault_feedback;          /* they also inject SHORT and SLOW_RISE */
    unsigned play_bytes, event_buffer;
    bool half_ticks; /* EDGE and TDMA events carry the half tick of the change */
};

struct pb_device;

/* Opens the core; takes ownership of the transport, also on failure. Checks ID and MAP_HASH (PB_ERR_MAP: the
 * diagnostic names the side to replace), stops the clock, releases all lines and discards all that an earlier
 * session left in the core. */
int pb_device_open(struct pb_device **out, struct pb_transport *transport, struct pb_diag *diag);
/* Stops the clock and releases all lines (as far as the link still works), then closes. NULL: no effect. */
void pb_device_close(struct pb_device *device);

const struct pb_device_info *pb_device_info(const struct pb_device *device);

int pb_device_read(struct pb_device *device, unsigned address, uint32_t *value, struct pb_diag *diag);
int pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag);
int pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *values, size_t count,
                        struct pb_diag *diag);
int pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *values, size_t count,
                         struct pb_diag *diag);

/* Appends 1..249 bytes to a slot player lane. *taken: true if all bytes were queued; false if they did not
 * fit, and none was queued. *free_bytes: space left in the lane. */
int pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *bytes, size_t count, bool *taken,
                   unsigned *free_bytes, struct pb_diag *diag);

/* Appends records (layout FAULT_RECORD) to a fault unit, 0..info.faults - 1, as pb_device_play does to a
 * lane. PB_ERR_ARGUMENT: no such unit. */
int pb_device_fault(struct pb_device *device, unsigned unit, const uint8_t *bytes, size_t count, bool *taken,
                    unsigned *free_bytes, struct pb_diag *diag);

/* Reads STATUS. PB_ERR_LINK: the watchdog has tripped since the device was opened. */
int pb_device_status(struct pb_device *device, uint32_t *status, struct pb_diag *diag);

/* Appends the received events, waiting up to timeout_ms for the first, and keeps the core supplied with
 * credits. Reads STATUS at least every 20 ms of the wait, as pb_device_status does. Returns the number
 * appended or a negative code. timeout_ms 0 does not wait and counts as no time. */
int pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                   struct pb_diag *diag);

/* Reads the remaining events until 3 ms of silence and makes the counts of lost events final. The capture
 * must be off (CTRL.CAPTURE), or the counts are not final. PB_ERR_LINK: the core continues to send, or the
 * counts contradict one another because a corrupted packet was accepted. */
int pb_device_settle(struct pb_device *device, struct pb_events *events, struct pb_diag *diag);
/* The same without the silence, for a caller who knows that the core has sent all events: it sends them in
 * their order, and one that came after all others has arrived. */
int pb_device_tally(struct pb_device *device, struct pb_events *events, struct pb_diag *diag);

/* Appends the events that the core recorded up to `tick`, which is now or in the past (scale of the events'
 * ticks): reads until a younger event comes, or until 3 ms of silence. The capture may be on. Events whose
 * stamps are near each other can come in another order, so choose a tick at which nothing was expected.
 * PB_ERR_LINK: 20 s of reads without either. */
int pb_device_catch_up(struct pb_device *device, uint64_t tick, struct pb_events *events,
                       struct pb_diag *diag);

/* Counts since the device was opened. After pb_device_settle, events + events_lost + events_missing is the
 * increase of EVENTS_SENT; before, it is the number of the last received event. */
struct pb_device_counters {
    uint64_t bytes_in, bytes_out, packets_bad, packets_stray, retries, event_packets;
    uint64_t event_packets_missing; /* at least this many; modulo 256 in each gap */
    uint64_t events;                /* received, overflow events included */
    uint64_t events_lost;           /* in the core, because its buffer was full */
    uint64_t events_missing;        /* sent by the core, lost in the host link */
};
void pb_device_counters(const struct pb_device *device, struct pb_device_counters *counters);

PB_API_END

#endif
