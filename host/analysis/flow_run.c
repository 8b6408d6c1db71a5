/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages, phase by phase.
 *
 * A queue belongs to a port of a node, and so to one phase. Under dimension order a message is in one queue,
 * under the opportunistic rule in the queue of every port that it wants, so that "the oldest message that
 * wants this port" is always the head. Bitmaps of the non-empty queues of a phase keep a phase cheap when few
 * nodes have work, and name the senders: no other node is looked at.
 */
#include "phasebench/flow.h"

#include "turns.h"

#include <stdlib.h>

#define WORD_BITS 64

/* A list of messages by their links. A queue of one message, the most frequent, needs no link. */
struct queue {
    uint32_t head, tail; /* messages, when not empty */
    uint32_t depth;
    uint16_t destination; /* of the head, so that moving it does not ask for the message */
    uint8_t phase;        /* in which the node sends on the port */
};

struct release {
    uint64_t phase; /* since phase 0 of superframe 0 */
    uint32_t message;
};

struct flow {
    const struct pb_network *network;
    enum pb_rule rule;
    const struct pb_message *message;
    size_t count, nodes;
    size_t words; /* of one phase's bitmap */
    size_t links; /* of a message, in words: 1 (ecube) or 2 for each port (opportunistic) */
    struct pb_turns turns;
    uint32_t *link;      /* the next message of the queue; opportunistic: then the one before it, as a message
                            then leaves from the middle of queues */
    struct queue *queue; /* [node * ports + port] */
    uint64_t *waiting; /* [phase * words + node / 64], bit node % 64: the queue of that phase is not empty */
    uint32_t *occupancy;   /* [node] */
    struct release *order; /* in the order of entry; NULL: the messages are in that order */
    size_t released;
    struct pb_flow_room *room;
    unsigned rooms;
    uint64_t now; /* phases since phase 0 of superframe 0 */
    pb_crossing_fn *visit;
    pb_drop_fn *drop_visit;
    void *context;
    struct pb_flow_stats *stats;
};

