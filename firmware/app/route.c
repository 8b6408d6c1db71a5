/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

static uint16_t ecube_wants(uint16_t own, uint16_t destination)
{
    uint16_t differing = own ^ destination;
    return differing & (uint16_t)-differing;
}

static uint16_t opportunistic_wants(uint16_t own, uint16_t destination)
{
    return own ^ destination;
}

const struct route_rule route_ecube = {ecube_wants, true};
const struct route_rule route_opportunistic = {opportunistic_wants, false};

uint8_t route_lowest(uint16_t mask)
{
    uint8_t bit = 0;
    while (!(mask & 1)) {
        mask >>= 1;
        bit++;
    }
    return bit;
}
