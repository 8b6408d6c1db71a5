/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Clocks in which nothing can happen, left out or done one by one: two cores with the same settings, records
 * and inputs change the same outputs and send the same bytes in the same clocks. The core that does each
 * clock is the measure; its input is drawn anew for each case.
 */
#include "bench/sim/pb_sim.h"
#include "rtl/proto/gen/pb_regs.h"
#include "rtl/proto/packet.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN = 1 << PB_CTRL_RUN_LSB,
    CAPTURE = 1 << PB_CTRL_CAPTURE_LSB,
    FOLLOW = 1 << PB_CTRL_FOLLOW_LSB,
    CHANGES_MAX = 20000,
    HAPPENED_MAX = 400000,
    LINKS = 12,         /* that move */
    FIRST_CLOCK = 20000 /* by then the core has its settings */
};

/* ---- input of the cores */

struct change {
    uint64_t clock;
    enum { LINE, CONSOLE, OUTSIDE_CLK, OUTSIDE_SYNC, QUESTION } what;
    uint64_t line;
    unsigned address; /* of the register that the host reads then */
    bool low, half;   /* half: in the second half of the clock */
};

struct script {
    struct pb_sim_config config;
    uint64_t clocks;
    struct change change[CHANGES_MAX];
    unsigned changes;
    uint8_t bytes[16384]; /* from the host */
    size_t count;
    uint8_t sequence;
};

static struct script script;
static uint64_t draw(uint64_t limit)
{
    return below((unsigned)limit);
}

static void send(uint8_t opcode, const uint8_t *payload, size_t length)
{
    struct pb_packet packet = {.opcode = opcode, .sequence = script.sequence++, .length = (uint8_t)length};
    memcpy(packet.payload, payload, length);
    script.count += pb_packet_encode(&packet, script.bytes + script.count);
    assert_true(script.count < sizeof script.bytes - PB_PACKET_WIRE_MAX);
}

static void set(unsigned address, uint32_t value)
{
    uint8_t payload[PB_PACKET_WRITE_BYTES + 4] = {0};
    PB_BYTES_PUT(PB_PACKET_WRITE_ADDRESS, payload, address);
    for (unsigned i = 0; i < 4; i++)
        payload[PB_PACKET_WRITE_BYTES + i] = (uint8_t)(value >> 8 * i);
    send(PB_OPCODE_WRITE, payload, sizeof payload);
}

static void play(unsigned lane, unsigned target, unsigned phase, unsigned superframe, uint32_t offset,
                 uint32_t bit_period)
{
    uint8_t payload[PB_PACKET_PLAY_BYTES + PB_PLAY_RECORD_BYTES + 8] = {0};
    uint8_t *record = payload + PB_PACKET_PLAY_BYTES, *data = record + PB_PLAY_RECORD_BYTES;
    const unsigned count = 1 + (unsigned)draw(8), mark = draw(4) ? 0 : 1 + (unsigned)draw(6);
    PB_BYTES_PUT(PB_PACKET_PLAY_TARGET, payload, lane);
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, target);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, count);
    PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, phase);
    PB_BYTES_PUT(PB_PLAY_RECORD_MARK, record, mark);
    PB_BYTES_PUT(PB_PLAY_RECORD_SUPERFRAME, record, superframe);
    PB_BYTES_PUT(PB_PLAY_RECORD_NUMBER, record, (uint32_t)draw(32768));
    PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, offset);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, bit_period);
    for (unsigned i = 0; i < count; i++)
        data[i] = (uint8_t)draw(256);
    send(PB_OPCODE_PLAY, payload, PB_PACKET_PLAY_BYTES + PB_PLAY_RECORD_BYTES + count);
}

