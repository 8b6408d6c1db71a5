/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs of the shipped scenarios on the simulated rig: verdict, numbers that follow from the analysis,
 * hop rows.
 *
 * evidence: whole bench
 *   simulated: all scenarios pass, and nodes with defects fail for the correct reason
 *   also: make cli-check
 */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <string.h>

#define UART "sim:?port=uart"

/* ---- scenarios that pass */

/* Numbers worked out by hand. XOR shifts and complement use each of a node's 2n directed links once per
 * superframe, so a superframe shows 24 transmissions on the pins of a node of the 12-cube. */
struct shipped {
    const char *name;
    uint64_t messages;
    size_t hops;
};

/* All hypotheses hold in each, so the bound is one superframe of 24 phases. */
static const struct shipped shipped[] = {
    {"complement", 4 * 4096, 4 * 24},
    {"demo", 1 + 4096 + 66, 1 + 24 + 2 * 66}, /* 66 = pairs of 12 links; each is seen coming and going */
    {"pairs", 66, 2 * 66},
    {"ref", 1 + 3 * 4096, 1 + 3 * 24},
    {"starc", 1 + 4096, 1 + 24},
    {"xor-one-bit", 12 * 4096, 12 * 2},
    /* Two messages over the common link and 0x2A3 to 0x91C through it, each seen at both ends; that one
     * leaves 0x2A2, too; complement: 24 on each board. */
    {"two-boards", 3 + 4096, 2 * 2 + 2 + 1 + 2 * 24},
};

static void assert_common(const struct pb_result *result)
{
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->findings_total, 0);
    assert_int_equal(result->delivered, result->messages);
    assert_int_equal(result->late, 0);
    assert_int_equal(result->events_lost, 0);
    uint64_t bytes = 0;
    for (size_t i = 0; i < result->hops; i++) {
        assert_true(result->hop[i].seen);
        assert_true(result->hop[i].correct);
        assert_int_equal(result->hop[i].byte_count, result->frame_bytes);
        bytes += result->hop[i].byte_count;
    }
    assert_int_equal(result->bytes_seen, bytes);
}

static unsigned judged_nodes(const struct pb_result *result)
{
    unsigned count = 1;
    for (const char *at = result->nodes; (at = strchr(at, ',')); at++)
        count++;
    return count;
}

TEST(test_shipped_pass)
{
    for (size_t i = 0; i < COUNT(shipped); i++) {
        struct pb_scenario *scenario = load_shipped(shipped[i].name);
        for (unsigned node = 0; node < scenario->node_count; node++) /* clocks that err apart */
            scenario->node[node].clock_error_ppm = node % 2 ? -50 : 50;
        struct pb_result *result = run_scenario(scenario, NULL);
        assert_common(result);
        assert_int_equal(result->messages, shipped[i].messages);
        assert_int_equal(result->hops, shipped[i].hops);
        assert_int_equal(result->bound_superframes, 1);
        assert_int_equal(result->bound_phases, 24);
        assert_in_range(result->worst_latency_phases, 1, 24);
        for (unsigned h = 0; h < result->hypotheses; h++)
            assert_true(result->hypothesis[h].holds);
        assert_int_equal(result->slots_checked,
                         (uint64_t)result->superframes * 24 * 12 * judged_nodes(result));
    }
}

static const struct pb_hypothesis *hypothesis(const struct pb_result *result, const char *name)
{
    for (unsigned i = 0; i < result->hypotheses; i++)
        if (!strcmp(result->hypothesis[i].name, name))
            return &result->hypothesis[i];
    fail_msg("no hypothesis '%s'", name);
    return NULL;
}

/* reference: random permutation with seed 1 at n = 12 has C = 5, T = 5 and the bound 9. */
TEST(test_overload_passes_without_its_hypothesis)
{
    struct pb_result *result = run_scenario(load_shipped("permutation-overload"), NULL);
    assert_common(result);
    assert_int_equal(result->messages, 4096);
    assert_false(hypothesis(result, "link load")->holds);
    assert_non_null(strstr(hypothesis(result, "link load")->detail, "largest load 5"));
    assert_true(hypothesis(result, "routing rule")->holds);
    assert_true(hypothesis(result, "birth")->holds);
    assert_int_equal(result->bound_superframes, 9);
    assert_in_range(result->worst_latency_phases, 4 * 24 + 1, 5 * 24);
}

TEST(test_overload_beyond_its_occupancy_is_told)
{
    struct pb_result *result =
        run_yaml("superframes: 6\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'perm:1'}]\n"
                 "limits: {max_occupancy: 5}\n",
                 NULL);
    assert_false(hypothesis(result, "buffer occupancy")->holds);
    assert_non_null(strstr(hypothesis(result, "buffer occupancy")->detail, "holds 6, the limit is 5"));
}

