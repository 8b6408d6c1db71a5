/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Changes in the text of a hardware map; the rest of the text remains unchanged.
 */
#ifndef PB_MAP_EDIT_H
#define PB_MAP_EDIT_H

#include "map.h"

/* Writes the map hash of the board into entry `index`, or adds the board at the end if it is SIZE_MAX. The
 * text is one that pb_map_read accepts. *out: the new text, which the caller frees. PB_ERR_MEMORY. */
int pb_map_edit(char **out, const char *path, const char *text, size_t index,
                const struct pb_map_entry *board, struct pb_diag *diag);

#endif
