/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of other programs, and of an export, become runs of a history.
 */
#include "host/base/table.h"
#include "host/base/utf8.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MOST INT64_C(4000000000000000000) /* of a whole number of 64 bits */
#define N_MOST INT64_C(1000000000000) /* of a row: the sums of n of a history stay exact */

enum { FIGURES_MAX = 4096 /* of a run */, UNTOLD = -1, SHIFT_MOST = 400 /* more than a double has */ };

/* ---- columns */

/* Texts and whole numbers of a run: the columns of an export. */
static const struct text_column {
    const char *name;
    size_t at, size;
    bool identifies; /* rows that differ in it are of different runs */
} text_columns[] = {
#define TEXT(name, field, identifies)                                                                        \
    {                                                                                                        \
        name, offsetof(struct pb_history_run, field), sizeof((struct pb_history_run *)0)->field, identifies  \
    }
    TEXT("started_utc", started_utc, true),
    TEXT("scenario", scenario, true),
    TEXT("unit", unit, true),
    TEXT("station", station, true),
    TEXT("operator", operator_name, true),
    TEXT("key", key, true),
    TEXT("rig", rig, false),
    TEXT("program", program, false),
    TEXT("core", core, false),
    TEXT("map_hash", map_hash, false),
    TEXT("limits_version", limits_version, false),
    TEXT("reason", reason, false),
    TEXT("node", node.kind, false),
    TEXT("identity", node.identity, false),
#undef TEXT
};
enum { TEXT_COLUMNS = sizeof text_columns / sizeof text_columns[0] };

/* The other columns. */
#define COLUMN_LIST(X)                                                                                       \
    X(RUN, "run")                                                                                            \
    X(VERDICT, "verdict")                                                                                    \
    X(SEED, "seed")                                                                                          \
    X(FINDINGS, "findings")                                                                                  \
    X(IMAGE_BYTES, "image_bytes")                                                                            \
    X(IMAGE_CRC32, "image_crc32")                                                                            \
    X(LIMITS_CRC32, "limits_crc32")                                                                          \
    X(MEASUREMENT, "measurement")                                                                            \
    X(MEASUREMENT_UNIT, "measurement_unit")                                                                  \
    X(VALUE, "value")                                                                                        \
    X(N, "n")                                                                                                \
    X(MIN, "min")                                                                                            \
    X(MEAN, "mean")                                                                                          \
    X(MAX, "max")                                                                                            \
    X(SD, "sd")                                                                                              \
    X(U95, "u95")                                                                                            \
    X(LOWER, "lower")                                                                                        \
    X(UPPER, "upper")                                                                                        \
    X(MARGIN, "margin")                                                                                      \
    X(JUDGEMENT, "judgement")
