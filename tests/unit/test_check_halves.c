/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check and the halves of ticks: times read half a tick better, limits hold to half a tick, and what is
 * known less well is said to be. Figures by hand: a tick of 48 MHz is 20833.3 ps, half of one 10416.7 ps.
 */
#include "tests/unit/check_fixture.h"

/* As copy(), but every edge is in this half of its tick. */
static struct pb_observation with_halves(unsigned half)
{
    struct pb_observation seen = copy();
    seen.info.half_ticks = true;
    for (size_t i = 0; i < seen.events.count; i++)
        if (seen.events.event[i].kind == PB_EVENT_EDGE)
            seen.events.event[i].value |= PB_PUT(PB_EVENT_EDGE_HALF, half);
    return seen;
}

static void set_half(struct pb_event *edge, unsigned half)
{
    edge->value = PB_SET(PB_EVENT_EDGE_HALF, edge->value, half);
}

static struct pb_event *start_in(const struct pb_observation *seen)
{
    return event_in(seen, node_slot(), PB_EVENT_EDGE, 0);
}

static void test_resolution(void **state)
{
    (void)state;
    struct pb_observation whole = copy(), fine = with_halves(PB_HALF_FIRST);
    struct pb_result *result = judge(&whole);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->resolution_ps, 20833);
    assert_int_equal(result->edge_resolution_ps, 20833);
    assert_int_equal(result->uncertainty_ps, 20833);
    pb_result_free(result);
    result = judge(&fine);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->resolution_ps, 20833);
    assert_int_equal(result->edge_resolution_ps, 10416);
    assert_int_equal(result->uncertainty_ps, 10416);
    pb_result_free(result);
}

static int64_t start_ps(struct pb_observation *seen, int64_t *uncertainty_ps)
{
    struct pb_result *result = judge(seen);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->hop[0].phase, 1); /* the node's frame in superframe 0 */
    const int64_t ps = result->hop[0].start_ps;
    *uncertainty_ps = result->uncertainty_ps;
    pb_result_free(result);
    return ps;
}

/* The start reads half a tick later in the second half; where the half is not known it reads as in the first,
 * and the whole set is known to a tick only. */
static void test_starts(void **state)
{
    (void)state;
    int64_t ps[3], uncertainty_ps[3];
    for (unsigned half = 0; half < 3; half++) {
        struct pb_observation seen = with_halves(PB_HALF_FIRST);
        set_half(start_in(&seen), half);
        ps[half] = start_ps(&seen, &uncertainty_ps[half]);
    }
    const uint64_t ticks = start_in(&demo)->tick - node_slot().from;
    assert_int_equal(ps[PB_HALF_FIRST], ticks * 1000000 / 48);
    assert_in_range(ps[PB_HALF_SECOND] - ps[PB_HALF_FIRST], 10416, 10417);
    assert_int_equal(ps[PB_HALF_UNKNOWN], ps[PB_HALF_FIRST]);
    assert_int_equal(uncertainty_ps[PB_HALF_FIRST], 10416);
    assert_int_equal(uncertainty_ps[PB_HALF_SECOND], 10416);
    assert_int_equal(uncertainty_ps[PB_HALF_UNKNOWN], 20833);
}

/* How well other edges than the first of a frame are known says nothing of the starts. */
static void test_other_edges(void **state)
{
    (void)state;
    struct pb_observation seen = with_halves(PB_HALF_FIRST);
    int64_t uncertainty_ps;
    set_half(event_in(&seen, node_slot(), PB_EVENT_EDGE, 3), PB_HALF_UNKNOWN);
    start_ps(&seen, &uncertainty_ps);
    assert_int_equal(uncertainty_ps, 10416);
}

struct limit_case {
    unsigned tick, half;
    enum pb_verdict verdict;
};

/* The node's frame starts at each limit's tick, in that half of it. */
static void judge_starts(const struct limit_case *limit, size_t count, enum pb_finding_kind kind)
{
    const uint64_t first = start_in(&demo)->tick - node_slot().from;
    for (size_t i = 0; i < count; i++) {
        struct pb_observation seen = with_halves(PB_HALF_FIRST);
        set_half(start_in(&seen), limit[i].half);
        shift_slot(&seen, node_slot(), (int64_t)limit[i].tick - (int64_t)first);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, limit[i].verdict);
        if (limit[i].verdict != PB_VERDICT_PASS)
            assert_finding(result, 0, kind, 0, 1, 0);
        pb_result_free(result);
    }
}

/* Latest start: 6 us, 288 ticks. Within half a tick of it nothing can be told, or within one where the half
 * is not known. */
static void test_late(void **state)
{
    static const struct limit_case limit[] = {
        {287, PB_HALF_FIRST, PB_VERDICT_PASS},       {287, PB_HALF_SECOND, PB_VERDICT_PASS},
        {287, PB_HALF_UNKNOWN, PB_VERDICT_PASS},     {288, PB_HALF_FIRST, PB_VERDICT_MARGINAL},
        {288, PB_HALF_SECOND, PB_VERDICT_MARGINAL},  {289, PB_HALF_FIRST, PB_VERDICT_FAIL},
        {289, PB_HALF_UNKNOWN, PB_VERDICT_MARGINAL},
    };
    (void)state;
    judge_starts(limit, COUNT(limit), PB_FINDING_LATE);
}

