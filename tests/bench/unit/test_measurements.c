/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of measurements of a judged run against a second computation: brute force over the recorded edges
 * of the demo, by the limits of docs/reference/timing.md and the deviation by the differences of all pairs.
 * And what findings point at.
 */
#include "tests/bench/unit/check_fixture.h"
#include "tests/bench/unit/tests.h"

#include <math.h>

enum { VALUES = 400, NODE = 0x2A3 };

struct values {
    double ps[VALUES];
    unsigned count;
};

static double ps_of(uint64_t ticks)
{
    return (double)ticks * 1e12 / 48e6;
}

/* n (n - 1) s^2 is the sum over all pairs of their squared difference. */
static double deviation(const struct values *values)
{
    double squares = 0;
    for (unsigned i = 0; i < values->count; i++)
        for (unsigned k = 0; k < i; k++)
            squares += pow(values->ps[i] - values->ps[k], 2);
    return values->count < 2 ? 0 : sqrt(squares / values->count / (values->count - 1));
}

static void expect_near(const char *what, double value, double expected)
{
    if (fabs(value - expected) > 2)
        fail_msg("%s: %.1f, not %.1f", what, value, expected);
}

/* lower, upper: NAN for none. */
static void expect(const struct pb_result *result, enum pb_figure figure, int link,
                   const struct values *values, double lower, double upper, double u95)
{
    const struct pb_measurement *row = pb_measurement_find(result, figure, link);
    double sum = 0, least = INFINITY, most = -INFINITY, margin = INFINITY;
    if (!values->count) {
        assert_null(row);
        return;
    }
    assert_non_null(row);
    for (unsigned i = 0; i < values->count; i++) {
        const double ps = values->ps[i];
        sum += ps;
        least = fmin(least, ps);
        most = fmax(most, ps);
        margin = fmin(margin, fmin(ps - lower, upper - ps)); /* fmin passes over NAN */
    }
    assert_int_equal(row->n, values->count);
    expect_near("min", (double)row->min, least);
    expect_near("mean", (double)row->mean, sum / values->count);
    expect_near("max", (double)row->max, most);
    expect_near("sd", (double)row->sd, deviation(values));
    expect_near("u95", (double)row->u95, u95);
    if (isinf(margin)) {
        assert_int_equal(row->margin, PB_ABSENT);
        assert_int_equal(row->judgement, PB_NOT_JUDGED);
    } else {
        expect_near("margin", (double)row->margin, margin);
        assert_int_equal(row->judgement, margin < -u95  ? PB_JUDGED_FAIL
                                         : margin < u95 ? PB_JUDGED_MARGINAL
                                                        : PB_JUDGED_PASS);
    }
    assert_true(isnan(lower) == (row->lower == PB_ABSENT) && isnan(upper) == (row->upper == PB_ABSENT));
}

/* The frames of a link in the phases in which the node, or the bench, sends. */
static void collect(const struct pb_observation *seen, unsigned link, bool node, struct values *start,
                    struct values *end)
{
    start->count = end->count = 0;
    for (uint32_t superframe = 0; superframe <= LAST_SUPERFRAME; superframe++)
        for (unsigned phase = 2 * link; phase < 2 * link + 2; phase++) {
            const struct slot slot = slot_of(superframe, phase, link);
            uint64_t first = 0, last = 0;
            if (((NODE >> link & 1) == (phase & 1)) != node) /* phase 2 d: those whose bit d is 0 send */
                continue;
            for (size_t i = 0; i < seen->events.count; i++) {
                const struct pb_event *event = &seen->events.event[i];
                if (!in_slot(event, slot) || event->kind != PB_EVENT_EDGE)
                    continue;
                if (!first && !pb_event_high(event))
                    first = event->tick;
                if (pb_event_high(event))
                    last = event->tick;
            }
            if (!first)
                continue;
            start->ps[start->count++] = ps_of(first - slot.from);
            end->ps[end->count++] = ps_of(slot.to - last);
        }
}

/* Head guard 5 us of 10 us; a node starts from 0.1 us before its end to 1 us after it, the line is high 5 us
 * before the next edge; the bench starts within 1.5 ticks of it. Each line edge is known to a tick. */
