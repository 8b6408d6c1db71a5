/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include "map_edit.h"
#include "map_read.h"

#include "host/base/whole_file.h"
#include "host/scenario/text_file.h"

#include <stdlib.h>
#include <string.h>

struct pb_map {
    char *path, *text; /* owned */
    struct pb_map_entry *entry; /* owned */
    size_t count;
};

unsigned pb_map_url(const char *url)
{
    static const char scheme[] = "map:";
    return url && !strncmp(url, scheme, sizeof scheme - 1) ? sizeof scheme - 1 : 0;
}

static int no_memory(struct pb_diag *diag, const char *path)
{
    return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for the hardware map; close other programs", path);
}

void pb_map_free(struct pb_map *map)
{
    if (!map)
        return;
    free(map->path);
    free(map->text);
    free(map->entry);
    free(map);
}

static int make(struct pb_map **out, const char *path, const char *text, size_t length, struct pb_diag *diag)
{
    struct pb_map *map = calloc(1, sizeof *map);
    *out = NULL;
    if (map) {
        map->path = strdup(path);
        map->text = malloc(length + 1);
    }
    if (!map || !map->path || !map->text) {
        pb_map_free(map);
        return no_memory(diag, path);
    }
    memcpy(map->text, text, length);
    map->text[length] = '\0';
    *out = map;
    return PB_OK;
}

int pb_map_new(struct pb_map **out, const char *path, struct pb_diag *diag)
{
    static const char head[] =
        "# Boards of this station: docs/use/map.md. 'phasebench devices --map FILE' adds to it.\n"
        "boards: []\n";
    return make(out, path, head, sizeof head - 1, diag);
}

int pb_map_parse(struct pb_map **out, const char *path, const char *text, size_t length, struct pb_diag *diag)
{
    int code = make(out, path, text, length, diag);
    if (!code)
        code = pb_map_read(&(*out)->entry, &(*out)->count, path, text, length, diag);
    if (code) {
        pb_map_free(*out);
        *out = NULL;
    }
    return code;
}

int pb_map_load(struct pb_map **out, const char *path, struct pb_diag *diag)
{
    char *text;
    size_t length;
    *out = NULL;
    int code = pb_text_read(&text, &length, path, diag);
    if (code)
        return code;
    code = pb_map_parse(out, path, text, length, diag);
    free(text);
    return code;
}

const char *pb_map_path(const struct pb_map *map)
{
    return map->path;
}

const char *pb_map_text(const struct pb_map *map)
{
    return map->text;
}

size_t pb_map_count(const struct pb_map *map)
{
    return map->count;
}

const struct pb_map_entry *pb_map_entry(const struct pb_map *map, size_t index)
{
    return &map->entry[index];
}

const char *pb_map_name(const struct pb_map_entry *entry)
{
    return *entry->serial ? entry->serial : entry->rig;
}

size_t pb_map_find(const struct pb_map *map, const struct pb_map_entry *board)
{
    for (size_t i = 0; i < map->count; i++)
        if (*board->serial ? !strcmp(map->entry[i].serial, board->serial)
                           : !strcmp(map->entry[i].rig, board->rig))
            return i;
    /* An operator may have written the URL alone. */
    for (size_t i = 0; *board->serial && i < map->count; i++)
        if (!*map->entry[i].serial && !strcmp(map->entry[i].rig, board->rig))
            return i;
    return SIZE_MAX;
}

int pb_map_put(struct pb_map *map, const struct pb_map_entry *board, bool *changed, struct pb_diag *diag)
{
    const size_t at = pb_map_find(map, board);
    struct pb_map_entry *entry;
    size_t count;
    char *text;
    *changed = false;
    if (at == SIZE_MAX && map->count == PB_MAP_ENTRIES_MAX)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %s is board %u, and a map holds %u; begin another file",
                       map->path, pb_map_name(board), PB_MAP_ENTRIES_MAX + 1, PB_MAP_ENTRIES_MAX);
    if (at != SIZE_MAX &&
        (!board->hash_given || (map->entry[at].hash_given && map->entry[at].map_hash == board->map_hash)))
        return PB_OK;
    int code = pb_map_edit(&text, map->path, map->text, at, board, diag);
    if (code)
        return code;
    code = pb_map_read(&entry, &count, map->path, text, strlen(text), diag);
    if (code) {
        free(text);
        return code;
    }
    free(map->text);
    free(map->entry);
    map->text = text;
    map->entry = entry;
    map->count = count;
    *changed = true;
    return PB_OK;
}

/* ---- writing */

int pb_map_save(const struct pb_map *map, struct pb_diag *diag)
{
    const int error = pb_whole_file_write(map->path, map->text);
    return error ? pb_fail(diag, PB_ERR_IO,
                           "cannot write '%s': %s; check the disk and the rights of its folder", map->path,
                           strerror(error))
                 : PB_OK;
}
