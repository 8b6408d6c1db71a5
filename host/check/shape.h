/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distances of the edges of a frame from its bit boundaries, by the limits of phasebench/signal_limits.h.
 * Pure arithmetic.
 */
#ifndef PHASEBENCH_SHAPE_H
#define PHASEBENCH_SHAPE_H

#include "host/check/wave.h"
#include "phasebench/signal_limits.h"

#define PB_SHAPE_BITS PB_CHARACTER_BITS

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
    int64_t rise_ps;    /* common delay of every rise of the frame; 0: none */
    double stretch;     /* the sender's bits against the nominal ones; 0 */
    bool stretch_bytes; /* only within each byte: the next one starts in time all the same */
};

/* False when the line has other edges than the frame. Sets `first`: 1 when the wave begins with the rise of a
 * low from before. */
bool pb_shape_pair(struct pb_shape_view *view);

/* The edge that goes farthest beyond its limit, or comes nearest to it, of those that were measured; false:
 * none was but start edges without another after them. */
bool pb_shape_worst(const struct pb_shape_view *view, struct pb_shape *worst);
/* The same for the edge that is farthest from its place, independent of its limit. */
bool pb_shape_farthest(const struct pb_shape_view *view, struct pb_shape *worst);

/* Computes how much longer the bits of the sender are, by a straight line through all measured edges; *u95:
 * its uncertainty. False: there are less than 3 edges, or they span less than a byte. */
bool pb_shape_stretch(const struct pb_shape_view *view, double *stretch, double *u95);
/* The same within the bytes, from the start edge of each. */
bool pb_shape_byte_stretch(const struct pb_shape_view *view, double *stretch);

/* Computes how much longer the bits within the bytes are than the nominal ones. It ignores the start edges,
 * as all other edges may have a common delay against them, and the common delay of all rises. */
struct pb_shape_bits {
    double stretch, u95;           /* of all bytes together */
    double byte_stretch, byte_u95; /* of the byte that is farthest beyond the nominal bit time, less its U95,
                                    * among those with at least four edges; 0: none has four */
    unsigned byte;
};
/* By bytes with at least three measured edges in addition to their start edge. False: no bit time of
 * bytes can be measured. Too few edges were measured, or they differ from every straight line by more
 * than 1/32 of a bit and the grain of the stamps. */
bool pb_shape_bits(const struct pb_shape_view *view, struct pb_shape_bits *bits);

#endif
