/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * History of results: a database, in a file or on a PostgreSQL server, to which runs are appended and from
 * which none is removed. docs/use/history.md describes the tables, the yield and the trend of a figure.
 *
 * Several processes may append to and read one history at the same time. A run is in it as a whole or not at
 * all, also after a crash, on a full disk, or when the connection breaks.
 */
#ifndef PHASEBENCH_HISTORY_H
#define PHASEBENCH_HISTORY_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

#define PB_HISTORY_SCHEMA 2           /* version of the tables; a history with a newer one is refused */
#define PB_HISTORY_PATIENCE_MS 10000u /* usual wait for a server, or for the lock of another process */
#define PB_HISTORY_LABEL_SIZE 65      /* of a unit, station or operator, with terminator */
#define PB_HISTORY_KEY_SIZE 33        /* 128 random bits as hexadecimal digits, with terminator */

/* A node of a run. */
struct pb_history_node {
    uint32_t address;
    char kind[24], identity[128]; /* as in struct pb_node_row */
    int64_t image_bytes;          /* size of its firmware file; -1: unknown */
    uint32_t image_crc32;         /* CRC-32 of that file (ISO-HDLC, as zlib, gzip and PNG have it) */
};

struct pb_history_run {
    int64_t id; /* in this history, from 1; pb_history_append ignores it */
    char key[PB_HISTORY_KEY_SIZE]; /* of this run alone, in every history; "": of version 1, only read */
    /* Number of this run among the judged runs of its unit and scenario in the whole history, from 1: 1 is
     * the first pass, more a retest. 0: no unit, or inconclusive. Computed when it is read, never stored. */
    uint64_t attempt;
    char started_utc[32]; /* "2026-11-24T03:21:18Z" */
    char scenario[96];    /* of a validation "validate/PROFILE" */
    char rig[96];
    uint64_t seed;
    enum pb_verdict verdict;
    char reason[256], incomplete[256]; /* as in struct pb_result */
    char unit[PB_HISTORY_LABEL_SIZE];  /* serial number of the board under test; "": not given */
    char station[PB_HISTORY_LABEL_SIZE], operator_name[PB_HISTORY_LABEL_SIZE];
    char program[32];            /* version of phasebench */
    char core[160], map_hash[16]; /* what the core reports of itself; "": unknown */
    char environment[512];        /* "key=value; ...": as in struct pb_result */
    char limits_version[33];      /* of the limits file of a validation; "": none */
    int64_t limits_crc32;         /* CRC-32 of that file; PB_ABSENT: no validation */
    uint64_t findings;            /* all that were found; of a validation the values that fail */
    struct pb_history_node node; /* the first node of the run, on reading */
};

/* A measurement of a run: the fields of struct pb_measurement, by their ids. */
struct pb_history_figure {
    char id[64], unit[16], judgement[16];
    uint64_t n;
    int64_t min, mean, max, sd, u95;
    int64_t lower, upper, margin; /* PB_ABSENT: none */
};

struct pb_history_finding {
    char kind[32];  /* id of the finding; of a validation "step/ID" of a step that failed */
    uint64_t count; /* of those that the result lists; values of the step that fail, at least 1 */
};

/* A kind of finding in several runs. */
struct pb_history_cause {
    char kind[32];
    uint64_t runs, count; /* that have it; findings in all of them */
};

/* A run with its nodes, figures and findings. The lists are owned after reading, borrowed when appending. */
struct pb_history_record {
    struct pb_history_run run;
    struct pb_history_node *node;
    struct pb_history_figure *figure;
    struct pb_history_finding *finding;
    size_t nodes, figures, findings;
};

/* Data of a run that its result does not contain. */
struct pb_history_labels {
    const char *unit, *station, *operator_name; /* NULL: none */
    /* Firmware files of the nodes, in the order of the result: size and CRC-32 are used; NULL: unknown. */
    const struct pb_history_node *image;
    size_t images;
};

/* Selects runs. NULL: any. */
struct pb_history_filter {
    const char *unit, *scenario, *station;
    const char *since; /* "2026-11-24" or "2026-11-24T03:21:18Z": not before it */
    bool by_verdict;
    enum pb_verdict verdict;
    uint64_t limit; /* the newest of them; 0: all */
};

