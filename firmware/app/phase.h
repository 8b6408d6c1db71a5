/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Phase tracker: determines the phase that begins with an edge of TDMA_CLK.
 *
 * Only TDMA_SYNC sets the phase: a high level begins phase 0; after a low level where phase 0 was due the
 * phase is unknown. Edge timing never changes the phase; it only classifies an error as an extra or a missed
 * edge. An edge within half a period of its predecessor is extra, and the predecessor remains the reference,
 * so one extra edge is counted once at any place. From 1.5 periods on, edges are missed.
 */
#ifndef FW_PHASE_H
#define FW_PHASE_H

#include "stats.h"

#include <stdbool.h>
#include <stdint.h>

#define PHASE_UNKNOWN UINT8_C(0xFF)

struct phase_tracker {
    uint32_t period_ticks;
    uint32_t reference_ticks; /* time of the last edge that was not extra */
    bool has_reference;
    uint8_t phases; /* in a superframe */
    uint8_t phase;  /* now, or PHASE_UNKNOWN */
};

/* phases: of a superframe. period_ticks: nominal, 2 .. 2^31. */
void phase_init(struct phase_tracker *tracker, uint8_t phases, uint32_t period_ticks);

/* Processes an edge at `ticks`, with the level of TDMA_SYNC after it. Counts into *stats. Returns the phase
 * that begins, or PHASE_UNKNOWN. A pause of more than 2^32 ticks is measured modulo 2^32. */
uint8_t phase_edge(struct phase_tracker *tracker, struct stats *stats, uint32_t ticks, bool sync);

/* Returns the phase that the next edge should begin; 0 while the phase is unknown, since only TDMA_SYNC can
 * then start the node. */
uint8_t phase_due(const struct phase_tracker *tracker);

#endif
