/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clock of limits and waits: it is never set.
 */
#ifndef PB_BASE_MONOTONIC_H
#define PB_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline int64_t pb_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t pb_monotonic_ms(void)
{
    return pb_monotonic_ns() / 1000000;
}

#endif
