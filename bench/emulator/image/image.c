/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libelf reads an ELF file, libdw its lines.
 */
#include "image.h"

#include "bench/emulator/image/image_elf.h"
#include "bench/emulator/image/image_uf2.h"

#include <ctype.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_BYTES_MAX = 64 << 20, SEGMENTS_MAX = 64 };

struct range {
    uint64_t begin, end;
};

static int read_file(char **out, size_t *size, const char *name, struct pb_diag *diag)
{
    struct stat status;
    const int found = stat(name, &status); /* a pipe is not opened: it may have no writer */
    FILE *file = !found && S_ISREG(status.st_mode) ? fopen(name, "rb") : NULL;
    if (!found && !S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%.200s is no firmware image: it is no regular file; give an ELF or UF2 file", name);
    if (!file || fstat(fileno(file), &status)) {
        const int error = errno;
        if (file)
            fclose(file);
        return pb_fail(diag, PB_ERR_IO, "%.200s: %s", name, strerror(error));
    }
    if (status.st_size > FILE_BYTES_MAX) {
        fclose(file);
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%.200s is no firmware image: it is larger than 64 MB; give an ELF or UF2 file", name);
    }
    *size = (size_t)status.st_size;
    *out = malloc(*size + 1);
    const size_t length = *out ? fread(*out, 1, *size, file) : 0;
    fclose(file);
    if (!*out)
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for %.200s", name);
    if (length == *size)
        return PB_OK;
    free(*out);
    return pb_fail(diag, PB_ERR_IO, "%.200s: it could be read only up to byte %zu of %zu", name, length,
                   *size);
}

static int compare(const void *a, const void *b)
{
    const uint32_t left = ((const struct pb_image_segment *)a)->address;
    const uint32_t right = ((const struct pb_image_segment *)b)->address;
    return left < right ? -1 : left > right;
}

/* `runs`: where the program runs, of each segment; returns their number, or -1 with *wrong set. */
static int read_segments(struct pb_image *image, struct range runs[SEGMENTS_MAX], const char **wrong)
{
    const struct pb_image_symbols *symbols = image->symbols;
    size_t headers = 0;
    int ranges = 0;
    *wrong = "its program headers are damaged";
    if (elf_getphdrnum(symbols->elf, &headers))
        return -1;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(symbols->elf, (int)i, &header))
            return -1;
        if (header.p_type != PT_LOAD || !header.p_memsz)
            continue;
        *wrong = "it has more than 64 segments";
        if (ranges == SEGMENTS_MAX)
            return -1;
        *wrong = "a segment lies beyond the end of the file: it is cut off or damaged";
        if (header.p_filesz > header.p_memsz || header.p_offset > symbols->bytes ||
            header.p_filesz > symbols->bytes - header.p_offset)
            return -1;
        *wrong = "a segment lies beyond the last address of 32 bits";
        if (header.p_paddr + header.p_filesz > UINT64_C(1) << 32 ||
            header.p_vaddr + header.p_memsz > UINT64_C(1) << 32)
            return -1;
        runs[ranges++] = (struct range){header.p_vaddr, header.p_vaddr + header.p_memsz};
        if (header.p_filesz)
            image->segment[image->segments++] =
                (struct pb_image_segment){(uint32_t)header.p_paddr, (uint32_t)header.p_filesz,
                                          (const uint8_t *)symbols->file + header.p_offset};
    }
    *wrong = "it has nothing to program: no segment with bytes";
    if (!image->segments)
        return -1;
    qsort(image->segment, image->segments, sizeof *image->segment, compare);
    *wrong = "two of its segments have the same load address";
    for (unsigned i = 1; i < image->segments; i++)
        if (image->segment[i].address - image->segment[i - 1].address < image->segment[i - 1].bytes)
            return -1;
    return ranges;
}

static void find_symbols(struct pb_image_symbols *symbols)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(symbols->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize)
            continue;
        symbols->table = section;
        symbols->names = header.sh_link;
        symbols->count = (size_t)(header.sh_size / header.sh_entsize);
        return;
    }
}

/* ---- what a file is */

static bool has_digits(const char *bytes, size_t size, size_t at, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (at + i >= size || !isxdigit((unsigned char)bytes[at + i]))
            return false;
    return true;
}

