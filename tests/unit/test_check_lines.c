/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check against activity where none belongs, and against faults of the bench itself. check_fixture.h says
 * what the observation holds. */
#include "tests/unit/check_fixture.h"

#include <string.h>

/* ---- activity where none belongs */

static void test_pulse_on_an_idle_line(void **state)
{
    static const struct {
        uint32_t superframe;
        unsigned phase, link;
    } place[] = {{0, 0, 0},
                 {0, 0, LAST_LINK},
                 {0, 1, 1},
                 {LAST_SUPERFRAME, LAST_PHASE, 0},
                 {LAST_SUPERFRAME, LAST_PHASE, LAST_LINK},
                 {7, 12, 7}};
    static const unsigned at[] = {0, 1, 50 * US, PHASE - 2};
    (void)state;
    for (size_t i = 0; i < COUNT(place); i++)
        for (size_t k = 0; k < COUNT(at); k++) {
            struct pb_observation seen = copy();
            const struct slot slot = slot_of(place[i].superframe, place[i].phase, place[i].link);
            insert_pulse(&seen, slot.link, slot.from + at[k], 1);
            struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_GLITCH,
                                                   place[i].superframe, place[i].phase, (int)place[i].link);
            assert_int_equal(result->findings_total, 1);
            pb_result_free(result);
        }
}

/* The last phase is judged even when nothing was recorded after it. */
static void test_record_that_ends_in_the_last_phase(void **state)
{
    (void)state;
    for (unsigned pulse = 0; pulse < 2; pulse++) {
        struct pb_observation seen = copy();
        const struct slot last = slot_of(LAST_SUPERFRAME, LAST_PHASE, LAST_LINK);
        for (size_t i = seen.events.count; i-- > 0;)
            if (seen.events.event[i].tick > last.from)
                erase(&seen, &seen.events.event[i]);
        if (pulse)
            insert_pulse(&seen, LAST_LINK, last.from + 50 * US, US);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, pulse ? PB_VERDICT_FAIL : PB_VERDICT_PASS);
        if (pulse)
            assert_finding(result, 0, PB_FINDING_UNEXPECTED, LAST_SUPERFRAME, LAST_PHASE, LAST_LINK);
        assert_int_equal(result->slots_checked, 14 * 24 * 12);
        pb_result_free(result);
    }
}

/* Too short for a receiver: the bytes stay right. */
static void test_glitch_inside_a_frame(void **state)
{
    (void)state;
    const uint64_t rise = event_in(&demo, node_slot(), PB_EVENT_EDGE, 1)->tick;
    struct pb_observation seen = copy();
    insert_pulse(&seen, 0, rise + 5, 2);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 0, 1, 0);
    seen = copy();
    const uint64_t bench_rise = event_in(&demo, bench_slot(), PB_EVENT_EDGE, 1)->tick;
    insert_pulse(&seen, 0, bench_rise + 5, 2);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 1, 0, 0);
}

static void test_low_in_the_guards(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert_pulse(&seen, 0, node_slot().from + 96 * US, US);
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 1, 0);
    assert_finding(result, 1, PB_FINDING_OVERRUN, 0, 1, 0);
    pb_result_free(result);

    seen = copy();
    insert_pulse(&seen, 0, node_slot().from + 2 * US, US);
    result = judge(&seen);
    assert_verdict(result, PB_VERDICT_FAIL);
    bool early = false;
    for (size_t i = 0; i < result->findings; i++)
        early |= result->finding[i].kind == PB_FINDING_EARLY && result->finding[i].phase == 1;
    assert_true(early);
    pb_result_free(result);
}

/* Link 0 carries nothing more in superframe 0, so that it stays low for the rest of it: told once a phase. */
static void test_line_that_stays_low(void **state)
{
    enum { PHASES_TO_LOOK_AT = 24 };
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, event_in(&seen, node_slot(), PB_EVENT_EDGE, -1));
    erase(&seen, event_in(&seen, bench_slot(), PB_EVENT_EDGE, 0)); /* it is low when the next frame begins */
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_FAIL);
    unsigned stuck[PHASES_TO_LOOK_AT] = {0};
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->superframe == 0 && finding->phase < PHASES_TO_LOOK_AT && finding->link == 0 &&
            finding->kind == PB_FINDING_STUCK)
            stuck[finding->phase]++;
    }
    assert_int_equal(stuck[0], 0);
    for (unsigned phase = 1; phase < PHASES_TO_LOOK_AT; phase++)
        assert_int_equal(stuck[phase], 1);
    pb_result_free(result);
}