struct pb_history;
struct pb_validation; /* phasebench/validation.h */

enum pb_history_access { PB_HISTORY_READ, PB_HISTORY_APPEND };

/* A place is a path, "sqlite:PATH", or "postgresql://..." or "postgres://...", the URL of a server. Each
 * other form is refused (docs/use/history.md, "Places"). pb_history_is_url returns true for these and all
 * other URLs. A URL may contain a password, so it must not be shown as a file name. */
bool pb_history_is_url(const char *place);
/* Checks a place without opening it. Returns 0, or PB_ERR_CONFIG with the cause and the valid form. */
int pb_history_check_place(const char *place, struct pb_diag *diag);

/* Opens the file or the database of a place; PB_HISTORY_APPEND makes a missing file and missing tables, and
 * brings those of version 1 to this version. patience_ms: longest wait for a lock; of a server for the
 * connection, for a statement outside a transaction, and for a transaction as a whole, at least 2000. Returns
 * 0, PB_ERR_CONFIG (no history, damaged, or of a newer schema; of a server also: bad URL, wrong password, no
 * such database, no permission), PB_ERR_IO (missing, no permission, locked, disk full; of a server: out of
 * reach, lost, or out of time) or PB_ERR_MEMORY. No diagnostic has a password. Close with pb_history_close. A
 * process that forks opens it after the fork. */
int pb_history_open(struct pb_history **out, const char *place, enum pb_history_access access,
                    unsigned patience_ms, struct pb_diag *diag);
void pb_history_close(struct pb_history *history); /* NULL: no effect */

/* Appends a run in one transaction, which is on the disk on return. Returns 0, or as pb_history_open: then
 * nothing of the run is in the file; on a server that was lost it may be there, as a whole. */
int pb_history_append(struct pb_history *history, const struct pb_result *result,
                      const struct pb_history_labels *labels, struct pb_diag *diag);
/* The same for a validation. Unit, station and operator are those of the labels, else of the validation. A
 * value that was kept without its samples counts as one value (n = 1). */
int pb_history_append_validation(struct pb_history *history, const struct pb_validation *validation,
                                 const struct pb_history_labels *labels, struct pb_diag *diag);

/* Appends the runs of a table in text form (docs/use/history.md, "Rows of other programs"): rows with the
 * same run, time, scenario, unit, station and operator are one run. `name`: of the file, for messages.
 * `otherwise`: the run of which scenario, unit, station, operator and rig are taken where the table has none;
 * its verdict is that of a run within its limits. A run that the history has already is not added again; one
 * that the history has with other rows is refused. `history` NULL: the table is checked, and nothing added.
 * All runs are one transaction. Returns 0, PB_ERR_CONFIG with line and column, PB_ERR_MEMORY, or as
 * pb_history_open: then nothing of the table is in the history; on a server that was lost it may be there, as
 * a whole. */
struct pb_imported {
    size_t runs, added; /* of the table; of these, those that the history had not; 0 on failure */
};
struct pb_import_watch {
    void (*take)(void *context, size_t runs, size_t all); /* after each run */
    void *context;
};
int pb_history_import(struct pb_history *history, const char *name, const char *text, size_t length,
                      const struct pb_history_run *otherwise,
                      const struct pb_import_watch *watch /* NULL: none */, struct pb_imported *imported,
                      struct pb_diag *diag);

/* ---- runs on their way to a history */

#define PB_HISTORY_PATH_SIZE 4096

struct pb_history_target {
    const char *place; /* as of pb_history_open */
    /* Of a URL: the file in which runs wait while the server cannot be reached. NULL: that of the server in
     * $XDG_STATE_HOME/phasebench, else ~/.local/state/phasebench, whose folders are made on need. */
    const char *spool;
    unsigned patience_ms; /* as of pb_history_open */
    bool offline;         /* the server is not contacted */
};

