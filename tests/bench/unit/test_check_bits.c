/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The place of every edge within a frame. Expected verdicts come from a receiver that reads the line: 16
 * samples a bit, the start edge found up to one sample late, samples 7, 8 and 9 of a bit alike, a clock that
 * is off by up to 1.25 %. A tick of the model is 20.8 ns, a bit 48 ticks.
 */
#include "tests/bench/unit/faults_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 10 * M_BYTES, SUPERFRAME = 2, PHASE = 1, LINK = 0 };

/* Puts the node's frame on the line with every boundary this many ticks late. */
static struct model_frame *displace(const int late[BITS])
{
    struct model_frame *frame = model_find(&model, SUPERFRAME, PHASE);
    uint64_t from = 0;
    model.lows = 0;
    frame->absent = true;
    for (unsigned bit = 0; bit < BITS; bit++) {
        const uint64_t at = (uint64_t)((int64_t)(frame->start + bit * M_BIT) + late[bit]);
        const bool before = bit == 0 || model_level(frame, bit - 1);
        if (before && !model_level(frame, bit))
            from = at;
        else if (!before && model_level(frame, bit))
            model_low(&model, LINK, from, (unsigned)(at - from));
    }
    return frame;
}

static bool low_at(double tick)
{
    for (unsigned i = 0; i < model.lows; i++)
        if (tick >= (double)model.low[i].from && tick < (double)model.low[i].to)
            return true;
    return false;
}

/* Whether a receiver reads the frame whose start edges lie at start[]. SURELY: also with every sample a tick
 * and a half sooner or later; HARDLY: with some such, at each sample. */
enum certainty { SURELY, JUST, HARDLY };

static bool reads_bit(double at, bool high, enum certainty certainty)
{
    const bool good[] = {low_at(at - 1.5) != high, low_at(at) != high, low_at(at + 1.5) != high};
    return certainty == SURELY ? good[0] && good[1] && good[2]
           : certainty == JUST ? good[1]
                               : good[0] || good[1] || good[2];
}

static bool is_readable(const struct model_frame *frame, const uint64_t start[M_BYTES],
                        enum certainty certainty)
{
    const double margin[] = {1.5, 0, -1.5};
    for (int error = -1; error <= 1; error += 2)
        for (unsigned late = 0; late <= 1; late++)
            for (unsigned bit = 0; bit < BITS; bit++)
                for (unsigned vote = 7; vote <= 9; vote++) {
                    const double at = (double)start[bit / 10] +
                                      (bit % 10 + (vote + late) / 16.0) * M_BIT * (1 + error * 0.0125);
                    if (!reads_bit(at, model_level(frame, bit), certainty))
                        return false;
                    /* and is done with the stop bit before the next start edge */
                    if (bit % 10 == 9 && bit + 1 < BITS &&
                        at + margin[certainty] > (double)start[bit / 10 + 1])
                        return false;
                }
    return true;
}

/* Edges at random places: none passes that corrupts a bit for a receiver, none fails that corrupts none. */
TEST(test_what_no_receiver_reads_fails)
{
    random_state = 1;
    unsigned readable = 0, unreadable = 0;
    for (unsigned round = 0; round < 1500; round++) {
        int late[BITS] = {0};
        const int reach = 4 + (int)below(19);
        const unsigned moved = 1 + below(12);
        for (unsigned i = 0; i < moved; i++)
            late[1 + below(BITS - 1)] =
                (int)below(2 * (unsigned)reach + 1) - reach;
        const struct model_frame *frame = displace(late);
        uint64_t start[M_BYTES];
        for (unsigned i = 0; i < M_BYTES; i++)
            start[i] = (uint64_t)((int64_t)frame->start + 10 * M_BIT * (int)i + late[10 * i]);
        struct pb_result *result = model_judge(&model);
        if (!is_readable(frame, start, JUST)) {
            unreadable++;
            if (result->verdict == PB_VERDICT_PASS ||
                (result->verdict != PB_VERDICT_FAIL && !is_readable(frame, start, HARDLY)))
                fail_msg("round %u: %s", round, result->reason);
        } else if (is_readable(frame, start, SURELY)) {
            /* 393/1280 of a bit is the longest pause before a byte, less what cannot be decided */
            bool pause = false;
            for (unsigned i = 1; i < M_BYTES; i++)
                pause |= start[i] - start[i - 1] > 10 * M_BIT + 13;
            readable++;
            if (!pause && result->verdict != PB_VERDICT_PASS)
                fail_msg("round %u: %s: %s", round, result->reason, result->finding[0].seen);
        }
    }
    assert_true(readable > 200);
    assert_true(unreadable > 200);
}

