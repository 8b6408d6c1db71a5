/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several scenarios that are run together: what each came to, and the forms of the whole. A form of a suite
 * is its head, the same form of each result in their order, and its end, so that no more than one result need
 * be in memory at a time.
 */
#ifndef PHASEBENCH_SUITE_H
#define PHASEBENCH_SUITE_H

#include "phasebench/api.h"
#include "phasebench/result.h"

#include <stdio.h>

PB_API_BEGIN

/* X(name, id, words of a table) */
#define PB_CASE_STATE_LIST(X)                                                                                \
    X(NOT_RUN, "not_run", "not run")       /* the suite was stopped before: there is no result */            \
    X(JUDGED, "judged", "judged")          /* a whole run */                                                 \
    X(INCOMPLETE, "incomplete", "cut off") /* it ended early, and what came before was judged */             \
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
    char name[96];    /* no other case of the suite has it */
    char path[256];   /* of the scenario */
    char folder[256]; /* of its files, in that of the suite; "": none was written */
    char reason[256]; /* of the verdict, or why there is none */
    enum pb_case_state state;
    enum pb_verdict verdict; /* PB_VERDICT_INCONCLUSIVE without a result */
    int exit_code;           /* of the run alone */
    uint64_t slots;          /* checked */
    size_t findings;
    /* The smallest distance of a start of a node's transmission from the limits of it; negative: outside. */
    bool margin_known;
    int64_t margin_ps;
    int64_t wall_ns;
    char trace[64]; /* file name of a waveform in the folder; "": none */
};

struct pb_suite {
    struct pb_case *one; /* owned by whoever made it */
    size_t count;
    unsigned jobs; /* runs at a time */
    int64_t wall_ns;
    char started_utc[32];
    int exit_code; /* the worst */
    bool running;  /* it has not ended yet */
};

struct pb_suite_totals {
    size_t judged;                               /* whole, or cut off with slots checked */
    size_t verdict[PB_VERDICT_INCONCLUSIVE + 1]; /* of those judged */
    size_t state[PB_CASE_STATES];
    enum pb_verdict worst; /* fail, inconclusive, marginal, pass; a case without a verdict is inconclusive */
};

const char *pb_case_state_id(enum pb_case_state state);
const char *pb_case_word(const struct pb_case *one); /* the verdict, or why there is none: for a table */
struct pb_suite_totals pb_suite_count(const struct pb_suite *suite);

/* Fills all but name, folder, state and exit_code from the result. */
void pb_case_fill(struct pb_case *one, const struct pb_result *result);

/* Forms of the whole. Each returns 0, PB_ERR_MEMORY, or PB_ERR_IO when the stream failed. Between `begin` and
 * `end` stand the elements, apart by `between` (NULL: nothing). */
int pb_suite_json_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_json_end(FILE *stream);
int pb_suite_junit_begin(FILE *stream, const struct pb_suite *suite);
int pb_suite_junit_end(FILE *stream);
int pb_csv_begin(FILE *stream); /* the line with the names of the columns; there is no end */
int pb_suite_html(FILE *stream, const struct pb_suite *suite); /* index.html: one file, as the report is */

/* The element of one result; of a case without one those that end in _alone. `number` counts from 1. */
int pb_case_csv(FILE *stream, const struct pb_result *result); /* may be empty */
int pb_case_junit(FILE *stream, const struct pb_result *result);
int pb_case_junit_alone(FILE *stream, const struct pb_case *one);
int pb_case_tap(FILE *stream, const struct pb_result *result, size_t number);
int pb_case_tap_alone(FILE *stream, const struct pb_case *one, size_t number);

PB_API_END

#endif
