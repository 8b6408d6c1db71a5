/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Removes messages between two steps. This is rare, so it searches each queue.
 */
#include "box.h"

struct spot {
    uint32_t node, place;
    uint32_t queue, before; /* ecube: its queue, and the place before it; PB_NO_MESSAGE: it is the head */
    unsigned at;            /* of a box */
};

static bool is_at(const struct pb_mover *mover, uint32_t place, uint64_t message, struct spot *spot)
{
    spot->place = place;
    return mover->state.cold[place].message == message;
}

static bool look_in_queue(const struct pb_mover *mover, uint32_t node, unsigned port, uint64_t message,
                          struct spot *spot)
{
    spot->queue = pb_queue_of(&mover->turns, mover->turns.cube, node, port);
    spot->node = node;
    const struct pb_queue *queue = &mover->state.queue[spot->queue];
    spot->before = PB_NO_MESSAGE;
    for (uint32_t left = queue->depth, place = queue->head; left-- > 0;
         place = mover->state.hot[place].next) {
        if (is_at(mover, place, message, spot))
            return true;
        spot->before = place;
    }
    return false;
}

static bool look_in_node(const struct pb_mover *mover, uint32_t node, uint64_t message, struct spot *spot)
{
    const struct pb_state *state = &mover->state;
    spot->node = node;
    for (spot->at = 0; spot->at < PB_BOX && want_in(&state->box[node], spot->at); spot->at++)
        if (is_at(mover, state->box[node].place[spot->at], message, spot))
            return true;
    for (uint64_t ports = state->deep[node] ? state->wanted[node] : 0; ports; ports &= ports - 1) {
        const unsigned port = lowest_port(ports);
        const struct pb_queue *queue = deep_queue(mover, node, port);
        for (uint32_t left = queue->depth, place = queue->head; left-- > 0;
             place = link_of(mover, place, port)[NEXT])
            if (is_at(mover, place, message, spot))
                return true;
    }
    return false;
}

static bool look(const struct pb_mover *mover, uint64_t message, struct spot *spot)
{
    const bool ecube = mover->rule == PB_RULE_ECUBE;
    for (uint32_t node = 0; node < mover->nodes; node++) {
        if (!mover->state.occupancy[node])
            continue;
        for (unsigned port = 0; ecube && port < mover->network.ports; port++)
            if (look_in_queue(mover, node, port, message, spot))
                return true;
        if (!ecube && look_in_node(mover, node, message, spot))
            return true;
    }
    return false;
}

static void leave_queue(struct pb_mover *mover, const struct spot *spot)
{
    struct pb_state *state = &mover->state;
    struct pb_queue *queue = &state->queue[spot->queue];
    const uint32_t next = state->hot[spot->place].next;
    *(spot->before == PB_NO_MESSAGE ? &queue->head : &state->hot[spot->before].next) = next;
    if (queue->tail == spot->place)
        queue->tail = spot->before;
    if (--queue->depth == 0)
        state->waiting[spot->queue / PB_WORD_BITS] &= ~(UINT64_C(1) << spot->queue % PB_WORD_BITS);
}

/* Messages above it move down. */
static void leave_box_at(struct pb_mover *mover, const struct spot *spot)
{
    struct pb_box *box = &mover->state.box[spot->node];
    uint64_t *wanted = &mover->state.wanted[spot->node];
    *wanted = 0;
    for (unsigned i = 0; i < PB_BOX; i++) {
        const unsigned from = i + (i >= spot->at), shift = i % 4 * PB_BOX_PORTS;
        const uint64_t want = from < PB_BOX ? want_in(box, from) : 0;
        box->want[i / 4] = (box->want[i / 4] & ~(UINT64_C(0xFFFF) << shift)) | want << shift;
        box->place[i] = box->place[from];
        *wanted |= want;
    }
}

bool pb_mover_find(const struct pb_mover *mover, uint64_t message, uint32_t *node)
{
    struct spot spot;
    if (!look(mover, message, &spot))
        return false;
    *node = spot.node;
    return true;
}

bool pb_mover_remove(struct pb_mover *mover, uint64_t message)
{
    struct pb_state *state = &mover->state;
    struct spot spot;
    if (!look(mover, message, &spot))
        return false;
    if (mover->rule == PB_RULE_ECUBE)
        leave_queue(mover, &spot);
    else if (state->deep[spot.node])
        leave_deep(mover, spot.node, spot.place);
    else
        leave_box_at(mover, &spot);
    state->occupancy[spot.node]--;
    pb_free_place(state, spot.place);
    state->stats.lost++;
    return true;
}
