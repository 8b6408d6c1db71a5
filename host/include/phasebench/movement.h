/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages in a network, stepped superframe by superframe, under the store-and-forward model:
 *
 *   each node has one FIFO per port (ecube), or one list in arrival order (opportunistic), unbounded but for
 *   the nodes that have a room;
 *   in each phase every node that sends on a port sends one message there, if it has one that wants it;
 *   a message received in phase p may leave from phase p + 1 on; at its destination it is consumed at once;
 *   a message joins the queue of its source just before its release phase, behind what the source received in
 *   earlier phases; equal releases join in the order in which their source of releases gives them;
 *   a message whose source is its destination is delivered at its release and never occupies a queue.
 *
 * Deterministic, pure but for allocation, no global state. Memory: some 20 bytes for each node and port and
 * 100 for each node (twice that when amendable); some 40 bytes for each message in flight, in the
 * opportunistic rule 8 more for each port; what one superframe releases, and its crossings. Superframes that
 * are over take none.
 */
#ifndef PHASEBENCH_MOVEMENT_H
#define PHASEBENCH_MOVEMENT_H

#include "phasebench/api.h"
#include "phasebench/traffic.h"

PB_API_BEGIN

/* ---- sources of releases */

struct pb_birth {
    uint64_t message; /* its number: any, unique among the messages in flight */
    uint32_t source, destination;
    uint32_t superframe;
    unsigned phase;
};

/* A source of releases is read once, forwards. A user may write one: the struct is then the first member of
 * his own. */
struct pb_releases {
    /* Writes the next releases of this superframe, in ascending order of phase, at most room (>= 1), and sets
     * *count. 0: no more in this superframe. Superframes are asked for in ascending order; those
     * that are left out have no release. PB_OK or any PB_ERR_. */
    int (*take)(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release, size_t room,
                size_t *count);
    /* Sets the superframe of the next release that was not taken; false: there is none. */
    bool (*next)(const struct pb_releases *releases, uint32_t *superframe);
    void (*free)(struct pb_releases *releases);
};

/* Each function that makes a source returns 0 or PB_ERR_MEMORY; *out is NULL on failure. */

/* The messages of a list in the order of their releases, equal ones in list order. Number: the index in the
 * list. The list is borrowed. */
int pb_releases_list(struct pb_releases **out, const struct pb_network *network,
                     const struct pb_traffic *traffic);

/* A pattern of pb_traffic_generate, repeated. */
struct pb_repeat {
    uint32_t superframe;    /* of the first repetition */
    unsigned phase;         /* of every release, below phases */
    uint32_t every;         /* superframes from one repetition to the next, >= 1 */
    uint64_t times;         /* repetitions; 0: for ever */
    uint64_t first_message; /* number of the first message; the others count on, repetition by repetition */
};

/* Repetition i of a seeded pattern has SEED + i, as in a scenario. In memory of one repetition. Also
 * PB_ERR_ARGUMENT, with pb_traffic_generate's sentence. */
int pb_releases_repeat(struct pb_releases **out, const struct pb_network *network, const char *pattern,
                       const struct pb_repeat *repeat, struct pb_diag *diag);

/* Several sources as one: equal releases in the order of the sources. Takes the sources over, also on
 * failure. The caller sees to numbers that differ. */
int pb_releases_join(struct pb_releases **out, struct pb_releases *const *part, size_t parts);

void pb_releases_free(struct pb_releases *releases); /* NULL: no effect */

/* ---- the mover */

/* One message crossing one link. */
struct pb_crossing {
    uint64_t message;
    uint32_t superframe;
    uint32_t release_superframe;
    uint32_t sequence; /* messages that entered the network at `source` before this one; those at home and
                          those dropped at their release do not count */
    uint16_t from, to, source, destination;
    uint8_t phase, release_phase;
    uint8_t port; /* of `from` */
    bool last;    /* arrives at its destination */
};

/* A message for which a node had no room: received in this phase, or released. */
struct pb_drop {
    uint64_t message;
    uint32_t superframe;
    uint32_t crossings; /* of this superframe that came before; the last of them brought a received message */
    uint16_t node;
    uint8_t phase;
    bool at_release;
};

