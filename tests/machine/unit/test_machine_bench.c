/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Real nodes in a machine, on the simulated rig. Sound ones change nothing: each crossing is that of the
 * mover. One that has less room than it says changes what the others do exactly as in the naive movement with
 * that room. Of several, only those are blamed that do something else.
 *
 * evidence: real nodes among computed ones that react to them
 *   simulated: each crossing, of native, reference and contract nodes at 1 to 16 places of cubes and mixed
 *   networks, as of the mover; of a lossy one as of the naive movement; on no board yet
 */
#include "host/machine/counters.h"
#include "tests/bench/unit/naive_movement.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/machine/unit/machine_fixture.h"

#include "phasebench/machine_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAST "console_baud: 1 Mbaud"
#define RIG "sim:?clock=12MHz"
#define STARC ", codec: starc, phase_rate: 1 kHz"

/* ---- runs with real nodes */

static struct pb_scenario *scenario_of(const char *network, const char *link, const char *nodes)
{
    return parse_scenario(formatted("%s\nlink: {" FAST "%s}\nnodes: [%s]\ntraffic: [{from: 0, to: 1}]\n",
                                    network, link, nodes));
}

static const struct pb_machine_result *run_real(const struct pb_scenario *scenario, struct machine_run run)
{
    const struct pb_run_options options = {.rig_url = RIG};
    struct pb_machine_bench *bench;
    assert_succeeds(pb_machine_bench_open(&bench, scenario, &options, &diag));
    run.run.engine = PB_ENGINE_BENCH;
    run.run.bench = bench;
    run.run.rule = scenario->rule;
    const struct pb_machine_result *result = ran(&scenario->network, &run);
    pb_machine_bench_close(bench);
    return result;
}

static bool same_crossing(const struct pb_crossing *a, const struct pb_crossing *b)
{
    return a->superframe == b->superframe && a->phase == b->phase && a->from == b->from && a->to == b->to &&
           a->last == b->last && a->source == b->source && a->destination == b->destination &&
           a->sequence == b->sequence && a->release_superframe == b->release_superframe;
}

static void assert_same(const struct crossings *real, const struct pb_crossing *expected, size_t count)
{
    for (size_t i = 0; i < count && i < real->count; i++)
        if (!same_crossing(&real->crossing[i], &expected[i]))
            fail_msg("crossing %zu: superframe %u, phase %u, 0x%X to 0x%X, and 0x%X to 0x%X is due", i,
                     expected[i].superframe, expected[i].phase, real->crossing[i].from, real->crossing[i].to,
                     expected[i].from, expected[i].to);
    assert_int_equal(real->count, count);
}

/* ---- sound nodes */

static void assert_as_mover(const struct pb_scenario *scenario, struct machine_run run)
{
    struct crossings real = {0}, moved = {0};
    run.run.visit = keep_crossing;
    run.run.context = &real;
    const struct pb_machine_result *const result = run_real(scenario, run);

    run.run.context = &moved;
    run.run.rule = scenario->rule;
    const struct pb_machine_result *const slot = ran(&scenario->network, &run);
    assert_same(&real, moved.crossing, moved.count);
    assert_int_equal(result->completed, slot->completed);
    assert_int_equal(result->dropped, slot->dropped);
    assert_int_equal(result->max_occupancy, slot->max_occupancy);
    assert_int_equal(result->max_queue, slot->max_queue);
    assert_true(result->latency.mean == slot->latency.mean || !slot->completed);
    assert_int_equal(result->seen.findings, 0);
    assert_int_equal(result->seen.behind, 0);
    assert_int_equal(result->seen.late + result->seen.lost + result->seen.wrong + result->seen.unjudged, 0);

    /* Frames of real nodes, counted among the crossings. */
    uint64_t frames = 0;
    for (size_t i = 0; i < moved.count; i++)
        for (unsigned node = 0; node < scenario->node_count; node++)
            frames += moved.crossing[i].from == scenario->node[node].address;
    assert_int_equal(result->seen.frames, frames);
    free(real.crossing);
    free(moved.crossing);
}

