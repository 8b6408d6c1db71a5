/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/pl011.h"

#include <string.h>

#define NEVER PB_PL011_NEVER

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR_H = 0x2C,
    CR = 0x30,
    IFLS = 0x34,
    IMSC = 0x38,
    RIS = 0x3C,
    MIS = 0x40,
    ICR = 0x44,
    DMACR = 0x48,
    ID = 0xFE0
};
enum {
    FR_CTS = 1 << 0,
    FR_BUSY = 1 << 3,
    FR_RXFE = 1 << 4,
    FR_TXFF = 1 << 5,
    FR_RXFF = 1 << 6,
    FR_TXFE = 1 << 7
};
enum {
    LCR_BREAK = 1 << 0,
    LCR_PARITY = 1 << 1,
    LCR_EVEN = 1 << 2,
    LCR_TWO_STOPS = 1 << 3,
    LCR_FIFO = 1 << 4,
    LCR_STICK = 1 << 7
};
enum {
    CR_ENABLE = 1 << 0,
    CR_TX = 1 << 8,
    CR_RX = 1 << 9,
    CR_CTS = 1 << 15,
    CR_HAS = CR_ENABLE | CR_TX | CR_RX | CR_CTS
};
enum {
    INT_CTS = 1 << 1,
    INT_RX = 1 << 4,
    INT_TX = 1 << 5,
    INT_TIMEOUT = 1 << 6,
    INT_FRAMING = 1 << 7,
    INT_PARITY = 1 << 8,
    INT_BREAK = 1 << 9,
    INT_OVERRUN = 1 << 10,
    INT_ALL = 0x7FF
};
/* Of an entry of the receive FIFO. */
enum { FRAMING = 1 << 8, PARITY = 1 << 9, BREAK = 1 << 10, OVERRUN = 1 << 11 };
enum { RSR_OVERRUN = 1 << 3 };
enum { TICKS = 16, MIDDLE = 8, TIMEOUT_BITS = 32, IFLS_RESET = 0x12, CR_RESET = 0x300 };

/* ---- ticks of the baud generator */

static bool runs(const struct pb_pl011 *uart)
{
    return uart->cr & CR_ENABLE && uart->divisor > 0;
}

/* Returns the last tick at or before a cycle. Tick 0 is at the origin. */
static uint64_t tick_at(const struct pb_pl011 *uart, uint64_t cycle)
{
    const uint64_t clocks = (cycle - uart->origin) / uart->divider;
    return (64 * (clocks + 1) - 1) / uart->divisor;
}

static uint64_t cycle_of(const struct pb_pl011 *uart, uint64_t tick)
{
    return uart->origin + tick * uart->divisor / 64 * uart->divider;
}

/* ---- FIFOs: with LCR_H.FEN clear each is one character deep */

static unsigned depth(const struct pb_pl011 *uart)
{
    return uart->lcr_h & LCR_FIFO ? uart->kind->depth : 1;
}

/* Characters at which an interrupt occurs: 1/8, 1/4, 1/2, 3/4 or 7/8 of the FIFO. */
static unsigned trigger(const struct pb_pl011 *uart, unsigned shift)
{
    static const uint8_t eighths[8] = {1, 2, 4, 6, 7, 7, 7, 7};
    return eighths[uart->ifls >> shift & 7] * uart->kind->depth / 8;
}

static void put(struct pb_pl011_fifo *fifo, uint16_t entry)
{
    fifo->entry[(fifo->at + fifo->used++) % PB_PL011_DEPTH_MAX] = entry;
}

static uint16_t take(struct pb_pl011_fifo *fifo)
{
    const uint16_t entry = fifo->entry[fifo->at];
    fifo->at = (fifo->at + 1) % PB_PL011_DEPTH_MAX;
    fifo->used--;
    return entry;
}

/* ---- transmitter */

static bool may_send(const struct pb_pl011 *uart)
{
    return runs(uart) && uart->cr & CR_TX && uart->to_send.used > 0 && !(uart->lcr_h & LCR_BREAK) &&
           (!(uart->cr & CR_CTS) || uart->cts);
}

static unsigned data_bits(const struct pb_pl011 *uart)
{
    return 5 + (uart->lcr_h >> 5 & 3);
}

static bool parity_bit(const struct pb_pl011 *uart, unsigned data)
{
    const bool even = uart->lcr_h & LCR_EVEN;
    return uart->lcr_h & LCR_STICK ? !even : __builtin_parity(data) ^ !even;
}

