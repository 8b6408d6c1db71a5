/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names the faults of a map. Causes that explain more ports come first: nodes without an answer, shorts,
 * exchanged nodes, exchanged ports, single ports.
 */
#include "host/check/adjacency.h"
#include "host/base/utf8.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NODES = PB_SCENARIO_NODES_MAX, PORTS = PB_WIRE_PORTS_MAX };

struct judging {
    struct pb_adjacency *map;
    const struct pb_scenario *scenario;
    bool absent[NODES];         /* nothing of it is seen: its ports are no faults of their own */
    unsigned place[NODES];      /* the node in whose place it is */
    bool explained[NODES][PORTS];
};

const char *pb_adjacency_id(enum pb_adjacency_kind kind)
{
    static const char *const id[] = {
#define ID(name, id, meaning) [PB_ADJACENCY_##name] = id,
        PB_ADJACENCY_FAULT_LIST(ID)
#undef ID
    };
    return kind < PB_ADJACENCY_KINDS ? id[kind] : "";
}

static void add(struct judging *judging, enum pb_adjacency_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(struct judging *judging, enum pb_adjacency_kind kind, const char *format, ...)
{
    struct pb_adjacency *map = judging->map;
    va_list arguments;
    if (map->faults == PB_ADJACENCY_FAULTS_MAX)
        return;
    struct pb_adjacency_fault *fault = &map->fault[map->faults++];
    fault->kind = kind;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
}

static uint32_t address_of(const struct judging *judging, unsigned node)
{
    return judging->map->node[node].address;
}

/* Where its frames came, and where they have to, given the place of the node. */
static uint64_t seen(const struct judging *judging, unsigned node, unsigned port)
{
    return judging->map->node[node].port[port].nets;
}
static unsigned due(const struct judging *judging, unsigned node, unsigned port)
{
    return judging->map->node[judging->place[node]].port[port].net;
}
static bool is_on(const struct judging *judging, unsigned node, unsigned port, unsigned net)
{
    return seen(judging, node, port) >> net & 1;
}

static unsigned lowest(uint64_t nets)
{
    return (unsigned)__builtin_ctzll(nets);
}

/* ---- nodes that do not answer, or are another one than they should be */

static void find_absent(struct judging *judging)
{
    for (unsigned node = 0; node < judging->map->nodes; node++) {
        const struct pb_adjacency_node *at = &judging->map->node[node];
        judging->absent[node] = !at->answers || !at->sends;
        if (!at->answers)
            add(judging, PB_ADJACENCY_NO_ANSWER,
                "node 0x%" PRIX32
                " does not answer: not on the board, without power or clock, or its console is open",
                at->address);
        if (at->unruly)
            add(judging, PB_ADJACENCY_UNRULY,
                "node 0x%" PRIX32
                " sends although its NRST is low: reset lines of two nodes are exchanged, or it "
                "has none",
                at->address);
        if (at->strange)
            add(judging, PB_ADJACENCY_IDENTITY,
                "node 0x%" PRIX32 " answers as 0x%" PRIX32 " and sends as 0x%" PRIX32
                ": give it one address",
                at->address, at->identity, at->sends_as);
    }
}

/* ---- shorts */

/* Nets that are one wire with this one, as the ports show it. */
static uint64_t shorted_with(const struct judging *judging, unsigned net)
{
    uint64_t group = UINT64_C(1) << net;
    for (uint64_t before = 0; before != group;) {
        before = group;
        for (unsigned node = 0; node < judging->map->nodes; node++)
            for (unsigned port = 0; port < judging->map->ports; port++)
                if (seen(judging, node, port) & group)
                    group |= seen(judging, node, port);
    }
    return group;
}

static void find_shorts(struct judging *judging)
{
    uint64_t known = 0;
    for (unsigned net = 0; net < judging->map->nets; net++) {
        const uint64_t group = shorted_with(judging, net);
        if (known >> net & 1)
            continue;
        known |= group;
        for (uint64_t others = group & ~(UINT64_C(1) << net); others; others &= others - 1)
            add(judging, PB_ADJACENCY_SHORTED,
                "nets %u (%s) and %u (%s) are shorted: find the bridge between them", net,
                judging->map->net[net], lowest(others), judging->map->net[lowest(others)]);
    }
}

/* ---- nodes in each other's place */

static unsigned matches(const struct judging *judging, unsigned node, unsigned place)
{
    unsigned count = 0;
    for (unsigned port = 0; port < judging->map->ports; port++)
        count += is_on(judging, node, port, judging->map->node[place].port[port].net);
    return count;
}

/* Another place explains more than half of the ports that reach a net, or it is none. */
static unsigned best_place(const struct judging *judging, unsigned node)
{
    unsigned best = node, connected = 0;
    for (unsigned port = 0; port < judging->map->ports; port++)
        connected += seen(judging, node, port) != 0;
    for (unsigned place = 0; place < judging->map->nodes; place++)
        if (matches(judging, node, place) > matches(judging, node, best) &&
            2 * matches(judging, node, place) > connected)
            best = place;
    return best;
}

/* A place has one node: of two that claim it the one with more matches, at a tie its own, keeps it. */
static void settle_places(struct judging *judging)
{
    const unsigned nodes = judging->map->nodes;
    for (unsigned node = 0; node < nodes; node++)
        judging->place[node] = judging->absent[node] ? node : best_place(judging, node);
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned node = 0; node < nodes; node++)
            for (unsigned other = 0; other < nodes; other++) {
                const unsigned place = judging->place[node];
                if (judging->absent[other] || judging->absent[node] || other == node || place == node ||
                    judging->place[other] != place)
                    continue;
                if (place == other || matches(judging, other, place) >= matches(judging, node, place)) {
                    judging->place[node] = node;
                    changed = true;
                }
            }
    }
}

