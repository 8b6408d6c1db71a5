/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <stdlib.h>

static uint32_t whole_words(uint32_t queues)
{
    return (queues + PB_WORD_BITS - 1) / PB_WORD_BITS * PB_WORD_BITS;
}

static unsigned part_of(const struct pb_mover_part *part, uint32_t node)
{
    unsigned at = 0;
    while (node >= part->first[at + 1])
        at++;
    return at;
}

/* All parts have to find the same phases, so each looks at all nodes. */
static bool leads_out(const struct pb_network *network, const struct pb_mover_part *part, unsigned phase)
{
    for (uint32_t node = 0; node < network->nodes; node++) {
        const struct pb_slot slot = pb_network_slot(network, node, phase);
        if (slot.role == PB_ROLE_SEND &&
            part_of(part, node) != part_of(part, pb_network_neighbour(network, node, slot.port)))
            return true;
    }
    return false;
}

/* Ports without a wire have one queue, in which no message ever waits, after all others. */
static void share_empty(struct pb_turns *turns, const struct pb_network *network)
{
    const uint32_t empty = turns->queues;
    for (uint32_t node = 0; node < turns->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++)
            if (!pb_network_has_wire(network, turns->base + node, port)) {
                turns->queue[port * turns->nodes + node] = empty;
                turns->queues = empty + PB_WORD_BITS;
            }
}

static int make_tables(struct pb_turns *turns, const struct pb_network *network)
{
    const size_t nodes = turns->nodes,
                 queues_max = nodes * network->ports + (size_t)(network->phases + 1) * PB_WORD_BITS;

    turns->turn = calloc(queues_max, sizeof *turns->turn);
    turns->port = calloc(queues_max, sizeof *turns->port);
    turns->span = calloc(queues_max / PB_WORD_BITS + 1, sizeof *turns->span);
    turns->queue = calloc(nodes * network->ports, sizeof *turns->queue);
    if (!turns->turn || !turns->port || !turns->span || !turns->queue)
        return PB_ERR_MEMORY;
    uint32_t queue = 0;
    for (unsigned phase = 0; phase < network->phases; phase++) {
        turns->first[phase] = queue;
        for (uint32_t node = 0; node < nodes; node++) {
            const struct pb_slot slot = pb_network_slot(network, turns->base + node, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            turns->turn[queue] =
                (struct pb_turn){node, pb_network_peer(network, turns->base + node, slot.port).node};
            struct pb_span *span = &turns->span[queue / PB_WORD_BITS];
            span->last = node / PB_WORD_BITS;
            span->first = queue % PB_WORD_BITS ? span->first : span->last;
            turns->port[queue] = (uint8_t)slot.port;
            turns->queue[slot.port * nodes + node] = queue++;
        }
        turns->end[phase] = queue;
        queue = whole_words(queue);
    }
    turns->queues = queue;
    share_empty(turns, network);
    return PB_OK;
}

static void number_cube(struct pb_turns *turns, const struct pb_network *network)
{
    for (unsigned phase = 0; phase < network->phases; phase++) {
        const bool within = turns->nodes >> phase / 2 > 1,
                   sends = (turns->base >> phase / 2 & 1) == (phase & 1);
        turns->leaves[phase] = !within;
        turns->first[phase] = turns->queues;
        turns->end[phase] = turns->queues + (within ? turns->nodes / 2 : sends ? turns->nodes : 0);
        turns->queues = whole_words(turns->end[phase]);
    }
}

static bool are_cubes(const struct pb_mover_part *part)
{
    const uint32_t nodes = part->first[1];
    bool same = !(nodes & (nodes - 1));
    for (unsigned i = 0; i < part->parts && same; i++)
        same = part->first[i + 1] - part->first[i] == nodes;
    return same;
}

int pb_turns_make(struct pb_turns *turns, const struct pb_network *network, const struct pb_mover_part *part)
{
    *turns = (struct pb_turns){.base = part->first[part->own],
                               .nodes = part->first[part->own + 1] - part->first[part->own],
                               .cube = network->dims && are_cubes(part)};
    if (turns->cube) {
        number_cube(turns, network);
    } else {
        for (unsigned phase = 0; part->parts > 1 && phase < network->phases; phase++)
            turns->leaves[phase] = leads_out(network, part, phase);
        if (make_tables(turns, network)) {
            pb_turns_free(turns);
            return PB_ERR_MEMORY;
        }
    }
    turns->first[network->phases] = turns->queues;
    return PB_OK;
}

void pb_turns_free(struct pb_turns *turns)
{
    free(turns->turn);
    free(turns->port);
    free(turns->span);
    free(turns->queue);
    *turns = (struct pb_turns){0};
}