/* Moves a character to the shift register, whose start bit begins at a tick. */
static void begin_character(struct pb_pl011 *uart, uint64_t tick)
{
    unsigned at = data_bits(uart) + 1;
    const unsigned data = take(&uart->to_send) & ((1u << data_bits(uart)) - 1);

    if (uart->lcr_h & LCR_FIFO ? uart->to_send.used == trigger(uart, 0) : true)
        uart->ris |= INT_TX;
    uart->tx_frame = data << 1;
    if (uart->lcr_h & LCR_PARITY)
        uart->tx_frame |= (uint32_t)parity_bit(uart, data) << at++;
    uart->tx_frame |= 3u << at;
    uart->tx_bits = at + (uart->lcr_h & LCR_TWO_STOPS ? 2 : 1);
    uart->tx_bit = 0;
    uart->tx_tick = tick;
    uart->sends = true;
}

/* Something that may begin a transmission changed; the first tick from this cycle on begins it. */
static void try_to_send(struct pb_pl011 *uart, uint64_t cycle)
{
    if (uart->sends || !may_send(uart))
        return;
    begin_character(uart, cycle > uart->origin ? tick_at(uart, cycle - 1) + 1 : 1);
    uart->waits = true;
}

/* Returns the next bit after that of now at which the level changes, or the end of the character. */
static unsigned next_change(const struct pb_pl011 *uart)
{
    unsigned bit = uart->tx_bit + 1;
    while (bit < uart->tx_bits && (uart->tx_frame >> bit & 1) == (uart->tx_frame >> uart->tx_bit & 1))
        bit++;
    return bit;
}

static uint64_t tx_event(const struct pb_pl011 *uart)
{
    if (!uart->sends || !runs(uart))
        return NEVER;
    return cycle_of(uart, uart->tx_tick + (uart->waits ? 0 : (uint64_t)TICKS * next_change(uart)));
}

static void transmit(struct pb_pl011 *uart)
{
    if (uart->waits) {
        uart->waits = false;
    } else {
        uart->tx_bit = next_change(uart);
        if (uart->tx_bit == uart->tx_bits) {
            const uint64_t end = uart->tx_tick + (uint64_t)TICKS * uart->tx_bits;
            uart->sends = false;
            if (may_send(uart))
                begin_character(uart, end);
        }
    }
    uart->tx = uart->sends ? uart->tx_frame >> uart->tx_bit & 1 : !(uart->lcr_h & LCR_BREAK);
}

/* ---- receiver */

static bool receives(const struct pb_pl011 *uart)
{
    return runs(uart) && uart->cr & CR_RX;
}

static void received(struct pb_pl011 *uart)
{
    const unsigned bits = data_bits(uart);
    const unsigned data = uart->rx_frame >> 1 & ((1u << bits) - 1);
    const bool has_parity = uart->lcr_h & LCR_PARITY;
    const bool stop = uart->rx_frame >> (bits + 1 + has_parity) & 1;
    unsigned entry = data;

    if (!stop)
        entry |= FRAMING;
    if (!stop && uart->rx_frame == 0)
        entry |= BREAK;
    else if (has_parity && (uart->rx_frame >> (bits + 1) & 1) != parity_bit(uart, data))
        entry |= PARITY;
    if (uart->received.used == depth(uart)) {
        uart->overrun = true;
        uart->rsr |= RSR_OVERRUN;
        uart->ris |= INT_OVERRUN;
        return;
    }
    if (uart->overrun)
        entry |= OVERRUN;
    uart->overrun = false;
    put(&uart->received, (uint16_t)entry);
    uart->ris |= (entry & FRAMING ? INT_FRAMING : 0u) | (entry & PARITY ? INT_PARITY : 0u) |
                 (entry & BREAK ? INT_BREAK : 0u);
    if (!(uart->lcr_h & LCR_FIFO) || uart->received.used >= trigger(uart, 3))
        uart->ris |= INT_RX;
    if (uart->lcr_h & LCR_FIFO)
        uart->timeout_tick = uart->rx_tick + (uint64_t)TICKS * TIMEOUT_BITS;
}

static unsigned rx_bits(const struct pb_pl011 *uart)
{
    return data_bits(uart) + 2 + (uart->lcr_h & LCR_PARITY ? 1 : 0);
}

