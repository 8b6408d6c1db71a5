/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Effects of a traffic list on a network: link loads, queue occupancy, and the movement of every message,
 * hop by hop, as movement.h defines it.
 *
 * Bounds (proofs in docs/reference/timing.md): with C the largest number of messages that need one directed
 * link, C <= T. Under any work-conserving rule with dimension order a message that is ready when a superframe
 * starts needs at most 1 + n superframes, where n other messages share a directed link with it. T = 1 exactly
 * when C <= 1 (and something moves).
 *
 * All functions: a network that pb_network_check accepts, every address below its nodes, fewer than 2^31
 * messages. They hold no state; those that return a code return 0 or PB_ERR_MEMORY. pb_flow_analyse takes
 * 4 * nodes * ports^2 bytes, the others less.
 */
#ifndef PHASEBENCH_FLOW_H
#define PHASEBENCH_FLOW_H

#include "phasebench/api.h"
#include "phasebench/movement.h"

PB_API_BEGIN

typedef void pb_crossing_fn(void *context, const struct pb_crossing *crossing);

struct pb_flow_stats {
    size_t messages;      /* in the list */
    size_t delivered;     /* less than messages only if superframe_limit ended the run, or messages
                           were dropped */
    uint32_t superframes; /* from superframe 0 to that of the last crossing, inclusive; 0: no crossing */
    uint64_t crossings;
    unsigned max_queue;        /* deepest (node, port) queue between two phases (ecube; else 0) */
    unsigned max_occupancy;    /* most undelivered messages in one node between two phases */
    size_t delivered_in_first; /* delivered in the superframe of their release */
    size_t dropped;            /* by full nodes */
    struct {                   /* the first drop; on release: the phase of the release */
        uint64_t instant;      /* phases since phase 0 of superframe 0 */
        uint32_t node;
        size_t message;
    } first_drop;
};

/* Moves the messages until all are delivered or superframe_limit superframes have passed (0: no limit),
 * calling visit (may be NULL) for each crossing in time order, and within a phase in ascending order of
 * `from`. The number of a message is its index in the list; equal releases join in list order. */
int pb_flow_run(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                uint32_t superframe_limit, pb_crossing_fn *visit, void *context, struct pb_flow_stats *stats);

/* As pb_flow_run, with `rooms` nodes of finite room, each named once; writes their `fullest`. A full node
 * drops a message at its release, or in the phase of its arrival, and dropped (may be NULL) is called for it.
 * The run ends when each message is delivered or dropped. */
typedef void pb_drop_fn(void *context, uint32_t superframe, unsigned phase, uint32_t node, size_t message);
int pb_flow_run_bounded(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                        uint32_t superframe_limit, struct pb_flow_room *room, unsigned rooms,
                        pb_crossing_fn *visit, pb_drop_fn *dropped, void *context,
                        struct pb_flow_stats *stats);

/* Load of each directed link, load[node * ports + port] = messages whose dimension-order path leaves node
 * by port. The caller's array has nodes * ports elements; all are written. */
void pb_flow_loads(const struct pb_network *network, const struct pb_traffic *traffic, uint32_t *load);

/* Capacity of a node without unbounded queues. */
enum pb_buffer {
    PB_BUFFER_REGISTER,              /* one message; a new message is lost while it is occupied */
    PB_BUFFER_REGISTER_AND_LATCH,    /* the same, but a received message waits in a receive latch and
                                        enters the register (or is lost) after both phases of the wire */
    PB_BUFFER_REGISTER_PER_DIMENSION /* one message per outgoing port; lost if that register is occupied */
};

/* Counts the messages of the batch that are lost with such buffers in every node, in dimension order. The
 * batch enters in list order before phase 0 by the same rule, so a second message of a source may be lost
 * there. A message at its destination is consumed, never lost. */
int pb_flow_lost(const struct pb_network *network, enum pb_buffer buffer, const struct pb_traffic *traffic,
                 size_t *lost);

struct pb_flow_bound {
    size_t messages;
    uint32_t max_link_load; /* C: load of the busiest directed link */
    /* 1 + the largest number of distinct other messages that share at least one directed link with one
     * message; 0 when nothing moves. T never exceeds it. */
    uint32_t bound_superframes;
    uint32_t fifo_superframes; /* T, e-cube, FIFO */
    uint32_t opportunistic_superframes;
    unsigned max_queue, max_occupancy; /* e-cube, FIFO, the batch before phase 0 included */
    size_t lost_single_register;
    size_t lost_register_and_latch;
    size_t lost_register_per_dimension;
};

/* Analyses the list as one batch: every message is ready before phase 0 of superframe 0; the release fields
 * are ignored. bound_superframes also holds for other releases, from the first superframe start at or after a
 * message's release. */
int pb_flow_analyse(const struct pb_network *network, const struct pb_traffic *traffic,
                    struct pb_flow_bound *bound);

PB_API_END

#endif
