/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of missing events: the stages report losses here, and check it before they judge. Private to
 * host/check.
 */
#ifndef PHASEBENCH_CHECK_LOSS_H
#define PHASEBENCH_CHECK_LOSS_H

#include "host/check/observation.h"

/* ---- where events are missing: every event has a number, lost ones too. A number is missing while an event
 * with a higher one is there; they may come in any order. */

struct pb_gap {
    uint64_t from, to;                /* numbers that are missing: from .. to - 1 */
    uint64_t before_tick, after_tick; /* of the events on either side */
};

struct pb_gaps {
    struct pb_gap *gap; /* owned; ascending */
    size_t count, capacity;
    uint64_t next;         /* number after the highest that was received */
    uint64_t newest_tick;  /* of the event with that one */
    uint64_t forgotten_to; /* where the last gap ended that is no longer in the list */
};

/* Takes note of an event that came. 0 or PB_ERR_MEMORY. */
int pb_gaps_take(struct pb_gaps *gaps, const struct pb_event *event);
/* Adds to the stamps that were noted. */
void pb_gaps_move(struct pb_gaps *gaps, int64_t ticks);
void pb_gaps_free(struct pb_gaps *gaps); /* all zero: no effect */

/* Whether an event is missing between these two, the later of which is among those that came last. */
bool pb_gaps_between(const struct pb_gaps *gaps, uint64_t from_sequence, uint64_t to_sequence);
/* Keeps no more of the gaps that end before this stamp than pb_gaps_between needs. */
void pb_gaps_forget(struct pb_gaps *gaps, uint64_t before_tick);

/* ---- state of the loss */

/* All zero: nothing is missing. */
struct pb_loss {
    uint64_t impossible;    /* events that no core makes */
    uint64_t unplaced;      /* events that came when too many others waited for their phase */
    uint64_t overflown;     /* events that the core says it lost */
    uint64_t in_core;       /* at the end: those, or what its counter says */
    bool placed;            /* the place of the first loss in the run is known: */
    uint64_t whole_to_tick; /* of the last event of the run before it; 0: not known */
    bool reported;          /* by the core or the link, or by an impossible event */
    bool known;             /* reported, or seen from the edges of a line */
    size_t edges;           /* findings about lost edges */
    struct pb_gaps gaps;    /* where numbers of events are missing */
};

/* Takes the losses that the counters report. */
void pb_loss_take_counters(struct pb_loss *loss, const struct pb_observation *seen);
void pb_loss_take_impossible(struct pb_loss *loss);
void pb_loss_take_unplaced(struct pb_loss *loss);
void pb_loss_take_overflow(struct pb_loss *loss, uint64_t count); /* what the core says it lost */
void pb_loss_take_edge(struct pb_loss *loss);                     /* a finding about a lost edge */
/* Places a reported loss in the first gap after the number `sequence`, once all events before settled_tick
 * were received. Stamps before origin_tick are not of the run. */
void pb_loss_find_place(struct pb_loss *loss, uint64_t sequence, uint64_t settled_tick, uint64_t origin_tick);
/* No further event comes: counts what the core lost. */
void pb_loss_end(struct pb_loss *loss, const struct pb_observation *seen);

#endif
