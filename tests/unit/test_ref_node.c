/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reference node at its pins, against docs/node.md. The bench side here is a list of timed pin changes
 * and a record of timed output changes; bytes are read off the record as a logic analyser would.
 *
 * evidence: reference node
 *   simulated in Icarus and Verilator
 *   also: make rtl-check
 */
#include "bench/nodes/node.h"
#include "tests/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000000)
#define NODE_CLOCK_PS INT64_C(62500)
#define EVENTS_MAX 60000

enum pin { TDMA_CLK, TDMA_SYNC, NRST, UART0_RX, LINK0 };

struct event {
    int64_t at_ps;
    int order; /* of the call, to keep simultaneous events in order */
    enum pin pin;
    bool level;
};
struct change {
    int64_t at_ps;
    struct pb_node_outputs out;
};

struct rig {
    struct pb_node_config config;
    struct pb_node *node;
    int64_t now_ps, phase_ps;
    struct event event[EVENTS_MAX];
    size_t events, next_event;
    struct change change[EVENTS_MAX];
    size_t changes;
    uint16_t peer_low; /* lines that the bench pulls */
    struct pb_node_inputs in;
    struct pb_node_outputs out;
    int64_t nuisance_ps; /* extra calls at this distance; 0: none */
};

static const struct pb_node_config default_config = {
    .address = 5,
    PB_NODE_CUBE(4),
    .rule = PB_NODE_ECUBE,
    .codec = PB_NODE_CODEC_SLOT,
    .payload_bytes = 6,
    .phase_rate_mhz = 10000000,
    .baud_hz = 1000000,
    .console_baud_hz = 1000000,
    .head_guard_ps = 5 * US,
    .seed = 1,
};

static struct rig *open_rig(const struct pb_node_config *config)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->config = *config;
    rig->phase_ps = 100 * US;
    rig->node = pb_node_ref_create(config);
    assert_non_null(rig->node);
    rig->in = (struct pb_node_inputs){.line = 0xFFFF, .nrst = true, .uart0_rx = true};
    rig->out.uart0_tx = true;
    return rig;
}

static void close_rig(struct rig *rig)
{
    pb_node_destroy(rig->node);
    free(rig);
}

static void at(struct rig *rig, int64_t at_ps, enum pin pin, bool level)
{
    assert_true(rig->events < EVENTS_MAX);
    rig->event[rig->events] = (struct event){at_ps, (int)rig->events, pin, level};
    rig->events++;
}

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void apply(struct rig *rig, const struct event *event)
{
    switch (event->pin) {
    case TDMA_CLK:
        rig->in.tdma_clk = event->level;
        break;
    case TDMA_SYNC:
        rig->in.tdma_sync = event->level;
        break;
    case NRST:
        rig->in.nrst = event->level;
        break;
    case UART0_RX:
        rig->in.uart0_rx = event->level;
        break;
    default: {
        const uint16_t mask = (uint16_t)(1u << (event->pin - LINK0));
        rig->peer_low = event->level ? rig->peer_low & (uint16_t)~mask : rig->peer_low | mask;
    }
    }
}

static void run(struct rig *rig, int64_t end_ps)
{
    qsort(rig->event + rig->next_event, rig->events - rig->next_event, sizeof *rig->event, by_time);
    while (rig->now_ps < end_ps) {
        struct pb_node_outputs out;
        while (rig->next_event < rig->events && rig->event[rig->next_event].at_ps <= rig->now_ps)
            apply(rig, &rig->event[rig->next_event++]);
        rig->in.line = (uint16_t) ~(rig->peer_low | rig->out.pull_low);
        const int64_t next_ps = rig->node->ops->advance(rig->node, rig->now_ps, &rig->in, &out);
        assert_true(next_ps > rig->now_ps);
        assert_int_equal(out.drive_high, 0);
        assert_int_equal(out.pull_low & (out.pull_low - 1), 0);
        if (out.pull_low != rig->out.pull_low || out.uart0_tx != rig->out.uart0_tx) {
            assert_true(rig->changes < EVENTS_MAX);
            rig->change[rig->changes++] = (struct change){rig->now_ps, out};
            rig->out = out;
            continue; /* the lines have changed with the outputs */
        }
        if (rig->nuisance_ps && rig->now_ps + rig->nuisance_ps < next_ps)
            rig->now_ps += rig->nuisance_ps;
        else
            rig->now_ps = next_ps;
        if (rig->next_event < rig->events && rig->event[rig->next_event].at_ps < rig->now_ps)
            rig->now_ps = rig->event[rig->next_event].at_ps;
    }
}

