/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sources of firmware/app are included, as they are, so that they have names of their own here and can be
 * inlined: a machine of 4,096 nodes runs them 100,000 times a superframe. Programs and their codec are
 * linked.
 */
#include "names.h"

#include "firmware/app/codec_slot.c"
#include "firmware/app/console.c"
#include "firmware/app/console_program.c"
#include "firmware/app/crc.c"
#include "firmware/app/node.c"
#include "firmware/app/phase.c"
#include "firmware/app/queue.c"
#include "firmware/app/route.c"
#include "firmware/app/testmode.c"

#include "message.h"

#include <stdlib.h>

#define FLAT __attribute__((flatten))

enum { PERIOD_TICKS = 16, PAYLOAD_BYTES = 3, NO_PORT = 0xFF };

struct port {
    struct node app;
    const uint8_t *frame; /* in transmission */
    uint8_t length;
    uint8_t sends, listens; /* ports, or NO_PORT */
    uint16_t address;
};

struct message_nodes {
    struct route_network network;
    struct program *program; /* of each node; NULL: they send messages */
    struct port node[];
};

_Static_assert(MESSAGE_PROGRAM_DATA_MAX == PROGRAM_DATA_MAX, "the data of a program");

/* The answer to the last line. */
static _Thread_local struct {
    char text[CONSOLE_ANSWER_MAX];
    size_t length;
} answer;

/* ---- the functions of port.h */

uint16_t port_address(struct port *port)
{
    return port->address;
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    (void)start_ticks;
    port->sends = dimension;
    port->frame = bytes;
    port->length = length;
    return true;
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    port->listens = dimension;
}

/* A frame has ended when the next edge comes. */
bool port_link_release(struct port *port)
{
    port->sends = port->listens = NO_PORT;
    return false;
}

void port_console_write(struct port *port, const char *text, size_t length)
{
    (void)port;
    const size_t room = sizeof answer.text - 1 - answer.length, part = length < room ? length : room;
    memcpy(answer.text + answer.length, text, part);
    answer.length += part;
    answer.text[answer.length] = '\0';
}

/* No handler interrupts another one. */
uint32_t port_irq_save(struct port *port)
{
    (void)port;
    return 0;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    (void)state;
}

/* ---- the nodes */

struct message_nodes *message_nodes_create(const struct message_options *options)
{
    uint32_t count = 1;
    bool binary = true;

    for (uint8_t i = 0; i < options->digits; i++) {
        count *= options->radix[i];
        binary = binary && options->radix[i] == 2;
    }
    struct message_nodes *nodes = calloc(1, sizeof *nodes + count * sizeof *nodes->node);
    if (!nodes)
        return NULL;
    nodes->network =
        binary ? route_cube(options->digits) : route_generalised(options->radix, options->digits);
    const bool programs = options->program_payload_bytes > 0;
    struct node_config config = {.name = "message",
                                 .network = &nodes->network,
                                 .rule = options->opportunistic ? &route_opportunistic : &route_ecube,
                                 .codec = programs ? &codec_bare : &codec_slot,
                                 .payload_bytes = programs ? options->program_payload_bytes : PAYLOAD_BYTES,
                                 .period_ticks = PERIOD_TICKS};
    if (programs) {
        nodes->program = calloc(count, sizeof *nodes->program);
        if (!nodes->program) {
            free(nodes);
            return NULL;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes->node[i].address = (uint16_t)i;
        if (programs) {
            nodes->program[i].ops = &program_ops;
            config.program = &nodes->program[i];
        }
        node_init(&nodes->node[i].app, &config, &nodes->node[i]);
    }
    return nodes;
}

void message_nodes_free(struct message_nodes *nodes)
{
    if (nodes)
        free(nodes->program);
    free(nodes);
}

size_t message_node_bytes(void)
{
    return sizeof(struct port);
}

static uint32_t identity_in(const uint8_t *payload)
{
    return payload[0] | (uint32_t)payload[1] << 8 | (uint32_t)payload[2] << 16;
}

/* Of nodes with messages, for the compiler, which then calls, and inlines, the functions of the codec
 * directly. */
static inline struct node *app_of(struct port *port)
{
    if (port->app.config.codec != &codec_slot || port->app.config.program)
        __builtin_unreachable();
    return &port->app;
}

bool message_send(struct message_nodes *nodes, uint32_t node, uint32_t destination, uint32_t identity)
{
    struct frame frame = {.destination = (uint16_t)destination};

    for (unsigned i = 0; i < PAYLOAD_BYTES; i++)
        frame.payload[i] = (uint8_t)(identity >> 8 * i);
    return node_send(app_of(&nodes->node[node]), &frame) == NODE_SEND_QUEUED;
}

FLAT void message_edge(struct message_nodes *nodes, uint32_t node, uint32_t count, bool sync)
{
    node_on_phase_edge(app_of(&nodes->node[node]), count * PERIOD_TICKS, sync);
}

FLAT enum message_result message_hand_over(struct message_nodes *nodes, struct message_end from,
                                           struct message_end to, uint32_t *identity)
{
    const struct port *sender = &nodes->node[from.node];
    struct port *receiver = &nodes->node[to.node];
    const struct stats *stats = &receiver->app.stats;
    const uint32_t delivered = stats->delivered, forwarded = stats->forwarded, dropped = stats->queue_drops;

