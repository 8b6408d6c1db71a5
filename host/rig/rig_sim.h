/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated rig behind pb_rig_open. */
#ifndef PHASEBENCH_RIG_SIM_H
#define PHASEBENCH_RIG_SIM_H

#include "bench/sim/bench.h"
#include "phasebench/rig.h"

enum { PB_RIG_SIM_CLOCKS_PER_BIT = 4 }; /* of the UART, at least and by default */

struct pb_rig_sim {
    enum pb_sim_port port;
    unsigned clock_hz; /* of the core; 0: the core's own, 48 MHz for one node and 24 MHz for several */
    bool clock_fits;   /* with clock_hz 0: the slowest that resolves the scenario (core_clock.h) */
    unsigned baud_hz;  /* of the UART; 0: a quarter of the core's clock */
    bool every_clock; /* clocks in which nothing happens are simulated, too */
};

/* PB_ERR_ARGUMENT: a baud that the core's clock cannot make; PB_ERR_CONFIG: a clock on which the scenario
 * cannot run; else as pb_rig_open. */
int pb_rig_sim_open(struct pb_transport **out, const struct pb_rig_sim *port,
                    const struct pb_rig_options *options, const struct pb_scenario *scenario,
                    struct pb_diag *diag);

/* Of its UART; 0: a byte stream, or the transport was not made here. */
uint64_t pb_rig_sim_bytes_per_s(const struct pb_transport *transport);

/* -1 when the transport was not made here. */
int64_t pb_rig_sim_time_ps(const struct pb_transport *transport);

/* When the core last pulled a link or held a clock pin high, in simulated time; the present when it does so
 * now. */
int64_t pb_rig_sim_active_ps(const struct pb_transport *transport);

/* PB_ERR_LINK once two drivers met on a clock pin: the core's and an external controller's. pb_rig_sim's read
 * fails likewise from then on. */
int pb_rig_sim_check(const struct pb_transport *transport, struct pb_diag *diag);

/* The bench of a simulated rig, for who drives it himself; NULL when the transport was not made here. */
struct pb_bench *pb_rig_sim_bench(struct pb_transport *transport);

#endif
