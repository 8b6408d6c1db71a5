/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong on a line must be called by its name, once, at its place, and not be taken for its neighbour.
 * faults_fixture.h says what the lines carry. */
#include "tests/unit/faults_fixture.h"

#include <stdio.h>
#include <string.h>

static struct model model;

static int open_model(void **state)
{
    (void)state;
    model_open(&model);
    return 0;
}

static int close_model(void **state)
{
    (void)state;
    model_close(&model);
    return 0;
}

/* First tick of the first data bit of a frame that is high, in the third byte or later. */
static uint64_t high_bit(const struct model_frame *frame)
{
    for (unsigned i = 2; i < frame->count; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            if (frame->byte[i] >> bit & 1)
                return frame->start + (10 * i + 1 + bit) * M_BIT;
    fail_msg("the frame is all zeros");
    return 0;
}

static void add_frame(uint32_t superframe, unsigned phase, unsigned link, unsigned count)
{
    struct model_frame *frame = &model.frame[model.frames++];
    *frame = (struct model_frame){
        .superframe = superframe, .phase = phase, .link = link, .bit_q8 = M_BIT * 256, .count = count};
    frame->start = model_at(superframe, phase) + M_HEAD;
    for (unsigned i = 0; i < count; i++)
        frame->byte[i] = (uint8_t)(0x35 + 11 * i);
}

static void square_wave(unsigned link, uint64_t from, unsigned pulses, unsigned ticks)
{
    for (unsigned i = 0; i < pulses; i++)
        model_low(&model, link, from + (uint64_t)2 * ticks * i, ticks);
}

/* ---- nothing is wrong */

static void test_clean(void **state)
{
    (void)state;
    model_expect_clean(&model);
    model.no_tdma = true;
    model_expect_clean(&model);
}

/* Starts from 4.9 us (235.2 ticks) to 6 us (288) are allowed, less one tick of uncertainty; a bench frame is
 * stamped to a tick; a sender's bit time may be off by 2.5 %, as far as its frame ends in time. */
static void test_clean_at_the_limits(void **state)
{
    static const unsigned start[] = {237, 287}, bit_q8[] = {12288, 12288 - 184, 12288 + 61};
    (void)state;
    for (unsigned s = 0; s < COUNT(start); s++)
        for (unsigned b = 0; b < COUNT(bit_q8); b++) {
            for (unsigned i = 0; i < model.frames; i++) {
                struct model_frame *frame = &model.frame[i];
                const uint64_t from = model_at(frame->superframe, frame->phase);
                frame->start = from + (frame->bench ? M_HEAD + s : start[s]);
                if (!frame->bench && !(s && b == 2)) /* late and slow would reach into the guard */
                    frame->bit_q8 = bit_q8[b];
            }
            model_expect_clean(&model);
        }
}

/* ---- held low */

static void test_stuck(void **state)
{
    (void)state;
    /* Over the end of one phase into the next: told once. */
    model_low(&model, 1, model_at(8, 2) + 1000, M_PHASE);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 8, 2, 1);
    /* Just to the end. */
    model.low[0].to = model_at(8, 3);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 8, 2, 1);
    /* Twenty bit times are more than any character. */
    model.low[0].to = model.low[0].from + 20 * M_BIT;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 8, 2, 1);
    /* Into the head guard of a phase with a frame, which is good. */
    model.low[0].link = 0;
    model.low[0].from = model_at(2, 1) - 800;
    model.low[0].to = model_at(2, 1) + 120;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 2, 0, 0);
    /* Over a frame and its end. */
    model.low[0].link = 0;
    model.low[0].from = model_at(2, 1) + 2000;
    model.low[0].to = model_at(2, 2) + 100;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 2, 1, 0);
}

static void test_stuck_once_per_phase(void **state)
{
    (void)state;
    model_low(&model, 1, model_at(8, 2) + 1000, 3 * M_PHASE);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_finding(result, i, PB_FINDING_STUCK, 8, 2 + i, 1);
    pb_result_free(result);
}

