/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The alarms of the core. Alarms about a line go to the slot in which they came. Alarms about the clock wait
 * here until every finding that can replace them is known. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_ALARMS_H
#define PHASEBENCH_CHECK_ALARMS_H

#include "host/check/clock.h"

/* Empty: all zero, except the borrowed members. */
struct pb_alarms {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_clock *clock;
    struct pb_check_output *out;
    struct pb_queue waiting; /* alarms about the clock */
    size_t mark;             /* the mark of the next waiting alarm, or an earlier one */
};

/* Takes an alarm that may be about the clock. 0 or PB_ERR_MEMORY. */
int pb_alarms_push(struct pb_alarms *alarms, const struct pb_event *event);
/* Returns the first mark that a waiting alarm may concern, when all marks before `judged` are judged. */
size_t pb_alarms_mark(struct pb_alarms *alarms, size_t judged);
void pb_alarms_free(struct pb_alarms *alarms);
/* Judges the alarms about the clock as far as it is judged itself. After the clock. */
void pb_alarms_advance(struct pb_alarms *alarms);

/* Takes an alarm about the line of a slot. */
void pb_alarm_take(const struct pb_check_run *run, struct pb_line_slot *slot, const struct pb_event *event);
/* Reports the alarms of a slot that the edges do not show. */
void pb_alarm_judge(struct pb_check_output *out, struct pb_line_slot *slot);

#endif
