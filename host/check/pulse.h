/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pulses of a line: lows outside the lows of a frame, or on an idle line. Pure arithmetic on ticks.
 */
#ifndef PHASEBENCH_PULSE_H
#define PHASEBENCH_PULSE_H

#include "host/check/wave.h"

#define PB_PULSES_MAX (PB_WAVE_EDGES_MAX / 2 + 1)

struct pb_pulses {
    int64_t longest;
    unsigned count; /* in the order of time */
    struct pb_pulse {
        int64_t from_tick, to_tick; /* what the frame does not cover of it */
        bool whole;                 /* the frame hides nothing of it */
    } pulse[PB_PULSES_MAX];
};

/* All pulses; end_tick: of the last one when the line is low at the end of the wave. A line that was low
 * when the phase began has no pulse there when `reported`. False when the wave is also high where the frame
 * is low, or has more pulses than are kept. */
bool pb_pulses_find(struct pb_pulses *pulses, const struct pb_wave *wave, const struct pb_frame_edges *frame,
                    const struct pb_fit *fit, int64_t end_tick, bool reported);

/* Whether they are one square wave: every fall and every rise in its place, and none of the lows left out but
 * under a low of the frame. */
bool pb_pulses_are_wave(const struct pb_pulses *pulses, const struct pb_wave *wave);

/* Whether each pulse may have a cause of its own. False for too many pulses (a noisy line), or too many at
 * edges of the frame (displaced edges). */
bool pb_pulses_are_single(const struct pb_pulses *pulses, const struct pb_frame_edges *frame);

#endif
