/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A clock with a constant error, in integers: tick k is floor(k / rate) picoseconds after the clock's origin.
 * Exact for centuries of ticks, as the products have 128 bits.
 */
#ifndef FW_NATIVE_CLOCK_H
#define FW_NATIVE_CLOCK_H

#include <stdint.h>

struct clock_rate {
    uint64_t micro_hz;
};

/* 10^5 s: a tick and the begin of a bit of every rate coincide then, as each is a multiple of 10 Hz, and its
 * error a whole number of ppm. */
#define CLOCK_EPOCH_PS INT64_C(100000000000000000)
/* Time of a node's next tick after an alignment, not an edge of the core's clock: otherwise rounding to
 * picoseconds would decide their order. */
#define CLOCK_START_PS 7000
enum {
    CLOCK_EPOCHS_MAX = 90,   /* more overflow int64_t; no run takes 100 days */
    CLOCK_BAUD_MIN_HZ = 300, /* that a node has */
    CLOCK_BAUD_MAX_HZ = 12000000,
    CLOCK_PPM_MAX = 100000
};

#define CLOCK_PS_MICRO (UINT64_C(1000000000000) * 1000000)

/* hz below 10^12; ppm above -10^6, positive runs fast. */
static inline struct clock_rate clock_rate(uint64_t hz, int32_t ppm)
{
    return (struct clock_rate){hz * (uint64_t)(1000000 + ppm)};
}

/* Returns the period in picoseconds, or 0 where it is not a whole number: then the products are needed. */
static inline int64_t clock_whole_ps(struct clock_rate rate)
{
    return CLOCK_PS_MICRO % rate.micro_hz ? 0 : (int64_t)(CLOCK_PS_MICRO / rate.micro_hz);
}

/* Returns the time of a tick. Ticks and times are not negative. */
static inline int64_t clock_ps(struct clock_rate rate, int64_t ticks)
{
    const int64_t period_ps = clock_whole_ps(rate);
    if (period_ps)
        return ticks * period_ps;
    return (int64_t)((unsigned __int128)ticks * CLOCK_PS_MICRO / rate.micro_hz);
}

/* Returns the first tick at or after ps; clock_ticks(r, clock_ps(r, k)) == k for rates below 10^12 Hz. */
static inline int64_t clock_ticks(struct clock_rate rate, int64_t ps)
{
    const int64_t period_ps = clock_whole_ps(rate);
    if (period_ps)
        return ps / period_ps + (ps % period_ps != 0);
    return (int64_t)(((unsigned __int128)ps * rate.micro_hz + CLOCK_PS_MICRO - 1) / CLOCK_PS_MICRO);
}

#endif
