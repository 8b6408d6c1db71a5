/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What forms of text and of JSON are written with. Texts are untrusted.
 */
#ifndef PB_BASE_FORM_H
#define PB_BASE_FORM_H

#include "phasebench/error.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* Writes one line of at most 8191 bytes, with control characters and line breaks replaced. */
void pb_form_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pb_form_line_list(FILE *stream, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Writes value / 10^decimals without trailing zeros, as "7692.307", into text and returns it. */
#define PB_FORM_FIXED_SIZE 40
const char *pb_form_fixed(char text[PB_FORM_FIXED_SIZE], int64_t value, unsigned decimals);

/* What a writer of a form returns where this result has no such form. */
enum { PB_FORM_NONE = 1 };

/* The text, cleaned likewise, as a new JSON string; NULL: out of memory. */
json_t *pb_form_text(const char *text);
/* As json_object_set_new and json_array_append_new. Out of memory makes the next pb_form_json of this thread
 * fail, so that an incomplete document is never written. */
void pb_form_set(json_t *object, const char *key, json_t *value);
void pb_form_add(json_t *array, json_t *value);
/* Writes the object with a newline and takes the reference, also on failure. NULL: out of memory.
 * Returns 0, PB_ERR_IO or PB_ERR_MEMORY, with errno. */
int pb_form_json(FILE *stream, json_t *object);
/* The same with these flags of jansson. */
int pb_form_json_as(FILE *stream, json_t *object, size_t flags);

#endif
