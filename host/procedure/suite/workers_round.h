/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that run all at once, each in a process of its own with memory that the parent reads afterwards.
 */
#ifndef PB_PROCEDURE_WORKERS_ROUND_H
#define PB_PROCEDURE_WORKERS_ROUND_H

#include "workers.h"

struct workers_round {
    size_t tasks;
    size_t share_bytes; /* of one */
    unsigned limit_s;   /* of wall time; a task that takes longer is killed */
    const volatile sig_atomic_t *stop; /* as in struct workers */
    /* In the process of the task. Returns its exit code. */
    int (*work)(void *context, size_t task, void *share);
    /* In the parent, in order of the ends. `failure`: why the process had no exit code; NULL: it had this
     * one. */
    void (*ended)(void *context, size_t task, int exit_code, const char *failure, const void *share);
    void (*line)(void *context, const char *line, size_t length); /* as in struct workers */
    void *context;
};

/* Runs each task once. Returns 0 when all have ended, whatever their exit codes; PB_ERR_MEMORY; as
 * workers_run. */
int workers_round_run(const struct workers_round *round, struct pb_diag *diag);

#endif
