/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcsv separates the cells; it gets a line at a time, so that each row has the number of its line.
 */
#include "table.h"
#include "room.h"
#include "utf8.h"

#include <csv.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FORMULA "=+-@"

struct pb_table {
    char *name;     /* owned: of the file */
    char **cell;    /* owned, each too: row after row, the names first */
    unsigned *line; /* owned: of each row */
    size_t cells, cell_room, rows, row_room;
    size_t begin; /* first cell of the row that is read */
    int columns;  /* 0: the first row is read */
    unsigned *comma_line; /* owned: of each column that of the first number with a decimal comma; 0: none */
    char separator;
    unsigned lines_before; /* the first one that the parser gets */
    unsigned row_line;     /* in which the row that is read begins */
    int code; /* of the first error */
    struct pb_diag *diag;
};

/* ---- reading */

static int no_memory(struct pb_table *table)
{
    return table->code = pb_fail(table->diag, PB_ERR_MEMORY, "no memory to read %s", table->name);
}

static bool is_utf8(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *at = text;
    uint32_t code;
    while ((code = pb_utf8_next(&at)) != 0) {
        if (code == PB_UTF8_REPLACEMENT && strncmp(text, replacement, sizeof replacement - 1) != 0)
            return false;
        text = at;
    }
    return true;
}

/* A new text in UTF-8, of a cell in UTF-8 or in Latin-1, whose bytes are code points. */
static char *utf8_of(const char *bytes, size_t length)
{
    char *const copy = strndup(bytes, length);
    if (!copy || is_utf8(copy))
        return copy;
    char *const text = calloc(1, 2 * length + 1);
    for (size_t i = 0, used = 0; text && copy[i]; i++)
        used += pb_utf8_put(text + used, (unsigned char)copy[i]);
    free(copy);
    return text;
}

static void take_cell(void *bytes, size_t length, void *context)
{
    struct pb_table *table = context;
    if (table->code)
        return;
    const char *text = bytes;
    if (length > 1 && text[0] == '\'' && strchr(FORMULA, text[1])) {
        text++;
        length--;
    }
    char *copy = NULL;
    if (pb_make_room(&table->cell, &table->cell_room, table->cells + 1, sizeof *table->cell) ||
        !(copy = utf8_of(text, length))) {
        no_memory(table);
        return;
    }
    table->cell[table->cells++] = copy;
}

bool pb_table_is_number(const char *text)
{
    char plain[64], *end;
    if (!*text || strlen(text) >= sizeof plain)
        return false;
    memcpy(plain, text, strlen(text) + 1);
    char *const comma = strchr(plain, ',');
    if (comma)
        *comma = '.';
    strtod(plain, &end);
    return !*end;
}

static bool has_decimal_comma(const char *text)
{
    return strchr(text, ',') && pb_table_is_number(text);
}

/* The second column of one name; -1: there is none. Bare numbers are no names. */
static int twice(const struct pb_table *table)
{
    int numbers = 0;
    while (numbers < table->columns && pb_table_is_number(table->cell[numbers]))
        numbers++;
    if (numbers == table->columns)
        return -1;
    for (int i = 0; i < table->columns; i++)
        for (int k = 0; k < i; k++)
            if (*table->cell[i] && !strcasecmp(table->cell[i], table->cell[k]))
                return i;
    return -1;
}

/* Drops the row that ends if it has no text, as spreadsheets leave them at the end. */
static bool is_blank(struct pb_table *table)
{
    for (size_t i = table->begin; i < table->cells; i++)
        if (*table->cell[i])
            return false;
    while (table->cells > table->begin)
        free(table->cell[--table->cells]);
    return true;
}

static const char *separator_name(char separator)
{
    return separator == ',' ? "commas" : separator == ';' ? "semicolons" : "tabs";
}

