/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chooses a slot for a fault given without one: a slot in which the fault has a visible effect.
 */
#ifndef PHASEBENCH_FAULT_SLOT_H
#define PHASEBENCH_FAULT_SLOT_H

#include "phasebench/scenario.h"

/* A place in part: -1 is open. */
struct pb_fault_slot {
    int64_t superframe;
    int phase, dimension;
};

/* Fills in what is open, for a fault of this kind at the node's line: the first slot from superframe 1 on
 * (from 0 when there is only one) in which the bench may send to the node, and does; for a glitch and babble,
 * which need a quiet line, and does not; for a second driver one in which the node sends. The clock needs no
 * line: only the superframe is filled in.
 * PB_ERR_CONFIG: there is no such slot. */
int pb_fault_slot_choose(struct pb_fault_slot *aim, const struct pb_scenario *scenario, unsigned node_index,
                         unsigned kind, struct pb_diag *diag);

#endif
