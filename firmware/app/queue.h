/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages that wait in a node: queues with a common pool of fixed size.
 *
 * There is one queue per dimension, for messages that want only that dimension, and one queue for messages
 * that may leave on any of several. In each queue the oldest message that wants a dimension leaves first. All
 * queues share the pool, so one crowded dimension can fill the node.
 */
#ifndef FW_QUEUE_H
#define FW_QUEUE_H

#include "codec.h"
#include "route.h"

#include <stdint.h>

#define QUEUE_POOL 40
#define QUEUE_ANY ROUTE_PORTS_MAX /* the queue after those of the dimensions */
#define QUEUE_COUNT (ROUTE_PORTS_MAX + 1)
#define QUEUE_NONE UINT8_C(0xFF)

struct queue_entry {
    struct frame frame;
    uint16_t wants; /* bit d: may leave on dimension d */
    uint8_t next;
};

struct queues {
    struct queue_entry entry[QUEUE_POOL];
    uint8_t head[QUEUE_COUNT], tail[QUEUE_COUNT], depth[QUEUE_COUNT];
    uint8_t unused; /* head of the list of free entries */
    uint8_t stored; /* messages in all queues */
};

void queue_init(struct queues *queues);

/* Appends a copy of the frame to queue 0..11 or QUEUE_ANY. `wants` has only the queue's own dimension, for
 * QUEUE_ANY at least one. Returns the entry, or QUEUE_NONE if the pool is full. */
uint8_t queue_put(struct queues *queues, uint8_t queue, uint16_t wants, const struct frame *frame,
                  uint8_t payload_bytes);

/* Returns the entry that leaves next on a dimension, or QUEUE_NONE. It stays queued. Constant time if
 * QUEUE_ANY is empty, else at most QUEUE_POOL steps. */
uint8_t queue_oldest(const struct queues *queues, uint8_t dimension);

/* Removes an entry that queue_oldest(dimension) returned; others may have been added since. */
void queue_remove(struct queues *queues, uint8_t dimension, uint8_t entry);

#endif
