/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/ag32_plic.h"

#include <stddef.h>

enum { PENDING = 0x1000, ENABLE = 0x2000, THRESHOLD = 0x200000, CLAIM = 0x200004 };
#define SOURCES ((UINT64_C(1) << (PB_PLIC_SOURCES + 1)) - 2)
enum { PRIORITY_MAX = 15 };

void pb_plic_line(struct pb_plic *plic, unsigned source, bool level)
{
    const uint64_t bit = UINT64_C(1) << source;
    plic->line = level ? plic->line | bit : plic->line & ~bit;
    plic->pending |= plic->line & ~plic->claimed;
}

static unsigned best(const struct pb_plic *plic)
{
    uint64_t candidates = plic->pending & plic->enabled;
    unsigned source = 0, priority = plic->threshold;
    for (; candidates; candidates &= candidates - 1) {
        const unsigned candidate = (unsigned)__builtin_ctzll(candidates);
        if (plic->priority[candidate] > priority) {
            source = candidate;
            priority = plic->priority[candidate];
        }
    }
    return source;
}

bool pb_plic_interrupts(const struct pb_plic *plic)
{
    return best(plic) != 0;
}

const char *pb_plic_read(struct pb_plic *plic, uint32_t offset, uint32_t *value)
{
    if (offset <= 4 * PB_PLIC_SOURCES) {
        *value = plic->priority[offset / 4];
    } else if (offset == PENDING || offset == PENDING + 4) {
        *value = (uint32_t)(plic->pending >> 8 * (offset - PENDING));
    } else if (offset == ENABLE || offset == ENABLE + 4) {
        *value = (uint32_t)(plic->enabled >> 8 * (offset - ENABLE));
    } else if (offset == THRESHOLD) {
        *value = plic->threshold;
    } else if (offset == CLAIM) {
        *value = best(plic);
        plic->pending &= ~(UINT64_C(1) << *value);
        if (*value)
            plic->claimed |= UINT64_C(1) << *value;
    } else {
        return "no such register of the PLIC";
    }
    return NULL;
}

const char *pb_plic_write(struct pb_plic *plic, uint32_t offset, uint32_t value)
{
    if (offset > 0 && offset <= 4 * PB_PLIC_SOURCES) {
        plic->priority[offset / 4] = value & PRIORITY_MAX;
    } else if (offset == ENABLE || offset == ENABLE + 4) {
        const unsigned shift = 8 * (offset - ENABLE);
        plic->enabled = (plic->enabled & ~(UINT64_C(0xFFFFFFFF) << shift)) | (uint64_t)value << shift;
        plic->enabled &= SOURCES;
    } else if (offset == THRESHOLD) {
        plic->threshold = value & PRIORITY_MAX;
    } else if (offset == CLAIM) {
        if (value <= PB_PLIC_SOURCES && plic->enabled >> value & 1)
            plic->claimed &= ~(UINT64_C(1) << value);
        plic->pending |= plic->line & ~plic->claimed;
    } else {
        return "no such register of the PLIC that can be written";
    }
    return NULL;
}
