/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The PIO model: programs of the data sheet (chapter 3), assembled here by its encoding table, with
 * waveforms and words worked out by hand; then the programs of the links.
 */
#include "bench/emulator/soc/rp2040_pio.h"
#include "firmware/port/rp2040/link_program.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

/* ---- the encoding table: "RP2040 Datasheet", 3.4.1 */

enum { ALWAYS, NOT_X, X_DEC, NOT_Y, Y_DEC, X_NE_Y, PIN_HIGH, NOT_OSRE };
enum { PINS, X, Y, NUL, PINDIRS, PC, ISR, OSR, STATUS = 5, EXEC_MOV = 4, EXEC_OUT = 7 };
enum { GPIO, PIN, IRQ };

static uint16_t op(unsigned kind, unsigned arg1, unsigned arg2, unsigned side_delay)
{
    return (uint16_t)(kind << 13 | side_delay << 8 | arg1 << 5 | arg2);
}
static uint16_t jmp(unsigned condition, unsigned to, unsigned delay)
{
    return op(0, condition, to, delay);
}
static uint16_t wait_for(unsigned level, unsigned source, unsigned index, unsigned delay)
{
    return op(1, level << 2 | source, index, delay);
}
static uint16_t in(unsigned source, unsigned bits, unsigned delay)
{
    return op(2, source, bits & 31, delay);
}
static uint16_t out(unsigned to, unsigned bits, unsigned delay)
{
    return op(3, to, bits & 31, delay);
}
static uint16_t push(unsigned if_full, unsigned block, unsigned delay)
{
    return op(4, if_full << 1 | block, 0, delay);
}
static uint16_t pull(unsigned if_empty, unsigned block, unsigned delay)
{
    return op(4, 4 | if_empty << 1 | block, 0, delay);
}
static uint16_t mov(unsigned to, unsigned operation, unsigned from, unsigned delay)
{
    return op(5, to, operation << 3 | from, delay);
}
static uint16_t irq(unsigned clears, unsigned waits, unsigned index, unsigned delay)
{
    return op(6, clears << 1 | waits, index, delay);
}
static uint16_t set(unsigned to, unsigned value, unsigned delay)
{
    return op(7, to, value, delay);
}
#define NOP(delay) mov(Y, 0, Y, delay)

/* ---- a block, and what its pins did */

enum {
    CTRL = 0x00,
    FSTAT = 0x04,
    FDEBUG = 0x08,
    TXF = 0x10,
    RXF = 0x20,
    FLAGS = 0x30,
    FORCE = 0x34,
    MEM = 0x48,
    SM = 0xC8
};
enum {
    CLKDIV = 0x00,
    EXECCTRL = 0x04,
    SHIFTCTRL = 0x08,
    ADDR = 0x0C,
    INSTR = 0x10,
    PINCTRL = 0x14,
    INTR = 0x128,
    INTE0 = 0x12C,
    INTS0 = 0x134
};
#define SHIFT_RIGHT UINT32_C(0x000C0000)
#define AUTOPUSH UINT32_C(0x00010000)
#define AUTOPULL UINT32_C(0x00020000)
enum { MOMENTS = 4000 };

struct moment {
    uint64_t cycle; /* of the instruction */
    uint32_t out, oe;
};

static struct rp2040_pio pio;
static uint64_t now;
static struct moment moment[MOMENTS];
static unsigned moments;

static void note(uint64_t cycle)
{
    if (moments && moment[moments - 1].out == pio.out && moment[moments - 1].oe == pio.oe)
        return;
    assert_true(moments < MOMENTS);
    moment[moments++] = (struct moment){cycle, pio.out, pio.oe};
}

static void run(uint64_t cycle)
{
    for (uint64_t next; (next = rp2040_pio_next(&pio)) < cycle;) {
        assert_true(next >= now);
        now = next;
        rp2040_pio_step(&pio, next);
        note(next);
    }
    now = cycle;
    assert_null(pio.trap);
}