static void expect_frames(struct pb_observation *seen)
{
    static struct values node_start[12], node_end[12], bench_start[12], bench_end[12];
    const double tick = 1e12 / 48e6;
    for (unsigned link = 0; link < 12; link++) {
        collect(seen, link, true, &node_start[link], &node_end[link]);
        collect(seen, link, false, &bench_start[link], &bench_end[link]);
        for (unsigned i = 0; i < bench_start[link].count; i++)
            bench_start[link].ps[i] -= 5e6;
    }
    struct pb_result *result = judge(seen);
    for (unsigned link = 0; link < 12; link++) {
        expect(result, PB_FIGURE_NODE_START, (int)link, &node_start[link], 4.9e6, 6e6, tick);
        expect(result, PB_FIGURE_NODE_END, (int)link, &node_end[link], 5e6, NAN, tick);
        expect(result, PB_FIGURE_BENCH_START, (int)link, &bench_start[link], -1.5 * tick, 1.5 * tick, tick);
        expect(result, PB_FIGURE_BENCH_END, (int)link, &bench_end[link], 5e6, NAN, tick);
    }
}

TEST(test_frames_by_brute_force)
{
    struct pb_observation *seen = copy();
    expect_frames(seen);
}

/* Each frame of the node shifted by another time within the limits, so that there is a spread. */
TEST(test_spread_by_brute_force)
{
    static const int shift[] = {0, 30, -4, 17, 44, 3, 9, 26, 38, 12, 1};
    unsigned at = 0;
    struct pb_observation *seen = copy();
    for (uint32_t superframe = 0; superframe <= LAST_SUPERFRAME; superframe++)
        for (unsigned link = 0; link < 12; link++)
            shift_slot(seen, slot_of(superframe, 2 * link + (NODE >> link & 1), link),
                       shift[at++ % (sizeof shift / sizeof shift[0])]);
    expect_frames(seen);
}

/* By the edges of TDMA_CLK as recorded; the bench makes each at its tick. */
TEST(test_clock_by_brute_force)
{
    static struct values period;
    uint64_t before = 0;
    struct pb_observation *seen = copy();
    period.count = 0;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind == PB_EVENT_TDMA) {
            if (before)
                period.ps[period.count++] = ps_of(seen->events.event[i].tick - before);
            before = seen->events.event[i].tick;
        }
    struct pb_result *result = judge(seen);
    expect(result, PB_FIGURE_CLOCK_PERIOD, -1, &period, NAN, NAN, 0);
    const struct pb_measurement *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1),
                                *rate = pb_measurement_find(result, PB_FIGURE_CLOCK_RATE, -1);
    assert_int_equal(tie->n, 14 * 24);
    assert_true(tie->min == 0 && tie->max == 0);
    assert_int_equal(tie->margin, 20834); /* a tick, rounded up */
    assert_int_equal(rate->n, 14);        /* one of each superframe */
    assert_int_equal(rate->max, 0);
    assert_int_equal(rate->margin, llround((20833 + 24) / 2.4e9 * 1e9)); /* a tick and 24 ps in 2.4 ms */
}

/* All messages of the demo are released at phase 0 of a superframe, so arrival and latency agree; the bound
 * is one superframe, and the complements take all 24 phases of it. */
TEST(test_messages)
{
    struct pb_observation *seen = copy();
    struct pb_result *result = judge(seen);
    const struct pb_measurement *latency = pb_measurement_find(result, PB_FIGURE_LATENCY, -1),
                                *arrival = pb_measurement_find(result, PB_FIGURE_ARRIVAL, -1);
    assert_int_equal(latency->n, result->delivered);
    assert_int_equal(latency->max, 24);
    assert_int_equal(latency->margin, PB_ABSENT);
    assert_int_equal(arrival->upper, 24);
    assert_int_equal(arrival->margin, 0);
    assert_int_equal(arrival->mean, latency->mean);
}

/* Every edge of the node's frame moved away from its start edge by `percent` of that distance. */
static void stretch(struct pb_observation *seen, struct slot slot, double percent)
{
    const uint64_t from = event_in(demo, slot, PB_EVENT_EDGE, 0)->tick;
    for (size_t i = 0; i < seen->events.count; i++) {
        struct pb_event *event = &seen->events.event[i];
        if (in_slot(event, slot))
            event->tick += (uint64_t)llround((double)(event->tick - from) * percent / 100);
    }
    pb_events_sort(&seen->events);
}