/* A dead short makes no edge at all. */
static void test_line_that_is_always_low(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (size_t i = seen.events.count; i-- > 0;)
        if ((seen.events.event[i].kind == PB_EVENT_EDGE || seen.events.event[i].kind == PB_EVENT_BYTE) &&
            seen.events.event[i].link == 5)
            erase(&seen, &seen.events.event[i]);
    seen.line_level &= ~(UINT64_C(1) << 5);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_STUCK, 0, 0, 5);
}

static void test_low_while_the_clock_stands(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert_pulse(&seen, 3, phase_event(&demo, 0, 0)->tick - 10 * US, US);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_LOW_BEFORE, 0, 0, 3);
    seen = copy();
    insert_pulse(&seen, 3, phase_event(&demo, LAST_SUPERFRAME, LAST_PHASE)->tick + PHASE + 10 * US, US);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, LAST_SUPERFRAME, LAST_PHASE, 3);
}

static void test_byte_without_edges(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert(&seen, PB_EVENT_BYTE, 4, slot_of(0, 5, 4).from + 50 * US, 0x155);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 5, 4);
}

/* ---- the bench's own faults */

static void test_dropped_phase_event(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, phase_event(&seen, 1, 4));
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 1, 3, -1);
    seen = copy();
    erase(&seen, phase_event(&seen, LAST_SUPERFRAME, LAST_PHASE));
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->finding[0].kind, PB_FINDING_CLOCK);
    pb_result_free(result);
}

static void test_shifted_phase_event(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    phase_event(&seen, 1, 4)->tick += 2 * US;
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 1, 3, -1);
    /* A phase may be one tick longer than the next. */
    seen = copy();
    phase_event(&seen, LAST_SUPERFRAME, 4)->tick++;
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_PASS);
    pb_result_free(result);
}

static void test_wrong_phase_number(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    phase_event(&seen, 5, 4)->value ^= PB_PUT(PB_EVENT_PHASE_PHASE, 1);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 5, 4, -1);
    seen = copy();
    phase_event(&seen, 5, 4)->value ^= PB_PUT(PB_EVENT_PHASE_SUPERFRAME, 1);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 5, 4, -1);
}

static void test_loss(void **state)
{
    (void)state;
    for (unsigned node_broken = 0; node_broken < 2; node_broken++)
        for (unsigned on_the_way = 0; on_the_way < 2; on_the_way++) {
            struct pb_observation seen = copy();
            if (on_the_way)
                seen.counters.events_missing = 1;
            else
                seen.events_lost = 1;
            if (node_broken)
                erase_slot(&seen, node_slot()); /* or were these the events that were lost? */
            expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
        }
}

static void assert_never_stuck(const struct pb_result *result)
{
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == PB_FINDING_STUCK)
            fail_msg("link %d is told to be stuck in superframe %u, phase %u: %s", result->finding[i].link,
                     result->finding[i].superframe, result->finding[i].phase, result->finding[i].seen);
}

/* Without any edge of a frame the line does the same twice. That is no proof against anybody. */
static void test_lost_edge(void **state)
{
    (void)state;
    struct pb_observation all = copy();
    unsigned edges = 0;
    for (size_t i = 0; i < all.events.count; i++)
        edges += all.events.event[i].kind == PB_EVENT_EDGE && in_slot(&all.events.event[i], node_slot());
    pb_observation_free(&all);
    for (unsigned k = 0; k < edges; k++) {
        struct pb_observation seen = copy();
        const struct pb_event lost = *event_in(&seen, node_slot(), PB_EVENT_EDGE, (int)k);
        erase(&seen, event_in(&seen, node_slot(), PB_EVENT_EDGE, (int)k));
        /* The next edge tells: of the last one, the first of the bench's frame a superframe later. */
        const bool last = k + 1 == edges;
        const uint64_t told =
            event_in(&seen, last ? bench_slot() : node_slot(), PB_EVENT_EDGE, last ? 0 : (int)k)->tick;
        struct pb_result *result = judge(&seen);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_non_null(strstr(result->reason, pb_finding_text(PB_FINDING_EDGE_LOST)));
        unsigned count = 0;
        for (size_t i = 0; i < result->findings; i++) {
            const struct pb_finding *finding = &result->finding[i];
            if (finding->kind != PB_FINDING_EDGE_LOST)
                continue;
            const int64_t told_ps = (int64_t)((told - phase_event(&demo, 0, 0)->tick) * 1000000 / 48);
            assert_in_range(finding->time_ps, told_ps - 1, told_ps + 1);
            assert_int_equal(finding->superframe, last ? 1 : 0);
            assert_int_equal(finding->link, 0);
            assert_non_null(strstr(finding->seen, pb_event_high(&lost) ? "fell at" : "rose at"));
            count++;
        }
        assert_int_equal(count, 1);
        assert_never_stuck(result);
        pb_result_free(result);
    }
}

