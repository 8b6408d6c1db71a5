/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios as one suite: each runs in a process of its own, and there is one of each form for all.
 */
#ifndef PHASEBENCH_CLI_SUITE_H
#define PHASEBENCH_CLI_SUITE_H

#include "find_scenarios.h"
#include "run_job.h"

#define SUITE_SCENARIOS_MAX 10000u

/* Runs them all, as struct workers says, and prints and writes what the request asks for. Everything that can
 * be refused is refused before the first run. Returns the exit code of the command. */
int suite_run(const struct find_list *scenarios, const struct run_request *request);

#endif