/* Outcome for a run that is kept on a server; all 0 for a run that is kept in a file. */
struct pb_history_kept {
    bool spooled;      /* the run waits in the spool */
    size_t delivered;  /* runs that went from the spool to the server */
    size_t waiting;    /* runs in the spool */
    char spool[PB_HISTORY_PATH_SIZE];
    /* Why the run waits, or why the spool was not delivered: as of pb_history_open. PB_ERR_IO: the server may
     * accept it later unchanged; any other code needs an action of the operator. PB_OK: neither failed. */
    int code;
    struct pb_diag cause;
};

/* Opens the history, appends a run, closes it. For a server: first delivers the runs of the spool, for at
 * most patience_ms; a run that the server does not accept is put into the spool. So is a run whose connection
 * breaks during the commit; the history nevertheless contains it only once in the end. Returns 0: the run is
 * in the history or in the spool; else as pb_history_open. */
int pb_history_keep(const struct pb_history_target *target, const struct pb_result *result,
                    const struct pb_history_labels *labels, struct pb_history_kept *kept,
                    struct pb_diag *diag);
int pb_history_keep_validation(const struct pb_history_target *target, const struct pb_validation *validation,
                               const struct pb_history_labels *labels, struct pb_history_kept *kept,
                               struct pb_diag *diag);
/* For use before the runs: returns the code that pb_history_keep would return. `spooled`: the server cannot
 * be reached; the spool is ready. */
int pb_history_try(const struct pb_history_target *target, struct pb_history_kept *kept,
                   struct pb_diag *diag);
/* Delivers all waiting runs to the server of a URL, oldest first. Returns 0, or as pb_history_open; then the
 * other runs still wait. */
int pb_history_deliver(const struct pb_history_target *target, struct pb_history_kept *kept,
                       struct pb_diag *diag);

/* ---- reading */

/* Checks the whole file for damage, such as lost sectors of a disk. For use before its contents are shown.
 * The functions below do the same check; those that read no measurement check the list of runs only. On a
 * server nothing is checked. Returns 0, PB_ERR_CONFIG (damaged), or as pb_history_open. */
int pb_history_verify(struct pb_history *history, struct pb_diag *diag);

/* Each list is in the order of time, the oldest first; the caller frees it with free(). Returns 0, or as
 * pb_history_open. */
int pb_history_runs(struct pb_history *history, const struct pb_history_filter *filter,
                    struct pb_history_run **out, size_t *count, struct pb_diag *diag);

/* One measurement of one run. */
struct pb_history_value {
    struct pb_history_run run;
    struct pb_history_figure figure;
};
/* The values of a measurement ("node_start/link3") in the runs that have it. */
int pb_history_values(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                      struct pb_history_value **out, size_t *count, struct pb_diag *diag);

/* The kinds of finding of these runs; the kind with the most runs first. The list as above. */
int pb_history_causes(struct pb_history *history, const struct pb_history_filter *filter,
                      struct pb_history_cause **out, size_t *count, struct pb_diag *diag);

/* Reads the lists of a run, whose `run` the caller has filled. Release them with pb_history_record_free. */
int pb_history_read(struct pb_history *history, struct pb_history_record *record, struct pb_diag *diag);
void pb_history_record_free(struct pb_history_record *record);

/* ---- computed of what was read; pure */

/* A unit in a scenario. */
struct pb_history_unit {
    const struct pb_history_run *first, *last; /* first pass; last judged run; borrowed from the runs */
    size_t retests;                            /* judged runs after the first pass */
};
/* The units whose first pass is among the runs, by scenario and unit. Returns 0 or PB_ERR_MEMORY; the caller
 * frees *out. */
int pb_history_units(struct pb_history_unit **out, size_t *units, const struct pb_history_run *run,
                     size_t runs);

/* Yield of a scenario: of the units whose first pass is among the runs. Marginal counts as passed. */
struct pb_history_yield {
    const char *scenario; /* borrowed from the runs */
    char day[11];         /* of the first pass, "2026-11-24"; "": of all days */
    const char *station;  /* of the first pass; NULL: of all stations; borrowed */
    size_t units, first_passed;
    size_t finally_passed;     /* passed in the last judged run of the unit */
    size_t retests;            /* judged runs after the first pass */
    const char *worst_station; /* with the least first-pass yield, then with the most units; borrowed */
    size_t worst_units, worst_passed;
};
/* Rows by scenario: first all days, then each day; after each of these, with `stations`, the rows of its
 * stations. Returns 0 or PB_ERR_MEMORY; the caller frees *out. */
