/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine `firmware`: firmware/app in each node, on the port `message`. A frame carries the place of its
 * message in a table here, and what becomes of it is what its receiver counts.
 *
 * Within the phases of some digits of an address, only nodes that differ in these digits meet. So the nodes
 * of such a group run all these phases before the next group begins, and stay in the cache. Crossings are put
 * into the order of time after the superframe.
 */
#include "engine.h"

#include "firmware/port/message/message.h"
#include "host/base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_NODES = 64, RELEASES_AT_ONCE = 4096 };

#define NO_RELEASE UINT32_MAX
#define NO_PLACE UINT32_MAX

/* A wire and its direction, of the members of each group. */
struct wire {
    uint16_t from, to; /* differences to the first node of the group */
    uint8_t from_port, to_port;
};

/* The phases of some digits of an address. */
struct pass {
    unsigned first, end;    /* phases */
    uint32_t weight, nodes; /* of a group: from one node to the next; how many */
};

struct release {
    uint32_t next; /* of the same node */
    bool dropped;
};

/* A frame that crossed: its place, the number of its wire, and what became of it. */
enum outcome { NOTHING, ON_ITS_WAY, ARRIVED, DROPPED };
struct crossed {
    uint32_t place;
    uint16_t wire;
    uint8_t outcome;
};

struct firmware {
    struct pb_engine base;
    struct pb_engine_options options;
    struct pb_network network;
    struct message_nodes *nodes;
    struct pass pass[PB_NETWORK_DIGITS_MAX];
    unsigned passes;
    struct wire *wire; /* of phase p from first_wire[p] to first_wire[p + 1] */
    uint32_t *first_wire;
    struct crossed *crossed; /* [phase * nodes + from] */

    struct pb_crossing *message; /* [place] */
    uint32_t *next_free;         /* [place] */
    size_t messages_max, free_max;
    uint32_t used, free;
    uint32_t *entered; /* [node]: the next sequence */

    struct pb_birth *birth;
    size_t births, births_max;
    struct release *release;
    size_t releases_max;
    uint32_t *due, *last; /* [node]: its releases in this superframe, a list */

    struct pb_crossing *crossing;
    size_t crossings, crossings_max;
    struct pb_drop *drop;
    size_t drops, drops_max;
    uint32_t *occupancy, *load;
    struct pb_mover_stats stats;
};

/* ---- places of messages */

/* The messages that the nodes hold, and those that end in this superframe: each is received. */
static int reserve_places(struct firmware *firmware)
{
    const struct pb_network *network = &firmware->network;
    const size_t most = (size_t)network->nodes * (MESSAGE_ROOM + network->phases) + 1;
    const size_t more = firmware->used + firmware->births, count = more < most ? more : most;
    _Static_assert(MESSAGE_NODES_MAX * (MESSAGE_ROOM + PB_NETWORK_PHASES_MAX) < MESSAGE_IDENTITIES,
                   "a place is an identity");

    return pb_make_room(&firmware->message, &firmware->messages_max, count, sizeof *firmware->message) ||
                   pb_make_room(&firmware->next_free, &firmware->free_max, count, sizeof *firmware->next_free)
               ? PB_ERR_MEMORY
               : PB_OK;
}

static uint32_t take_place(struct firmware *firmware)
{
    const uint32_t place = firmware->free;
    if (place == NO_PLACE)
        return firmware->used++;
    firmware->free = firmware->next_free[place];
    return place;
}

static void free_place(struct firmware *firmware, uint32_t place)
{
    firmware->next_free[place] = firmware->free;
    firmware->free = place;
}

/* ---- releases */

static int fetch_releases(struct firmware *firmware, uint32_t superframe)
{
    struct pb_releases *source = firmware->options.releases;
    size_t count = 1;

    firmware->births = 0;
    while (count) {
        if (pb_make_room(&firmware->birth, &firmware->births_max, firmware->births + RELEASES_AT_ONCE,
                         sizeof *firmware->birth))
            return PB_ERR_MEMORY;
        const int code = source->take(source, superframe, firmware->birth + firmware->births,
                                      firmware->births_max - firmware->births, &count);
        if (code)
            return code;
        firmware->births += count;
    }
    return pb_make_room(&firmware->release, &firmware->releases_max, firmware->births,
                        sizeof *firmware->release) ||
                   reserve_places(firmware)
               ? PB_ERR_MEMORY
               : PB_OK;
}

