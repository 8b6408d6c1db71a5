/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * UF2 files, made here block by block from the specification, and the settings in images without a symbol for
 * them. A file that the boot ROM of an RP2040 takes is read; each damage to it has a diagnostic.
 */
#include "bench/emulator/image/image.h"
#include "bench/emulator/image/image_lines.h"
#include "bench/emulator/image/settings_block.h"
#include "tests/bench/unit/tests.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define FLASH UINT32_C(0x10000000)
#define RP2040 UINT32_C(0xE48BFF56)
#define RP2350 UINT32_C(0xE48BFF59)
enum { FLASH_BYTES = 2 << 20, BLOCKS = 9, BLOCK_BYTES = 512 };

struct block {
    uint32_t magic_0, magic_1, flags, address, bytes, number, count, family, end;
    uint8_t fill; /* of byte k: fill + k */
};

/* A page of each of three runs of addresses: 4, 3 and 2 pages. */
static void make_blocks(struct block block[BLOCKS])
{
    static const uint32_t page[BLOCKS] = {0, 1, 2, 3, 16, 17, 18, 0x100, 0x101};
    for (unsigned i = 0; i < BLOCKS; i++)
        block[i] = (struct block){0x0A324655, 0x9E5D5157, 0x2000, FLASH + 256 * page[i],
                                  256,        i,          BLOCKS, RP2040,
                                  0x0AB16F30, (uint8_t)i};
}

static char *put32(char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        *at++ = (char)(value >> 8 * i);
    return at;
}

static char *file_of(const struct block *block, size_t count)
{
    char *file = calloc(count + 1, BLOCK_BYTES);
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) {
        const uint32_t header[] = {block[i].magic_0, block[i].magic_1, block[i].flags, block[i].address,
                                   block[i].bytes,   block[i].number,  block[i].count, block[i].family};
        char *at = file + i * BLOCK_BYTES;
        for (unsigned k = 0; k < COUNT(header); k++)
            at = put32(at, header[k]);
        for (unsigned k = 0; k < 256; k++)
            *at++ = (char)(block[i].fill + k);
        put32(file + (i + 1) * BLOCK_BYTES - 4, block[i].end);
    }
    return file;
}

static struct pb_image *read_good(const struct block *block, size_t count)
{
    struct pb_image *image;
    assert_succeeds(
        pb_image_parse(&image, "folder/node.uf2", file_of(block, count), count * BLOCK_BYTES, &diag));
    return image;
}

static void assert_refused(const struct block *block, size_t count, size_t size, const char *says)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    if (pb_image_parse(&image, "node.uf2", file_of(block, count), size, &diag) != PB_ERR_CONFIG ||
        !strstr(diag.text, says) || strncmp(diag.text, "node.uf2 ", 9))
        fail_msg("'%s', not '%s'", diag.text, says);
    assert_null(image);
}

static void assert_three_runs(const struct pb_image *image)
{
    static const struct {
        uint32_t address, bytes;
        uint8_t first;
    } run[] = {{FLASH, 0x400, 0}, {FLASH + 0x1000, 0x300, 4}, {FLASH + 0x10000, 0x200, 7}};
    assert_int_equal(image->segments, COUNT(run));
    for (unsigned i = 0; i < COUNT(run); i++) {
        assert_int_equal(image->segment[i].address, run[i].address);
        assert_int_equal(image->segment[i].bytes, run[i].bytes);
        for (uint32_t k = 0; k < run[i].bytes; k++)
            assert_int_equal(image->segment[i].data[k], (uint8_t)(run[i].first + k / 256 + k % 256));
    }
}

TEST(runs_of_pages_become_segments)
{
    struct block block[BLOCKS];
    struct pb_image_lines *lines;
    uint32_t address, bytes;
    char place[80];
    make_blocks(block);
    struct pb_image *image = read_good(block, BLOCKS);
    assert_int_equal(image->format, PB_IMAGE_UF2);
    assert_int_equal(image->machine, EM_ARM);
    assert_int_equal(image->entry, FLASH);
    assert_string_equal(image->name, "node.uf2");
    assert_three_runs(image);
    assert_false(pb_image_symbol(image, "node_settings", &address, &bytes));
    pb_image_place(image, FLASH + 0x102, place, sizeof place);
    assert_string_equal(place, "0x10000102");
    assert_succeeds(pb_image_lines_read(&lines, image, &diag));
    assert_null(pb_image_line_at(lines, FLASH + 0x102));
    pb_image_lines_free(lines);
    pb_image_destroy(image);
}

TEST(blocks_come_in_any_order)
{
    static const unsigned order[BLOCKS] = {8, 0, 5, 1, 7, 3, 6, 2, 4};
    struct block block[BLOCKS], mixed[BLOCKS];
    make_blocks(block);
    for (unsigned i = 0; i < BLOCKS; i++)
        mixed[i] = block[order[i]];
    struct pb_image *image = read_good(mixed, BLOCKS);
    assert_three_runs(image);
    pb_image_destroy(image);
}

