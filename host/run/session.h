/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session: one scenario played on one rig, and everything that was observed. No judgement here.
 */
#ifndef PHASEBENCH_SESSION_H
#define PHASEBENCH_SESSION_H

#include "phasebench/device.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"

/* A console line that the node did not confirm before the clock started. */
struct pb_console_failure {
    unsigned seat;
    size_t message;
    uint64_t tick;
    char answer[80]; /* what came back; "" for nothing */
};

struct pb_observation {
    struct pb_device_info info;
    struct pb_events events; /* in the order of their ticks */
    uint64_t events_lost;
    uint64_t line_level;     /* of the links, bit per link, 1 high, when the capture was switched on */
    struct pb_console_failure console_failure[16];
    size_t console_failures; /* may exceed 16 */
    int64_t simulated_ps;    /* -1 on a real rig */
    struct pb_device_counters counters;
};

/* Plays it. Errors as pb_run. The observation is the caller's; release with pb_observation_free, also after a failure. */
int pb_session_play(struct pb_observation *observation, const struct pb_scenario *scenario, const struct pb_run_options *options,
                    const struct pb_rig_options *rig, struct pb_diag *diag);
void pb_observation_free(struct pb_observation *observation);

#endif
