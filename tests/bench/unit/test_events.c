/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The order of events, against a selection of the least by the definition in event.h. Nearly sorted events
 * and thoroughly shuffled ones take different paths through the sort.
 */
#include "phasebench/event.h"
#include "phasebench/random.h"
#include "tests/bench/unit/tests.h"

enum { COUNT = 400 };

/* The definition: by tick, at equal ticks phases first, then by sequence. */
static bool is_before(const struct pb_event *a, const struct pb_event *b)
{
    const bool a_phase = a->kind == PB_EVENT_PHASE, b_phase = b->kind == PB_EVENT_PHASE;
    return a->tick != b->tick ? a->tick < b->tick : a_phase != b_phase ? a_phase : a->sequence < b->sequence;
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

TEST(test_sort)
{
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

/* Across the wraps of the superframe in the event, with up to 4000 superframes lost in one place, and near
 * a number that is only wrong. */
TEST(test_phases)
{
    enum { PHASES = 24 };
    uint64_t random = 1, seen = 0;
    for (uint64_t instant = 0; instant < UINT64_C(24) * 200000;) {
        const struct pb_event event = {.kind = PB_EVENT_PHASE,
                                       .value =
                                           PB_PUT(PB_EVENT_PHASE_PHASE, (unsigned)(instant % PHASES)) |
                                           PB_PUT(PB_EVENT_PHASE_SUPERFRAME, (uint32_t)(instant / PHASES))};
        seen = pb_event_phases(&event, seen, PHASES);
        assert_true(seen == instant + 1);
        const struct pb_event wrong = {
            .kind = PB_EVENT_PHASE,
            .value = PB_PUT(PB_EVENT_PHASE_SUPERFRAME, (uint32_t)(instant / PHASES - 5))};
        assert_true(pb_event_phases(&wrong, seen, PHASES) == seen + 1);
        instant += pb_splitmix64(&random) % 50 ? 1 : pb_splitmix64(&random) % (4000 * PHASES);
        instant += instant < seen;
    }
}
