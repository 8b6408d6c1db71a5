/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/image/image_uf2.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_0 UINT32_C(0x0A324655) /* "UF2\n" */
#define MAGIC_1 UINT32_C(0x9E5D5157)
#define MAGIC_END UINT32_C(0x0AB16F30)
#define FAMILY_RP2040 UINT32_C(0xE48BFF56)

enum { BLOCK = 512, DATA_AT = 32, END_AT = 508, PAGE = 256 };
enum { NOT_MAIN_FLASH = 0x0001, FILE_CONTAINER = 0x1000, HAS_FAMILY = 0x2000 };

/* utils/uf2families.json of the specification. */
static const struct family {
    uint32_t id;
    const char *name;
} families[] = {
    {UINT32_C(0xE48BFF57), "any chip of Raspberry Pi, at absolute addresses"},
    {UINT32_C(0xE48BFF58), "data of an RP2350"},
    {UINT32_C(0xE48BFF59), "RP2350 (Arm, secure)"},
    {UINT32_C(0xE48BFF5A), "RP2350 (RISC-V)"},
    {UINT32_C(0xE48BFF5B), "RP2350 (Arm, non-secure)"},
    {UINT32_C(0x16573617), "ATmega32"},
    {UINT32_C(0x68ED2B88), "SAMD21"},
    {UINT32_C(0x55114460), "SAMD51"},
    {UINT32_C(0x1851780A), "SAML21"},
    {UINT32_C(0x1B57745F), "nRF52"},
    {UINT32_C(0x621E937A), "nRF52833"},
    {UINT32_C(0xADA52840), "nRF52840"},
    {UINT32_C(0x647824B6), "STM32F0"},
    {UINT32_C(0x5EE21072), "STM32F1"},
    {UINT32_C(0x5D1A0A2E), "STM32F2"},
    {UINT32_C(0x6B846188), "STM32F3"},
    {UINT32_C(0x57755A57), "STM32F4"},
    {UINT32_C(0x53B80F00), "STM32F7"},
    {UINT32_C(0x300F5633), "STM32G0"},
    {UINT32_C(0x4C71240A), "STM32G4"},
    {UINT32_C(0x6DB66082), "STM32H7"},
    {UINT32_C(0x202E3A91), "STM32L0"},
    {UINT32_C(0x1E1F432D), "STM32L1"},
    {UINT32_C(0x00FF6919), "STM32L4"},
    {UINT32_C(0x70D16653), "STM32WB"},
    {UINT32_C(0x9AF03E33), "GD32VF103"},
    {UINT32_C(0x699B62EC), "CH32V2 or CH32V3"},
    {UINT32_C(0x1C5F21B0), "ESP32"},
    {UINT32_C(0xBFDD4EEE), "ESP32-S2"},
    {UINT32_C(0xC47E5767), "ESP32-S3"},
    {UINT32_C(0xD42BA06C), "ESP32-C3"},
    {UINT32_C(0x540DDF62), "ESP32-C6"},
    {UINT32_C(0x4FB2D5BD), "i.MX RT10xx"},
    {UINT32_C(0x7BE8976D), "RA4M1"},
};

struct block {
    uint32_t flags, address, bytes, number, count, family;
    const char *data;
};

struct reader {
    const char *file;
    size_t blocks;
    char *why;
    uint32_t count; /* numBlocks of the first one for an RP2040 */
    size_t taken;
    struct block *take; /* for the flash of an RP2040 */
    uint8_t *seen;      /* by block number */
};

bool pb_image_is_uf2(const char *bytes, size_t size)
{
    return size >= 4 && !memcmp(bytes, "UF2\n", 4);
}

