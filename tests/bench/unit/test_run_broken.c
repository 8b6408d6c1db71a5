/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs that must not pass: broken nodes, interruption, time limit.
 *
 * All broken scenarios put node 0x2A3 on the rig, with 0x2A3 to 0x91C in superframe 0 and complement in 1
 * and 2. In superframe 0 the node sends once: the addresses differ in 0xBBF, lowest in dimension 0, and bit 0
 * of 0x2A3 is 1, so in phase 1 on link 0. In superframes 1 and 2 it sends once on each of its 12 links, so 25
 * times in all. */
#include "tests/bench/unit/run_fixture.h"

#include "host/base/monotonic.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static struct pb_result *run_broken(const char *name)
{
    struct pb_result *result = run_scenario(load_shipped(formatted("broken/%s", name)), NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(pb_verdict_exit_code(result->verdict), 1);
    assert_true(result->delivered < result->messages);
    return result;
}

static size_t count_of(const struct pb_result *result, enum pb_finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < result->findings; i++)
        count += result->finding[i].kind == kind;
    return count;
}

/* A frame in a phase that is not the node's. Only the core's line watch shows which side pulled. */
static void assert_astray(const struct pb_result *result, size_t index, unsigned phase, int link)
{
    assert_true(index < result->findings);
    const enum pb_finding_kind kind = result->finding[index].kind;
    assert_finding(result, index, kind == PB_FINDING_OUTSIDE ? kind : PB_FINDING_BABBLE, 0, phase, link);
}

/* Bit 11 of a frame is data bit 0 of the second byte: 10 bits of the first, the start bit. */
TEST(test_flipped_bit)
{
    struct pb_result *result = run_broken("flipped-bit");
    assert_finding(result, 0, PB_FINDING_WRONG_BYTES, 0, 1, 0);
    assert_int_equal(count_of(result, PB_FINDING_WRONG_BYTES), 25);
    assert_int_equal(result->findings_total, 25);
    for (size_t i = 0; i < result->findings; i++)
        assert_int_equal(result->finding[i].bit, 11);
}

/* 4 us late with 1 us allowed; the 90 us frame then ends 3 us inside the 5 us tail guard, as its last bit is
 * a stop bit. */
TEST(test_late_start)
{
    struct pb_result *result = run_broken("late-start");
    assert_finding(result, 0, PB_FINDING_LATE, 0, 1, 0);
    assert_int_equal(count_of(result, PB_FINDING_LATE), 25);
    assert_in_range(result->hop[0].start_ps, 8900000, 9100000);
    /* A frame whose last bits are ones lets the line go early enough, so not each of them runs into the
     * guard. */
    assert_int_equal(count_of(result, PB_FINDING_LATE) + count_of(result, PB_FINDING_OVERRUN),
                     result->findings_total);
}

/* Counts every phase one too low: takes phase 2 for phase 1, and sends there. */
TEST(test_phase_off)
{
    struct pb_result *result = run_broken("phase-off");
    assert_finding(result, 0, PB_FINDING_MISSING, 0, 1, 0);
    assert_astray(result, 1, 2, 0);
}

/* The console is the first thing that fails, before the clock starts. */
TEST(test_silent)
{
    struct pb_result *result = run_broken("silent");
    assert_finding(result, 0, PB_FINDING_CONSOLE, 0, 0, -1);
    assert_finding(result, 1, PB_FINDING_MISSING, 0, 1, 0);
    assert_int_equal(count_of(result, PB_FINDING_MISSING), 25);
    assert_int_equal(result->findings_total, 26);
}

/* The frame due on link 0 appears on link 1 in the same phase. */
TEST(test_swapped_links)
{
    struct pb_result *result = run_broken("swapped-links");
    assert_finding(result, 0, PB_FINDING_MISSING, 0, 1, 0);
    assert_astray(result, 1, 1, 1);
}

/* The highest differing dimension of 0x2A3 and 0x91C is 11, where 0x2A3 has a 0: phase 22. */
TEST(test_wrong_order)
{
    struct pb_result *result = run_broken("wrong-order");
    assert_finding(result, 0, PB_FINDING_MISSING, 0, 1, 0);
    assert_finding(result, 1, PB_FINDING_UNEXPECTED, 0, 22, 11);
}

/* The defects act at the pins, so the reference node shows the same first findings. */
TEST(test_broken_reference_nodes)
{
    static const struct {
        const char *defect;
        enum pb_finding_kind kind;
    } broken[] = {
        {"flipped_bit", PB_FINDING_WRONG_BYTES}, {"late_start", PB_FINDING_LATE},
        {"phase_off", PB_FINDING_MISSING},       {"silent", PB_FINDING_CONSOLE},
        {"swapped_links", PB_FINDING_MISSING},
    };
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct pb_result *result = run_yaml(
            formatted(
                "nodes: [{address: 0x2A3, kind: ref, defect: %s}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
                broken[i].defect),
            NULL);
        assert_verdict(result, PB_VERDICT_FAIL);
        if (broken[i].kind == PB_FINDING_CONSOLE)
            assert_finding(result, 0, broken[i].kind, 0, 0, -1);
        else
            assert_finding(result, 0, broken[i].kind, 0, 1, 0);
    }
}

/* One broken board of two: the other one is not blamed before it. 0x2A2 forwards nothing it was not given, so
 * what it should have forwarded is missing later. */
