/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "gauge_file.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_BYTES ((size_t)64 << 20)
#define COLUMNS_MAX 64

enum column { COLUMN_PART, COLUMN_APPRAISER, COLUMN_VALUE, COLUMNS };
static const char *const column_name[COLUMNS] = {"part", "appraiser", "value"};

struct labels {
    char text[GAUGE_PARTS_MAX][GAUGE_LABEL_SIZE];
    unsigned count;
};

struct reader {
    const char *path;
    unsigned line;
    int place[COLUMNS]; /* which field of a line */
    struct labels labels[COLUMN_VALUE];
    struct gauge_file *file;
    size_t capacity;
};

static int refuse(const struct reader *reader, const char *what, const char *text, const char *remedy)
{
    return cli_fail(CLI_BAD_SCENARIO, "%s:%u: %s '%.60s'; %s", reader->path, reader->line, what, text,
                    remedy);
}

/* Cuts a line into its fields, without the blanks around them. Returns their number. */
static int cut(char *line, char *field[COLUMNS_MAX])
{
    int count = 0;
    for (char *at = line; at && count < COLUMNS_MAX;) {
        char *const comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        at += strspn(at, " \t\r");
        field[count] = at;
        for (size_t length = strlen(at); length && strchr(" \t\r", at[length - 1]);)
            at[--length] = '\0';
        count++;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static int read_names(struct reader *reader, char *line)
{
    char *field[COLUMNS_MAX];
    const int fields = cut(line, field);
    for (int column = 0; column < COLUMNS; column++) {
        reader->place[column] = -1;
        for (int i = 0; i < fields; i++)
            if (!strcmp(field[i], column_name[column]))
                reader->place[column] = i;
        if (reader->place[column] < 0)
            return refuse(reader, "no column", column_name[column],
                          "the first line names the columns part, appraiser and value");
    }
    return CLI_PASS;
}

static int number_of(struct labels *labels, const char *text)
{
    for (unsigned i = 0; i < labels->count; i++)
        if (!strcmp(labels->text[i], text))
            return (int)i;
    if (labels->count == GAUGE_PARTS_MAX)
        return -1;
    memcpy(labels->text[labels->count], text, strlen(text) + 1);
    return (int)labels->count++;
}

static int read_label(struct reader *reader, enum column column, const char *text, unsigned *number)
{
    if (!*text || strlen(text) >= GAUGE_LABEL_SIZE)
        return refuse(reader, "wrong name of a part or an appraiser", text, "give 1 to 63 characters");
    const int found = number_of(&reader->labels[column], text);
    if (found < 0)
        return refuse(reader, "one name too many", text, "a study has at most 200 parts and 200 appraisers");
    *number = (unsigned)found;
    return CLI_PASS;
}

static int read_value(struct reader *reader, char *line)
{
    char *field[COLUMNS_MAX], *end;
    const int fields = cut(line, field);
    struct pb_gauge_value value;
    for (int column = 0; column < COLUMNS; column++)
        if (reader->place[column] >= fields)
            return refuse(reader, "no field in the column", column_name[column],
                          "give every line all fields");
    int exit_code = read_label(reader, COLUMN_PART, field[reader->place[COLUMN_PART]], &value.part);
    if (exit_code == CLI_PASS)
        exit_code =
            read_label(reader, COLUMN_APPRAISER, field[reader->place[COLUMN_APPRAISER]], &value.appraiser);
    if (exit_code != CLI_PASS)
        return exit_code;
    const char *const text = field[reader->place[COLUMN_VALUE]];
    value.value = strtod(text, &end);
    if (!*text || *end || !isfinite(value.value))
        return refuse(reader, "no value in", text, "give a decimal number");
    struct gauge_file *const file = reader->file;
    if (file->count == reader->capacity) {
        reader->capacity = 2 * reader->capacity + 256;
        struct pb_gauge_value *grown = realloc(file->value, reader->capacity * sizeof *grown);
        if (!grown)
            return cli_fail(CLI_BENCH_FAILED, "%s: no memory for the values", reader->path);
        file->value = grown;
    }
    file->value[file->count++] = value;
    return CLI_PASS;
}

int gauge_file_read(struct gauge_file *file, const char *path)
{
    struct reader *reader = calloc(1, sizeof *reader);
    char *text;
    size_t length;
    *file = (struct gauge_file){.value = NULL};
    if (!reader)
        return cli_fail(CLI_BENCH_FAILED, "no memory to read %s", path);
    reader->path = path;
    reader->file = file;
    int exit_code = cli_read_file(path, LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS) {
        free(reader);
        return exit_code;
    }
    if (memchr(text, 0, length))
        exit_code = cli_fail(CLI_BAD_SCENARIO, "%s: a byte 0 in it; give a text file", path);
    for (char *line = text, *next; exit_code == CLI_PASS && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        reader->line++;
        if (reader->line == 1)
            exit_code = read_names(reader, line);
        else if (line[strspn(line, " \t\r")])
            exit_code = read_value(reader, line);
    }
    free(text);
    free(reader);
    if (exit_code != CLI_PASS)
        gauge_file_free(file);
    return exit_code;
}

void gauge_file_free(struct gauge_file *file)
{
    free(file->value);
    *file = (struct gauge_file){.value = NULL};
}
