/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/adjacency.h"
#include "host/check/evidence.h"
#include "host/check/slot_ticks.h"
#include "host/plan/frame.h"
#include "host/plan/node_map.h"
#include "host/scenario/nets.h"

#include <stdio.h>
#include <string.h>

/* ---- from bytes to sights */

struct gathered {
    uint8_t byte[PB_FRAME_MAX];
    unsigned count;
    bool bad_stop;
};

static void end_slot(struct pb_sight *sight, const struct pb_scenario *scenario, struct gathered *gathered)
{
    if (gathered->count == scenario->frame_bytes && !gathered->bad_stop &&
        pb_frame_checks(scenario, gathered->byte, gathered->count)) {
        sight->kind = PB_SIGHT_FRAME;
        sight->destination = pb_frame_destination(scenario, gathered->byte);
    } else if (gathered->count && sight->kind == PB_SIGHT_NOTHING)
        sight->kind = PB_SIGHT_DAMAGED;
    *gathered = (struct gathered){.count = 0};
}

static void add_byte(struct gathered *gathered, const struct pb_event *event)
{
    if (gathered->count < PB_FRAME_MAX)
        gathered->byte[gathered->count++] = pb_event_data(event);
    gathered->bad_stop |= !pb_event_stop_ok(event);
}

/* Reads the bytes of one pin; a byte counts in the phase in which it begins. */
static void read_pin(struct pb_sights *sights, unsigned pin, const struct pb_scenario *scenario,
                     const uint64_t *tick, unsigned slots, uint64_t back, const struct pb_events *events,
                     size_t from)
{
    const unsigned phases = scenario->network.phases;
    struct gathered gathered = {.count = 0};
    unsigned slot = 0;
    for (size_t i = from; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_BYTE || event->link != pin)
            continue;
        const int at = pb_slot_at(tick, slots, event->tick - back);
        if (at < 0)
            continue;
        if ((unsigned)at != slot)
            end_slot(&sights->at[pin][slot % phases], scenario, &gathered);
        slot = (unsigned)at;
        add_byte(&gathered, event);
    }
    end_slot(&sights->at[pin][slot % phases], scenario, &gathered);
}

int pb_sights_read(struct pb_sights *sights, const struct pb_scenario *scenario, uint32_t bit_period_q4,
                   const struct pb_events *events, size_t from, unsigned superframes)
{
    uint64_t tick[4 * PB_WIRE_PHASES_MAX];
    const unsigned phases = scenario->network.phases, slots = superframes * phases;
    memset(sights->at, 0, sizeof sights->at);
    if (pb_slot_ticks(tick, slots, phases, events, from))
        return PB_ERR_LINK;
    for (unsigned pin = 0; pin < PB_SIGHTS_PINS; pin++)
        read_pin(sights, pin, scenario, tick, slots, pb_sample_ticks(bit_period_q4, 9), events, from);
    return PB_OK;
}

/* ---- the map */

void pb_adjacency_begin(struct pb_adjacency *map, const struct pb_scenario *scenario)
{
    struct pb_nets nets;
    memset(map, 0, sizeof *map);
    pb_nets_number(&nets, scenario);
    snprintf(map->scenario, sizeof map->scenario, "%s", scenario->name);
    pb_network_name(&scenario->network, map->network);
    map->nodes = scenario->node_count;
    map->ports = scenario->network.ports;
    map->nets = nets.count;
    for (unsigned net = 0; net < nets.count; net++)
        pb_net_text(&nets, net, scenario, map->net[net]);
    for (unsigned node = 0; node < map->nodes; node++) {
        map->node[node].address = scenario->node[node].address;
        for (unsigned port = 0; port < map->ports; port++)
            map->node[node].port[port].net = nets.of[node][port];
    }
}

void pb_adjacency_identify(struct pb_adjacency *map, const struct pb_scenario *scenario, unsigned node,
                           const char *answer)
{
    const int64_t address = strncmp(answer, "+I", 2) ? -1 : pb_answer_number(answer, "addr");
    map->node[node].answers = address >= 0 && address < scenario->network.nodes;
    map->node[node].identity = map->node[node].answers ? (uint32_t)address : 0;
}

