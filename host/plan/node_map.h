/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of the rig, and their link pins. Wiring convention of every rig: node i of the scenario has link pins
 * i * ports .. i * ports + ports - 1, in the order of its ports, and node port i.
 */
#ifndef PHASEBENCH_NODE_MAP_H
#define PHASEBENCH_NODE_MAP_H

#include "phasebench/scenario.h"

#define PB_JOIN_DELAY_TICKS 8 /* of the core, from one pin of a joined pair to the other, at most */

/* Index of the node with this address on the rig, or -1. */
static inline int pb_scenario_node_index(const struct pb_scenario *scenario, uint32_t address)
{
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == address)
            return (int)i;
    return -1;
}

static inline unsigned pb_link_of(const struct pb_scenario *scenario, unsigned node_index, unsigned port)
{
    return node_index * scenario->network.ports + port;
}
static inline unsigned pb_link_node_index(const struct pb_scenario *scenario, unsigned link)
{
    return link / scenario->network.ports;
}
static inline unsigned pb_link_port(const struct pb_scenario *scenario, unsigned link)
{
    return link % scenario->network.ports;
}
static inline uint32_t pb_link_address(const struct pb_scenario *scenario, unsigned link)
{
    return scenario->node[pb_link_node_index(scenario, link)].address;
}

static inline unsigned pb_link_count(const struct pb_scenario *scenario)
{
    return scenario->node_count * scenario->network.ports;
}
/* The link at the other end of a link's wire, if a node of the rig is there, too; else -1. */
static inline int pb_partner_link(const struct pb_scenario *scenario, unsigned link)
{
    if (link >= pb_link_count(scenario))
        return -1;
    const struct pb_peer peer = pb_network_peer(&scenario->network, pb_link_address(scenario, link),
                                                pb_link_port(scenario, link));
    const int other = pb_scenario_node_index(scenario, peer.node);
    return other < 0 ? -1 : (int)pb_link_of(scenario, (unsigned)other, peer.port);
}

#endif
