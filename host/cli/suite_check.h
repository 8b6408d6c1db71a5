/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenarios without a run: listed, or read and planned for a rig.
 */
#ifndef PHASEBENCH_CLI_SUITE_CHECK_H
#define PHASEBENCH_CLI_SUITE_CHECK_H

#include "host/procedure/suite/find_scenarios.h"
#include "run_job.h"

/* Prints name, description and path of each. Returns an exit code: CLI_BAD_SCENARIO if a scenario cannot be
 * read; this is reported, and the others are still listed. */
int suite_list(const struct find_list *scenarios, const struct run_request *request);

/* Reads each, plans it for the core of the rig, and prints its errors and warnings, without a run.
 * Returns the worst exit code; a warning does not count. */
int suite_check(const struct find_list *scenarios, const struct run_request *request);

#endif
