/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node's lines: a transmitter that outputs a list of edges, a receiver with 16 samples per bit.
 */
#include "bench/nodes/contract.h"

enum { BYTE_BITS = 10, SAMPLES = 16, FIRST_VOTE = 7, VOTES = 3, ALL_VOTES = BYTE_BITS * VOTES };

int64_t contract_span_ps(int32_t clock_ppm, uint64_t hz, uint64_t periods)
{
    const unsigned __int128 ps_of_hz = (unsigned __int128)1000000000000 * 1000000;
    return (int64_t)(ps_of_hz * periods / ((unsigned __int128)hz * (uint64_t)(1000000 + clock_ppm)));
}

uint64_t contract_periods(int32_t clock_ppm, uint64_t hz, int64_t span_ps)
{
    const unsigned __int128 ps_of_hz = (unsigned __int128)1000000000000 * 1000000;
    const unsigned __int128 micro_hz = (unsigned __int128)hz * (uint64_t)(1000000 + clock_ppm);
    return (uint64_t)(((unsigned __int128)span_ps * micro_hz + ps_of_hz - 1) / ps_of_hz);
}

/* ---- transmitter */

static bool bit_of(const uint8_t *bytes, unsigned bit)
{
    const unsigned place = bit % BYTE_BITS;
    return place == BYTE_BITS - 1 || (place > 0 && (bytes[bit / BYTE_BITS] >> (place - 1) & 1));
}

void contract_wave_start(struct contract_wave *wave, const uint8_t *bytes, unsigned count,
                         const int64_t *bound_ps)
{
    wave->toggles = wave->next = 0;
    bool level = true;
    for (unsigned bit = 0; bit < BYTE_BITS * count; bit++)
        if (bit_of(bytes, bit) != level) {
            level = !level;
            wave->toggle_ps[wave->toggles++] = bound_ps[bit];
        }
    wave->start_ps = bound_ps[0];
    wave->end_ps = bound_ps[BYTE_BITS * count];
    wave->busy = true;
    wave->level = true;
}

void contract_wave_stop(struct contract_wave *wave)
{
    wave->busy = false;
    wave->level = true;
}

void contract_wave_advance(struct contract_wave *wave, int64_t now_ps)
{
    if (!wave->busy)
        return;
    while (wave->next < wave->toggles && wave->toggle_ps[wave->next] <= now_ps) {
        wave->level = !wave->level;
        wave->next++;
    }
    if (wave->end_ps <= now_ps && wave->next == wave->toggles)
        contract_wave_stop(wave);
}

int64_t contract_wave_wake(const struct contract_wave *wave)
{
    if (!wave->busy)
        return CONTRACT_NEVER;
    return wave->next < wave->toggles ? wave->toggle_ps[wave->next] : wave->end_ps;
}

/* ---- receiver */

static int64_t vote_ps(const struct contract_rx *rx, unsigned vote)
{
    const unsigned sample = vote / VOTES * SAMPLES + FIRST_VOTE + vote % VOTES;
    return rx->begin_ps + contract_span_ps(rx->clock_ppm, rx->sample_hz, sample);
}

/* Returns the time of the first sample of the grid at or after `ps`. */
static int64_t sample_ps(const struct contract_rx *rx, int64_t ps)
{
    const int64_t since_ps = ps > rx->origin_ps ? ps - rx->origin_ps : 0;
    const uint64_t samples = contract_periods(rx->clock_ppm, rx->sample_hz, since_ps);
    return rx->origin_ps + contract_span_ps(rx->clock_ppm, rx->sample_hz, samples);
}

/* Evaluates the three votes of a bit. Returns true at the last bit. */
static bool end_bit(struct contract_rx *rx, struct contract_byte *byte)
{
    const unsigned bit = rx->vote / VOTES - 1;
    const bool high = rx->highs >= 2;
    rx->highs = 0;
    rx->bits |= (unsigned)high << bit;
    if (bit == 0 && high) { /* a pulse, not a start bit */
        rx->busy = false;
        rx->armed = true;
        return false;
    }
    if (bit < BYTE_BITS - 1)
        return false;
    *byte = (struct contract_byte){(uint8_t)(rx->bits >> 1), high};
    rx->busy = false;
    rx->armed = high;
    return true;
}

static void begin_byte(struct contract_rx *rx, int64_t now_ps)
{
    rx->busy = true;
    rx->armed = false;
    rx->begin_ps = sample_ps(rx, now_ps);
    rx->vote = rx->highs = rx->bits = 0;
}

void contract_rx_listen(struct contract_rx *rx, int64_t now_ps, bool level)
{
    rx->level = level;
    rx->armed = level;
    rx->busy = false;
    rx->begin_ps = now_ps;
    if (!level && rx->takes_low)
        begin_byte(rx, now_ps);
}

bool contract_rx_advance(struct contract_rx *rx, int64_t now_ps, bool level, struct contract_byte *byte)
{
    bool done = false;
    while (rx->busy && vote_ps(rx, rx->vote) < now_ps) {
        rx->highs += rx->level && (!rx->once || rx->vote % VOTES == VOTES / 2) ? 1 + rx->once : 0;
        if (++rx->vote % VOTES == 0)
            done = end_bit(rx, byte);
    }
    if (level && rx->busy && now_ps <= rx->begin_ps) { /* low between two samples */
        rx->busy = false;
        rx->armed = true;
    }
    rx->level = level;
    if (level && !rx->busy)
        rx->armed = true;
    if (!level && !rx->busy && rx->armed)
        begin_byte(rx, now_ps);
    return done;
}

int64_t contract_rx_wake(const struct contract_rx *rx)
{
    return rx->busy ? vote_ps(rx, ALL_VOTES - 1) + 1 : CONTRACT_NEVER;
}
