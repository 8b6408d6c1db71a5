/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Phase tracker: which phase begins with an edge of TDMA_CLK.
 *
 * TDMA_SYNC alone decides: a high level means phase 0, and a low level where phase 0 was due means that the
 * node no longer knows the phase. The time between edges never corrects the phase, it only tells what went
 * wrong. An edge within half a period of its predecessor is extra, and the predecessor stays the reference,
 * so that one extra edge is counted once wherever it falls; from 1.5 periods on, edges are missing.
 */
#ifndef FW_PHASE_H
#define FW_PHASE_H

#include "stats.h"

#include <stdbool.h>
#include <stdint.h>

#define PHASE_UNKNOWN UINT8_C(0xFF)

struct phase_tracker {
    uint32_t period_ticks;
    uint32_t reference_ticks; /* of the last edge that was not extra */
    bool has_reference;
    uint8_t phases; /* in a superframe */
    uint8_t phase;  /* now, or PHASE_UNKNOWN */
};

/* phases: of a superframe. period_ticks: nominal, 2 .. 2^31. */
void phase_init(struct phase_tracker *tracker, uint8_t phases, uint32_t period_ticks);

/* An edge at `ticks`, with the level of TDMA_SYNC after it. Counts into *stats; returns the phase that
 * begins, or PHASE_UNKNOWN. A pause of more than 2^32 ticks is seen modulo 2^32. */
uint8_t phase_edge(struct phase_tracker *tracker, struct stats *stats, uint32_t ticks, bool sync);

/* The phase that begins with the next edge if nothing goes wrong; 0 while the phase is unknown, since the
 * node can then only start with TDMA_SYNC. */
uint8_t phase_due(const struct phase_tracker *tracker);

#endif