/* Within one superframe an XOR shift wants each directed link at most once; eight masks, each link used per
 * set bit. */
TEST(test_random_xor_shifts)
{
    size_t crossings = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t generator = seed;
        crossings += 2 * (size_t)__builtin_popcount((unsigned)(pb_splitmix64(&generator) % 4096));
    }
    struct pb_result *result = run_scenario(load_shipped("xor-random"), NULL);
    assert_common(result);
    assert_int_equal(result->hops, crossings);
    assert_true(hypothesis(result, "link load")->holds);
}

/* Bit reversal at n = 12 takes three superframes in opportunistic order (reference table). */
TEST(test_opportunistic)
{
    struct pb_result *result = run_scenario(load_shipped("opportunistic"), NULL);
    assert_common(result);
    assert_int_equal(result->messages, 4096 + 2);
    assert_false(hypothesis(result, "routing rule")->holds);
    assert_false(hypothesis(result, "birth")->holds);
    assert_int_equal(result->bound_phases, 24);
    assert_in_range(result->worst_latency_phases, 2 * 24 + 1, 3 * 24);
    /* 0x2A3 to 0x91C born in phase 5: its first phase from there on is 6 (dimension 3, bit 3 is 0). */
    assert_int_equal(result->hop[0].superframe, 0);
    assert_int_equal(result->hop[0].phase, 6);
    assert_int_equal(result->hop[0].to, 0x2AB);
}

TEST(test_whole_cube_of_reference_nodes)
{
    struct pb_scenario *scenario = load_shipped("cube4-ref");
    struct pb_result *result = run_scenario(scenario, NULL);
    assert_common(result);
    assert_int_equal(result->messages, 3 * 16);
    /* Every crossing is seen at both ends: complement 16 * 4 hops, one bit 16, and the permutation. */
    size_t distance = 0;
    for (size_t i = 32; i < 48; i++)
        distance += (size_t)__builtin_popcount(scenario->traffic.message[i].source ^
                                               scenario->traffic.message[i].destination);
    assert_int_equal(result->hops, 2 * (16 * 4 + 16 + distance));
}

/* ---- the worked example */

static void assert_rows(const struct pb_result *result, const unsigned *phase, const uint32_t *node,
                        size_t count)
{
    assert_int_equal(result->hops, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(result->hop[i].superframe, 0);
        assert_int_equal(result->hop[i].phase, phase[i]);
        assert_int_equal(result->hop[i].from, node[i]);
        assert_int_equal(result->hop[i].to, node[i + 1]);
    }
}

/* Five boards, each the neighbour of the next but one, see all ten hops. */
TEST(test_worked_example_hop_by_hop)
{
    static const unsigned phase[] = {1, 3, 4, 6, 8, 11, 15, 16, 19, 22};
    static const uint32_t node[] = {0x2A3, 0x2A2, 0x2A0, 0x2A4, 0x2AC, 0x2BC,
                                    0x29C, 0x21C, 0x31C, 0x11C, 0x91C};
    struct pb_result *result = run_yaml(
        "nodes: [{address: 0x2A2}, {address: 0x2A4}, {address: 0x2BC}, {address: 0x21C}, {address: 0x11C}]\n"
        "traffic: [{from: 0x2A3, to: 0x91C}]\n",
        NULL);
    assert_common(result);
    assert_rows(result, phase, node, COUNT(phase));
    assert_int_equal(result->worst_latency_phases, 23); /* 0..22 */
    for (size_t i = 0; i < result->hops; i++) {
        /* The last hop and every second one come out of a board, the others out of the bench. */
        assert_int_equal(result->hop[i].sender, i % 2 ? PB_SENDER_NODE : PB_SENDER_BENCH);
        assert_memory_equal(result->hop[i].bytes, result->hop[0].bytes, 9);
    }
}

TEST(test_worked_examples_as_shipped)
{
    static const struct {
        const char *name;
        unsigned phase[4], latency;
        uint32_t from[4];
    } example[] = {
        {"worked-example-average", {1, 8, 11, 22}, 23, {0x2A3, 0x2AC, 0x2BC, 0x11C}},
        {"worked-example-up", {0, 10, 12, 22}, 23, {0x000, 0x01F, 0x03F, 0x7FF}},
        {"worked-example-down", {1, 11, 13, 23}, 24, {0xFFF, 0xFE0, 0xFC0, 0x800}},
    };
    for (size_t i = 0; i < COUNT(example); i++) {
        struct pb_result *result = run_scenario(load_shipped(example[i].name), NULL);
        assert_common(result);
        assert_int_equal(result->hops, 4); /* out of the source, in and out half way, in at the destination */
        for (size_t h = 0; h < 4; h++) {
            assert_int_equal(result->hop[h].phase, example[i].phase[h]);
            assert_int_equal(result->hop[h].from, example[i].from[h]);
        }
        assert_int_equal(result->worst_latency_phases, example[i].latency);
    }
}

