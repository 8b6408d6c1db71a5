/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The source of a machine's messages, which hears of their ends: Valiant's second legs, answers and next
 * requests follow from them. All that is random is drawn from seed, superframe and node alone, so that it
 * does not depend on the order in which nodes are asked.
 */
#ifndef PB_MACHINE_TRAFFIC_H
#define PB_MACHINE_TRAFFIC_H

#include "phasebench/machine.h"

enum pb_mode { PB_OPEN, PB_CLOSED, PB_BATCH, PB_TRACE };

/* In place of a destination. */
#define PB_TO_NONE UINT32_MAX
#define PB_TO_ANY (UINT32_MAX - 1)

#define PB_NO_LEG UINT32_MAX

/* A message of several legs: to a random node and on, or there and back. Its index is the number of the
 * message, on each leg. */
struct pb_leg {
    uint64_t born; /* phases since phase 0 of superframe 0 */
    uint32_t source, destination;
    uint32_t via;    /* Valiant: where the first leg ends */
    uint32_t next;   /* free: the next free one */
    bool second;
};

/* The new messages of some nodes in a superframe. */
struct pb_drawn {
    struct pb_birth *birth, *sorted;
    size_t births, births_max, sorted_max;
    uint64_t offered, local, unreachable;
    uint64_t instants; /* sum of the phases of the releases */
};

struct pb_machine_traffic {
    struct pb_releases base;
    struct pb_network network;
    struct pb_machine_traffic_options how;
    enum pb_mode mode;
    uint32_t *target; /* [node]: PB_TO_NONE: it is silent; PB_TO_ANY: another one for each message */
    bool uniform;     /* each target is PB_TO_ANY */
    uint32_t senders, hot; /* hot: the node of hotspot, or PB_TO_NONE */
    struct pb_traffic *list; /* [batch]; else NULL */
    struct pb_releases *of_trace;

    bool legged;
    struct pb_leg *leg;
    size_t legs, legs_max;
    uint32_t free;
    /* Second legs, answers and requests of the next superframe, in the order of their causes. */
    uint32_t *due;
    size_t dues, dues_max;
    uint64_t first_legs; /* in flight */

    struct pb_drawn drawn; /* of superframe `made` - 1 */
    size_t taken;
    uint64_t made; /* superframes that were made */

    /* So far: given to the mover; of those in flight the sum of release instants is kept by the run. */
    uint64_t released, offered, local, unreachable;
    uint64_t instants; /* of the last superframe: sum of the phases of its releases */
    uint64_t count;    /* of the last superframe: its releases */
};

/* Whether what a node releases depends on nothing that happens: an open loop of messages without legs. */
bool pb_traffic_is_apart(const struct pb_machine_traffic *traffic);
/* Of such traffic: what some nodes release in a superframe, numbered as if the others released nothing. May
 * be called by several threads. PB_ERR_MEMORY. */
int pb_traffic_draw(struct pb_machine_traffic *traffic, struct pb_drawn *drawn, uint32_t superframe,
                    uint32_t first, uint32_t nodes);
void pb_traffic_free_drawn(struct pb_drawn *drawn);
/* Adds what all nodes have released, in the next superframe; births: how many. */
void pb_traffic_add_drawn(struct pb_machine_traffic *traffic, const struct pb_drawn *drawn);

/* What the end of a message means. */
struct pb_arrival {
    bool complete;
    uint64_t born; /* of a complete one */
};

/* A message has reached the destination of its leg. PB_ERR_MEMORY. */
int pb_traffic_arrived(struct pb_machine_traffic *traffic, const struct pb_crossing *crossing,
                       struct pb_arrival *arrival);
/* A full node has dropped it in this superframe. PB_ERR_MEMORY. */
int pb_traffic_dropped(struct pb_machine_traffic *traffic, uint64_t message, uint32_t superframe);
/* Whether messages are still to be released. */
bool pb_traffic_left(const struct pb_machine_traffic *traffic);
/* Of an open loop, from the next superframe on. */
void pb_traffic_set_load(struct pb_machine_traffic *traffic, double load);

#endif
