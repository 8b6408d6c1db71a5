/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Firmware images: two small ones that GCC and the linker made (the seeds of the fuzz target). What must be
 * found in them is what readelf, nm and addr2line print.
 */
#include "bench/emulator/image/image.h"
#include "tests/bench/unit/tests.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RISCV "tests/emulator/fuzz/corpus/image/riscv"
#define ARM "tests/emulator/fuzz/corpus/image/arm"

static char *load(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 16);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static struct pb_image *read_good(const char *name)
{
    struct pb_image *image;
    assert_succeeds(pb_image_read(&image, name, &diag));
    return image;
}

TEST(test_segments_as_readelf)
{
    static const struct {
        const char *file;
        unsigned machine;
        uint32_t entry, address[2], bytes[2];
    } want[] = {
        {RISCV, EM_RISCV, 0x80000000, {0x80000000, 0x80000030}, {0x30, 4}},
        {ARM, EM_ARM, 0x10000000, {0x10000000, 0x1000002C}, {0x2C, 4}},
    };
    for (unsigned i = 0; i < 2; i++) {
        struct pb_image *image = read_good(want[i].file);
        assert_int_equal(image->machine, want[i].machine);
        assert_int_equal(image->entry, want[i].entry);
        assert_int_equal(image->segments, 2);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(image->segment[k].address, want[i].address[k]);
            assert_int_equal(image->segment[k].bytes, want[i].bytes[k]);
        }
        assert_memory_equal(image->segment[1].data, "\x07\0\0\0", 4);
        pb_image_destroy(image);
    }
}

TEST(test_symbols_as_nm)
{
    struct pb_image *image = read_good(RISCV);
    uint32_t address = 0, bytes = 0;
    assert_true(pb_image_symbol(image, "node_settings", &address, &bytes));
    assert_int_equal(address, 0x8000002C);
    assert_int_equal(bytes, 4);
    assert_true(pb_image_symbol(image, "zero", &address, &bytes));
    assert_int_equal(address, 0x20000004);
    assert_int_equal(bytes, 160);
    assert_false(pb_image_symbol(image, "nothing", &address, &bytes));
    pb_image_destroy(image);
}

TEST(test_places_as_addr2line)
{
    static const struct {
        const char *file;
        uint32_t address;
        const char *place;
    } want[] = {
        {RISCV, 0x80000000, "twice.constprop.0+0x0 (a.c:5)"},
        {RISCV, 0x80000002, "twice.constprop.0+0x2 (a.c:5)"},
        {RISCV, 0x80000008, "twice.constprop.0+0x8 (a.c:6)"},
        {RISCV, 0x8000000A, "twice.constprop.0+0xa (a.c:6)"},
        {RISCV, 0x8000000C, "_start+0x0 (a.c:8)"},
        {RISCV, 0x8000000E, "_start+0x2 (a.c:8)"},
        {RISCV, 0x80000010, "_start+0x4 (a.c:10)"},
        {RISCV, 0x80000014, "_start+0x8 (a.c:8)"},
        {RISCV, 0x80000024, "_start+0x18 (a.c:10)"},
        {RISCV, 0x80000028, "_start+0x1c (a.c:9)"},
        {RISCV, 0x7FFFFFFE, "0x7ffffffe"},
        {RISCV, 0x20000000, "0x20000000"},
        {RISCV, 0x90000000, "0x90000000"},
        {ARM, 0x10000000, "twice.constprop.0+0x0 (a.c:5)"},
        {ARM, 0x1000000C, "_start+0x0 (a.c:8)"},
        {ARM, 0x10000018, "_start+0xc (a.c:10)"},
        {ARM, 0x10000020, "_start+0x14 (a.c:9)"},
    };
    for (unsigned i = 0; i < COUNT(want); i++) {
        struct pb_image *image = read_good(want[i].file);
        char place[160];
        pb_image_place(image, want[i].address, place, sizeof place);
        assert_string_equal(place, want[i].place);
        pb_image_destroy(image);
    }
}