static void spoil(unsigned unit, unsigned phase, unsigned superframe, uint32_t offset, uint32_t period)
{
    uint8_t payload[PB_PACKET_PLAY_BYTES + PB_FAULT_RECORD_BYTES] = {0};
    uint8_t *record = payload + PB_PACKET_PLAY_BYTES;
    PB_BYTES_PUT(PB_PACKET_PLAY_TARGET, payload, PB_PACKET_TARGET_FAULT | unit);
    PB_BYTES_PUT(PB_FAULT_RECORD_KIND, record, 1 + (uint32_t)draw(PB_FAULT_DRIFT));
    PB_BYTES_PUT(PB_FAULT_RECORD_LINK, record, (uint32_t)draw(LINKS));
    PB_BYTES_PUT(PB_FAULT_RECORD_PHASE, record, phase);
    PB_BYTES_PUT(PB_FAULT_RECORD_SUPERFRAME, record, superframe);
    PB_BYTES_PUT(PB_FAULT_RECORD_NUMBER, record, (uint32_t)draw(32768));
    PB_BYTES_PUT(PB_FAULT_RECORD_OFFSET, record, offset);
    PB_BYTES_PUT(PB_FAULT_RECORD_OTHER, record, (uint32_t)draw(LINKS));
    PB_BYTES_PUT(PB_FAULT_RECORD_LENGTH, record, 1 + (uint32_t)draw(period));
    PB_BYTES_PUT(PB_FAULT_RECORD_PARAMETER, record, 1 + (uint32_t)draw(1000));
    send(PB_OPCODE_PLAY, payload, sizeof payload);
}

static void at(uint64_t clock, struct change change)
{
    assert_true(script.changes < CHANGES_MAX);
    change.clock = clock;
    script.change[script.changes++] = change;
}

static int earlier(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    return left->clock < right->clock ? -1 : left->clock > right->clock;
}

/* Lows of any length on the lines and on the console, with long pauses. */
static void disturb(uint64_t pause)
{
    for (uint64_t clock = FIRST_CLOCK + draw(pause); clock < script.clocks;) {
        struct change change = {.what = draw(8) ? LINE : CONSOLE, .line = UINT64_C(1) << draw(LINKS)};
        change.half = draw(2);
        change.low = true;
        at(clock, change);
        clock += 1 + draw(draw(3) ? 4 : 6000);
        change.half = draw(2);
        change.low = false;
        at(clock, change);
        clock += 1 + draw(draw(3) ? pause : 100);
    }
}

/* More edges than the sender sends, with pauses of 20 clocks and less than `pause` more, in which it alone is
 * at work. The host reads counters meanwhile. */
static void flood(uint64_t pause)
{
    static const unsigned counter[] = {PB_REG_EVENTS_LOST, PB_REG_EVENTS_SENT, PB_REG_STATUS};
    uint64_t low = 0;
    for (uint64_t clock = FIRST_CLOCK; clock < script.clocks; clock += 20 + draw(pause)) {
        const uint64_t moves = draw(1 << LINKS);
        low ^= moves;
        for (unsigned i = 0; i < LINKS; i++)
            if (moves >> i & 1)
                at(clock, (struct change){.what = LINE, .line = UINT64_C(1) << i, .low = low >> i & 1});
        if (!draw(16))
            at(clock, (struct change){.what = QUESTION, .address = counter[draw(3)]});
    }
}

/* The clock of another device; every now and then an edge is missing. */
static void clock_outside(unsigned phases, uint64_t period)
{
    unsigned phase = 0;
    for (uint64_t clock = FIRST_CLOCK; clock + period < script.clocks; clock += period) {
        at(clock - 20, (struct change){.what = OUTSIDE_SYNC, .low = phase != 0});
        if (draw(20)) {
            const uint64_t late = draw(3);
            at(clock + late, (struct change){.what = OUTSIDE_CLK, .half = draw(2)});
            at(clock + late + period / 2, (struct change){.what = OUTSIDE_CLK, .low = true});
        }
        phase = (phase + 1) % phases;
    }
}

static void begin(uint64_t seed, enum pb_sim_shape shape, enum pb_sim_port port, uint64_t clocks)
{
    script.config = (struct pb_sim_config){.shape = shape, .port = port};
    if (port == PB_SIM_UART) /* 12 Mbaud to 190 kbaud */
        script.config.uart_clocks_per_bit = seed % 8 ? 4 : 4 + (unsigned)(seed * 37 % 252);
    script.clocks = clocks;
    script.changes = 0;
    script.count = 0;
    script.sequence = 1;
    random_state = seed;
    uint8_t credits[PB_PACKET_CREDIT_BYTES];
    PB_BYTES_PUT(PB_PACKET_CREDIT_PACKETS, credits, seed % 5 == 2 ? 40 : 0xffff); /* few: each counts */
    send(PB_OPCODE_CREDIT, credits, sizeof credits);
}

