/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expected values are worked out by hand from docs/node.md: node 0x2A3 of the 12-cube sends to 0x91C on
 * dimension 0 in phase 1; node 0 receives dimension 0 in phase 1 and sends dimension 1 in phase 2.
 */
#include "tests/unit/node_sentences.h"

#include "phasebench/random.h"
#include "tests/unit/contract_log.h"

#include <math.h>

enum { ALL = 127, SIMPLE = KIND_REF | KIND_LIBRARY, IMAGES = KIND_AG32 | KIND_RP2040 };

static struct pins pins; /* of the present test */

static int64_t first_edge(void)
{
    return pins.first + 2 * MS;
}

static int64_t phase_at(unsigned superframe, unsigned phase)
{
    return first_edge() + (int64_t)(superframe * 24 + phase) * PERIOD;
}

static void open_at(const struct node_kind *kind, uint32_t address)
{
    const struct pb_node_config config = config_of(address);
    pins_open(&pins, kind, &config);
}

/* A node of the 4-cube, whose superframe is short. */
static void open_small(const struct node_kind *kind, uint32_t address)
{
    struct pb_node_config config = config_of(address);
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    pins_open(&pins, kind, &config);
}

static void close_node(const struct node_kind *kind)
{
    assert_no_trap(kind, pins.node[0]);
    pins_free(&pins);
}

static void asks(const char *line, const char *answer)
{
    const char *given = console_ask(&pins, 0, formatted("%s\n", line));
    if (strcmp(given, answer) != 0)
        fail_msg("%s: answered with %s, expected %s", line, given, answer);
}

/* The reference node and the template have no counters. */
static void counts(const struct node_kind *kind, const char *counter, uint32_t value)
{
    if (!(kind->bit & SIMPLE))
        assert_int_equal(console_counter(&pins, 0, counter), value);
}

static int64_t late(const struct node_kind *kind, int64_t bit_ps)
{
    return kind->late_ps + (kind->late_part ? bit_ps / kind->late_part : 0);
}

/* With another rate or guard than config_of. */
static int64_t odd_late(const struct node_kind *kind, const struct pb_node_config *config, int64_t bit_ps)
{
    const bool odd = config->baud_hz != 1000000 || config->head_guard_ps != GUARD;
    return late(kind, bit_ps) + (odd && kind->odd_part ? bit_ps / kind->odd_part : 0);
}

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
        const double part = kind->off_part && config->baud_hz != 1000000 ? at / (double)kind->off_part : 0;
        assert_true(now->pull[0] <= 1); /* on this link alone */
        assert_true(now->ps >= start && at < 10 * length * bit + bit);
        if (off > (double)kind->off_ps + part + 1)
            fail_msg("%u Bd, %d ppm: an edge after %.3f bits", config->baud_hz, config->clock_ppm, at / bit);
    }
    counts(kind, "late_starts", 0);
    counts(kind, "tx_frames", 1);
    close_node(kind);
}

static void starts_the_head_guard_after_the_edge(const struct node_kind *kind)
{
    for (unsigned seed = 0; seed < 5; seed++) {
        struct sending setting = sending();
        setting.config.seed = seed;
        setting.shift = seed * 1777;
        sends(kind, &setting);
    }
}

static void keeps_any_head_guard(const struct node_kind *kind)
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
static void sends_frames_of_any_length(const struct node_kind *kind)
{
    for (unsigned payload = 0; payload <= 80; payload += 1 + payload / 2 + (payload == 74)) {
        struct sending setting = sending();
        setting.config.payload_bytes = payload;
        setting.config.phase_rate_mhz = 1000000;
        setting.period = MS;
        sends(kind, &setting);
    }
}

static void bits_follow_the_clock_of_the_node(const struct node_kind *kind)
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
static void latency_within_the_guard_is_invisible(const struct node_kind *kind)
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
static void late_starts_are_counted(const struct node_kind *kind)
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
static void a_console_line_at_the_edge_delays_no_start(const struct node_kind *kind)
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

/* ---- phases */

/* The frame of the message to 0x91C or another destination, the only one on the link from `from` to `to`. */
static void sent(const struct node_kind *kind, struct probe probe, int64_t from, int64_t to, int64_t edge,
                 const uint8_t *frame)
{
    const int64_t after = sent_within(&pins, probe, from, to, BIT, frame, 9, kind->off_ps) - edge;
    assert_in_range(after + kind->off_ps, GUARD, GUARD + late(kind, BIT) + kind->off_ps);
}

static void is_silent_before_sync(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    asks("S 91C 010203040506", "+S 0");
    for (int i = 0; i < 60; i++)
        pins_phase(&pins, first_edge() + i * PERIOD, PERIOD, i == 50);
    pins_run(&pins, first_edge() + 60 * PERIOD);
    assert_false(pulled(&pins, 0, 0, first_edge() + 51 * PERIOD));
    sent(kind, (struct probe){0, 0}, 0, pins.now, first_edge() + 51 * PERIOD, frame_to(0x91C));
    counts(kind, "edges", 60);
    counts(kind, "superframes", 1);
    counts(kind, "alignment_errors", 0);
    close_node(kind);
}

