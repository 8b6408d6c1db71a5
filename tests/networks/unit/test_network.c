/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tables of each family against its definition, built apart from them; the check of networks that are
 * none; the text form.
 *
 * evidence: schedule, routes, loads, bounds of mixed radix, rings, lines, XOR, metacubes (no node)
 *   checked against their definition by brute force, up to 64 nodes
 *   also: test_network_flow
 *
 * evidence: networks
 *   simulated: of the generalised hypercube of radix 4, 4, 3 a sound node passes at each of 48 places and
 *   joined nodes pass; a swapped port, a wrong order of digits, a late node and one of another radix fail
 *   also: test_run_network
 */
#include "tests/bench/unit/network_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include "phasebench/cube.h"
#include "phasebench/traffic.h"

#include <string.h>

/* ---- tables */

TEST(schedule_equals_the_definition)
{
    for (size_t i = 0; i < SMALL_NETWORKS; i++) {
        const struct defined defined = small(i);
        const struct pb_network network = built(&defined);
        bool used[DEFINED_NODES_MAX][DEFINED_NODES_MAX] = {{false}};

        assert_int_equal(network.nodes, defined.nodes);
        assert_int_equal(network.phases, defined.phases);
        for (unsigned phase = 0; phase < defined.phases; phase++)
            for (uint32_t node = 0; node < defined.nodes; node++) {
                const struct pb_slot slot = pb_network_slot(&network, node, phase);
                const uint32_t to = defined.sends_to[phase][node];
                uint32_t from = NOBODY;
                for (uint32_t other = 0; other < defined.nodes; other++)
                    if (defined.sends_to[phase][other] == node) {
                        assert_int_equal(from, NOBODY);
                        from = other;
                    }
                assert_true(to == NOBODY ||
                            from == NOBODY); /* a matching: no node has two wires in a phase */
                if (to == NOBODY && from == NOBODY) {
                    assert_int_equal(slot.role, PB_ROLE_IDLE);
                    continue;
                }
                assert_int_equal(slot.role, to == NOBODY ? PB_ROLE_LISTEN : PB_ROLE_SEND);
                assert_int_equal(pb_network_peer(&network, node, slot.port).node, to == NOBODY ? from : to);
                if (to != NOBODY) {
                    assert_false(used[node][to]);
                    used[node][to] = true;
                }
            }
        /* Every directed wire once: of complete digits those between nodes that differ in one. */
        for (uint32_t from = 0; from < defined.nodes; from++)
            for (uint32_t to = 0; to < defined.nodes; to++) {
                unsigned differing = 0;
                for (unsigned digit = 0; digit < defined.digits; digit++)
                    differing +=
                        digit_by_division(&defined, from, digit) != digit_by_division(&defined, to, digit);
                assert_int_equal(used[from][to], defined.distance[from][to] == 1);
                if (i < SMALL_COMPLETE)
                    assert_int_equal(used[from][to], differing == 1);
            }
    }
}

/* The rounds as the documentation shows them. */
TEST(rounds_are_the_documented_ones)
{
    static const struct {
        unsigned radix, round, a, b;
    } met[] = {{2, 0, 0, 1}, {3, 0, 1, 2}, {3, 1, 0, 1}, {3, 2, 0, 2}, {4, 0, 0, 3}, {4, 0, 1, 2},
               {4, 1, 0, 1}, {4, 1, 2, 3}, {4, 2, 0, 2}, {4, 2, 1, 3}, {5, 0, 1, 4}, {5, 0, 2, 3},
               {6, 0, 0, 5}, {6, 0, 1, 4}, {6, 0, 2, 3}, {6, 1, 0, 1}, {6, 1, 2, 4}, {6, 1, 3, 5}};
    for (size_t i = 0; i < sizeof met / sizeof met[0]; i++) {
        struct pb_network network;
        assert_int_equal(pb_network_generalised(&network, &met[i].radix, 1, NULL), PB_OK);
        const struct pb_slot up = pb_network_slot(&network, met[i].a, 2 * met[i].round),
                             down = pb_network_slot(&network, met[i].b, 2 * met[i].round + 1);
        assert_int_equal(up.role, PB_ROLE_SEND);
        assert_int_equal(down.role, PB_ROLE_SEND);
        assert_int_equal(pb_network_peer(&network, met[i].a, up.port).node, met[i].b);
        assert_int_equal(pb_network_peer(&network, met[i].b, down.port).node, met[i].a);
    }
}

