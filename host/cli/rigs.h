/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rigs of a hardware map (--rig map:FILE): which take part, whether one can be reached, and a task on
 * each at once. Functions that return an exit code have reported the error.
 */
#ifndef PHASEBENCH_CLI_RIGS_H
#define PHASEBENCH_CLI_RIGS_H

#include "host/production/map/map.h"

#include "phasebench/scenario.h"

#include <stddef.h>

struct rigs {
    struct pb_map *map; /* owned */
    size_t *entry;      /* owned; those that take part, in the order of the file */
    size_t count;       /* 1..256 */
};

/* Takes the enabled boards of the map that a URL map:FILE names. Refuses a map without enabled boards,
 * virtual boards of several folders, and virtual boards together with real ones: one process reaches
 * either. */
int rigs_open(struct rigs *rigs, const char *url);
void rigs_close(struct rigs *rigs); /* an empty one: no effect */
const struct pb_map_entry *rigs_entry(const struct rigs *rigs, size_t index);

/* Opens the rig, asks its core for the map hash, and closes it. Errors as pb_rig_open and pb_device_open:
 * PB_ERR_MAP is a core that has answered, with another map than that of this program. */
int rigs_reach(const char *url, const struct pb_scenario *scenario, uint32_t *map_hash, struct pb_diag *diag);

/* A task for each rig. */
struct rigs_tasks {
    /* In a process of its own, all at once; `share` is memory of the task that the parent reads
     * afterwards. Returns the exit code of the task. */
    int (*work)(void *context, const struct pb_map_entry *entry, size_t index, void *share);
    /* In the parent, in order of the ends. `failure`: why the process had no exit code; NULL: it had this
     * one. */
    void (*ended)(void *context, size_t index, int exit_code, const char *failure, const void *share);
    void *context;
    size_t share_bytes;
    unsigned limit_s; /* of wall time; a task that takes longer is killed */
};

/* Runs the task once for each rig. Returns CLI_PASS when all have ended, whatever their exit codes. */
int rigs_run(const struct rigs *rigs, const struct rigs_tasks *tasks);

#endif
