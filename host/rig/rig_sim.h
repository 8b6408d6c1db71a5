/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated rig behind pb_rig_open. */
#ifndef PHASEBENCH_RIG_SIM_H
#define PHASEBENCH_RIG_SIM_H

#include "phasebench/rig.h"

int pb_rig_sim_open(struct pb_transport **out, bool uart, const struct pb_rig_options *options,
                    const struct pb_scenario *scenario, struct pb_diag *diag);

#endif