/* The list of each node is in order of phase, as the releases are. */
static void list_releases(struct firmware *firmware)
{
    for (uint32_t i = 0; i < firmware->births; i++) {
        const uint32_t source = firmware->birth[i].source;
        firmware->release[i] = (struct release){.next = NO_RELEASE};
        if (firmware->due[source] == NO_RELEASE)
            firmware->due[source] = i;
        else
            firmware->release[firmware->last[source]].next = i;
        firmware->last[source] = i;
    }
    firmware->stats.released += firmware->births;
}

static void send_one(struct firmware *firmware, uint32_t at)
{
    const struct pb_birth *birth = &firmware->birth[at];
    const uint32_t place = take_place(firmware);
    const bool taken = message_send(firmware->nodes, birth->source, birth->destination, place);

    firmware->release[at].dropped = !taken;
    if (!taken || birth->destination == birth->source) {
        free_place(firmware, place);
        return;
    }
    firmware->message[place] = (struct pb_crossing){.message = birth->message,
                                                    .release_superframe = birth->superframe,
                                                    .sequence = firmware->entered[birth->source]++,
                                                    .source = (uint16_t)birth->source,
                                                    .destination = (uint16_t)birth->destination,
                                                    .release_phase = (uint8_t)birth->phase};
}

static void send_due(struct firmware *firmware, uint32_t node, unsigned phase)
{
    uint32_t at = firmware->due[node];
    while (at != NO_RELEASE && firmware->birth[at].phase <= phase) {
        send_one(firmware, at);
        at = firmware->release[at].next;
    }
    firmware->due[node] = at;
}

/* ---- a superframe */

static void edge(struct firmware *firmware, uint32_t node, uint32_t superframe, unsigned phase)
{
    if (firmware->due[node] != NO_RELEASE)
        send_due(firmware, node, phase);
    message_edge(firmware->nodes, node, superframe * firmware->network.phases + phase, phase == 0);
}

static void cross(struct firmware *firmware, uint32_t number, uint32_t base, unsigned phase)
{
    static const uint8_t outcome[] = {
        [MESSAGE_QUEUED] = ON_ITS_WAY, [MESSAGE_DELIVERED] = ARRIVED, [MESSAGE_DROPPED] = DROPPED};
    const struct wire *wire = &firmware->wire[number];
    const struct message_end from = {base + wire->from, wire->from_port},
                             to = {base + wire->to, wire->to_port};
    struct crossed *crossed = &firmware->crossed[(size_t)phase * firmware->network.nodes + from.node];
    const enum message_result result = message_hand_over(firmware->nodes, from, to, &crossed->place);

    /* A frame that is of no message goes unseen here, and is missed by the law of conservation. */
    if (result != MESSAGE_NONE && crossed->place < firmware->used) {
        crossed->wire = (uint16_t)number;
        crossed->outcome = outcome[result];
    }
}

static void run_group(struct firmware *firmware, const struct pass *pass, uint32_t base, uint32_t superframe)
{
    for (unsigned phase = pass->first; phase < pass->end; phase++) {
        for (uint32_t i = 0; i < pass->nodes; i++)
            edge(firmware, base + i * pass->weight, superframe, phase);
        for (uint32_t i = firmware->first_wire[phase]; i < firmware->first_wire[phase + 1]; i++)
            cross(firmware, i, base, phase);
    }
}

static void run_superframe(struct firmware *firmware, uint32_t superframe)
{
    for (unsigned i = 0; i < firmware->passes; i++) {
        const struct pass *pass = &firmware->pass[i];
        const uint32_t span = pass->weight * pass->nodes;
        for (uint32_t base = 0; base < firmware->network.nodes; base++)
            if (base % span < pass->weight)
                run_group(firmware, pass, base, superframe);
    }
}

/* ---- what it did, in order of time */

static void note_drop(struct firmware *firmware, struct pb_drop drop)
{
    if (!firmware->stats.dropped && !firmware->drops)
        firmware->stats.first_drop = drop;
    firmware->drop[firmware->drops++] = drop;
}

static void collect_releases(struct firmware *firmware, size_t *at, uint32_t superframe, unsigned phase)
{
    for (; *at < firmware->births && firmware->birth[*at].phase == phase; ++*at) {
        const struct pb_birth *birth = &firmware->birth[*at];
        if (firmware->release[*at].dropped)
            note_drop(firmware, (struct pb_drop){.message = birth->message,
                                                 .superframe = superframe,
                                                 .crossings = (uint32_t)firmware->crossings,
                                                 .node = (uint16_t)birth->source,
                                                 .phase = (uint8_t)phase,
                                                 .at_release = true});
    }
}

