/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The UART model at its pins: waveforms by the divisor of the data sheet (4.2.7.1), in whole cycles.
 */
#include "bench/emulator/soc/pl011.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum {
    DR = 0x00,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR_H = 0x2C,
    CR = 0x30,
    IFLS = 0x34,
    IMSC = 0x38,
    RIS = 0x3C,
    MIS = 0x40,
    ICR = 0x44
};
enum { FORMAT_8N1 = 0x60, FIFOS = 0x10, ON = 0x301 };
enum { RX = 0x10, TX = 0x20, TIMEOUT = 0x40, FRAMING = 0x80, BREAK = 0x200, OVERRUN = 0x400 };

/* Section 4.2. */
static const struct pb_pl011_kind kind = {
    .depth = 32, .samples = 3, .holds_dmacr = true, .full_loses = true, .revision = 3};
static struct pb_pl011 uart;
static uint64_t now;
static struct {
    uint64_t cycle;
    bool level;
} edge[1000];
static unsigned edges;

static void run(uint64_t cycle)
{
    while (uart.next < cycle) {
        const bool level = uart.tx;
        now = uart.next;
        pb_pl011_advance(&uart, now);
        if (uart.tx != level) {
            edge[edges].cycle = now;
            edge[edges++].level = uart.tx;
        }
    }
    now = cycle;
}

static void put(uint32_t offset, uint32_t value)
{
    assert_null(pb_pl011_write(&uart, now, offset, value));
}

static uint32_t get(uint32_t offset)
{
    uint32_t value = 0;
    assert_null(pb_pl011_read(&uart, now, offset, &value));
    return value;
}

static void power_up(uint32_t whole, uint32_t in_64, uint32_t format)
{
    pb_pl011_power_up(&uart, &kind, 1);
    now = edges = 0;
    put(IBRD, whole);
    put(FBRD, in_64);
    put(LCR_H, format);
    put(CR, ON);
}

static bool level_of(const uint8_t *bytes, unsigned bit)
{
    const unsigned place = bit % 10;
    return place == 0 ? false : place == 9 || (bytes[bit / 10] >> (place - 1) & 1);
}

/* Boundary k of a run is 16 k ticks of IBRD + FBRD / 64 cycles after a start at a tick, rounded down. */
TEST(transmitter_follows_the_divisor)
{
    static const struct {
        uint32_t whole, in_64;
    } divisor[] = {{1, 0}, {7, 52}, {67, 52}, {4, 63}, {65535, 0}};
    static const uint8_t bytes[] = {0x55, 0x00, 0xFF, 0xA3};
    for (size_t i = 0; i < COUNT(divisor); i++) {
        const uint64_t d = divisor[i].whole * 64 + divisor[i].in_64;
        power_up(divisor[i].whole, divisor[i].in_64, FORMAT_8N1 | FIFOS);
        run(1000);
        for (unsigned b = 0; b < COUNT(bytes); b++)
            put(DR, bytes[b]);
        uint64_t tick = 0;
        while (tick * d / 64 < 1001)
            tick++;
        run(1000 + 41 * 16 * d / 64);
        unsigned seen = 0;
        bool level = true;
        for (unsigned bit = 0; bit < 40; bit++) {
            if (level_of(bytes, bit) == level)
                continue;
            level = !level;
            assert_true(seen < edges);
            assert_int_equal(edge[seen].cycle, (tick + 16 * bit) * d / 64);
            assert_int_equal(edge[seen++].level, level);
        }
        assert_int_equal(seen, edges);
        assert_int_equal(get(FR) & 0x88, 0x80); /* empty, not busy */
    }
}

/* Bit k of a run begins at start + k * bit, in 1/100 cycles. */
static void play(uint64_t start, uint64_t bit_100, const uint8_t *bytes, unsigned count)
{
    for (unsigned bit = 0; bit < 10 * count; bit++) {
        run(start + bit * bit_100 / 100);
        pb_pl011_input(&uart, now, level_of(bytes, bit));
    }
    run(start + 10 * count * bit_100 / 100);
}

TEST(receiver_tolerates_three_percent)
{
    static const uint8_t bytes[] = {0x00, 0xFF, 0x55, 0xAA, 0x81};
    for (uint64_t percent = 97; percent <= 103; percent++) {
        power_up(7, 52, FORMAT_8N1 | FIFOS); /* 125 cycles a bit */
        play(1000 + percent, 125 * percent, bytes, COUNT(bytes));
        run(now + 2000);
        for (unsigned i = 0; i < COUNT(bytes); i++)
            assert_int_equal(get(DR), bytes[i]);
        assert_int_equal(get(FR) & 0x10, 0x10);
        assert_int_equal(get(RIS) & (FRAMING | BREAK | OVERRUN), 0);
    }
}