static void take_row(int end, void *context)
{
    (void)end;
    struct pb_table *table = context;
    const size_t count = table->cells - table->begin;
    if (table->code || is_blank(table))
        return;
    if (count > PB_TABLE_COLUMNS_MAX)
        table->code =
            pb_fail(table->diag, PB_ERR_CONFIG,
                    "%s:%u: %zu cells in a line; a table has at most %d columns, so give each row a "
                    "line of its own",
                    table->name, table->row_line, count, PB_TABLE_COLUMNS_MAX);
    else if (!table->columns) {
        table->columns = (int)count;
        const int second = twice(table);
        if (second >= 0)
            table->code = pb_fail(table->diag, PB_ERR_CONFIG,
                                  "%s:%u: two columns are called '%.60s'; give each a name of its own",
                                  table->name, table->row_line, table->cell[second]);
    } else if (count != (size_t)table->columns)
        table->code =
            pb_fail(table->diag, PB_ERR_CONFIG, "%s:%u: %zu cells between %s, the first line has %d; %s",
                    table->name, table->row_line, count, separator_name(table->separator), table->columns,
                    table->separator == ',' && count > (size_t)table->columns
                        ? "with decimal commas, separate the cells by semicolons, or write points"
                        : "give each row a cell for each column");
    const size_t begin = table->begin;
    table->begin = table->cells;
    if (table->code)
        return;
    if (!table->comma_line)
        table->comma_line = calloc(count, sizeof *table->comma_line);
    if (!table->comma_line ||
        pb_make_room(&table->line, &table->row_room, table->rows + 1, sizeof *table->line)) {
        no_memory(table);
        return;
    }
    table->line[table->rows++] = table->row_line;
    for (size_t i = 0; i < count; i++)
        if (!table->comma_line[i] && has_decimal_comma(table->cell[begin + i]))
            table->comma_line[i] = table->row_line;
}

static const char separators[] = ";\t,";
enum { SEPARATORS = sizeof separators - 1 };

/* A line of spreadsheets that names the separator, as "sep=;"; '\0': it is none. */
static char declared_separator(const char *line, size_t size)
{
    while (size && strchr("\r\n", line[size - 1]))
        size--;
    return size == 5 && !strncasecmp(line, "sep=", 4) ? line[4] : '\0';
}

/* A column may be called "#", so "#;part" has names. Spreadsheets put a comment with a comma in quotes. */
static bool is_comment(const char *line, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t\"", line[at]))
        at++;
    return at < size && line[at] == '#' && (at + 1 == size || !strchr(";\t,\"", line[at + 1]));
}

static bool is_empty(const char *line, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" ;,\t\r\n", line[at]))
        at++;
    return at == size;
}

