/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios as one suite: one process per scenario, one report of each form.
 */
#ifndef PHASEBENCH_CLI_SUITE_H
#define PHASEBENCH_CLI_SUITE_H

#include "find_scenarios.h"
#include "run_job.h"

#define SUITE_SCENARIOS_MAX 10000u

/* Runs all scenarios by struct workers, and prints and writes the requested forms. Refuses an invalid request
 * before the first run. Returns the exit code of the command. */
int suite_run(const struct find_list *scenarios, const struct run_request *request);

#endif