/* A file for several chips: each family counts its own blocks. */
TEST(blocks_of_other_families_are_left_out)
{
    struct block block[BLOCKS + 4];
    make_blocks(block + 2);
    for (unsigned i = 0; i < 2; i++) {
        block[i] = block[2];
        block[i].family = RP2350;
        block[i].number = i;
        block[i].count = 2;
        block[BLOCKS + 2 + i] = block[i];
        block[BLOCKS + 2 + i].flags = 0; /* no family: the word is a size */
    }
    struct pb_image *image = read_good(block, BLOCKS + 4);
    assert_three_runs(image);
    pb_image_destroy(image);
}

/* Such a block has a number, and no page. */
TEST(blocks_outside_the_main_flash_are_left_out)
{
    static const uint32_t flag[] = {0x2001, 0x3000, 0x0001};
    for (unsigned i = 0; i < COUNT(flag); i++) {
        struct block block[BLOCKS];
        make_blocks(block);
        block[8].flags = flag[i];
        block[8].bytes = 476;
        struct pb_image *image = read_good(block, BLOCKS);
        assert_int_equal(image->segments, 3);
        assert_int_equal(image->segment[2].bytes, 256);
        pb_image_destroy(image);
    }
}

TEST(each_harm_has_a_sentence)
{
    static const struct {
        unsigned block;
        size_t at; /* of a word of the structure */
        uint32_t value;
        const char *says;
    } harm[] = {
        {3, offsetof(struct block, magic_0), 0x0A324656, "the 512 bytes at 1536 are no block"},
        {3, offsetof(struct block, magic_1), 0, "the 512 bytes at 1536 are no block"},
        {8, offsetof(struct block, end), 0, "the 512 bytes at 4096 are no block"},
        {0, offsetof(struct block, bytes), 476, "block 0 has 476 bytes"},
        {5, offsetof(struct block, bytes), 255, "block 5 has 255 bytes"},
        {5, offsetof(struct block, address), FLASH + 0x1104, "pages of 256 bytes"},
        {5, offsetof(struct block, address), FLASH + 0x1000, "two of its blocks are for 0x10001000"},
        {5, offsetof(struct block, number), 4, "block 4 is in it twice"},
        {5, offsetof(struct block, number), 9, "a block 9, but only 9 blocks"},
        {5, offsetof(struct block, number), 0xFFFFFFFF, "a block 4294967295, but only 9"},
        {5, offsetof(struct block, count), 8, "says that there are 8 blocks, another one 9"},
        {5, offsetof(struct block, family), RP2350, "block 5 of 9 is missing"},
    };
    for (unsigned i = 0; i < COUNT(harm); i++) {
        struct block block[BLOCKS];
        make_blocks(block);
        memcpy((char *)&block[harm[i].block] + harm[i].at, &harm[i].value, sizeof harm[i].value);
        assert_refused(block, BLOCKS, sizeof block / sizeof block[0] * BLOCK_BYTES, harm[i].says);
    }
}

TEST(a_file_for_other_chips_names_them)
{
    static const struct {
        uint32_t flags, family;
        const char *says;
    } file[] = {
        {0x2000, RP2350, "it is for RP2350 (Arm, secure) (family 0xe48bff59)"},
        {0x2000, 0xADA52840, "it is for nRF52840 (family 0xada52840)"},
        {0x2000, 0x12345678, "an unknown family of chips, 0x12345678"},
        {0x0000, BLOCKS * 256, "name no family"},
        {0x2001, RP2040, "outside the main flash"},
        {0x3000, RP2040, "outside the main flash"},
    };
    for (unsigned i = 0; i < COUNT(file); i++) {
        struct block block[BLOCKS];
        make_blocks(block);
        for (unsigned k = 0; k < BLOCKS; k++) {
            block[k].flags = file[i].flags;
            block[k].family = file[i].family;
        }
        assert_refused(block, BLOCKS, BLOCKS * BLOCK_BYTES, file[i].says);
    }
}

TEST(every_cut_is_refused)
{
    struct block block[BLOCKS];
    make_blocks(block);
    for (size_t size = 4; size < BLOCKS * BLOCK_BYTES; size++)
        assert_refused(block, BLOCKS, size, size % BLOCK_BYTES ? "cut off" : "its end is missing");
}

/* ---- settings */

static const struct pb_node_config config = {.address = 5,
                                             PB_NODE_CUBE(3),
                                             .payload_bytes = 6,
                                             .phase_rate_mhz = 10000000,
                                             .baud_hz = 1000000,
                                             .console_baud_hz = 460800,
                                             .head_guard_ps = 5000000};