/* TDMA_SYNC is missing in superframe 1: the message, which came in superframe 0 after phase 1, waits. */
static void waits_when_sync_is_missing(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    for (unsigned i = 0; i < 72; i++)
        pins_phase(&pins, phase_at(0, i), PERIOD, i == 0 || i == 48);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 3), CONSOLE_BIT_PS, "S 91C 010203040506\n", 19);
    pins_run(&pins, phase_at(3, 0));
    assert_false(pulled(&pins, 0, 0, phase_at(2, 0)));
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(2, 1), frame_to(0x91C));
    counts(kind, "superframes", 2);
    counts(kind, "alignment_errors", 1);
    close_node(kind);
}

/* SYNC comes where phase 4 was due and a frame for dimension 2 was ready: the message for dimension 0 goes at
 * once, the other one in the true phase 4. */
static void surprising_sync_voids_the_choice(const struct node_kind *kind)
{
    uint8_t frame[9];
    open_at(kind, 0x000);
    pins_phases(&pins, first_edge(), PERIOD, 24, 4);
    pins_phases(&pins, phase_at(0, 4), PERIOD, 24, 24);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 0), CONSOLE_BIT_PS, "S 4\n", 4);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 2), CONSOLE_BIT_PS, "S 1\n", 4);
    pins_run(&pins, phase_at(1, 4));
    make_frame(frame, 1, 1, 6, 0, 0);
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(0, 4), frame);
    make_frame(frame, 4, 0, 6, 0, 0);
    sent(kind, (struct probe){0, 2}, 0, pins.now, phase_at(0, 8), frame);
    counts(kind, "alignment_errors", 1);
    close_node(kind);
}

/* Before edge 3 a period and a half passes, and edge 4 comes after half of one. The message for dimension 1
 * leaves after edge 3 (phase 3), that for dimension 2 after edge 5. */
static void each_edge_counts_as_one(const struct node_kind *kind)
{
    static const int64_t at[] = {0, 100, 200, 350, 400, 500, 600};
    open_at(kind, 0x2A7);
    asks("S 2A5 010203040506", "+S 0");
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = first_edge();
    for (size_t i = 0; i < COUNT(at); i++)
        pins_phase(&pins, first + at[i] * US, 40 * US, i == 0);
    pins_run(&pins, first + MS);
    sent(kind, (struct probe){0, 2}, 0, pins.now, first + 500 * US, slot_frame(0x2A3, 1, 6));
    assert_true(pulled(&pins, 0, first + 350 * US, first + 400 * US)); /* dimension 1, cut by edge 4 */
    assert_false(pulled(&pins, 0, 0, first + 350 * US));
    counts(kind, "tx_cut", 1);
    counts(kind, "alignment_errors", 0);
    close_node(kind);
}

/* Phase 1 ends in the middle of a frame, 60 us after its edge; nothing of it is in the frame of phase 2. */
static void an_early_edge_ends_the_frame(const struct node_kind *kind)
{
    open_at(kind, 0x2A1);
    asks("S 91C 010203040506", "+S 0");
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = first_edge(), edge = first + PERIOD + 60 * US;
    pins_phase(&pins, first, PERIOD, true);
    pins_phase(&pins, first + PERIOD, 60 * US, false);
    pins_phase(&pins, edge, PERIOD, false);
    pins_run(&pins, edge + 2 * PERIOD);
    assert_true(pulled(&pins, 0, edge - 11 * BIT, edge)); /* the start bit of some byte */
    assert_false(pulled(&pins, 0, edge + kind->release_ps, edge + GUARD - kind->off_ps));
    sent(kind, (struct probe){0, 1}, edge + 2 * US, pins.now, edge, slot_frame(0x2A3, 1, 6));
    counts(kind, "tx_cut", 1);
    close_node(kind);
}

/* ---- forwarding */

/* 0x2A3 sends to 0x2A2 in phase 1, which sends it on along dimension 1 in phase 3. */
static void forwards_within_the_superframe(const struct node_kind *kind)
{
    const struct pb_node_config config = config_of(0x2A2);
    open_at(kind, 0x2A3);
    struct pins alone = pins;
    pins_init(&pins, alone.node[0], kind->make(&config));
    pins.first = alone.first;
    free(alone.sample);
    free(alone.change);
    pins_run(&pins, pins.first + kind->boot_ps);
    pins.first = pins.now;
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    sent(kind, (struct probe){0, 0}, phase_at(0, 1), phase_at(0, 2), phase_at(0, 1), frame_to(0x91C));
    sent(kind, (struct probe){1, 1}, 0, pins.now, phase_at(0, 3), frame_to(0x91C));
    if (!(kind->bit & SIMPLE)) {
        assert_int_equal(console_counter(&pins, 1, "rx_frames"), 1);
        assert_int_equal(console_counter(&pins, 1, "forwarded"), 1);
        assert_int_equal(console_counter(&pins, 1, "tx_frames"), 1);
        assert_int_equal(console_counter(&pins, 1, "delivered"), 0);
        assert_int_equal(console_counter(&pins, 1, "late_starts"), 0);
    }
    assert_no_trap(kind, pins.node[1]);
    close_node(kind);
}

