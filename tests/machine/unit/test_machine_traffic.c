/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What feeds a machine: the traffic and its limit, dead parts, and requests that are refused.
 */
#include "tests/machine/unit/machine_fixture.h"
#include "tests/bench/unit/naive_movement.h"

#include <math.h>
#include <string.h>

/* ---- dead parts */

static void free_dead(void *dead)
{
    pb_machine_dead_free(dead);
}

TEST(unreachable_pairs_are_those_whose_path_has_a_dead_part)
{
    uint64_t random = 31;

    for (unsigned run = 0; run < 6 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        static bool dead_node[DEFINED_NODES_MAX], dead_link[DEFINED_NODES_MAX][DEFINED_NODES_MAX];
        struct pb_machine_dead *dead;
        uint64_t pairs, expected = 0;

        memset(dead_node, 0, sizeof dead_node);
        memset(dead_link, 0, sizeof dead_link);
        assert_int_equal(pb_machine_dead_create(&dead, &network), PB_OK);
        for (unsigned i = 0; i < run % 4; i++) {
            const uint32_t node = (uint32_t)(pb_splitmix64(&random) % network.nodes);
            const unsigned port = (unsigned)(pb_splitmix64(&random) % network.ports);
            const uint32_t peer = pb_network_neighbour(&network, node, port);
            if (pb_splitmix64(&random) % 2) {
                pb_machine_kill_node(dead, node);
                dead_node[node] = true;
            } else if (peer != node) {
                pb_machine_kill_link(dead, node, port);
                dead_link[node][peer] = dead_link[peer][node] = true;
            }
        }
        for (uint32_t source = 0; source < network.nodes; source++)
            for (uint32_t destination = 0; destination < network.nodes; destination++) {
                bool lost = dead_node[source];
                for (uint32_t at = source; at != destination;) {
                    const uint32_t to = next_node(&defined, at, destination);
                    lost |= dead_node[to] || dead_link[at][to];
                    at = to;
                }
                if (source == destination)
                    continue;
                assert_int_equal(pb_machine_reaches(dead, source, destination), !lost);
                expected += lost;
            }
        assert_int_equal(pb_machine_unreachable(dead, &pairs, NULL), PB_OK);
        assert_int_equal(pairs, expected);
        pb_machine_dead_free(dead);
    }
}

TEST(messages_for_a_dead_node_are_unreachable_and_it_sends_none)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_dead *dead;

    assert_int_equal(pb_machine_dead_create(&dead, &network), PB_OK);
    hand_over(dead, free_dead);
    pb_machine_kill_node(dead, 5);
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "complement", .batch = 1, .dead = dead},
                                            .run = {.superframes = 10}});
    /* Paths of complement visit 4 nodes each: node 5 is on the paths from 5, 4, 6, 2 and 10 = NOT 5. */
    assert_int_equal(result->completed, 11);
    assert_int_equal(result->unreachable, 4);
    const struct pb_machine_result *open =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "uniform", .load = 0.5, .dead = dead},
                                            .run = {.superframes = 200}});
    assert_int_equal(open->senders, 15);
    assert_true(open->unreachable > 0 && open->completed > 0);
}

/* ---- limits */

static double limit_of(const struct pb_network *network, const struct pb_machine_traffic_options *options,
                       enum pb_rule rule)
{
    struct pb_machine_traffic *traffic;
    double limit;

    assert_succeeds(pb_machine_traffic_create(&traffic, network, options, &diag));
    assert_int_equal(pb_machine_limit(&limit, rule, traffic), PB_OK);
    pb_machine_traffic_free(traffic);
    return limit;
}

