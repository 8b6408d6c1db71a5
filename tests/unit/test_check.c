/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check against observations that were tampered with: what a node, the bench or the host link did wrong must be named, at
 * its place, and lead to the right verdict.
 *
 * The observation is that of the demo. Node 0x2A3 sends on its 12 links (0 to 11). In superframe 0 there is one frame: the node's,
 * phase 1, link 0. In superframe 1 all nodes send to their complement: in phase 0 the bench sends on link 0, in phase 1 the
 * node. The last superframe, 13, is silent. 48 ticks are 1 us and one bit; a phase is 4800 ticks. */
#include "host/check/check.h"
#include "host/check/slot.h"
#include "tests/unit/run_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIT = 48, US = 48, PHASE = 4800, LAST_SUPERFRAME = 13, LAST_PHASE = 23, LAST_LINK = 11, FRAME_BYTES = 9 };

static struct pb_scenario *scenario;
static struct pb_observation demo;

static int play_demo(void **state)
{
    (void)state;
    scenario = load_shipped("demo");
    play_scenario(&demo, scenario, NULL);
    return 0;
}

static int forget_demo(void **state)
{
    (void)state;
    pb_observation_free(&demo);
    pb_scenario_free(scenario);
    return 0;
}

/* ---- tampering */

static struct pb_observation copy(void)
{
    struct pb_observation seen = demo;
    seen.events = (struct pb_events){0};
    for (size_t i = 0; i < demo.events.count; i++)
        assert_int_equal(pb_events_add(&seen.events, &demo.events.event[i]), 0);
    return seen;
}

static struct pb_result *judge(struct pb_observation *seen)
{
    struct pb_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    result->dims = scenario->dims;
    assert_int_equal(pb_check(result, scenario, seen), 0);
    pb_observation_free(seen);
    return result;
}

/* Judges, and expects this as the first finding. */
static struct pb_result *judge_first(struct pb_observation *seen, enum pb_verdict verdict, enum pb_finding_kind kind, uint32_t superframe,
                                     unsigned phase, int link)
{
    struct pb_result *result = judge(seen);
    assert_verdict(result, verdict);
    assert_finding(result, 0, kind, superframe, phase, link);
    return result;
}

static void expect_first(struct pb_observation *seen, enum pb_verdict verdict, enum pb_finding_kind kind, uint32_t superframe,
                         unsigned phase, int link)
{
    pb_result_free(judge_first(seen, verdict, kind, superframe, phase, link));
}

static struct pb_event *phase_event(const struct pb_observation *seen, uint32_t superframe, unsigned phase)
{
    for (size_t i = 0; i < seen->events.count; i++) {
        struct pb_event *event = &seen->events.event[i];
        if (event->kind == PB_EVENT_PHASE && event->value == (superframe << 9 | phase))
            return event;
    }
    fail_msg("no phase %u of superframe %u", phase, superframe);
    return NULL;
}

struct slot {
    uint64_t from, to; /* ticks */
    unsigned link;
};

static struct slot slot_of(uint32_t superframe, unsigned phase, unsigned link)
{
    const uint64_t from = phase_event(&demo, superframe, phase)->tick;
    return (struct slot){from, from + PHASE, link};
}

static bool in_slot(const struct pb_event *event, struct slot slot)
{
    return (event->kind == PB_EVENT_EDGE || event->kind == PB_EVENT_BYTE) && event->link == slot.link && event->tick >= slot.from &&
           event->tick < slot.to;
}

/* The index-th event of a kind in a slot, from 0; negative: from the end. */
static struct pb_event *event_in(const struct pb_observation *seen, struct slot slot, uint8_t kind, int index)
{
    int count = 0;
    for (size_t i = 0; i < seen->events.count; i++)
        count += in_slot(&seen->events.event[i], slot) && seen->events.event[i].kind == kind;
    const int wanted = index < 0 ? count + index : index;
    for (size_t i = 0, at = 0; i < seen->events.count; i++)
        if (in_slot(&seen->events.event[i], slot) && seen->events.event[i].kind == kind && (int)at++ == wanted)
            return &seen->events.event[i];
    fail_msg("no event %d of kind %u in the slot: it has %d", index, kind, count);
    return NULL;
}

