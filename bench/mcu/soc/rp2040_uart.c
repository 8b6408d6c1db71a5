/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/mcu/soc/rp2040_uart.h"

#include <string.h>

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    ILPR = 0x20,
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
enum { FR_BUSY = 0x08, FR_RXFE = 0x10, FR_TXFF = 0x20, FR_RXFF = 0x40, FR_TXFE = 0x80 };
enum { LCR_FEN = 0x10, LCR_8N1 = 0x60 };
enum { CR_ENABLE = 0x001, CR_TX = 0x100, CR_RX = 0x200, CR_RESET = 0x300 };
enum {
    RX_INT = 0x010,
    TX_INT = 0x020,
    TIMEOUT_INT = 0x040,
    FRAMING_INT = 0x080,
    BREAK_INT = 0x200,
    OVERRUN_INT = 0x400,
    INTS = 0x7FF
};
enum { DR_FRAMING = 0x100, DR_BREAK = 0x400, DR_OVERRUN = 0x800 };
enum { BIT_TICKS = 16, MIDDLE_TICKS = 8, STOP_BIT = 9, FRAME_BITS = 10, TIMEOUT_BITS = 32 };
#define NEVER UINT64_MAX

static uint64_t cycle_of(const struct rp2040_uart *uart, uint64_t tick)
{
    return uart->origin + (tick * uart->divisor >> 6);
}

/* The first tick at or after a cycle. */
static uint64_t tick_at(const struct rp2040_uart *uart, uint64_t cycle)
{
    return (((cycle - uart->origin) << 6) + uart->divisor - 1) / uart->divisor;
}

static bool works(const struct rp2040_uart *uart, unsigned direction)
{
    return uart->divisor && (uart->cr & CR_ENABLE) && (uart->cr & direction);
}

static unsigned depth(const struct rp2040_uart *uart)
{
    return uart->lcr & LCR_FEN ? RP2040_UART_FIFO : 1;
}

static void put(struct rp2040_uart_fifo *fifo, uint16_t data)
{
    fifo->data[(fifo->first + fifo->used++) % RP2040_UART_FIFO] = data;
}

static uint16_t take(struct rp2040_uart_fifo *fifo)
{
    const uint16_t data = fifo->data[fifo->first];
    fifo->first = (uint8_t)((fifo->first + 1) % RP2040_UART_FIFO);
    fifo->used--;
    return data;
}

/* Characters at which an interrupt occurs, by a field of IFLS: 1/8, 1/4, 1/2, 3/4 or 7/8 of the FIFO. */
static unsigned trigger(const struct rp2040_uart *uart, unsigned field)
{
    static const uint8_t eighths[8] = {1, 2, 4, 6, 7, 7, 7, 7};
    return uart->lcr & LCR_FEN ? eighths[field & 7] * RP2040_UART_FIFO / 8u : 1;
}

/* ---- transmitter */

/* Moves a character to the shift register, if that is free: its start bit begins at the tick. */
static void load(struct rp2040_uart *uart, uint64_t tick)
{
    const unsigned limit = uart->lcr & LCR_FEN ? trigger(uart, uart->ifls) : 0;
    if (uart->sends || !works(uart, CR_TX) || uart->tx.used == 0)
        return;
    const bool above = uart->tx.used > limit;
    uart->shift = (uint8_t)take(&uart->tx);
    uart->sends = true;
    uart->bit = 0;
    uart->tx_tick = tick;
    if (above && uart->tx.used <= limit)
        uart->raw |= TX_INT;
}

static void send_bit(struct rp2040_uart *uart)
{
    const uint64_t tick = uart->tx_tick;
    if (uart->bit == FRAME_BITS) {
        uart->sends = false;
        load(uart, tick);
        if (!uart->sends)
            return;
    }
    uart->level = uart->bit == STOP_BIT || (uart->bit > 0 && (uart->shift >> (uart->bit - 1) & 1));
    uart->bit++;
    uart->tx_tick = tick + BIT_TICKS;
}

/* ---- receiver */

