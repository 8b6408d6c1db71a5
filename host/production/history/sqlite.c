/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A store in a file of SQLite with a rollback journal. Unlike a write-ahead log it also works on a network
 * file system, and a reader needs no write permission. A query fetches all its rows at once, so that no
 * reader holds the lock while it prints. A spool is such a file with one more table and without the triggers.
 */
#include "schema.h"
#include "sql.h"

#include "host/base/room.h"
#include "host/base/whole_file.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    PATH_SIZE = 4096,
    APPLICATION = 0x70624869, /* application_id of the file: "pbHi" */
    STATEMENTS = 16           /* an import repeats about 10 */
};

struct store {
    struct pb_sql sql;
    sqlite3 *db;          /* owned */
    char *path;           /* owned */
    const char *spool_of; /* borrowed while it is opened; NULL: a history */
    const char *what;     /* "history" or "spool" */
    unsigned patience_ms;
    sqlite3_stmt *kept[STATEMENTS]; /* owned: the last ones, prepared; NULL: none */
    unsigned oldest;                /* of them */
    sqlite3_stmt *statement;        /* the one in use */
    bool runs_checked, all_checked;
};

/* ---- tables in the words of SQLite */

#define KEEP(table)                                                                                          \
    "CREATE TRIGGER " table "_stays BEFORE DELETE ON " table                                                 \
    " BEGIN SELECT raise(ABORT, '" PB_HISTORY_REFUSAL "'); END;"                                             \
    "CREATE TRIGGER " table "_holds BEFORE UPDATE ON " table                                                 \
    " BEGIN SELECT raise(ABORT, '" PB_HISTORY_REFUSAL "'); END;"
#define UNTIE(table) "DROP TRIGGER IF EXISTS " table "_stays; DROP TRIGGER IF EXISTS " table "_holds;"

static const char make_sql[] =
    PB_HISTORY_TABLES("INTEGER PRIMARY KEY", "TEXT", "INTEGER", " STRICT", " STRICT, WITHOUT ROWID");
/* The triggers would refuse the keys of the runs of version 1. */
static const char to_2_sql[] = PB_HISTORY_EACH(UNTIE) PB_HISTORY_TO_2("TEXT", "INTEGER")
    "UPDATE run SET key = lower(hex(randomblob(16)));";
static const char keep_sql[] = PB_HISTORY_EACH(KEEP);
static const char spool_sql[] = "CREATE TABLE spool (destination TEXT NOT NULL) STRICT;";
/* A check value of a run, which detects a bit that flips on the disk. A file of schema version 2 may lack it;
 * programs without this check can read and append. */
static const char seal_sql[] =
    "CREATE TABLE seal (run INTEGER PRIMARY KEY REFERENCES run, crc32 INTEGER NOT NULL) STRICT;";
static const char has_seals_sql[] = "SELECT count(*) FROM sqlite_master WHERE name = 'seal'";
static const char keep_seals_sql[] = KEEP("seal");
static const char drop_seals_sql[] = "CREATE TRIGGER seal_goes AFTER DELETE ON run"
                                     " BEGIN DELETE FROM seal WHERE run = old.id; END;";
/* A file of version 1 is read as one of version 2: a temporary view hides the table. */
static const char view_sql[] =
    "PRAGMA temp_store = MEMORY; CREATE TEMP VIEW run AS SELECT *, NULL AS key, '' AS environment,"
    " '' AS limits_version, NULL AS limits_crc32 FROM main.run;";

/* ---- errors */

static int cannot(const struct store *store, int error, const char *remedy, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_IO, "%s '%.100s': %s; %s", store->what, store->path, strerror(error), remedy);
}

static int damaged(const struct store *store, const char *what, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s '%.100s': is damaged (%.60s); restore a copy, or save what is left by "
                   "'sqlite3 FILE .recover'",
                   store->what, store->path, what);
}

