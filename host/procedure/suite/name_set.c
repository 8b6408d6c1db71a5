/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "name_set.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a; open addressing, at most half full. */
static struct names_entry *slot_of(const struct names *names, const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    size_t slot = hash & (names->slots - 1);
    while (names->entry[slot].name && strcmp(names->entry[slot].name, name))
        slot = (slot + 1) & (names->slots - 1);
    return &names->entry[slot];
}

static bool grow(struct names *names)
{
    struct names larger = {.slots = names->slots ? 2 * names->slots : 64};
    if (2 * (names->count + 1) < names->slots)
        return true;
    larger.entry = calloc(larger.slots, sizeof *larger.entry);
    if (!larger.entry)
        return false;
    larger.count = names->count;
    for (size_t i = 0; i < names->slots; i++)
        if (names->entry[i].name)
            *slot_of(&larger, names->entry[i].name) = names->entry[i];
    free(names->entry);
    *names = larger;
    return true;
}

bool names_add(struct names *names, char *name, size_t size, const char *format)
{
    char number[24], *base = strdup(name);
    if (!base || !grow(names)) {
        free(base);
        return false;
    }
    struct names_entry *entry = slot_of(names, base);
    if (!entry->name) {
        *entry = (struct names_entry){base, 2};
        names->count++;
        return true;
    }
    do {
        const size_t length = (size_t)snprintf(number, sizeof number, format, entry->next++);
        snprintf(name, size, "%.*s%s", (int)(size - 1 - length), base, number);
    } while (slot_of(names, name)->name);
    char *own = strdup(name);
    if (own) {
        *slot_of(names, name) = (struct names_entry){own, 2};
        names->count++;
    } else {
        memcpy(name, base, strlen(base) + 1);
    }
    free(base);
    return own != NULL;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->slots; i++)
        free(names->entry[i].name);
    free(names->entry);
    *names = (struct names){.entry = NULL};
}
