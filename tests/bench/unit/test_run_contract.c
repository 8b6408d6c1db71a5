/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs with contract nodes: sound ones pass the shipped scenarios, a rare defect is found where it
 * shows.
 */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

RUNS_ALONE

TEST(sound_nodes_pass)
{
    static const char *const shipped[] = {
        "complement",        "opportunistic",     "starc",         "push-pull",
        "two-boards",        "cube4-ref",         "outside-clock", "faults/late-clock",
        "faults/bad-frames", "faults/odd-frames",
    };
    for (size_t i = 0; i < COUNT(shipped); i++) {
        struct pb_scenario *scenario = load_shipped(shipped[i]);
        for (unsigned n = 0; n < scenario->node_count; n++) {
            scenario->node[n].kind = "contract";
            scenario->node[n].irq_latency_ps = 1500000;
            scenario->node[n].irq_jitter_ps = 500000;
        }
        assert_verdict(run_scenario(scenario, NULL), PB_VERDICT_PASS);
    }
}

/* An own message in each of the superframes 0 to 5, to 0x4: dimension 0, phase 1, link 0. */
TEST(rare_defects_are_found_where_they_show)
{
    static const struct {
        const char *when;
        unsigned superframe, findings;
    } one[] = {
        {"defect_every: 5", 4, 1},
        {"defect_from: 3", 3, 3},
        {"defect_every: once", 0, 1},
        {"defect_from: 2, defect_every: once", 2, 1},
        {"defect_from: 2, defect_every: 2", 3, 2},
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        const char *yaml = formatted("cube: {dims: 5}\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n"
                                     "nodes: [{address: 0x5, kind: contract, defect: wrong_crc, %s}]\n"
                                     "traffic: [{from: 0x5, to: 0x4, repeat: 6}]\n",
                                     one[i].when);
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_finding(result, 0, PB_FINDING_WRONG_BYTES, one[i].superframe, 1, 0);
        assert_int_equal(result->findings_total, one[i].findings);
    }
}

/* In superframes 0 to 5 messages on dimension 0 (phase 1, link 0) and dimension 1 (phase 2, link 1). */
TEST(defects_show_at_their_port_and_after_their_event)
{
    static const struct {
        const char *where, *fault;
        unsigned finding, superframe, phase, link;
    } one[] = {
        {"defect_port: 0", "", 0, 0, 1, 0},
        {"defect_port: 1", "", 0, 0, 2, 1},
        {"defect_port: 1, defect_every: 3", "", 0, 2, 2, 1},
        {"defect_after: sync", "faults: [{kind: missing_sync, superframe: 2}]\n", 1, 3, 1, 0},
        {"defect_after: rejected, defect_port: 1",
         "faults: [{kind: wrong_bytes, superframe: 1, node: 0x5, phase: 0}]\n", 1, 1, 2, 1},
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        const char *yaml =
            formatted("cube: {dims: 5}\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n"
                      "nodes: [{address: 0x5, kind: contract, defect: wrong_crc, %s}]\n"
                      "traffic: [{from: 0x5, to: 0x4, repeat: 6}, {from: 0x5, to: 0x7, repeat: 6}, "
                      "{from: 0x4, to: 0x5, repeat: 6}]\n%s",
                      one[i].where, one[i].fault);
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_finding(result, one[i].finding, PB_FINDING_WRONG_BYTES, one[i].superframe, one[i].phase,
                       one[i].link);
    }
}

/* Nodes 0x1 and 0x0 are neighbours, with three messages or more in a queue. The faults cut some of their
 * frames. */