/* Every net still joins the ports of two places that are neighbours: a symmetry of the network. */
static bool is_symmetry(const struct judging *judging)
{
    const struct pb_adjacency *map = judging->map;
    uint8_t becomes[PB_ADJACENCY_NETS_MAX];
    memset(becomes, 0xff, sizeof becomes);
    for (unsigned node = 0; node < map->nodes; node++)
        for (unsigned port = 0; port < map->ports; port++) {
            const unsigned net = map->node[node].port[port].net;
            if (judging->place[node] == node)
                return false;
            if (becomes[net] == 0xff)
                becomes[net] = (uint8_t)due(judging, node, port);
            if (becomes[net] != due(judging, node, port))
                return false;
        }
    return true;
}

static void name_symmetry(struct judging *judging)
{
    const uint32_t mask = address_of(judging, 0) ^ address_of(judging, judging->place[0]);
    char how[80] = "as the map shows";
    bool same = true;
    for (unsigned node = 0; node < judging->map->nodes; node++)
        same &= (address_of(judging, node) ^ address_of(judging, judging->place[node])) == mask;
    if (same)
        snprintf(how, sizeof how, "that of its address xor 0x%" PRIX32, mask);
    add(judging, PB_ADJACENCY_TURNED,
        "every node is in another place, %s; the links still form a correct network, so traffic alone does "
        "not show it: "
        "exchange the addresses, or find out whether all consoles or all link taps are exchanged",
        how);
}

/* The nodes of one exchange, each in the place of the next one. */
static void name_exchange(struct judging *judging, unsigned first, bool done[NODES])
{
    char chain[240];
    size_t at = 0;
    unsigned length = 0, node = first;
    for (bool ends = false; !ends; length++) {
        done[node] = true;
        const unsigned next = judging->place[node];
        if (at < sizeof chain)
            at += (size_t)snprintf(chain + at, sizeof chain - at, "%s0x%" PRIX32 " in that of 0x%" PRIX32,
                                   length ? ", " : "", address_of(judging, node), address_of(judging, next));
        ends = next == first || done[next] || judging->place[next] == next;
        node = next;
    }
    const unsigned other = judging->place[first];
    if (length == 2 && judging->place[other] == first)
        add(judging, PB_ADJACENCY_NODES,
            "nodes 0x%" PRIX32 " and 0x%" PRIX32
            " are exchanged (sheets swapped): exchange their addresses, or the sheets",
            address_of(judging, first), address_of(judging, other));
    else
        add(judging, PB_ADJACENCY_NODES,
            "nodes are in the place of others, %s: exchange their addresses, or the sheets", chain);
}

/* True if another present node is in this node's place. A chain begins at the node without such a
 * follower. */
static bool is_followed(const struct judging *judging, unsigned node)
{
    for (unsigned other = 0; other < judging->map->nodes; other++)
        if (other != node && judging->place[other] == node && !judging->absent[other])
            return true;
    return false;
}

/* True if the node reports the identity that is due in the place where its links are. Then only the consoles
 * are exchanged. */
static bool is_console(const struct judging *judging, unsigned node)
{
    return judging->map->node[node].identity == address_of(judging, judging->place[node]);
}

