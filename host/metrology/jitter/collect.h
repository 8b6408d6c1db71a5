/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The samples of a run, one series for each figure and link. Private to host/metrology/jitter.
 */
#ifndef PHASEBENCH_JITTER_COLLECT_H
#define PHASEBENCH_JITTER_COLLECT_H

#include "phasebench/jitter.h"

#include <stddef.h>

enum { JITTER_LINKS = PB_JITTER_LINKS };
/* In place of a period: the edge before is missing, and so is the one after. */
#define JITTER_LONE_EDGE INT64_C(0)

struct jitter_sample {
    uint64_t phase;
    int64_t time_ps, value_ps;
};

struct jitter_series {
    struct jitter_sample *sample; /* owned; in the order of time */
    size_t count, capacity;
    int64_t step_ps; /* the largest */
    bool fine;       /* by the converter */
};

struct pb_jitter_collector {
    struct jitter_series period, start[JITTER_LINKS];
    struct jitter_series sync_rise, sync_fall;
    struct jitter_series bit_time[JITTER_LINKS]; /* values in ppb */
    bool keeps_fine, fine_rises;
    unsigned fine_pin;
    int64_t *fine_ps; /* owned; ascending */
    size_t fines, fine_capacity;
    struct pb_jitter_fine fine;
    uint64_t left_out;
    bool incomplete; /* memory ran out */
};

#endif
