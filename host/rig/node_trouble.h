/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What happened to the processes of a rig's nodes.
 */
#ifndef PB_NODE_TROUBLE_H
#define PB_NODE_TROUBLE_H

#include "bench/nodes/process.h"
#include "phasebench/device.h"

/* Fills *trouble for the node with this index in the scenario. Kind PB_PROCESS_NO_TROUBLE: none, the node is
 * no process, or the rig's nodes are not in this process. */
void pb_rig_node_trouble(const struct pb_transport *transport, unsigned index,
                         struct pb_process_trouble *trouble);

#endif
