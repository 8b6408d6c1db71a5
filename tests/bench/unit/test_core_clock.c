/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clock of a simulated core: which one a scenario gets (docs/reference/timing.md, "Clock of the simulated
 * core"), what cannot run on one, and that shipped scenarios have the same verdict on each.
 *
 * evidence: simulated core at 12, 24 and 48 MHz
 *   the shipped scenarios have the same verdict on each; a scenario that a clock cannot run is refused
 */
#include "host/rig/rig_sim.h"
#include "rtl/proto/gen/pb_regs.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

#define MHZ 1000000u
#define PS_PER_MS INT64_C(1000000000)

/* The shortest limit has four ticks: 333.4 ns at 12 MHz, 166.7 ns at 24 MHz. Of a bit a third counts: 999,999
 * baud are 333.33366 ns. A busy slot of 9 bytes makes about 59 events, which take 28/3 bytes each of 6 MB/s.
 */
TEST(a_scenario_gets_the_slowest_clock_that_resolves_it)
{
    static const struct {
        const char *yaml;
        unsigned mhz;
    } row[] = {
        {"", 48}, /* start_early 100 ns */
        {"limits: {start_early: 333334 ps}\nlink: {baud: 999 kbaud}\n", 12},
        {"limits: {start_early: 333333 ps}\nlink: {baud: 999 kbaud}\n", 12},
        {"limits: {start_early: 333332 ps}\nlink: {baud: 999 kbaud}\n", 24},
        {"limits: {start_early: 166666 ps}\n", 24},
        {"limits: {start_early: 166665 ps}\n", 48},
        {"limits: {start_early: 0 us}\n", 48},
        {"limits: {start_early: 1 us, start_late: 300 ns}\n", 24},
        {"limits: {start_early: 1 us}\nlink: {baud: 1001 kbaud}\n", 24},
        {"limits: {start_early: 1 us}\nlink: {baud: 500 kbaud, console_baud: 1500 kbaud}\n", 12},
        {"limits: {start_early: 1 us}\nlink: {baud: 500 kbaud, console_baud: 1501 kbaud}\n", 24},
        {"limits: {start_early: 1 us}\nfaults: [{kind: late_edge, superframe: 1}]\n", 48},
        {"limits: {start_early: 1 us}\nclock: {source: external}\n", 48},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char yaml[400];
        snprintf(yaml, sizeof yaml,
                 "superframes: 3\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C, superframe: "
                 "1}]\n%s",
                 row[i].yaml);
        struct pb_result *result = run_yaml(yaml, NULL);
        if (result->core_clock_hz != row[i].mhz * MHZ)
            fail_msg("%s: %u MHz, not %u", row[i].yaml, (unsigned)(result->core_clock_hz / MHZ), row[i].mhz);
        assert_int_equal(result->resolution_ps, INT64_C(1000000) / row[i].mhz);
    }
    /* On the UART, where the clock sets the rate, the core's own. */
    struct pb_result *result =
        run_yaml("superframes: 3\nnodes: [{address: 0x2A3}]\nlimits: {start_early: 1 us}\n"
                 "traffic: [{from: 0x2A3, to: 0x91C}]\n",
                 "sim:?port=uart");
    assert_int_equal(result->core_clock_hz, 48 * MHZ);
}

TEST(what_a_clock_cannot_do_is_refused)
{
    static const struct {
        const char *yaml, *url, *says;
    } row[] = {
        {"link: {baud: 1500001 baud}\nnodes: [{address: 1}]\n", "sim:?clock=12MHz",
         "clock of rig sim: is 12 MHz, and link.baud is 1500001; a bit takes at least 8 ticks, so 1500000 "
         "baud are the "
         "limit; raise clock, or lower link.baud"},
        {"link: {baud: 1500000 baud}\nnodes: [{address: 1}]\n", "sim:?clock=12MHz", NULL},
        {"link: {console_baud: 3000001 baud}\nnodes: [{address: 1}]\n", "sim:?clock=24MHz",
         "clock of rig sim: is 24 MHz, and link.console_baud is 3000001; "},
        {"nodes: [{address: 1}, {address: 2}]\n", "sim:?clock=48MHz",
         "clock of rig sim: is 48 MHz; the core for 2 nodes has 64 links and runs at up to 24 MHz; lower "
         "clock"},
        {"nodes: [{address: 1}, {address: 2}]\n", "sim:?clock=24MHz", NULL},
        {"nodes: [{address: 1}]\n", "sim:?clock=12MHz&port=uart&baud=12000000",
         "runs at 12000000 Hz and can do"},
        {"nodes: [{address: 1}]\n", "sim:?clock=12MHz&port=uart&baud=3000000", NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char yaml[300];
        struct pb_diag diag = {""};
        struct pb_transport *transport;
        snprintf(yaml, sizeof yaml, "%straffic: [{from: 1, to: 0x91C}]\n", row[i].yaml);
        struct pb_scenario *scenario = parse_scenario(yaml);
        const int code =
            pb_rig_open(&transport, &(struct pb_rig_options){.url = row[i].url}, scenario, &diag);
        if ((code == PB_OK) != !row[i].says || (row[i].says && !strstr(diag.text, row[i].says)))
            fail_msg("%s %s: %d: %s", row[i].yaml, row[i].url, code, diag.text);
        if (!code)
            transport->ops->close(transport);
    }
}

/* Every edge of 16 busy nodes is more than a slow core carries; every byte is not. */
TEST(too_many_events_for_a_clock_are_refused)
{
    struct pb_scenario *scenario = load_shipped("cube4-ref");
    struct pb_diag diag = {""};
    struct pb_transport *transport;
    const struct pb_rig_options slow = {.url = "sim:?clock=12MHz"};
    assert_int_equal(pb_rig_open(&transport, &slow, scenario, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text,
                           "clock of rig sim: is 12 MHz, and the traffic makes more edges and bytes than the "
                           "6000000 bytes a second of such a core carry; raise clock, or set capture bytes"));
    scenario->capture = PB_CAPTURE_BYTES;
    assert_int_equal(pb_rig_open(&transport, &slow, scenario, &diag), PB_OK);
    transport->ops->close(transport);

    /* 16 nodes on 4 links each, 8 frames at 16 pins in a phase: their edges, at least five in ten bits, and a
     * byte, are 0.6 events a bit at each, 9.6 in 8 ticks. */
    char yaml[1000] =
        "cube: {dims: 4}\nlink: {phase_rate: 1 kHz, baud: 1500 kbaud, payload: 1 byte, guard: 20 us}\n"
        "capture: edges\ntraffic: [{pattern: complement}]\nnodes:\n";
    for (unsigned i = 0; i < 16; i++)
        snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), " - {address: %u}\n", i);
    scenario = parse_scenario(yaml);
    assert_int_equal(pb_rig_open(&transport, &slow, scenario, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(
        diag.text, "the core records one in 2 ticks, 160 while they last; raise clock, or set capture"));
}

/* The core says its clock, and counts its milliseconds by it: 100 of them without a word from the host, and
 * at most one more, until the watchdog trips. */
TEST(the_core_knows_its_clock)
{
    static const unsigned mhz[] = {12, 24, 48};
    for (size_t i = 0; i < COUNT(mhz); i++) {
        struct pb_scenario *scenario = load_shipped("pairs");
        struct pb_transport *transport;
        struct pb_device *device;
        struct pb_diag diag = {""};
        const char *url = formatted("sim:?clock=%uMHz", mhz[i]);
        if (pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag) ||
            pb_device_open(&device, transport, &diag))
            fail_msg("%s", diag.text);
        assert_int_equal(pb_device_info(device)->clock_hz, mhz[i] * MHZ);
        assert_int_equal(pb_device_write(device, PB_REG_NODE_RESET, 1, &diag), PB_OK); /* arms it */
        struct pb_bench *bench = pb_rig_sim_bench(transport);
        uint32_t status;
        /* A question feeds it. */
        pb_bench_run(bench, pb_bench_now_ps(bench) + 99 * PS_PER_MS, SIZE_MAX);
        assert_int_equal(pb_device_status(device, &status, &diag), PB_OK);
        assert_false(status >> PB_STATUS_TRIPPED_LSB & 1);
        pb_bench_run(bench, pb_bench_now_ps(bench) + 102 * PS_PER_MS, SIZE_MAX);
        assert_int_equal(pb_device_status(device, &status, &diag), PB_ERR_LINK);
        assert_non_null(strstr(diag.text, "watchdog"));
        pb_device_close(device);
    }
}

