/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include "host/base/room.h"

#include <stdlib.h>
#include <string.h>

static uint64_t wanted(const struct pb_held *held, uint32_t node, uint32_t place)
{
    return pb_network_wanted(&held->flight->network, held->rule, node,
                             held->flight->message[place].destination);
}

static uint32_t *queue_of(const struct pb_held *held, uint32_t node, uint32_t destination)
{
    const struct pb_network *network = &held->flight->network;
    const uint64_t port = pb_network_wanted(network, held->rule, node, destination);
    return &held->queue[(size_t)node * network->ports + (unsigned)__builtin_ctzll(port)];
}

static void count_queue(struct pb_held *held, uint32_t node, uint32_t place, int by)
{
    if (held->rule != PB_RULE_ECUBE)
        return;
    uint32_t *queue = queue_of(held, node, held->flight->message[place].destination);
    *queue += (uint32_t)by;
    if (*queue > held->max_queue)
        held->max_queue = *queue;
}

uint32_t pb_held_queued(const struct pb_held *held, uint32_t node, uint32_t destination)
{
    return *queue_of(held, node, destination);
}

void pb_held_add(struct pb_held *held, uint32_t node, uint32_t place)
{
    struct pb_held_list *list = &held->list[node];

    if (list->first == PB_NO_PLACE)
        list->first = place;
    else
        held->next[list->last] = place;
    list->last = place;
    held->next[place] = PB_NO_PLACE;
    held->aside[place] = false;
    if (++held->occupancy[node] > held->max_occupancy)
        held->max_occupancy = held->occupancy[node];
    count_queue(held, node, place, 1);
}

uint32_t pb_held_due(const struct pb_held *held, uint32_t node, unsigned port)
{
    uint32_t place = held->list[node].first;
    while (place != PB_NO_PLACE && (held->aside[place] || !(wanted(held, node, place) >> port & 1)))
        place = held->next[place];
    return place;
}

void pb_held_set_aside(struct pb_held *held, uint32_t place)
{
    held->aside[place] = true;
}

bool pb_held_remove(struct pb_held *held, uint32_t node, uint32_t place)
{
    struct pb_held_list *list = &held->list[node];
    uint32_t before = PB_NO_PLACE, at = list->first;

    for (; at != PB_NO_PLACE && at != place; at = held->next[at])
        before = at;
    if (at == PB_NO_PLACE)
        return false;
    if (before == PB_NO_PLACE)
        list->first = held->next[place];
    else
        held->next[before] = held->next[place];
    if (list->last == place)
        list->last = before;
    held->occupancy[node]--;
    count_queue(held, node, place, -1);
    return true;
}

void pb_held_visit(const struct pb_held *held, pb_waiting_fn *visit, void *context)
{
    for (uint32_t node = 0; node < held->flight->network.nodes; node++)
        for (uint32_t place = held->list[node].first; place != PB_NO_PLACE; place = held->next[place])
            visit(context, node, &held->flight->message[place]);
}

/* ---- memory */

int pb_held_fit(struct pb_held *held)
{
    const size_t places = held->flight->messages_max;
    return pb_make_room(&held->next, &held->next_max, places, sizeof *held->next) ||
                   pb_make_room(&held->aside, &held->aside_max, places, sizeof *held->aside)
               ? PB_ERR_MEMORY
               : PB_OK;
}

void pb_held_copy(struct pb_held *held, const struct pb_held *from)
{
    const struct pb_network *network = &held->flight->network;
    const size_t nodes = network->nodes;

    memcpy(held->list, from->list, nodes * sizeof *held->list);
    memcpy(held->next, from->next, held->flight->used * sizeof *held->next);
    memcpy(held->aside, from->aside, held->flight->used * sizeof *held->aside);
    memcpy(held->occupancy, from->occupancy, nodes * sizeof *held->occupancy);
    memcpy(held->queue, from->queue, nodes * network->ports * sizeof *held->queue);
    held->max_occupancy = from->max_occupancy;
    held->max_queue = from->max_queue;
}

int pb_held_create(struct pb_held *held, const struct pb_flight *flight, enum pb_rule rule)
{
    const struct pb_network *network = &flight->network;
    const size_t nodes = network->nodes;

    *held = (struct pb_held){.flight = flight,
                             .rule = rule,
                             .list = malloc(nodes * sizeof *held->list),
                             .occupancy = calloc(nodes, sizeof *held->occupancy),
                             .queue = calloc(nodes * network->ports, sizeof *held->queue)};
    if (!held->list || !held->occupancy || !held->queue)
        return PB_ERR_MEMORY;
    memset(held->list, 0xFF, nodes * sizeof *held->list); /* PB_NO_PLACE */
    return PB_OK;
}

void pb_held_free(struct pb_held *held)
{
    free(held->list);
    free(held->next);
    free(held->aside);
    free(held->occupancy);
    free(held->queue);
}
