/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The steps of the self-test: each relies only on the steps before it. A step returns 0 with its result in
 * diag, or a negative code with the error in diag: PB_ERR_NODE for a node, any other code for the bench. It
 * restores the changed settings, or resets them.
 */
#ifndef PHASEBENCH_PROCEDURE_SELFTEST_STEPS_H
#define PHASEBENCH_PROCEDURE_SELFTEST_STEPS_H

#include "phasebench/rig.h"

#define SELFTEST_ALL_NODES 0xffffu /* of NODE_RESET */
#define SELFTEST_CLOCK_MS 200u     /* limit until the end of the phase clock is reported */
#define SELFTEST_CAPTURE (PB_CTRL_CAPTURE_MASK << PB_CTRL_CAPTURE_LSB)

struct selftest {
    const char *rig_url;                /* NULL: sim: */
    const struct pb_scenario *scenario; /* the nodes of a simulated rig; their settings on any rig */
    struct pb_device *device;           /* NULL until the first step */
    struct pb_transport *transport;     /* borrowed from the device */
    struct pb_recorder *recorder;       /* borrowed; NULL: none */
    const volatile sig_atomic_t *stop;  /* as in struct pb_rig_options; NULL: never */
    struct pb_events events;            /* owned; of the current step */
    bool external; /* a controller drives the clock pins: requested, or found by selftest_find_clock */
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

/* CTRL for a capture without a run: with FOLLOW if a controller drives the clock pins. */
static inline uint32_t selftest_capture(const struct selftest *test)
{
    return SELFTEST_CAPTURE | (test->external ? PB_CTRL_FOLLOW_MASK << PB_CTRL_FOLLOW_LSB : 0);
}

/* selftest_external.c. Searches for edges on TDMA_CLK before the bench drives any pin, unless test->external
 * is set or the scenario's clock is external. Sets test->external. Below 400 Hz it may miss a clock. */
int selftest_find_clock(struct selftest *test, struct pb_diag *diag);
/* Replaces step `clock`: measures the edges of the controller. */
int selftest_external_clock(struct selftest *test, struct pb_diag *diag);
/* Replaces the phases of step `loopback`: the pattern on each link, one after another. */
int selftest_external_loopback(struct selftest *test, const uint8_t *pattern, unsigned count,
                               struct pb_diag *diag);
/* selftest_lines.c. Sends bytes on a link immediately. */
int selftest_play_now(struct selftest *test, unsigned link, const uint8_t *bytes, unsigned count,
                      struct pb_diag *diag);
/* Sends bytes on a link, immediately or in a phase of the next superframe. baud_hz divides the clock. */
struct selftest_byte {
    unsigned link, phase;
    bool immediate;
    uint32_t offset_ticks, baud_hz;
};
int selftest_play(struct selftest *test, const struct selftest_byte *byte, const uint8_t *bytes,
                  unsigned count, struct pb_diag *diag);

/* selftest_pulls.c. With all nodes in reset; call selftest_release_lines after the last of them. */

/* Pulls each link in the phase of its number, this many ticks after the edge, and measures when it fell, in
 * ticks after the edge; -1: it did not. PB_ERR_LINK: none did. The bench drives the phase clock. */
int selftest_delays(struct selftest *test, const uint32_t *offset_ticks, double *seen_ticks,
                    struct pb_diag *diag);

#define SELFTEST_PULLS 8 /* low for 90 us, high for 10 us */
struct selftest_pulls {
    bool low_before, low_after;
    unsigned falls, rises, breaks; /* seen of SELFTEST_PULLS; breaks: lows that ended too early */
    uint64_t followers;            /* other links that moved meanwhile */
    int64_t min_ps, mean_ps, max_ps; /* rise, of `rises` */
    int64_t step_ps;                 /* of a stamp */
};
int selftest_pull(struct selftest *test, unsigned link, struct selftest_pulls *out, struct pb_diag *diag);
int selftest_release_lines(struct selftest *test, struct pb_diag *diag);

/* For the steps: stops the clock and the capture, releases the lines, discards all events. */
int selftest_quiet(struct selftest *test, struct pb_diag *diag);
/* Collects events until an event of this kind, with this value in its low 9 bits. PB_ERR_TIMEOUT after
 * limit_ms of the rig's time, or of the events' stamps if they never pause. */
int selftest_await(struct selftest *test, unsigned kind, uint32_t value, unsigned limit_ms,
                   struct pb_diag *diag);

#endif
