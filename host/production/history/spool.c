/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Delivers runs to a history. A run that a server does not accept waits in a spool, a file of SQLite, and is
 * removed from there once the server has it. In between it may be in both: because of its key a second
 * delivery adds nothing.
 */
#include "record.h"

#include "host/base/monotonic.h"
#include "sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- the file */

/* What a program keeps between its runs: XDG Base Directory Specification 0.8. */
static int state_folder(char *out, size_t size, struct pb_diag *diag)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length;
    if (state && *state == '/')
        length = snprintf(out, size, "%s/phasebench", state);
    else if (home && *home == '/')
        length = snprintf(out, size, "%s/.local/state/phasebench", home);
    else
        return pb_fail(diag, PB_ERR_CONFIG,
                       "spool: neither XDG_STATE_HOME nor HOME names a folder; give the file by --spool");
    return (size_t)length < size ? PB_OK
                                 : pb_fail(diag, PB_ERR_CONFIG,
                                           "spool: the path of the state folder has %d bytes, %zu are "
                                           "possible; give the file by --spool",
                                           length, size - 1);
}

/* The name of a server in words that a file name may have, and its CRC-32, for these are not unique. */
static int default_path(char path[PB_HISTORY_PATH_SIZE], const char *server, struct pb_diag *diag)
{
    const uint32_t sum = (uint32_t)crc32(0, (const unsigned char *)server, (unsigned)strlen(server));
    char folder[PB_HISTORY_PATH_SIZE - 2 * PB_SERVER_NAME_SIZE], name[PB_SERVER_NAME_SIZE];
    const int code = state_folder(folder, sizeof folder, diag);
    snprintf(name, sizeof name, "%s", server + strlen("postgresql://"));
    for (char *at = name; *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-", *at))
            *at = '_';
    if (!code)
        snprintf(path, PB_HISTORY_PATH_SIZE, "%s/spool-%.64s-%08x.db", folder, name, (unsigned)sum);
    return code;
}

/* Makes the folders above a file; an error shows when the file is opened. */
static void make_folders(const char *path)
{
    char folder[PB_HISTORY_PATH_SIZE];
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        mkdir(folder, 0700);
    }
}

struct spool {
    char server[PB_SERVER_NAME_SIZE];
    const char *path;
    unsigned patience_ms;
    bool own_folder; /* that of the state, which is made on need */
};

static int find_spool(struct spool *spool, char path[PB_HISTORY_PATH_SIZE],
                      const struct pb_history_target *target, struct pb_diag *diag)
{
    *spool = (struct spool){
        .path = path, .patience_ms = target->patience_ms, .own_folder = target->spool == NULL};
    const int code = pb_store_postgres_name(spool->server, target->place, diag);
    if (code || !target->spool)
        return code ? code : default_path(path, spool->server, diag);
    if (strlen(target->spool) >= PB_HISTORY_PATH_SIZE)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "spool '%.60s...': the path has %zu bytes, %d are possible; give a "
                       "shorter one",
                       target->spool, strlen(target->spool), PB_HISTORY_PATH_SIZE - 1);
    snprintf(path, PB_HISTORY_PATH_SIZE, "%s", target->spool);
    return PB_OK;
}

static int open_spool(struct pb_history **out, const struct spool *spool, struct pb_diag *diag)
{
    if (spool->own_folder)
        make_folders(spool->path);
    return pb_store_sqlite_open(out, spool->path, spool->server, PB_HISTORY_APPEND, spool->patience_ms, diag);
}

static bool has_file(const struct spool *spool)
{
    return access(spool->path, F_OK) == 0;
}

/* ---- delivery */

static int remove_run(struct pb_history *history, int64_t id, struct pb_diag *diag)
{
    static const char *const statement[] = {
        "DELETE FROM finding WHERE run = $1", "DELETE FROM measurement WHERE run = $1",
        "DELETE FROM node WHERE run = $1", "DELETE FROM run WHERE id = $1"};
    struct pb_sql *sql = (struct pb_sql *)history;
    const struct pb_sql_value run = {.type = PB_SQL_INTEGER, .integer = id};
    int code = sql->ops->begin(sql, diag);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof statement / sizeof statement[0] && !code; i++)
        code = sql->ops->execute(sql, statement[i], &run, 1, NULL, NULL, diag);
    return sql->ops->end(sql, code, diag);
}

/* A value that is damaged in a spool would be one of the history for ever. Another process may take runs out
 * of the spool, so it is locked. */
static int verify_spool(struct pb_history *spool, struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)spool;
    const int code = sql->ops->begin(sql, diag);
    return code ? code : sql->ops->end(sql, pb_history_verify(spool, diag), diag);
}

/* *refused: the error is one of the server. */
static int deliver_run(struct pb_history *server, struct pb_history *spool, const struct pb_history_run *run,
                       bool *refused, struct pb_diag *diag)
{
    struct pb_history_record record = {.run = *run};
    int code = pb_history_read(spool, &record, diag);
    if (!code) {
        code = server->ops->append(server, &record, NULL, diag);
        *refused = code;
    }
    pb_history_record_free(&record);
    return code ? code : remove_run(spool, run->id, diag);
}

