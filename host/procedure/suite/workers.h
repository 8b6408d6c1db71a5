/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks in separate processes, several at a time: a crash or hang affects no other task.
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_WORKERS_H
#define PHASEBENCH_PROCEDURE_SUITE_WORKERS_H

#include "phasebench/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define WORKERS_MAX 256u

/* End of the process of a task. */
struct workers_end {
    size_t task;
    unsigned slot;
    int status;     /* of waitpid */
    int fork_error; /* errno of a failed fork; else 0 */
    bool hung;      /* killed after limit_s */
};

/* What the end of a task leads to; bits. */
enum workers_next {
    WORKERS_GO_ON = 0,
    WORKERS_AGAIN = 1, /* the task runs again, before those that have not begun */
    WORKERS_RETIRE = 2, /* its slot runs no further task */
    WORKERS_STOP = 4    /* no further task starts, except those that run again; running tasks end normally */
};

struct workers {
    unsigned jobs; /* processes at a time, 1..WORKERS_MAX */
    size_t tasks;
    unsigned limit_s; /* for each task, of wall time */
    const volatile sig_atomic_t *stop; /* non-zero: ends the running tasks; NULL: never */
    /* In the parent, before the task: prepares the slot. Not 0: no further task starts, and this is what
     * workers_run returns; the diagnostic is the caller's. NULL: there is nothing to prepare. */
    int (*begin)(void *context, size_t task, unsigned slot);
    /* In the process of the task, which then ends. Signals of the terminal do not reach it; it gets SIGTERM
     * when the parent is stopped or ends. */
    void (*work)(void *context, size_t task, unsigned slot);
    /* In the parent, in order of the ends of the tasks. */
    enum workers_next (*ended)(void *context, const struct workers_end *end);
    /* In the parent, a few times per second; busy[slot]: its task, SIZE_MAX: none. NULL: not called. */
    void (*look)(void *context, const size_t *busy);
    /* A line that a task wrote to stderr, or a part that fills the buffer; NULL: it is dropped. */
    void (*line)(void *context, const char *line, size_t length);
    void *context;
};

/* Runs tasks 0, 1, ... until all have ended, or no slot is left that may run one. When stopped it sends
 * SIGTERM to the running tasks, waits for them, and starts no further task. Returns 0, what `begin` returned,
 * or PB_ERR_MEMORY or PB_ERR_IO (no pipe) with a diagnostic. */
int workers_run(const struct workers *workers, struct pb_diag *diag);

#endif
