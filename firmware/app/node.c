/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "node.h"

#include <stddef.h>
#include <string.h>

static void clear_stats(struct stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->magic = STATS_MAGIC;
    stats->version = STATS_VERSION;
}

/* Returns ROUTE_IDLE, ROUTE_SENDS | port, or the port to receive on. */
static uint8_t turn_of(const struct node *node, uint8_t phase)
{
    return node->config.network->turn(node->config.network, node->address, phase);
}

static bool sends(uint8_t turn)
{
    return turn != ROUTE_IDLE && turn & ROUTE_SENDS;
}

static void make_prbs_frame(struct node *node, struct frame *frame, uint8_t port)
{
    frame->destination = node->config.network->neighbour(node->config.network, node->address, port);
    frame->sequence = node->prbs_sequence;
    frame->checked = false;
    for (uint8_t i = 0; i < node->config.payload_bytes; i++)
        frame->payload[i] = prbs7_byte(&node->prbs);
}

bool node_has_program(const struct node *node)
{
    return node->config.program && node->config.program->status != PROGRAM_NONE;
}

static bool make_program_frame(struct node *node, struct frame *frame, uint8_t port)
{
    struct program *program = node->config.program;

    memset(frame->payload, 0, sizeof frame->payload);
    frame->destination = node->config.network->neighbour(node->config.network, node->address, port);
    frame->sequence = program->sequence;
    frame->checked = false;
    return program->ops->emit(program, node->next.phase, port, frame->payload);
}

/* Encodes the frame of the next phase, if there is one. */
static void choose(struct node *node)
{
    const uint8_t port = node->next.turn & (uint8_t)~ROUTE_SENDS;
    uint8_t *bytes = node->tx[node->next.buffer];

    node->next.length = 0;
    node->next.entry = QUEUE_NONE;
    if (!sends(node->next.turn))
        return;
    if (node_has_program(node)) {
        struct frame frame;
        if (make_program_frame(node, &frame, port))
            node->next.length = node->config.codec->encode(&frame, node->config.payload_bytes, bytes);
        return;
    }
    if (node->mode == TEST_MODE_PRBS) {
        struct frame frame;
        make_prbs_frame(node, &frame, port);
        node->next.length = node->config.codec->encode(&frame, node->config.payload_bytes, bytes);
        return;
    }
    node->next.entry = queue_oldest(&node->queues, port);
    if (node->next.entry != QUEUE_NONE)
        node->next.length = node->config.codec->encode(&node->queues.entry[node->next.entry].frame,
                                                       node->config.payload_bytes, bytes);
}

/* Makes this phase the next one. The message stays queued until the phase begins, since an unexpected
 * TDMA_SYNC may void the choice. */
static void prepare(struct node *node, uint8_t phase)
{
    node->next.phase = phase;
    node->next.turn = turn_of(node, phase);
    choose(node);
}

/* For the console, which has time: one copy of it is enough in the flash. */
__attribute__((noinline)) static void prepare_anew(struct node *node)
{
    prepare(node, phase_due(&node->tracker));
}

void node_init(struct node *node, const struct node_config *config, struct port *port)
{
    memset(node, 0, sizeof *node);
    clear_stats(&node->stats);
    node->port = port;
    node->config = *config;
    node->address = port_address(port);
    node->prbs = PRBS7_SEED;
    node->reception = RECEPTION_OFF;
    phase_init(&node->tracker, config->network->phases, config->period_ticks);
    queue_init(&node->queues);
    console_init(&node->console);
    if (config->program)
        config->program->ops->init(config->program);
    (void)port_link_release(port);
    prepare_anew(node); /* so that a message before the first edge is encoded by then */
}

/* It counts as a message of the node, which is sent as soon as it is queued. */
static void count_program_frame(struct node *node)
{
    struct stats *stats = &node->stats;
    struct program *program = node->config.program;

    program->sequence = (program->sequence + 1) & 0x0F;
    stats->own_messages++;
    if (stats->max_queue == 0)
        stats->max_queue = 1;
    if (stats->max_stored == 0)
        stats->max_stored = 1;
}