/* A pulse that is over before tick 8 is no start bit; a low stop bit is a framing error, all low a break. */
TEST(false_start_framing_error_and_break)
{
    power_up(8, 0, FORMAT_8N1);
    run(1024);
    pb_pl011_input(&uart, now, false);
    run(now + 63);
    pb_pl011_input(&uart, now, true);
    run(now + 3000);
    assert_int_equal(get(FR) & 0x10, 0x10);
    for (unsigned breaks = 0; breaks < 2; breaks++) {
        pb_pl011_input(&uart, now, false);
        run(now + (breaks ? 128 * 11 : 64 + 16));
        if (!breaks) { /* one data bit is high */
            run(now + 48);
            pb_pl011_input(&uart, now, true);
            run(now + 128);
            pb_pl011_input(&uart, now, false);
            run(now + 128 * 9);
        }
        pb_pl011_input(&uart, now, true);
        run(now + 3000);
        assert_int_equal(get(RIS) & (FRAMING | BREAK), breaks ? FRAMING | BREAK : FRAMING);
        assert_int_equal(get(DR), breaks ? 0x500 : 0x101);
        put(ICR, FRAMING | BREAK);
    }
}

/* Without FIFOs the second byte that is not read is lost, and the next one carries the mark. */
TEST(overrun)
{
    static const uint8_t bytes[] = {0x11, 0x22, 0x33};
    power_up(8, 0, FORMAT_8N1);
    put(IMSC, RX);
    play(1000, 12800, bytes, 2);
    run(now + 2000);
    assert_true(uart.irq);
    assert_int_equal(get(RIS) & OVERRUN, OVERRUN);
    assert_int_equal(get(DR), 0x11);
    assert_false(uart.irq);
    play(now, 12800, bytes + 2, 1);
    run(now + 2000);
    assert_int_equal(get(DR), 0x833);
}

/* The interrupt comes when the last character has left the FIFO, not because it is empty. */
TEST(transmit_interrupt_is_a_transition)
{
    power_up(8, 0, FORMAT_8N1);
    put(IMSC, TX);
    run(1000);
    assert_false(uart.irq);
    put(DR, 'a');
    assert_true(uart.irq); /* it went to the shift register at once */
    put(DR, 'b');
    assert_false(uart.irq);
    assert_int_equal(get(FR) & 0x20, 0x20);
    run(1000 + 10 * 128 + 16);
    assert_true(uart.irq);
    put(ICR, TX);
    run(10000);
    assert_false(uart.irq);
    assert_int_equal(edges, 12); /* 0 1000 0110 1 and 0 0100 0110 1 on the line */
}

/* FIFOs: the interrupt at 1/2 of 32, the timeout 32 bits after the last byte. */
TEST(receive_levels_and_timeout)
{
    uint8_t bytes[17];
    memset(bytes, 0x5A, sizeof bytes);
    power_up(8, 0, FORMAT_8N1 | FIFOS);
    put(IMSC, RX | TIMEOUT);
    play(1000, 12800, bytes, 15);
    run(now + 128);
    assert_false(uart.irq);
    play(now, 12800, bytes, 1);
    assert_int_equal(get(MIS), RX);
    assert_int_equal(get(DR), 0x5A);
    assert_int_equal(get(MIS), 0);
    run(now + 128 * 32 - 10);
    assert_int_equal(get(MIS), 0);
    run(now + 20);
    assert_int_equal(get(MIS), TIMEOUT);
    for (unsigned i = 0; i < 15; i++)
        assert_int_equal(get(DR), 0x5A);
    assert_int_equal(get(MIS), 0);
}

/* Section 4.2.3.2.2: three readings, the middle one at the eighth tick. One to three of bit 3 are low. */
TEST(each_bit_is_the_majority_of_three_samples)
{
    for (unsigned low = 1; low <= 3; low++) {
        power_up(4, 0, FORMAT_8N1);
        run(401);
        pb_pl011_input(&uart, now, false);
        run(401 + 64);
        pb_pl011_input(&uart, now, true);
        /* The start bit begins at the tick at 404; ticks 7 to 9 of bit 3. */
        run(404 + 3 * 64 + 7 * 4 - 1);
        pb_pl011_input(&uart, now, false);
        run(404 + 3 * 64 + (6 + low) * 4 + 1);
        pb_pl011_input(&uart, now, true);
        run(401 + 640);
        assert_int_equal(get(DR), low == 1 ? 0xFF : 0xFB);
    }
}

