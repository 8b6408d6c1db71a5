/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Noise: a transport that corrupts bytes in both directions on their way to and from an inner transport.
 *
 * The damage of a byte depends only on the seed and on its position in the stream of its direction, not on
 * the division of the stream into calls. Time is that of the inner transport; no call waits here.
 */
#ifndef PHASEBENCH_RIG_NOISE_H
#define PHASEBENCH_RIG_NOISE_H

#include "phasebench/device.h"

/* Probability of each kind of damage per byte, in units of 2^-32. */
struct pb_noise_rates {
    uint32_t lost;    /* the byte and the burst - 1 bytes after it are lost */
    uint32_t doubled; /* the byte arrives twice */
    uint32_t flipped; /* one of its bits is inverted */
    uint32_t merged;  /* byte & next byte replaces the two */
    unsigned burst;   /* bytes lost together; 0 and 1: one */
};

struct pb_noise {
    struct pb_noise_rates in, out; /* core to host, host to core */
    uint64_t seed;
};

/* Wraps inner and takes ownership of it, also on failure. All-zero rates: no damage. PB_ERR_MEMORY. */
int pb_rig_noise_open(struct pb_transport **out, struct pb_transport *inner, const struct pb_noise *noise,
                      struct pb_diag *diag);

/* Sets the rates from the next byte on; the seed stays. */
void pb_rig_noise_set(struct pb_transport *transport, const struct pb_noise *noise);

/* The inner transport; NULL: `transport` is of another kind. */
struct pb_transport *pb_rig_noise_inner(const struct pb_transport *transport);

#endif