TEST(limits_are_the_published_ones)
{
    for (unsigned dims = 1; dims <= 12; dims++) {
        const struct pb_network network = pb_network_cube(dims);
        const double nodes = network.nodes;
        const struct pb_machine_traffic_options uniform = {.pattern = "uniform", .load = 0.1};
        assert_true(fabs(limit_of(&network, &uniform, PB_RULE_ECUBE) - 2 * (nodes - 1) / nodes) < 1e-12);
        const double any_rule = limit_of(&network, &uniform, PB_RULE_OPPORTUNISTIC);
        assert_true(fabs(any_rule - 2 * (nodes - 1) / nodes) < 1e-9);
    }
    const struct pb_network network = pb_network_cube(12);
    static const char *const pattern[] = {"bitrev", "transpose"};
    for (unsigned i = 0; i < 2; i++) {
        const struct pb_machine_traffic_options options = {.pattern = pattern[i], .load = 0.1};
        assert_true(fabs(limit_of(&network, &options, PB_RULE_ECUBE) - 1.0 / 32) < 1e-12);
    }
}

/* Half of the messages of 15 nodes, and 1 / 15 of the others, are 8 that 4 wires bring to the hot node. All
 * links together would carry more: 64 against 16 hops to it and 16 * 32 / 15 to others. */
TEST(under_any_rule_the_links_of_the_hot_node_are_a_limit)
{
    const struct pb_network network = pb_network_cube(4);
    const struct pb_machine_traffic_options hot = {.pattern = "hotspot:6", .load = 0.1, .hot = 0.5},
                                            warm = {.pattern = "hotspot:6", .load = 0.1, .hot = 0.05};
    assert_true(fabs(limit_of(&network, &hot, PB_RULE_OPPORTUNISTIC) - 4.0 / 8) < 1e-12);
    const double to_it = 15 * (0.05 + 0.95 / 15), hops = 0.05 * 32 + 0.95 * 16 * 32 / 15;
    assert_true(4 / to_it > 64 / hops);
    assert_true(fabs(limit_of(&network, &warm, PB_RULE_OPPORTUNISTIC) - 64 / hops) < 1e-12);
}

/* Every pair of nodes sends over its path what it sends of each message of a node. */
TEST(limits_equal_a_count_over_all_pairs)
{
    for (unsigned index = 0; index < SMALL_NETWORKS; index++)
        for (unsigned hot = 0; hot < 3; hot++) {
            const struct defined defined = small(index);
            const struct pb_network network = built(&defined);
            static double load[DEFINED_NODES_MAX][DEFINED_NODES_MAX];
            const double share = hot / 2.0;
            double most = 0;

            memset(load, 0, sizeof load);
            for (uint32_t source = 0; source < network.nodes; source++)
                for (uint32_t destination = 0; destination < network.nodes; destination++)
                    for (uint32_t at = source; at != destination;) {
                        const uint32_t to = next_node(&defined, at, destination);
                        load[at][to] += (destination == 1 ? share : 0) + (1 - share) / (network.nodes - 1);
                        most = load[at][to] > most ? load[at][to] : most;
                        at = to;
                    }
            const struct pb_machine_traffic_options options = {
                .pattern = hot ? "hotspot:1" : "uniform", .load = 0.1, .hot = share};
            assert_true(fabs(limit_of(&network, &options, PB_RULE_ECUBE) * most - 1) < 1e-9);
        }
}

TEST(valiant_halves_the_load_that_a_cube_carries)
{
    const struct pb_network network = pb_network_cube(6);
    const struct pb_machine_traffic_options options = {
        .pattern = "bitrev", .load = 0.1, .valiant = PB_VALIANT_FREE};

    assert_true(fabs(limit_of(&network, &options, PB_RULE_ECUBE) - 1) < 1e-12);
}

/* ---- rates */

TEST(rates_bursts_and_shares_are_those_of_the_options)
{
    const struct pb_network network = pb_network_cube(5);
    const struct pb_machine_traffic_options traffic[] = {
        {.pattern = "uniform", .load = 0.3, .seed = 1},
        {.pattern = "uniform", .load = 1.6, .seed = 2},
        {.pattern = "uniform", .load = 1.2, .burst = 4, .seed = 3},
        {.pattern = "uniform:9", .load = 0.7, .any_phase = true, .seed = 4},
    };
    for (size_t i = 0; i < COUNT(traffic); i++) {
        const struct pb_machine_result *result = ran(
            &network, &(struct machine_run){.traffic = traffic[i], .run = {.superframes = 5000}});
        /* 160,000 chances; bursts have four times the variance. */
        assert_true(fabs((double)result->offered / (32 * 5000) - traffic[i].load) < 0.015);
    }
    /* Half of the messages go to node 3, and 1 / 31 of the other half of those of other nodes. */
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){
                          .traffic = {.pattern = "hotspot:3", .load = 0.02, .hot = 0.5, .seed = 5},
                          .run = {.superframes = 20000}});
    double into = 0;
    for (unsigned port = 0; port < 5; port++)
        into += result->link[pb_network_neighbour(&network, 3, port) * 5 + port] * result->superframes;
    const double to = into / (double)result->completed, passing = 0.5 * 5 / 2 * 32 / 31 / 32;
    assert_true(to > 0.5 && to < 0.52 + passing);
}