/* Node 5 receives in phase 0; bit d of its address decides between the phases of dimension d. */
static void sends_on_what_is_for_a_neighbour(const struct node_kind *kind)
{
    static const unsigned phase[] = {1, 2, 5, 6};
    open_small(kind, 5);
    const int64_t first = first_edge(), superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 32);
    for (unsigned d = 0; d < 4; d++)
        pins_uart(&pins, PIN_LINE0, first + d * superframe + GUARD, BIT,
                  slot_frame(5 ^ (uint16_t)(1u << d), 7, 6), 9);
    pins_run(&pins, first + 4 * superframe);
    for (int d = 0; d < 4; d++) {
        const int64_t begin = first + d * superframe;
        sent(kind, (struct probe){0, d}, 0, pins.now, begin + phase[d] * PERIOD,
             slot_frame(5 ^ (uint16_t)(1u << d), 7, 6));
    }
    counts(kind, "forwarded", 4);
    counts(kind, "delivered", 0);
    close_node(kind);
}

/* Node 0 receives in phase 1, until just before the edge; the frame leaves in phase 2. */
static void leaves_in_the_very_next_phase(const struct node_kind *kind)
{
    enum { ROUNDS = 10 };
    open_small(kind, 0x0);
    const int64_t first = first_edge(), superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 8 * ROUNDS);
    for (unsigned i = 0; i < ROUNDS; i++)
        pins_uart(&pins, PIN_LINE0,
                  first + i * superframe + 2 * PERIOD - kind->job_ps - 90 * BIT - i * 100001, BIT,
                  slot_frame(0xE, (uint8_t)i, 6), 9);
    pins_run(&pins, first + ROUNDS * superframe);
    for (unsigned i = 0; i < ROUNDS; i++)
        sent(kind, (struct probe){0, 1}, first + i * superframe, first + (i + 1) * superframe,
             first + i * superframe + 2 * PERIOD, slot_frame(0xE, (uint8_t)i, 6));
    counts(kind, "forwarded", ROUNDS);
    counts(kind, "late_starts", 0);
    close_node(kind);
}

/* The last of ten bits is sampled about 9.5 bits after the start edge, which is known to a part of a bit: 3
 * % is no error, 8 % is one. The start edge may fall anywhere between two samples. */
static void receives_at_any_phase_of_its_samples(const struct node_kind *kind)
{
    static const int percent[] = {-3, -2, -1, 0, 1, 2, 3, -8, 8};
    const unsigned shifts = kind->slow ? 8 : 32, rounds = COUNT(percent) * shifts;
    const int64_t period = 120 * US;
    struct pb_node_config config = config_of(0);
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    config.phase_rate_mhz = 8333333;
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    pins_phases(&pins, first, period, 8, 8 * rounds);
    for (unsigned i = 0; i < rounds; i++)
        pins_uart(&pins, PIN_LINE0, first + (8 * i + 1) * period + GUARD + i % shifts * 3 * BIT / 16 / shifts,
                  BIT + BIT / 100 * percent[i / shifts], slot_frame(0xE, (uint8_t)i % 16, 6), 9);
    pins_run(&pins, first + 8 * rounds * period);
    for (unsigned i = 0; i < rounds; i++) {
        const int64_t begin = first + 8 * i * period;
        if (abs(percent[i / shifts]) > 3)
            assert_false(pulled(&pins, 0, begin, begin + 8 * period));
        else
            sent(kind, (struct probe){0, 1}, begin, begin + 8 * period, begin + 2 * period,
                 slot_frame(0xE, (uint8_t)i % 16, 6));
    }
    close_node(kind);
}

static void forwards_frames_of_any_length(const struct node_kind *kind)
{
    struct pb_node_config config = config_of(0);
    uint8_t frame[83];
    config.payload_bytes = 80;
    config.phase_rate_mhz = 1000000;
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    make_frame(frame, 2, 3, 80, 1, 1);
    pins_phases(&pins, first, MS, 24, 4);
    pins_uart(&pins, PIN_LINE0, first + MS + GUARD, BIT, frame, sizeof frame);
    pins_run(&pins, first + 4 * MS);
    sent_within(&pins, (struct probe){0, 1}, 0, pins.now, BIT, frame, sizeof frame, kind->off_ps);
    close_node(kind);
}

/* ---- corrupt frames */

enum corruption { CRC, SOUND, SHORT, LONG, OUTSIDE, OWN, FIRST_STOP, LAST_STOP, LATE, BREAK, CORRUPTIONS };

/* One frame in phase 1 on dimension 0. Returns whether the node forwards it: a longer one as it likes. */
static bool corrupt(const struct node_kind *kind, enum corruption how, unsigned payload, unsigned bit,
                    int64_t edge, int64_t period)
{
    uint8_t frame[100];
    const unsigned destination = how == OUTSIDE ? 0x01A : how == OWN ? 0 : 0xE;
    size_t length = make_frame(frame, destination, 14, payload, 0x80, 37);
    /* LATE: the next edge cuts it. */
    const int64_t start = how == LATE ? edge + period - (int64_t)(10 * length - 15) * US : edge + GUARD;
    frame[length] = 0;
    if (how == CRC)
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    length += how == LONG;
    length -= how == SHORT;
    pins_uart(&pins, PIN_LINE0, start, BIT, frame, length);
    if (how == FIRST_STOP || how == LAST_STOP || how == BREAK) {
        const int64_t stop = start + 9 * BIT + (how == FIRST_STOP ? 0 : (int64_t)(length - 1) * 10 * BIT);
        pins_change(&pins, stop + (how == BREAK ? 2 * BIT : 0), PIN_LINE0, false);
        pins_change(&pins, stop + (how == FIRST_STOP ? BIT - 1 : how == LAST_STOP ? 3 * BIT : 13 * BIT),
                    PIN_LINE0, true);
    }
    return how == SOUND || ((how == LONG || how == BREAK) && !(kind->bit & KIND_REF));
}

