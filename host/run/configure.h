/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of a session before the phase clock: settings of the core, reset of the nodes with the capture on,
 * a pull of each line, and its rise time (line_rise.h). docs/reference/protocol.md has the order and its
 * reasons.
 */
#ifndef PHASEBENCH_CONFIGURE_H
#define PHASEBENCH_CONFIGURE_H

#include "host/check/observation.h"
#include "host/plan/plan.h"

struct pb_configure {
    struct pb_device *device;
    const struct pb_scenario *scenario;
    const struct pb_plan *plan;
    struct pb_observation *seen; /* events are added; before, line_level are filled */
    uint32_t ctrl;               /* CAPTURE, and FOLLOW with an external clock */
    /* Waits at most a few milliseconds of rig time for events and adds them to seen. Returns their number, or
     * a negative code with the diagnostic written. */
    int (*poll)(void *context, unsigned ms);
    /* A node has been out of reset for 1 ms. 0 or a negative code. */
    int (*greet)(void *context, unsigned node);
    void *context;
};

/* Leaves the core configured and capturing, the nodes out of reset, the clock stopped. 0 or the code of what
 * failed. */
int pb_configure(const struct pb_configure *configure, struct pb_diag *diag);

/* Ends the recording of edges of links whose run is recorded by bytes alone. Call it before the run starts.
 */
int pb_choose_edges(const struct pb_configure *configure, struct pb_diag *diag);

/* *tick = now, on the scale of the events' ticks. The core gives the low 32 bits only: the newest event says
 * the rest. */
int pb_stamp(uint64_t *tick, struct pb_device *device, const struct pb_observation *seen,
             struct pb_diag *diag);

#endif
