/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network as one node knows it, and the routing rules. Nothing is stored for each node: a network is a
 * few bytes and three functions, and a port is compiled with one.
 *
 * An address has digits, the least significant first; digit i has radix[i] values. Two nodes that differ in
 * one digit are wired. Port numbers ascend with the digit, and within a digit with its value in the
 * neighbour. docs/node.md says in which phase which port is open.
 */
#ifndef FW_ROUTE_H
#define FW_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_PORTS_MAX 12
#define ROUTE_IDLE UINT8_C(0xFF)  /* a turn: the node neither sends nor listens */
#define ROUTE_SENDS UINT8_C(0x80) /* a turn: it sends on the port in the low bits; else it listens there */

struct route_network {
    uint16_t nodes;
    uint8_t ports, phases; /* of a node, 1 .. ROUTE_PORTS_MAX; of a superframe */
    uint8_t digits, radix[ROUTE_PORTS_MAX];
    uint8_t (*turn)(const struct route_network *network, uint16_t own, uint8_t phase);
    /* Bit p: the node at port p is nearer to the destination. 0 exactly when own == destination. */
    uint16_t (*ways)(const struct route_network *network, uint16_t own, uint16_t destination);
    uint16_t (*neighbour)(const struct route_network *network, uint16_t own, uint8_t port);
};

/* The binary cube, dims 1 .. ROUTE_PORTS_MAX: every digit has two values. No division, for small MCUs. */
struct route_network route_cube(uint8_t dims);
/* Any radices from 2 on, of at most ROUTE_PORTS_MAX ports and 4,096 nodes together. */
struct route_network route_generalised(const uint8_t *radix, uint8_t digits);

struct route_rule {
    uint16_t (*pick)(uint16_t ways); /* of the ways, those on which a message may leave */
    bool one_port;                   /* pick() never names two: one queue for each port serves the rule */
};

extern const struct route_rule route_ecube;         /* the lowest differing digit */
extern const struct route_rule route_opportunistic; /* every differing digit */

/* The number of the lowest set bit of a non-zero mask. */
uint8_t route_lowest(uint16_t mask);

#endif
