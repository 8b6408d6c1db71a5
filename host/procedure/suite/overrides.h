/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a request says in place of the values of a scenario.
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_OVERRIDES_H
#define PHASEBENCH_PROCEDURE_SUITE_OVERRIDES_H

#include "phasebench/suite_run.h"

/* Turns a length in time, or the most that there can be, into a number of superframes. */
int pb_overrides_resolve(struct pb_scenario_overrides *overrides, const struct pb_scenario *scenario,
                         struct pb_diag *diag);
/* Puts resolved values into the scenario. */
int pb_overrides_apply(const struct pb_scenario_overrides *overrides, struct pb_scenario *scenario,
                       struct pb_diag *diag);

#endif