/* ---- the same from other angles */

static void assert_same_rows(const struct pb_result *left, const struct pb_result *right)
{
    assert_int_equal(left->hops, right->hops);
    for (size_t i = 0; i < left->hops; i++) {
        const struct pb_hop_row *a = &left->hop[i], *b = &right->hop[i];
        assert_int_equal(a->superframe, b->superframe);
        assert_int_equal(a->phase, b->phase);
        assert_int_equal(a->link, b->link);
        assert_int_equal(a->message, b->message);
        assert_int_equal(a->from, b->from);
        assert_int_equal(a->to, b->to);
        assert_int_equal(a->sender, b->sender);
        assert_int_equal(a->byte_count, b->byte_count);
        assert_memory_equal(a->bytes, b->bytes, a->byte_count);
    }
}

/* Two implementations that share nothing but docs/node.md. */
TEST(test_native_and_ref_agree)
{
    static const char *const traffic[] = {"{pattern: 'xor:0xFFF', repeat: 2}", "{pattern: 'pairs:0x2A3'}",
                                          "{from: 0x2A3, to: 0x91C}"};
    for (size_t i = 0; i < COUNT(traffic); i++) {
        struct pb_result *result[2];
        for (unsigned k = 0; k < 2; k++) {
            result[k] = run_yaml(formatted("nodes: [{address: 0x2A3, kind: %s}]\ntraffic: [%s]\n",
                                           k ? "ref" : "native", traffic[i]),
                                 NULL);
            assert_common(result[k]);
        }
        assert_same_rows(result[0], result[1]);
    }
}

TEST(test_runs_repeat_exactly)
{
    static const char *const name[] = {"complement", "broken/wrong-order"};
    for (size_t i = 0; i < COUNT(name); i++) {
        struct pb_scenario *scenario = load_shipped(name[i]);
        assert_same_result(run_scenario(scenario, NULL), run_scenario(scenario, NULL));
    }
}

TEST(test_seed_changes_payloads_only)
{
    static const char yaml[] = "seed: %u\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n";
    struct pb_result *result[2];
    for (unsigned k = 0; k < 2; k++) {
        result[k] = run_yaml(formatted(yaml, k + 1), NULL);
        assert_common(result[k]);
        assert_int_equal(result[k]->hops, 1);
    }
    assert_memory_equal(result[0]->hop[0].bytes, result[1]->hop[0].bytes, 2);
    assert_memory_not_equal(result[0]->hop[0].bytes + 2, result[1]->hop[0].bytes + 2, 6);
}

/* ---- the UART host port */

/* 12 Mbaud carry about 150,000 events a second. Complement traffic makes 24 frames of some 50 edges and 9
 * bytes every 2.4 ms, that is 580,000 a second. */
TEST(test_uart_overrun_is_counted_and_inconclusive)
{
    struct pb_scenario *scenario = load_shipped("complement");
    scenario->capture = PB_CAPTURE_EDGES;
    struct pb_observation *const seen = play_scenario(scenario, UART);
    uint64_t told = 0, first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < seen->events.count; i++) {
        const struct pb_event *event = &seen->events.event[i];
        told += event->kind == PB_EVENT_OVERFLOW ? event->value : 0;
        first = event->sequence < first ? event->sequence : first;
        last = event->sequence > last ? event->sequence : last;
    }
    assert_true(seen->events_lost > 0);
    assert_int_equal(told, seen->events_lost);
    /* The measurements before the run keep their own events: two edges of each of 4 pulses on 12 lines, and
     * whole answers, "+Z" and a line feed, of the console. */
    const uint64_t edges = 2 * 4 * 12;
    assert_true(seen->events_taken > edges);
    assert_int_equal((seen->events_taken - edges) % 3, 0);
    /* Every number between the first and the last event is that of an event that came, to one that was
     * counted as lost, or to that measurement. */
    assert_int_equal(first, 0);
    assert_int_equal(last + 1 - first, seen->events.count + seen->events_lost + seen->events_taken);

    struct pb_result *result = run_scenario(scenario, UART);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(pb_verdict_exit_code(result->verdict), 5);
    assert_finding(result, 0, PB_FINDING_LOSS, 0, 0, -1);
    assert_true(result->events_lost > 0);
}

TEST(test_slow_scenario_passes_over_uart)
{
    static const char yaml[] = "link: {phase_rate: 1 kHz, payload: 6 bytes}\nnodes: [{address: "
                               "0x2A3}]\ntraffic: [{pattern: 'xor:0xFFF'}]\n";
    struct pb_result *stream = run_yaml(yaml, NULL), *uart = run_yaml(yaml, UART);
    assert_common(stream);
    assert_common(uart);
    assert_int_equal(uart->hops, 24);
    assert_same_rows(stream, uart);
}

