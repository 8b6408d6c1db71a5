/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "map_read.h"

#include "host/scenario/nearest_word.h"
#include "host/scenario/yaml_lines.h"

#include "phasebench/network.h"
#include "phasebench/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct pb_outline *outline;
    const char *path;
    struct pb_diag *diag;
};

#define REFUSE(reading, at, ...) refuse(reading, (at)->line, __VA_ARGS__)

static int refuse(const struct reading *reading, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(const struct reading *reading, unsigned line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pb_fail(reading->diag, PB_ERR_CONFIG, "%s:%u: %s", reading->path, line, text);
}

/* ---- values */

static int read_text(const struct reading *reading, const struct pb_outline_entry *at, char *out, size_t size)
{
    if (at->kind != PB_OUTLINE_SCALAR || strpbrk(at->text, "\n\r\t"))
        return REFUSE(reading, at, "%s is no single line of text; write one value", at->key);
    if (at->length >= size)
        return REFUSE(reading, at, "%s has %zu bytes; at most %zu are possible, shorten it", at->key,
                      at->length, size - 1);
    memcpy(out, at->text, at->length + 1);
    return PB_OK;
}

/* A number of at most 32 bits, decimal or hexadecimal. */
static int read_number(const struct reading *reading, const struct pb_outline_entry *at, uint32_t most,
                       const char *example, uint32_t *value)
{
    char *end = NULL;
    unsigned long long number = 0;
    if (at->kind == PB_OUTLINE_SCALAR && *at->text &&
        strspn(at->text, "0123456789abcdefABCDEFxX") == at->length)
        number = strtoull(at->text, &end, strncmp(at->text, "0x", 2) ? 10 : 16);
    if (!end || *end || number > most || at->length > 20)
        return REFUSE(reading, at, "%s is '%.40s'; a number from 0 to 0x%X is possible, as %s", at->key,
                      at->kind == PB_OUTLINE_SCALAR ? at->text : "a list or a mapping", most, example);
    *value = (uint32_t)number;
    return PB_OK;
}

static int read_rig(const struct reading *reading, const struct pb_outline_entry *at,
                    struct pb_map_entry *entry)
{
    struct pb_diag why;
    const int code = read_text(reading, at, entry->rig, sizeof entry->rig);
    if (code)
        return code;
    if (!strncmp(entry->rig, "vusb:", 5)) /* the command maps it to ftdi: */
        return PB_OK;
    if (pb_rig_replay(entry->rig) || pb_map_url(entry->rig))
        return REFUSE(reading, at,
                      "rig is '%.60s', which is no board; write ftdi:SERIAL, tty:DEVICE, vusb:DIR/BOARD "
                      "or sim:",
                      entry->rig);
    return pb_rig_check_url(entry->rig, &why) ? REFUSE(reading, at, "rig: %.300s", why.text) : PB_OK;
}

static int read_enabled(const struct reading *reading, const struct pb_outline_entry *at,
                        struct pb_map_entry *entry)
{
    const bool scalar = at->kind == PB_OUTLINE_SCALAR;
    entry->enabled = scalar && !strcmp(at->text, "yes");
    if (entry->enabled || (scalar && !strcmp(at->text, "no")))
        return PB_OK;
    return REFUSE(reading, at, "enabled is '%.40s'; write yes or no",
                  scalar ? at->text : "a list or a mapping");
}

/* ---- mappings */

/* Index of a key; `count`: unknown, and refused. */
static size_t key_of(const struct reading *reading, const struct pb_outline_entry *at, const char *what,
                     const char *const *key, size_t count)
{
    char list[160];
    size_t i = 0;
    while (i < count && strcmp(key[i], at->key))
        i++;
    if (i == count)
        REFUSE(reading, at, "unknown key '%.40s' in %s; did you mean '%s'? There are %s", at->key, what,
               pb_nearest(at->key, key, count), pb_word_list(list, sizeof list, key, count));
    return i;
}

static int read_node(const struct reading *reading, size_t mapping, struct pb_map_entry *entry)
{
    enum { KIND, ADDRESS, UNIT, KEYS };
    static const char *const key[KEYS] = {"kind", "address", "unit"};
    if (reading->outline->entry[mapping].kind != PB_OUTLINE_MAPPING)
        return REFUSE(reading, &reading->outline->entry[mapping],
                      "node is no mapping; write it as {kind: board, address: 0x2A3, unit: PB-0007}");
    for (size_t i = mapping + 1; i < reading->outline->count; i++) {
        const struct pb_outline_entry *at = &reading->outline->entry[i];
        int code = PB_OK;
        if (at->parent != mapping)
            continue;
        switch (key_of(reading, at, "node", key, KEYS)) {
        case KIND:
            code = read_text(reading, at, entry->node.kind, sizeof entry->node.kind);
            break;
        case ADDRESS:
            entry->node.address_given = true;
            code = read_number(reading, at, PB_WIRE_NODES_MAX - 1, "0x2A3", &entry->node.address);
            break;
        case UNIT:
            code = read_text(reading, at, entry->node.unit, sizeof entry->node.unit);
            break;
        default:
            return PB_ERR_CONFIG;
        }
        if (code)
            return code;
    }
    return PB_OK;
}

static int read_key(const struct reading *reading, size_t at, struct pb_map_entry *entry)
{
    enum { SERIAL, RIG, HASH, NODE, STATION, ENABLED, NOTE, KEYS };
    static const char *const key[KEYS] = {"serial", "rig", "map_hash", "node", "station", "enabled", "note"};
    const struct pb_outline_entry *value = &reading->outline->entry[at];
    switch (key_of(reading, value, "a board", key, KEYS)) {
    case SERIAL:
        return read_text(reading, value, entry->serial, sizeof entry->serial);
    case RIG:
        return read_rig(reading, value, entry);
    case HASH:
        entry->hash_given = true;
        return read_number(reading, value, UINT32_MAX, "0x43C79354", &entry->map_hash);
    case NODE:
        return read_node(reading, at, entry);
    case STATION:
        return read_text(reading, value, entry->station, sizeof entry->station);
    case ENABLED:
        return read_enabled(reading, value, entry);
    case NOTE:
        return read_text(reading, value, entry->note, sizeof entry->note);
    default:
        return PB_ERR_CONFIG;
    }
}

static int check_unique(const struct reading *reading, const struct pb_map_entry *entry, size_t count)
{
    const struct pb_map_entry *own = &entry[count];
    for (size_t i = 0; i < count; i++) {
        if (*own->serial && !strcmp(own->serial, entry[i].serial))
            return REFUSE(reading, own, "serial %s is already that of the board in line %u; remove one",
                          own->serial, entry[i].line);
        if (!strcmp(own->rig, entry[i].rig) && strcmp(own->rig, "sim:"))
            return REFUSE(reading, own, "rig %.100s is already that of the board in line %u; remove one",
                          own->rig, entry[i].line);
    }
    return PB_OK;
}

static int read_board(const struct reading *reading, size_t mapping, struct pb_map_entry *entry, size_t count)
{
    const struct pb_outline_entry *top = &reading->outline->entry[mapping];
    struct pb_map_entry *own = &entry[count];
    *own = (struct pb_map_entry){.enabled = true, .line = top->line};
    if (top->kind != PB_OUTLINE_MAPPING)
        return REFUSE(reading, top,
                      "board %zu is no mapping; write it as {serial: FT1ABC, rig: 'ftdi:FT1ABC'}", count + 1);
    for (size_t i = mapping + 1; i < reading->outline->count; i++) {
        const int code = reading->outline->entry[i].parent == mapping ? read_key(reading, i, own) : PB_OK;
        if (code)
            return code;
    }
    if (!*own->rig)
        return REFUSE(reading, top, "board %zu has no rig; give its URL, as rig: 'ftdi:FT1ABC'", count + 1);
    return check_unique(reading, entry, count);
}

static int read_boards(const struct reading *reading, size_t list, struct pb_map_entry **entry, size_t *count)
{
    const struct pb_outline_entry *top = &reading->outline->entry[list];
    if (top->kind == PB_OUTLINE_SCALAR && !top->length)
        return PB_OK; /* "boards:" alone */
    if (top->kind != PB_OUTLINE_SEQUENCE)
        return REFUSE(reading, top, "boards is no list; write one entry for each board, behind '- '");
    if (top->length > PB_MAP_ENTRIES_MAX)
        return REFUSE(reading, top, "%zu boards; a map holds %u, begin another file", top->length,
                      PB_MAP_ENTRIES_MAX);
    *entry = calloc(top->length + 1, sizeof **entry);
    if (!*entry)
        return pb_fail(reading->diag, PB_ERR_MEMORY,
                       "%s: no memory for the hardware map; close other programs", reading->path);
    for (size_t i = list + 1; i < reading->outline->count; i++) {
        if (reading->outline->entry[i].parent != list)
            continue;
        const int code = read_board(reading, i, *entry, *count);
        if (code)
            return code;
        ++*count;
    }
    return PB_OK;
}

static int read_top(const struct reading *reading, struct pb_map_entry **entry, size_t *count)
{
    static const char *const key[] = {"boards"};
    const struct pb_outline *outline = reading->outline;
    bool seen = false;
    for (size_t i = 1; i < outline->count && outline->entry[0].kind == PB_OUTLINE_MAPPING; i++) {
        if (outline->entry[i].parent)
            continue;
        if (key_of(reading, &outline->entry[i], "a hardware map", key, 1))
            return PB_ERR_CONFIG;
        seen = true;
        const int code = read_boards(reading, i, entry, count);
        if (code)
            return code;
    }
    return seen ? PB_OK
                : REFUSE(reading, &outline->entry[0],
                         "no key boards; a hardware map lists its boards below it");
}

int pb_map_read(struct pb_map_entry **entry, size_t *count, const char *path, const char *text, size_t length,
                struct pb_diag *diag)
{
    struct pb_outline outline;
    const struct reading reading = {&outline, path, diag};
    *entry = NULL;
    *count = 0;
    int code = pb_outline_read(&outline, path, text, length, diag);
    if (!code && !outline.count)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "%s: is empty; a hardware map lists its boards below the key boards", path);
    if (!code)
        code = read_top(&reading, entry, count);
    pb_outline_free(&outline);
    if (code) {
        free(*entry);
        *entry = NULL;
        *count = 0;
    }
    return code;
}
