/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pin-level model of an external phase clock controller: it drives TDMA_CLK and TDMA_SYNC, which the bench
 * follows and measures. It runs from power-up on. Edge k of TDMA_CLK is due k phases after the first, so
 * jitter does not add up.
 */
#ifndef PB_CONTROLLER_H
#define PB_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

struct pb_controller_config {
    uint64_t phase_rate_mhz; /* nominal, millihertz */
    unsigned phases;         /* of a superframe */
    int32_t clock_ppm;       /* error of its clock; positive runs fast */
    int64_t jitter_ps;       /* every rising edge is late by a uniform 0..jitter; below half a phase */
    int64_t sync_skew_ps;    /* from a rising edge to the change of TDMA_SYNC, negative: before the edge; at
                                most a quarter of a phase to either side */
    uint64_t seed;
};

struct pb_phase_controller {
    struct pb_controller_config config;
    uint64_t random;
    uint64_t edge;     /* of the next phase, or of the current phase while the clock is high */
    int64_t change_ps; /* of the next change of tdma_clk */
    int64_t sync_ps; /* of the next change of tdma_sync; INT64_MAX: none is due */
    bool tdma_clk, tdma_sync;
};

void pb_controller_start(struct pb_phase_controller *controller, const struct pb_controller_config *config);
/* Sets the levels of now_ps; returns the time of the next change. */
int64_t pb_controller_advance(struct pb_phase_controller *controller, int64_t now_ps);

#endif
