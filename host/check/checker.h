/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stages of the check, in the order in which an event passes them, and their shared state:
 *
 * - arrival.c orders the events (gaps.c, run.c) and hands each to its stages.
 *
 * - rebuild.c derives edges from bytes if none were recorded.
 *
 * - clock.c makes the marks of the phases and judges the phase clock (clock_error.c).
 *
 * - notes.c takes single events by their phase, alarms.c the alarms of the core; injected.c the receipts of
 *   the faults and their effects.
 *
 * - schedule.c reads the expected crossings from the movement.
 *
 * - slots.c divides the events into slots; nodes.c and model.c know the duty of the nodes in them.
 *
 * - judge.c judges one slot (classify.c, bits.c, odd_slot.c, held_high.c); delivery.c the arrival of
 *   messages.
 *
 * - before.c, pins.c, answers.c, evidence.c, epilogue.c judge the rest; check.c decides.
 *
 * Private to host/check.
 */
#ifndef PHASEBENCH_CHECKER_H
#define PHASEBENCH_CHECKER_H

#include "host/check/alarms.h"
#include "host/check/before.h"
#include "host/check/consoles.h"
#include "host/check/delivery.h"
#include "host/check/evidence.h"
#include "host/check/expectation.h"
#include "host/check/findings.h"
#include "host/check/loss.h"
#include "host/check/marks.h"
#include "host/check/model.h"
#include "host/check/notes.h"
#include "host/check/observation.h"
#include "host/check/pulse.h"
#include "host/check/rebuild.h"
#include "host/check/rise.h"
#include "host/check/run.h"
#include "host/check/schedule.h"
#include "host/check/shape.h"
#include "host/check/slot.h"
#include "host/check/transmissions.h"
#include "host/check/wave.h"

#include <stdlib.h>

#define PB_WAITING_MAX (1u << 20) /* events that wait for their phase to be judged */
#define PB_SETTLE_PHASES 4          /* a stamp may be so far behind the newest: a byte is told at its end */
#define PB_HOPS_FIRST 5000          /* rows of transmissions from the beginning of the run */

struct pb_checker {
    struct pb_check_run run;
    struct pb_check_output out;
    struct pb_faults faults;
    struct pb_expectation expectation;
    struct pb_schedule schedule;
    struct pb_deliveries deliveries;
    struct pb_transmissions transmissions;
    struct pb_loss loss;
    struct pb_evidence_seen evidence;
    struct pb_hop_row spare_hop; /* rows beyond the space of the result are counted, and written here */
    struct pb_arrival *arrival; /* owned */
    struct pb_early early;
    struct pb_rebuild *rebuild; /* owned; NULL: edges were recorded on every link */
    struct pb_queue line[PB_LINKS_MAX]; /* edges, bytes and alarms of each link */
    struct pb_alarms alarms;
    struct pb_notes notes;
    uint64_t last_tick; /* of the last event up to the end of the run */
    struct pb_consoles consoles;
    struct pb_marks marks; /* made by clock.c */
    struct pb_clock clock;
    struct pb_walk *walk;         /* owned */
    struct pb_frames *frames;     /* borrowed from slots.c */
    struct pb_line_slot *slot;    /* owned; one per link */
};

/* ---- arrival.c: brings the events into the order of their ticks, and hands them to the stages. */
int pb_arrival_open(struct pb_checker *checker); /* 0 or PB_ERR_MEMORY */
void pb_arrival_free(struct pb_checker *checker);
void pb_arrival_take(struct pb_checker *checker, const struct pb_event *event);
void pb_arrival_end(struct pb_checker *checker); /* no more come */

/* ---- classify.c */

/* The word for what a slot shows, and what it rests on. GLITCH: *pulses, each with a cause of its own. */
struct pb_classification {
    enum pb_finding_kind kind; /* PB_FINDING_KINDS: all is well */
    int64_t from_ps, to_ps;    /* -1: not known */
    int other_link;            /* SHORT */
    int64_t amount_ps;         /* SLOW_RISE: the delay; STUCK: how long it was low */
    bool fits;                 /* the edges are those of the frame, so that the next is known: */
    int32_t ppm, limit_ppm;    /* deviation of the bit time, and its limit; BAUD */
    int32_t grain_ppm;         /* of the limit, what the grain of the stamps takes */
};
struct pb_classification pb_classify_idle(const struct pb_checker *checker, const struct pb_line_slot *slot,
                                          struct pb_pulses *pulses);
/* What spoils an expected frame. `bit` is the first bit in which the bytes differ, -1 when they do not. */
struct pb_classification pb_classify_frame(const struct pb_checker *checker, const struct pb_line_slot *slot,
                                           const uint8_t *bytes, unsigned count, int bit,
                                           struct pb_pulses *pulses);

/* ---- judge.c: judges a slot; adds findings and a hop row. True: the line did just what was expected. */
bool pb_judge_slot(struct pb_checker *checker, struct pb_line_slot *slot);

/* ---- held_high.c */

/* Adds a finding where the line was high while an injected fault pulled it, by receipt and by edges. False:
 * it did. */
bool pb_judge_pulls(struct pb_checker *checker, struct pb_line_slot *slot);

/* ---- odd_slot.c: the same for a frame that an edge cuts off, or that meets another. */
bool pb_judge_odd_slot(struct pb_checker *checker, struct pb_line_slot *slot);

/* ---- bits.c: judges the place of every edge of a frame of `count` bytes. What explains an edge and is in
 * `named` already is not told again. True: *finding was added. */
bool pb_judge_bits(struct pb_check_output *out, struct pb_line_slot *slot, unsigned count,
                   const struct pb_classification *named, struct pb_finding **finding);

/* ---- slots.c: the lines, phase by phase. */
int pb_walk_open(struct pb_checker *checker);     /* 0 or PB_ERR_MEMORY */
void pb_walk_take_marks(struct pb_checker *checker); /* as far as they and the next ones have their edges */
void pb_walk_advance(struct pb_checker *checker); /* as far as the segments go */
void pb_walk_end(struct pb_checker *checker);
void pb_walk_free(struct pb_checker *checker);
size_t pb_walk_mark(const struct pb_checker *checker); /* the one that is judged next, at the earliest */

#endif
