/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the text of a value to a number in range, with a sentence that names value, limit and remedy.
 */
#ifndef PB_VALUES_H
#define PB_VALUES_H

#include "yaml_lines.h"
#include "quantity.h"

#include "phasebench/error.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_reader {
    const char *path;
    const struct pb_outline *outline;
    struct pb_scenario_texts *texts; /* files that the scenario names are looked up and kept here */
    bool closed;                     /* and never read from the disk */
    struct pb_diag *diag;            /* may be NULL */
};

/* "nodes[1].address", or "nodes[1]" when key is ""; returns place->text. */
struct pb_place {
    char text[PB_PLACE_SIZE];
};
const char *pb_place(struct pb_place *place, const char *list, size_t index, const char *key);

/* PB_ERR_CONFIG with the sentence "FILE:LINE: PLACE: ..." on one line. */
int pb_reject(const struct pb_reader *reader, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Bytes of a value to show in a sentence, for "%.*s": at most 40, and no cut UTF-8 character at the end. */
int pb_shown(const char *text);

/* Each leaves *value as it is (the default) and returns 0 when text is NULL. Ranges include both ends. */
int pb_read_quantity(const struct pb_reader *reader, const char *place, const char *text,
                     enum pb_quantity_kind kind, int64_t least, int64_t most, int64_t *value);
int pb_read_number(const struct pb_reader *reader, const char *place, const char *text, uint64_t least,
                   uint64_t most, uint64_t *value);
/* *choice becomes the index of text among the names. */
int pb_read_choice(const struct pb_reader *reader, const char *place, const char *text,
                   const char *const *name, size_t count, size_t *choice);

#endif
