/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A host link that is slower than the events of the lines: edges come long after the core has recorded them,
 * also after commands that were given later. The stamp of an edge says which pull it is of.
 *
 * evidence: host link slower than its events
 *   simulated at 0.3 to 12 Mbaud: pulls before the rise of the lines is measured, and pulses of that
 *   measurement, are kept apart
 *   also: test_line_rise
 */
#include "host/plan/plan.h"
#include "host/run/configure.h"
#include "host/run/line_rise.h"
#include "tests/bench/unit/core_fixture.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { LINKS = 12, BIT_Q4 = 48 * 16 };

struct bench {
    struct core core;
    struct pb_device *device;
    struct pb_observation seen;
    struct pb_plan plan;
    struct pb_diag diag;
};

#define OK(call)                                                                                             \
    do {                                                                                                     \
        if ((call) < 0)                                                                                      \
            fail_msg("%s: %s", #call, bench->diag.text);                                                     \
    } while (0)

static void open_bench(struct bench *bench, const struct pb_scenario *scenario, unsigned clocks_per_bit)
{
    memset(bench, 0, sizeof *bench);
    core_make(&bench->core, clocks_per_bit);
    OK(pb_device_open(&bench->device, &bench->core.base, &bench->diag));
    bench->seen.info = *pb_device_info(bench->device);
    OK(pb_plan_make(&bench->plan, scenario, &bench->seen.info, &bench->diag));
    OK(pb_device_write(bench->device, PB_REG_EDGE_MASK0, (1u << LINKS) - 1, &bench->diag));
    OK(pb_device_write(bench->device, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB, &bench->diag));
}

static void close_bench(struct bench *bench)
{
    pb_plan_free(&bench->plan);
    pb_device_close(bench->device);
    pb_events_free(&bench->seen.events);
    core_free(&bench->core);
}

/* For a bit, as before each run; its events are not awaited. */
static void pull(struct bench *bench, unsigned link)
{
    static const uint8_t ones = 0xff;
    uint8_t record[PB_RECORD_MAX];
    const unsigned size = pb_record_immediate(record, link, BIT_Q4, &ones, 1);
    bool taken;
    unsigned room;
    OK(pb_device_write(bench->device, PB_REG_LINK + link, PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR),
                       &bench->diag));
    OK(pb_device_play(bench->device, 0, record, size, &taken, &room, &bench->diag));
    assert_true(taken);
}

TEST(test_pulls_and_pulses_are_told_apart)
{
    static const unsigned clocks_per_bit[] = {4, 16, 48, 96, 160}, pulls[] = {0, 1, 3, LINKS};
    const struct pb_scenario *scenario =
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n");
    for (size_t n = 0; n < COUNT(clocks_per_bit) * COUNT(pulls); n++) {
        struct bench bench_, *bench = &bench_;
        const unsigned pulled = pulls[n % COUNT(pulls)];
        struct pb_device_counters counters;
        uint64_t end_tick = 0;
        open_bench(bench, scenario, clocks_per_bit[n / COUNT(pulls)]);
        for (unsigned i = 0; i < pulled; i++)
            pull(bench, LINKS - 1 - i);
        core_run(&bench->core, INT64_C(10) * BIT_Q4 / 16 * 20833); /* the last pull is over */
        OK(pb_line_rise(&bench->seen, bench->device, scenario, &bench->plan, &bench->diag));
        OK(pb_stamp(&end_tick, bench->device, &bench->seen, &bench->diag));
        OK(pb_device_catch_up(bench->device, end_tick, &bench->seen.events, &bench->diag));
        pb_device_counters(bench->device, &counters);
        assert_int_equal(counters.events_lost, 0);
        for (unsigned link = 0; link < LINKS; link++) {
            assert_int_equal(bench->seen.rise[link].source, PB_RISE_MEASURED);
            assert_int_equal(bench->seen.rise[link].pulses, PB_RISE_PULSES);
            assert_in_range(bench->seen.rise[link].max_ps, 0, 10417);
        }
        /* Of each pull its fall and its rise are left, and nothing else. */
        assert_int_equal(bench->seen.events.count, 2 * pulled);
        for (size_t i = 0; i < bench->seen.events.count; i++)
            assert_int_equal(bench->seen.events.event[i].link, LINKS - 1 - i / 2);
        close_bench(bench);
    }
}
