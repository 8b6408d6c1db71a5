/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The injected faults: the time of each, by its receipts, and the findings that it can explain. Private to
 * host/check.
 */
#ifndef PHASEBENCH_CHECK_INJECTED_H
#define PHASEBENCH_CHECK_INJECTED_H

#include "host/check/marks.h"

/* State of an injected fault that is not in result.h. */
struct pb_fault_state {
    bool too_late;
    int64_t from_ps, to_ps; /* it acts between these; from > to: never */
    int64_t end_ps;
    struct pb_phase_mark place; /* where the schedule has it, once that mark was passed */
    bool passed;
};

struct pb_faults {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    struct pb_fault_row *row; /* of the result */
    size_t count;
    struct pb_fault_state *state; /* owned; one per row */
    size_t mark;                  /* the first that was not passed */
};

/* Makes the rows of the result from the scenario. 0 or PB_ERR_MEMORY. */
int pb_faults_open(struct pb_faults *faults, const struct pb_check_run *run, const struct pb_marks *marks,
                   struct pb_result *result);
void pb_faults_free(struct pb_faults *faults);
/* Takes a receipt. Returns NULL, or the error of the receipt. */
const char *pb_faults_push(struct pb_faults *faults, const struct pb_event *receipt);
void pb_faults_end(struct pb_faults *faults); /* no further receipt comes */
/* The marks before this number have their edges. */
void pb_faults_pass(struct pb_faults *faults, size_t mark);

/* The fault that can cause such a finding there and then; -1. Instants since power-up. */
int pb_fault_explaining(const struct pb_faults *faults, const struct pb_schedule_place *at,
                        enum pb_finding_kind kind, int link, int64_t from_ps, int64_t to_ps);
/* The same at any time from the due start of the slot's frame to the last low in it. */
int pb_fault_explaining_slot(const struct pb_faults *faults, const struct pb_line_slot *slot,
                             enum pb_finding_kind kind);
/* Takes note of what it explained; from_ps: the first instant that the finding rests on. */
void pb_fault_credit(struct pb_faults *faults, int fault, const struct pb_finding *finding, int64_t from_ps);
/* Whether a fault of the line acts on this link between two instants since power-up. */
bool pb_fault_on_line(const struct pb_faults *faults, unsigned link, int64_t from_ps, int64_t to_ps);
/* The kind of the fault that was injected into the frame of this slot; 0: none. */
unsigned pb_fault_of_frame(const struct pb_faults *faults, unsigned link, uint32_t superframe,
                           unsigned phase);
/* Whether the faults of the line account for all in which the slot differs from the frame, or from a line
 * that stays high (count 0): where, and in which direction. */
bool pb_fault_accounts(const struct pb_faults *faults, const struct pb_line_slot *slot, const uint8_t *bytes,
                       unsigned count);
/* Whether a receipt says that the line is cut at some time between these two of the slot. */
bool pb_fault_opens(const struct pb_faults *faults, const struct pb_line_slot *slot, int64_t from_ps,
                    int64_t to_ps);
/* Returns the configured length of the fault; 0: to the end of the run. */
int64_t pb_fault_ordered_ps(const struct pb_check_run *run, const struct pb_fault *fault);
/* Before the last event: INT64_MAX. */
int64_t pb_faults_run_end_ps(const struct pb_faults *faults);

#endif
