/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/signal_limits.h"

/* In 1/1280 of a bit: 16ths, of which the receiver's clock takes an 80th for each bit. */
enum { GRAIN = 1280, LATE = 553, EARLY = 486, PER_BIT = 16 };

int64_t pb_edge_late_ps(int64_t bit_ps, unsigned boundary)
{
    return bit_ps * (LATE - PER_BIT * (int64_t)boundary) / GRAIN;
}

int64_t pb_edge_early_ps(int64_t bit_ps, unsigned boundary)
{
    return bit_ps * (EARLY - PER_BIT * (int64_t)boundary) / GRAIN;
}

int64_t pb_rise_most_ps(int64_t bit_ps)
{
    return pb_edge_late_ps(bit_ps, PB_CHARACTER_BITS - 1);
}
