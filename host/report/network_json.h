/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A network as members of a JSON form.
 */
#ifndef PB_REPORT_NETWORK_JSON_H
#define PB_REPORT_NETWORK_JSON_H

#include "phasebench/network.h"

#include <jansson.h>

/* Adds "dims" for a binary cube, else "network", with family and radix, and "nodes". */
void pb_network_json(json_t *object, const struct pb_network *network);

#endif
