/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transmitter and receiver of a UART at its pins: 8N1, LSB first, idle high. The caller advances the time;
 * next_ps is the time of the next call needed, not one per bit. All times are picoseconds since power-up.
 */
#ifndef FW_NATIVE_UART_H
#define FW_NATIVE_UART_H

#include "bench/nodes/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define UART_NEVER INT64_MAX
enum { UART_BYTE_BITS = 10 };

/* Transmitter: edge k of a run of bytes is k bit periods after its start, so rounding never accumulates. */
struct uart_tx {
    struct clock_rate baud;
    const uint8_t *bytes;
    int64_t start_ps;
    unsigned bit, bits; /* next bit of the run that begins with an edge; length of the run in bits */
    bool busy, level;
    int64_t next_ps; /* of the next edge, or the end of the run; UART_NEVER when idle */
};

void uart_tx_init(struct uart_tx *tx, struct clock_rate baud);
/* Begins a run of 1 or more bytes, without gaps; the bytes must remain valid until its end. start_ps may be
 * in the future. */
void uart_tx_start(struct uart_tx *tx, int64_t start_ps, const uint8_t *bytes, unsigned length);
void uart_tx_stop(struct uart_tx *tx); /* releases the line at once */
void uart_tx_advance(struct uart_tx *tx, int64_t now_ps);
int64_t uart_tx_end_ps(const struct uart_tx *tx); /* end of the last stop bit; of a busy transmitter */

/* Receiver: samples the line on its own free-running grid of 16 per bit. The first low sample after a high
 * sample begins a byte. The level at uart_rx_start counts as a sample, as the input of a UART is high before
 * a link is connected to it. The value of each bit is the majority of the samples 7, 8 and 9 after the sample
 * that begins the bit; a start bit with the value 1 is dropped as noise. After the stop bit the search for a
 * start bit restarts; a line that stays low gives only one framing error. */
struct uart_rx {
    struct clock_rate sampling; /* 16 x baud */
    bool level;                 /* since the last call */
    int64_t next_sample;        /* all samples before it are processed */
    bool seen_high;             /* searching: a low sample now begins a byte */
    bool in_byte;
    int64_t begin_sample;      /* of the byte */
    unsigned vote, votes_high; /* 0..29: three for each of ten bits; high votes of the current bit */
    unsigned shift;            /* bits received, the start bit first */
    int64_t next_ps;           /* of the sample that ends the byte; UART_NEVER on an idle line */
};

struct uart_byte {
    uint8_t value;
    bool framing_ok;
};

/* Receives from now_ps on; earlier samples are discarded. */
void uart_rx_start(struct uart_rx *rx, struct clock_rate sampling, int64_t now_ps, bool level);
/* The line has `level` from now_ps on. Call at each change and at next_ps; further calls have no effect.
 * Returns true if a byte ended, only at next_ps. */
bool uart_rx_advance(struct uart_rx *rx, int64_t now_ps, bool level, struct uart_byte *byte);

#endif
