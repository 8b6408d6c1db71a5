/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "flight.h"

#include "host/base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pb_flight_release {
    uint32_t next; /* of the same node */
    bool dropped;
};

static int no_memory(const struct pb_flight *flight, uint32_t superframe, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY,
                   "machine: engine %s: no memory for the messages of superframe %" PRIu32 "; send less",
                   flight->engine, superframe);
}

/* ---- places of messages */

/* The messages that the nodes hold, and those that end in this superframe: each is received. */
static int reserve_places(struct pb_flight *flight)
{
    const struct pb_network *network = &flight->network;
    const size_t most = (size_t)network->nodes * (flight->room + network->phases) + 1;
    const size_t more = flight->used + flight->births, count = more < most || !flight->room ? more : most;

    return pb_make_room(&flight->message, &flight->messages_max, count, sizeof *flight->message) ||
                   pb_make_room(&flight->next_free, &flight->free_max, count, sizeof *flight->next_free)
               ? PB_ERR_MEMORY
               : PB_OK;
}

uint32_t pb_flight_place(struct pb_flight *flight)
{
    const uint32_t place = flight->free;
    if (place == PB_NO_PLACE)
        return flight->used++;
    flight->free = flight->next_free[place];
    return place;
}

static void free_place(struct pb_flight *flight, uint32_t place)
{
    flight->next_free[place] = flight->free;
    flight->free = place;
}

/* ---- releases */

/* The list of each node is in order of phase, as the releases are. */
static void list_releases(struct pb_flight *flight)
{
    for (uint32_t i = 0; i < flight->births; i++) {
        const uint32_t source = flight->birth[i].source;
        flight->release[i] = (struct pb_flight_release){.next = PB_NO_PLACE};
        if (flight->due[source] == PB_NO_PLACE)
            flight->due[source] = i;
        else
            flight->release[flight->last[source]].next = i;
        flight->last[source] = i;
    }
    flight->stats.released += flight->births;
}

int pb_flight_fetch(struct pb_flight *flight, uint32_t superframe, struct pb_diag *diag)
{
    const int code =
        pb_engine_fetch(flight->source, superframe, &flight->birth, &flight->births, &flight->births_max);

    if (code && code != PB_ERR_MEMORY)
        return code;
    if (code ||
        pb_make_room(&flight->release, &flight->releases_max, flight->births, sizeof *flight->release) ||
        reserve_places(flight))
        return no_memory(flight, superframe, diag);
    list_releases(flight);
    return PB_OK;
}

void pb_flight_released(struct pb_flight *flight, uint32_t node, uint32_t place, bool taken)
{
    const uint32_t at = flight->due[node];
    const struct pb_birth *birth = &flight->birth[at];

    flight->due[node] = flight->release[at].next;
    flight->release[at].dropped = !taken;
    if (!taken || birth->destination == node) {
        free_place(flight, place);
        return;
    }
    flight->message[place] = (struct pb_crossing){.message = birth->message,
                                                  .release_superframe = birth->superframe,
                                                  .sequence = flight->entered[node]++,
                                                  .source = node,
                                                  .destination = birth->destination,
                                                  .release_phase = (uint8_t)birth->phase};
}

void pb_flight_lose(struct pb_flight *flight, uint32_t place)
{
    free_place(flight, place);
    flight->stats.dropped++;
}

/* ---- what a superframe did, in order of time */

static void note_drop(struct pb_flight *flight, struct pb_drop drop)
{
    flight->drop[flight->drops++] = drop;
}

static void collect_releases(struct pb_flight *flight, size_t *at, uint32_t superframe, unsigned phase)
{
    for (; *at < flight->births && flight->birth[*at].phase == phase; ++*at) {
        const struct pb_birth *birth = &flight->birth[*at];
        if (flight->release[*at].dropped)
            note_drop(flight, (struct pb_drop){.message = birth->message,
                                               .superframe = superframe,
                                               .crossings = (uint32_t)flight->crossings,
                                               .node = birth->source,
                                               .phase = (uint8_t)phase,
                                               .at_release = true});
    }
}