/* The same with a loss that was counted, where more than one edge may be missing. */
static void test_line_is_not_known_after_a_loss(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 3; how++) {
        struct pb_observation seen = copy();
        if (how == 0) { /* the last rise, and with it all that follows from it */
            erase(&seen, event_in(&seen, node_slot(), PB_EVENT_EDGE, -1));
            seen.events_lost = 1;
        } else if (how == 1) { /* all but the first fall and the last rise */
            struct pb_event first = *event_in(&seen, node_slot(), PB_EVENT_EDGE, 0),
                            last = *event_in(&seen, node_slot(), PB_EVENT_EDGE, -1);
            for (size_t i = seen.events.count; i-- > 0;) {
                const struct pb_event *event = &seen.events.event[i];
                if (event->kind == PB_EVENT_EDGE && in_slot(event, node_slot()) && event->tick > first.tick &&
                    event->tick < last.tick) {
                    erase(&seen, event);
                    seen.counters.events_missing++;
                }
            }
        } else { /* and of a line that moves no more */
            size_t last = seen.events.count - 1;
            while (seen.events.event[last].kind != PB_EVENT_EDGE || seen.events.event[last].link != 11)
                last--;
            assert_true(pb_event_high(&seen.events.event[last]));
            erase(&seen, &seen.events.event[last]);
            seen.events_lost = 1;
        }
        struct pb_result *result = judge(&seen);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_never_stuck(result);
        pb_result_free(result);
    }
}

/* A line that is held is told as ever, whatever was lost elsewhere. */
static void test_held_line_beside_a_loss(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, event_in(&seen, node_slot(), PB_EVENT_EDGE, 5));
    seen.events_lost = 1;
    insert_pulse(&seen, 7, slot_of(5, 4, 7).from + 50 * US, PHASE);
    struct pb_result *result = judge(&seen);
    unsigned count = 0;
    for (size_t i = 0; i < result->findings; i++)
        count += result->finding[i].kind == PB_FINDING_STUCK && result->finding[i].link == 7;
    assert_int_equal(count, 1);
    pb_result_free(result);
}

/* Three in a phase are told once; in two phases twice, and of two lines twice. */
static void test_edge_that_came_twice(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (unsigned i = 0; i < 3; i++)
        insert(&seen, PB_EVENT_EDGE, 7, slot_of(3, 4, 7).from + (50 + i) * US, 1);
    insert(&seen, PB_EVENT_EDGE, 7, slot_of(3, 5, 7).from + 50 * US, 1);
    insert(&seen, PB_EVENT_EDGE, 8, slot_of(3, 5, 8).from + 50 * US, 1);
    struct pb_result *result = judge(&seen);
    unsigned count = 0;
    for (size_t i = 0; i < result->findings; i++)
        count += result->finding[i].kind == PB_FINDING_EDGE_LOST;
    assert_int_equal(count, 3);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    pb_result_free(result);
}

/* The level is observed while the clock stands: what a line does before that may be older. */
static void test_level_at_the_start(void **state)
{
    (void)state;
    for (unsigned early = 0; early < 2; early++) {
        struct pb_observation seen = copy();
        const uint64_t start = phase_event(&demo, 0, 0)->tick;
        seen.line_level &= ~(UINT64_C(1) << 3); /* link 3 is high, as its first edge shows */
        for (size_t i = seen.events.count; i-- > 0;) /* the pull of each line before the run */
            if (seen.events.event[i].tick < start && seen.events.event[i].kind == PB_EVENT_EDGE &&
                seen.events.event[i].link == 3)
                erase(&seen, &seen.events.event[i]);
        if (early)
            insert_pulse(&seen, 3, start - 10 * US, US);
        struct pb_result *result = judge(&seen);
        unsigned count = 0;
        for (size_t i = 0; i < result->findings; i++)
            count += result->finding[i].kind == PB_FINDING_EDGE_LOST && result->finding[i].link == 3;
        assert_int_equal(count, !early);
        assert_verdict(result, early ? PB_VERDICT_FAIL : PB_VERDICT_INCONCLUSIVE);
        pb_result_free(result);
    }
}

