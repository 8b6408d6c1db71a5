/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run does not depend on when its phase clock starts: through a byte stream and through a UART, which
 * delays every command, the core's events are the same, tick by tick.
 */
#include "run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static void compare(const char *name)
{
    struct pb_scenario *scenario = load_shipped(name);
    scenario->superframes = scenario->superframes > 3 ? 3 : scenario->superframes;
    const struct pb_observation *here = play_scenario(scenario, "sim:"),
                                *there = play_scenario(scenario, "sim:?noise_out=0.002&noise_seed=5");
    assert_int_equal(here->events_lost, 0);
    assert_int_equal(there->events_lost, 0);
    assert_true(there->counters.retries > here->counters.retries);
    assert_same_events(here, there);
}

TEST(test_native_node)
{
    compare("demo");
}

TEST(test_reference_node)
{
    compare("ref");
}
