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
#include "flight.h"

#include "firmware/port/message/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_NODES = 64 };

_Static_assert(MESSAGE_NODES_MAX *(MESSAGE_ROOM + PB_NETWORK_PHASES_MAX) < MESSAGE_IDENTITIES,
               "a place is an identity");

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

struct firmware {
    struct pb_engine base;
    struct pb_flight flight;
    bool ecube;
    struct message_nodes *nodes;
    struct pass pass[PB_NETWORK_DIGITS_MAX];
    unsigned passes;
    struct wire *wire; /* of phase p from first_wire[p] to first_wire[p + 1] */
    uint32_t *first_wire;
    uint32_t *occupancy;
};

static void send_due(struct firmware *firmware, uint32_t node, unsigned phase)
{
    struct pb_flight *flight = &firmware->flight;
    uint32_t at;

    while ((at = pb_flight_due(flight, node, phase)) != PB_NO_PLACE) {
        const uint32_t place = pb_flight_place(flight);
        pb_flight_released(flight, node, place,
                           message_send(firmware->nodes, node, flight->birth[at].destination, place));
    }
}

/* ---- a superframe */

static void edge(struct firmware *firmware, uint32_t node, uint32_t superframe, unsigned phase)
{
    if (firmware->flight.due[node] != PB_NO_PLACE)
        send_due(firmware, node, phase);
    message_edge(firmware->nodes, node, superframe * firmware->flight.network.phases + phase, phase == 0);
}

static void cross(struct firmware *firmware, uint32_t number, uint32_t base, unsigned phase)
{
    static const uint8_t outcome[] = {
        [MESSAGE_QUEUED] = PB_ON_ITS_WAY, [MESSAGE_DELIVERED] = PB_ARRIVED, [MESSAGE_DROPPED] = PB_DROPPED};
    struct pb_flight *flight = &firmware->flight;
    const struct wire *wire = &firmware->wire[number];
    const struct message_end from = {base + wire->from, wire->from_port},
                             to = {base + wire->to, wire->to_port};
    uint32_t place = PB_NO_PLACE;
    const enum message_result result = message_hand_over(firmware->nodes, from, to, &place);

    /* A frame that is of no message goes unseen here, and is missed by the law of conservation. */
    if (result != MESSAGE_NONE && place < flight->used)
        flight->crossed[(size_t)phase * flight->network.nodes + from.node] =
            (struct pb_crossed){place, (uint16_t)to.node, from.port, outcome[result]};
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
        for (uint32_t base = 0; base < firmware->flight.network.nodes; base++)
            if (base % span < pass->weight)
                run_group(firmware, pass, base, superframe);
    }
}

/* What the nodes counted. */
static void add_counters(struct firmware *firmware)
{
    struct pb_mover_stats *stats = &firmware->flight.stats;

    stats->delivered = stats->dropped = stats->crossings = 0;
    for (uint32_t node = 0; node < firmware->flight.network.nodes; node++) {
        const struct message_counters count = message_count(firmware->nodes, node);
        firmware->occupancy[node] = count.stored;
        stats->delivered += count.delivered;
        stats->dropped += count.dropped;
        stats->crossings += count.sent;
        if (firmware->ecube && count.max_queue > stats->max_queue)
            stats->max_queue = count.max_queue;
        if (count.max_stored > stats->max_occupancy)
            stats->max_occupancy = count.max_stored;
    }
}

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct firmware *firmware = (struct firmware *)engine;

    int code = pb_flight_fetch(&firmware->flight, superframe, diag);
    if (code == PB_OK) {
        run_superframe(firmware, superframe);
        code = pb_flight_collect(&firmware->flight, superframe, diag);
    }
    if (code)
        return code;
    add_counters(firmware);
    pb_flight_step(&firmware->flight, out);
    out->occupancy = firmware->occupancy;
    return PB_OK;
}

/* ---- between two superframes */

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    pb_flight_loads(&((const struct firmware *)engine)->flight, load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return &((const struct firmware *)engine)->flight.stats;
}

struct visitor {
    const struct pb_flight *flight;
    pb_waiting_fn *visit;
    void *context;
};

static void show(void *context, uint32_t node, uint32_t place)
{
    const struct visitor *visitor = context;
    if (place < visitor->flight->used)
        visitor->visit(visitor->context, node, &visitor->flight->message[place]);
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    const struct firmware *firmware = (const struct firmware *)engine;
    struct visitor visitor = {&firmware->flight, visit, context};
    for (uint32_t node = 0; node < firmware->flight.network.nodes; node++)
        message_waiting(firmware->nodes, node, show, &visitor);
}

static void destroy(struct pb_engine *engine)
{
    struct firmware *firmware = (struct firmware *)engine;
    message_nodes_free(firmware->nodes);
    free(firmware->wire);
    free(firmware->first_wire);
    free(firmware->occupancy);
    pb_flight_free(&firmware->flight);
    free(firmware);
}

/* ---- the machine */

static void divide_digits(struct firmware *firmware)
{
    const struct pb_network *network = &firmware->flight.network;

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
    const struct pb_network *network = &firmware->flight.network;
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
    const struct pb_network *network = &firmware->flight.network;
    uint8_t radix[PB_NETWORK_DIGITS_MAX];

    for (unsigned i = 0; i < network->digits; i++)
        radix[i] = (uint8_t)network->radix[i];
    firmware->nodes = message_nodes_create(&(struct message_options){
        .radix = radix, .digits = (uint8_t)network->digits, .opportunistic = !firmware->ecube});
    firmware->occupancy = calloc(network->nodes, sizeof *firmware->occupancy);
    if (!firmware->nodes || !firmware->occupancy)
        return PB_ERR_MEMORY;
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
        firmware->ecube = options->rule == PB_RULE_ECUBE;
        code = pb_flight_create(&firmware->flight, "firmware", options);
        if (code == PB_OK)
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
