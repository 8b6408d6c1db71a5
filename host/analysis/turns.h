/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a network as arrays, for what asks for every node in every phase. 4 bytes a port and 2
 * bytes a node and phase, at most 30 MB.
 */
#ifndef ANALYSIS_TURNS_H
#define ANALYSIS_TURNS_H

#include "phasebench/network.h"

#define PB_NO_TURN UINT8_MAX

struct pb_turns {
    uint8_t *sends; /* [phase * nodes + node]: port on which the node sends, or PB_NO_TURN */
    uint8_t *phase; /* [port * nodes + node]: in which the node sends on the port */
    uint16_t *peer; /* [port * nodes + node]: node at the other end of the wire */
};

/* 0, or PB_ERR_MEMORY with *turns empty. Release with pb_turns_free. */
int pb_turns_make(struct pb_turns *turns, const struct pb_network *network);
void pb_turns_free(struct pb_turns *turns);

#endif