static void expect(enum pb_verdict verdict, enum pb_finding_kind kind)
{
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, verdict);
    if (verdict == PB_VERDICT_PASS)
        assert_int_equal(result->findings_total, 0);
    else
        assert_finding(result, 0, kind, SUPERFRAME, PHASE, LINK);
}

/* docs/reference/timing.md: at boundary k late by at most (553 - 16 k) / 1280 of a bit, early by (486 - 16 k)
 * / 1280, in ticks with 48 a bit; within a tick of it, it cannot be decided. */
TEST(test_every_boundary_has_its_limit)
{
    const struct model_frame *frame = model_find(&model, SUPERFRAME, PHASE);
    unsigned tried = 0;
    for (unsigned bit = 1; bit < BITS; bit++) {
        const unsigned k = bit % 10 ? bit % 10 : 10;
        const int sign[] = {1, -1};
        for (unsigned s = 0; s < 2 && model_level(frame, bit) != model_level(frame, bit - 1); s++) {
            const double limit = ((s ? 486 : 553) - 16.0 * k) / 1280 * M_BIT;
            for (int ticks = (int)limit - 3; ticks <= (int)limit + 3; ticks++) {
                int late[BITS] = {0};
                /* A start edge takes all of its byte and the following ones along. */
                for (unsigned i = bit; i < (k == 10 ? BITS : bit + 1); i++)
                    late[i] = sign[s] * ticks;
                displace(late);
                const enum pb_verdict verdict = ticks > limit + 1   ? PB_VERDICT_FAIL
                                                : ticks > limit - 1 ? PB_VERDICT_MARGINAL
                                                                    : PB_VERDICT_PASS;
                expect(verdict, PB_FINDING_BIT_SHAPE);
                tried++;
            }
        }
    }
    assert_true(tried > 300);
}

/* Each byte 0.45 bit before the stop bit of the one before is over. */
TEST(test_short_stop_bits)
{
    int late[BITS];
    for (unsigned bit = 0; bit < BITS; bit++)
        late[bit] = -22 * (int)(bit / 10);
    displace(late);
    expect(PB_VERDICT_FAIL, PB_FINDING_BIT_SHAPE);
}

/* All edges but the start edges 0.45 bit late; and all that fall. */
TEST(test_late_data_edges)
{
    for (unsigned falls = 0; falls < 2; falls++) {
        int late[BITS] = {0};
        const struct model_frame *frame = model_find(&model, SUPERFRAME, PHASE);
        for (unsigned bit = 0; bit < BITS; bit++)
            late[bit] = bit % 10 && !(falls && model_level(frame, bit)) ? 22 : 0;
        displace(late);
        expect(PB_VERDICT_FAIL, PB_FINDING_BIT_SHAPE);
    }
}

/* Bits that are all too long or all too short are the bit time, whether the next byte comes in time or not.
 */
TEST(test_a_scale_is_the_bit_time)
{
    static const int percent_q1[] = {-10, -9, -8, 8, 9, 10}; /* halves */
    for (unsigned i = 0; i < COUNT(percent_q1); i++)
        for (unsigned bytes = 0; bytes < 2; bytes++) {
            int late[BITS];
            if (!bytes && percent_q1[i] > 0) /* would end in the tail guard */
                continue;
            for (unsigned bit = 0; bit < BITS; bit++)
                late[bit] = (int)lround((double)(bytes ? bit % 10 : bit) * M_BIT * percent_q1[i] / 200);
            displace(late);
            expect(PB_VERDICT_FAIL, PB_FINDING_BAUD);
        }
}

/* Bits of 2.2 % too little are within the limit of the bit time, and within those of every edge. */
TEST(test_a_clock_within_its_limit_passes)
{
    int late[BITS];
    for (unsigned bit = 0; bit < BITS; bit++)
        late[bit] = (int)lround(bit * M_BIT * -0.022);
    displace(late);
    expect(PB_VERDICT_PASS, PB_FINDING_KINDS);
}

/* A sender that knows multiples of a clock of its own alone: each edge at the next one. With every period
 * that makes 8 or more of a bit, and every phase of it, that is no slow rise. */
TEST(test_a_grid_of_the_sender_is_no_slow_rise)
{
    for (int period = 2; period <= 6; period++)
        for (int offset = 0; offset < period; offset++)
            for (int ppm = -2000; ppm <= 2000; ppm += 500) {
                int late[BITS];
                for (unsigned bit = 0; bit < BITS; bit++) {
                    const double at = bit * M_BIT * (1 + ppm * 1e-6) + offset;
                    late[bit] =
                        (int)(lround(ceil(at / period - 1e-9) * period) - (long)(bit * M_BIT) - offset);
                }
                displace(late);
                expect(PB_VERDICT_PASS, PB_FINDING_KINDS);
            }
}

AROUND_EACH(open_model, close_model)
