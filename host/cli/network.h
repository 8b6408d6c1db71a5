/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network that a verb of the analysis is asked for: --dims N or --network NETWORK.
 */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "phasebench/network.h"

#include <jansson.h>

#define CLI_NETWORK_HELP                                                                                     \
    "  --dims N         dimensions of the cube, 1..16 (12)\n"                                                \
    "  --network NET    another network: cube:N, or generalised:R,R,... with the radix of each\n"            \
    "                   digit of an address, digit 0 first, as generalised:4,4,3\n"

struct cli_network {
    struct pb_network is;
    const char *option; /* by which it was chosen; NULL: the default */
};

/* The 12-cube. */
struct cli_network cli_network_default(void);

/* Each reads the value of its option, or reports what is wrong and returns false: the verb then returns
 * CLI_USAGE. Only one of the two options may be given. */
bool cli_take_dims(struct cli_network *network, const char *text);
bool cli_take_network(struct cli_network *network, const char *text);

/* An address of the network, reported the same way; `name` is the option or operand as the user knows it. */
bool cli_address(const char *name, const char *text, const struct pb_network *network, uint32_t *address);

/* Adds "dims" for a binary cube, else "network", with family and radix, and "nodes". */
void cli_json_network(json_t *object, const struct pb_network *network);

#endif
