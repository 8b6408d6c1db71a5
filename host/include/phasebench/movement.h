/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages in a network, stepped superframe by superframe, under the store-and-forward model:
 *
 * - Each node has one FIFO per port (ecube) or one list in arrival order (opportunistic). Only nodes with a
 *   struct pb_flow_room are bounded.
 * - In each phase every node that sends on a port sends one message that needs the port, if any.
 * - A message received in phase p may leave from phase p + 1 on; its destination consumes it at once.
 * - A message joins the queue of its source just before its release phase, after the messages received in
 *   earlier phases. Equal releases join in the order of their source of releases.
 * - A message whose source is its destination is delivered at its release and never occupies a queue.
 *
 * Deterministic, pure except for allocation, no global state. Memory: about 16 bytes per node and port in a
 * cube, 29 in another network, and 100 per node under the opportunistic rule; about 40 bytes per message in
 * flight, 8 more per port under the opportunistic rule; the releases and crossings of one superframe.
 */
#ifndef PHASEBENCH_MOVEMENT_H
#define PHASEBENCH_MOVEMENT_H

#include "phasebench/api.h"
#include "phasebench/traffic.h"

PB_API_BEGIN

/* ---- sources of releases */

struct pb_birth {
    uint64_t message; /* any number, unique among the messages in flight */
    uint32_t source, destination;
    uint32_t superframe;
    unsigned phase;
};

/* A source of releases, read once, forwards. Implementations embed it as first member. */
struct pb_releases {
    /* Writes the next releases of this superframe, at most room (>= 1), in ascending order of phase, and sets
     * *count; 0: no more in this superframe. The mover requests superframes in ascending order and may skip
     * those without a release. Returns PB_OK or any PB_ERR_. */
    int (*take)(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release, size_t room,
                size_t *count);
    /* Sets the superframe of the next release not taken yet; false: none. */
    bool (*next)(const struct pb_releases *releases, uint32_t *superframe);
    void (*free)(struct pb_releases *releases);
};

/* Each constructor returns 0 or PB_ERR_MEMORY; *out is NULL on failure. */

/* The messages of a list (borrowed) in the order of their releases, equal releases in list order. A message's
 * number is its index in the list. */
int pb_releases_list(struct pb_releases **out, const struct pb_network *network,
                     const struct pb_traffic *traffic);

/* A pattern of pb_traffic_generate, or a list, repeated. */
struct pb_repeat {
    uint32_t superframe;    /* of the first repetition */
    unsigned phase;         /* of every release, below phases */
    uint32_t every;         /* superframes from one repetition to the next, >= 1 */
    uint64_t times;         /* repetitions; 0: unlimited */
    uint64_t first_message; /* number of the first message; the others count up */
};

/* Repetition i of a seeded pattern uses SEED + i, as in a scenario. Memory: one repetition. Also
 * PB_ERR_ARGUMENT, as pb_traffic_generate. */
int pb_releases_repeat(struct pb_releases **out, const struct pb_network *network, const char *pattern,
                       const struct pb_repeat *repeat, struct pb_diag *diag);

/* Repeats a list (copied); ignores its release fields. */
int pb_releases_repeat_list(struct pb_releases **out, const struct pb_traffic *list,
                            const struct pb_repeat *repeat);

/* Several sources as one: equal releases in the order of the sources. Takes ownership of the sources, also on
 * failure. The caller ensures unique numbers. */
int pb_releases_join(struct pb_releases **out, struct pb_releases *const *part, size_t parts);

void pb_releases_free(struct pb_releases *releases); /* NULL: no effect */

/* ---- the mover */

/* One message crossing one link. */
struct pb_crossing {
    uint64_t message;
    uint32_t superframe;
    uint32_t release_superframe;
    uint32_t sequence; /* messages that entered the network at `source` before this message, without those
                          delivered or dropped at their release */
    uint32_t from, to, source, destination;
    uint8_t phase, release_phase;
    uint8_t port; /* of `from` */
    bool last;    /* arrives at its destination */
};

/* A message that a full node dropped, on reception in this phase or at its release. */
struct pb_drop {
    uint64_t message;
    uint32_t superframe;
    uint32_t crossings; /* before it in this superframe, except those that are not kept because of `of_rooms`;
                           the last of them brought a received message */
    uint32_t node;
    uint32_t release_superframe;
    uint8_t phase, release_phase;
    bool at_release;
};

struct pb_mover_stats {
    uint64_t released;
    uint64_t delivered;
    uint64_t dropped;            /* by full nodes */
    uint64_t lost;               /* removed; in flight: released - delivered - dropped - lost */
    uint64_t delivered_in_first; /* delivered in the superframe of their release */
    uint64_t crossings;
    uint32_t superframes;   /* from superframe 0 to that of the last crossing, inclusive; 0: no crossing */
    uint32_t max_queue;     /* deepest (node, port) queue between two phases (ecube; else 0) */
    uint32_t max_occupancy; /* most undelivered messages in one node between two phases */
    struct pb_drop first_drop;
};

/* Capacity of a node in messages; 0: unbounded. A full node drops a new message, received or its own. */
struct pb_flow_room {
    uint32_t node;
    unsigned in_all, per_dimension; /* per_dimension: of one port's queue, ecube only */
    unsigned fullest;               /* out: most in all, or in one queue if only per_dimension is given */
};

