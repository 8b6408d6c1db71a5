/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network that a verb of the analysis is asked for: --dims N or --network NETWORK.
 */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "phasebench/network.h"

#include <jansson.h>

/* Each reads the value of its option, or reports what is wrong and returns false. */
bool cli_take_dims(struct pb_network *network, const char *text);
bool cli_take_network(struct pb_network *network, const char *text);

/* An address of the network, reported the same way; `name` is the option or operand as the user knows it. */
bool cli_address(const char *name, const char *text, const struct pb_network *network, uint32_t *address);

/* Adds "dims" for a binary cube, else "network", with family and radix, and "nodes". */
void cli_json_network(json_t *object, const struct pb_network *network);

#endif
