/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks in processes of their own, several at a time: one that crashes or hangs takes no other along.
 */
#ifndef PHASEBENCH_CLI_WORKERS_H
#define PHASEBENCH_CLI_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#define WORKERS_MAX 256u

/* How the process of a task ended. */
struct workers_end {
    size_t task;
    unsigned slot;
    int status;     /* of waitpid */
    int fork_error; /* errno: no process could be made; else 0 */
    bool hung;      /* killed, since limit_s was over */
};

struct workers {
    unsigned jobs; /* processes at a time, 1..WORKERS_MAX */
    size_t tasks;
    unsigned limit_s; /* for each task, of wall time */
    /* In the process that waits, before the task's: prepares the slot. Returns an exit code; not CLI_PASS:
     * the task does not begin, and the others are not begun, either. */
    int (*begin)(void *context, size_t task, unsigned slot);
    /* In a process of the task's own, which then ends. Its stderr comes line by line through the one that
     * waits. SIGINT, SIGTERM, SIGQUIT and SIGHUP of the terminal do not reach it; SIGTERM does when the other
     * was stopped or has ended. */
    void (*work)(void *context, size_t task, unsigned slot);
    /* In the process that waits, in the order in which the tasks end. */
    void (*ended)(void *context, const struct workers_end *end);
    /* Between them, a few times a second; busy[slot] says which task it has, SIZE_MAX: none. */
    void (*look)(void *context, const size_t *busy);
    /* Before a line of a task goes to stderr. */
    void (*before_line)(void *context);
    void *context;
};

/* Runs tasks 0, 1, ... until all have ended, or a signal came: then those that run are sent SIGTERM and
 * awaited, and no further one begins. Catches signals as runner_run does. Returns CLI_PASS or, after the
 * error has been reported, the exit code of `begin` or CLI_BENCH_FAILED: no memory, no pipe. */
int workers_run(const struct workers *workers);

#endif
