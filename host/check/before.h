/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the time before the first phase. Its events wait here until the edge of that phase is known. Private
 * to host/check.
 */
#ifndef PHASEBENCH_CHECK_BEFORE_H
#define PHASEBENCH_CHECK_BEFORE_H

#include "host/check/findings.h"
#include "host/check/loss.h"

/* Empty: all zero, except the borrowed members. */
struct pb_early {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_loss *loss;
    struct pb_check_output *out;
    struct pb_events events; /* owned; up to the first phases */
    bool judged;             /* they are, and no more are taken */
    uint64_t followed;       /* links that went low when the bench pulled them */
    bool underrun;           /* a record of the slot player came too late, at any time of the run */
};

/* 0 or PB_ERR_MEMORY. */
int pb_early_push(struct pb_early *early, const struct pb_event *event);
/* The levels of the lines when the clock started; a bit for each link, 1 is high. */
uint64_t pb_early_levels(const struct pb_early *early);
/* Judges that time. Call it once the edge of the first phase is known. */
void pb_judge_before(struct pb_early *early);
/* Releases the events after that. */
void pb_early_end(struct pb_early *early);
/* Returns the finding for a whole frame of the bench that is absent: HELD_HIGH, or STIMULUS if the bench may
 * be the cause. */
enum pb_finding_kind pb_absent_pull(const struct pb_early *early, unsigned link);

#endif
