/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Selects the cases of a suite to run: those that failed in the last run, or one of several shards.
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_SUITE_SELECT_H
#define PHASEBENCH_PROCEDURE_SUITE_SUITE_SELECT_H

#include "phasebench/suite_run.h"

/* Sets keep[i] for each case of *suite that runs here: of the cases in their order, or of those that failed
 * in the last run, the shard has every shards-th; and says in *suite which shard of which suite that is.
 * Refuses a selection of none. *missing: that cases which failed there are none of these, or "", also after
 * an error. */
int suite_select(const struct pb_suite_options *options, struct pb_suite *suite, bool *keep,
                 struct pb_diag *missing, struct pb_diag *diag);

/* Adds a case to the fingerprint of a suite, which is 0 without any: of its name as result.json has it. */
unsigned long suite_add_name(unsigned long fingerprint, const char *name);

/* As struct pb_suite has it. */
void suite_show_fingerprint(char out[PB_SHARD_OF_SIZE], unsigned long fingerprint);

#endif
