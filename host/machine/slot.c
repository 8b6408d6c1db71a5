/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine `slot`: messages alone, in parts of the nodes. */
#include "engine.h"
#include "parts.h"

#include <stdlib.h>

struct slot {
    struct pb_engine base;
    struct pb_parts *parts;
};

static struct pb_parts *parts_of(const struct pb_engine *engine)
{
    return ((const struct slot *)engine)->parts;
}

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    return pb_parts_step(parts_of(engine), superframe, out, diag);
}

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    pb_parts_loads(parts_of(engine), load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return pb_parts_stats(parts_of(engine));
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    pb_parts_waiting(parts_of(engine), visit, context);
}

static int save(struct pb_engine *engine, uint8_t **bytes, size_t *count)
{
    return pb_parts_save(parts_of(engine), bytes, count);
}

static int load(struct pb_engine *engine, const uint8_t *bytes, size_t count, uint32_t superframe)
{
    return pb_parts_load(parts_of(engine), bytes, count, superframe);
}

static void destroy(struct pb_engine *engine)
{
    pb_parts_free(parts_of(engine));
    free(engine);
}

static const struct pb_engine_ops ops = {.step = step,
                                         .loads = loads,
                                         .stats = stats,
                                         .waiting = waiting,
                                         .save = save,
                                         .load = load,
                                         .destroy = destroy};

int pb_engine_slot(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    struct slot *slot = calloc(1, sizeof *slot);
    const int code = slot ? pb_parts_create(&slot->parts, options) : PB_ERR_MEMORY;

    *out = NULL;
    if (code) {
        free(slot);
        return pb_fail(diag, code, "machine: no memory for the engine slot; give fewer nodes");
    }
    slot->base.ops = &ops;
    *out = &slot->base;
    return PB_OK;
}
