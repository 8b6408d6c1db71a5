/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The UART model at its pins: waveforms by the divisor of the data sheet (4.2.7.1), in whole cycles.
 */
#include "bench/mcu/soc/rp2040_uart.h"
#include "tests/unit/tests.h"

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

static struct rp2040_uart uart;
static uint64_t now;
static struct {
    uint64_t cycle;
    bool level;
} edge[1000];
static unsigned edges;

static void run(uint64_t cycle)
{
    for (uint64_t next; (next = rp2040_uart_next(&uart)) < cycle;) {
        const bool level = uart.level;
        now = next;
        rp2040_uart_step(&uart, next);
        if (uart.level != level) {
            edge[edges].cycle = next;
            edge[edges++].level = uart.level;
        }
    }
    now = cycle;
    assert_null(uart.trap);
}

static void put(uint32_t offset, uint32_t value)
{
    rp2040_uart_write(&uart, now, offset, value);
}

static uint32_t get(uint32_t offset)
{
    return rp2040_uart_read(&uart, now, offset);
}

static void power_up(uint32_t whole, uint32_t in_64, uint32_t format)
{
    memset(&uart, 0, sizeof uart);
    uart.rx_level = true;
    rp2040_uart_reset(&uart, 0);
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
        rp2040_uart_input(&uart, now, level_of(bytes, bit));
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
    rp2040_uart_input(&uart, now, false);
    run(now + 63);
    rp2040_uart_input(&uart, now, true);
    run(now + 3000);
    assert_int_equal(get(FR) & 0x10, 0x10);
    for (unsigned breaks = 0; breaks < 2; breaks++) {
        rp2040_uart_input(&uart, now, false);
        run(now + (breaks ? 128 * 11 : 64 + 16));
        if (!breaks) { /* one data bit is high */
            run(now + 48);
            rp2040_uart_input(&uart, now, true);
            run(now + 128);
            rp2040_uart_input(&uart, now, false);
            run(now + 128 * 9);
        }
        rp2040_uart_input(&uart, now, true);
        run(now + 3000);
        assert_int_equal(get(RIS) & (FRAMING | BREAK), breaks ? FRAMING | BREAK : FRAMING);
        assert_int_equal(get(DR), breaks ? 0x500 : 0x101);
        put(ICR, FRAMING | BREAK);
    }
}

/* Without FIFOs the second byte that nobody takes is lost, and the next one carries the mark. */
TEST(overrun)
{
    static const uint8_t bytes[] = {0x11, 0x22, 0x33};
    power_up(8, 0, FORMAT_8N1);
    put(IMSC, RX);
    play(1000, 12800, bytes, 2);
    run(now + 2000);
    assert_true(rp2040_uart_line(&uart));
    assert_int_equal(get(RIS) & OVERRUN, OVERRUN);
    assert_int_equal(get(DR), 0x11);
    assert_false(rp2040_uart_line(&uart));
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
    assert_false(rp2040_uart_line(&uart));
    put(DR, 'a');
    assert_true(rp2040_uart_line(&uart)); /* it went to the shift register at once */
    put(DR, 'b');
    assert_false(rp2040_uart_line(&uart));
    assert_int_equal(get(FR) & 0x20, 0x20);
    run(1000 + 10 * 128 + 16);
    assert_true(rp2040_uart_line(&uart));
    put(ICR, TX);
    run(10000);
    assert_false(rp2040_uart_line(&uart));
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
    assert_false(rp2040_uart_line(&uart));
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

TEST(what_is_not_modelled_traps)
{
    power_up(8, 0, FORMAT_8N1 | 0x02); /* parity */
    assert_non_null(uart.trap);
    power_up(8, 0, FORMAT_8N1);
    put(CR, ON | 0x80); /* loopback */
    assert_non_null(uart.trap);
    power_up(8, 0, FORMAT_8N1);
    put(0x48, 1); /* DMA */
    assert_non_null(uart.trap);
}
