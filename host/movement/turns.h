/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a network as arrays. Each port of a node has a queue, and so each queue has one phase, in
 * which the node sends there. Queues are numbered phase by phase, within a phase in ascending order of the
 * node, each phase from a multiple of 64 on: one word of a bitmap is of one phase.
 */
#ifndef PB_MOVEMENT_TURNS_H
#define PB_MOVEMENT_TURNS_H

#include "phasebench/network.h"

#define PB_WORD_BITS 64u

struct pb_turn {
    uint16_t from, to;
};

struct pb_turns {
    uint32_t queues;                           /* their numbers are below; a multiple of 64 */
    uint32_t first[PB_NETWORK_PHASES_MAX + 1]; /* queue of each phase; [phases] == queues */
    uint32_t end[PB_NETWORK_PHASES_MAX];       /* after the last queue of the phase that has a node */
    struct pb_turn *turn;                      /* [queue] */
    uint8_t *port;                             /* [queue] of `from` */
    struct pb_span {
        uint16_t first, last;
    } * span;        /* [queue / 64]: words of a bitmap of nodes in which the senders of the 64 queues are */
    uint32_t *queue; /* [port * nodes + node] */
};

/* 0, or PB_ERR_MEMORY with *turns empty. Release with pb_turns_free. */
int pb_turns_make(struct pb_turns *turns, const struct pb_network *network);
void pb_turns_free(struct pb_turns *turns);

#endif