/* ---- the host's end of the link */

/* Of each superframe at full load the core sends 12 frames, one on each link, and the line by which the node
 * sends one. A poll that finds a lane full writes one record: less than eight times their bytes, where a host
 * that offers all that it has wrote 40 times. */
TEST(test_a_full_lane_is_asked_with_one_record)
{
    enum { FRAME = 14 + 9, LINE = 14 + 20, FEW = 20, MANY = 40 };
    uint64_t written[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct pb_scenario *scenario = parse_scenario(
            formatted("superframes: %u\nlink: {phase_rate: 10 kHz}\nnodes: [{address: 0x2A3}]\n"
                      "traffic: [{pattern: 'xor:0xFFF', repeat: %u}]\n",
                      i ? MANY : FEW, (i ? MANY : FEW) - 1));
        written[i] = play_scenario(scenario, NULL)->counters.bytes_out;
    }
    assert_in_range(written[1] - written[0], (MANY - FEW) * (12 * FRAME),
                    8 * (MANY - FEW) * (12 * FRAME + LINE));
}

/* One phase may have more records of a lane than it holds: here 36 lines of 170 characters, typed in 10 ms.
 * Each reaches the lane in time, although events never pause for a poll. */
TEST(test_a_lane_is_filled_again_within_a_phase)
{
    char messages[2048] = "";
    for (unsigned i = 0; i < 36; i++)
        snprintf(messages + strlen(messages), sizeof messages - strlen(messages),
                 ", {from: 5, to: %u, superframe: 1}", 5 ^ 1u << i % 4);
    const struct pb_run_options options = {.run_only = true};
    struct pb_result *result;
    const struct pb_scenario *scenario = parse_scenario(
        formatted("cube: {dims: 4}\nsuperframes: 11\n"
                  "link: {phase_rate: 100 Hz, console_baud: 6 Mbaud, payload: 80 bytes}\n"
                  "nodes: [{address: 5}]\ntraffic: [{pattern: 'xor:0xF'}%s]\n",
                  messages));
    assert_succeeds(pb_run(&result, scenario, &options, &diag));
    assert_verdict(hand_over_result(result), PB_VERDICT_PASS);
}

/* ---- settings off the beaten track */

TEST(test_unusual_settings_pass)
{
    static const char *const yaml[] = {
        /* A console slow enough that a line alone takes 160 ms. */
        "link: {console_baud: 1200 baud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
        /* Console lines longer than one slot player record, typed while the clock runs. */
        "link: {phase_rate: 1 kHz, payload: 80 bytes}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, "
        "to: 0x91C, superframe: 2}]\n",
        /* Two messages of one source that are born in phase 14: that on dimension 11 leaves in phase 22, that
         * on dimension 0 only in phase 1 of the next superframe, so it is typed in last although its phase
         * number is lower. */
        "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x2A2, superframe: 2, phase: 14}, {from: "
        "0x2A3, to: 0xAA3, superframe: 2, phase: 14}]\n",
        /* The smallest cube. */
        "cube: {dims: 1}\nlink: {phase_rate: 1 kHz, payload: 1 byte}\nnodes: [{address: 0}]\ntraffic: "
        "[{pattern: complement, repeat: 3}]\n",
        "cube: {dims: 1}\nlink: {phase_rate: 1 kHz, payload: 1 byte}\nnodes: [{address: 0}, {address: "
        "1}]\ntraffic: [{pattern: complement, repeat: 3}]\n",
        /* A rate that is no whole number of ticks. */
        "link: {phase_rate: 7.777 kHz}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
    };
    for (size_t i = 0; i < COUNT(yaml); i++) {
        assert_common(run_yaml(yaml[i], NULL));
    }
}

TEST(test_too_few_superframes_prove_nothing)
{
    struct pb_result *result =
        run_yaml("superframes: 2\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'perm:1'}]\n", NULL);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->finding[0].kind, PB_FINDING_UNDELIVERED);
    assert_true(result->delivered < result->messages);
}

TEST(test_traffic_that_passes_by_proves_nothing)
{
    struct pb_result *result = run_yaml("nodes: [{address: 0xFFF}]\ntraffic: [{from: 0, to: 1}]\n", NULL);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(result->reason, "no message crosses a line of the rig"));
    assert_int_equal(result->hops, 0);
    assert_int_equal(result->messages_through_rig, 0);
}

TEST(test_limit_below_the_schedule_fails)
{
    struct pb_result *result = run_yaml(
        "nodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'perm:1'}]\nlimits: {max_superframes: 1}\n", NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->finding[0].kind, PB_FINDING_LATENCY);
    assert_int_equal(result->finding[0].superframe,
                     1); /* the second superframe is the first that is too late */
    assert_int_equal(result->late, result->findings_total);
}
