/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "map_read.h"

#include "host/scenario/entries.h"

#include "phasebench/network.h"
#include "phasebench/rig.h"

#include <stdlib.h>
#include <string.h>

/* ---- values */

/* A number of at most 32 bits, decimal or hexadecimal. */
static int read_number(const struct pb_entries *reading, const struct pb_outline_entry *at, uint32_t most,
                       const char *example, uint32_t *value)
{
    char *end = NULL;
    unsigned long long number = 0;
    if (at->kind == PB_OUTLINE_SCALAR && *at->text &&
        strspn(at->text, "0123456789abcdefABCDEFxX") == at->length)
        number = strtoull(at->text, &end, strncmp(at->text, "0x", 2) ? 10 : 16);
    if (!end || *end || number > most || at->length > 20)
        return pb_entry_refuse(reading, at, "%s is '%.40s'; a number from 0 to 0x%X is possible, as %s",
                               at->key, at->kind == PB_OUTLINE_SCALAR ? at->text : "a list or a mapping",
                               most, example);
    *value = (uint32_t)number;
    return PB_OK;
}

static int read_rig(const struct pb_entries *reading, const struct pb_outline_entry *at,
                    struct pb_map_entry *entry)
{
    struct pb_diag why;
    const int code = pb_entry_text(reading, at, entry->rig, sizeof entry->rig);
    if (code)
        return code;
    const struct pb_rig_target rig = pb_rig_target_of(entry->rig);
    if (rig.kind == PB_RIG_VUSB) /* the command maps it to ftdi: */
        return PB_OK;
    if (rig.replays || pb_map_url(entry->rig))
        return pb_entry_refuse(
            reading, at,
            "rig is '%.60s', which is no board; write ftdi:SERIAL, tty:DEVICE, vusb:DIR/BOARD "
            "or sim:",
            entry->rig);
    return pb_rig_check_url(entry->rig, &why) ? pb_entry_refuse(reading, at, "rig: %.300s", why.text) : PB_OK;
}

static int read_enabled(const struct pb_entries *reading, const struct pb_outline_entry *at,
                        struct pb_map_entry *entry)
{
    const bool scalar = at->kind == PB_OUTLINE_SCALAR;
    entry->enabled = scalar && !strcmp(at->text, "yes");
    if (entry->enabled || (scalar && !strcmp(at->text, "no")))
        return PB_OK;
    return pb_entry_refuse(reading, at, "enabled is '%.40s'; write yes or no",
                           scalar ? at->text : "a list or a mapping");
}

/* ---- mappings */

static int read_node(const struct pb_entries *reading, size_t mapping, struct pb_map_entry *entry)
{
    enum { KIND, ADDRESS, UNIT, KEYS };
    static const char *const key[KEYS] = {"kind", "address", "unit"};
    if (reading->outline->entry[mapping].kind != PB_OUTLINE_MAPPING)
        return pb_entry_refuse(
            reading, &reading->outline->entry[mapping],
            "node is no mapping; write it as {kind: board, address: 0x2A3, unit: PB-0007}");
    for (size_t i = mapping + 1; i < reading->outline->count; i++) {
        const struct pb_outline_entry *at = &reading->outline->entry[i];
        int code = PB_OK;
        if (at->parent != mapping)
            continue;
        switch (pb_entry_key(reading, at, "node", key, KEYS)) {
        case KIND:
            code = pb_entry_text(reading, at, entry->node.kind, sizeof entry->node.kind);
            break;
        case ADDRESS:
            entry->node.address_given = true;
            code = read_number(reading, at, PB_WIRE_NODES_MAX - 1, "0x2A3", &entry->node.address);
            break;
        case UNIT:
            code = pb_entry_text(reading, at, entry->node.unit, sizeof entry->node.unit);
            break;
        default:
            return PB_ERR_CONFIG;
        }
        if (code)
            return code;
    }
    return PB_OK;
}

