/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario file with its keys checked (keys.def); every value is still text. NULL: not in the file.
 */
#ifndef PB_RAW_H
#define PB_RAW_H

#include "yaml_lines.h"

#include "phasebench/scenario.h"

#include <stddef.h>

/* The structures of fault_keys.def, which the command line fills, too. */
#define pb_raw_faults pb_fault_text
#define pb_raw_other pb_fault_line_text

#define SECTION(section) struct pb_raw_##section {
#define KEY(section, key, ...) const char *key;
#define INNER(section, key, ...) struct pb_raw_##key key;
#define LIST(section, key, member, type, ...)                                                                \
    type *member; /* owned */                                                                                \
    unsigned member##_count;
#define END(section)                                                                                         \
    }                                                                                                        \
    ;
#include "keys.def"

/* Fills the structures from an outline, whose texts they borrow. PB_ERR_CONFIG for unknown keys (with the
 * nearest known one) and values of an invalid form, PB_ERR_MEMORY. refusals (NULL: none): gets these errors
 * in place of PB_ERR_CONFIG, and the rest is filled. Release with pb_raw_free, also on failure. */
struct pb_refusals;
int pb_raw_fill(struct pb_raw_scenario *raw, const struct pb_outline *outline, const char *path,
                struct pb_refusals *refusals, struct pb_diag *diag);
void pb_raw_free(struct pb_raw_scenario *raw);

#endif
