/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading of a YAML file that is no scenario (hardware map, limits, quarantine), entry by entry.
 */
#ifndef PB_ENTRIES_H
#define PB_ENTRIES_H

#include "yaml_lines.h"

struct pb_entries {
    const struct pb_outline *outline;
    const char *path; /* for sentences */
    struct pb_diag *diag;
};

/* PB_ERR_CONFIG with the sentence "FILE:LINE: ..." */
int pb_entry_refuse(const struct pb_entries *reading, const struct pb_outline_entry *at, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/* Index of the entry's key; `count`: unknown, and refused with the key that was probably meant and all that
 * there are. `what` is the mapping in the sentence, as "a board". */
size_t pb_entry_key(const struct pb_entries *reading, const struct pb_outline_entry *at, const char *what,
                    const char *const *key, size_t count);

/* Copies a text of one line, which may be empty; PB_ERR_CONFIG: the value is no text, has a line break or
 * a tab, or does not fit with its terminator. */
int pb_entry_text(const struct pb_entries *reading, const struct pb_outline_entry *at, char *out,
                  size_t size);

#endif