TEST(sound_nodes_do_what_the_mover_does)
{
    static const struct {
        const char *network, *link, *nodes, *pattern;
        double load;
        unsigned window, batch;
    } cases[] = {
        {"cube: {dims: 1}", "", "{address: 1}", "uniform", 1, 0, 0},
        {"cube: {dims: 2, rule: opportunistic}", "", "{address: 2, kind: contract}, {address: 1}", "uniform",
         2, 0, 0},
        {"cube: {dims: 4}", "", "{address: 5}, {address: 4, kind: contract}, {address: 10, kind: ref}",
         "uniform", 1.5, 0, 0},
        {"cube: {dims: 4}", "", "{address: 0}", "uniform", 0, 4, 0},
        {"cube: {dims: 6}", "", "{address: 9}, {address: 54}", "bitrev", 0, 0, 5},
        {"cube: {dims: 12}", "", "{address: 0x2A3}", "complement", 1, 0, 0},
        {"network: {family: generalised, radix: [3, 2, 4]}", "", "{address: 3}, {address: 4}, {address: 23}",
         "uniform", 1, 0, 0},
        {"cube: {dims: 3}", STARC, "{address: 3}, {address: 6}", "uniform", 1, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        print_message("case %zu\n", i);
        assert_as_mover(scenario_of(cases[i].network, cases[i].link, cases[i].nodes),
                        (struct machine_run){.traffic = {.pattern = cases[i].pattern,
                                                         .load = cases[i].load,
                                                         .window = cases[i].window,
                                                         .batch = cases[i].batch,
                                                         .seed = i + 1},
                                             .run = {.superframes = cases[i].batch ? 1000 : 14}});
    }
}

TEST(all_nodes_may_be_real)
{
    char nodes[16 * 20] = "";
    for (unsigned node = 0, at = 0; node < 16; node++)
        at += (unsigned)snprintf(nodes + at, sizeof nodes - at, "%s{address: %u}", node ? ", " : "", node);
    assert_as_mover(
        scenario_of("cube: {dims: 4}", "", nodes),
        (struct machine_run){.traffic = {.pattern = "complement", .batch = 2}, .run = {.superframes = 50}});
}

/* A node gets its reset between two runs, and then holds nothing of the one before. */
TEST(one_rig_runs_several_loads)
{
    const struct pb_scenario *const scenario =
        scenario_of("cube: {dims: 3}", "", "{address: 3}, {address: 4}");
    const struct pb_run_options options = {.rig_url = RIG};
    struct pb_machine_bench *bench;
    assert_succeeds(pb_machine_bench_open(&bench, scenario, &options, &diag));
    for (unsigned run = 0; run < 3; run++) {
        const struct pb_machine_result *const result =
            ran(&scenario->network,
                &(struct machine_run){.traffic = {.pattern = "uniform", .load = 3, .seed = run},
                                      .run = {.engine = PB_ENGINE_BENCH, .bench = bench, .superframes = 15}});
        assert_int_equal(result->seen.findings, 0);
        assert_true(result->seen.frames > 20);
    }
    pb_machine_bench_close(bench);
}

/* ---- a node that loses messages, and what the others make of it */

/* The defect small_room: one message. */
static void assert_as_naive(const struct defined *defined, const char *network, enum pb_rule rule,
                            uint32_t lossy, uint64_t *random)
{
    struct naive naive = {.defined = defined, .rule = rule, .room = {.node = lossy, .in_all = 1}};
    struct pb_traffic traffic = {0};
    struct crossings real = {0};
    for (unsigned i = 0; i < NAIVE_MESSAGES_MAX / 2; i++) {
        const uint32_t source = below_of(random, defined->nodes);
        const struct pb_message message = {
            source, (source + 1 + below_of(random, defined->nodes - 1)) % defined->nodes,
            below_of(random, NAIVE_RELEASES), 0};
        assert_succeeds(pb_traffic_add(&traffic, &message));
    }
    naive.traffic = &traffic;
    simulate_naively(&naive, NAIVE_SUPERFRAMES);

    const struct pb_scenario *const scenario =
        scenario_of(formatted("%s%s}", network, rule == PB_RULE_ECUBE ? "" : ", rule: opportunistic"), "",
                    formatted("{address: %u, kind: contract, defect: small_room}", (unsigned)lossy));
    const struct pb_machine_result *const result = run_real(
        scenario,
        (struct machine_run){.traffic = {.trace = &traffic},
                             .run = {.superframes = 1000, .visit = keep_crossing, .context = &real}});
    assert_same(&real, naive.record.crossing, naive.record.count);
    assert_int_equal(result->dropped, naive.drops);
    assert_int_equal(result->completed, naive.delivered);
    assert_int_equal(result->seen.behind, 0);
    assert_true(!naive.drops == !result->seen.findings);
    for (unsigned i = 0; i < result->seen.findings && i < PB_MACHINE_FINDINGS_MAX; i++)
        assert_int_equal(result->seen.first[i].node, lossy);
    free(real.crossing);
    pb_traffic_free(&traffic);
}

TEST(the_others_react_to_what_one_node_loses)
{
    uint64_t random = 7;
    for (unsigned i = 0; i < 12; i++) {
        const bool cube = i % 3 != 2;
        const struct defined defined =
            cube ? define((const unsigned[]){2, 2, 2}, 3) : define((const unsigned[]){3, 2}, 2);
        print_message("case %u\n", i);
        assert_as_naive(&defined, cube ? "cube: {dims: 3" : "network: {family: generalised, radix: [3, 2]",
                        i % 2 ? PB_RULE_OPPORTUNISTIC : PB_RULE_ECUBE, below_of(&random, defined.nodes),
                        &random);
    }
}

/* 78 messages of nodes 1, 2 and 4 go to node 8 over node 0, which gets three in a superframe, sends one. */
static const struct pb_machine_result *fill(const char *node, struct pb_flow_room room, struct naive *naive)
{
    static struct pb_traffic traffic;
    const struct defined defined = define((const unsigned[]){2, 2, 2, 2}, 4);
    struct crossings real = {0};
    pb_traffic_free(&traffic);
    traffic = (struct pb_traffic){0};
    for (unsigned i = 0; i < 78; i++)
        assert_succeeds(pb_traffic_add(&traffic, &(struct pb_message){1u << i % 3, 8, 0, 0}));
    *naive = (struct naive){.defined = &defined, .rule = PB_RULE_ECUBE, .room = room, .traffic = &traffic};
    simulate_naively(naive, NAIVE_SUPERFRAMES);
    const struct pb_machine_result *const result = run_real(
        scenario_of("cube: {dims: 4}", "", node),
        (struct machine_run){.traffic = {.trace = &traffic},
                             .run = {.superframes = 1000, .visit = keep_crossing, .context = &real}});
    if (room.in_all || room.per_dimension)
        assert_same(&real, naive->record.crossing, naive->record.count);
    free(real.crossing);
    pb_traffic_free(&traffic);
    traffic = (struct pb_traffic){0};
    return result;
}

TEST(a_sound_node_that_is_full_loses_what_it_has_to)
{
    static const struct {
        const char *node;
        struct pb_flow_room room;
    } row[] = {{"{address: 0, kind: ref}", {.per_dimension = 32}},
               {"{address: 0, kind: native}", {.in_all = 40}},
               {"{address: 0, kind: contract}", {.in_all = 40}},
               {"{address: 0, kind: 'elf:build/ag32/node.elf', room: 40}", {.in_all = 40}}};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct naive naive;
        const struct pb_machine_result *const result = fill(row[i].node, row[i].room, &naive);
        assert_true(naive.drops > 0);
        assert_int_equal(result->dropped, naive.drops);
        assert_int_equal(result->seen.findings, 0);
        assert_int_equal(result->seen.unjudged, 0);
    }
}

