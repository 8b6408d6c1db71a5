/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Classifies a slot (finding kind) and judges its parts. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_CLASSIFY_H
#define PHASEBENCH_CHECK_CLASSIFY_H

#include "host/check/findings.h"
#include "host/check/pulse.h"

/* The finding kind and its basis. GLITCH: *pulses, each with a cause of its own. */
struct pb_classification {
    enum pb_finding_kind kind; /* PB_FINDING_KINDS: no error */
    int64_t from_ps, to_ps;    /* -1: not known */
    int other_link;            /* SHORT */
    int64_t amount_ps;         /* STUCK: how long it was low */
    int64_t late_ps;           /* delay of all rises; 0: none */
    bool fits;                 /* the edges are those of the frame, so that the next members are valid: */
    int32_t ppm;               /* deviation of the bit time */
    int32_t limit_ppm;         /* its limit: for a node by the contract, for the bench the grain */
    int32_t grain_ppm;         /* its uncertainty by the grain of the stamps */
    enum pb_judgement bit_time;
};
struct pb_classification pb_classify_idle(const struct pb_faults *faults, const struct pb_line_slot *slot,
                                          struct pb_pulses *pulses);
/* Classifies the error of an expected frame. bit: first bit in which the bytes differ; -1: they are equal. A
 * frame with late rises and correct bytes has no error, unless an injected fault explains them: then it is
 * SLOW_RISE. */
struct pb_classification pb_classify_frame(const struct pb_faults *faults, const struct pb_line_slot *slot,
                                           const uint8_t *bytes, unsigned count, int bit,
                                           struct pb_pulses *pulses);

/* ---- odd_slot.c: judges a frame that an edge cuts off, or that meets another frame. Returns false if it is
 * not as expected. */
bool pb_judge_odd_slot(struct pb_check_output *out, struct pb_line_slot *slot, const uint8_t *bytes,
                       unsigned count);
/* Whether the line shows the beginning of a frame up to the edge that ends the slot. */
bool pb_slot_begins_with(const struct pb_check_run *run, const struct pb_line_slot *slot,
                         const uint8_t *bytes, unsigned count);

/* ---- bits.c: judges the place of every edge of a frame of `count` bytes. A cause that `named` has already
 * is not reported again. True: *finding was added. */
bool pb_judge_bits(struct pb_check_output *out, struct pb_line_slot *slot, unsigned count,
                   const struct pb_classification *named, struct pb_finding **finding);

#endif