enum column {
#define COLUMN_ENUM(id, name) id,
    COLUMN_LIST(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMNS
};
static const char *const column_name[COLUMNS] = {
#define COLUMN_NAME(id, name) [id] = name,
    COLUMN_LIST(COLUMN_NAME)
#undef COLUMN_NAME
};

static const struct scale {
    const char *unit, *stored;
    int power; /* of ten, from the unit to the one that is stored */
} scales[] = {{"ps", "ps", 0},
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
              {"count", "count", 0}};

struct import {
    const struct pb_table *table;
    const struct pb_history_run *otherwise;
    const struct pb_import_watch *watch; /* NULL: none */
    int text[TEXT_COLUMNS], column[COLUMNS], key; /* -1: the table has none */
    struct row {
        const struct import *import;
        size_t row;
    } * row; /* those of a run together, in the order of the table */
    struct pb_diag *diag;
};

static const char *cell_of(const struct import *import, size_t row, int column)
{
    return column < 0 ? "" : pb_table_cell(import->table, row, column);
}

static int refuse(const struct import *import, size_t row, int column, const char *what, const char *remedy)
{
    return pb_table_refuse(import->table, row, column, import->diag, what, remedy);
}

/* ---- cells */

static int whole(const struct import *import, size_t row, enum column column, int64_t least, int64_t most,
                 int64_t *out)
{
    const char *const cell = cell_of(import, row, import->column[column]);
    if (!*cell)
        return PB_OK;
    errno = 0;
    *out = strtoll(cell, NULL, 10);
    return errno || cell[strspn(cell, "0123456789")] || *out < least || *out > most
               ? refuse(import, row, import->column[column], "no whole number in its range",
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

/* In the unit in which the history stores it. Of an empty cell *out stays. */
static int scaled(const struct import *import, size_t row, enum column column, const struct scale *scale,
                  long double *out)
{
    long double number;
    int64_t stored;
    char what[64];
    if (!*cell_of(import, row, import->column[column]))
        return PB_OK;
    const int code = pb_table_number(import->table, row, import->column[column], &number, import->diag);
    if (code)
        return code;
    if (fabsl(number) * powl(10, scale->power) > (long double)VALUE_MOST)
        return refuse(import, row, import->column[column], "a value beyond 4e18 of the unit that is stored",
                      "a history holds whole ps, ppb, mHz and numbers of things");
    snprintf(what, sizeof what, "no whole number of the step, 1 %s,", scale->stored);
    if (!to_whole(cell_of(import, row, import->column[column]), scale->power, &stored))
        return refuse(import, row, import->column[column], what,
                      strcmp(scale->stored, "ppm") ? "round it" : "give the measurement in ppb, or round it");
    *out = (long double)stored;
    return PB_OK;
}

static int find_scale(const struct import *import, size_t row, const struct scale **out)
{
    const int column = import->column[MEASUREMENT_UNIT];
    const char *const cell = cell_of(import, row, column);
    const char *const unit = column < 0 ? "ps" : pb_utf8_is_us(cell) ? "us" : cell;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (!strcmp(scales[i].unit, unit)) {
            *out = &scales[i];
            return PB_OK;
        }
    return refuse(import, row, column, "an unknown unit",
                  "known are ps, ns, us, ms, s, ppb, ppm, mHz, Hz, phases, bytes, instructions, messages and "
                  "count");
}

/* ---- the run of a row */

static int read_texts(const struct import *import, size_t row, struct pb_history_run *run)
{
    for (unsigned i = 0; i < TEXT_COLUMNS; i++) {
        const struct text_column *const text = &text_columns[i];
        const char *const cell = cell_of(import, row, import->text[i]);
        char *const to = (char *)run + text->at;
        if (!*cell)
            continue;
        if (strlen(cell) >= text->size)
            return refuse(import, row, import->text[i], "a text that is too long", "shorten it");
        pb_utf8_clean(to, text->size, cell);
    }
    return PB_OK;
}

static int read_verdict(const struct import *import, size_t row, struct pb_history_run *run, bool *given)
{
    const char *const cell = cell_of(import, row, import->column[VERDICT]);
    static const enum pb_verdict known[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_FAIL,
                                            PB_VERDICT_INCONCLUSIVE};
    *given = *cell;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(cell, pb_verdict_name(known[i]))) {
            run->verdict = known[i];
            return PB_OK;
        }
    return *given ? refuse(import, row, import->column[VERDICT], "an unknown verdict",
                           "known are pass, marginal, fail and inconclusive")
                  : PB_OK;
}

static int read_seed(const struct import *import, size_t row, uint64_t *seed)
{
    const char *const cell = cell_of(import, row, import->column[SEED]);
    errno = 0;
    *seed = *cell ? strtoull(cell, NULL, 10) : 0;
    return errno || cell[strspn(cell, "0123456789")]
               ? refuse(import, row, import->column[SEED], "no whole number", "give one of 64 bits")
               : PB_OK;
}

static int read_run(const struct import *import, size_t row, struct pb_history_run *run, bool *given)
{
    int64_t seconds, findings = 0, crc32 = 0;
    *run = *import->otherwise;
    run->limits_crc32 = PB_ABSENT;
    run->node.image_bytes = -1;
    int code = read_texts(import, row, run);
    if (!code && !pb_history_seconds(run->started_utc, &seconds))
        code = refuse(import, row, import->text[0], "no time",
                      "give a day, as 2026-11-24, or 2026-11-24T03:21:18Z");
    if (!code && strlen(run->started_utc) == 10)
        strcat(run->started_utc, "T00:00:00Z");
    if (!code)
        code = read_verdict(import, row, run, given);
    if (!code)
        code = read_seed(import, row, &run->seed);
    if (!code)
        code = whole(import, row, FINDINGS, 0, INT64_MAX, &findings);
    if (!code)
        code = whole(import, row, IMAGE_BYTES, 0, INT64_MAX, &run->node.image_bytes);
    if (!code)
        code = whole(import, row, IMAGE_CRC32, 0, UINT32_MAX, &crc32);
    if (!code)
        code = whole(import, row, LIMITS_CRC32, 0, UINT32_MAX, &run->limits_crc32);
    run->findings = (uint64_t)findings;
    run->node.image_crc32 = (uint32_t)crc32;
    return code;
}

/* A cell of the run, in a row after the first one: empty, or as there. */
static int agree(const struct import *import, size_t first, size_t row, int column)
{
    char what[64];
    const char *const cell = cell_of(import, row, column);
    if (!*cell || !strcmp(cell, cell_of(import, first, column)))
        return PB_OK;
    snprintf(what, sizeof what, "another text than in line %u, of the same run,",
             pb_table_line(import->table, first));
    return refuse(import, row, column, what,
                  "correct it, or give each run a number of its own in column 'run'");
}

static int check_run(const struct import *import, size_t first, size_t row)
{
    struct pb_history_run run;
    bool given;
    int code = read_run(import, row, &run, &given);
    for (unsigned i = 0; i < TEXT_COLUMNS && !code; i++)
        code = agree(import, first, row, import->text[i]);
    for (enum column i = VERDICT; i <= LIMITS_CRC32 && !code; i++)
        code = agree(import, first, row, import->column[i]);
    return code;
}

/* ---- measurements */

/* One that is being gathered. */
struct gathered {
    const char *id;
    const struct scale *scale;
    size_t row;                             /* the first one of the worst judgement */
    bool summed;                            /* the row has n, mean and so on */
    long double n, min, mean, max, squares; /* squares: of the distances from the mean */
    long double u95, lower, upper;          /* NAN: no limit */
    long double margin;                     /* NAN: none */
    int judgement;                          /* of enum pb_judgement; UNTOLD: by the margin */
};

static void gather(struct gathered *gathered, long double value)
{
    const long double away = value - gathered->mean;
    gathered->min = gathered->n ? fminl(gathered->min, value) : value;
    gathered->max = gathered->n ? fmaxl(gathered->max, value) : value;
    gathered->n += 1;
    gathered->mean += away / gathered->n;
    gathered->squares += away * (value - gathered->mean);
}

static int read_judgement(const struct import *import, size_t row, int *judgement)
{
    const char *const cell = cell_of(import, row, import->column[JUDGEMENT]);
    *judgement = UNTOLD;
    for (int known = PB_NOT_JUDGED; known <= PB_JUDGED_FAIL && *cell; known++)
        if (!strcmp(cell, pb_judgement_name(known)))
            *judgement = known;
    return *cell && *judgement == UNTOLD
               ? refuse(import, row, import->column[JUDGEMENT], "an unknown judgement",
                        "known are 'not judged', pass, marginal and fail")
               : PB_OK;
}

/* One of the last digit of a cell, in the unit that is stored. */
static long double digit_of(const struct import *import, size_t row, enum column column, int power)
{
    const char *const cell = cell_of(import, row, import->column[column]);
    const char *const point = strpbrk(cell, ".,"), *const exponent = strpbrk(cell, "eE");
    const long shift = exponent ? strtol(exponent + 1, NULL, 10) : 0;
    return powl(10, (long double)(power + shift) -
                        (point ? (long double)strspn(point + 1, "0123456789") : 0));
}

/* Of n values from min to max the deviation is least when all but two are in the middle, and largest
 * when half of them are at each end. Half of its last digit, and what rounding does to min and max, are
 * allowed; min and max are taken as they are when it is 0, and a program that prints 0 has the digits of the
 * others.
 * An empty one is not compared. */
static int check_deviation(const struct import *import, size_t row, const struct gathered *one,
                           long double sd)
{
    const long double n = one->n, range = one->max - one->min;
    const int power = one->scale->power;
    if (n < 2)
        return range > 0 || sd > 0 ? refuse(import, row, import->column[N],
                                            "one value with a range or a deviation",
                                            "give its n, or min = mean = max and no sd")
                                   : PB_OK;
    if (!*cell_of(import, row, import->column[SD]))
        return PB_OK;
    const long double digit = fminl(digit_of(import, row, MIN, power),
                                    fminl(digit_of(import, row, MEAN, power),
                                          digit_of(import, row, MAX, power)));
    const long double rounded = sd > 0 ? digit_of(import, row, SD, power) : digit,
                      spread = sd > 0 ? digit : 0;
    const long double least = fmaxl(range - spread, 0) / sqrtl(2 * (n - 1)) - rounded / 2,
                      most = (range + spread) / 2 * sqrtl(n / (n - 1)) + rounded / 2;
    return sd < least * (1 - 1e-9L) || sd > most * (1 + 1e-9L)
               ? refuse(import, row, import->column[SD],
                        "a deviation that n values from min to max cannot have",
                        "give that of n - 1, or one value in a row")
               : PB_OK;
}

static int read_sums(const struct import *import, size_t row, struct gathered *gathered)
{
    const struct {
        enum column column;
        long double *to;
    } need[] = {{MIN, &gathered->min}, {MEAN, &gathered->mean}, {MAX, &gathered->max}};
    int64_t n = 0;
    long double sd = 0;
    int code = whole(import, row, N, 1, INT64_MAX, &n);
    if (!code && n > N_MOST)
        code = refuse(import, row, import->column[N], "more than 1000000000000 values",
                      "divide them into several runs");
    for (size_t i = 0; i < sizeof need / sizeof need[0] && !code; i++) {
        if (!*cell_of(import, row, import->column[need[i].column]))
            return refuse(import, row, import->column[N], "a row with n that lacks its min, mean or max",
                          "give them, or one value in a row");
        code = scaled(import, row, need[i].column, gathered->scale, need[i].to);
    }
    if (!code)
        code = scaled(import, row, SD, gathered->scale, &sd);
    if (!code && (gathered->min > gathered->mean || gathered->mean > gathered->max))
        code = refuse(import, row, import->column[MEAN], "a mean outside min and max", "correct the row");
    if (!code && sd < 0)
        code = refuse(import, row, import->column[SD], "a deviation below 0", "correct the row");
    gathered->n = (long double)n;
    if (!code)
        code = check_deviation(import, row, gathered, sd);
    gathered->squares = sd * sd * (n > 1 ? (long double)(n - 1) : 1);
    return code;
}

static bool same(long double a, long double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* What each row of a measurement has. */
static int read_limits(const struct import *import, size_t row, struct gathered *one)
{
    const struct {
        enum column column;
        long double *to;
    } limit[] = {{LOWER, &one->lower}, {UPPER, &one->upper}, {U95, &one->u95}, {MARGIN, &one->margin}};
    int code = find_scale(import, row, &one->scale);
    for (size_t i = 0; i < sizeof limit / sizeof limit[0] && !code; i++)
        code = scaled(import, row, limit[i].column, one->scale, limit[i].to);
    if (!code && one->lower > one->upper)
        code = refuse(import, row, import->column[LOWER], "a lower limit above the upper one",
                      "correct the limits");
    if (!code && one->u95 < 0)
        code = refuse(import, row, import->column[U95], "an uncertainty below 0", "correct it");
    return code ? code : read_judgement(import, row, &one->judgement);
}

/* The further rows of a measurement. */
static int join(const struct import *import, size_t row, const struct gathered *before,
                const struct gathered *one)
{
    const int column = import->column[MEASUREMENT];
    if (one->summed || before->summed)
        return refuse(import, row, column, "a measurement that its run has already",
                      "give each run a number of its own in column 'run'");
    if (before->scale != one->scale || !same(before->lower, one->lower) || !same(before->upper, one->upper) ||
        before->u95 != one->u95)
        return refuse(import, row, column,
                      "a value with another unit or other limits or u95 than the one before it,",
                      "give a run the same ones");
    return PB_OK;
}

static bool is_export(const struct import *import, size_t row)
{
    const char *const key = cell_of(import, row, import->key);
    return strlen(key) == PB_HISTORY_KEY_SIZE - 1 && !key[strspn(key, "0123456789abcdef")];
}

/* Judges a row by its values and limits; its own cells must not contradict them. A guard band may fail a
 * value that is within the limits by less than u95, and u95 may excuse a value beyond them. The judgements of
 * an export are kept: the limits of a run may differ between its values. */
static int judge(const struct import *import, struct gathered *one)
{
    const long double given = one->margin, margin = fminl(one->min - one->lower, one->upper - one->max);
    const bool known = !isnan(margin), known_judgement = one->judgement >= PB_NOT_JUDGED;
    const int judgement = !known ? PB_NOT_JUDGED : margin < 0 ? PB_JUDGED_FAIL : PB_JUDGED_PASS;
    const bool stands = is_export(import, one->row);
    if (!stands && !isnan(given) && given != margin)
        return refuse(import, one->row, import->column[MARGIN],
                      "another margin than that of the values and limits", "correct it, or leave it empty");
    if (isnan(given))
        one->margin = margin;
    if (!stands && known_judgement && known &&
        (one->judgement <= PB_JUDGED_PASS   ? margin < 0
         : one->judgement == PB_JUDGED_FAIL ? margin >= 0 && margin >= one->u95
                                            : margin < -one->u95))
        return refuse(import, one->row, import->column[JUDGEMENT],
                      "another judgement than that of the values and limits",
                      "correct it, or leave it empty");
    if (!known_judgement)
        one->judgement = isnan(given) || !stands ? judgement : given < 0 ? PB_JUDGED_FAIL : PB_JUDGED_PASS;
    return PB_OK;
}

static void add_value(struct gathered *all, const struct gathered *one, long double value)
{
    gather(all, value);
    all->margin = fminl(all->margin, one->margin);
    if (one->judgement > all->judgement) {
        all->judgement = one->judgement;
        all->row = one->row;
    }
}

static int take_row(const struct import *import, size_t row, struct gathered *gathered, size_t *count)
{
    const char *const id = cell_of(import, row, import->column[MEASUREMENT]);
    struct gathered one = {.id = id, .row = row, .lower = NAN, .upper = NAN, .margin = NAN};
    long double value = 0;
    size_t at = 0;
    one.summed = *cell_of(import, row, import->column[N]);
    const bool single = *cell_of(import, row, import->column[VALUE]);
    if (!*id && !single && !one.summed)
        return PB_OK; /* a run without any */
    if (!*id)
        return refuse(import, row, import->column[MEASUREMENT], "no name", "name what was measured");
    if (strlen(id) >= sizeof((struct pb_history_figure *)0)->id)
        return refuse(import, row, import->column[MEASUREMENT], "a name of more than 63 bytes", "shorten it");
    int code = read_limits(import, row, &one);
    if (code)
        return code;
    if (one.summed == single)
        return refuse(import, row, import->column[MEASUREMENT],
                      "a measurement that needs either a value, or n, min, mean, max and sd,",
                      "fill in the column 'value', or the others");
    while (at < *count && strcmp(gathered[at].id, id) != 0)
        at++;
    code = at < *count ? join(import, row, &gathered[at], &one) : PB_OK;
    if (code)
        return code;
    if (at == FIGURES_MAX)
        return refuse(import, row, import->column[MEASUREMENT], "more than 4096 measurements of one run",
                      "give each run a number of its own in column 'run'");
    code = one.summed ? read_sums(import, row, &one) : scaled(import, row, VALUE, one.scale, &value);
    if (!code && !one.summed)
        gather(&one, value);
    if (!code)
        code = judge(import, &one);
    if (code)
        return code;
    if (at == *count)
        gathered[(*count)++] = one;
    else
        add_value(&gathered[at], &one, value);
    return PB_OK;
}

static int64_t limit_of(long double limit)
{
    return isnan(limit) ? PB_ABSENT : llroundl(limit);
}

static void finish(struct pb_history_figure *figure, const struct gathered *gathered)
{
    *figure = (struct pb_history_figure){
        .n = (uint64_t)gathered->n,
        .min = llroundl(gathered->min),
        .mean = llroundl(gathered->mean),
        .max = llroundl(gathered->max),
        .sd = llroundl(sqrtl(gathered->squares / (gathered->n > 1 ? gathered->n - 1 : 1))),
        .u95 = llroundl(gathered->u95),
        .lower = limit_of(gathered->lower),
        .upper = limit_of(gathered->upper),
        .margin = limit_of(gathered->margin),
    };
    snprintf(figure->id, sizeof figure->id, "%s", gathered->id);
    snprintf(figure->unit, sizeof figure->unit, "%s", gathered->scale->stored);
    snprintf(figure->judgement, sizeof figure->judgement, "%s", pb_judgement_name(gathered->judgement));
}

/* ---- runs */

/* FNV-1a of 128 bits. */
#define HASH_BEGIN ((unsigned __int128)UINT64_C(0x6C62272E07BB0142) << 64 | UINT64_C(0x62B821756295C58D))

static unsigned __int128 hash_text(unsigned __int128 hash, const char *text)
{
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13B;
    do
        hash = (hash ^ (unsigned char)*text) * prime;
    while (*text++);
    return hash;
}

static uint64_t fold(unsigned __int128 hash)
{
    return (uint64_t)(hash >> 64) ^ (uint64_t)hash;
}

#define NAME_DIGITS 16 /* of a key: those by which the history finds a run that is not as in the table */

/* A run of a table without keys gets one, so that the table can be imported twice: a half of what names the
 * run, and a half of all its cells. */
static void make_key(const struct import *import, const struct row *row, size_t rows,
                     struct pb_history_run *run)
{
    const char *const label[] = {run->started_utc, run->scenario, run->unit, run->station,
                                 run->operator_name};
    const int columns = pb_table_columns(import->table);
    unsigned __int128 name = HASH_BEGIN;
    for (size_t i = 0; i < sizeof label / sizeof label[0]; i++)
        name = hash_text(name, label[i]);
    unsigned __int128 content = name;
    name = hash_text(name, cell_of(import, row->row, import->column[RUN]));
    for (size_t i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            content = hash_text(content, pb_table_cell(import->table, row[i].row, k));
    snprintf(run->key, sizeof run->key, "%016" PRIx64 "%016" PRIx64, fold(name), fold(content));
}

/* The verdict is not better than a judgement of the run; it may be worse, for the run has more than its
 * measurements. In an export an injected fault may explain a failed value. */
static int judge_run(const struct import *import, const struct gathered *gathered, size_t figures, bool given,
                     struct pb_history_run *run)
{
    for (size_t i = 0; i < figures; i++) {
        const bool failed = gathered[i].judgement == PB_JUDGED_FAIL;
        if (!given && failed)
            run->verdict = PB_VERDICT_FAIL;
        else if (!given && gathered[i].judgement == PB_JUDGED_MARGINAL && run->verdict == PB_VERDICT_PASS)
            run->verdict = PB_VERDICT_MARGINAL;
        else if (failed && run->verdict <= PB_VERDICT_MARGINAL && !is_export(import, gathered[i].row))
            return refuse(import, gathered[i].row, import->column[VERDICT],
                          "another verdict than that of a value that fails",
                          "correct it, or leave it empty");
    }
    return PB_OK;
}

/* The rows of one run. The record's lists are those of the caller. */
static int make_record(const struct import *import, const struct row *row, size_t rows,
                       struct gathered *gathered, struct pb_history_record *record)
{
    bool given;
    int code = read_run(import, row->row, &record->run, &given);
    record->figures = 0;
    for (size_t i = 0; i < rows && !code; i++) {
        code = i ? check_run(import, row->row, row[i].row) : PB_OK;
        if (!code)
            code = take_row(import, row[i].row, gathered, &record->figures);
    }
    if (!code)
        code = judge_run(import, gathered, record->figures, given, &record->run);
    if (code)
        return code;
    for (size_t i = 0; i < record->figures; i++)
        finish(&record->figure[i], &gathered[i]);
    record->nodes = *record->run.node.kind != '\0';
    *record->node = record->run.node;
    if (!*record->run.key)
        make_key(import, row, rows, &record->run);
    return PB_OK;
}

static int by_run(const struct row *a, const struct row *b)
{
    const struct import *const import = a->import;
    int order =
        strcmp(cell_of(import, a->row, import->column[RUN]), cell_of(import, b->row, import->column[RUN]));
    for (unsigned i = 0; i < TEXT_COLUMNS && !order; i++)
        if (text_columns[i].identifies)
            order =
                strcmp(cell_of(import, a->row, import->text[i]), cell_of(import, b->row, import->text[i]));
    return order;
}

static int by_run_and_row(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int order = by_run(a, b);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* The rows of one run, and where they begin in the table. */
struct part {
    size_t from, rows, first;
};

static int by_first(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static size_t divide(const struct import *import, struct part *part)
{
    const size_t rows = pb_table_rows(import->table);
    size_t parts = 0;
    qsort(import->row, rows, sizeof *import->row, by_run_and_row);
    for (size_t i = 0; i < rows; i++) {
        if (!i || by_run(&import->row[i - 1], &import->row[i]))
            part[parts++] = (struct part){i, 0, import->row[i].row};
        part[parts - 1].rows++;
    }
    qsort(part, parts, sizeof *part, by_first);
    return parts;
}

static int find_columns(struct import *import)
{
    int column;
    for (unsigned i = 0; i < TEXT_COLUMNS; i++)
        import->text[i] = pb_table_column(import->table, text_columns[i].name);
    for (unsigned i = 0; i < COLUMNS; i++)
        import->column[i] = pb_table_column(import->table, column_name[i]);
    import->key = pb_table_column(import->table, "key");
    int code = pb_table_need(import->table, text_columns[0].name, &column, import->diag);
    if (!code)
        code = pb_table_need(import->table, column_name[MEASUREMENT], &column, import->diag);
    if (!code && import->column[N] < 0)
        code = pb_table_need(import->table, column_name[VALUE], &column, import->diag);
    return code;
}

/* ---- runs that the history has */

/* A run of the table, compared with those of the history with its name or key. */
struct comparison {
    const struct import *import;
    const struct row *row; /* the first one of the run */
    const struct pb_history_record *record;
    bool same, other; /* the history has it; has a run that must not be another one */
    char what[160];   /* of `other`: the difference */
};

static const struct pb_history_figure *figure_of(const struct pb_history_record *record, const char *id)
{
    for (size_t i = 0; i < record->figures; i++)
        if (!strcmp(record->figure[i].id, id))
            return &record->figure[i];
    return NULL;
}

/* The first difference of a measurement; false: there is none. */
static bool figure_differs(const struct pb_history_figure *here, const struct pb_history_figure *there,
                           char *what, size_t size)
{
    const struct {
        const char *name;
        int64_t here, there;
    } part[] = {{"n", (int64_t)here->n, (int64_t)there->n},
                {"mean", here->mean, there->mean},
                {"min", here->min, there->min},
                {"max", here->max, there->max},
                {"sd", here->sd, there->sd},
                {"u95", here->u95, there->u95}};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (part[i].here != part[i].there) {
            snprintf(what, size, "'%.40s' has %s %" PRId64 ", there %" PRId64, here->id, part[i].name,
                     part[i].here, part[i].there);
            return true;
        }
    if (here->lower == there->lower && here->upper == there->upper && here->margin == there->margin &&
        !strcmp(here->judgement, there->judgement) && !strcmp(here->unit, there->unit))
        return false;
    snprintf(what, size, "'%.40s' has other limits or another judgement", here->id);
    return true;
}

/* What the table says of the run and the history does not. The history may have more than a table: an export
 * leaves out nodes and findings, and rows may have been taken out of it. */
static bool differs(const struct comparison *of, const struct pb_history_record *stored, char *what,
                    size_t size)
{
    const struct pb_history_run *const here = &of->record->run, *const there = &stored->run;
    for (unsigned i = 0; i < TEXT_COLUMNS; i++) {
        const char *const its = (const char *)here + text_columns[i].at,
                   *const kept = (const char *)there + text_columns[i].at;
        if (*cell_of(of->import, of->row->row, of->import->text[i]) && strcmp(its, kept) != 0 &&
            strcmp(text_columns[i].name, "key") != 0) {
            snprintf(what, size, "%s '%.40s', there '%.40s'", text_columns[i].name, its, kept);
            return true;
        }
    }
    if (*cell_of(of->import, of->row->row, of->import->column[VERDICT]) && here->verdict != there->verdict) {
        snprintf(what, size, "verdict '%s', there '%s'", pb_verdict_name(here->verdict),
                 pb_verdict_name(there->verdict));
        return true;
    }
    for (size_t i = 0; i < of->record->figures; i++) {
        const struct pb_history_figure *const figure = &of->record->figure[i],
                                       *const kept = figure_of(stored, figure->id);
        if (!kept)
            snprintf(what, size, "'%.40s' is not there", figure->id);
        if (!kept || figure_differs(figure, kept, what, size))
            return true;
    }
    return false;
}

/* Each measurement of the stored run is one of this run with fewer of its values. */
static bool has_grown(const struct pb_history_record *record, const struct pb_history_record *stored)
{
    for (size_t i = 0; i < stored->figures; i++) {
        const struct pb_history_figure *const kept = &stored->figure[i],
                                       *const figure = figure_of(record, kept->id);
        if (!figure || figure->n < kept->n || figure->min > kept->min || figure->max < kept->max)
            return false;
    }
    return true;
}

/* A number in column `run`, or a key, names a run; labels alone may be those of two. */
static int compare(void *context, const struct pb_history_record *stored)
{
    struct comparison *const of = context;
    const bool named = *cell_of(of->import, of->row->row, of->import->key) ||
                       *cell_of(of->import, of->row->row, of->import->column[RUN]);
    char what[sizeof of->what];
    if (!differs(of, stored, what, sizeof what))
        of->same = true;
    else if (!of->other && (named || has_grown(of->record, stored))) {
        of->other = true;
        memcpy(of->what, what, sizeof what);
    }
    return PB_OK;
}

static int refuse_other(const struct comparison *of)
{
    const struct import *const import = of->import;
    const bool keyed = *cell_of(import, of->row->row, import->key);
    const int column = keyed                      ? import->key
                       : import->column[RUN] >= 0 ? import->column[RUN]
                                                  : import->text[0];
    char what[sizeof of->what + 80];
    snprintf(what, sizeof what, "a run that the history has with other rows (%s)", of->what);
    return refuse(import, of->row->row, column, what,
                  keyed ? "no run of a history changes: give it another key, or take its rows out"
                        : "no run of a history changes: give it another number in column 'run', or take its "
                          "rows out");
}

/* *known: the history has this run as it is. */
static int look_up(const struct import *import, struct pb_history *history, const struct row *row,
                   const struct pb_history_record *record, bool *known)
{
    struct comparison comparison = {import, row, record, .same = false};
    const char *const key = record->run.key;
    char first[PB_HISTORY_KEY_SIZE], last[PB_HISTORY_KEY_SIZE];
    const bool keyed = *cell_of(import, row->row, import->key);
    snprintf(first, sizeof first, "%.*s%s", keyed ? PB_HISTORY_KEY_SIZE - 1 : NAME_DIGITS, key,
             keyed ? "" : "0000000000000000");
    snprintf(last, sizeof last, "%.*s%s", keyed ? PB_HISTORY_KEY_SIZE - 1 : NAME_DIGITS, key,
             keyed ? "" : "ffffffffffffffff");
    const int code = history->ops->find(history, first, last, compare, &comparison, import->diag);
    *known = comparison.same;
    if (code || comparison.same || !comparison.other)
        return code;
    return refuse_other(&comparison);
}

/* ---- all runs */

static int append_one(const struct import *import, struct pb_history *history, const struct row *row,
                      const struct pb_history_record *record, struct pb_imported *imported)
{
    bool known, added = false;
    int code = look_up(import, history, row, record, &known);
    if (!code && !known)
        code = history->ops->append(history, record, &added, import->diag);
    imported->added += added;
    return code;
}

/* With a history appends the runs; without one they are only made. */
static int take_all(const struct import *import, struct pb_history *history, const struct part *part,
                    size_t parts, struct gathered *gathered, struct pb_history_record *record,
                    struct pb_imported *imported)
{
    int code = PB_OK;
    for (size_t i = 0; i < parts && !code; i++) {
        const struct row *const row = import->row + part[i].from;
        code = make_record(import, row, part[i].rows, gathered, record);
        if (!code && history)
            code = append_one(import, history, row, record, imported);
        if (!code && history && import->watch)
            import->watch->take(import->watch->context, i + 1, parts);
    }
    return code;
}

/* All runs are made before the first one is appended: a table with a mistake does not lock the history. */
static int append_all(const struct import *import, struct pb_history *history, const struct part *part,
                      size_t parts, struct gathered *gathered, struct pb_history_record *record,
                      struct pb_imported *imported)
{
    int code = take_all(import, NULL, part, parts, gathered, record, imported);
    if (code || !history)
        return code;
    code = history->ops->begin(history, import->diag);
    if (code)
        return code;
    code = take_all(import, history, part, parts, gathered, record, imported);
    return history->ops->end(history, code, import->diag);
}

int pb_history_import(struct pb_history *history, const char *name, const char *text, size_t length,
                      const struct pb_history_run *otherwise, const struct pb_import_watch *watch,
                      struct pb_imported *imported, struct pb_diag *diag)
{
    struct pb_table *table;
    struct import import = {.otherwise = otherwise, .watch = watch, .diag = diag};
    struct pb_history_node node;
    *imported = (struct pb_imported){.runs = 0};
    int code = pb_table_read(&table, name, text, length, diag);
    import.table = table;
    if (!code)
        code = find_columns(&import);
    if (code) {
        pb_table_free(table);
        return code;
    }
    const size_t rows = pb_table_rows(table);
    struct part *const part = calloc(rows + 1, sizeof *part);
    struct gathered *const gathered = calloc(FIGURES_MAX, sizeof *gathered);
    struct pb_history_record record = {.node = &node, .figure = calloc(FIGURES_MAX, sizeof *record.figure)};
    import.row = calloc(rows + 1, sizeof *import.row);
    if (part && gathered && record.figure && import.row) {
        for (size_t i = 0; i < rows; i++)
            import.row[i] = (struct row){&import, i};
        const size_t parts = divide(&import, part);
        code = append_all(&import, history, part, parts, gathered, &record, imported);
        *imported = code ? (struct pb_imported){.runs = 0} : (struct pb_imported){parts, imported->added};
    } else
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu rows of %s", rows, name);
    free(import.row);
    free(record.figure);
    free(gathered);
    free(part);
    pb_table_free(table);
    return code;
}