/* Where SQLite has lost errno: the file is at a limit of its size, a quota is used up, or the disk fails. */
static bool cannot_write(int status)
{
    return status == SQLITE_IOERR_WRITE || status == SQLITE_IOERR_FSYNC || status == SQLITE_IOERR_TRUNCATE;
}

static const char *left_out(const struct store *store)
{
    return store->sql.several ? "nothing of this table is stored, the runs before are whole"
                              : "nothing of this run is stored, the runs before are whole";
}

/* What a result code of SQLite means; the message of SQLite where it has no sentence here. */
static int refuse(const struct store *store, int status, struct pb_diag *diag)
{
    const int error = sqlite3_system_errno(store->db);
    switch (status & 0xFF) {
    case SQLITE_NOMEM:
        return pb_fail(diag, PB_ERR_MEMORY, "%s '%.100s': out of memory; limit the number of runs",
                       store->what, store->path);
    case SQLITE_BUSY:
        return pb_fail(diag, PB_ERR_IO,
                       "%s '%.100s': another process has held its lock for %u ms; end that process, or "
                       "try again",
                       store->what, store->path, store->patience_ms);
    case SQLITE_NOTADB:
        return pb_fail(diag, PB_ERR_CONFIG, "%s '%.100s': is no SQLite database; give another file",
                       store->what, store->path);
    case SQLITE_ERROR: /* a table or a column is missing */
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s '%.100s': lacks a part of a history (%.60s); restore a copy, or give another file",
                       store->what, store->path, sqlite3_errmsg(store->db));
    case SQLITE_CORRUPT:
        return damaged(store, sqlite3_errmsg(store->db), diag);
    case SQLITE_FULL:
        return cannot(store, ENOSPC, left_out(store), diag);
    case SQLITE_IOERR:
        if (!cannot_write(sqlite3_extended_errcode(store->db)))
            break;
        return pb_fail(diag, PB_ERR_IO,
                       "%s '%.100s': cannot be written (disk full, quota or size limit); %s", store->what,
                       store->path, left_out(store));
    case SQLITE_READONLY:
        return cannot(store, EACCES, "it must be writable, and so must its folder", diag);
    case SQLITE_CANTOPEN:
        return cannot(store, error ? error : EACCES, "give a file in a folder that may be written", diag);
    default:
        break;
    }
    return pb_fail(diag, PB_ERR_IO, "%s '%.100s': %.120s; check the disk, or restore a copy", store->what,
                   store->path, sqlite3_errmsg(store->db));
}

/* ---- statements */

static int run_sql(struct store *store, const char *sql, struct pb_diag *diag)
{
    const int status = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return status == SQLITE_OK ? PB_OK : refuse(store, status, diag);
}

static void forget_statements(struct store *store)
{
    for (unsigned i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(store->kept[i]);
        store->kept[i] = NULL;
    }
}

/* The last statements stay prepared: each run repeats them. */
static int prepare(struct store *store, const char *sql, struct pb_diag *diag)
{
    for (unsigned i = 0; i < STATEMENTS; i++)
        if (store->kept[i] && !strcmp(sql, sqlite3_sql(store->kept[i]))) {
            store->statement = store->kept[i];
            return PB_OK;
        }
    sqlite3_stmt **const its = &store->kept[store->oldest];
    sqlite3_finalize(*its);
    *its = NULL;
    const int status = sqlite3_prepare_v2(store->db, sql, -1, its, NULL);
    if (status != SQLITE_OK)
        return refuse(store, status, diag);
    store->statement = *its;
    store->oldest = (store->oldest + 1) % STATEMENTS;
    return PB_OK;
}

static int bind(sqlite3_stmt *statement, int at, const struct pb_sql_value *value)
{
    if (value->null)
        return sqlite3_bind_null(statement, at);
    return value->type == PB_SQL_TEXT ? sqlite3_bind_text(statement, at, value->text, -1, SQLITE_STATIC)
                                      : sqlite3_bind_int64(statement, at, value->integer);
}

