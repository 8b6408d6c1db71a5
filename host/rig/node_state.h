/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the nodes of a simulated rig, in addition to their pins.
 */
#ifndef PB_NODE_STATE_H
#define PB_NODE_STATE_H

#include "bench/nodes/figures.h"
#include "bench/nodes/trouble.h"
#include "phasebench/device.h"
#include "phasebench/record.h"

/* Fills *trouble for the node with this index in the scenario. Kind PB_TROUBLE_NONE: none, the node is
 * not of such a kind, or the rig's nodes are not in this process. A recorder notes it, a replay gives what
 * was recorded. PB_ERR_MEMORY, or as pb_recording_node. */
int pb_rig_node_trouble(struct pb_transport *transport, unsigned index, struct pb_node_trouble *trouble,
                        struct pb_diag *diag);

/* As JSON, "" for kind PB_TROUBLE_NONE. There is room for the longest text of any characters. Returns 0 or
 * PB_ERR_MEMORY. */
int pb_trouble_write(char text[PB_RECORDING_NODE_TEXT], const struct pb_node_trouble *trouble);
/* "": kind PB_TROUBLE_NONE. PB_ERR_CONFIG: it is no such JSON. */
int pb_trouble_read(struct pb_node_trouble *trouble, const char *text);

/* False: no figures, as pb_node_figures, or the rig's nodes are not in this process. */
bool pb_rig_node_figures(const struct pb_transport *transport, unsigned index,
                         struct pb_node_figures *figures);

#endif
