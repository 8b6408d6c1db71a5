/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Dead nodes and links, and what becomes unreachable in dimension order. A dead node is one whose links are
 * all dead.
 */
#include "phasebench/machine.h"

#include <stdlib.h>

enum { WALKED_NODES_MAX = 4096 };

struct pb_machine_dead {
    struct pb_network network;
    uint8_t *node; /* [node] */
    uint8_t *link; /* [node * ports + port]: the direction that leaves the node */
};

int pb_machine_dead_create(struct pb_machine_dead **out, const struct pb_network *network)
{
    struct pb_machine_dead *dead = *out = calloc(1, sizeof *dead);

    if (!dead)
        return PB_ERR_MEMORY;
    dead->network = *network;
    dead->node = calloc(network->nodes, sizeof *dead->node);
    dead->link = calloc((size_t)network->nodes * network->ports, sizeof *dead->link);
    if (!dead->node || !dead->link) {
        pb_machine_dead_free(dead);
        *out = NULL;
        return PB_ERR_MEMORY;
    }
    return PB_OK;
}

void pb_machine_dead_free(struct pb_machine_dead *dead)
{
    if (!dead)
        return;
    free(dead->node);
    free(dead->link);
    free(dead);
}

static size_t link_of(const struct pb_network *network, uint32_t node, unsigned port)
{
    return (size_t)node * network->ports + port;
}

void pb_machine_kill_link(struct pb_machine_dead *dead, uint32_t node, unsigned port)
{
    const struct pb_peer peer = pb_network_peer(&dead->network, node, port);
    dead->link[link_of(&dead->network, node, port)] = true;
    dead->link[link_of(&dead->network, peer.node, peer.port)] = true;
}

void pb_machine_kill_node(struct pb_machine_dead *dead, uint32_t node)
{
    dead->node[node] = true;
    for (unsigned port = 0; port < dead->network.ports; port++)
        pb_machine_kill_link(dead, node, port);
}

bool pb_machine_is_dead(const struct pb_machine_dead *dead, uint32_t node)
{
    return dead->node[node];
}

bool pb_machine_reaches(const struct pb_machine_dead *dead, uint32_t source, uint32_t destination)
{
    const struct pb_network *network = &dead->network;
    for (uint32_t at = source; at != destination;) {
        const unsigned port =
            (unsigned)__builtin_ctzll(pb_network_wanted(network, PB_RULE_ECUBE, at, destination));
        if (dead->link[link_of(network, at, port)])
            return false;
        at = pb_network_neighbour(network, at, port);
    }
    return true;
}

/* In dimension order a message that has its digits below i right goes on from its node in the same way,
 * wherever it comes from. So the destinations that are reached from there follow from those of the next
 * digit, at each node that differs in digit i and is reached. */
static void add_reached(const struct pb_machine_dead *dead, unsigned digit, const uint32_t *after,
                        uint32_t *reached)
{
    const struct pb_network *network = &dead->network;
    const uint32_t weight = network->weight[digit];

    for (uint32_t node = 0; node < network->nodes; node++) {
        uint32_t other = node - pb_network_digit(network, node, digit) * weight;
        reached[node] = 0;
        for (unsigned value = 0; value < network->radix[digit]; value++, other += weight)
            if (pb_machine_reaches(dead, node, other))
                reached[node] += after[other];
    }
}

/* Each path by itself, where wires change more than a digit. */
static uint64_t walk_all(const struct pb_machine_dead *dead)
{
    uint64_t pairs = 0;
    for (uint32_t from = 0; from < dead->network.nodes; from++)
        for (uint32_t to = 0; to < dead->network.nodes; to++)
            pairs += !pb_machine_reaches(dead, from, to);
    return pairs;
}

int pb_machine_unreachable(const struct pb_machine_dead *dead, uint64_t *pairs, struct pb_diag *diag)
{
    const size_t nodes = dead->network.nodes;

    *pairs = 0;
    if (!dead->network.by_digits && nodes > WALKED_NODES_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: what is unreachable is counted in at most %d nodes of a network without "
                       "digits, and this one has %zu; leave out what is dead, or give a smaller one",
                       WALKED_NODES_MAX, nodes);
    if (!dead->network.by_digits) {
        *pairs = walk_all(dead);
        return PB_OK;
    }
    uint32_t *const reached = malloc(2 * nodes * sizeof *reached), *now = reached;
    if (!reached)
        return pb_fail(diag, PB_ERR_MEMORY,
                       "machine: no memory to count what is unreachable; give fewer nodes");
    for (size_t node = 0; node < nodes; node++)
        now[node] = 1; /* itself, with all digits right */
    for (unsigned digit = dead->network.digits; digit-- > 0;) {
        uint32_t *const next = now == reached ? reached + nodes : reached;
        add_reached(dead, digit, now, next);
        now = next;
    }
    for (size_t node = 0; node < nodes; node++)
        *pairs += nodes - now[node];
    free(reached);
    return PB_OK;
}
