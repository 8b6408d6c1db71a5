/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages, phase by phase.
 *
 * A queue belongs to a node and a dimension. Under dimension order a message stands in one queue, under the
 * opportunistic rule in the queue of every dimension it still has to cross, so that "the oldest message that
 * wants this dimension" is always the head. Bitmaps of the non-empty queues of a dimension keep a phase cheap
 * when few nodes have work.
 */
#include "phasebench/flow.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define WORD_BITS 64

struct queue {
    uint32_t head, tail; /* messages; NONE when empty */
    uint32_t depth;
};

/* A message's place in one queue. */
struct link {
    uint32_t next, previous;
};

struct release {
    uint64_t phase; /* since phase 0 of superframe 0 */
    uint32_t message;
};

struct flow {
    unsigned dims;
    enum pb_rule rule;
    const struct pb_message *message;
    size_t count;
    size_t words;            /* of one dimension's bitmap */
    struct link *link;       /* one per message (ecube) or per message and dimension (opportunistic) */
    struct queue *queue;     /* [node * dims + dimension] */
    uint64_t *waiting;       /* [dimension * words + node / 64], bit node % 64: that queue is not empty */
    uint32_t *occupancy;     /* [node] */
    struct release *release; /* in the order of entry */
    size_t released;
    struct pb_flow_room *room;
    unsigned rooms;
    uint64_t now; /* phases since phase 0 of superframe 0 */
    pb_crossing_fn *visit;
    pb_drop_fn *drop_visit;
    void *context;
    struct pb_flow_stats *stats;
};

static unsigned lowest_bit(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* The dimensions whose queues the message stands in while it is at `node`. */
static uint32_t wanted_dimensions(const struct flow *flow, uint32_t node, uint32_t message)
{
    uint32_t differing = node ^ flow->message[message].destination;
    return flow->rule == PB_RULE_ECUBE ? differing & -differing : differing;
}

static struct link *link_of(const struct flow *flow, uint32_t message, unsigned dimension)
{
    if (flow->rule == PB_RULE_ECUBE)
        return &flow->link[message];
    return &flow->link[(size_t)message * flow->dims + dimension];
}

static void append(struct flow *flow, uint32_t node, unsigned dimension, uint32_t message)
{
    struct queue *queue = &flow->queue[(size_t)node * flow->dims + dimension];
    struct link *link = link_of(flow, message, dimension);

    *link = (struct link){.next = NONE, .previous = queue->tail};
    if (queue->tail == NONE)
        queue->head = message;
    else
        link_of(flow, queue->tail, dimension)->next = message;
    queue->tail = message;
    queue->depth++;
    flow->waiting[dimension * flow->words + node / WORD_BITS] |= UINT64_C(1) << node % WORD_BITS;
    if (flow->rule == PB_RULE_ECUBE && queue->depth > flow->stats->max_queue)
        flow->stats->max_queue = queue->depth;
}

static void unlink_from(struct flow *flow, uint32_t node, unsigned dimension, uint32_t message)
{
    struct queue *queue = &flow->queue[(size_t)node * flow->dims + dimension];
    const struct link *link = link_of(flow, message, dimension);

    if (link->previous == NONE)
        queue->head = link->next;
    else
        link_of(flow, link->previous, dimension)->next = link->next;
    if (link->next == NONE)
        queue->tail = link->previous;
    else
        link_of(flow, link->next, dimension)->previous = link->previous;
    if (--queue->depth == 0)
        flow->waiting[dimension * flow->words + node / WORD_BITS] &= ~(UINT64_C(1) << node % WORD_BITS);
}

/* False: the node has no room for the message. Counts the message in when there is. */
static bool find_room(struct flow *flow, uint32_t node, uint32_t message)
{
    unsigned at = 0;
    while (at < flow->rooms && flow->room[at].node != node)
        at++;
    if (at == flow->rooms)
        return true;
    struct pb_flow_room *room = &flow->room[at];
    const uint32_t wanted = wanted_dimensions(flow, node, message);
    const unsigned in_all = flow->occupancy[node],
                   in_queue = flow->queue[(size_t)node * flow->dims + lowest_bit(wanted)].depth;
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
    const unsigned phases = pb_cube_phases(flow->dims);
    if (flow->stats->dropped++ == 0) {
        flow->stats->first_drop.instant = flow->now;
        flow->stats->first_drop.node = node;
        flow->stats->first_drop.message = message;
    }
    if (flow->drop_visit)
        flow->drop_visit(flow->context, (uint32_t)(flow->now / phases), (unsigned)(flow->now % phases), node,
                         message);
}

static void enter(struct flow *flow, uint32_t node, uint32_t message)
{
    if (!find_room(flow, node, message)) {
        drop(flow, node, message);
        return;
    }
    for (uint32_t wanted = wanted_dimensions(flow, node, message); wanted; wanted &= wanted - 1)
        append(flow, node, lowest_bit(wanted), message);
    if (++flow->occupancy[node] > flow->stats->max_occupancy)
        flow->stats->max_occupancy = flow->occupancy[node];
}

static void leave(struct flow *flow, uint32_t node, uint32_t message)
{
    for (uint32_t wanted = wanted_dimensions(flow, node, message); wanted; wanted &= wanted - 1)
        unlink_from(flow, node, lowest_bit(wanted), message);
    flow->occupancy[node]--;
}

static void deliver(struct flow *flow, uint32_t message, uint32_t superframe)
{
    flow->stats->delivered++;
    if (flow->message[message].release_superframe == superframe)
        flow->stats->delivered_in_first++;
}

static void release_due(struct flow *flow, uint64_t now)
{
    for (; flow->released < flow->count && flow->release[flow->released].phase <= now; flow->released++) {
        uint32_t index = flow->release[flow->released].message;
        const struct pb_message *message = &flow->message[index];
        if (message->source == message->destination)
            deliver(flow, index, message->release_superframe);
        else
            enter(flow, message->source, index);
    }
}

/* Moves the head of one queue across its link. A receiver never sends in the same phase, so the order in
 * which the senders of a phase are served cannot matter. */
static void cross(struct flow *flow, uint32_t superframe, unsigned phase, uint32_t from)
{
    unsigned dimension = pb_phase_dimension(phase);
    uint32_t to = pb_neighbour(from, dimension);
    uint32_t message = flow->queue[(size_t)from * flow->dims + dimension].head;
    bool last = flow->message[message].destination == to;

    leave(flow, from, message);
    flow->stats->crossings++;
    flow->stats->superframes = superframe + 1;
    if (flow->visit) {
        struct pb_crossing crossing = {superframe, phase, dimension, from, to, message, last};
        flow->visit(flow->context, &crossing);
    }
    if (last)
        deliver(flow, message, superframe);
    else
        enter(flow, to, message);
}

/* Bit i is set when node word * 64 + i sends in the phase. */
static uint64_t senders_in_word(size_t word, unsigned phase)
{
    static const uint64_t bit_set[] = {UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0xCCCCCCCCCCCCCCCC),
                                       UINT64_C(0xF0F0F0F0F0F0F0F0), UINT64_C(0xFF00FF00FF00FF00),
                                       UINT64_C(0xFFFF0000FFFF0000), UINT64_C(0xFFFFFFFF00000000)};
    unsigned dimension = pb_phase_dimension(phase);
    uint64_t high = dimension < 6 ? bit_set[dimension] : -(uint64_t)((word >> (dimension - 6)) & 1);
    return pb_phase_direction(phase) ? high : ~high;
}