TEST(test_first_finding_names_the_broken_board)
{
    struct pb_result *result = run_yaml("nodes: [{address: 0x2A2}, {address: 0x2A3, defect: "
                                        "wrong_order}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
                                        NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    /* Missing at the receiving pin (link 0 of the first board) and at the sending pin (link 12, dimension 0
     * of the second). */
    assert_finding(result, 0, PB_FINDING_MISSING, 0, 1, 0);
    assert_finding(result, 1, PB_FINDING_MISSING, 0, 1, 12);
}

/* ---- ends before the end */

/* 20,000 superframes of 2.4 ms: minutes. */
static const char long_yaml[] =
    "superframes: 20000\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n";

struct stopper {
    volatile sig_atomic_t stop;
    unsigned calls;
    struct pb_run_progress last;
};

static void stop_in_the_second_superframe(void *context, const struct pb_run_progress *progress)
{
    struct stopper *stopper = context;
    stopper->last = *progress;
    stopper->calls++;
    stopper->stop = progress->superframe >= 1;
}

TEST(test_stop_flag_interrupts)
{
    struct stopper stopper = {0};
    const struct pb_run_options options = {
        .stop = &stopper.stop, .progress = stop_in_the_second_superframe, .context = &stopper};
    struct pb_scenario *scenario = parse_scenario(long_yaml);
    struct pb_result *result = (struct pb_result *)scenario; /* must be overwritten */
    struct pb_diag diag;
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_INTERRUPTED);
    assert_non_null(strstr(diag.text, "interrupted"));
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(result->incomplete, "the run ends in superframe "));
    assert_non_null(strstr(result->incomplete, "interrupted"));
    assert_string_equal(result->reason, result->incomplete);
    assert_true(result->slots_checked > 0);
    assert_int_equal(result->findings_total, 0);
    pb_result_free(result);
    assert_true(stopper.calls >= 1);
    assert_int_equal(stopper.last.superframes, 20000);
    assert_in_range(stopper.last.superframe, 1, 19999);
}

/* The failure came before the interruption, so it is one. */
TEST(test_interruption_keeps_a_failure)
{
    struct stopper stopper = {0};
    const struct pb_run_options options = {
        .stop = &stopper.stop, .progress = stop_in_the_second_superframe, .context = &stopper};
    struct pb_scenario *scenario = parse_scenario(
        "name: long and broken\nsuperframes: 20000\nnodes:\n  - {address: 0x2A3, defect: flipped_bit}\n"
        "traffic:\n  - {from: 0x2A3, to: 0x91C}\n");
    struct pb_result *result;
    struct pb_diag diag;
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_INTERRUPTED);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->finding[0].kind, PB_FINDING_WRONG_BYTES);
    assert_non_null(strstr(result->reason, "not the expected one"));
    assert_non_null(strstr(result->incomplete, "interrupted"));
    pb_result_free(result);
}

TEST(test_stop_flag_set_before_the_start)
{
    const volatile sig_atomic_t stop = 1;
    const struct pb_run_options options = {.stop = &stop};
    struct pb_scenario *scenario = parse_scenario(long_yaml);
    struct pb_result *result;
    assert_int_equal(pb_run(&result, scenario, &options, NULL), PB_ERR_INTERRUPTED);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_string_equal(result->incomplete, "interrupted before the run began");
    assert_int_equal(result->core_clock_hz, 0);
    assert_int_equal(result->slots_checked, 0);
    pb_result_free(result);
}

TEST(test_time_limit)
{
    const struct pb_run_options options = {.timeout_s = 1};
    struct pb_scenario *scenario = parse_scenario(long_yaml);
    struct pb_result *result;
    struct pb_diag diag;
    const int64_t start_ms = pb_monotonic_ms();
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_TIMEOUT);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(result->incomplete, "limit of 1 s"));
    pb_result_free(result);
    assert_non_null(strstr(diag.text, "limit of 1 s"));
    assert_in_range(pb_monotonic_ms() - start_ms, 1000, 600000);
}

TEST(test_unknown_rig_is_refused)
{
    const struct pb_run_options options = {.rig_url = "sim:?port=parallel"};
    struct pb_scenario *scenario = parse_scenario(long_yaml);
    struct pb_result *result;
    struct pb_diag diag = {""};
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_ARGUMENT);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->core_clock_hz, 0);
    pb_result_free(result);
    assert_non_null(strstr(diag.text, "parallel"));
}

/* The firmware has room for 40 messages: it refuses the 41st and says why. */
TEST(test_refused_messages)
{
    char yaml[2000] = "name: too many\ncube: {dims: 3}\nsuperframes: 2\nnodes:\n  - {address: 5}\nlimits: "
                      "{overflow: drop}\n"
                      "traffic:\n";
    for (int i = 0; i < 43; i++)
        strcat(yaml, "  - {from: 5, to: 2}\n");
    struct pb_scenario *scenario = parse_scenario(yaml);
    scenario->node[0].room = 43; /* more than it has */
    struct pb_result *result = run_scenario(scenario, NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->finding[0].kind, PB_FINDING_CONSOLE);
    assert_string_equal(result->finding[0].expected,
                        "node 0x5 answers '+S 8' to the line that queues message 40");
    assert_string_equal(result->finding[0].seen, "it answered '-full'");
}
