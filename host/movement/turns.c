/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <stdlib.h>

int pb_turns_make(struct pb_turns *turns, const struct pb_network *network)
{
    const size_t nodes = network->nodes,
                 queues_max = nodes * network->ports + (size_t)network->phases * PB_WORD_BITS;

    *turns = (struct pb_turns){.turn = calloc(queues_max, sizeof *turns->turn),
                               .port = calloc(queues_max, sizeof *turns->port),
                               .span = calloc(queues_max / PB_WORD_BITS + 1, sizeof *turns->span),
                               .queue = calloc(nodes * network->ports, sizeof *turns->queue)};
    if (!turns->turn || !turns->port || !turns->span || !turns->queue) {
        pb_turns_free(turns);
        return PB_ERR_MEMORY;
    }
    uint32_t queue = 0;
    for (unsigned phase = 0; phase < network->phases; phase++) {
        turns->first[phase] = queue;
        for (uint32_t node = 0; node < nodes; node++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            turns->turn[queue] =
                (struct pb_turn){(uint16_t)node, (uint16_t)pb_network_peer(network, node, slot.port).node};
            struct pb_span *span = &turns->span[queue / PB_WORD_BITS];
            span->last = (uint16_t)(node / PB_WORD_BITS);
            span->first = queue % PB_WORD_BITS ? span->first : span->last;
            turns->port[queue] = (uint8_t)slot.port;
            turns->queue[slot.port * nodes + node] = queue++;
        }
        turns->end[phase] = queue;
        queue = (queue + PB_WORD_BITS - 1) / PB_WORD_BITS * PB_WORD_BITS;
    }
    turns->first[network->phases] = turns->queues = queue;
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
