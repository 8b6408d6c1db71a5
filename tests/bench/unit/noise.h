/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers of the tests, the same everywhere and not those of host/base/random.c: Knuth's MMIX
 * generator. Set random_state to begin a sequence; random_step and below_of have a state of the caller's.
 */
#ifndef PB_TEST_NOISE_H
#define PB_TEST_NOISE_H

#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdint.h>

static uint64_t random_state = 1;

/* The lowest bits are no good. */
static inline uint64_t random_step(uint64_t *state)
{
    return *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
}

static inline unsigned below_of(uint64_t *state, unsigned limit)
{
    return (unsigned)(random_step(state) >> 33) % limit;
}

static inline unsigned below(unsigned limit)
{
    return below_of(&random_state, limit);
}

/* Above 0, below 1. */
static inline double uniform(void)
{
    return ((double)(random_step(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Mean 0, deviation 1 (Box and Muller). */
static inline double gaussian(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static inline void assert_near(double value, double expected, double apart)
{
    if (!(fabs(value - expected) <= apart))
        fail_msg("%.9g, expected %.9g within %.3g", value, expected, apart);
}

#endif