static bool is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)bytes[i] < ' ' && !strchr("\t\n\f\r", bytes[i] ? bytes[i] : 'x'))
            return false;
    return true;
}

/* A record of Intel HEX is ':' and at least 5 bytes, one of Motorola is
 * 'S', its kind and at least 4. */
const char *pb_image_other_format(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && isspace((unsigned char)bytes[at]))
        at++;
    if (!size)
        return "it is empty";
    if (size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG))
        return "it is no ELF file, or cut off";
    if (at < size && bytes[at] == ':' && has_digits(bytes, size, at + 1, 10))
        return "it is an Intel HEX file";
    if (at < size && bytes[at] == 'S' && has_digits(bytes, size, at + 1, 9))
        return "it is a file of Motorola S-records";
    return is_text(bytes, size) ? "it is a text" : "it is raw bytes (BIN), without addresses";
}

/* ---- ELF */

static const char *read_image(struct pb_image *image)
{
    struct pb_image_symbols *symbols = image->symbols;
    struct range runs[SEGMENTS_MAX];
    const char *wrong;
    GElf_Ehdr header;

    elf_version(EV_CURRENT);
    symbols->elf = elf_memory(symbols->file, symbols->bytes);
    if (!symbols->elf || elf_kind(symbols->elf) != ELF_K_ELF || !gelf_getehdr(symbols->elf, &header))
        return pb_image_other_format(symbols->file, symbols->bytes);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return "it is not for a 32-bit little-endian machine";
    if ((uint64_t)header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize > symbols->bytes)
        return "its end is missing: it is cut off";
    if (header.e_type != ET_EXEC)
        return "it is not linked: an object file or a library";
    image->machine = header.e_machine;
    image->entry = (uint32_t)header.e_entry;
    const int ranges = read_segments(image, runs, &wrong);
    if (ranges < 0)
        return wrong;
    find_symbols(symbols);
    image->other_core = header.e_machine == EM_ARM ? pb_image_arm_arch(symbols) : NULL;
    image->stripped = !symbols->table;
    for (int i = 0; i < ranges; i++)
        if (header.e_entry >= runs[i].begin && header.e_entry < runs[i].end)
            return NULL;
    return "its entry point lies outside its segments";
}

/* ---- both */

/* What the segments of a UF2 file point into takes the place of the file. */
static int read_uf2(struct pb_image *image, char why[PB_UF2_WHY])
{
    struct pb_image_symbols *symbols = image->symbols;
    char *content;
    image->format = PB_IMAGE_UF2;
    const int code = pb_uf2_read(image, &content, symbols->file, symbols->bytes, why);
    free(symbols->file);
    symbols->file = content;
    return code;
}

int pb_image_parse(struct pb_image **out, const char *name, char *bytes, size_t size, struct pb_diag *diag)
{
    struct pb_image *image = calloc(1, sizeof *image);
    const char *slash = strrchr(name, '/'), *wrong, *remedy = "build it again";
    char why[PB_UF2_WHY] = "";
    int code = PB_OK;
    *out = NULL;
    if (!image || !(image->symbols = calloc(1, sizeof *image->symbols)) ||
        !(image->segment = calloc(SEGMENTS_MAX, sizeof *image->segment))) {
        pb_image_destroy(image);
        free(bytes);
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for %.200s", name);
    }
    snprintf(image->name, sizeof image->name, "%.*s", (int)sizeof image->name - 1, slash ? slash + 1 : name);
    image->symbols->file = bytes;
    image->symbols->bytes = size;
    if (pb_image_is_uf2(bytes, size)) {
        code = read_uf2(image, why);
    } else if ((wrong = read_image(image))) {
        code = PB_ERR_CONFIG;
        snprintf(why, sizeof why, "%s", wrong);
        if (!image->symbols->elf || elf_kind(image->symbols->elf) != ELF_K_ELF)
            remedy = "give the ELF file that the linker made, or a UF2 file";
    }
    if (code) {
        const char *format = "firmware image";
        if (image->format == PB_IMAGE_UF2) {
            format = "usable UF2 file";
            remedy = "make it again, for an RP2040";
        }
        pb_image_destroy(image);
        return code == PB_ERR_MEMORY
                   ? pb_fail(diag, code, "out of memory for %.200s", name)
                   : pb_fail(diag, code, "%.120s is no %s: %s; %s", name, format, why, remedy);
    }
    image->keepers = 1;
    *out = image;
    return PB_OK;
}

