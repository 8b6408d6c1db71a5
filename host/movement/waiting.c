/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Visits the messages in flight between two steps.
 */
#include "box.h"

struct visitor {
    pb_waiting_fn *visit;
    void *context;
};

static void show(const struct pb_mover *mover, const struct visitor *visitor, uint32_t node, uint32_t place)
{
    const struct pb_place_cold *cold = &mover->state.cold[place];
    visitor->visit(visitor->context, mover->base + node,
                   &(struct pb_crossing){.message = cold->message,
                                         .release_superframe = cold->release_superframe,
                                         .sequence = cold->sequence,
                                         .source = cold->source,
                                         .destination = cold->destination,
                                         .release_phase = cold->release_phase});
}

static void visit_queue(const struct pb_mover *mover, const struct visitor *visitor, uint32_t node,
                        unsigned port)
{
    const struct pb_queue *queue =
        &mover->state.queue[pb_queue_of(&mover->turns, mover->turns.cube, node, port)];
    for (uint32_t left = queue->depth, place = queue->head; left-- > 0; place = mover->state.hot[place].next)
        show(mover, visitor, node, place);
}

/* A message of a deep node is in the queue of each port that it wants; the lowest one shows it. */
static void visit_deep(const struct pb_mover *mover, const struct visitor *visitor, uint32_t node)
{
    for (uint64_t ports = mover->state.wanted[node]; ports; ports &= ports - 1) {
        const unsigned port = lowest_port(ports);
        const struct pb_queue *queue = deep_queue(mover, node, port);
        for (uint32_t left = queue->depth, place = queue->head; left-- > 0;
             place = link_of(mover, place, port)[NEXT])
            if (lowest_port(pb_network_wanted(&mover->network, PB_RULE_OPPORTUNISTIC, mover->base + node,
                                              mover->state.cold[place].destination)) == port)
                show(mover, visitor, node, place);
    }
}

void pb_mover_waiting(const struct pb_mover *mover, pb_waiting_fn *visit, void *context)
{
    const struct visitor visitor = {visit, context};

    for (uint32_t node = 0; node < mover->nodes; node++) {
        if (!mover->state.occupancy[node])
            continue;
        for (unsigned port = 0; mover->rule == PB_RULE_ECUBE && port < mover->network.ports; port++)
            visit_queue(mover, &visitor, node, port);
        if (mover->rule == PB_RULE_ECUBE)
            continue;
        if (mover->state.deep[node])
            visit_deep(mover, &visitor, node);
        else
            for (unsigned at = 0; at < PB_BOX && want_in(&mover->state.box[node], at); at++)
                show(mover, &visitor, node, mover->state.box[node].place[at]);
    }
}
