/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "torus.h"

static uint32_t gray(uint32_t number)
{
    return number ^ number >> 1;
}

static uint32_t number_of(uint32_t code)
{
    for (unsigned shift = 1; shift < PB_DIMS_MAX; shift *= 2)
        code ^= code >> shift;
    return code;
}

/* The dimension that leads from one number to the next, on a ring of `mask` + 1. */
static uint8_t dimension_to(uint32_t number, uint32_t next, uint32_t mask)
{
    const uint32_t change = gray(number & mask) ^ gray(next & mask);
    uint8_t dimension = 0;
    while (change >> dimension > 1)
        dimension++;
    return dimension;
}

struct torus_ports torus_ports(const struct pb_network *network, uint32_t address)
{
    const uint8_t half = (uint8_t)(network->dims / 2);
    const uint32_t mask = (UINT32_C(1) << half) - 1;
    const uint32_t x = number_of(address & mask), y = number_of(address >> half);
    return (struct torus_ports){.half = half,
                                .left = dimension_to(x, x - 1, mask),
                                .right = dimension_to(x, x + 1, mask),
                                .up = (uint8_t)(half + dimension_to(y, y - 1, mask)),
                                .down = (uint8_t)(half + dimension_to(y, y + 1, mask))};
}

uint32_t torus_node(const struct pb_network *network, uint32_t argument, uint32_t cell)
{
    const unsigned half = network->dims / 2;
    const uint32_t mask = (UINT32_C(1) << half) - 1;
    (void)argument;
    return gray(cell & mask) | gray(cell >> half) << half;
}
