/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Storage of messages in a node under the opportunistic rule: a box, or for many messages a queue for each
 * port (mover.h).
 */
#ifndef PB_MOVEMENT_BOX_H
#define PB_MOVEMENT_BOX_H

#include "mover.h"

#include <string.h>

enum { NEXT, BEFORE };

static PB_ALWAYS_INLINE void pb_free_place(struct pb_state *state, uint32_t place)
{
    state->hot[place].next = state->free;
    state->free = place;
}

static inline unsigned lowest_port(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

static PB_ALWAYS_INLINE uint32_t *link_of(const struct pb_mover *mover, uint32_t place, unsigned port)
{
    return &mover->state.link[(size_t)place * mover->links + 2 * port];
}

/* Of a deep node; those of one node are contiguous. */
static PB_ALWAYS_INLINE struct pb_queue *deep_queue(const struct pb_mover *mover, uint32_t node,
                                                    unsigned port)
{
    return &mover->state.queue[(size_t)node * mover->network.ports + port];
}

static inline void append_deep(struct pb_mover *mover, uint32_t node, uint64_t want, uint32_t place)
{
    for (; want; want &= want - 1) {
        const unsigned port = lowest_port(want);
        struct pb_queue *queue = deep_queue(mover, node, port);
        *(queue->depth++ ? &link_of(mover, queue->tail, port)[NEXT] : &queue->head) = place;
        link_of(mover, place, port)[BEFORE] = queue->tail;
        queue->tail = place;
    }
}

/* The ports that a message of a box wants. */
static PB_ALWAYS_INLINE uint64_t want_in(const struct pb_box *box, unsigned at)
{
    return box->want[at / 4] >> at % 4 * PB_BOX_PORTS & 0xFFFF;
}

static inline void enter_deep(struct pb_mover *mover, uint32_t node, uint64_t want, uint32_t place)
{
    struct pb_box *box = &mover->state.box[node];

    for (unsigned i = 0; i < PB_BOX && !mover->state.deep[node]; i++)
        append_deep(mover, node, want_in(box, i), box->place[i]);
    box->want[0] = box->want[1] = 0;
    mover->state.deep[node] = true;
    append_deep(mover, node, want, place);
}

/* Takes a message out of a deep node; returns the ports that it wants. */
static inline uint64_t leave_deep(struct pb_mover *mover, uint32_t node, uint32_t place)
{
    struct pb_state *state = &mover->state;
    const uint32_t destination = state->hot[place].destination;
    const uint64_t all =
        mover->network.dims
            ? (mover->base + node) ^ destination
            : pb_network_wanted(&mover->network, PB_RULE_OPPORTUNISTIC, mover->base + node, destination);

    for (uint64_t want = all; want; want &= want - 1) {
        const unsigned port = lowest_port(want);
        struct pb_queue *queue = deep_queue(mover, node, port);
        const uint32_t *link = link_of(mover, place, port);
        if (--queue->depth == 0)
            state->wanted[node] &= ~(UINT64_C(1) << port);
        else if (queue->head == place)
            queue->head = link[NEXT];
        else if (queue->tail == place)
            queue->tail = link[BEFORE];
        else {
            link_of(mover, link[BEFORE], port)[NEXT] = link[NEXT];
            link_of(mover, link[NEXT], port)[BEFORE] = link[BEFORE];
        }
    }
    state->deep[node] = state->wanted[node] || mover->network.ports > PB_BOX_PORTS;
    return all;
}

/* Takes the oldest message that wants a port out of a box; *left: all that it wants. */
static PB_ALWAYS_INLINE uint32_t leave_box(struct pb_box *box, unsigned port, uint64_t *left,
                                           uint64_t *others)
{
    const uint64_t each = UINT64_C(0x0001000100010001);
    const uint64_t low = box->want[0], high = box->want[1];
    const uint64_t in_low = low >> port & each, in_high = high >> port & each;
    const unsigned bit = lowest_port(in_low ? in_low : in_high);
    /* Messages below the removed one remain, those above it move down. */
    const uint64_t below = (UINT64_C(1) << bit) - 1;
    const uint64_t moved_low = low >> PB_BOX_PORTS | high << (64 - PB_BOX_PORTS),
                   moved_high = high >> PB_BOX_PORTS;
    const unsigned at = bit / PB_BOX_PORTS + (in_low ? 0 : 4);
    const uint32_t place = box->place[at];
    uint64_t all;
    uint32_t rest[PB_BOX];
    const size_t half = sizeof rest / 2;

    *left = (in_low ? low : high) >> bit & 0xFFFF;
    box->want[0] = in_low ? (low & below) | (moved_low & ~below) : low;
    box->want[1] = in_low ? moved_high : (high & below) | (moved_high & ~below);
    all = box->want[0] | box->want[1];
    all |= all >> 32;
    *others = (all | all >> 16) & 0xFFFF;
    /* The half box after it, and the next one if any. */
    memcpy(rest, &box->place[at + 1], half);
    memcpy(rest + PB_BOX / 2, &box->place[(at | 4) + 1], half);
    memcpy(&box->place[at], rest, half);
    memcpy(&box->place[at | 4], rest + PB_BOX / 2, half);
    return place;
}

/* The same of a node. */
static PB_ALWAYS_INLINE uint32_t leave(struct pb_mover *mover, uint32_t node, unsigned port, uint64_t *left)
{
    struct pb_state *state = &mover->state;

    if (__builtin_expect(state->deep[node], false)) {
        const uint32_t place = deep_queue(mover, node, port)->head;
        *left = leave_deep(mover, node, place);
        return place;
    }
    return leave_box(&state->box[node], port, left, &state->wanted[node]);
}

/* Messages of a node that want a port. */
static inline unsigned depth_at(const struct pb_mover *mover, uint32_t node, unsigned port)
{
    const struct pb_state *state = &mover->state;
    if (mover->rule == PB_RULE_ECUBE)
        return state->queue[pb_queue_of(&mover->turns, mover->turns.cube, node, port)].depth;
    unsigned depth = deep_queue(mover, node, port)->depth;
    for (unsigned i = 0; i < PB_BOX; i++)
        depth += want_in(&state->box[node], i) >> port & 1;
    return depth;
}

#endif