static unsigned lowest_port(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

enum { NEXT, BEFORE };

static inline uint32_t *link_of(const struct flow *flow, enum pb_rule rule, uint32_t message, unsigned port)
{
    return rule == PB_RULE_ECUBE ? &flow->link[message] : &flow->link[message * flow->links + 2 * port];
}

static inline struct queue *queue_of(const struct flow *flow, uint32_t node, unsigned port)
{
    return &flow->queue[(size_t)node * flow->network->ports + port];
}

static inline uint64_t *waiting_word(const struct flow *flow, uint32_t node, const struct queue *queue)
{
    return &flow->waiting[queue->phase * flow->words + node / WORD_BITS];
}

/* Whether a queue is empty, and whether it becomes so, is as good as random under load. So nothing below
 * branches on it: what an empty queue says of its head is read and written, and never used. */
static inline void append(struct flow *flow, enum pb_rule rule, uint32_t node, unsigned port,
                          uint32_t message, uint32_t destination)
{
    struct queue *queue = queue_of(flow, node, port);
    const bool first = queue->depth++ == 0;
    uint32_t *before = first ? &queue->head : &link_of(flow, rule, queue->tail, port)[NEXT];

    *before = message;
    queue->destination = first ? (uint16_t)destination : queue->destination;
    *waiting_word(flow, node, queue) |= UINT64_C(1) << node % WORD_BITS;
    if (rule != PB_RULE_ECUBE)
        link_of(flow, rule, message, port)[BEFORE] = queue->tail;
    queue->tail = message;
    if (rule == PB_RULE_ECUBE && queue->depth > flow->stats->max_queue)
        flow->stats->max_queue = queue->depth;
}

static inline void take_head(struct flow *flow, enum pb_rule rule, uint32_t node, unsigned port)
{
    struct queue *queue = queue_of(flow, node, port);
    const uint64_t emptied = --queue->depth == 0;

    queue->head = link_of(flow, rule, queue->head, port)[NEXT];
    queue->destination = (uint16_t)flow->message[queue->head].destination;
    *waiting_word(flow, node, queue) &= ~(emptied << node % WORD_BITS);
}

static inline void take_out(struct flow *flow, enum pb_rule rule, uint32_t node, unsigned port,
                            uint32_t message)
{
    struct queue *queue = queue_of(flow, node, port);

    if (queue->head == message) {
        take_head(flow, rule, node, port);
        return;
    }
    const uint32_t *link = link_of(flow, rule, message, port);
    queue->depth--;
    if (queue->tail == message) {
        queue->tail = link[BEFORE];
    } else {
        link_of(flow, rule, link[BEFORE], port)[NEXT] = link[NEXT];
        link_of(flow, rule, link[NEXT], port)[BEFORE] = link[BEFORE];
    }
}

/* False: the node has no room for the message. Counts the message in when there is. */
static bool find_room(struct flow *flow, uint32_t node, uint64_t wanted)
{
    unsigned at = 0;
    while (at < flow->rooms && flow->room[at].node != node)
        at++;
    if (at == flow->rooms)
        return true;
    struct pb_flow_room *room = &flow->room[at];
    const unsigned in_all = flow->occupancy[node],
                   in_queue = queue_of(flow, node, lowest_port(wanted))->depth;
    if ((room->in_all && in_all >= room->in_all) ||
        (room->per_dimension && flow->rule == PB_RULE_ECUBE && in_queue >= room->per_dimension))
        return false;
    const unsigned held = 1 + (room->per_dimension && !room->in_all ? in_queue : in_all);
    if (held > room->fullest)
        room->fullest = held;
    return true;
}

static void drop(struct flow *flow, uint32_t node, uint32_t message)
{
    const unsigned phases = flow->network->phases;
    if (flow->stats->dropped++ == 0) {
        flow->stats->first_drop.instant = flow->now;
        flow->stats->first_drop.node = node;
        flow->stats->first_drop.message = message;
    }
    if (flow->drop_visit)
        flow->drop_visit(flow->context, (uint32_t)(flow->now / phases), (unsigned)(flow->now % phases), node,
                         message);
}

static inline void enter(struct flow *flow, enum pb_rule rule, uint32_t node, uint32_t message,
                         uint32_t destination)
{
    uint64_t wanted = pb_network_wanted(flow->network, rule, node, destination);

    if (flow->rooms && !find_room(flow, node, wanted)) {
        drop(flow, node, message);
        return;
    }
    if (rule == PB_RULE_ECUBE)
        append(flow, rule, node, lowest_port(wanted), message, destination);
    else
        for (; wanted; wanted &= wanted - 1)
            append(flow, rule, node, lowest_port(wanted), message, destination);
    if (++flow->occupancy[node] > flow->stats->max_occupancy)
        flow->stats->max_occupancy = flow->occupancy[node];
}

/* Takes a message, the head of the queue of `port`, out of its node. */
static inline void leave(struct flow *flow, enum pb_rule rule, uint32_t node, unsigned port, uint32_t message,
                         uint32_t destination)
{
    flow->occupancy[node]--;
    if (rule == PB_RULE_ECUBE) {
        take_head(flow, rule, node, port);
        return;
    }
    for (uint64_t wanted = pb_network_wanted(flow->network, rule, node, destination); wanted;
         wanted &= wanted - 1)
        take_out(flow, rule, node, lowest_port(wanted), message);
}

static void deliver(struct flow *flow, uint32_t message, uint32_t superframe)
{
    flow->stats->delivered++;
    if (flow->message[message].release_superframe == superframe)
        flow->stats->delivered_in_first++;
}

static uint64_t release_phase(const struct flow *flow, const struct pb_message *message)
{
    return (uint64_t)message->release_superframe * flow->network->phases + message->release_phase;
}

static struct release next_release(const struct flow *flow)
{
    if (flow->order)
        return flow->order[flow->released];
    return (struct release){release_phase(flow, &flow->message[flow->released]), (uint32_t)flow->released};
}

static void release_due(struct flow *flow, uint64_t now)
{
    for (; flow->released < flow->count; flow->released++) {
        const struct release release = next_release(flow);
        if (release.phase > now)
            break;
        const struct pb_message *message = &flow->message[release.message];
        if (message->source == message->destination)
            deliver(flow, release.message, message->release_superframe);
        else
            enter(flow, flow->rule, message->source, release.message, message->destination);
    }
}

/* Moves the head of one queue across its wire. A receiver never sends in the same phase, so the order in
 * which the senders of a phase are served cannot matter. */
static inline void cross(struct flow *flow, enum pb_rule rule, uint32_t superframe, unsigned phase,
                         uint32_t from)
{
    const unsigned port = flow->turns.sends[phase * flow->nodes + from];
    const uint32_t to = flow->turns.peer[port * flow->nodes + from];
    const struct queue *queue = queue_of(flow, from, port);
    const uint32_t message = queue->head, destination = queue->destination;
    const bool last = destination == to;

    leave(flow, rule, from, port, message, destination);
    flow->stats->crossings++;
    if (flow->visit) {
        struct pb_crossing crossing = {superframe, phase, port, from, to, message, last};
        flow->visit(flow->context, &crossing);
    }
    if (last)
        deliver(flow, message, superframe);
    else
        enter(flow, rule, to, message, destination);
}

/* The rule is a constant in each call, so that each has code of its own. */
static inline void run_phase(struct flow *flow, enum pb_rule rule, uint32_t superframe, unsigned phase)
{
    const uint64_t *waiting = &flow->waiting[phase * flow->words];
    const uint64_t before = flow->stats->crossings;

    for (size_t word = 0; word < flow->words; word++)
        for (uint64_t senders = waiting[word]; senders; senders &= senders - 1)
            cross(flow, rule, superframe, phase,
                  (uint32_t)(word * WORD_BITS) + (uint32_t)__builtin_ctzll(senders));
    if (flow->stats->crossings > before)
        flow->stats->superframes = superframe + 1;
}

static void run(struct flow *flow, uint32_t superframe_limit)
{
    const unsigned phases = flow->network->phases;
    const uint64_t end = (uint64_t)(superframe_limit ? superframe_limit : UINT32_MAX) * phases;

    for (uint64_t now = 0; flow->stats->delivered + flow->stats->dropped < flow->count; now++) {
        bool idle = flow->stats->delivered + flow->stats->dropped == flow->released;
        if (idle && next_release(flow).phase > now)
            now = next_release(flow).phase;
        if (now >= end)
            break;
        flow->now = now;
        release_due(flow, now);
        if (flow->rule == PB_RULE_ECUBE)
            run_phase(flow, PB_RULE_ECUBE, (uint32_t)(now / phases), (unsigned)(now % phases));
        else
            run_phase(flow, PB_RULE_OPPORTUNISTIC, (uint32_t)(now / phases), (unsigned)(now % phases));
    }
}

static int compare_releases(const void *left, const void *right)
{
    const struct release *a = left, *b = right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

/* Most lists are in the order of their releases, and need none made. */
static int sort_releases(struct flow *flow)
{
    size_t ordered = 1;
    while (ordered < flow->count &&
           release_phase(flow, &flow->message[ordered - 1]) <= release_phase(flow, &flow->message[ordered]))
        ordered++;
    if (ordered == flow->count)
        return 0;

    flow->order = malloc(flow->count * sizeof *flow->order);
    if (!flow->order)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < flow->count; i++)
        flow->order[i] =
            (struct release){.phase = release_phase(flow, &flow->message[i]), .message = (uint32_t)i};
    qsort(flow->order, flow->count, sizeof *flow->order, compare_releases);
    return 0;
}

static void release_memory(struct flow *flow)
{
    pb_turns_free(&flow->turns);
    free(flow->link);
    free(flow->queue);
    free(flow->waiting);
    free(flow->occupancy);
    free(flow->order);
}

static int allocate(struct flow *flow)
{
    const struct pb_network *network = flow->network;
    const size_t queues = flow->nodes * network->ports;

    if (flow->count > SIZE_MAX / sizeof *flow->link / flow->links || pb_turns_make(&flow->turns, network))
        return PB_ERR_MEMORY;
    flow->link = calloc(flow->count * flow->links, sizeof *flow->link); /* 0 is a message, too */
    flow->queue = calloc(queues, sizeof *flow->queue);
    flow->waiting = calloc(network->phases * flow->words, sizeof *flow->waiting);
    flow->occupancy = calloc(flow->nodes, sizeof *flow->occupancy);
    if (!flow->link || !flow->queue || !flow->waiting || !flow->occupancy)
        return PB_ERR_MEMORY;
    for (uint32_t node = 0; node < flow->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++)
            queue_of(flow, node, port)->phase = flow->turns.phase[port * flow->nodes + node];
    return sort_releases(flow);
}

int pb_flow_run_bounded(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                        uint32_t superframe_limit, struct pb_flow_room *room, unsigned rooms,
                        pb_crossing_fn *visit, pb_drop_fn *dropped, void *context,
                        struct pb_flow_stats *stats)
{
    struct flow flow = {.network = network,
                        .rule = rule,
                        .message = traffic->message,
                        .count = traffic->count,
                        .nodes = network->nodes,
                        .words = (network->nodes + WORD_BITS - 1) / WORD_BITS,
                        .links = rule == PB_RULE_ECUBE ? 1 : 2 * network->ports,
                        .room = room,
                        .rooms = rooms,
                        .visit = visit,
                        .drop_visit = dropped,
                        .context = context,
                        .stats = stats};

    for (unsigned i = 0; i < rooms; i++)
        room[i].fullest = 0;
    *stats = (struct pb_flow_stats){.messages = traffic->count};
    if (traffic->count == 0)
        return 0;
    if (traffic->count >= UINT32_MAX)
        return PB_ERR_MEMORY;

    int code = allocate(&flow);
    if (code == 0)
        run(&flow, superframe_limit);
    release_memory(&flow);
    return code;
}

int pb_flow_run(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                uint32_t superframe_limit, pb_crossing_fn *visit, void *context, struct pb_flow_stats *stats)
{
    return pb_flow_run_bounded(network, rule, traffic, superframe_limit, NULL, 0, visit, NULL, context,
                               stats);
}