/* In the order of time; no further run is begun after limit_ms (0: none). */
static int deliver(struct pb_history *server, const struct spool *spool, unsigned limit_ms,
                   struct pb_history_kept *kept, bool *refused, struct pb_diag *diag)
{
    struct pb_history *waiting;
    struct pb_history_run *run = NULL;
    const int64_t begun_ms = pb_monotonic_ms();
    size_t runs = 0;
    *refused = false;
    if (!has_file(spool))
        return PB_OK;
    int code = open_spool(&waiting, spool, diag);
    if (code)
        return code;
    code = pb_history_runs(waiting, &(struct pb_history_filter){.limit = 0}, &run, &runs, diag);
    if (!code && runs)
        code = verify_spool(waiting, diag);
    for (size_t i = 0; i < runs && !code && !(limit_ms && pb_monotonic_ms() - begun_ms >= limit_ms); i++) {
        code = deliver_run(server, waiting, &run[i], refused, diag);
        kept->delivered += !code;
    }
    kept->waiting = runs - kept->delivered;
    free(run);
    pb_history_close(waiting);
    return code;
}

/* ---- keeping */

static int count_waiting(struct pb_history *waiting, size_t *count, struct pb_diag *diag)
{
    struct pb_history_run *run;
    const int code = pb_history_runs(waiting, &(struct pb_history_filter){.limit = 0}, &run, count, diag);
    free(run);
    return code;
}

/* Into the spool; NULL: nothing, but the spool is made, so that a run can be kept later. */
static int wait_in_spool(const struct spool *spool, const struct pb_history_record *record,
                         struct pb_history_kept *kept, struct pb_diag *diag)
{
    struct pb_history *waiting;
    int code = open_spool(&waiting, spool, diag);
    if (!code && record)
        code = waiting->ops->append(waiting, record, NULL, diag);
    if (!code)
        code = count_waiting(waiting, &kept->waiting, diag);
    pb_history_close(waiting);
    kept->spooled = !code;
    return code;
}

/* To the server; what waits goes first. A spool that cannot be delivered does not keep a run from the server,
 * unless the server was lost. */
static int send(struct pb_history *server, const struct spool *spool, const struct pb_history_record *record,
                struct pb_history_kept *kept)
{
    struct pb_diag diag;
    bool refused;
    kept->code = deliver(server, spool, spool->patience_ms, kept, &refused, &kept->cause);
    if (kept->code == PB_ERR_IO && refused)
        return kept->code;
    const int code = server->ops->append(server, record, NULL, &diag);
    if (code) {
        kept->code = code;
        kept->cause = diag;
    }
    return code;
}

static int keep_for_server(const struct pb_history_target *target, const struct pb_history_record *record,
                           struct pb_history_kept *kept, struct pb_diag *diag)
{
    struct pb_history *server = NULL;
    struct spool spool;
    int code = find_spool(&spool, kept->spool, target, diag);
    if (code)
        return code;
    if (!target->offline) {
        code = kept->code = pb_history_open(&server, target->place, PB_HISTORY_APPEND, target->patience_ms,
                                            &kept->cause);
        if (!code)
            code = send(server, &spool, record, kept);
        pb_history_close(server);
    }
    return code || target->offline ? wait_in_spool(&spool, record, kept, diag) : PB_OK;
}

/* Keeps a record that was made with code `made`, and frees it. */
static int keep(const struct pb_history_target *target, struct pb_history_record *record, int made,
                struct pb_history_kept *kept, struct pb_diag *diag)
{
    int code = made;
    *kept = (struct pb_history_kept){.spooled = false};
    if (!code && pb_history_is_url(target->place)) {
        code = keep_for_server(target, record, kept, diag);
    } else if (!code) {
        struct pb_history *history;
        code = pb_history_open(&history, target->place, PB_HISTORY_APPEND, target->patience_ms, diag);
        if (!code)
            code = history->ops->append(history, record, NULL, diag);
        pb_history_close(history);
    }
    pb_history_record_free(record);
    return code;
}

int pb_history_keep(const struct pb_history_target *target, const struct pb_result *result,
                    const struct pb_history_labels *labels, struct pb_history_kept *kept,
                    struct pb_diag *diag)
{
    struct pb_history_record record;
    return keep(target, &record, pb_record_of_result(&record, result, labels, diag), kept, diag);
}

int pb_history_keep_validation(const struct pb_history_target *target, const struct pb_validation *validation,
                               const struct pb_history_labels *labels, struct pb_history_kept *kept,
                               struct pb_diag *diag)
{
    struct pb_history_record record;
    return keep(target, &record, pb_record_of_validation(&record, validation, labels, diag), kept, diag);
}

/* ---- before the runs, and without one */

int pb_history_try(const struct pb_history_target *target, struct pb_history_kept *kept, struct pb_diag *diag)
{
    struct pb_history *history;
    struct spool spool;
    int code = PB_OK;
    *kept = (struct pb_history_kept){.spooled = false};
    if (pb_history_is_url(target->place))
        code = find_spool(&spool, kept->spool, target, diag);
    if (!code && *kept->spool && has_file(&spool)) { /* a bad one is better known before the runs */
        code = open_spool(&history, &spool, diag);
        if (!code)
            code = verify_spool(history, diag);
        pb_history_close(history);
    }
    if (code)
        return code;
    code = pb_history_open(&history, target->place, PB_HISTORY_APPEND, target->patience_ms, diag);
    pb_history_close(history);
    if (code != PB_ERR_IO || !*kept->spool)
        return code;
    kept->code = code;
    kept->cause = *diag;
    return wait_in_spool(&spool, NULL, kept, diag);
}

int pb_history_deliver(const struct pb_history_target *target, struct pb_history_kept *kept,
                       struct pb_diag *diag)
{
    struct pb_history *server;
    struct spool spool;
    bool refused;
    *kept = (struct pb_history_kept){.spooled = false};
    int code = find_spool(&spool, kept->spool, target, diag);
    if (!code)
        code = pb_history_open(&server, target->place, PB_HISTORY_APPEND, target->patience_ms, diag);
    if (code)
        return code;
    code = deliver(server, &spool, 0, kept, &refused, diag);
    pb_history_close(server);
    return code;
}
