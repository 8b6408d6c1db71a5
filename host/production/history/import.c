/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of other programs, and of an export, become runs of a history.
 */
#include "import.h"

#include "host/base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const column_name[COLUMNS] = {
#define COLUMN_NAME(id, name) [id] = name,
    COLUMN_LIST(COLUMN_NAME)
#undef COLUMN_NAME
};

struct import {
    struct import_sheet sheet;
    const struct pb_history_run *otherwise;
    const struct pb_import_watch *watch; /* NULL: none */
    int text[TEXT_COLUMNS];              /* -1: the table has none */
    struct row {
        const struct import *import;
        size_t row;
    } * row; /* those of a run together, in the order of the table */
};

/* ---- the run of a row */

static int read_texts(const struct import *import, size_t row, struct pb_history_run *run)
{
    for (unsigned i = 0; i < TEXT_COLUMNS; i++) {
        const struct text_column *const text = &text_columns[i];
        const char *const cell = import_cell(&import->sheet, row, import->text[i]);
        char *const to = (char *)run + text->at;
        if (!*cell)
            continue;
        if (strlen(cell) >= text->size)
            return import_refuse(&import->sheet, row, import->text[i], "a text that is too long",
                                 "shorten it");
        pb_utf8_clean(to, text->size, cell);
    }
    return PB_OK;
}

static int read_verdict(const struct import *import, size_t row, struct pb_history_run *run, bool *given)
{
    const char *const cell = import_cell(&import->sheet, row, import->sheet.column[VERDICT]);
    static const enum pb_verdict known[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_FAIL,
                                            PB_VERDICT_INCONCLUSIVE};
    *given = *cell;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(cell, pb_verdict_name(known[i]))) {
            run->verdict = known[i];
            return PB_OK;
        }
    return *given ? import_refuse(&import->sheet, row, import->sheet.column[VERDICT], "an unknown verdict",
                                  "known are pass, marginal, fail and inconclusive")
                  : PB_OK;
}

static int read_seed(const struct import *import, size_t row, uint64_t *seed)
{
    const char *const cell = import_cell(&import->sheet, row, import->sheet.column[SEED]);
    errno = 0;
    *seed = *cell ? strtoull(cell, NULL, 10) : 0;
    return errno || cell[strspn(cell, "0123456789")]
               ? import_refuse(&import->sheet, row, import->sheet.column[SEED], "no whole number",
                               "give one of 64 bits")
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
        code = import_refuse(&import->sheet, row, import->text[0], "no time",
                             "give a day, as 2026-11-24, or 2026-11-24T03:21:18Z");
    if (!code && strlen(run->started_utc) == 10)
        strcat(run->started_utc, "T00:00:00Z");
    if (!code)
        code = read_verdict(import, row, run, given);
    if (!code)
        code = read_seed(import, row, &run->seed);
    if (!code)
        code = import_whole(&import->sheet, row, FINDINGS, 0, INT64_MAX, &findings);
    if (!code)
        code = import_whole(&import->sheet, row, IMAGE_BYTES, 0, INT64_MAX, &run->node.image_bytes);
    if (!code)
        code = import_whole(&import->sheet, row, IMAGE_CRC32, 0, UINT32_MAX, &crc32);
    if (!code)
        code = import_whole(&import->sheet, row, LIMITS_CRC32, 0, UINT32_MAX, &run->limits_crc32);
    run->findings = (uint64_t)findings;
    run->node.image_crc32 = (uint32_t)crc32;
    return code;
}