/* The core tells in the next phase, up to 64 ticks late, what the edges tell already. */
static void test_stuck_alarm(void **state)
{
    (void)state;
    model_low(&model, 1, model_at(8, 2) + 1000, M_PHASE);
    model_alarm(&model, PB_ALARM_STUCK, 1, model_at(8, 3) + 60);
    model_alarm(&model, PB_ALARM_OUTSIDE_PHASE, 1, model_at(8, 2) + 1030);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 8, 2, 1);
    model.lows = 0; /* only the alarms are left: edges were not seen */
    model.extras = 1;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_STUCK, 8, 3, 1);
}

/* ---- glitches */

static void test_glitch_on_an_idle_line(void **state)
{
    (void)state;
    model_low(&model, 2, model_at(8, 1) + 2000, 23); /* half a bit is 24 */
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 8, 1, 2);
    model_alarm(&model, PB_ALARM_OUTSIDE_PHASE, 2, model_at(8, 1) + 2040);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 8, 1, 2);
    /* Over the edge of a phase it is no longer than it was. */
    model.extras = 0;
    model.low[0].from = model_at(8, 1) - 5;
    model.low[0].to = model_at(8, 1) + 6;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 8, 0, 2);
    /* Two pulses have two causes. */
    model_low(&model, 2, model_at(8, 0) + 500, 10);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->findings_total, 2);
    assert_int_equal(model_count(result, PB_FINDING_GLITCH), 2);
    pb_result_free(result);
}

/* Beside the sampling instant, and over it, where it changes a bit; in a frame of the bench and of the node.
 */
static void test_glitch_in_a_frame(void **state)
{
    static const unsigned phase[] = {0, 1}, at[] = {5, 20};
    (void)state;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned a = 0; a < 2; a++) {
            model.lows = model.extras = 0;
            const uint64_t tick = high_bit(model_find(&model, 2, phase[p])) + at[a];
            model_low(&model, 0, tick, 9);
            model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 2, phase[p], 0);
            model_alarm(&model, PB_ALARM_CONTENTION, 0, tick + 10);
            model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 2, phase[p], 0);
        }
}

/* Each has a cause of its own: as many findings, each at its time. The first is at 2000 ticks. */
static void expect_glitches(uint32_t superframe, unsigned phase, int link, unsigned count)
{
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->findings_total, count);
    for (unsigned i = 0; i < count; i++) {
        const int64_t at_ps = (int64_t)((model.low[i].from - M_START) * 1000000 / 48);
        assert_finding(result, i, PB_FINDING_GLITCH, superframe, phase, link);
        assert_in_range(result->finding[i].time_ps, at_ps - 1, at_ps + 1);
    }
    pb_result_free(result);
}

/* Evenly spaced or not, equally long or not; 64 at most are told one by one. */
static void test_many_glitches_on_an_idle_line(void **state)
{
    (void)state;
    for (unsigned step = 60; step < 1000; step += 170)
        for (unsigned count = 3; count <= 64 && count * step < M_PHASE; count = 2 * count + 1) {
            model.lows = 0;
            for (unsigned i = 0; i < count; i++)
                model_low(&model, 2, model_at(8, 1) + 20 + step * i, 10 + step % 3 * i % 20);
            expect_glitches(8, 1, 2, count);
        }
    model.lows = 0;
    for (unsigned i = 0; i < 65; i++)
        model_low(&model, 2, model_at(8, 1) + 20 + 73 * i, 10);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 8, 1, 2);
}

/* A sender's bit has 48 ticks; 2.5 % of the bit and a tick in 5 bits less is 46.6. */
static void test_longest_glitch(void **state)
{
    (void)state;
    model_low(&model, 2, model_at(8, 1) + 2000, 45);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 8, 1, 2);
    model.low[0].to = model.low[0].from + 47;
    struct pb_result *result = model_judge(&model);
    assert_int_equal(model_count(result, PB_FINDING_GLITCH), 0);
    assert_int_equal(result->findings_total, 1);
    pb_result_free(result);
}