/* What is known to be lost explains the edge. */
static void test_lost_edge_with_an_overflow(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 5; how++) {
        struct pb_observation seen = copy();
        const struct pb_event *edge = event_in(&seen, node_slot(), PB_EVENT_EDGE, 5);
        const uint64_t tick = edge->tick;
        erase(&seen, edge);
        if (how == 0)
            insert(&seen, PB_EVENT_OVERFLOW, 0, tick + 2, 1);
        else if (how == 1)
            seen.events_lost = 1;
        else if (how == 2)
            seen.counters.events_missing = 1;
        else /* its place among the events is not that of the loss */
            insert(&seen, PB_EVENT_OVERFLOW, 0, how == 3 ? 1 : phase_event(&demo, LAST_SUPERFRAME, 0)->tick,
                   1);
        struct pb_result *result = judge_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
        for (size_t i = 0; i < result->findings; i++)
            assert_int_not_equal(result->finding[i].kind, PB_FINDING_EDGE_LOST);
        pb_result_free(result);
    }
}

static void test_underrun(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert(&seen, PB_EVENT_UNDERRUN, 2, slot_of(3, 7, 0).from + 100,
           PB_PUT(PB_EVENT_UNDERRUN_SUPERFRAME, 3) | PB_PUT(PB_EVENT_UNDERRUN_PHASE, 7));
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 3, 7, -1);
    /* A lane number is no link number: there may be more lanes than links. */
    seen = copy();
    insert(&seen, PB_EVENT_UNDERRUN, 12, slot_of(3, 7, 0).from + 100,
           PB_PUT(PB_EVENT_UNDERRUN_SUPERFRAME, 3) | PB_PUT(PB_EVENT_UNDERRUN_PHASE, 7));
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 3, 7, -1);
}

/* What follows from a fault of the bench is not held against the node, what came before it is. */
static void test_bench_and_node_both_at_fault(void **state)
{
    (void)state;
    const struct slot node_later = slot_of(1, 1, 0);
    struct pb_observation seen = copy();
    seen.before.known = false; /* else a bench frame that is absent speaks against the node */
    erase_slot(&seen, bench_slot());
    erase_slot(&seen, node_later);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 1, 0, 0);
    seen = copy();
    erase_slot(&seen, bench_slot());
    erase_slot(&seen, node_slot());
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_MISSING, 0, 1, 0);
}

static void test_console_failure(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    seen.console_failures = 1;
    seen.console_failure[0] = (struct pb_console_failure){.seat = 0, .message = 0, .answer = "-full"};
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_CONSOLE, 0, 0, -1);
    assert_non_null(strstr(result->finding[0].expected, "0x2A3"));
    assert_non_null(strstr(result->finding[0].seen, "-full"));
    pb_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulse_on_an_idle_line),
        cmocka_unit_test(test_record_that_ends_in_the_last_phase),
        cmocka_unit_test(test_glitch_inside_a_frame),
        cmocka_unit_test(test_low_in_the_guards),
        cmocka_unit_test(test_line_that_stays_low),
        cmocka_unit_test(test_line_that_is_always_low),
        cmocka_unit_test(test_low_while_the_clock_stands),
        cmocka_unit_test(test_byte_without_edges),
        cmocka_unit_test(test_dropped_phase_event),
        cmocka_unit_test(test_shifted_phase_event),
        cmocka_unit_test(test_wrong_phase_number),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_lost_edge),
        cmocka_unit_test(test_line_is_not_known_after_a_loss),
        cmocka_unit_test(test_held_line_beside_a_loss),
        cmocka_unit_test(test_edge_that_came_twice),
        cmocka_unit_test(test_level_at_the_start),
        cmocka_unit_test(test_lost_edge_with_an_overflow),
        cmocka_unit_test(test_underrun),
        cmocka_unit_test(test_bench_and_node_both_at_fault),
        cmocka_unit_test(test_console_failure),
    };
    return cmocka_run_group_tests(tests, play_demo, forget_demo);
}
