/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/lcov.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line (name NULL) or a function. */
struct entry {
    char *name;
    uint32_t line;
    uint64_t count;
};

struct list {
    struct entry *entry; /* ascending by line, of functions by name */
    size_t count, room;
};

struct source {
    char *path;
    struct list lines, functions;
};

struct pb_lcov {
    struct source *source; /* ascending by path */
    size_t sources;
    size_t last; /* that was used last */
};

struct pb_lcov *pb_lcov_create(void)
{
    return calloc(1, sizeof(struct pb_lcov));
}

void pb_lcov_free(struct pb_lcov *lcov)
{
    for (size_t i = 0; lcov && i < lcov->sources; i++) {
        struct source *source = &lcov->source[i];
        for (size_t j = 0; j < source->functions.count; j++)
            free(source->functions.entry[j].name);
        free(source->functions.entry);
        free(source->lines.entry);
        free(source->path);
    }
    if (lcov)
        free(lcov->source);
    free(lcov);
}

/* The source of a path, added when it is new. NULL: out of memory. */
static struct source *find_source(struct pb_lcov *lcov, const char *path)
{
    size_t at = 0;
    if (lcov->last < lcov->sources && !strcmp(lcov->source[lcov->last].path, path))
        return &lcov->source[lcov->last];
    while (at < lcov->sources && strcmp(lcov->source[at].path, path) < 0)
        at++;
    lcov->last = at;
    if (at < lcov->sources && !strcmp(lcov->source[at].path, path))
        return &lcov->source[at];
    struct source *more = realloc(lcov->source, (lcov->sources + 1) * sizeof *more);
    if (!more)
        return NULL;
    lcov->source = more;
    char *copy = strdup(path);
    if (!copy)
        return NULL;
    memmove(more + at + 1, more + at, (lcov->sources++ - at) * sizeof *more);
    more[at] = (struct source){.path = copy};
    return &more[at];
}

static int order(const struct entry *a, const char *name, uint32_t line)
{
    return name ? strcmp(a->name, name) : a->line < line ? -1 : a->line > line;
}

/* The entry of a line or a function, added with count 0 when it is new. NULL: out of memory. */
static struct entry *find_entry(struct list *list, const char *name, uint32_t line)
{
    size_t begin = 0, end = list->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (order(&list->entry[middle], name, line) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    if (begin < list->count && !order(&list->entry[begin], name, line))
        return &list->entry[begin];
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        struct entry *more = realloc(list->entry, room * sizeof *more);
        if (!more)
            return NULL;
        list->entry = more;
        list->room = room;
    }
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy)
        return NULL;
    memmove(list->entry + begin + 1, list->entry + begin, (list->count++ - begin) * sizeof *list->entry);
    list->entry[begin] = (struct entry){copy, line, 0};
    return &list->entry[begin];
}

static int keep_largest(struct entry *entry, uint64_t count)
{
    if (entry && entry->count < count)
        entry->count = count;
    return entry ? PB_OK : PB_ERR_MEMORY;
}

int pb_lcov_line(struct pb_lcov *lcov, const char *file, uint32_t line, uint64_t count)
{
    struct source *source = find_source(lcov, file);
    return source ? keep_largest(find_entry(&source->lines, NULL, line), count) : PB_ERR_MEMORY;
}

int pb_lcov_function(struct pb_lcov *lcov, const char *file, const char *name, uint32_t line, uint64_t count)
{
    struct source *source = find_source(lcov, file);
    return source ? keep_largest(find_entry(&source->functions, name, line), count) : PB_ERR_MEMORY;
}

static int add_list(struct list *list, const struct list *other)
{
    for (size_t i = 0; i < other->count; i++) {
        const struct entry *from = &other->entry[i];
        struct entry *to = find_entry(list, from->name, from->line);
        if (!to)
            return PB_ERR_MEMORY;
        to->count += from->count;
    }
    return PB_OK;
}

int pb_lcov_add(struct pb_lcov *lcov, const struct pb_lcov *other)
{
    int code = PB_OK;
    for (size_t i = 0; i < other->sources && !code; i++) {
        const struct source *from = &other->source[i];
        struct source *to = find_source(lcov, from->path);
        code = to ? add_list(&to->lines, &from->lines) : PB_ERR_MEMORY;
        code = code ? code : add_list(&to->functions, &from->functions);
    }
    return code;
}

/* ---- the file */

static uint64_t hit(const struct list *list)
{
    uint64_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->entry[i].count > 0;
    return count;
}