static void drops_and_counts_corrupt_frames_of(const struct node_kind *kind, unsigned payload)
{
    const unsigned length = payload + 3, step = 1 + length / 3, flips = (8 * length + step - 1) / step;
    const unsigned rounds = flips + CORRUPTIONS - SOUND;
    const int64_t period = (10 * length + 30) * US;
    struct pb_node_config config = config_of(0);
    bool forwards[500];
    unsigned forwarded = 0;
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    config.payload_bytes = payload;
    config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / period);
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    pins_phases(&pins, first, period, 8, 8 * rounds);
    for (unsigned i = 0; i < rounds; i++)
        forwards[i] = corrupt(kind, i < flips ? CRC : (enum corruption)(SOUND + i - flips), payload, i * step,
                            first + (8 * i + 1) * period, period);
    pins_run(&pins, first + 8 * rounds * period);
    for (unsigned i = 0; i < rounds; i++) {
        const int64_t begin = first + 8 * i * period;
        forwarded += forwards[i];
        if (pulled(&pins, 0, begin, begin + 8 * period) != forwards[i])
            fail_msg("payload %u, frame %d of %u: %s", payload, (int)i - (int)flips, rounds,
                     forwards[i] ? "not forwarded" : "forwarded");
    }
    counts(kind, "rx_crc_errors", flips);
    counts(kind, "rx_length_errors", 1);
    counts(kind, "rx_cut", 2);
    counts(kind, "rx_bad_destinations", 1);
    counts(kind, "rx_framing_errors", 3);
    counts(kind, "delivered", 1);
    counts(kind, "forwarded", forwarded);
    close_node(kind);
}

static void drops_and_counts_corrupt_frames(const struct node_kind *kind)
{
    drops_and_counts_corrupt_frames_of(kind, 6);
    drops_and_counts_corrupt_frames_of(kind, 0);
    if (!kind->slow || kind->bit & KIND_REF)
        drops_and_counts_corrupt_frames_of(kind, 80);
}

/* A link that is stuck low costs one framing error a phase; low for less than half a bit it costs nothing. */
static void stuck_and_glitching_lines(const struct node_kind *kind)
{
    open_at(kind, 0x2A2);
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_change(&pins, phase_at(0, 1) + 20 * US, PIN_LINE0, false);
    pins_change(&pins, phase_at(0, 2) - 1 * US, PIN_LINE0, true);
    for (int i = 1; i < 8; i++) {
        pins_change(&pins, phase_at(0, 5) + i * 10 * US, PIN_LINE0 + 2, false);
        pins_change(&pins, phase_at(0, 5) + i * 10 * US + i * US / 16, PIN_LINE0 + 2, true);
    }
    pins_run(&pins, phase_at(1, 0));
    assert_false(pulled(&pins, 0, 0, pins.now));
    counts(kind, "rx_framing_errors", 1);
    counts(kind, "rx_cut", 0);
    close_node(kind);
}

/* Node 5 listens in phase 3 on dimension 1 and in phase 4 on dimension 2. */
static void late_byte_does_not_spoil_the_next_phase(const struct node_kind *kind)
{
    open_small(kind, 5);
    const int64_t first = first_edge();
    pins_phases(&pins, first, PERIOD, 8, 8);
    pins_uart(&pins, PIN_LINE0 + 1, first + 4 * PERIOD - 4 * US, BIT, "", 1);
    pins_uart(&pins, PIN_LINE0 + 2, first + 4 * PERIOD + GUARD, BIT, slot_frame(13, 3, 6), 9);
    pins_run(&pins, first + 8 * PERIOD);
    assert_false(pulled(&pins, 0, 0, first + 6 * PERIOD));
    sent(kind, (struct probe){0, 3}, 0, pins.now, first + 6 * PERIOD, slot_frame(13, 3, 6));
    close_node(kind);
}

/* ---- queues and routes */

/* Node 5 sends on dimension 0 in phase 1 and on dimension 3 in phase 6. The last message is one too many. */
static void queue_is_first_in_first_out_and_bounded(const struct node_kind *kind)
{
    const bool of_dimensions = kind->bit & KIND_REF;
    uint8_t frame[9] = {0};
    open_small(kind, 5);
    for (unsigned i = 0; i <= kind->room; i++)
        asks(formatted("S 4 %02X", i), i < kind->room ? formatted("+S %X", i % 16) : "-full");
    asks("S D EE", of_dimensions ? "+S 0" : "-full");
    const int64_t first = pins.now + MS, superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 8 * (kind->room + 2));
    pins_run(&pins, first + (kind->room + 2) * superframe);
    for (unsigned i = 0; i < kind->room + 2; i++) {
        const int64_t begin = first + i * superframe;
        const uint8_t head[] = {4, (uint8_t)(i % 16 << 4), (uint8_t)i};
        memcpy(frame, head, sizeof head); /* padded with 00 */
        seal_frame(frame, 8);
        assert_false(pulled(&pins, 0, begin, begin + PERIOD));
        if (i < kind->room)
            sent(kind, (struct probe){0, 0}, begin, begin + superframe, begin + PERIOD, frame);
        assert_int_equal(pulled(&pins, 0, begin + 2 * PERIOD, begin + superframe), of_dimensions && i == 0);
        assert_int_equal(pulled(&pins, 0, begin + PERIOD, begin + 2 * PERIOD), i < kind->room);
    }
    counts(kind, "queue_drops", 2);
    counts(kind, "max_queue", kind->room);
    counts(kind, "max_stored", kind->room);
    close_node(kind);
}

