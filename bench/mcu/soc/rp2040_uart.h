/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A UART of an RP2040: Arm PrimeCell PL011 ("PrimeCell UART (PL011) Technical Reference Manual", DDI 0183,
 * and "RP2040 Datasheet", section 4.2), bit by bit at its pins.
 *
 * Time is a cycle of clk_peri. Baud16 tick k is floor(k * divisor / 64) cycles after the divisor was set,
 * with the divisor in 1/64 cycles. A byte begins at a tick, and each bit has 16 ticks. The receiver sees a
 * low line at a tick, and samples 8 ticks later and then every 16.
 *
 * Not modelled: DMA, IrDA, modem lines, loopback, parity, breaks that firmware sends, words other than 8
 * bits with one stop bit. Their use sets `trap`.
 */
#ifndef PB_MCU_RP2040_UART_H
#define PB_MCU_RP2040_UART_H

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_UART_FIFO = 32 };

struct rp2040_uart_fifo {
    uint16_t data[RP2040_UART_FIFO]; /* received: with the error bits 11..8 of UARTDR */
    uint8_t first, used;
};

struct rp2040_uart {
    uint32_t ibrd, fbrd, lcr, cr, ifls, mask, raw; /* mask, raw: the 11 interrupts */
    uint64_t divisor; /* 1/64 cycles, as latched by the last write of LCR_H; 0: none */
    uint64_t origin;  /* cycle of tick 0 */
    struct rp2040_uart_fifo tx, rx;
    bool overrun;       /* the next character received carries the error */
    bool sends, level;  /* a byte is in the shift register; the level of TX */
    uint8_t shift, bit; /* the byte; its next bit, 1..10 */
    uint64_t tx_tick;   /* at which that begins */
    bool rx_level;
    enum rp2040_uart_receiver { UART_IDLE, UART_SEES_LOW, UART_RECEIVES } receiver;
    uint16_t rx_shift;
    uint8_t rx_bit;        /* whose sample is next: 0 the start bit, 9 the stop bit */
    uint64_t rx_tick;      /* of the next look at the line */
    uint64_t timeout_tick; /* of the receive timeout; UINT64_MAX: none runs */
    const char *trap;      /* NULL, or what firmware used that is not modelled */
};

void rp2040_uart_reset(struct rp2040_uart *uart, uint64_t cycle);

/* Cycle of the next event; UINT64_MAX. _visible: of the next one that can change TX or the interrupt. */
uint64_t rp2040_uart_next(const struct rp2040_uart *uart);
uint64_t rp2040_uart_visible(const struct rp2040_uart *uart);
/* Processes the event at `cycle`, which is rp2040_uart_next. */
void rp2040_uart_step(struct rp2040_uart *uart, uint64_t cycle);

/* The following are called when all events before `cycle` are processed. */
void rp2040_uart_input(struct rp2040_uart *uart, uint64_t cycle, bool level);
uint32_t rp2040_uart_read(struct rp2040_uart *uart, uint64_t cycle, uint32_t offset);
void rp2040_uart_write(struct rp2040_uart *uart, uint64_t cycle, uint32_t offset, uint32_t value);
/* The value that the set, clear and XOR aliases change; has no side effect. */
uint32_t rp2040_uart_peek(const struct rp2040_uart *uart, uint32_t offset);
/* The baud generator restarts at this cycle, if no byte is in progress. */
void rp2040_uart_align(struct rp2040_uart *uart, uint64_t cycle);

bool rp2040_uart_line(const struct rp2040_uart *uart); /* interrupt */

#endif
