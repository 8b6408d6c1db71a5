/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The limits that the plan gives the core's line watch: a run in which all is well raises no alarm. Counted
 * in the events, apart from the check. */
#include "phasebench/event.h"
#include "tests/unit/run_fixture.h"

static size_t alarms(const struct pb_scenario *scenario)
{
    struct pb_observation observation;
    size_t count = 0, phases = 0;
    play_scenario(&observation, scenario, NULL);
    for (size_t i = 0; i < observation.events.count; i++) {
        count += observation.events.event[i].kind == PB_EVENT_ALARM;
        phases += observation.events.event[i].kind == PB_EVENT_PHASE;
    }
    assert_int_equal(phases, 2 * (size_t)scenario->dims * scenario->superframes);
    assert_int_equal(observation.events_lost, 0);
    pb_observation_free(&observation);
    return count;
}

static void test_shipped_scenarios_raise_no_alarm(void **state)
{
    static const char *const names[] = {"demo",          "ref",       "two-boards", "worked-example-average",
                                        "opportunistic", "cube4-ref", "starc"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct pb_scenario *scenario = load_shipped(names[i]);
        if (alarms(scenario))
            fail_msg("%s raises alarms", names[i]);
        pb_scenario_free(scenario);
    }
}

/* Phases that are no whole number of ticks, no guards at all, a fast node that may start early, push-pull. */
static void test_odd_settings_raise_no_alarm(void **state)
{
    static const char *const yaml[] = {
        "link: {phase_rate: 7 kHz}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
        "link: {guard: 0 us, payload: 6 bytes}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: "
        "complement}]\n",
        "nodes: [{address: 0x2A3, clock_error: 10000 ppm}]\ntraffic: [{pattern: complement}]\n",
        "link: {drive: push_pull}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(yaml); i++) {
        struct pb_scenario *scenario = parse_scenario(yaml[i]);
        if (alarms(scenario))
            fail_msg("alarms for\n%s", yaml[i]);
        pb_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_scenarios_raise_no_alarm),
        cmocka_unit_test(test_odd_settings_raise_no_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
