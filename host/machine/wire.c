/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines `wire` and `image`: every node as its pins, with bits on wires. A message is typed at the
 * console of its source while the phase clock waits, and its payload is its place in the table of messages.
 * What crosses is read from the wires; what a node holds, and drops as it is full, follows from that. At the
 * end each node is asked for its counters: no wire shows whether a node took a frame.
 */
#include "flight.h"

#include "pins/pins.h"

#include "host/base/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 4, HEADER_BYTES = 2, SEQUENCE_MASK = 15 };

/* What a node counts of that which the wires and its console show. */
struct counters {
    uint32_t own_messages, tx_frames, forwarded, delivered, queue_drops;
};

/* The messages that a node holds, the oldest first. */
struct held {
    uint32_t first, last; /* places; PB_NO_PLACE: none */
};

struct wire {
    struct pb_engine base;
    struct pb_flight flight;
    enum pb_rule rule;
    struct pb_machine_line line;
    struct pb_pins *pins;
    struct pb_pins_frame *frame; /* [node] */
    struct held *held;           /* [node] */
    uint32_t *next;              /* [place]: the next message of the same node */
    uint32_t *occupancy;
    struct counters *counters; /* [node] */
    uint32_t *queue;           /* [node * ports + port] */
    size_t next_max;
};

/* ---- what nodes hold */

static uint64_t wanted(const struct wire *wire, uint32_t node, uint32_t place)
{
    return pb_network_wanted(&wire->flight.network, wire->rule, node,
                             wire->flight.message[place].destination);
}

static void count_queue(struct wire *wire, uint32_t node, uint32_t place, int by)
{
    const struct pb_network *network = &wire->flight.network;
    if (wire->rule != PB_RULE_ECUBE)
        return;
    const uint64_t port = wanted(wire, node, place);
    uint32_t *queue = &wire->queue[(size_t)node * network->ports + (unsigned)__builtin_ctzll(port)];
    *queue += (uint32_t)by;
    if (*queue > wire->flight.stats.max_queue)
        wire->flight.stats.max_queue = *queue;
}

static void take_in(struct wire *wire, uint32_t node, uint32_t place)
{
    struct pb_mover_stats *stats = &wire->flight.stats;
    struct held *held = &wire->held[node];

    if (held->first == PB_NO_PLACE)
        held->first = place;
    else
        wire->next[held->last] = place;
    held->last = place;
    wire->next[place] = PB_NO_PLACE;
    if (++wire->occupancy[node] > stats->max_occupancy)
        stats->max_occupancy = wire->occupancy[node];
    count_queue(wire, node, place, 1);
}

/* Takes out the oldest message that wants this port; PB_NO_PLACE: none does. */
static uint32_t let_go(struct wire *wire, uint32_t node, unsigned port)
{
    struct held *held = &wire->held[node];
    uint32_t before = PB_NO_PLACE, place = held->first;

    while (place != PB_NO_PLACE && !(wanted(wire, node, place) >> port & 1)) {
        before = place;
        place = wire->next[place];
    }
    if (place == PB_NO_PLACE)
        return PB_NO_PLACE;
    if (before == PB_NO_PLACE)
        held->first = wire->next[place];
    else
        wire->next[before] = wire->next[place];
    if (held->last == place)
        held->last = before;
    wire->occupancy[node]--;
    count_queue(wire, node, place, -1);
    return place;
}

/* ---- releases */

static int type_one(struct wire *wire, uint32_t node, uint32_t at, struct pb_diag *diag)
{
    struct pb_flight *flight = &wire->flight;
    const uint32_t place = pb_flight_place(flight), destination = flight->birth[at].destination;
    char line[PB_PINS_LINE_MAX], answer[PB_PINS_LINE_MAX];

    /* Bytes that are not typed are 00. */
    snprintf(line, sizeof line, "S %" PRIX32 " %08" PRIX32, destination, place);
    const int code = pb_pins_type(wire->pins, node, line, answer, diag);
    if (code)
        return code;
    if (strncmp(answer, "+S", 2) != 0 && answer[0] != '-')
        return pb_fail(diag, PB_ERR_IO,
                       "machine: node 0x%" PRIX32
                       " answers '%.60s' to '%s'; the answer is +S or a refusal, see "
                       "docs/node.md, S1",
                       node, answer, line);
    const bool taken = answer[0] == '+', room = destination == node || wire->occupancy[node] < flight->room;
    if (taken != room)
        return pb_fail(diag, PB_ERR_IO,
                       "machine: node 0x%" PRIX32 " holds %" PRIu32 " messages, has room for %" PRIu32
                       ", and answers '%.60s' to '%s'; give the room of the image by --room, or mend the "
                       "firmware",
                       node, wire->occupancy[node], flight->room, answer, line);
    pb_flight_released(flight, node, place, taken);
    flight->stats.dropped += !taken;
    wire->counters[node].own_messages += taken;
    wire->counters[node].queue_drops += !taken;
    if (!taken)
        return PB_OK;
    if (destination == node) {
        flight->stats.delivered++;
        wire->counters[node].delivered++;
        return PB_OK;
    }
    take_in(wire, node, place);
    return PB_OK;
}

