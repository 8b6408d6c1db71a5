/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A store in a file of SQLite with a rollback journal: unlike a write-ahead log it also works on a network
 * file system, and a reader needs no right to write. A query fetches all its rows at once, so that no reader
 * holds the lock while it prints.
 */
#include "schema.h"
#include "store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

struct store {
    struct pb_history history;
    sqlite3 *db; /* owned */
    char *path;  /* owned */
    unsigned patience_ms;
};

/* ---- errors */

static int cannot(const struct store *store, int error, const char *remedy, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_IO, "history '%.100s': %s; %s", store->path, strerror(error), remedy);
}

/* Where SQLite has lost errno: the file is at a limit of its size, a quota is used up, or the disk fails. */
static bool cannot_write(int status)
{
    return status == SQLITE_IOERR_WRITE || status == SQLITE_IOERR_FSYNC || status == SQLITE_IOERR_TRUNCATE;
}

/* What a result code of SQLite means; the message of SQLite where it has no sentence here. */
static int refuse(const struct store *store, int status, struct pb_diag *diag)
{
    const int error = sqlite3_system_errno(store->db);
    switch (status & 0xFF) {
    case SQLITE_NOMEM:
        return pb_fail(diag, PB_ERR_MEMORY, "history '%.100s': out of memory; limit the number of runs",
                       store->path);
    case SQLITE_BUSY:
        return pb_fail(diag, PB_ERR_IO,
                       "history '%.100s': another process has held its lock for %u ms; end that process, or "
                       "try again",
                       store->path, store->patience_ms);
    case SQLITE_NOTADB:
        return pb_fail(diag, PB_ERR_CONFIG, "history '%.100s': is no SQLite database; give another file",
                       store->path);
    case SQLITE_CORRUPT:
        return pb_fail(diag, PB_ERR_CONFIG,
                       "history '%.100s': is damaged (%.60s); restore a copy, or save what is left by "
                       "'sqlite3 FILE .recover'",
                       store->path, sqlite3_errmsg(store->db));
    case SQLITE_FULL:
        return cannot(store, ENOSPC, "nothing of this run is stored, the runs before are whole", diag);
    case SQLITE_IOERR:
        if (!cannot_write(sqlite3_extended_errcode(store->db)))
            break;
        return pb_fail(
            diag, PB_ERR_IO,
            "history '%.100s': cannot be written (disk full, quota or size limit); nothing of this "
            "run is stored, the runs before are whole",
            store->path);
    case SQLITE_READONLY:
        return cannot(store, EACCES, "it must be writable, and so must its folder", diag);
    case SQLITE_CANTOPEN:
        return cannot(store, error ? error : EACCES, "give a file in a folder that may be written", diag);
    default:
        break;
    }
    return pb_fail(diag, PB_ERR_IO, "history '%.100s': %.120s", store->path, sqlite3_errmsg(store->db));
}

/* ---- transactions and tables */

static int run_sql(struct store *store, const char *sql, struct pb_diag *diag)
{
    const int status = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return status == SQLITE_OK ? PB_OK : refuse(store, status, diag);
}

static void undo(struct store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Ends the transaction: commits it if code is 0. */
static int end(struct store *store, int code, struct pb_diag *diag)
{
    if (!code)
        code = run_sql(store, "COMMIT", diag);
    if (code)
        undo(store);
    return code;
}

static int get_number(struct store *store, const char *sql, int64_t *number, struct pb_diag *diag)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    const int code = status == SQLITE_ROW ? PB_OK : refuse(store, status, diag);
    sqlite3_finalize(statement);
    return code;
}

/* *made: it has the tables of this schema; else it is empty. */
static int look_at_schema(struct store *store, bool *made, struct pb_diag *diag)
{
    int64_t application, version, objects;
    int code = get_number(store, "PRAGMA application_id", &application, diag);
    if (!code)
        code = get_number(store, "PRAGMA user_version", &version, diag);
    if (!code)
        code = get_number(store, "SELECT count(*) FROM sqlite_master", &objects, diag);
    if (code)
        return code;
    *made = application == PB_HISTORY_APPLICATION;
    if (*made && version > PB_HISTORY_SCHEMA)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "history '%.100s': has schema version %lld, this program knows versions up to %d; use "
                       "a newer phasebench",
                       store->path, (long long)version, PB_HISTORY_SCHEMA);
    if (*made ? version < 1 : application || version || objects)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "history '%.100s': is a database of another program; give another file", store->path);
    return PB_OK;
}

