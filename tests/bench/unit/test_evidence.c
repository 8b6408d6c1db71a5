/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What proves nothing does not pass: nodes that are idle, that only receive, that only forward, sound and
 * with every defect; identities and counters that contradict the scenario or the lines.
 *
 * evidence: evidence about each node
 *   simulated: an idle node is inconclusive, a receiving node is judged by its counters, with every defect;
 *   each counter and the identity falsified
 */
#include "host/check/check.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/reference/scenario.md, except "none" */
static const char *const defects[] = {"wrong_order", "phase_off", "late_start",
                                      "flipped_bit", "silent",    "swapped_links"};

/* One node at 0x5 of the 4-cube. */
#define AT_5 "cube: {dims: 4}\nnodes: [{address: 0x5, kind: %s, defect: %s}]\ntraffic: [%s]\n"
/* To 0x5 over dimension 0 and over dimension 1. */
#define RECEIVES "{from: 0x4, to: 0x5}, {from: 0x7, to: 0x5}"
/* 0x4 to 0xF by 0x5, 0x7: at 0x5 dimensions 1 and 3 are left. */
#define FORWARDS "{from: 0x4, to: 0xF, repeat: 3}"

static struct pb_result *run_at_5(const char *kind, const char *defect, const char *traffic)
{
    const char *yaml = formatted(AT_5, kind, defect, traffic);
    return run_yaml(yaml, NULL);
}

/* ---- what speaks for a node */

/* What a node with the defect at defects[i] does wrong in the frames that it is asked for after the run.
 * These are no evidence for it, and their instants are not judged. By a link or, of a phase_off, by a
 * counter. */
static bool shows_after_the_run(size_t i)
{
    return i < COUNT(defects) && (!strcmp(defects[i], "phase_off") || !strcmp(defects[i], "flipped_bit") ||
                                  !strcmp(defects[i], "swapped_links") || !strcmp(defects[i], "wrong_order"));
}

/* 0x0 has all the traffic; none touches 0xA. */
TEST(test_idle_node_is_inconclusive)
{
    for (size_t i = 0; i <= COUNT(defects); i++) {
        const bool shows = shows_after_the_run(i);
        const char *yaml = formatted("cube: {dims: 4}\nnodes: [{address: 0x0}, {address: 0xA, defect: %s}]\n"
                                     "traffic: [{from: 0x0, to: 0x5}]\n",
                                     i < COUNT(defects) ? defects[i] : "none");
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, shows ? PB_VERDICT_FAIL : PB_VERDICT_INCONCLUSIVE);
        assert_non_null(strstr(result->reason, shows ? "after the run" : "node 0xA "));
        if (!shows)
            assert_non_null(strstr(result->reason, "add traffic"));
        assert_int_equal(result->node[0].evidence, PB_EVIDENCE_FRAMES);
        assert_int_equal(result->node[1].evidence, PB_EVIDENCE_NONE);
        assert_true(is_unchecked(result, "node 0xA: its transmissions"));
    }
}

TEST(test_receiving_node_is_judged_by_its_counters)
{
    static const struct {
        const char *kind, *defect;
        enum pb_verdict verdict;
    } row[] = {
        {"native", "none", PB_VERDICT_PASS},
        /* It affects only transmissions, and has one only after the run, where no instant is judged. */
        {"native", "late_start", PB_VERDICT_PASS},
        {"native", "wrong_order", PB_VERDICT_FAIL},
        {"native", "flipped_bit", PB_VERDICT_FAIL},
        {"native", "phase_off", PB_VERDICT_FAIL},
        {"native", "swapped_links", PB_VERDICT_FAIL},
        {"native", "silent", PB_VERDICT_INCONCLUSIVE},
        {"ref", "none", PB_VERDICT_INCONCLUSIVE}, /* it has no counters */
        {"ref", "swapped_links", PB_VERDICT_FAIL}, /* by its own message after the run */
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_result *result = run_at_5(row[i].kind, row[i].defect, RECEIVES);
        assert_verdict(result, row[i].verdict);
        if (row[i].verdict == PB_VERDICT_PASS) {
            assert_int_equal(result->node[0].evidence, PB_EVIDENCE_COUNTERS);
            assert_int_equal(result->node[0].received, 2);
            assert_int_equal(result->node[0].delivered, 2);
            assert_true(is_unchecked(result, "node 0x5: its transmissions"));
        } else if (row[i].verdict == PB_VERDICT_FAIL) {
            const bool spoilt = !strcmp(row[i].defect, "flipped_bit"),
                       counts = !strcmp(row[i].kind, "native") && strcmp(row[i].defect, "wrong_order");
            assert_int_equal(result->finding[0].kind, spoilt   ? PB_FINDING_WRONG_BYTES
                                                      : counts ? PB_FINDING_COUNTERS
                                                               : PB_FINDING_MISSING);
        } else {
            assert_non_null(strstr(result->reason, "node 0x5 "));
            assert_true(is_unchecked(result, "node 0x5: its counters (console command T)"));
        }
    }
}

