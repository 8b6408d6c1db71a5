/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <stdlib.h>

int pb_turns_make(struct pb_turns *turns, const struct pb_network *network)
{
    const size_t nodes = network->nodes;

    *turns = (struct pb_turns){
        .sends = malloc(network->phases * nodes),
        .phase = malloc(network->ports * nodes),
        .peer = malloc(network->ports * nodes * sizeof *turns->peer),
    };
    if (!turns->sends || !turns->phase || !turns->peer) {
        pb_turns_free(turns);
        return PB_ERR_MEMORY;
    }
    for (unsigned phase = 0; phase < network->phases; phase++)
        for (uint32_t node = 0; node < nodes; node++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            const bool sends = slot.role == PB_ROLE_SEND;
            turns->sends[phase * nodes + node] = sends ? (uint8_t)slot.port : PB_NO_TURN;
            if (!sends)
                continue;
            turns->phase[slot.port * nodes + node] = (uint8_t)phase;
            turns->peer[slot.port * nodes + node] = (uint16_t)pb_network_peer(network, node, slot.port).node;
        }
    return 0;
}

void pb_turns_free(struct pb_turns *turns)
{
    free(turns->sends);
    free(turns->phase);
    free(turns->peer);
    *turns = (struct pb_turns){0};
}
