/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/trace_plan.h"
#include "host/check/check.h"
#include "host/run/session.h"

#include <stdlib.h>
#include <string.h>

/* What an injected fault explains is not the failure. */
static const struct pb_finding *first_failure(const struct pb_result *result)
{
    size_t first = 0;
    if (!result->findings)
        return NULL;
    while (first + 1 < result->findings && result->finding[first].fault >= 0)
        first++;
    return &result->finding[first];
}

/* A failure is at the same place of the schedule on every rig; how long after power-up depends on the rig. */
static bool find_again(int64_t *at_ps, const struct pb_finding *failure, bool bytes,
                       const struct pb_scenario *scenario, const struct pb_run_options *options)
{
    const struct pb_rig_options rig = {.url = "sim:", .stop = options->stop};
    const struct pb_run_options quiet = {
        .rig_url = "sim:", .timeout_s = options->timeout_s, .stop = options->stop};
    struct pb_scenario same = *scenario;
    struct pb_observation observation;
    struct pb_result *again = calloc(1, sizeof *again);
    bool found = false;
    if (!again)
        return false;
    same.capture = bytes ? PB_CAPTURE_BYTES : PB_CAPTURE_EDGES;
    if (pb_session_play(&observation, &same, &quiet, &rig, NULL) == PB_OK &&
        pb_check(again, &same, &observation) == PB_OK) {
        const struct pb_finding *first = first_failure(again);
        found = first && first->kind == failure->kind && first->superframe == failure->superframe &&
                first->phase == failure->phase && first->link == failure->link;
        *at_ps = found ? again->clock_start_ps + first->time_ps : 0;
    }
    pb_observation_free(&observation);
    pb_result_free(again);
    return found;
}

bool pb_trace_plan(struct pb_trace_plan *plan, const struct pb_result *result,
                   const struct pb_scenario *scenario, const struct pb_run_options *options)
{
    const struct pb_finding *failure = first_failure(result);
    if (!options->trace_path || result->verdict != PB_VERDICT_FAIL || !failure ||
        pb_rig_replay(options->rig_url) || !pb_rig_simulates(options->rig_url))
        return false;
    if (pb_rig_is_sim(options->rig_url)) {
        *plan = (struct pb_trace_plan){options->rig_url, result->clock_start_ps + failure->time_ps};
        return true;
    }
    plan->rig_url = "sim:";
    return find_again(&plan->at_ps, failure, !strcmp(result->capture, "bytes"), scenario, options);
}