/* In the high bits of a frame, in the middle of each, at its begin and at its end, where the low before or
 * after it hides a part. */
static void test_many_glitches_in_a_frame(void **state)
{
    static const unsigned phase[] = {0, 1}, from[] = {20, 0, 40};
    (void)state;
    for (unsigned p = 0; p < COUNT(phase); p++)
        for (unsigned count = 3; count <= 9; count += 2) {
            const struct model_frame *frame = model_find(&model, 2, phase[p]);
            model.lows = 0;
            for (unsigned i = 0; i < count;
                 i++) { /* the first high bit of each byte, its stop bit at the latest */
                unsigned bit = 0;
                while (bit < 8 && !(frame->byte[i] >> bit & 1))
                    bit++;
                /* Only two at an edge: what is wrong at many edges is the frame. */
                model_low(&model, 0, frame->start + (10 * i + 1 + bit) * M_BIT + from[i < 2 ? 1 + i : 0], 8);
            }
            expect_glitches(2, phase[p], 0, count);
        }
}

/* ---- second senders */

static void test_contention(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < 2; phase++)
        for (unsigned ticks = 31; ticks <= 200; ticks += 13) {
            model.lows = 0;
            square_wave(0, model_at(2, phase) + 700, 3000 / (2 * ticks), ticks);
            model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_CONTENTION, 2, phase, 0);
        }
}

/* A square wave that happens to keep to the bits looks like other bytes, but for being lower only. */
static void test_contention_bit_by_bit(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < 2; phase++) {
        model.lows = 0;
        square_wave(0, model_find(&model, 2, phase)->start + 10 * M_BIT, 39, M_BIT);
        model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_CONTENTION, 2, phase, 0);
    }
}

/* Nor is it a row of glitches when its lows are shorter than half a bit. It may end within a low. */
static void test_contention_by_short_pulses(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < 2; phase++)
        for (unsigned ticks = 5; ticks < 31; ticks += 3) {
            model.lows = 0;
            square_wave(0, model_at(2, phase) + 700, 1500 / ticks, ticks);
            model.low[model.lows - 1].to -= 2;
            model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_CONTENTION, 2, phase, 0);
        }
}

/* Pulses of half a bit just beside the samples change no byte; where the receiver saw the last edge of each,
 * it is off by what is no baud. */
static void test_contention_beside_the_samples(void **state)
{
    (void)state;
    const struct model_frame *frame = model_find(&model, 2, 1);
    for (unsigned late = 26; late < 40; late += 2) {
        model.lows = 0;
        square_wave(0, frame->start + 9 * M_BIT + late, 40, 24);
        struct pb_result *result = model_judge(&model);
        assert_int_equal(model_count(result, PB_FINDING_BAUD), 0);
        assert_finding(result, 0, PB_FINDING_CONTENTION, 2, 1, 0);
        assert_int_equal(result->findings_total, 1);
        pb_result_free(result);
    }
}

/* What a receiver measures is worth something where all edges are the frame's: each byte 4 % fast, and the
 * next one in its place all the same. */
static void test_baud_by_the_receiver(void **state)
{
    (void)state;
    struct model_frame *frame = model_find(&model, 2, 1);
    const struct model_frame good = *frame;
    for (unsigned i = 0; i < M_BYTES; i++) {
        struct model_frame *piece = i ? &model.frame[model.frames++] : frame;
        *piece = good;
        piece->start = good.start + (uint64_t)10 * M_BIT * i;
        piece->bit_q8 = 12288 - 492;
        piece->count = 1;
        piece->byte[0] = good.byte[i];
    }
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BAUD, 2, 1, 0);
}