static int take_columns(sqlite3_stmt *statement, pb_sql_take *take, void *context)
{
    const char *column[PB_SQL_COLUMNS_MAX];
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        column[i] = (const char *)sqlite3_column_text(statement, i);
    return take(context, column);
}

static int execute(struct pb_sql *sql, const char *text, const struct pb_sql_value *parameter,
                   unsigned parameters, pb_sql_take *take, void *context, struct pb_diag *diag)
{
    struct store *store = (struct store *)sql;
    int code = prepare(store, text, diag), status = SQLITE_OK;
    if (code)
        return code;
    for (unsigned i = 0; i < parameters && status == SQLITE_OK; i++)
        status = bind(store->statement, (int)i + 1, &parameter[i]);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(store->statement);
        if (status == SQLITE_ROW && take && take_columns(store->statement, take, context))
            status = SQLITE_NOMEM;
    }
    if (status != SQLITE_DONE)
        code = refuse(store, status, diag);
    sqlite3_reset(store->statement);
    sqlite3_clear_bindings(store->statement);
    return code;
}

/* ---- transactions and tables */

static int begin(struct pb_sql *sql, struct pb_diag *diag)
{
    return run_sql((struct store *)sql, "BEGIN IMMEDIATE", diag);
}

static int end(struct pb_sql *sql, int code, struct pb_diag *diag)
{
    struct store *store = (struct store *)sql;
    if (!code)
        code = run_sql(store, "COMMIT", diag);
    if (code && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

static int take_number(void *context, const char *const *column)
{
    *(int64_t *)context = column[0] ? strtoll(column[0], NULL, 10) : 0;
    return 0;
}

static int get_number(struct store *store, const char *sql, int64_t *number, struct pb_diag *diag)
{
    *number = 0;
    return execute(&store->sql, sql, NULL, 0, take_number, number, diag);
}

/* *version: of its tables; 0: it is empty. */
static int look_at_schema(struct store *store, int64_t *version, struct pb_diag *diag)
{
    int64_t application, objects;
    int code = get_number(store, "PRAGMA application_id", &application, diag);
    if (!code)
        code = get_number(store, "PRAGMA user_version", version, diag);
    if (!code)
        code = get_number(store, "SELECT count(*) FROM sqlite_master", &objects, diag);
    if (code)
        return code;
    if (application == APPLICATION && *version > PB_HISTORY_SCHEMA)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s '%.100s': has schema version %lld, this program knows versions up to %d; use "
                       "a newer phasebench",
                       store->what, store->path, (long long)*version, PB_HISTORY_SCHEMA);
    if (application == APPLICATION ? *version < 1 : application || *version || objects)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s '%.100s': is a database of another program; give another file", store->what,
                       store->path);
    return PB_OK;
}

static int take_destination(void *context, const char *const *column)
{
    snprintf(context, PB_SERVER_NAME_SIZE, "%s", column[0] ? column[0] : "");
    return 0;
}

/* Refuses a spool used as a history, a history used as a spool, and the spool of another server: runs would
 * reach the wrong database. */
static int look_at_spool(struct store *store, enum pb_history_access mode, struct pb_diag *diag)
{
    char destination[PB_SERVER_NAME_SIZE] = "";
    int64_t spools;
    int code = get_number(store, "SELECT count(*) FROM sqlite_master WHERE name = 'spool'", &spools, diag);
    if (!code && spools)
        code = execute(&store->sql, "SELECT destination FROM spool", NULL, 0, take_destination, destination,
                       diag);
    if (code)
        return code;
    if (store->spool_of && !spools)
        return pb_fail(diag, PB_ERR_CONFIG, "spool '%.100s': is a history; give another file", store->path);
    if (store->spool_of ? strcmp(destination, store->spool_of) != 0 : spools && mode == PB_HISTORY_APPEND)
        return pb_fail(diag, PB_ERR_CONFIG, "%s '%.100s': is the spool of '%.100s'; give another file",
                       store->what, store->path, destination);
    return PB_OK;
}