static void power_up(void)
{
    memset(&pio, 0, sizeof pio);
    rp2040_pio_reset(&pio, 0);
    now = 0;
    moments = 0;
    note(0);
}

static void put(uint32_t offset, uint32_t value)
{
    rp2040_pio_write(&pio, now, offset, value);
    note(now);
}

static uint32_t get(uint32_t offset)
{
    return rp2040_pio_read(&pio, now, offset);
}

static uint32_t sm(unsigned machine, uint32_t offset)
{
    return SM + 0x18 * machine + offset;
}

static void load(const uint16_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put(MEM + 4 * i, words[i]);
}

static void wrap(unsigned machine, unsigned bottom, unsigned top, uint32_t more)
{
    put(sm(machine, EXECCTRL), top << 12 | bottom << 7 | more);
}

/* The level of a pin after the instruction of a cycle. */
static bool pin_at(unsigned pin, uint64_t cycle)
{
    unsigned i = moments;
    while (i > 1 && moment[i - 1].cycle > cycle)
        i--;
    return moment[i - 1].out >> pin & 1;
}

/* True: pulled low by direction, as the links do. */
static bool pulled_at(unsigned pin, uint64_t cycle)
{
    unsigned i = moments;
    while (i > 1 && moment[i - 1].cycle > cycle)
        i--;
    return moment[i - 1].oe >> pin & 1;
}

/* The first cycle of the first instruction of a machine enabled at cycle 0. */
#define ENABLED 1

/* ---- examples of the data sheet */

/* 3.2.1: set pins, 1 [1]; set pins, 0; jmp: two cycles high, two low. The same words in the data sheet. */
TEST(squarewave)
{
    const uint16_t words[] = {set(PINDIRS, 1, 0), set(PINS, 1, 1), set(PINS, 0, 0), jmp(ALWAYS, 1, 0)};
    static const uint16_t published[] = {0xE081, 0xE101, 0xE000, 0x0001};
    assert_memory_equal(words, published, sizeof words);
    power_up();
    load(words, COUNT(words));
    put(sm(0, PINCTRL), 1 << 26 | 3 << 5);
    put(CTRL, 1);
    run(1000);
    assert_true(moment[1].oe == 8 && moment[1].cycle == ENABLED);
    for (uint64_t cycle = ENABLED + 1; cycle < 1000; cycle++)
        assert_int_equal(pin_at(3, cycle), (cycle - ENABLED - 1) % 4 < 2);
}

/* With a divisor of 2.5 tick k is at floor(2.5 k) cycles. */
TEST(fractional_clock)
{
    const uint16_t words[] = {set(PINS, 1, 0), set(PINS, 0, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 1, 0);
    put(sm(0, PINCTRL), 1 << 26);
    put(sm(0, CLKDIV), 2 << 16 | 128 << 8);
    put(CTRL, 1);
    run(1000);
    for (unsigned i = 1; i < moments; i++)
        assert_int_equal(moment[i].cycle, (i * 5) / 2); /* enabled at 0, so tick 0 is past */
    assert_in_range(moments, 399, 401);
}

/* The level of 8N1 at `place` cycles of a byte with bits of `bit` cycles. */
static bool uart_level(uint8_t byte, uint64_t place, uint64_t bit)
{
    const uint64_t which = place / bit;
    return which == 0 ? false : which > 8 || (byte >> (which - 1) & 1);
}

/* 3.6.3: 8 cycles a bit. The stop bit and the idle level are side-set by PULL. */
TEST(uart_transmitter)
{
    /* One bit of side-set with enable: bit 4 enables, bit 3 is the level, bits 2..0 the delay. */
    const uint16_t words[] = {pull(0, 1, 0x18 | 7), set(X, 7, 0x10 | 7), out(PINS, 1, 0), jmp(X_DEC, 2, 6)};
    static const uint8_t bytes[] = {0x55, 0x00, 0xFF, 0x5A, 0xC3};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 3, UINT32_C(1) << 30);
    put(sm(0, PINCTRL), UINT32_C(2) << 29 | 1 << 20 | 4 << 10 | 4);
    put(sm(0, SHIFTCTRL), SHIFT_RIGHT | UINT32_C(1) << 30);
    for (unsigned i = 0; i < COUNT(bytes); i++)
        put(TXF, bytes[i]);
    put(CTRL, 1);
    run(2000);
    /* PULL takes 8 cycles, then each byte 80: start bit, 8 data bits, and the PULL of the next one. */
    const uint64_t start = ENABLED + 8;
    for (unsigned i = 0; i < COUNT(bytes); i++)
        for (uint64_t place = 0; place < 80; place++)
            assert_int_equal(pin_at(4, start + 80 * i + place), uart_level(bytes[i], place, 8));
    for (uint64_t cycle = start + 80 * COUNT(bytes); cycle < 2000; cycle++)
        assert_true(pin_at(4, cycle));
    assert_int_equal(get(sm(0, ADDR)), 0);
    assert_int_equal(get(FDEBUG) >> 24, 1); /* TXSTALL */
}

