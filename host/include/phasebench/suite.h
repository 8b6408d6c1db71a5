/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A suite: several scenarios run together, the state of each, and the reports of the whole. A report of a
 * suite is a head, the element of each result in order, and an end, so that one result in memory suffices.
 */
#ifndef PHASEBENCH_SUITE_H
#define PHASEBENCH_SUITE_H

#include "phasebench/api.h"
#include "phasebench/result.h"

#include <stdio.h>

PB_API_BEGIN

/* X(name, id, words of a table) */
#define PB_CASE_STATE_LIST(X)                                                                                \
    X(NOT_RUN, "not_run", "not run")       /* the suite was stopped before; no result */                    \
    X(SKIPPED, "skipped", "skipped")       /* the node does not support it; no result */                    \
    X(JUDGED, "judged", "judged")          /* a complete run */                                              \
    X(INCOMPLETE, "incomplete", "cut off") /* the run ended early; the part before is judged */              \
    X(REFUSED, "refused", "refused")       /* the rig cannot run it */                                       \
    X(NO_RIG, "no_rig", "no rig")          /* no core was reached */                                         \
    X(CRASHED, "crashed", "crashed")       /* its process ended before it had a result */

enum pb_case_state {
#define PB_CASE_STATE_ENUM(name, id, words) PB_CASE_##name,
    PB_CASE_STATE_LIST(PB_CASE_STATE_ENUM)
#undef PB_CASE_STATE_ENUM
        PB_CASE_STATES
};

#define PB_CASE_QUARANTINE_SIZE 160
#define PB_CASE_DATE_SIZE 24
#define PB_CASE_RIG_SIZE 256
#define PB_SUITE_SHARDS_MAX 10000

struct pb_case {
    char name[96];    /* unique in the suite */
    char path[256];   /* of the scenario */
    char folder[256]; /* its output directory, inside that of the suite; "": none written */
    char reason[256]; /* of the verdict, or of its absence */
    size_t entry; /* of pb_suite_run: its index among the entries; else 0 */
    enum pb_case_state state;
    enum pb_verdict verdict; /* PB_VERDICT_INCONCLUSIVE without a result */
    int exit_code;           /* of the run alone */
    uint64_t slots;          /* checked */
    size_t findings;
    /* Smallest distance of a start of a node's transmission from its limits; negative: outside. */
    bool margin_known;
    int64_t margin_ps;
    int64_t queue_depth; /* most messages that a node had in one queue; -1: no node counts them */
    int64_t wall_ns;
    struct pb_unchecked unchecked; /* what its run did not check */
    char trace[64]; /* file name of a waveform in that directory; "": none */
    char rig[PB_CASE_RIG_SIZE]; /* that it ran on, of several; "": the one of the suite */
    /* Failed runs before the last run: their number, and reason and id of the first. */
    unsigned retries;
    char first_reason[256];
    char first_id[48]; /* its first finding, or its verdict */
    /* Reason for which its failure does not count, and until which date (YYYY-MM-DD); "": it counts. */
    char quarantine[PB_CASE_QUARANTINE_SIZE], until[PB_CASE_DATE_SIZE];
};

/* One of several rigs that a suite is distributed over. */
struct pb_suite_rig {
    char url[PB_CASE_RIG_SIZE];
    char serial[64]; /* of the board; "": none */
    size_t cases;    /* that ended on it */
    char lost[256];  /* why it was taken out of use; "": it was not */
};

#define PB_SHARD_OF_SIZE 9
struct pb_suite {
    struct pb_case *one; /* owned by the creator */
    size_t count;
    unsigned jobs; /* runs at a time */
    int64_t wall_ns;
    char started_utc[32];
    int exit_code; /* of the worst case that counts */
    bool running;  /* not ended yet */
    unsigned shard, shards; /* the part `shard` (1..shards) of a suite; shards 0: all of it */
    bool last_failed; /* only the cases that had failed; of these one that was not run still has */
    char shard_of[PB_SHARD_OF_SIZE]; /* whose part: CRC-32 of the names of all its cases, in hexadecimal */
    struct pb_suite_rig *rig; /* owned by the creator; NULL: all cases on one rig */
    size_t rigs;
};

struct pb_suite_totals {
    size_t judged;                               /* complete, or cut off with slots checked */
    size_t not_judged;                           /* neither judged, nor excused, nor skipped */
    size_t verdict[PB_VERDICT_INCONCLUSIVE + 1]; /* of the judged cases that are not excused */
    size_t flaky;   /* passed, but not in their first run */
    size_t excused; /* did not pass, in quarantine */
    size_t healed;  /* passed, in quarantine */
    size_t state[PB_CASE_STATES];
    struct pb_unchecked unchecked; /* by the judged cases */
    enum pb_verdict worst; /* fail, inconclusive, marginal, pass; a case without a verdict is inconclusive,
                               a skipped or excused one does not count */
};

/* False: not run, or skipped. */
bool pb_case_ran(const struct pb_case *one);
/* A whole run with exit code 0. */
bool pb_case_passed(const struct pb_case *one);
bool pb_case_flaky(const struct pb_case *one);
/* In quarantine, and its node failed, or its run was inconclusive or took too long: it counts in nothing. */
bool pb_case_excused(const struct pb_case *one);
const char *pb_case_state_id(enum pb_case_state state);
/* "flaky", "quarantined", the verdict, or the state: for a table */
const char *pb_case_word(const struct pb_case *one);
/* Writes a sentence about a case that is flaky or in quarantine, "" for another case. Returns text. */
#define PB_CASE_NOTE_SIZE 600
const char *pb_case_note(const struct pb_case *one, char text[PB_CASE_NOTE_SIZE]);
struct pb_suite_totals pb_suite_count(const struct pb_suite *suite);

/* Fills the members that the result determines: all except name, folder, state, exit_code, rig, retries and
 * quarantine. */
void pb_case_fill(struct pb_case *one, const struct pb_result *result);

/* Reports of the whole: begin, the elements, end. Each returns 0, PB_ERR_MEMORY or PB_ERR_IO (the stream
 * failed). */
int pb_suite_json_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_json_end(FILE *stream);
int pb_suite_junit_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_junit_end(FILE *stream);
int pb_csv_begin(FILE *stream); /* the line of column names; no end */
int pb_tap_begin(FILE *stream, size_t points); /* version and plan; no end */
int pb_suite_html(FILE *stream, const struct pb_suite *suite); /* index.html, one file */

/* A stored suite, or a single run as a suite of one case. */
struct pb_suite_document {
    struct pb_suite suite;     /* its cases and rigs are owned */
    struct pb_result **result; /* owned; of each case, NULL: it has none */
};
/* Reads what pb_suite_json_begin and its elements, or pb_report_json, wrote. Errors as pb_report_read_json.
 * Release with pb_suite_document_free. */
int pb_suite_read_json(struct pb_suite_document *out, const char *text, size_t length, struct pb_diag *diag);
void pb_suite_document_free(struct pb_suite_document *document); /* an empty one: no effect */

/* Write the element of one result; *_alone: of a case without a result. number: from 1. one: its case, for
 * retries and quarantine; NULL: a single run. */
int pb_case_csv(FILE *stream, const struct pb_result *result); /* may be empty */
int pb_case_junit(FILE *stream, const struct pb_result *result, const struct pb_case *one);
int pb_case_junit_alone(FILE *stream, const struct pb_case *one);
int pb_case_tap(FILE *stream, const struct pb_result *result, const struct pb_case *one, size_t number);
int pb_case_tap_alone(FILE *stream, const struct pb_case *one, size_t number);

PB_API_END

#endif
