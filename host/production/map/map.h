/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A hardware map: a YAML file that lists the boards of a station, one entry each (docs/use/map.md). It is
 * read strictly, and changed in place: the text of an operator remains unchanged.
 */
#ifndef PB_MAP_H
#define PB_MAP_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PB_MAP_ENTRIES_MAX 256u
#define PB_MAP_URL_SIZE 256
#define PB_MAP_TEXT_SIZE 128

/* Texts are "" when the file does not give them. */
struct pb_map_entry {
    char serial[64]; /* of the board; unique in the file */
    char rig[PB_MAP_URL_SIZE]; /* URL; unique in the file */
    bool hash_given;
    uint32_t map_hash; /* of the bitstream, as the core reported it */
    struct {
        char kind[64]; /* of the scenario's node: "board" or a model */
        bool address_given;
        uint32_t address;
        char unit[64]; /* serial number of the node board */
    } node;
    char station[PB_MAP_TEXT_SIZE];
    bool enabled; /* true when the file does not say */
    char note[PB_MAP_TEXT_SIZE];
    unsigned line; /* in the file */
};

struct pb_map;

/* Length of "map:" if the URL of a rig names a map, whose path follows; else 0. */
unsigned pb_map_url(const char *url);

/* Reads the file. PB_ERR_CONFIG: it is missing or invalid; the diagnostic starts with path and line.
 * PB_ERR_MEMORY. Release with pb_map_free. */
int pb_map_load(struct pb_map **out, const char *path, struct pb_diag *diag);
/* The same of a text; the path is for messages and pb_map_save. */
int pb_map_parse(struct pb_map **out, const char *path, const char *text, size_t length,
                 struct pb_diag *diag);
/* A map without boards that pb_map_save will write to this path. PB_ERR_MEMORY. */
int pb_map_new(struct pb_map **out, const char *path, struct pb_diag *diag);
void pb_map_free(struct pb_map *map); /* NULL: no effect */

const char *pb_map_path(const struct pb_map *map);
const char *pb_map_text(const struct pb_map *map); /* of the file, as pb_map_save would write it */
size_t pb_map_count(const struct pb_map *map);
const struct pb_map_entry *pb_map_entry(const struct pb_map *map, size_t index); /* index < count */
/* What messages call the board: its serial number, or its URL. */
const char *pb_map_name(const struct pb_map_entry *entry);
/* Index of the board with the serial number of `board`, or with its URL if it has none; SIZE_MAX: none. */
size_t pb_map_find(const struct pb_map *map, const struct pb_map_entry *board);

/* Adds a board, or updates the one that pb_map_find finds: only its map hash, if one is given. *changed:
 * whether the text has changed. PB_ERR_CONFIG: the map is full, or the text cannot take it (the map is as
 * before). PB_ERR_MEMORY. */
int pb_map_put(struct pb_map *map, const struct pb_map_entry *board, bool *changed, struct pb_diag *diag);

/* Writes the text under a temporary name and renames it: a reader sees the old file or the new one. A link
 * under the name is followed. PB_ERR_IO. */
int pb_map_save(const struct pb_map *map, struct pb_diag *diag);

#endif
