/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sentences about one frame on a line: start, bits, clock, codec, drive; and how often a model is called.
 */
#include "tests/bench/unit/node_sentence.h"

#include <math.h>

/* ---- one message to the neighbour on dimension 0, in phase 1 */

struct sending {
    struct pb_node_config config;
    int64_t period, shift;
};

static struct sending sending(void)
{
    return (struct sending){config_of(0x2A3), PERIOD, 0};
}

/* A clock that is fast by e makes guard and bits short by e / (1 + e). */
static void sends(const struct node_kind *kind, const struct sending *setting)
{
    const struct pb_node_config *config = &setting->config;
    const unsigned length = config->payload_bytes + 3;
    const double rate = 1 + config->clock_ppm / 1e6, bit = 1e12 / config->baud_hz / rate;
    const int64_t bit_ps = (int64_t)bit;
    struct decoded decoded;
    uint8_t frame[100];
    char line[200] = "S 2A2 ";
    make_frame(frame, 0x2A2, 0, config->payload_bytes, 0x55, 37);
    for (unsigned i = 0; i < config->payload_bytes; i++)
        sprintf(line + 6 + 2 * i, i % 2 ? "%02x" : "%02X", frame[2 + i]);
    pins_open(&pins, kind, config);
    asks(line, "+S 0");
    const int64_t first = pins.now + 10 * config->irq_latency_ps + MS + setting->shift;
    pins_phases(&pins, first, setting->period, 24, 5);
    pins_run(&pins, first + 5 * setting->period);
    decode_uart(&pins, (struct probe){0, 0}, bit_ps, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, length);
    assert_int_equal(decoded.framing_errors, 0);
    assert_memory_equal(decoded.byte, frame, length);

    const int64_t start = decoded.start[0], guard = (int64_t)((double)config->head_guard_ps / rate);
    const int64_t after = start - first - setting->period;
    const int64_t most = guard + (int64_t)((double)odd_late(kind, config, bit_ps) / rate) + 2;
    if (after < guard - kind->off_ps - 2 || after > most)
        fail_msg("starts %.6f us after the edge, not %.6f to %.6f", (double)after / 1e6, (double)guard / 1e6,
                 (double)most / 1e6);
    for (size_t i = 1; i < pins.samples; i++) {
        const struct sample *now = &pins.sample[i];
        if (now->pull[0] == now[-1].pull[0])
            continue;
        const double at = (double)(now->ps - start), off = fabs(at - round(at / bit) * bit);
        const bool odd = kind->off_part && config->baud_hz != 1000000;
        const double part = odd ? at / (double)kind->off_part + (double)kind->odd_off_ps : 0;
        assert_true(now->pull[0] <= 1); /* on this link alone */
        assert_true(now->ps >= start && at < 10 * length * bit + bit);
        if (off > (double)kind->off_ps + part + 1)
            fail_msg("%u Bd, %d ppm: an edge after %.3f bits", config->baud_hz, config->clock_ppm, at / bit);
    }
    counts(kind, "late_starts", 0);
    counts(kind, "tx_frames", 1);
    close_node(kind);
}

void starts_the_head_guard_after_the_edge(const struct node_kind *kind)
{
    for (unsigned seed = 0; seed < 5; seed++) {
        struct sending setting = sending();
        setting.config.seed = seed;
        setting.shift = seed * 1777;
        sends(kind, &setting);
    }
}

void keeps_any_head_guard(const struct node_kind *kind)
{
    static const int64_t guards[] = {100000, 2500000, 2507000, 3500000, 5021000, 7008000, 14024000, 40000000};
    for (size_t i = 0; i < COUNT(guards); i++) {
        struct sending setting = sending();
        setting.config.head_guard_ps = guards[i];
        setting.period = 150 * US;
        if (guards[i] >= kind->guard_ps)
            sends(kind, &setting);
    }
}

/* 83 bytes are more than the FIFO of any MCU. */
void sends_frames_of_any_length(const struct node_kind *kind)
{
    for (unsigned payload = 0; payload <= 80; payload += 1 + payload / 2 + (payload == 74)) {
        struct sending setting = sending();
        setting.config.payload_bytes = payload;
        setting.config.phase_rate_mhz = 1000000;
        setting.period = MS;
        sends(kind, &setting);
    }
}

void bits_follow_the_clock_of_the_node(const struct node_kind *kind)
{
    static const uint32_t bauds[] = {1000000, 921600, 500000, 460800, 250000, 115200, 9600, 2900000};
    static const int32_t ppms[] = {0, 300, -250, 5000, -5000, 10000, -10000, 20000, -20000};
    for (size_t b = 0; b < COUNT(bauds); b++)
        for (size_t p = 0; p < COUNT(ppms); p++) {
            const int32_t most_ppm = kind->bit & KIND_RP2040 ? 5000 : kind->bit & KIND_AG32 ? 10000 : 20000;
            struct sending setting = sending();
            if (bauds[b] > kind->most_baud || ppms[p] > most_ppm || -ppms[p] > most_ppm ||
                (kind->slow && b && p))
                continue;
            setting.config.baud_hz = bauds[b];
            setting.config.clock_ppm = ppms[p];
            setting.period = 120 * INT64_C(1000000000000) / bauds[b] + 20 * US;
            setting.config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / setting.period);
            sends(kind, &setting);
        }
}

