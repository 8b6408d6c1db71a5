/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "trouble.h"

#include "bench/nodes/figures.h"
#include "bench/nodes/node.h"

bool pb_node_trouble(const struct pb_node *node, struct pb_node_trouble *trouble)
{
    if (!node->ops->trouble)
        return false;
    node->ops->trouble(node, trouble);
    return true;
}

bool pb_node_figures(const struct pb_node *node, struct pb_node_figures *figures)
{
    return node->ops->figures && node->ops->figures(node, figures);
}
