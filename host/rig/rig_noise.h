/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bad wire: a transport that hands everything on to another one and spoils bytes on the way, in either
 * direction, the same way for the same seed.
 *
 * What becomes of a byte depends on the seed and on its place in its direction's stream alone, not on how the
 * stream is cut into calls. Time is that of the transport inside; nothing waits here.
 */
#ifndef PHASEBENCH_RIG_NOISE_H
#define PHASEBENCH_RIG_NOISE_H

#include "phasebench/device.h"

/* How often each kind of damage befalls a byte: a probability in units of 2^-32. */
struct pb_noise_rates {
    uint32_t lost;    /* the byte is gone, and with it the burst - 1 bytes behind it */
    uint32_t doubled; /* it comes twice */
    uint32_t flipped; /* one of its bits is inverted */
    uint32_t merged;  /* it and the next one become one byte: the bits that are set in both */
    unsigned burst;   /* bytes that go at once; 0 and 1: a single one */
};

struct pb_noise {
    struct pb_noise_rates in, out; /* core to host, host to core */
    uint64_t seed;
};

/* Takes ownership of inner, also on failure. All-zero rates change nothing. PB_ERR_MEMORY. */
int pb_rig_noise_open(struct pb_transport **out, struct pb_transport *inner, const struct pb_noise *noise,
                      struct pb_diag *diag);

/* Other rates from the next byte on; the seed is that of the beginning. */
void pb_rig_noise_set(struct pb_transport *transport, const struct pb_noise *noise);

/* The transport inside; NULL when this one was not made here. */
struct pb_transport *pb_rig_noise_inner(const struct pb_transport *transport);

#endif