/* ---- stimulus */

static void character(struct rig *rig, int64_t start_ps, enum pin pin, uint8_t value, int64_t bit_ps)
{
    at(rig, start_ps, pin, false);
    for (int b = 0; b < 8; b++)
        at(rig, start_ps + (1 + b) * bit_ps, pin, value >> b & 1);
    at(rig, start_ps + 9 * bit_ps, pin, true);
}

static void type(struct rig *rig, int64_t start_ps, const char *text)
{
    const int64_t bit_ps = INT64_C(1000000000000) / rig->config.console_baud_hz;
    for (size_t i = 0; text[i]; i++)
        character(rig, start_ps + (int64_t)(10 * i) * bit_ps, UART0_RX, (uint8_t)text[i], bit_ps);
}

static void talk(struct rig *rig, int64_t start_ps, unsigned dimension, const uint8_t *bytes, size_t count,
                 int64_t bit_ps)
{
    for (size_t i = 0; i < count; i++)
        character(rig, start_ps + (int64_t)(10 * i) * bit_ps, (enum pin)(LINK0 + dimension), bytes[i],
                  bit_ps);
}

/* Edge number n comes at (n + 1) * phase_ps; SYNC is high through the phases n with n % period == 0. */
static int64_t edge_ps(const struct rig *rig, unsigned n)
{
    return (int64_t)(n + 1) * rig->phase_ps;
}

static void tdma(struct rig *rig, unsigned first, unsigned count)
{
    const unsigned period = 2 * rig->config.digits;
    for (unsigned n = first; n < first + count; n++) {
        at(rig, edge_ps(rig, n), TDMA_SYNC, n % period == 0);
        at(rig, edge_ps(rig, n), TDMA_CLK, true);
        at(rig, edge_ps(rig, n) + rig->phase_ps / 2, TDMA_CLK, false);
    }
}

/* ---- reading the record */

static struct pb_node_outputs outputs_at(const struct rig *rig, int64_t at_ps)
{
    struct pb_node_outputs out = {.uart0_tx = true};
    size_t low = 0, high = rig->changes;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (rig->change[middle].at_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? rig->change[low - 1].out : out;
}

static int64_t first_pull(const struct rig *rig, int64_t from_ps, int64_t to_ps)
{
    for (size_t i = 0; i < rig->changes; i++)
        if (rig->change[i].at_ps >= from_ps && rig->change[i].at_ps < to_ps && rig->change[i].out.pull_low)
            return rig->change[i].at_ps;
    return -1;
}

/* Contiguous bytes from start_ps on one link; the stop bits are asserted. */
static void read_link(const struct rig *rig, int64_t start_ps, unsigned dimension, uint8_t *bytes,
                      size_t count, int64_t bit_ps)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t middle = start_ps + (int64_t)(10 * i) * bit_ps + bit_ps / 2;
        assert_int_equal(outputs_at(rig, middle).pull_low, 1u << dimension);
        bytes[i] = 0;
        for (int b = 0; b < 8; b++)
            if (outputs_at(rig, middle + (1 + b) * bit_ps).pull_low == 0)
                bytes[i] |= (uint8_t)(1u << b);
        assert_int_equal(outputs_at(rig, middle + 9 * bit_ps).pull_low, 0);
    }
}

