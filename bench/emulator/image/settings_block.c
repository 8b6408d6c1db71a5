/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "settings_block.h"

#include "firmware/port/settings.h"

#include "firmware/app/crc.h"

#include <string.h>

_Static_assert(PB_SETTINGS_BYTES == sizeof(struct node_settings), "the whole block");

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value & 0xFFFF), value >> 16);
}

void pb_settings_block(const struct pb_node_config *config, uint8_t block[PB_SETTINGS_BYTES])
{
    uint16_t check = CRC16_INITIAL;
    uint8_t *at = put32(block, NODE_SETTINGS_MAGIC);
    at = put32(at, config->baud_hz);
    at = put32(at, config->console_baud_hz);
    at = put32(at, config->phase_rate_mhz);
    at = put32(at, (uint32_t)((config->head_guard_ps + 999) / 1000));
    at = put16(at, config->address);
    *at++ = (uint8_t)config->digits;
    *at++ = (uint8_t)config->payload_bytes;
    memset(at, 0, ROUTE_PORTS_MAX);
    memcpy(at, config->radix, config->digits);
    at += ROUTE_PORTS_MAX;
    *at++ = config->codec == PB_NODE_CODEC_STARC  ? SETTINGS_STARC
            : config->codec == PB_NODE_CODEC_BARE ? SETTINGS_BARE
                                                  : SETTINGS_SLOT;
    *at++ = config->rule == PB_NODE_OPPORTUNISTIC ? SETTINGS_OPPORTUNISTIC : SETTINGS_ECUBE;
    while (block + PB_SETTINGS_BYTES - 2 > at)
        *at++ = 0;
    for (const uint8_t *byte = block; byte < at; byte++)
        check = crc16_byte(check, *byte);
    put16(at, check);
}

/* ---- where it is in an image */

static uint32_t word_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool is_block(const uint8_t *at)
{
    uint16_t check = CRC16_INITIAL;
    if (word_at(at) != NODE_SETTINGS_MAGIC)
        return false;
    for (unsigned i = 0; i < PB_SETTINGS_BYTES - 2; i++)
        check = crc16_byte(check, at[i]);
    return check == (at[PB_SETTINGS_BYTES - 2] | at[PB_SETTINGS_BYTES - 1] << 8);
}

/* Returns the number of blocks, of which *address is the last one. */
static unsigned search(const struct pb_image *image, uint32_t *address)
{
    unsigned found = 0;
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        for (uint32_t at = -segment->address & 3; at + PB_SETTINGS_BYTES <= segment->bytes; at += 4) {
            if (!is_block(segment->data + at))
                continue;
            found++;
            *address = segment->address + at;
        }
    }
    return found;
}

static int find_by_symbol(const struct pb_image *image, uint32_t flash_base, uint32_t flash_bytes,
                          uint32_t *address, struct pb_diag *diag)
{
    uint32_t bytes, unnamed;
    if (!pb_image_symbol(image, PB_SETTINGS_SYMBOL, address, &bytes)) {
        *address = 0;
        if (!image->stripped && !search(image, &unnamed))
            return PB_OK;
        return pb_fail(diag, PB_ERR_CONFIG,
                       "kind: %.90s %s, so the bench cannot find " PB_SETTINGS_SYMBOL
                       ", where it writes the address and the settings of the node; give the ELF file as the "
                       "linker made it, without strip and -s",
                       image->name,
                       image->stripped ? "has no symbol table"
                                       : "has a settings block, but not its symbol");
    }
    const bool fits = !bytes || bytes >= PB_SETTINGS_BYTES; /* a label in assembly has no size */
    if (*address % 4 == 0 && fits && *address >= flash_base &&
        *address - flash_base <= flash_bytes - PB_SETTINGS_BYTES)
        return PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "kind: " PB_SETTINGS_SYMBOL " of %.90s has %u bytes at 0x%08X; it needs %d or more, "
                   "word-aligned, in flash",
                   image->name, (unsigned)bytes, (unsigned)*address, PB_SETTINGS_BYTES);
}

int pb_settings_find(const struct pb_image *image, uint32_t flash_base, uint32_t flash_bytes,
                     uint32_t *address, struct pb_diag *diag)
{
    *address = 0;
    if (image->format == PB_IMAGE_ELF)
        return find_by_symbol(image, flash_base, flash_bytes, address, diag);
    if (search(image, address) <= 1)
        return PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "kind: %.90s has more than one settings block, and a UF2 file does not say which one the "
                   "firmware reads; give the ELF file",
                   image->name);
}
