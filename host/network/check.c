/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checks that functions describe a network: ports, then phases, then routes. Each step relies on the steps
 * before it.
 */
#include "phasebench/network.h"

#include <inttypes.h>

#define PAIRS_ALL_NODES_MAX 512u
#define DESTINATIONS_BEYOND 4u

struct checked {
    const struct pb_network *network;
    struct pb_diag *diag;
};

static int check_limits(const struct checked *checked, unsigned ports_limit)
{
    const struct pb_network *network = checked->network;
    const struct {
        const char *what;
        unsigned value, low, high;
    } limits[] = {
        {"nodes", network->nodes, 2, PB_NETWORK_NODES_MAX},
        {"ports a node", network->ports, 1,
         ports_limit < PB_NETWORK_PORTS_MAX ? ports_limit : PB_NETWORK_PORTS_MAX},
        {"phases", network->phases, 2, PB_NETWORK_PHASES_MAX},
        {"digits", network->digits, 1, PB_NETWORK_DIGITS_MAX},
        {"hops", network->hops, 1, PB_NETWORK_HOPS_MAX},
    };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].value < limits[i].low || limits[i].value > limits[i].high)
            return pb_fail(checked->diag, PB_ERR_CONFIG,
                           "network: has %u %s; the limits are %u and %u; give another network",
                           limits[i].value, limits[i].what, limits[i].low, limits[i].high);
    return PB_OK;
}

static int check_ports(const struct checked *checked)
{
    const struct pb_network *network = checked->network;

    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++) {
            const struct pb_peer there = pb_network_peer(network, node, port);
            if (there.node >= network->nodes || there.port >= network->ports)
                return pb_fail(checked->diag, PB_ERR_CONFIG,
                               "network: port %u of node 0x%" PRIX32 " leads to port %u of node 0x%" PRIX32
                               "; there are %u ports and %" PRIu32 " nodes; correct the peer",
                               port, node, there.port, there.node, network->ports, network->nodes);
            if (there.node == node && there.port == port)
                continue; /* no wire */
            if (there.node == node)
                return pb_fail(checked->diag, PB_ERR_CONFIG,
                               "network: port %u of node 0x%" PRIX32
                               " leads to the node itself; a wire joins two nodes; correct the peer",
                               port, node);
            const struct pb_peer back = pb_network_peer(network, there.node, there.port);
            if (back.node != node || back.port != port)
                return pb_fail(checked->diag, PB_ERR_CONFIG,
                               "network: port %u of node 0x%" PRIX32 " leads to port %u of node 0x%" PRIX32
                               ", which leads to port %u of node 0x%" PRIX32
                               "; the peer of a peer is the port itself; correct one peer",
                               port, node, there.port, there.node, back.port, back.node);
        }
    return PB_OK;
}

/* One node in one phase, with the node at the other end of its wire. */
static int check_slot(const struct checked *checked, uint32_t node, unsigned phase, bool *used)
{
    static const char *const does[] = {
        [PB_ROLE_IDLE] = "is idle", [PB_ROLE_SEND] = "sends", [PB_ROLE_LISTEN] = "listens"};
    const struct pb_network *network = checked->network;
    const struct pb_slot slot = pb_network_slot(network, node, phase);

    if (slot.role == PB_ROLE_IDLE)
        return PB_OK;
    if (slot.port >= network->ports)
        return pb_fail(checked->diag, PB_ERR_CONFIG,
                       "network: node 0x%" PRIX32
                       " %s on port %u in phase %u; the last port is %u; correct the "
                       "slot",
                       node, does[slot.role], slot.port, phase, network->ports - 1);
    const struct pb_peer there = pb_network_peer(network, node, slot.port);
    if (there.node == node)
        return pb_fail(checked->diag, PB_ERR_CONFIG,
                       "network: node 0x%" PRIX32
                       " %s on port %u in phase %u, which has no wire; correct the slot",
                       node, does[slot.role], slot.port, phase);
    const struct pb_slot facing = pb_network_slot(network, there.node, phase);
    if (slot.role == PB_ROLE_SEND && facing.role == PB_ROLE_SEND && facing.port == there.port)
        return pb_fail(
            checked->diag, PB_ERR_CONFIG,
            "network: nodes 0x%" PRIX32 " and 0x%" PRIX32
            " both send on the wire between them in phase %u; a wire has one sender; correct one slot",
            node, there.node, phase);
    const enum pb_role due = slot.role == PB_ROLE_SEND ? PB_ROLE_LISTEN : PB_ROLE_SEND;
    if (facing.role != due || facing.port != there.port)
        return pb_fail(checked->diag, PB_ERR_CONFIG,
                       "network: node 0x%" PRIX32 " %s on port %u in phase %u, and its peer 0x%" PRIX32
                       " %s on port %u; one end of a wire sends and the other listens; correct one slot",
                       node, does[slot.role], slot.port, phase, there.node, does[facing.role], facing.port);
    *used |= slot.role == PB_ROLE_SEND;
    return PB_OK;
}

