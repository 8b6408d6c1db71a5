/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/state.h"

#include <stdlib.h>
#include <string.h>

struct pb_mcu_pages {
    unsigned count;
    struct page {
        uint32_t at; /* offset */
        uint8_t bytes[PB_MCU_PAGE];
    } page[]; /* ascending */
};

static const uint8_t *origin_of(const uint8_t *origin, uint32_t at)
{
    static const uint8_t zeros[PB_MCU_PAGE];
    return origin ? origin + at : zeros;
}

static bool differs(const uint8_t *memory, const uint8_t *origin, uint32_t at)
{
    return memcmp(memory + at, origin_of(origin, at), PB_MCU_PAGE) != 0;
}

struct pb_mcu_pages *pb_mcu_pages_save(const uint8_t *memory, const uint8_t *origin, uint32_t bytes)
{
    unsigned count = 0;
    for (uint32_t at = 0; at < bytes; at += PB_MCU_PAGE)
        count += differs(memory, origin, at);
    struct pb_mcu_pages *pages = malloc(sizeof *pages + count * sizeof pages->page[0]);
    if (!pages)
        return NULL;
    pages->count = 0;
    for (uint32_t at = 0; at < bytes; at += PB_MCU_PAGE)
        if (differs(memory, origin, at)) {
            struct page *page = &pages->page[pages->count++];
            page->at = at;
            memcpy(page->bytes, memory + at, PB_MCU_PAGE);
        }
    return pages;
}

void pb_mcu_pages_restore(const struct pb_mcu_pages *pages, uint8_t *memory, const uint8_t *origin,
                          uint32_t bytes)
{
    const struct page *page = pages->page, *const end = page + pages->count;
    for (uint32_t at = 0; at < bytes; at += PB_MCU_PAGE)
        if (page < end && page->at == at)
            memcpy(memory + at, page++->bytes, PB_MCU_PAGE);
        else if (differs(memory, origin, at))
            memcpy(memory + at, origin_of(origin, at), PB_MCU_PAGE);
}

void *pb_mcu_copy(const void *from, size_t bytes)
{
    void *copy = malloc(bytes);
    return copy ? memcpy(copy, from, bytes) : NULL;
}

void pb_mcu_state_free(struct pb_mcu_state *state)
{
    if (!state)
        return;
    free(state->part);
    free(state->sram);
    free(state->flash);
    free(state->fabric);
    free(state->rom);
    free(state->cache);
    free(state);
}