static void erase(struct pb_observation *seen, const struct pb_event *event)
{
    const size_t at = (size_t)(event - seen->events.event);
    memmove(seen->events.event + at, seen->events.event + at + 1, (--seen->events.count - at) * sizeof *event);
}

static void erase_slot(struct pb_observation *seen, struct slot slot)
{
    for (size_t i = seen->events.count; i-- > 0;)
        if (in_slot(&seen->events.event[i], slot))
            erase(seen, &seen->events.event[i]);
}

static void shift_slot(struct pb_observation *seen, struct slot slot, int64_t ticks)
{
    for (size_t i = 0; i < seen->events.count; i++)
        if (in_slot(&seen->events.event[i], slot))
            seen->events.event[i].tick += (uint64_t)ticks;
    pb_events_sort(&seen->events);
}

static void append(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    const struct pb_event event = {.sequence = seen->events.count, .tick = tick, .kind = kind, .link = (uint8_t)link, .value = value};
    assert_int_equal(pb_events_add(&seen->events, &event), 0);
}

static void insert(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    append(seen, kind, link, tick, value);
    pb_events_sort(&seen->events);
}

static void insert_pulse(struct pb_observation *seen, unsigned link, uint64_t tick, unsigned ticks)
{
    insert(seen, PB_EVENT_EDGE, link, tick, 0);
    insert(seen, PB_EVENT_EDGE, link, tick + ticks, 1);
}

static struct slot node_slot(void)
{
    return slot_of(0, 1, 0);
}

static struct slot bench_slot(void)
{
    return slot_of(1, 0, 0);
}

/* ---- as it was */

static void test_untampered_passes(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->findings_total, 0);
    assert_int_equal(result->delivered, scenario->traffic.count);
    assert_int_equal(result->slots_checked, 14 * 24 * 12);
    assert_int_equal(result->bytes_seen, (1 + 24 + 2 * 66) * FRAME_BYTES);
    /* 100 us exactly, and one period less than there are phases. */
    assert_int_equal(result->period.count, 14 * 24 - 1);
    assert_int_equal(result->period.min_ps, 100000000);
    assert_int_equal(result->period.max_ps, 100000000);
    /* One tick of 48 MHz is 20833 ps; U95 of an interval is sqrt(2/12) * 2 = 0.8165 of it. */
    assert_int_equal(result->resolution_ps, 20833);
    assert_in_range(result->uncertainty_ps, 17008, 17012);
    /* The node's own 1 + 12 + 66 starts: link d is the way out of d pairs, and of the message or complement on it. */
    uint64_t starts = 0;
    for (unsigned d = 0; d < 12; d++) {
        assert_int_equal(result->dimension[d].start.count, d + 1 + (d == 0));
        assert_true(result->dimension[d].start.min_ps >= result->start_min_ps);
        assert_true(result->dimension[d].start.max_ps <= result->start_max_ps);
        starts += result->dimension[d].start.count;
    }
    assert_int_equal(starts, 1 + 12 + 66);
    pb_result_free(result);
}

/* ---- bytes */

static void test_lost_byte(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, event_in(&seen, node_slot(), PB_EVENT_BYTE, -1));
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 0, 1, 0);
    assert_int_equal(result->finding[0].bit, 10 * (FRAME_BYTES - 1));
    assert_int_equal(result->findings_total, 1);
    assert_int_equal(result->delivered, result->messages - 1);
    assert_false(result->hop[0].correct);
    assert_int_equal(result->hop[0].byte_count, FRAME_BYTES - 1);
    pb_result_free(result);
}

static void test_flipped_bit_of_the_node(void **state)
{
    (void)state;
    for (int byte = 0; byte < FRAME_BYTES; byte++)
        for (int bit = 0; bit < 8; bit++) {
            struct pb_observation seen = copy();
            event_in(&seen, node_slot(), PB_EVENT_BYTE, byte)->value ^= 1u << bit;
            struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 0, 1, 0);
            assert_int_equal(result->finding[0].bit, 10 * byte + 1 + bit);
            pb_result_free(result);
        }
}

