/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* prctl */
#include "workers.h"

#include "host/base/monotonic.h"
#include "host/base/process.h"
#include "host/procedure/procedure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 50, END_MS = 1, LINE_BYTES = 4096, FAILED = 4 };

struct slot {
    pid_t pid;  /* 0: free */
    int errors; /* read end of its stderr; -1: closed */
    int64_t begun_ns;
    bool hung, retired;
    size_t used; /* of an incomplete line */
    char line[LINE_BYTES];
};

struct pool {
    const struct workers *workers;
    struct pb_diag *diag;
    struct slot *slot;
    size_t *busy;
    size_t next;
    size_t *again; /* tasks to run again; at most one for each slot that runs none */
    unsigned agains;
    unsigned running, retired;
    bool stopped;   /* no further task starts, but those that run again */
    bool signalled; /* SIGTERM was sent to the running tasks */
};

/* ---- stderr of a task */

static void pass_on(struct pool *pool, const char *line, size_t length)
{
    if (pool->workers->line)
        pool->workers->line(pool->workers->context, line, length);
}

/* Writes complete lines, or a part that fills the buffer. */
static void pass_lines(struct pool *pool, struct slot *slot)
{
    char *begin = slot->line, *const end = slot->line + slot->used, *feed;
    while ((feed = memchr(begin, '\n', (size_t)(end - begin)))) {
        pass_on(pool, begin, (size_t)(feed + 1 - begin));
        begin = feed + 1;
    }
    if (begin == slot->line && slot->used == sizeof slot->line) {
        pass_on(pool, begin, slot->used);
        begin = end;
    }
    slot->used = (size_t)(end - begin);
    memmove(slot->line, begin, slot->used);
}

static void close_errors(struct pool *pool, struct slot *slot)
{
    if (slot->errors < 0)
        return;
    if (slot->used)
        pass_on(pool, slot->line, slot->used);
    close(slot->errors);
    slot->errors = -1;
    slot->used = 0;
}

/* Reads without blocking: an orphan of the task may keep the pipe open, so its end is not awaited. */
static void read_errors(struct pool *pool, struct slot *slot)
{
    ssize_t got = 0;
    while (slot->errors >= 0 &&
           (got = read(slot->errors, slot->line + slot->used, sizeof slot->line - slot->used)) > 0) {
        slot->used += (size_t)got;
        pass_lines(pool, slot);
    }
    if (slot->errors >= 0 && (got == 0 || (errno != EAGAIN && errno != EINTR)))
        close_errors(pool, slot);
}

/* ---- processes */

/* Its own process group gets no signals of the terminal: the parent ends it. */
static _Noreturn void be_task(const struct workers *workers, size_t task, unsigned slot, pid_t parent,
                              int errors)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(errors, STDERR_FILENO) < 0)
        _exit(FAILED);
    close(errors);
    workers->work(workers->context, task, slot);
    _exit(0);
}

static bool has_task(const struct pool *pool)
{
    return pool->agains || (!pool->stopped && pool->next < pool->workers->tasks);
}

static void take_task(struct pool *pool)
{
    if (pool->agains)
        memmove(pool->again, pool->again + 1, --pool->agains * sizeof *pool->again);
    else
        pool->next++;
}

static void end_task(struct pool *pool, const struct workers_end *end)
{
    const enum workers_next next = pool->workers->ended(pool->workers->context, end);
    if (next & WORKERS_AGAIN)
        pool->again[pool->agains++] = end->task;
    pool->stopped |= (next & WORKERS_STOP) != 0;
    if (next & WORKERS_RETIRE) {
        pool->slot[end->slot].retired = true;
        pool->retired++;
    }
}

static int start(struct pool *pool, unsigned index)
{
    const struct workers *workers = pool->workers;
    struct slot *slot = &pool->slot[index];
    const size_t task = pool->agains ? pool->again[0] : pool->next;
    const pid_t parent = getpid();
    int errors[2];
    const int code = workers->begin ? workers->begin(workers->context, task, index) : PB_OK;
    if (code)
        return code;
    if (pipe(errors))
        return pb_fail(pool->diag, PB_ERR_IO, "no pipe to the process of a run: %s; give fewer --jobs",
                       strerror(errno));
    fcntl(errors[0], F_SETFD, FD_CLOEXEC);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    fflush(NULL);
    const pid_t pid = pb_fork();
    if (!pid) {
        close(errors[0]);
        be_task(workers, task, index, parent, errors[1]);
    }
    const int error = errno;
    close(errors[1]);
    if (pid < 0) {
        close(errors[0]);
        if (error == EAGAIN && pool->running)
            return PB_OK; /* retried after the end of a task */
        take_task(pool);
        end_task(pool, &(struct workers_end){.task = task, .slot = index, .fork_error = error});
        return PB_OK;
    }
    *slot = (struct slot){.pid = pid, .errors = errors[0], .begun_ns = pb_monotonic_ns()};
    pool->busy[index] = task;
    pool->running++;
    take_task(pool);
    return PB_OK;
}