static void collect_crossing(struct pb_flight *flight, const struct pb_crossed *crossed, uint32_t from,
                             uint32_t superframe, unsigned phase)
{
    flight->load[(size_t)from * flight->network.ports + crossed->port]++;
    flight->stats.superframes = superframe + 1;
    if (!flight->all && crossed->outcome == PB_ON_ITS_WAY)
        return;
    struct pb_crossing *crossing = &flight->crossing[flight->crossings++];
    *crossing = flight->message[crossed->place];
    crossing->superframe = superframe;
    crossing->from = from;
    crossing->to = crossed->to;
    crossing->phase = (uint8_t)phase;
    crossing->port = crossed->port;
    crossing->last = crossed->outcome == PB_ARRIVED;
    if (crossed->outcome == PB_DROPPED)
        note_drop(flight, (struct pb_drop){.message = crossing->message,
                                           .superframe = superframe,
                                           .crossings = (uint32_t)flight->crossings,
                                           .node = crossing->to,
                                           .phase = (uint8_t)phase});
    if (crossed->outcome != PB_ON_ITS_WAY)
        free_place(flight, crossed->place);
}

int pb_flight_collect(struct pb_flight *flight, uint32_t superframe, struct pb_diag *diag)
{
    const uint32_t nodes = flight->network.nodes;
    size_t at = 0;

    flight->crossings = flight->drops = 0;
    for (unsigned phase = 0; phase < flight->network.phases; phase++) {
        struct pb_crossed *crossed = &flight->crossed[(size_t)phase * nodes];
        if (pb_make_room(&flight->crossing, &flight->crossings_max, flight->crossings + nodes,
                         sizeof *flight->crossing) ||
            pb_make_room(&flight->drop, &flight->drops_max, flight->drops + nodes + flight->births - at,
                         sizeof *flight->drop))
            return no_memory(flight, superframe, diag);
        collect_releases(flight, &at, superframe, phase);
        for (uint32_t from = 0; from < nodes; from++)
            if (crossed[from].outcome != PB_NOTHING) {
                collect_crossing(flight, &crossed[from], from, superframe, phase);
                crossed[from].outcome = PB_NOTHING;
            }
    }
    return PB_OK;
}

void pb_flight_step(const struct pb_flight *flight, struct pb_step *out)
{
    out->crossing = flight->crossing;
    out->crossings = flight->crossings;
    out->drop = flight->drop;
    out->drops = flight->drops;
}

void pb_flight_loads(const struct pb_flight *flight, uint32_t *load)
{
    memcpy(load, flight->load, (size_t)flight->network.nodes * flight->network.ports * sizeof *load);
}

/* ---- the table */

int pb_flight_create(struct pb_flight *flight, const char *engine, const struct pb_engine_options *options)
{
    const struct pb_network *network = options->network;
    const size_t nodes = network->nodes;

    *flight = (struct pb_flight){
        .engine = engine,
        .network = *network,
        .source = options->releases,
        .room = options->room,
        .all = options->all,
        .free = PB_NO_PLACE,
        .entered = calloc(nodes, sizeof *flight->entered),
        .due = malloc(nodes * sizeof *flight->due),
        .last = calloc(nodes, sizeof *flight->last),
        .crossed = calloc(nodes * network->phases, sizeof *flight->crossed),
        .load = calloc(nodes * network->ports, sizeof *flight->load),
    };
    if (!flight->entered || !flight->due || !flight->last || !flight->crossed || !flight->load)
        return PB_ERR_MEMORY;
    for (size_t node = 0; node < nodes; node++)
        flight->due[node] = PB_NO_PLACE;
    return PB_OK;
}

void pb_flight_free(struct pb_flight *flight)
{
    free(flight->message);
    free(flight->next_free);
    free(flight->entered);
    free(flight->birth);
    free(flight->release);
    free(flight->due);
    free(flight->last);
    free(flight->crossed);
    free(flight->crossing);
    free(flight->drop);
    free(flight->load);
}
