/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/image/image_lines.h"

#include "bench/emulator/image/image_elf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 64, GROWTH = 64 };

/* Makes room for one element more of a list of `count`. */
static bool grow(void **list, size_t count, size_t size)
{
    if (count % GROWTH)
        return true;
    void *more = realloc(*list, (count + GROWTH) * size);
    if (more)
        *list = more;
    return more != NULL;
}

/* ---- code */

static int compare_code(const void *a, const void *b)
{
    const uint32_t left = ((const struct pb_image_code *)a)->address;
    const uint32_t right = ((const struct pb_image_code *)b)->address;
    return left < right ? -1 : left > right;
}

static bool read_code(struct pb_image_lines *lines, const struct pb_image_symbols *symbols)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(symbols->elf, section));) {
        GElf_Shdr header;
        const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
        if (!gelf_getshdr(section, &header) || (header.sh_flags & wanted) != wanted || !header.sh_size ||
            header.sh_addr + header.sh_size > UINT64_C(1) << 32 || lines->codes == SECTIONS_MAX ||
            header.sh_type == SHT_NOBITS || header.sh_size > symbols->bytes)
            continue;
        if (!grow((void **)&lines->code, lines->codes, sizeof *lines->code))
            return false;
        lines->code[lines->codes++] =
            (struct pb_image_code){(uint32_t)header.sh_addr, (uint32_t)header.sh_size};
    }
    if (lines->codes)
        qsort(lines->code, lines->codes, sizeof *lines->code, compare_code);
    return true;
}

static bool is_code(const struct pb_image_lines *lines, uint64_t address)
{
    for (size_t i = 0; i < lines->codes; i++)
        if (address - lines->code[i].address < lines->code[i].bytes)
            return true;
    return false;
}

/* ---- functions */

static int compare_functions(const void *a, const void *b)
{
    const struct pb_image_function *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

static bool read_functions(struct pb_image_lines *lines, const struct pb_image *image)
{
    const struct pb_image_symbols *symbols = image->symbols;
    Elf_Data *data = symbols->table ? elf_getdata(symbols->table, NULL) : NULL;
    for (size_t i = 0; data && i < symbols->count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!pb_image_read_symbol(symbols, data, i, &symbol, &name))
            continue;
        const bool label = GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE && symbol.st_shndx < SHN_LORESERVE &&
                           *name && *name != '$' && *name != '.'; /* "$x" marks code */
        if (!label && GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const uint32_t address = (uint32_t)symbol.st_value & ~UINT32_C(1); /* bit 0: Thumb code */
        if (!is_code(lines, address))
            continue;
        if (!grow((void **)&lines->function, lines->functions, sizeof *lines->function))
            return false;
        lines->function[lines->functions++] =
            (struct pb_image_function){address, label ? 0 : (uint32_t)symbol.st_size, name};
    }
    if (lines->functions)
        qsort(lines->function, lines->functions, sizeof *lines->function, compare_functions);
    return true;
}

/* ---- lines */

/* The path of a file of a unit, in *index. False: no memory. */
static bool file_index(struct pb_image_lines *lines, const char *file, const char *folder, uint32_t *index)
{
    const bool absolute = *file == '/' || !folder;
    const size_t size = strlen(file) + (absolute ? 0 : strlen(folder) + 1) + 1;
    char *path = malloc(size);
    if (!path)
        return false;
    snprintf(path, size, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", file);
    for (*index = 0; *index < lines->files; (*index)++)
        if (!strcmp(lines->file[*index], path)) {
            free(path);
            return true;
        }
    if (!grow((void **)&lines->file, lines->files, sizeof *lines->file)) {
        free(path);
        return false;
    }
    lines->file[lines->files++] = path;
    return true;
}

static bool add_row(struct pb_image_lines *lines, Dwarf_Line *row, const char *folder)
{
    Dwarf_Addr address;
    int number = 0;
    bool end = false, statement = false;
    const char *file = dwarf_linesrc(row, NULL, NULL);
    if (dwarf_lineaddr(row, &address) || dwarf_lineendsequence(row, &end) ||
        dwarf_linebeginstatement(row, &statement) || dwarf_lineno(row, &number) || address > UINT32_MAX)
        return true;
    if (!end && !is_code(lines, address)) /* of a section that the linker has dropped */
        return true;
    struct pb_image_line one = {
        .address = (uint32_t)address, .row = (uint32_t)lines->lines, .statement = statement && !end};
    if (!end && file && number > 0) {
        one.line = (uint32_t)number;
        if (!file_index(lines, file, folder, &one.file))
            return false;
    }
    if (!grow((void **)&lines->line, lines->lines, sizeof *lines->line))
        return false;
    lines->line[lines->lines++] = one;
    return true;
}

/* The ends of sequences come before what begins at the same address; else in the order of the table. */
static int compare_lines(const void *a, const void *b)
{
    const struct pb_image_line *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if (!left->line != !right->line)
        return left->line ? 1 : -1;
    return left->row < right->row ? -1 : left->row > right->row;
}

static bool read_unit(struct pb_image_lines *lines, Dwarf_Die *unit)
{
    Dwarf_Lines *rows;
    Dwarf_Attribute attribute;
    size_t count;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (dwarf_getsrclines(unit, &rows, &count))
        return true;
    for (size_t i = 0; i < count; i++)
        if (!add_row(lines, dwarf_onesrcline(rows, i), folder))
            return false;
    return true;
}

static bool read_lines(struct pb_image_lines *lines, const struct pb_image_symbols *symbols)
{
    Dwarf *dwarf = dwarf_begin_elf(symbols->elf, DWARF_C_READ, NULL);
    Dwarf_Off unit = 0, next;
    size_t header;
    bool good = true;
    for (; dwarf && good && !dwarf_nextcu(dwarf, unit, &next, &header, NULL, NULL, NULL); unit = next) {
        Dwarf_Die die;
        if (dwarf_offdie(dwarf, unit + header, &die))
            good = read_unit(lines, &die);
    }
    dwarf_end(dwarf);
    if (lines->lines)
        qsort(lines->line, lines->lines, sizeof *lines->line, compare_lines);
    return good;
}

/* ---- both */

int pb_image_lines_read(struct pb_image_lines **out, const struct pb_image *image, struct pb_diag *diag)
{
    struct pb_image_lines *lines = calloc(1, sizeof *lines);
    *out = lines;
    if (lines && (image->format == PB_IMAGE_UF2 ||
                  (read_code(lines, image->symbols) && read_functions(lines, image) &&
                   read_lines(lines, image->symbols))))
        return PB_OK;
    pb_image_lines_free(lines);
    *out = NULL;
    return pb_fail(diag, PB_ERR_MEMORY, "no memory for the line table of the image");
}

void pb_image_lines_free(struct pb_image_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->files; i++)
        free(lines->file[i]);
    free(lines->file);
    free(lines->line);
    free(lines->function);
    free(lines->code);
    free(lines);
}

const struct pb_image_line *pb_image_line_at(const struct pb_image_lines *lines, uint32_t address)
{
    size_t begin = 0, end = lines->lines;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (lines->line[middle].address <= address)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin && lines->line[begin - 1].line ? &lines->line[begin - 1] : NULL;
}

const struct pb_image_function *pb_image_function_at(const struct pb_image_lines *lines, uint32_t address)
{
    const struct pb_image_function *at = NULL;
    for (size_t i = 0; i < lines->functions && lines->function[i].address <= address; i++)
        if (!lines->function[i].bytes || address - lines->function[i].address < lines->function[i].bytes)
            at = &lines->function[i];
    return at && is_code(lines, address) ? at : NULL;
}