    if (sender->sends != from.port)
        return MESSAGE_NONE;
    *identity = identity_in(sender->frame + sender->length - 1 - PAYLOAD_BYTES); /* before the CRC */
    const uint8_t *frame = sender->frame, *end = frame + sender->length;
    if (receiver->listens != to.port)
        return MESSAGE_LOST;
    while (frame < end)
        node_on_rx_byte(app_of(receiver), *frame++, true);
    return stats->delivered != delivered   ? MESSAGE_DELIVERED
           : stats->forwarded != forwarded ? MESSAGE_QUEUED
           : stats->queue_drops != dropped ? MESSAGE_DROPPED
                                           : MESSAGE_LOST;
}

/* ---- a program */

const char *message_type(struct message_nodes *nodes, uint32_t node, const char *line)
{
    struct node *app = &nodes->node[node].app;

    answer.length = 0;
    for (; *line; line++)
        node_on_console_byte(app, (uint8_t)*line);
    node_on_console_byte(app, '\n');
    node_poll(app);
    answer.text[answer.length - 1] = '\0'; /* in place of the end of the line */
    return answer.text;
}

void message_program_edge(struct message_nodes *nodes, uint32_t node, uint32_t count, bool sync)
{
    node_on_phase_edge(&nodes->node[node].app, count * PERIOD_TICKS, sync);
}

bool message_program_hand_over(struct message_nodes *nodes, struct message_end from, struct message_end to,
                               const uint8_t **payload)
{
    const struct port *sender = &nodes->node[from.node];
    struct port *receiver = &nodes->node[to.node];

    if (sender->sends != from.port)
        return false;
    *payload = sender->frame;
    for (uint8_t i = 0; receiver->listens == to.port && i < sender->length; i++)
        node_on_rx_byte(&receiver->app, sender->frame[i], true);
    return true;
}

struct message_counters message_count(const struct message_nodes *nodes, uint32_t node)
{
    const struct node *app = &nodes->node[node].app;
    return (struct message_counters){.delivered = app->stats.delivered,
                                     .dropped = app->stats.queue_drops,
                                     .sent = app->stats.tx_frames,
                                     .max_queue = app->stats.max_queue,
                                     .max_stored = app->stats.max_stored,
                                     .stored = app->queues.stored};
}

void message_waiting(const struct message_nodes *nodes, uint32_t node, message_visit_fn *visit, void *context)
{
    const struct queues *queues = &nodes->node[node].app.queues;

    for (uint8_t queue = 0; queue < QUEUE_COUNT; queue++)
        for (uint8_t i = queues->head[queue]; i != QUEUE_NONE; i = queues->entry[i].next)
            visit(context, node, identity_in(queues->entry[i].frame.payload));
}