static void receive(struct rp2040_uart *uart)
{
    const bool stop = uart->rx_shift >> STOP_BIT & 1;
    uint16_t data = uart->rx_shift >> 1 & 0xFF;

    if (!stop) {
        data |= DR_FRAMING;
        uart->raw |= FRAMING_INT;
        if (uart->rx_shift == 0) {
            data |= DR_BREAK;
            uart->raw |= BREAK_INT;
        }
    }
    if (uart->rx.used == depth(uart)) {
        uart->overrun = true;
        uart->raw |= OVERRUN_INT;
        return;
    }
    if (uart->overrun)
        data |= DR_OVERRUN;
    uart->overrun = false;
    put(&uart->rx, data);
    if (uart->rx.used >= trigger(uart, uart->ifls >> 3))
        uart->raw |= RX_INT;
    uart->timeout_tick = uart->rx_tick + TIMEOUT_BITS * BIT_TICKS;
}

static void sample(struct rp2040_uart *uart)
{
    if (uart->receiver == UART_SEES_LOW) {
        uart->receiver = uart->rx_level ? UART_IDLE : UART_RECEIVES;
        uart->rx_shift = 0;
        uart->rx_bit = 0;
        uart->rx_tick += MIDDLE_TICKS;
        return;
    }
    if (uart->rx_bit == 0 && uart->rx_level) {
        uart->receiver = UART_IDLE; /* a false start bit */
        return;
    }
    uart->rx_shift |= (uint16_t)(uart->rx_level << uart->rx_bit);
    if (uart->rx_bit == STOP_BIT) {
        receive(uart);
        uart->receiver = UART_IDLE;
        return;
    }
    uart->rx_bit++;
    uart->rx_tick += BIT_TICKS;
}

void rp2040_uart_input(struct rp2040_uart *uart, uint64_t cycle, bool level)
{
    const bool falls = uart->rx_level && !level;
    uart->rx_level = level;
    if (falls && uart->receiver == UART_IDLE && works(uart, CR_RX)) {
        uart->receiver = UART_SEES_LOW;
        uart->rx_tick = tick_at(uart, cycle);
    }
}

/* ---- events */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t timeout_cycle(const struct rp2040_uart *uart)
{
    return uart->timeout_tick == NEVER ? NEVER : cycle_of(uart, uart->timeout_tick);
}

uint64_t rp2040_uart_next(const struct rp2040_uart *uart)
{
    uint64_t next = timeout_cycle(uart);
    if (uart->sends)
        next = earlier(next, cycle_of(uart, uart->tx_tick));
    if (uart->receiver != UART_IDLE)
        next = earlier(next, cycle_of(uart, uart->rx_tick));
    return next;
}

uint64_t rp2040_uart_visible(const struct rp2040_uart *uart)
{
    uint64_t next = timeout_cycle(uart);
    if (uart->sends)
        next = earlier(next, cycle_of(uart, uart->tx_tick));
    if (uart->receiver == UART_SEES_LOW)
        next = earlier(next, cycle_of(uart, uart->rx_tick + MIDDLE_TICKS + STOP_BIT * BIT_TICKS));
    else if (uart->receiver == UART_RECEIVES)
        next = earlier(next, cycle_of(uart, uart->rx_tick + (STOP_BIT - uart->rx_bit) * BIT_TICKS));
    return next;
}

void rp2040_uart_step(struct rp2040_uart *uart, uint64_t cycle)
{
    if (uart->sends && cycle_of(uart, uart->tx_tick) == cycle)
        send_bit(uart);
    if (uart->receiver != UART_IDLE && cycle_of(uart, uart->rx_tick) == cycle)
        sample(uart);
    if (timeout_cycle(uart) <= cycle) {
        uart->timeout_tick = NEVER;
        if (uart->rx.used && (uart->lcr & LCR_FEN))
            uart->raw |= TIMEOUT_INT;
    }
}

void rp2040_uart_align(struct rp2040_uart *uart, uint64_t cycle)
{
    if (uart->sends || uart->receiver != UART_IDLE)
        return;
    uart->origin = cycle;
    uart->timeout_tick = NEVER;
}

void rp2040_uart_reset(struct rp2040_uart *uart, uint64_t cycle)
{
    const bool level = uart->rx_level;
    memset(uart, 0, sizeof *uart);
    uart->rx_level = level;
    uart->level = true;
    uart->cr = CR_RESET;
    uart->ifls = 0x12;
    uart->origin = cycle;
    uart->timeout_tick = NEVER;
}

bool rp2040_uart_line(const struct rp2040_uart *uart)
{
    return (uart->raw & uart->mask) != 0;
}

/* ---- registers */