void pb_adjacency_forget(struct pb_adjacency *map)
{
    map->faults = 0;
    for (unsigned node = 0; node < map->nodes; node++) {
        struct pb_adjacency_node *at = &map->node[node];
        at->sends = at->strange = at->unruly = false;
        for (unsigned port = 0; port < map->ports; port++)
            at->port[port] = (struct pb_adjacency_port){.net = at->port[port].net};
    }
}

/* Index of the node that answered with this address, or -1. */
static int node_that_is(const struct pb_adjacency *map, uint32_t address)
{
    for (unsigned node = 0; node < map->nodes; node++)
        if (map->node[node].answers && map->node[node].identity == address)
            return (int)node;
    return -1;
}

/* A frame for a neighbour names its sender: in each phase a node listens to one neighbour. */
static bool sender_of(struct pb_peer *sender, const struct pb_scenario *scenario, uint32_t destination,
                      unsigned phase)
{
    if (destination >= scenario->network.nodes)
        return false;
    const struct pb_slot slot = pb_network_slot(&scenario->network, destination, phase);
    if (slot.role == PB_ROLE_LISTEN)
        *sender = pb_network_peer(&scenario->network, destination, slot.port);
    return slot.role == PB_ROLE_LISTEN;
}

static void mark(struct pb_adjacency *map, const struct pb_scenario *scenario, int node, unsigned port,
                 unsigned pin)
{
    struct pb_adjacency_port *at = &map->node[node].port[port];
    at->pins |= UINT64_C(1) << pin;
    if (pin < pb_link_count(scenario))
        at->nets |= UINT64_C(1)
                    << map->node[pb_link_node_index(scenario, pin)].port[pb_link_port(scenario, pin)].net;
}

/* Whether any frame of a lone sender names the address that its console named. */
static bool names_itself(const struct pb_adjacency *map, const struct pb_scenario *scenario,
                         const struct pb_sights *sights)
{
    struct pb_peer sender;
    for (unsigned pin = 0; pin < PB_SIGHTS_PINS; pin++)
        for (unsigned phase = 0; phase < scenario->network.phases; phase++)
            if (sights->at[pin][phase].kind == PB_SIGHT_FRAME &&
                sender_of(&sender, scenario, sights->at[pin][phase].destination, phase) &&
                sender.node == map->node[sights->node].identity)
                return true;
    return false;
}

static void add_frame(struct pb_adjacency *map, const struct pb_scenario *scenario,
                      const struct pb_sights *sights, bool itself, unsigned pin, unsigned phase)
{
    struct pb_peer sender;
    if (!sender_of(&sender, scenario, sights->at[pin][phase].destination, phase))
        return;
    const int named = node_that_is(map, sender.node);
    if (sights->node < 0) {
        if (named >= 0)
            mark(map, scenario, named, sender.port, pin);
        return;
    }
    struct pb_adjacency_node *lone = &map->node[sights->node];
    if (sender.node == lone->identity) {
        mark(map, scenario, sights->node, sender.port, pin);
    } else if (itself && named >= 0) {
        map->node[named].unruly = true; /* the other nodes are in reset */
    } else {
        lone->strange = true;
        lone->sends_as = sender.node;
        mark(map, scenario, sights->node, sender.port, pin);
    }
}

static void add_damage(struct pb_adjacency *map, const struct pb_scenario *scenario,
                       const struct pb_sights *sights, unsigned phase)
{
    if (sights->node < 0)
        return; /* two nodes sent at once; the steps with one node show which */
    const struct pb_slot slot =
        pb_network_slot(&scenario->network, map->node[sights->node].identity, phase);
    if (slot.role == PB_ROLE_SEND)
        map->node[sights->node].port[slot.port].damaged = true;
}

void pb_adjacency_add(struct pb_adjacency *map, const struct pb_scenario *scenario,
                      const struct pb_sights *sights)
{
    const bool itself = sights->node >= 0 && names_itself(map, scenario, sights);
    for (unsigned pin = 0; pin < PB_SIGHTS_PINS; pin++)
        for (unsigned phase = 0; phase < scenario->network.phases; phase++)
            switch (sights->at[pin][phase].kind) {
            case PB_SIGHT_FRAME:
                add_frame(map, scenario, sights, itself, pin, phase);
                break;
            case PB_SIGHT_DAMAGED:
                add_damage(map, scenario, sights, phase);
                break;
            case PB_SIGHT_NOTHING:
            default:
                break;
            }
}