/* Brings the tables from a version to the present one. */
static int build(struct store *store, int64_t version, struct pb_diag *diag)
{
    char sql[96];
    int code = version < 1 ? run_sql(store, make_sql, diag) : PB_OK;
    if (!code)
        code = run_sql(store, to_2_sql, diag);
    if (!code && store->spool_of) {
        const struct pb_sql_value destination = {.type = PB_SQL_TEXT, .text = store->spool_of};
        code = run_sql(store, spool_sql, diag);
        if (!code)
            code = execute(&store->sql, "INSERT INTO spool VALUES ($1)", &destination, 1, NULL, NULL, diag);
    } else if (!code) {
        code = run_sql(store, keep_sql, diag);
    }
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             PB_HISTORY_SCHEMA);
    return code ? code : run_sql(store, sql, diag);
}

static int build_seals(struct store *store, struct pb_diag *diag)
{
    int64_t seals;
    int code = get_number(store, has_seals_sql, &seals, diag);
    if (code || seals)
        return code;
    code = run_sql(store, seal_sql, diag);
    return code ? code : run_sql(store, store->spool_of ? drop_seals_sql : keep_seals_sql, diag);
}

/* Of several processes one makes them; the others wait for it. */
static int make_tables(struct store *store, struct pb_diag *diag)
{
    int64_t version;
    int code = begin(&store->sql, diag);
    if (code)
        return code;
    code = look_at_schema(store, &version, diag); /* another process may have been first */
    if (!code && version < PB_HISTORY_SCHEMA)
        code = build(store, version, diag);
    if (!code)
        code = build_seals(store, diag);
    return end(&store->sql, code, diag);
}

/* ---- damage */

#define COMPLAINT_SIZE 200

/* The first one, without the line that names the database. */
static int take_complaint(void *context, const char *const *column)
{
    const char *const text = column[0] ? column[0] : "", *const line = strchr(text, '\n');
    char *const complaint = context;
    if (!*complaint && strcmp(text, "ok") != 0)
        snprintf(complaint, COMPLAINT_SIZE, "%s", line ? line + 1 : text);
    return 0;
}

/* A sector that was lost may read as one without rows; the indices and the rules of the columns show it. */
static int check_pages(struct store *store, const char *pragma, struct pb_diag *diag)
{
    char complaint[COMPLAINT_SIZE] = "";
    const int code = execute(&store->sql, pragma, NULL, 0, take_complaint, complaint, diag);
    return !code && *complaint ? damaged(store, complaint, diag) : code;
}

/* Check values of the runs of some numbers. */
struct sealed {
    const struct store *store;
    struct seal {
        int64_t run;
        uint32_t kept, found;
    } *seal; /* in the order of the runs */
    size_t count, at;
};

static int take_content(void *context, const char *const *column)
{
    struct sealed *sealed = context;
    const int64_t run = strtoll(column[0], NULL, 10);
    while (sealed->at < sealed->count && sealed->seal[sealed->at].run < run)
        sealed->at++;
    if (sealed->at == sealed->count || sealed->seal[sealed->at].run != run)
        return 0; /* of a program that kept no check values */
    uint32_t *const sum = &sealed->seal[sealed->at].found;
    for (int i = 0; i < sqlite3_column_count(sealed->store->statement); i++) {
        const char *const text = column[i] ? column[i] : "\xFF"; /* which no text of UTF-8 is */
        *sum = (uint32_t)crc32(*sum, (const unsigned char *)text, (unsigned)strlen(text) + 1);
    }
    return 0;
}