/* A block whose content has the settings at these places. */
static int find(const uint32_t *place, unsigned places, uint32_t *address, struct pb_diag *diag)
{
    struct block block[BLOCKS];
    struct pb_image *image;
    make_blocks(block);
    char *file = file_of(block, BLOCKS);
    for (unsigned i = 0; i < places; i++) {
        uint8_t settings[PB_SETTINGS_BYTES];
        pb_settings_block(&config, settings);
        for (unsigned k = 0; k < PB_SETTINGS_BYTES; k++) {
            const uint32_t at = place[i] - FLASH + k;
            file[at / 256 * BLOCK_BYTES + 32 + at % 256] = (char)settings[k];
        }
    }
    assert_int_equal(pb_image_parse(&image, "node.uf2", file, BLOCKS * BLOCK_BYTES, diag), PB_OK);
    const int code = pb_settings_find(image, FLASH, FLASH_BYTES, address, diag);
    pb_image_destroy(image);
    return code;
}

TEST(a_uf2_file_has_its_settings_by_content)
{
    static const uint32_t place[] = {FLASH, FLASH + 0x84, FLASH + 0xEC /* over two pages */, FLASH + 0x3D8};
    struct pb_diag diag = {""};
    uint32_t address;
    for (unsigned i = 0; i < COUNT(place); i++) {
        assert_int_equal(find(&place[i], 1, &address, &diag), PB_OK);
        assert_int_equal(address, place[i]);
    }
    assert_int_equal(find(place, 0, &address, &diag), PB_OK);
    assert_int_equal(address, 0); /* none: it keeps its own */
    assert_int_equal(find((const uint32_t[]){FLASH + 2}, 1, &address, &diag), PB_OK);
    assert_int_equal(address, 0); /* no word */
    struct pb_image *image;
    struct block block[BLOCKS]; /* the magic number alone is a constant of the program */
    make_blocks(block);
    char *file = file_of(block, BLOCKS);
    put32(file + 32 + 64, UINT32_C(0x31534250));
    assert_int_equal(pb_image_parse(&image, "node.uf2", file, BLOCKS * BLOCK_BYTES, &diag), PB_OK);
    assert_int_equal(pb_settings_find(image, FLASH, FLASH_BYTES, &address, &diag), PB_OK);
    assert_int_equal(address, 0);
    pb_image_destroy(image);
    assert_int_equal(find(place, 2, &address, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "node.uf2 has more than one settings block"));
}

#define RISCV "tests/emulator/fuzz/corpus/image/riscv"
#define RISCV_FLASH UINT32_C(0x80000000)

static char *load(size_t *size)
{
    FILE *file = fopen(RISCV, "rb");
    char *bytes = malloc(1 << 16);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void assert_found(char *bytes, size_t size, int code, const char *says)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    uint32_t address = 1;
    assert_int_equal(pb_image_parse(&image, "folder/node.elf", bytes, size, &diag), PB_OK);
    if (pb_settings_find(image, RISCV_FLASH, FLASH_BYTES, &address, &diag) != code ||
        !strstr(diag.text, says))
        fail_msg("'%s', not '%s'", diag.text, says);
    if (!code)
        assert_int_equal(address, 0);
    pb_image_destroy(image);
}

/* In the table of strings, and in the debug information. */
static void rename_symbol(char *bytes, size_t size)
{
    static const char name[] = "node_settings";
    unsigned found = 0;
    for (size_t at = 0; at + sizeof name <= size; at++)
        if (!memcmp(bytes + at, name, sizeof name)) {
            bytes[at] = 'm';
            found++;
        }
    assert_in_range(found, 1, 2);
}

TEST(a_symbol_that_is_no_settings_block_is_refused)
{
    size_t size;
    char *bytes = load(&size);
    assert_found(bytes, size, PB_ERR_CONFIG, "node_settings of node.elf has 4 bytes at 0x8000002C");
}

/* Its table of symbols is another section: the file is as after strip. */
TEST(a_stripped_elf_file_is_refused)
{
    size_t size;
    Elf32_Ehdr header;
    char *bytes = load(&size);
    memcpy(&header, bytes, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf32_Shdr section;
        char *at = bytes + header.e_shoff + i * sizeof section;
        memcpy(&section, at, sizeof section);
        if (section.sh_type == SHT_SYMTAB)
            section.sh_type = SHT_PROGBITS;
        memcpy(at, &section, sizeof section);
    }
    assert_found(bytes, size, PB_ERR_CONFIG, "node.elf has no symbol table");
}

/* Firmware that has its identity compiled in needs no block; one that has a block needs its symbol. */
TEST(an_elf_file_without_the_symbol)
{
    size_t size;
    char *bytes = load(&size);
    rename_symbol(bytes, size);
    assert_found(bytes, size, PB_OK, "");
    bytes = load(&size);
    rename_symbol(bytes, size);
    Elf32_Phdr segment; /* of the first bytes of flash, 0x30 of them */
    memcpy(&segment, bytes + 52 + 32, sizeof segment);
    assert_int_equal(segment.p_paddr, RISCV_FLASH);
    pb_settings_block(&config, (uint8_t *)bytes + segment.p_offset);
    assert_found(bytes, size, PB_ERR_CONFIG, "node.elf has a settings block, but not its symbol");
}
