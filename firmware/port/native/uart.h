/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two halves of a UART at its pins: 8N1, LSB first, idle high. Both are told the time and tell when they
 * want to be told again; neither needs an event per bit. All times are picoseconds since power-up.
 */
#ifndef FW_NATIVE_UART_H
#define FW_NATIVE_UART_H

#include "firmware/port/native/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define UART_NEVER INT64_MAX

/* Transmitter: edge k of a run of bytes stands k bit times after its start, so rounding never accumulates. */
struct uart_tx {
    struct clock_rate baud;
    const uint8_t *bytes;
    int64_t start_ps;
    unsigned bit, bits; /* next bit of the run whose beginning is an edge; length of the run in bits */
    bool busy, level;
    int64_t next_ps; /* of the next edge, or the end of the run; UART_NEVER when idle */
};

void uart_tx_init(struct uart_tx *tx, struct clock_rate baud);
/* Begins a run of 1 or more bytes, back to back; the bytes must stay until it ends. start_ps may lie ahead.
 */
void uart_tx_start(struct uart_tx *tx, int64_t start_ps, const uint8_t *bytes, unsigned length);
void uart_tx_stop(struct uart_tx *tx); /* releases the line at once */
void uart_tx_advance(struct uart_tx *tx, int64_t now_ps);

/* Receiver: samples the line on its own free-running grid of 16 per bit. The first low sample after a high
 * one begins a byte; the level at uart_rx_start counts as a sample, as the input of a UART is high before a
 * link is connected to it. The value of each bit is the majority of the samples 7, 8 and 9 after the sample
 * that begins the bit; a start bit that turns out high is dropped as noise. After the stop bit the hunt
 * begins anew, and a line that stays low gives one framing error only. */
struct uart_rx {
    struct clock_rate sampling; /* 16 x baud */
    bool level;                 /* since the last call */
    int64_t next_sample;        /* all before it are done */
    bool seen_high;             /* hunting: a low sample now begins a byte */
    bool in_byte;
    int64_t begin_sample;      /* of the byte */
    unsigned vote, votes_high; /* 0..29: three for each of ten bits; high ones of the present bit */
    unsigned shift;            /* bits so far, the start bit first */
    int64_t next_ps;           /* of the sample that ends the byte; UART_NEVER on an idle line */
};

struct uart_byte {
    uint8_t value;
    bool framing_ok;
};

/* Listens from now_ps on; what came before is forgotten. */
void uart_rx_start(struct uart_rx *rx, struct clock_rate sampling, int64_t now_ps, bool level);
/* The line has `level` from now_ps on. Call at each change and at next_ps; it does no harm in between.
 * Returns true when a byte ended, which happens at next_ps only. */
bool uart_rx_advance(struct uart_rx *rx, int64_t now_ps, bool level, struct uart_byte *byte);

#endif
