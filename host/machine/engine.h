/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What moves the messages of a machine, superframe by superframe.
 */
#ifndef PB_MACHINE_ENGINE_H
#define PB_MACHINE_ENGINE_H

#include "phasebench/machine.h"

struct pb_machine_traffic;

/* What a superframe did, where no message is asked for by itself. */
struct pb_step_sums {
    uint64_t arrived, dropped;
    uint64_t lives;          /* phases that those were in flight */
    uint64_t rest;           /* phases of the superframe after their ends */
    const uint64_t *latency; /* [phases]: how many arrived after them */
    size_t latencies;
};

/* What a superframe did. The arrays are valid until the next step. */
struct pb_step {
    /* In order of time; without `all` only those that arrive, and those of nodes with a room. */
    const struct pb_crossing *crossing;
    size_t crossings;
    const struct pb_drop *drop; /* in order of time; the field `crossings` counts among those above */
    size_t drops;
    /* Messages that a node lost, with the end of their lives: superframe and phase. */
    const struct pb_crossing *lost;
    size_t losses;
    const uint32_t *occupancy; /* [node]: undelivered messages after it; NULL: */
    uint64_t held;             /* their sum */
    const struct pb_step_sums *sums; /* in place of crossings and drops; NULL: those */
    const struct pb_machine_difference *difference; /* of two engines; NULL: none */
};

static inline uint64_t pb_step_held(const struct pb_step *step, uint32_t nodes)
{
    uint64_t sum = step->held;
    for (uint32_t node = 0; step->occupancy && node < nodes; node++)
        sum += step->occupancy[node];
    return sum;
}

/* The phases that a message lives from its release to the end of a phase. */
static inline uint64_t pb_life_phases(unsigned phases, uint32_t superframe, unsigned phase,
                                      uint32_t release_superframe, unsigned release_phase)
{
    return ((uint64_t)superframe - release_superframe) * phases + phase + 1 - release_phase;
}

struct pb_engine;

struct pb_engine_ops {
    /* Superframes in ascending order, from 0 on. PB_ERR_MEMORY, or any code of the traffic. */
    int (*step)(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag);
    /* As pb_mover_loads, pb_mover_stats and pb_mover_waiting; first_drop and delivered_in_first are of the
     * mover alone. */
    void (*loads)(const struct pb_engine *engine, uint32_t *load);
    const struct pb_mover_stats *(*stats)(const struct pb_engine *engine);
    void (*waiting)(const struct pb_engine *engine, pb_waiting_fn *visit, void *context);
    /* After the last step: what only the nodes know. NULL: nothing. PB_ERR_IO, PB_ERR_MEMORY. */
    int (*finish)(struct pb_engine *engine, struct pb_diag *diag);
    /* Between two steps: what pb_mover_save and pb_mover_load do; load demands that the next step is of this
     * superframe. NULL, both: the engine cannot be kept. */
    int (*save)(struct pb_engine *engine, uint8_t **bytes, size_t *count);
    int (*load)(struct pb_engine *engine, const uint8_t *bytes, size_t count, uint32_t superframe);
    void (*destroy)(struct pb_engine *engine);
};

/* Implementations embed it as first member. */
struct pb_engine {
    const struct pb_engine_ops *ops;
};

struct pb_engine_options {
    const struct pb_network *network;
    enum pb_rule rule;
    struct pb_releases *releases;       /* borrowed */
    unsigned room, room_port;           /* of each node; 0: unbounded */
    bool all;                           /* step gives all crossings */
    /* Of `slot` alone: step gives sums; the traffic whose releases they are, NULL: unknown; and as struct
     * pb_machine_options. */
    bool sums;
    struct pb_machine_traffic *traffic;
    unsigned threads;
    const struct pb_machine_ranks *ranks;
    const struct pb_machine_line *line; /* not NULL */
    const char *const *image;           /* as struct pb_machine_options */
    unsigned images;
    struct pb_machine_bench *bench; /* the same */
    struct pb_machine_seen *seen; /* of PB_ENGINE_BENCH: gets what the real nodes did; outlives the engine */
};

/* Each returns 0, or a code with a diagnostic; *out is NULL then. Of several engines the results are those of
 * `slot`, and each crossing and drop is compared; after a difference they can only be destroyed. */
typedef int pb_engine_create_fn(struct pb_engine **out, const struct pb_engine_options *options,
                                struct pb_diag *diag);
pb_engine_create_fn pb_engine_slot;     /* messages alone: the mover of movement.h */
pb_engine_create_fn pb_engine_firmware; /* firmware/app in each node */
pb_engine_create_fn pb_engine_wire;     /* firmware/app at its pins */
pb_engine_create_fn pb_engine_image;    /* firmware images at their pins */
pb_engine_create_fn pb_engine_bench;    /* real nodes among messages alone */
pb_engine_create_fn pb_engine_all;      /* these on the same releases */

/* Sets birth[0..*births - 1] to all releases of a superframe, in their order; the array grows, and the caller
 * frees it. PB_ERR_MEMORY, or any code of the source; no diagnostic. */
int pb_engine_fetch(struct pb_releases *source, uint32_t superframe, struct pb_birth **birth, size_t *births,
                    size_t *births_max);

/* PB_ERR_ARGUMENT: the engine cannot run with this line, or needs a firmware image and has none. */
int pb_engine_check(enum pb_machine_engine engine, const struct pb_machine_line *line, bool has_image,
                    struct pb_diag *diag);

/* The engine of this name, by the options of a run, which are those that pb_machine_engine_check accepts. */
int pb_engine_create(struct pb_engine **out, enum pb_machine_engine engine,
                     const struct pb_engine_options *options, struct pb_diag *diag);

#endif
