/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines that rise slowly: what the bench measures of them, and that it counts against the line alone. A
 * core of 48 MHz stamps to half a tick, 10.4 ns; one bit in 0.3195 is what docs/reference/timing.md grants a
 * line.
 *
 * evidence: rise of the lines, and the place of each edge in a frame
 *   simulated: lines of 0 to 400 ns at 0.25 to 2 Mbaud, a receiver that reads edges at random places; on no
 *   board yet
 *   also: test_check_bits
 */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

RUNS_ALONE

#define HALF_PS 10417
#define LIMIT_OF_A_BIT (409.0 / 1280)

static struct pb_result *run_rise(const char *kind, const char *capture, unsigned kilobaud, unsigned rise_ns,
                                  const char *link, const char *node)
{
    const char *yaml =
        formatted("superframes: 4\ncapture: %s\nnodes: [{address: 0x2A3, kind: %s%s}]\n"
                  "link: {baud: %u kbaud, payload: 1 byte, phase_rate: 5 kHz, simulated_rise: %u ns%s}\n"
                  "traffic: [{pattern: complement, repeat: 2}]\n",
                  capture, kind, node, kilobaud, rise_ns, link);
    return run_yaml(yaml, NULL);
}

/* The stamp of a rise is rounded down. */
TEST(test_the_rise_of_every_line_is_measured)
{
    static const unsigned rise_ns[] = {0, 7, 37, 102, 250, 400, 1000};
    for (size_t i = 0; i < COUNT(rise_ns); i++) {
        struct pb_result *result = run_rise("ref", "edges", 250, rise_ns[i], "", "");
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->lines, 12);
        for (unsigned link = 0; link < 12; link++) {
            const struct pb_measurement *rise = pb_measurement_find(result, PB_FIGURE_LINE_RISE, (int)link);
            assert_int_equal(result->rise_source[link], PB_RISE_MEASURED);
            assert_int_equal(rise->n, PB_RISE_PULSES);
            assert_in_range(rise->min + HALF_PS, rise_ns[i] * 1000, rise_ns[i] * 1000 + HALF_PS);
            assert_in_range(rise->mean + HALF_PS, rise_ns[i] * 1000, rise_ns[i] * 1000 + HALF_PS);
            assert_in_range(rise->max + HALF_PS, rise_ns[i] * 1000, rise_ns[i] * 1000 + HALF_PS);
        }
    }
}

/* Sound nodes pass until the line cannot carry the baud; then the line is named, before anything else. */
TEST(test_sound_nodes_on_slow_lines)
{
    static const char *const kind[] = {"native", "ref"}, *const capture[] = {"edges", "bytes"};
    static const unsigned kilobaud[] = {250, 1000, 1700, 2000}, rise_ns[] = {23, 102, 141, 220, 300, 400};
    unsigned passed = 0, refused = 0;
    for (unsigned n = 0; n < COUNT(kilobaud) * COUNT(rise_ns); n++) {
        const unsigned baud = kilobaud[n % COUNT(kilobaud)], ns = rise_ns[n / COUNT(kilobaud)];
        const double bits = ns * 1e-6 * baud;
        struct pb_result *result = run_rise(kind[n / 2 % 2], capture[n % 3 % 2], baud, ns, "", "");
        if (bits < LIMIT_OF_A_BIT) {
            assert_verdict(result, PB_VERDICT_PASS);
            assert_int_equal(result->findings_total, 0);
            passed++;
        } else {
            assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
            assert_finding(result, 0, PB_FINDING_SLOW_RISE, 0, 0, 0);
            assert_int_equal(result->finding[0].sender, PB_SENDER_BENCH);
            assert_non_null(strstr(result->finding[0].expected, "pull-up"));
            refused++;
        }
    }
    assert_true(passed > 10 && refused > 5);
}

/* A line that is not high again before the next pull, or not before the clock starts. */
TEST(test_lines_that_hardly_rise)
{
    static const unsigned rise_ns[] = {4000, 30000, 100000};
    for (unsigned i = 0; i < 2 * COUNT(rise_ns); i++) {
        struct pb_result *result = run_rise("ref", i & 1 ? "bytes" : "edges", 1000, rise_ns[i / 2], "", "");
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_finding(result, 0, PB_FINDING_SLOW_RISE, 0, 0, 0);
        assert_int_equal(result->rise_source[0], PB_RISE_MEASURED);
        const struct pb_measurement *rise = pb_measurement_find(result, PB_FIGURE_LINE_RISE, 0);
        assert_true(rise->max + HALF_PS >= rise_ns[i / 2] * 1000);
        assert_int_equal(rise->judgement, PB_JUDGED_FAIL);
        assert_ptr_equal(&result->measurement[result->finding[0].measurement], rise);
    }
}

/* What is late on top of the line is the node's. */
TEST(test_late_nodes_on_slow_lines)
{
    for (unsigned ns = 0; ns <= 250; ns += 125) {
        struct pb_result *result =
            run_rise("native", "edges", 1000, ns, "", ", defect: late_start, defect_amount: 170 us");
        assert_verdict(result, PB_VERDICT_FAIL);
        result = run_rise("ref", "bytes", 1000, ns, "", ", clock_error: -30000 ppm");
        assert_verdict(result, PB_VERDICT_FAIL);
    }
}

/* A node releases its line in time: what the line takes to rise is not counted as its frame's. Each
 * end and each rise is known to a step of the stamps. */