static int make_tables(struct store *store, struct pb_diag *diag)
{
    char sql[96];
    bool made;
    int code = run_sql(store, "BEGIN IMMEDIATE", diag);
    if (code)
        return code;
    code = look_at_schema(store, &made, diag); /* another process may have been first */
    if (!code && !made) {
        snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                 PB_HISTORY_APPLICATION, PB_HISTORY_SCHEMA);
        code = run_sql(store, PB_HISTORY_TABLES, diag);
        if (!code)
            code = run_sql(store, sql, diag);
    }
    return end(store, code, diag);
}

/* ---- statements */

static int prepare(struct store *store, const char *sql, sqlite3_stmt **statement, struct pb_diag *diag)
{
    const int status = sqlite3_prepare_v2(store->db, sql, -1, statement, NULL);
    return status == SQLITE_OK ? PB_OK : refuse(store, status, diag);
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return text ? sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC)
                : sqlite3_bind_null(statement, at);
}

static int bind_limit(sqlite3_stmt *statement, int at, int64_t value)
{
    return value == PB_ABSENT ? sqlite3_bind_null(statement, at) : sqlite3_bind_int64(statement, at, value);
}

/* Executes an INSERT with its bound values, and makes it ready for the next ones. */
static int insert(struct store *store, sqlite3_stmt *statement, int bound, struct pb_diag *diag)
{
    const int status = bound == SQLITE_OK ? sqlite3_step(statement) : bound;
    const int code = status == SQLITE_DONE ? PB_OK : refuse(store, status, diag);
    sqlite3_reset(statement);
    return code;
}

static void get_text(sqlite3_stmt *statement, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    snprintf(out, size, "%s", text ? (const char *)text : "");
}

static int64_t get_limit(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? PB_ABSENT
                                                                 : sqlite3_column_int64(statement, column);
}

/* ---- appending */

static int append_run(struct store *store, const struct pb_history_run *run, int64_t *id,
                      struct pb_diag *diag)
{
    sqlite3_stmt *statement;
    char seed[24];
    int code = prepare(store,
                       "INSERT INTO run (started_utc, scenario, seed, rig, verdict, reason, incomplete, unit,"
                       " station, operator, program, core, map_hash, findings)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       &statement, diag);
    if (code)
        return code;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->seed);
    const char *const text[] = {
        run->started_utc, run->scenario,   seed,         run->rig,     pb_verdict_name(run->verdict),
        run->reason,      run->incomplete, run->unit,    run->station, run->operator_name,
        run->program,     run->core,       run->map_hash};
    enum { TEXTS = sizeof text / sizeof text[0] };
    int bound = sqlite3_bind_int64(statement, TEXTS + 1, (int64_t)run->findings);
    for (int i = 0; i < TEXTS && bound == SQLITE_OK; i++)
        bound = bind_text(statement, i + 1, text[i]);
    code = insert(store, statement, bound, diag);
    *id = sqlite3_last_insert_rowid(store->db);
    sqlite3_finalize(statement);
    return code;
}

static int append_nodes(struct store *store, int64_t run, const struct pb_history_record *record,
                        struct pb_diag *diag)
{
    sqlite3_stmt *statement;
    int code = prepare(store, "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?)", &statement, diag);
    for (size_t i = 0; i < record->nodes && !code; i++) {
        const struct pb_history_node *node = &record->node[i];
        int bound = sqlite3_bind_int64(statement, 1, run);
        bound |= sqlite3_bind_int64(statement, 2, (int64_t)i);
        bound |= sqlite3_bind_int64(statement, 3, node->address);
        bound |= bind_text(statement, 4, node->kind);
        bound |= bind_text(statement, 5, node->identity);
        bound |= bind_limit(statement, 6, node->image_bytes < 0 ? PB_ABSENT : node->image_bytes);
        bound |= bind_limit(statement, 7, node->image_bytes < 0 ? PB_ABSENT : node->image_crc32);
        code = insert(store, statement, bound, diag);
    }
    sqlite3_finalize(statement);
    return code;
}