static void start_transmission(struct node *node, uint8_t port, uint32_t edge_ticks)
{
    if (node->next.length == 0)
        return;
    if (!port_link_send(node->port, port, edge_ticks + node->config.head_guard_ticks,
                        node->tx[node->next.buffer], node->next.length))
        node->stats.late_starts++;
    node->stats.tx_frames++;
    node->next.buffer ^= 1;
    if (node->next.entry != QUEUE_NONE)
        queue_remove(&node->queues, port, node->next.entry);
    else if (node_has_program(node))
        count_program_frame(node);
    else
        node->prbs_sequence = (node->prbs_sequence + 1) & 0x0F;
}

void node_on_phase_edge(struct node *node, uint32_t edge_ticks, bool sync)
{
    if (port_link_release(node->port))
        node->stats.tx_cut++;
    if (node->reception == RECEPTION_OPEN && node->decoder.count > 0)
        node->stats.rx_cut++;
    node->reception = RECEPTION_OFF;

    const uint8_t phase = phase_edge(&node->tracker, &node->stats, edge_ticks, sync);
    if (node_has_program(node))
        node->config.program->ops->edge(node->config.program, phase);
    if (phase != PHASE_UNKNOWN) {
        if (node->next.phase != phase ||
            (node_has_program(node) && node->config.program->status == PROGRAM_STOPPED))
            prepare(node, phase);
        const uint8_t turn = node->next.turn;
        if (sends(turn)) {
            start_transmission(node, turn & (uint8_t)~ROUTE_SENDS, edge_ticks);
        } else if (turn != ROUTE_IDLE) {
            decoder_start(&node->decoder, node->config.codec, node->config.payload_bytes);
            node->reception = RECEPTION_OPEN;
            node->rx_port = turn;
            port_link_listen(node->port, turn);
        }
    }
    if (node_has_program(node))
        node->config.program->ops->settle(node->config.program);
    prepare(node, phase_due(&node->tracker));
}

/* Queues a message; `offer` follows. */
static bool store(struct node *node, uint16_t wants, bool one_port, const struct frame *frame)
{
    struct queues *queues = &node->queues;
    struct stats *stats = &node->stats;
    const uint8_t queue = one_port ? route_lowest(wants) : QUEUE_ANY;

    if (queue_put(queues, queue, wants, frame, node->config.payload_bytes) == QUEUE_NONE) {
        stats->queue_drops++;
        return false;
    }
    if (stats->max_queue < queues->depth[queue])
        stats->max_queue = queues->depth[queue];
    if (stats->max_stored < queues->stored)
        stats->max_stored = queues->stored;
    return true;
}

/* Prepares what has been stored, if the next phase had no frame to send; an earlier choice is kept. */
static void offer(struct node *node)
{
    if (node->next.length == 0)
        choose(node);
}

static bool is_in_network(const struct node *node, uint16_t address)
{
    return address < node->config.network->nodes;
}

/* Queues a message for another node on the ports that the rule selects. */
static bool route(struct node *node, const struct frame *frame)
{
    const struct route_network *network = node->config.network;
    const struct route_rule *rule = node->config.rule;
    return store(node, rule->pick(network->ways(network, node->address, frame->destination)), rule->one_port,
                 frame);
}

static void accept(struct node *node, const struct frame *frame)
{
    node->stats.rx_frames++;
    if (node_has_program(node)) {
        const bool is_ours =
            frame->destination == node->address || frame->destination == CODEC_NO_DESTINATION;
        if (node->config.program->ops->take(node->config.program, is_ours ? frame->payload : NULL))
            node->stats.delivered++;
        else
            node->stats.queue_drops++;
    } else if (node->mode == TEST_MODE_ECHO)
        node->stats.forwarded += store(node, (uint16_t)(1u << node->rx_port), true, frame);
    else if (!is_in_network(node, frame->destination))
        node->stats.rx_bad_destinations++;
    else if (frame->destination == node->address)
        node->stats.delivered++;
    else
        node->stats.forwarded += route(node, frame);
    offer(node);
}

