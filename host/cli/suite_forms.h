/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a suite shows and writes: lines as its runs end, progress, and the forms of the whole.
 */
#ifndef PHASEBENCH_CLI_SUITE_FORMS_H
#define PHASEBENCH_CLI_SUITE_FORMS_H

#include "run_job.h"

#include "phasebench/suite.h"

/* Forms of a single result that a form of the suite is made of. */
enum { SUITE_JSON, SUITE_JUNIT, SUITE_TAP, SUITE_CSV, SUITE_FORMS };

/* What the process of a run and that of the suite both see. */
struct suite_share {
    struct pb_run_progress progress;
    struct pb_case one;
    size_t length[SUITE_FORMS]; /* of the forms in the file of the slot, one after the other */
    bool complete;              /* all of that is valid */
};

struct suite {
    const struct run_request *request;
    struct pb_suite whole; /* its cases are owned */
    struct suite_own {
        struct source source; /* owned; without the scenario */
        bool ended;
        long long at[SUITE_FORMS];  /* in the spool */
        size_t length[SUITE_FORMS]; /* 0: none */
    } * own;
    size_t ended, shown; /* cases; shown: whose line is printed */
    bool unprintable;    /* stdout failed; this has been reported */
    unsigned limit_s;
    FILE **slot_file; /* of each slot, owned */
    struct suite_share *share;
    FILE *spool; /* owned */
    struct output_file junit, csv;
    int64_t drawn_ns;
    bool drawn; /* there is something on the line of the progress */
};

/* Proves that the files of the forms can be written. Functions that return an exit code have reported the
 * error. */
int suite_forms_prepare(struct suite *suite, const char *out);
/* Writes index.html as it is now, when there are files. */
int suite_forms_index(struct suite *suite, const char *out);

/* In the process of a run: writes its forms into the file, and how long each is. */
int suite_forms_render(const struct suite *suite, FILE *file, size_t index, const struct pb_result *result,
                       size_t length[SUITE_FORMS]);
/* In that of the suite: appends them to the spool. */
int suite_forms_keep(struct suite *suite, size_t index, FILE *file, const size_t length[SUITE_FORMS]);

/* Prints the lines of those that have ended, in the order of the scenarios. */
void suite_forms_print_lines(struct suite *suite);
/* Draws the progress on stderr, when it is a terminal; busy as in struct workers. */
void suite_forms_progress(struct suite *suite, const size_t *busy);
void suite_forms_clear_line(struct suite *suite);

/* Prints and writes the forms of the whole. */
int suite_forms_finish(struct suite *suite, const char *out);

#endif
