/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/pulse.h"

#include <stdlib.h>

enum {
    TEETH_MIN = 3,   /* pulses that chance does not put into a row */
    SINGLE_MAX = 64, /* reported one by one */
    CLIPPED_MIN = 2  /* edges of any frame that single pulses may touch */
};

static int64_t edge_tick(const struct pb_frame_edges *frame, const struct pb_fit *fit, unsigned edge)
{
    return fit->origin_tick + ((frame->bit[edge] * fit->bit_q16 + 0x8000) >> 16);
}

/* A time in which line and frame differ. One that lasts no longer than stamps are apart counts only when the
 * frame has nothing to do with it. */
static bool close_gap(struct pb_pulses *pulses, int64_t from, int64_t to, bool low, bool whole)
{
    if (from == to || (!whole && to - from <= PB_WAVE_TOLERANCE_TICKS))
        return true;
    if (!low || pulses->count == PB_PULSES_MAX)
        return false;
    pulses->longest = to - from > pulses->longest ? to - from : pulses->longest;
    pulses->pulse[pulses->count++] = (struct pb_pulse){from, to, whole};
    return true;
}

bool pb_pulses_find(struct pb_pulses *pulses, const struct pb_wave *wave, const struct pb_frame_edges *frame,
                    const struct pb_fit *fit, int64_t end_tick, bool reported)
{
    unsigned line = 0, due = 0; /* the next edges */
    bool high = !wave->low_first, wanted = true, from_line = false, sound = true;
    int64_t from = 0;
    if (reported && wave->low_first && wave->count && wave->edge[0].high) {
        line = 1;
        high = true;
    }
    pulses->count = 0;
    pulses->longest = 0;
    while (sound && (line < wave->count || due < frame->count)) {
        const bool of_frame = due < frame->count &&
                              (line == wave->count || edge_tick(frame, fit, due) <= wave->edge[line].tick);
        const int64_t tick = of_frame ? edge_tick(frame, fit, due) : wave->edge[line].tick;
        if (high != wanted)
            sound = close_gap(pulses, from, tick, !high, from_line && !of_frame);
        if (of_frame)
            wanted = ++due % 2 == 0;
        else
            high = wave->edge[line++].high;
        from = tick;
        from_line = !of_frame;
    }
    if (sound && high != wanted)
        sound = close_gap(pulses, from, end_tick, !high, from_line);
    return sound;
}

/* Distance from the nearest multiple. */
static int64_t off_grid(int64_t distance, int64_t pitch)
{
    const int64_t rest = llabs(distance) % pitch;
    return rest < pitch - rest ? rest : pitch - rest;
}

bool pb_pulses_are_wave(const struct pb_pulses *pulses, const struct pb_wave *wave)
{
    const struct pb_pulse *tooth = NULL;
    for (unsigned i = 0; i < pulses->count && !tooth; i++)
        tooth = pulses->pulse[i].whole ? &pulses->pulse[i] : NULL;
    if (!tooth || pulses->count < TEETH_MIN)
        return false;
    const int64_t length = tooth->to_tick - tooth->from_tick, pitch = 2 * length;
    for (unsigned i = 0; i < pulses->count; i++) {
        const struct pb_pulse *pulse = &pulses->pulse[i];
        const int64_t longer = pulse->to_tick - pulse->from_tick - length;
        const bool cut_short = i + 1 == pulses->count && longer < 0; /* the wave may end anywhere */
        if (pulse->whole && (off_grid(pulse->from_tick - tooth->from_tick, pitch) > PB_WAVE_TOLERANCE_TICKS ||
                             (!cut_short && llabs(longer) > PB_WAVE_TOLERANCE_TICKS)))
            return false;
    }
    const int64_t end = pulses->pulse[pulses->count - 1].to_tick;
    const int64_t first = tooth->from_tick - (tooth->from_tick - pulses->pulse[0].from_tick) / pitch * pitch;
    for (int64_t middle = first + length / 2; middle < end; middle += pitch)
        if (!pb_wave_low_throughout(wave, middle, middle + 1))
            return false;
    return end - first > (TEETH_MIN - 1) * pitch;
}

bool pb_pulses_are_single(const struct pb_pulses *pulses, const struct pb_frame_edges *frame)
{
    unsigned clipped = 0;
    for (unsigned i = 0; i < pulses->count; i++)
        clipped += !pulses->pulse[i].whole;
    return pulses->count && pulses->count <= SINGLE_MAX &&
           !(frame->count && clipped > CLIPPED_MIN && clipped > frame->count / 4);
}
