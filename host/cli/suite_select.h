/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Selects the cases of a suite to run: those that failed in the last run, or one of several shards.
 */
#ifndef PHASEBENCH_CLI_SUITE_SELECT_H
#define PHASEBENCH_CLI_SUITE_SELECT_H

#include "phasebench/suite.h"

#include <stdbool.h>

struct suite_selection {
    unsigned max_failures; /* further ones start no case; 0: no limit */
    bool last_failed;
    const char *shard_text; /* --shard as given; NULL: not given */
    unsigned shard, shards; /* the same, read; shards 0: all cases */
};

/* A suite is wanted, also of one scenario. */
static inline bool suite_selection_given(const struct suite_selection *selection)
{
    return selection->max_failures || selection->last_failed || selection->shard_text;
}

/* Reads shard_text. Functions that return an exit code have reported the error. */
int suite_selection_take(struct suite_selection *selection);

/* Sets keep[i] for each case of *suite that runs here: of the cases in their order, or of those that failed
 * by the result.json in the folder `out`, the shard has every shards-th; and says in *suite which shard of
 * which suite that is. Refuses a selection of none. */
int suite_select(const struct suite_selection *selection, const char *out, struct pb_suite *suite,
                 bool *keep);

/* Reads a stored result; the caller releases it. */
int suite_read(struct pb_suite_document *document, const char *path);

#endif
