/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who sits on the rig, and which link pin is which. The wiring convention of every rig: node i of the
 * scenario has link pins i * dims .. i * dims + dims - 1, in the order of the dimensions, and node port i.
 */
#ifndef PHASEBENCH_SEATS_H
#define PHASEBENCH_SEATS_H

#include "phasebench/scenario.h"

/* Index of the node with this address on the rig, or -1. */
static inline int pb_seat_of(const struct pb_scenario *scenario, uint32_t address)
{
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == address)
            return (int)i;
    return -1;
}

static inline unsigned pb_link_of(const struct pb_scenario *scenario, unsigned seat, unsigned dimension)
{
    return seat * scenario->dims + dimension;
}

static inline unsigned pb_link_count(const struct pb_scenario *scenario)
{
    return scenario->node_count * scenario->dims;
}

#endif
