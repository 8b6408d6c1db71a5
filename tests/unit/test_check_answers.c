/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check against answers that were tampered with. The node's message of superframe 3 can only be typed
 * while the clock runs, since the node would send it before; it is the node's second, so its number is 1. */
#include "tests/unit/check_fixture.h"

#include "host/plan/answer.h"

#include <stdlib.h>
#include <string.h>

static const char answer[] = "+S 1\n";

static int play_typed(void **state)
{
    (void)state;
    scenario = parse_scenario("cube: {dims: 3}\nnodes: [{address: 0x2}]\n"
                              "traffic: [{from: 2, to: 5}, {from: 2, to: 1, superframe: 3}]\n");
    play_scenario(&demo, scenario, NULL);
    return 0;
}

/* The event with byte `at` of the answer in the run. */
static struct pb_event *answer_byte(const struct pb_observation *seen, unsigned at)
{
    const uint64_t start = phase_event(seen, 0, 0)->tick;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind == PB_EVENT_CONSOLE && seen->events.event[i].tick >= start) {
            assert_int_equal(pb_event_data(&seen->events.event[i]), answer[0]);
            for (;; i++)
                if (seen->events.event[i].kind == PB_EVENT_CONSOLE && at-- == 0)
                    return &seen->events.event[i];
        }
    fail_msg("no answer");
    return NULL;
}

static void expect_console_error(struct pb_observation *seen, const char *said)
{
    struct pb_result *result = judge(seen);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->findings_total, 1);
    assert_int_equal(result->finding[0].kind, PB_FINDING_CONSOLE);
    assert_non_null(
        strstr(result->finding[0].expected, "0x2 answers '+S 1' to the line that queues message"));
    assert_string_equal(result->finding[0].seen, said);
    pb_result_free(result);
}

static void the_run_has_one_answer(void **state)
{
    (void)state;
    for (unsigned i = 0; answer[i]; i++)
        assert_int_equal(pb_event_data(answer_byte(&demo, i)), answer[i]);
    assert_int_equal(demo.typings, 1);
}

static void a_wrong_number_fails(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    struct pb_event *digit = answer_byte(&seen, 3);
    digit->value = PB_SET(PB_EVENT_CONSOLE_DATA, digit->value, (unsigned)'2');
    expect_console_error(&seen, "it answered '+S 2'");
}

static void a_refusal_fails(void **state)
{
    static const char refusal[] = "-full";
    (void)state;
    struct pb_observation seen = copy();
    for (unsigned i = 4; i-- > 0;) { /* it is found by its first byte */
        struct pb_event *event = answer_byte(&seen, i);
        event->value = PB_SET(PB_EVENT_CONSOLE_DATA, event->value, (uint8_t)refusal[i]);
    }
    expect_console_error(&seen, "it answered '-ful'");
}

static void a_missing_answer_fails(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (unsigned i = 5; i-- > 0;)
        erase(&seen, answer_byte(&seen, i));
    expect_console_error(&seen, "no answer on UART0 up to the end of the run");
}

static void an_answer_without_its_end_fails(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, answer_byte(&seen, 4));
    expect_console_error(&seen, "no answer on UART0 up to the end of the run");
}

/* Lost bytes prove nothing. */
static void nothing_is_judged_when_events_were_lost(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (unsigned i = 5; i-- > 0;)
        erase(&seen, answer_byte(&seen, i));
    seen.events_lost = 5;
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    for (size_t i = 0; i < result->findings; i++)
        assert_int_not_equal(result->finding[i].kind, PB_FINDING_CONSOLE);
    pb_result_free(result);
}

static void answers_are_compared_by_their_number(void **state)
{
    char expected[PB_ANSWER_MAX];
    (void)state;
    pb_answer(expected, false, 0x1A);
    assert_string_equal(expected, "+S A");
    assert_true(pb_answer_fits("+S A", expected));
    assert_true(pb_answer_fits("+S 0a", expected));
    assert_false(pb_answer_fits("+S", expected));
    assert_false(pb_answer_fits("+S ", expected));
    assert_false(pb_answer_fits("+S A ", expected));
    assert_false(pb_answer_fits("+S 1A", expected));
    assert_false(pb_answer_fits("+S -6", expected));
    assert_false(pb_answer_fits("-full", expected));
    pb_answer(expected, true, 3);
    assert_true(pb_answer_fits("-full", expected));
    assert_false(pb_answer_fits("+S 3", expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_has_one_answer),
        cmocka_unit_test(a_wrong_number_fails),
        cmocka_unit_test(a_refusal_fails),
        cmocka_unit_test(a_missing_answer_fails),
        cmocka_unit_test(an_answer_without_its_end_fails),
        cmocka_unit_test(nothing_is_judged_when_events_were_lost),
        cmocka_unit_test(answers_are_compared_by_their_number),
    };
    return cmocka_run_group_tests(tests, play_typed, forget_demo);
}
