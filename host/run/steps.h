/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps of a session outside the run, used by the epilogue and the adjacency test. Each returns 0 or a
 * negative code of the link; events go to console->events.
 */
#ifndef PHASEBENCH_RUN_STEPS_H
#define PHASEBENCH_RUN_STEPS_H

#include "host/run/console.h"

enum {
    PB_STEP_RESET_MS = 1,     /* a node gets this time to fall silent under NRST */
    PB_STEP_STATUS_POLLS = 10 /* polls between two reads of STATUS: the event that reports the clock's end may
                                 be lost */
};

/* Writes one register of the core. */
int pb_step_set(struct pb_console *console, unsigned address, uint32_t value);
/* Takes events for this long, by the core's clock. */
int pb_step_wait(struct pb_console *console, unsigned ms);
/* Captures events, with the phase clock stopped; an external clock continues. */
int pb_step_capture(struct pb_console *console);
/* Resets every node, captures from then on, and waits for limits.boot. held: nodes that stay in reset, bit
 * per node. */
int pb_step_reset(struct pb_console *console, uint32_t held);
/* Runs the phase clock for this many superframes, from phase 0 to its stop. */
int pb_step_superframes(struct pb_console *console, unsigned superframes);
/* Events that the core or the host link lost since the device was opened. */
uint64_t pb_step_lost_events(const struct pb_console *console);

#endif