static void find_exchanged_nodes(struct judging *judging)
{
    bool done[NODES] = {false};
    settle_places(judging);
    if (is_symmetry(judging)) {
        name_symmetry(judging);
        return;
    }
    for (int chains = 1; chains >= 0; chains--) /* then the rings */
        for (unsigned node = 0; node < judging->map->nodes; node++)
            if (!done[node] && judging->place[node] != node && !is_console(judging, node) &&
                !(chains && is_followed(judging, node)))
                name_exchange(judging, node, done);
}

static void find_identities(struct judging *judging)
{
    for (unsigned node = 0; node < judging->map->nodes; node++) {
        const struct pb_adjacency_node *at = &judging->map->node[node];
        if (!at->answers || at->identity == at->address)
            continue;
        if (judging->place[node] != node && is_console(judging, node))
            add(judging, PB_ADJACENCY_CONSOLES,
                "the console of node 0x%" PRIX32 " is that of 0x%" PRIX32
                ", whose links are in their place: exchange the consoles",
                at->address, at->identity);
        else
            add(judging, PB_ADJACENCY_IDENTITY,
                "node 0x%" PRIX32 " answers as 0x%" PRIX32 ": give it the address 0x%" PRIX32, at->address,
                at->identity, at->address);
    }
}

/* ---- ports */

static bool is_wrong(const struct judging *judging, unsigned node, unsigned port)
{
    return !judging->absent[node] && !judging->explained[node][port] && seen(judging, node, port) &&
           !is_on(judging, node, port, due(judging, node, port));
}

static void name_pair(struct judging *judging, unsigned node, unsigned port, unsigned other,
                      unsigned other_port)
{
    const unsigned net = due(judging, node, port), other_net = due(judging, other, other_port);
    judging->explained[node][port] = judging->explained[other][other_port] = true;
    if (node == other)
        add(judging, PB_ADJACENCY_PORTS,
            "node 0x%" PRIX32
            " dimension %u is on the net of dimension %u, and dimension %u on that of %u: exchange the two "
            "links at this node",
            address_of(judging, node), port, other_port, other_port, port);
    else
        add(judging, PB_ADJACENCY_CROSSED,
            "links %u (%s) and %u (%s) are crossed between nodes 0x%" PRIX32 " dimension %u and 0x%" PRIX32
            " dimension %u: exchange the two there",
            net, judging->map->net[net], other_net, judging->map->net[other_net], address_of(judging, node),
            port, address_of(judging, other), other_port);
}

/* The port that is where this one has to be, and has to be where this one is. */
static bool find_partner(struct judging *judging, unsigned node, unsigned port)
{
    for (unsigned pass = 0; pass < 2; pass++) /* first at the node itself */
        for (unsigned other = 0; other < judging->map->nodes; other++)
            for (unsigned other_port = 0; other_port < judging->map->ports; other_port++) {
                if ((other == node) == pass || !is_wrong(judging, other, other_port) ||
                    (other == node && other_port == port) ||
                    !is_on(judging, other, other_port, due(judging, node, port)) ||
                    !is_on(judging, node, port, due(judging, other, other_port)))
                    continue;
                name_pair(judging, node, port, other, other_port);
                return true;
            }
    return false;
}

static void name_misplaced(struct judging *judging, unsigned node, unsigned port)
{
    const unsigned is = lowest(seen(judging, node, port)), net = due(judging, node, port);
    for (unsigned own = 0; own < judging->map->ports; own++)
        if (own != port && is_on(judging, node, port, due(judging, node, own))) {
            add(judging, PB_ADJACENCY_MISPLACED,
                "node 0x%" PRIX32
                " dimension %u is on the net of dimension %u (net %u, %s): move it to net %u (%s)",
                address_of(judging, node), port, own, is, judging->map->net[is], net, judging->map->net[net]);
            return;
        }
    add(judging, PB_ADJACENCY_MISPLACED,
        "node 0x%" PRIX32 " dimension %u is on net %u (%s): move it to net %u (%s)",
        address_of(judging, node), port, is, judging->map->net[is], net, judging->map->net[net]);
}

static void find_wrong_ports(struct judging *judging)
{
    for (unsigned node = 0; node < judging->map->nodes; node++)
        for (unsigned port = 0; port < judging->map->ports; port++)
            if (is_wrong(judging, node, port))
                find_partner(judging, node, port);
    for (unsigned node = 0; node < judging->map->nodes; node++)
        for (unsigned port = 0; port < judging->map->ports; port++)
            if (is_wrong(judging, node, port))
                name_misplaced(judging, node, port);
}

/* ---- ports without a net */

