/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check against frames that were tampered with: what the node or the bench did wrong must be named, at
 * its place, and lead to the right verdict. check_fixture.h says what the observation holds. */
#include "tests/unit/check_fixture.h"

#include <stdlib.h>

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
    const struct pb_measurement *period = pb_measurement_find(result, PB_FIGURE_CLOCK_PERIOD, -1);
    assert_int_equal(period->n, 14 * 24 - 1);
    assert_int_equal(period->min, 100000000);
    assert_int_equal(period->max, 100000000);
    /* One tick of 48 MHz is 20833.3 ps, and a stamp may be short by a whole one. */
    assert_int_equal(result->resolution_ps, 20833);
    assert_in_range(result->uncertainty_ps, 20833, 20834);
    /* The node's own 1 + 12 + 66 starts: link d is the way out of d pairs, and of the message or complement
     * on it. */
    uint64_t starts = 0;
    for (unsigned d = 0; d < 12; d++) {
        const struct pb_measurement *start = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)d);
        assert_int_equal(start->n, d + 1 + (d == 0));
        assert_true(start->min >= result->start_min_ps);
        assert_true(start->max <= result->start_max_ps);
        starts += start->n;
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
            event_in(&seen, node_slot(), PB_EVENT_BYTE, byte)->value ^= PB_PUT(PB_EVENT_BYTE_DATA, 1u << bit);
            struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 0, 1, 0);
            assert_int_equal(result->finding[0].bit, 10 * byte + 1 + bit);
            /* The byte's start edge: 10 us a byte after the frame's, ticks of 1/48 us from the first phase.
             */
            const uint64_t origin = phase_event(&demo, 0, 0)->tick;
            const int64_t start_us =
                (int64_t)(event_in(&demo, node_slot(), PB_EVENT_EDGE, 0)->tick - origin) / US;
            assert_in_range(result->finding[0].time_ps / 1000000, start_us + 10 * byte - 1,
                            start_us + 10 * byte + 1);
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
        event_in(&seen, slot_of(hop->superframe, hop->phase, hop->link), PB_EVENT_BYTE, -1)->value ^=
            PB_PUT(PB_EVENT_BYTE_DATA, 0x80);
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
    byte->value &= ~PB_PUT(PB_EVENT_BYTE_DATA, 1u << one);
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_CONTENTION, 1, 0, 0);
    assert_int_equal(result->finding[0].bit, 1 + one);
    pb_result_free(result);

    seen = copy();
    byte = event_in(&seen, bench_slot(), PB_EVENT_BYTE, 0);
    const int zero = __builtin_ctz(~(unsigned)pb_event_data(byte));
    assert_true(zero < 8);
    byte->value |= PB_PUT(PB_EVENT_BYTE_DATA, 1u << zero);
    result = judge_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_WRONG_BYTES, 1, 0, 0);
    assert_int_equal(result->finding[0].sender, PB_SENDER_BENCH);
    pb_result_free(result);
}

static void test_framing(void **state)
{
    (void)state;
    for (int byte = 0; byte < FRAME_BYTES; byte++) {
        struct pb_observation seen = copy();
        event_in(&seen, node_slot(), PB_EVENT_BYTE, byte)->value &= ~PB_PUT(PB_EVENT_BYTE_STOP, 1u);
        struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_FRAMING, 0, 1, 0);
        assert_int_equal(result->finding[0].bit, 10 * byte + 9);
        pb_result_free(result);
    }
}

/* A byte with bit 7 clear has its last edge where the stop bit begins, nine bit times or 432 ticks after its
 * start edge; the next sample is half a bit later. That edge may be late by 409/1280 of a bit, 15.3 ticks,
 * and early by 342/1280, 12.8. Where no edges were captured, what the receiver measured is all there is. */
