/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Topology, schedule and lone routes, against the published worked examples, the closed formulas, and a plain
 * phase-by-phase walk that is written apart from the code under test.
 *
 * evidence: schedule, routes, loads, bounds
 *   checked against brute force and published figures for n = 1 … 12
 *   also: test_flow, test_flow_results, test_traffic
 */
#include "phasebench/cube.h"
#include "tests/bench/unit/tests.h"

/* The binary cube as an argument; it lives as long as the block. */
#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static struct pb_route route_of(unsigned dims, enum pb_rule rule, uint32_t source, uint32_t destination,
                                unsigned birth)
{
    struct pb_route route;
    pb_route_lone(&route, CUBE(dims), rule, source, destination, birth);
    return route;
}

TEST(schedule_gives_each_directed_link_one_phase)
{
    for (unsigned dims = 1; dims <= 6; dims++) {
        assert_int_equal(pb_cube_nodes(dims), 1 << dims);
        assert_int_equal(pb_cube_phases(dims), 2 * dims);
        for (uint32_t node = 0; node < pb_cube_nodes(dims); node++) {
            unsigned sending = 0;
            for (unsigned phase = 0; phase < 2 * dims; phase++) {
                unsigned dimension = pb_phase_dimension(phase);
                uint32_t peer = pb_neighbour(node, dimension);
                sending += pb_sends(node, phase);
                assert_int_not_equal(pb_sends(node, phase), pb_sends(peer, phase));
                assert_int_equal(pb_sends(node, phase), pb_send_phase(node, dimension) == phase);
                /* Even phases carry low to high: the sender is the smaller address. */
                if (pb_sends(node, phase))
                    assert_int_equal(node < peer, phase % 2 == 0);
            }
            assert_int_equal(sending, dims);
        }
    }
}

/* The published example, with the dimension the page omits (bit 7 of 0xBBF). */
TEST(worked_example_has_ten_hops)
{
    static const unsigned phases[] = {1, 3, 4, 6, 8, 11, 15, 16, 19, 22};
    static const uint32_t nodes[] = {0x2A3, 0x2A2, 0x2A0, 0x2A4, 0x2AC, 0x2BC,
                                     0x29C, 0x21C, 0x31C, 0x11C, 0x91C};
    struct pb_route route = route_of(12, PB_RULE_ECUBE, 0x2A3, 0x91C, 0);

    assert_int_equal(route.hops, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(route.hop[i].phase, phases[i]);
        assert_int_equal(route.hop[i].port, phases[i] / 2);
        assert_int_equal(route.hop[i].superframe, 0);
        assert_int_equal(route.hop[i].from, nodes[i]);
        assert_int_equal(route.hop[i].to, nodes[i + 1]);
    }
    assert_int_equal(route.latency_phases, 23);
}

TEST(corner_to_corner_uses_one_parity)
{
    struct pb_route down = route_of(12, PB_RULE_ECUBE, 0xFFF, 0x000, 0);
    struct pb_route up = route_of(12, PB_RULE_ECUBE, 0x000, 0xFFF, 0);

    assert_int_equal(down.hops, 12);
    assert_int_equal(up.hops, 12);
    for (unsigned d = 0; d < 12; d++) {
        assert_int_equal(down.hop[d].phase, 2 * d + 1);
        assert_int_equal(up.hop[d].phase, 2 * d);
    }
    assert_int_equal(down.latency_phases, 24);
    assert_int_equal(up.latency_phases, 23);
}

TEST(own_address_needs_no_hop)
{
    struct pb_route route = route_of(12, PB_RULE_OPPORTUNISTIC, 0x2A3, 0x2A3, 7);

    assert_int_equal(route.hops, 0);
    assert_int_equal(route.latency_phases, 0);
}

TEST(worst_birth_takes_47_phases)
{
    struct pb_route late = route_of(12, PB_RULE_ECUBE, 0x800, 0x800 ^ 0x801, 1);
    struct pb_route any_order = route_of(12, PB_RULE_OPPORTUNISTIC, 0x800, 0x800 ^ 0x801, 1);

    assert_int_equal(late.latency_phases, 47);
    assert_int_equal(late.hop[0].superframe, 1);
    assert_int_equal(late.hop[0].phase, 0);
    assert_int_equal(late.hop[1].phase, 23);
    assert_int_equal(any_order.latency_phases, 24);
    assert_int_equal(any_order.hop[0].port, 11);
}

