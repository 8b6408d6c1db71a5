/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/form.h"

#include "host/base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void pb_form_line_list(FILE *stream, const char *format, va_list arguments)
{
    char line[8192], clean[sizeof line];

    vsnprintf(line, sizeof line, format, arguments);
    pb_utf8_clean(clean, sizeof clean, line);
    fprintf(stream, "%s\n", clean);
}

void pb_form_line(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_form_line_list(stream, format, arguments);
    va_end(arguments);
}

json_t *pb_form_text(const char *text)
{
    const size_t size = 3 * strlen(text) + 1; /* an invalid UTF-8 byte becomes three */
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    pb_utf8_clean(clean, size, text);
    json_t *string = json_string(clean);
    free(clean);
    return string;
}

static _Thread_local bool incomplete;

void pb_form_set(json_t *object, const char *key, json_t *value)
{
    incomplete |= json_object_set_new(object, key, value) != 0;
}

void pb_form_add(json_t *array, json_t *value)
{
    incomplete |= json_array_append_new(array, value) != 0;
}

int pb_form_json(FILE *stream, json_t *object)
{
    /* A double keeps 15 decimal digits, so 0.1 is printed as 0.1. */
    return pb_form_json_as(stream, object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
}

int pb_form_json_as(FILE *stream, json_t *object, size_t flags)
{
    const bool lacks = incomplete;
    incomplete = false;
    errno = ENOMEM;
    const int failed = !object || lacks || json_dumpf(object, stream, flags) != 0;
    json_decref(object);
    if (!failed && putc('\n', stream) != EOF)
        return PB_OK;
    return ferror(stream) ? PB_ERR_IO : PB_ERR_MEMORY;
}

const char *pb_form_fixed(char text[PB_FORM_FIXED_SIZE], int64_t value, unsigned decimals)
{
    int64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;

    const int64_t size = value < 0 ? -value : value; /* each part of it would print a sign of its own */
    int length = snprintf(text, PB_FORM_FIXED_SIZE, "%s%" PRId64, value < 0 ? "-" : "", size / unit);
    if (size % unit) {
        length += snprintf(text + length, PB_FORM_FIXED_SIZE - (size_t)length, ".%0*" PRId64, (int)decimals,
                           size % unit);
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    return text;
}