/* All that UART0 said since the beginning. */
static void read_console(const struct rig *rig, char *text, size_t size)
{
    const int64_t bit_ps = INT64_C(1000000000000) / rig->config.console_baud_hz;
    int64_t busy_until = 0;
    size_t length = 0;
    for (size_t i = 0; i < rig->changes; i++) {
        const int64_t start = rig->change[i].at_ps;
        if (rig->change[i].out.uart0_tx || start < busy_until)
            continue;
        if (i > 0 && !rig->change[i - 1].out.uart0_tx)
            continue; /* a link changed, not UART0 */
        char value = 0;
        for (int b = 0; b < 8; b++)
            if (outputs_at(rig, start + bit_ps / 2 + (1 + b) * bit_ps).uart0_tx)
                value = (char)(value | 1 << b);
        assert_true(outputs_at(rig, start + bit_ps / 2 + 9 * bit_ps).uart0_tx);
        busy_until = start + 9 * bit_ps + bit_ps / 2;
        assert_true(length + 1 < size);
        text[length++] = value;
    }
    text[length] = '\0';
}

static void assert_console(const struct rig *rig, const char *expected)
{
    char text[1000];
    read_console(rig, text, sizeof text);
    assert_string_equal(text, expected);
}

/* ---- frames */

/* Bit-serial shift register over the bit stream, augmented with eight zero bits. */
static uint8_t crc8(const uint8_t *bytes, size_t count)
{
    unsigned remainder = 0;
    for (size_t i = 0; i < 8 * (count + 1); i++) {
        const unsigned bit = i < 8 * count ? bytes[i / 8] >> (7 - i % 8) & 1u : 0u;
        remainder = remainder << 1 | bit;
        if (remainder & 0x100)
            remainder ^= 0x107;
    }
    return (uint8_t)remainder;
}

static size_t make_frame(uint8_t *frame, unsigned destination, unsigned sequence, unsigned payload_bytes,
                         uint8_t first)
{
    frame[0] = (uint8_t)destination;
    frame[1] = (uint8_t)(sequence << 4 | destination >> 8);
    for (unsigned i = 0; i < payload_bytes; i++)
        frame[2 + i] = (uint8_t)(first + 37 * i);
    frame[2 + payload_bytes] = crc8(frame, 2 + payload_bytes);
    return payload_bytes + 3;
}

/* Has the console queue what a frame made by make_frame carries: six bytes of payload. */
static void type_message(struct rig *rig, int64_t start_ps, unsigned destination, const uint8_t *frame)
{
    type(rig, start_ps,
         formatted("S %X %02x%02X%02x%02X%02x%02X\n", destination, frame[2], frame[3], frame[4], frame[5],
                   frame[6], frame[7]));
}

/* The frame starts in the window after the edge and reads as expected; nothing else happens in the phase. */
static void assert_sent(const struct rig *rig, unsigned edge, unsigned dimension, const uint8_t *frame,
                        size_t length)
{
    uint8_t bytes[100];
    const int64_t edge_at = edge_ps(rig, edge);
    const int64_t start = first_pull(rig, edge_at, edge_at + rig->phase_ps);
    const int64_t earliest = edge_at + rig->config.head_guard_ps;
    const int64_t bit_ps = INT64_C(1000000000000) / rig->config.baud_hz;
    /* a fast clock counts the guard short by its error */
    assert_in_range(start, earliest - rig->config.head_guard_ps / 1000000 * labs(rig->config.clock_ppm),
                    earliest + 3 * NODE_CLOCK_PS);
    read_link(rig, start, dimension, bytes, length, bit_ps);
    assert_memory_equal(bytes, frame, length);
    assert_int_equal(first_pull(rig, start + (int64_t)(10 * length) * bit_ps, edge_at + rig->phase_ps), -1);
}

static void assert_silent(const struct rig *rig, unsigned first, unsigned count)
{
    assert_int_equal(first_pull(rig, edge_ps(rig, first), edge_ps(rig, first + count)), -1);
}

/* ---- tests */

TEST(crc_of_the_tests_is_right)
{
    assert_int_equal(crc8((const uint8_t *)"123456789", 9), 0xF4);
}