/* "uniform:9" is uniform traffic of seed 9, in place of that of the options. */
TEST(a_pattern_may_have_the_seed)
{
    static const struct {
        const char *pattern;
        uint64_t seed;
    } of[] = {{"uniform:9", 4}, {"uniform", 9}, {"uniform", 4}};
    const struct pb_network network = pb_network_cube(4);
    const struct pb_machine_result *result[COUNT(of)];

    for (size_t i = 0; i < COUNT(of); i++)
        result[i] =
            ran(&network,
                &(struct machine_run){.traffic = {.pattern = of[i].pattern, .load = 0.7, .seed = of[i].seed},
                                      .run = {.superframes = 50}});
    assert_equal_result(&network, result[0], result[1]);
    assert_int_not_equal(result[0]->crossings, result[2]->crossings);
}

/* ---- refused */

static void refuses_as(int code, const struct pb_machine_traffic_options *options, const char *why)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_traffic *traffic;
    struct pb_diag diag = {""};

    assert_int_equal(pb_machine_traffic_create(&traffic, &network, options, &diag), code);
    assert_null(traffic);
    if (!strstr(diag.text, why))
        fail_msg("'%s' does not say '%s'", diag.text, why);
}

static void refuses(const struct pb_machine_traffic_options *options, const char *why)
{
    refuses_as(PB_ERR_ARGUMENT, options, why);
}

TEST(wrong_traffic_is_refused)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_message message = {.source = 5, .destination = 1};
    const struct pb_traffic trace = {.message = &message, .count = 1};
    struct pb_machine_dead *dead;

    assert_int_equal(pb_machine_dead_create(&dead, &network), PB_OK);
    hand_over(dead, free_dead);
    pb_machine_kill_node(dead, 5);
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform"}, "load 0 is not possible");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .load = 4.5}, "at most 4");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .load = NAN}, "not possible");
    refuses(&(struct pb_machine_traffic_options){.load = 1}, "leave out pattern");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .trace = &trace}, "leave out pattern");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .window = 1, .batch = 1},
            "closed loop");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .window = 1, .load = 1}, "open loop");
    refuses(&(struct pb_machine_traffic_options){.pattern = "hotspot:1", .load = 1, .hot = 1.5}, "0 to 1");
    refuses(&(struct pb_machine_traffic_options){.pattern = "bitrev", .load = 1, .hot = 0.5}, "no hot node");
    refuses(&(struct pb_machine_traffic_options){
                .pattern = "uniform", .load = 1, .valiant = PB_VALIANT_BARRIER},
            "barrier");
    refuses(&(struct pb_machine_traffic_options){.pattern = "uniform", .window = 1, .dead = dead},
            "unreachable");
    refuses(&(struct pb_machine_traffic_options){.pattern = "total", .load = 1}, "as a batch");
    refuses(&(struct pb_machine_traffic_options){.pattern = "nonsense", .load = 1}, "unknown traffic");
    refuses(&(struct pb_machine_traffic_options){.pattern = "xor:0", .load = 1}, "no node sends");
    refuses(&(struct pb_machine_traffic_options){.pattern = "hotspot:5", .load = 1, .dead = dead},
            "0x5 is dead");
    refuses_as(PB_ERR_CONFIG, &(struct pb_machine_traffic_options){.trace = &trace, .dead = dead},
               "message 1 of the trace");
    struct pb_message two[] = {{.source = 1, .destination = 2}, {.source = 5, .destination = 1}};
    const struct pb_traffic second = {.message = two, .count = 2};
    refuses_as(PB_ERR_CONFIG, &(struct pb_machine_traffic_options){.trace = &second, .dead = dead},
               "message 2 of the trace comes from node 0x5");
}

