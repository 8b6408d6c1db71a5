/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A machine under one traffic at one load, or at several, with the limit of its links and its saturation. A
 * function that can fail returns 0, or a code with its diagnostic.
 */
#ifndef PB_MACHINE_SWEEP_H
#define PB_MACHINE_SWEEP_H

#include "ranks.h"

struct pb_machine_point {
    double load;     /* of an open loop */
    unsigned window; /* of a closed one */
    struct pb_machine_result result;
};

struct pb_checkpoint; /* checkpoint.h */

struct pb_machine_sweep {
    const struct pb_network *network;
    const char *pattern; /* as given; untrusted */
    enum pb_rule rule;
    enum pb_machine_engine engine;
    struct pb_machine_line line;
    const char *image; /* of the engines image and all; NULL: none */
    struct pb_machine_bench *bench; /* of the engine bench; NULL: none */
    const char *rig, *scenario;     /* of the bench, as given; untrusted */
    uint64_t seed;
    uint32_t superframes, warm_up, room, room_port; /* of a run, as struct pb_machine_options */
    bool closed, search;                            /* a closed loop; the saturation is searched */
    struct pb_machine_traffic_options how;          /* without the load */
    struct pb_traffic trace;
    struct pb_machine_dead *dead;
    uint64_t unreachable; /* ordered pairs */
    double limit;         /* 0: none is known */
    struct pb_machine_point *point;
    unsigned points;
    bool searched;
    struct pb_saturation saturation;
    const char *checkpoint;    /* file that is kept, to go on from; NULL: none */
    unsigned checkpoint_every; /* superframes of a point; 0: by time */
    bool resume;               /* goes on from the file */
    struct pb_checkpoint *kept;
    const struct pb_machine_ranks *ranks; /* set by pb_machine_sweep_open; NULL: this process alone */
    bool done;                            /* has run to its end */
    unsigned jobs;    /* points at a time; 0: one for each processor, of those that have `threads` */
    unsigned threads; /* of each point; 0: one for each processor that no point has, and for 8,192 nodes */
    /* Called after each superframe, by the thread of its point but never by two at once, with those that are
     * done and about all; NULL: not. */
    void (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
};

/* A batch or a trace: it runs once, until all its messages have arrived. */
static inline bool pb_machine_sweep_once(const struct pb_machine_sweep *sweep)
{
    return sweep->how.batch || sweep->how.trace;
}

/* PB_ERR_ARGUMENT: the word before the colon is that of no pattern, nor "file"; it names the nearest one. */
int pb_machine_sweep_check_pattern(const char *pattern, struct pb_diag *diag);
/* Makes the points of loads, or of windows if `window` is given, each A or A:B:STEP; load NULL: 0.5. A batch
 * and a trace have one, without either. PB_ERR_ARGUMENT, PB_ERR_MEMORY. */
int pb_machine_sweep_points(struct pb_machine_sweep *sweep, const char *load, const char *window,
                            struct pb_diag *diag);
/* After all fields but `limit` are set, and before anything is written: opens the checkpoint, if there is
 * one, and meets the other processes (ranks.h), before the first thread. Codes as pb_checkpoint_open and
 * pb_ranks_open; PB_ERR_ARGUMENT also: the engine cannot be kept, or there is no point. */
int pb_machine_sweep_open(struct pb_machine_sweep *sweep, struct pb_diag *diag);
/* Whether this process shows and writes the results, as all of them have the same. */
bool pb_machine_sweep_shows(const struct pb_machine_sweep *sweep);
/* Sets the limit; the traffic is checked by this. */
int pb_machine_sweep_limit(struct pb_machine_sweep *sweep, struct pb_diag *diag);
/* How many points are run at a time: at most `jobs` and as many as there are; one with images, or with real
 * nodes. And how many threads each of them has. */
unsigned pb_machine_sweep_jobs(const struct pb_machine_sweep *sweep);
unsigned pb_machine_sweep_threads(const struct pb_machine_sweep *sweep);
/* Memory that `jobs` points at a time may need at most, with the results of the others. After
 * pb_machine_sweep_limit. */
uint64_t pb_machine_sweep_bytes(const struct pb_machine_sweep *sweep, unsigned jobs);
/* Lowers `jobs` to as many points as there is memory for: `bytes`, or 0: what is free. PB_ERR_MEMORY: there
 * is too little for one. After pb_machine_sweep_limit. */
int pb_machine_sweep_fit(struct pb_machine_sweep *sweep, uint64_t bytes, struct pb_diag *diag);
/* Runs each point, to the first in which engines differ, and searches the saturation if that is wanted. */
int pb_machine_sweep_run(struct pb_machine_sweep *sweep, struct pb_diag *diag);
/* What the engines differ in; NULL: nothing. */
const struct pb_machine_difference *pb_machine_sweep_difference(const struct pb_machine_sweep *sweep);
/* Findings about real nodes, of all points. */
uint64_t pb_machine_sweep_findings(const struct pb_machine_sweep *sweep);
/* Whether some real node has a finding, or was not judged to the end of its run. */
bool pb_machine_sweep_doubts(const struct pb_machine_sweep *sweep);
/* Releases points, trace, what is dead, and the checkpoint; leaves the other processes. */
void pb_machine_sweep_free(struct pb_machine_sweep *sweep);

#endif
