/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines `wire` and `image`: every node as its pins, with bits on wires. A message is typed at the
 * console of its source while the phase clock waits, and its payload is its place in the table of messages.
 * What crosses is read from the wires; what a node holds, and drops as it is full, follows from that. At the
 * end each node is asked for its counters: no wire shows whether a node took a frame.
 */
#include "counters.h"
#include "held.h"

#include "pins/pins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 4, HEADER_BYTES = 2, SEQUENCE_MASK = 15 };

struct wire {
    struct pb_engine base;
    struct pb_flight flight;
    struct pb_held held;
    struct pb_machine_line line;
    struct pb_pins *pins;
    struct pb_pins_frame *frame;  /* [node] */
    struct pb_counters *counters; /* [node] */
};

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
    const bool taken = answer[0] == '+',
               room = destination == node || wire->held.occupancy[node] < flight->room;
    if (taken != room)
        return pb_fail(diag, PB_ERR_IO,
                       "machine: node 0x%" PRIX32 " holds %" PRIu32 " messages, has room for %" PRIu32
                       ", and answers '%.60s' to '%s'; give the room of the image by --room, or mend the "
                       "firmware",
                       node, wire->held.occupancy[node], flight->room, answer, line);
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
    pb_held_add(&wire->held, node, place);
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
    struct pb_counters *counters = &wire->counters[to];

    if (outcome == PB_ON_ITS_WAY)
        pb_held_add(&wire->held, to, place);
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
                       place = pb_held_due(&wire->held, from, slot.port);
        const bool sends = frame->length || frame->broken;
        if (place == PB_NO_PLACE && !sends)
            continue;
        if (place == PB_NO_PLACE || !is_message(wire, place, frame)) {
            char due[40] = "nothing";
            if (place != PB_NO_PLACE)
                snprintf(due, sizeof due, "message %" PRIu64, flight->message[place].message);
            return not_due(frame, from, to, superframe, phase, due, diag);
        }
        const enum pb_outcome outcome = flight->message[place].destination == to  ? PB_ARRIVED
                                        : wire->held.occupancy[to] < flight->room ? PB_ON_ITS_WAY
                                                                                  : PB_DROPPED;
        pb_held_remove(&wire->held, from, place);
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
    if (code == PB_OK && pb_held_fit(&wire->held))
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
    wire->flight.stats.max_occupancy = wire->held.max_occupancy;
    wire->flight.stats.max_queue = wire->held.max_queue;
    pb_flight_step(&wire->flight, out);
    out->occupancy = wire->held.occupancy;
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
    pb_held_visit(&((const struct wire *)engine)->held, visit, context);
}

static int finish(struct pb_engine *engine, struct pb_diag *diag)
{
    struct wire *wire = (struct wire *)engine;
    char answer[PB_PINS_LINE_MAX], text[PB_COUNTERS_TEXT_SIZE];
    int code = PB_OK;

    for (uint32_t node = 0; node < wire->flight.network.nodes && code == PB_OK; node++) {
        code = pb_pins_type(wire->pins, node, "T", answer, diag);
        if (code == PB_OK && !pb_counters_fit(&wire->counters[node], true, answer, text))
            code = pb_fail(diag, PB_ERR_IO, "machine: node 0x%" PRIX32 " %s", node, text);
    }
    return code;
}

static void destroy(struct pb_engine *engine)
{
    struct wire *wire = (struct wire *)engine;
    pb_pins_free(wire->pins);
    pb_flight_free(&wire->flight);
    free(wire->frame);
    free(wire->counters);
    pb_held_free(&wire->held);
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
        wire->line = *options->line;
        wire->frame = calloc(network->nodes, sizeof *wire->frame);
        wire->counters = calloc(network->nodes, sizeof *wire->counters);
        code = pb_flight_create(&wire->flight, name, options);
        if (code == PB_OK)
            code = pb_held_create(&wire->held, &wire->flight, options->rule);
    }
    if (code || !wire->frame || !wire->counters)
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
