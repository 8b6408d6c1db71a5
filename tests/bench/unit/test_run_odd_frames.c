/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs in which a neighbour sends wrong frames with a correct check value: sentences F3, F5 and
 * F6 of docs/node.md. Sound nodes of every kind pass, with both codecs and both rules, and count what the
 * page says; a node that violates one of the sentences fails where it shows.
 *
 * Node 0x5 of a cube of 5 dimensions listens on dimension 1 in phase 3 and sends on dimension 3 in phase 6,
 * on dimension 0 in phase 1: that is the path of a message from 0x7 to 0x1D, under either rule.
 */
#include "host/check/check.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

RUNS_ALONE

struct settings {
    const char *codec, *rule, *node; /* node: kind, and what else its entry says */
    const char *to;                  /* of the message whose frame is wrong, in superframe 2 */
    const char *fault;               /* kind, and what else its entry says */
};

static struct pb_result *run_with(const struct settings *with)
{
    const char *yaml =
        formatted("cube: {dims: 5, rule: %s}\nlink: {phase_rate: 5 kHz, codec: %s, payload: 4 bytes}\n"
                  "nodes: [{address: 0x5, kind: %s}]\nsuperframes: 6\ntraffic:\n"
                  "  - {from: 0x5, to: 0x4}\n"
                  "  - {from: 0x7, to: %s, superframe: 2}\n"
                  "  - {from: 0x7, to: 0x1D, superframe: 4}\n"
                  "faults: [{node: 0x5, dimension: 1, superframe: 2, kind: %s}]\n",
                  with->rule, with->codec, with->node, with->to, with->fault);
    return run_yaml(yaml, NULL);
}

/* What a node counts that takes what it may: a good frame for 0x1D comes in superframe 4 in any case. */
static const struct odd {
    const char *fault;
    int cut, length_errors, outside, frames, forwarded;
    bool slot, starc;
} odds[] = {
    {"short_frame", 1, 0, 0, 1, 1, true, true},   {"short_frame, bytes: 4", 1, 0, 0, 1, 1, true, true},
    {"long_frame", 0, 1, 0, 2, 2, true, true},    {"long_frame, bytes: 8", 0, 1, 0, 2, 2, true, true},
    {"wrong_length", 0, 1, 0, 1, 1, false, true}, {"outside_address", 0, 0, 1, 2, 1, true, true},
};

static void assert_counters(const struct pb_result *result, const struct odd *odd)
{
    const int64_t *counter = result->node[0].counter;
    if (counter[PB_COUNTER_RX_FRAMES] < 0)
        return; /* the reference node answers no T */
    assert_int_equal(counter[PB_COUNTER_RX_CUT], odd->cut);
    assert_int_equal(counter[PB_COUNTER_RX_LENGTH_ERRORS], odd->length_errors);
    assert_int_equal(counter[PB_COUNTER_RX_BAD_DESTINATIONS], odd->outside);
    assert_int_equal(counter[PB_COUNTER_RX_FRAMES], odd->frames);
    assert_int_equal(counter[PB_COUNTER_FORWARDED], odd->forwarded);
    assert_int_equal(counter[PB_COUNTER_RX_CRC_ERRORS], 0);
}

TEST(sound_nodes_pass)
{
    static const char *const codecs[] = {"slot", "starc"}, *const rules[] = {"ecube", "opportunistic"},
                             *const kinds[] = {"native", "contract", "ref"};
    for (unsigned at = 0; at < COUNT(odds) * 6; at++) {
        const struct odd *odd = &odds[at / 6];
        const unsigned codec = at % 2, kind = at / 2 % 3, rule = kind == 2 ? 0 : (at / 6 + codec + kind) % 2;
        if ((codec ? !odd->starc : !odd->slot) || (kind == 2 && codec))
            continue;
        const struct settings with = {codecs[codec], rules[rule], kinds[kind], "0x1D", odd->fault};
        struct pb_result *result = run_with(&with);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_true(result->fault[0].detected);
        assert_int_equal(result->fault[0].explains, 1);
        assert_counters(result, odd);
    }
}