/* Two queues deep enough that every slot wanders through the console, the receiver and the transmitter: no
 * message may appear in another's place. Node 5 sends on dimension 1 in phase 2, on 3 in phase 6. */
static void slots_are_never_shared(const struct node_kind *kind)
{
    enum { MOST = 200 };
    static uint8_t first[MOST][9], third[MOST][9]; /* for dimension 1 (7), for dimension 3 (13), in order */
    const bool of_dimensions = kind->bit & KIND_REF;
    const unsigned prefilled = of_dimensions ? 28 : 16, superframes = kind->slow && !of_dimensions ? 40 : 100;
    unsigned sequence = 0, firsts = 0, thirds = 0;
    open_small(kind, 5);
    for (unsigned i = 0; i < 2 * prefilled; i++) {
        uint8_t *frame = i % 2 ? third[thirds++] : first[firsts++];
        make_frame(frame, i % 2 ? 13 : 7, sequence % 16, 6, i * 11, 37);
        asks(formatted("S %X %02x%02X%02x%02X%02x%02X", frame[0], frame[2], frame[3], frame[4], frame[5],
                       frame[6], frame[7]),
             formatted("+S %X", sequence % 16));
        sequence++;
    }
    const int64_t begin = pins.now + MS, superframe = 8 * PERIOD;
    pins_phases(&pins, begin, PERIOD, 8, 8 * superframes);
    for (unsigned i = 0; i + 1 < superframes; i++) {
        const int64_t start = begin + i * superframe;
        uint8_t *frame = third[thirds++];
        make_frame(frame, 13, i % 16, 6, i * 3, 37);
        pins_uart(&pins, PIN_LINE0, start + 6 * US, BIT, frame, 9);
        frame = first[firsts++];
        make_frame(frame, 7, sequence++ % 16, 6, i * 7 + 50, 37);
        const char *line = formatted("S 7 %02x%02X%02x%02X%02x%02X\n", frame[2], frame[3], frame[4], frame[5],
                                     frame[6], frame[7]);
        pins_uart(&pins, PIN_UART0_RX, start + 320 * US, CONSOLE_BIT_PS, line, strlen(line));
    }
    pins_run(&pins, begin + superframes * superframe);
    for (unsigned i = 0; i < superframes; i++) {
        const int64_t start = begin + i * superframe;
        assert_false(pulled(&pins, 0, start, start + 2 * PERIOD));
        sent(kind, (struct probe){0, 1}, start, start + superframe, start + 2 * PERIOD, first[i]);
        assert_false(pulled(&pins, 0, start + 3 * PERIOD, start + 6 * PERIOD));
        sent(kind, (struct probe){0, 3}, start, start + superframe, start + 6 * PERIOD, third[i]);
        assert_false(pulled(&pins, 0, start + 7 * PERIOD, start + superframe));
    }
    close_node(kind);
}

/* Node 0 gets a message for node 3 in phase 0: e-cube waits for dimension 0, phase 0 of the next superframe;
 * opportunistic crosses dimension 1 in phase 2. */
static void opportunistic_takes_the_first_chance(const struct node_kind *kind)
{
    for (int opportunistic = 0; opportunistic < 2; opportunistic++) {
        struct pb_node_config config = config_of(0x000);
        config.rule = opportunistic ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        pins_open(&pins, kind, &config);
        pins_phases(&pins, first_edge(), PERIOD, 24, 48);
        pins_uart(&pins, PIN_UART0_RX, phase_at(0, 0) + 10 * US, CONSOLE_BIT_PS, "S 3 010203\n", 11);
        pins_run(&pins, phase_at(2, 0));
        const int64_t chance = opportunistic ? phase_at(0, 2) : phase_at(1, 0);
        const int64_t start = next_fall(&pins, (struct probe){0, opportunistic}, 0);
        assert_in_range(start, chance + GUARD - kind->off_ps, chance + GUARD + late(kind, BIT));
        assert_false(pulled(&pins, 0, 0, start));
        close_node(kind);
    }
}

/* Node 1 sends in phase 1 and in phase 2: while the first frame is on the line the second is made ready. */
static void frames_in_consecutive_phases(const struct node_kind *kind)
{
    open_at(kind, 0x001);
    asks("S 0 010203040506", "+S 0");
    asks("S 3 010203040506", "+S 1");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(0, 1), slot_frame(0, 0, 6));
    sent(kind, (struct probe){0, 1}, 0, pins.now, phase_at(0, 2), slot_frame(3, 1, 6));
    close_node(kind);
}

