/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rigs: what carries the node under test, named by a URL.
 *
 *   sim:                     the Verilated core in this process with the scenario's nodes on its pins (the
 * default) sim:?port=uart           the same through the core's bit-serial UART host port at 12 Mbaud
 *
 * A rig is opened for a scenario and gives a byte transport to a core; everything above it is the same for
 * all rigs.
 */
#ifndef PHASEBENCH_RIG_H
#define PHASEBENCH_RIG_H

#include "phasebench/device.h"
#include "phasebench/scenario.h"

#include <stdbool.h>

struct pb_rig_options {
    const char *url;        /* NULL: "sim:" */
    const char *trace_path; /* FST file, simulated rigs only; NULL: none */
    int64_t trace_from_ps, trace_to_ps;
};

/* Opens the transport. PB_ERR_ARGUMENT: unknown URL or option; PB_ERR_CONFIG: the rig cannot seat the
 * scenario's nodes. The transport belongs to the caller (normally pb_device_open takes it). */
int pb_rig_open(struct pb_transport **out, const struct pb_rig_options *options,
                const struct pb_scenario *scenario, struct pb_diag *diag);

/* Checks a URL without opening anything. */
int pb_rig_check_url(const char *url, struct pb_diag *diag);

/* Simulated time in picoseconds, -1 on a real rig. */
int64_t pb_rig_simulated_ps(const struct pb_transport *transport);

#endif
