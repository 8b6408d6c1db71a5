/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run does not depend on when its phase clock starts: through a byte stream and through a UART, which
 * delays every command, the core's events are the same, tick by tick.
 */
#include "run_fixture.h"

#include <stdlib.h>
#include <string.h>

static void compare(const char *name)
{
    struct pb_scenario *scenario = load_shipped(name);
    struct pb_observation here, there;
    scenario->superframes = scenario->superframes > 3 ? 3 : scenario->superframes;
    play_scenario(&here, scenario, "sim:");
    play_scenario(&there, scenario, "sim:?noise_out=0.002&noise_seed=5");
    assert_int_equal(here.events_lost, 0);
    assert_int_equal(there.events_lost, 0);
    assert_true(there.counters.retries > here.counters.retries);
    assert_same_events(&here, &there);
    pb_observation_free(&here);
    pb_observation_free(&there);
    pb_scenario_free(scenario);
}

static void test_native_node(void **state)
{
    (void)state;
    compare("demo");
}

static void test_reference_node(void **state)
{
    (void)state;
    compare("ref");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native_node),
        cmocka_unit_test(test_reference_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
