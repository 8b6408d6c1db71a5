/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A YAML document as it is written: each value with its line.
 *
 * A place is written "link.baud" or "nodes[1].address"; "" is the top.
 */
#ifndef PB_YAML_LINES_H
#define PB_YAML_LINES_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PB_PLACE_SIZE 192

enum pb_outline_kind { PB_OUTLINE_SCALAR, PB_OUTLINE_SEQUENCE, PB_OUTLINE_MAPPING };

struct pb_outline_entry {
    char *key;     /* owned; NULL for the top and for items of a sequence */
    char *text;    /* owned; of a scalar, else NULL */
    size_t parent; /* index of the entry around this one; the top is its own */
    size_t index;  /* position among the parent's entries */
    size_t length; /* of a scalar, in bytes; of the others, entries */
    unsigned line; /* from 1 */
    enum pb_outline_kind kind;
    /* Where the value is written, with its quotes, in characters (not bytes) from the start of the text;
     * `end` is the place after it. A container in block style ends where the next value begins. */
    size_t begin, end;
    unsigned column; /* of its key, in characters from 0; without a key: of the value */
    bool flow;       /* a container in brackets */
};

struct pb_outline {
    struct pb_outline_entry *entry; /* owned; entry[0] is the top, each follows its parent */
    size_t count, capacity;
};

/* Reads one document. Refused, with line: what is not YAML, anchors, aliases and tags (they can make a small
 * file grow without bound), more than one document, a repeated key, control characters. A text without
 * a document gives no entry. Release with pb_outline_free, also after a failure. */
int pb_outline_read(struct pb_outline *outline, const char *path, const char *text, size_t length,
                    struct pb_diag *diag);
void pb_outline_free(struct pb_outline *outline);

/* Line of a place or, when it is not in the document, of the nearest thing around it; 0: only the top is
 * left. */
unsigned pb_outline_line(const struct pb_outline *outline, const char *place);

/* Writes the place of an entry, PB_PLACE_SIZE bytes; returns out. */
char *pb_outline_place(const struct pb_outline *outline, size_t entry, char *out);

#endif
