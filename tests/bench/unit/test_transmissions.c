/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The transmissions of a run as they are handed over: all, in order of time, each with its own findings.
 */
#include "tests/bench/unit/check_fixture.h"

#include <string.h>

enum { TAKEN_MAX = 400 };

struct taken {
    struct pb_transmission one[TAKEN_MAX];
    struct pb_finding first[TAKEN_MAX]; /* of each, as it was then */
    unsigned count;
};

static void take(void *context, const struct pb_transmission *transmission)
{
    struct taken *taken = context;
    assert_true(taken->count < TAKEN_MAX);
    if (transmission->findings)
        taken->first[taken->count] = *transmission->finding[0];
    taken->one[taken->count++] = *transmission;
}

static struct pb_result *watch(struct taken *taken, const struct pb_scenario *of, struct pb_observation *seen)
{
    struct pb_result *result = new_result(of->network);
    struct pb_checker *check;
    struct pb_expectation expectation;
    pb_events_sort(&seen->events);
    assert_int_equal(pb_expect(&expectation, result, of), PB_OK);
    assert_int_equal(pb_check_open(&check, result, of, &expectation, seen, NULL), PB_OK);
    pb_check_watch_lines(check, &(struct pb_transmission_sink){take, taken});
    assert_int_equal(pb_check_push(check, seen->events.event, seen->events.count), PB_OK);
    assert_int_equal(pb_check_close(check), PB_OK);
    for (unsigned i = 1; i < taken->count; i++)
        assert_true(taken->one[i - 1].time_ps <= taken->one[i].time_ps);
    return result;
}

/* The first one of this superframe and phase. */
static const struct pb_transmission *first_in(const struct taken *taken, uint32_t superframe, unsigned phase)
{
    for (unsigned i = 0; i < taken->count; i++)
        if (taken->one[i].hop.superframe == superframe && taken->one[i].hop.phase == phase)
            return &taken->one[i];
    fail_msg("no transmission in superframe %u, phase %u", superframe, phase);
    return NULL;
}

TEST(test_all_of_a_run)
{
    static struct taken taken;
    taken.count = 0;
    const struct pb_result *result = watch(&taken, scenario, copy());
    assert_int_equal(taken.count, result->hops_total);
    for (unsigned i = 0; i < taken.count; i++) {
        const struct pb_transmission *one = &taken.one[i];
        /* A phase of the demo has 100 us, and its ticks divide it. */
        assert_int_equal(one->time_ps, (INT64_C(24) * one->hop.superframe + one->hop.phase) * 100000000 +
                                           one->hop.start_ps);
        assert_true(one->expected && one->hop.seen && one->hop.correct && one->bytes_seen == 9);
        assert_false(one->named || one->findings || one->cut || one->collision || one->by_bytes);
        assert_int_equal(one->bad_stop, -1);
    }
}

/* Lines are judged one after the other. Transmissions come in order of time, each with its findings. */
TEST(test_lines_of_a_phase)
{
    static struct taken taken;
    taken.count = 0;
    struct pb_observation *seen = copy();
    const uint64_t edge = slot_of(LAST_SUPERFRAME, 6, 2).from;
    insert_pulse(seen, 5, edge + 700, 6);
    insert_pulse(seen, 2, edge + 900, 6);
    insert_pulse(seen, 7, edge + 800, 6);
    watch(&taken, scenario, seen);
    const struct pb_transmission *one = first_in(&taken, LAST_SUPERFRAME, 6);
    static const unsigned link[] = {5, 7, 2};
    for (unsigned i = 0; i < 3; i++, one++) {
        assert_int_equal(one->hop.link, link[i]);
        assert_true(one->named && !one->expected && !one->hop.correct);
        assert_int_equal(one->findings, 1);
        assert_int_equal(taken.first[one - taken.one].link, link[i]);
        assert_int_equal(taken.first[one - taken.one].kind, PB_FINDING_GLITCH);
        assert_int_equal(one->bytes_seen, 0);
    }
}

/* An edge amid a phase ends the slots of the nodes, while that of the bench goes on: its frame began earlier
 * than a pulse that is judged before it. */
TEST(test_slots_that_end_later)
{
    static struct taken taken;
    taken.count = 0;
    const struct pb_scenario *extra = parse_scenario("name: extra\n"
                                                     "nodes:\n"
                                                     "  - {address: 0x2A3}\n"
                                                     "superframes: 6\n"
                                                     "traffic:\n"
                                                     "  - {pattern: complement, superframe: 1, repeat: 4}\n"
                                                     "faults:\n"
                                                     "  - {kind: extra_edge, superframe: 2, phase: 0}\n");
    struct pb_observation *seen = play_scenario(extra, NULL);
    const struct pb_event *phase = phase_event(seen, 2, 0);
    insert_pulse(seen, 3, phase->tick + 480, 6);
    watch(&taken, extra, seen);
    const struct pb_transmission *one = first_in(&taken, 2, 0);
    assert_int_equal(one[0].hop.link, 0);
    assert_int_equal(one[0].hop.sender, PB_SENDER_BENCH);
    assert_int_equal(one[1].hop.link, 3);
    assert_int_equal(one[1].time_ps - one[0].time_ps, 5000000);
}

AROUND_ALL(play_demo, NULL)
