/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the rise time of the lines. The core pulls each line and releases it a few times, and stamps the
 * edges.
 */
#ifndef PHASEBENCH_LINE_RISE_H
#define PHASEBENCH_LINE_RISE_H

#include "host/check/observation.h"
#include "host/plan/plan.h"

/* Fills observation->rise of the plan's links. The scenario's link.rise takes the place of the measurement.
 * Call it with the capture on and the phase clock stopped, or with an external clock the nodes held in reset;
 * masks and link modes are as before the run then. Takes a few ms of rig time. The nodes see lows of at most
 * 3/8 of a bit, no start bit. Edges that it did not make itself are appended to observation->events; a line
 * with such edges, or without its own, stays PB_RISE_UNKNOWN. Returns 0 or the code of the device call that
 * failed. */
int pb_line_rise(struct pb_observation *observation, struct pb_device *device,
                 const struct pb_scenario *scenario, const struct pb_plan *plan, struct pb_diag *diag);

#endif