static int type_due(struct wire *wire, unsigned phase, struct pb_diag *diag)
{
    int code = PB_OK;
    for (uint32_t node = 0; node < wire->flight.network.nodes; node++)
        for (uint32_t at; code == PB_OK && (at = pb_flight_due(&wire->flight, node, phase)) != PB_NO_PLACE;)
            code = type_one(wire, node, at, diag);
    return code;
}

/* ---- crossings */

static bool is_message(const struct wire *wire, uint32_t place, const struct pb_pins_frame *frame)
{
    const struct pb_crossing *message = &wire->flight.message[place];
    uint8_t due[PB_PINS_FRAME_MAX] = {
        (uint8_t)message->destination,
        (uint8_t)((message->sequence & SEQUENCE_MASK) << 4 | (unsigned)message->destination >> 8)};

    /* The check value is that of the receivers. */
    for (unsigned i = 0; i < PLACE_BYTES; i++)
        due[HEADER_BYTES + i] = (uint8_t)(place >> 8 * (PLACE_BYTES - 1 - i));
    return !frame->broken && frame->length == pb_pins_frame_bytes(&wire->line) &&
           memcmp(frame->bytes, due, HEADER_BYTES + wire->line.payload_bytes) == 0;
}

static void receive(struct wire *wire, uint32_t to, uint32_t place, enum pb_outcome outcome)
{
    struct pb_mover_stats *stats = &wire->flight.stats;
    struct counters *counters = &wire->counters[to];

    if (outcome == PB_ON_ITS_WAY)
        take_in(wire, to, place);
    stats->delivered += outcome == PB_ARRIVED;
    stats->dropped += outcome == PB_DROPPED;
    counters->delivered += outcome == PB_ARRIVED;
    counters->forwarded += outcome == PB_ON_ITS_WAY;
    counters->queue_drops += outcome == PB_DROPPED;
}

static int not_due(const struct pb_pins_frame *frame, uint32_t from, uint32_t to, uint32_t superframe,
                   unsigned phase, const char *due, struct pb_diag *diag)
{
    char sent[60] = "nothing";
    if (frame->length || frame->broken)
        snprintf(sent, sizeof sent, "%u bytes%s that are not it", frame->length,
                 frame->broken ? ", broken," : "");
    return pb_fail(diag, PB_ERR_IO,
                   "machine: superframe %" PRIu32 ", phase %u: node 0x%" PRIX32
                   " has to send %s to node 0x%" PRIX32
                   ", and sends %s; lower latency and error of the clocks, or mend the firmware",
                   superframe, phase, from, due, to, sent);
}

static int cross(struct wire *wire, unsigned phase, uint32_t superframe, struct pb_diag *diag)
{
    struct pb_flight *flight = &wire->flight;
    const struct pb_network *network = &flight->network;

    for (uint32_t from = 0; from < network->nodes; from++) {
        const struct pb_pins_frame *frame = &wire->frame[from];
        const struct pb_slot slot = pb_network_slot(network, from, phase);
        if (slot.role != PB_ROLE_SEND)
            continue;
        const uint32_t to = pb_network_neighbour(network, from, slot.port),
                       place = let_go(wire, from, slot.port);
        const bool sends = frame->length || frame->broken;
        if (place == PB_NO_PLACE && !sends)
            continue;
        if (place == PB_NO_PLACE || !is_message(wire, place, frame)) {
            char due[40] = "nothing";
            if (place != PB_NO_PLACE)
                snprintf(due, sizeof due, "message %" PRIu64, flight->message[place].message);
            return not_due(frame, from, to, superframe, phase, due, diag);
        }
        const enum pb_outcome outcome = flight->message[place].destination == to ? PB_ARRIVED
                                        : wire->occupancy[to] < flight->room     ? PB_ON_ITS_WAY
                                                                                 : PB_DROPPED;
        wire->counters[from].tx_frames++;
        receive(wire, to, place, outcome);
        flight->stats.crossings++;
        flight->crossed[(size_t)phase * network->nodes + from] =
            (struct pb_crossed){place, (uint16_t)to, (uint8_t)slot.port, (uint8_t)outcome};
    }
    return PB_OK;
}

/* ---- the engine */

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct wire *wire = (struct wire *)engine;

    int code = pb_flight_fetch(&wire->flight, superframe, diag);
    if (code == PB_OK &&
        pb_make_room(&wire->next, &wire->next_max, wire->flight.messages_max, sizeof *wire->next))
        code =
            pb_fail(diag, PB_ERR_MEMORY,
                    "machine: no memory for the messages of superframe %" PRIu32 "; send less", superframe);
    for (unsigned phase = 0; phase < wire->flight.network.phases && code == PB_OK; phase++) {
        code = type_due(wire, phase, diag);
        if (code == PB_OK)
            code = pb_pins_phase(wire->pins, phase, wire->frame, diag);
        if (code == PB_OK)
            code = cross(wire, phase, superframe, diag);
    }
    if (code == PB_OK)
        code = pb_flight_collect(&wire->flight, superframe, diag);
    if (code)
        return code;
    pb_flight_step(&wire->flight, out);
    out->occupancy = wire->occupancy;
    return PB_OK;
}

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    pb_flight_loads(&((const struct wire *)engine)->flight, load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return &((const struct wire *)engine)->flight.stats;
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    const struct wire *wire = (const struct wire *)engine;
    for (uint32_t node = 0; node < wire->flight.network.nodes; node++)
        for (uint32_t place = wire->held[node].first; place != PB_NO_PLACE; place = wire->next[place])
            visit(context, node, &wire->flight.message[place]);
}

