/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Routing rules. A rule names the dimensions in which a message may leave; the node looks no further. Rules
 * are data, so that a port can bring its own.
 */
#ifndef FW_ROUTE_H
#define FW_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_DIMS_MAX 12

struct route_rule {
    /* Bit d: the message may leave on dimension d. 0 exactly when own == destination. */
    uint16_t (*wants)(uint16_t own, uint16_t destination);
    bool one_dimension; /* wants() never names two: one queue per dimension serves the rule */
};

extern const struct route_rule route_ecube;         /* lowest differing dimension */
extern const struct route_rule route_opportunistic; /* every differing dimension */

/* Phase 2d + b: on dimension d the nodes whose address bit d equals b send, the others listen. */
static inline uint8_t route_phase_dimension(uint8_t phase)
{
    return phase >> 1;
}
static inline bool route_sends(uint16_t own, uint8_t phase)
{
    return ((own >> (phase >> 1)) & 1) == (phase & 1);
}

/* The number of the lowest set bit of a non-zero mask. */
uint8_t route_lowest(uint16_t mask);

#endif
