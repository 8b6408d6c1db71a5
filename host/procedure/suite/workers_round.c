/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "workers_round.h"

#include "phasebench/error.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { REASON_SIZE = 256 };

struct outcome {
    _Alignas(16) bool complete; /* what follows it is aligned for any type */
    int exit_code;
};

struct state {
    const struct workers_round *round;
    char *share;  /* of all tasks, one after the other */
    size_t bytes; /* of one */
};

static struct outcome *outcome_of(const struct state *state, size_t task)
{
    return (struct outcome *)(void *)(state->share + task * state->bytes);
}

static void work(void *context, size_t task, unsigned slot)
{
    const struct state *state = context;
    struct outcome *outcome = outcome_of(state, task);
    (void)slot;
    outcome->exit_code = state->round->work(state->round->context, task, outcome + 1);
    outcome->complete = true;
}

static enum workers_next ended(void *context, const struct workers_end *end)
{
    const struct state *state = context;
    const struct workers_round *round = state->round;
    const struct outcome *outcome = outcome_of(state, end->task);
    char failure[REASON_SIZE] = "";
    int exit_code = outcome->exit_code;
    if (*round->stop && WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGTERM)
        exit_code = pb_error_exit_code(PB_ERR_INTERRUPTED); /* before it had handlers of its own */
    else if (end->fork_error)
        snprintf(failure, sizeof failure, "no process for it: %s", strerror(end->fork_error));
    else if (end->hung)
        snprintf(failure, sizeof failure, "its process was killed: it had not ended after %u s",
                 round->limit_s);
    else if (WIFSIGNALED(end->status))
        snprintf(failure, sizeof failure, "its process crashed: signal %d", WTERMSIG(end->status));
    else if (!outcome->complete)
        snprintf(failure, sizeof failure, "its process ended with exit code %d", WEXITSTATUS(end->status));
    round->ended(round->context, end->task, *failure ? pb_error_exit_code(PB_ERR_IO) : exit_code,
                 *failure ? failure : NULL, outcome + 1);
    return WORKERS_GO_ON;
}

static void pass_line(void *context, const char *line, size_t length)
{
    const struct state *state = context;
    state->round->line(state->round->context, line, length);
}

int workers_round_run(const struct workers_round *round, struct pb_diag *diag)
{
    struct state state = {.round = round};
    /* Each begins aligned for any type. */
    state.bytes = (sizeof(struct outcome) + round->share_bytes + 15) / 16 * 16;
    const size_t bytes = round->tasks * state.bytes;
    void *share = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (share == MAP_FAILED)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu rigs at a time: %s", round->tasks,
                       strerror(errno));
    state.share = share;
    const struct workers workers = {.jobs = (unsigned)round->tasks,
                                    .tasks = round->tasks,
                                    .limit_s = round->limit_s,
                                    .stop = round->stop,
                                    .work = work,
                                    .ended = ended,
                                    .line = pass_line,
                                    .context = &state};
    const int code = workers_run(&workers, diag);
    munmap(share, bytes);
    return code;
}