TEST(refuses_what_it_cannot_be)
{
    static const struct {
        size_t offset;
        int64_t value;
    } bad[] = {
#define BAD(member, value) {offsetof(struct pb_node_config, member), value}
        BAD(address, 16),
        BAD(digits, 0),
        BAD(digits, 13),
        BAD(rule, PB_NODE_OPPORTUNISTIC),
        BAD(codec, PB_NODE_CODEC_STARC),
        BAD(payload_bytes, 81),
        BAD(baud_hz, 0),
        BAD(baud_hz, 2100000),
        BAD(baud_hz, 200),
        BAD(console_baud_hz, 0),
        BAD(console_baud_hz, 1100000),
        BAD(clock_ppm, 100001),
#undef BAD
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pb_node_config config = default_config;
        const int32_t value = (int32_t)bad[i].value;
        memcpy((char *)&config + bad[i].offset, &value, sizeof value);
        assert_null(pb_node_ref_create(&config));
    }
    struct pb_node_config config = default_config;
    config.head_guard_ps = -1;
    assert_null(pb_node_ref_create(&config));
    config.head_guard_ps = (INT64_C(1) << 24) * NODE_CLOCK_PS;
    assert_null(pb_node_ref_create(&config));
}

TEST(console_identifies_at_any_baud)
{
    static const uint32_t baud[] = {9600, 115200, 230400, 1000000};
    for (size_t i = 0; i < sizeof baud / sizeof *baud; i++) {
        struct pb_node_config config = default_config;
        config.console_baud_hz = baud[i];
        config.clock_ppm = 5000;
        struct rig *rig = open_rig(&config);
        type(rig, 50 * US, "I\r\n");
        run(rig, 50 * US + 400 * (INT64_C(1000000000000) / baud[i]));
        assert_console(rig, "+I node=ref addr=5 dims=4 fw=1\n");
        close_rig(rig);
    }
}

/* 5 = 0101 to 10 = 1010: dimension 0 first, own bit 0 is 1, so phase 1. */
TEST(starts_at_the_head_guard_whatever_its_clock)
{
    static const int32_t ppm[] = {-200, 0, 200};
    for (unsigned i = 0; i < 18; i++) {
        struct pb_node_config config = default_config;
        uint8_t frame[9];
        config.clock_ppm = ppm[i % 3];
        config.seed = i;
        config.head_guard_ps = (5 + i % 4) * US / 2 + 7000 * i;
        struct rig *rig = open_rig(&config);
        type(rig, 40 * US, "S A 0B30557A9FC4\n");
        tdma(rig, 8, 16);
        run(rig, edge_ps(rig, 24));
        make_frame(frame, 10, 0, 6, 0x0B);
        assert_console(rig, "+S 0\n");
        assert_silent(rig, 0, 9);
        assert_sent(rig, 9, 0, frame, 9);
        assert_silent(rig, 10, 14);
        close_rig(rig);
    }
}

/* Without a guard it starts as soon as the message is there. */
TEST(short_guard_starts_as_soon_as_it_can)
{
    struct pb_node_config config = default_config;
    config.head_guard_ps = 0;
    struct rig *rig = open_rig(&config);
    type(rig, 10 * US, "S 4\n");
    tdma(rig, 0, 8);
    run(rig, edge_ps(rig, 8));
    assert_in_range(first_pull(rig, 0, rig->now_ps), edge_ps(rig, 1), edge_ps(rig, 1) + 21 * NODE_CLOCK_PS);
    close_rig(rig);
}

