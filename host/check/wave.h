/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compares the level changes of one line in one phase with those of a frame. Pure arithmetic on ticks.
 */
#ifndef PHASEBENCH_WAVE_H
#define PHASEBENCH_WAVE_H

#include "host/plan/frame.h"

#include <stdbool.h>
#include <stdint.h>

#define PB_WAVE_EDGES_MAX 1024
/* A stamp is a whole number of ticks, and so is a sender's edge. */
#define PB_WAVE_TOLERANCE_TICKS 2

struct pb_wave {
    bool low_first; /* low when the phase began */
    unsigned count; /* edges kept */
    struct pb_wave_edge {
        int64_t tick;   /* from the phase edge; a rise: less what the line takes for it (rise.c) */
        bool high;      /* the new level */
        bool laid;      /* not measured: where the bits of a byte, or a loss, put it */
        int64_t ps;     /* the same instant, with the half of its tick */
        int64_t u95_ps; /* largest distance from that instant */
    } edge[PB_WAVE_EDGES_MAX];
};

/* Edges of a frame, in bit times from its first one; falling and rising in turn. */
struct pb_frame_edges {
    unsigned count;
    uint16_t bit[10 * PB_FRAME_MAX];
};
void pb_frame_edges(struct pb_frame_edges *edges, const uint8_t *bytes, unsigned count);

/* A frame laid over a wave. */
struct pb_fit {
    int64_t origin_tick;  /* of its first edge */
    int64_t bit_q16;      /* ticks in 1/65536 */
    unsigned matched;     /* edges of the frame that the line has */
    unsigned missing;     /* edges of the frame that it lacks */
    unsigned surplus;     /* edges of the line that are not the frame's */
    int64_t surplus_tick; /* of the first of them */
};

/* The best position of the frame: at `nominal_tick` or at a falling edge, with the nominal bit time or with
 * the bit time by its last edge (half to twice the nominal). */
struct pb_fit pb_wave_fit(const struct pb_wave *wave, const struct pb_frame_edges *frame,
                          int64_t nominal_tick, int64_t bit_q16);

/* Whether the line falls with the frame and rises late, by the same time at every rise from some rise on. The
 * delay is the mean of those rises, against a line through all falls. If the bits of a sender are multiples
 * of its clock period, its edges are up to that period off. So a rise is late only if it is later than the
 * latest fall, by more than a tick and a half. Fewer than FALLS_MIN (8) measured falls, or laid falls between
 * the start bits, do not show that period; then a rise is late from 3/16 of a bit on. exact: the sender is
 * the bench, whose bits have no such period; then few falls cost a tick, for the line through them. */
bool pb_wave_rises_late(const struct pb_wave *wave, const struct pb_frame_edges *frame, int64_t bit_q16,
                        bool exact, int64_t *delay_q16);

/* From one tick to the one before the other. */
bool pb_wave_low_throughout(const struct pb_wave *wave, int64_t from_tick, int64_t to_tick);

/* Whether the line is low wherever the frame is low. */
bool pb_wave_covers(const struct pb_wave *wave, const struct pb_frame_edges *frame, const struct pb_fit *fit);

/* Whether an edge is apart from every bit boundary of the fit. */
bool pb_wave_off_grid(const struct pb_wave *wave, const struct pb_fit *fit);

/* Whether two lines carry the same: all edges of `wave`, except one at either end, are also edges of `other`,
 * earlier or later by the same few ticks, and `other` has no further edges in that time. */
bool pb_wave_follows(const struct pb_wave *wave, const struct pb_wave *other);

/* Pulses of the line being low. */
struct pb_lows {
    unsigned count;
    int64_t longest_tick, longest;
    int64_t last_tick, last;
};
/* end_tick: of the last low when the line is low at the end of the wave. */
struct pb_lows pb_wave_lows(const struct pb_wave *wave, int64_t end_tick);

#endif