/* Earliest start: 4.9 us, 235.2 ticks. */
static void test_early(void **state)
{
    static const struct limit_case limit[] = {
        {234, PB_HALF_FIRST, PB_VERDICT_FAIL},       {234, PB_HALF_SECOND, PB_VERDICT_FAIL},
        {234, PB_HALF_UNKNOWN, PB_VERDICT_FAIL},     {235, PB_HALF_FIRST, PB_VERDICT_MARGINAL},
        {235, PB_HALF_SECOND, PB_VERDICT_MARGINAL},  {236, PB_HALF_FIRST, PB_VERDICT_PASS},
        {236, PB_HALF_UNKNOWN, PB_VERDICT_MARGINAL},
    };
    (void)state;
    judge_starts(limit, COUNT(limit), PB_FINDING_EARLY);
}

/* The tail guard starts at 95 us, 4560 ticks. */
static void test_end(void **state)
{
    static const struct limit_case limit[] = {
        {4559, PB_HALF_SECOND, PB_VERDICT_PASS},      {4559, PB_HALF_UNKNOWN, PB_VERDICT_PASS},
        {4560, PB_HALF_FIRST, PB_VERDICT_MARGINAL},   {4560, PB_HALF_SECOND, PB_VERDICT_MARGINAL},
        {4561, PB_HALF_UNKNOWN, PB_VERDICT_MARGINAL}, {4561, PB_HALF_FIRST, PB_VERDICT_FAIL},
    };
    (void)state;
    for (unsigned i = 0; i < COUNT(limit); i++) {
        struct pb_observation seen = with_halves(PB_HALF_FIRST);
        struct pb_event *last = event_in(&seen, node_slot(), PB_EVENT_EDGE, -1);
        set_half(last, limit[i].half);
        last->tick = node_slot().from + limit[i].tick;
        pb_events_sort(&seen.events);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, limit[i].verdict);
        if (limit[i].verdict != PB_VERDICT_PASS)
            assert_finding(result, 0, PB_FINDING_OVERRUN, 0, 1, 0);
        pb_result_free(result);
    }
}

/* There is no third half, and a core without halves tells of none. */
static void test_impossible(void **state)
{
    (void)state;
    struct pb_observation third = with_halves(PB_HALF_FIRST), none = copy(), clock = copy();
    set_half(start_in(&third), 3);
    set_half(start_in(&none), PB_HALF_SECOND);
    expect_first(&third, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
    expect_first(&none, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
    for (size_t i = 0; i < clock.events.count; i++)
        if (clock.events.event[i].kind == PB_EVENT_TDMA)
            set_half(&clock.events.event[i], PB_HALF_FIRST);
    expect_first(&clock, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
}

/* A start counts from the edge of an outside clock, whose half counts as that of the start does: where that
 * edge is known to a tick only, so is the time. With the edge in the second half a start in the first one is
 * half a tick nearer. */
static void test_outside_clock(void **state)
{
    static const struct {
        unsigned clock, line, halves_later;
        int64_t uncertainty_ps;
    } row[] = {
        {PB_HALF_FIRST, PB_HALF_FIRST, 1, 10416},   {PB_HALF_FIRST, PB_HALF_SECOND, 2, 10416},
        {PB_HALF_SECOND, PB_HALF_FIRST, 0, 10416},  {PB_HALF_SECOND, PB_HALF_SECOND, 1, 10416},
        {PB_HALF_UNKNOWN, PB_HALF_FIRST, 1, 20833}, {PB_HALF_FIRST, PB_HALF_UNKNOWN, 1, 20833},
    };
    (void)state;
    struct pb_scenario *const fixture = scenario;
    const struct pb_observation fixture_demo = demo;
    int64_t start[COUNT(row)];
    scenario = parse_scenario("clock: {source: external, error: 20 ppm, jitter: 100 ns}\n"
                              "nodes: [{address: 0x2A3}]\n"
                              "traffic: [{from: 0x2A2, to: 0x91C}, "
                              "{from: 0x2A3, to: 0xAA3, superframe: 1}]\n");
    play_scenario(&demo, scenario, NULL);
    assert_true(demo.info.half_ticks);
    for (unsigned i = 0; i < COUNT(row); i++) {
        struct pb_observation seen = copy();
        for (size_t k = 0; k < seen.events.count; k++) {
            struct pb_event *event = &seen.events.event[k];
            if (event->kind == PB_EVENT_EDGE || event->kind == PB_EVENT_TDMA)
                set_half(event, event->kind == PB_EVENT_EDGE ? row[i].line : row[i].clock);
        }
        struct pb_result *result = judge(&seen);
        size_t hop = 0;
        while (hop < result->hops && result->hop[hop].sender != PB_SENDER_NODE)
            hop++;
        assert_true(hop < result->hops);
        start[i] = result->hop[hop].start_ps;
        assert_in_range(start[i] - start[0] + 20834 - ((int64_t)row[i].halves_later - 1) * 10416, 20832,
                        20836);
        assert_int_equal(result->edge_resolution_ps, 10416);
        assert_int_equal(result->uncertainty_ps, row[i].uncertainty_ps);
        pb_result_free(result);
    }
    pb_observation_free(&demo);
    pb_scenario_free(scenario);
    demo = fixture_demo;
    scenario = fixture;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolution),  cmocka_unit_test(test_starts),
        cmocka_unit_test(test_other_edges), cmocka_unit_test(test_late),
        cmocka_unit_test(test_early),       cmocka_unit_test(test_end),
        cmocka_unit_test(test_impossible),  cmocka_unit_test(test_outside_clock),
    };
    return cmocka_run_group_tests(tests, play_demo, forget_demo);
}
