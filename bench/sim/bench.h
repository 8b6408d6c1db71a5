/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated bench: one Verilated core with node models wired to its pins. All that the host knows of
 * bench/.
 */
#ifndef PB_BENCH_H
#define PB_BENCH_H

#include "bench/nodes/controller.h"
#include "bench/nodes/node.h"
#include "bench/sim/pb_sim.h"

struct pb_bench;

/* Takes ownership of `nodes` nodes, also on failure. Node i has links i * ports .. i * ports + ports - 1 and
 * node port i. A single node has the whole connector of a board, 12 links or as many as the core has: what it
 * does on links beyond these reaches the core, too. NULL when out of memory or when the core has too few
 * links or node ports. */
struct pb_bench *pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                 unsigned nodes, unsigned ports);
/* Puts a controller on the clock pins; the core and the nodes follow it while the core does not drive them.
 * Call it before the first run. */
void pb_bench_follow(struct pb_bench *bench, const struct pb_controller_config *config);
/* Lines of the nodes read high so long after the last driver released them, 0 by default; a pull or a driven
 * high level ends the wait. A low is immediate. Call it before the first run. */
void pb_bench_set_rise(struct pb_bench *bench, int64_t rise_ps);
void pb_bench_destroy(struct pb_bench *bench); /* and its nodes; NULL is fine */

/* Runs until at least min_bytes wait for the host or the time is until_ps, whichever is first. */
void pb_bench_run(struct pb_bench *bench, int64_t until_ps, size_t min_bytes);
/* Core clocks in which one side of a link pulled it low while another drove it high, or core and node pulled
 * it low together: what the line watch should have seen. */
uint64_t pb_bench_conflicts(const struct pb_bench *bench);
/* When the core first drove TDMA_CLK and TDMA_SYNC although a controller does; -1: it never has. */
int64_t pb_bench_clock_contested_ps(const struct pb_bench *bench);
int64_t pb_bench_now_ps(const struct pb_bench *bench);
/* When the core last pulled a link or held a clock pin high; the present when it does so now. */
int64_t pb_bench_active_ps(const struct pb_bench *bench);
struct pb_sim *pb_bench_sim(struct pb_bench *bench); /* for host bytes and facts; do not clock it */

#endif
