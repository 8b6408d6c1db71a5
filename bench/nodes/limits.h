/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Limits of a kind of node, as a table with one diagnostic for a value out of range.
 */
#ifndef PB_NODE_LIMITS_H
#define PB_NODE_LIMITS_H

#include "phasebench/error.h"

#include <stddef.h>
#include <stdint.h>

struct pb_node_limit {
    const char *key; /* scenario key, and unit of the three values: "link.head_guard in ps" */
    int64_t value, least, most;
};

/* Returns PB_OK, or PB_ERR_CONFIG and "KEY: VALUE is out of range for kind 'KIND'; give LEAST to MOST" for
 * the first value out of range. diag may be NULL. */
int pb_node_check_limits(const char *kind, const struct pb_node_limit *limit, size_t count,
                         struct pb_diag *diag);

#endif
