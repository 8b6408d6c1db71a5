/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "nets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int index_of(const struct pb_scenario *scenario, uint32_t address)
{
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == address)
            return (int)i;
    return -1;
}

void pb_nets_number(struct pb_nets *nets, const struct pb_scenario *scenario)
{
    memset(nets, 0, sizeof *nets);
    for (unsigned node = 0; node < scenario->node_count; node++)
        for (unsigned port = 0; port < scenario->network.ports; port++) {
            const struct pb_peer peer =
                pb_network_peer(&scenario->network, scenario->node[node].address, port);
            const int other = index_of(scenario, peer.node);
            const bool known = other >= 0 && (unsigned)other < node;
            const unsigned number = known ? nets->of[other][peer.port] : nets->count++;
            struct pb_net *net = &nets->net[number];
            net->end[net->ends++] = (struct pb_wire_end){(int8_t)node, (uint8_t)port};
            nets->of[node][port] = (uint8_t)number;
        }
}

const char *pb_net_text(const struct pb_nets *nets, unsigned net, const struct pb_scenario *scenario,
                        char text[PB_NET_TEXT])
{
    const struct pb_wire_end first = nets->net[net].end[0], second = nets->net[net].end[1];
    const uint32_t left = scenario->node[first.node].address;
    if (nets->net[net].ends < 2)
        snprintf(text, PB_NET_TEXT, "0x%" PRIX32 " dimension %u", left, first.port);
    else if (first.port == second.port)
        snprintf(text, PB_NET_TEXT, "0x%" PRIX32 " - 0x%" PRIX32 " on dimension %u", left,
                 scenario->node[second.node].address, first.port);
    else
        snprintf(text, PB_NET_TEXT, "0x%" PRIX32 " dimension %u - 0x%" PRIX32 " dimension %u", left,
                 first.port, scenario->node[second.node].address, second.port);
    return text;
}