static bool begins(const char *line, size_t size, const char *word)
{
    return size >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* Passes over the lines before the names that describe the file: comments, and the separator. The comments of
 * libsigrok begin with a semicolon, and one line has the rate of the samples. */
static int read_preamble(struct pb_table *table, const char **text, size_t *length)
{
    const bool of_sigrok = begins(*text, *length, "; CSV generated by libsigrok");
    while (*length) {
        const char *const end = memchr(*text, '\n', *length);
        const size_t size = end ? (size_t)(end - *text) + 1 : *length;
        const char declared = declared_separator(*text, size);
        if (declared && !strchr(separators, declared))
            return pb_fail(table->diag, PB_ERR_CONFIG,
                           "%s:%u: '%c' separates the cells; separate them by semicolons, tabs or commas",
                           table->name, table->lines_before + 1,
                           isprint((unsigned char)declared) ? declared : '?');
        if (declared)
            table->separator = declared;
        else if (!is_comment(*text, size) && !is_empty(*text, size) &&
                 !(of_sigrok && (begins(*text, size, ";") || begins(*text, size, "META "))))
            break;
        table->lines_before++;
        *text += size;
        *length -= size;
    }
    return PB_OK;
}

/* How often each separator occurs outside quotes in the row that begins there, and whether it has no text.
 * Returns its end. */
static size_t count_separators(const char *text, size_t at, size_t length, size_t count[SEPARATORS],
                               bool *blank)
{
    bool quoted = false;
    memset(count, 0, SEPARATORS * sizeof *count);
    for (*blank = true; at < length && (quoted || text[at] != '\n'); at++) {
        const char *const found = strchr(separators, text[at]);
        quoted ^= text[at] == '"';
        if (found && !quoted)
            count[found - separators]++;
        *blank &= found || strchr(" \r\"", text[at]);
    }
    return at < length ? at + 1 : at;
}

/* Returns the separator of the first row with text. If the row has several kinds, it is the kind with the
 * same count in most of the rows, else the first one of the list: a comma next to semicolons or tabs is a
 * decimal comma. */
static char separator_of(const char *text, size_t length)
{
    size_t first[SEPARATORS] = {0}, count[SEPARATORS], alike[SEPARATORS] = {0}, at = 0;
    unsigned kinds = 0, best = SEPARATORS - 1;
    bool blank = true;
    while (at < length && blank)
        at = count_separators(text, at, length, first, &blank);
    for (size_t i = 0; i < SEPARATORS; i++)
        kinds += first[i] > 0;
    while (at < length && kinds > 1) {
        at = count_separators(text, at, length, count, &blank);
        for (size_t i = 0; i < SEPARATORS; i++)
            alike[i] += !blank && count[i] == first[i];
    }
    for (unsigned i = SEPARATORS; i-- > 0;)
        if (first[i] && (!first[best] || alike[i] >= alike[best]))
            best = i;
    return separators[best];
}

static int check_bytes(const char *name, const char *text, size_t length, struct pb_diag *diag)
{
    if (length >= 2 && (!memcmp(text, "\xFF\xFE", 2) || !memcmp(text, "\xFE\xFF", 2)))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: text in UTF-16; save it as CSV in UTF-8", name);
    if (memchr(text, 0, length))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: a byte 0 in it; give a text file", name);
    return PB_OK;
}

static void parse(struct pb_table *table, struct csv_parser *parser, const char *text, size_t length)
{
    unsigned line = table->lines_before;
    bool quoted = false; /* the line before ended within a cell */
    for (size_t at = 0, size; at < length && !table->code; at += size) {
        const char *const end = memchr(text + at, '\n', length - at);
        size = end ? (size_t)(end - text) + 1 - at : length - at;
        line++;
        if (!quoted)
            table->row_line = line;
        for (size_t i = at; i < at + size; i++)
            quoted ^= text[i] == '"';
        if (csv_parse(parser, text + at, size, take_cell, take_row, table) != size && !table->code)
            table->code = csv_error(parser) == CSV_EPARSE
                              ? pb_fail(table->diag, PB_ERR_CONFIG,
                                        "%s:%u: a quote within a cell; put the cell in quotes and double its "
                                        "own",
                                        table->name, line)
                              : no_memory(table);
    }
    if (!table->code && csv_fini(parser, take_cell, take_row, table))
        table->code = pb_fail(table->diag, PB_ERR_CONFIG,
                              "%s:%u: a quoted cell does not end; close it with a quote", table->name,
                              table->row_line);
    if (!table->code && !table->rows)
        table->code = pb_fail(table->diag, PB_ERR_CONFIG,
                              "%s: no line in it; the first line names the columns", table->name);
}

size_t pb_table_mark(const char *text, size_t length)
{
    return length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

int pb_table_read(struct pb_table **out, const char *name, const char *text, size_t length,
                  struct pb_diag *diag)
{
    struct csv_parser parser;
    *out = NULL;
    const int wrong = check_bytes(name, text, length, diag);
    if (wrong)
        return wrong;
    struct pb_table *table = calloc(1, sizeof *table);
    if (table)
        table->name = strdup(name);
    if (!table || !table->name || csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI)) {
        pb_table_free(table);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to read %s", name);
    }
    const size_t mark = pb_table_mark(text, length);
    text += mark;
    length -= mark;
    table->diag = diag;
    table->code = read_preamble(table, &text, &length);
    if (!table->separator)
        table->separator = separator_of(text, length);
    csv_set_delim(&parser, (unsigned char)table->separator);
    if (!table->code)
        parse(table, &parser, text, length);
    csv_free(&parser);
    table->diag = NULL;
    const int code = table->code;
    if (code)
        pb_table_free(table);
    else
        *out = table;
    return code;
}

void pb_table_free(struct pb_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table->line);
    free(table->comma_line);
    free(table->name);
    free(table);
}

/* ---- what it holds */

char pb_table_separator(const struct pb_table *table)
{
    return table->separator;
}

int pb_table_columns(const struct pb_table *table)
{
    return table->columns;
}

const char *pb_table_name(const struct pb_table *table, int column)
{
    return table->cell[column];
}

int pb_table_column(const struct pb_table *table, const char *name)
{
    for (int i = 0; i < table->columns; i++)
        if (!strcasecmp(table->cell[i], name))
            return i;
    return -1;
}

int pb_table_need(const struct pb_table *table, const char *name, int *column, struct pb_diag *diag)
{
    char names[160] = "", clean[40];
    *column = pb_table_column(table, name);
    if (*column >= 0)
        return PB_OK;
    for (int i = 0; i < table->columns; i++) {
        const size_t used = strlen(names);
        pb_utf8_clean(clean, sizeof clean, table->cell[i]);
        snprintf(names + used, sizeof names - used, "%s'%s'", i ? ", " : "", clean);
    }
    return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: no column '%s' among %s; name the columns in the first line",
                   table->name, table->line[0], name, names);
}

