/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Output of a suite: a line at the end of each run, progress, and the reports.
 */
#ifndef PHASEBENCH_CLI_SUITE_FORMS_H
#define PHASEBENCH_CLI_SUITE_FORMS_H

#include "coverage.h"
#include "run_job.h"

#include "phasebench/suite.h"

/* Forms of a single result, the elements of those of the suite. */
enum { SUITE_JSON, SUITE_JUNIT, SUITE_TAP, SUITE_CSV, SUITE_PCAP, SUITE_FORMS };

/* Memory shared by the process of a run and the suite. */
struct suite_share {
    struct pb_run_progress progress;
    struct pb_case one;
    size_t length[SUITE_FORMS]; /* of the forms in the file of the slot, in order */
    bool complete;              /* all fields are valid */
    char lost[256];             /* why the rig can run nothing more; "": it can */
};

struct suite {
    const struct run_request *request;
    struct pb_suite whole; /* its cases are owned */
    struct suite_own {
        struct source source; /* owned; without the scenario */
        bool begun, ended;
        bool first_kept; /* the files of its first run */
        const char *group; /* as in struct suite_entry */
        bool image; /* a node is a firmware image */
        long long at[SUITE_FORMS];  /* in the spool */
        size_t length[SUITE_FORMS]; /* 0: none */
    } * own;
    size_t skipped;
    size_t rigs_lost;
    size_t failures;     /* cases that failed and count */
    size_t ended, shown; /* cases; shown: with a printed line */
    bool unprintable;    /* stdout failed, reported */
    unsigned limit_s;
    FILE **slot_file; /* of each slot, owned */
    struct suite_share *share;
    FILE *spool; /* owned */
    struct output_file junit, csv, pcap, coverage;
    struct coverage_sum covered; /* of --coverage, when all have ended */
    bool images;                 /* a scenario has a firmware image */
    int64_t drawn_ns;
    bool drawn; /* the progress line is not empty */
};

/* Reports which files of the forms cannot be written. The suite runs on: at its end each file is tried again,
 * and the others are written. Functions that return an exit code have reported the error. */
void suite_forms_prepare(struct suite *suite, const char *out);
/* Writes the current index.html, if files are requested. */
int suite_forms_index(struct suite *suite, const char *out);

/* In the process of a run: writes its forms and their lengths. pcap: with its transmissions; NULL: none. */
int suite_forms_render(const struct suite *suite, FILE *file, size_t index, const struct pb_case *one,
                       const struct pb_result *result, FILE *pcap, size_t length[SUITE_FORMS]);
/* In the process of the suite: appends the forms to the spool. */
int suite_forms_keep(struct suite *suite, size_t index, FILE *file, const size_t length[SUITE_FORMS]);

/* Prints the lines of ended runs, in the order of the scenarios. */
void suite_forms_print_lines(struct suite *suite);
/* Draws the progress on stderr, if a terminal; busy as in struct workers. */
void suite_forms_progress(struct suite *suite, const size_t *busy);
void suite_forms_clear_line(struct suite *suite);

/* Prints and writes the reports of the suite. */
int suite_forms_finish(struct suite *suite, const char *out);

#endif