static uint32_t word(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static struct block block_at(const struct reader *reader, size_t i)
{
    const char *at = reader->file + i * BLOCK;
    return (struct block){.flags = word(at + 8),
                          .address = word(at + 12),
                          .bytes = word(at + 16),
                          .number = word(at + 20),
                          .count = word(at + 24),
                          .family = word(at + 28),
                          .data = at + DATA_AT};
}

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->why, PB_UF2_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- which blocks are meant */

static bool is_for_flash(const struct block *block)
{
    return !(block->flags & (NOT_MAIN_FLASH | FILE_CONTAINER));
}

static bool is_ours(const struct block *block)
{
    return block->flags & HAS_FAMILY && block->family == FAMILY_RP2040;
}

/* No block is for the flash of an RP2040: says for what they are. */
static bool refuse_all(const struct reader *reader)
{
    const struct block first = block_at(reader, 0);
    bool ours = false;
    for (size_t i = 0; i < reader->blocks; i++) {
        const struct block block = block_at(reader, i);
        ours |= is_ours(&block);
    }
    if (ours)
        return refuse(reader, "all its blocks are flagged as outside the main flash");
    if (!(first.flags & HAS_FAMILY))
        return refuse(reader, "its blocks name no family of chips; a boot ROM takes 0xe48bff56 (RP2040)");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (families[i].id == first.family)
            return refuse(reader,
                          "it is for %s (family 0x%08" PRIx32 "), the bench has an RP2040 (0xe48bff56)",
                          families[i].name, first.family);
    return refuse(reader, "it is for an unknown family of chips, 0x%08" PRIx32
                          "; the bench has an RP2040 (0xe48bff56)",
                  first.family);
}

static bool check_magic(struct reader *reader)
{
    bool found = false;
    for (size_t i = 0; i < reader->blocks; i++) {
        const char *at = reader->file + i * BLOCK;
        const struct block block = block_at(reader, i);
        if (word(at) != MAGIC_0 || word(at + 4) != MAGIC_1 || word(at + END_AT) != MAGIC_END)
            return refuse(reader, "the 512 bytes at %zu are no block of UF2: damaged", i * BLOCK);
        if (!found && is_ours(&block) && is_for_flash(&block)) {
            reader->count = block.count;
            found = true;
        }
    }
    return found || refuse_all(reader);
}

/* ---- one by one */

static bool check_block(const struct reader *reader, const struct block *block)
{
    if (block->count != reader->count)
        return refuse(reader,
                      "block %" PRIu32 " says that there are %" PRIu32 " blocks, another one %" PRIu32,
                      block->number, block->count, reader->count);
    if (block->bytes != PAGE || block->address % PAGE)
        return refuse(reader,
                      "block %" PRIu32 " has %" PRIu32 " bytes for 0x%08" PRIx32
                      "; the boot ROM takes pages of 256 bytes",
                      block->number, block->bytes, block->address);
    return true;
}

static bool take_blocks(struct reader *reader)
{
    size_t numbers = 0;
    if (reader->count > reader->blocks)
        return refuse(reader, "it has %zu of its %" PRIu32 " blocks: its end is missing", reader->blocks,
                      reader->count);
    for (size_t i = 0; i < reader->blocks; i++) {
        const struct block block = block_at(reader, i);
        if (is_for_flash(&block) ? !is_ours(&block) : block.count != reader->count)
            continue;
        if (is_for_flash(&block) && !check_block(reader, &block))
            return false;
        if (block.number >= reader->count)
            return refuse(reader, "it has a block %" PRIu32 ", but only %" PRIu32 " blocks, counted from 0",
                          block.number, reader->count);
        if (reader->seen[block.number])
            return refuse(reader, "block %" PRIu32 " is in it twice", block.number);
        reader->seen[block.number] = 1;
        numbers++;
        if (is_for_flash(&block))
            reader->take[reader->taken++] = block;
    }
    for (uint32_t number = 0; numbers < reader->count; number++)
        if (!reader->seen[number])
            return refuse(reader, "block %" PRIu32 " of %" PRIu32 " is missing", number, reader->count);
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint32_t left = ((const struct block *)a)->address, right = ((const struct block *)b)->address;
    return left < right ? -1 : left > right;
}

/* ---- all together */

static bool join(const struct reader *reader, struct pb_image *image, char *content)
{
    qsort(reader->take, reader->taken, sizeof *reader->take, compare);
    for (size_t i = 0; i < reader->taken; i++) {
        const struct block *block = &reader->take[i];
        if (i && block->address == block[-1].address)
            return refuse(reader, "two of its blocks are for 0x%08" PRIx32, block->address);
        memcpy(content + i * PAGE, block->data, PAGE);
        if (i && block->address == block[-1].address + PAGE)
            image->segment[image->segments - 1].bytes += PAGE;
        else
            image->segment[image->segments++] =
                (struct pb_image_segment){block->address, PAGE, (const uint8_t *)content + i * PAGE};
    }
    image->machine = EM_ARM;
    image->entry = image->segment[0].address;
    return true;
}

int pb_uf2_read(struct pb_image *image, char **content, const char *bytes, size_t size, char why[PB_UF2_WHY])
{
    struct reader reader = {.file = bytes, .blocks = size / BLOCK, .why = why};
    int code = PB_ERR_CONFIG;
    *content = NULL;
    if (size % BLOCK) {
        refuse(&reader, "its last block of 512 bytes has only %zu: it is cut off", size % BLOCK);
        return code;
    }
    if (!check_magic(&reader))
        return code;
    *content = malloc(reader.blocks * PAGE);
    free(image->segment);
    image->segment = calloc(reader.blocks, sizeof *image->segment);
    reader.take = calloc(reader.blocks, sizeof *reader.take);
    reader.seen = calloc(reader.blocks, 1);
    if (!*content || !image->segment || !reader.take || !reader.seen)
        code = PB_ERR_MEMORY;
    else if (take_blocks(&reader) && join(&reader, image, *content))
        code = PB_OK;
    free(reader.take);
    free(reader.seen);
    return code;
}
