/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sorts and settles the events. A core sends them nearly in the order of their stamps. Each event waits here
 * until PB_SETTLE_PHASES phases have begun after it; a later stamp is impossible. Then it is settled: it goes
 * to the stages of its kind, which judge as far as they can. At most PB_WAITING_MAX events wait here and at
 * the stages. Further events, when phases stop or are long and lines babble, count as lost. The result
 * depends only on the events, not on their portions. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_ARRIVAL_H
#define PHASEBENCH_CHECK_ARRIVAL_H

#include "host/check/loss.h"
#include "host/check/queue.h"
#include "host/check/run.h"

#define PB_WAITING_MAX (1u << 20) /* events that wait for their phase to be judged */
#define PB_SETTLE_PHASES 4        /* largest age of a stamp against the newest one: a byte is reported at its
                                     end */

/* Empty: all zero, except the borrowed members. */
struct pb_arrival {
    struct pb_check_run *run; /* borrowed; gets its origin */
    struct pb_loss *loss;     /* borrowed; gets what is missing or impossible */
    struct pb_queue window;
    size_t taken;                              /* number of the event that was settled last, plus 1 */
    uint64_t phase_tick[PB_SETTLE_PHASES + 1]; /* of the last PHASE events, ascending */
    unsigned phases;
    uint64_t settled_tick;    /* events before it are settled */
    size_t waiting;           /* events except PHASE since the last of these, here and at the stages */
    struct pb_event unplaced; /* the newest one that found no room */
    bool started;             /* the first phase is known */
    uint64_t first_sequence;  /* of its event */
};

/* Takes an event as it comes from the core. *settled: events may be ready. 0 or PB_ERR_MEMORY. */
int pb_arrival_push(struct pb_arrival *arrival, const struct pb_event *event, bool *settled);
/* The next settled event, in the order of the ticks, which stays valid up to the next call; NULL. */
const struct pb_event *pb_arrival_next(struct pb_arrival *arrival);
/* No more come: all are settled. 0 or PB_ERR_MEMORY. */
int pb_arrival_end(struct pb_arrival *arrival);
/* Places a reported loss where numbers of events are missing. */
void pb_arrival_place_loss(const struct pb_arrival *arrival);

#endif