/* ---- reset and console */

/* In the middle of the frame. */
static void reset_releases_and_forgets(const struct node_kind *kind)
{
    const int64_t release = kind->bit & KIND_REF ? 4 * INT64_C(62500) : 1;
    open_at(kind, 0x2A3);
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 72);
    const int64_t cut = phase_at(0, 1) + 30 * US;
    pins_change(&pins, cut, PIN_NRST, false);
    pins_change(&pins, phase_at(0, 5) + 10 * US, PIN_NRST, true);
    pins_run(&pins, phase_at(3, 0));
    assert_true(pulled(&pins, 0, phase_at(0, 1), cut));
    pins_run(&pins, pins.now + kind->boot_ps);
    assert_false(pulled(&pins, 0, cut + release, pins.now));
    assert_true(next_fall(&pins, (struct probe){0, -1}, cut) < 0);
    counts(kind, "superframes", kind->boot_ps > MS ? 0 : 2);
    counts(kind, "own_messages", 0);
    asks("S 91C 010203040506", "+S 0");
    close_node(kind);
}

/* From the boot on, also after a reset, and without a word before. */
static void identifies_itself(const struct node_kind *kind)
{
    static const uint32_t bauds[] = {9600, 115200, 230400, 1000000};
    for (size_t i = 0; i < COUNT(bauds); i++) {
        const char *start = formatted("+I node=%s addr=2A3 dims=C fw=", kind->name), *answer;
        struct pb_node_config config = config_of(0x2A3);
        config.console_baud_hz = bauds[i];
        config.clock_ppm = kind->slow ? 0 : 5000;
        pins_open(&pins, kind, &config);
        assert_true(next_fall(&pins, (struct probe){0, -1}, 0) < 0);
        answer = console_ask(&pins, 0, "I\r\n");
        assert_memory_equal(answer, start, strlen(start));
        pins_change(&pins, pins.now + US, PIN_NRST, false);
        pins_change(&pins, pins.now + 10 * US, PIN_NRST, true);
        pins_run(&pins, pins.now + 10 * US + kind->boot_ps);
        answer = console_ask(&pins, 0, "I\n");
        assert_memory_equal(answer, start, strlen(start));
        close_node(kind);
    }
}

static void refused_lines_have_no_effect(const struct node_kind *kind)
{
    static const char *const wrong[] = {"", "X", "S", "S 1000", "S 1 0", "S 1 XX", "I 1", "A 1000", "M 3"};
    open_at(kind, 0x2A3);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(console_ask(&pins, 0, formatted("%s\n", wrong[i]))[0], '-');
    asks("S 2A3 01", "+S 0");
    asks("S 91C 010203040506", "+S 1");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 48);
    pins_run(&pins, first + 48 * PERIOD);
    sent(kind, (struct probe){0, 0}, 0, pins.now, first + PERIOD, slot_frame(0x91C, 1, 6));
    counts(kind, "delivered", 1);
    close_node(kind);
}

static void clears_its_counters_and_takes_an_address(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    asks("S 91C 01", "+S 0");
    asks("A 91C", "-busy");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 1);
    assert_int_equal(console_counter(&pins, 0, "console_errors"), 1);
    asks("Z", "+Z");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    assert_int_equal(console_counter(&pins, 0, "console_lines"), 2);
    pins.first = pins.now;
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    asks("A 2A2", "+A 2A2");
    assert_non_null(strstr(console_ask(&pins, 0, "I\n"), " addr=2A2 "));
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 24);
    pins_run(&pins, first + 24 * PERIOD);
    sent(kind, (struct probe){0, 0}, first, pins.now, first, slot_frame(0x2A3, 1, 6)); /* phase 0 */
    close_node(kind);
}

static void test_modes(const struct node_kind *kind)
{
    struct decoded decoded;
    /* Echo: node 0 receives 1 in phase 1 and answers in phase 0 of the next superframe, whatever the
     * destination. */
    open_at(kind, 0x000);
    asks("M 1", "+M 1");
    pins_phases(&pins, first_edge(), PERIOD, 24, 48);
    pins_uart(&pins, PIN_LINE0, phase_at(0, 1) + GUARD, BIT, frame_to(0x000), 9);
    pins_run(&pins, phase_at(2, 0) - US);
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(1, 0), frame_to(0x000));
    /* PRBS: a frame in each of the 12 own phases; bit k of the payload is bit k - 6 and bit k - 7. */
    asks("M 2", "+M 2");
    const int64_t second = pins.now + MS;
    pins_phases(&pins, second, PERIOD, 24, 24);
    pins_run(&pins, second + 24 * PERIOD);
    counts(kind, "tx_frames", 1 + 12);
    for (int d = 0; d < 12; d++) {
        bool bit[48];
        decode_uart(&pins, (struct probe){0, d}, BIT, second, pins.now, &decoded);
        assert_int_equal(decoded.length, 9);
        for (unsigned i = 0; i < 48; i++) {
            bit[i] = decoded.byte[2 + i / 8] >> i % 8 & 1;
            assert_true(i < 7 || bit[i] == (bit[i - 6] != bit[i - 7]));
        }
        static uint8_t before;
        assert_true(d == 0 || decoded.byte[1] >> 4 == (before + 1) % 16);
        before = decoded.byte[1] >> 4;
    }
    asks("M 0", "+M 0");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, first + PERIOD + GUARD, BIT, frame_to(0x000), 9);
    pins_run(&pins, first + 24 * PERIOD);
    assert_false(pulled(&pins, 0, first, pins.now));
    counts(kind, "delivered", 1);
    close_node(kind);
}