int pb_table_name_columns(struct pb_table *table, const char *const *name, struct pb_diag *diag)
{
    const size_t columns = (size_t)table->columns;
    bool made = !pb_make_room(&table->cell, &table->cell_room, table->cells + columns, sizeof *table->cell) &&
                !pb_make_room(&table->line, &table->row_room, table->rows + 1, sizeof *table->line);
    for (size_t i = 0; i < columns && made; i++) {
        char *const copy = strdup(name[i]);
        if (!(made = copy))
            break;
        memmove(table->cell + i + 1, table->cell + i, (table->cells++ - i) * sizeof *table->cell);
        table->cell[i] = copy;
    }
    if (!made)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to read %s", table->name);
    memmove(table->line + 1, table->line, table->rows++ * sizeof *table->line);
    return PB_OK;
}

unsigned pb_table_names_line(const struct pb_table *table)
{
    return table->line[0];
}

size_t pb_table_rows(const struct pb_table *table)
{
    return table->rows - 1;
}

const char *pb_table_cell(const struct pb_table *table, size_t row, int column)
{
    return table->cell[(row + 1) * (size_t)table->columns + (size_t)column];
}

unsigned pb_table_line(const struct pb_table *table, size_t row)
{
    return table->line[row + 1];
}

int pb_table_refuse(const struct pb_table *table, size_t row, int column, struct pb_diag *diag,
                    const char *what, const char *remedy)
{
    char clean[60];
    pb_utf8_clean(clean, sizeof clean, pb_table_cell(table, row, column));
    return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: %s in column '%.40s': '%s'; %s", table->name,
                   pb_table_line(table, row), what, table->cell[column], clean, remedy);
}

/* "1.234", which may be 1234 where commas are decimal. */
static bool may_be_thousands(const char *text)
{
    text += strspn(text, "+-");
    const size_t first = strspn(text, "0123456789");
    bool groups = first >= 1 && first <= 3 && *text != '0' && text[first] == '.';
    for (text += first; groups && *text; text += 4)
        groups = *text == '.' && strspn(text + 1, "0123456789") == 3;
    return groups;
}

/* The line of a decimal comma that makes the point of this number doubtful; 0: there is none. A point in a
 * column of commas has one meaning too many; in a column of its own, if it may be one of thousands. */
static unsigned doubtful_by(const struct pb_table *table, const char *cell, int column)
{
    if (!strchr(cell, '.') || table->comma_line[column])
        return strchr(cell, '.') ? table->comma_line[column] : 0;
    for (int i = 0; may_be_thousands(cell) && i < table->columns; i++)
        if (table->comma_line[i])
            return table->comma_line[i];
    return 0;
}

int pb_table_number(const struct pb_table *table, size_t row, int column, long double *number,
                    struct pb_diag *diag)
{
    static const char remedy[] = "give one, as 2.5 or 2.5e-3";
    const char *const cell = pb_table_cell(table, row, column);
    char text[64], *end;
    if (strlen(cell) >= sizeof text)
        return pb_table_refuse(table, row, column, diag, "a number of more than 63 characters",
                               "round it; what is shown is its begin");
    memcpy(text, cell, strlen(cell) + 1);
    char *const comma = strchr(text, ',');
    if (comma && table->separator != ';')
        return pb_table_refuse(table, row, column, diag, "a decimal comma",
                               "use a point, or separate the cells by semicolons");
    const unsigned doubtful = table->separator == ';' ? doubtful_by(table, cell, column) : 0;
    if (doubtful) {
        snprintf(text, sizeof text, "a decimal point after the decimal comma of line %u", doubtful);
        return pb_table_refuse(table, row, column, diag, text,
                               "write all decimals alike, and no points between thousands");
    }
    if (comma)
        *comma = '.';
    /* strtold takes hexadecimal numbers, names and blanks, too. */
    errno = 0;
    *number = strtold(text, &end);
    if (!*text || *end || text[strspn(text, "0123456789.eE+-")])
        return pb_table_refuse(table, row, column, diag, "no decimal number", remedy);
    const long double size = fabsl(*number);
    if (errno == ERANGE || size > DBL_MAX || (size < DBL_MIN && size != 0))
        return pb_table_refuse(table, row, column, diag, "a number beyond 1e308 or below 1e-307",
                               "give it in another unit");
    return PB_OK;
}

/* ---- writing */

void pb_table_put(FILE *stream, const char *text)
{
    const bool quoted = text[strcspn(text, ",;\"\t\r\n")];
    uint32_t code;
    if (quoted)
        fputc('"', stream);
    if (*text && strchr(FORMULA "\t\r", *text))
        fputc('\'', stream);
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        char bytes[4];
        if (code == '"')
            fputc('"', stream);
        fwrite(bytes, 1, pb_utf8_put(bytes, code), stream);
    }
    if (quoted)
        fputc('"', stream);
}
