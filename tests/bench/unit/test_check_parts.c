/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check on as many frames as there are, and its parts by themselves. tests/bench/unit/check/ has the
 * cases of single frames and lines. check_fixture.h says what the observation holds. */
#include "tests/bench/unit/check_fixture.h"
#include "tests/bench/unit/tests.h"

#include "host/check/decide.h"
#include "host/plan/answer.h"

TEST(test_flipped_bit_in_every_frame)
{
    struct pb_observation *seen = copy();
    struct pb_result *result = judge(seen);
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        seen = copy();
        event_in(seen, slot_of(hop->superframe, hop->phase, hop->link), PB_EVENT_BYTE, -1)->value ^=
            PB_PUT(PB_EVENT_BYTE_DATA, 0x80);
        struct pb_result *tampered = judge(seen);
        assert_int_equal(tampered->findings_total, 1);
        assert_int_equal(tampered->finding[0].superframe, hop->superframe);
        assert_int_equal(tampered->finding[0].phase, hop->phase);
        assert_int_equal(tampered->finding[0].link, hop->link);
        assert_int_equal(tampered->finding[0].bit, 88);
        assert_int_equal(tampered->verdict == PB_VERDICT_PASS, 0);
    }
}

/* A node that keeps every limit except for the uncertainty is not made a good one by their number, nor is a
 * failure among them lost. */
TEST(test_failure_among_very_many_marginal_values)
{
    enum { SUPERFRAMES = 2500, CLOCK_HZ = 1000000, PERIOD = 1000 };
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
            const unsigned count = pb_frame(small, superframe, 1, superframe, frame);
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
        const struct pb_result *result = judge_seen(small, &seen);
        pb_observation_free(&seen);
        assert_true(result->findings_total >= SUPERFRAMES);
        assert_true(result->findings < result->findings_total);
        assert_verdict(result, broken ? PB_VERDICT_FAIL : PB_VERDICT_MARGINAL);
    }
}

/* ---- the parts of a judgement */

TEST(test_first_difference)
{
    static const uint8_t frame[] = {0x1C, 0x09, 0xFF};
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
TEST(test_edges_of_a_frame)
{
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x00}, 1), 2);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0xFF}, 1), 2);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x55}, 1), 10);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0xAA}, 1), 8);
    assert_int_equal(pb_slot_edges((const uint8_t[]){0x1C, 0xFF, 0x55}, 3), 4 + 2 + 10);
    assert_int_equal(pb_slot_edges(NULL, 0), 0);
}

TEST(test_bytes_text)
{
    char text[12];
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
TEST(test_baud_error)
{
    int32_t ppm;
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
    assert_false(baud_error(0x00, 8191, &ppm)); /* means "more" */
}

TEST(test_answers_are_compared_by_their_number)
{
    char expected[PB_ANSWER_MAX];
    pb_answer(expected, false, 0x1A);
    assert_string_equal(expected, "+S A");
    assert_true(pb_answer_fits("+S A", expected));
    assert_true(pb_answer_fits("+S 0a", expected));
    assert_true(pb_answer_fits("+S 0000000A", expected));
    assert_false(pb_answer_fits("+S 00000000A", expected));
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

/* What a node does from the instant on at which the bench failed it proves nothing against it. */
TEST(the_bench_excuses_a_node_from_its_own_failure_on)
{
    static const struct {
        int64_t node_ps, bench_ps;
        enum pb_verdict verdict;
    } row[] = {{999, 1000, PB_VERDICT_FAIL},
               {1000, 1000, PB_VERDICT_INCONCLUSIVE},
               {1001, 1000, PB_VERDICT_INCONCLUSIVE}};
    const struct pb_check_run run = {.phase_ps = 1000000};
    const struct pb_loss loss = {.known = false};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_finding finding[] = {
            {.kind = PB_FINDING_MISSING, .fault = -1, .time_ps = row[i].node_ps},
            {.kind = PB_FINDING_CLOCK, .fault = -1, .time_ps = row[i].bench_ps}};
        struct pb_result result = {.finding = finding, .findings = COUNT(finding), .findings_total = 2};
        pb_decide(&result, &run, &loss);
        assert_verdict(&result, row[i].verdict);
    }
}

AROUND_ALL(play_demo, NULL)
