/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "outline_set.h"

#include "host/base/room.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A step of a place: a key, or the number of an item. */
struct step {
    char key[64];
    bool item;
    size_t index;
    bool last;
};

/* Takes the next step from *place; false: there is none, or it is no step. */
static bool next_step(struct step *step, const char **place)
{
    const char *at = *place;
    *step = (struct step){.item = *at == '['};
    if (step->item) {
        char *end;
        if (at[1] < '0' || at[1] > '9')
            return false;
        step->index = strtoul(at + 1, &end, 10);
        if (*end != ']')
            return false;
        at = end + 1;
    } else {
        const size_t length = strcspn(at, ".[");
        if (!length || length >= sizeof step->key)
            return false;
        memcpy(step->key, at, length);
        at += length;
    }
    step->last = !*at;
    if (*at == '.' && !at[1])
        return false;
    *place = at + (*at == '.');
    return true;
}

/* Returns 0 if there is no such entry: the top entry is never a member. */
static size_t find(const struct pb_outline *outline, size_t around, const struct step *step)
{
    for (size_t i = around + 1; i < outline->count; i++) {
        const struct pb_outline_entry *at = &outline->entry[i];
        if (at->parent == around &&
            (step->item ? !at->key && at->index == step->index : at->key && !strcmp(at->key, step->key)))
            return i;
    }
    return 0;
}

static size_t add(struct pb_outline *outline, size_t around, const struct step *step)
{
    if (pb_make_room(&outline->entry, &outline->capacity, outline->count + 1, sizeof *outline->entry))
        return 0;
    char *key = strdup(step->key);
    if (!key)
        return 0;
    outline->entry[outline->count] =
        (struct pb_outline_entry){.key = key,
                                  .parent = around,
                                  .index = outline->entry[around].length++,
                                  .line = outline->entry[around].line,
                                  .kind = step->last ? PB_OUTLINE_SCALAR : PB_OUTLINE_MAPPING};
    return outline->count++;
}

static int no_memory(const char *path, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs", path);
}

/* Removes all that an entry contains. `place` has room for a number of each entry. */
static void clear(struct pb_outline *outline, size_t around, size_t *place)
{
    size_t kept = 0;
    for (size_t i = 0; i < outline->count; i++) {
        struct pb_outline_entry entry = outline->entry[i];
        if (i && (entry.parent == around || place[entry.parent] == SIZE_MAX)) {
            free(entry.key);
            free(entry.text);
            place[i] = SIZE_MAX;
            continue;
        }
        entry.parent = i ? place[entry.parent] : 0;
        place[i] = kept;
        outline->entry[kept++] = entry;
    }
    outline->count = kept;
}

/* Moves all entries of `from` but its top, which becomes the entry at `at`. There is room for them. */
static void move(struct pb_outline *outline, size_t at, struct pb_outline *from)
{
    struct pb_outline_entry *top = &outline->entry[at];
    const size_t first = outline->count;
    free(top->text);
    top->text = NULL;
    top->kind = from->entry[0].kind;
    top->length = from->entry[0].length;
    for (size_t i = 1; i < from->count; i++) {
        struct pb_outline_entry *entry = &outline->entry[outline->count++];
        *entry = from->entry[i];
        entry->parent = entry->parent ? first + entry->parent - 1 : at;
        entry->line = top->line;
    }
    from->count = 1;
}

/* A list or mapping, written as YAML in one line, in place of the entry. */
static int graft(struct pb_outline *outline, const char *path, size_t at, const char *value,
                 struct pb_diag *diag)
{
    struct pb_outline from;
    int code = pb_outline_read(&from, path, value, strlen(value), diag);
    if (!code) {
        const size_t capacity = outline->count + from.count;
        size_t *place = calloc(outline->count, sizeof *place);
        struct pb_outline_entry *grown = realloc(outline->entry, capacity * sizeof *grown);
        if (grown) {
            outline->entry = grown;
            outline->capacity = capacity;
        }
        if (place && grown) {
            clear(outline, at, place);
            move(outline, at, &from);
        } else {
            code = no_memory(path, diag);
        }
        free(place);
    }
    pb_outline_free(&from);
    return code;
}

int pb_outline_set(struct pb_outline *outline, const char *path, const char *place, const char *value,
                   struct pb_diag *diag)
{
    const char *rest = place;
    struct step step = {.last = false};
    size_t at = 0;
    while (!step.last) {
        if (!next_step(&step, &rest))
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: '%.80s' is no place; write it as link.baud or nodes[0].kind", path, place);
        const size_t around = at;
        at = find(outline, around, &step);
        if (!at && (step.item || outline->entry[around].kind != PB_OUTLINE_MAPPING))
            return pb_fail(diag, PB_ERR_CONFIG, "%s: nothing at '%.80s'; %s", path, place,
                           step.item ? "the list has no such item, counted from 0" : "a value has no keys");
        if (!at)
            at = add(outline, around, &step);
        if (!at)
            return no_memory(path, diag);
    }
    if (*value == '[' || *value == '{')
        return graft(outline, path, at, value, diag);
    struct pb_outline_entry *entry = &outline->entry[at];
    if (entry->kind != PB_OUTLINE_SCALAR)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: '%.80s' is a list or a mapping; name one value in it", path,
                       place);
    char *text = strdup(value);
    if (!text)
        return no_memory(path, diag);
    free(entry->text);
    entry->text = text;
    entry->length = strlen(text);
    return PB_OK;
}

const char *pb_outline_value(const struct pb_outline *outline, const char *place)
{
    struct step step = {.last = false};
    size_t at = 0;
    while (!step.last) {
        if (!next_step(&step, &place))
            return NULL;
        at = find(outline, at, &step);
        if (!at)
            return NULL;
    }
    return outline->entry[at].text;
}
