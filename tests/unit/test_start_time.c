/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run does not depend on when its phase clock starts: through a byte stream and through a UART, which
 * delays every command, the core's events are the same, tick by tick.
 */
#include "run_fixture.h"

#include <stdlib.h>
#include <string.h>

static bool is_timed(const struct pb_event *event)
{
    return event->kind != PB_EVENT_CONSOLE;
}

/* Index of the event that tells of the clock's start. */
static size_t find_start(const struct pb_observation *seen)
{
    size_t at = 0;
    while (at < seen->events.count &&
           !(seen->events.event[at].kind == PB_EVENT_CLOCK && seen->events.event[at].value & 1))
        at++;
    assert_true(at < seen->events.count);
    return at;
}

static size_t next_timed(const struct pb_observation *seen, size_t at)
{
    while (at < seen->events.count && !is_timed(&seen->events.event[at]))
        at++;
    return at;
}

static void assert_same_events(const struct pb_observation *left, const struct pb_observation *right)
{
    size_t l = find_start(left), r = find_start(right), compared = 0;
    const uint64_t left_start = left->events.event[l].tick, right_start = right->events.event[r].tick;
    for (;; l++, r++, compared++) {
        l = next_timed(left, l);
        r = next_timed(right, r);
        if (l == left->events.count || r == right->events.count)
            break;
        const struct pb_event *a = &left->events.event[l], *b = &right->events.event[r];
        if (a->kind != b->kind || a->link != b->link || a->value != b->value ||
            a->tick - left_start != b->tick - right_start)
            fail_msg("event %zu: kind %u link %u value %u tick %llu, and kind %u link %u value %u tick %llu",
                     compared, a->kind, a->link, a->value, (unsigned long long)(a->tick - left_start),
                     b->kind, b->link, b->value, (unsigned long long)(b->tick - right_start));
    }
    assert_int_equal(l, left->events.count);
    assert_int_equal(r, right->events.count);
    assert_true(compared > 100);
}

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