static void test_contention_alarm(void **state)
{
    (void)state;
    model_alarm(&model, PB_ALARM_CONTENTION, 0, model_at(2, 0) + 900);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_CONTENTION, 2, 0, 0);
}

static void test_outside_and_babble(void **state)
{
    (void)state;
    add_frame(8, 3, 0, 5); /* phase 3 is that of another dimension */
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BABBLE, 8, 3, 0);
    model_alarm(&model, PB_ALARM_OUTSIDE_PHASE, 0, model_at(8, 3) + M_HEAD + 40);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_OUTSIDE, 8, 3, 0);
    model.frame[model.frames - 1].count = M_BYTES; /* as long as a frame is */
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_OUTSIDE, 8, 3, 0);
    /* In the phase in which the node may send, but has nothing to send: 9 bytes are a frame too many, 10
     * babble. */
    model.extras = 0;
    model.frame[model.frames - 1].start = model_at(8, 1) + 10;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_UNEXPECTED, 8, 1, 0);
    model.frame[model.frames - 1].count = M_BYTES + 1;
    model.frame[model.frames - 1].byte[M_BYTES] = 0xFF; /* lets the line go early */
    model.frame[model.frames - 1].start = model_at(8, 1);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BABBLE, 8, 1, 0);
    /* An alarm alone. */
    model.frames--;
    model_alarm(&model, PB_ALARM_OUTSIDE_PHASE, 0, model_at(8, 3) + 1000);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_OUTSIDE, 8, 3, 0);
}

/* ---- guards */

static void test_guard_alarms(void **state)
{
    (void)state;
    model_alarm(&model, PB_ALARM_GUARD, 0, model_at(8, 1) + 120);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_EARLY, 8, 1, 0);
    model.extra[0].tick = model_at(8, 1) + 4700;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_OVERRUN, 8, 1, 0);
    /* The edges were judged: 3 ticks before the end of the head guard are allowed. */
    model_find(&model, 2, 1)->start = model_at(2, 1) + 237;
    model.extra[0].tick = model_at(2, 1) + 290;
    model_expect_clean(&model);
    /* An alarm about the guard at the end of a phase may be stamped in the next one. */
    model.extra[0].tick = model_at(2, 2) + 40;
    model_expect_clean(&model);
    /* One finding for a start 1 us too early, not two. */
    model_find(&model, 2, 1)->start = model_at(2, 1) + 187;
    model.extra[0].tick = model_at(2, 1) + 190;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_EARLY, 2, 1, 0);
}

/* ---- shorts */

static void test_short(void **state)
{
    (void)state;
    const uint64_t from[] = {model_at(2, 0), model_at(2, 0) + 1500};
    for (unsigned i = 0; i < COUNT(from); i++) {
        model.joins = 0;
        model_join(&model, 1, 0, from[i], model_at(2, 1));
        model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_SHORT, 2, 0, 1);
        struct pb_result *result = model_judge(&model);
        assert_non_null(strstr(result->finding[0].seen, "link 1"));
        assert_non_null(strstr(result->finding[0].seen, "link 0"));
        pb_result_free(result);
    }
    /* A short that the bench makes passes through it, which takes a few ticks; a quarter of a bit it does not
     * take. */
    model.joins = 0;
    add_frame(2, 0, 1, M_BYTES);
    struct model_frame *twin = &model.frame[model.frames - 1];
    memcpy(twin->byte, model_find(&model, 2, 0)->byte, M_BYTES);
    twin->start = model_find(&model, 2, 0)->start + 7;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_SHORT, 2, 0, 1);
    twin->start += 6;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BABBLE, 2, 0, 1);
    model.frames--;
    /* Not by chance: another frame that starts at the same instant. */
    model.joins = 0;
    add_frame(2, 0, 1, 4);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BABBLE, 2, 0, 1);
}

/* ---- slow rise */

