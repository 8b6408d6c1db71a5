/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Converts the text of a value to a number in range; the diagnostic of an error names value, limit and
 * remedy.
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

/* All errors of a file. A value that is invalid by itself is refused and replaced by its default. A value
 * that contradicts another value, or a limit that depends on one, is refused only if no earlier refusal can
 * be its cause: one mistake must not be reported twice. */
struct pb_refusals {
    struct pb_diag *text; /* `most` of them */
    unsigned *line;       /* as many: of each in its file; 0: none */
    size_t most, count;   /* count: of all, also of those without room */
    bool doubt;           /* a refusal in this section or entry of a list */
    bool before;          /* ... or in one before it */
    bool keys;            /* of a key or a form, so that what seems missing may be written in its place */
};

struct pb_reader {
    const char *path;
    const struct pb_outline *outline;
    struct pb_scenario_texts *texts; /* files that the scenario names are looked up and kept here */
    bool closed;                     /* and never read from the disk */
    struct pb_diag *diag;            /* may be NULL */
    struct pb_refusals *refusals;    /* NULL: the first error ends the reading */
    bool fixed;                      /* the limits of a value depend on no other one */
};

/* "nodes[1].address", or "nodes[1]" when key is ""; returns place->text. */
struct pb_place {
    char text[PB_PLACE_SIZE];
};
const char *pb_place(struct pb_place *place, const char *list, size_t index, const char *key);

/* PB_ERR_CONFIG with the sentence "FILE:LINE: PLACE: ..." on one line. */
int pb_reject(const struct pb_reader *reader, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As pb_reject, of a value by itself. PB_OK if all errors are requested: its default remains. `limited`: only
 * for the limits, which may depend on other values. */
int pb_reject_value(const struct pb_reader *reader, const char *place, bool limited, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* As pb_reject, for a key that an entry lacks or has twice, independent of other entries. */
int pb_reject_entry(const struct pb_reader *reader, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Call it after an entry of a list, or a section, with its code. PB_OK: continue, all errors are
 * requested. */
int pb_go_on(const struct pb_reader *reader, int code);

/* True if all errors are requested, and one was found. */
bool pb_is_doubtful(const struct pb_reader *reader);

/* Appends a diagnostic that was written to *diag, about this line. */
void pb_refusals_add(struct pb_refusals *refusals, const struct pb_diag *diag, unsigned line);

/* Returns the bytes of a value to show in a diagnostic, for "%.*s": at most 40, without a cut UTF-8 character
 * at the end. */
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