/* What was found, by kind; the order and the times may differ by what a tick is. */
static void count_findings(const struct pb_result *result, size_t count[])
{
    for (size_t i = 0; i < result->findings; i++)
        count[result->finding[i].kind]++;
}

TEST(shipped_scenarios_have_the_same_verdict_on_each_clock)
{
    static const char *const name[] = {
        "demo",
        "complement",
        "opportunistic",
        "outside-clock",
        "pairs",
        "push-pull",
        "ref",
        "starc",
        "two-boards",
        "permutation-overload",
        "worked-example-up",
        "broken/late-start",
        "broken/phase-off",
        "broken/flipped-bit",
        "broken/silent",
        "broken/swapped-links",
        "broken/wrong-order",
        "faults/babble",
        "faults/bad-frames",
        "faults/late-clock",
        "faults/odd-frames",
        "faults/weak-pull-up",
        "faults/broken-wires",
        "xor-one-bit",
        "xor-random",
        "worked-example-average",
        "worked-example-down",
    };
    unsigned compared = 0;
    for (size_t i = 0; i < COUNT(name); i++) {
        struct pb_scenario *scenario = load_shipped(name[i]);
        struct pb_result *own =
            run_scenario(scenario, scenario->node_count == 1 ? "sim:?clock=48MHz" : "sim:?clock=24MHz");
        size_t wanted[PB_FINDING_KINDS] = {0};
        count_findings(own, wanted);
        for (unsigned mhz = 12; mhz < (scenario->node_count == 1 ? 48 : 24); mhz *= 2) {
            size_t found[PB_FINDING_KINDS] = {0};
            struct pb_result *result = run_scenario(scenario, formatted("sim:?clock=%uMHz", mhz));
            assert_int_equal(result->core_clock_hz, mhz * MHZ);
            assert_verdict(result, own->verdict);
            count_findings(result, found);
            const bool same = !strcmp(result->capture, own->capture); /* else it does not carry every edge */
            compared += same;
            for (unsigned kind = 0; same && kind < PB_FINDING_KINDS; kind++)
                if (found[kind] != wanted[kind])
                    fail_msg("%s at %u MHz: %zu of %s, on the core's own clock %zu", name[i], mhz,
                             found[kind], pb_finding_id((enum pb_finding_kind)kind), wanted[kind]);
            assert_int_equal(result->delivered, own->delivered);
            assert_int_equal(result->slots_checked, own->slots_checked);
        }
    }
    print_message("%u runs with the same capture\n", compared);
    assert_true(compared >= 30);
}
