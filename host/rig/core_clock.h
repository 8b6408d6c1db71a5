/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Clock of the simulated core. docs/reference/timing.md, "Clock of the simulated core", defines the rule.
 */
#ifndef PHASEBENCH_CORE_CLOCK_H
#define PHASEBENCH_CORE_CLOCK_H

#include "phasebench/error.h"
#include "phasebench/scenario.h"

/* The supported clocks, ascending. */
#define PB_CORE_CLOCKS 3
struct pb_core_clock {
    const char *name; /* "12MHz" */
    unsigned hz;
};
extern const struct pb_core_clock pb_core_clocks[PB_CORE_CLOCKS];

/* Default clock of the core: 48 MHz for one node, 24 MHz for several. */
unsigned pb_core_clock_most_hz(const struct pb_scenario *scenario);

/* Sets the slowest clock that resolves the scenario's limits and carries its events as a byte stream; none:
 * the default clock. Returns 0 or PB_ERR_MEMORY. */
int pb_core_clock_default(unsigned *hz, const struct pb_scenario *scenario, struct pb_diag *diag);

/* PB_ERR_CONFIG: the scenario cannot run on a core with this clock. */
int pb_core_clock_check(const struct pb_scenario *scenario, unsigned hz, struct pb_diag *diag);

#endif