/* The tick of a sample, of a byte that begins at a tick. */
static uint64_t vote_tick(const struct pb_pl011 *uart, uint64_t begin_tick, unsigned vote)
{
    const unsigned samples = uart->kind->samples;
    return begin_tick + (uint64_t)TICKS * (vote / samples) + MIDDLE - samples / 2 + vote % samples;
}

static uint64_t last_vote_tick(const struct pb_pl011 *uart, uint64_t begin_tick)
{
    return vote_tick(uart, begin_tick, uart->kind->samples * rx_bits(uart) - 1);
}

/* One sample of a byte. */
static void vote(struct pb_pl011 *uart)
{
    const unsigned samples = uart->kind->samples;
    uart->rx_tick = vote_tick(uart, uart->begin_tick, uart->vote);
    uart->votes_high += uart->rx_level;
    if (++uart->vote % samples)
        return;
    const bool value = uart->votes_high > samples / 2;
    const unsigned bit = uart->vote / samples - 1;
    uart->votes_high = 0;
    uart->rx_frame |= (uint32_t)value << bit;
    if (bit == 0 ? value : bit + 1 == rx_bits(uart)) {
        uart->in_byte = false;
        uart->seen_high = uart->rx_level;
        if (bit > 0)
            received(uart);
    }
}

/* Processes the samples up to a tick, which all have the same level. */
static void sample(struct pb_pl011 *uart, uint64_t last)
{
    while (uart->rx_tick < last) {
        if (uart->in_byte) {
            if (vote_tick(uart, uart->begin_tick, uart->vote) > last)
                break;
            vote(uart);
        } else if (!uart->rx_level && uart->seen_high) {
            uart->in_byte = true;
            uart->begin_tick = ++uart->rx_tick;
            uart->vote = uart->votes_high = 0;
            uart->rx_frame = 0;
        } else {
            uart->seen_high |= uart->rx_level;
            break;
        }
    }
    if (uart->rx_tick < last)
        uart->rx_tick = last;
}

static bool sees_start(const struct pb_pl011 *uart)
{
    return !uart->in_byte && !uart->rx_level && uart->seen_high;
}

/* start_tick: of what a byte that is about to begin causes. */
static uint64_t rx_event(const struct pb_pl011 *uart, uint64_t start_tick)
{
    if (!receives(uart))
        return NEVER;
    uint64_t tick = uart->timeout_tick;
    uint64_t byte_tick = NEVER;
    if (uart->in_byte)
        byte_tick = last_vote_tick(uart, uart->begin_tick);
    else if (sees_start(uart))
        byte_tick = start_tick;
    if (byte_tick < tick)
        tick = byte_tick;
    return tick == NEVER ? NEVER : cycle_of(uart, tick);
}

static void receive(struct pb_pl011 *uart, uint64_t cycle)
{
    if (!receives(uart))
        return;
    sample(uart, tick_at(uart, cycle));
    if (uart->rx_tick >= uart->timeout_tick) {
        uart->timeout_tick = NEVER;
        if (uart->received.used > 0)
            uart->ris |= INT_TIMEOUT;
    }
}

/* ---- events */

static void settle(struct pb_pl011 *uart)
{
    const uint64_t tx = tx_event(uart), rx = rx_event(uart, uart->rx_tick + 1);
    const uint64_t other = uart->cts_cycle < tx ? uart->cts_cycle : tx;
    const uint64_t seen = sees_start(uart) ? rx_event(uart, last_vote_tick(uart, uart->rx_tick + 1)) : rx;
    uart->next = rx < other ? rx : other;
    uart->visible = seen < other ? seen : other;
    uart->irq = uart->ris & uart->imsc;
}

void pb_pl011_advance(struct pb_pl011 *uart, uint64_t cycle)
{
    while (uart->next <= cycle) {
        const uint64_t now = uart->next;
        if (uart->cts_cycle == now) {
            uart->cts_cycle = NEVER;
            uart->cts = uart->cts_input;
            uart->ris |= INT_CTS;
            try_to_send(uart, now);
        }
        if (tx_event(uart) == now)
            transmit(uart);
        receive(uart, now);
        settle(uart);
    }
}

void pb_pl011_input(struct pb_pl011 *uart, uint64_t cycle, bool rx)
{
    if (rx == uart->rx_level)
        return;
    if (cycle > uart->origin)
        receive(uart, cycle - 1);
    uart->rx_level = rx;
    settle(uart);
}

