/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of a rig's URL: key=value&key=value. Without escapes. */
#ifndef PHASEBENCH_QUERY_H
#define PHASEBENCH_QUERY_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stdint.h>

#define PB_QUERY_MAX 16

struct pb_query {
    const char *rig;         /* "sim:", for messages */
    const char *const *name; /* of the known options; borrowed */
    unsigned options;        /* at most PB_QUERY_MAX */
    char value[PB_QUERY_MAX][64];
    bool given[PB_QUERY_MAX];
};

/* Splits the text after the question mark. PB_ERR_ARGUMENT: unknown option, missing value, or duplicate. */
int pb_query_split(struct pb_query *query, const char *text, struct pb_diag *diag);

/* Reads a whole number from low to high. *number is unchanged if the option is not given. */
int pb_query_number(const struct pb_query *query, unsigned option, uint64_t low, uint64_t high,
                    uint64_t *number, struct pb_diag *diag);

#endif
