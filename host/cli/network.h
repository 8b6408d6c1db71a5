/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network options of the analysis verbs: --dims N or --network NETWORK.
 */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "phasebench/network.h"

/* Each reads the value of its option, or reports the error and returns false. */
bool cli_take_dims(struct pb_network *network, const char *text);
bool cli_take_network(struct pb_network *network, const char *text);

/* Reads an address of the network likewise; name: the option or operand as typed. */
bool cli_address(const char *name, const char *text, const struct pb_network *network, uint32_t *address);

#endif
