/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node as callbacks: firmware compiled for the host (docs/start/your-firmware.md). The bench supplies the
 * UARTs of links and console, a timer and the clock with its error; the firmware has handlers and calls
 * services. node_library.h makes a library of it.
 *
 * Times are ticks of the node's clock: 48 MHz with the error clock_ppm, from power-up, 64 bits, never
 * decreasing. Handlers run one at a time, are never interrupted and take no simulated time; `now` is constant
 * in one. The wall time of a handler is limited by nodes[].answer_limit. A node has a process of its own, so
 * static variables are its own; NRST does not clear them.
 *
 * A service with an argument out of range ends the process with a sentence on stderr: finding node_died.
 */
#ifndef PHASEBENCH_NODE_CALLBACKS_H
#define PHASEBENCH_NODE_CALLBACKS_H

#include "phasebench/node_process.h"

#include <stddef.h>

enum {
    PB_BENCH_TICK_HZ = 48000000,
    PB_BENCH_SEND_MAX = 256,     /* bytes in one transmission on a link */
    PB_BENCH_CONSOLE_MAX = 4096, /* bytes that wait for the console */
    PB_BENCH_PORTS_MAX = 12
};
#define PB_BENCH_NEVER INT64_MAX

/* The services, from handlers only; `bench` is the pointer that `create` got. None blocks. */
struct pb_bench_services {
    unsigned ports;           /* links of the node: 0 .. ports - 1 */
    int64_t head_guard_ticks; /* from an edge to the start of a transmission; rounded up */
    int64_t phase_ticks;      /* nominal period of TDMA_CLK */

    int64_t (*now)(const struct pb_bench_services *bench);
    /* Sends 1 to PB_BENCH_SEND_MAX bytes, 8N1 without a pause, on one link; the bytes are copied. The falling
     * edge of the first start bit comes at start_ticks. False: that had passed, so it comes now. Cuts a
     * transmission in progress. */
    bool (*link_send)(const struct pb_bench_services *bench, unsigned port, int64_t start_ticks,
                      const uint8_t *bytes, size_t length);
    /* Connects the one receiver to a link: bytes whose start bit begins from now on go to link_byte. It also
     * receives what the node itself sends there. */
    void (*link_listen)(const struct pb_bench_services *bench, unsigned port);
    /* Releases every link at once and disconnects the receiver; a byte in progress is discarded. True: a
     * transmission was cut. */
    bool (*link_release)(const struct pb_bench_services *bench);
    /* Queues text for the console; it is copied. False: there is no room for all of it, nothing is queued. */
    bool (*console_write)(const struct pb_bench_services *bench, const char *text, size_t length);
    /* The one timer: calls `timer` once at this time, in the next tick if it has passed. Replaces an earlier
     * one. PB_BENCH_NEVER: none. */
    void (*timer_set)(const struct pb_bench_services *bench, int64_t at_ticks);
};

/* The handlers. create, reset and edge are required; NULL for another handler: no effect. */
struct pb_callbacks_node {
    const char *name; /* printable ASCII, at most PB_PROCESS_NAME_MAX characters */
    /* Called once, before all others and without services. `config` and `bench` remain valid. False: the node
     * does not support this configuration; say on stderr why. */
    bool (*create)(const struct pb_process_hello *config, const struct pb_bench_services *bench);
    /* NRST has risen: all links are released, the receiver is disconnected, the timer is off. */
    void (*reset)(void);
    /* A rising edge of TDMA_CLK, irq_latency and up to irq_jitter after it. edge_ticks: captured time of the
     * edge, the first tick at or after it; sync: level of TDMA_SYNC now. An edge before this call of the
     * previous one overwrites edge_ticks and has no call of its own. */
    void (*edge)(int64_t edge_ticks, bool sync);
    void (*sync)(bool level); /* TDMA_SYNC has changed; without latency */
    /* A byte, at the middle of its stop bit. framing_ok false: the line was low there. */
    void (*link_byte)(uint8_t value, bool framing_ok);
    void (*link_sent)(void); /* the last stop bit has ended; not after a cut */
    void (*console_byte)(uint8_t value, bool framing_ok);
    void (*timer)(void);
};

#endif