TEST(bits_follow_the_nodes_clock)
{
    static const struct {
        uint32_t baud_hz;
        int32_t ppm;
    } cases[] = {{1000000, 0}, {1000000, 20000}, {1000000, -20000}, {460800, 0}, {115200, 0}, {115200, 300}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pb_node_config config = default_config;
        config.baud_hz = cases[i].baud_hz;
        config.clock_ppm = cases[i].ppm;
        struct rig *rig = open_rig(&config);
        rig->phase_ps = 1000 * US;
        type(rig, 40 * US, "S A 555555555555\n"); /* 0x55: an edge at every bit */
        tdma(rig, 0, 2);
        run(rig, edge_ps(rig, 2));
        const int64_t start = first_pull(rig, edge_ps(rig, 1), edge_ps(rig, 2));
        assert_true(start > 0);
        /* The stop bit of the sixth 0x55, byte 7 from 0, begins 79 bits after the start; before it is a 0. */
        const int64_t bit_ps = (int64_t)(1e12 / cases[i].baud_hz / (1 + cases[i].ppm * 1e-6));
        int64_t end = 0;
        for (size_t c = 0; c < rig->changes; c++)
            if (rig->change[c].at_ps < start + 79 * bit_ps + bit_ps / 2 && rig->change[c].out.pull_low == 0)
                end = rig->change[c].at_ps;
        /* one clock of rounding at either end, and 1/32 clock per bit for the Q16.4 period */
        assert_in_range(labs(end - start - 79 * bit_ps), 0, NODE_CLOCK_PS + 79 * NODE_CLOCK_PS / 32 + 79);
        close_rig(rig);
    }
}

/* Phase 0 of node 5: it listens on dimension 0. A message for 10 goes on in phase 1, on dimension 0. */
static bool forwards(const struct pb_node_config *config, const uint8_t *bytes, size_t count, int64_t bit_ps,
                     int64_t phase_ps)
{
    uint8_t frame[100];
    struct rig *rig = open_rig(config);
    rig->phase_ps = phase_ps;
    tdma(rig, 0, 9);
    talk(rig, edge_ps(rig, 0) + config->head_guard_ps, 0, bytes, count, bit_ps);
    run(rig, edge_ps(rig, 9));
    const bool sent = first_pull(rig, 0, edge_ps(rig, 9)) >= 0;
    if (sent) {
        const size_t length = make_frame(frame, 10, 14, config->payload_bytes, 0x80);
        assert_sent(rig, 1, 0, frame, length);
        assert_silent(rig, 2, 7);
    }
    close_rig(rig);
    return sent;
}

TEST(forwards_in_the_next_phase_within_the_baud_tolerance)
{
    uint8_t frame[9];
    make_frame(frame, 10, 14, 6, 0x80);
    /* sampled in the middle, 9.5 bits after the start: half a bit of error is 5.3 %, less one clock of 16 */
    for (int64_t bit_ps = 960000; bit_ps <= 1040000; bit_ps += 10000)
        assert_true(forwards(&default_config, frame, 9, bit_ps, 100 * US));
    assert_false(forwards(&default_config, frame, 9, 930000, 100 * US));
    assert_false(forwards(&default_config, frame, 9, 1070000, 105 * US));
}

