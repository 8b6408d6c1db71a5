/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Changes of a hardware map. The outline has the place of each value, so a change replaces or inserts bytes
 * there and does not parse the syntax.
 */
#include "map_edit.h"

#include "host/scenario/yaml_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOARD_BYTES = 2048, INDENT_MAX = 64 };

/* One change: bytes at `at` are replaced. */
struct change {
    size_t at, removed;
    char inserted[BOARD_BYTES];
};

/* Byte of a character of the text. A byte order mark counts as no character. */
static size_t byte_of(const char *text, size_t character)
{
    size_t at = strncmp(text, "\xEF\xBB\xBF", 3) ? 0 : 3;
    for (; character && text[at]; character--)
        for (at++; ((unsigned char)text[at] & 0xC0) == 0x80; at++)
            ;
    return at;
}

/* First byte of the line after the one that this byte is in. */
static size_t next_line(const char *text, size_t at)
{
    return at + strcspn(text + at, "\n") + (text[at + strcspn(text + at, "\n")] == '\n');
}

static size_t child(const struct pb_outline *outline, size_t parent, const char *key)
{
    for (size_t i = parent + 1; i < outline->count; i++)
        if (outline->entry[i].parent == parent && !strcmp(outline->entry[i].key, key))
            return i;
    return SIZE_MAX;
}

static size_t item(const struct pb_outline *outline, size_t list, size_t index)
{
    for (size_t i = list + 1; i < outline->count; i++)
        if (outline->entry[i].parent == list && outline->entry[i].index == index)
            return i;
    return SIZE_MAX;
}

/* Returns the place after the last byte of a value and of all values below it. */
static size_t end_of(const struct pb_outline *outline, const char *text, size_t value)
{
    size_t last = outline->entry[value].begin;
    for (size_t i = value; i < outline->count; i++) {
        size_t above = i;
        while (above > value)
            above = outline->entry[above].parent;
        const struct pb_outline_entry *at = &outline->entry[i];
        if (above == value && (at->kind == PB_OUTLINE_SCALAR || at->flow) && at->end > last)
            last = at->end;
    }
    return byte_of(text, last);
}

/* ---- texts */

/* As a scalar: plain where no reader can take it for anything else. */
static void quote(char out[2 * PB_MAP_URL_SIZE], const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    size_t length = 0;
    if (*text && text[strspn(text, plain)] == '\0' && *text != '-' && *text != '.') {
        snprintf(out, 2 * PB_MAP_URL_SIZE, "%s", text);
        return;
    }
    out[length++] = '"';
    for (; *text && length + 3 < 2 * PB_MAP_URL_SIZE; text++) {
        if (*text == '"' || *text == '\\')
            out[length++] = '\\';
        out[length++] = *text;
    }
    out[length++] = '"';
    out[length] = '\0';
}

static void append(char *out, size_t size, const char *between, const char *key, const char *value)
{
    const size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s: %s", *out ? between : "", key, value);
}

/* Keys of a new board, with this between them. */
static void describe(char *out, size_t size, const char *between, const struct pb_map_entry *board)
{
    char hash[16] = "";
    if (board->hash_given)
        snprintf(hash, sizeof hash, "0x%08X", board->map_hash);
    const struct {
        const char *key, *text;
    } line[] = {{"serial", board->serial},   {"rig", board->rig},
                {"map_hash", hash},          {"station", board->station},
                {"enabled", board->enabled ? "yes" : "no"}, {"note", board->note}};
    *out = '\0';
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        char value[2 * PB_MAP_URL_SIZE];
        if (!*line[i].text)
            continue;
        quote(value, line[i].text);
        append(out, size, between, line[i].key, value);
    }
}

/* ---- changes */