static void test_flipped_bit_in_every_frame(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    struct pb_result *result = judge(&seen);
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        seen = copy();
        event_in(&seen, slot_of(hop->superframe, hop->phase, hop->link), PB_EVENT_BYTE, -1)->value ^= 0x80;
        struct pb_result *tampered = judge(&seen);
        assert_int_equal(tampered->findings_total, 1);
        assert_int_equal(tampered->finding[0].superframe, hop->superframe);
        assert_int_equal(tampered->finding[0].phase, hop->phase);
        assert_int_equal(tampered->finding[0].link, hop->link);
        assert_int_equal(tampered->finding[0].bit, 88);
        assert_int_equal(tampered->verdict == PB_VERDICT_PASS, 0);
        pb_result_free(tampered);
    }
    pb_result_free(result);
}

/* An open drain line can be pulled low by a second driver, it cannot be pulled up. */
static void test_second_driver_on_a_bench_frame(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    struct pb_event *byte = event_in(&seen, bench_slot(), PB_EVENT_BYTE, 0);
    const int one = __builtin_ctz(pb_event_data(byte));
    byte->value &= ~(1u << one);
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 1, 0, 0);
    assert_int_equal(result->finding[0].bit, 1 + one);
    pb_result_free(result);

    seen = copy();
    byte = event_in(&seen, bench_slot(), PB_EVENT_BYTE, 0);
    const int zero = __builtin_ctz(~(unsigned)pb_event_data(byte));
    assert_true(zero < 8);
    byte->value |= 1u << zero;
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 1, 0, 0);
}

static void test_framing(void **state)
{
    (void)state;
    for (int byte = 0; byte < FRAME_BYTES; byte++) {
        struct pb_observation seen = copy();
        event_in(&seen, node_slot(), PB_EVENT_BYTE, byte)->value &= ~(1u << 8);
        struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_FRAMING, 0, 1, 0);
        assert_int_equal(result->finding[0].bit, 10 * byte + 9);
        pb_result_free(result);
    }
}

/* A byte with bit 7 clear has its last edge where the stop bit begins, nine bit times or 432 ticks after its start edge; the
 * next sample is half a bit later. A bit time that is off by 2 % moves that edge by 9 ticks, 4 % by 17; 3 % is the limit. */
static void test_bit_time(void **state)
{
    static const struct {
        uint32_t left;
        bool good;
    } edge[] = {{24, true}, {24 + 9, true}, {24 - 9, true}, {24 + 17, false}, {24 - 17, false}};
    (void)state;
    int byte = 0;
    while (pb_event_data(event_in(&demo, node_slot(), PB_EVENT_BYTE, byte)) & 0x80)
        byte++;
    for (size_t i = 0; i < COUNT(edge); i++) {
        struct pb_observation seen = copy();
        struct pb_event *event = event_in(&seen, node_slot(), PB_EVENT_BYTE, byte);
        event->value = (event->value & 0x1ff) | edge[i].left << 9;
        struct pb_result *result = judge(&seen);
        assert_verdict(result, edge[i].good ? PB_VERDICT_PASS : PB_VERDICT_FAIL);
        if (!edge[i].good)
            assert_finding(result, 0, PB_FINDING_BAUD, 0, 1, 0);
        pb_result_free(result);
    }
}

/* ---- frames */

static void test_missing_frame(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase_slot(&seen, node_slot());
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_MISSING, 0, 1, 0);
    assert_int_equal(result->finding[0].bit, 0);
    assert_int_equal(result->findings_total, 1);
    assert_false(result->hop[0].seen);
    assert_int_equal(result->hop[0].start_ps, -1);
    pb_result_free(result);

    seen = copy();
    erase_slot(&seen, bench_slot());
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 1, 0, 0);
}

/* The last frame of the run: pairs of dimensions 0 and 11 in superframe 12. */
static void test_last_frame_missing(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    const struct slot last = slot_of(12, 22, 11); /* bit 11 of 0x2A3 is 0 */
    erase_slot(&seen, last);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_MISSING, 12, 22, 11);
}

