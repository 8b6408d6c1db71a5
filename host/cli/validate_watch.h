/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the command shows and keeps of a validation while it lasts:
 *
 *     validate_live.c      progress on the terminal, events for a program
 *     validate_evidence.c  the files of the runs that did not pass
 */
#ifndef PHASEBENCH_CLI_VALIDATE_WATCH_H
#define PHASEBENCH_CLI_VALIDATE_WATCH_H

#include "phasebench/validate.h"

#include <pthread.h>
#include <stdatomic.h>

struct validate_watch {
    const char *rig_url;   /* NULL: sim: */
    const char *out;       /* folder for the files of runs; NULL: none */
    unsigned timeout_s;    /* wall time of a run; 0: the usual limit */
    bool unwritten;        /* files of a run could not be written */
    FILE *events;          /* JSON lines; NULL: none */
    const char *events_path; /* borrowed */
    bool events_failed;    /* a line could not be written: no further one is */
    pthread_t watcher;     /* of the reader of the events */
    bool watched;
    atomic_bool reader_gone; /* set by the watcher, which then stops the validation */
    bool bar;              /* on a terminal */
    bool drawn;            /* the line of the bar is not empty */
    int64_t begun_ns, drawn_ns;
};

/* ---- cmd_validate.c */

/* What a validation refuses of its files before it reaches the rig: an exit code. NULL: the default. */
int validate_check(const char *scenario_path, const char *rig_url, const char *node, const char *limits_path);

/* ---- validate_live.c */

/* Opens the file of events: an exit code. */
int validate_live_begin(struct validate_watch *watch, const char *events_path, bool quiet);
/* Removes the bar, and says how the validation ended. */
void validate_live_end(struct validate_watch *watch, const struct pb_validation *validation);
/* Removes the bar, so that a line can be printed. */
void validate_live_clear(struct validate_watch *watch);
int validate_live_close(struct validate_watch *watch);
/* For struct pb_validate_observer, with a struct validate_watch. */
void validate_live_plan(void *context, const struct pb_validation *validation,
                        const struct pb_validate_step *const *step, unsigned steps);
void validate_live_step(void *context, const struct pb_validation *validation, unsigned index, bool running);
void validate_live_value(void *context, const struct pb_validation *validation,
                         const struct pb_item_value *value);
void validate_live_progress(void *context, const struct pb_validation *validation, double done_s,
                            double whole_s);

/* ---- validate_evidence.c */

/* The same. Writes the files of the run into the folder. A failure is reported and sets watch->unwritten; the
 * validation continues. */
void validate_keep_files(void *context, struct pb_validation *validation, const struct pb_validate_run *run);

#endif
