/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the families whose digits have consecutive phases. A constructor sets family (and
 * dims), adds its digits in ascending order, then sets the bounds.
 */
#ifndef NETWORK_FAMILY_H
#define NETWORK_FAMILY_H

#include "phasebench/network.h"

/* Adds a digit of this radix to the addresses, with its ports, and two phases for each round. */
void pb_network_add_digit(struct pb_network *network, unsigned radix, unsigned ports, unsigned rounds);

/* Sets the address bits and the look-ahead of networks with minimal routes whose wires change one digit each,
 * each digit having all its phases before the next one; and the bounds of those with a hop a digit. */
void pb_network_set_bounds(struct pb_network *network);

#endif
