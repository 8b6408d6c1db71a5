/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expectation of a scenario as a whole, from the analysis only: the bound that applies, and whether its
 * hypotheses hold. It uses neither the plan nor any event. schedule.h has the expected crossings.
 */
#ifndef PHASEBENCH_EXPECTATION_H
#define PHASEBENCH_EXPECTATION_H

#include "host/scenario/movement.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

struct pb_expectation {
    struct pb_mover_stats stats; /* of the whole movement; of one without end, as far as foreseen */
    unsigned fullest[PB_SCENARIO_NODES_MAX]; /* of each node of the rig, as in struct pb_moved */
    uint64_t never; /* messages that have not arrived when the run ends; 0 of a movement without end */
    uint32_t bound_superframes; /* from the superframe of release; 0: none */
    unsigned bound_phases;      /* from the phase of release, for a message that meets no other */
};

/* Fills *expectation and, in *result, bound, hypotheses and message counts. For endless traffic the counts
 * remain 0, and its foreseen part (pb_foresee) represents the whole. Returns 0 or PB_ERR_MEMORY. */
int pb_expect(struct pb_expectation *expectation, struct pb_result *result,
              const struct pb_scenario *scenario);

#endif
