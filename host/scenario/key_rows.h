/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The keys of a section of a scenario as rows of a document, in Markdown.
 */
#ifndef PB_KEY_ROWS_H
#define PB_KEY_ROWS_H

#include "keys.h"

struct pb_key_row {
    char name[80], range[PB_KEY_RANGE_SIZE];
    const char *otherwise, *example, *meaning;
};

/* Calls `print` for each row of a section; false: there is no such section. */
bool pb_key_rows(const char *section, void (*print)(const struct pb_key_row *row, void *context),
                 void *context);

/* A text of a row without the marks of Markdown: `word` and [text](target). Returns out. */
const char *pb_key_plain(char out[512], const char *text);

#endif
