/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The UART model at its registers and pins. Expected edges come from the divisor alone: bit k of a character
 * is k * 16 * (IBRD + FBRD / 64) UART clocks after its start bit, and an edge is at a whole clock. Register
 * numbers and bits are those of ARM DDI 0183.
 */
#include "bench/emulator/soc/pl011.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR_H = 0x2C,
    CR = 0x30,
    IFLS = 0x34,
    IMSC = 0x38
};
enum { RIS = 0x3C, MIS = 0x40, ICR = 0x44, DMACR = 0x48 };
enum { PLAIN = 0x60, FIFO = 0x70 }; /* LCR_H: 8N1 */
enum { ENABLED = 0x301, CTS_TOO = 0x8301 };

#define BEGIN UINT64_C(1000) /* cycle of the set-up */

/* As in an AG32VF303. */
static const struct pb_pl011_kind kind = {.depth = 16, .samples = 3, .clear_to_send = true};
static struct pb_pl011 uart;

static void put(uint64_t cycle, uint32_t offset, uint32_t value)
{
    pb_pl011_advance(&uart, cycle);
    assert_null(pb_pl011_write(&uart, cycle, offset, value));
}

static uint32_t get(uint64_t cycle, uint32_t offset)
{
    uint32_t value = 0;
    pb_pl011_advance(&uart, cycle);
    assert_null(pb_pl011_read(&uart, cycle, offset, &value));
    return value;
}

static void set_up(unsigned divider, uint32_t integer, uint32_t fraction, uint32_t lcr_h, uint32_t cr)
{
    pb_pl011_power_up(&uart, &kind, divider);
    put(BEGIN, IBRD, integer);
    put(BEGIN, FBRD, fraction);
    put(BEGIN, LCR_H, lcr_h);
    put(BEGIN, CR, cr);
}

/* The edges of the transmitter: odd ones rise. */
struct edges {
    uint64_t at[2000];
    unsigned count;
};

static struct edges run_until(uint64_t cycle)
{
    static struct edges edges;
    bool level = uart.tx;
    edges.count = 0;
    while (uart.next <= cycle) {
        const uint64_t now = uart.next;
        pb_pl011_advance(&uart, now);
        if (uart.tx != level)
            edges.at[edges.count++] = now;
        level = uart.tx;
    }
    return edges;
}

/* Drives a line with a sender whose bits last bit64 / 64 cycles; `bits` are its levels, first bit first.
 * Returns the cycle of the end of the last bit. */
static uint64_t drive(uint64_t cycle, uint64_t bit64, const char *bits)
{
    unsigned k = 0;
    for (; bits[k]; k++) {
        const uint64_t at = cycle + k * bit64 / 64;
        pb_pl011_advance(&uart, at - 1);
        pb_pl011_input(&uart, at, bits[k] == '1');
    }
    pb_pl011_advance(&uart, cycle + k * bit64 / 64);
    return cycle + k * bit64 / 64;
}

static const char *bits_of(uint8_t byte)
{
    static char bits[11];
    for (unsigned b = 0; b < 8; b++)
        bits[1 + b] = byte >> b & 1 ? '1' : '0';
    bits[0] = '0';
    bits[9] = '1';
    return bits;
}

TEST(sent_bits_follow_the_divisor)
{
    const struct {
        unsigned divider, integer, fraction;
    } rate[] = {{1, 6, 16}, {1, 54, 16}, {1, 13, 36}, {1, 1, 0},
                {1, 1, 63}, {2, 3, 8},   {5, 2, 1},   {16, 65535, 0}};
    for (unsigned r = 0; r < COUNT(rate); r++) {
        const uint64_t bit64 = (64 * (uint64_t)rate[r].integer + rate[r].fraction) * 16 * rate[r].divider;
        set_up(rate[r].divider, rate[r].integer, rate[r].fraction, FIFO, ENABLED);
        for (unsigned i = 0; i < 16; i++)
            put(BEGIN + 10, DR, 0x55); /* ten edges each: every bit differs from the one before it */
        const struct edges edges = run_until(BEGIN + 10 + 161 * bit64 / 64);
        assert_int_equal(edges.count, 160);
        assert_in_range(edges.at[0], BEGIN + 11, BEGIN + 11 + bit64 / 64 / 16 + rate[r].divider);
        for (unsigned k = 0; k < edges.count; k++) {
            const int64_t off = (int64_t)(64 * (edges.at[k] - edges.at[0])) - (int64_t)(k * bit64);
            assert_true(labs(off) < 64 * (long)rate[r].divider); /* within one clock, however many bits */
            assert_int_equal((edges.at[k] - BEGIN) % rate[r].divider, 0);
        }
        assert_int_equal(get(BEGIN + 10 + 162 * bit64 / 64, FR) & 0xB8, 0x90); /* idle, both FIFOs empty */
        assert_true(uart.next == PB_PL011_NEVER);
    }
}