static void test_last_edge_of_a_byte(void **state)
{
    static const struct {
        uint32_t left;
        bool good;
    } edge[] = {{24, true}, {24 + 9, true}, {24 - 9, true}, {24 + 15, false}, {24 - 18, false}};
    (void)state;
    int byte = 0;
    while (pb_event_data(event_in(&demo, node_slot(), PB_EVENT_BYTE, byte)) & 0x80)
        byte++;
    for (size_t i = 0; i < COUNT(edge); i++) {
        struct pb_observation seen = copy();
        struct pb_event *event = event_in(&seen, node_slot(), PB_EVENT_BYTE, byte);
        event->value = PB_SET(PB_EVENT_BYTE_LEFT, event->value, edge[i].left);
        for (size_t k = seen.events.count; k-- > 0;)
            if (seen.events.event[k].kind == PB_EVENT_EDGE && seen.events.event[k].tick >= seen.clock_tick)
                erase(&seen, &seen.events.event[k]); /* before the clock they are captured in any case */
        seen.edgeless = UINT64_MAX;
        struct pb_result *result = judge(&seen);
        assert_verdict(result, edge[i].good ? PB_VERDICT_PASS : PB_VERDICT_FAIL);
        if (!edge[i].good)
            assert_finding(result, 0, PB_FINDING_BIT_SHAPE, 0, 1, 0);
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

    /* Nothing shows that the bench can pull the line: the bench may be at fault. */
    seen = copy();
    seen.before.known = false;
    erase_slot(&seen, bench_slot());
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 1, 0, 0);
    /* It could before the run. */
    seen = copy();
    erase_slot(&seen, bench_slot());
    expect_first(&seen, PB_VERDICT_FAIL, PB_FINDING_HELD_HIGH, 1, 0, 0);
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
    struct pb_result *result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_BABBLE, 0, 3, 0);
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

    /* 2 us late with 1 us allowed; the frame ends in 0x0C, so its last low ends with bit 9 of byte 8: also 1
     * us into the tail guard. */
    seen = copy();
    shift_slot(&seen, node_slot(), 2 * US);
    result = judge_first(&seen, PB_VERDICT_FAIL, PB_FINDING_LATE, 0, 1, 0);
    assert_int_equal(result->findings_total, 2);
    assert_finding(result, 1, PB_FINDING_OVERRUN, 0, 1, 0);
    pb_result_free(result);

    /* A whole frame of the bench that comes early or late is the bench's own fault. */
    seen = copy();
    shift_slot(&seen, bench_slot(), -2 * US);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_EARLY, 1, 0, 0);
    seen = copy();
    shift_slot(&seen, bench_slot(), 2);
    expect_first(&seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_LATE, 1, 0, 0);
    seen = copy();
    shift_slot(&seen, bench_slot(), 1);
    struct pb_result *good = judge(&seen);
    assert_verdict(good, PB_VERDICT_PASS);
    pb_result_free(good);
}

/* Latest start: 6 us, 288 ticks, where U95 is one tick: 287 is fine, 288 and 289 cannot be told, 290 is late.
 */
static void test_marginal_late(void **state)
{
    static const enum pb_verdict verdict[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_MARGINAL,
                                              PB_VERDICT_FAIL};
    (void)state;
    const uint64_t first = event_in(&demo, node_slot(), PB_EVENT_EDGE, 0)->tick - node_slot().from;
    for (unsigned i = 0; i < COUNT(verdict); i++) {
        struct pb_observation seen = copy();
        shift_slot(&seen, node_slot(), (int64_t)(287 + i) - (int64_t)first);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, verdict[i]);
        if (verdict[i] != PB_VERDICT_PASS) {
            assert_finding(result, 0, PB_FINDING_LATE, 0, 1, 0);
            assert_int_equal(result->finding[0].marginal, verdict[i] == PB_VERDICT_MARGINAL);
        }
        assert_int_equal(result->delivered == result->messages, verdict[i] != PB_VERDICT_FAIL);
        pb_result_free(result);
    }
}

/* Earliest start: 4.9 us, 235.2 ticks. 237 is fine, 236 and 235 cannot be told, 234 is early. */
static void test_marginal_early(void **state)
{
    static const enum pb_verdict verdict[] = {PB_VERDICT_FAIL, PB_VERDICT_MARGINAL, PB_VERDICT_MARGINAL,
                                              PB_VERDICT_PASS};
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
    static const enum pb_verdict verdict[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_MARGINAL,
                                              PB_VERDICT_FAIL};
    (void)state;
    for (unsigned i = 0; i < COUNT(verdict); i++) {
        struct pb_observation seen = copy();
        event_in(&seen, node_slot(), PB_EVENT_EDGE, -1)->tick = node_slot().from + 4559 + i;
        pb_events_sort(&seen.events);
        struct pb_result *result = judge(&seen);
        assert_verdict(result, verdict[i]);
        if (verdict[i] != PB_VERDICT_PASS)
            assert_finding(result, 0, PB_FINDING_OVERRUN, 0, 1, 0);
        pb_result_free(result);
    }
}

/* A node that keeps every limit but for the uncertainty is not made a good one by their number, nor is a
 * failure among them lost. */
