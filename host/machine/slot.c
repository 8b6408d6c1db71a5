/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine `slot`: messages alone, by the mover. */
#include "engine.h"

#include <stdlib.h>

struct slot {
    struct pb_engine base;
    struct pb_mover *mover;
};

static const struct pb_mover *mover_of(const struct pb_engine *engine)
{
    return ((const struct slot *)engine)->mover;
}

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct pb_mover *mover = ((struct slot *)engine)->mover;

    (void)superframe;
    const int code = pb_mover_step(mover, diag);
    if (code)
        return code;
    out->crossing = pb_mover_crossings(mover, &out->crossings);
    out->drop = pb_mover_drops(mover, &out->drops);
    out->occupancy = pb_mover_occupancy(mover);
    return PB_OK;
}

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    pb_mover_loads(mover_of(engine), load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return pb_mover_stats(mover_of(engine));
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    pb_mover_waiting(mover_of(engine), visit, context);
}

static int save(struct pb_engine *engine, uint8_t **bytes, size_t *count)
{
    return pb_mover_save(((struct slot *)engine)->mover, bytes, count);
}

static int load(struct pb_engine *engine, const uint8_t *bytes, size_t count, uint32_t superframe)
{
    struct pb_mover *const mover = ((struct slot *)engine)->mover;
    const int code = pb_mover_load(mover, bytes, count);
    return code == PB_OK && pb_mover_superframe(mover) != superframe ? PB_ERR_CONFIG : code;
}

static void destroy(struct pb_engine *engine)
{
    pb_mover_free(((struct slot *)engine)->mover);
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
    const bool rooms = options->room || options->room_port;
    const uint32_t nodes = options->network->nodes;
    struct slot *slot = calloc(1, sizeof *slot);
    struct pb_flow_room *room = rooms ? calloc(nodes, sizeof *room) : NULL;
    int code = slot && (room || !rooms) ? PB_OK : PB_ERR_MEMORY;

    *out = NULL;
    for (uint32_t node = 0; code == PB_OK && rooms && node < nodes; node++)
        room[node] =
            (struct pb_flow_room){.node = node, .in_all = options->room, .per_dimension = options->room_port};
    if (code == PB_OK)
        code = pb_mover_create(&slot->mover,
                               &(struct pb_mover_options){.network = options->network,
                                                          .rule = options->rule,
                                                          .room = room,
                                                          .rooms = rooms ? nodes : 0,
                                                          .crossings = true,
                                                          .of_rooms = !options->all,
                                                          .loads = true},
                               options->releases);
    free(room);
    if (code) {
        free(slot);
        return pb_fail(diag, code, "machine: no memory for the engine slot; give fewer nodes");
    }
    slot->base.ops = &ops;
    *out = &slot->base;
    return PB_OK;
}