static const struct pb_measurement *judged_by(const struct pb_result *result, enum pb_finding_kind kind)
{
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == kind) {
            assert_true(result->finding[i].measurement >= 0);
            return &result->measurement[result->finding[i].measurement];
        }
    fail_msg("no %s", pb_finding_id(kind));
    return NULL;
}

/* Each finding about a measured value points at the figure, which fails by the same value. */
TEST(test_findings_point_at_their_figure)
{
    static const struct {
        int shift;
        double percent;
        enum pb_finding_kind kind;
        enum pb_figure figure;
        double margin; /* of the shifted frame; NAN: below 0 */
    } row[] = {
        {-48, 0, PB_FINDING_EARLY, PB_FIGURE_NODE_START, 4e6 - 4.9e6},
        {96, 0, PB_FINDING_LATE, PB_FIGURE_NODE_START, 6e6 - 7e6},
        {150, 0, PB_FINDING_OVERRUN, PB_FIGURE_NODE_END, NAN},
        {0, 3, PB_FINDING_BAUD, PB_FIGURE_NODE_BIT_TIME, NAN},
        {0, -3, PB_FINDING_BAUD, PB_FIGURE_NODE_BIT_TIME, NAN},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct pb_observation *seen = copy();
        const uint64_t start = event_in(demo, node_slot(), PB_EVENT_EDGE, 0)->tick - node_slot().from;
        stretch(seen, node_slot(), row[i].percent);
        shift_slot(seen, node_slot(), row[i].shift);
        const struct pb_measurement *figure = judged_by(judge(seen), row[i].kind);
        assert_int_equal(figure->figure, row[i].figure);
        assert_true(figure->link == 0 && figure->node == 0 && figure->dimension == 0);
        assert_int_equal(figure->judgement, PB_JUDGED_FAIL);
        assert_true(figure->margin < -figure->u95);
        if (!isnan(row[i].margin)) /* the frame of the demo starts at 5 us, to a tick or two */
            expect_near("margin", (double)figure->margin,
                        row[i].margin + copysign(1, row[i].shift > 0 ? -1 : 1) * (ps_of(start) - 5e6));
    }
}

/* A frame that does not come is judged, but not by a value. */
TEST(test_findings_about_no_figure)
{
    struct pb_observation *seen = copy();
    erase_slot(seen, node_slot());
    struct pb_result *result = judge_first(seen, PB_VERDICT_FAIL, PB_FINDING_MISSING, 0, 1, 0);
    assert_int_equal(result->finding[0].measurement, -1);
}

/* Whatever is broken: a figure fails, or is marginal, exactly when a finding points at it; and its margin is
 * the distance of its extreme values to its limits. */
TEST(test_figures_and_findings_agree)
{
    static const char *const name[] = {"broken/late-start",   "broken/phase-off",  "faults/late-clock",
                                       "faults/bad-frames",   "faults/odd-frames", "faults/weak-pull-up",
                                       "faults/broken-wires", "two-boards",        "outside-clock"};
    unsigned failed = 0, judged = 0;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        struct pb_result *result = run_scenario(load_shipped(name[i]), NULL);
        for (size_t k = 0; k < result->measurements; k++) {
            const struct pb_measurement *row = &result->measurement[k];
            bool pointed = false;
            for (size_t f = 0; f < result->findings; f++)
                pointed |= result->finding[f].measurement == (int)k;
            if (pointed != (row->judgement >= PB_JUDGED_MARGINAL))
                fail_msg("%s: %s is judged '%s', and %s finding points at it", name[i],
                         pb_measurement_id(row).text, pb_judgement_name(row->judgement),
                         pointed ? "a" : "no");
            failed += pointed;
            judged += row->margin != PB_ABSENT;
            if (row->margin == PB_ABSENT)
                continue;
            const int64_t below = row->lower == PB_ABSENT ? INT64_MAX : row->min - row->lower,
                          above = row->upper == PB_ABSENT ? INT64_MAX : row->upper - row->max;
            if (row->margin != (below < above ? below : above))
                fail_msg("%s: margin of %s", name[i], pb_measurement_id(row).text);
        }
    }
    assert_true(failed > 20 && judged > 300);
}

AROUND_ALL(play_demo, NULL)
