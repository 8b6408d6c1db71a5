/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios as one suite: what the command line adds to pb_suite_run.
 */
#ifndef PHASEBENCH_CLI_SUITE_H
#define PHASEBENCH_CLI_SUITE_H

#include "run_job.h"

#include "phasebench/suite_run.h"

/* Runs all entries, and prints and writes the requested forms. Skipped entries come last. Refuses an invalid
 * request before the first run. Functions that return an exit code have reported the error. */
int suite_run(const struct pb_suite_entry *entry, size_t count, const struct run_request *request);

/* Reads the shard of --shard. */
int suite_selection_take(struct suite_selection *selection);
/* Reads a stored result; the caller releases it. */
int suite_read(struct pb_suite_document *document, const char *path);

#endif
