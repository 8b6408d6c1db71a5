/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The limits that the plan gives the core's line watch: a run in which all is well raises no alarm. Counted
 * in the events, apart from the check. */
#include "phasebench/event.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

RUNS_ALONE

static size_t alarms(const struct pb_scenario *scenario)
{
    size_t count = 0, phases = 0;
    struct pb_observation *const observation = play_scenario(scenario, NULL);
    for (size_t i = 0; i < observation->events.count; i++) {
        count += observation->events.event[i].kind == PB_EVENT_ALARM;
        phases += observation->events.event[i].kind == PB_EVENT_PHASE;
    }
    assert_int_equal(phases, (size_t)scenario->network.phases * scenario->superframes);
    assert_int_equal(observation->events_lost, 0);
    return count;
}

TEST(test_shipped_scenarios_raise_no_alarm)
{
    static const char *const names[] = {"demo",          "ref",       "two-boards", "worked-example-average",
                                        "opportunistic", "cube4-ref", "starc",      "outside-clock"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct pb_scenario *scenario = load_shipped(names[i]);
        if (alarms(scenario))
            fail_msg("%s raises alarms", names[i]);
    }
}

/* Phases that are no whole number of ticks, no guards at all, a fast node that may start early, push-pull. */
TEST(test_odd_settings_raise_no_alarm)
{
    static const char *const yaml[] = {
        "link: {phase_rate: 7 kHz}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
        "link: {guard: 0 us, payload: 6 bytes}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: "
        "0xD5C}]\n",
        "nodes: [{address: 0x2A3, clock_error: 10000 ppm}]\ntraffic: [{pattern: complement}]\n",
        "link: {drive: push_pull}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
    };
    for (size_t i = 0; i < COUNT(yaml); i++) {
        struct pb_scenario *scenario = parse_scenario(yaml[i]);
        if (alarms(scenario))
            fail_msg("alarms for\n%s", yaml[i]);
    }
}

/* After an external edge as after its own: 5 us, 240 ticks, after the edge at the pin. Link 0 of 0x2A3 is
 * the bench's in phase 0. */
TEST(test_bench_sends_in_time_by_an_outside_clock)
{
    struct pb_scenario *scenario =
        parse_scenario("clock: {source: external, error: 20 ppm, jitter: 100 ns}\nnodes: [{address: 0x2A3}]\n"
                       "traffic: [{from: 0x2A2, to: 0x2A3, superframe: 1, repeat: 4}]\n");
    struct pb_observation *const observation = play_scenario(scenario, NULL);
    uint64_t edge = 0;
    unsigned frames = 0;
    for (size_t i = 0; i < observation->events.count; i++) {
        const struct pb_event *event = &observation->events.event[i];
        if (event->kind == PB_EVENT_TDMA) {
            edge = PB_GET(PB_EVENT_TDMA_SYNC, event->value) ? event->tick : 0;
        } else if (edge && event->kind == PB_EVENT_EDGE && event->link == 0) {
            assert_int_equal(event->tick - edge, 240);
            frames++;
            edge = 0;
        }
    }
    assert_int_equal(frames, 4);
}