static void expect_delay(double ns)
{
    struct pb_result *result = model_judge(&model);
    double told = 0;
    assert_true(result->findings > 0);
    assert_int_equal(sscanf(result->finding[0].seen, "it rises %lf ns late", &told), 1);
    if (told < ns - 21 || told > ns + 21) /* a tick */
        fail_msg("%f ns, not %f", told, ns);
    pb_result_free(result);
}

/* A tick is 20.8 ns, and so is the uncertainty; a quarter of a bit is 12 ticks, half a bit 24; later than a
 * bit, a high bit between two low ones is swallowed. */
static void test_slow_rise(void **state)
{
    static const struct {
        unsigned ticks;
        enum pb_verdict verdict;
    } delay[] = {{2, PB_VERDICT_MARGINAL}, {5, PB_VERDICT_MARGINAL}, {11, PB_VERDICT_MARGINAL},
                 {13, PB_VERDICT_FAIL},    {22, PB_VERDICT_FAIL},    {30, PB_VERDICT_FAIL},
                 {46, PB_VERDICT_FAIL},    {60, PB_VERDICT_FAIL}};
    (void)state;
    for (unsigned phase = 0; phase < 2; phase++) {
        model.slows = 0;
        model_slow(&model, 0, model_at(2, phase), model_at(2, phase + 1), 1);
        model_expect_clean(&model);
        for (unsigned i = 0; i < COUNT(delay); i++) {
            model.slow_delay[0] = delay[i].ticks;
            /* Who sent the frame answers for it; the last rise of such a line may also reach into the tail
             * guard. */
            struct pb_result *result = model_judge(&model);
            assert_finding(result, 0, PB_FINDING_SLOW_RISE, 2, phase, 0);
            assert_verdict(result, !phase && delay[i].verdict == PB_VERDICT_FAIL ? PB_VERDICT_INCONCLUSIVE
                                                                                 : delay[i].verdict);
            assert_int_equal(result->findings_total, 1 + model_count(result, PB_FINDING_OVERRUN));
            pb_result_free(result);
            expect_delay(delay[i].ticks * 1000.0 / 48);
        }
    }
}

/* A node with a slow clock falls late, too. */
static void test_slow_clock_is_no_slow_rise(void **state)
{
    (void)state;
    for (unsigned i = 0; i < model.frames; i++)
        if (!model.frame[i].bench)
            model.frame[i].bit_q8 = 12288 + 50;
    model_expect_clean(&model);
}

/* ---- frames of the bench */

static void expect_bench(enum pb_finding_kind kind)
{
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, kind, 2, 0, 0);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->finding[0].sender, PB_SENDER_BENCH);
    pb_result_free(result);
}

static void test_wrong_frames_of_the_bench(void **state)
{
    (void)state;
    struct model_frame *frame = model_find(&model, 2, 0);
    const struct model_frame good = *frame;
    frame->byte[4] ^= 0xFF;
    expect_bench(PB_FINDING_WRONG_BYTES);
    /* A clean frame is the sender's, even when only ones became zeros. */
    *frame = good;
    frame->byte[4] &= (uint8_t)(frame->byte[4] - 1);
    expect_bench(PB_FINDING_WRONG_BYTES);
    *frame = good;
    frame->last_stop_low = true; /* to 95 us: to the tail guard, too */
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_finding(result, 0, PB_FINDING_FRAMING, 2, 0, 0);
    assert_finding(result, 1, PB_FINDING_OVERRUN, 2, 0, 0);
    assert_int_equal(result->findings_total, 2);
    pb_result_free(result);
    static const int bit_q8[] = {-1229, -369, -123, 37}; /* -10, -3, -1, +0.3 % */
    for (unsigned i = 0; i < COUNT(bit_q8); i++) {
        *frame = good;
        frame->bit_q8 = (unsigned)(12288 + bit_q8[i]);
        expect_bench(PB_FINDING_BAUD);
    }
    *frame = good;
    frame->start -= 2 * M_US;
    expect_bench(PB_FINDING_EARLY);
    *frame = good;
    frame->start += 20;
    expect_bench(PB_FINDING_LATE);
    *frame = good;
    frame->absent = true;
    expect_bench(PB_FINDING_STIMULUS);
}

