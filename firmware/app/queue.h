/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages that wait in a node: a pool of fixed size, and queues made from it.
 *
 * There is one queue per dimension, for messages that want just that one, and one queue for messages that may
 * leave on any of several. Each is first in, first out as far as the dimension allows: the oldest message
 * that wants a dimension leaves first. All run out of the same pool, so one crowded dimension can fill the
 * node.
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

/* Appends a copy of the frame to queue 0..11 or QUEUE_ANY. `wants` names at least one dimension, and just the
 * queue's own but for QUEUE_ANY. Returns its entry, or QUEUE_NONE when the pool is full. */
uint8_t queue_put(struct queues *queues, uint8_t queue, uint16_t wants, const struct frame *frame,
                  uint8_t payload_bytes);

/* The entry that leaves next on a dimension, or QUEUE_NONE. It stays queued. Constant time when QUEUE_ANY is
 * empty, else at most QUEUE_POOL steps. */
uint8_t queue_oldest(const struct queues *queues, uint8_t dimension);

/* Removes an entry that queue_oldest(dimension) named; others may have been put since. */
void queue_remove(struct queues *queues, uint8_t dimension, uint8_t entry);

#endif