/* ---- codec, drive, calls */

/* CRC-16/CCITT-FALSE of 00 04 1C 09 01 02, by binascii.crc_hqx of Python. */
static void sends_starc_frames(const struct node_kind *kind)
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
static void push_pull_drives_while_it_sends(const struct node_kind *kind)
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

static void more_calls_change_nothing(const struct node_kind *kind)
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
static void a_run_does_not_depend_on_its_start(const struct node_kind *kind)
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
static void few_calls(const struct node_kind *kind)
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

static void refuses_what_it_cannot_be(const struct node_kind *kind)
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

/* ---- side by side with the native node */

static uint64_t below(uint64_t *random, uint64_t bound)
{
    return pb_splitmix64(random) % bound;
}

/* A frame of the neighbour: sound, or with a flipped bit, too short, too long, or for an address outside. */
static void random_neighbour(struct log *log, uint64_t *random, unsigned edge, unsigned dimension)
{
    uint8_t frame[FRAME + 2];
    size_t count = FRAME;
    const uint8_t outside = below(random, 10) == 0 ? 0x10 : 0;
    log_frame(frame, (uint8_t)(below(random, 16) | outside), (uint8_t)below(random, 16),
              (uint8_t)below(random, 256), (uint8_t)below(random, 256));
    frame[FRAME] = (uint8_t)below(random, 256);
    frame[FRAME + 1] = (uint8_t)below(random, 256);
    switch (below(random, 8)) {
    case 0:
        frame[below(random, FRAME)] ^= (uint8_t)(1 + below(random, 255));
        break;
    case 1:
        count = 1 + below(random, FRAME - 1);
        break;
    case 2:
        count = FRAME + 1 + below(random, 2);
        break;
    default:
        break;
    }
    log_neighbour(log, edge, (int)dimension, frame, count);
}

/* Frames in three listening phases of four, messages typed at random times, and now and then a TDMA_SYNC
 * that is missing or out of turn, or an extra edge in mid-phase. Images take other times for a line (the
 * FIFO of the AG32VF303 32 bits more) and to release a frame (0.8 to 1.2 us; a bit is sampled 0.25 and 1.25
 * us later): the ends of their lines keep off edges and ends of frames. */
static void play_random(struct log *log, bool image, uint64_t seed)
{
    enum { SUPERFRAMES = 12 };
    uint64_t random = seed;
    pins_run(&log->pins, 20 * MS - MS / 2); /* boot */
    for (unsigned i = 0; i < SUPERFRAMES * PHASES; i++) {
        const unsigned bench_phase = i % PHASES, dimension = bench_phase / 2;
        const int64_t at = 20 * MS + i * PERIOD;
        const bool strange = below(&random, 60) == 0;
        const unsigned edge = log_edge(log, at, (bench_phase == 0) != strange);
        const bool listens = (ADDRESS >> dimension & 1) != (bench_phase & 1);
        if (listens && below(&random, 4) > 0)
            random_neighbour(log, &random, edge, dimension);
        else if (below(&random, 60) == 0 && !(image && bench_phase % 2))
            log_edge(log, at + (int64_t)(20 + below(&random, 40)) * US + (image ? US / 4 : US / 2), false);
        if (bench_phase % 2 == 0 && i + PHASES < SUPERFRAMES * PHASES && below(&random, 5) == 0) {
            char line[24];
            const int length = snprintf(line, sizeof line, "S %X %02X\n", (unsigned)below(&random, 18),
                                        (unsigned)below(&random, 256));
            const int64_t end = at + PERIOD + (int64_t)(7 + below(&random, 4)) * US;
            const int64_t start = image ? end - length * 10 * BIT : at + (int64_t)below(&random, 50) * US;
            pins_uart(&log->pins, PIN_UART0_RX, start, BIT, line, (size_t)length);
        }
    }
    log_play(log, 20 * MS + SUPERFRAMES * PHASES * PERIOD);
    log_counters(log);
}

/* An edge within a frame releases the line after the latency of the node, which differs: removes these
 * lines. */
static void without_releases(char *text)
{
    for (char *at; (at = strstr(text, " low ")) || (at = strstr(text, " pulse "));) {
        char *begin = at, *end = strchr(at, '\n') + 1;
        while (begin > text && begin[-1] != '\n')
            begin--;
        memmove(begin, end, strlen(end) + 1);
    }
}

static void does_what_the_native_node_does(const struct node_kind *kind)
{
    static struct log seen, native;
    const bool image = kind->bit & IMAGES;
    const unsigned seeds = kind->slow ? 10 : 120;
    size_t frames = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct pb_node_config config = log_config();
        config.rule = seed % 2 ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        log_open(&seen, kind->make(&config));
        log_open(&native, pb_node_native_create(&config));
        play_random(&seen, image, seed);
        play_random(&native, image, seed);
        if (image) {
            without_releases(seen.text);
            without_releases(native.text);
        }
        if (strcmp(seen.text, native.text) != 0)
            fail_msg("seed %d: native\n%s\n%s\n%s", (int)seed, native.text, kind->name, seen.text);
        for (const char *at = native.text; (at = strstr(at, " +5.0 ")); at++)
            frames++;
        assert_no_trap(kind, seen.pins.node[0]);
        log_close(&seen);
        log_close(&native);
    }
    assert_true(frames > seeds * 20);
}

