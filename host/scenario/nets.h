/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nets of a board: the wires of the network that reach a node of the scenario. They are numbered in the
 * order in which they first appear, node by node in the order of `nodes`, port by port: so does a schematic
 * whose sheets are in this order.
 */
#ifndef PB_NETS_H
#define PB_NETS_H

#include "phasebench/scenario.h"

#define PB_NETS_MAX 64 /* each has a line of its own at the core */

struct pb_net {
    struct pb_wire_end end[2]; /* in the order of the numbering */
    unsigned ends;             /* 1: the other end is no node of the scenario */
};

struct pb_nets {
    struct pb_net net[PB_NETS_MAX];
    unsigned count;
    uint8_t of[PB_SCENARIO_NODES_MAX][PB_WIRE_PORTS_MAX]; /* of each port of each node */
};

/* Needs the network and the nodes. */
void pb_nets_number(struct pb_nets *nets, const struct pb_scenario *scenario);

/* "0x2 - 0x6 on dimension 2", or "0x2 dimension 2" of a net with one end here; returns text. */
#define PB_NET_TEXT 64
const char *pb_net_text(const struct pb_nets *nets, unsigned net, const struct pb_scenario *scenario,
                        char text[PB_NET_TEXT]);

#endif
