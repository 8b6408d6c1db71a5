/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/watch.h"

#include "bench/nodes/node.h"
#include "phasebench/error.h"

int pb_node_watch(struct pb_node *node, unsigned index, struct pb_node_watch *watch,
                  struct pb_diag *diag)
{
    return watch && node->ops->watch ? node->ops->watch(node, index, watch, diag) : PB_OK;
}