/* No wire of a machine has a fault; the phase clock waits, and a full node answers -full. */
TEST(counters_of_faults_are_0)
{
    static const struct {
        const char *more;
        const char *says; /* NULL: sound */
    } row[] = {{"", NULL},
               {" rx_crc_errors=0 missed_edges=12 console_errors=3", NULL},
               {" rx_crc_errors=5", "says rx_crc_errors=5 in the end, and its wires"},
               {" rx_framing_errors=1 edges=5", "says rx_framing_errors=1 in the end"},
               {" alignment_errors=A", "says alignment_errors=A in the end"},
               {" rx_bad_destinations=", "says rx_bad_destinations= in the end"}};
    const struct pb_counters seen = {1, 2, 3, 4, 5};
    for (size_t i = 0; i < COUNT(row); i++) {
        char text[PB_COUNTERS_TEXT_SIZE] = "";
        const char *const answer =
            formatted("+T own_messages=1 tx_frames=2 forwarded=3 delivered=4 queue_drops=5%s", row[i].more);
        assert_true(pb_counters_fit(&seen, false, answer, text));
        assert_int_equal(pb_counters_fit(&seen, true, answer, text), !row[i].says);
        if (row[i].says && !strstr(text, row[i].says))
            fail_msg("'%s' lacks '%s'", text, row[i].says);
    }
}

