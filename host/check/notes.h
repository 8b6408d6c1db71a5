/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Single events that are judged in the phase in which they come: bytes of the consoles, late records, the
 * watchdog. They wait until that phase has its edge. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_NOTES_H
#define PHASEBENCH_CHECK_NOTES_H

#include "host/check/clock.h"
#include "host/check/consoles.h"

/* Empty: all zero, except the borrowed members. */
struct pb_notes {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_clock *clock;
    struct pb_consoles *consoles; /* gets their bytes */
    struct pb_check_output *out;
    struct pb_queue waiting;
    size_t mark; /* the mark of the next waiting event, or an earlier one */
};

/* 0 or PB_ERR_MEMORY. */
int pb_notes_push(struct pb_notes *notes, const struct pb_event *event);
/* Judges them as far as the marks have their edges. */
void pb_notes_advance(struct pb_notes *notes);
/* Returns the first mark that a waiting event may concern, when all marks before `judged` are judged. */
size_t pb_notes_mark(struct pb_notes *notes, size_t judged);
void pb_notes_free(struct pb_notes *notes);

#endif
