/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a table that is imported.
 */
#include "import.h"

#include "host/base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MOST INT64_C(4000000000000000000) /* of a whole number of 64 bits */

enum { SHIFT_MOST = 400 /* more than a double has */ };

/* Every unit that a history knows. */
static const struct import_scale scales[] = {
    {"ps", "ps", 0},
    {"ns", "ps", 3},
    {"us", "ps", 6},
    {"ms", "ps", 9},
    {"s", "ps", 12},
    {"ppb", "ppb", 0},
    {"mHz", "mHz", 0},
    {"Hz", "mHz", 3},
    {"ppm", "ppm", 0},
    {"phases", "phases", 0},
    {"bytes", "bytes", 0},
    {"instructions", "instructions", 0},
    {"messages", "messages", 0},
    {"count", "count", 0},
};

const char *import_cell(const struct import_sheet *sheet, size_t row, int column)
{
    return column < 0 ? "" : pb_table_cell(sheet->table, row, column);
}

int import_refuse(const struct import_sheet *sheet, size_t row, int column, const char *what,
                  const char *remedy)
{
    return pb_table_refuse(sheet->table, row, column, sheet->diag, what, remedy);
}

int import_whole(const struct import_sheet *sheet, size_t row, enum column column, int64_t least,
                 int64_t most, int64_t *out)
{
    const char *const cell = import_cell(sheet, row, sheet->column[column]);
    if (!*cell)
        return PB_OK;
    errno = 0;
    *out = strtoll(cell, NULL, 10);
    return errno || cell[strspn(cell, "0123456789")] || *out < least || *out > most
               ? import_refuse(sheet, row, sheet->column[column], "no whole number in its range",
                               "correct it, or leave the cell empty")
               : PB_OK;
}

/* A decimal number times a power of ten, digit by digit: a binary fraction would hide a remainder. False: it
 * is no whole number of at most VALUE_MOST. */
static bool to_whole(const char *text, int power, int64_t *out)
{
    int64_t number = 0;
    bool fraction = false;
    const bool negative = *text == '-';
    const char *const exponent = strpbrk(text, "eE");
    const long shift = exponent ? strtol(exponent + 1, NULL, 10) : 0;
    long zeros = power + (shift > SHIFT_MOST ? SHIFT_MOST : shift < -SHIFT_MOST ? -SHIFT_MOST : shift);
    for (const char *end = exponent ? exponent : text + strlen(text); text < end; text++) {
        if (*text == '.' || *text == ',')
            fraction = true;
        else if (*text >= '0' && *text <= '9') {
            zeros -= fraction;
            if (number > (VALUE_MOST - 9) / 10) {
                if (*text != '0')
                    return false;
                zeros++;
                continue;
            }
            number = 10 * number + (*text - '0');
        }
    }
    for (; number && zeros > 0; zeros--, number *= 10)
        if (number > VALUE_MOST / 10)
            return false;
    for (; number && zeros < 0; zeros++, number /= 10)
        if (number % 10)
            return false;
    *out = negative ? -number : number;
    return true;
}

int import_scaled(const struct import_sheet *sheet, size_t row, enum column column,
                  const struct import_scale *scale, long double *out)
{
    long double number;
    int64_t stored;
    char what[64];
    if (!*import_cell(sheet, row, sheet->column[column]))
        return PB_OK;
    const int code = pb_table_number(sheet->table, row, sheet->column[column], &number, sheet->diag);
    if (code)
        return code;
    if (fabsl(number) * powl(10, scale->power) > (long double)VALUE_MOST)
        return import_refuse(sheet, row, sheet->column[column],
                             "a value beyond 4e18 of the unit that is stored",
                             "a history holds whole ps, ppb, mHz and numbers of things");
    snprintf(what, sizeof what, "no whole number of the step, 1 %s,", scale->stored);
    if (!to_whole(import_cell(sheet, row, sheet->column[column]), scale->power, &stored))
        return import_refuse(sheet, row, sheet->column[column], what,
                             strcmp(scale->stored, "ppm") ? "round it"
                                                          : "give the measurement in ppb, or round it");
    *out = (long double)stored;
    return PB_OK;
}

int import_find_scale(const struct import_sheet *sheet, size_t row, const struct import_scale **out)
{
    const int column = sheet->column[MEASUREMENT_UNIT];
    const char *const cell = import_cell(sheet, row, column);
    const char *const unit = column < 0 ? "ps" : pb_utf8_is_us(cell) ? "us" : cell;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (!strcmp(scales[i].unit, unit)) {
            *out = &scales[i];
            return PB_OK;
        }
    return import_refuse(sheet, row, column, "an unknown unit",
                         "known are ps, ns, us, ms, s, ppb, ppm, mHz, Hz, phases, bytes, instructions, "
                         "messages and count");
}

bool import_is_export(const struct import_sheet *sheet, size_t row)
{
    const char *const key = import_cell(sheet, row, sheet->key);
    return strlen(key) == PB_HISTORY_KEY_SIZE - 1 && !key[strspn(key, "0123456789abcdef")];
}