static void test_frame_again_in_another_phase(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (size_t i = 0, count = seen.events.count; i < count; i++) {
        struct pb_event event = demo.events.event[i];
        if (!in_slot(&event, node_slot()))
            continue;
        event.tick += 2 * PHASE;
        assert_int_equal(pb_events_add(&seen.events, &event), 0);
    }
    pb_events_sort(&seen.events);
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 3, 0);
    assert_int_equal(result->findings_total, 1);
    assert_int_equal(result->hop[1].message, SIZE_MAX);
    assert_int_equal(result->hop[1].byte_count, FRAME_BYTES);
    /* Dimension 0, phase 3: the row names the line's ends, who sent is the node's guilt. */
    assert_int_equal(result->hop[1].dimension, 0);
    pb_result_free(result);
}

/* ---- timing */

static void test_shifted_transmission(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    shift_slot(&seen, node_slot(), -2 * US);
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_EARLY, 0, 1, 0);
    assert_int_equal(result->findings_total, 1);
    pb_result_free(result);

    /* 2 us late with 1 us allowed; the frame ends in 0x0C, so its last low ends with bit 9 of byte 8: also 1 us into the tail guard. */
    seen = copy();
    shift_slot(&seen, node_slot(), 2 * US);
    result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_LATE, 0, 1, 0);
    assert_int_equal(result->findings_total, 2);
    assert_finding(result, 1, PB_FINDING_OVERRUN, 0, 1, 0);
    pb_result_free(result);

    /* A line of a bench frame that is low before the bench pulls it was pulled by somebody else; late is the bench's own fault. */
    seen = copy();
    shift_slot(&seen, bench_slot(), -2 * US);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 1, 0, 0);
    seen = copy();
    shift_slot(&seen, bench_slot(), 2);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 1, 0, 0);
    seen = copy();
    shift_slot(&seen, bench_slot(), 1);
    struct pb_result *good = judge(&seen);
    assert_verdict(good, PB_VERDICT_PASS);
    pb_result_free(good);
}

/* Latest start: 6 us, 288 ticks. One tick of U95 is 0.8: 287 is fine, 288 cannot be told, 289 is late. */
static void test_marginal_late(void **state)
{
    static const enum pb_verdict verdict[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_FAIL};
    (void)state;
    const uint64_t first = event_in(&demo, node_slot(), PB_EVENT_EDGE, 0)->tick - node_slot().from;
    for (unsigned i = 0; i < 3; i++) {
        struct pb_observation seen = copy();
        shift_slot(&seen, node_slot(), (int64_t)(287 + i) - (int64_t)first);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, verdict[i]);
        if (i)
            assert_finding(result, 0, PB_FINDING_LATE, 0, 1, 0);
        assert_int_equal(i && result->finding[0].marginal, i == 1);
        assert_int_equal(result->delivered == result->messages, i < 2);
        pb_result_free(result);
    }
}

/* Earliest start: 4.9 us, 235.2 ticks. 237 is fine, 236 and 235 cannot be told, 234 is early. */
static void test_marginal_early(void **state)
{
    static const enum pb_verdict verdict[] = {PB_VERDICT_FAIL, PB_VERDICT_MARGINAL, PB_VERDICT_MARGINAL, PB_VERDICT_PASS};
    (void)state;
    const uint64_t first = event_in(&demo, node_slot(), PB_EVENT_EDGE, 0)->tick - node_slot().from;
    for (unsigned i = 0; i < COUNT(verdict); i++) {
        struct pb_observation seen = copy();
        shift_slot(&seen, node_slot(), (int64_t)(234 + i) - (int64_t)first);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, verdict[i]);
        if (verdict[i] != PB_VERDICT_PASS)
            assert_finding(result, 0, PB_FINDING_EARLY, 0, 1, 0);
        pb_result_free(result);
    }
}

/* The tail guard starts at 95 us, 4560 ticks. */
static void test_marginal_end(void **state)
{
    static const enum pb_verdict verdict[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_FAIL};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct pb_observation seen = copy();
        event_in(&seen, node_slot(), PB_EVENT_EDGE, -1)->tick = node_slot().from + 4559 + i;
        pb_events_sort(&seen.events);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, verdict[i]);
        if (i)
            assert_finding(result, 0, PB_FINDING_OVERRUN, 0, 1, 0);
        pb_result_free(result);
    }
}

