/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios as one suite: what the command line adds to pb_suite_run.
 */
#ifndef PHASEBENCH_CLI_SUITE_H
#define PHASEBENCH_CLI_SUITE_H

#include "run_job.h"

#include "phasebench/suite_run.h"

/* Begins a suite of `most` cases or fewer by pb_suite_run or pb_regress, and prints and writes the requested
 * forms. `begin` gets the options without entries. Functions that return an exit code have reported the
 * error. */
typedef int suite_begin(void *context, struct pb_suite_results **out, const struct pb_procedure *procedure,
                        const struct pb_suite_options *options, struct pb_diag *diag);
int suite_run(size_t most, const struct run_request *request, suite_begin *begin, void *context);

/* The code of an exit code whose error has been reported, with an empty diagnostic. */
int suite_reported(int exit_code, struct pb_diag *diag);

/* Reads the shard of --shard. */
int suite_selection_take(struct suite_selection *selection);
/* Reads a stored result; the caller releases it. */
int suite_read(struct pb_suite_document *document, const char *path);

#endif