TEST(test_forwarding_node_is_judged_by_its_frames)
{
    for (size_t i = 0; i <= COUNT(defects); i++) {
        const bool sound = i == COUNT(defects);
        struct pb_result *result = run_at_5("native", sound ? "none" : defects[i], FORWARDS);
        assert_verdict(result, sound ? PB_VERDICT_PASS : PB_VERDICT_FAIL);
        if (sound) {
            assert_int_equal(result->node[0].forwarded, 3);
            assert_int_equal(result->node[0].sent, 0);
            assert_int_equal(result->node[0].evidence, PB_EVIDENCE_FRAMES);
            assert_null(pb_result_unchecked(result, 0));
        }
    }
}

TEST(test_node_without_counters_is_told)
{
    struct pb_result *result = run_at_5("ref", "none", FORWARDS);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_string_equal(result->nodes, "0x5 ref");
    assert_false(result->node[0].counted);
    assert_true(is_unchecked(result, "node 0x5: its counters (console command T)"));
}

/* ---- what a node says */

static struct pb_scenario *scenario;
static struct pb_observation *played;

static void play(void)
{
    scenario =
        parse_scenario(formatted(AT_5, "native", "none", FORWARDS ", {from: 0x5, to: 0x6}, " RECEIVES));
    played = play_scenario(scenario, NULL);
}

/* Judges what was played, with these answers; NULL: as they were. */
static struct pb_result *judge(const char *identity, const char *statistics)
{
    struct pb_observation *seen = copy_observation(played);
    if (identity) {
        snprintf(seen->answer[0].identity, sizeof seen->answer[0].identity, "%s", identity);
        seen->answer[0].identified = *identity;
    }
    if (statistics)
        snprintf(seen->answer[0].statistics, sizeof seen->answer[0].statistics, "%s", statistics);
    return judge_seen(scenario, seen);
}