void node_on_rx_byte(struct node *node, uint8_t byte, bool framing_ok)
{
    if (node->reception == RECEPTION_OFF)
        return;
    if (!framing_ok) {
        node->stats.rx_framing_errors++;
        node->reception = RECEPTION_OFF;
        return;
    }
    if (node->reception == RECEPTION_DONE) {
        node->stats.rx_length_errors++;
        node->reception = RECEPTION_OFF;
        return;
    }

    node->reception = RECEPTION_OFF;
    switch (node->config.codec->decode(&node->decoder, byte)) {
    case CODEC_MORE:
        node->reception = RECEPTION_OPEN;
        break;
    case CODEC_COMPLETE:
        node->reception = RECEPTION_DONE;
        accept(node, &node->decoder.frame);
        break;
    case CODEC_BAD_CRC:
        node->stats.rx_crc_errors++;
        break;
    case CODEC_BAD_LENGTH:
        node->stats.rx_length_errors++;
        break;
    case CODEC_BAD_MARK:
        node->stats.rx_mark_errors++;
        break;
    }
}

void node_on_console_byte(struct node *node, uint8_t byte)
{
    if (!console_byte(&node->console, byte))
        node->stats.console_errors++;
}

void node_poll(struct node *node)
{
    console_run(node);
}

enum node_send node_send(struct node *node, struct frame *frame)
{
    bool stored = true;

    if (!is_in_network(node, frame->destination))
        return NODE_SEND_RANGE;
    /* What takes long is done before the mask, and the mask is in two parts: an edge in between finds the
     * message queued, and an earlier choice. So it never waits for more than one part. */
    frame->sequence = node->next_sequence;
    frame->checked = false;
    if (node->config.codec->seal)
        node->config.codec->seal(frame, node->config.payload_bytes);
    uint32_t state = port_irq_save(node->port);
    if (frame->destination == node->address)
        node->stats.delivered++;
    else
        stored = route(node, frame);
    if (stored) {
        node->stats.own_messages++;
        node->next_sequence = (node->next_sequence + 1) & 0x0F;
    }
    port_irq_restore(node->port, state);
    state = port_irq_save(node->port);
    offer(node);
    port_irq_restore(node->port, state);
    return stored ? NODE_SEND_QUEUED : NODE_SEND_FULL;
}

bool node_set_address(struct node *node, uint16_t address)
{
    const uint32_t state = port_irq_save(node->port);
    const bool idle = node->queues.stored == 0 && !node_has_program(node);
    if (idle) {
        node->address = address;
        prepare_anew(node);
    }
    port_irq_restore(node->port, state);
    return idle;
}

void node_set_mode(struct node *node, enum test_mode mode)
{
    const uint32_t state = port_irq_save(node->port);
    node->mode = (uint8_t)mode;
    node->prbs = PRBS7_SEED;
    node->prbs_sequence = 0;
    prepare_anew(node);
    port_irq_restore(node->port, state);
}

void node_clear_stats(struct node *node)
{
    const uint32_t state = port_irq_save(node->port);
    clear_stats(&node->stats);
    port_irq_restore(node->port, state);
}

struct stats node_stats(struct node *node)
{
    const uint32_t state = port_irq_save(node->port);
    const struct stats copy = node->stats;
    port_irq_restore(node->port, state);
    return copy;
}

static void set_program_status(struct node *node, enum program_status status)
{
    const uint32_t state = port_irq_save(node->port);
    node->config.program->status = (uint8_t)status;
    prepare_anew(node);
    port_irq_restore(node->port, state);
}

const char *node_load(struct node *node, const char *name, uint8_t name_length, uint16_t argument,
                      const uint8_t *input, uint8_t length)
{
    struct program next = {.ops = node->config.program->ops};
    const char *error = next.ops->load(&next, name, name_length, node->config.network, node->address,
                                       argument, input, length, node->config.payload_bytes);
    if (error)
        return error;
    node_unload(node);
    *node->config.program = next;
    set_program_status(node, PROGRAM_WAITS);
    return NULL;
}

void node_unload(struct node *node)
{
    set_program_status(node, PROGRAM_NONE);
}
