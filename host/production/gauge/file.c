/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/gauge.h"

#include "host/base/table.h"
#include "host/base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_SIZE = 41 /* of a name in a message; pb_gauge_evaluate cuts no deeper */ };

enum column { COLUMN_PART, COLUMN_APPRAISER, COLUMN_VALUE, COLUMNS };
static const char *const column_name[COLUMNS] = {"part", "appraiser", "value"};

/* -1: there are too many. */
static int number_of(struct pb_gauge_labels *labels, const char *text)
{
    for (unsigned i = 0; i < labels->count; i++)
        if (!strcmp(labels->text[i], text))
            return (int)i;
    if (labels->count == PB_GAUGE_PARTS_MAX)
        return -1;
    memcpy(labels->text[labels->count], text, strlen(text) + 1);
    return (int)labels->count++;
}

static int read_label(struct pb_gauge_labels *labels, const struct pb_table *table, size_t row, int column,
                      unsigned *number, struct pb_diag *diag)
{
    const char *const text = pb_table_cell(table, row, column);
    if (!*text || strlen(text) >= PB_GAUGE_LABEL_SIZE)
        return pb_table_refuse(table, row, column, diag, "no name of 1 to 63 characters",
                               "name each part and appraiser");
    const int found = number_of(labels, text);
    if (found < 0)
        return pb_table_refuse(table, row, column, diag, "one name too many",
                               "a study has at most 200 parts and 200 appraisers");
    *number = (unsigned)found;
    return PB_OK;
}

static int read_rows(struct pb_gauge_file *file, const struct pb_table *table, struct pb_diag *diag)
{
    int column[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        const int code = pb_table_need(table, column_name[i], &column[i], diag);
        if (code)
            return code;
    }
    for (size_t row = 0; row < pb_table_rows(table); row++) {
        struct pb_gauge_value *const value = &file->value[row];
        int code = read_label(file->part, table, row, column[COLUMN_PART], &value->part, diag);
        if (!code)
            code = read_label(file->appraiser, table, row, column[COLUMN_APPRAISER], &value->appraiser, diag);
        long double number = 0;
        if (!code)
            code = pb_table_number(table, row, column[COLUMN_VALUE], &number, diag);
        if (code)
            return code;
        value->value = number;
        file->count++;
    }
    return PB_OK;
}

/* Once all have been compared. */
static const char *const *clean_names(struct pb_gauge_labels *labels)
{
    char raw[PB_GAUGE_LABEL_SIZE];
    for (unsigned i = 0; i < labels->count; i++) {
        memcpy(raw, labels->text[i], sizeof raw);
        pb_utf8_clean(labels->text[i], SHOWN_SIZE, raw);
        labels->name[i] = labels->text[i];
    }
    return labels->name;
}

int pb_gauge_file_read(struct pb_gauge_file *file, const char *path, const char *text, size_t length,
                       struct pb_diag *diag)
{
    struct pb_table *table;
    *file = (struct pb_gauge_file){.value = NULL};
    int code = pb_table_read(&table, path, text, length, diag);
    if (!code) {
        file->part = calloc(1, sizeof *file->part);
        file->appraiser = calloc(1, sizeof *file->appraiser);
        file->value = calloc(pb_table_rows(table) + 1, sizeof *file->value);
        code = file->part && file->appraiser && file->value
                   ? read_rows(file, table, diag)
                   : pb_fail(diag, PB_ERR_MEMORY, "no memory to read %s", path);
    }
    pb_table_free(table);
    if (code)
        pb_gauge_file_free(file);
    else
        file->names = (struct pb_gauge_names){clean_names(file->part), clean_names(file->appraiser)};
    return code;
}

void pb_gauge_file_free(struct pb_gauge_file *file)
{
    free(file->value);
    free(file->part);
    free(file->appraiser);
    *file = (struct pb_gauge_file){.value = NULL};
}