/* The time of the handler up to the guard is not seen. */
void latency_within_the_guard_is_invisible(const struct node_kind *kind)
{
    for (int64_t latency = US; latency <= 4 * US; latency += US) {
        struct sending setting = sending();
        setting.config.irq_latency_ps = latency;
        setting.config.irq_jitter_ps = latency / 4;
        sends(kind, &setting);
    }
}

/* Start of the frame to 0x91C in phase 1 of a node with this configuration, which counts it as late. */
static int64_t late_start(const struct node_kind *kind, const struct pb_node_config *config)
{
    pins_open(&pins, kind, config);
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    struct decoded decoded;
    decode_uart(&pins, (struct probe){0, 0}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, frame_to(0x91C), 9);
    const int64_t after = decoded.start[0] - phase_at(0, 1);
    counts(kind, "late_starts", 1);
    close_node(kind);
    return after;
}

/* The guard is shorter than the path to the start, or the stated latency longer than the guard. */
void late_starts_are_counted(const struct node_kind *kind)
{
    int64_t earliest = INT64_MAX, latest = 0;
    struct pb_node_config config = config_of(0x2A3);
    if (kind->reaction_ps) {
        config.head_guard_ps = kind->bit & KIND_REF ? 0 : US;
        assert_in_range(late_start(kind, &config), config.head_guard_ps, kind->reaction_ps);
        return;
    }
    config.irq_latency_ps = 6 * US;
    config.irq_jitter_ps = 2 * US;
    for (config.seed = 0; config.seed < 20; config.seed++) {
        const int64_t after = late_start(kind, &config);
        assert_in_range(after, 6 * US, 8 * US + late(kind, BIT));
        earliest = after < earliest ? after : earliest;
        latest = after > latest ? after : latest;
    }
    assert_true(latest - earliest > US); /* the jitter is there */
}

/* A line whose stop bit ends from 25 us before an edge to 5 us after it, each in another superframe: whether
 * its message leaves in that phase or in the next one of the dimension, it starts in time. */
void a_console_line_at_the_edge_delays_no_start(const struct node_kind *kind)
{
    enum { ROUNDS = 120, LINE_BITS = 180 };
    unsigned sent = 0;
    open_small(kind, 0x3);
    const int64_t first = first_edge(), superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 8 * (ROUNDS + 2));
    for (int64_t i = 0; i < ROUNDS; i++)
        pins_uart(&pins, PIN_UART0_RX,
                  first + i * superframe + PERIOD + (i - 100) * US / 4 - LINE_BITS * US, US,
                  "S C 010203040506\n", 17);
    pins_run(&pins, first + (ROUNDS + 2) * superframe);
    int64_t last = 0;
    for (size_t i = 1; i < pins.samples; i++) {
        const int64_t ps = pins.sample[i].ps, after = (ps - first) % superframe - PERIOD;
        if (!(pins.sample[i].pull[0] & 1) || ps - last < PERIOD)
            continue;
        last = ps;
        sent++;
        if (after < GUARD - kind->off_ps || after > GUARD + late(kind, BIT))
            fail_msg("frame %u starts %.3f us after the edge", sent, (double)after / 1e6);
    }
    assert_int_equal(sent, ROUNDS);
    counts(kind, "late_starts", 0);
    close_node(kind);
}

/* ---- codec, drive, calls */

