/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a simulated rig knows of its nodes besides their pins.
 */
#ifndef PB_NODE_STATE_H
#define PB_NODE_STATE_H

#include "bench/nodes/figures.h"
#include "bench/nodes/trouble.h"
#include "phasebench/device.h"

/* Fills *trouble for the node with this index in the scenario. Kind PB_TROUBLE_NONE: none, the node is
 * not of such a kind, or the rig's nodes are not in this process. */
void pb_rig_node_trouble(const struct pb_transport *transport, unsigned index,
                         struct pb_node_trouble *trouble);

/* False: no figures, as pb_node_figures, or the rig's nodes are not in this process. */
bool pb_rig_node_figures(const struct pb_transport *transport, unsigned index,
                         struct pb_node_figures *figures);

#endif
