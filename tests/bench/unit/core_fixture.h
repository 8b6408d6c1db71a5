/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A simulated core with nothing on its lines but the pull-ups, as a transport that keeps a list of every
 * event that left the core, whatever becomes of it afterwards.
 */
#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include "bench/sim/pb_sim.h"
#include "phasebench/device.h"
#include "rtl/proto/packet.h"

struct core {
    struct pb_transport base; /* closing it releases nothing: core_free does */
    struct pb_sim *sim;
    struct pb_sim_pins pins;
    bool uart;
    int64_t gather_ps;
    bool hasty; /* a read does not wait longer than an answer takes: the core is idle except for commands */
    bool cut;   /* both directions are dead from now on, and no time is simulated */
    unsigned waited_ms; /* since then */
    bool eventless;     /* event packets get lost as a whole */
    unsigned deaf;      /* this many of the next replies do */
    struct pb_packet_decoder decoder;
    uint64_t *word; /* every event sent, OVERFLOW among them */
    uint32_t *number;
    size_t words, capacity;
    uint32_t next_number; /* what EVENTS_SENT must be */
    uint64_t lost;        /* sum of what the OVERFLOW events reported */
    unsigned replies;
    uint64_t pull_outside; /* lines that an external driver pulls low */
    uint64_t pulled;       /* lines that the core has pulled since this was cleared */
    uint64_t clock_rises;  /* of TDMA_CLK */
    uint64_t drives;       /* clocks in which the core drove the clock pins */
    /* Ticks a phase of an external clock, which drives the clock pins while the core does not; 0: none.
     */
    unsigned outside_ticks, outside_phases;
    bool pulsed; /* link 0 is low in the tick low_tick after each edge of TDMA_CLK at its pin, and only there
                  */
    uint64_t low_tick, since_edge;
};

/* clocks_per_bit 0: byte stream. */
void core_make(struct core *core, unsigned clocks_per_bit);
void core_free(struct core *core);

/* Lets the time pass; bytes from the core wait. */
void core_run(struct core *core, int64_t ps);
int64_t core_now_ps(const struct core *core);

#endif