/* Settings, records and inputs of one case. */
static void make(uint32_t period, uint64_t pause, bool follow)
{
    const unsigned phases = 2 + (unsigned)draw(6);
    const uint32_t half = period / 2;
    set(PB_REG_PHASE_COUNT, phases);
    set(PB_REG_PERIOD_TICKS, period);
    set(PB_REG_PERIOD_DEN, 1000);
    set(PB_REG_PERIOD_NUM, (uint32_t)draw(1000));
    set(PB_REG_HIGH_TICKS, 1 + (uint32_t)draw(period - 2));
    set(PB_REG_GUARD_HEAD, (uint32_t)draw(half));
    set(PB_REG_GUARD_TAIL, half + (uint32_t)draw(half));
    set(PB_REG_TOLERANCE, 1 + (uint32_t)draw(4));
    set(PB_REG_BIT_PERIOD, (16 * 8) + (uint32_t)draw(16 * 600));
    set(PB_REG_CONSOLE_PERIOD, (16 * 8) + (uint32_t)draw(16 * 2000));
    set(PB_REG_JOIN_BLANK, (uint32_t)draw(100));
    set(PB_REG_EDGE_MASK0, 0xfff);
    set(PB_REG_BYTE_MASK0, 0xfff);
    set(PB_REG_WATCHDOG, draw(3) ? 0 : 2 + (uint32_t)draw(8));
    for (unsigned i = 0; i < LINKS; i++) /* link 0 and 1, 2 and 3 ... are partners */
        set(PB_REG_LINK + i, PB_PUT(PB_LINK_MODE, (uint32_t)draw(4)) | PB_PUT(PB_LINK_PARTNER, i ^ 1) |
                                 PB_PUT(PB_LINK_PHASE, draw(2) ? PB_LINK_PHASE_ANY : (uint32_t)draw(phases)));
    for (unsigned i = 0; i < 8; i++)
        play(i % 2, (unsigned)draw(LINKS), (unsigned)draw(phases), 1 + i, (uint32_t)draw(period),
             (16 * 2) + (uint32_t)draw(16 * 1000));
    for (unsigned i = 0; i < 4; i++)
        play(2, PB_PLAY_TARGET_CONSOLE, (unsigned)draw(phases), 1 + 2 * i, (uint32_t)draw(period), 16 * 400);
    for (unsigned i = 0; i < 6; i++)
        spoil(i % 2, (unsigned)draw(phases), 1 + i, (uint32_t)draw(period), period);
    set(PB_REG_CTRL, CAPTURE | (follow ? FOLLOW : 0));
    set(PB_REG_CTRL, RUN | CAPTURE | (follow ? FOLLOW : 0));
    disturb(pause);
    if (follow)
        clock_outside(phases, period);
    qsort(script.change, script.changes, sizeof script.change[0], earlier);
}

/* A core that captures the edges of all lines; no receiver has a byte before the end. */
static void make_flood(uint64_t pause)
{
    set(PB_REG_BIT_PERIOD, 16 * 4000);
    set(PB_REG_EDGE_MASK0, 0xfff);
    set(PB_REG_CTRL, CAPTURE);
    flood(pause);
}

/* ---- what the cores do */

enum way { EACH_CLOCK, LEAPS, LEAPS_WHILE_SENDING };

struct happened {
    uint64_t clock, what;
    bool sent; /* a byte, by this clock */
};

struct course {
    struct happened happened[HAPPENED_MAX];
    size_t count;
    uint64_t left_out;
};

static void note(struct course *course, uint64_t clock, uint64_t what, bool sent)
{
    assert_true(course->count < HAPPENED_MAX);
    course->happened[course->count++] = (struct happened){clock, what, sent};
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
}

static uint64_t outputs(const struct pb_sim_pins *pins)
{
    uint64_t hash = mix(mix(1, pins->link_pull), pins->link_high);
    hash = mix(mix(mix(hash, pins->nrst), pins->boot0), pins->uart0_rx);
    return mix(hash, pins->tdma_clk | pins->tdma_sync << 1 | pins->tdma_drive << 2 | pins->running << 3);
}

static void ask(struct pb_sim *sim, unsigned address, unsigned number)
{
    struct pb_packet packet = {
        .opcode = PB_OPCODE_READ, .sequence = (uint8_t)number, .length = PB_PACKET_READ_BYTES};
    uint8_t wire[PB_PACKET_WIRE_MAX];
    PB_BYTES_PUT(PB_PACKET_READ_ADDRESS, packet.payload, address);
    PB_BYTES_PUT(PB_PACKET_READ_WORDS, packet.payload, 1);
    assert_int_equal(pb_sim_host_write(sim, wire, pb_packet_encode(&packet, wire)), 0);
}