void pb_pl011_clear_to_send(struct pb_pl011 *uart, uint64_t cycle, bool asserted)
{
    if (asserted == uart->cts_input)
        return;
    uart->cts_input = asserted;
    uart->cts_cycle = cycle + 2 * (uint64_t)uart->divider;
    settle(uart);
}

void pb_pl011_reset(struct pb_pl011 *uart)
{
    const struct pb_pl011 before = *uart;
    *uart = (struct pb_pl011){.tx = true,
                              .kind = before.kind,
                              .divider = before.divider,
                              .cr = CR_RESET,
                              .ifls = IFLS_RESET,
                              .timeout_tick = NEVER,
                              .cts_cycle = NEVER,
                              .cts = before.cts_input,
                              .cts_input = before.cts_input,
                              .rx_level = before.rx_level};
    settle(uart);
}

void pb_pl011_power_up(struct pb_pl011 *uart, const struct pb_pl011_kind *kind, unsigned divider)
{
    *uart = (struct pb_pl011){.kind = kind, .divider = divider, .rx_level = true};
    pb_pl011_reset(uart);
}

/* The ticks begin anew at a cycle; a character in progress goes on with the bit that it has reached. */
static void restart_ticks(struct pb_pl011 *uart, uint64_t cycle)
{
    uart->origin = cycle;
    uart->rx_tick = 0;
    uart->in_byte = uart->seen_high = false;
    uart->timeout_tick =
        uart->received.used > 0 && uart->timeout_tick != NEVER ? TICKS * TIMEOUT_BITS : NEVER;
    if (uart->waits) {
        uart->tx_tick = 1;
    } else if (uart->sends) {
        uart->tx_frame >>= uart->tx_bit;
        uart->tx_bits -= uart->tx_bit;
        uart->tx_bit = 0;
        uart->tx_tick = 0;
    } else {
        try_to_send(uart, cycle + 1);
    }
}

void pb_pl011_divide(struct pb_pl011 *uart, uint64_t cycle, unsigned divider)
{
    uart->divider = divider;
    restart_ticks(uart, cycle);
    settle(uart);
}

void pb_pl011_align(struct pb_pl011 *uart, uint64_t cycle)
{
    if (uart->sends || uart->in_byte || !uart->rx_level)
        return;
    restart_ticks(uart, cycle);
    uart->seen_high = true;
    settle(uart);
}

/* ---- registers */

static uint32_t flags(const struct pb_pl011 *uart)
{
    return (uart->cts ? FR_CTS : 0u) | (uart->sends || uart->to_send.used > 0 ? FR_BUSY : 0u) |
           (uart->received.used == 0 ? FR_RXFE : 0u) | (uart->received.used == depth(uart) ? FR_RXFF : 0u) |
           (uart->to_send.used == 0 ? FR_TXFE : 0u) | (uart->to_send.used == depth(uart) ? FR_TXFF : 0u);
}

static uint32_t read_data(struct pb_pl011 *uart, uint64_t cycle)
{
    const uint32_t value = uart->received.used > 0 ? take(&uart->received) : 0;
    uart->rsr = (uart->rsr & RSR_OVERRUN) | value >> 8;
    if (!(uart->lcr_h & LCR_FIFO) || uart->received.used < trigger(uart, 3))
        uart->ris &= ~(uint32_t)INT_RX;
    if (uart->received.used == 0) {
        uart->ris &= ~(uint32_t)INT_TIMEOUT;
        uart->timeout_tick = NEVER;
    } else if (runs(uart)) {
        uart->timeout_tick = tick_at(uart, cycle) + (uint64_t)TICKS * TIMEOUT_BITS;
    }
    return value;
}

