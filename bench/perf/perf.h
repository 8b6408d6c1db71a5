/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measurements of the benchmark. All times are CPU time of this process, so that other load has little
 * effect; each measurement is repeated and the shortest counts.
 */
#ifndef PB_PERF_H
#define PB_PERF_H

#include "bench/perf/figures.h"
#include "bench/sim/pb_sim.h"
#include "phasebench/flow.h"
#include "phasebench/scenario.h"

/* One interval of simulation. */
struct perf_sample {
    uint64_t clocks; /* of the core */
    int64_t cpu_ns;
};

/* Messages crossing links. */
struct perf_hops {
    uint64_t hops;
    int64_t cpu_ns;
};

/* core.c: the Verilated core alone, without nodes or bench. Idle: runs after reset. With traffic: phase clock
 * and capture run, and in every phase one line carries bytes at 1 Mbaud for 90 % of the time; the events are
 * fetched and dropped. */
struct perf_sample perf_core(enum pb_sim_shape shape, bool traffic, uint64_t clocks);

/* movement.c: the movement of messages alone, in the network of this text form: each node sends one message
 * to a random node in each of 128 superframes. Either from a list, with the simple reference or pb_flow_run,
 * or from an endless generator, with or without recording the crossings. */
enum perf_way { PERF_PLAIN, PERF_LIST, PERF_ENDLESS, PERF_NOTED, PERF_WAYS };
struct perf_hops perf_movement(const char *network, enum pb_rule rule, enum perf_way way);

/* bench.c: a whole session (core, nodes, host link), then the check of its observation. */
enum perf_trace { PERF_NO_TRACE, PERF_TRACE_OFF_WINDOW, PERF_TRACE_ALL };
struct perf_session {
    struct perf_sample play;
    int64_t check_cpu_ns;
    int64_t simulated_ps; /* from power-up */
    uint32_t superframes;
    uint64_t events;
};
struct perf_load {
    const char *kind; /* of the nodes, at most 200 bytes */
    const uint32_t *address;
    unsigned nodes;
    unsigned phase_rate_hz;
    uint32_t superframes; /* complement traffic in each but the first, or in one when `sparse` */
    bool sparse;
    bool through; /* instead: in each but the last, one message for each two neighbouring dimensions, through
                   * the first node: 22 of 24 slots busy, and no other traffic in the cube */
    const char *clock; /* of the core, as in the rig's URL; NULL: "48MHz", or "24MHz" for several nodes */
    bool every_clock;  /* also clocks without any possible change */
};
/* The load in a 12-cube at 1 Mbaud. trace_path is for traces. */
struct perf_session perf_session(const struct perf_load *load, enum perf_trace trace, const char *trace_path);

#endif