/* 33 characters: one in the shift register, 32 in the FIFO; what comes then is lost. */
TEST(transmit_fifo_is_32_deep_and_loses_what_is_too_much)
{
    power_up(8, 0, FORMAT_8N1 | FIFOS);
    for (unsigned i = 0; i < 33; i++) {
        assert_int_equal(get(FR) & 0x20, 0);
        put(DR, 0xFF);
    }
    assert_int_equal(get(FR) & 0x20, 0x20);
    put(DR, 0x00);
    run(40 * 1280);
    assert_int_equal(get(FR) & 0x88, 0x80);
    assert_int_equal(edges, 2 * 33);
}

TEST(receive_fifo_is_32_deep)
{
    uint8_t bytes[33];
    for (unsigned i = 0; i < 33; i++)
        bytes[i] = (uint8_t)(0x20 + i);
    power_up(8, 0, FORMAT_8N1 | FIFOS);
    play(1000, 12800, bytes, 32);
    run(now + 128);
    assert_int_equal(get(FR) & 0x40, 0x40);
    assert_int_equal(get(RIS) & OVERRUN, 0);
    play(now, 12800, bytes + 32, 1);
    assert_int_equal(get(RIS) & OVERRUN, OVERRUN);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(get(DR), 0x20 + i);
    assert_int_equal(get(FR) & 0x10, 0x10);
}

/* What is seen is what a wait up to `visible` may not skip. */
TEST(nothing_is_seen_before_visible)
{
    static const uint8_t bytes[] = {0x00, 0xFF, 0x55};
    power_up(7, 52, FORMAT_8N1);
    put(IMSC, RX | TX | FRAMING);
    put(DR, 0x5A);
    unsigned begun = 0;
    for (unsigned bit = 0; bit < 30; bit++) {
        const uint64_t end = 1000 + 125 * (uint64_t)bit;
        while (uart.next < end) {
            const bool level = uart.tx, irq = uart.irq;
            const uint64_t visible = uart.visible;
            assert_true(visible >= uart.next);
            begun += visible > uart.next;
            now = uart.next;
            pb_pl011_advance(&uart, now);
            assert_true(now >= visible || (uart.tx == level && uart.irq == irq));
        }
        now = end;
        pb_pl011_input(&uart, now, level_of(bytes, bit));
        if (bit % 10 == 9)
            get(DR);
    }
    assert_int_equal(begun, 3); /* bytes began */
}

/* The ticks begin at the instant of the call, and no start bit is missed. */
TEST(aligned_ticks)
{
    static const uint8_t byte = 0xA3;
    power_up(100, 0, FORMAT_8N1);
    run(5050);
    pb_pl011_align(&uart, now);
    play(5051, 160000, &byte, 1);
    assert_int_equal(get(DR), 0xA3);
    pb_pl011_align(&uart, now);
    const uint64_t begin = now;
    put(DR, 0x00);
    run(begin + 5000);
    assert_int_equal(edge[0].cycle, begin + 100);
    pb_pl011_align(&uart, now); /* within a character: no effect */
    run(begin + 30000);
    assert_int_equal(edge[1].cycle, begin + 100 + 9 * 1600);
}

/* DMACR, which the SDK sets in each program, and the identity. */
TEST(registers_of_the_part)
{
    static const uint32_t id[8] = {0x11, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
    power_up(8, 0, FORMAT_8N1);
    put(0x48, 3);
    assert_int_equal(get(0x48), 3);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(get(0xFE0 + 4 * i), id[i]);
}

TEST(what_is_not_modelled_is_named)
{
    power_up(8, 0, FORMAT_8N1);
    assert_non_null(pb_pl011_write(&uart, now, CR, ON | 0x80));   /* loopback */
    assert_non_null(pb_pl011_write(&uart, now, CR, ON | 0x8000)); /* CTS */
    pb_pl011_power_up(&uart, &kind, 1);
    assert_non_null(pb_pl011_write(&uart, 0, CR, ON)); /* no divisor */
}