/* CRC-16/CCITT-FALSE of 00 04 1C 09 01 02, by binascii.crc_hqx of Python. */
void sends_starc_frames(const struct node_kind *kind)
{
    static const uint8_t frame[] = {0xAA, 0x00, 0x04, 0x1C, 0x09, 0x01, 0x02, 0x5E, 0x61};
    struct pb_node_config config = config_of(0x2A3);
    struct decoded decoded;
    config.codec = PB_NODE_CODEC_STARC;
    config.payload_bytes = 2;
    pins_open(&pins, kind, &config);
    asks("S 91C 0102", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    decode_uart(&pins, (struct probe){0, 0}, BIT, phase_at(0, 1), phase_at(0, 2), &decoded);
    assert_int_equal(decoded.length, sizeof frame);
    assert_memory_equal(decoded.byte, frame, sizeof frame);
    close_node(kind);
}

/* Driven high from the start of the frame to the end of its last stop bit, and never against a pull. */
void push_pull_drives_while_it_sends(const struct node_kind *kind)
{
    struct pb_node_config config = config_of(0x2A3);
    config.push_pull = true;
    config.irq_latency_ps = US;
    pins_open(&pins, kind, &config);
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    const int64_t start = next_fall(&pins, (struct probe){0, 0}, first_edge());
    for (size_t i = 0; i < pins.samples; i++) {
        const struct sample *sample = &pins.sample[i];
        const bool sending = sample->ps >= start && sample->ps < start + 90 * BIT;
        assert_int_equal(sample->high[0] | sample->pull[0], sending ? 1 : 0);
    }
    close_node(kind);
}

/* The next sample, from i on, in which the outputs change. */
static size_t next_change(const struct pins *of, size_t i)
{
    while (i < of->samples && of->sample[i].pull[0] == of->sample[i - 1].pull[0] &&
           of->sample[i].uart0_tx[0] == of->sample[i - 1].uart0_tx[0])
        i++;
    return i;
}

void more_calls_change_nothing(const struct node_kind *kind)
{
    const int64_t step = kind->bit & (KIND_PROCESS | KIND_LIBRARY) ? 50001 : 3333;
    struct pins plain;
    for (int often = 0; often < 2; often++) {
        open_at(kind, 0x2A3);
        asks("S 91C 010203040506", "+S 0");
        pins_phases(&pins, first_edge(), PERIOD, 24, 4);
        for (int64_t at = first_edge(); often && at < first_edge() + 4 * PERIOD; at += step)
            pins_run(&pins, at);
        pins_run(&pins, first_edge() + 4 * PERIOD);
        if (!often)
            plain = pins;
    }
    assert_true(pins.calls > plain.calls + 3000);
    size_t one = next_change(&plain, 1), other = next_change(&pins, 1), changes = 0;
    for (; one < plain.samples && other < pins.samples; changes++) {
        const struct sample *a = &plain.sample[one], *b = &pins.sample[other];
        assert_int_equal(b->ps, a->ps);
        assert_int_equal(b->pull[0], a->pull[0]);
        assert_int_equal(b->uart0_tx[0], a->uart0_tx[0]);
        one = next_change(&plain, one + 1);
        other = next_change(&pins, other + 1);
    }
    assert_true(one == plain.samples && other == pins.samples && changes > 50);
    pins_free(&plain);
    close_node(kind);
}

/* The start of the phase clock restarts the node's clocks, at an offset of its seed, which images show: all
 * that follows is the same. */
void a_run_does_not_depend_on_its_start(const struct node_kind *kind)
{
    enum { SEEDS = 3 };
    int64_t first[SEEDS] = {0};
    for (int64_t shift = 0; shift < 40000; shift += 7001)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            struct pb_node_config config = config_of(0x2A3);
            config.seed = seed;
            config.baud_hz = 921600; /* a divisor with a fraction */
            pins_open(&pins, kind, &config);
            asks("S 91C 010203040506", "+S 0");
            const int64_t begin = first_edge() + shift;
            pins_run(&pins, begin);
            pins.node[0]->ops->align(pins.node[0], begin);
            pins_phases(&pins, begin, 110 * US, 24, 3);
            pins_run(&pins, begin + 330 * US);
            const int64_t start = next_fall(&pins, (struct probe){0, 0}, begin) - begin;
            if (shift == 0)
                first[seed] = start;
            assert_int_equal(start, first[seed]);
            close_node(kind);
        }
    assert_true(!(kind->bit & IMAGES) || first[0] != first[1] || first[1] != first[2]);
}

/* An idle node asks for no call: there is one for each edge of TDMA_CLK, and with a latency for its
 * handler. */
void few_calls(const struct node_kind *kind)
{
    struct pb_node_config config = config_of(0x2A3);
    config.irq_latency_ps = kind->bit & KIND_CONTRACT ? US : 0;
    pins_open(&pins, kind, &config);
    const uint64_t calls = pins.calls, edges = kind->bit & KIND_CONTRACT ? 3 : 2;
    pins_phases(&pins, first_edge(), PERIOD, 24, 2400);
    pins_run(&pins, phase_at(100, 0));
    assert_in_range(pins.calls - calls, edges * 2400, edges * 2400 + 10);
    close_node(kind);
}

void refuses_what_it_cannot_be(const struct node_kind *kind)
{
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        struct pb_node_config config = config_of(0x2A3);                                                     \
        change;                                                                                              \
        assert_null(kind->make(&config));                                                                    \
    } while (0)
    REFUSED(config.digits = 0);
    REFUSED(config.digits = 13);
    REFUSED(config.address = 0x1000);
    REFUSED(config.payload_bytes = 81);
    REFUSED((config.codec = PB_NODE_CODEC_STARC, config.payload_bytes = 79));
    REFUSED(config.baud_hz = 0);
    REFUSED(config.baud_hz = 12000001);
    REFUSED(config.console_baud_hz = 0);
    REFUSED(config.console_baud_hz = 12000001);
    REFUSED(config.head_guard_ps = -1);
    REFUSED(config.clock_ppm = 100001);
    if (kind->bit & KIND_REF)
        return;
    REFUSED(config.phase_rate_mhz = 999);
    REFUSED(config.irq_latency_ps = -1);
    REFUSED(config.irq_jitter_ps = -1);
#undef REFUSED
}
