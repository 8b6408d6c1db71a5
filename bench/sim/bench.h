/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated bench: one Verilated core with node models wired to its pins. The only interface of bench/ to
 * the host.
 */
#ifndef PB_BENCH_H
#define PB_BENCH_H

#include "bench/nodes/controller.h"
#include "bench/nodes/node.h"
#include "bench/sim/pb_sim.h"

struct pb_bench;

enum { PB_BENCH_NODES = 16, PB_BENCH_LINKS = 12 }; /* at most; links of a node board, in every network */

/* Takes ownership of `nodes` nodes, also on failure. Node i has links i * ports .. i * ports + ports - 1 and
 * node port i. A single node has the whole connector of a board, 12 links or as many as the core has. So the
 * core also sees its links beyond `ports`. NULL: out of memory, or too few links or node ports. */
struct pb_bench *pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                 unsigned nodes, unsigned ports);
/* Connects a controller to the clock pins; the core and the nodes follow it while the core does not drive
 * them. Call it before the first run. */
void pb_bench_follow(struct pb_bench *bench, const struct pb_controller_config *config);
/* What the nodes' links are wired to, where it is not link i * ports + p of the core for port p of node i. */
struct pb_bench_wiring {
    uint64_t
        pins[PB_BENCH_NODES]
            [PB_BENCH_LINKS]; /* of each link of each node: the core's, bit per link, all one wire; 0: none */
    uint32_t missing; /* bit per node: without power, and without a console */
};
/* Wires them so. A node sees what another one pulls on its link one clock of the core later. Call it before
 * the first run. */
void pb_bench_wire(struct pb_bench *bench, const struct pb_bench_wiring *wiring);
/* Sets the rise time of the nodes' lines after the last driver released them, 0 by default. A pull or a
 * driven high level ends it; a fall is immediate. Call it before the first run. */
void pb_bench_set_rise(struct pb_bench *bench, int64_t rise_ps);
/* Sets the device of the time-to-digital converter, PB_CHAIN_TYP by default. Call it before the first run. */
void pb_bench_set_tdc(struct pb_bench *bench, const struct pb_chain_config *config);
void pb_bench_destroy(struct pb_bench *bench); /* and its nodes; NULL: no effect */

/* Runs until at least min_bytes wait for the host, at most until until_ps. */
void pb_bench_run(struct pb_bench *bench, int64_t until_ps, size_t min_bytes);
/* Returns when the core first drove TDMA_CLK and TDMA_SYNC in parallel with a controller; -1: never. */
int64_t pb_bench_clock_contested_ps(const struct pb_bench *bench);
int64_t pb_bench_now_ps(const struct pb_bench *bench);
/* Returns when the core last pulled a link or held a clock pin high; the current time if it does so now. */
int64_t pb_bench_active_ps(const struct pb_bench *bench);
/* Returns a node of the bench, below the `nodes` of pb_bench_create. */
const struct pb_node *pb_bench_node(const struct pb_bench *bench, unsigned index);
struct pb_sim *pb_bench_sim(struct pb_bench *bench); /* for host bytes and queries; do not clock it */

#endif
