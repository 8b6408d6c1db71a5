/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers: xorshift64* (Vigna 2016).
 */
#include "case.h"

#include <math.h>

uint64_t random_bits(struct random *random)
{
    uint64_t x = random->state ? random->state : UINT64_C(0x9A7EC83D1F52B604);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

uint64_t random_below(struct random *random, uint64_t limit)
{
    return limit < 2 ? 0 : (random_bits(random) >> 11) % limit;
}

int64_t random_between(struct random *random, int64_t least, int64_t most)
{
    return most <= least ? least : least + (int64_t)random_below(random, (uint64_t)(most - least) + 1);
}

double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) / 9007199254740992.0;
}

bool random_chance(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

double random_log(struct random *random, double least, double most)
{
    return least * pow(most / least, random_unit(random));
}
