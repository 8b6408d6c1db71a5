/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What must happen in a scenario, from the analysis alone: which frame crosses which line of the rig when,
 * when every message arrives, which bound applies and whether its hypotheses hold. Knows nothing of the plan
 * or of any event.
 */
#ifndef PHASEBENCH_EXPECTATION_H
#define PHASEBENCH_EXPECTATION_H

#include "host/scenario/movement.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#define PB_NEVER UINT32_MAX

struct pb_message_fate {
    uint32_t superframe; /* of arrival, PB_NEVER when not within the run */
    unsigned phase;
    uint8_t sequence;
    bool dropped;  /* by a node of the rig that has no room for it */
    bool refused;  /* dropped by its own source, which answers -full */
    bool on_rig;   /* crosses a line of the rig */
    bool broken;   /* for the check: one of its crossings was not seen right */
    int broken_by; /* for the check: the injected fault that is the reason; -1 */
};

struct pb_expectation {
    struct pb_crossing *crossing; /* owned; those that touch a node of the rig, in time order */
    size_t crossings, capacity;
    struct pb_message_fate *fate; /* owned; one per message */
    struct pb_flow_stats stats;
    unsigned fullest[PB_SCENARIO_NODES_MAX]; /* of each node of the rig, as in struct pb_movement */
    uint64_t drops[PB_SCENARIO_NODES_MAX];    /* messages that each node of the rig has no room for */
    uint64_t refusals[PB_SCENARIO_NODES_MAX]; /* its own among them */
    uint32_t bound_superframes; /* from the superframe of release */
    unsigned bound_phases;      /* from the phase of release, for a message that meets no other */
};

/* Fills *expectation and, in *result, bound, hypotheses and message counts. 0 or PB_ERR_MEMORY. */
int pb_expect(struct pb_expectation *expectation, struct pb_result *result,
              const struct pb_scenario *scenario);
void pb_expectation_free(struct pb_expectation *expectation);

#endif
