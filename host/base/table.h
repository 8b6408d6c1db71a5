/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reader of tables of text: CSV by RFC 4180, also as spreadsheets write it, with or without a byte order
 * mark, LF or CR LF, quoted cells. Lines before the names that begin with # are comments; a line "sep=;"
 * there names the separator. The first line with other text has the names of the columns. Its separator,
 * comma, semicolon or tab, applies to all rows. If several of these occur there outside quotes, the separator
 * is the one with the same count in most of the rows, else semicolon or tab: a comma next to these is a
 * decimal comma. Rows without text are skipped. Blanks around an unquoted cell are ignored. A cell that is
 * not UTF-8 is taken as Latin-1, and held in UTF-8. A cell that begins with an apostrophe and = + - or @
 * loses the apostrophe, in every table: spreadsheets mark a text with it.
 */
#ifndef PB_BASE_TABLE_H
#define PB_BASE_TABLE_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pb_table;

#define PB_TABLE_COLUMNS_MAX 10000

/* Reads `length` bytes of text; `name` is for messages. PB_ERR_CONFIG with file, line, cause and remedy: a
 * byte 0, UTF-16, a row with another number of cells than the first line, a quote that does not end, two
 * columns of one name, more than PB_TABLE_COLUMNS_MAX columns. PB_ERR_MEMORY. *table is then NULL, else for
 * pb_table_free. */
int pb_table_read(struct pb_table **table, const char *name, const char *text, size_t length,
                  struct pb_diag *diag);
/* Bytes of the byte order mark that the text begins with. */
size_t pb_table_mark(const char *text, size_t length);
void pb_table_free(struct pb_table *table); /* NULL: nothing */

/* Index of the column, upper or lower case; -1: there is none. */
int pb_table_column(const struct pb_table *table, const char *name);
/* Like it; without the column PB_ERR_CONFIG, and *diag names the columns that there are. */
int pb_table_need(const struct pb_table *table, const char *name, int *column, struct pb_diag *diag);

char pb_table_separator(const struct pb_table *table);
int pb_table_columns(const struct pb_table *table);
const char *pb_table_name(const struct pb_table *table, int column);
/* Of the file, from 1. */
unsigned pb_table_names_line(const struct pb_table *table);
/* True if the cell is a number, with a decimal point or comma: distinguishes a line of numbers from a line of
 * names. */
bool pb_table_is_number(const char *text);
/* The first line has no names: it becomes a row, and the columns get these. PB_ERR_MEMORY. */
int pb_table_name_columns(struct pb_table *table, const char *const *name, struct pb_diag *diag);
size_t pb_table_rows(const struct pb_table *table); /* without the line of names */
const char *pb_table_cell(const struct pb_table *table, size_t row, int column);
unsigned pb_table_line(const struct pb_table *table, size_t row); /* of the file, from 1 */

/* The cell as a decimal number, as 1, -0.5 or 2.5e-3, to 18 digits; with a decimal comma if semicolons
 * separate the cells. PB_ERR_CONFIG: anything else, also hexadecimal, infinite, or outside the range of a
 * double; a decimal point in a column with a decimal comma; "1.234" if another column has one. */
int pb_table_number(const struct pb_table *table, size_t row, int column, long double *number,
                    struct pb_diag *diag);

/* Returns PB_ERR_CONFIG with file, line, name of the column, cell, the error `what`, and `remedy`. */
int pb_table_refuse(const struct pb_table *table, size_t row, int column, struct pb_diag *diag,
                    const char *what, const char *remedy);

/* Writes a text as one cell, in one line; external text is cleaned as in utf8.h. A cell that begins with
 * = + - @ gets an apostrophe before it, so that a spreadsheet shows it and does not compute it. */
void pb_table_put(FILE *stream, const char *text);

#endif