/* Levels of one character, from its start bit on, sampled at the middle of bits of 16 clocks. */
static void assert_character(uint32_t lcr_h, uint8_t byte, const char *expected)
{
    char bits[16] = "";
    set_up(1, 1, 0, lcr_h, ENABLED);
    put(BEGIN + 10, DR, byte);
    uint64_t start = BEGIN + 10;
    while (uart.tx)
        pb_pl011_advance(&uart, ++start);
    for (unsigned k = 0; k < strlen(expected); k++) {
        pb_pl011_advance(&uart, start + 16 * k + 8);
        bits[k] = uart.tx ? '1' : '0';
    }
    assert_string_equal(bits, expected);
    pb_pl011_advance(&uart, start + 16 * strlen(expected) - 1);
    assert_true(get(start + 16 * strlen(expected) - 1, FR) & 8);
    assert_false(get(start + 16 * strlen(expected), FR) & 8);
}

TEST(line_control_forms_the_character)
{
    assert_character(0x60, 0xA7, "0111001011");  /* 8N1 */
    assert_character(0x40, 0x27, "011100101");   /* 7N1 */
    assert_character(0x20, 0x27, "01110011");    /* 6N1 */
    assert_character(0x00, 0x07, "0111001");     /* 5N1 */
    assert_character(0x68, 0xA7, "01110010111"); /* 8N2 */
    assert_character(0x66, 0xA7, "01110010111"); /* 8E1: five ones, so the parity bit is 1 */
    assert_character(0x62, 0xA7, "01110010101"); /* 8O1 */
    assert_character(0xE2, 0xA7, "01110010111"); /* stick parity: 1 */
    assert_character(0xE6, 0xA7, "01110010101"); /* 0 */
}

TEST(break_holds_the_line_low)
{
    set_up(1, 1, 0, PLAIN, ENABLED);
    put(BEGIN + 10, LCR_H, PLAIN | 1);
    assert_false(uart.tx);
    put(BEGIN + 1000, LCR_H, PLAIN);
    assert_true(uart.tx);
}

TEST(received_bytes_at_the_limits_of_the_rate)
{
    const uint64_t bit64 = 16 * (6 * 64 + 16);
    for (int percent = -3; percent <= 3; percent++)
        for (unsigned byte = 0; byte < 256; byte += 5)
            for (unsigned shift = 0; shift < 7; shift += 3) {
                set_up(1, 6, 16, PLAIN, ENABLED);
                pb_pl011_advance(&uart, BEGIN + 50 + shift);
                const uint64_t end =
                    drive(BEGIN + 100 + shift, bit64 * (100 - percent) / 100, bits_of((uint8_t)byte));
                assert_int_equal(get(end, DR), byte);
            }
}

/* Samples 7, 8 and 9 of each bit, of which one may be wrong. */
TEST(each_bit_is_the_majority_of_three_samples)
{
    for (unsigned wrong = 1; wrong <= 3; wrong++) {
        set_up(1, 4, 0, PLAIN, ENABLED); /* a tick every 4 cycles, a bit of 64 */
        const uint64_t start = BEGIN + 401, bit3 = start + 3 * 64;
        pb_pl011_advance(&uart, start - 1);
        pb_pl011_input(&uart, start, false);
        pb_pl011_input(&uart, start + 64, true); /* data 0xFF */
        /* The start bit begins at the tick at start + 3; ticks 7 to 9 of bit 3. */
        pb_pl011_input(&uart, bit3 + 3 + 7 * 4 - 1, false);
        pb_pl011_input(&uart, bit3 + 3 + (6 + wrong) * 4 + 1, true);
        assert_int_equal(get(start + 10 * 64, DR), wrong == 1 ? 0xFF : 0xFB);
    }
}

TEST(short_start_bit_is_noise)
{
    set_up(1, 4, 0, PLAIN, ENABLED);
    pb_pl011_advance(&uart, BEGIN + 400);
    pb_pl011_input(&uart, BEGIN + 401, false);
    pb_pl011_input(&uart, BEGIN + 401 + 28, true); /* low for 7 of 16 ticks */
    assert_int_equal(get(BEGIN + 2000, FR) & 0x10, 0x10);
    assert_true(uart.next == PB_PL011_NEVER);
}

