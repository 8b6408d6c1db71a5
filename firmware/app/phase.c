/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phase.h"

void phase_init(struct phase_tracker *tracker, uint8_t phases, uint32_t period_ticks)
{
    tracker->period_ticks = period_ticks;
    tracker->reference_ticks = 0;
    tracker->has_reference = false;
    tracker->phases = phases;
    tracker->phase = PHASE_UNKNOWN;
}

static void judge_interval(struct phase_tracker *tracker, struct stats *stats, uint32_t ticks)
{
    const uint32_t period = tracker->period_ticks;
    const uint32_t elapsed = ticks - tracker->reference_ticks;
    if (tracker->has_reference) {
        if (elapsed <= period / 2) {
            stats->extra_edges++;
            return;
        }
        if (elapsed - period / 2 >= period) /* rare: MCUs divide slowly */
            stats->missed_edges += (elapsed - period / 2) / period;
    }
    tracker->reference_ticks = ticks;
    tracker->has_reference = true;
}

uint8_t phase_due(const struct phase_tracker *tracker)
{
    if (tracker->phase == PHASE_UNKNOWN || tracker->phase + 1 == tracker->phases)
        return 0;
    return tracker->phase + 1;
}

uint8_t phase_edge(struct phase_tracker *tracker, struct stats *stats, uint32_t ticks, bool sync)
{
    const uint8_t due = phase_due(tracker);

    stats->edges++;
    judge_interval(tracker, stats, ticks);
    if (tracker->phase != PHASE_UNKNOWN && sync != (due == 0))
        stats->alignment_errors++;
    if (sync)
        tracker->phase = 0;
    else
        tracker->phase = due == 0 ? PHASE_UNKNOWN : due;
    if (tracker->phase == 0)
        stats->superframes++;
    return tracker->phase;
}
