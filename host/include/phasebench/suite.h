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

struct pb_case {
    char name[96];    /* unique in the suite */
    char path[256];   /* of the scenario */
    char folder[256]; /* its output directory, inside that of the suite; "": none written */
    char reason[256]; /* of the verdict, or of its absence */
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
    char trace[64]; /* file name of a waveform in that directory; "": none */
};

struct pb_suite {
    struct pb_case *one; /* owned by the creator */
    size_t count;
    unsigned jobs; /* runs at a time */
    int64_t wall_ns;
    char started_utc[32];
    int exit_code; /* of the worst case */
    bool running;  /* not ended yet */
};

struct pb_suite_totals {
    size_t judged;                               /* complete, or cut off with slots checked */
    size_t not_judged;                           /* neither judged nor skipped */
    size_t verdict[PB_VERDICT_INCONCLUSIVE + 1]; /* of the judged cases */
    size_t state[PB_CASE_STATES];
    enum pb_verdict worst; /* fail, inconclusive, marginal, pass; a case without a verdict is inconclusive,
                               a skipped one does not count */
};

/* False: not run, or skipped. */
bool pb_case_ran(const struct pb_case *one);
const char *pb_case_state_id(enum pb_case_state state);
const char *pb_case_word(const struct pb_case *one); /* the verdict, or the state: for a table */
struct pb_suite_totals pb_suite_count(const struct pb_suite *suite);

/* Fills all but name, folder, state and exit_code from the result. */
void pb_case_fill(struct pb_case *one, const struct pb_result *result);

/* Reports of the whole: begin, the elements, end. Each returns 0, PB_ERR_MEMORY or PB_ERR_IO (the stream
 * failed). */
int pb_suite_json_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_json_end(FILE *stream);
int pb_suite_junit_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_junit_end(FILE *stream);
int pb_csv_begin(FILE *stream); /* the line of column names; no end */
int pb_suite_html(FILE *stream, const struct pb_suite *suite); /* index.html, one file */

/* The element of one result; *_alone: of a case without a result. `number` counts from 1. */
int pb_case_csv(FILE *stream, const struct pb_result *result); /* may be empty */
int pb_case_junit(FILE *stream, const struct pb_result *result);
int pb_case_junit_alone(FILE *stream, const struct pb_case *one);
int pb_case_tap(FILE *stream, const struct pb_result *result, size_t number);
int pb_case_tap_alone(FILE *stream, const struct pb_case *one, size_t number);

PB_API_END

#endif
