/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network options of the analysis verbs: --dims N or --network NETWORK.
 */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "phasebench/traffic.h"

/* Each reads the value of its option, or reports the error and returns false. */
bool cli_take_dims(struct pb_network *network, const char *text, unsigned most);
bool cli_take_network(struct pb_network *network, const char *text, unsigned dims_max, unsigned bits_max);

/* The path of a pattern file:PATH; NULL: it is another one. */
const char *cli_traffic_file(const char *pattern);
/* Reads such a file, which has at least one message; a trace has releases. Returns an exit code, and the
 * error has been reported. */
int cli_read_traffic(struct pb_traffic *traffic, const struct pb_network *network, const char *path,
                     bool trace);

/* Reads an address of the network likewise; name: the option or operand as typed. */
bool cli_address(const char *name, const char *text, const struct pb_network *network, uint32_t *address);

#endif