static void write_source(FILE *stream, const struct source *source)
{
    const struct list *functions = &source->functions, *lines = &source->lines;
    fprintf(stream, "TN:\nSF:%s\n", source->path);
    for (size_t i = 0; i < functions->count; i++)
        fprintf(stream, "FN:%" PRIu32 ",%s\n", functions->entry[i].line, functions->entry[i].name);
    for (size_t i = 0; i < functions->count; i++)
        fprintf(stream, "FNDA:%" PRIu64 ",%s\n", functions->entry[i].count, functions->entry[i].name);
    fprintf(stream, "FNF:%zu\nFNH:%" PRIu64 "\n", functions->count, hit(functions));
    for (size_t i = 0; i < lines->count; i++)
        fprintf(stream, "DA:%" PRIu32 ",%" PRIu64 "\n", lines->entry[i].line, lines->entry[i].count);
    fprintf(stream, "LF:%zu\nLH:%" PRIu64 "\nend_of_record\n", lines->count, hit(lines));
}

int pb_lcov_write(const struct pb_lcov *lcov, FILE *stream)
{
    for (size_t i = 0; i < lcov->sources; i++)
        write_source(stream, &lcov->source[i]);
    return ferror(stream) ? PB_ERR_IO : PB_OK;
}

/* A record in progress. */
struct reader {
    struct pb_lcov *lcov;
    char *path; /* NULL: between two records */
    uint64_t lines, functions, records;
    bool bad;
};

/* "NUMBER,REST" or "NUMBER". False: it is not. */
static bool number(const char *text, uint64_t *value, const char **rest)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 10);
    *rest = *end == ',' ? end + 1 : NULL;
    return *end == ',' || !*end;
}

static int take_line(struct reader *reader, const char *text)
{
    uint64_t first, second = 0;
    const char *rest, *none;
    const bool line = !strncmp(text, "DA:", 3), name = !strncmp(text, "FN:", 3);
    if (line || name || !strncmp(text, "FNDA:", 5)) {
        const char *values = strchr(text, ':') + 1;
        if (!reader->path || !number(values, &first, &rest) || !rest || !*rest ||
            (line && (!number(rest, &second, &none) || none)) || ((line || name) && first > UINT32_MAX)) {
            reader->bad = true;
            return PB_OK;
        }
        reader->lines += line;
        reader->functions += name;
        if (line)
            return pb_lcov_line(reader->lcov, reader->path, (uint32_t)first, second);
        return pb_lcov_function(reader->lcov, reader->path, rest, name ? (uint32_t)first : 0,
                                name ? 0 : first);
    }
    if (!strncmp(text, "SF:", 3)) {
        reader->bad |= reader->path != NULL;
        free(reader->path);
        reader->path = strdup(text + 3);
        reader->lines = reader->functions = 0;
        return reader->path ? PB_OK : PB_ERR_MEMORY;
    }
    if (!strncmp(text, "LF:", 3)) {
        reader->bad |= !number(text + 3, &first, &rest) || rest || first != reader->lines;
    } else if (!strncmp(text, "FNF:", 4)) {
        reader->bad |= !number(text + 4, &first, &rest) || rest || first != reader->functions;
    } else if (!strcmp(text, "end_of_record")) {
        reader->bad |= !reader->path;
        reader->records++;
        free(reader->path);
        reader->path = NULL;
    } else {
        reader->bad |= strcmp(text, "TN:") && strncmp(text, "LH:", 3) && strncmp(text, "FNH:", 4);
    }
    return PB_OK;
}

int pb_lcov_read(struct pb_lcov *lcov, FILE *stream)
{
    struct reader reader = {.lcov = pb_lcov_create()};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int code = reader.lcov ? PB_OK : PB_ERR_MEMORY;
    while (!code && (length = getline(&line, &room, stream)) > 0) {
        reader.bad |= line[length - 1] != '\n' || strlen(line) != (size_t)length;
        line[strcspn(line, "\n")] = '\0';
        code = take_line(&reader, line);
    }
    if (!code && (reader.bad || reader.path || !reader.records || ferror(stream)))
        code = PB_ERR_CONFIG;
    if (!code)
        code = pb_lcov_add(lcov, reader.lcov);
    free(line);
    free(reader.path);
    pb_lcov_free(reader.lcov);
    return code;
}

struct pb_lcov_totals pb_lcov_totals(const struct pb_lcov *lcov)
{
    struct pb_lcov_totals totals = {0};
    for (size_t i = 0; i < lcov->sources; i++) {
        const struct source *source = &lcov->source[i];
        totals.lines += source->lines.count;
        totals.functions += source->functions.count;
        totals.lines_hit += hit(&source->lines);
        totals.functions_hit += hit(&source->functions);
    }
    return totals;
}
