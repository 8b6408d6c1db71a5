/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Output files of a run: report.html, result.json and, after a failure, failure.fst in one directory.
 * Functions that return an exit code have reported the error.
 */
#ifndef PHASEBENCH_OUTPUT_H
#define PHASEBENCH_OUTPUT_H

#include "host/base/file_output.h"
#include "option.h"
#include "phasebench/report.h"
#include "runner.h"

#include <stdbool.h>
#include <stdio.h>

#define OUTPUT_INDEX "index.html"
#define OUTPUT_REPORT "report.html"
#define OUTPUT_RESULT "result.json"
#define OUTPUT_TRACE "failure.fst"
#define OUTPUT_WINDOW "window.fst"
#define OUTPUT_FRAMES "frames.pcapng" /* of a run of a validation */
#define OUTPUT_COVERAGE "coverage.info" /* of one run of a suite */
#define OUTPUT_PATH_SIZE PB_FILE_OUTPUT_SIZE

/* What a run or a suite writes into the folder of --out under names that no option may give. NULL ends it. */
extern const char *const output_names[];

/* Builds directory/name; false: too long (reported). */
bool output_path(char path[OUTPUT_PATH_SIZE], const char *directory, const char *name);

/* Holds an existing directory until the process ends, so that no other one writes to it. A process that was
 * forked holds what its parent holds. */
int output_hold(const char *directory);
/* Refuses a file of this option whose folder another process holds. */
int output_check_held(const char *directory, const char *option);
/* Creates the directory and its parents, and holds it. */
int output_begin(const char *directory);
/* Creates the directory and its parents, removes these files of an earlier run, and checks that files can be
 * created in it. */
int output_clear(const char *directory);
/* Both: begins, and clears. */
int output_prepare(const char *directory);
/* The forms of a verb's result, for the folder of --out; NULL: there is no folder. Before the work: begins,
 * removes these files of an earlier run, and checks that files can be created. */
int output_forms_begin(const char *directory, const struct cli_form *forms);
/* After it: writes each form, also after a failure of another, and the one of number `shown` to stdout. Of
 * most verbs text is the first and JSON the second, so that --json is the number. */
int output_forms_end(const char *directory, const struct cli_form *forms, void *result, unsigned shown);
/* Moves these files from one directory to another, which is cleared before. */
int output_move(const char *to, const char *from);
/* Creates the directory of a file, and its parents. */
int output_make_folder(const char *path);
/* Checks that a file named by the user can be written, without a change of it. NULL: no file is wanted, and
 * what writes *file has no effect. */
int output_check_file(struct pb_file_output *file, const char *path);

/* A file that is written while a run lasts. */
int output_stream_begin(struct pb_file_stream *out, const struct pb_file_output *file);
/* Puts what was written under the name of the file. errno_of_write: of what the caller could not write; 0:
 * all was. After an error there is no new file. */
int output_stream_end(struct pb_file_stream *out, int errno_of_write);
/* Leaves no new file. No effect if it is not open. */
void output_stream_drop(struct pb_file_stream *out);

/* Writes result.json and report.html, each also after a failure of the other. */
int output_write(const char *directory, const struct pb_result *result);
/* Writes them again; a failure keeps the previous file. */
int output_write_again(const char *directory, const struct pb_result *result);
/* Writes them before the run, as of an unfinished run, in case the program is killed. Reports no error:
 * output_write does. */
void output_announce(const char *directory, const struct pb_scenario *scenario, const struct runner *runner);
/* Writes them for a run in progress. A failure is silent and keeps the previous files. */
void output_so_far(const char *directory, const struct pb_result *result);
int output_html(const char *path, const struct pb_result *result);
/* Writes any other form; `write` returns 0 or a negative code. */
int output_form(const struct pb_file_output *file, int (*write)(FILE *, void *), void *context);
/* The same into a file of this name in a folder that exists. */
int output_form_in(const char *directory, const char *name, int (*write)(FILE *, void *), void *context);
int output_csv(const struct pb_file_output *file, const struct pb_result *result);
int output_junit(const struct pb_file_output *file, const struct pb_result *const *result, size_t count);

/* Ends a form on stdout; code: the result of its writer. */
int output_end(int code);
/* How a text form is shown on stdout. */
struct pb_report_style output_style(void);
/* Prints the text form to stdout, in colours on a terminal. */
int output_text(const struct pb_result *result);

#endif
