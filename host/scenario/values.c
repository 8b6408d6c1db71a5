/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include "host/base/nearest_word.h"

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

/* ---- refusals */

void pb_refusals_add(struct pb_refusals *refusals, const struct pb_diag *diag, unsigned line)
{
    if (refusals->count < refusals->most) {
        refusals->text[refusals->count] = *diag;
        refusals->line[refusals->count] = line;
    }
    refusals->count++;
}

int pb_go_on(const struct pb_reader *reader, int code)
{
    if (!reader->refusals || (code && code != PB_ERR_CONFIG))
        return code;
    reader->refusals->doubt = reader->refusals->before;
    return PB_OK;
}

bool pb_is_doubtful(const struct pb_reader *reader)
{
    return reader->refusals && reader->refusals->count;
}

static void write_sentence(const struct pb_reader *reader, struct pb_diag *diag, const char *place,
                           const char *format, va_list arguments)
{
    struct pb_diag sentence;
    vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
    /* Values may contain line breaks; a sentence may not. */
    for (char *c = sentence.text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';

    unsigned line = reader->outline ? pb_outline_line(reader->outline, place) : 0;
    if (line == 0)
        pb_fail(diag, PB_ERR_CONFIG, "%s: %s: %s", reader->path, place, sentence.text);
    else
        pb_fail(diag, PB_ERR_CONFIG, "%s:%u: %s: %s", reader->path, line, place, sentence.text);
}

/* follows: from what was refused before, possibly. */
static void refuse(const struct pb_reader *reader, bool follows, const char *place, const char *format,
                   va_list arguments)
{
    struct pb_refusals *refusals = reader->refusals;
    struct pb_diag diag;
    write_sentence(reader, &diag, place, format, arguments);
    if (reader->diag)
        *reader->diag = diag;
    if (refusals && !follows)
        pb_refusals_add(refusals, &diag, pb_outline_line(reader->outline, place));
    if (refusals)
        refusals->doubt = true;
}

int pb_reject(const struct pb_reader *reader, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(reader, reader->refusals && reader->refusals->doubt, place, format, arguments);
    va_end(arguments);
    return PB_ERR_CONFIG;
}

int pb_reject_entry(const struct pb_reader *reader, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(reader, reader->refusals && reader->refusals->keys, place, format, arguments);
    va_end(arguments);
    return PB_ERR_CONFIG;
}

int pb_reject_value(const struct pb_reader *reader, const char *place, bool limited, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(reader, limited && !reader->fixed && reader->refusals && reader->refusals->before, place, format,
           arguments);
    va_end(arguments);
    return reader->refusals ? PB_OK : PB_ERR_CONFIG;
}

/* ---- values */

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
        return pb_reject_value(reader, place, false,
                               "'%.*s' is not a decimal number with a unit; give %s, for example '%s'",
                               pb_shown(text), text, units, example);
    case PB_QUANTITY_NO_UNIT:
        return pb_reject_value(reader, place, false, "'%.*s' has no unit; give %s, for example '%s'",
                               pb_shown(text), text, units, example);
    case PB_QUANTITY_WRONG_UNIT:
        return pb_reject_value(reader, place, false, "'%.*s' has another unit than %s; write it like '%s'",
                               pb_shown(text), text, units, example);
    case PB_QUANTITY_WRONG_NUMBER:
        return pb_reject_value(reader, place, false,
                               "'%.*s' has a number that cannot be read; give digits, also with a point "
                               "between, without +, exponent, comma, _ or no-break blank, then %s, as '%s'",
                               pb_shown(text), text, units, example);
    case PB_QUANTITY_TOO_FINE:
        return pb_reject_value(reader, place, false, "'%.*s' is not a whole multiple of %s; round it",
                               pb_shown(text), text, pb_quantity_step(kind));
    case PB_QUANTITY_TOO_LARGE:
        read = INT64_MAX;
        break;
    case PB_QUANTITY_OK:
        break;
    }
    if (read < least || read > most) {
        char from[32], to[32];
        return pb_reject_value(reader, place, true, "'%.*s' is out of range; give %s to %s", pb_shown(text),
                               text, pb_quantity_format(from, sizeof from, kind, least),
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
        return pb_reject_value(reader, place, false,
                               "'%.*s' is not a whole number; give %" PRIu64 " to %" PRIu64
                               ", decimal or 0x hexadecimal",
                               pb_shown(text), text, least, most);
    if (read < least || read > most)
        return pb_reject_value(reader, place, true, "%.*s is out of range; give %" PRIu64 " to %" PRIu64,
                               pb_shown(text), text, least, most);
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
    char known[240], hint[PB_HINT_SIZE];
    return pb_reject_value(reader, place, false, "'%.*s' is unknown%s Known: %s", pb_shown(text), text,
                           pb_hint(hint, "", text, name, count, "."),
                           pb_word_list(known, sizeof known, name, count));
}
