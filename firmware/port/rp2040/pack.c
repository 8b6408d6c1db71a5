/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Host program: pack ELF BIN UF2 [ADDRESS]. Puts the CRC-32 of boot2 into the ELF file, if it is missing, and
 * writes the programmed contents as a flash image and as UF2 blocks ("RP2040 Datasheet", section 2.8.1.3.1;
 * the UF2 specification of its authors). ADDRESS, 0 to 0xFFF, goes into the settings of these two
 * (firmware/port/settings.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLASH UINT32_C(0x10000000)
#define UF2_MAGIC UINT32_C(0x0A324655)
#define UF2_MAGIC_1 UINT32_C(0x9E5D5157)
#define UF2_MAGIC_END UINT32_C(0x0AB16F30)
#define UF2_FAMILY UINT32_C(0xE48BFF56)
#define UF2_HAS_FAMILY UINT32_C(0x2000)
enum { FLASH_MAX = 2 << 20, ELF_MAX = 4 << 20, PAGE = 256, BLOCK = 512, DATA_AT = 32, CRC_AT = 252 };
#define SETTINGS_MAGIC UINT32_C(0x31534250)
enum { SETTINGS = 0x8000, SETTINGS_ADDRESS = 20, SETTINGS_CHECK = 38, ADDRESSES = 0x1000 }; /* rp2040.ld */
enum { EHDR_BYTES = 52, PHDR_BYTES = 32, LOAD = 1 };

struct image {
    uint8_t elf[ELF_MAX];
    size_t elf_bytes;
    uint8_t flash[FLASH_MAX];
    bool used[FLASH_MAX / PAGE];
    uint32_t end;     /* of what is programmed */
    bool elf_changed; /* its CRC was not that of boot2 */
};

static _Noreturn void die(const char *file, const char *what)
{
    fprintf(stderr, "pack: %s: %s\n", file, what);
    exit(1);
}

static uint32_t get(const uint8_t *at, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static void put(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t crc32(const uint8_t *bytes, unsigned count)
{
    uint32_t crc = UINT32_MAX;
    for (unsigned i = 0; i < count; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? UINT32_C(0x04C11DB7) : 0);
    }
    return crc;
}

/* Takes one segment; that of boot2 gets its CRC first, in the file, too. */
static void load(struct image *image, const char *file, const uint8_t *header)
{
    const uint32_t at = get(header + 4, 4), address = get(header + 12, 4), bytes = get(header + 16, 4);
    if (get(header, 4) != LOAD || bytes == 0)
        return;
    if (at > image->elf_bytes || bytes > image->elf_bytes - at)
        die(file, "a segment is beyond its end");
    if (address < FLASH || address - FLASH > FLASH_MAX || bytes > FLASH_MAX - (address - FLASH))
        die(file, "a segment is outside the flash");
    uint8_t *data = image->elf + at;
    if (address == FLASH) {
        if (bytes < CRC_AT + 4)
            die(file, "boot2 is shorter than 256 bytes");
        image->elf_changed = get(data + CRC_AT, 4) != crc32(data, CRC_AT);
        put(data + CRC_AT, crc32(data, CRC_AT));
    }
    memcpy(image->flash + (address - FLASH), data, bytes);
    for (uint32_t page = (address - FLASH) / PAGE; page <= (address - FLASH + bytes - 1) / PAGE; page++)
        image->used[page] = true;
    if (image->end < address - FLASH + bytes)
        image->end = address - FLASH + bytes;
}

static void read_elf(struct image *image, const char *file)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        die(file, "cannot be read");
    image->elf_bytes = fread(image->elf, 1, sizeof image->elf, stream);
    fclose(stream);
    const uint8_t *elf = image->elf;
    if (image->elf_bytes < EHDR_BYTES || memcmp(elf, "\177ELF\1\1", 6) != 0)
        die(file, "is no ELF file of 32 bits, little endian");
    const uint32_t at = get(elf + 28, 4), count = get(elf + 44, 2);
    if (get(elf + 42, 2) != PHDR_BYTES || at > image->elf_bytes || count * PHDR_BYTES > image->elf_bytes - at)
        die(file, "has no valid program headers");
    memset(image->flash, 0xFF, sizeof image->flash);
    for (uint32_t i = 0; i < count; i++)
        load(image, file, elf + at + i * PHDR_BYTES);
    if (!image->used[0])
        die(file, "has no boot2");
}

/* CRC-16/CCITT-FALSE, as the settings have it. */
static uint16_t crc16(const uint8_t *bytes, unsigned count)
{
    uint16_t crc = 0xFFFF;
    for (unsigned i = 0; i < count * 8; i++) {
        const bool out = crc >> 15 ^ (bytes[i / 8] >> (7 - i % 8) & 1);
        crc = (uint16_t)(crc << 1 ^ (out ? 0x1021 : 0));
    }
    return crc;
}

static void set_address(struct image *image, const char *text)
{
    uint8_t *settings = image->flash + SETTINGS;
    char *end;
    const unsigned long address = strtoul(text, &end, 0);
    if (*text == '\0' || *end != '\0' || address >= ADDRESSES)
        die(text, "is no address from 0 to 0xFFF");
    if (get(settings, 4) != SETTINGS_MAGIC)
        die("settings", "are not in the image");
    settings[SETTINGS_ADDRESS] = (uint8_t)address;
    settings[SETTINGS_ADDRESS + 1] = (uint8_t)(address >> 8);
    const uint16_t check = crc16(settings, SETTINGS_CHECK);
    settings[SETTINGS_CHECK] = (uint8_t)check;
    settings[SETTINGS_CHECK + 1] = (uint8_t)(check >> 8);
}

static void write_file(const char *file, const char *mode, const uint8_t *bytes, size_t count)
{
    FILE *stream = fopen(file, mode);
    if (!stream || fwrite(bytes, 1, count, stream) != count || fclose(stream) != 0)
        die(file, "cannot be written");
}

static void write_uf2(const struct image *image, const char *file)
{
    uint32_t total = 0, number = 0;
    for (uint32_t page = 0; page < FLASH_MAX / PAGE; page++)
        total += image->used[page];
    write_file(file, "wb", NULL, 0);
    for (uint32_t page = 0; page < FLASH_MAX / PAGE; page++) {
        if (!image->used[page])
            continue;
        uint8_t block[BLOCK] = {0};
        const uint32_t head[8] = {UF2_MAGIC, UF2_MAGIC_1, UF2_HAS_FAMILY, FLASH + page * PAGE,
                                  PAGE,      number++,    total,          UF2_FAMILY};
        for (unsigned i = 0; i < 8; i++)
            put(block + 4 * i, head[i]);
        memcpy(block + DATA_AT, image->flash + page * PAGE, PAGE);
        put(block + BLOCK - 4, UF2_MAGIC_END);
        write_file(file, "ab", block, sizeof block);
    }
}

int main(int argc, char **argv)
{
    static struct image image;
    if (argc != 4 && argc != 5)
        die("usage", "pack ELF BIN UF2 [ADDRESS]");
    read_elf(&image, argv[1]);
    if (image.elf_changed)
        write_file(argv[1], "wb", image.elf, image.elf_bytes);
    if (argc == 5)
        set_address(&image, argv[4]);
    write_file(argv[2], "wb", image.flash, image.end);
    write_uf2(&image, argv[3]);
    return 0;
}
