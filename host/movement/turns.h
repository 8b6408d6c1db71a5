/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a network by numbers. Each port of a node has a queue, and so each queue has one phase, in
 * which the node sends there. Queues are numbered phase by phase, within a phase in ascending order of the
 * node, each phase from a multiple of 64 on: one word of a bitmap is of one phase.
 *
 * In a cube all of this is computed, which takes less time than to look it up; other networks have tables.
 * `cube`: whether this is so, which the functions that are called often know when they are compiled.
 *
 * Those of a part of the nodes (movement.h): nodes are numbered from its first one on, except where a turn
 * leads. Parts of a cube that are cubes of one size are computed, too.
 */
#ifndef PB_MOVEMENT_TURNS_H
#define PB_MOVEMENT_TURNS_H

#include "phasebench/movement.h"

#define PB_WORD_BITS 64u
#define PB_ALWAYS_INLINE inline __attribute__((always_inline))

struct pb_turn {
    uint32_t from, to; /* to: an address */
};
struct pb_span {
    uint32_t first, last;
};

struct pb_turns {
    uint32_t queues;                           /* their numbers are below; a multiple of 64 */
    uint32_t first[PB_NETWORK_PHASES_MAX + 1]; /* queue of each phase; [phases] == queues */
    uint32_t end[PB_NETWORK_PHASES_MAX];       /* after the last queue of the phase that has a node */
    bool leaves[PB_NETWORK_PHASES_MAX]; /* phases with a wire between two parts */
    uint32_t base, nodes;               /* the first one, and how many */
    bool cube;
    /* If not: */
    struct pb_turn *turn; /* [queue] */
    uint8_t *port;        /* [queue] of `from` */
    struct pb_span *span; /* [queue / 64] */
    uint32_t *queue;      /* [port * nodes + node] */
};

/* 0, or PB_ERR_MEMORY with *turns empty. Release with pb_turns_free. */
int pb_turns_make(struct pb_turns *turns, const struct pb_network *network, const struct pb_mover_part *part);
void pb_turns_free(struct pb_turns *turns);

/* Of a cube: the nodes that send in a phase are the numbers of its queues, with one more bit. In a phase that
 * leads to another part all of the part send, or none. */
static PB_ALWAYS_INLINE uint32_t pb_sender_in_cube(const struct pb_turns *turns, unsigned phase,
                                                   uint32_t number)
{
    const unsigned port = phase / 2;
    const uint32_t index = number - turns->first[phase], low = index & ((UINT32_C(1) << port) - 1);
    return ((index << 1) - low + ((phase & 1) << port)) & (turns->nodes - 1);
}

static PB_ALWAYS_INLINE struct pb_turn pb_turn_of(const struct pb_turns *turns, bool cube, unsigned phase,
                                                  uint32_t number)
{
    if (!cube)
        return turns->turn[number];
    const uint32_t from = pb_sender_in_cube(turns, phase, number);
    return (struct pb_turn){from, (turns->base + from) ^ UINT32_C(1) << phase / 2};
}

/* The port of `from`. */
static PB_ALWAYS_INLINE unsigned pb_port_of(const struct pb_turns *turns, bool cube, unsigned phase,
                                            uint32_t number)
{
    return cube ? phase / 2 : turns->port[number];
}

static PB_ALWAYS_INLINE uint32_t pb_queue_of(const struct pb_turns *turns, bool cube, uint32_t node,
                                             unsigned port)
{
    if (!cube)
        return turns->queue[(size_t)port * turns->nodes + node];
    const uint32_t low = node & ((UINT32_C(1) << port) - 1);
    return turns->first[2 * port + ((turns->base + node) >> port & 1)] + (node >> port >> 1 << port) + low;
}

/* The words of a bitmap of nodes in which the senders of the queues first to end - 1 are, of which at most 64
 * count; first: a multiple of 64. */
static PB_ALWAYS_INLINE struct pb_span pb_span_of(const struct pb_turns *turns, bool cube, unsigned phase,
                                                  uint32_t first, uint32_t end)
{
    if (!cube)
        return turns->span[first / PB_WORD_BITS];
    const uint32_t last = (end < first + PB_WORD_BITS ? end : first + PB_WORD_BITS) - 1;
    return (struct pb_span){pb_sender_in_cube(turns, phase, first) / PB_WORD_BITS,
                            pb_sender_in_cube(turns, phase, last) / PB_WORD_BITS};
}

#endif
