/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hardware maps. What is refused has a diagnostic that begins with the path. What is accepted can be
 * changed, and then holds the same boards in the same order.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/production/map/map.h"

#include <string.h>

static void put(struct pb_map *map, const struct pb_map_entry *board)
{
    struct pb_map_entry before[PB_MAP_ENTRIES_MAX];
    struct pb_diag diag;
    bool changed;
    const size_t count = pb_map_count(map), at = pb_map_find(map, board);
    for (size_t i = 0; i < count; i++)
        before[i] = *pb_map_entry(map, i);
    if (pb_map_put(map, board, &changed, &diag))
        return; /* the map is as before, or too full */
    MUST(pb_map_count(map) == count + (at == SIZE_MAX));
    for (size_t i = 0; i < count; i++) {
        const struct pb_map_entry *now = pb_map_entry(map, i);
        MUST(!strcmp(now->serial, before[i].serial) && !strcmp(now->rig, before[i].rig) &&
             !strcmp(now->note, before[i].note) && now->enabled == before[i].enabled);
        MUST(i == at ? now->map_hash == board->map_hash : now->map_hash == before[i].map_hash);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pb_map_entry other = {
        .serial = "FZ: 1", .rig = "ftdi:FZ1", .hash_given = true, .map_hash = 0x12345678, .enabled = true};
    struct pb_map *map;
    struct pb_diag diag = {.text = ""};
    const int code = pb_map_parse(&map, "m.yaml", (const char *)data, size, &diag);
    if (code) {
        MUST(!map && !strncmp(diag.text, "m.yaml:", 7));
        return 0;
    }
    if (pb_map_count(map)) {
        struct pb_map_entry first = *pb_map_entry(map, 0);
        first.hash_given = true;
        first.map_hash = 0x9ABCDEF0;
        put(map, &first);
    }
    put(map, &other);
    pb_map_free(map);
    return 0;
}