/* UARTPeriphID0..3, UARTPCellID0..3: part 011, designer 41h. */
static const char *identity(const struct pb_pl011 *uart, uint32_t offset, uint32_t *value)
{
    static const uint8_t id[8] = {0x11, 0x10, 0x04, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
    if (!uart->kind->revision)
        return "no such register of a UART";
    const unsigned word = (offset - ID) / 4;
    *value = id[word] | (word == 2 ? uart->kind->revision << 4 : 0);
    return NULL;
}

const char *pb_pl011_peek(const struct pb_pl011 *uart, uint32_t offset, uint32_t *value)
{
    if (offset >= ID)
        return identity(uart, offset, value);
    switch (offset) {
    case DR:
        *value = 0;
        return NULL;
    case RSR:
        *value = uart->rsr;
        return NULL;
    case FR:
        *value = flags(uart);
        return NULL;
    case IBRD:
        *value = uart->ibrd;
        return NULL;
    case FBRD:
        *value = uart->fbrd;
        return NULL;
    case LCR_H:
        *value = uart->lcr_h;
        return NULL;
    case CR:
        *value = uart->cr;
        return NULL;
    case IFLS:
        *value = uart->ifls;
        return NULL;
    case IMSC:
        *value = uart->imsc;
        return NULL;
    case RIS:
        *value = uart->ris;
        return NULL;
    case MIS:
        *value = uart->ris & uart->imsc;
        return NULL;
    case ICR:
        *value = 0;
        return NULL;
    case DMACR:
        *value = uart->dmacr;
        return NULL;
    default:
        return "no such register of a UART";
    }
}

const char *pb_pl011_read(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t *value)
{
    if (offset != DR)
        return pb_pl011_peek(uart, offset, value);
    *value = read_data(uart, cycle);
    settle(uart);
    return NULL;
}

static const char *write_data(struct pb_pl011 *uart, uint64_t cycle, uint32_t value)
{
    if (uart->to_send.used < depth(uart))
        put(&uart->to_send, (uint8_t)value);
    else if (!uart->kind->full_loses)
        return "write of a UART's DR while its FIFO is full";
    if (!(uart->lcr_h & LCR_FIFO) || uart->to_send.used > trigger(uart, 0))
        uart->ris &= ~(uint32_t)INT_TX;
    try_to_send(uart, cycle + 1);
    return NULL;
}

static const char *write_line(struct pb_pl011 *uart, uint64_t cycle, uint32_t value)
{
    if ((uart->lcr_h ^ value) & LCR_FIFO) {
        memset(&uart->to_send, 0, sizeof uart->to_send);
        memset(&uart->received, 0, sizeof uart->received);
        uart->ris &= ~(uint32_t)(INT_RX | INT_TIMEOUT);
    }
    uart->lcr_h = value & 0xFF;
    uart->divisor = uart->ibrd * 64 + uart->fbrd;
    if (!uart->sends || uart->waits)
        uart->tx = !(value & LCR_BREAK);
    restart_ticks(uart, cycle);
    return runs(uart) && uart->ibrd == 0 ? "UART with a divisor below 1" : NULL;
}

static const char *write_control(struct pb_pl011 *uart, uint64_t cycle, uint32_t value)
{
    const uint32_t before = uart->cr;
    if (value & ~(uint32_t)CR_HAS || (value & CR_CTS && !uart->kind->clear_to_send))
        return "UART with loopback, IrDA, RTS or modem lines";
    uart->cr = value;
    if (value & CR_ENABLE && uart->divisor < 64)
        return "UART with a divisor below 1";
    if ((before ^ value) & CR_ENABLE)
        restart_ticks(uart, cycle);
    else if (value & ~before & CR_RX) {
        uart->rx_tick = tick_at(uart, cycle);
        uart->in_byte = uart->seen_high = false;
    }
    try_to_send(uart, cycle + 1);
    return NULL;
}

const char *pb_pl011_write(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t value)
{
    const char *words = NULL;
    switch (offset) {
    case DR:
        words = write_data(uart, cycle, value);
        break;
    case RSR:
        uart->rsr = 0;
        uart->overrun = false;
        break;
    case IBRD:
        uart->ibrd = value & 0xFFFF;
        break;
    case FBRD:
        uart->fbrd = value & 0x3F;
        break;
    case LCR_H:
        words = write_line(uart, cycle, value);
        break;
    case CR:
        words = write_control(uart, cycle, value);
        break;
    case IFLS:
        uart->ifls = value & 0x3F;
        break;
    case IMSC:
        uart->imsc = value & INT_ALL;
        break;
    case ICR:
        uart->ris &= ~value;
        break;
    case DMACR:
        uart->dmacr = uart->kind->holds_dmacr ? value & 7 : 0;
        words = value & 7 & ~uart->dmacr ? "DMA of a UART" : NULL;
        break;
    default:
        words = "no such register of a UART that can be written";
    }
    settle(uart);
    return words;
}
