/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Dead nodes and links, and what becomes unreachable in dimension order. A dead node is one whose links are
 * all dead.
 */
#include "phasebench/machine.h"

#include <stdlib.h>

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

static int compare_pairs(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The pairs whose path uses a directed link of digit i: the source has the digits from i on of the sender,
 * the destination those up to i of the receiver. */
static size_t add_pairs(const struct pb_network *network, uint32_t from, uint32_t to, uint64_t *pair)
{
    const unsigned digit = pb_network_differing_digit(network, from, to);
    const uint32_t below = network->weight[digit], above = below * network->radix[digit];
    const uint32_t of_source = from / below * below, of_destination = to % above;
    size_t count = 0;

    for (uint32_t low = 0; low < below; low++)
        for (uint32_t high = 0; high < network->nodes; high += above)
            pair[count++] = (uint64_t)(of_source + low) << 32 | (of_destination + high);
    return count;
}

/* Each path one by one. */
static uint64_t walk_pairs(const struct pb_machine_dead *dead)
{
    uint64_t pairs = 0;
    for (uint32_t from = 0; from < dead->network.nodes; from++)
        for (uint32_t to = 0; to < dead->network.nodes; to++)
            pairs += !pb_machine_reaches(dead, from, to);
    return pairs;
}

int pb_machine_unreachable(const struct pb_machine_dead *dead, uint64_t *pairs)
{
    const struct pb_network *network = &dead->network;
    const size_t links = (size_t)network->nodes * network->ports;
    size_t count = 0, filled = 0;

    *pairs = 0;
    for (size_t link = 0; link < links; link++)
        count += dead->link[link];
    if (!count)
        return PB_OK;
    if (!pb_network_is_complete(network)) {
        *pairs = walk_pairs(dead);
        return PB_OK;
    }
    /* A radix is at least 2. */
    uint64_t *pair = calloc(count, (size_t)network->nodes / 2 * sizeof *pair);
    if (!pair)
        return PB_ERR_MEMORY;
    for (size_t link = 0; link < links; link++)
        if (dead->link[link]) {
            const uint32_t from = (uint32_t)(link / network->ports);
            const unsigned port = (unsigned)(link % network->ports);
            filled += add_pairs(network, from, pb_network_neighbour(network, from, port), pair + filled);
        }
    qsort(pair, filled, sizeof *pair, compare_pairs);
    for (size_t i = 0; i < filled; i++)
        *pairs += i == 0 || pair[i] != pair[i - 1];
    free(pair);
    return PB_OK;
}