static struct pb_result *run_with_cuts(const char *rule, const char *keys, const char *faults)
{
    return run_yaml(formatted("cube: {dims: 2, rule: %s}\nlink: {payload: 3 bytes}\n"
                              "superframes: 14\nseed: 7\n"
                              "nodes: [{address: 0x1, kind: contract, %s}, "
                              "{address: 0x0, kind: contract, %s}]\n"
                              "traffic: [{from: 0x1, to: 0x0}, {from: 0x1, to: 0x0}, {from: 0x1, to: 0x0}, "
                              "{from: 0x1, to: 0x2}, {from: 0x0, to: 0x1}, {from: 0x0, to: 0x3}, "
                              "{from: 0x0, to: 0x1}, {from: 0x0, to: 0x1}, {from: 0x0, to: 0x1}, "
                              "{from: 0x2, to: 0x1, repeat: 6}, {from: 0x3, to: 0x0, repeat: 9}]\n"
                              "faults: [%s]\n",
                              rule, keys, keys, faults),
                    NULL);
}

static const char twice_early[] = "{kind: early_edge, superframe: 1, phase: 2, amount: 40 us}, "
                                  "{kind: early_edge, superframe: 3, phase: 1, amount: 45 us}, "
                                  "{kind: extra_edge, superframe: 9, phase: 0}";

/* T6 leaves it to the node whether it sends a message again that an edge cut off, and when. The edge of phase
 * 1 that comes early is one of phase 0 for the nodes (P2): the bench's receiver is in the midst of a byte
 * when the next frame begins. */
TEST(a_cut_message_may_be_lost_or_sent_again)
{
    static const char *const freedoms[] = {"resends_first", "resends_last+cuts_at_edge",
                                           "resends_idle+keeps_unbegun"};
    for (size_t i = 0; i < COUNT(freedoms); i++)
        assert_verdict(run_with_cuts(i % 2 ? "opportunistic" : "ecube",
                                     formatted("freedom: %s", freedoms[i]), twice_early),
                       PB_VERDICT_PASS);
}

TEST(a_cut_message_is_sent_once_again_as_it_was_and_on_its_dimension)
{
    static const char *const defects[] = {"resends_twice", "resends_elsewhere", "resends_altered"};
    for (size_t i = 0; i < COUNT(defects); i++)
        assert_verdict(run_with_cuts("ecube", formatted("defect: %s", defects[i]), twice_early),
                       PB_VERDICT_FAIL);
}

/* Bits of 4 us. The extra edge cuts the only frame, 172 us after the edge of its phase. Each rise is late by
 * the amount. T5 allows 1.278 us in front of a stop bit, and 1.68 us after the start bit, where this frame
 * has its first rise. */
TEST(edges_of_a_cut_frame_may_be_as_late_as_those_of_any_frame)
{
    static const struct {
        const char *amount;
        enum pb_verdict verdict;
    } one[] = {{"0.5 us", PB_VERDICT_PASS}, {"1.2 us", PB_VERDICT_PASS}, {"2 us", PB_VERDICT_FAIL}};
    for (size_t i = 0; i < COUNT(one); i++) {
        const char *yaml = formatted(
            "cube: {dims: 2}\nlink: {baud: 250 kbaud, phase_rate: 4 kHz, guard: 20 us, payload: 2 bytes}\n"
            "superframes: 4\n"
            "nodes: [{address: 0x1, kind: contract, defect: late_rise, defect_amount: %s}]\n"
            "traffic: [{from: 0x1, to: 0x3, superframe: 1}, {from: 0x0, to: 0x1, repeat: 3}]\n"
            "faults: [{kind: extra_edge, superframe: 1, phase: 2}]\n",
            one[i].amount);
        assert_verdict(run_yaml(yaml, NULL), one[i].verdict);
    }
}

/* The extra edge comes 31.25 us before that of phase 2, in which node 0 sends on dimension 1. With a latency
 * of 36 us the two may count as one (P1): the frame then begins 40 us, the head guard, after the later. */
TEST(an_edge_within_the_latency_of_an_extra_one_may_count_with_it)
{
    static const char *const freedoms[] = {"none", "keeps_edges"};
    for (size_t i = 0; i < COUNT(freedoms); i++)
        assert_verdict(run_yaml(formatted("cube: {dims: 2}\n"
                                          "link: {payload: 1 byte, guard: 50 us, head_guard: 40 us}\n"
                                          "nodes: [{address: 0x0, kind: contract, irq_latency: 36 us, "
                                          "irq_jitter: 0 us, freedom: %s}]\n"
                                          "traffic: [{from: 0x0, to: 0x2, repeat: 4}]\n"
                                          "faults: [{kind: extra_edge, superframe: 1, phase: 1}]\n",
                                          freedoms[i]),
                                NULL),
                       PB_VERDICT_PASS);
}