/* A node that keeps every limit but for the uncertainty is not made a good one by their number, nor is a failure among them lost. */
static void test_failure_among_very_many_marginal_values(void **state)
{
    enum { SUPERFRAMES = 2500, CLOCK_HZ = 1000000, PERIOD = 1000 };
    (void)state;
    /* Node 0 of the 1-cube sends a frame in every phase 0, exactly at the latest instant: 60 us after the edge, 60 ticks of 1 MHz. */
    struct pb_scenario *small = parse_scenario("cube: {dims: 1}\nsuperframes: 2500\n"
                                               "link: {phase_rate: 1 kHz, baud: 100 kbaud, guard: 100 us, payload: 1 byte}\n"
                                               "limits: {start_late: 10 us}\n"
                                               "nodes: [{address: 0}]\ntraffic: [{from: 0, to: 1, repeat: 2500}]\n");
    for (unsigned broken = 0; broken < 2; broken++) {
        struct pb_observation seen = {.info.clock_hz = CLOCK_HZ, .line_level = UINT64_MAX};
        for (unsigned superframe = 0; superframe < SUPERFRAMES; superframe++) {
            uint8_t frame[PB_FRAME_MAX];
            uint64_t at = 5000 + 2 * PERIOD * (uint64_t)superframe;
            const unsigned count = pb_frame(small, superframe, superframe & 15, frame);
            append(&seen, PB_EVENT_PHASE, 0, at, (superframe & 0x1fff) << 9);
            append(&seen, PB_EVENT_PHASE, 0, at + PERIOD, (superframe & 0x1fff) << 9 | 1);
            at += 60;
            if (broken && superframe == SUPERFRAMES - 1)
                frame[3] ^= 1;
            for (unsigned i = 0; i < count; i++, at += 100) {
                const unsigned bits = (unsigned)frame[i] << 1 | 0x200;
                append(&seen, PB_EVENT_EDGE, 0, at, 0);
                for (unsigned bit = 1; bit < 10; bit++)
                    if ((bits >> bit & 1) != (bits >> (bit - 1) & 1))
                        append(&seen, PB_EVENT_EDGE, 0, at + 10 * bit, bits >> bit & 1);
                append(&seen, PB_EVENT_BYTE, 0, at + 95, frame[i] | 0x100 | 8191u << 9);
            }
        }
        struct pb_result *result = calloc(1, sizeof *result);
        assert_non_null(result);
        result->dims = 1;
        assert_int_equal(pb_check(result, small, &seen), 0);
        pb_observation_free(&seen);
        assert_true(result->findings_total >= SUPERFRAMES);
        assert_true(result->findings < result->findings_total);
        assert_verdict(result, broken ? PB_VERDICT_FAIL : PB_VERDICT_MARGINAL);
        pb_result_free(result);
    }
    pb_scenario_free(small);
}

/* ---- activity where none belongs */

static void test_pulse_on_an_idle_line(void **state)
{
    static const struct {
        uint32_t superframe;
        unsigned phase, link;
    } place[] = {{0, 0, 0}, {0, 0, LAST_LINK}, {0, 1, 1}, {LAST_SUPERFRAME, LAST_PHASE, 0}, {LAST_SUPERFRAME, LAST_PHASE, LAST_LINK}, {7, 12, 7}};
    static const unsigned at[] = {0, 1, 50 * US, PHASE - 2};
    (void)state;
    for (size_t i = 0; i < COUNT(place); i++)
        for (size_t k = 0; k < COUNT(at); k++) {
            struct pb_observation seen = copy();
            const struct slot slot = slot_of(place[i].superframe, place[i].phase, place[i].link);
            insert_pulse(&seen, slot.link, slot.from + at[k], 1);
            struct pb_result *result =
                judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, place[i].superframe, place[i].phase, (int)place[i].link);
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
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 1, 0);
    seen = copy();
    const uint64_t bench_rise = event_in(&demo, bench_slot(), PB_EVENT_EDGE, 1)->tick;
    insert_pulse(&seen, 0, bench_rise + 5, 2);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 1, 0, 0);
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