/* Plays 8N1 on a pin, bits of `bit` cycles from `start` on; the rest is high. */
static void play(unsigned pin, uint64_t start, uint64_t bit, const uint8_t *bytes, unsigned count, bool stop)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned b = 0; b < 10; b++) {
            run(start + (10 * i + b) * bit);
            const bool level = b == 9 ? stop : uart_level(bytes[i], b, 1);
            rp2040_pio_inputs(&pio, now, level ? UINT32_C(1) << pin : 0);
        }
    run(start + 10 * count * bit);
    rp2040_pio_inputs(&pio, now, UINT32_C(1) << pin);
}

/* 3.6.4: 8 cycles a bit, a low stop bit raises flag 4 + machine. */
TEST(uart_receiver)
{
    const uint16_t words[] = {wait_for(0, PIN, 0, 0), set(X, 7, 10),       in(PINS, 1, 0),
                              jmp(X_DEC, 2, 6),       jmp(PIN_HIGH, 8, 0), irq(0, 0, 0x14, 0),
                              wait_for(1, PIN, 0, 0), jmp(ALWAYS, 0, 0),   push(0, 1, 0)};
    static const uint8_t bytes[] = {0xA5, 0x00, 0xFF, 0x01};
    power_up();
    rp2040_pio_inputs(&pio, 0, 1 << 9);
    load(words, COUNT(words));
    wrap(2, 0, 8, 9 << 24);
    put(sm(2, PINCTRL), 9 << 15);
    put(CTRL, 4);
    play(9, 100, 8, bytes, COUNT(bytes), true);
    run(1000);
    for (unsigned i = 0; i < COUNT(bytes); i++)
        assert_int_equal(get(RXF + 8) >> 24, bytes[i]);
    assert_int_equal(get(FSTAT) >> 8 & 0xF, 0xF);
    assert_int_equal(get(FLAGS), 0);
    play(9, 1000, 8, bytes, 1, false);
    run(2000);
    assert_int_equal(get(FSTAT) >> 8 & 0xF, 0xF);
    assert_int_equal(get(FLAGS), 1 << (4 + 2)); /* 4 relative to machine 2 */
}

/* 3.5.1: two bits of side-set without enable leave three bits of delay; side-set acts while a PULL stalls. */
TEST(side_set_and_delay_share_five_bits)
{
    const uint16_t words[] = {NOP(2 << 3 | 7), pull(0, 1, 1 << 3 | 1), NOP(3 << 3)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 2, 0);
    put(sm(0, PINCTRL), UINT32_C(2) << 29 | 6 << 10);
    put(CTRL, 1);
    run(50);
    assert_int_equal(moments, 3);
    assert_true(moment[1].cycle == ENABLED && moment[1].out == 2 << 6);
    assert_true(moment[2].cycle == ENABLED + 8 && moment[2].out == 1 << 6);
    put(TXF, 0);
    run(60);
    assert_true(moment[3].cycle == 50 + 2 && moment[3].out == 3 << 6); /* PULL [1] at 50 */
}

