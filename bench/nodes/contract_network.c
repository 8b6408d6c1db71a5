/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network by its definition in docs/node.md, pair by pair: two values a < b of a digit of radix R meet in
 * round (a + b) mod M, where M is R when odd and R - 1 when even; the value b = R - 1 of an even radix meets
 * a in round 2a mod M. The smaller one sends in the first phase of the round, the larger one in the second.
 */
#include "bench/nodes/contract.h"

static unsigned rounds_of(unsigned radix)
{
    return radix % 2 ? radix : radix - 1;
}

static unsigned round_of(unsigned radix, unsigned one, unsigned other)
{
    const unsigned rounds = rounds_of(radix), low = one < other ? one : other, high = one + other - low;
    return (high == rounds ? 2 * low : low + high) % rounds;
}

unsigned contract_phases(const struct contract *node)
{
    unsigned phases = 0;
    for (unsigned i = 0; i < node->config.digits; i++)
        phases += 2 * rounds_of(node->config.radix[i]);
    return phases;
}

/* A port is a digit and a value of it other than the node's. */
struct place {
    unsigned digit, radix, own, other;
    uint32_t weight;
};

static bool find_port(const struct contract *node, unsigned port, struct place *place)
{
    uint32_t weight = 1;
    for (unsigned i = 0; i < node->config.digits; i++) {
        const unsigned radix = node->config.radix[i], own = node->address / weight % radix;
        for (unsigned other = 0; other < radix; other++)
            if (other != own && port-- == 0) {
                *place = (struct place){i, radix, own, other, weight};
                return true;
            }
        weight *= radix;
    }
    return false;
}

enum contract_turn contract_turn(const struct contract *node, unsigned phase, unsigned *port)
{
    struct place place = {0};
    unsigned begin = 0, digit = 0;
    for (*port = 0; find_port(node, *port, &place); ++*port) {
        for (; digit < place.digit; digit++)
            begin += 2 * rounds_of(node->config.radix[digit]);
        const unsigned first = begin + 2 * round_of(place.radix, place.own, place.other);
        if (phase / 2 == first / 2)
            return (phase == first) == (place.own < place.other) ? CONTRACT_SENDS : CONTRACT_LISTENS;
    }
    return CONTRACT_IDLE;
}

uint32_t contract_neighbour(const struct contract *node, unsigned port)
{
    struct place place = {0};
    (void)find_port(node, port, &place);
    return node->address + place.other * place.weight - place.own * place.weight;
}

uint32_t contract_ways(const struct contract *node, uint32_t destination)
{
    struct place place = {0};
    uint32_t ways = 0;
    for (unsigned port = 0; find_port(node, port, &place); port++)
        if (destination / place.weight % place.radix == place.other)
            ways |= 1u << port;
    return ways;
}