struct pb_mover_stats {
    uint64_t released;
    uint64_t delivered;
    uint64_t dropped;            /* by nodes without room for them */
    uint64_t lost;               /* by PB_LOSES; in flight: released - delivered - dropped - lost */
    uint64_t delivered_in_first; /* delivered in the superframe of their release */
    uint64_t crossings;
    uint32_t superframes;   /* from superframe 0 to the one of the last crossing, inclusive; 0 without any */
    uint32_t max_queue;     /* deepest (node, port) queue between two phases (ecube; else 0) */
    uint32_t max_occupancy; /* most undelivered messages in one node between two phases */
    struct pb_drop first_drop;
};

/* How many messages a node can hold. A newcomer that finds it full, received or its own, is dropped. 0: any
 * number. */
struct pb_flow_room {
    uint32_t node;
    unsigned in_all, per_dimension; /* per_dimension: of one port's queue, ecube only */
    unsigned fullest;               /* out: most in all or, when only per_dimension is given, in one queue */
};

struct pb_mover_options {
    const struct pb_network *network; /* that pb_network_check accepts; copied */
    enum pb_rule rule;
    const struct pb_flow_room *room; /* copied; nodes of the network, each named once */
    unsigned rooms;
    bool crossings; /* note them for pb_mover_crossings */
    bool amendable; /* for pb_mover_amend; each step then copies the state once */
};

struct pb_mover;

/* Before superframe 0. The source is borrowed until pb_mover_free. 0 or PB_ERR_MEMORY; *out is then NULL. */
int pb_mover_create(struct pb_mover **out, const struct pb_mover_options *options,
                    struct pb_releases *releases);
void pb_mover_free(struct pb_mover *mover); /* NULL: no effect */

/* Superframe of the next step, 0..2^32 - 1. */
uint64_t pb_mover_superframe(const struct pb_mover *mover);

/* Whether a message is in flight or yet to be released. */
bool pb_mover_left(const struct pb_mover *mover);

/* Leaves out superframes in which nothing can happen: none is in flight and none released. Stops at the next
 * release, or at `limit` if that is before. */
void pb_mover_skip(struct pb_mover *mover, uint32_t limit);

/* Moves one superframe. PB_ERR_MEMORY; PB_ERR_ARGUMENT for a release of another superframe or of an earlier
 * phase than the one before, for an address or a phase outside the network, and in superframe 2^32 - 1, which
 * does not exist; any code of the source. After an error the mover can only be freed. */
int pb_mover_step(struct pb_mover *mover, struct pb_diag *diag);

/* What the last step made, in time order, and within a phase in ascending order of the sender. Valid until
 * the next call that changes the mover. */
const struct pb_crossing *pb_mover_crossings(const struct pb_mover *mover, size_t *count);
const struct pb_drop *pb_mover_drops(const struct pb_mover *mover, size_t *count);
const struct pb_mover_stats *pb_mover_stats(const struct pb_mover *mover);
const struct pb_flow_room *pb_mover_rooms(const struct pb_mover *mover); /* in the order of the options */

/* What a node did otherwise than by the rule in the superframe of the last step. */
struct pb_deviation {
    enum pb_deviation_kind {
        PB_LOSES, /* `message` was received by the node or released to it, and does not go on from there */
        PB_HOLDS  /* the node sends nothing in `phase`; what it would have sent keeps its place */
    } kind;
    uint32_t node;
    unsigned phase;   /* PB_HOLDS, below phases */
    uint64_t message; /* PB_LOSES */
};

/* Moves the superframe of the last step anew from its start, with these deviations; crossings, drops, rooms
 * and counters are then as if it had been moved once. A message lost at its destination counts as lost, not
 * as delivered. Each call takes the place of the one before; none (count 0) is the step again. A deviation
 * that meets nothing (the message does not come to the node, the node has nothing to send) has no effect.
 * When the network has look_ahead, deviations of one node leave what that node receives in this superframe as
 * it was. Demands `amendable` and a step before, else PB_ERR_ARGUMENT and no effect; PB_ERR_MEMORY as for a
 * step. */
int pb_mover_amend(struct pb_mover *mover, const struct pb_deviation *deviation, size_t count);

PB_API_END

#endif
