/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of the plan that makes faults: records for the fault units, corrupted slot frames, and babble.
 * Private to host/plan.
 */
#ifndef PB_PLAN_FAULTS_H
#define PB_PLAN_FAULTS_H

#include "host/plan/plan.h"

/* Whole ticks of the core, rounded to the nearest. */
uint64_t pb_plan_ticks(const struct pb_device_info *info, int64_t time_ps);
/* Returns the offset to write into a record for an instant `ticks` after the edge of TDMA_CLK at its pin. The
 * core detects an external edge a few ticks late; 0: an instant before that is executed at once. */
uint64_t pb_plan_after_edge(const struct pb_scenario *scenario, uint64_t ticks);

/* Fills plan->fault from the register values. PB_ERR_CONFIG: too few fault units, or a value that no record
 * can hold. */
int pb_plan_fault_records(struct pb_plan *plan, const struct pb_scenario *scenario,
                          const struct pb_device_info *info, struct pb_diag *diag);

/* The record that holds TDMA_SYNC low through the first superframe from a start of the clock on, for unit 0.
 * As above; the plan stays as it is. */
int pb_plan_sync_held(struct pb_fault_record *record, const struct pb_plan *plan,
                      const struct pb_scenario *scenario, const struct pb_device_info *info,
                      struct pb_diag *diag);

/* Content of a slot player record before it is encoded. */
struct pb_stimulus {
    uint32_t offset_ticks, bit_period_q4;
    unsigned count;
    uint8_t bytes[PB_PLAY_RECORD_COUNT_MASK];
    const struct pb_fault *fault; /* NULL: none */
};

/* The fault of a slot frame (or babble) in this slot, or NULL. */
const struct pb_fault *pb_plan_frame_fault(const struct pb_scenario *scenario, unsigned node_index,
                                           unsigned dimension, uint32_t superframe, unsigned phase);

/* Applies a fault to a valid frame, or makes the bytes of a babble. PB_ERR_CONFIG: the slot player cannot do
 * it. */
int pb_plan_spoil(struct pb_stimulus *stimulus, const struct pb_fault *fault,
                  const struct pb_scenario *scenario, const struct pb_device_info *info,
                  struct pb_diag *diag);

#endif
