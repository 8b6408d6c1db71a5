/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/trace_plan.h"
#include "host/run/session.h"

#include <string.h>

bool pb_trace_can_repeat(const char *rig_url)
{
    const struct pb_rig_target rig = pb_rig_target_of(rig_url);
    return rig.replays || rig.simulates;
}

/* By the same URL: a core in this process, or a recording. */
static bool is_repeated_here(const char *rig_url)
{
    const struct pb_rig_target rig = pb_rig_target_of(rig_url);
    return rig.replays || rig.in_process;
}

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

/* The result of the same run on the rig sim:, which the caller releases; NULL: there is none. */
static struct pb_result *repeat(const struct pb_result *result, const struct pb_scenario *scenario,
                                const struct pb_run_options *options)
{
    const struct pb_run_options quiet = {
        .rig_url = "sim:", .timeout_s = options->timeout_s, .stop = options->stop};
    struct pb_scenario same = *scenario;
    struct pb_result *again;
    same.capture = strcmp(result->capture, "bytes") ? PB_CAPTURE_EDGES : PB_CAPTURE_BYTES;
    if (pb_run(&again, &same, &quiet, NULL) == PB_OK)
        return again;
    pb_result_free(again);
    return NULL;
}

/* A failure is at the same place of the schedule on every rig; how long after power-up depends on the rig. */
static bool find_again(int64_t *at_ps, const struct pb_finding *failure, const struct pb_result *again)
{
    const struct pb_finding *first = first_failure(again);
    const bool found = first && first->kind == failure->kind && first->superframe == failure->superframe &&
                       first->phase == failure->phase && first->link == failure->link;
    *at_ps = found ? again->clock_start_ps + first->time_ps : 0;
    return found;
}

bool pb_trace_plan(struct pb_trace_plan *plan, const struct pb_result *result,
                   const struct pb_scenario *scenario, const struct pb_run_options *options)
{
    const struct pb_finding *failure = first_failure(result);
    if (!options->trace_path || result->verdict != PB_VERDICT_FAIL || !failure ||
        !pb_trace_can_repeat(options->rig_url))
        return false;
    if (is_repeated_here(options->rig_url)) {
        *plan = (struct pb_trace_plan){options->rig_url, result->clock_start_ps + failure->time_ps,
                                       failure->link};
        return true;
    }
    struct pb_result *again = repeat(result, scenario, options);
    *plan = (struct pb_trace_plan){.rig_url = "sim:", .link = failure->link};
    const bool found = again && find_again(&plan->at_ps, failure, again);
    pb_result_free(again);
    return found;
}

bool pb_trace_plan_at(struct pb_trace_plan *plan, const struct pb_result *result,
                      const struct pb_scenario *scenario, const struct pb_run_options *options,
                      const struct pb_trace_place *place)
{
    const bool here = is_repeated_here(options->rig_url);
    if (!options->trace_path || !pb_trace_can_repeat(options->rig_url))
        return false;
    struct pb_result *again = here ? NULL : repeat(result, scenario, options);
    const struct pb_result *run = here ? result : again;
    const bool found = run && run->clock_start_ps;
    if (found) {
        const struct pb_measurement *period = pb_measurement_find(run, PB_FIGURE_CLOCK_PERIOD, -1);
        const int64_t period_ps = period ? period->mean : run->phase_ps;
        const int64_t phases = (int64_t)place->superframe * run->network.phases + place->phase;
        *plan = (struct pb_trace_plan){here ? options->rig_url : "sim:",
                                       run->clock_start_ps + phases * period_ps, -1};
    }
    pb_result_free(again);
    return found;
}