TEST(a_node_of_unknown_room_is_not_blamed_for_it)
{
    struct naive naive;
    const struct pb_machine_result *const result =
        fill("{address: 0, kind: 'elf:build/ag32/node.elf'}", (struct pb_flow_room){0}, &naive);
    assert_true(result->dropped > 0);
    assert_int_equal(result->seen.findings, 0);
    assert_int_equal(result->seen.unjudged, 1);
}

/* ---- who is blamed */

static void assert_blames_only(uint32_t broken, const struct pb_machine_result *result)
{
    for (unsigned i = 0; i < result->seen.findings && i < PB_MACHINE_FINDINGS_MAX; i++)
        if (result->seen.first[i].node != broken)
            fail_msg("superframe %u, phase %d: node 0x%X %s", result->seen.first[i].superframe,
                     result->seen.first[i].phase, result->seen.first[i].node, result->seen.first[i].text);
}

TEST(only_the_broken_one_of_several_is_blamed)
{
    static const char *const defects[] = {"drops_frame",
                                          "skips_phase",
                                          "wrong_crc",
                                          "last_first",
                                          "swapped_links",
                                          "wrong_order",
                                          "neighbours_phase",
                                          "alters_payload",
                                          "sends_idle",
                                          "babble",
                                          "forwards_own",
                                          "deaf",
                                          "short_stop",
                                          "byte_pause",
                                          "wrong_crc, defect_every: 7",
                                          "flipped_bit, defect_every: 5"};
    /* The broken one is node 0, whose messages reach real nodes at once, over a computed node, and later. */
    static const char *const others[] = {
        "{address: 6}, {address: 14}, {address: 1}", "{address: 3, kind: contract}, {address: 5}",
        "{address: 1}, {address: 2}, {address: 3}, {address: 4}, {address: 7}"};
    uint64_t behind = 0;
    for (unsigned i = 0; i < COUNT(defects); i++) {
        print_message("%s\n", defects[i]);
        const struct pb_scenario *const scenario = scenario_of(
            "cube: {dims: 4}", "",
            formatted("{address: 0, kind: contract, defect: %s}, %s", defects[i], others[i % COUNT(others)]));
        const struct pb_machine_result *const result =
            run_real(scenario, (struct machine_run){.traffic = {.pattern = "uniform", .load = 1.2, .seed = i},
                                                    .run = {.superframes = 14}});
        assert_true(result->seen.findings > 0);
        assert_blames_only(0, result);
        behind += result->seen.behind;
    }
    assert_true(behind > 0);
}

/* Node 0 sends the newer message first, in superframes of 2 phases for each dimension. */
static const struct pb_machine_result *run_last_first(const char *network, const char *others,
                                                      struct pb_message first, struct pb_message second)
{
    struct pb_traffic traffic = {0};
    assert_succeeds(pb_traffic_add(&traffic, &first));
    assert_succeeds(pb_traffic_add(&traffic, &second));
    const struct pb_machine_result *const result = run_real(
        scenario_of(network, "", formatted("{address: 0, kind: contract, defect: last_first}%s", others)),
        (struct machine_run){.traffic = {.trace = &traffic}, .run = {.superframes = 20}});
    pb_traffic_free(&traffic);
    assert_true(result->finished);
    assert_blames_only(0, result);
    return result;
}

TEST(a_message_that_comes_a_superframe_late_arrives)
{
    const struct pb_machine_result *const result = run_last_first(
        "cube: {dims: 3}", "", (struct pb_message){0, 1, 0, 0}, (struct pb_message){0, 1, 0, 0});
    assert_int_equal(result->completed, 2);
    assert_int_equal(result->latency_min, 1);
    assert_int_equal(result->latency_max, 6 + 1);
    assert_int_equal(result->seen.late, 1);
    assert_int_equal(result->seen.lost, 0);
    assert_int_equal(result->seen.findings, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(result->seen.first[i].superframe, i);
        assert_int_equal(result->seen.first[i].phase, 0);
    }
}

