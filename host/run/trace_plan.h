/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source of the waveform of a failure. A trace repeats the run in this process: a core that is simulated in
 * another process (a virtual board, a served socket) is replaced by the rig sim:. A recording is replayed.
 */
#ifndef PHASEBENCH_TRACE_PLAN_H
#define PHASEBENCH_TRACE_PLAN_H

#include "phasebench/result.h"
#include "phasebench/run.h"

struct pb_trace_plan {
    const char *rig_url; /* to repeat the run on */
    int64_t at_ps;       /* what it is made for, from power-up there */
    int link;            /* of the failure; -1: none */
};

/* A place in the schedule. */
struct pb_trace_place {
    uint32_t superframe;
    unsigned phase;
};

/* False: a board, whose run cannot be repeated. */
bool pb_trace_can_repeat(const char *rig_url);

/* For the first failure that no injected fault explains. False: the run has no failure to show, its rig is a
 * board, or the repeated run fails elsewhere. Plays the scenario once when the rig is not in this
 * process. */
bool pb_trace_plan(struct pb_trace_plan *plan, const struct pb_result *result,
                   const struct pb_scenario *scenario, const struct pb_run_options *options);

/* For the edge that begins a phase. False: the clock did not start, or the rig is a board. */
bool pb_trace_plan_at(struct pb_trace_plan *plan, const struct pb_result *result,
                      const struct pb_scenario *scenario, const struct pb_run_options *options,
                      const struct pb_trace_place *place);

#endif