static void set_hash(struct change *change, const char *text, const struct pb_outline *outline,
                     size_t mapping, uint32_t hash)
{
    const size_t present = child(outline, mapping, "map_hash"), rig = child(outline, mapping, "rig");
    char value[16];
    snprintf(value, sizeof value, "0x%08X", hash);
    if (present != SIZE_MAX) {
        change->at = byte_of(text, outline->entry[present].begin);
        change->removed = byte_of(text, outline->entry[present].end) - change->at;
        snprintf(change->inserted, sizeof change->inserted, "%s", value);
        return;
    }
    change->at = end_of(outline, text, rig);
    if (outline->entry[mapping].flow) {
        snprintf(change->inserted, sizeof change->inserted, ", map_hash: %s", value);
        return;
    }
    change->at = next_line(text, change->at);
    snprintf(change->inserted, sizeof change->inserted, "%s%*smap_hash: %s\n",
             change->at && text[change->at - 1] != '\n' ? "\n" : "", (int)outline->entry[rig].column, "",
             value);
}

/* Of the first '-' of a block list, where its value begins. */
static int column_of(const char *text, const struct pb_outline_entry *list)
{
    const size_t at = byte_of(text, list->begin);
    size_t line = at;
    while (line && text[line - 1] != '\n')
        line--;
    return at - line < INDENT_MAX ? (int)(at - line) : INDENT_MAX;
}

static void add_board(struct change *change, const char *text, const struct pb_outline *outline, size_t list,
                      const struct pb_map_entry *board)
{
    const struct pb_outline_entry *top = &outline->entry[list];
    char keys[BOARD_BYTES / 2], between[INDENT_MAX + 8];
    int column = 2;
    if (top->flow && top->length) {
        describe(keys, sizeof keys, ", ", board);
        change->at = end_of(outline, text, list) - 1;
        while (change->at && strchr(" \t\r\n,", text[change->at - 1]))
            change->at--;
        snprintf(change->inserted, sizeof change->inserted, ", {%s}", keys);
        return;
    }
    if (top->length && top->kind == PB_OUTLINE_SEQUENCE)
        column = column_of(text, top);
    if (top->flow && outline->entry[0].flow) { /* no block fits into brackets */
        describe(keys, sizeof keys, ", ", board);
        change->at = byte_of(text, top->end) - 1;
        snprintf(change->inserted, sizeof change->inserted, "{%s}", keys);
        return;
    }
    snprintf(between, sizeof between, "\n%*s", column + 2, "");
    describe(keys, sizeof keys, between, board);
    if (top->flow) { /* "[]" becomes a block */
        change->at = byte_of(text, top->begin);
        while (change->at && text[change->at - 1] == ' ')
            change->at--;
        change->removed = byte_of(text, top->end) - change->at;
        snprintf(change->inserted, sizeof change->inserted, "\n%*s- %s", column, "", keys);
        return;
    }
    change->at = end_of(outline, text, list);
    if (!change->at || text[change->at - 1] != '\n')
        change->at = next_line(text, change->at);
    snprintf(change->inserted, sizeof change->inserted, "%s%*s- %s\n",
             change->at && text[change->at - 1] != '\n' ? "\n" : "", column, "", keys);
}

int pb_map_edit(char **out, const char *path, const char *text, size_t index,
                const struct pb_map_entry *board, struct pb_diag *diag)
{
    struct pb_outline outline;
    struct change change = {.at = 0};
    const int code = pb_outline_read(&outline, path, text, strlen(text), diag);
    *out = NULL;
    if (!code) {
        const size_t list = child(&outline, 0, "boards");
        if (index == SIZE_MAX)
            add_board(&change, text, &outline, list, board);
        else
            set_hash(&change, text, &outline, item(&outline, list, index), board->map_hash);
    }
    pb_outline_free(&outline);
    if (code)
        return code;
    const size_t length = strlen(text), inserted = strlen(change.inserted);
    *out = malloc(length + inserted + 1);
    if (!*out)
        return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for the hardware map; close other programs", path);
    memcpy(*out, text, change.at);
    memcpy(*out + change.at, change.inserted, inserted);
    memcpy(*out + change.at + inserted, text + change.at + change.removed,
           length - change.at - change.removed + 1);
    return PB_OK;
}