/* Starts tasks up to the limit; a failed fork is retried later. */
static int fill(struct pool *pool)
{
    int code = PB_OK;
    for (unsigned i = 0; i < pool->workers->jobs && !code; i++)
        if (!pool->slot[i].pid && !pool->slot[i].retired && has_task(pool))
            code = start(pool, i);
    return code;
}

static void collect(struct pool *pool, unsigned index)
{
    struct slot *slot = &pool->slot[index];
    struct workers_end end = {.task = pool->busy[index], .slot = index, .hung = slot->hung};
    read_errors(pool, slot);
    if (waitpid(slot->pid, &end.status, WNOHANG) != slot->pid)
        return;
    read_errors(pool, slot);
    close_errors(pool, slot);
    slot->pid = 0;
    pool->busy[index] = SIZE_MAX;
    pool->running--;
    end_task(pool, &end);
}

static void end_hung(struct pool *pool)
{
    const int64_t limit_ns = pool->workers->limit_s * INT64_C(1000000000), now_ns = pb_monotonic_ns();
    for (unsigned i = 0; i < pool->workers->jobs; i++) {
        struct slot *slot = &pool->slot[i];
        if (!slot->pid || slot->hung || now_ns - slot->begun_ns <= limit_ns)
            continue;
        slot->hung = true;
        kill(slot->pid, SIGKILL);
    }
}

static void tell_to_end(struct pool *pool)
{
    if (pool->signalled)
        return;
    pool->signalled = true;
    for (unsigned i = 0; i < pool->workers->jobs; i++)
        if (pool->slot[i].pid)
            kill(pool->slot[i].pid, SIGTERM);
}

/* Waits for output or the end of a task; its stderr closes shortly before. */
static void await(struct pool *pool)
{
    struct pollfd wait[WORKERS_MAX];
    nfds_t count = 0;
    int timeout_ms = LOOK_MS;
    for (unsigned i = 0; i < pool->workers->jobs; i++) {
        if (pool->slot[i].pid && pool->slot[i].errors >= 0)
            wait[count++] = (struct pollfd){.fd = pool->slot[i].errors, .events = POLLIN};
        else if (pool->slot[i].pid)
            timeout_ms = END_MS;
    }
    poll(wait, count, timeout_ms);
}

static bool is_stopped(const struct workers *workers)
{
    return workers->stop && *workers->stop;
}

int workers_run(const struct workers *workers, struct pb_diag *diag)
{
    struct pool pool = {.workers = workers,
                        .diag = diag,
                        .slot = calloc(workers->jobs, sizeof *pool.slot),
                        .busy = calloc(workers->jobs, sizeof *pool.busy),
                        .again = calloc(workers->jobs, sizeof *pool.again)};
    int code = pool.slot && pool.busy && pool.again
                   ? PB_OK
                   : pb_fail(diag, PB_ERR_MEMORY, "no memory for %u runs at a time; give fewer --jobs",
                             workers->jobs);
    for (unsigned i = 0; i < workers->jobs && !code; i++)
        pool.busy[i] = SIZE_MAX;
    while (!code || pool.running) {
        if (!code && !is_stopped(workers))
            code = fill(&pool);
        if (!pool.running && (is_stopped(workers) || !has_task(&pool) || pool.retired == workers->jobs))
            break;
        if (is_stopped(workers) || code)
            tell_to_end(&pool);
        if (!pool.running)
            continue;
        await(&pool);
        for (unsigned i = 0; i < workers->jobs; i++)
            if (pool.slot[i].pid)
                collect(&pool, i);
        end_hung(&pool);
        if (workers->look)
            workers->look(workers->context, pool.busy);
    }
    free(pool.slot);
    free(pool.busy);
    free(pool.again);
    return code;
}
