/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <stdlib.h>

static uint32_t whole_words(uint32_t queues)
{
    return (queues + PB_WORD_BITS - 1) / PB_WORD_BITS * PB_WORD_BITS;
}

static int make_tables(struct pb_turns *turns, const struct pb_network *network)
{
    const size_t nodes = network->nodes,
                 queues_max = nodes * network->ports + (size_t)network->phases * PB_WORD_BITS;

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
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            turns->turn[queue] = (struct pb_turn){node, pb_network_peer(network, node, slot.port).node};
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
    return PB_OK;
}

int pb_turns_make(struct pb_turns *turns, const struct pb_network *network)
{
    *turns = (struct pb_turns){.nodes = network->nodes};
    if (!network->dims && make_tables(turns, network)) {
        pb_turns_free(turns);
        return PB_ERR_MEMORY;
    }
    for (unsigned phase = 0; network->dims && phase < network->phases; phase++) {
        turns->first[phase] = turns->queues;
        turns->end[phase] = turns->queues + network->nodes / 2;
        turns->queues = whole_words(turns->end[phase]);
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
