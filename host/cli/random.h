/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pseudo-random numbers of the commands: SplitMix64 (Steele, Lea, Flood 2014), the same for a seed always.
 */
#ifndef PHASEBENCH_CLI_RANDOM_H
#define PHASEBENCH_CLI_RANDOM_H

#include <stdint.h>

/* The next number; *state is the seed at first. */
static inline uint64_t cli_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