/* An idle line, or one that is low when the receiver is enabled, gives nothing. */
TEST(receiver_needs_a_falling_edge)
{
    set_up(1, 4, 0, PLAIN, 0x101);
    pb_pl011_input(&uart, BEGIN + 10, false);
    put(BEGIN + 20, CR, ENABLED);
    assert_int_equal(get(BEGIN + 5000, FR) & 0x10, 0x10);
    pb_pl011_input(&uart, BEGIN + 5001, true);
    const uint64_t end = drive(BEGIN + 6000, 64 * 64, bits_of(0x3C));
    assert_int_equal(get(end, DR), 0x3C);
}

TEST(errors_of_a_character)
{
    const struct {
        uint32_t lcr_h;
        const char *bits;
        uint32_t data, ris;
    } wrong[] = {
        {PLAIN, "0101010100", 0x155, 0x090}, /* framing */
        {PLAIN, "0000000000", 0x500, 0x290}, /* break: DR bits 8 and 10 */
        {0x66, "01000000001", 0x201, 0x110}, /* even parity, wrong */
        {0x66, "01000000011", 0x001, 0x010}, /* correct */
    };
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        set_up(1, 4, 0, wrong[i].lcr_h, ENABLED);
        const uint64_t end = drive(BEGIN + 400, 64 * 64, wrong[i].bits);
        pb_pl011_input(&uart, end, true);
        const uint32_t ris = get(end, RIS);
        assert_int_equal(ris & (wrong[i].ris | 0x10), wrong[i].ris);
        assert_int_equal(get(end, DR), wrong[i].data);
        assert_int_equal(get(end, RSR), wrong[i].data >> 8);
        put(end, RSR, 0);
        assert_int_equal(get(end, RSR), 0);
        assert_int_equal(get(end, RIS) & 0x10, 0);
    }
}

TEST(low_line_is_one_break)
{
    set_up(1, 4, 0, FIFO, ENABLED);
    pb_pl011_advance(&uart, BEGIN + 399);
    pb_pl011_input(&uart, BEGIN + 400, false);
    pb_pl011_advance(&uart, BEGIN + 100000);
    assert_int_equal(get(BEGIN + 100000, DR), 0x500);
    assert_int_equal(get(BEGIN + 100000, FR) & 0x10, 0x10);
}

TEST(receive_fifo_overruns_at_the_17th)
{
    uint64_t at = BEGIN + 400;
    set_up(1, 4, 0, FIFO, ENABLED);
    for (unsigned i = 0; i < 17; i++) {
        assert_int_equal(get(at, FR) & 0x40, i == 16 ? 0x40 : 0);
        assert_int_equal(get(at, RIS) & 0x400, 0);
        at = drive(at, 64 * 64, bits_of((uint8_t)(0x80 + i)));
    }
    assert_int_equal(get(at, RIS) & 0x400, 0x400);
    /* The last one is lost. Section 2.4.3: RSR says so at once, DR with the next one that is received. */
    assert_int_equal(get(at, RSR), 8);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(get(at, DR), 0x80 + i);
    at = drive(at, 64 * 64, bits_of(0x11));
    at = drive(at, 64 * 64, bits_of(0x12));
    assert_int_equal(get(at, DR), 0x811);
    assert_int_equal(get(at, DR), 0x12);
    assert_int_equal(get(at, RSR), 8);
    put(at, RSR, 0);
    assert_int_equal(get(at, RSR), 0);
    put(at, ICR, 0x400);
    assert_int_equal(get(at, RIS) & 0x400, 0);
}

TEST(without_fifo_the_second_byte_overruns)
{
    set_up(1, 4, 0, PLAIN, ENABLED);
    uint64_t at = drive(BEGIN + 400, 64 * 64, bits_of(1));
    assert_int_equal(get(at, FR) & 0x50, 0x40);
    at = drive(at, 64 * 64, bits_of(2));
    assert_int_equal(get(at, RIS) & 0x400, 0x400);
    assert_int_equal(get(at, DR), 1);
    assert_int_equal(get(at, FR) & 0x50, 0x10);
}

TEST(transmit_fifo_is_16_deep)
{
    set_up(1, 4, 0, FIFO, 0x201); /* the transmitter is off */
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(get(BEGIN + 10, FR) & 0xA8, i ? 0x08 : 0x80);
        put(BEGIN + 10, DR, i);
    }
    assert_int_equal(get(BEGIN + 10, FR) & 0xA8, 0x28);
    assert_non_null(pb_pl011_write(&uart, BEGIN + 10, DR, 16));
    put(BEGIN + 20, LCR_H, PLAIN); /* turning the FIFO off empties it */
    assert_int_equal(get(BEGIN + 20, FR) & 0xA8, 0x80);
}

