/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/check.h"
#include "host/check/expectation.h"

#include <stdio.h>

#define PS_PER_S INT64_C(1000000000000)

void pb_check_incomplete(struct pb_result *result, const char *why)
{
    result->verdict = PB_VERDICT_INCONCLUSIVE;
    snprintf(result->reason, sizeof result->reason, "%s", why);
    snprintf(result->incomplete, sizeof result->incomplete, "%s", why);
}

int pb_check_none(struct pb_result *result, const struct pb_scenario *scenario, const char *why)
{
    struct pb_expectation expectation;
    const int code = pb_expect(&expectation, result, scenario);
    result->phase_ps = (int64_t)((uint64_t)PS_PER_S * 1000 / scenario->phase_rate_mhz);
    result->start_min_ps = scenario->head_guard_ps - scenario->limits.start_early_ps;
    result->start_max_ps = scenario->head_guard_ps + scenario->limits.start_late_ps;
    snprintf(result->capture, sizeof result->capture, "%s",
             scenario->capture == PB_CAPTURE_BYTES ? "bytes" : "edges");
    pb_check_incomplete(result, why);
    return code;
}