/* Movers of some nodes each move together as one of all nodes does, in this or in other processes. Each has a
 * source of the releases of its nodes, and is asked for its step at the same time. */
struct pb_handed {
    const void *bytes;
    size_t count;
};
/* Hands over[i] to part i, and sets got[i] to what part i hands to this one; of all parts, itself among them.
 * All parts call it equally often. What `over` leads to stays until the second call after it, and what `got`
 * leads to until the next one. */
typedef void pb_exchange_fn(void *context, const struct pb_handed *over, struct pb_handed *got);
struct pb_mover_part {
    const uint32_t *first; /* [parts + 1]: part i has the nodes first[i] to first[i + 1] - 1; borrowed */
    unsigned parts, own;
    pb_exchange_fn *exchange;
    void *context;
};

struct pb_mover_options {
    const struct pb_network *network; /* accepted by pb_network_check; copied */
    enum pb_rule rule;
    const struct pb_flow_room *room; /* copied; nodes of the network, each named once */
    unsigned rooms;
    bool crossings; /* keep them for pb_mover_crossings, */
    bool of_rooms;  /* of them only those from or to a node with a room, and the last one of each message */
    bool loads;     /* count the messages that each directed link carries, for pb_mover_loads */
    const struct pb_mover_part *part; /* copied; NULL: all nodes */
};

struct pb_mover;

/* Creates a mover before superframe 0; borrows the source until pb_mover_free. *out is NULL on failure. */
int pb_mover_create(struct pb_mover **out, const struct pb_mover_options *options,
                    struct pb_releases *releases);
void pb_mover_free(struct pb_mover *mover); /* NULL: no effect */

/* A part: all that follows is of its nodes, and arrays begin with the first one. Totals of all parts are the
 * sums of theirs, or the greatest. Its drops have no number of crossings, and those of a phase are in no
 * order; messages are not found, removed or skipped. */

/* Superframe of the next step, 0..2^32 - 1. */
uint64_t pb_mover_superframe(const struct pb_mover *mover);

/* True if a message is in flight or still to be released. */
bool pb_mover_left(const struct pb_mover *mover);

/* Skips superframes without a release while no message is in flight. Stops at the next release, or at `limit`
 * if that is earlier. */
void pb_mover_skip(struct pb_mover *mover, uint32_t limit);

/* Moves one superframe. PB_ERR_ARGUMENT: a release of another superframe, of an earlier phase than the
 * release before, or with an address or phase outside the network; or superframe 2^32 - 1, which does not
 * exist. PB_ERR_MEMORY, or any code of the source. After an error the mover can only be freed; but a part has
 * exchanged as often as the others. */
int pb_mover_step(struct pb_mover *mover, struct pb_diag *diag);

/* Crossings and drops of the last step in time order, within a phase in ascending order of the sender. Valid
 * until the next call that changes the mover. */
const struct pb_crossing *pb_mover_crossings(const struct pb_mover *mover, size_t *count);
const struct pb_drop *pb_mover_drops(const struct pb_mover *mover, size_t *count);
const struct pb_mover_stats *pb_mover_stats(const struct pb_mover *mover);
/* To totals those of a part; `first_drop` stays. */
void pb_mover_add_stats(struct pb_mover_stats *sum, const struct pb_mover_stats *part);
const struct pb_flow_room *pb_mover_rooms(const struct pb_mover *mover); /* in the order of the options */
/* Undelivered messages in each node, [node], between two steps. Valid until the mover is freed. */
const uint32_t *pb_mover_occupancy(const struct pb_mover *mover);
/* With option `loads`: load[node * ports + port] = messages that left the node by the port so far. All
 * nodes * ports elements are written. */
void pb_mover_loads(const struct pb_mover *mover, uint32_t *load);

/* Between two steps: calls visit once for each message in flight, with the node in which it waits. Of the
 * message, the fields of its release and its sequence count; the others are undefined. */
typedef void pb_waiting_fn(void *context, uint32_t node, const struct pb_crossing *message);
void pb_mover_waiting(const struct pb_mover *mover, pb_waiting_fn *visit, void *context);

/* Between two steps: the node in whose queues a message waits. False: it is not in flight. In time of the
 * messages in flight. */
bool pb_mover_find(const struct pb_mover *mover, uint64_t message, uint32_t *node);

/* Between two steps: removes a message from its queues; later messages of the queue move up. It counts as
 * lost. False: it is not in flight. In the same time. */
bool pb_mover_remove(struct pb_mover *mover, uint64_t message);

/* Between two steps: all that decides the next ones, as bytes that the caller frees; not what
 * pb_mover_crossings and pb_mover_drops return. PB_ERR_MEMORY: *bytes is NULL, *count 0. */
int pb_mover_save(struct pb_mover *mover, uint8_t **bytes, size_t *count);
/* What all parts have saved, as a mover of all nodes would have, but its first drop; freed by the caller. */
int pb_mover_join(const struct pb_handed *saved, unsigned parts, uint8_t **bytes, size_t *count);
/* Into a new mover of the same options, or a part of it, whose source goes on at the superframe of
 * pb_mover_superframe. Any bytes are safe. PB_ERR_CONFIG: they are of no such mover; PB_ERR_MEMORY. After an
 * error it can only be freed. */
int pb_mover_load(struct pb_mover *mover, const uint8_t *bytes, size_t count);

PB_API_END

#endif