static uint32_t flags(const struct rp2040_uart *uart)
{
    uint32_t value = 0;
    if (uart->sends || uart->tx.used)
        value |= FR_BUSY;
    if (uart->rx.used == 0)
        value |= FR_RXFE;
    if (uart->rx.used == depth(uart))
        value |= FR_RXFF;
    if (uart->tx.used == 0)
        value |= FR_TXFE;
    if (uart->tx.used == depth(uart))
        value |= FR_TXFF;
    return value;
}

uint32_t rp2040_uart_peek(const struct rp2040_uart *uart, uint32_t offset)
{
    /* UARTPeriphID0..3, UARTPCellID0..3: part 011, designer 41h, revision 3. */
    static const uint8_t id[8] = {0x11, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
    if (offset >= ID)
        return id[(offset - ID) / 4];
    switch (offset) {
    case FR:
        return flags(uart);
    case IBRD:
        return uart->ibrd;
    case FBRD:
        return uart->fbrd;
    case LCR_H:
        return uart->lcr;
    case CR:
        return uart->cr;
    case IFLS:
        return uart->ifls;
    case IMSC:
        return uart->mask;
    case RIS:
        return uart->raw;
    case MIS:
        return uart->raw & uart->mask;
    default:
        return 0;
    }
}

uint32_t rp2040_uart_read(struct rp2040_uart *uart, uint64_t cycle, uint32_t offset)
{
    if (offset != DR)
        return rp2040_uart_peek(uart, offset);
    const uint32_t data = uart->rx.used ? take(&uart->rx) : 0;
    if (uart->rx.used < trigger(uart, uart->ifls >> 3))
        uart->raw &= ~(uint32_t)RX_INT;
    if (uart->rx.used == 0) {
        uart->raw &= ~(uint32_t)TIMEOUT_INT;
        uart->timeout_tick = NEVER;
    } else if (uart->divisor) {
        uart->timeout_tick = tick_at(uart, cycle) + TIMEOUT_BITS * BIT_TICKS;
    }
    return data;
}

/* A write of LCR_H takes over the divisor. The firmware must not do that within a byte. */
static void write_line_control(struct rp2040_uart *uart, uint64_t cycle, uint32_t value)
{
    if ((value & 0xFFu & ~(uint32_t)LCR_FEN) != LCR_8N1 && (uart->cr & CR_ENABLE))
        uart->trap = "UART with another format than 8N1";
    if (uart->sends || uart->receiver != UART_IDLE)
        uart->trap = "write of UARTLCR_H within a byte";
    uart->lcr = value & 0xFF;
    uart->divisor = uart->ibrd << 6 | uart->fbrd;
    uart->origin = cycle;
    uart->timeout_tick = NEVER;
}

static void write_control(struct rp2040_uart *uart, uint32_t value)
{
    if (value & CR_ENABLE) {
        if (value & ~(uint32_t)(CR_ENABLE | CR_TX | CR_RX))
            uart->trap = "UART with loopback, IrDA or modem lines";
        if ((uart->lcr & ~(uint32_t)LCR_FEN) != LCR_8N1)
            uart->trap = "UART with another format than 8N1";
        if (uart->divisor < 64)
            uart->trap = "UART without a divisor";
    }
    uart->cr = value & 0xFFFF;
}

void rp2040_uart_write(struct rp2040_uart *uart, uint64_t cycle, uint32_t offset, uint32_t value)
{
    const unsigned limit = uart->lcr & LCR_FEN ? trigger(uart, uart->ifls) : 0;
    switch (offset) {
    case DR:
        if (uart->tx.used < depth(uart))
            put(&uart->tx, value & 0xFF);
        if (uart->tx.used > limit)
            uart->raw &= ~(uint32_t)TX_INT;
        if (uart->divisor)
            load(uart, tick_at(uart, cycle + 1));
        break;
    case IBRD:
        uart->ibrd = value & 0xFFFF;
        break;
    case FBRD:
        uart->fbrd = value & 0x3F;
        break;
    case LCR_H:
        write_line_control(uart, cycle, value);
        break;
    case CR:
        write_control(uart, value);
        if (uart->divisor)
            load(uart, tick_at(uart, cycle + 1));
        break;
    case IFLS:
        uart->ifls = value & 0x3F;
        break;
    case IMSC:
        uart->mask = value & INTS;
        break;
    case ICR:
        uart->raw &= ~value;
        break;
    case ILPR:
    case DMACR:
        if (value)
            uart->trap = "UART with IrDA or DMA";
        break;
    default:
        break; /* RSR clears errors that nobody reads there; the others are read-only */
    }
}
