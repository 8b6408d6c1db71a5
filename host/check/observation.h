/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An observation: everything that was seen of one run, without judgement. A session fills it, the check reads
 * it.
 */
#ifndef PHASEBENCH_OBSERVATION_H
#define PHASEBENCH_OBSERVATION_H

#include "phasebench/device.h"
#include "phasebench/result.h"

/* A console line that the node did not confirm before the clock started. */
struct pb_console_failure {
    unsigned seat;
    size_t message;
    uint64_t tick;
    char answer[80]; /* what came back; "" for nothing */
};

struct pb_observation {
    struct pb_device_info info;
    struct pb_events events;  /* owned; in the order of their ticks */
    uint64_t events_taken;    /* edges that the measurement of the lines made, which are not in `events` */
    uint64_t events_lost;     /* in the core; counters.events_missing: on the way to the host */
    uint64_t edgeless;        /* links whose edges were not recorded, bit per link */
    char capture_reason[256]; /* why not, or what else the host link cannot carry; "" */
    uint64_t line_level; /* of the links, bit per link, 1 high, after the capture was switched on and before
                          * the clock ran */
    struct pb_line_rise rise[PB_RISE_LINKS]; /* of the links, as line_rise.c found it */
    struct pb_console_failure console_failure[16];
    size_t console_failures; /* may exceed 16 */
    int64_t simulated_ps;    /* -1 on a real rig */
    int64_t overruns;        /* as pb_rig_overruns */
    struct pb_device_counters counters;
    char cut[256];         /* why the observation ends before the run did; "" when it does not */
    uint64_t whole_phases; /* phases before that; only the events of these are kept */
};

static inline void pb_observation_free(struct pb_observation *observation)
{
    pb_events_free(&observation->events);
}

#endif