static void run_phase(struct flow *flow, uint32_t superframe, unsigned phase)
{
    const uint64_t *waiting = &flow->waiting[pb_phase_dimension(phase) * flow->words];

    for (size_t word = 0; word < flow->words; word++) {
        uint64_t senders = waiting[word] & senders_in_word(word, phase);
        for (; senders; senders &= senders - 1)
            cross(flow, superframe, phase, (uint32_t)(word * WORD_BITS) + (uint32_t)__builtin_ctzll(senders));
    }
}

static void run(struct flow *flow, uint32_t superframe_limit)
{
    unsigned phases = pb_cube_phases(flow->dims);
    uint64_t end = (uint64_t)(superframe_limit ? superframe_limit : UINT32_MAX) * phases;

    for (uint64_t now = 0; flow->stats->delivered + flow->stats->dropped < flow->count; now++) {
        bool idle = flow->stats->delivered + flow->stats->dropped == flow->released;
        if (idle && flow->release[flow->released].phase > now)
            now = flow->release[flow->released].phase;
        if (now >= end)
            break;
        flow->now = now;
        release_due(flow, now);
        run_phase(flow, (uint32_t)(now / phases), (unsigned)(now % phases));
    }
}

static int compare_releases(const void *left, const void *right)
{
    const struct release *a = left, *b = right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

static void sort_releases(struct flow *flow)
{
    for (size_t i = 0; i < flow->count; i++)
        flow->release[i] = (struct release){
            .phase = (uint64_t)flow->message[i].release_superframe * pb_cube_phases(flow->dims) +
                     flow->message[i].release_phase,
            .message = (uint32_t)i,
        };
    qsort(flow->release, flow->count, sizeof *flow->release, compare_releases);
}

static void release_memory(struct flow *flow)
{
    free(flow->link);
    free(flow->queue);
    free(flow->waiting);
    free(flow->occupancy);
    free(flow->release);
}

static int allocate(struct flow *flow)
{
    size_t nodes = pb_cube_nodes(flow->dims);
    size_t queues = nodes * flow->dims;
    size_t links_per_message = flow->rule == PB_RULE_ECUBE ? 1 : flow->dims;

    flow->words = (nodes + WORD_BITS - 1) / WORD_BITS;
    flow->link = calloc(flow->count, links_per_message * sizeof *flow->link);
    flow->queue = malloc(queues * sizeof *flow->queue);
    flow->waiting = calloc(flow->dims * flow->words, sizeof *flow->waiting);
    flow->occupancy = calloc(nodes, sizeof *flow->occupancy);
    flow->release = calloc(flow->count, sizeof *flow->release);
    if (!flow->link || !flow->queue || !flow->waiting || !flow->occupancy || !flow->release)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < queues; i++)
        flow->queue[i] = (struct queue){.head = NONE, .tail = NONE};
    return 0;
}

int pb_flow_run_bounded(unsigned dims, enum pb_rule rule, const struct pb_traffic *traffic,
                        uint32_t superframe_limit, struct pb_flow_room *room, unsigned rooms,
                        pb_crossing_fn *visit, pb_drop_fn *dropped, void *context,
                        struct pb_flow_stats *stats)
{
    struct flow flow = {.dims = dims,
                        .rule = rule,
                        .message = traffic->message,
                        .count = traffic->count,
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
    if (traffic->count >= NONE)
        return PB_ERR_MEMORY;

    int code = allocate(&flow);
    if (code == 0) {
        sort_releases(&flow);
        run(&flow, superframe_limit);
    }
    release_memory(&flow);
    return code;
}

int pb_flow_run(unsigned dims, enum pb_rule rule, const struct pb_traffic *traffic, uint32_t superframe_limit,
                pb_crossing_fn *visit, void *context, struct pb_flow_stats *stats)
{
    return pb_flow_run_bounded(dims, rule, traffic, superframe_limit, NULL, 0, visit, NULL, context, stats);
}
