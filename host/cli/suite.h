/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios as one suite: one process per scenario, one report of each form.
 */
#ifndef PHASEBENCH_CLI_SUITE_H
#define PHASEBENCH_CLI_SUITE_H

#include "run_job.h"

#include <stddef.h>

#define SUITE_SCENARIOS_MAX 10000u

struct suite_entry {
    const char *path;
    const char *text;    /* of the scenario; NULL: the file at the path */
    const char *skipped; /* why it is not run; NULL: it is run */
    const char *group;   /* another name of it in a quarantine; NULL: none */
};

/* Runs all scenarios by struct workers, and prints and writes the requested forms. Skipped entries come last.
 * Refuses an invalid request before the first run. Returns the exit code of the command. */
int suite_run(const struct suite_entry *entry, size_t count, const struct run_request *request);

#endif