struct pb_image *pb_image_keep(struct pb_image *image)
{
    image->keepers++;
    return image;
}

int pb_image_read(struct pb_image **out, const char *file, struct pb_diag *diag)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    const int error = read_file(&bytes, &size, file, diag);
    return error ? error : pb_image_parse(out, file, bytes, size, diag);
}

void pb_image_destroy(struct pb_image *image)
{
    if (!image || (image->keepers && --image->keepers))
        return;
    if (image->derived)
        image->forget(image->derived);
    if (image->symbols) {
        elf_end(image->symbols->elf);
        free(image->symbols->file);
    }
    free(image->symbols);
    free(image->segment);
    free(image);
}

bool pb_image_read_symbol(const struct pb_image_symbols *symbols, Elf_Data *data, size_t i, GElf_Sym *symbol,
                          const char **name)
{
    return gelf_getsym(data, (int)i, symbol) &&
           (*name = elf_strptr(symbols->elf, symbols->names, symbol->st_name));
}

bool pb_image_symbol(const struct pb_image *image, const char *name, uint32_t *address, uint32_t *bytes)
{
    const struct pb_image_symbols *symbols = image->symbols;
    Elf_Data *data = symbols->table ? elf_getdata(symbols->table, NULL) : NULL;
    for (size_t i = 0; data && i < symbols->count; i++) {
        GElf_Sym symbol;
        const char *at;
        if (!pb_image_read_symbol(symbols, data, i, &symbol, &at) || symbol.st_shndx == SHN_UNDEF ||
            strcmp(at, name))
            continue;
        *address = (uint32_t)symbol.st_value;
        *bytes = (uint32_t)symbol.st_size;
        return true;
    }
    return false;
}

/* A function, or a label in assembly; not a mark of the assembler, as `$x`. */
static bool is_code(const GElf_Sym *symbol, const char *name)
{
    const int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
           (type == STT_FUNC || (type == STT_NOTYPE && name[0] && name[0] != '$' && name[0] != '.'));
}

static bool place_symbol(const struct pb_image *image, uint32_t address, char *text, size_t size)
{
    const struct pb_image_symbols *symbols = image->symbols;
    Elf_Data *data = symbols->table ? elf_getdata(symbols->table, NULL) : NULL;
    const uint32_t thumb = image->machine == EM_ARM; /* bit 0 of a function's address */
    uint32_t nearest = UINT32_MAX;
    for (size_t i = 0; data && i < symbols->count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!pb_image_read_symbol(symbols, data, i, &symbol, &name) || !is_code(&symbol, name))
            continue;
        const uint32_t begin = (uint32_t)symbol.st_value & ~thumb;
        if (begin > address || address - begin >= nearest ||
            (symbol.st_size && address - begin >= symbol.st_size))
            continue;
        nearest = address - begin;
        snprintf(text, size, "%.60s+0x%x", name, nearest);
    }
    return nearest != UINT32_MAX;
}

void pb_image_place(const struct pb_image *image, uint32_t address, char *text, size_t size)
{
    if (!place_symbol(image, address, text, size))
        snprintf(text, size, "0x%08x", address);
    Elf *elf = image->symbols->elf;
    Dwarf *lines = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_Off unit = 0, next;
    size_t header;
    for (; lines && !dwarf_nextcu(lines, unit, &next, &header, NULL, NULL, NULL); unit = next) {
        Dwarf_Die die;
        Dwarf_Line *line = dwarf_offdie(lines, unit + header, &die) ? dwarf_getsrc_die(&die, address) : NULL;
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        int number;
        if (!file || dwarf_lineno(line, &number))
            continue;
        const char *slash = strrchr(file, '/');
        const size_t length = strlen(text);
        snprintf(text + length, size - length, " (%.60s:%d)", slash ? slash + 1 : file, number);
        break;
    }
    dwarf_end(lines);
}