static int read_key(const struct pb_entries *reading, size_t at, struct pb_map_entry *entry)
{
    enum { SERIAL, RIG, HASH, NODE, STATION, ENABLED, NOTE, KEYS };
    static const char *const key[KEYS] = {"serial", "rig", "map_hash", "node", "station", "enabled", "note"};
    const struct pb_outline_entry *value = &reading->outline->entry[at];
    switch (pb_entry_key(reading, value, "a board", key, KEYS)) {
    case SERIAL:
        return pb_entry_text(reading, value, entry->serial, sizeof entry->serial);
    case RIG:
        return read_rig(reading, value, entry);
    case HASH:
        entry->hash_given = true;
        return read_number(reading, value, UINT32_MAX, "0x43C79354", &entry->map_hash);
    case NODE:
        return read_node(reading, at, entry);
    case STATION:
        return pb_entry_text(reading, value, entry->station, sizeof entry->station);
    case ENABLED:
        return read_enabled(reading, value, entry);
    case NOTE:
        return pb_entry_text(reading, value, entry->note, sizeof entry->note);
    default:
        return PB_ERR_CONFIG;
    }
}

static int check_unique(const struct pb_entries *reading, const struct pb_outline_entry *at,
                        const struct pb_map_entry *entry, size_t count)
{
    const struct pb_map_entry *own = &entry[count];
    for (size_t i = 0; i < count; i++) {
        if (*own->serial && !strcmp(own->serial, entry[i].serial))
            return pb_entry_refuse(reading, at,
                                   "serial %s is already that of the board in line %u; remove one",
                                   own->serial, entry[i].line);
        if (!strcmp(own->rig, entry[i].rig) && strcmp(own->rig, "sim:"))
            return pb_entry_refuse(reading, at,
                                   "rig %.100s is already that of the board in line %u; remove one", own->rig,
                                   entry[i].line);
    }
    return PB_OK;
}

static int read_board(const struct pb_entries *reading, size_t mapping, struct pb_map_entry *entry,
                      size_t count)
{
    const struct pb_outline_entry *top = &reading->outline->entry[mapping];
    struct pb_map_entry *own = &entry[count];
    *own = (struct pb_map_entry){.enabled = true, .line = top->line};
    if (top->kind != PB_OUTLINE_MAPPING)
        return pb_entry_refuse(reading, top,
                               "board %zu is no mapping; write it as {serial: FT1ABC, rig: 'ftdi:FT1ABC'}",
                               count + 1);
    for (size_t i = mapping + 1; i < reading->outline->count; i++) {
        const int code = reading->outline->entry[i].parent == mapping ? read_key(reading, i, own) : PB_OK;
        if (code)
            return code;
    }
    if (!*own->rig)
        return pb_entry_refuse(reading, top, "board %zu has no rig; give its URL, as rig: 'ftdi:FT1ABC'",
                               count + 1);
    return check_unique(reading, top, entry, count);
}

static int read_boards(const struct pb_entries *reading, size_t list, struct pb_map_entry **entry,
                       size_t *count)
{
    const struct pb_outline_entry *top = &reading->outline->entry[list];
    if (top->kind == PB_OUTLINE_SCALAR && !top->length)
        return PB_OK; /* "boards:" alone */
    if (top->kind != PB_OUTLINE_SEQUENCE)
        return pb_entry_refuse(reading, top,
                               "boards is no list; write one entry for each board, behind '- '");
    if (top->length > PB_MAP_ENTRIES_MAX)
        return pb_entry_refuse(reading, top, "%zu boards; a map holds %u, begin another file", top->length,
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

static int read_top(const struct pb_entries *reading, struct pb_map_entry **entry, size_t *count)
{
    static const char *const key[] = {"boards"};
    const struct pb_outline *outline = reading->outline;
    bool seen = false;
    for (size_t i = 1; i < outline->count && outline->entry[0].kind == PB_OUTLINE_MAPPING; i++) {
        if (outline->entry[i].parent)
            continue;
        if (pb_entry_key(reading, &outline->entry[i], "a hardware map", key, 1))
            return PB_ERR_CONFIG;
        seen = true;
        const int code = read_boards(reading, i, entry, count);
        if (code)
            return code;
    }
    return seen ? PB_OK
                : pb_entry_refuse(reading, &outline->entry[0],
                                  "no key boards; a hardware map lists its boards below it");
}

int pb_map_read(struct pb_map_entry **entry, size_t *count, const char *path, const char *text, size_t length,
                struct pb_diag *diag)
{
    struct pb_outline outline;
    const struct pb_entries reading = {&outline, path, diag};
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
