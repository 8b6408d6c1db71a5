/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transmissions seen on the links of a rig, delivered one by one while the run lasts, in the order in which
 * they began. The list is complete, whereas the result keeps the first ones only (pb_result.hop).
 */
#ifndef PHASEBENCH_TRANSMISSION_H
#define PHASEBENCH_TRANSMISSION_H

#include "phasebench/api.h"
#include "phasebench/result.h"

PB_API_BEGIN

#define PB_TRANSMISSION_FINDINGS 4

struct pb_transmission {
    struct pb_hop_row hop;    /* as seen; hop.bytes may end before the last byte */
    int64_t time_ps;          /* of the first low, from the first phase edge; not negative */
    unsigned bytes_seen;      /* at least hop.byte_count */
    int bad_stop;             /* first byte without a valid stop bit; -1: none */
    bool expected;            /* a frame was expected on the line then */
    bool cut;                 /* an edge of TDMA_CLK ends the phase before the end of the frame */
    bool collision;           /* bench and node send at once: a fault of the clock desynchronised them */
    bool by_bytes;            /* no edges were captured: times are those of the bytes' start bits */
    bool named;               /* findings name it */
    unsigned findings;        /* how many of them follow; 0 although named: beyond those of the result */
    /* Borrowed until the call returns. Their times do not count from the first phase edge yet. */
    const struct pb_finding *finding[PB_TRANSMISSION_FINDINGS];
};

/* Receives transmissions while the run lasts; take must return within microseconds. */
struct pb_transmission_sink {
    void (*take)(void *context, const struct pb_transmission *transmission); /* NULL: none */
    void *context;
};

PB_API_END

#endif
