/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rungs of the self-test: each trusts only what the rungs before it have proven.
 */
#ifndef PHASEBENCH_SELFTEST_H
#define PHASEBENCH_SELFTEST_H

#include "phasebench/rig.h"

struct selftest {
    const char *rig_url;                /* NULL: sim: */
    const struct pb_scenario *scenario; /* what stands on a simulated rig; names the nodes' settings on any */
    struct pb_device *device;           /* NULL until the first rung */
    struct pb_transport *transport;     /* borrowed from the device */
    struct pb_recorder *recorder;       /* borrowed; NULL: none */
    const volatile sig_atomic_t *stop;  /* as in struct pb_rig_options; NULL: never */
    struct pb_events events;            /* owned; of the present rung */
    bool external; /* a controller drives the clock pins: asked for, or found by selftest_find_clock */
};

/* A rung returns 0 and leaves what it found in diag, or a negative code and leaves what is wrong: PB_ERR_NODE
 * blames a node, any other code the bench. It leaves the settings that it changed as they were, or as at
 * power-up. */
struct selftest_rung {
    const char *name;
    int (*climb)(struct selftest *test, struct pb_diag *diag);
};

/* Opens the rig. */
int selftest_identify(struct selftest *test, struct pb_diag *diag);
/* Every register of the map, the clock idle. */
int selftest_registers(struct selftest *test, struct pb_diag *diag);
/* One superframe, every edge at its tick. */
int selftest_clock(struct selftest *test, struct pb_diag *diag);
/* Slot player to capture on each link. */
int selftest_loopback(struct selftest *test, struct pb_diag *diag);
/* Each node of the scenario answers `I`. */
int selftest_console(struct selftest *test, struct pb_diag *diag);

void selftest_close(struct selftest *test);

/* CTRL for a capture without a run: FOLLOW too, where a controller drives the clock pins. */
static inline uint32_t selftest_capture(const struct selftest *test)
{
    return PB_CTRL_CAPTURE_MASK << PB_CTRL_CAPTURE_LSB |
           (test->external ? PB_CTRL_FOLLOW_MASK << PB_CTRL_FOLLOW_LSB : 0);
}

/* selftest_external.c. Looks for edges on TDMA_CLK before anything is driven, unless test->external is set or
 * the scenario's clock is external. Sets test->external. A clock below 400 Hz may be missed. */
int selftest_find_clock(struct selftest *test, struct pb_diag *diag);
/* In place of the rung `clock`: the controller's edges, measured. */
int selftest_external_clock(struct selftest *test, struct pb_diag *diag);
/* In place of the phases of the rung `loopback`: the pattern on each link, one after another. */
int selftest_external_loopback(struct selftest *test, const uint8_t *pattern, unsigned count,
                               struct pb_diag *diag);
/* selftest_lines.c. Sends bytes on a link at once. */
int selftest_play_now(struct selftest *test, unsigned link, const uint8_t *bytes, unsigned count,
                      struct pb_diag *diag);

/* For the rungs. Clock stopped, lines released, capture off, no event left over. */
int selftest_quiet(struct selftest *test, struct pb_diag *diag);
/* Collects events until one of this kind, and with this in the low 9 bits of its value, came. PB_ERR_TIMEOUT
 * after limit_ms of the rig's time, or of the events' stamps where they never pause. */
int selftest_await(struct selftest *test, unsigned kind, uint32_t value, unsigned limit_ms,
                   struct pb_diag *diag);

#endif