/* A cell of the run, in a row after the first one: empty, or as there. */
static int agree(const struct import *import, size_t first, size_t row, int column)
{
    char what[64];
    const char *const cell = import_cell(&import->sheet, row, column);
    if (!*cell || !strcmp(cell, import_cell(&import->sheet, first, column)))
        return PB_OK;
    snprintf(what, sizeof what, "another text than in line %u, of the same run,",
             pb_table_line(import->sheet.table, first));
    return import_refuse(&import->sheet, row, column, what,
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
        code = agree(import, first, row, import->sheet.column[i]);
    return code;
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
    const int columns = pb_table_columns(import->sheet.table);
    unsigned __int128 name = HASH_BEGIN;
    for (size_t i = 0; i < sizeof label / sizeof label[0]; i++)
        name = hash_text(name, label[i]);
    unsigned __int128 content = name;
    name = hash_text(name, import_cell(&import->sheet, row->row, import->sheet.column[RUN]));
    for (size_t i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            content = hash_text(content, pb_table_cell(import->sheet.table, row[i].row, k));
    snprintf(run->key, sizeof run->key, "%016" PRIx64 "%016" PRIx64, fold(name), fold(content));
}

/* The verdict is not better than a judgement of the run; it may be worse, for the run has more than its
 * measurements. In an export an injected fault may explain a failed value. */
static int judge_run(const struct import *import, const struct import_gathered *gathered, size_t figures,
                     bool given, struct pb_history_run *run)
{
    for (size_t i = 0; i < figures; i++) {
        const bool failed = gathered[i].judgement == PB_JUDGED_FAIL;
        if (!given && failed)
            run->verdict = PB_VERDICT_FAIL;
        else if (!given && gathered[i].judgement == PB_JUDGED_MARGINAL && run->verdict == PB_VERDICT_PASS)
            run->verdict = PB_VERDICT_MARGINAL;
        else if (failed && run->verdict <= PB_VERDICT_MARGINAL &&
                 !import_is_export(&import->sheet, gathered[i].row))
            return import_refuse(&import->sheet, gathered[i].row, import->sheet.column[VERDICT],
                                 "another verdict than that of a value that fails",
                                 "correct it, or leave it empty");
    }
    return PB_OK;
}

/* The rows of one run. The record's lists are those of the caller. */
static int make_record(const struct import *import, const struct row *row, size_t rows,
                       struct import_gathered *gathered, struct pb_history_record *record)
{
    bool given;
    int code = read_run(import, row->row, &record->run, &given);
    record->figures = 0;
    for (size_t i = 0; i < rows && !code; i++) {
        code = i ? check_run(import, row->row, row[i].row) : PB_OK;
        if (!code)
            code = import_take_row(&import->sheet, row[i].row, gathered, &record->figures);
    }
    if (!code)
        code = judge_run(import, gathered, record->figures, given, &record->run);
    if (code)
        return code;
    for (size_t i = 0; i < record->figures; i++)
        import_finish(&record->figure[i], &gathered[i]);
    record->nodes = *record->run.node.kind != '\0';
    *record->node = record->run.node;
    if (!*record->run.key)
        make_key(import, row, rows, &record->run);
    return PB_OK;
}

static int by_cell(const struct row *a, const struct row *b, int column)
{
    const struct import_sheet *const sheet = &a->import->sheet;
    return strcmp(import_cell(sheet, a->row, column), import_cell(sheet, b->row, column));
}

static int by_run(const struct row *a, const struct row *b)
{
    const struct import *const import = a->import;
    int order = by_cell(a, b, import->sheet.column[RUN]);
    for (unsigned i = 0; i < TEXT_COLUMNS && !order; i++)
        if (text_columns[i].identifies)
            order = by_cell(a, b, import->text[i]);
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
    const size_t rows = pb_table_rows(import->sheet.table);
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
        import->text[i] = pb_table_column(import->sheet.table, text_columns[i].name);
    for (unsigned i = 0; i < COLUMNS; i++)
        import->sheet.column[i] = pb_table_column(import->sheet.table, column_name[i]);
    import->sheet.key = pb_table_column(import->sheet.table, "key");
    int code = pb_table_need(import->sheet.table, text_columns[0].name, &column, import->sheet.diag);
    if (!code)
        code = pb_table_need(import->sheet.table, column_name[MEASUREMENT], &column, import->sheet.diag);
    if (!code && import->sheet.column[N] < 0)
        code = pb_table_need(import->sheet.table, column_name[VALUE], &column, import->sheet.diag);
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
        if (*import_cell(&of->import->sheet, of->row->row, of->import->text[i]) && strcmp(its, kept) != 0 &&
            strcmp(text_columns[i].name, "key") != 0) {
            snprintf(what, size, "%s '%.40s', there '%.40s'", text_columns[i].name, its, kept);
            return true;
        }
    }
    const struct import_sheet *const sheet = &of->import->sheet;
    if (*import_cell(sheet, of->row->row, sheet->column[VERDICT]) && here->verdict != there->verdict) {
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
    const struct import_sheet *const sheet = &of->import->sheet;
    const bool named = *import_cell(sheet, of->row->row, sheet->key) ||
                       *import_cell(sheet, of->row->row, sheet->column[RUN]);
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
    const bool keyed = *import_cell(&import->sheet, of->row->row, import->sheet.key);
    const int column = keyed                            ? import->sheet.key
                       : import->sheet.column[RUN] >= 0 ? import->sheet.column[RUN]
                                                        : import->text[0];
    char what[sizeof of->what + 80];
    snprintf(what, sizeof what, "a run that the history has with other rows (%s)", of->what);
    return import_refuse(
        &import->sheet, of->row->row, column, what,
        keyed ? "no run of a history changes: give it another key, or take its rows out"
              : "no run of a history changes: give it another number in column 'run', or take its rows out");
}

/* *known: the history has this run as it is. */
static int look_up(const struct import *import, struct pb_history *history, const struct row *row,
                   const struct pb_history_record *record, bool *known)
{
    struct comparison comparison = {import, row, record, .same = false};
    const char *const key = record->run.key;
    char first[PB_HISTORY_KEY_SIZE], last[PB_HISTORY_KEY_SIZE];
    const bool keyed = *import_cell(&import->sheet, row->row, import->sheet.key);
    snprintf(first, sizeof first, "%.*s%s", keyed ? PB_HISTORY_KEY_SIZE - 1 : NAME_DIGITS, key,
             keyed ? "" : "0000000000000000");
    snprintf(last, sizeof last, "%.*s%s", keyed ? PB_HISTORY_KEY_SIZE - 1 : NAME_DIGITS, key,
             keyed ? "" : "ffffffffffffffff");
    const int code = history->ops->find(history, first, last, compare, &comparison, import->sheet.diag);
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
        code = history->ops->append(history, record, &added, import->sheet.diag);
    imported->added += added;
    return code;
}

/* With a history appends the runs; without one they are only made. */
static int take_all(const struct import *import, struct pb_history *history, const struct part *part,
                    size_t parts, struct import_gathered *gathered, struct pb_history_record *record,
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
                      size_t parts, struct import_gathered *gathered, struct pb_history_record *record,
                      struct pb_imported *imported)
{
    int code = take_all(import, NULL, part, parts, gathered, record, imported);
    if (code || !history)
        return code;
    code = history->ops->begin(history, import->sheet.diag);
    if (code)
        return code;
    code = take_all(import, history, part, parts, gathered, record, imported);
    return history->ops->end(history, code, import->sheet.diag);
}

int pb_history_import(struct pb_history *history, const char *name, const char *text, size_t length,
                      const struct pb_history_run *otherwise, const struct pb_import_watch *watch,
                      struct pb_imported *imported, struct pb_diag *diag)
{
    struct pb_table *table;
    struct import import = {.sheet.diag = diag, .otherwise = otherwise, .watch = watch};
    struct pb_history_node node;
    *imported = (struct pb_imported){.runs = 0};
    int code = pb_table_read(&table, name, text, length, diag);
    import.sheet.table = table;
    if (!code)
        code = find_columns(&import);
    if (code) {
        pb_table_free(table);
        return code;
    }
    const size_t rows = pb_table_rows(table);
    struct part *const part = calloc(rows + 1, sizeof *part);
    struct import_gathered *const gathered = calloc(IMPORT_FIGURES_MAX, sizeof *gathered);
    struct pb_history_record record = {.node = &node,
                                       .figure = calloc(IMPORT_FIGURES_MAX, sizeof *record.figure)};
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