/* Contract nodes with a defect. phase -1: what it counts is wrong, and nothing on its lines. */
static const struct broken {
    const char *node, *to, *fault;
    unsigned superframe;
    int phase, link;
} broken[] = {
    {"contract, defect: takes_short", "0x1D", "short_frame", 2, 6, 3},
    {"contract, defect: takes_short", "0x5", "short_frame", 0, -1, -1},
    {"contract, defect: length_uncounted", "0x1D", "long_frame", 0, -1, -1},
    {"contract, defect: length_uncounted", "0x5", "long_frame, bytes: 7", 0, -1, -1},
    {"contract, defect: takes_outside", "0x1D", "outside_address", 3, 1, 0},
    {"contract, defect: takes_outside", "0x5", "outside_address", 3, 1, 0},
};

TEST(defects_are_found)
{
    for (unsigned at = 0; at < COUNT(broken) * 2; at++) {
        const struct broken *one = &broken[at / 2];
        const struct settings with = {at % 2 ? "starc" : "slot",
                                      (at + at / 2) % 2 ? "opportunistic" : "ecube", one->node, one->to,
                                      one->fault};
        struct pb_result *result = run_with(&with);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_true(result->findings >= 2);
        size_t blamed = 0;
        while (blamed < result->findings && result->finding[blamed].fault >= 0)
            blamed++;
        assert_true(blamed < result->findings);
        if (one->phase >= 0)
            assert_finding(result, blamed, PB_FINDING_UNEXPECTED, one->superframe, (unsigned)one->phase,
                           one->link);
        else
            assert_int_equal(result->finding[blamed].kind, PB_FINDING_COUNTERS);
    }
}

/* Node 0x5 listens on dimension 4 in phase 9, the last. The edge that would end the frame there never comes,
 * and what the node has not counted then is no mistake. */
TEST(no_edge_ends_the_last_phase)
{
    static const char *const kinds[] = {"native", "contract", "ref"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const char *yaml =
            formatted("cube: {dims: 5}\nlink: {phase_rate: 5 kHz, payload: 4 bytes}\n"
                      "nodes: [{address: 0x5, kind: %s}]\nsuperframes: 3\ntraffic:\n"
                      "  - {from: 0x5, to: 0x4}\n  - {from: 0x15, to: 0x5, superframe: 2}\n"
                      "faults: [{node: 0x5, dimension: 4, superframe: 2, kind: short_frame}]\n",
                      kinds[i]);
        assert_verdict(run_yaml(yaml, NULL), PB_VERDICT_PASS);
    }
}

/* The counters that the page names for these frames are judged in a run with faults: one more or less is
 * found. */
TEST(miscounts_are_found)
{
    static const struct {
        const char *fault, *right, *wrong;
    } one[] = {
        {"wrong_length", "rx_length_errors=1", "rx_length_errors=0"},
        {"short_frame", "rx_cut=1", "rx_cut=0"},
        {"short_frame", "rx_cut=1", "rx_cut=2"},
        {"long_frame", "rx_length_errors=1", "rx_length_errors=2"},
        {"long_frame", "rx_length_errors=1", "rx_length_errors=0"},
        {"outside_address", "rx_bad_destinations=1", "rx_bad_destinations=0"},
        {"outside_address", "rx_bad_destinations=1", "rx_bad_destinations=2"},
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        const char *yaml =
            formatted("cube: {dims: 5}\nlink: {phase_rate: 5 kHz, codec: starc, payload: 4 bytes}\n"
                      "nodes: [{address: 0x5}]\nsuperframes: 6\ntraffic:\n"
                      "  - {from: 0x5, to: 0x4}\n  - {from: 0x7, to: 0x1D, superframe: 2}\n"
                      "faults: [{node: 0x5, dimension: 1, superframe: 2, kind: %s}]\n",
                      one[i].fault);
        struct pb_scenario *scenario = parse_scenario(yaml);
        struct pb_observation *const observation = play_scenario(scenario, NULL);
        char *at = strstr(observation->answer[0].statistics, one[i].right);
        assert_non_null(at);
        at[strlen(one[i].right) - 1] = one[i].wrong[strlen(one[i].wrong) - 1];
        const struct pb_result *result = judge_seen(scenario, observation);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_int_equal(result->finding[1].kind, PB_FINDING_COUNTERS);
    }
}