static void test_wrong_frames_of_the_node(void **state)
{
    (void)state;
    struct model_frame *frame = model_find(&model, 2, 1);
    const struct model_frame good = *frame;
    frame->byte[4] ^= 0xFF;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 2, 1, 0);
    *frame = good;
    frame->byte[4] &= (uint8_t)(frame->byte[4] - 1);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 2, 1, 0);
    /* As regular as a second sender that keeps to the bits: each second of five bits. Three do not tell. */
    *frame = good;
    unsigned at = 0, shift = 0;
    for (unsigned i = 0; i < 4 * M_BYTES && (frame->byte[at] & 0x15u << shift) != 0x15u << shift; i++) {
        at = i / 4;
        shift = i % 4;
    }
    frame->byte[at] &= (uint8_t) ~(0x15u << shift);
    assert_memory_not_equal(frame->byte, good.byte, M_BYTES);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_WRONG_BYTES, 2, 1, 0);
    *frame = good;
    frame->bit_q8 = 12288 - 614; /* 5 % fast */
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_BAUD, 2, 1, 0);
    *frame = good;
    frame->absent = true;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_MISSING, 2, 1, 0);
    /* The last frame of the run, and the last phase. */
    *frame = good;
    model_find(&model, M_BUSY - 1, 5)->absent = true;
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_MISSING, M_BUSY - 1, 5, 2);
    model_find(&model, M_BUSY - 1, 5)->absent = false;
    model_low(&model, 0, model_at(9, 5) + 4000, 10);
    model_expect_one(&model, PB_VERDICT_FAIL, PB_FINDING_GLITCH, 9, 5, 0);
}

/* The node goes on after its frame. */
static void test_frame_with_more_bytes(void **state)
{
    (void)state;
    struct model_frame *frame = model_find(&model, 2, 1);
    frame->byte[frame->count++] = 0xFF;
    struct pb_result *result = model_judge(&model);
    assert_finding(result, 0, PB_FINDING_BABBLE, 2, 1, 0);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(model_count(result, PB_FINDING_BABBLE), 1);
    pb_result_free(result);
}

static void test_watchdog(void **state)
{
    (void)state;
    model_event(&model, PB_EVENT_ALARM, 63, model_at(9, 5), PB_ALARM_WATCHDOG);
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->finding[0].kind, PB_FINDING_WATCHDOG);
    assert_int_equal(result->findings_total, 1);
    assert_int_equal(result->alarms, 1);
    pb_result_free(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_clean),
        TEST(test_clean_at_the_limits),
        TEST(test_stuck),
        TEST(test_stuck_once_per_phase),
        TEST(test_stuck_alarm),
        TEST(test_glitch_on_an_idle_line),
        TEST(test_glitch_in_a_frame),
        TEST(test_many_glitches_on_an_idle_line),
        TEST(test_longest_glitch),
        TEST(test_many_glitches_in_a_frame),
        TEST(test_contention),
        TEST(test_contention_bit_by_bit),
        TEST(test_contention_by_short_pulses),
        TEST(test_contention_beside_the_samples),
        TEST(test_baud_by_the_receiver),
        TEST(test_contention_alarm),
        TEST(test_outside_and_babble),
        TEST(test_guard_alarms),
        TEST(test_short),
        TEST(test_slow_rise),
        TEST(test_slow_clock_is_no_slow_rise),
        TEST(test_wrong_frames_of_the_bench),
        TEST(test_wrong_frames_of_the_node),
        TEST(test_frame_with_more_bytes),
        TEST(test_watchdog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
