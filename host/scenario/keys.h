/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The keys of a scenario file as a table, and the reader of those whose limits are in it (keys.def).
 */
#ifndef PB_KEYS_H
#define PB_KEYS_H

#include "values.h"

enum pb_key_form {
    PB_KEY_TEXT,
    PB_KEY_QUANTITY,
    PB_KEY_NUMBER,
    PB_KEY_CHOICE,
    PB_KEY_INNER, /* a mapping */
    PB_KEY_LIST   /* of values, or of mappings */
};

struct pb_key {
    const char *section, *name;
    size_t at;       /* in the structure of its section */
    size_t count_at; /* of a list: the place of its length, an unsigned */
    size_t size;     /* of a list: of one entry */
    enum pb_key_form form;
    enum pb_quantity_kind kind;
    int64_t least;     /* in base units; both ends are possible */
    uint64_t most;
    const char *range; /* what else limits it; of a choice the words */
    const char *initial, *otherwise, *example, *meaning; /* NULL: none */
};

/* What a key means to some kinds of fault. */
struct pb_key_among {
    const char *section, *name, *of, *range, *otherwise, *meaning;
};

/* PB_KEY_link_baud, ...: an index into pb_keys. */
enum pb_key_id {
#define SECTION(section) PB_KEYS_##section, PB_KEYS_BEFORE_##section = PB_KEYS_##section - 1,
#define KEY(section, key, ...) PB_KEY_##section##_##key,
#define INNER(section, key, ...) PB_KEY_##section##_##key,
#define LIST(section, key, ...) PB_KEY_##section##_##key,
#define END(section)
#include "keys.def"
#define SECTION(section) PB_KEYS_##section, PB_KEYS_BEFORE_##section = PB_KEYS_##section - 1,
#define KEY(section, key, ...) PB_KEY_##section##_##key,
#define INNER(section, key, ...) PB_KEY_##section##_##key,
#define END(section)
#include "fault_keys.def"
    PB_KEYS
};

extern const struct pb_key pb_keys[PB_KEYS];
/* The rows for a key that has no range; NULL: none is left. `after`: the last one found; NULL: from the
 * start. */
const struct pb_key_among *pb_key_among(const struct pb_key *key, const struct pb_key_among *after);

/* Keys of a section, in the order of pb_keys; 0: there is no such section. */
unsigned pb_section(const char *section, const struct pb_key **first);

/* What the key may be, as documentation says it; returns text. */
#define PB_KEY_RANGE_SIZE 200
const char *pb_key_range(const struct pb_key *key, char text[PB_KEY_RANGE_SIZE]);

/* Reads a quantity (into an int64_t), number (uint64_t) or choice (size_t: which word) of the structure `raw`
 * of its section, or its initial value. `index`: of the structure, where the section is a list. Returns PB_OK
 * or, after the sentence, PB_ERR_CONFIG. */
int pb_read_key(const struct pb_reader *reader, enum pb_key_id id, const void *raw, size_t index,
                void *value);

#endif