static void assert_refused(char *bytes, size_t size, const char *says)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    if (pb_image_parse(&image, "node.elf", bytes, size, &diag) != PB_ERR_CONFIG || !strstr(diag.text, says))
        fail_msg("%zu bytes: '%s', not '%s'", size, diag.text, says);
    assert_null(image);
}

TEST(test_every_cut_is_refused)
{
    const char *const file[] = {RISCV, ARM};
    for (unsigned i = 0; i < 2; i++) {
        size_t size, whole;
        free(load(file[i], &whole));
        for (size_t length = 0; length < whole; length++)
            assert_refused(load(file[i], &size), length, "no firmware image");
    }
}

TEST(test_what_is_wrong_is_named)
{
    static const struct {
        size_t at;
        unsigned bytes;
        uint32_t value;
        const char *says;
    } harm[] = {
        {0, 1, 0x7E, "raw bytes"},
        {EI_CLASS, 1, ELFCLASS64, "32-bit"},
        {EI_DATA, 1, ELFDATA2MSB, "little-endian"},
        {offsetof(Elf32_Ehdr, e_type), 2, ET_REL, "not linked"},
        {offsetof(Elf32_Ehdr, e_type), 2, ET_DYN, "not linked"},
        {offsetof(Elf32_Ehdr, e_entry), 4, 0x80000030, "entry point"},
        {offsetof(Elf32_Ehdr, e_entry), 4, 0, "entry point"},
        {offsetof(Elf32_Ehdr, e_phnum), 2, 0, "nothing to program"},
        {offsetof(Elf32_Ehdr, e_shoff), 4, 0x10000, "cut off"},
        /* of the second program header, the first to be loaded */
        {52 + 32 + offsetof(Elf32_Phdr, p_offset), 4, 0x10000, "beyond the end of the file"},
        {52 + 32 + offsetof(Elf32_Phdr, p_offset), 4, 0xFFFFFFF0, "beyond the end of the file"},
        {52 + 32 + offsetof(Elf32_Phdr, p_filesz), 4, 0x40, "beyond the end of the file"},
        {52 + 32 + offsetof(Elf32_Phdr, p_paddr), 4, 0xFFFFFFF0, "32 bits"},
        {52 + 32 + offsetof(Elf32_Phdr, p_paddr), 4, 0x80000010, "same load address"},
        {52 + 32 + offsetof(Elf32_Phdr, p_vaddr), 4, 0xFFFFFFF0, "32 bits"},
    };
    for (unsigned i = 0; i < COUNT(harm); i++) {
        size_t size;
        char *bytes = load(RISCV, &size);
        for (unsigned k = 0; k < harm[i].bytes; k++)
            bytes[harm[i].at + k] = (char)(harm[i].value >> (8 * k));
        assert_refused(bytes, size, harm[i].says);
    }
}

/* First records as objcopy writes them (-O ihex, -O srec), and what else a file may be. */
TEST(test_other_formats_are_named)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } file[] = {
        {":020000041000EA\r\n:10000000", 27, "Intel HEX"},
        {"\n:1000000000B5324B", 18, "Intel HEX"},
        {"S00B00006E2E73726563C1\r\n", 24, "S-records"},
        {"S3151000000000B5324B21205860986802218843986052", 46, "S-records"},
        {": no record", 11, "a text"},
        {"Some text\n", 10, "a text"},
        {"\0\xB5\x32\x4B", 4, "raw bytes (BIN)"},
        {"", 0, "empty"},
    };
    for (unsigned i = 0; i < COUNT(file); i++) {
        char *bytes = malloc(file[i].size + 1);
        assert_non_null(bytes);
        memcpy(bytes, file[i].bytes, file[i].size);
        assert_refused(bytes, file[i].size, file[i].says);
    }
}

TEST(test_files_that_cannot_be_read)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    assert_int_equal(pb_image_read(&image, "/nowhere/node.elf", &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "No such file"));
    assert_int_equal(pb_image_read(&image, "/", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "no regular file"));
    const char *pipe = formatted("%s/pipe", new_folder());
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(pb_image_read(&image, pipe, &diag), PB_ERR_CONFIG); /* and does not wait */
    assert_non_null(strstr(diag.text, "no regular file"));
}
