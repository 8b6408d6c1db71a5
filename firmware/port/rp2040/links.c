/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include "chip.h"
#include "firmware/app/port.h"
#include "link_program.h"

#define SHIFT_RIGHT UINT32_C(0x000C0000) /* both registers, no automatic push or pull */
#define JOIN_TX UINT32_C(0x40000000)
#define JOIN_RX UINT32_C(0x80000000)
enum {
    TX_FIFO_WORDS = 8,
    INT_RX = 1 << RX_MACHINE,
    INT_TX = 1 << (4 + TX_MACHINE),
    INT_EDGE = 1 << (8 + FLAG_EDGE)
};

/* What is left of a frame that is longer than the FIFO. */
static struct {
    const uint8_t *bytes;
    uint8_t left;
} rest;
static bool sends, listens; /* since the last release: only these machines must be stopped */

static uint32_t wrap(uint32_t start, uint32_t end)
{
    return end << 12 | start << 7;
}

static void prepare_pins(void)
{
    for (unsigned pin = PIN_LINK0; pin < PIN_LINK0 + PIN_LINKS; pin++) {
        REG(PAD(pin)) = PAD_INPUT | PAD_4_MA | PAD_SCHMITT;
        REG(IO_CTRL(pin)) = FUNCTION_PIO0;
    }
    REG(PAD(PIN_TDMA_CLK)) = PAD_INPUT | PAD_SCHMITT;
    REG(PAD(PIN_TDMA_SYNC)) = PAD_INPUT | PAD_SCHMITT;
}

void links_start(uint32_t baud_hz, uint32_t guard_ns)
{
    /* Cycles of 8 ns, upwards; whole microseconds first, as the product would not fit. */
    const uint32_t guard = guard_ns / 1000 * (CLK_SYS_HZ / 1000000) + (guard_ns % 1000 + 7) / 8;
    const uint32_t steps = (guard - GUARD_FIXED) / GUARD_STEP, delay = (guard - GUARD_FIXED) % GUARD_STEP;
    const uint32_t in_256 = CLK_SYS_HZ / BIT_CYCLES * 256;
    const uint32_t clkdiv = (in_256 + baud_hz / 2) / baud_hz << 8;

    for (unsigned i = 0; i < LINK_WORDS; i++)
        REG(PIO_INSTR_MEM(i)) = link_program[i] | (i == GUARD_DELAY_WORD ? delay << 8 : 0);
    REG(PIO_EXECCTRL(GUARD_MACHINE)) = wrap(GUARD_START, GUARD_END);
    REG(PIO_EXECCTRL(TX_MACHINE)) = wrap(TX_START, TX_END);
    REG(PIO_SHIFTCTRL(TX_MACHINE)) = SHIFT_RIGHT | JOIN_TX;
    REG(PIO_CLKDIV(TX_MACHINE)) = clkdiv;
    REG(PIO_CLKDIV(RX_MACHINE)) = clkdiv;
    REG(PIO_TXF(GUARD_MACHINE)) = steps - 1;
    REG(PIO_INSTR(GUARD_MACHINE)) = PIO_PULL;
    prepare_pins();
    REG(PIO_IRQ0_INTE) = INT_RX | INT_EDGE;
    REG_SET(PIO_CTRL) = 1 << GUARD_MACHINE;
}

/* A restart clears what the machine still waited for. */
static void start_machine(unsigned machine, uint32_t start)
{
    REG(PIO_INSTR(machine)) = PIO_JMP | start;
    REG_SET(PIO_CTRL) = UINT32_C(0x11) << machine;
}

static uint32_t inverted_word(const uint8_t *bytes, uint8_t count)
{
    uint32_t word = bytes[0];
    if (count > 1)
        word |= (uint32_t)bytes[1] << 8;
    if (count > 2)
        word |= (uint32_t)bytes[2] << 16;
    if (count > 3)
        word |= (uint32_t)bytes[3] << 24;
    return ~word;
}

static void put_word(void)
{
    REG(PIO_TXF(TX_MACHINE)) = inverted_word(rest.bytes, rest.left);
    rest.bytes += 4;
    rest.left = rest.left > 4 ? rest.left - 4 : 0;
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    const uint32_t pin = PIN_LINK0 + dimension;
    (void)port;
    (void)start_ticks; /* the guard machine counts from the edge itself */

    REG(PIO_PINCTRL(TX_MACHINE)) = UINT32_C(1) << 26 | UINT32_C(1) << 20 | pin << 5 | pin;
    sends = true;
    start_machine(TX_MACHINE, TX_START);
    const bool late = REG(PIO_IRQ) & 1 << FLAG_START;
    REG(PIO_TXF(TX_MACHINE)) = length - 1u;
    rest.bytes = bytes;
    rest.left = length;
    for (unsigned words = 1; words < TX_FIFO_WORDS && rest.left; words++)
        put_word();
    if (rest.left)
        REG_SET(PIO_IRQ0_INTE) = INT_TX;
    return !late;
}

void links_refill(void)
{
    if (!rest.left)
        return;
    while (rest.left && !(REG(PIO_FSTAT) >> (16 + TX_MACHINE) & 1))
        put_word();
    if (!rest.left)
        REG_CLEAR(PIO_IRQ0_INTE) = INT_TX;
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    const uint32_t pin = PIN_LINK0 + dimension;
    (void)port;
    listens = true;
    REG(PIO_PINCTRL(RX_MACHINE)) = pin << 15;
    REG(PIO_EXECCTRL(RX_MACHINE)) = pin << 24 | wrap(RX_START, RX_END);
    start_machine(RX_MACHINE, RX_START);
}

/* A change of the joining flushes the FIFOs. */
static void flush(unsigned machine, uint32_t join)
{
    REG_XOR(PIO_SHIFTCTRL(machine)) = join;
    REG_XOR(PIO_SHIFTCTRL(machine)) = join;
}

/* Returns true if the frame was not at its end. */
static bool stop_sending(void)
{
    sends = false;
    REG_CLEAR(PIO_CTRL) = 1 << TX_MACHINE;
    const bool cut = REG(PIO_ADDR(TX_MACHINE)) != TX_START;
    REG(PIO_INSTR(TX_MACHINE)) = PIO_SET_PINDIRS_0;
    flush(TX_MACHINE, JOIN_TX);
    if (rest.left) {
        rest.left = 0;
        REG_CLEAR(PIO_IRQ0_INTE) = INT_TX;
    }
    return cut;
}

static void stop_listening(void)
{
    listens = false;
    REG_CLEAR(PIO_CTRL) = 1 << RX_MACHINE;
    flush(RX_MACHINE, JOIN_RX);
}

bool port_link_release(struct port *port)
{
    (void)port;
    if (listens)
        stop_listening();
    return sends && stop_sending();
}

bool links_byte(uint8_t *byte, bool *framing_ok)
{
    if (REG(PIO_FSTAT) >> (8 + RX_MACHINE) & 1)
        return false;
    const uint32_t word = REG(PIO_RXF(RX_MACHINE));
    *byte = (uint8_t)(word >> 23);
    *framing_ok = word >> 31;
    return true;
}

bool links_edge(void)
{
    if (!(REG(PIO_IRQ) & 1 << FLAG_EDGE))
        return false;
    REG(PIO_IRQ) = 1 << FLAG_EDGE;
    return true;
}
