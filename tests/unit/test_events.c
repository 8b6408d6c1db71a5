/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The order of events, against a selection of the least by the definition in event.h. Nearly sorted events
 * and thoroughly shuffled ones take different ways through the sort.
 */
#include "phasebench/event.h"
#include "phasebench/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COUNT = 400 };

/* The definition: by tick, at equal ticks phases first, then by sequence. */
static bool is_before(const struct pb_event *a, const struct pb_event *b)
{
    const bool a_phase = a->kind == PB_EVENT_PHASE, b_phase = b->kind == PB_EVENT_PHASE;
    return a->tick != b->tick     ? a->tick < b->tick
           : a_phase != b_phase ? a_phase
                                : a->sequence < b->sequence;
}

static void sorts(unsigned displaced_by, uint64_t seed)
{
    struct pb_event event[COUNT], least[COUNT];
    bool taken[COUNT] = {false};
    struct pb_events events = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        event[i] = (struct pb_event){.tick = i / 3 + pb_splitmix64(&seed) % displaced_by,
                                     .kind = i % 7 ? PB_EVENT_EDGE : PB_EVENT_PHASE,
                                     .sequence = i};
        assert_int_equal(pb_events_add(&events, &event[i]), 0);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned best = COUNT;
        for (unsigned k = 0; k < COUNT; k++)
            if (!taken[k] && (best == COUNT || is_before(&event[k], &event[best])))
                best = k;
        taken[best] = true;
        least[i] = event[best];
    }
    pb_events_sort(&events);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(events.event[i].sequence, least[i].sequence);
        assert_int_equal(events.event[i].tick, least[i].tick);
    }
    pb_events_free(&events);
}

static void test_sort(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sorts(1, seed);
        sorts(4, seed);
        sorts(30, seed);
        sorts(100000, seed);
    }
    struct pb_events nothing = {0};
    pb_events_sort(&nothing);
    assert_int_equal(nothing.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
