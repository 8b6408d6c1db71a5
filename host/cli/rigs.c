/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "rigs.h"

#include "cli.h"
#include "runner.h"
#include "vusb.h"
#include "host/procedure/procedure.h"
#include "host/procedure/suite/workers.h"

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOLDER_SIZE = 512, REASON_SIZE = 256 };

/* ---- choice */

static int refuse(const struct rigs *rigs, const struct pb_map_entry *entry, const char *sentence)
{
    return cli_fail(CLI_USAGE, "--rig: %s:%u: %s", pb_map_path(rigs->map), entry->line, sentence);
}

/* One process reaches the virtual boards of one folder, and then no real ones (vusb.h). */
static int check_virtual(const struct rigs *rigs)
{
    char folder[FOLDER_SIZE], first[FOLDER_SIZE] = "";
    size_t real = SIZE_MAX;
    for (size_t i = 0; i < rigs->count; i++) {
        const struct pb_map_entry *entry = rigs_entry(rigs, i);
        if (pb_rig_target_of(entry->rig).kind == PB_RIG_FTDI)
            real = i;
        if (!pb_vusb_folder(entry->rig, folder, sizeof folder))
            continue;
        if (!*folder)
            return refuse(rigs, entry,
                          "rig vusb: is a board of one run alone; serve boards and write vusb:DIR/BOARD");
        if (*first && strcmp(first, folder))
            return refuse(rigs, entry,
                          "virtual boards of another folder than those before; serve all in one");
        snprintf(first, sizeof first, "%s", folder);
    }
    if (*first && real != SIZE_MAX)
        return refuse(rigs, rigs_entry(rigs, real),
                      "a real board beside virtual ones, which hide it; disable one kind");
    return CLI_PASS;
}

static int choose(struct rigs *rigs)
{
    const size_t boards = pb_map_count(rigs->map);
    rigs->entry = calloc(boards + 1, sizeof *rigs->entry);
    if (!rigs->entry)
        return cli_fail(CLI_BENCH_FAILED, "no memory for a hardware map of %zu boards", boards);
    for (size_t i = 0; i < boards; i++) {
        const struct pb_map_entry *entry = pb_map_entry(rigs->map, i);
        if (!entry->enabled)
            continue;
        rigs->entry[rigs->count++] = i;
    }
    if (!rigs->count)
        return cli_fail(CLI_USAGE,
                        "--rig: %s: no board takes part: %zu listed, none enabled; %s",
                        pb_map_path(rigs->map), boards,
                        boards ? "write 'enabled: yes'"
                               : "plug one in, and run 'phasebench devices --map' with the file again");
    int exit_code = check_virtual(rigs);
    for (size_t i = 0; i < rigs->count && exit_code == CLI_PASS; i++)
        exit_code = vusb_check_url(rigs_entry(rigs, i)->rig);
    return exit_code;
}

int rigs_open(struct rigs *rigs, const char *url)
{
    struct pb_diag diag;
    *rigs = (struct rigs){.map = NULL};
    const int code = pb_map_load(&rigs->map, url + pb_map_url(url), &diag);
    const int exit_code = code ? cli_fail(pb_error_exit_code(code), "--rig: %s", diag.text) : choose(rigs);
    if (exit_code != CLI_PASS)
        rigs_close(rigs);
    return exit_code;
}

void rigs_close(struct rigs *rigs)
{
    pb_map_free(rigs->map);
    free(rigs->entry);
    *rigs = (struct rigs){.map = NULL};
}

const struct pb_map_entry *rigs_entry(const struct rigs *rigs, size_t index)
{
    return pb_map_entry(rigs->map, rigs->entry[index]);
}

/* ---- a board */

int rigs_reach(const char *url, const struct pb_scenario *scenario, uint32_t *map_hash, struct pb_diag *diag)
{
    struct vusb vusb;
    const struct pb_procedure procedure = runner_procedure(&vusb, url, 0);
    return procedure_reach(&procedure, url, scenario, map_hash, diag);
}

/* ---- tasks */

struct outcome {
    _Alignas(16) bool complete; /* what follows it is aligned for any type */
    int exit_code;
};

struct round {
    const struct rigs *rigs;
    const struct rigs_tasks *tasks;
    char *share; /* of all tasks, one after the other */
    size_t bytes; /* of one */
};

static struct outcome *outcome_of(const struct round *round, size_t task)
{
    return (struct outcome *)(void *)(round->share + task * round->bytes);
}

static int begin(void *context, size_t task, unsigned slot)
{
    (void)context, (void)task, (void)slot;
    return CLI_PASS;
}

static void work(void *context, size_t task, unsigned slot)
{
    const struct round *round = context;
    struct outcome *outcome = outcome_of(round, task);
    (void)slot;
    outcome->exit_code =
        round->tasks->work(round->tasks->context, rigs_entry(round->rigs, task), task, outcome + 1);
    outcome->complete = true;
}

static enum workers_next ended(void *context, const struct workers_end *end)
{
    const struct round *round = context;
    const struct outcome *outcome = outcome_of(round, end->task);
    char failure[REASON_SIZE] = "";
    int exit_code = outcome->exit_code;
    if (runner_stopped() && WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGTERM)
        exit_code = CLI_INTERRUPTED; /* before it had handlers of its own */
    else if (end->fork_error)
        snprintf(failure, sizeof failure, "no process for it: %s", strerror(end->fork_error));
    else if (end->hung)
        snprintf(failure, sizeof failure, "its process was killed: it had not ended after %u s",
                 round->tasks->limit_s);
    else if (WIFSIGNALED(end->status))
        snprintf(failure, sizeof failure, "its process crashed: signal %d", WTERMSIG(end->status));
    else if (!outcome->complete)
        snprintf(failure, sizeof failure, "its process ended with exit code %d", WEXITSTATUS(end->status));
    round->tasks->ended(round->tasks->context, end->task, *failure ? CLI_BENCH_FAILED : exit_code,
                        *failure ? failure : NULL, outcome + 1);
    return WORKERS_GO_ON;
}

static void look(void *context, const size_t *busy)
{
    (void)context, (void)busy;
}

static void pass_line(void *context, const char *line, size_t length)
{
    (void)context;
    runner_pass_line(line, length);
}

int rigs_run(const struct rigs *rigs, const struct rigs_tasks *tasks)
{
    struct round round = {.rigs = rigs, .tasks = tasks};
    /* Each begins aligned for any type. */
    round.bytes = (sizeof(struct outcome) + tasks->share_bytes + 15) / 16 * 16;
    const size_t bytes = rigs->count * round.bytes;
    void *share = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (share == MAP_FAILED)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu rigs at a time: %s", rigs->count,
                        strerror(errno));
    round.share = share;
    const struct workers workers = {.jobs = (unsigned)rigs->count,
                                    .tasks = rigs->count,
                                    .limit_s = tasks->limit_s,
                                    .stop = runner_stop_flag(),
                                    .begin = begin,
                                    .work = work,
                                    .ended = ended,
                                    .look = look,
                                    .line = pass_line,
                                    .context = &round};
    struct pb_diag diag;
    runner_catch_signals();
    const int code = workers_run(&workers, &diag);
    munmap(share, bytes);
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : CLI_PASS;
}
