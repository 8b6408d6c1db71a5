/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the entries of a hardware map from its text.
 */
#ifndef PB_MAP_READ_H
#define PB_MAP_READ_H

#include "map.h"

/* The caller frees *entry; it may be NULL without boards. Errors as pb_map_load. */
int pb_map_read(struct pb_map_entry **entry, size_t *count, const char *path, const char *text, size_t length,
                struct pb_diag *diag);

#endif