static int compare_counters(const struct wire *wire, uint32_t node, const char *answer, struct pb_diag *diag)
{
    const struct counters *seen = &wire->counters[node];
    const struct {
        const char *key;
        uint32_t value;
    } counter[] = {{" own_messages=", seen->own_messages},
                   {" tx_frames=", seen->tx_frames},
                   {" forwarded=", seen->forwarded},
                   {" delivered=", seen->delivered},
                   {" queue_drops=", seen->queue_drops}};

    if (*answer == '-')
        return PB_OK; /* a node without counters (docs/node.md) */
    for (size_t i = 0; i < sizeof counter / sizeof counter[0]; i++) {
        const char *const at = strstr(answer, counter[i].key);
        const unsigned long said = at ? strtoul(at + strlen(counter[i].key), NULL, 16) : 0;
        if (!at)
            return pb_fail(diag, PB_ERR_IO,
                           "machine: node 0x%" PRIX32 " answers '%.60s' to 'T', without%.14s; see "
                           "docs/node.md, C5",
                           node, answer, counter[i].key);
        if (said != counter[i].value)
            return pb_fail(diag, PB_ERR_IO,
                           "machine: node 0x%" PRIX32 " says%s%lX in the end, and its wires showed %" PRIX32
                           ": it takes not every frame, or does not count; lower latency and error of the "
                           "clocks, or mend the firmware",
                           node, counter[i].key, said, counter[i].value);
    }
    return PB_OK;
}

static int finish(struct pb_engine *engine, struct pb_diag *diag)
{
    struct wire *wire = (struct wire *)engine;
    char answer[PB_PINS_LINE_MAX];
    int code = PB_OK;

    for (uint32_t node = 0; node < wire->flight.network.nodes && code == PB_OK; node++) {
        code = pb_pins_type(wire->pins, node, "T", answer, diag);
        if (code == PB_OK)
            code = compare_counters(wire, node, answer, diag);
    }
    return code;
}

static void destroy(struct pb_engine *engine)
{
    struct wire *wire = (struct wire *)engine;
    pb_pins_free(wire->pins);
    pb_flight_free(&wire->flight);
    free(wire->frame);
    free(wire->held);
    free(wire->next);
    free(wire->occupancy);
    free(wire->counters);
    free(wire->queue);
    free(wire);
}

static const struct pb_engine_ops ops = {
    .step = step, .loads = loads, .stats = stats, .waiting = waiting, .finish = finish, .destroy = destroy};

static int create(struct pb_engine **out, const struct pb_engine_options *options, bool images,
                  struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    const char *const name = pb_machine_engine_name(images ? PB_ENGINE_IMAGE : PB_ENGINE_WIRE);
    struct wire *wire = calloc(1, sizeof *wire);
    int code = PB_ERR_MEMORY;

    *out = NULL;
    if (wire) {
        wire->base.ops = &ops;
        wire->rule = options->rule;
        wire->line = *options->line;
        wire->frame = calloc(network->nodes, sizeof *wire->frame);
        wire->held = malloc(network->nodes * sizeof *wire->held);
        wire->occupancy = calloc(network->nodes, sizeof *wire->occupancy);
        wire->counters = calloc(network->nodes, sizeof *wire->counters);
        wire->queue = calloc((size_t)network->nodes * network->ports, sizeof *wire->queue);
        code = pb_flight_create(&wire->flight, name, options);
    }
    if (code || !wire->frame || !wire->held || !wire->occupancy || !wire->counters || !wire->queue)
        code = pb_fail(diag, PB_ERR_MEMORY, "machine: engine %s: no memory for %" PRIu32 " nodes; give fewer",
                       name, network->nodes);
    else
        code = pb_pins_create(&wire->pins,
                              &(struct pb_pins_options){.network = network,
                                                        .rule = options->rule,
                                                        .line = &wire->line,
                                                        .image = images ? options->image : NULL,
                                                        .images = images ? options->images : 0},
                              diag);
    if (code) {
        if (wire)
            destroy(&wire->base);
        return code;
    }
    memset(wire->held, 0xFF, network->nodes * sizeof *wire->held); /* PB_NO_PLACE */
    *out = &wire->base;
    return PB_OK;
}

int pb_engine_wire(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    return create(out, options, false, diag);
}

int pb_engine_image(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    return create(out, options, true, diag);
}
