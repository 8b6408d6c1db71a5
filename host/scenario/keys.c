/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include "compile.h"
#include "key_default.h"
#include "host/base/nearest_word.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT(text) .form = PB_KEY_TEXT, .range = text
#define QUANTITY(unit, low, high, text)                                                                      \
    .form = PB_KEY_QUANTITY, .kind = PB_QUANTITY_##unit, .least = low, .most = high, .range = text
#define NUMBER(low, high, text) .form = PB_KEY_NUMBER, .least = low, .most = high, .range = text
#define CHOICE(words) .form = PB_KEY_CHOICE, .range = words
#define ROW_KEY(section_, key_, form_, initial_, otherwise_, example_, meaning_)                             \
    {.section = #section_, .name = #key_, .at = offsetof(struct pb_raw_##section_, key_), form_,             \
     .initial = initial_, .otherwise = otherwise_, .example = example_, .meaning = meaning_},
#define ROW_INNER(section_, key_, range_, meaning_)                                                          \
    {.section = #section_, .name = #key_, .at = offsetof(struct pb_raw_##section_, key_),                    \
     .form = PB_KEY_INNER, .range = range_, .meaning = meaning_},

const struct pb_key pb_keys[PB_KEYS] = {
#define KEY ROW_KEY
#define INNER ROW_INNER
#define LIST(section_, key_, member_, type_, range_, otherwise_, example_, meaning_)                         \
    {.section = #section_, .name = #key_, .at = offsetof(struct pb_raw_##section_, member_),                 \
     .count_at = offsetof(struct pb_raw_##section_, member_##_count), .size = sizeof(type_),                 \
     .form = PB_KEY_LIST, .range = range_, .otherwise = otherwise_, .example = example_,                     \
     .meaning = meaning_},
#include "keys.def"
#define KEY ROW_KEY
#define INNER ROW_INNER
#include "fault_keys.def"
};

static const struct pb_key_among among[] = {
#define KEY(...)
#define INNER(...)
#define AMONG(section, key, of, range, otherwise, meaning) {#section, #key, of, range, otherwise, meaning},
#include "fault_keys.def"
};

const struct pb_key_among *pb_key_among(const struct pb_key *key, const struct pb_key_among *after)
{
    for (const struct pb_key_among *row = after ? after + 1 : among;
         row < among + sizeof among / sizeof *among; row++)
        if (strcmp(row->section, key->section) == 0 && strcmp(row->name, key->name) == 0)
            return row;
    return NULL;
}

unsigned pb_section(const char *section, const struct pb_key **first)
{
    unsigned begin = 0, end;
    while (begin < PB_KEYS && strcmp(pb_keys[begin].section, section) != 0)
        begin++;
    for (end = begin; end < PB_KEYS && strcmp(pb_keys[end].section, section) == 0;)
        end++;
    *first = &pb_keys[begin < PB_KEYS ? begin : 0];
    return end - begin;
}

const char *pb_key_default(const char *place)
{
    const char *const dot = strrchr(place, '.'), *const name = dot ? dot + 1 : place;
    const struct pb_key *key;
    char section[32] = "scenario";
    if (dot)
        snprintf(section, sizeof section, "%.*s", (int)strcspn(place, ".["), place);
    for (unsigned count = pb_section(section, &key); count > 0; count--, key++)
        if (!strcmp(key->name, name))
            return key->initial;
    return NULL;
}

/* ---- choices */

enum { WORDS_MAX = 8 };

const char *pb_key_range(const struct pb_key *key, char text[PB_KEY_RANGE_SIZE])
{
    char words[PB_KEY_RANGE_SIZE], low[32], high[32];
    const char *word[WORDS_MAX];
    size_t count, used = 0;
    switch (key->form) {
    case PB_KEY_CHOICE:
        count = pb_words(key->range, words, sizeof words, word, WORDS_MAX);
        for (size_t i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, PB_KEY_RANGE_SIZE - used, "%s`%s`", i ? ", " : "", word[i]);
        break;
    case PB_KEY_QUANTITY:
        snprintf(text, PB_KEY_RANGE_SIZE, "%s to %s%s",
                 pb_quantity_format(low, sizeof low, key->kind, key->least),
                 pb_quantity_format(high, sizeof high, key->kind, (int64_t)key->most), key->range);
        break;
    case PB_KEY_NUMBER:
        if (key->most == UINT64_MAX)
            snprintf(text, PB_KEY_RANGE_SIZE, "%" PRId64 " to 2^64 - 1%s", key->least, key->range);
        else
            snprintf(text, PB_KEY_RANGE_SIZE, "%" PRId64 " to %" PRIu64 "%s", key->least, key->most,
                     key->range);
        break;
    default:
        snprintf(text, PB_KEY_RANGE_SIZE, "%s", key->range);
    }
    return text;
}

/* ---- values */

/* The limits of a row hold for every scenario. */
static int read_text(const struct pb_reader *any, const struct pb_key *key, const char *text, size_t index,
                     void *value)
{
    struct pb_reader fixed = *any, *reader = &fixed;
    fixed.fixed = true;
    char words[PB_KEY_RANGE_SIZE];
    const char *word[WORDS_MAX];
    struct pb_place place;
    if (strcmp(key->section, "scenario") == 0)
        snprintf(place.text, sizeof place.text, "%s", key->name);
    else if (strcmp(key->section, "nodes") == 0 || strcmp(key->section, "traffic") == 0 ||
             strcmp(key->section, "wiring") == 0)
        pb_place(&place, key->section, index, key->name);
    else
        snprintf(place.text, sizeof place.text, "%s.%s", key->section, key->name);
    switch (key->form) {
    case PB_KEY_QUANTITY:
        return pb_read_quantity(reader, place.text, text, key->kind, key->least, (int64_t)key->most, value);
    case PB_KEY_NUMBER:
        return pb_read_number(reader, place.text, text, (uint64_t)key->least, key->most, value);
    default:
        return pb_read_choice(reader, place.text, text, word,
                              pb_words(key->range, words, sizeof words, word, WORDS_MAX), value);
    }
}

int pb_read_key(const struct pb_reader *reader, enum pb_key_id id, const void *raw, size_t index, void *value)
{
    const struct pb_key *key = &pb_keys[id];
    const char *given = *(const char *const *)((const char *)raw + key->at);
    /* The default remains if the value is refused. */
    const int code = key->initial ? read_text(reader, key, key->initial, index, value) : PB_OK;
    return code || !given ? code : read_text(reader, key, given, index, value);
}
