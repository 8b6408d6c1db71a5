/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values in place of those of a document.
 */
#ifndef PB_OUTLINE_SET_H
#define PB_OUTLINE_SET_H

#include "yaml_lines.h"

/* Sets the value at a place ("link.baud", "nodes[1].clock_error"), as if it were written in the line of what
 * is around it. Mappings that are missing are added, items of a list are not. A value that begins with [ or {
 * is YAML, and may take the place of a list or mapping; any other is a plain text, and may not.
 * PB_ERR_CONFIG: the place is no place, has no such item, or holds a list or mapping; the value is not YAML;
 * PB_ERR_MEMORY. */
int pb_outline_set(struct pb_outline *outline, const char *path, const char *place, const char *value,
                   struct pb_diag *diag);

/* The text of the value at a place; NULL: there is none. */
const char *pb_outline_value(const struct pb_outline *outline, const char *place);

#endif