/* Node 2, which is computed, gets the first message, and node 6 from it at once. The second one, for node 2,
 * was sent in its place: it is in no node any more. */
TEST(what_was_sent_in_place_of_a_message_that_others_have_is_lost)
{
    const struct pb_machine_result *const result =
        run_last_first("cube: {dims: 4}", ", {address: 6}", (struct pb_message){0, 14, 0, 0},
                       (struct pb_message){0, 2, 0, 0});
    assert_int_equal(result->seen.behind, 1);
    assert_int_equal(result->completed, 1);
    assert_int_equal(result->latency_max, 7); /* over dimensions 1, 2 and 3 */
    assert_int_equal(result->dropped, 1);
    assert_int_equal(result->seen.lost, 1);
}

/* All frames are right; what the node says of them is not. */
TEST(counters_that_are_wrong_are_found_at_the_end)
{
    const struct pb_machine_result *const result = run_real(
        scenario_of("cube: {dims: 3}", "",
                    "{address: 1}, {address: 5, kind: contract, defect: counts_wrong}"),
        (struct machine_run){.traffic = {.pattern = "uniform", .load = 1}, .run = {.superframes = 5}});
    assert_int_equal(result->seen.findings, 1);
    assert_blames_only(5, result);
    assert_int_equal(result->seen.first[0].phase, -1);
    assert_non_null(strstr(result->seen.first[0].text, "in the end, and its wires showed"));
}

/* C4: the number of its message, which another answer has not. */
TEST(a_wrong_number_in_an_answer_is_found)
{
    const struct pb_scenario *const scenario = scenario_of(
        "cube: {dims: 3}", "", "{address: 1}, {address: 5, kind: contract, defect: wrong_answer}");
    const struct pb_machine_result *const result =
        run_real(scenario, (struct machine_run){.traffic = {.pattern = "uniform", .load = 1},
                                                .run = {.superframes = 5}});
    assert_true(result->seen.findings > 0);
    assert_blames_only(5, result);
    assert_int_equal(result->seen.first[0].phase, -1);
    assert_non_null(strstr(result->seen.first[0].text, "C4"));
}

/* What node 0 does not send would reach node 6 in the same superframe, over node 2. Its other messages end at
 * node 8 at once, and at node 4 behind that of node 4 itself. */
TEST(what_reaches_another_real_node_at_once_is_said)
{
    static const struct pb_message message[] = {{0, 14, 0, 0}, {0, 8, 0, 0}, {0, 12, 0, 0}, {4, 12, 0, 0}};
    for (unsigned with = 0; with < 2; with++) {
        struct pb_traffic traffic = {0};
        for (size_t i = 0; i < COUNT(message); i++)
            assert_succeeds(pb_traffic_add(&traffic, &message[i]));
        const struct pb_scenario *const scenario = scenario_of(
            "cube: {dims: 4}", "",
            formatted("{address: 0, kind: contract, defect: wrong_crc}%s", with ? ", {address: 6}" : ""));
        const struct pb_machine_result *const result = run_real(
            scenario, (struct machine_run){.traffic = {.trace = &traffic}, .run = {.superframes = 20}});
        assert_int_equal(result->seen.behind, with);
        assert_int_equal(result->seen.first_behind, 0);
        assert_int_equal(result->seen.findings, 3);
        assert_int_equal(result->seen.first[0].phase, 2);
        assert_int_equal(result->seen.first[1].phase, 4);
        assert_int_equal(result->seen.first[2].phase, 6);
        /* Node 6 has the first one, and sends it on; else it is gone. */
        assert_int_equal(result->completed, 1 + with);
        assert_int_equal(result->dropped, 3 - with);
        assert_int_equal(result->seen.lost, 3 - with);
        pb_traffic_free(&traffic);
    }
}

/* ---- what cannot be run */