static void test_failure_among_very_many_marginal_values(void **state)
{
    enum { SUPERFRAMES = 2500, CLOCK_HZ = 1000000, PERIOD = 1000 };
    (void)state;
    /* Node 0 of the 1-cube sends a frame in every phase 0, exactly at the latest instant: 60 us after the
     * edge, 60 ticks of 1 MHz. */
    struct pb_scenario *small =
        parse_scenario("cube: {dims: 1}\nsuperframes: 2500\n"
                       "link: {phase_rate: 1 kHz, baud: 100 kbaud, guard: 100 us, payload: 1 byte}\n"
                       "limits: {start_late: 10 us}\n"
                       "nodes: [{address: 0}]\ntraffic: [{from: 0, to: 1, repeat: 2500}]\n");
    for (unsigned broken = 0; broken < 2; broken++) {
        struct pb_observation seen = {.info.clock_hz = CLOCK_HZ, .line_level = UINT64_MAX};
        for (unsigned superframe = 0; superframe < SUPERFRAMES; superframe++) {
            uint8_t frame[PB_FRAME_MAX];
            uint64_t at = 5000 + 2 * PERIOD * (uint64_t)superframe;
            const unsigned count = pb_frame(small, superframe, superframe & 15, frame);
            append(&seen, PB_EVENT_PHASE, 0, at, PB_PUT(PB_EVENT_PHASE_SUPERFRAME, superframe));
            append(&seen, PB_EVENT_PHASE, 0, at + PERIOD,
                   PB_PUT(PB_EVENT_PHASE_SUPERFRAME, superframe) | PB_PUT(PB_EVENT_PHASE_PHASE, 1));
            at += 60;
            if (broken && superframe == SUPERFRAMES - 1)
                frame[3] ^= 1;
            for (unsigned i = 0; i < count; i++, at += 100) {
                const unsigned bits = (unsigned)frame[i] << 1 | 0x200;
                append(&seen, PB_EVENT_EDGE, 0, at, 0);
                for (unsigned bit = 1; bit < 10; bit++)
                    if ((bits >> bit & 1) != (bits >> (bit - 1) & 1))
                        append(&seen, PB_EVENT_EDGE, 0, at + 10 * bit, bits >> bit & 1);
                append(&seen, PB_EVENT_BYTE, 0, at + 95,
                       PB_PUT(PB_EVENT_BYTE_DATA, frame[i]) | PB_PUT(PB_EVENT_BYTE_STOP, 1u) |
                           PB_PUT(PB_EVENT_BYTE_LEFT, PB_EVENT_LEFT_MORE));
            }
        }
        struct pb_result *result = calloc(1, sizeof *result);
        assert_non_null(result);
        result->network = pb_network_cube(1);
        assert_int_equal(pb_check(result, small, &seen), 0);
        pb_observation_free(&seen);
        assert_true(result->findings_total >= SUPERFRAMES);
        assert_true(result->findings < result->findings_total);
        assert_verdict(result, broken ? PB_VERDICT_FAIL : PB_VERDICT_MARGINAL);
        pb_result_free(result);
    }
    pb_scenario_free(small);
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
    pb_slot_bytes_text(text, sizeof text, (const uint8_t[]){1, 2, 3, 4, 5, 6},
                       6); /* only whole bytes, as many as fit */
    assert_string_equal(text, "01 02 03");
}

static bool baud_error(uint8_t data, uint32_t left, int32_t *ppm)
{
    const struct pb_event byte = {.kind = PB_EVENT_BYTE,
                                  .value = PB_PUT(PB_EVENT_BYTE_DATA, data) | PB_PUT(PB_EVENT_BYTE_STOP, 1u) |
                                           PB_PUT(PB_EVENT_BYTE_LEFT, left)};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_untampered_passes),
        cmocka_unit_test(test_lost_byte),
        cmocka_unit_test(test_flipped_bit_of_the_node),
        cmocka_unit_test(test_flipped_bit_in_every_frame),
        cmocka_unit_test(test_second_driver_on_a_bench_frame),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_last_edge_of_a_byte),
        cmocka_unit_test(test_missing_frame),
        cmocka_unit_test(test_last_frame_missing),
        cmocka_unit_test(test_frame_again_in_another_phase),
        cmocka_unit_test(test_shifted_transmission),
        cmocka_unit_test(test_marginal_late),
        cmocka_unit_test(test_marginal_early),
        cmocka_unit_test(test_marginal_end),
        cmocka_unit_test(test_failure_among_very_many_marginal_values),
        cmocka_unit_test(test_first_difference),
        cmocka_unit_test(test_edges_of_a_frame),
        cmocka_unit_test(test_bytes_text),
        cmocka_unit_test(test_baud_error),
    };
    return cmocka_run_group_tests(tests, play_demo, forget_demo);
}
