/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/coverage.h"

#include "bench/emulator/image/image_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 256 };

struct pb_coverage_image {
    struct pb_coverage_image *next;
    struct pb_image *image;
    struct pb_image_lines *lines;
    uint64_t **count; /* of each section of lines->code, of each half-word */
    size_t last;      /* section of the last instruction */
};

struct pb_coverage {
    struct pb_coverage_image *first;
};

struct pb_coverage *pb_coverage_create(void)
{
    return calloc(1, sizeof(struct pb_coverage));
}

static void free_image(struct pb_coverage_image *one)
{
    for (size_t i = 0; one->count && i < one->lines->codes; i++)
        free(one->count[i]);
    free(one->count);
    pb_image_lines_free(one->lines);
    pb_image_destroy(one->image);
    free(one);
}

void pb_coverage_free(struct pb_coverage *coverage)
{
    while (coverage && coverage->first) {
        struct pb_coverage_image *one = coverage->first;
        coverage->first = one->next;
        free_image(one);
    }
    free(coverage);
}

struct pb_coverage_image *pb_coverage_of(struct pb_coverage *coverage, struct pb_image *image,
                                         struct pb_diag *diag)
{
    for (struct pb_coverage_image *one = coverage->first; one; one = one->next)
        if (one->image == image)
            return one;
    struct pb_coverage_image *one = calloc(1, sizeof *one);
    if (!one) {
        pb_fail(diag, PB_ERR_MEMORY, "no memory to count instructions");
        return NULL;
    }
    one->image = pb_image_keep(image);
    bool good = !pb_image_lines_read(&one->lines, image, diag);
    if (good)
        one->count = calloc(one->lines->codes + 1, sizeof *one->count);
    good = good && one->count;
    for (size_t i = 0; good && i < one->lines->codes; i++)
        good = (one->count[i] = calloc(one->lines->code[i].bytes / 2 + 1, sizeof **one->count)) != NULL;
    if (!good) {
        pb_fail(diag, PB_ERR_MEMORY, "no memory to count instructions");
        free_image(one);
        return NULL;
    }
    one->next = coverage->first;
    return coverage->first = one;
}

static uint64_t *counter(struct pb_coverage_image *one, uint32_t address)
{
    const struct pb_image_code *code = one->lines->code;
    if (one->last < one->lines->codes && address - code[one->last].address < code[one->last].bytes)
        return &one->count[one->last][(address - code[one->last].address) / 2];
    for (size_t i = 0; i < one->lines->codes; i++)
        if (address - code[i].address < code[i].bytes)
            return &one->count[one->last = i][(address - code[i].address) / 2];
    return NULL; /* code that the image does not have there: a boot ROM, or copied by the program */
}

void pb_coverage_count(struct pb_coverage_image *image, uint32_t address)
{
    uint64_t *count = counter(image, address);
    if (count)
        ++*count;
}

/* The name without what the compiler adds to a copy of a function: ".constprop.0". */
static void plain_name(char name[NAME_SIZE], const char *symbol)
{
    const size_t length = *symbol ? 1 + strcspn(symbol + 1, ".") : 0;
    snprintf(name, NAME_SIZE, "%.*s", length < NAME_SIZE ? (int)length : NAME_SIZE - 1, symbol);
}

/* A part of a function that the compiler has moved away is no function of its own. */
static bool is_part(const char *symbol)
{
    return strstr(symbol, ".cold") || strstr(symbol, ".part.");
}

/* Sources of libraries that others have compiled are often missing, and genhtml stops at a file that it
 * cannot read: these are left out, unless no source exists at all. */
static bool *choose_files(const struct pb_image_lines *lines)
{
    bool any = false, *chosen = calloc(lines->files + 1, sizeof *chosen);
    for (size_t i = 0; chosen && i < lines->files; i++)
        any |= chosen[i] = access(lines->file[i], R_OK) == 0;
    for (size_t i = 0; chosen && !any && i < lines->files; i++)
        chosen[i] = true;
    return chosen;
}

static int add_lines(struct pb_coverage_image *one, const bool *chosen, struct pb_lcov *tracefile)
{
    const struct pb_image_lines *lines = one->lines;
    for (size_t i = 0; i < lines->lines; i++) {
        const struct pb_image_line *row = &lines->line[i];
        const uint64_t *count =
            row->line && row->statement && chosen[row->file] ? counter(one, row->address) : NULL;
        if (count && pb_lcov_line(tracefile, lines->file[row->file], row->line, *count))
            return PB_ERR_MEMORY;
    }
    return PB_OK;
}

/* The row with which a function begins: of several at its address the first one has the line of its name. */
static const struct pb_image_line *first_row(const struct pb_image_lines *lines, uint32_t address)
{
    const struct pb_image_line *row = pb_image_line_at(lines, address);
    while (row && row > lines->line && row[-1].address == address && row[-1].line)
        row--;
    return row;
}

static int add_functions(struct pb_coverage_image *one, const bool *chosen, struct pb_lcov *tracefile)
{
    const struct pb_image_lines *lines = one->lines;
    for (size_t i = 0; i < lines->functions; i++) {
        const struct pb_image_function *function = &lines->function[i];
        const struct pb_image_line *row = first_row(lines, function->address);
        const uint64_t *count = row && chosen[row->file] ? counter(one, function->address) : NULL;
        char name[NAME_SIZE];
        plain_name(name, function->name);
        if (count && function->bytes && !is_part(function->name) &&
            pb_lcov_function(tracefile, lines->file[row->file], name, row->line, *count))
            return PB_ERR_MEMORY;
    }
    return PB_OK;
}

static int add_image(const struct pb_coverage_image *one, struct pb_lcov *tracefile, struct pb_diag *diag)
{
    struct pb_coverage_image copy = *one;
    if (!one->lines->lines)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "no coverage: the image has no line table; compile it with -g and do not strip it");
    bool *chosen = choose_files(one->lines);
    int code = chosen ? add_lines(&copy, chosen, tracefile) : PB_ERR_MEMORY;
    if (!code)
        code = add_functions(&copy, chosen, tracefile);
    free(chosen);
    return code ? pb_fail(diag, code, "no memory for the lines of the coverage") : PB_OK;
}

int pb_coverage_lines(const struct pb_coverage *coverage, struct pb_lcov *tracefile, struct pb_diag *diag)
{
    int code = PB_OK;
    for (const struct pb_coverage_image *one = coverage->first; one && !code; one = one->next) {
        struct pb_lcov *lines = pb_lcov_create();
        code = lines ? add_image(one, lines, diag) : pb_fail(diag, PB_ERR_MEMORY, "no memory for coverage");
        if (!code && pb_lcov_add(tracefile, lines))
            code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the lines of the coverage");
        pb_lcov_free(lines);
    }
    return code;
}
