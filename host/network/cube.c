/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The binary cube: port d joins the nodes that differ in bit d, and has phases 2d and 2d + 1.
 */
#include "phasebench/cube.h"

#include "family.h"

static struct pb_slot slot(const struct pb_network *network, uint32_t node, unsigned phase)
{
    (void)network;
    return (struct pb_slot){pb_sends(node, phase) ? PB_ROLE_SEND : PB_ROLE_LISTEN, pb_phase_dimension(phase)};
}

static struct pb_peer peer(const struct pb_network *network, uint32_t node, unsigned port)
{
    (void)network;
    return (struct pb_peer){pb_neighbour(node, port), port};
}

static uint64_t wanted(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                       uint32_t destination)
{
    (void)network;
    const uint32_t differing = node ^ destination;
    return rule == PB_RULE_ECUBE ? differing & -differing : differing;
}

static const struct pb_network_family family = {"cube", slot, peer, wanted};

struct pb_network pb_network_cube(unsigned dims)
{
    struct pb_network network = {.family = &family, .dims = dims};
    for (unsigned d = 0; d < dims; d++)
        pb_network_add_digit(&network, 2, 1, 1);
    network.hops = dims;
    pb_network_set_bounds(&network);
    return network;
}
