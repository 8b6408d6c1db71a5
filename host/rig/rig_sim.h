/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated rig, opened by pb_rig_open. */
#ifndef PHASEBENCH_RIG_SIM_H
#define PHASEBENCH_RIG_SIM_H

#include "bench/nodes/figures.h"
#include "bench/nodes/process.h"
#include "bench/nodes/trouble.h"
#include "bench/sim/bench.h"
#include "phasebench/rig.h"

enum { PB_RIG_SIM_CLOCKS_PER_BIT = 4 }; /* of the UART, minimum and default */

struct pb_rig_sim {
    enum pb_sim_port port;
    unsigned clock_hz; /* of the core; 0: default, 48 MHz for one node and 24 MHz for several */
    bool clock_fits;   /* with clock_hz 0: the slowest that resolves the scenario (core_clock.h) */
    unsigned baud_hz;  /* of the UART; 0: a quarter of the core's clock */
    int clock_ppb;     /* error of the core's clock, -1000000..1000000; fast above 0 */
    bool every_clock; /* simulate idle cycles, too */
    struct pb_chain_config tdc; /* device of the converter */
};

/* PB_ERR_ARGUMENT: a baud that the core cannot generate; PB_ERR_CONFIG: a clock on which the scenario cannot
 * run; else as pb_rig_open. */
int pb_rig_sim_open(struct pb_transport **out, const struct pb_rig_sim *port,
                    const struct pb_rig_options *options, const struct pb_scenario *scenario,
                    struct pb_diag *diag);

/* Rate of its UART; 0: a byte stream, or no simulated rig. */
uint64_t pb_rig_sim_bytes_per_s(const struct pb_transport *transport);

/* Simulated time; -1: no simulated rig. */
int64_t pb_rig_sim_time_ps(const struct pb_transport *transport);

/* Simulated time at which the core last pulled a link or drove a clock pin high; now, if it still does. */
int64_t pb_rig_sim_active_ps(const struct pb_transport *transport);

/* PB_ERR_LINK after the core and an external controller have driven a clock pin together;
 * PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT after a halt ended the wait for the process of a node. The rig's read
 * then fails with it, too. */
int pb_rig_sim_check(const struct pb_transport *transport, struct pb_diag *diag);

/* As in node_state.h, without effect on another rig. */
void pb_rig_sim_node_trouble(const struct pb_transport *transport, unsigned index,
                             struct pb_node_trouble *trouble);

bool pb_rig_sim_node_figures(const struct pb_transport *transport, unsigned index,
                             struct pb_node_figures *figures);

/* The bench of a simulated rig, for a caller that steps it; NULL: no simulated rig. */
struct pb_bench *pb_rig_sim_bench(struct pb_transport *transport);

#endif
