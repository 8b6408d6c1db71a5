/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The node: one object and its entry points. A port creates one struct node, calls node_init after reset, and
 * then the entry points from the contexts that port.h names. docs/node.md specifies its behaviour.
 *
 * The frame of the next phase is encoded as soon as it is known, so the edge handler only starts it. The
 * start is the captured time of the edge plus the head guard, independent of the interrupt latency if that is
 * shorter than the guard.
 */
#ifndef FW_NODE_H
#define FW_NODE_H

#include "codec.h"
#include "console.h"
#include "phase.h"
#include "port.h"
#include "program.h"
#include "queue.h"
#include "route.h"
#include "stats.h"
#include "testmode.h"

#include <stdbool.h>
#include <stdint.h>

#define NODE_FIRMWARE_VERSION 0x0100

struct node_config {
    const char *name; /* of the port, for the command I; at most 16 characters */
    const struct route_network *network; /* must remain valid */
    const struct route_rule *rule;
    const struct codec *codec;
    uint8_t payload_bytes;     /* 0 .. codec->payload_max */
    uint32_t period_ticks;     /* nominal phase period, 2 .. 2^31 */
    uint32_t head_guard_ticks; /* from the phase edge to the start of a transmission */
    struct program *program;   /* memory for one, which must remain valid; NULL: this port runs none */
};

/* Private to app/; defined here for its size. */
struct node {
    struct stats stats; /* first member: at the address of the node */
    struct port *port;
    struct node_config config;
    struct phase_tracker tracker;
    uint16_t address;
    uint8_t mode;          /* enum test_mode */
    uint8_t next_sequence; /* of this node's own messages, modulo 16 */
    uint8_t prbs;          /* generator state */
    uint8_t prbs_sequence; /* PRBS frames have their own numbers, as they are no messages */
    enum node_reception { RECEPTION_OFF, RECEPTION_OPEN, RECEPTION_DONE } reception;
    uint8_t rx_port;
    struct decoder decoder;
    struct {
        uint8_t phase;  /* in which the frame is sent */
        uint8_t turn;   /* the node's in that phase */
        uint8_t length; /* 0: no frame to send */
        uint8_t entry;  /* its queue entry, or QUEUE_NONE for a PRBS frame */
        uint8_t buffer; /* index into tx; the other buffer may be in transmission */
    } next;
    uint8_t tx[2][CODEC_FRAME_MAX];
    struct queues queues;
    struct console console;
};

_Static_assert(sizeof(struct node) < 8192, "struct node must fit an MCU with 8 KB to spare");

/* Initialises the node, after reset and before any interrupt. Copies *config; keeps the pointer `port`. */
void node_init(struct node *node, const struct node_config *config, struct port *port);

/* Edge: the captured time of a rising edge of TDMA_CLK, and the level of TDMA_SYNC read after it. */
void node_on_phase_edge(struct node *node, uint32_t edge_ticks, bool sync);

/* Byte: a byte from the link at the receiver; framing_ok is false if its stop bit was low. */
void node_on_rx_byte(struct node *node, uint8_t byte, bool framing_ok);

/* Byte: a byte from the console. Pass a byte with a framing error as 0, which invalidates its line: without
 * the byte the line could be another valid command. */
void node_on_console_byte(struct node *node, uint8_t byte);

/* Loop: call it continuously. */
void node_poll(struct node *node);

/* For the console, from the loop. */
enum node_send { NODE_SEND_QUEUED, NODE_SEND_RANGE, NODE_SEND_FULL };
/* Queues a message of this node. frame->sequence is filled in; a message to itself is delivered at once. */
enum node_send node_send(struct node *node, struct frame *frame);
/* Returns false, without effect, while messages are queued or a program is loaded: both were chosen for the
 * old address. */
bool node_set_address(struct node *node, uint16_t address);
void node_set_mode(struct node *node, enum test_mode mode);
/* Loads the program of this name, in place of another one; messages stay queued. Returns NULL, or the reason
 * of the refusal, without effect. */
const char *node_load(struct node *node, const char *name, uint8_t name_length, uint16_t argument,
                      const uint8_t *input, uint8_t length);
void node_unload(struct node *node); /* the node sends messages again */
bool node_has_program(const struct node *node);
void node_clear_stats(struct node *node);
struct stats node_stats(struct node *node); /* a consistent copy */

#endif