static bool is_silent(const struct judging *judging, unsigned node, unsigned port)
{
    const struct pb_adjacency_port *at = &judging->map->node[node].port[port];
    return !judging->absent[node] && !at->nets && !at->damaged;
}

static void name_silent_port(struct judging *judging, unsigned node, unsigned port)
{
    const struct pb_adjacency_port *at = &judging->map->node[node].port[port];
    const unsigned net = due(judging, node, port);
    if (at->pins)
        add(judging, PB_ADJACENCY_MISPLACED,
            "node 0x%" PRIX32
            " dimension %u is on pin %u of the core, which is on no net: move it to net %u (%s)",
            address_of(judging, node), port, lowest(at->pins), net, judging->map->net[net]);
    else
        add(judging, PB_ADJACENCY_OPEN_PORT,
            "node 0x%" PRIX32 " dimension %u reaches no net: open; it has to reach net %u (%s)",
            address_of(judging, node), port, net, judging->map->net[net]);
}

/* One of the core's pins at the net was low while every node was in reset. */
static bool is_low(const struct judging *judging, unsigned net)
{
    for (unsigned node = 0; node < judging->map->nodes; node++)
        for (unsigned port = 0; port < judging->map->ports; port++)
            if (judging->map->node[node].port[port].net == net &&
                judging->map->low >> pb_link_of(judging->scenario, node, port) & 1)
                return true;
    return false;
}

/* Reports a net that is low or open. Open: all of its ports are silent, and at least two of them are
 * known. */
static bool name_open_net(struct judging *judging, unsigned net)
{
    unsigned ends = 0;
    if (is_low(judging, net)) {
        add(judging, PB_ADJACENCY_HELD_LOW,
            "net %u (%s) is low while every node is in reset: a short to ground, or no pull-up", net,
            judging->map->net[net]);
        return true;
    }
    for (unsigned node = 0; node < judging->map->nodes; node++)
        for (unsigned port = 0; port < judging->map->ports; port++) {
            if (due(judging, node, port) != net)
                continue;
            if (!is_silent(judging, node, port) || judging->map->node[node].port[port].pins)
                return false;
            ends++;
        }
    if (ends < 2)
        return false;
    add(judging, PB_ADJACENCY_OPEN_NET, "net %u (%s): no node answers: open", net, judging->map->net[net]);
    return true;
}

static void find_silent_ports(struct judging *judging)
{
    uint64_t open = 0;
    for (unsigned net = 0; net < judging->map->nets; net++)
        if (name_open_net(judging, net))
            open |= UINT64_C(1) << net;
    for (unsigned node = 0; node < judging->map->nodes; node++)
        for (unsigned port = 0; port < judging->map->ports; port++) {
            if (is_silent(judging, node, port) && !(open >> due(judging, node, port) & 1))
                name_silent_port(judging, node, port);
            if (judging->map->node[node].port[port].damaged && !seen(judging, node, port))
                add(judging, PB_ADJACENCY_DAMAGED,
                    "frames of node 0x%" PRIX32
                    " dimension %u arrive damaged: a weak pull-up, another driver, or another baud",
                    address_of(judging, node), port);
        }
}

/* ---- the verdict */

static void decide(struct pb_adjacency *map)
{
    unsigned tested = 0;
    for (unsigned node = 0; node < map->nodes; node++)
        tested += map->node[node].sends;
    map->verdict = map->faults              ? PB_VERDICT_FAIL
                   : tested == map->nodes   ? PB_VERDICT_PASS
                                            : PB_VERDICT_INCONCLUSIVE;
    if (map->faults)
        pb_utf8_shorten(map->reason, sizeof map->reason, "%u fault%s: %s", map->faults,
                        map->faults > 1 ? "s" : "", map->fault[0].text);
    else if (tested == map->nodes)
        snprintf(map->reason, sizeof map->reason, "every port of %u node%s is on its net, %u nets",
                 map->nodes, map->nodes > 1 ? "s" : "", map->nets);
    else
        snprintf(map->reason, sizeof map->reason,
                 "%u of %u nodes can be made to send neither by M 2 nor by S; their ports are not known",
                 map->nodes - tested, map->nodes);
}

void pb_adjacency_judge(struct pb_adjacency *map, const struct pb_scenario *scenario)
{
    struct judging judging = {.map = map, .scenario = scenario};
    map->faults = 0;
    find_absent(&judging);
    find_shorts(&judging);
    find_exchanged_nodes(&judging);
    find_identities(&judging);
    find_wrong_ports(&judging);
    find_silent_ports(&judging);
    decide(map);
}
