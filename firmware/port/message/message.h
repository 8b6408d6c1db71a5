/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The port `message`: all nodes of a network on one computer, each with the unchanged firmware/app, and whole
 * frames in place of bits. What runs them gives each node its edges of TDMA_CLK, and then hands over what one
 * node sends to the node at the other end of the wire. A frame ends within its phase.
 *
 * A frame of a message has the default codec and a payload of 3 bytes, which identify the message; one of a
 * program has its payload alone. The caller keeps nodes, addresses and ports in the network.
 */
#ifndef FW_MESSAGE_H
#define FW_MESSAGE_H

#include "firmware/app/queue.h"
#include "firmware/app/route.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_NODES_MAX 4096
#define MESSAGE_PORTS_MAX ROUTE_PORTS_MAX
#define MESSAGE_ROOM QUEUE_POOL      /* messages that a node holds */
#define MESSAGE_IDENTITIES (1 << 24) /* 0 .. MESSAGE_IDENTITIES - 1 */

struct message_nodes;

/* At most MESSAGE_NODES_MAX nodes, and MESSAGE_PORTS_MAX ports of each. */
struct message_options {
    const uint8_t *radix; /* [digits] of an address */
    uint8_t digits;
    bool opportunistic;            /* else ecube */
    uint8_t program_payload_bytes; /* of the frames of a program; 0: the nodes send messages */
};

/* All nodes just after a reset. NULL: no memory. */
struct message_nodes *message_nodes_create(const struct message_options *options);
void message_nodes_free(struct message_nodes *nodes); /* NULL: no effect */
size_t message_node_bytes(void);                      /* memory of one node */

/* The console's S before the next edge. Returns false if the node is full. */
bool message_send(struct message_nodes *nodes, uint32_t node, uint32_t destination, uint32_t identity);

/* An edge of TDMA_CLK at a node, the `count`-th since the reset, and the level of TDMA_SYNC after it. */
void message_edge(struct message_nodes *nodes, uint32_t node, uint32_t count, bool sync);

enum message_result {
    MESSAGE_NONE,      /* the sender is silent on that port */
    MESSAGE_LOST,      /* the other node does not listen there, or refuses the frame */
    MESSAGE_QUEUED,    /* accepted for another node */
    MESSAGE_DELIVERED, /* accepted, as the node is its destination */
    MESSAGE_DROPPED    /* the other node is full */
};
struct message_end {
    uint32_t node;
    uint8_t port;
};
/* After the edges of both: the frame on a wire, if any. Sets *identity unless it returns MESSAGE_NONE. The
 * result is what the receiver counted. */
enum message_result message_hand_over(struct message_nodes *nodes, struct message_end from,
                                      struct message_end to, uint32_t *identity);

/* ---- a program in place of messages: these functions alone, and those that create and free */

#define MESSAGE_PROGRAM_DATA_MAX 64 /* bytes of input, and of result, of a node (firmware/app/program.h) */

/* Types a line at the console of a node, without its end. Returns the answer, without its end, until the next
 * call. */
const char *message_type(struct message_nodes *nodes, uint32_t node, const char *line);
void message_program_edge(struct message_nodes *nodes, uint32_t node, uint32_t count, bool sync);
/* As message_hand_over: false, the sender is silent on that port. Else *payload is of its frame, until its
 * next edge. */
bool message_program_hand_over(struct message_nodes *nodes, struct message_end from, struct message_end to,
                               const uint8_t **payload);

/* ---- */

/* What a node counts (stats.h), and how many messages it holds. */
struct message_counters {
    uint32_t delivered, dropped, sent, max_queue, max_stored, stored;
};
struct message_counters message_count(const struct message_nodes *nodes, uint32_t node);

/* Calls visit for each message that a node holds. */
typedef void message_visit_fn(void *context, uint32_t node, uint32_t identity);
void message_waiting(const struct message_nodes *nodes, uint32_t node, message_visit_fn *visit,
                     void *context);

#endif