static void collect_crossing(struct firmware *firmware, const struct crossed *crossed, uint32_t from,
                             uint32_t superframe, unsigned phase)
{
    const struct wire *wire = &firmware->wire[crossed->wire];

    firmware->load[(size_t)from * firmware->network.ports + wire->from_port]++;
    firmware->stats.superframes = superframe + 1;
    if (!firmware->options.all && crossed->outcome == ON_ITS_WAY)
        return;
    struct pb_crossing *crossing = &firmware->crossing[firmware->crossings++];
    *crossing = firmware->message[crossed->place];
    crossing->superframe = superframe;
    crossing->from = (uint16_t)from;
    crossing->to = (uint16_t)(from + wire->to - wire->from);
    crossing->phase = (uint8_t)phase;
    crossing->port = wire->from_port;
    crossing->last = crossed->outcome == ARRIVED;
    if (crossed->outcome == ARRIVED)
        firmware->stats.delivered_in_first += crossing->release_superframe == superframe;
    if (crossed->outcome == DROPPED)
        note_drop(firmware, (struct pb_drop){.message = crossing->message,
                                             .superframe = superframe,
                                             .crossings = (uint32_t)firmware->crossings,
                                             .node = crossing->to,
                                             .phase = (uint8_t)phase});
    if (crossed->outcome != ON_ITS_WAY)
        free_place(firmware, crossed->place);
}

static int collect(struct firmware *firmware, uint32_t superframe)
{
    const uint32_t nodes = firmware->network.nodes;
    size_t at = 0;

    firmware->crossings = firmware->drops = 0;
    for (unsigned phase = 0; phase < firmware->network.phases; phase++) {
        struct crossed *crossed = &firmware->crossed[(size_t)phase * nodes];
        if (pb_make_room(&firmware->crossing, &firmware->crossings_max, firmware->crossings + nodes,
                         sizeof *firmware->crossing) ||
            pb_make_room(&firmware->drop, &firmware->drops_max,
                         firmware->drops + nodes + firmware->births - at, sizeof *firmware->drop))
            return PB_ERR_MEMORY;
        collect_releases(firmware, &at, superframe, phase);
        for (uint32_t from = 0; from < nodes; from++)
            if (crossed[from].outcome) {
                collect_crossing(firmware, &crossed[from], from, superframe, phase);
                crossed[from].outcome = NOTHING;
            }
    }
    return PB_OK;
}

/* What the nodes counted. */
static void add_counters(struct firmware *firmware)
{
    struct pb_mover_stats *stats = &firmware->stats;
    const bool ecube = firmware->options.rule == PB_RULE_ECUBE;

    stats->delivered = stats->dropped = stats->crossings = 0;
    for (uint32_t node = 0; node < firmware->network.nodes; node++) {
        const struct message_counters count = message_count(firmware->nodes, node);
        firmware->occupancy[node] = count.stored;
        stats->delivered += count.delivered;
        stats->dropped += count.dropped;
        stats->crossings += count.sent;
        if (ecube && count.max_queue > stats->max_queue)
            stats->max_queue = count.max_queue;
        if (count.max_stored > stats->max_occupancy)
            stats->max_occupancy = count.max_stored;
    }
}

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct firmware *firmware = (struct firmware *)engine;

    int code = fetch_releases(firmware, superframe);
    if (code == PB_OK) {
        list_releases(firmware);
        run_superframe(firmware, superframe);
        code = collect(firmware, superframe);
    }
    if (code == PB_ERR_MEMORY)
        return pb_fail(diag, code,
                       "machine: engine firmware: no memory for the messages of superframe %" PRIu32
                       "; send less",
                       superframe);
    if (code)
        return code;
    add_counters(firmware);
    out->crossing = firmware->crossing;
    out->crossings = firmware->crossings;
    out->drop = firmware->drop;
    out->drops = firmware->drops;
    out->occupancy = firmware->occupancy;
    return PB_OK;
}

/* ---- between two superframes */

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    const struct firmware *firmware = (const struct firmware *)engine;
    memcpy(load, firmware->load, (size_t)firmware->network.nodes * firmware->network.ports * sizeof *load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return &((const struct firmware *)engine)->stats;
}

struct visitor {
    const struct firmware *firmware;
    pb_waiting_fn *visit;
    void *context;
};

static void show(void *context, uint32_t node, uint32_t place)
{
    const struct visitor *visitor = context;
    if (place < visitor->firmware->used)
        visitor->visit(visitor->context, node, &visitor->firmware->message[place]);
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    struct visitor visitor = {(const struct firmware *)engine, visit, context};
    for (uint32_t node = 0; node < visitor.firmware->network.nodes; node++)
        message_waiting(visitor.firmware->nodes, node, show, &visitor);
}

