/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole scenarios over a link that loses bytes, and over one that is too slow: what was lost is counted to
 * the event, and no node is blamed for it.
 */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static void assert_never_fails(const struct pb_scenario *scenario, const char *url, bool must_pass)
{
    const struct pb_run_options options = {.rig_url = url, .timeout_s = 600};
    struct pb_result *result;
    struct pb_diag diag = {""};
    const int code = pb_run(&result, scenario, &options, &diag);
    /* A burst can outlast every repetition: then the run ends, incomplete. */
    if (code && (must_pass || code != PB_ERR_LINK))
        fail_msg("%s: %s: %s", scenario->name, url, diag.text);
    if (result->verdict == PB_VERDICT_FAIL || (must_pass && result->verdict != PB_VERDICT_PASS))
        fail_msg("%s: %s: %s: %s", scenario->name, url, pb_verdict_name(result->verdict), result->reason);
    pb_result_free(result);
}

TEST(runs_over_a_bad_wire_never_blame_the_node)
{
    static const char *const port[] = {"", "port=uart&", "port=uart&baud=3000000&"};
    static const char *const noise[] = {"noise=1e-4", "noise=1e-3", "noise_in=3e-3",
                                        "noise_in=1e-4&noise_burst=5000"};
    struct pb_scenario *scenario = load_shipped("ref");
    for (size_t p = 0; p < COUNT(port); p++)
        for (size_t n = 0; n < COUNT(noise); n++) {
            char url[128] = "sim:?";
            strcat(strcat(url, port[p]), noise[n]);
            strcat(url, "&noise_seed=3");
            assert_never_fails(scenario, url, false);
        }
}

/* No event is lost when only commands are corrupted, which are repeated: the verdict is that of a good wire.
 */
TEST(hurt_commands_cost_no_verdict)
{
    static const char yaml[] = "link: {phase_rate: 1 kHz, payload: 6 bytes}\nnodes: [{address: 0x2A3}]\n"
                               "traffic: [{pattern: 'xor:0xFFF'}]\n";
    struct pb_scenario *scenario = parse_scenario(yaml);
    assert_never_fails(scenario, "sim:?port=uart&noise_out=1e-3", true);
    assert_never_fails(scenario, "sim:?noise_out=1e-3&noise_seed=9", true);
}

TEST(the_finding_names_both_losses)
{
    struct pb_scenario *scenario = load_shipped("complement");
    scenario->capture = PB_CAPTURE_EDGES;
    struct pb_observation *const seen = play_scenario(scenario, "sim:?port=uart&noise_in=1e-4");
    const struct pb_device_counters *counters = &seen->counters;
    assert_true(counters->events_lost > 0 && counters->events_missing > 0);
    assert_int_equal(seen->events_lost, counters->events_lost);
    assert_int_equal(counters->events, seen->events.count + seen->events_taken);
    const char *wanted =
        formatted("%llu events lost in the core, %llu on the way to the host",
                  (unsigned long long)counters->events_lost, (unsigned long long)counters->events_missing);
    struct pb_result *result = run_scenario(scenario, "sim:?port=uart&noise_in=1e-4");
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_finding(result, 0, PB_FINDING_LOSS, 0, 0, -1);
    assert_string_equal(result->finding[0].seen, wanted);
}

/* All 12 lines at full load, every edge captured, is more than either rate carries. */
TEST(full_load_is_counted_to_the_event)
{
    static const char *const url[] = {"sim:", "sim:?port=uart", "sim:?port=uart&baud=3000000"};
    struct pb_scenario *scenario = load_shipped("complement");
    uint64_t all = 0;
    scenario->capture = PB_CAPTURE_EDGES;
    for (size_t i = 0; i < COUNT(url); i++) {
        struct pb_observation *const seen = play_scenario(scenario, url[i]);
        uint64_t overflows = 0, told = 0;
        for (size_t e = 0; e < seen->events.count; e++)
            if (seen->events.event[e].kind == PB_EVENT_OVERFLOW) {
                overflows++;
                told += seen->events.event[e].value;
            }
        assert_int_equal(told, seen->events_lost);
        assert_int_equal(seen->counters.events_missing, 0);
        assert_int_equal(seen->counters.events, seen->events.count + seen->events_taken);
        if (!i) {
            assert_int_equal(seen->events_lost, 0);
            all = seen->events.count;
        } else
            assert_true(seen->events_lost > 0);
        /* The nodes do the same on each rig, so there is as much to be seen, except heartbeats: longer or
         * shorter waits before the clock starts. */
        assert_in_range(seen->events.count - overflows + seen->events_lost, all - 3, all + 3);
    }
}