TEST(test_a_frame_ends_when_its_sender_lets_go)
{
    static const unsigned rise_ns[] = {0, 102, 400};
    static const char *const kind[] = {"native", "ref"};
    for (unsigned k = 0; k < COUNT(kind); k++) {
        unsigned links = 0;
        const struct pb_result *result[COUNT(rise_ns)];
        for (unsigned i = 0; i < COUNT(rise_ns); i++)
            result[i] = run_rise(kind[k], "edges", 250, rise_ns[i], "", "");
        for (unsigned i = 0; i < COUNT(rise_ns); i++)
            assert_verdict(result[i], PB_VERDICT_PASS);
        for (int link = 0; link < 12; link++) {
            const struct pb_measurement *at_once = pb_measurement_find(result[0], PB_FIGURE_NODE_END, link);
            for (unsigned i = 1; at_once && i < COUNT(rise_ns); i++, links++) {
                const struct pb_measurement *end = pb_measurement_find(result[i], PB_FIGURE_NODE_END, link);
                assert_non_null(end);
                assert_int_equal(end->n, at_once->n);
                assert_in_range(end->mean + 2 * HALF_PS, at_once->mean, at_once->mean + 4 * HALF_PS);
            }
        }
        assert_true(links > 0);
    }
}

/* What is set takes the place of what is measured: a line that is slower than that is slow. */
TEST(test_a_set_rise)
{
    struct pb_result *result = run_rise("ref", "edges", 1000, 150, ", rise: 150 ns", "");
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->rise_source[5], PB_RISE_SET);
    const struct pb_measurement *rise = pb_measurement_find(result, PB_FIGURE_LINE_RISE, 5);
    assert_int_equal(rise->n, 1);
    assert_int_equal(rise->max, 150000);
    /* What a line is slower counts as its sender's: its edges have limits of 0.32 to 0.42 bit (T5). */
    result = run_rise("ref", "edges", 1000, 150, ", rise: 0 ns", "");
    assert_verdict(result, PB_VERDICT_PASS);
    result = run_rise("ref", "edges", 1000, 450, ", rise: 0 ns", "");
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->finding[0].kind, PB_FINDING_SLOW_RISE);
}

TEST(test_push_pull_has_no_rise)
{
    struct pb_result *result = run_rise("native", "edges", 2000, 300, ", drive: push_pull", "");
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->rise_source[0], PB_RISE_DRIVEN);
    assert_null(pb_measurement_find(result, PB_FIGURE_LINE_RISE, 0));
}

/* At the far pin of a pair both lines take their time. */
TEST(test_joined_lines)
{
    static const char *const capture[] = {"edges", "bytes"};
    for (unsigned i = 0; i < 2; i++) {
        char yaml[400];
        snprintf(
            yaml, sizeof yaml,
            "cube: {dims: 4}\nsuperframes: 4\ncapture: %s\n"
            "nodes: [{address: 5}, {address: 7, kind: ref}]\n"
            "link: {payload: 1 byte, simulated_rise: 102 ns}\ntraffic: [{pattern: complement, repeat: 2}]\n",
            capture[i]);
        assert_verdict(run_yaml(yaml, NULL), PB_VERDICT_PASS);
    }
}

/* Together they take what one line may: 319.5 ns at 1 Mbaud. Beyond it nothing counts against a node. */
TEST(test_joined_lines_that_hardly_rise)
{
    static const unsigned rise_ns[] = {140, 172, 240, 300, 330};
    for (unsigned i = 0; i < 2 * COUNT(rise_ns); i++) {
        const bool slow = 2 * rise_ns[i / 2] > 1000 * LIMIT_OF_A_BIT;
        struct pb_result *result = run_yaml(
            formatted("cube: {dims: 4}\nsuperframes: 2\ncapture: %s\nnodes: [{address: 5}, {address: 7}]\n"
                      "link: {payload: 1 byte, simulated_rise: %u ns}\ntraffic: [{pattern: complement}]\n",
                      i & 1 ? "bytes" : "edges", rise_ns[i / 2]),
            NULL);
        assert_verdict(result, slow ? PB_VERDICT_INCONCLUSIVE : PB_VERDICT_PASS);
        if (!slow)
            continue;
        assert_int_equal(result->finding[0].kind, PB_FINDING_SLOW_RISE);
        assert_int_equal(result->finding[0].sender, PB_SENDER_BENCH);
    }
}

/* A fault that makes a line slower still is found as what it is, by its own amount. */
TEST(test_a_slow_rise_fault_on_a_slow_line)
{
    double told = 0;
    struct pb_result *result =
        run_yaml("superframes: 4\nnodes: [{address: 0x2A3}]\nlink: {simulated_rise: 102 ns}\n"
                 "traffic: [{pattern: complement, superframe: 1}]\n"
                 "faults: [{superframe: 1, node: 0x2A3, kind: slow_rise, phase: 0, amount: 250 ns}]\n",
                 NULL);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_true(result->fault[0].detected);
    assert_finding(result, 0, PB_FINDING_SLOW_RISE, 1, 0, 0);
    assert_int_equal(sscanf(result->finding[0].seen, "it rises %lf ns late", &told), 1);
    assert_true(told > 228 && told < 272);
}

/* At the far pin of a pair, too, its amount is that beyond what both lines take. */
TEST(test_a_slow_rise_fault_on_joined_lines)
{
    struct pb_result *result = run_yaml(
        "cube: {dims: 4}\nsuperframes: 4\nnodes: [{address: 5}, {address: 7, kind: ref}]\n"
        "link: {payload: 1 byte, simulated_rise: 140 ns}\ntraffic: [{pattern: complement, superframe: 1}]\n"
        "faults: [{superframe: 1, node: 5, dimension: 1, kind: slow_rise, phase: 2, amount: 250 ns}]\n",
        NULL);
    double late_ns = 0;
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->findings, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sscanf(result->finding[i].seen, "it rises %lf ns late", &late_ns), 1);
        assert_in_range(late_ns, 228, 272);
    }
}
