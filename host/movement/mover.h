/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Private state of a mover: its queues of messages, and the functions that move them.
 */
#ifndef PB_MOVEMENT_MOVER_H
#define PB_MOVEMENT_MOVER_H

#include "turns.h"

#include "phasebench/movement.h"

#define PB_NO_MESSAGE UINT32_MAX

/* Messages in flight have places, which are taken anew when they are free. */
struct pb_place_hot {
    uint32_t next; /* in the queue (ecube), or the next free place */
    uint32_t destination;
};

/* What each crossing of the message says. */
struct pb_place_cold {
    uint64_t message;
    uint32_t release_superframe, sequence, source, destination;
    uint8_t release_phase;
};

/* A message on its way to a node of another part. */
struct pb_transfer {
    struct pb_place_cold cold;
    uint32_t to;
};
struct pb_transfers {
    struct pb_transfer *at;
    size_t count, most;
};

/* A list of places by their links. Under dimension order a message is in the queue of one port, linked by
 * `next` above. Under the opportunistic rule a node that holds few messages has them in a box. One that held
 * more than a box since it was last empty is deep: each message is in the queue of every port that it wants,
 * so that "the oldest message that wants this port" is always the head. Nodes of more than 16 ports are
 * always deep. */
struct pb_queue {
    uint32_t head, tail; /* when not empty */
    uint32_t depth;
};

#define PB_BOX 8u
#define PB_BOX_PORTS 16u

/* In order of arrival, one line of a cache. `want` has 16 bits a message, the oldest lowest: the ports that
 * it wants; 0 after the last one. Taking a message out moves places by the half box, hence the spare ones. */
struct pb_box {
    _Alignas(64) uint64_t want[2];
    uint32_t place[PB_BOX + PB_BOX / 2];
};

/* What a superframe changes. */
struct pb_state {
    struct pb_queue *queue; /* ecube: [queue of the turns]; of a deep node: [node * ports + port] */
    uint32_t *occupancy;    /* [node] */
    uint32_t *entered;      /* [node]: messages that entered the network there, the next sequence */
    uint64_t *waiting;      /* ecube: bit per queue: not empty */
    uint64_t *wanted;       /* the others are of the opportunistic rule. [node]: ports that a message wants */
    uint64_t *active;       /* bit per node: holds a message */
    struct pb_box *box;     /* [node] */
    uint8_t *deep;          /* [node] */
    struct pb_place_hot *hot;
    struct pb_place_cold *cold;
    uint32_t *link; /* [place * links + 2 * port]: the next one in the queue of the port, then the one before
                       it, as a message leaves from the middle of queues */
    uint32_t places, used, free; /* used: places ever taken; free: head of the list, or PB_NO_MESSAGE */
    struct pb_flow_room *room;
    struct pb_mover_stats stats;
};

/* Which crossings are kept. */
enum pb_note { PB_NOTE_NONE, PB_NOTE_ALL, PB_NOTE_OF_ROOMS, PB_NOTES };

struct pb_mover {
    struct pb_network network;
    uint32_t base, nodes; /* the first one, and how many; arrays by node begin with it */
    enum pb_rule rule;
    unsigned links; /* of a place, in words: 0 (ecube) or 2 for each port (opportunistic) */
    unsigned rooms;
    enum pb_note note;
    struct pb_turns turns;
    struct pb_state state;
    uint64_t *any_room; /* bit per node of the network */
    uint64_t *has_room; /* bit per node */
    uint32_t *room_at;  /* [node]: its index among the rooms; only of a node with a room */
    uint32_t *load;     /* [queue]: messages that it sent; NULL: not counted */
    uint64_t *of_room;  /* bit per queue: leads from or to a node with a room */
    struct pb_releases *source;
    struct pb_birth *release; /* of the last step */
    size_t releases, releases_max;
    struct pb_crossing *crossing;
    size_t crossings, crossings_max; /* of the last step; with PB_NOTE_OF_ROOMS those that are kept */
    struct pb_drop *drop;
    size_t drops, drops_max;
    uint64_t superframe; /* of the next step */
    struct pb_mover_part part;
    uint64_t came, went; /* from and to other parts */
    /* [part], in turns: what was handed over last is still read. */
    struct pb_transfers *out[2];
    unsigned out_now;
    struct pb_handed *over, *got; /* [part] */
};

/* state.c: 0 or PB_ERR_MEMORY. */
int pb_state_make(struct pb_state *state, const struct pb_mover *mover, const struct pb_flow_room *room);
void pb_state_free(struct pb_state *state);
/* Makes room for this many more messages. */
int pb_state_reserve(struct pb_state *state, const struct pb_mover *mover, size_t messages);

/* phase.c: moves the fetched releases and one superframe. Returns 0 or PB_ERR_MEMORY; `code`, if that is one:
 * then it only exchanges. */
int pb_move_superframe(struct pb_mover *mover, uint32_t superframe, int code);
/* Puts a message in flight into a node, by its number there, after those that are in it; a place is reserved
 * for it. */
void pb_enter_anew(struct pb_mover *mover, uint32_t node, const struct pb_place_cold *message);

/* Messages in its nodes. */
static inline uint64_t pb_in_flight(const struct pb_mover *mover)
{
    const struct pb_mover_stats *stats = &mover->state.stats;
    return stats->released + mover->came - mover->went - stats->delivered - stats->dropped - stats->lost;
}

static inline bool pb_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / PB_WORD_BITS] >> bit % PB_WORD_BITS & 1;
}

#endif
