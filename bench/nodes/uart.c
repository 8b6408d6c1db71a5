/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/uart.h"

enum { BYTE_BITS = UART_BYTE_BITS, SAMPLES_PER_BIT = 16, FIRST_VOTE = 7, VOTES_PER_BIT = 3 };

void uart_tx_init(struct uart_tx *tx, struct clock_rate baud)
{
    *tx = (struct uart_tx){.baud = baud, .level = true, .next_ps = UART_NEVER};
}

static bool bit_level(const struct uart_tx *tx, unsigned bit)
{
    const unsigned place = bit % BYTE_BITS;
    if (place == 0)
        return false;
    return place == BYTE_BITS - 1 || ((tx->bytes[bit / BYTE_BITS] >> (place - 1)) & 1);
}

void uart_tx_start(struct uart_tx *tx, int64_t start_ps, const uint8_t *bytes, unsigned length)
{
    tx->bytes = bytes;
    tx->start_ps = start_ps;
    tx->bit = 0;
    tx->bits = length * BYTE_BITS;
    tx->busy = true;
    tx->level = true;
    tx->next_ps = start_ps;
}

void uart_tx_stop(struct uart_tx *tx)
{
    tx->busy = false;
    tx->level = true;
    tx->next_ps = UART_NEVER;
}

void uart_tx_advance(struct uart_tx *tx, int64_t now_ps)
{
    while (tx->next_ps <= now_ps) {
        if (tx->bit == tx->bits) {
            uart_tx_stop(tx);
            return;
        }
        tx->level = bit_level(tx, tx->bit);
        do
            tx->bit++;
        while (tx->bit < tx->bits && bit_level(tx, tx->bit) == tx->level);
        tx->next_ps = tx->start_ps + clock_ps(tx->baud, tx->bit);
    }
}

int64_t uart_tx_end_ps(const struct uart_tx *tx)
{
    return tx->start_ps + clock_ps(tx->baud, tx->bits);
}

void uart_rx_start(struct uart_rx *rx, struct clock_rate sampling, int64_t now_ps, bool level)
{
    *rx = (struct uart_rx){.sampling = sampling,
                           .level = level,
                           .seen_high = level,
                           .next_sample = clock_ticks(sampling, now_ps),
                           .next_ps = UART_NEVER};
}

/* Returns the number of samples from the begin of a byte to one of its 30 votes. */
static int64_t vote_offset(unsigned vote)
{
    return vote / VOTES_PER_BIT * SAMPLES_PER_BIT + FIRST_VOTE + vote % VOTES_PER_BIT;
}

/* Processes the samples from next_sample to before `end`, on a line that does not change in between. */
static bool take_samples(struct uart_rx *rx, int64_t end, struct uart_byte *byte)
{
    bool done = false;

    while (rx->next_sample < end) {
        if (!rx->in_byte) {
            if (rx->level || !rx->seen_high) {
                rx->seen_high |= rx->level;
                rx->next_sample = end;
                break;
            }
            rx->seen_high = false;
            rx->in_byte = true;
            rx->begin_sample = rx->next_sample;
            rx->vote = rx->votes_high = rx->shift = 0;
        }

        const int64_t sample = rx->begin_sample + vote_offset(rx->vote);
        if (sample >= end) {
            rx->next_sample = end;
            break;
        }
        rx->next_sample = sample + 1;
        rx->votes_high += rx->level;
        if (++rx->vote % VOTES_PER_BIT != 0)
            continue;

        const unsigned bit = rx->vote / VOTES_PER_BIT - 1;
        const bool high = rx->votes_high >= 2;
        rx->votes_high = 0;
        rx->shift |= (unsigned)high << bit;
        if (bit == BYTE_BITS - 1) {
            *byte = (struct uart_byte){(uint8_t)(rx->shift >> 1), high};
            done = true;
        }
        if (bit == BYTE_BITS - 1 || (bit == 0 && high)) {
            rx->in_byte = false;
            rx->seen_high = high;
        }
    }
    return done;
}

/* Returns the end of the byte in progress, or of the byte that begins at the next sample on a low line. */
static int64_t byte_end_ps(const struct uart_rx *rx)
{
    if (!rx->in_byte && (rx->level || !rx->seen_high))
        return UART_NEVER;
    const int64_t begin = rx->in_byte ? rx->begin_sample : rx->next_sample;
    return clock_ps(rx->sampling, begin + vote_offset(BYTE_BITS * VOTES_PER_BIT - 1));
}

bool uart_rx_advance(struct uart_rx *rx, int64_t now_ps, bool level, struct uart_byte *byte)
{
    if (level == rx->level && now_ps < rx->next_ps)
        return false;

    const int64_t now_sample = clock_ticks(rx->sampling, now_ps);
    bool done = take_samples(rx, now_sample, byte);
    rx->level = level;
    if (clock_ps(rx->sampling, now_sample) == now_ps)
        done |= take_samples(rx, now_sample + 1, byte);
    rx->next_ps = byte_end_ps(rx);
    return done;
}