static void test_line_that_stays_low(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    erase(&seen, event_in(&seen, node_slot(), PB_EVENT_EDGE, -1));
    struct pb_result *result = judge(&seen);
    assert_verdict(result, PB_VERDICT_FAIL);
    bool overrun = false, after = false;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        overrun |= finding->kind == PB_FINDING_OVERRUN && finding->superframe == 0 && finding->phase == 1 && finding->link == 0;
        after |= finding->kind == PB_FINDING_UNEXPECTED && finding->superframe == 0 && finding->phase == 2 && finding->link == 0;
    }
    assert_true(overrun);
    assert_true(after);
    pb_result_free(result);
}

/* A dead short makes no edge at all. */
static void test_line_that_is_always_low(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    for (size_t i = seen.events.count; i-- > 0;)
        if ((seen.events.event[i].kind == PB_EVENT_EDGE || seen.events.event[i].kind == PB_EVENT_BYTE) && seen.events.event[i].link == 5)
            erase(&seen, &seen.events.event[i]);
    seen.line_level &= ~(UINT64_C(1) << 5);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 0, 5);
}

static void test_low_while_the_clock_stands(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert_pulse(&seen, 3, phase_event(&demo, 0, 0)->tick - 10 * US, US);
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 0, 0, 3);
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

/* ---- the parts of a slot's judgement */

static void test_first_difference(void **state)
{
    static const uint8_t frame[] = {0x1C, 0x09, 0xFF};
    (void)state;
    assert_int_equal(pb_slot_first_difference(frame, 3, frame, 3), -1);
    assert_int_equal(pb_slot_first_difference(frame, 0, frame, 0), -1);
    /* The missing byte's start bit; the surplus byte's start bit. */
    assert_int_equal(pb_slot_first_difference(frame, 3, frame, 2), 20);
    assert_int_equal(pb_slot_first_difference(frame, 2, frame, 3), 20);
    assert_int_equal(pb_slot_first_difference(frame, 3, NULL, 0), 0);
    /* The least significant bit goes first, after the start bit. */
    assert_int_equal(pb_slot_first_difference(frame, 3, (const uint8_t[]){0x1C, 0x08, 0xFF}, 3), 11);
    assert_int_equal(pb_slot_first_difference(frame, 3, (const uint8_t[]){0x1C, 0x09, 0x7F}, 3), 28);
    assert_int_equal(pb_slot_first_difference(frame, 3, (const uint8_t[]){0x9D, 0x09, 0x7F}, 1), 1);
}

/* Drawn by hand: 0x00 is one low and one high; 0xFF a start bit; 0x55 changes at each of the ten bits. */
static void test_edges_of_a_frame(void **state)
{
    (void)state;
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x00}, 1), 2);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0xFF}, 1), 2);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x55}, 1), 10);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0xAA}, 1), 8);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x1C, 0xFF, 0x55}, 3), 4 + 2 + 10);
    assert_int_equal(pb_slot_edges(NULL, 0), 0);
}

static void test_bytes_text(void **state)
{
    char text[12];
    (void)state;
    pb_slot_bytes_text(text, sizeof text, (const uint8_t[]){0x0A, 0xFF}, 2);
    assert_string_equal(text, "0A FF");
    pb_slot_bytes_text(text, sizeof text, NULL, 0);
    assert_string_equal(text, "");
    pb_slot_bytes_text(text, sizeof text, (const uint8_t[]){1, 2, 3, 4, 5, 6}, 6); /* only whole bytes, as many as fit */
    assert_string_equal(text, "01 02 03");
}

static bool baud_error(uint8_t data, uint32_t left, int32_t *ppm)
{
    const struct pb_event byte = {.kind = PB_EVENT_BYTE, .value = data | 0x100 | left << 9};
    return pb_slot_baud_error(&byte, 16 * BIT, ppm);
}