static void destroy(struct pb_engine *engine)
{
    struct firmware *firmware = (struct firmware *)engine;
    message_nodes_free(firmware->nodes);
    free(firmware->wire);
    free(firmware->first_wire);
    free(firmware->crossed);
    free(firmware->message);
    free(firmware->next_free);
    free(firmware->entered);
    free(firmware->birth);
    free(firmware->release);
    free(firmware->due);
    free(firmware->last);
    free(firmware->crossing);
    free(firmware->drop);
    free(firmware->occupancy);
    free(firmware->load);
    free(firmware);
}

/* ---- the machine */

static void divide_digits(struct firmware *firmware)
{
    const struct pb_network *network = &firmware->network;

    for (unsigned digit = 0; digit < network->digits;) {
        struct pass *pass = &firmware->pass[firmware->passes++];
        *pass =
            (struct pass){.first = network->first_phase[digit], .weight = network->weight[digit], .nodes = 1};
        do
            pass->nodes *= network->radix[digit++];
        while (digit < network->digits && pass->nodes * network->radix[digit] <= GROUP_NODES);
        pass->end = digit < network->digits ? network->first_phase[digit] : network->phases;
    }
}

/* A group has a wire for each pair at most in each phase. */
static int string_wires(struct firmware *firmware)
{
    const struct pb_network *network = &firmware->network;
    size_t most = 0;
    uint32_t count = 0;

    for (unsigned i = 0; i < firmware->passes; i++)
        most += (size_t)(firmware->pass[i].end - firmware->pass[i].first) * (firmware->pass[i].nodes / 2);
    firmware->wire = calloc(most, sizeof *firmware->wire);
    firmware->first_wire = calloc(network->phases + 1, sizeof *firmware->first_wire);
    if (!firmware->wire || !firmware->first_wire)
        return PB_ERR_MEMORY;
    for (const struct pass *pass = firmware->pass; pass < firmware->pass + firmware->passes; pass++)
        for (unsigned phase = pass->first; phase < pass->end; phase++) {
            for (uint32_t i = 0; i < pass->nodes; i++) {
                const uint32_t node = i * pass->weight;
                const struct pb_slot slot = pb_network_slot(network, node, phase);
                if (slot.role != PB_ROLE_SEND)
                    continue;
                const struct pb_peer peer = pb_network_peer(network, node, slot.port);
                firmware->wire[count++] = (struct wire){(uint16_t)node, (uint16_t)peer.node,
                                                        (uint8_t)slot.port, (uint8_t)peer.port};
            }
            firmware->first_wire[phase + 1] = count;
        }
    return PB_OK;
}

static int make(struct firmware *firmware)
{
    const struct pb_network *network = &firmware->network;
    const size_t nodes = network->nodes;
    uint8_t radix[PB_NETWORK_DIGITS_MAX];

    for (unsigned i = 0; i < network->digits; i++)
        radix[i] = (uint8_t)network->radix[i];
    firmware->nodes = message_nodes_create(
        &(struct message_options){.radix = radix,
                                  .digits = (uint8_t)network->digits,
                                  .opportunistic = firmware->options.rule == PB_RULE_OPPORTUNISTIC});
    firmware->crossed = calloc(nodes * network->phases, sizeof *firmware->crossed);
    firmware->entered = calloc(nodes, sizeof *firmware->entered);
    firmware->due = malloc(nodes * sizeof *firmware->due);
    firmware->last = calloc(nodes, sizeof *firmware->last);
    firmware->occupancy = calloc(nodes, sizeof *firmware->occupancy);
    firmware->load = calloc(nodes * network->ports, sizeof *firmware->load);
    if (!firmware->nodes || !firmware->crossed || !firmware->entered || !firmware->due || !firmware->last ||
        !firmware->occupancy || !firmware->load)
        return PB_ERR_MEMORY;
    for (uint32_t node = 0; node < nodes; node++)
        firmware->due[node] = NO_RELEASE;
    divide_digits(firmware);
    return string_wires(firmware);
}

static const struct pb_engine_ops ops = {
    .step = step, .loads = loads, .stats = stats, .waiting = waiting, .destroy = destroy};

int pb_engine_firmware(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    struct firmware *firmware = calloc(1, sizeof *firmware);
    int code = PB_ERR_MEMORY;

    *out = NULL;
    if (firmware) {
        firmware->base.ops = &ops;
        firmware->options = *options;
        firmware->network = *options->network;
        firmware->free = NO_PLACE;
        code = make(firmware);
    }
    if (code == PB_OK) {
        *out = &firmware->base;
        return PB_OK;
    }
    if (firmware)
        destroy(&firmware->base);
    return pb_fail(diag, code, "machine: engine firmware: no memory for %" PRIu32 " nodes; give fewer",
                   options->network->nodes);
}
