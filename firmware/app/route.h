/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network from the view of a node, and the routing rules. A network is a few bytes and three functions,
 * without data for each node; a port is compiled with one network.
 *
 * An address has digits, the least significant first; digit i has radix[i] values. Two nodes that differ in
 * one digit have a link. Port numbers ascend with the digit, and within a digit with its value in the
 * neighbour. docs/node.md defines the phases of each port.
 */
#ifndef FW_ROUTE_H
#define FW_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_PORTS_MAX 12
#define ROUTE_IDLE UINT8_C(0xFF)  /* result of turn(): the node neither sends nor receives */
#define ROUTE_SENDS UINT8_C(0x80) /* flag of turn(): it sends on the port in the low bits; else it receives */

struct route_network {
    uint16_t nodes;
    uint8_t ports, phases; /* of a node, 1 .. ROUTE_PORTS_MAX; of a superframe */
    uint8_t digits, radix[ROUTE_PORTS_MAX];
    uint16_t reciprocal[ROUTE_PORTS_MAX]; /* of each radix; private */
    uint8_t (*turn)(const struct route_network *network, uint16_t own, uint8_t phase);
    /* Bit p: the node at port p is nearer to the destination. 0 exactly when own == destination. */
    uint16_t (*ways)(const struct route_network *network, uint16_t own, uint16_t destination);
    uint16_t (*neighbour)(const struct route_network *network, uint16_t own, uint8_t port);
};

/* The binary cube, dims 1 .. ROUTE_PORTS_MAX: every digit has two values. No division, for small MCUs. */
struct route_network route_cube(uint8_t dims);
/* Any radices of at least 2, with at most ROUTE_PORTS_MAX ports and 4,096 nodes in total. */
struct route_network route_generalised(const uint8_t *radix, uint8_t digits);

struct route_rule {
    uint16_t (*pick)(uint16_t ways); /* selects the ports of `ways` on which a message may leave */
    bool one_port;                   /* pick() never returns two ports: one queue per port is enough */
};

extern const struct route_rule route_ecube;         /* the lowest differing digit */
extern const struct route_rule route_opportunistic; /* every differing digit */

/* Returns the number of the lowest set bit of a non-zero mask. */
uint8_t route_lowest(uint16_t mask);

#endif
