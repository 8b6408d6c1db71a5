/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The binary cube: topology and TDMA schedule. Pure: no I/O, no allocation, no state. network.h adds
 * routes and other topologies.
 *
 * An n-cube has 2^n nodes, n = 1..20. A superframe has 2n phases. In phase p = 2d + b the nodes whose
 * address bit d equals b send on dimension d; their neighbours across d listen. A message received in phase
 * p may be sent from phase p + 1 on.
 */
#ifndef PHASEBENCH_CUBE_H
#define PHASEBENCH_CUBE_H

#include "phasebench/api.h"
#include "phasebench/network.h"

#include <stdbool.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_DIMS_MIN 1
#define PB_DIMS_MAX 16 /* that are analysed, and of programs; pb_network_cube and traffic go on to 20 */

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

PB_API_END

#endif