/* Adds up what the runs have, of all columns of schema version 2. */
static int sum_up(struct sealed *sealed, int64_t first, int64_t last, struct pb_diag *diag)
{
    static const char *const content[] = {
        "SELECT * FROM main.run WHERE id BETWEEN $1 AND $2 ORDER BY id",
        "SELECT * FROM node WHERE run BETWEEN $1 AND $2 ORDER BY run, place",
        "SELECT * FROM measurement WHERE run BETWEEN $1 AND $2 ORDER BY run, place",
        "SELECT * FROM finding WHERE run BETWEEN $1 AND $2 ORDER BY run, kind"};
    const struct pb_sql_value runs[] = {{.type = PB_SQL_INTEGER, .integer = first},
                                        {.type = PB_SQL_INTEGER, .integer = last}};
    struct pb_sql *sql = (struct pb_sql *)&sealed->store->sql;
    int code = PB_OK;
    for (size_t i = 0; i < sizeof content / sizeof content[0] && !code; i++) {
        sealed->at = 0;
        code = execute(sql, content[i], runs, 2, take_content, sealed, diag);
    }
    return code;
}

static int seal_run(struct pb_sql *sql, int64_t run, struct pb_diag *diag)
{
    struct seal seal = {.run = run};
    struct sealed sealed = {(const struct store *)sql, &seal, 1, 0};
    const int code = sum_up(&sealed, run, run, diag);
    const struct pb_sql_value value[] = {{.type = PB_SQL_INTEGER, .integer = run},
                                         {.type = PB_SQL_INTEGER, .integer = seal.found}};
    return code ? code : execute(sql, "INSERT INTO seal VALUES ($1, $2)", value, 2, NULL, NULL, diag);
}

static int take_seal(void *context, const char *const *column)
{
    struct sealed *sealed = context;
    if (pb_make_room(&sealed->seal, &sealed->count, sealed->at + 1, sizeof *sealed->seal))
        return PB_ERR_MEMORY;
    sealed->seal[sealed->at++] = (struct seal){.run = strtoll(column[0], NULL, 10),
                                               .kept = (uint32_t)strtoll(column[1], NULL, 10)};
    return 0;
}

static int check_seals(struct store *store, struct pb_diag *diag)
{
    struct sealed sealed = {.store = store};
    int64_t seals;
    int code = get_number(store, has_seals_sql, &seals, diag);
    if (code || !seals)
        return code;
    code = execute(&store->sql, "SELECT run, crc32 FROM seal ORDER BY run", NULL, 0, take_seal, &sealed,
                   diag);
    sealed.count = sealed.at;
    if (!code)
        code = sum_up(&sealed, INT64_MIN, INT64_MAX, diag);
    for (size_t i = 0; i < sealed.count && !code; i++)
        if (sealed.seal[i].found != sealed.seal[i].kept) {
            char what[64];
            snprintf(what, sizeof what, "run %lld is not as it was stored", (long long)sealed.seal[i].run);
            code = damaged(store, what, diag);
        }
    free(sealed.seal);
    return code;
}

static int check(struct pb_sql *sql, bool all, struct pb_diag *diag)
{
    struct store *store = (struct store *)sql;
    if (store->all_checked || (store->runs_checked && !all))
        return PB_OK;
    int code = check_pages(store, all ? "PRAGMA integrity_check(1)" : "PRAGMA integrity_check('run')", diag);
    if (!code)
        code = all ? check_seals(store, diag) : check_pages(store, "PRAGMA integrity_check('node')", diag);
    store->runs_checked |= !code;
    store->all_checked |= !code && all;
    return code;
}

/* ---- opening */

static void disconnect(struct store *store)
{
    forget_statements(store);
    sqlite3_close(store->db);
    store->db = NULL;
}

