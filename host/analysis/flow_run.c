/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mover (movement.h) that runs until a list of messages has arrived. */
#include "phasebench/flow.h"

/* Callbacks for crossings and drops. */
struct visitors {
    pb_crossing_fn *visit;
    pb_drop_fn *dropped;
    void *context;
};

/* Reports the crossings and drops of one step, in time order. */
static void tell(const struct pb_mover *mover, const struct visitors *visitors)
{
    size_t crossings, drops, crossing = 0;
    const struct pb_crossing *crossed = pb_mover_crossings(mover, &crossings);
    const struct pb_drop *dropped = pb_mover_drops(mover, &drops);

    for (size_t i = 0; i <= drops; i++) {
        const size_t end = i < drops && visitors->visit ? dropped[i].crossings : crossings;
        for (; crossing < end; crossing++)
            visitors->visit(visitors->context, &crossed[crossing]);
        if (i < drops && visitors->dropped)
            visitors->dropped(visitors->context, dropped[i].superframe, dropped[i].phase, dropped[i].node,
                              (size_t)dropped[i].message);
    }
}

static int run(struct pb_mover *mover, uint32_t superframe_limit, const struct visitors *visitors)
{
    const uint32_t limit = superframe_limit ? superframe_limit : UINT32_MAX;

    while (pb_mover_left(mover)) {
        pb_mover_skip(mover, limit);
        if (pb_mover_superframe(mover) >= limit)
            break;
        const int code = pb_mover_step(mover, NULL);
        if (code)
            return code;
        tell(mover, visitors);
    }
    return PB_OK;
}

static struct pb_flow_stats stats_of(const struct pb_network *network, const struct pb_traffic *traffic,
                                     const struct pb_mover_stats *moved)
{
    const struct pb_drop *drop = &moved->first_drop;
    return (struct pb_flow_stats){.messages = traffic->count,
                                  .delivered = (size_t)moved->delivered,
                                  .superframes = moved->superframes,
                                  .crossings = moved->crossings,
                                  .max_queue = moved->max_queue,
                                  .max_occupancy = moved->max_occupancy,
                                  .delivered_in_first = (size_t)moved->delivered_in_first,
                                  .dropped = (size_t)moved->dropped,
                                  .first_drop = {(uint64_t)drop->superframe * network->phases + drop->phase,
                                                 drop->node, (size_t)drop->message}};
}

int pb_flow_run_bounded(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                        uint32_t superframe_limit, struct pb_flow_room *room, unsigned rooms,
                        pb_crossing_fn *visit, pb_drop_fn *dropped, void *context,
                        struct pb_flow_stats *stats)
{
    const struct pb_mover_options options = {
        .network = network, .rule = rule, .room = room, .rooms = rooms, .crossings = visit};
    struct pb_releases *releases;
    struct pb_mover *mover = NULL;

    *stats = (struct pb_flow_stats){.messages = traffic->count};
    int code = pb_releases_list(&releases, network, traffic);
    if (code == PB_OK)
        code = pb_mover_create(&mover, &options, releases);
    if (code == PB_OK)
        code = run(mover, superframe_limit, &(struct visitors){visit, dropped, context});
    if (code == PB_OK)
        *stats = stats_of(network, traffic, pb_mover_stats(mover));
    for (unsigned i = 0; i < rooms; i++)
        room[i].fullest = code == PB_OK ? pb_mover_rooms(mover)[i].fullest : 0;
    pb_mover_free(mover);
    pb_releases_free(releases);
    return code;
}

int pb_flow_run(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                uint32_t superframe_limit, pb_crossing_fn *visit, void *context, struct pb_flow_stats *stats)
{
    return pb_flow_run_bounded(network, rule, traffic, superframe_limit, NULL, 0, visit, NULL, context,
                               stats);
}