TEST(test_identity)
{
    static const struct {
        const char *answer, *nodes;
        enum pb_verdict verdict;
    } row[] = {
        {NULL, "0x5 native", PB_VERDICT_PASS},
        {"+I node=native addr=5 dims=4 fw=1", "0x5 native", PB_VERDICT_PASS},
        {"+I fw=1 dims=4  addr=0005 node=native", "0x5 native", PB_VERDICT_PASS},
        {"+I node=stm32 addr=5 dims=4 fw=1", "0x5 stm32", PB_VERDICT_FAIL}, /* the scenario says native */
        {"+I node=native addr=4 dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5 dims=C fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=100000005 dims=4", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5x dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5 dims=4 fw=1.2-rc room=40", "0x5 native", PB_VERDICT_PASS}, /* more keys */
        {"+I node=native addr=5 dims=4", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5 dims=4 fw=", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5 addr=5 dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=5 dims=4 dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native node=native addr=5 dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I node=native addr=000000005 dims=4 fw=1", "0x5 native", PB_VERDICT_FAIL},
        {"+I addr=5 dims=4 fw=1", "0x5 unidentified", PB_VERDICT_FAIL},
        {"+I node=native addr=5 dims=4 fw=1 ready", "0x5 native", PB_VERDICT_FAIL}, /* no pair */
        {"+I", "0x5 unidentified", PB_VERDICT_FAIL},
        {"+i node=native addr=5 dims=4 fw=1", "0x5 unidentified", PB_VERDICT_FAIL},
        {"hello", "0x5 unidentified", PB_VERDICT_FAIL},
        {"-", "0x5 unidentified", PB_VERDICT_FAIL}, /* without a reason */
        {"-unknown", "0x5 unidentified", PB_VERDICT_PASS},
        {"", "0x5 unidentified", PB_VERDICT_PASS},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_result *result = judge(row[i].answer, NULL);
        assert_verdict(result, row[i].verdict);
        assert_string_equal(result->nodes, row[i].nodes);
        if (row[i].verdict == PB_VERDICT_FAIL)
            assert_finding(result, 0, PB_FINDING_IDENTITY, 0, 0, -1);
        assert_int_equal(is_unchecked(result, "command I"), row[i].answer && strncmp(row[i].answer, "+I", 2));
    }
    scenario->node[0].kind_given = false; /* then any kind will do */
    struct pb_result *result = judge("+I node=stm32 addr=5 dims=4 fw=1", NULL);
    scenario->node[0].kind_given = true;
    assert_verdict(result, PB_VERDICT_PASS);
}

/* What a node sends reaches a report as printable text. */
TEST(test_identity_is_printed_clean)
{
    struct pb_result *result = judge("+I node=\033[31mx addr=5 dims=4", NULL);
    assert_string_equal(result->nodes, "0x5 ?[31mx");
    assert_null(strchr(result->node[0].identity, '\033'));
}

/* What the node answered to T, except one counter, which is `step` more, or `step` itself. */
static bool falsify(char *text, size_t size, int counter, long step, bool relative)
{
    const char *statistics = played->answer[0].statistics;
    const char *key = formatted(" %s=", pb_counter_key(counter));
    const char *at = strstr(statistics, key);
    assert_non_null(at);
    at += strlen(key);
    const long value = relative ? strtol(at, NULL, 16) + step : step;
    if (value < 0)
        return false;
    const int length = snprintf(text, size, "%.*s%lX%s", (int)(at - statistics), statistics,
                                (unsigned long)value, at + strcspn(at, " "));
    assert_in_range(length, 1, size - 1);
    return true;
}

/* Every counter, one too high and one too low: of a run without faults, whose own messages are there before
 * the clock starts, each has one value. */
TEST(test_each_counter_is_judged)
{
    for (int counter = 0; counter < PB_COUNTERS; counter++)
        for (int step = -1; step <= 1; step += 2) {
            char statistics[2 * sizeof played->answer[0].statistics];
            /* A frame that came in the phase before the own message leaves may be queued after that. */
            if ((counter == PB_COUNTER_MAX_STORED && step < 0) ||
                !falsify(statistics, sizeof statistics, counter, step, true))
                continue;
            struct pb_result *result = judge(NULL, statistics);
            assert_verdict(result, PB_VERDICT_FAIL);
            assert_int_equal(result->findings, 1);
            assert_int_equal(result->finding[0].kind, PB_FINDING_COUNTERS);
            assert_non_null(strstr(result->finding[0].expected, pb_counter_key(counter)));
        }
}

/* The fault falls into a phase without a frame for the node: what it counts is as certain as without. */
TEST(test_counters_under_faults_have_bounds)
{
    static const enum pb_counter bounded[] = {PB_COUNTER_RX_FRAMES, PB_COUNTER_DELIVERED,
                                              PB_COUNTER_FORWARDED, PB_COUNTER_OWN_MESSAGES};
    struct pb_scenario *const sound = scenario;
    struct pb_observation *const sound_played = played;
    const char *yaml =
        formatted(AT_5 "faults: [{kind: stuck_low, node: 0x5, dimension: 2, phase: 4, superframe: 1}]\n",
                  "native", "none", FORWARDS ", {from: 0x5, to: 0x6}, " RECEIVES);
    scenario = parse_scenario(yaml);
    played = play_scenario(scenario, NULL);
    assert_verdict(judge(NULL, NULL), PB_VERDICT_PASS);
    for (size_t i = 0; i < COUNT(bounded); i++)
        for (unsigned high = 0; high < 2; high++) {
            char statistics[2 * sizeof played->answer[0].statistics];
            falsify(statistics, sizeof statistics, (int)bounded[i], high ? 0xFFFF : 0, false);
            assert_verdict(judge(NULL, statistics), PB_VERDICT_FAIL);
        }
    scenario = sound;
    played = sound_played;
}

/* What a node leaves out, or says so that it cannot be read. */
TEST(test_every_counter_is_owed)
{
    static const char *const in_place[] = {"", " delivered=ZZ", " delivered=000000002",
                                           " delivered=2 delivered=2", " delivered=", " delivered"};
    const char *said = played->answer[0].statistics, *at = strstr(said, " delivered=2");
    assert_non_null(at);
    for (size_t i = 0; i < COUNT(in_place); i++) {
        const char *text =
            formatted("%.*s%s%s", (int)(at - said), said, in_place[i], at + strlen(" delivered=2"));
        struct pb_result *result = judge(NULL, text);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_int_equal(result->finding[0].kind, PB_FINDING_COUNTERS);
        assert_non_null(strstr(result->finding[result->findings - 1].seen, "delivered"));
    }
    assert_verdict(judge(NULL, formatted("%s temperature=21C", said)), PB_VERDICT_PASS);
}

/* Each line has an answer (C1): a node that has no counters refuses Z, with a reason (C9). */
TEST(test_a_node_answers_z_and_t)
{
    static const struct {
        const char *cleared, *statistics;
        bool counts;
        enum pb_verdict verdict;
    } row[] = {
        {"-unknown", "", false, PB_VERDICT_PASS}, {"-syntax", "", false, PB_VERDICT_PASS},
        {"", "", false, PB_VERDICT_FAIL},         {"-", "", false, PB_VERDICT_FAIL},
        {"-no", "", false, PB_VERDICT_FAIL},      {"+Z 1", "", false, PB_VERDICT_FAIL},
        {"+Z", "-unknown", true, PB_VERDICT_PASS}, {"+Z", "", true, PB_VERDICT_FAIL},
        {"+Z", "-", true, PB_VERDICT_FAIL},       {"+Z", "+S 1", true, PB_VERDICT_FAIL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *seen = copy_observation(played);
        struct pb_node_answer *answer = &seen->answer[0];
        answer->counts = row[i].counts;
        answer->counted = false;
        snprintf(answer->cleared, sizeof answer->cleared, "%s", row[i].cleared);
        snprintf(answer->statistics, sizeof answer->statistics, "%s", row[i].statistics);
        seen->epilogue.played = false;
        struct pb_result *result = judge_seen(scenario, seen);
        assert_verdict(result, row[i].verdict);
        assert_true(is_unchecked(result, "node 0x5: its counters (console command T)"));
        if (row[i].verdict == PB_VERDICT_FAIL)
            assert_finding(result, 0, PB_FINDING_CONSOLE, 0, 0, -1);
    }
}

/* The depths of the queues are those that the node says. */
TEST(test_queue_depths_are_measured)
{
    static const struct {
        enum pb_counter counter;
        long value;
        enum pb_figure figure, other;
    } want[] = {{PB_COUNTER_MAX_QUEUE, 0x1F, PB_FIGURE_NODE_QUEUE_DEPTH, PB_FIGURE_NODE_STORED},
                {PB_COUNTER_MAX_STORED, 0x25, PB_FIGURE_NODE_STORED, PB_FIGURE_NODE_QUEUE_DEPTH}};
    for (size_t i = 0; i < COUNT(want); i++) {
        char statistics[2 * sizeof played->answer[0].statistics];
        falsify(statistics, sizeof statistics, (int)want[i].counter, want[i].value, false);
        struct pb_result *result = judge(NULL, statistics);
        assert_verdict(result, PB_VERDICT_FAIL);
        const struct pb_measurement *measured = pb_measurement_find(result, want[i].figure, 0);
        assert_non_null(measured);
        assert_int_equal(measured->n, 1);
        assert_int_equal(measured->max, want[i].value);
        assert_int_not_equal(pb_measurement_find(result, want[i].other, 0)->max, want[i].value);
    }
    struct pb_result *silent = judge(NULL, "+T rx_frames=5");
    assert_null(pb_measurement_find(silent, PB_FIGURE_NODE_QUEUE_DEPTH, 0));
}

/* It comes up to 250 superframes after its line, when its message has long arrived. */
TEST(test_late_answers_are_judged)
{
    static const char *const defect[] = {"none", "wrong_answer, defect_from: 2"};
    for (size_t i = 0; i < COUNT(defect); i++) {
        const struct pb_result *result =
            run_yaml(formatted("cube: {dims: 1}\n"
                               "nodes: [{address: 0, kind: contract, freedom: answers_latest, defect: %s}]\n"
                               "traffic: [{from: 0, to: 1, superframe: 0, repeat: 14, every: 12}]\n",
                               defect[i]),
                     NULL);
        assert_verdict(result, i ? PB_VERDICT_FAIL : PB_VERDICT_PASS);
        if (i)
            assert_int_equal(strncmp(result->finding[0].expected, "node 0x0 answers '+S ", 21), 0);
    }
}

/* Five frames came, two of them for 0x5; it sent one of its own and forwarded three. */
TEST(test_row_of_a_node)
{
    struct pb_result *result = judge(NULL, NULL);
    const struct pb_node_row *row = &result->node[0];
    assert_int_equal(result->node_rows, 1);
    assert_int_equal(row->address, 5);
    assert_int_equal(row->sent, 1);
    assert_int_equal(row->forwarded, 3);
    assert_int_equal(row->received, 5);
    assert_int_equal(row->delivered, 2);
    assert_int_equal(row->counter[PB_COUNTER_TX_FRAMES], 4);
    assert_int_equal(row->counter[PB_COUNTER_RX_FRAMES], 5);
    assert_int_equal(row->counter[PB_COUNTER_OWN_MESSAGES], 1);
}

AROUND_ALL(play, NULL)
