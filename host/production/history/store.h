/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interface of a store of a history. A store keeps records and returns them by filter, in order of time. It
 * computes only the number of the attempt and sums of findings.
 */
#ifndef PB_HISTORY_STORE_H
#define PB_HISTORY_STORE_H

#include "phasebench/history.h"

struct pb_history {
    const struct pb_store_ops *ops;
};

/* Each but `close` returns 0, or a code of pb_history_open with its diagnostic. */
struct pb_store_ops {
    /* All or nothing. A record whose key the store has already adds nothing; *added (NULL: not asked) then
     * stays. */
    int (*append)(struct pb_history *history, const struct pb_history_record *record, bool *added,
                  struct pb_diag *diag);
    /* Makes the calls of `append` and `find` until `end` one transaction, all or nothing. */
    int (*begin)(struct pb_history *history, struct pb_diag *diag);
    /* Commits if code is 0, else takes all back and returns code. */
    int (*end)(struct pb_history *history, int code, struct pb_diag *diag);
    /* Calls `take` for each run whose key is at least `first` and at most `last`, with its first node and its
     * measurements; a code of `take` ends the search. */
    int (*find)(struct pb_history *history, const char *first, const char *last,
                int (*take)(void *context, const struct pb_history_record *record), void *context,
                struct pb_diag *diag);
    /* Calls `take` for each run, the newest first, with its measurement `id` (NULL: without one); a code of
     * `take` ends the query. */
    int (*query)(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                 int (*take)(void *context, const struct pb_history_value *value), void *context,
                 struct pb_diag *diag);
    /* Calls `take` for each kind of finding of these runs, that of most runs first. */
    int (*count)(struct pb_history *history, const struct pb_history_filter *filter,
                 int (*take)(void *context, const struct pb_history_cause *cause), void *context,
                 struct pb_diag *diag);
    int (*read)(struct pb_history *history, struct pb_history_record *record, struct pb_diag *diag);
    int (*verify)(struct pb_history *history, struct pb_diag *diag);
    void (*close)(struct pb_history *history);
};

/* Reads a place (docs/use/history.md, "Places"). *path: that of a file, within `place`; NULL: of a server.
 * PB_ERR_CONFIG: another form; the diagnostic has the valid one. */
int pb_place_read(const char *place, const char **path, struct pb_diag *diag);

/* A file of SQLite. spool_of: the server that it is the spool of, whose runs may be removed; NULL: a history.
 * A file is refused as the other one. */
int pb_store_sqlite_open(struct pb_history **out, const char *path, const char *spool_of,
                         enum pb_history_access access, unsigned patience_ms, struct pb_diag *diag);

/* A database of PostgreSQL, by its URL. PB_ERR_IO: it cannot be reached, was lost, or cannot work at the
 * moment, so that the same may succeed later. */
int pb_store_postgres_open(struct pb_history **out, const char *url, enum pb_history_access access,
                           unsigned patience_ms, struct pb_diag *diag);

/* A server of a URL, as messages name it: without password. PB_ERR_CONFIG: it is none. */
#define PB_SERVER_NAME_SIZE 192
int pb_store_postgres_name(char name[PB_SERVER_NAME_SIZE], const char *url, struct pb_diag *diag);

#endif