TEST(a_trace_has_the_release_of_each_message)
{
    static const char text[] = "# source destination superframe phase\n1 2\n0x3 4 7\n\n5 6 8 3 # late\n";
    static const struct {
        const char *text, *why;
    } wrong[] = {{"1 2 x\n", "t:1: superframe 'x'"},
                 {"1 2\n3 4 5 8\n", "t:2: phase '8' is out of range; give 0..7"},
                 {"1 2 3 4 5\n", "t:1: '5' follows the phase"},
                 {"1 16\n", "t:1: destination"},
                 {"1\n", "t:1: the destination is missing"}};
    const struct pb_network network = pb_network_cube(4);
    struct pb_traffic trace;
    struct pb_diag diag;

    assert_int_equal(pb_traffic_parse_trace(&trace, &network, "t", text, strlen(text), &diag), PB_OK);
    assert_int_equal(trace.count, 3);
    assert_int_equal(trace.message[0].release_superframe, 0);
    assert_int_equal(trace.message[1].source, 3);
    assert_int_equal(trace.message[1].release_superframe, 7);
    assert_int_equal(trace.message[1].release_phase, 0);
    assert_int_equal(trace.message[2].release_superframe, 8);
    assert_int_equal(trace.message[2].release_phase, 3);
    pb_traffic_free(&trace);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(
            pb_traffic_parse_trace(&trace, &network, "t", wrong[i].text, strlen(wrong[i].text), &diag),
            PB_ERR_CONFIG);
        if (!strstr(diag.text, wrong[i].why))
            fail_msg("'%s' does not say '%s'", diag.text, wrong[i].why);
    }
}

TEST(more_load_and_more_superframes_may_need_more_memory)
{
    const struct pb_network network = pb_network_cube(12);
    const struct pb_machine_options run = {.network = &network, .superframes = 500};
    const struct pb_machine_options longer = {.network = &network, .superframes = 5000};
    const struct pb_machine_traffic_options low = {.pattern = "uniform", .load = 0.5},
                                            high = {.pattern = "uniform", .load = 3};

    /* 4,096 nodes keep one message more in each of 1,000 superframes, of at least 40 bytes each. */
    assert_true(pb_machine_bytes(&run, &high, 2) > UINT64_C(4096) * 1000 * 40);
    assert_true(pb_machine_bytes(&longer, &high, 2) > 9 * pb_machine_bytes(&run, &high, 2));
    assert_true(pb_machine_bytes(&run, &low, 2) < UINT64_C(20000000));
}

TEST(bursts_and_windows_need_the_memory_of_all_their_messages)
{
    const struct pb_network network = pb_network_cube(12);
    const struct pb_machine_options run = {.network = &network, .superframes = 5000};
    const struct pb_machine_traffic_options bursts = {.pattern = "complement", .load = 0.5, .burst = 1000},
                                            anywhere = {.pattern = "uniform", .load = 0.5, .burst = 1000},
                                            window = {.pattern = "uniform", .window = 65};

    /* A burst leaves at one port, a message a superframe, so it waits for half of its length at least: 250
     * messages in each node, of at least 40 bytes. If the next burst came always before it has left, there
     * would be twice as many, and of 150 bytes they need 300 MB. */
    assert_in_range(pb_machine_bytes(&run, &bursts, 1), UINT64_C(4096) * 250 * 40, 350000000);
    /* Anywhere, half of a burst leaves at the first port, a quarter at the next: as if a third of it did. */
    assert_in_range(pb_machine_bytes(&run, &anywhere, 2), UINT64_C(4096) * 83 * 40, 110000000);
    /* All requests are released in superframe 0, of which arrays that double have room for 2^19: 32 bytes for
     * each release, twice, and 40 for each in flight, with a record of as many for its answer. */
    assert_true(pb_machine_bytes(&run, &window, 0) > (UINT64_C(1) << 19) * (2 * 32 + 2 * 40));
}