static void close_store(struct pb_sql *sql)
{
    struct store *store = (struct store *)sql;
    disconnect(store);
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

static int check_file(const struct store *store, enum pb_history_access mode, bool *made,
                      struct pb_diag *diag)
{
    struct stat status;
    const bool exists = stat(store->path, &status) == 0;
    *made = !exists;
    if (strlen(store->path) >= PATH_SIZE)
        return cannot(store, ENAMETOOLONG, "give a shorter path", diag);
    if (!exists && (errno != ENOENT || mode == PB_HISTORY_READ))
        return cannot(store, errno, "give the file that runs were stored in by --history", diag);
    if (exists && !S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_IO, "%s '%.100s': is %s; give a file", store->what, store->path,
                       S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
    if (exists && access(store->path, mode == PB_HISTORY_READ ? R_OK : R_OK | W_OK))
        return cannot(store, errno, "change its permissions, or give another file", diag);
    return mode == PB_HISTORY_READ ? PB_OK : check_folder(store, diag);
}

/* A spool of version 1 was never made. */
static int open_tables(struct store *store, enum pb_history_access mode, struct pb_diag *diag)
{
    int64_t version, seals = 0;
    int code = look_at_schema(store, &version, diag);
    if (!code && version)
        code = look_at_spool(store, mode, diag);
    if (!code && mode == PB_HISTORY_APPEND)
        code = get_number(store, has_seals_sql, &seals, diag);
    if (code || (version == PB_HISTORY_SCHEMA && (seals || mode == PB_HISTORY_READ)))
        return code;
    if (mode == PB_HISTORY_APPEND) {
        code = make_tables(store, diag);
        return code ? code : look_at_spool(store, mode, diag); /* another process may have been first */
    }
    return version ? run_sql(store, view_sql, diag)
                   : pb_fail(diag, PB_ERR_CONFIG, "%s '%.100s': is empty; store a run by --history first",
                             store->what, store->path);
}

static int open_file(struct store *store, enum pb_history_access mode, struct pb_diag *diag)
{
    const int status = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE, NULL);
    if (!store->db)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %s '%.100s'", store->what, store->path);
    if (status != SQLITE_OK)
        return refuse(store, status, diag);
    sqlite3_busy_timeout(store->db, (int)store->patience_ms);
    const int code = run_sql(store, "PRAGMA synchronous = FULL", diag);
    return code ? code : open_tables(store, mode, diag);
}

/* SQLite makes an empty file before its first transaction, which stays where the process ends in that. So the
 * tables of a new file are made in memory. Another process may be first: then its file is taken. */
static int make_file(struct store *store, struct pb_diag *diag)
{
    sqlite3_int64 length = 0;
    int code = sqlite3_open(":memory:", &store->db) == SQLITE_OK ? make_tables(store, diag) : PB_ERR_MEMORY;
    unsigned char *const bytes = code ? NULL : sqlite3_serialize(store->db, "main", &length, 0);
    const int error = bytes ? pb_new_file_write(store->path, bytes, (size_t)length) : 0;
    if (error && error != EEXIST)
        code = cannot(store, error, "nothing is stored, and no file is made", diag);
    else if (!code && !bytes)
        code = PB_ERR_MEMORY;
    if (code == PB_ERR_MEMORY)
        pb_fail(diag, code, "no memory for %s '%.100s'", store->what, store->path);
    sqlite3_free(bytes);
    disconnect(store);
    return code;
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

int pb_store_sqlite_open(struct pb_history **out, const char *path, const char *spool_of,
                         enum pb_history_access mode, unsigned patience_ms, struct pb_diag *diag)
{
    static const struct pb_sql_ops ops = {begin, end, execute, check, seal_run, close_store};
    const char *const what = spool_of ? "spool" : "history";
    struct store *store = malloc(sizeof *store);
    *out = NULL;
    if (!store)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %s '%.100s'", what, path);
    *store = (struct store){
        .path = path_of(path), .spool_of = spool_of, .what = what, .patience_ms = patience_ms};
    pb_sql_init(&store->sql, &ops);
    bool made = false;
    int code = store->path ? check_file(store, mode, &made, diag)
                           : pb_fail(diag, PB_ERR_MEMORY, "no memory for %s '%.100s'", what, path);
    if (!code && made)
        code = make_file(store, diag);
    if (!code)
        code = open_file(store, mode, diag);
    if (code)
        close_store(&store->sql);
    else
        *out = &store->sql.history;
    return code;
}