TEST(ports_ascend_with_the_digit_of_the_neighbour)
{
    for (size_t i = 0; i < SMALL_COMPLETE; i++) {
        const struct defined defined = small(i);
        const struct pb_network network = built(&defined);
        for (uint32_t node = 0; node < defined.nodes; node++) {
            unsigned port = 0;
            for (unsigned digit = 0; digit < defined.digits; digit++)
                for (unsigned value = 0; value < defined.radix[digit]; value++) {
                    const uint32_t peer = with_digit(&defined, node, digit, value);
                    assert_int_equal(pb_network_digit(&network, peer, digit), value);
                    if (peer == node)
                        continue;
                    const struct pb_peer there = pb_network_peer(&network, node, port);
                    assert_int_equal(there.node, peer);
                    assert_int_equal(pb_network_peer(&network, peer, there.port).node, node);
                    assert_int_equal(pb_network_peer(&network, peer, there.port).port, port);
                    assert_int_equal(pb_network_differing_digit(&network, node, peer), digit);
                    port++;
                }
            assert_int_equal(port, network.ports);
            assert_int_equal(pb_network_differing_digit(&network, node, node), defined.digits);
        }
    }
}

TEST(digits_of_large_addresses_are_exact)
{
    static const struct {
        unsigned digits, radix[4];
    } cases[] = {{4, {15, 17, 17, 15}}, {3, {3, 29, 31}}, {4, {16, 16, 16, 16}}, {3, {7, 56, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pb_network network;
        assert_int_equal(pb_network_generalised(&network, cases[i].radix, cases[i].digits, NULL), PB_OK);
        for (uint32_t address = 0; address < network.nodes; address++) {
            uint32_t left = address;
            for (unsigned digit = 0; digit < network.digits; digit++) {
                assert_int_equal(pb_network_digit(&network, address, digit), left % cases[i].radix[digit]);
                left /= cases[i].radix[digit];
            }
        }
    }
    const struct pb_network cube = pb_network_cube(20);
    for (uint32_t address = 0; address < cube.nodes; address++) {
        uint32_t joined = 0;
        for (unsigned digit = 0; digit < cube.digits; digit++)
            joined |= pb_network_digit(&cube, address, digit) << digit;
        assert_int_equal(joined, address);
    }
}

TEST(two_to_the_n_is_the_binary_cube)
{
    static const unsigned twos[10] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    for (unsigned dims = 1; dims <= 8; dims++) {
        const struct pb_network cube = pb_network_cube(dims);
        struct pb_network general;
        assert_int_equal(pb_network_generalised(&general, twos, dims, NULL), PB_OK);
        assert_int_equal(general.nodes, cube.nodes);
        assert_int_equal(general.ports, cube.ports);
        assert_int_equal(general.phases, cube.phases);
        assert_int_equal(general.digits, cube.digits);
        assert_int_equal(general.address_bits, dims);
        assert_int_equal(cube.address_bits, dims);
        assert_int_equal(general.look_ahead, cube.look_ahead);
        assert_memory_equal(general.lone_phases, cube.lone_phases, sizeof cube.lone_phases);
        for (uint32_t node = 0; node < cube.nodes; node++) {
            for (unsigned phase = 0; phase < cube.phases; phase++) {
                const struct pb_slot a = pb_network_slot(&cube, node, phase),
                                     b = pb_network_slot(&general, node, phase);
                assert_int_equal(a.role, b.role);
                assert_int_equal(a.port, b.port);
                /* The definition of the cube, in its own words. */
                assert_int_equal(a.role == PB_ROLE_SEND, (node >> phase / 2) % 2 == phase % 2);
                assert_int_equal(a.port, phase / 2);
            }
            for (unsigned port = 0; port < cube.ports; port++) {
                const struct pb_peer a = pb_network_peer(&cube, node, port),
                                     b = pb_network_peer(&general, node, port);
                assert_int_equal(a.node, b.node);
                assert_int_equal(a.port, b.port);
                assert_int_equal(a.node, node ^ 1u << port);
            }
            for (uint32_t destination = 0; destination < cube.nodes; destination++)
                for (int rule = 0; rule < PB_RULES; rule++)
                    assert_true(pb_network_wanted(&cube, (enum pb_rule)rule, node, destination) ==
                                pb_network_wanted(&general, (enum pb_rule)rule, node, destination));
        }
    }
}

/* ---- routes */

TEST(wanted_ports_lead_nearer)
{
    for (size_t i = 0; i < SMALL_NETWORKS; i++) {
        const struct defined defined = small(i);
        const struct pb_network network = built(&defined);
        for (int rule = 0; rule < PB_RULES; rule++)
            for (uint32_t node = 0; node < defined.nodes; node++)
                for (uint32_t destination = 0; destination < defined.nodes; destination++) {
                    const uint64_t wanted =
                        pb_network_wanted(&network, (enum pb_rule)rule, node, destination);
                    assert_true(wanted >> network.ports == 0);
                    for (unsigned port = 0; port < network.ports; port++)
                        assert_int_equal(wanted >> port & 1,
                                         pb_network_has_wire(&network, node, port) &&
                                             wants_wire(&defined, (enum pb_rule)rule, node,
                                                        pb_network_peer(&network, node, port).node,
                                                        destination));
                }
    }
}

static unsigned walk(const struct defined *defined, const struct pb_network *network, enum pb_rule rule,
                     uint32_t source, uint32_t destination, unsigned birth)
{
    struct pb_route route;
    uint32_t at = source;
    unsigned hops = 0, ended = birth;

    pb_route_lone(&route, network, rule, source, destination, birth);
    for (unsigned now = birth; at != destination; now++) {
        const unsigned phase = now % defined->phases;
        const uint32_t to = defined->sends_to[phase][at];
        assert_true(now < birth + DEFINED_HOPS_MAX * defined->phases);
        if (to == NOBODY || !wants_wire(defined, rule, at, to, destination))
            continue;
        assert_true(hops < route.hops);
        assert_int_equal(route.hop[hops].superframe, now / defined->phases);
        assert_int_equal(route.hop[hops].phase, phase);
        assert_int_equal(route.hop[hops].from, at);
        assert_int_equal(route.hop[hops].to, to);
        assert_int_equal(pb_network_peer(network, at, route.hop[hops].port).node, to);
        at = to;
        hops++;
        ended = now + 1;
    }
    assert_int_equal(route.hops, hops);
    assert_int_equal(route.latency_phases, ended - birth);
    return ended - birth;
}

TEST(lone_routes_equal_a_walk_and_bounds_are_tight)
{
    for (size_t i = 0; i < SMALL_NETWORKS; i++) {
        const struct defined defined = small(i);
        const struct pb_network network = built(&defined);
        for (int rule = 0; rule < PB_RULES; rule++) {
            unsigned worst_at_start = 0, worst = 0;
            for (uint32_t source = 0; source < defined.nodes; source++)
                for (uint32_t destination = 0; destination < defined.nodes; destination++)
                    for (unsigned birth = 0; birth < defined.phases; birth++) {
                        const unsigned latency =
                            walk(&defined, &network, (enum pb_rule)rule, source, destination, birth);
                        worst = latency > worst ? latency : worst;
                        if (birth == 0 && latency > worst_at_start)
                            worst_at_start = latency;
                    }
            assert_int_equal(pb_bound_lone_phases(&network, (enum pb_rule)rule, false), worst_at_start);
            assert_int_equal(pb_bound_lone_phases(&network, (enum pb_rule)rule, true), worst);
        }
    }
}

/* ---- networks that are none: the 4x4x3 network with one answer changed */

static struct pb_network sound;
static struct pb_network_family broken;

static struct pb_network break_one(void)
{
    static const unsigned radix[] = {4, 4, 3};
    assert_int_equal(pb_network_generalised(&sound, radix, 3, NULL), PB_OK);
    broken = *sound.family;
    struct pb_network network = sound;
    network.family = &broken;
    return network;
}

static struct pb_peer peer_of(uint32_t node, unsigned port)
{
    return pb_network_peer(&sound, node, port);
}
static struct pb_slot slot_of(uint32_t node, unsigned phase)
{
    return pb_network_slot(&sound, node, phase);
}

static struct pb_peer swapped_ports(const struct pb_network *network, uint32_t node, unsigned port)
{
    (void)network;
    return peer_of(node, node == 5 && port < 2 ? 1 - port : port);
}
static struct pb_peer wired_to_itself(const struct pb_network *network, uint32_t node, unsigned port)
{
    (void)network;
    return node == 0 && port == 0 ? (struct pb_peer){0, 1} : peer_of(node, port);
}
static struct pb_peer wired_beyond(const struct pb_network *network, uint32_t node, unsigned port)
{
    (void)network;
    return node == 9 && port == 7 ? (struct pb_peer){48, 0} : peer_of(node, port);
}
static struct pb_peer wired_to_a_port_beyond(const struct pb_network *network, uint32_t node, unsigned port)
{
    (void)network;
    return node == 9 && port == 7 ? (struct pb_peer){peer_of(9, 7).node, 8} : peer_of(node, port);
}
static struct pb_slot two_senders(const struct pb_network *network, uint32_t node, unsigned phase)
{
    struct pb_slot slot = slot_of(node, phase);
    (void)network;
    if (phase == 3 && node == peer_of(1, slot_of(1, 3).port).node)
        slot.role = PB_ROLE_SEND;
    return slot;
}
static struct pb_slot two_listeners(const struct pb_network *network, uint32_t node, unsigned phase)
{
    struct pb_slot slot = slot_of(node, phase);
    (void)network;
    if (phase == 3 && node == 1)
        slot.role = PB_ROLE_LISTEN;
    return slot;
}
static struct pb_slot deaf_peer(const struct pb_network *network, uint32_t node, unsigned phase)
{
    (void)network;
    return phase == 17 && slot_of(node, phase).role == PB_ROLE_LISTEN && node < 12
               ? (struct pb_slot){PB_ROLE_IDLE, 0}
               : slot_of(node, phase);
}
static struct pb_slot port_beyond(const struct pb_network *network, uint32_t node, unsigned phase)
{
    (void)network;
    return phase == 2 && node == 8 ? (struct pb_slot){PB_ROLE_SEND, 8} : slot_of(node, phase);
}
static struct pb_slot unused_phase(const struct pb_network *network, uint32_t node, unsigned phase)
{
    (void)network;
    return phase == 6 ? (struct pb_slot){PB_ROLE_IDLE, 0} : slot_of(node, phase);
}
static struct pb_slot turn_twice(const struct pb_network *network, uint32_t node, unsigned phase)
{
    (void)network;
    return slot_of(node, phase == 5 ? 4 : phase);
}
static uint64_t never_arrives(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                              uint32_t destination)
{
    (void)network;
    return destination == 21 && node != 21 ? 1 : pb_network_wanted(&sound, rule, node, destination);
}
static uint64_t wants_nothing(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                              uint32_t destination)
{
    (void)network;
    return node == 3 && destination == 40 ? 0 : pb_network_wanted(&sound, rule, node, destination);
}
static uint64_t wants_two(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                          uint32_t destination)
{
    (void)network;
    (void)rule;
    return pb_network_wanted(&sound, PB_RULE_OPPORTUNISTIC, node, destination);
}
static uint64_t wants_a_port_beyond(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                                    uint32_t destination)
{
    (void)network;
    return node == 8 && destination == 9 ? UINT64_C(1) << 40
                                         : pb_network_wanted(&sound, rule, node, destination);
}
static uint64_t leaves_its_destination(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                                       uint32_t destination)
{
    (void)network;
    return node == destination && node == 30 ? 4 : pb_network_wanted(&sound, rule, node, destination);
}
/* Dimension order from the highest digit: the phases do not ascend along the route. */
static uint64_t highest_digit_first(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                                    uint32_t destination)
{
    const uint64_t wanted = pb_network_wanted(&sound, PB_RULE_OPPORTUNISTIC, node, destination);
    (void)network;
    return rule == PB_RULE_ECUBE && wanted ? UINT64_C(1) << (63 - __builtin_clzll(wanted)) : wanted;
}
/* Sound by dimension order, and never there by the other rule. */
static uint64_t opportunistic_circle(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                                     uint32_t destination)
{
    (void)network;
    return rule == PB_RULE_OPPORTUNISTIC && node != destination && destination == 1
               ? UINT64_C(1) << 7
               : pb_network_wanted(&sound, rule, node, destination);
}

TEST(networks_that_are_none_are_refused)
{
    static const struct {
        struct pb_network_family change;
        const char *says;
    } cases[] = {
        {{.peer = swapped_ports}, "port 0 of node 0x4 leads to port 0 of node 0x5, which leads to port"},
        {{.peer = wired_to_itself}, "port 0 of node 0x0 leads to the node itself"},
        {{.peer = wired_beyond}, "leads to port 0 of node 0x30"},
        {{.peer = wired_to_a_port_beyond}, "leads to port 8 of node"},
        {{.slot = two_senders}, "both send on the wire between them in phase 3"},
        {{.slot = two_listeners}, "in phase 3, and its peer"},
        {{.slot = deaf_peer}, "in phase 17, and its peer"},
        {{.slot = port_beyond}, "sends on port 8 in phase 2"},
        {{.slot = unused_phase}, "no node sends in phase 6 of 18"},
        {{.slot = turn_twice}, "in 2 phases of a superframe"},
        {{.wanted = never_arrives}, "has made as many hops as the longest route"},
        {{.wanted = wants_nothing}, "is at 0x3 and wants no port"},
        {{.wanted = wants_two}, "wants more than one port"},
        {{.wanted = wants_a_port_beyond}, "wants a port beyond the last"},
        {{.wanted = leaves_its_destination}, "does not end there"},
        {{.wanted = highest_digit_first}, "the bound is 18"},
        {{.wanted = opportunistic_circle}, "the opportunistic route"},
    };
    struct pb_diag diag;

    struct pb_network network = break_one();
    assert_int_equal(pb_network_check(&network, 8, &diag), PB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        network = break_one();
        if (cases[i].change.slot)
            broken.slot = cases[i].change.slot;
        if (cases[i].change.peer)
            broken.peer = cases[i].change.peer;
        if (cases[i].change.wanted)
            broken.wanted = cases[i].change.wanted;
        assert_int_equal(pb_network_check(&network, 8, &diag), PB_ERR_CONFIG);
        if (!strstr(diag.text, cases[i].says))
            fail_msg("case %zu: '%s' lacks '%s'", i, diag.text, cases[i].says);
        assert_null(strchr(diag.text, '\n'));
        assert_true(strlen(diag.text) < sizeof diag.text - 1);
    }
}

TEST(numbers_beyond_their_limits_are_refused)
{
    struct pb_diag diag;
    struct pb_network network = break_one();

    assert_int_equal(pb_network_check(&network, 7, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "has 8 ports a node; the limits are 1 and 7"));
    network.nodes = 65537;
    assert_int_equal(pb_network_check(&network, 8, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "65537 nodes"));
    network = break_one();
    network.phases = 193;
    assert_int_equal(pb_network_check(&network, 8, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "193 phases"));
}

/* ---- text form */

TEST(text_form)
{
    static const struct {
        const char *text;
        const char *says; /* NULL: accepted */
        uint32_t nodes;
        unsigned ports, phases;
    } cases[] = {
        {"cube:1", NULL, 2, 1, 2},
        {"cube:12", NULL, 4096, 12, 24},
        {"cube:0x10", NULL, 65536, 16, 32},
        {"cube:20", NULL, 1048576, 20, 40},
        {"generalised:2", NULL, 2, 1, 2},
        {"generalised:3", NULL, 3, 2, 6},
        {"generalised:4,4,3", NULL, 48, 8, 18},
        {"generalised:0x4,4,3", NULL, 48, 8, 18},
        {"generalised:65", NULL, 65, 64, 130},
        {"generalised:3,3,3,3,3,3,3,3,3,3", NULL, 59049, 20, 60},
        {"generalised:16,16,16,16", NULL, 65536, 60, 120},
        {"generalised:2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2", NULL, 65536, 16, 32},
        {"cube:0", "give 1..20", 0, 0, 0},
        {"cube:21", "give 1..20", 0, 0, 0},
        {"cube:", "give 1..20", 0, 0, 0},
        {"cube:3,3", "give 1..20", 0, 0, 0},
        {"cube:18446744073709551617", "give 1..20", 0, 0, 0},
        {"cube", "no known family", 0, 0, 0},
        {"", "no known family", 0, 0, 0},
        {"torus:4", "cube:N, generalised:R,R,...", 0, 0, 0},
        {"metacube:0,12", NULL, 4096, 12, 24},
        {"metacube:2,2", NULL, 1024, 4, 8},
        {"metacube:2,3", NULL, 16384, 5, 10},
        {"metacube:3,1", NULL, 2048, 4, 8},
        {"metacube:4,1", "classes of 4 bits; give 0..3", 0, 0, 0},
        {"metacube:3,4", "fields of 4 bits; with 3 class bits give 1..3", 0, 0, 0},
        {"metacube:0,28", "fields of 28 bits; with 0 class bits give 1..27", 0, 0, 0},
        {"metacube:2,0", "fields of 0 bits; with 2 class bits give 1..6", 0, 0, 0},
        {"metacube:2", "'2' is no pair of numbers", 0, 0, 0},
        {"metacube:2,2,2", "is no pair of numbers", 0, 0, 0},
        {"metacube:4294967296,1", "is no pair of numbers", 0, 0, 0},
        {"product:ring5,line3,full4", NULL, 60, 7, 16},
        {"product:line2,line64", NULL, 128, 3, 6},
        {"product:xor4,ring3", NULL, 12, 5, 12},
        {"product:", "'' is no digit; give full, ring, line or xor", 0, 0, 0},
        {"product:4", "'4' is no digit", 0, 0, 0},
        {"product:ring", "'ring' is no digit", 0, 0, 0},
        {"product:ring4,", "'' is no digit", 0, 0, 0},
        {"product:ring 4", "'ring 4' is no digit", 0, 0, 0},
        {"product:ring2", "radix 2 of digit 0; a ring has at least 3 values", 0, 0, 0},
        {"product:full4,line1", "radix 1 of digit 1; a digit has at least 2 values", 0, 0, 0},
        {"product:xor6", "radix 6 of digit 0; rounds of XOR need a power of two", 0, 0, 0},
        {"product:line66", "a route has 65 hops; the limit is 64", 0, 0, 0},
        {"product:ring100,ring30", "a route has 65 hops", 0, 0, 0},
        {"product:full66", "has 65 ports; the limit is 64", 0, 0, 0},
        {"product:ring64,ring64,ring64", "the limit of 65536", 0, 0, 0},
        {"product:line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,"
         "line2,"
         "line2",
         "more than 16 digits", 0, 0, 0},
        {"xor:1", NULL, 2, 1, 2},
        {"xor:6", NULL, 64, 63, 126},
        {"xor:7", "give 1..6", 0, 0, 0},
        {"xor:0", "give 1..6", 0, 0, 0},
        {"generalised:", "is no radix", 0, 0, 0},
        {"generalised:4,,3", "is no radix", 0, 0, 0},
        {"generalised:4,4,3,", "is no radix", 0, 0, 0},
        {"generalised:4, 4", "' 4' is no radix", 0, 0, 0},
        {"generalised:-4", "'-4' is no radix", 0, 0, 0},
        {"generalised:4.0", "'4.0' is no radix", 0, 0, 0},
        {"generalised:4294967296", "is no radix", 0, 0, 0},
        {"generalised:4,0", "radix 0 of digit 1; a digit has at least 2 values", 0, 0, 0},
        {"generalised:1,4", "radix 1 of digit 0; a digit has at least 2 values", 0, 0, 0},
        {"generalised:4294967295", "the limit of 65536", 0, 0, 0},
        {"generalised:16,16,16,17", "the limit of 65536", 0, 0, 0},
        {"generalised:2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,3", "the limit of 65536", 0, 0, 0},
        {"generalised:66", "has 65 ports; the limit is 64", 0, 0, 0},
        {"generalised:40,40", "has 78 ports; the limit is 64", 0, 0, 0},
        {"generalised:2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2", "more than 16 digits", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pb_network network = {.nodes = 7};
        struct pb_diag diag = {""};
        const int code = pb_network_parse(&network, cases[i].text, &diag);
        if (cases[i].says) {
            assert_int_equal(code, PB_ERR_ARGUMENT);
            if (!strstr(diag.text, cases[i].says))
                fail_msg("'%s': '%s' lacks '%s'", cases[i].text, diag.text, cases[i].says);
            assert_null(strchr(diag.text, '\n'));
            assert_int_equal(network.nodes, 7);
            continue;
        }
        assert_string_equal(diag.text, "");
        assert_int_equal(code, PB_OK);
        assert_int_equal(network.nodes, cases[i].nodes);
        assert_int_equal(network.ports, cases[i].ports);
        assert_int_equal(network.phases, cases[i].phases);
        assert_int_equal(pb_network_check(&network, PB_NETWORK_PORTS_MAX, &diag), PB_OK);
    }
}

TEST(each_family_has_a_name_and_a_text)
{
    static const char *const row[][2] = {
        {"cube:3", "3 dimensions"},
        {"generalised:4,4,3", "radix 4,4,3"},
        {"generalised:2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2", "radix 2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2"},
        {"product:full4,ring5,line3,xor2", "full4,ring5,line3,xor2"},
        {"product:line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,"
         "line2",
         "line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2,line2"},
        {"xor:3", "xor of 3 bits"},
        {"metacube:3,3", "MC(3,3)"},
        {"metacube:0,5", "MC(0,5)"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_network network;
        char text[PB_NETWORK_TEXT_SIZE];
        assert_int_equal(pb_network_parse(&network, row[i][0], NULL), PB_OK);
        assert_string_equal(pb_network_name(&network, text), row[i][0]);
        assert_string_equal(pb_network_text(&network, text), row[i][1]);
    }
}

/* ---- relatives of the cube */

/* ecube: published figures of MC(1,1), MC(2,1), MC(2,2), and of products. The others, and MC(3,1), were
 * walked over all pairs from all phases, as small networks are in another test. */
TEST(lone_messages_take_the_known_phases)
{
    static const struct {
        const char *text;
        unsigned hops, at_start[2], any_birth[2];
    } row[] = {{"metacube:1,1", 4, {8, 8}, {11, 9}},
               {"metacube:2,1", 8, {24, 24}, {29, 25}},
               {"metacube:2,2", 12, {32, 32}, {39, 35}},
               {"metacube:3,1", 16, {64, 64}, {71, 65}},
               {"product:line8", 7, {14, 14}, {16, 16}},
               {"product:ring5", 2, {10, 10}, {11, 11}},
               {"product:line4,line3,line3", 7, {46, 22}, {57, 24}},
               {"product:ring5,line3,full4", 5, {48, 24}, {61, 31}},
               {"xor:6", 1, {126, 126}, {126, 126}}};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_network network;
        assert_int_equal(pb_network_parse(&network, row[i].text, NULL), PB_OK);
        assert_int_equal(network.hops, row[i].hops);
        for (int rule = 0; rule < PB_RULES; rule++) {
            assert_int_equal(pb_bound_lone_phases(&network, rule, false), row[i].at_start[rule]);
            assert_int_equal(pb_bound_lone_phases(&network, rule, true), row[i].any_birth[rule]);
        }
    }
}

/* The diameter of MC(k, m) is (m + 1) 2^k; MC(3, 3) has 2^27 nodes. */
TEST(metacubes_of_any_size_have_their_diameter)
{
    for (unsigned k = 1; k <= 3; k++)
        for (unsigned m = 1; k + (m << k) <= 27; m++) {
            struct pb_network network;
            uint64_t random = k + 10 * m;
            unsigned longest = 0;
            assert_int_equal(pb_network_metacube(&network, k, m, NULL), PB_OK);
            for (unsigned i = 0; i < 2000; i++) {
                const uint32_t from = below_of(&random, network.nodes);
                /* All bits of all fields differ, and the class by none. */
                const uint32_t to = from ^ ((UINT32_C(1) << (m << k)) - 1);
                const unsigned hops = pb_network_distance(&network, from, to),
                               other = pb_network_distance(&network, from, below_of(&random, network.nodes));
                assert_int_equal(hops, (m + 1) << k);
                longest = other > longest ? other : longest;
            }
            assert_int_equal(network.hops, (m + 1) << k);
            assert_true(longest <= network.hops);
        }
}

TEST(a_metacube_without_classes_is_the_cube)
{
    for (unsigned m = 1; m <= 6; m++) {
        struct pb_network metacube;
        const struct pb_network cube = pb_network_cube(m);
        assert_int_equal(pb_network_metacube(&metacube, 0, m, NULL), PB_OK);
        assert_int_equal(metacube.nodes, cube.nodes);
        assert_int_equal(metacube.phases, cube.phases);
        assert_memory_equal(metacube.lone_phases, cube.lone_phases, sizeof cube.lone_phases);
        for (uint32_t node = 0; node < cube.nodes; node++) {
            for (unsigned phase = 0; phase < cube.phases; phase++)
                assert_true(pb_network_is(&metacube, node, phase, pb_network_slot(&cube, node, phase).role,
                                          pb_network_slot(&cube, node, phase).port));
            for (uint32_t to = 0; to < cube.nodes; to++)
                for (int rule = 0; rule < PB_RULES; rule++)
                    assert_int_equal(pb_network_wanted(&metacube, rule, node, to),
                                     pb_network_wanted(&cube, rule, node, to));
        }
    }
}

/* What the bound of a batch counts by consecutive links relies on. */
TEST(paths_that_part_never_meet_again)
{
    for (size_t i = 0; i < SMALL_NETWORKS; i++) {
        const struct defined defined = small(i);
        const struct pb_network network = built(&defined);
        for (uint32_t node = 0; node < network.nodes; node++)
            for (uint32_t first = 0; first < network.nodes; first++) {
                bool passed[DEFINED_NODES_MAX] = {false};
                for (uint32_t at = node; at != first; passed[at] = true)
                    at = pb_network_neighbour(
                        &network, at, (unsigned)__builtin_ctzll(pb_network_wanted(&network, 0, at, first)));
                for (uint32_t second = 0; second < network.nodes; second++) {
                    bool parted = false;
                    for (uint32_t at = node; at != second;) {
                        const unsigned port =
                            (unsigned)__builtin_ctzll(pb_network_wanted(&network, 0, at, second));
                        parted |= at == first || pb_network_wanted(&network, 0, at, first) != UINT64_C(1)
                                                                                                  << port;
                        at = pb_network_neighbour(&network, at, port);
                        assert_false(parted && passed[at]);
                    }
                }
            }
    }
}

/* ---- traffic patterns */

TEST(patterns_of_bits_need_a_power_of_two)
{
    static const struct {
        const char *network, *pattern;
        const char *says; /* NULL: accepted */
        size_t messages;
    } cases[] = {
        {"generalised:4,4,3", "perm:1", NULL, 48},
        {"generalised:4,4,3", "uniform:1", NULL, 48},
        {"generalised:4,4,3", "hotspot:47", NULL, 48},
        {"generalised:4,4,3", "total", NULL, 48 * 47},
        {"generalised:4,4,3", "hotspot:48", "the limit with radix 4,4,3 is 0x2F", 0},
        {"generalised:4,4,3", "xor:1", "48 nodes, no power of two", 0},
        {"generalised:4,4,3", "xors:1", "no power of two", 0},
        {"generalised:4,4,3", "complement", "no power of two", 0},
        {"generalised:4,4,3", "bitrev", "no power of two", 0},
        {"generalised:4,4,3", "transpose", "no power of two", 0},
        {"generalised:4,4,3", "shuffle", "no power of two", 0},
        {"generalised:4,4,3", "pairs:0", "no power of two", 0},
        {"generalised:4,8", "complement", NULL, 32},
        {"generalised:4,8", "bitrev", NULL, 32},
        {"generalised:4,8", "transpose", "even number of address bits, got 5", 0},
        {"generalised:4,8", "pairs:0", "needs a binary cube, and radix 4,8 makes 10 ports for 5 address bits",
         0},
        {"generalised:2,2,2", "pairs:5", NULL, 3},
        {"generalised:32,32", "total", NULL, 1024 * 1023},
        {"generalised:32,33", "total", "limited to 1024 nodes, got 1056", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pb_network network;
        struct pb_traffic traffic;
        struct pb_diag diag = {""};
        assert_int_equal(pb_network_parse(&network, cases[i].network, NULL), PB_OK);
        const int code = pb_traffic_generate(&traffic, &network, cases[i].pattern, &diag);
        if (cases[i].says) {
            assert_int_equal(code, PB_ERR_ARGUMENT);
            if (!strstr(diag.text, cases[i].says))
                fail_msg("'%s': '%s' lacks '%s'", cases[i].pattern, diag.text, cases[i].says);
        } else {
            assert_int_equal(code, PB_OK);
            for (size_t at = 0; at < traffic.count; at++)
                assert_true(traffic.message[at].source < network.nodes &&
                            traffic.message[at].destination < network.nodes);
        }
        assert_int_equal(traffic.count, cases[i].messages);
        pb_traffic_free(&traffic);
    }
}

TEST(a_traffic_file_names_the_network)
{
    static const char text[] = "0 47\n46 48\n";
    struct pb_network network;
    struct pb_traffic traffic;
    struct pb_diag diag;

    assert_int_equal(pb_network_parse(&network, "generalised:4,4,3", NULL), PB_OK);
    assert_int_equal(pb_traffic_parse_text(&traffic, &network, "t", text, strlen(text), &diag),
                     PB_ERR_CONFIG);
    assert_string_equal(
        diag.text,
        "t:2: destination '48' is not an address of the network; with radix 4,4,3 give 0..47 (0x2F)");
}
