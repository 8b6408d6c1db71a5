/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values */

static struct pb_sql_value text_of(const char *text)
{
    return (struct pb_sql_value){.type = PB_SQL_TEXT, .null = !text, .text = text};
}

static struct pb_sql_value integer_of(int64_t value)
{
    return (struct pb_sql_value){.type = PB_SQL_INTEGER, .integer = value};
}

static struct pb_sql_value limit_of(int64_t value)
{
    return (struct pb_sql_value){.type = PB_SQL_INTEGER, .null = value == PB_ABSENT, .integer = value};
}

static void get_text(const char *column, char *out, size_t size)
{
    snprintf(out, size, "%s", column ? column : "");
}

static int64_t get_integer(const char *column)
{
    return column ? strtoll(column, NULL, 10) : 0;
}

static int64_t get_limit(const char *column)
{
    return column ? strtoll(column, NULL, 10) : PB_ABSENT;
}

/* ---- appending */

static int take_id(void *context, const char *const *column)
{
    *(int64_t *)context = get_integer(column[0]);
    return 0;
}

/* *id stays 0 if the run is there already. */
static int append_run(struct pb_sql *sql, const struct pb_history_run *run, int64_t *id, struct pb_diag *diag)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    const struct pb_sql_value value[] = {text_of(run->key),
                                         text_of(run->started_utc),
                                         text_of(run->scenario),
                                         text_of(seed),
                                         text_of(run->rig),
                                         text_of(pb_verdict_name(run->verdict)),
                                         text_of(run->reason),
                                         text_of(run->incomplete),
                                         text_of(run->unit),
                                         text_of(run->station),
                                         text_of(run->operator_name),
                                         text_of(run->program),
                                         text_of(run->core),
                                         text_of(run->map_hash),
                                         integer_of((int64_t)run->findings),
                                         text_of(run->environment),
                                         text_of(run->limits_version),
                                         limit_of(run->limits_crc32)};
    return sql->ops->execute(sql,
                             "INSERT INTO run (key, started_utc, scenario, seed, rig, verdict, reason,"
                             " incomplete, unit, station, operator, program, core, map_hash, findings,"
                             " environment, limits_version, limits_crc32) VALUES ($1, $2, $3, $4, $5, $6,"
                             " $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
                             " ON CONFLICT (key) DO NOTHING RETURNING id",
                             value, sizeof value / sizeof value[0], take_id, id, diag);
}

static void fill_node(struct pb_sql_value *value, const struct pb_history_record *record, size_t row)
{
    const struct pb_history_node *node = &record->node[row];
    value[0] = integer_of((int64_t)row);
    value[1] = integer_of(node->address);
    value[2] = text_of(node->kind);
    value[3] = text_of(node->identity);
    value[4] = limit_of(node->image_bytes < 0 ? PB_ABSENT : node->image_bytes);
    value[5] = limit_of(node->image_bytes < 0 ? PB_ABSENT : node->image_crc32);
}

static void fill_figure(struct pb_sql_value *value, const struct pb_history_record *record, size_t row)
{
    const struct pb_history_figure *figure = &record->figure[row];
    value[0] = integer_of((int64_t)row);
    value[1] = text_of(figure->id);
    value[2] = text_of(figure->unit);
    value[3] = integer_of((int64_t)figure->n);
    value[4] = integer_of(figure->min);
    value[5] = integer_of(figure->mean);
    value[6] = integer_of(figure->max);
    value[7] = integer_of(figure->sd);
    value[8] = limit_of(figure->lower);
    value[9] = limit_of(figure->upper);
    value[10] = integer_of(figure->u95);
    value[11] = limit_of(figure->margin);
    value[12] = text_of(figure->judgement);
}

static void fill_finding(struct pb_sql_value *value, const struct pb_history_record *record, size_t row)
{
    value[0] = text_of(record->finding[row].kind);
    value[1] = integer_of((int64_t)record->finding[row].count);
}

/* The lists of a record: their tables, with the columns after `run`. */
enum list { NODES, FIGURES, FINDINGS, LISTS };
static const struct {
    const char *table, *select;
    unsigned columns;
    void (*fill)(struct pb_sql_value *value, const struct pb_history_record *record, size_t row);
} lists[LISTS] = {
    {"node",
     "SELECT address, kind, identity, image_bytes, image_crc32 FROM node WHERE run = $1 ORDER BY place", 6,
     fill_node},
    {"measurement",
     "SELECT id, unit, n, min, mean, max, sd, lower, upper, u95, margin, judgement FROM measurement"
     " WHERE run = $1 ORDER BY place",
     13, fill_figure},
    {"finding", "SELECT kind, count FROM finding WHERE run = $1 ORDER BY kind", 2, fill_finding}};