TEST(drops_wrong_length_and_crc)
{
    static const unsigned payload[] = {0, 1, 4, 80};
    for (size_t i = 0; i < sizeof payload / sizeof *payload; i++) {
        struct pb_node_config config = default_config;
        uint8_t frame[100] = {0};
        config.payload_bytes = payload[i];
        const size_t length = make_frame(frame, 10, 14, payload[i], 0x80);
        const int64_t phase_ps = (int64_t)(10 * length + 30) * US;
        assert_true(forwards(&config, frame, length, US, phase_ps));
        assert_false(forwards(&config, frame, length - 1, US, phase_ps));
        assert_false(forwards(&config, frame, length + 1, US, phase_ps)); /* one more byte, 0 */
        for (size_t bit = 0; bit < 8 * length; bit += 1 + length / 3) {
            frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_false(forwards(&config, frame, length, US, phase_ps));
            frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        /* correct CRC, but a destination that a 4-cube does not have */
        make_frame(frame, 0x01A, 14, payload[i], 0x80);
        assert_false(forwards(&config, frame, length, US, phase_ps));
    }
}

TEST(queue_is_first_in_first_out_and_bounded)
{
    char line[32], expected[400] = "";
    uint8_t frame[9];
    struct rig *rig = open_rig(&default_config);
    /* 33 messages for dimension 0, the last too many, and one for dimension 3 (5 ^ 8 = 1101 for 13) */
    for (unsigned i = 0; i < 33; i++) {
        snprintf(line, sizeof line, "S 4 %02X\n", i);
        type(rig, (100 + 200 * i) * US, line);
        snprintf(line, sizeof line, i < 32 ? "+S %X\n" : "-full\n", i % 16);
        strcat(expected, line);
    }
    type(rig, (100 + 200 * 33) * US, "S D EE\n");
    strcat(expected, "+S 0\n");
    tdma(rig, 80, 8 * 34);
    run(rig, edge_ps(rig, 80 + 8 * 34));
    assert_console(rig, expected);
    for (unsigned i = 0; i < 32; i++) {
        const unsigned base = 80 + 8 * i;
        memset(frame, 0, sizeof frame);
        frame[0] = 4;
        frame[1] = (uint8_t)(i % 16 << 4);
        frame[2] = (uint8_t)i;
        frame[8] = crc8(frame, 8);
        assert_silent(rig, base, 1);
        assert_sent(rig, base + 1, 0, frame, 9);
        /* own bit 3 is 0: phase 6 */
        assert_silent(rig, base + 2, i == 0 ? 4 : 6);
    }
    memset(frame, 0, sizeof frame);
    frame[0] = 13;
    frame[2] = 0xEE;
    frame[8] = crc8(frame, 8);
    assert_sent(rig, 80 + 6, 3, frame, 9);
    assert_silent(rig, 80 + 8 * 32, 16);
    close_rig(rig);
}

/* Two queues deep enough that every slot wanders through the console, the receiver and the transmitter: no
 * message may appear in another's place. Node 5 sends on dimension 1 in phase 2, on dimension 3 in phase 6.
 */
TEST(slots_are_never_shared)
{
    enum { PREFILLED = 28, SUPERFRAMES = 100, TOTAL = PREFILLED + SUPERFRAMES };
    static uint8_t first[TOTAL][9], third[TOTAL][9]; /* for dimension 1 (7), for dimension 3 (13), in order */
    struct rig *rig = open_rig(&default_config);
    unsigned sequence = 0, firsts = 0, thirds = 0;
    const unsigned begin = 2 * PREFILLED * 2 + 16; /* a multiple of 8 */

    for (unsigned i = 0; i < PREFILLED; i++) {
        make_frame(first[firsts], 7, sequence++ % 16, 6, (uint8_t)(i * 5));
        type_message(rig, (100 + 400 * i) * US, 7, first[firsts++]);
        make_frame(third[thirds], 13, sequence++ % 16, 6, (uint8_t)(i * 11 + 100));
        type_message(rig, (300 + 400 * i) * US, 13, third[thirds++]);
    }
    tdma(rig, begin, 8 * SUPERFRAMES);
    for (unsigned i = 0; i + 1 < SUPERFRAMES; i++) {
        const int64_t start = edge_ps(rig, begin + 8 * i);
        make_frame(third[thirds], 13, i % 16, 6, (uint8_t)(i * 3));
        talk(rig, start + 6 * US, 0, third[thirds++], 9, US);
        make_frame(first[firsts], 7, sequence++ % 16, 6, (uint8_t)(i * 7 + 50));
        type_message(rig, start + 220 * US, 7, first[firsts++]);
    }
    run(rig, edge_ps(rig, begin + 8 * SUPERFRAMES));
    for (unsigned i = 0; i < SUPERFRAMES; i++) {
        assert_silent(rig, begin + 8 * i, 2);
        assert_sent(rig, begin + 8 * i + 2, 1, first[i], 9);
        assert_silent(rig, begin + 8 * i + 3, 3);
        assert_sent(rig, begin + 8 * i + 6, 3, third[i], 9);
        assert_silent(rig, begin + 8 * i + 7, 1);
    }
    close_rig(rig);
}

/* Node 5 listens in phase 3 on dimension 1 and in phase 4 on dimension 2. */
TEST(late_byte_does_not_spoil_the_next_phase)
{
    static const uint8_t late[] = {0x00};
    uint8_t frame[9];
    struct rig *rig = open_rig(&default_config);
    tdma(rig, 0, 8);
    talk(rig, edge_ps(rig, 4) - 4 * US, 1, late, 1, US);
    make_frame(frame, 13, 3, 6, 0x42);
    talk(rig, edge_ps(rig, 4) + 5 * US, 2, frame, 9, US);
    run(rig, edge_ps(rig, 8));
    assert_silent(rig, 0, 6);
    assert_sent(rig, 6, 3, frame, 9);
    close_rig(rig);
}

/* Phases too short for the frame: phase 1 on dimension 0 is cut, phase 2 on dimension 1 begins afresh. */
TEST(edge_cuts_a_transmission)
{
    struct rig *rig = open_rig(&default_config);
    rig->phase_ps = 58 * US + US / 2; /* the fifth byte is in the middle of its low bits then */
    type(rig, 10 * US, "S 4\nS 7\n");
    tdma(rig, 8, 8);
    run(rig, edge_ps(rig, 16));
    const int64_t cut = edge_ps(rig, 10);
    assert_int_equal(outputs_at(rig, cut).pull_low, 1);
    assert_int_equal(outputs_at(rig, cut + 7 * NODE_CLOCK_PS).pull_low, 0);
    const int64_t start = first_pull(rig, cut + 7 * NODE_CLOCK_PS, edge_ps(rig, 11));
    assert_in_range(start, cut + 5 * US, cut + 5 * US + 3 * NODE_CLOCK_PS);
    assert_int_equal(outputs_at(rig, start).pull_low, 2);
    assert_silent(rig, 12, 4);
    close_rig(rig);
}

/* A whole frame and then a line that stays low: not the correct length. */
TEST(break_spoils_the_frame)
{
    for (int broken = 0; broken <= 1; broken++) {
        uint8_t frame[9];
        struct rig *rig = open_rig(&default_config);
        rig->phase_ps = 120 * US;
        tdma(rig, 0, 8);
        make_frame(frame, 10, 3, 6, 0x42);
        talk(rig, edge_ps(rig, 0) + 5 * US, 0, frame, 9, US);
        at(rig, edge_ps(rig, 0) + 97 * US, LINK0, !broken);
        at(rig, edge_ps(rig, 0) + 110 * US, LINK0, true);
        run(rig, edge_ps(rig, 8));
        if (broken)
            assert_silent(rig, 0, 8);
        else
            assert_sent(rig, 1, 0, frame, 9);
        close_rig(rig);
    }
}

TEST(reset_releases_and_forgets)
{
    struct rig *rig = open_rig(&default_config);
    type(rig, 10 * US, "S 4\n");
    tdma(rig, 0, 24);
    const int64_t cut = edge_ps(rig, 1) + 6 * US + US / 2; /* within a low bit of 0x04 */
    at(rig, cut, NRST, false);
    at(rig, cut + 50 * US, NRST, true);
    run(rig, edge_ps(rig, 24));
    assert_int_equal(outputs_at(rig, cut).pull_low, 1);
    assert_int_equal(outputs_at(rig, cut + 4 * NODE_CLOCK_PS).pull_low, 0);
    assert_int_equal(first_pull(rig, cut + 4 * NODE_CLOCK_PS, rig->now_ps), -1);
    close_rig(rig);
}

TEST(more_calls_change_nothing)
{
    static struct change plain[EVENTS_MAX];
    size_t changes = 0;
    for (int64_t nuisance = 0; nuisance <= 20000; nuisance += 10000) {
        struct rig *rig = open_rig(&default_config);
        rig->nuisance_ps = nuisance;
        type(rig, 10 * US, "S A 0B30557A9FC4\n");
        tdma(rig, 2, 20);
        run(rig, edge_ps(rig, 22));
        if (nuisance == 0) {
            changes = rig->changes;
            memcpy(plain, rig->change, sizeof plain);
        }
        assert_true(changes > 50);
        assert_int_equal(rig->changes, changes);
        for (size_t i = 0; i < changes; i++) {
            assert_int_equal(rig->change[i].at_ps, plain[i].at_ps);
            assert_int_equal(rig->change[i].out.pull_low, plain[i].out.pull_low);
            assert_int_equal(rig->change[i].out.uart0_tx, plain[i].out.uart0_tx);
        }
        close_rig(rig);
    }
}
