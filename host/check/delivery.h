/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the arrival of each message, by the schedule and by its crossings seen on the lines of the rig.
 * Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_DELIVERY_H
#define PHASEBENCH_CHECK_DELIVERY_H

#include "host/check/expectation.h"
#include "host/check/findings.h"
#include "host/check/schedule.h"

struct pb_deliveries {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_expectation *expectation;
    struct pb_schedule *schedule;
    struct pb_check_output *out;
    size_t crossings, arrivals; /* of the schedule, that were judged */
};

/* The lines are judged up to this mark. */
void pb_deliveries_advance(struct pb_deliveries *deliveries, size_t mark);
void pb_deliveries_end(struct pb_deliveries *deliveries);

#endif
