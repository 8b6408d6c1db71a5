/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of a scenario's messages: pb_flow_run_bounded with the room of each node on the rig. Plan,
 * expectation and event load all use this one, so that they agree. Virtual nodes have unbounded queues.
 */
#ifndef PB_SCENARIO_MOVEMENT_H
#define PB_SCENARIO_MOVEMENT_H

#include "phasebench/flow.h"
#include "phasebench/scenario.h"

struct pb_movement {
    uint32_t superframes;  /* in: limit */
    pb_crossing_fn *visit; /* in; may be NULL */
    pb_drop_fn *dropped;   /* in; may be NULL */
    void *context;         /* in: of both */
    struct pb_flow_stats stats;
    unsigned fullest[PB_SCENARIO_NODES_MAX]; /* of each node on the rig: most messages that it holds; of one
                                                with room per dimension: most in one queue */
};

/* PB_OK or PB_ERR_MEMORY. */
int pb_move(struct pb_movement *movement, const struct pb_scenario *scenario);

#endif
