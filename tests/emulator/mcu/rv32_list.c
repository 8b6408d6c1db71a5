/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/emulator/mcu/rv32_list.h"

#include <stdlib.h>

enum { ITEMS_MAX = 40000 };

struct item {
    enum form form;
    uint32_t word;
    unsigned bytes, target;
    uint32_t address;
};

static struct item item[ITEMS_MAX];
static unsigned items;

void list_clear(void)
{
    items = 0;
}

unsigned list_next(void)
{
    return items;
}

void put(enum form form, uint32_t word, unsigned bytes, unsigned target)
{
    if (items == ITEMS_MAX)
        abort();
    item[items++] = (struct item){form, word, bytes, target, 0};
}

void full(uint32_t word)
{
    put(PLAIN, word, 4, 0);
}

void half(uint32_t word)
{
    put(PLAIN, word & 0xFFFF, 2, 0);
}

void list_retarget(unsigned number, unsigned target)
{
    item[number].target = target;
}

uint32_t list_bytes(void)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < items; i++)
        bytes += item[i].bytes;
    return bytes;
}

static uint32_t linked(const struct item *at)
{
    const uint32_t to = item[at->target].address, by = to - at->address;
    switch (at->form) {
    case BRANCH:
        return at->word | (by >> 12 & 1) << 31 | (by >> 5 & 63) << 25 | (by >> 1 & 15) << 8 |
               (by >> 11 & 1) << 7;
    case JAL:
        return at->word | (by >> 20 & 1) << 31 | (by >> 1 & 1023) << 21 | (by >> 11 & 1) << 20 |
               (by >> 12 & 255) << 12;
    case C_JUMP: /* offset[11|4|9:8|10|6|7|3:1|5] in bits 12..2 */
        return at->word | (by >> 11 & 1) << 12 | (by >> 4 & 1) << 11 | (by >> 8 & 3) << 9 |
               (by >> 10 & 1) << 8 | (by >> 6 & 1) << 7 | (by >> 7 & 1) << 6 | (by >> 1 & 7) << 3 |
               (by >> 5 & 1) << 2;
    case C_BRANCH: /* offset[8|4:3] in bits 12..10, offset[7:6|2:1|5] in bits 6..2 */
        return at->word | (by >> 8 & 1) << 12 | (by >> 3 & 3) << 10 | (by >> 6 & 3) << 5 |
               (by >> 1 & 3) << 3 | (by >> 5 & 1) << 2;
    case UPPER:
        return at->word | ((to + 0x800) & 0xFFFFF000);
    case LOWER:
        return at->word | to << 20;
    default:
        return at->word;
    }
}

void list_write(uint8_t *image, uint32_t base)
{
    uint32_t address = base;
    for (unsigned i = 0; i < items; i++) {
        item[i].address = address;
        address += item[i].bytes;
    }
    for (unsigned i = 0; i < items; i++) {
        const uint32_t word = linked(&item[i]);
        for (unsigned k = 0; k < item[i].bytes; k++)
            image[item[i].address - base + k] = (uint8_t)(word >> 8 * k);
    }
}