/* Of machines that write one pin in one cycle the highest wins, and side-set wins over SET. */
TEST(highest_machine_wins)
{
    const uint16_t words[] = {set(PINS, 1, 0), set(PINS, 0, 0x10), jmp(ALWAYS, 2, 0)};
    power_up();
    load(words, COUNT(words));
    for (unsigned n = 0; n < 2; n++) {
        put(sm(n, PINCTRL), 1 << 26 | 5 << 5);
        put(sm(n, INSTR), jmp(ALWAYS, n, 0));
    }
    put(CTRL, 3);
    run(ENABLED + 1);
    assert_int_equal(pio.out, 0); /* machine 0 sets, 1 clears */
    power_up();
    load(words, COUNT(words));
    put(sm(0, PINCTRL), UINT32_C(1) << 29 | 1 << 26 | 5 << 10 | 5 << 5);
    put(sm(0, INSTR), jmp(ALWAYS, 1, 0));
    put(CTRL, 1);
    run(ENABLED + 1);
    assert_int_equal(pio.out, 1 << 5);
}

/* 3.5.4: 8 bits a word, 4 an OUT; a refill goes with the OUT that empties the OSR. */
TEST(autopull)
{
    const uint16_t words[] = {out(PINS, 4, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 0, 0);
    put(sm(0, PINCTRL), 4 << 20);
    put(sm(0, SHIFTCTRL), SHIFT_RIGHT | AUTOPULL | 8 << 25);
    put(TXF, 0x21);
    put(TXF, 0x43);
    put(TXF, 0x65);
    put(CTRL, 1);
    run(20);
    /* The OSR is full from the first word on when the machine starts. */
    for (unsigned i = 0; i < 6; i++)
        assert_true(moment[1 + i].cycle == ENABLED + i && moment[1 + i].out == i + 1);
    assert_int_equal(moments, 7);
    assert_int_equal(get(FSTAT) >> 24 & 1, 1);
}

/* 3.5.4: with the FIFO full the IN that completes a word stalls until one is read. */
TEST(autopush)
{
    const uint16_t words[] = {in(X, 8, 0), jmp(X_DEC, 0, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 1, 0);
    put(sm(0, SHIFTCTRL), AUTOPUSH | 16 << 20); /* left: the first byte is the upper one */
    put(sm(0, INSTR), set(X, 31, 0));
    put(CTRL, 1);
    run(200);
    assert_int_equal(get(FSTAT) & 1, 1);
    assert_int_equal(get(FDEBUG) & 1, 1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(get(RXF), (31 - 2 * i) << 8 | (30 - 2 * i));
        run(now + 20);
    }
}

TEST(push_and_pull_without_block)
{
    const uint16_t words[] = {pull(0, 0, 0), mov(ISR, 0, OSR, 0), push(0, 0, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 2, 0);
    put(sm(0, INSTR), set(X, 21, 0));
    put(TXF, 1000);
    put(CTRL, 1);
    run(ENABLED + 3 * 10);
    /* An empty FIFO gives X; a full one loses the word and clears the ISR. */
    assert_int_equal(get(RXF), 1000);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(get(RXF), 21);
    assert_int_equal(get(FDEBUG) & 1, 1);
    assert_int_equal(get(RXF), 0);
    assert_int_equal(get(FDEBUG) >> 8 & 1, 1); /* RXUNDER */
}

/* IRQ WAIT holds a machine until its flag is cleared, here by another one three cycles after it saw it. */
TEST(irq_wait_and_relative_flags)
{
    const uint16_t words[] = {irq(0, 1, 2, 0), set(PINS, 1, 0), jmp(ALWAYS, 2, 0), wait_for(1, IRQ, 2, 2),
                              jmp(ALWAYS, 4, 0)};
    power_up();
    load(words, COUNT(words));
    put(sm(0, PINCTRL), 1 << 26);
    put(CTRL, 1);
    run(100);
    assert_int_equal(get(FLAGS), 4);
    assert_int_equal(moments, 1);
    put(sm(1, INSTR), jmp(ALWAYS, 3, 0));
    put(CTRL, 3);
    run(200);
    assert_int_equal(get(FLAGS), 0); /* WAIT 1 IRQ clears it */
    /* Machine 1 waits at 101, which clears the flag for 102: IRQ WAIT ends then, SET is next. */
    assert_int_equal(moment[1].cycle, 103);
    /* Relative: machine 3, index 2 gives flag (2 + 3) modulo 4. */
    put(sm(3, INSTR), irq(0, 0, 0x12, 0));
    assert_int_equal(get(FLAGS), 2);
    put(FLAGS, 2);
    put(FORCE, 0x81);
    assert_int_equal(get(FLAGS), 0x81);
}

/* A flag set in a cycle is seen in the next one; flags 0 to 3 interrupt. */
TEST(flags_take_a_cycle)
{
    const uint16_t words[] = {irq(0, 0, 0, 0), jmp(ALWAYS, 1, 0), wait_for(1, IRQ, 0, 0), set(PINS, 1, 0),
                              jmp(ALWAYS, 4, 0)};
    power_up();
    load(words, COUNT(words));
    put(sm(1, PINCTRL), 1 << 26);
    put(sm(1, INSTR), jmp(ALWAYS, 2, 0));
    put(INTE0, 1 << 8);
    assert_int_equal(rp2040_pio_lines(&pio), 0);
    put(CTRL, 3);
    run(ENABLED + 1);
    assert_int_equal(rp2040_pio_lines(&pio), 1);
    assert_int_equal(get(INTS0), 1 << 8);
    run(20);
    assert_int_equal(moment[1].cycle, ENABLED + 2); /* seen at + 1, SET at + 2 */
    assert_int_equal(rp2040_pio_lines(&pio), 0);
}

TEST(jmp_pin_and_conditions)
{
    /* Each JMP that is taken skips a SET that would change Y. */
    const uint16_t words[] = {set(X, 0, 0),       set(Y, 5, 0),       jmp(NOT_X, 4, 0),    set(Y, 0, 0),
                              jmp(X_NE_Y, 6, 0),  set(Y, 0, 0),       jmp(PIN_HIGH, 8, 0), set(Y, 0, 0),
                              jmp(X_DEC, 10, 0),  jmp(ALWAYS, 11, 0), set(Y, 0, 0),        jmp(NOT_Y, 13, 0),
                              jmp(ALWAYS, 14, 0), set(Y, 0, 0),       mov(ISR, 0, Y, 0),   push(0, 0, 0),
                              mov(ISR, 0, X, 0),  push(0, 0, 0),      jmp(ALWAYS, 18, 0)};
    power_up();
    rp2040_pio_inputs(&pio, 0, UINT32_C(1) << 29);
    load(words, COUNT(words));
    wrap(0, 0, 31, UINT32_C(29) << 24);
    put(CTRL, 1);
    run(100);
    assert_int_equal(get(RXF), 5);
    assert_int_equal(get(RXF), UINT32_MAX); /* X-- of 0 */
}

TEST(mov_inverts_and_reverses)
{
    const uint16_t words[] = {pull(0, 1, 0), mov(ISR, 1, OSR, 0),    push(0, 1, 0), mov(ISR, 2, OSR, 0),
                              push(0, 1, 0), mov(ISR, 0, STATUS, 0), push(0, 1, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 6, 1); /* STATUS: all ones while the TX FIFO has less than one word */
    put(CTRL, 1);
    run(10);
    put(TXF, 0x12345678);
    put(TXF, 0);
    run(30);
    assert_int_equal(get(RXF), 0xEDCBA987);
    assert_int_equal(get(RXF), 0x1E6A2C48);
    assert_int_equal(get(RXF), 0); /* the second word is there */
    run(200);
    assert_int_equal(get(RXF), UINT32_MAX);
    assert_int_equal(get(RXF), 0);
    assert_int_equal(get(RXF), UINT32_MAX);
}

/* OUT EXEC runs a word of data; its own delay is not waited, that of the data is. */
TEST(out_exec)
{
    const uint16_t words[] = {pull(0, 1, 0), out(EXEC_OUT, 16, 31), out(EXEC_OUT, 16, 31), jmp(ALWAYS, 3, 0)};
    power_up();
    load(words, COUNT(words));
    put(sm(0, PINCTRL), 1 << 26);
    put(TXF, (uint32_t)set(PINS, 0, 0) << 16 | set(PINS, 1, 4));
    put(CTRL, 1);
    run(100);
    assert_int_equal(moment[1].cycle, ENABLED + 2);
    assert_int_equal(moment[2].cycle, ENABLED + 2 + 5 + 1);
}

TEST(joined_fifos_have_eight_words)
{
    power_up();
    for (unsigned joined = 0; joined < 2; joined++) {
        put(sm(0, SHIFTCTRL), SHIFT_RIGHT | (joined ? UINT32_C(1) << 30 : 0));
        for (unsigned i = 0; i < (joined ? 8 : 4); i++) {
            assert_int_equal(get(FSTAT) >> 16 & 1, 0);
            put(TXF, i);
        }
        assert_int_equal(get(FSTAT) >> 16 & 1, 1);
        put(TXF, 0);
        assert_int_equal(get(FDEBUG) >> 16 & 1, 1);
        put(FDEBUG, UINT32_MAX);
    }
    put(sm(0, SHIFTCTRL), SHIFT_RIGHT); /* a change empties both */
    assert_int_equal(get(FSTAT) >> 24 & 1, 1);
}

/* What a machine does ahead of time is taken back by an observer: X counts down once in 3 cycles. */
TEST(a_look_sees_the_present)
{
    const uint16_t words[] = {jmp(X_DEC, 0, 2)};
    for (uint64_t cycle = 5; cycle < 60; cycle++) {
        power_up();
        load(words, COUNT(words));
        put(sm(0, INSTR), set(X, 31, 0));
        put(CTRL, 1);
        run(cycle);
        put(CTRL, 0);
        put(sm(0, INSTR), mov(ISR, 0, X, 0));
        put(sm(0, INSTR), push(0, 0, 0));
        assert_int_equal(get(RXF), 31 - (cycle - ENABLED + 2) / 3);
        /* The rest of the delay is waited after it is enabled again. */
        put(CTRL, 1);
        run(now + 200);
        put(CTRL, 0);
    }
}

TEST(a_restart_clears_delay_and_stall)
{
    const uint16_t words[] = {set(PINS, 1, 31), set(PINS, 0, 0), wait_for(1, PIN, 0, 0)};
    power_up();
    load(words, COUNT(words));
    wrap(0, 0, 2, 0);
    put(sm(0, PINCTRL), 1 << 26);
    put(CTRL, 1);
    run(5);
    put(CTRL, 0x11);
    run(100);
    assert_int_equal(moment[2].cycle, 6);
    assert_int_equal(get(sm(0, ADDR)), 2);
    put(CTRL, 0);
    put(sm(0, INSTR), jmp(ALWAYS, 0, 0));
    put(CTRL, 0x11);
    run(200);
    assert_int_equal(moment[3].cycle, 101);
}

TEST(what_is_not_modelled_traps)
{
    power_up();
    put(sm(0, EXECCTRL), 1 << 17);
    assert_non_null(pio.trap);
    power_up();
    put(0x38, 1);
    assert_non_null(pio.trap);
    power_up();
    put(sm(0, INSTR), wait_for(1, 3, 0, 0));
    assert_non_null(pio.trap);
}

/* ---- the programs of the links */

TEST(link_programs_are_what_their_comments_say)
{
    const uint16_t words[LINK_WORDS] = {
        wait_for(0, GPIO, 14, 0), wait_for(1, GPIO, 14, 0), irq(1, 0, 4, 0), irq(0, 0, 0, 0),
        mov(X, 0, OSR, 0), jmp(X_DEC, 5, 31), irq(0, 0, 4, 0),
        /* link_tx */
        pull(0, 1, 0), out(Y, 32, 0), wait_for(1, IRQ, 4, 0), set(PINDIRS, 1, 31), set(X, 7, 31),
        pull(1, 1, 31), NOP(28), out(PINDIRS, 1, 31), NOP(31), NOP(31), jmp(X_DEC, 14, 28),
        set(PINDIRS, 0, 31), NOP(31), NOP(31), jmp(Y_DEC, 10, 28),
        /* link_rx */
        wait_for(1, PIN, 0, 0), wait_for(0, PIN, 0, 31), set(X, 8, 29), jmp(PIN_HIGH, 22, 1), set(Y, 2, 26),
        jmp(Y_DEC, 27, 31), in(PINS, 1, 0), jmp(X_DEC, 26, 0), push(0, 0, 0)};
    assert_memory_equal(words, link_program, sizeof words);
}

static void start_links(unsigned delay, uint32_t steps)
{
    power_up();
    load(link_program, LINK_WORDS);
    put(MEM + 4 * GUARD_DELAY_WORD, link_program[GUARD_DELAY_WORD] | delay << 8);
    wrap(GUARD_MACHINE, GUARD_START, GUARD_END, 0);
    wrap(TX_MACHINE, TX_START, TX_END, 0);
    put(sm(TX_MACHINE, SHIFTCTRL), SHIFT_RIGHT | UINT32_C(1) << 30);
    put(sm(TX_MACHINE, PINCTRL), UINT32_C(1) << 26 | 1 << 20 | 7 << 5 | 7);
    put(TXF, steps);
    put(sm(GUARD_MACHINE, INSTR), PIO_PULL);
    put(sm(TX_MACHINE, INSTR), PIO_JMP | TX_START);
    put(CTRL, 3);
}

/* The pin changes a cycle after its instruction, and inputs come two cycles late: both are the SoC's. */
TEST(a_frame_starts_with_the_guard_and_has_125_cycles_a_bit)
{
    static const uint8_t bytes[] = {0x91, 0x00, 0xFF, 0x5A, 0x07};
    for (unsigned delay = 0; delay < 32; delay += 7)
        for (uint32_t steps = 0; steps < 40; steps += 13) {
            const uint64_t edge = 1000, guard = 9 + delay + 32 * (steps + 1);
            start_links(delay, steps);
            run(edge + 2);
            rp2040_pio_inputs(&pio, now, 1 << 14);
            put(TXF + 4 * TX_MACHINE, COUNT(bytes) - 1);
            put(TXF + 4 * TX_MACHINE, ~UINT32_C(0x5AFF0091));
            put(TXF + 4 * TX_MACHINE, ~UINT32_C(0x07));
            run(20000);
            for (uint64_t at = 0; at < 1250 * COUNT(bytes) + 500; at++) {
                const bool low = at < 1250 * COUNT(bytes) && !uart_level(bytes[at / 1250], at % 1250, 125);
                assert_int_equal(pulled_at(7, edge + guard - 1 + at), low);
            }
            assert_false(pulled_at(7, edge + guard - 2));
            assert_int_equal(get(sm(TX_MACHINE, ADDR)), TX_START);
        }
}

/* Nine bytes back to back with bits that are too short or too long by 4 %. */
TEST(the_receiver_tolerates_four_percent)
{
    static const uint8_t bytes[] = {0x00, 0xFF, 0x55, 0xAA};
    for (uint64_t bit = 120; bit <= 130; bit++) {
        power_up();
        load(link_program, LINK_WORDS);
        rp2040_pio_inputs(&pio, 0, 1 << 8);
        wrap(RX_MACHINE, RX_START, RX_END, 8 << 24);
        put(sm(RX_MACHINE, PINCTRL), 8 << 15);
        put(sm(RX_MACHINE, INSTR), PIO_JMP | RX_START);
        put(CTRL, 4);
        play(8, 300, bit, bytes, COUNT(bytes), true);
        run(10000);
        for (unsigned i = 0; i < COUNT(bytes); i++)
            assert_int_equal(get(RXF + 4 * RX_MACHINE) >> 23, 0x100 | bytes[i]);
        assert_int_equal(get(FSTAT) >> 8 & 4, 4);
    }
}