TEST(what_real_nodes_cannot_do_is_refused)
{
    const struct pb_run_options options = {.rig_url = RIG};
    const struct {
        const char *yaml, *says;
    } wrong[] = {
        {"cube: {dims: 3}\nclock: {source: external}\nnodes: [{address: 1}]\ntraffic: [{pattern: "
         "complement}]\n",
         "external"},
        {"cube: {dims: 3}\nlink: {payload: 3 bytes}\nnodes: [{address: 1}]\ntraffic: [{pattern: "
         "complement}]\n",
         "a payload of 3 bytes"},
        {"cube: {dims: 3}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 1}]\n"
         "faults: [{kind: stuck_low, node: 1, dimension: 0, superframe: 0, phase: 1}]\n",
         "faults"},
        {"cube: {dims: 4}\nlink: {head_guard: 1 us}\n"
         "nodes: [{address: 4, irq_latency: 1500 ns, irq_jitter: 100 ns}]\ntraffic: [{from: 0, to: 15}]\n",
         "head_guard 1 us leaves 900 ns"},
        {"cube: {dims: 1}\nlink: {baud: 1.5 Mbaud, simulated_rise: 200 ns}\nnodes: [{address: 0}, {address: "
         "1}]\n"
         "traffic: [{from: 0, to: 1}]\n",
         "with the line joined to it, takes"},
        {"cube: {dims: 2}\nlink: {codec: bare}\nnodes: [{address: 1}]\ntraffic: [{program: sort}]\n",
         "codec is bare"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pb_diag diag;
        struct pb_machine_bench *bench = (struct pb_machine_bench *)&options;
        assert_int_equal(pb_machine_bench_open(&bench, parse_scenario(wrong[i].yaml), &options, &diag),
                         PB_ERR_CONFIG);
        assert_null(bench);
        assert_non_null(strstr(diag.text, wrong[i].says));
    }
}

static void refuses_bench(const char *network_text, struct pb_machine_bench *bench, const char *says)
{
    struct pb_network network;
    struct pb_machine_traffic *traffic;
    struct pb_machine_result result;
    struct pb_diag diag;
    assert_succeeds(pb_network_parse(&network, network_text, &diag));
    assert_succeeds(pb_machine_traffic_create(
        &traffic, &network, &(struct pb_machine_traffic_options){.pattern = "uniform", .load = 1}, &diag));
    const struct pb_machine_options run = {
        .network = &network, .traffic = traffic, .engine = PB_ENGINE_BENCH, .bench = bench, .superframes = 5};
    assert_int_equal(pb_machine_run(&result, &run, &diag), PB_ERR_ARGUMENT);
    if (!strstr(diag.text, says))
        fail_msg("'%s' does not say '%s'", diag.text, says);
    pb_machine_traffic_free(traffic);
}

TEST(no_real_nodes_are_refused)
{
    refuses_bench("cube:3", NULL, "no real nodes are given");
}

/* With as many nodes, ports and phases. */
TEST(real_nodes_of_another_network_are_refused)
{
    struct pb_network own;
    assert_succeeds(pb_network_parse(&own, "generalised:2,3", &diag));
    struct pb_machine_bench bench = {.network = &own, .nodes = 1};
    refuses_bench("generalised:3,2", &bench,
                  "network is generalised:3,2, and the real nodes are of generalised:2,3");
    own = pb_network_cube(17);
    refuses_bench("cube:17", &bench, "engine bench: 131072 nodes; it has at most 65536");
}

TEST(a_message_within_a_superframe_is_refused)
{
    const struct pb_scenario *const scenario = scenario_of("cube: {dims: 3}", "", "{address: 3}");
    const struct pb_run_options options = {.rig_url = RIG};
    const struct pb_message message = {1, 2, 0, 3};
    struct pb_machine_bench *bench;
    struct pb_machine_traffic *traffic;
    struct pb_machine_result result;
    struct pb_diag diag;
    struct pb_traffic list = {0};
    assert_succeeds(pb_traffic_add(&list, &message));
    assert_succeeds(pb_machine_bench_open(&bench, scenario, &options, &diag));
    assert_succeeds(pb_machine_traffic_create(&traffic, &scenario->network,
                                              &(struct pb_machine_traffic_options){.trace = &list}, &diag));
    const struct pb_machine_options run = {.network = &scenario->network,
                                           .traffic = traffic,
                                           .engine = PB_ENGINE_BENCH,
                                           .bench = bench,
                                           .superframes = 5};
    assert_int_equal(pb_machine_run(&result, &run, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "released in phase 3"));
    pb_machine_traffic_free(traffic);
    pb_machine_bench_close(bench);
    pb_traffic_free(&list);
}