int pb_history_yield(struct pb_history_yield **out, size_t *rows, const struct pb_history_run *run,
                     size_t runs, bool stations);

/* Why there is no Cpk, or no Ppk. */
enum pb_history_capability {
    PB_CAPABLE,
    PB_CAPABLE_FEW,    /* fewer than two values */
    PB_CAPABLE_FREE,   /* no limit */
    PB_CAPABLE_UNLIKE, /* the limits of the runs differ */
    PB_CAPABLE_EQUAL,  /* all values are equal; of Cpk: those of each run */
    PB_CAPABLE_ALONE   /* of Cpk: no run has two values */
};

/* Source of the estimate of the deviation within runs: ranges, or the pooled deviations of the runs. */
enum pb_history_within { PB_WITHIN_RANGES, PB_WITHIN_POOLED };

/* A measurement over time, in the unit of the figure. A run counts by its mean, a value as one of its n. */
struct pb_history_trend {
    size_t runs;
    double mean, sd;             /* of the means of the runs; sd: with runs - 1, 0 for one run */
    uint64_t n;                  /* values of all runs */
    double value_mean, value_sd; /* of all values, from n, mean and sd of each run; with n - 1 */
    /* Ppk: min(upper - mean, mean - lower) / (3 sd) of all values; Cpk: the same with the deviation within
     * runs. 0 unless PB_CAPABLE. */
    enum pb_history_capability capability; /* why there is no Ppk */
    double ppk;
    enum pb_history_capability cpk_capability;
    double cpk;
    enum pb_history_within within;
    double within_sd;     /* 0: unknown, or the values of each run are equal */
    int64_t lower, upper; /* the limits of all runs; PB_ABSENT: none, or they differ */
    bool drifts;          /* at least three runs, not all at one time */
    double slope, slope_error; /* a day; least squares through the means of the runs, and standard error */
};
void pb_history_trend_of(struct pb_history_trend *out, const struct pb_history_value *value, size_t count);

/* The causes, yields, units and a measurement of some runs as one HTML page. */
struct pb_history_page {
    const struct pb_history_run *run; /* in the order of time */
    size_t runs;
    const struct pb_history_cause *cause;
    size_t causes;
    const struct pb_history_value *value; /* NULL: no measurement is shown */
    size_t values;
};
/* Returns 0, PB_ERR_IO or PB_ERR_MEMORY. */
int pb_report_history_html(FILE *stream, const struct pb_history_page *page);

/* Forms of the tables. They return 0, PB_ERR_IO or PB_ERR_MEMORY, and do not close the stream. */
enum pb_history_form { PB_HISTORY_TEXT, PB_HISTORY_JSON, PB_HISTORY_CSV };
int pb_report_history_runs(FILE *stream, enum pb_history_form form, const struct pb_history_run *run,
                           size_t runs);
/* One unit, as text: its firmware and reasons, too; JSON and CSV are those of the runs. */
int pb_report_history_unit(FILE *stream, const char *unit, const struct pb_history_run *run, size_t runs);
int pb_report_history_yield(FILE *stream, enum pb_history_form form, const struct pb_history_yield *row,
                            size_t rows);
/* At least one value. */
int pb_report_history_figure(FILE *stream, enum pb_history_form form, const struct pb_history_value *value,
                             size_t values);
/* All that is stored of these runs, read one by one, as JSON or as CSV with a row for each measurement.
 * Returns PB_OK or the code of *diag. */
int pb_report_history_export(FILE *stream, enum pb_history_form form, struct pb_history *history,
                             const struct pb_history_run *run, size_t runs, struct pb_diag *diag);

/* Seconds since 1970 of "2026-11-24T03:21:18Z" or "2026-11-24" (midnight); false: `utc` has neither form. */
bool pb_history_seconds(const char *utc, int64_t *seconds);

PB_API_END

#endif