/* ---- the table */

#define ROW(ids, test, ...) {ids, #test, test, __VA_ARGS__}
#define NO_TEST_COMMANDS "it has no commands M, A, T and Z"
/* clang-format off */
const struct node_sentence node_sentences[] = {
    ROW("T1 P1 P6 P8 T3 F12", starts_the_head_guard_after_the_edge, 0, NULL),
    ROW("T1", keeps_any_head_guard, 0, NULL),
    ROW("T2 T4", sends_frames_of_any_length, 0, NULL),
    ROW("T5", bits_follow_the_clock_of_the_node, 0, NULL),
    ROW("T1 P1", latency_within_the_guard_is_invisible, KIND_REF | KIND_LIBRARY | IMAGES,
        "it has a latency of its own, and no stated one"),
    ROW("T1 C5", late_starts_are_counted, KIND_LIBRARY | KIND_RP2040,
        "it has no shorter guard, or no counter"),
    ROW("T1 C1", a_console_line_at_the_edge_delays_no_start, 0, NULL),
    ROW("R2 P4 F14", is_silent_before_sync, 0, NULL),
    ROW("P3 P4 P5 F14", waits_when_sync_is_missing, 0, NULL),
    ROW("P2 P5", surprising_sync_voids_the_choice, 0, NULL),
    ROW("P9 T6", each_edge_counts_as_one, 0, NULL),
    ROW("T6 P1", an_early_edge_ends_the_frame, 0, NULL),
    ROW("F8 F11 F13 P7", forwards_within_the_superframe, 0, NULL),
    ROW("F7 F8 P6", sends_on_what_is_for_a_neighbour, 0, NULL),
    ROW("F1", leaves_in_the_very_next_phase, 0, NULL),
    ROW("F1 P7", receives_at_any_phase_of_its_samples, 0, NULL),
    ROW("F11 T2", forwards_frames_of_any_length, 0, NULL),
    ROW("F2 F3 F4 F5 F6 F7", drops_and_counts_corrupt_frames, 0, NULL),
    ROW("F4", stuck_and_glitching_lines, 0, NULL),
    ROW("F4", late_byte_does_not_spoil_the_next_phase, 0, NULL),
    ROW("F9 F10 S1 S2 S3 R5", queue_is_first_in_first_out_and_bounded, 0, NULL),
    ROW("F9 F11 F12 S1 C4", slots_are_never_shared, 0, NULL),
    ROW("F8", opportunistic_takes_the_first_chance, KIND_REF, "it knows the rule ecube only"),
    ROW("F13 P6", frames_in_consecutive_phases, 0, NULL),
    ROW("R1 R4", reset_releases_and_forgets, 0, NULL),
    ROW("R3 C2 C3 C10", identifies_itself, 0, NULL),
    ROW("C9 S2 S4", refused_lines_have_no_effect, 0, NULL),
    ROW("C5 C6 C8", clears_its_counters_and_takes_an_address, SIMPLE, NO_TEST_COMMANDS),
    ROW("C7 C11 C12 C13", test_modes, SIMPLE, NO_TEST_COMMANDS),
    ROW("T2", sends_starc_frames, SIMPLE, "it knows the slot codec only"),
    ROW("R6", push_pull_drives_while_it_sends, SIMPLE | IMAGES, "it is open drain"),
    ROW("T1", more_calls_change_nothing, 0, NULL),
    ROW("T1", a_run_does_not_depend_on_its_start, 0, NULL),
    ROW("P1", few_calls, KIND_REF | KIND_PROCESS | KIND_LIBRARY | IMAGES,
        "it is clocked, or has a program that runs"),
    ROW("R1", refuses_what_it_cannot_be, KIND_PROCESS | KIND_LIBRARY | IMAGES,
        "it says why: tests of its kind"),
    ROW("P5 F5 F8 C5", does_what_the_native_node_does, SIMPLE | KIND_NATIVE,
        "it is that node, or has no counters and drops what is too long"),
};
/* clang-format on */
const size_t node_sentence_count = COUNT(node_sentences);

struct one {
    const struct node_sentence *row;
    const struct node_kind *kind;
};

static void test_one(void **state)
{
    const struct one *one = *state;
    one->row->test(one->kind);
}

void test_sentences_of(const struct node_kind *kind)
{
    static struct one all[8 * COUNT(node_sentences)];
    static struct variant variants[COUNT(all) + 1][2]; /* of one name each */
    static size_t count;
    for (size_t i = 0; i < COUNT(node_sentences); i++) {
        if (node_sentences[i].except & kind->bit)
            continue;
        assert_true(count < COUNT(all));
        all[count] = (struct one){&node_sentences[i], kind};
        variants[count][0] = (struct variant){kind->name, &all[count]};
        add_test(node_sentences[i].name, test_one, NULL, NULL, variants[count]);
        count++;
    }
}
