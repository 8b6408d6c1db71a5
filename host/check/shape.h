/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the edges of a frame lie against its bits. Pure arithmetic.
 *
 * The limits are those of a receiver that takes 16 samples a bit, finds the start edge up to one sample late,
 * demands the same level at samples 7, 8 and 9 of a bit, and has a clock that is off by 1.25 %. A bit is read
 * between 7/16 and 10/16 of it. So the edge at boundary k, counted in bits from the byte's own start edge,
 * may come
 *     late   7/16 - (k + 7/16) / 80 bits: after that, bit k is read too soon
 *     early  6/16 - (k - 6/16) / 80 bits: before that, bit k - 1 is read too late.
 * k is 1 to 8 before a data bit, 9 before the stop bit, 10 at the start edge of the next byte of the frame.
 * At k = 10 a sender that is fast by 2.5 %, the limit of the bit time, just keeps to it.
 */
#ifndef PHASEBENCH_SHAPE_H
#define PHASEBENCH_SHAPE_H

#include "host/check/wave.h"

#define PB_SHAPE_BITS 10

/* The limits at boundary k, 1 to PB_SHAPE_BITS. */
int64_t pb_shape_late_ps(int64_t bit_ps, unsigned boundary);
int64_t pb_shape_early_ps(int64_t bit_ps, unsigned boundary);

/* An edge against its limit. */
struct pb_shape {
    unsigned byte, boundary;
    bool high;
    int64_t ps;                         /* of the edge, from the phase edge */
    int64_t apart_ps, limit_ps, u95_ps; /* late above 0 */
    int64_t beyond_ps;                  /* the limit; below 0: within */
};

/* A frame on a line: edge i of the one is edge i of the other, from `first` on in the wave. */
struct pb_shape_view {
    const struct pb_wave *wave;
    const struct pb_frame_edges *frame;
    unsigned first;
    double bit_ps;      /* nominal */
    int64_t rise_ps;    /* every rise of the frame is so late; 0 */
    double stretch;     /* the sender's bits against the nominal ones; 0 */
    bool stretch_bytes; /* only within each byte: the next one starts in time all the same */
};

/* False when the line has other edges than the frame. Sets `first`: 1 when the wave begins with the rise of a
 * low from before. */
bool pb_shape_pair(struct pb_shape_view *view);

/* The edge that goes farthest beyond its limit, or comes nearest to it, of those that were measured; false:
 * none was but start edges without another after them. */
bool pb_shape_worst(const struct pb_shape_view *view, struct pb_shape *worst);
/* The same for the one that lies farthest from its place, whatever its limit. */
bool pb_shape_farthest(const struct pb_shape_view *view, struct pb_shape *worst);

/* How much longer the bits of the sender are, by a straight line through all measured edges; false: there are
 * less than 3, or they span less than a byte. *u95: of that. */
bool pb_shape_stretch(const struct pb_shape_view *view, double *stretch, double *u95);
/* The same within the bytes, from the start edge of each. */
bool pb_shape_byte_stretch(const struct pb_shape_view *view, double *stretch);

#endif
