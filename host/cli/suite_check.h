/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenarios looked at without a run: listed, or read and planned for a rig.
 */
#ifndef PHASEBENCH_CLI_SUITE_CHECK_H
#define PHASEBENCH_CLI_SUITE_CHECK_H

#include "find_scenarios.h"
#include "run_job.h"

/* Prints name, description and path of each. Returns an exit code: CLI_BAD_SCENARIO when one cannot be read,
 * which is reported, and the others are listed all the same. */
int suite_list(const struct find_list *scenarios, const struct run_request *request);

/* Reads each, plans it for the core of the rig, and prints what is wrong with it, or doubtful. Nothing runs.
 * Returns the worst exit code; a warning is none. */
int suite_check(const struct find_list *scenarios, const struct run_request *request);

#endif
