/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "rigs.h"

#include "cli.h"
#include "runner.h"
#include "vusb.h"
#include "host/procedure/procedure.h"
#include "host/procedure/suite/workers_round.h"

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDER_SIZE = 512 };

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
                      "a real board together with virtual ones, which hide it; disable one kind");
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
    const int exit_code = code ? cli_outcome_of("--rig", code, &diag) : choose(rigs);
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

struct round {
    const struct rigs *rigs;
    const struct rigs_tasks *tasks;
};

static int work(void *context, size_t task, void *share)
{
    const struct round *round = context;
    return round->tasks->work(round->tasks->context, rigs_entry(round->rigs, task), task, share);
}

static void ended(void *context, size_t task, int exit_code, const char *failure, const void *share)
{
    const struct round *round = context;
    round->tasks->ended(round->tasks->context, task, exit_code, failure, share);
}

int rigs_run(const struct rigs *rigs, const struct rigs_tasks *tasks)
{
    struct round round = {.rigs = rigs, .tasks = tasks};
    const struct workers_round workers = {.tasks = rigs->count,
                                          .share_bytes = tasks->share_bytes,
                                          .limit_s = tasks->limit_s,
                                          .stop = runner_stop_flag(),
                                          .work = work,
                                          .ended = ended,
                                          .line = runner_pass_line,
                                          .context = &round};
    struct pb_diag diag;
    runner_catch_signals();
    return cli_outcome(workers_round_run(&workers, &diag), &diag);
}