static size_t rows_of(const struct pb_history_record *record, enum list list)
{
    return list == NODES ? record->nodes : list == FIGURES ? record->figures : record->findings;
}

/* "INSERT INTO node VALUES ($1, $2, ...), (...)" */
static void make_insert(char *out, size_t size, const char *table, unsigned columns, size_t rows)
{
    size_t length = (size_t)snprintf(out, size, "INSERT INTO %s VALUES ", table);
    for (size_t i = 0; i < rows * columns; i++)
        length += (size_t)snprintf(out + length, size - length, "%s$%zu%s",
                                   i % columns ? ", " : i ? ", (" : "(", i + 1,
                                   (i + 1) % columns ? "" : ")");
}

/* Some rows with each statement: a server that is far away costs one round trip for each. */
static int append_list(struct pb_sql *sql, int64_t run, const struct pb_history_record *record,
                       enum list list, struct pb_diag *diag)
{
    struct pb_sql_value value[PB_SQL_PARAMETERS_MAX];
    char statement[64 + 8 * PB_SQL_PARAMETERS_MAX];
    const size_t rows = rows_of(record, list);
    const unsigned columns = lists[list].columns + 1;
    int code = PB_OK;
    for (size_t from = 0, some; from < rows && !code; from += some) {
        some = rows - from < PB_SQL_ROWS_MAX ? rows - from : PB_SQL_ROWS_MAX;
        for (size_t i = 0; i < some; i++) {
            value[i * columns] = integer_of(run);
            lists[list].fill(&value[i * columns + 1], record, from + i);
        }
        make_insert(statement, sizeof statement, lists[list].table, columns, some);
        code = sql->ops->execute(sql, statement, value, (unsigned)some * columns, NULL, NULL, diag);
    }
    return code;
}

static int append(struct pb_history *history, const struct pb_history_record *record, bool *added,
                  struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    int64_t run = 0;
    int code = sql->several ? PB_OK : sql->ops->begin(sql, diag);
    if (code)
        return code;
    code = append_run(sql, &record->run, &run, diag);
    for (enum list list = NODES; list < LISTS && !code && run; list++)
        code = append_list(sql, run, record, list, diag);
    if (!code && run && sql->ops->seal)
        code = sql->ops->seal(sql, run, diag);
    if (!sql->several)
        code = sql->ops->end(sql, code, diag);
    if (added && run && !code)
        *added = true;
    return code;
}

static int begin(struct pb_history *history, struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    sql->several = true;
    const int code = sql->ops->begin(sql, diag);
    sql->several = !code;
    return code;
}

static int end(struct pb_history *history, int code, struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    code = sql->ops->end(sql, code, diag);
    sql->several = false;
    return code;
}

/* ---- reading */

static int check(struct pb_sql *sql, bool all, struct pb_diag *diag)
{
    return sql->ops->check ? sql->ops->check(sql, all, diag) : PB_OK;
}

static int verify(struct pb_history *history, struct pb_diag *diag)
{
    return check((struct pb_sql *)history, true, diag);
}

/* The runs of a filter, whose parameters are $2 to $6; the attempt is counted over all runs before that. */
#define ALL_RUNS                                                                                             \
    " FROM (SELECT *, CASE WHEN unit <> '' AND verdict <> 'inconclusive' THEN row_number() OVER"             \
    " (PARTITION BY unit, scenario, verdict = 'inconclusive' ORDER BY started_utc, id) ELSE 0 END AS "       \
    "attempt"                                                                                                \
    " FROM run) AS r"
#define CHOSEN                                                                                               \
    " AND ($2 IS NULL OR r.unit = $2) AND ($3 IS NULL OR scenario = $3) AND ($4 IS NULL OR station = $4)"    \
    " AND ($5 IS NULL OR started_utc >= $5) AND ($6 IS NULL OR verdict = $6)"
#define NEWEST " ORDER BY started_utc DESC, r.id DESC LIMIT $7"

/* Columns: take_run, take_node. */
#define RUN_AND_NODE                                                                                         \
    " started_utc, scenario, seed, rig, verdict, reason, incomplete, r.unit, station, operator, program,"    \
    " core, map_hash, findings, key, environment, limits_version, limits_crc32,"                             \
    " address, kind, identity, image_bytes, image_crc32"
#define FIRST_NODE " LEFT JOIN node ON node.run = r.id AND node.place = 0"