/* Node 5 listens on link 2 in phase 4, whose frame of the bench ends at 75 us, and sends there in phase 5. */
static struct pb_result *run_with_early_edge(const char *amount, const char *keys)
{
    return run_yaml(formatted("cube: {dims: 3}\nlink: {payload: 4 bytes}\n"
                              "nodes: [{address: 0x5, kind: contract, %s}]\n"
                              "traffic: [{pattern: complement, repeat: 6}, "
                              "{from: 0x5, to: 0x4, superframe: 1, repeat: 5}]\n"
                              "faults: [{kind: early_edge, superframe: 3, phase: 5, amount: %s}]\n",
                              keys, amount),
                    NULL);
}

/* The node starts after the frame of the bench, in the last quarter of its stop bit, in its first half, in
 * the last data bit, and in its middle. */
TEST(a_frame_may_begin_in_one_of_the_bench_after_an_early_edge)
{
    static const char *const amounts[] = {"29.95 us", "30.2 us", "30.7 us", "31.4 us", "43 us", "49.9 us"};
    for (size_t i = 0; i < COUNT(amounts); i++)
        assert_verdict(run_with_early_edge(amounts[i], i % 2 ? "freedom: starts_vary" : "freedom: none"),
                       PB_VERDICT_PASS);
}

/* Where the frames do not meet, the node's is judged as any other. */
TEST(a_wrong_frame_close_behind_one_of_the_bench_fails)
{
    static const char *const amounts[] = {"29.95 us", "30.1 us"};
    for (size_t i = 0; i < COUNT(amounts); i++) {
        struct pb_result *result = run_with_early_edge(
            amounts[i], "defect: wrong_crc, defect_from: 3, defect_every: once, defect_port: 2");
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_finding(result, 1, PB_FINDING_WRONG_BYTES, 3, 5, 2);
    }
}

/* The last answers begin long after the last phase, of a console that is listened to and of another one,
 * whose late answer must not be taken for that to T. */
TEST(an_answer_may_come_late_after_the_last_phase)
{
    static const struct {
        const char *clock, *heard;
    } one[] = {{"", "answers_latest"}, {"", "none"}, {"clock: {source: external}\n", "none"}};
    for (size_t i = 0; i < COUNT(one); i++)
        assert_verdict(run_yaml(formatted("cube: {dims: 3}\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n%s"
                                          "nodes: [{address: 0x5, kind: contract, freedom: %s}, "
                                          "{address: 0x2, kind: contract, freedom: answers_latest}]\n"
                                          "traffic: [{from: 0x5, to: 0x4, superframe: 1, repeat: 3}, "
                                          "{from: 0x2, to: 0x6, superframe: 2, repeat: 2}]\n",
                                          one[i].clock, one[i].heard),
                                NULL),
                       PB_VERDICT_PASS);
}

/* Alone, no other console makes the bench wait. */
TEST(the_last_answer_of_a_single_node_may_come_late)
{
    assert_verdict(run_yaml("cube: {dims: 3}\nsuperframes: 4\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n"
                            "nodes: [{address: 0x5, kind: contract, freedom: answers_latest}]\n"
                            "traffic: [{from: 0x5, to: 0x4, superframe: 1, repeat: 3}]\n",
                            NULL),
                   PB_VERDICT_PASS);
}

TEST(free_nodes_count_bad_frames_as_they_may)
{
    assert_verdict(run_with_cuts("ecube", "freedom: all",
                                 "{kind: long_frame, superframe: 2, node: 0x1, dimension: 1}, "
                                 "{kind: outside_address, superframe: 4, node: 0x1, dimension: 1}"),
                   PB_VERDICT_PASS);
}