/* IFLS selects 2, 4, 8, 12 or 14 characters. */
TEST(fifo_interrupts_at_their_levels)
{
    const unsigned level[] = {2, 4, 8, 12, 14};
    for (unsigned l = 0; l < COUNT(level); l++) {
        set_up(1, 4, 0, FIFO, ENABLED);
        put(BEGIN, IFLS, l << 3 | l);
        put(BEGIN, IMSC, 0x30);
        for (unsigned i = 0; i < 16; i++)
            put(BEGIN + 10, DR, 0);
        assert_false(uart.irq);
        /* The first character leaves the FIFO at once, each further one after 10 bits of 64 cycles. */
        const uint64_t due = BEGIN + 10 + (16 - 1 - level[l]) * 640;
        pb_pl011_advance(&uart, due - 10);
        assert_false(uart.irq);
        pb_pl011_advance(&uart, due + 10);
        assert_true(uart.irq);
        put(due + 10, ICR, 0x20);
        assert_false(uart.irq);

        uint64_t at = BEGIN + 20000;
        pb_pl011_advance(&uart, at - 1);
        put(at, ICR, 0x20);
        for (unsigned i = 1; i <= level[l]; i++) {
            assert_false(uart.irq);
            at = drive(at, 64 * 64, bits_of(0));
        }
        assert_true(uart.irq);
        assert_int_equal(get(at, MIS), 0x10);
        get(at, DR);
        assert_false(uart.irq);
    }
}

/* 32 bits without a further character while some wait. */
TEST(receive_timeout)
{
    set_up(1, 4, 0, FIFO, ENABLED);
    put(BEGIN, IMSC, 0x40);
    const uint64_t end = drive(BEGIN + 400, 64 * 64, bits_of(7));
    pb_pl011_advance(&uart, end + 31 * 64);
    assert_false(uart.irq);
    pb_pl011_advance(&uart, end + 32 * 64);
    assert_true(uart.irq);
    assert_int_equal(get(end + 32 * 64, DR), 7);
    assert_false(uart.irq);
    assert_true(uart.next == PB_PL011_NEVER);
}

/* A character waits for CTS, which takes two clocks; then it begins at the next tick. */
TEST(clear_to_send_releases_the_transmitter)
{
    for (uint64_t at = BEGIN + 1000; at < BEGIN + 1008; at++) {
        set_up(1, 4, 0, FIFO, CTS_TOO);
        put(BEGIN + 10, DR, 0);
        put(BEGIN + 10, DR, 0);
        pb_pl011_advance(&uart, at - 1);
        assert_true(uart.tx);
        assert_int_equal(get(at - 1, FR) & 0x89, 0x08);
        pb_pl011_clear_to_send(&uart, at, true);
        const struct edges edges = run_until(at + 300);
        assert_int_equal(edges.count, 1);
        assert_int_equal((edges.at[0] - BEGIN) % 4, 0);
        assert_in_range(edges.at[0], at + 2, at + 5);
        /* Taken away, it ends nothing but the next character. */
        pb_pl011_clear_to_send(&uart, at + 301, false);
        const struct edges rest = run_until(at + 5000);
        assert_int_equal(rest.count, 1);
        assert_int_equal(rest.at[0] - edges.at[0], 9 * 64);
        assert_int_equal(get(at + 5000, FR) & 0x88, 0x08);
    }
}

TEST(reset_ends_everything)
{
    set_up(1, 4, 0, FIFO, ENABLED);
    for (unsigned i = 0; i < 16; i++)
        put(BEGIN + 10, DR, 0);
    pb_pl011_advance(&uart, BEGIN + 500);
    assert_false(uart.tx);
    pb_pl011_reset(&uart);
    assert_true(uart.tx);
    assert_true(uart.next == PB_PL011_NEVER);
    assert_int_equal(get(BEGIN + 600, FR), 0x90);
    assert_int_equal(get(BEGIN + 600, CR), 0x300);
    assert_int_equal(get(BEGIN + 600, IFLS), 0x12);
}

TEST(what_is_not_modelled_is_named)
{
    uint32_t value;
    set_up(1, 4, 0, FIFO, ENABLED);
    assert_non_null(pb_pl011_write(&uart, BEGIN, CR, 0x381));  /* loopback */
    assert_non_null(pb_pl011_write(&uart, BEGIN, CR, 0x4301)); /* RTS */
    assert_non_null(pb_pl011_read(&uart, BEGIN, 0xFE0, &value)); /* no identity */
    assert_non_null(pb_pl011_write(&uart, BEGIN, DMACR, 1));
    assert_null(pb_pl011_write(&uart, BEGIN, DMACR, 0));
    assert_non_null(pb_pl011_write(&uart, BEGIN, FR, 0));
    assert_non_null(pb_pl011_read(&uart, BEGIN, 0x20, &value));
    pb_pl011_power_up(&uart, &kind, 1);
    assert_non_null(pb_pl011_write(&uart, BEGIN, CR, ENABLED)); /* no divisor */
}