/* Then: take_figure. */
static const char query_sql[] =
    "SELECT r.id, attempt," RUN_AND_NODE
    ", m.id, m.unit, n, min, mean, max, sd, lower, upper, u95, margin, judgement" ALL_RUNS FIRST_NODE
    " LEFT JOIN measurement AS m ON m.run = r.id AND m.id = $1"
    " WHERE ($1 IS NULL OR m.id IS NOT NULL)" CHOSEN NEWEST;
enum { NODE_COLUMN = 20, FIGURE_COLUMN = 25 };

static const char find_sql[] = "SELECT r.id, 0," RUN_AND_NODE " FROM run AS r" FIRST_NODE
                               " WHERE key >= $1 AND key <= $2 ORDER BY key";

/* The same parameters, although the first one has no meaning here. */
static const char count_sql[] =
    "SELECT f.kind, count(*), sum(f.count) FROM finding AS f JOIN (SELECT r.id" ALL_RUNS
    " WHERE $1 IS NULL" CHOSEN NEWEST ") AS chosen ON f.run = chosen.id"
    " GROUP BY f.kind ORDER BY count(*) DESC, f.kind";

enum { FILTER_PARAMETERS = 7 };

static void fill_filter(struct pb_sql_value value[FILTER_PARAMETERS], const struct pb_history_filter *filter,
                        const char *id)
{
    value[0] = text_of(id);
    value[1] = text_of(filter->unit);
    value[2] = text_of(filter->scenario);
    value[3] = text_of(filter->station);
    value[4] = text_of(filter->since);
    value[5] = text_of(filter->by_verdict ? pb_verdict_name(filter->verdict) : NULL);
    value[6] = integer_of(filter->limit && filter->limit < INT64_MAX ? (int64_t)filter->limit : INT64_MAX);
}

static enum pb_verdict verdict_of(const char *name)
{
    enum pb_verdict verdict = PB_VERDICT_PASS;
    while (verdict < PB_VERDICT_INCONCLUSIVE && name && strcmp(name, pb_verdict_name(verdict)) != 0)
        verdict++;
    return verdict;
}

static void take_node(struct pb_history_node *node, const char *const *column)
{
    node->address = (uint32_t)get_integer(column[0]);
    get_text(column[1], node->kind, sizeof node->kind);
    get_text(column[2], node->identity, sizeof node->identity);
    node->image_bytes = column[3] ? get_integer(column[3]) : -1;
    node->image_crc32 = (uint32_t)get_integer(column[4]);
}

static void take_figure(struct pb_history_figure *figure, const char *const *column)
{
    get_text(column[0], figure->id, sizeof figure->id);
    get_text(column[1], figure->unit, sizeof figure->unit);
    figure->n = (uint64_t)get_integer(column[2]);
    figure->min = get_integer(column[3]);
    figure->mean = get_integer(column[4]);
    figure->max = get_integer(column[5]);
    figure->sd = get_integer(column[6]);
    figure->lower = get_limit(column[7]);
    figure->upper = get_limit(column[8]);
    figure->u95 = get_integer(column[9]);
    figure->margin = get_limit(column[10]);
    get_text(column[11], figure->judgement, sizeof figure->judgement);
}

static void take_finding(struct pb_history_finding *finding, const char *const *column)
{
    get_text(column[0], finding->kind, sizeof finding->kind);
    finding->count = (uint64_t)get_integer(column[1]);
}

static void take_run(struct pb_history_run *run, const char *const *column)
{
    run->id = get_integer(column[0]);
    run->attempt = (uint64_t)get_integer(column[1]);
    get_text(column[2], run->started_utc, sizeof run->started_utc);
    get_text(column[3], run->scenario, sizeof run->scenario);
    run->seed = column[4] ? strtoull(column[4], NULL, 10) : 0;
    get_text(column[5], run->rig, sizeof run->rig);
    run->verdict = verdict_of(column[6]);
    get_text(column[7], run->reason, sizeof run->reason);
    get_text(column[8], run->incomplete, sizeof run->incomplete);
    get_text(column[9], run->unit, sizeof run->unit);
    get_text(column[10], run->station, sizeof run->station);
    get_text(column[11], run->operator_name, sizeof run->operator_name);
    get_text(column[12], run->program, sizeof run->program);
    get_text(column[13], run->core, sizeof run->core);
    get_text(column[14], run->map_hash, sizeof run->map_hash);
    run->findings = (uint64_t)get_integer(column[15]);
    get_text(column[16], run->key, sizeof run->key);
    get_text(column[17], run->environment, sizeof run->environment);
    get_text(column[18], run->limits_version, sizeof run->limits_version);
    run->limits_crc32 = get_limit(column[19]);
    take_node(&run->node, column + NODE_COLUMN);
}

struct query {
    int (*take)(void *context, const struct pb_history_value *value);
    void *context;
    bool of_figure;
};

