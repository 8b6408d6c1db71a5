/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PHASEBENCH_CLI_REPORT_MERGE_H
#define PHASEBENCH_CLI_REPORT_MERGE_H

#include "run_job.h"

/* Joins stored results, each a file or a folder with result.json, to one suite, and prints and writes the
 * forms of the request (form, out, junit_path, csv_path). Shards go back to the order of their suite; all
 * must be there, and no case twice. Returns the exit code of a run of that suite. */
int report_merge(char **path, const struct run_request *request);

#endif
