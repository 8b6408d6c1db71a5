/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hypercube topology, TDMA schedule and the route of a lone message. Pure: no I/O, no allocation, no state.
 *
 * An n-cube has 2^n nodes, n = 1..16. A superframe has 2n phases. In phase p = 2d + b the nodes whose
 * address bit d equals b send on dimension d; their neighbours across d listen. A message received in phase
 * p may be sent from phase p + 1 on.
 */
#ifndef PHASEBENCH_CUBE_H
#define PHASEBENCH_CUBE_H

#include <stdbool.h>
#include <stdint.h>

#define PB_DIMS_MIN 1
#define PB_DIMS_MAX 16

enum pb_rule {
    PB_RULE_ECUBE,        /* lowest differing dimension first (dimension order) */
    PB_RULE_OPPORTUNISTIC /* in each phase, if this dimension differs, cross it; any order */
};

static inline uint32_t pb_cube_nodes(unsigned dims)
{
    return UINT32_C(1) << dims;
}
static inline unsigned pb_cube_phases(unsigned dims)
{
    return 2 * dims;
}
static inline unsigned pb_phase_dimension(unsigned phase)
{
    return phase / 2;
}
/* 0: low to high, the node with bit d = 0 sends; 1: high to low. */
static inline unsigned pb_phase_direction(unsigned phase)
{
    return phase & 1;
}
/* The phase in which `address` sends on `dimension`; it listens there in phase ^ 1. */
static inline unsigned pb_send_phase(uint32_t address, unsigned dimension)
{
    return 2 * dimension + ((address >> dimension) & 1);
}
static inline bool pb_sends(uint32_t address, unsigned phase)
{
    return ((address >> pb_phase_dimension(phase)) & 1) == pb_phase_direction(phase);
}
static inline uint32_t pb_neighbour(uint32_t address, unsigned dimension)
{
    return address ^ (UINT32_C(1) << dimension);
}

struct pb_hop {
    unsigned superframe; /* 0 = the superframe of birth */
    unsigned phase;      /* 0..2n-1 */
    unsigned dimension;
    uint32_t from, to;
};

struct pb_route {
    unsigned hops;                  /* 0 when source == destination */
    unsigned latency_phases;        /* birth phase to last hop, both inclusive; 0 without hops */
    struct pb_hop hop[PB_DIMS_MAX]; /* in the order in which they are made */
};

/* Route of a message that is alone in the cube and ready at the start of phase birth_phase (0..2n-1).
 * Addresses must be below 2^dims; dims 1..16. */
void pb_route_lone(struct pb_route *route, unsigned dims, enum pb_rule rule, uint32_t source,
                   uint32_t destination, unsigned birth_phase);

/* Worst case over all pairs, of a lone message; exact, some pair attains it. 2n from the superframe start
 * (both rules); from any birth phase 4n - 1 (ecube; 2n when n = 1) or 2n (opportunistic). */
unsigned pb_bound_lone_phases(unsigned dims, enum pb_rule rule, bool any_birth);

const char *pb_rule_name(enum pb_rule rule); /* "ecube", "opportunistic" */
bool pb_rule_parse(const char *name, enum pb_rule *rule);

#endif