static int take_value(void *context, const char *const *column)
{
    const struct query *query = context;
    struct pb_history_value value = {.figure = {.n = 0}};
    take_run(&value.run, column);
    if (query->of_figure)
        take_figure(&value.figure, column + FIGURE_COLUMN);
    return query->take(query->context, &value);
}

static int query(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                 int (*take)(void *context, const struct pb_history_value *value), void *context,
                 struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    struct pb_sql_value value[FILTER_PARAMETERS];
    struct query query = {take, context, id != NULL};
    const int code = check(sql, id != NULL, diag);
    if (code)
        return code;
    fill_filter(value, filter, id);
    return sql->ops->execute(sql, query_sql, value, FILTER_PARAMETERS, take_value, &query, diag);
}

struct counting {
    int (*take)(void *context, const struct pb_history_cause *cause);
    void *context;
};

static int take_cause(void *context, const char *const *column)
{
    const struct counting *counting = context;
    struct pb_history_cause cause = {.runs = (uint64_t)get_integer(column[1]),
                                     .count = (uint64_t)get_integer(column[2])};
    get_text(column[0], cause.kind, sizeof cause.kind);
    return counting->take(counting->context, &cause);
}

static int count(struct pb_history *history, const struct pb_history_filter *filter,
                 int (*take)(void *context, const struct pb_history_cause *cause), void *context,
                 struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    struct pb_sql_value value[FILTER_PARAMETERS];
    struct counting counting = {take, context};
    const int code = check(sql, true, diag);
    if (code)
        return code;
    fill_filter(value, filter, NULL);
    return sql->ops->execute(sql, count_sql, value, FILTER_PARAMETERS, take_cause, &counting, diag);
}

/* ---- the lists of a record */

struct reading {
    struct pb_history_record *record;
    enum list list;
};

static int take_row(void *context, const char *const *column)
{
    struct pb_history_record *record = ((struct reading *)context)->record;
    void *grown;
    switch (((struct reading *)context)->list) {
    case NODES:
        grown = realloc(record->node, (record->nodes + 1) * sizeof *record->node);
        if (grown)
            take_node(&(record->node = grown)[record->nodes++], column);
        break;
    case FIGURES:
        grown = realloc(record->figure, (record->figures + 1) * sizeof *record->figure);
        if (grown)
            take_figure(&(record->figure = grown)[record->figures++], column);
        break;
    default:
        grown = realloc(record->finding, (record->findings + 1) * sizeof *record->finding);
        if (grown)
            take_finding(&(record->finding = grown)[record->findings++], column);
    }
    return grown ? PB_OK : PB_ERR_MEMORY;
}

static int read_list(struct pb_sql *sql, struct pb_history_record *record, enum list list,
                     struct pb_diag *diag)
{
    const struct pb_sql_value run = integer_of(record->run.id);
    return sql->ops->execute(sql, lists[list].select, &run, 1, take_row, &(struct reading){record, list},
                             diag);
}

static int read_record(struct pb_history *history, struct pb_history_record *record, struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    int code = check(sql, true, diag);
    for (enum list list = NODES; list < LISTS && !code; list++)
        code = read_list(sql, record, list, diag);
    return code;
}

struct found {
    struct pb_history_run *run; /* owned */
    size_t count;
};

static int take_found(void *context, const char *const *column)
{
    struct found *found = context;
    struct pb_history_run *const grown = realloc(found->run, (found->count + 1) * sizeof *grown);
    if (!grown)
        return PB_ERR_MEMORY;
    found->run = grown;
    grown[found->count] = (struct pb_history_run){.id = 0};
    take_run(&grown[found->count++], column);
    return PB_OK;
}

static int find(struct pb_history *history, const char *first, const char *last,
                int (*take)(void *context, const struct pb_history_record *record), void *context,
                struct pb_diag *diag)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    const struct pb_sql_value value[] = {text_of(first), text_of(last)};
    struct found found = {.count = 0};
    int code = sql->ops->execute(sql, find_sql, value, 2, take_found, &found, diag);
    for (size_t i = 0; i < found.count && !code; i++) {
        struct pb_history_record record = {.run = found.run[i]};
        code = read_list(sql, &record, FIGURES, diag);
        if (!code)
            code = take(context, &record);
        pb_history_record_free(&record);
    }
    free(found.run);
    return code;
}

static void close_store(struct pb_history *history)
{
    struct pb_sql *sql = (struct pb_sql *)history;
    sql->ops->close(sql);
}

const struct pb_store_ops pb_sql_store_ops = {append, begin,       end,    find,       query,
                                              count,  read_record, verify, close_store};
