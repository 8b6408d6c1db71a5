/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw.h"

#include "keys.h"
#include "host/base/nearest_word.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 16

struct filling {
    const struct pb_outline *outline;
    const char *path;
    struct pb_diag *diag;
    struct pb_refusals *refusals; /* NULL: the first error ends the filling */
};

/* Where the entries of a mapping or list go. */
struct target {
    const struct pb_key *key; /* of this entry; NULL: the top, or an entry of a list */
    const char *section;      /* a mapping: of these keys; NULL: a value, or a list of values */
    char *at; /* the structure, or the first entry of the list; NULL: it was refused, or what is around it */
};

static int refuse_key(const struct filling *filling, size_t entry, const struct pb_key *key, unsigned count)
{
    const struct pb_outline_entry *at = &filling->outline->entry[entry];
    const char *known[FIELDS_MAX];
    char list[160], place[PB_PLACE_SIZE], hint[PB_HINT_SIZE];
    for (unsigned i = 0; i < count; i++)
        known[i] = key[i].name;
    pb_outline_place(filling->outline, at->parent, place);
    return pb_fail(filling->diag, PB_ERR_CONFIG,
                   "%s:%u: unknown key '%s'%s%s%s Known here: %s", filling->path, at->line,
                   at->key, *place ? " in " : "", place, pb_hint(hint, "", at->key, known, count, "."),
                   pb_word_list(list, sizeof list, known, count));
}

static int refuse_form(const struct filling *filling, size_t entry, enum pb_outline_kind wanted)
{
    static const char *const form[] = {
        [PB_OUTLINE_SCALAR] = "a single value",
        [PB_OUTLINE_SEQUENCE] = "a list ('- ...' lines)",
        [PB_OUTLINE_MAPPING] = "a mapping ('key: value' lines)",
    };
    const struct pb_outline_entry *at = &filling->outline->entry[entry];
    char place[PB_PLACE_SIZE];
    pb_outline_place(filling->outline, entry, place);
    const bool nothing = at->kind == PB_OUTLINE_SCALAR && at->length == 0;
    return pb_fail(filling->diag, PB_ERR_CONFIG, "%s:%u: %s is %s; write %s", filling->path, at->line,
                   *place ? place : "the file", nothing ? "empty" : form[at->kind], form[wanted]);
}

static int make_list(const struct filling *filling, const struct pb_key *key, char *structure, size_t length,
                     struct target *target)
{
    const struct pb_key *first;
    target->at = calloc(length + 1, key->size); /* an empty one was given, too */
    if (!target->at)
        return pb_fail(filling->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       filling->path);
    memcpy(structure + key->at, &target->at, sizeof target->at);
    *(unsigned *)(structure + key->count_at) = (unsigned)length;
    target->section = pb_section(key->name, &first) ? key->name : NULL;
    return PB_OK;
}

/* One entry; what is around it has been filled before. */
static int fill(const struct filling *filling, size_t i, const struct target *around, struct target *target)
{
    const struct pb_outline_entry *at = &filling->outline->entry[i];
    const struct pb_key *first;
    enum pb_outline_kind wanted = PB_OUTLINE_MAPPING;
    char *value = NULL; /* where a text goes */
    if (i > 0) {
        *target = (struct target){.at = NULL};
        if (!around->at)
            return PB_OK;
    }
    if (around->key && around->key->form == PB_KEY_LIST) {
        value = around->at + at->index * around->key->size;
        *target = (struct target){NULL, around->section, value};
        wanted = around->section ? PB_OUTLINE_MAPPING : PB_OUTLINE_SCALAR;
    } else if (i > 0) {
        const unsigned count = pb_section(around->section, &first);
        unsigned k = 0;
        while (k < count && strcmp(first[k].name, at->key) != 0)
            k++;
        if (k == count)
            return refuse_key(filling, i, first, count);
        const struct pb_key *key = &first[k];
        value = around->at + key->at;
        *target = (struct target){key, key->name, value};
        wanted = key->form == PB_KEY_LIST    ? PB_OUTLINE_SEQUENCE
                 : key->form == PB_KEY_INNER ? PB_OUTLINE_MAPPING
                                             : PB_OUTLINE_SCALAR;
    }
    if (at->kind != wanted) {
        target->at = NULL;
        return refuse_form(filling, i, wanted);
    }
    if (wanted == PB_OUTLINE_SCALAR)
        *(const char **)value = at->text;
    return wanted == PB_OUTLINE_SEQUENCE ? make_list(filling, target->key, around->at, at->length, target)
                                         : PB_OK;
}

int pb_raw_fill(struct pb_raw_scenario *raw, const struct pb_outline *outline, const char *path,
                struct pb_refusals *refusals, struct pb_diag *diag)
{
    struct pb_diag own;
    const struct filling filling = {outline, path, diag ? diag : &own, refusals};
    *raw = (struct pb_raw_scenario){.name = NULL};
    struct target *target = calloc(outline->count, sizeof *target);
    if (!target)
        return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs", path);
    int code = PB_OK;
    target[0] = (struct target){NULL, "scenario", (char *)raw};
    for (size_t i = 0; i < outline->count && code == PB_OK; i++) {
        code = fill(&filling, i, &target[outline->entry[i].parent], &target[i]);
        if (code != PB_ERR_CONFIG || !refusals)
            continue;
        pb_refusals_add(refusals, filling.diag, outline->entry[i].line);
        code = PB_OK;
    }
    free(target);
    return code;
}

void pb_raw_free(struct pb_raw_scenario *raw)
{
    free(raw->network.radix);
    free(raw->node);
    for (unsigned i = 0; i < raw->wiring_count; i++)
        free(raw->wiring[i].net);
    free(raw->wiring);
    free(raw->traffic);
    free(raw->fault);
}