static int append_figures(struct store *store, int64_t run, const struct pb_history_record *record,
                          struct pb_diag *diag)
{
    sqlite3_stmt *statement;
    int code = prepare(store, "INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       &statement, diag);
    for (size_t i = 0; i < record->figures && !code; i++) {
        const struct pb_history_figure *figure = &record->figure[i];
        int bound = sqlite3_bind_int64(statement, 1, run);
        bound |= sqlite3_bind_int64(statement, 2, (int64_t)i);
        bound |= bind_text(statement, 3, figure->id);
        bound |= bind_text(statement, 4, figure->unit);
        bound |= sqlite3_bind_int64(statement, 5, (int64_t)figure->n);
        bound |= sqlite3_bind_int64(statement, 6, figure->min);
        bound |= sqlite3_bind_int64(statement, 7, figure->mean);
        bound |= sqlite3_bind_int64(statement, 8, figure->max);
        bound |= sqlite3_bind_int64(statement, 9, figure->sd);
        bound |= bind_limit(statement, 10, figure->lower);
        bound |= bind_limit(statement, 11, figure->upper);
        bound |= sqlite3_bind_int64(statement, 12, figure->u95);
        bound |= bind_limit(statement, 13, figure->margin);
        bound |= bind_text(statement, 14, figure->judgement);
        code = insert(store, statement, bound, diag);
    }
    sqlite3_finalize(statement);
    return code;
}

static int append_findings(struct store *store, int64_t run, const struct pb_history_record *record,
                           struct pb_diag *diag)
{
    sqlite3_stmt *statement;
    int code = prepare(store, "INSERT INTO finding VALUES (?, ?, ?)", &statement, diag);
    for (size_t i = 0; i < record->findings && !code; i++) {
        int bound = sqlite3_bind_int64(statement, 1, run);
        bound |= bind_text(statement, 2, record->finding[i].kind);
        bound |= sqlite3_bind_int64(statement, 3, (int64_t)record->finding[i].count);
        code = insert(store, statement, bound, diag);
    }
    sqlite3_finalize(statement);
    return code;
}

static int append(struct pb_history *history, const struct pb_history_record *record, struct pb_diag *diag)
{
    struct store *store = (struct store *)history;
    int64_t run;
    int code = run_sql(store, "BEGIN IMMEDIATE", diag);
    if (code)
        return code;
    code = append_run(store, &record->run, &run, diag);
    if (!code)
        code = append_nodes(store, run, record, diag);
    if (!code)
        code = append_figures(store, run, record, diag);
    if (!code)
        code = append_findings(store, run, record, diag);
    return end(store, code, diag);
}

/* ---- reading */

/* The attempt is counted over the whole file, before the filter. Columns: take_run and take_figure. */
static const char query_sql[] =
    "SELECT r.id, attempt, started_utc, scenario, seed, rig, verdict, reason, incomplete, r.unit, station,"
    " operator, program, core, map_hash, findings, address, kind, identity, image_bytes, image_crc32,"
    " m.id, m.unit, n, min, mean, max, sd, lower, upper, u95, margin, judgement"
    " FROM (SELECT *, CASE WHEN unit <> '' AND verdict <> 'inconclusive' THEN row_number() OVER"
    " (PARTITION BY unit, scenario, verdict = 'inconclusive' ORDER BY started_utc, id) ELSE 0 END AS attempt"
    " FROM run) AS r"
    " LEFT JOIN node ON node.run = r.id AND node.place = 0"
    " LEFT JOIN measurement AS m ON m.run = r.id AND m.id = ?1"
    " WHERE (?1 IS NULL OR m.id IS NOT NULL) AND (?2 IS NULL OR r.unit = ?2)"
    " AND (?3 IS NULL OR scenario = ?3) AND (?4 IS NULL OR station = ?4)"
    " AND (?5 IS NULL OR started_utc >= ?5) AND (?6 IS NULL OR verdict = ?6)"
    " ORDER BY started_utc DESC, r.id DESC LIMIT ?7";
enum { NODE_COLUMN = 16, FIGURE_COLUMN = 21 };

static enum pb_verdict verdict_of(sqlite3_stmt *statement, int column)
{
    const char *name = (const char *)sqlite3_column_text(statement, column);
    enum pb_verdict verdict = PB_VERDICT_PASS;
    while (verdict < PB_VERDICT_INCONCLUSIVE && name && strcmp(name, pb_verdict_name(verdict)) != 0)
        verdict++;
    return verdict;
}

static void take_node(struct pb_history_node *node, sqlite3_stmt *statement, int column)
{
    node->address = (uint32_t)sqlite3_column_int64(statement, column);
    get_text(statement, column + 1, node->kind, sizeof node->kind);
    get_text(statement, column + 2, node->identity, sizeof node->identity);
    node->image_bytes = sqlite3_column_type(statement, column + 3) == SQLITE_NULL
                            ? -1
                            : sqlite3_column_int64(statement, column + 3);
    node->image_crc32 = (uint32_t)sqlite3_column_int64(statement, column + 4);
}

static void take_figure(struct pb_history_figure *figure, sqlite3_stmt *statement, int column)
{
    get_text(statement, column, figure->id, sizeof figure->id);
    get_text(statement, column + 1, figure->unit, sizeof figure->unit);
    figure->n = (uint64_t)sqlite3_column_int64(statement, column + 2);
    figure->min = sqlite3_column_int64(statement, column + 3);
    figure->mean = sqlite3_column_int64(statement, column + 4);
    figure->max = sqlite3_column_int64(statement, column + 5);
    figure->sd = sqlite3_column_int64(statement, column + 6);
    figure->lower = get_limit(statement, column + 7);
    figure->upper = get_limit(statement, column + 8);
    figure->u95 = sqlite3_column_int64(statement, column + 9);
    figure->margin = get_limit(statement, column + 10);
    get_text(statement, column + 11, figure->judgement, sizeof figure->judgement);
}

static void take_run(struct pb_history_run *run, sqlite3_stmt *statement)
{
    char seed[24];
    run->id = sqlite3_column_int64(statement, 0);
    run->attempt = (uint64_t)sqlite3_column_int64(statement, 1);
    get_text(statement, 2, run->started_utc, sizeof run->started_utc);
    get_text(statement, 3, run->scenario, sizeof run->scenario);
    get_text(statement, 4, seed, sizeof seed);
    run->seed = strtoull(seed, NULL, 10);
    get_text(statement, 5, run->rig, sizeof run->rig);
    run->verdict = verdict_of(statement, 6);
    get_text(statement, 7, run->reason, sizeof run->reason);
    get_text(statement, 8, run->incomplete, sizeof run->incomplete);
    get_text(statement, 9, run->unit, sizeof run->unit);
    get_text(statement, 10, run->station, sizeof run->station);
    get_text(statement, 11, run->operator_name, sizeof run->operator_name);
    get_text(statement, 12, run->program, sizeof run->program);
    get_text(statement, 13, run->core, sizeof run->core);
    get_text(statement, 14, run->map_hash, sizeof run->map_hash);
    run->findings = (uint64_t)sqlite3_column_int64(statement, 15);
    take_node(&run->node, statement, NODE_COLUMN);
}

static int bind_filter(sqlite3_stmt *statement, const struct pb_history_filter *filter, const char *id)
{
    int bound = bind_text(statement, 1, id);
    bound |= bind_text(statement, 2, filter->unit);
    bound |= bind_text(statement, 3, filter->scenario);
    bound |= bind_text(statement, 4, filter->station);
    bound |= bind_text(statement, 5, filter->since);
    bound |= bind_text(statement, 6, filter->by_verdict ? pb_verdict_name(filter->verdict) : NULL);
    bound |= sqlite3_bind_int64(statement, 7,
                                filter->limit && filter->limit < INT64_MAX ? (int64_t)filter->limit : -1);
    return bound;
}

static int query(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                 int (*take)(void *context, const struct pb_history_value *value), void *context,
                 struct pb_diag *diag)
{
    struct store *store = (struct store *)history;
    struct pb_history_value value = {.figure = {.n = 0}};
    sqlite3_stmt *statement;
    int code = prepare(store, query_sql, &statement, diag);
    if (code)
        return code;
    int status = bind_filter(statement, filter, id);
    if (status != SQLITE_OK)
        code = refuse(store, status, diag);
    while (!code && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        take_run(&value.run, statement);
        if (id)
            take_figure(&value.figure, statement, FIGURE_COLUMN);
        if (take(context, &value))
            code = pb_fail(diag, PB_ERR_MEMORY,
                           "no memory for the runs of history '%.100s'; limit their number", store->path);
    }
    if (!code && status != SQLITE_DONE)
        code = refuse(store, status, diag);
    sqlite3_finalize(statement);
    return code;
}

static void take_finding(struct pb_history_finding *finding, sqlite3_stmt *statement)
{
    get_text(statement, 0, finding->kind, sizeof finding->kind);
    finding->count = (uint64_t)sqlite3_column_int64(statement, 1);
}

/* One of the lists of a record. */
enum list { NODES, FIGURES, FINDINGS, LISTS };
static const char *const list_sql[LISTS] = {
    "SELECT address, kind, identity, image_bytes, image_crc32 FROM node WHERE run = ?1 ORDER BY place",
    ("SELECT id, unit, n, min, mean, max, sd, lower, upper, u95, margin, judgement FROM measurement"
     " WHERE run = ?1 ORDER BY place"),
    "SELECT kind, count FROM finding WHERE run = ?1 ORDER BY kind"};

static bool take_row(struct pb_history_record *record, enum list list, sqlite3_stmt *statement)
{
    void *grown;
    switch (list) {
    case NODES:
        grown = realloc(record->node, (record->nodes + 1) * sizeof *record->node);
        if (grown)
            take_node(&(record->node = grown)[record->nodes++], statement, 0);
        break;
    case FIGURES:
        grown = realloc(record->figure, (record->figures + 1) * sizeof *record->figure);
        if (grown)
            take_figure(&(record->figure = grown)[record->figures++], statement, 0);
        break;
    default:
        grown = realloc(record->finding, (record->findings + 1) * sizeof *record->finding);
        if (grown)
            take_finding(&(record->finding = grown)[record->findings++], statement);
    }
    return grown;
}

static int read_list(struct store *store, struct pb_history_record *record, enum list list,
                     struct pb_diag *diag)
{
    sqlite3_stmt *statement;
    int code = prepare(store, list_sql[list], &statement, diag);
    if (code)
        return code;
    int status = sqlite3_bind_int64(statement, 1, record->run.id);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(statement);
        if (status == SQLITE_ROW && !take_row(record, list, statement))
            status = SQLITE_NOMEM;
    }
    if (status != SQLITE_DONE)
        code = refuse(store, status, diag);
    sqlite3_finalize(statement);
    return code;
}

