/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "mover.h"
#include "host/base/room.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(size_t bits)
{
    return (bits + PB_WORD_BITS - 1) / PB_WORD_BITS;
}

/* The arrays of a state, except boxes and places; only one of the rules needs some of them. */
#define PB_STATE_ARRAYS(X, ecube)                                                                            \
    X(queue, queues)                                                                                         \
    X(occupancy, nodes)                                                                                      \
    X(entered, nodes)                                                                                        \
    X(waiting, (ecube) ? words_of(queues) : 0)                                                               \
    X(wanted, (ecube) ? 0 : nodes)                                                                           \
    X(active, (ecube) ? 0 : words_of(nodes))                                                                 \
    X(deep, (ecube) ? 0 : nodes)                                                                             \
    X(room, mover->rooms)

int pb_state_make(struct pb_state *state, const struct pb_mover *mover, const struct pb_flow_room *room)
{
    const size_t nodes = mover->nodes, queues = mover->turns.queues;

    state->free = PB_NO_MESSAGE;
#define MAKE(array, count)                                                                                   \
    state->array = calloc((count) + 1, sizeof *state->array);                                                \
    if (!state->array)                                                                                       \
        return PB_ERR_MEMORY;
    PB_STATE_ARRAYS(MAKE, !mover->links)
#undef MAKE
    if (mover->links) {
        state->box = aligned_alloc(_Alignof(struct pb_box), nodes * sizeof *state->box);
        if (!state->box)
            return PB_ERR_MEMORY;
        memset(state->box, 0, nodes * sizeof *state->box);
        memset(state->deep, mover->network.ports > PB_BOX_PORTS, nodes);
    }
    for (unsigned i = 0; i < mover->rooms; room++) {
        if (room->node - mover->base >= mover->nodes)
            continue;
        state->room[i] = *room;
        state->room[i++].fullest = 0;
    }
    return PB_OK;
}

void pb_state_free(struct pb_state *state)
{
#define FREE(array, count) free(state->array);
    PB_STATE_ARRAYS(FREE, 0)
#undef FREE
    free(state->box);
    free(state->hot);
    free(state->cold);
    free(state->link);
}

int pb_state_reserve(struct pb_state *state, const struct pb_mover *mover, size_t messages)
{
    const size_t old = state->places;
    size_t hot = old, cold = old, links = old;

    if (messages > PB_NO_MESSAGE / 2 - state->used)
        return PB_ERR_MEMORY;
    const size_t places = state->used + messages;
    if (places <= old)
        return PB_OK;
    if (pb_make_room(&state->hot, &hot, places, sizeof *state->hot) ||
        pb_make_room(&state->cold, &cold, places, sizeof *state->cold) ||
        (mover->links && pb_make_room(&state->link, &links, places, mover->links * sizeof *state->link)))
        return PB_ERR_MEMORY;
    state->places = (uint32_t)hot;
    /* What follows the head of an emptied queue is read, and never used. */
    memset(state->hot + old, 0, (hot - old) * sizeof *state->hot);
    return PB_OK;
}