static int check_phases(const struct checked *checked)
{
    const struct pb_network *network = checked->network;

    for (unsigned phase = 0; phase < network->phases; phase++) {
        bool used = false;
        for (uint32_t node = 0; node < network->nodes; node++) {
            const int code = check_slot(checked, node, phase, &used);
            if (code)
                return code;
        }
        if (!used)
            return pb_fail(checked->diag, PB_ERR_CONFIG,
                           "network: no node sends in phase %u of %u; leave the phase out", phase,
                           network->phases);
    }
    return PB_OK;
}

/* Each port with a wire sends once in a superframe. */
static int check_turns(const struct checked *checked)
{
    const struct pb_network *network = checked->network;

    for (uint32_t node = 0; node < network->nodes; node++) {
        unsigned turns[PB_NETWORK_PORTS_MAX] = {0};
        for (unsigned phase = 0; phase < network->phases; phase++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role == PB_ROLE_SEND)
                turns[slot.port]++;
        }
        for (unsigned port = 0; port < network->ports; port++)
            if (turns[port] != pb_network_has_wire(network, node, port))
                return pb_fail(checked->diag, PB_ERR_CONFIG,
                               "network: node 0x%" PRIX32
                               " sends on port %u in %u phases of a superframe; each "
                               "port with a wire sends in one; correct its slots",
                               node, port, turns[port]);
    }
    return PB_OK;
}

static int fail_route(const struct checked *checked, enum pb_rule rule, uint32_t source, uint32_t destination,
                      uint32_t at, const char *why)
{
    return pb_fail(checked->diag, PB_ERR_CONFIG,
                   "network: the %s route from 0x%" PRIX32 " to 0x%" PRIX32 " is at 0x%" PRIX32
                   " and %s; correct its next port",
                   pb_rule_name(rule), source, destination, at, why);
}

/* All ports that a rule allows need the same number of hops. So a path by the lowest ports and a path by the
 * highest ports show that the rule reaches the destination. */
static int check_path(const struct checked *checked, enum pb_rule rule, bool highest, uint32_t source,
                      uint32_t destination)
{
    const struct pb_network *network = checked->network;
    uint32_t at = source;

    for (unsigned hops = 0; at != destination; hops++) {
        const uint64_t wanted = pb_network_wanted(network, rule, at, destination);
        if (wanted == 0)
            return fail_route(checked, rule, source, destination, at, "wants no port");
        if (rule == PB_RULE_ECUBE && (wanted & (wanted - 1)))
            return fail_route(checked, rule, source, destination, at, "wants more than one port");
        const unsigned port = (unsigned)(highest ? 63 - __builtin_clzll(wanted) : __builtin_ctzll(wanted));
        if (port >= network->ports)
            return fail_route(checked, rule, source, destination, at, "wants a port beyond the last");
        if (hops == network->hops)
            return fail_route(checked, rule, source, destination, at,
                              "has made as many hops as the longest route");
        at = pb_network_peer(network, at, port).node;
    }
    if (pb_network_wanted(network, rule, at, destination))
        return fail_route(checked, rule, source, destination, at, "does not end there");
    return PB_OK;
}

static int check_route(const struct checked *checked, uint32_t source, uint32_t destination)
{
    const struct pb_network *network = checked->network;
    int code = check_path(checked, PB_RULE_ECUBE, false, source, destination);
    for (int highest = 0; highest < 2 && code == PB_OK; highest++)
        code = check_path(checked, PB_RULE_OPPORTUNISTIC, highest, source, destination);
    if (code)
        return code;

    struct pb_route route;
    pb_route_lone(&route, network, PB_RULE_ECUBE, source, destination, 0);
    const unsigned limit = pb_bound_lone_phases(network, PB_RULE_ECUBE, false);
    if (route.latency_phases > limit)
        return pb_fail(
            checked->diag, PB_ERR_CONFIG,
            "network: the lone route from 0x%" PRIX32 " to 0x%" PRIX32
            " takes %u phases; the bound is %u; give the digits their phases in the order of the route",
            source, destination, route.latency_phases, limit);
    return PB_OK;
}

static int check_routes(const struct checked *checked)
{
    const uint32_t nodes = checked->network->nodes;
    const bool all = nodes <= PAIRS_ALL_NODES_MAX;
    const uint32_t count = all ? nodes : DESTINATIONS_BEYOND;

    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t i = 0; i < count; i++) {
            /* Larger: spread over the network, different for each source. */
            const uint32_t destination = all ? i : (source * 40503u + i * (nodes / count) + i) % nodes;
            const int code = check_route(checked, source, destination);
            if (code)
                return code;
        }
    return PB_OK;
}

int pb_network_check(const struct pb_network *network, unsigned ports_limit, struct pb_diag *diag)
{
    const struct checked checked = {network, diag};
    int code = check_limits(&checked, ports_limit);
    if (code == PB_OK)
        code = check_ports(&checked);
    if (code == PB_OK)
        code = check_phases(&checked);
    if (code == PB_OK)
        code = check_turns(&checked);
    return code ? code : check_routes(&checked);
}