static void follow_script(struct course *course, enum way way)
{
    struct pb_sim_config config = script.config;
    config.every_clock = way == EACH_CLOCK;
    struct pb_sim *sim = pb_sim_create(&config);
    assert_non_null(sim);
    struct pb_sim_pins pins = {.uart0 = 0xffff};
    uint64_t low = 0;
    bool outside_clk = false, outside_sync = false;
    unsigned next = 0;
    course->count = 0;
    course->left_out = 0;
    assert_int_equal(pb_sim_host_write(sim, script.bytes, script.count), 0);
    while (pb_sim_clocks(sim) < script.clocks) {
        uint64_t now = pb_sim_clocks(sim);
        pins.link_second = 0;
        pins.tdma_second = pins.sync_second = false;
        for (; next < script.changes && script.change[next].clock <= now; next++) {
            const struct change *change = &script.change[next];
            if (change->what == LINE) {
                low = change->low ? low | change->line : low & ~change->line;
                if (change->half)
                    pins.link_second |= change->line;
            } else if (change->what == CONSOLE)
                pins.uart0 = change->low ? 0xfffe : 0xffff;
            else if (change->what == OUTSIDE_CLK) {
                outside_clk = !change->low;
                pins.tdma_second = change->half;
            } else if (change->what == QUESTION)
                ask(sim, change->address, next);
            else {
                outside_sync = !change->low;
                pins.sync_second = change->half;
            }
        }
        pins.link = ~(low | pins.link_pull);
        pins.tdma_clk_in = pins.tdma_drive ? pins.tdma_clk : outside_clk;
        pins.tdma_sync_in = pins.tdma_drive ? pins.tdma_sync : outside_sync;
        const uint64_t change = next < script.changes ? script.change[next].clock : script.clocks;
        const uint64_t until = change < script.clocks ? change : script.clocks;
        const uint64_t rest = pb_sim_rest(sim, &pins, way == LEAPS_WHILE_SENDING);
        if (rest)
            course->left_out += pb_sim_leap(sim, rest < until - now ? rest : until - now);
        now = pb_sim_clocks(sim);
        if (pb_sim_clock(sim, &pins))
            note(course, now, outputs(&pins), false);
        uint8_t byte;
        while (pb_sim_host_read(sim, &byte, 1))
            note(course, now, byte, true);
    }
    pb_sim_destroy(sim);
}

static void compare_each(const char *name, const struct course *each, const struct course *leapt)
{
    for (size_t i = 0; i < each->count && i < leapt->count; i++)
        if (each->happened[i].clock != leapt->happened[i].clock ||
            each->happened[i].what != leapt->happened[i].what)
            fail_msg("%s: what happens as number %zu does so in clock %" PRIu64 " (%" PRIx64
                     "), with clocks left out in %" PRIu64 " (%" PRIx64 ")",
                     name, i, each->happened[i].clock, each->happened[i].what, leapt->happened[i].clock,
                     leapt->happened[i].what);
    assert_int_equal(each->count, leapt->count);
}

static size_t next_of(const struct course *course, size_t at, bool sent)
{
    while (at < course->count && course->happened[at].sent != sent)
        at++;
    return at;
}

/* Bytes that are sent in clocks left out are seen after them: then all of these clocks, and none later. */
static void compare_sent(const char *name, const struct course *each, const struct course *leapt)
{
    for (int sent = 0; sent < 2; sent++) {
        size_t i = next_of(each, 0, sent), k = next_of(leapt, 0, sent);
        for (uint64_t seen = 0; i < each->count && k < leapt->count;
             i = next_of(each, i + 1, sent), k = next_of(leapt, k + 1, sent)) {
            const struct happened *is = &each->happened[i], *was = &leapt->happened[k];
            const bool in_time = sent ? is->clock <= was->clock && (seen == was->clock || is->clock > seen)
                                      : is->clock == was->clock;
            if (!in_time || is->what != was->what)
                fail_msg("%s: %" PRIx64 " in clock %" PRIu64 ", with bytes sent in clocks left out %" PRIx64
                         " by %" PRIu64 " after %" PRIu64,
                         name, is->what, is->clock, was->what, was->clock, seen);
            seen = was->clock;
        }
        assert_int_equal(i, each->count);
        assert_int_equal(k, leapt->count);
    }
}

