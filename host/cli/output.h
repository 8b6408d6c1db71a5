/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a run leaves behind: report.html, result.json and, when it failed, failure.fst in one directory.
 * Functions that return an exit code have reported what went wrong.
 */
#ifndef PHASEBENCH_OUTPUT_H
#define PHASEBENCH_OUTPUT_H

#include "phasebench/report.h"
#include "runner.h"

#include <stdbool.h>
#include <stdio.h>

#define OUTPUT_INDEX "index.html"
#define OUTPUT_REPORT "report.html"
#define OUTPUT_RESULT "result.json"
#define OUTPUT_TRACE "failure.fst"
#define OUTPUT_WINDOW "window.fst"
#define OUTPUT_PATH_SIZE 4096

/* directory/name; false when that is too long (reported). */
bool output_path(char path[OUTPUT_PATH_SIZE], const char *directory, const char *name);

/* Makes the directory and those above it, removes what an earlier run left there under these names, and
 * proves that files can be made in it. */
int output_prepare(const char *directory);
/* A file that the user named. */
struct output_file {
    const char *path; /* borrowed */
    bool direct; /* a device, a pipe or a link when it was checked: written in place; else replaced whole */
};

/* Proves that the file can be written, without touching what it holds. */
int output_check_file(struct output_file *file, const char *path);

/* Each file is written under a name of its own, which then becomes the name asked for: a full disk leaves the
 * file of before, or none, and a link that appears under the name is replaced, not followed. */

/* Writes result.json and report.html, each even when the other cannot be written. */
int output_write(const char *directory, const struct pb_result *result);
/* The same when they are there already: what cannot be written leaves the file of before. */
int output_write_again(const char *directory, const struct pb_result *result);
/* Writes them before the run, as those of one that has not ended: what is left when the program is killed.
 * Reports no error: the one that matters comes with output_write. */
void output_announce(const char *directory, const struct pb_scenario *scenario, const struct runner *runner);
int output_html(const char *path, const struct pb_result *result);
/* Any other form; `write` returns 0 or a negative code. */
int output_form(const struct output_file *file, int (*write)(FILE *, void *), void *context);
int output_csv(const struct output_file *file, const struct pb_result *result);
int output_junit(const struct output_file *file, const struct pb_result *const *result, size_t count);

/* Ends a form that went to stdout; `code` is what its writer returned. */
int output_end(int code);
/* Prints the text form to stdout, in colours when it is a terminal. */
int output_text(const struct pb_result *result);

#endif
