/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include "nearest_word.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 40

const char *pb_place(struct pb_place *place, const char *list, size_t index, const char *key)
{
    snprintf(place->text, sizeof place->text, "%s[%zu]%s%s", list, index, *key ? "." : "", key);
    return place->text;
}

int pb_reject(const struct pb_reader *reader, const char *place, const char *format, ...)
{
    struct pb_diag sentence;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
    va_end(arguments);
    /* Values may contain line breaks; a sentence may not. */
    for (char *c = sentence.text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';

    unsigned line = pb_outline_line(reader->outline, place);
    if (line == 0)
        return pb_fail(reader->diag, PB_ERR_CONFIG, "%s: %s: %s", reader->path, place, sentence.text);
    return pb_fail(reader->diag, PB_ERR_CONFIG, "%s:%u: %s: %s", reader->path, line, place, sentence.text);
}

int pb_shown(const char *text)
{
    size_t length = strnlen(text, SHOWN_BYTES + 1);
    if (length <= SHOWN_BYTES)
        return (int)length;
    length = SHOWN_BYTES;
    while (length && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

int pb_read_quantity(const struct pb_reader *reader, const char *place, const char *text,
                     enum pb_quantity_kind kind, int64_t least, int64_t most, int64_t *value)
{
    if (!text)
        return PB_OK;
    const char *units = pb_quantity_units(kind), *example = pb_quantity_example(kind);
    int64_t read = 0;
    switch (pb_quantity_parse(text, kind, &read)) {
    case PB_QUANTITY_NO_NUMBER:
        return pb_reject(reader, place,
                         "'%.*s' is not a decimal number with a unit; give %s, for example '%s'",
                         pb_shown(text), text, units, example);
    case PB_QUANTITY_NO_UNIT:
        return pb_reject(reader, place, "'%.*s' has no unit; give %s, for example '%s'", pb_shown(text), text,
                         units, example);
    case PB_QUANTITY_WRONG_UNIT:
        return pb_reject(reader, place, "'%.*s' has another unit than %s; write it like '%s'", pb_shown(text),
                         text, units, example);
    case PB_QUANTITY_TOO_FINE:
        return pb_reject(reader, place, "'%.*s' is not a whole multiple of %s; round it", pb_shown(text),
                         text, pb_quantity_step(kind));
    case PB_QUANTITY_TOO_LARGE:
        read = INT64_MAX;
        break;
    case PB_QUANTITY_OK:
        break;
    }
    if (read < least || read > most) {
        char from[32], to[32];
        return pb_reject(reader, place, "'%.*s' is out of range; give %s to %s", pb_shown(text), text,
                         pb_quantity_format(from, sizeof from, kind, least),
                         pb_quantity_format(to, sizeof to, kind, most));
    }
    *value = read;
    return PB_OK;
}

int pb_read_number(const struct pb_reader *reader, const char *place, const char *text, uint64_t least,
                   uint64_t most, uint64_t *value)
{
    if (!text)
        return PB_OK;
    uint64_t read;
    if (!pb_parse_number(text, strlen(text), &read))
        return pb_reject(reader, place,
                         "'%.*s' is not a whole number; give %" PRIu64 " to %" PRIu64
                         ", decimal or 0x hexadecimal",
                         pb_shown(text), text, least, most);
    if (read < least || read > most)
        return pb_reject(reader, place, "%.*s is out of range; give %" PRIu64 " to %" PRIu64, pb_shown(text),
                         text, least, most);
    *value = read;
    return PB_OK;
}

int pb_read_choice(const struct pb_reader *reader, const char *place, const char *text,
                   const char *const *name, size_t count, size_t *choice)
{
    if (!text)
        return PB_OK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, name[i]) == 0) {
            *choice = i;
            return PB_OK;
        }
    char known[240];
    return pb_reject(reader, place, "'%.*s' is unknown; did you mean '%s'? Known: %s", pb_shown(text), text,
                     pb_nearest(text, name, count), pb_word_list(known, sizeof known, name, count));
}
