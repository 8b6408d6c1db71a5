/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

#include <string.h>

/* ---- the binary cube: in phase 2d + b the nodes whose address bit d equals b send on port d */

static uint8_t cube_turn(const struct route_network *network, uint16_t own, uint8_t phase)
{
    const uint8_t port = phase >> 1;
    (void)network;
    return ((own >> port) & 1) == (phase & 1) ? ROUTE_SENDS | port : port;
}

static uint16_t cube_ways(const struct route_network *network, uint16_t own, uint16_t destination)
{
    (void)network;
    return own ^ destination;
}

static uint16_t cube_neighbour(const struct route_network *network, uint16_t own, uint8_t port)
{
    (void)network;
    return own ^ (uint16_t)(1u << port);
}

struct route_network route_cube(uint8_t dims)
{
    struct route_network network = {.nodes = (uint16_t)(1u << dims),
                                    .ports = dims,
                                    .phases = (uint8_t)(2 * dims),
                                    .digits = dims,
                                    .turn = cube_turn,
                                    .ways = cube_ways,
                                    .neighbour = cube_neighbour};
    memset(network.radix, 2, dims);
    return network;
}

/* ---- any radix: each digit has its rounds one after the other, two phases each */

/* Divides a digit off and returns it. By the reciprocal of the radix, 2^16 / radix rounded up, as divisions
 * would take most of a handler on many MCUs. Exact: an address is below 2^12, a radix at most 13, so the
 * rounding adds less than 12 * 2^12 / 2^16 < 1 to the dividend. */
static uint8_t take_digit(const struct route_network *network, uint8_t digit, uint16_t *address)
{
    const uint16_t rest = (uint16_t)((uint32_t)*address * network->reciprocal[digit] >> 16);
    const uint8_t value = (uint8_t)(*address - rest * network->radix[digit]);
    *address = rest;
    return value;
}

static uint8_t rounds_of(uint8_t radix)
{
    return radix & 1 ? radix : (uint8_t)(radix - 1);
}

/* Returns the partner of a value of a digit in a round; the value itself if it has none. */
static uint8_t partner(uint8_t radix, uint8_t value, uint8_t round)
{
    const uint8_t rounds = rounds_of(radix);
    if (value == rounds) /* the last value of an even radix meets the value whose double is the round */
        return round & 1 ? (uint8_t)(round + rounds) / 2 : round / 2;
    uint8_t other = (uint8_t)(round + rounds - value);
    if (other >= rounds)
        other -= rounds;
    return other == value && !(radix & 1) ? rounds : other;
}

static uint8_t generalised_turn(const struct route_network *network, uint16_t own, uint8_t phase)
{
    uint8_t digit = 0, port = 0, value = take_digit(network, 0, &own);
    while (phase >= 2 * rounds_of(network->radix[digit])) {
        phase -= (uint8_t)(2 * rounds_of(network->radix[digit]));
        port += (uint8_t)(network->radix[digit] - 1);
        value = take_digit(network, ++digit, &own);
    }
    const uint8_t other = partner(network->radix[digit], value, phase >> 1);
    if (other == value)
        return ROUTE_IDLE;
    port += (uint8_t)(other - (other > value));
    return (value < other) == !(phase & 1) ? ROUTE_SENDS | port : port;
}

static uint16_t generalised_ways(const struct route_network *network, uint16_t own, uint16_t destination)
{
    uint16_t ways = 0;
    uint8_t first = 0;
    for (uint8_t digit = 0; digit < network->digits; digit++) {
        const uint8_t value = take_digit(network, digit, &own),
                      other = take_digit(network, digit, &destination);
        if (value != other)
            ways |= (uint16_t)(1u << (first + other - (other > value)));
        first += (uint8_t)(network->radix[digit] - 1);
    }
    return ways;
}

static uint16_t generalised_neighbour(const struct route_network *network, uint16_t own, uint8_t port)
{
    uint16_t weight = 1;
    uint8_t digit = 0;
    for (; port >= network->radix[digit] - 1; digit++) {
        port -= (uint8_t)(network->radix[digit] - 1);
        weight *= network->radix[digit];
    }
    const uint8_t value = (uint8_t)(own / weight % network->radix[digit]), other = port + (port >= value);
    return (uint16_t)(own - value * weight + other * weight);
}

struct route_network route_generalised(const uint8_t *radix, uint8_t digits)
{
    struct route_network network = {.nodes = 1,
                                    .digits = digits,
                                    .turn = generalised_turn,
                                    .ways = generalised_ways,
                                    .neighbour = generalised_neighbour};
    for (uint8_t digit = 0; digit < digits; digit++) {
        network.radix[digit] = radix[digit];
        network.reciprocal[digit] = (uint16_t)((0x10000 + radix[digit] - 1) / radix[digit]);
        network.nodes *= radix[digit];
        network.ports += (uint8_t)(radix[digit] - 1);
        network.phases += (uint8_t)(2 * rounds_of(radix[digit]));
    }
    return network;
}

/* ---- rules */

static uint16_t pick_lowest(uint16_t ways)
{
    return ways & (uint16_t)-ways;
}

static uint16_t pick_all(uint16_t ways)
{
    return ways;
}

const struct route_rule route_ecube = {pick_lowest, true};
const struct route_rule route_opportunistic = {pick_all, false};

uint8_t route_lowest(uint16_t mask)
{
    uint8_t bit = 0;
    while (!(mask & 1)) {
        mask >>= 1;
        bit++;
    }
    return bit;
}
