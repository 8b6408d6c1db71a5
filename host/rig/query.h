/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of a rig's URL: key=value&key=value. Keys and values are what they are: nothing in them needs
 * an escape. */
#ifndef PHASEBENCH_QUERY_H
#define PHASEBENCH_QUERY_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stdint.h>

#define PB_QUERY_MAX 9

struct pb_query {
    const char *rig;         /* "sim:", for messages */
    const char *const *name; /* of the options there are; borrowed */
    unsigned options;        /* PB_QUERY_MAX at most */
    char value[PB_QUERY_MAX][64];
    bool given[PB_QUERY_MAX];
};

/* Splits what stands behind the question mark. PB_ERR_ARGUMENT: an unknown option, one without a value, or
 * twice. */
int pb_query_split(struct pb_query *query, const char *text, struct pb_diag *diag);

/* Reads a whole number from low to high; leaves *number alone when the option was not given. */
int pb_query_number(const struct pb_query *query, unsigned option, uint64_t low, uint64_t high,
                    uint64_t *number, struct pb_diag *diag);

#endif