static int read_record(struct pb_history *history, struct pb_history_record *record, struct pb_diag *diag)
{
    int code = PB_OK;
    for (enum list list = NODES; list < LISTS && !code; list++)
        code = read_list((struct store *)history, record, list, diag);
    return code;
}

/* ---- opening */

static void close_store(struct pb_history *history)
{
    struct store *store = (struct store *)history;
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}

/* A journal is made in the folder of the file. */
static int check_folder(const struct store *store, struct pb_diag *diag)
{
    char folder[PATH_SIZE];
    const char *slash = strrchr(store->path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - store->path + 1) : 1,
             slash ? store->path : ".");
    return access(folder, W_OK) ? cannot(store, errno, "give a file in a folder that may be written", diag)
                                : PB_OK;
}

static int check_file(const struct store *store, enum pb_history_access mode, struct pb_diag *diag)
{
    struct stat status;
    const bool exists = stat(store->path, &status) == 0;
    if (strlen(store->path) >= PATH_SIZE)
        return cannot(store, ENAMETOOLONG, "give a shorter path", diag);
    if (!exists && (errno != ENOENT || mode == PB_HISTORY_READ))
        return cannot(store, errno, "give the file that runs were stored in by --history", diag);
    if (exists && !S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_IO, "history '%.100s': is %s; give a file", store->path,
                       S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
    if (exists && access(store->path, mode == PB_HISTORY_READ ? R_OK : R_OK | W_OK))
        return cannot(store, errno, "change its permissions, or give another file", diag);
    return mode == PB_HISTORY_READ ? PB_OK : check_folder(store, diag);
}

static int open_file(struct store *store, enum pb_history_access mode, struct pb_diag *diag)
{
    bool made;
    int status =
        sqlite3_open_v2(store->path, &store->db,
                        SQLITE_OPEN_READWRITE | (mode == PB_HISTORY_READ ? 0 : SQLITE_OPEN_CREATE), NULL);
    if (!store->db)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for history '%.100s'", store->path);
    if (status != SQLITE_OK)
        return refuse(store, status, diag);
    sqlite3_busy_timeout(store->db, (int)store->patience_ms);
    int code = run_sql(store, "PRAGMA synchronous = FULL", diag);
    if (!code)
        code = look_at_schema(store, &made, diag);
    if (code || made)
        return code;
    return mode == PB_HISTORY_APPEND
               ? make_tables(store, diag)
               : pb_fail(diag, PB_ERR_CONFIG, "history '%.100s': is empty; store a run by --history first",
                         store->path);
}

/* The path, allocated, so that SQLite takes none for a URI or a name of its own, as ":memory:". */
static char *path_of(const char *path)
{
    const size_t size = strlen(path) + 3;
    char *plain = malloc(size);
    if (plain)
        snprintf(plain, size, "%s%s", *path == ':' || !strncmp(path, "file:", 5) ? "./" : "", path);
    return plain;
}

int pb_store_sqlite_open(struct pb_history **out, const char *path, enum pb_history_access mode,
                         unsigned patience_ms, struct pb_diag *diag)
{
    static const struct pb_store_ops ops = {append, query, read_record, close_store};
    struct store *store = malloc(sizeof *store);
    *out = NULL;
    if (!store)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for history '%.100s'", path);
    *store = (struct store){.history.ops = &ops, .path = path_of(path), .patience_ms = patience_ms};
    int code = store->path ? check_file(store, mode, diag)
                           : pb_fail(diag, PB_ERR_MEMORY, "no memory for history '%.100s'", path);
    if (!code)
        code = open_file(store, mode, diag);
    if (code)
        close_store(&store->history);
    else
        *out = &store->history;
    return code;
}
