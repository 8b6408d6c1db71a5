/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that a seed repeats on every machine.
 */
#ifndef PHASEBENCH_RANDOM_H
#define PHASEBENCH_RANDOM_H

#include "phasebench/api.h"

#include <stdint.h>

PB_API_BEGIN

/* splitmix64 (Steele, Lea, Flood 2014): advances *state, whose first value is the seed; returns 64 bits. */
uint64_t pb_splitmix64(uint64_t *state);

PB_API_END

#endif
