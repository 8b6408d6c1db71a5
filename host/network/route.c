/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The route of a lone message: it crosses in each phase in which its node sends on a port that it needs.
 */
#include "phasebench/network.h"

#include <string.h>

void pb_route_lone(struct pb_route *route, const struct pb_network *network, enum pb_rule rule,
                   uint32_t source, uint32_t destination, unsigned birth_phase)
{
    const unsigned phases = network->phases;
    unsigned now = birth_phase; /* phases since the start of the superframe of birth */
    uint32_t at = source;

    memset(route, 0, sizeof *route);
    while (at != destination) {
        const uint64_t wanted = pb_network_wanted(network, rule, at, destination);
        struct pb_slot slot;
        for (;; now++) {
            slot = pb_network_slot(network, at, now % phases);
            if (slot.role == PB_ROLE_SEND && wanted >> slot.port & 1)
                break;
        }
        struct pb_hop *hop = &route->hop[route->hops++];
        hop->superframe = now / phases;
        hop->phase = now % phases;
        hop->port = slot.port;
        hop->from = at;
        hop->to = at = pb_network_peer(network, at, slot.port).node;
        now++;
    }
    route->latency_phases = now - birth_phase;
}

unsigned pb_bound_lone_phases(const struct pb_network *network, enum pb_rule rule, bool any_birth)
{
    return network->lone_phases[rule][any_birth];
}
