/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages that nodes hold, the oldest of each node first, by their places in the table of flight.h. It
 * knows what a sound node sends next on a port; no frame, no phase.
 */
#ifndef PB_MACHINE_HELD_H
#define PB_MACHINE_HELD_H

#include "flight.h"

struct pb_held {
    const struct pb_flight *flight; /* borrowed: network and messages */
    enum pb_rule rule;
    struct pb_held_list {
        uint32_t first, last; /* places; PB_NO_PLACE: none */
    } * list;                 /* [node] */
    uint32_t *next;           /* [place]: the next message of the same node */
    bool *aside;              /* [place]: it is held, and never due */
    size_t next_max, aside_max;
    uint32_t *occupancy; /* [node]: messages in it */
    uint32_t *queue;     /* [node * ports + port]; of dimension order */
    uint32_t max_occupancy, max_queue;
};

/* Nothing is held. PB_ERR_MEMORY; then only pb_held_free may follow. */
int pb_held_create(struct pb_held *held, const struct pb_flight *flight, enum pb_rule rule);
void pb_held_free(struct pb_held *held);
/* Room for the places that the flight has; after each pb_flight_fetch. PB_ERR_MEMORY. */
int pb_held_fit(struct pb_held *held);
/* Makes `held`, created for the same flight and fitted as `from`, hold the same. */
void pb_held_copy(struct pb_held *held, const struct pb_held *from);

void pb_held_add(struct pb_held *held, uint32_t node, uint32_t place);
/* The oldest message of a node that wants this port; PB_NO_PLACE: none does. */
uint32_t pb_held_due(const struct pb_held *held, uint32_t node, unsigned port);
/* From now on a message that is held is not due, wherever it is. */
void pb_held_set_aside(struct pb_held *held, uint32_t place);
/* In dimension order: how many messages a node holds that want the port of one to this destination. */
uint32_t pb_held_queued(const struct pb_held *held, uint32_t node, uint32_t destination);
/* Takes out a message; false: the node does not hold it. */
bool pb_held_remove(struct pb_held *held, uint32_t node, uint32_t place);
/* As struct pb_engine_ops. */
void pb_held_visit(const struct pb_held *held, pb_waiting_fn *visit, void *context);

#endif
