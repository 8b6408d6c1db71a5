/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The line watch of a simulated core by the guards that the plan makes: lows at both sides of each border,
 * one tick long, counted from the edge of TDMA_CLK at its pin. The core's own clock and an outside one must
 * give the same. */
#include "host/plan/plan.h"
#include "phasebench/event.h"
#include "tests/bench/unit/core_fixture.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#define PS_PER_MS INT64_C(1000000000)

enum { CAPTURE = 2, RUN = 1, FOLLOW = 4, PHASES = 24, PHASE_TICKS = 4800 };

static struct core core;

/* Guard alarms of 8 ms, three superframes, in which link 0 is low in one tick of every phase. */
static unsigned alarms_of(const char *clock, unsigned tick)
{
    struct pb_scenario *scenario = parse_scenario(
        formatted("%snodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A1, to: 0x6A3}]\n", clock));
    struct pb_device *device;
    struct pb_diag diag = {""};
    struct pb_plan plan;
    struct pb_events events = {0};
    unsigned alarms = 0;
    core_make(&core, 0);
    assert_int_equal(pb_device_open(&device, &core.base, &diag), 0);
    assert_int_equal(pb_plan_make(&plan, scenario, pb_device_info(device), &diag), 0);
    const struct {
        unsigned number;
        uint32_t value;
    } reg[] = {{PB_REG_PHASE_COUNT, PHASES},
               {PB_REG_PERIOD_TICKS, PHASE_TICKS},
               {PB_REG_HIGH_TICKS, PHASE_TICKS / 2},
               {PB_REG_GUARD_HEAD, plan.guard_head_ticks},
               {PB_REG_GUARD_TAIL, plan.guard_tail_ticks},
               {PB_REG_LINK,
                PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR) | PB_PUT(PB_LINK_PHASE, PB_LINK_PHASE_ANY)}};
    for (unsigned i = 0; i < COUNT(reg); i++)
        assert_int_equal(pb_device_write(device, reg[i].number, reg[i].value, &diag), 0);
    core.low_tick = tick;
    core.outside_ticks = scenario->follow ? PHASE_TICKS : 0;
    core.outside_phases = PHASES;
    const uint32_t ctrl = CAPTURE | RUN | (scenario->follow ? FOLLOW : 0);
    assert_int_equal(pb_device_write(device, PB_REG_CTRL, ctrl, &diag), 0);
    core.pulsed = true;
    core_run(&core, 8 * PS_PER_MS);
    assert_true(pb_device_poll(device, 1, &events, &diag) >= 0);
    for (size_t i = 0; i < events.count; i++)
        alarms += events.event[i].kind == PB_EVENT_ALARM && events.event[i].link == 0 &&
                  PB_GET(PB_EVENT_ALARM_CODE, events.event[i].value) == PB_ALARM_GUARD;
    pb_events_free(&events);
    pb_plan_free(&plan);
    pb_device_close(device);
    core_free(&core);
    return alarms;
}

/* 4.9 us are 235.2 ticks, and one tick is granted: ticks up to 233 are in the head guard. 95 us are 4560, and
 * three are granted: ticks from 4563 on are in the tail guard. */
TEST(test_borders)
{
    static const char *const clock[] = {"", "clock: {source: external}\n"};
    for (unsigned c = 0; c < COUNT(clock); c++) {
        assert_true(alarms_of(clock[c], 233) > 24);
        assert_int_equal(alarms_of(clock[c], 234), 0);
        assert_int_equal(alarms_of(clock[c], 4562), 0);
        assert_true(alarms_of(clock[c], 4563) > 24);
    }
}