/* Sample k lies k + 1/2 bits, 48 k + 24 ticks, after the start edge. */
static void test_baud_error(void **state)
{
    int32_t ppm;
    (void)state;
    assert_true(baud_error(0x00, 24, &ppm)); /* last edge at bit 9, tick 432; sample 9 at 456 */
    assert_int_equal(ppm, 0);
    assert_true(baud_error(0x00, 24 - 4, &ppm)); /* edge 4 of 432 ticks late: bits are 0.926 % long */
    assert_in_range(ppm, 9259, 9260);
    assert_true(baud_error(0x00, 24 + 4, &ppm));
    assert_in_range(-ppm, 9259, 9260);
    assert_true(baud_error(0xF0, 24, &ppm)); /* last edge at bit 5 */
    assert_int_equal(ppm, 0);
    assert_false(baud_error(0xF8, 24, &ppm)); /* at bit 4: a bit's thirtieth says too little */
    assert_false(baud_error(0xFF, 24, &ppm));
    assert_false(baud_error(0x00, 8191, &ppm)); /* stands for "more" */
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
    phase_event(&seen, 5, 4)->value ^= 1;
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 5, 4, -1);
    seen = copy();
    phase_event(&seen, 5, 4)->value ^= 1 << 9;
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_CLOCK, 5, 4, -1);
}

static void test_loss(void **state)
{
    (void)state;
    for (unsigned node_broken = 0; node_broken < 2; node_broken++)
        for (unsigned packets = 0; packets < 2; packets++) {
            struct pb_observation seen = copy();
            if (packets)
                seen.counters.event_packets_missing = 1;
            else
                seen.events_lost = 1;
            if (node_broken)
                erase_slot(&seen, node_slot()); /* or were these the events that were lost? */
            expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LOSS, 0, 0, -1);
        }
}

static void test_underrun(void **state)
{
    (void)state;
    struct pb_observation seen = copy();
    insert(&seen, PB_EVENT_UNDERRUN, 2, slot_of(3, 7, 0).from + 100, 3 << 9 | 7);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 3, 7, -1);
    /* A lane number is no link number: there may be more lanes than links. */
    seen = copy();
    insert(&seen, PB_EVENT_UNDERRUN, 12, slot_of(3, 7, 0).from + 100, 3 << 9 | 7);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 3, 7, -1);
}

/* What follows from a fault of the bench is not held against the node, what came before it is. */
static void test_bench_and_node_both_at_fault(void **state)
{
    (void)state;
    const struct slot node_later = slot_of(1, 1, 0);
    struct pb_observation seen = copy();
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
    seen.console_failure[0] = (struct pb_console_failure){.seat = 0, .message = 0, .tick = 100, .answer = "-full"};
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_CONSOLE, 0, 0, -1);
    assert_non_null(strstr(result->finding[0].expected, "0x2A3"));
    assert_non_null(strstr(result->finding[0].seen, "-full"));
    pb_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_untampered_passes),
        cmocka_unit_test(test_lost_byte),
        cmocka_unit_test(test_flipped_bit_of_the_node),
        cmocka_unit_test(test_flipped_bit_in_every_frame),
        cmocka_unit_test(test_second_driver_on_a_bench_frame),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_bit_time),
        cmocka_unit_test(test_missing_frame),
        cmocka_unit_test(test_last_frame_missing),
        cmocka_unit_test(test_frame_again_in_another_phase),
        cmocka_unit_test(test_shifted_transmission),
        cmocka_unit_test(test_marginal_late),
        cmocka_unit_test(test_marginal_early),
        cmocka_unit_test(test_marginal_end),
        cmocka_unit_test(test_failure_among_very_many_marginal_values),
        cmocka_unit_test(test_pulse_on_an_idle_line),
        cmocka_unit_test(test_record_that_ends_in_the_last_phase),
        cmocka_unit_test(test_glitch_inside_a_frame),
        cmocka_unit_test(test_low_in_the_guards),
        cmocka_unit_test(test_line_that_stays_low),
        cmocka_unit_test(test_line_that_is_always_low),
        cmocka_unit_test(test_low_while_the_clock_stands),
        cmocka_unit_test(test_byte_without_edges),
        cmocka_unit_test(test_first_difference),
        cmocka_unit_test(test_edges_of_a_frame),
        cmocka_unit_test(test_bytes_text),
        cmocka_unit_test(test_baud_error),
        cmocka_unit_test(test_dropped_phase_event),
        cmocka_unit_test(test_shifted_phase_event),
        cmocka_unit_test(test_wrong_phase_number),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_underrun),
        cmocka_unit_test(test_bench_and_node_both_at_fault),
        cmocka_unit_test(test_console_failure),
    };
    return cmocka_run_group_tests(tests, play_demo, forget_demo);
}
