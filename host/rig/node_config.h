/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Converts the settings of a scenario's node to the configuration of a node model.
 */
#ifndef PB_NODE_CONFIG_H
#define PB_NODE_CONFIG_H

#include "bench/nodes/node.h"
#include "phasebench/scenario.h"

struct pb_node_config pb_node_config_of(const struct pb_scenario *scenario, unsigned index);

#endif