/* Events that the core sent which report lost ones. */
static unsigned overflows(const struct course *course)
{
    struct pb_packet_decoder decoder = {0};
    struct pb_packet packet;
    unsigned count = 0;
    for (size_t i = 0; i < course->count; i++)
        if (course->happened[i].sent &&
            pb_packet_decode(&decoder, (uint8_t)course->happened[i].what, &packet) &&
            packet.opcode == PB_OPCODE_EVENTS)
            /* a sequence number, then the events */
            for (size_t last = 4 + 7; last < packet.length; last += 8)
                count += packet.payload[last] >> 4 == PB_EVENT_OVERFLOW;
    return count;
}

static struct course each, leapt;

/* Returns how many clocks were left out. */
static uint64_t compare(const char *name)
{
    follow_script(&each, EACH_CLOCK);
    assert_int_equal(each.left_out, 0);
    assert_true(each.count > 100);
    follow_script(&leapt, LEAPS_WHILE_SENDING);
    compare_sent(name, &each, &leapt);
    const uint64_t while_sending = leapt.left_out;
    follow_script(&leapt, LEAPS);
    compare_each(name, &each, &leapt);
    if (script.config.uart_clocks_per_bit <= 4) /* a slow port leaves clocks out also within its bits */
        assert_true(while_sending > leapt.left_out);
    return leapt.left_out;
}

enum {
    SMALL_CASES = 40,
    SMALL_CLOCKS = 400000,
    FLOOD_CASES = 4,
    UART_FLOOD_CASES = 2,
    UART_FLOOD_CLOCKS = 700000,
    FLOOD_CLOCKS = 150000,
    LARGE_CASES = 4,
    LARGE_CLOCKS = 200000,
    LONG_CLOCKS = 18000000
};

/* A comparison proves something when a good part of the clocks was left out. */
TEST(test_small_core)
{
    uint64_t left_out = 0;
    for (uint64_t seed = 1; seed <= SMALL_CASES; seed++) {
        const char *name = formatted("case %" PRIu64, seed);
        begin(seed, PB_SIM_12, seed % 4 ? PB_SIM_STREAM : PB_SIM_UART, SMALL_CLOCKS);
        make(2000 + (uint32_t)draw(30000), 1000 + draw(20000), seed % 3 == 0);
        left_out += compare(name);
    }
    assert_true(left_out > UINT64_C(1) * SMALL_CASES * SMALL_CLOCKS / 4);
}

/* The buffer of events is full, so the capture waits for the sender; in one case for credits. */
TEST(test_full_buffer)
{
    for (uint64_t seed = 201; seed < 201 + FLOOD_CASES; seed++) {
        const char *name = formatted("full buffer %" PRIu64, seed);
        begin(seed, PB_SIM_12, PB_SIM_STREAM, FLOOD_CLOCKS);
        make_flood(60);
        compare(name);
        assert_true(overflows(&each) > (seed % 5 == 2 ? 0 : 100));
    }
}

/* Here also the port rests, within the bits of an event that is then taken out of the full buffer. */
TEST(test_full_buffer_of_a_uart)
{
    for (uint64_t seed = 303; seed < 303 + UART_FLOOD_CASES; seed++) {
        const char *name = formatted("full buffer %" PRIu64 " of a UART", seed);
        begin(seed, PB_SIM_12, PB_SIM_UART, UART_FLOOD_CLOCKS);
        script.config.uart_clocks_per_bit = 8 + 4 * (unsigned)(seed % 2);
        make_flood(1000);
        compare(name);
        assert_true(overflows(&each) > 0);
    }
}

TEST(test_large_core)
{
    uint64_t left_out = 0;
    for (uint64_t seed = 101; seed < 101 + LARGE_CASES; seed++) {
        const char *name = formatted("case %" PRIu64, seed);
        begin(seed, PB_SIM_64, PB_SIM_STREAM, LARGE_CLOCKS);
        make(2000 + (uint32_t)draw(30000), 1000 + draw(20000), seed % 2);
        left_out += compare(name);
    }
    assert_true(left_out > UINT64_C(1) * LARGE_CASES * LARGE_CLOCKS / 4);
}

/* A heartbeat comes every 2^24 clocks, and a phase is longer than any offset of a record. */
TEST(test_long_phase)
{
    begin(7, PB_SIM_12, PB_SIM_STREAM, LONG_CLOCKS);
    make((1 << 24) + 100000, 2000000, false);
    assert_true(compare("a long phase") > UINT64_C(1) * LONG_CLOCKS * 9 / 10);
}