/* One message, one phase after the other: cross when this phase's dimension may be crossed now. */
static void check_by_walking(unsigned dims, enum pb_rule rule, uint32_t source, uint32_t destination,
                             unsigned birth)
{
    struct pb_route route = route_of(dims, rule, source, destination, birth);
    uint32_t at = source;
    unsigned hops = 0, ended = birth;

    for (unsigned now = birth; at != destination; now++) {
        unsigned phase = now % (2 * dims), dimension = phase / 2;
        uint32_t bit = 1u << dimension, differing = at ^ destination;
        int lower_bits_done = (differing & (bit - 1)) == 0;

        assert_true(now < birth + 4 * dims);
        if (!(differing & bit) || ((at & bit) != 0) != (phase % 2) ||
            (rule == PB_RULE_ECUBE && !lower_bits_done))
            continue;
        assert_true(hops < route.hops);
        assert_int_equal(route.hop[hops].superframe, now / (2 * dims));
        assert_int_equal(route.hop[hops].phase, phase);
        assert_int_equal(route.hop[hops].port, dimension);
        assert_int_equal(route.hop[hops].from, at);
        at ^= bit;
        assert_int_equal(route.hop[hops].to, at);
        hops++;
        ended = now + 1;
    }
    assert_int_equal(route.hops, hops);
    assert_int_equal(route.latency_phases, ended - birth);
}

TEST(routes_equal_a_walk_and_bounds_are_tight)
{
    for (unsigned dims = 1; dims <= 5; dims++) {
        for (int rule = PB_RULE_ECUBE; rule <= PB_RULE_OPPORTUNISTIC; rule++) {
            unsigned worst_at_start = 0, worst = 0;
            for (uint32_t source = 0; source < 1u << dims; source++) {
                for (uint32_t destination = 0; destination < 1u << dims; destination++) {
                    for (unsigned birth = 0; birth < 2 * dims; birth++) {
                        check_by_walking(dims, (enum pb_rule)rule, source, destination, birth);
                        unsigned latency =
                            route_of(dims, (enum pb_rule)rule, source, destination, birth).latency_phases;
                        worst = latency > worst ? latency : worst;
                        if (birth == 0 && latency > worst_at_start)
                            worst_at_start = latency;
                    }
                }
            }
            assert_int_equal(pb_bound_lone_phases(CUBE(dims), (enum pb_rule)rule, false), worst_at_start);
            assert_int_equal(pb_bound_lone_phases(CUBE(dims), (enum pb_rule)rule, true), worst);
        }
    }
}

TEST(bounds_at_twelve_dimensions)
{
    assert_int_equal(pb_bound_lone_phases(CUBE(12), PB_RULE_ECUBE, false), 24);
    assert_int_equal(pb_bound_lone_phases(CUBE(12), PB_RULE_ECUBE, true), 47);
    assert_int_equal(pb_bound_lone_phases(CUBE(12), PB_RULE_OPPORTUNISTIC, false), 24);
    assert_int_equal(pb_bound_lone_phases(CUBE(12), PB_RULE_OPPORTUNISTIC, true), 24);
}

/* With f1 and f0 the phases of the first and the last hop from the superframe start, a message born in phase
 * p needs f0 - p + 1 phases when p <= f1, else 2n more. They depend on the lowest and highest differing bit
 * and on the source's bits there alone, so four sources represent all 4096. */
TEST(latencies_follow_the_closed_formulas)
{
    uint64_t pairs = 0, births = 0, missed = 0, sum_start = 0, sum_any = 0;
    unsigned worst = 0;

    for (uint32_t differing = 1; differing < 4096; differing++) {
        unsigned low = (unsigned)__builtin_ctz(differing), high = 31 - (unsigned)__builtin_clz(differing);
        for (unsigned bits = 0; bits < 4; bits++) {
            /* Lone dimension: both choices of the other bit represent the same two sources. */
            uint32_t first = bits & 1, last = low == high ? first : bits >> 1;
            uint32_t others = (differing * 0x9E5u) & 0xFFF & ~(1u << low | 1u << high);
            uint32_t source = others | first << low | last << high;
            unsigned f1 = 2 * low + first, f0 = 2 * high + last;
            for (unsigned birth = 0; birth < 24; birth++) {
                unsigned expected = birth <= f1 ? f0 - birth + 1 : 24 + f0 - birth + 1;
                unsigned latency =
                    route_of(12, PB_RULE_ECUBE, source, source ^ differing, birth).latency_phases;
                assert_int_equal(latency, expected);
                assert_true(
                    route_of(12, PB_RULE_OPPORTUNISTIC, source, source ^ differing, birth).latency_phases <=
                    24);
                worst = latency > worst ? latency : worst;
                missed += birth > f1;
                sum_any += latency;
                births++;
                if (birth == 0) {
                    assert_int_equal(latency, 2 * high + last + 1);
                    sum_start += latency;
                    pairs++;
                }
            }
        }
    }
    assert_int_equal(worst, 47);
    /* Published means, to their last digit: 21.506 and 30.512 phases; 85.4 % miss the superframe of birth. */
    assert_int_equal((sum_start * 1000 + pairs / 2) / pairs, 21506);
    assert_int_equal((sum_any * 1000 + births / 2) / births, 30512);
    assert_int_equal((missed * 1000 + births / 2) / births, 854);
}

TEST(rules_have_names)
{
    assert_string_equal(pb_rule_name(PB_RULE_ECUBE), "ecube");
    assert_string_equal(pb_rule_name(PB_RULE_OPPORTUNISTIC), "opportunistic");
}
