/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A store in an SQL database: the statements, which are the same in each, on top of the few calls that a
 * database needs. Parameters are $1, $2, ... in the order in which they first occur, for SQLite numbers them
 * so. No text of a user is ever part of a statement.
 */
#ifndef PB_HISTORY_SQL_H
#define PB_HISTORY_SQL_H

#include "store.h"

struct pb_sql_value {
    enum pb_sql_type { PB_SQL_TEXT, PB_SQL_INTEGER } type;
    bool null;
    int64_t integer;
    const char *text; /* borrowed */
};

/* Takes a row: the text of each column, NULL for a null, valid during the call. Nonzero: out of memory. */
typedef int pb_sql_take(void *context, const char *const *column);

struct pb_sql;
/* Each but `close` returns 0, or a code of pb_history_open with its diagnostic. */
struct pb_sql_ops {
    int (*begin)(struct pb_sql *sql, struct pb_diag *diag);
    /* Commits if code is 0, else rolls back and returns code. */
    int (*end)(struct pb_sql *sql, int code, struct pb_diag *diag);
    /* Executes one statement and gives its rows to `take` (NULL: it has none). */
    int (*execute)(struct pb_sql *sql, const char *statement, const struct pb_sql_value *parameter,
                   unsigned parameters, pb_sql_take *take, void *context, struct pb_diag *diag);
    /* Refuses data that would be read incorrectly, at its first call and at the first with `all`. all: also
     * checks measurements and findings. NULL: the database itself detects damage. */
    int (*check)(struct pb_sql *sql, bool all, struct pb_diag *diag);
    /* Within a transaction: keeps a check value of a run that was appended. NULL: as `check`. */
    int (*seal)(struct pb_sql *sql, int64_t run, struct pb_diag *diag);
    void (*close)(struct pb_sql *sql);
};

struct pb_sql {
    struct pb_history history;
    const struct pb_sql_ops *ops;
    bool several; /* the transaction in progress has more than one run */
};

enum {
    PB_SQL_COLUMNS_MAX = 48,
    PB_SQL_ROWS_MAX = 32, /* that one INSERT has */
    PB_SQL_PARAMETERS_MAX = 16 * PB_SQL_ROWS_MAX
};

/* All but close by the statements; close by that of the database. */
extern const struct pb_store_ops pb_sql_store_ops;

/* Makes a store of a database; `sql` is the first member of what the database allocated. */
static inline void pb_sql_init(struct pb_sql *sql, const struct pb_sql_ops *ops)
{
    sql->history.ops = &pb_sql_store_ops;
    sql->ops = ops;
}

#endif
