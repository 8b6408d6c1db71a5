/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Output of a suite: a line at the end of each run, progress, and the reports.
 */
#ifndef PHASEBENCH_CLI_SUITE_FORMS_H
#define PHASEBENCH_CLI_SUITE_FORMS_H

#include "coverage.h"
#include "run_job.h"

#include "phasebench/suite_run.h"

#include <sys/types.h>

/* A suite as the command shows it. */
struct suite_view {
    const struct run_request *request;
    const char *out;                        /* folder; "": none */
    const struct pb_suite_results *results; /* when all have ended */
    struct suite_own {
        bool ended;
        bool image;      /* a node is a firmware image */
        bool first_kept; /* the files of its first run */
    } * own;             /* owned; by the entry of a case */
    size_t ended, shown; /* cases; shown: with a printed line */
    bool unprintable;    /* stdout failed, reported */
    bool images;         /* a scenario has a firmware image */
    struct pb_file_output junit, csv, pcap, coverage;
    struct coverage_sum covered; /* of --coverage, when all have ended */
    int64_t drawn_ns;
    bool drawn; /* the progress line is not empty */
};

/* The forms that the request asks for, as pb_suite_run takes them. */
unsigned suite_forms_of(const struct run_request *request);

/* Reports which files of the forms cannot be written. The suite runs on: at its end each file is tried again,
 * and the others are written. Functions that return an exit code have reported the error. */
void suite_forms_prepare(struct suite_view *view);
/* Writes the current index.html, if files are requested. */
int suite_forms_index(const struct suite_view *view, const struct pb_suite *suite);

/* Prints the lines of ended runs, in the order of the scenarios. */
void suite_forms_print_lines(struct suite_view *view, const struct pb_suite *suite);
/* Draws the progress on stderr, if a terminal. */
void suite_forms_progress(struct suite_view *view, const struct pb_suite *suite,
                          const struct pb_suite_slot *slot, unsigned slots);
void suite_forms_clear_line(struct suite_view *view);

/* Prints and writes the reports of the suite. */
int suite_forms_finish(struct suite_view *view);

#endif
