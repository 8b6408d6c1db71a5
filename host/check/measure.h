/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measurements that the check takes along the way: start latency per dimension, phase period, time interval
 * error.
 */
#ifndef PHASEBENCH_MEASURE_H
#define PHASEBENCH_MEASURE_H

#include "phasebench/result.h"

/* All zero before the first sample. Samples are kept until finish, which needs their range for the
 * histogram's axis. */
struct pb_samples {
    int64_t *ps;
    size_t count, capacity;
    bool incomplete; /* memory ran out */
};
struct pb_measure {
    struct pb_samples start[PB_DIMS_MAX], period, tie;
    int64_t step_ps[PB_DIMS_MAX]; /* of the starts' stamps, the largest */
};

/* step_ps: of its stamp. */
void pb_measure_start(struct pb_measure *measure, unsigned dimension, int64_t start_ps, int64_t step_ps);
void pb_measure_period(struct pb_measure *measure, int64_t period_ps);
void pb_measure_tie(struct pb_measure *measure, int64_t tie_ps);
/* Writes statistics and histograms (one axis for all dimensions) into the result. PB_ERR_MEMORY when samples
 * were lost for want of memory. */
int pb_measure_finish(const struct pb_measure *measure, struct pb_result *result);
void pb_measure_free(struct pb_measure *measure);

#endif
