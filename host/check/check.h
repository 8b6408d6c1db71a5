/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check: holds what was observed against what must happen and fills the result.
 *
 * Every phase and every line of the rig is looked at. Where the analysis expects a frame it must be there,
 * byte for byte and edge for edge, begin and end inside the guards and at the right instant; where it expects
 * none the line must stay high. Latency is judged against the bound, the bound's hypotheses apart from it
 * (expectation.h).
 *
 * The verdict is fail only for what a node did while all was well with the bench: after a finding about the
 * stimulus or the phase clock, or when events were lost, it is inconclusive.
 */
#ifndef PHASEBENCH_CHECK_H
#define PHASEBENCH_CHECK_H

#include "host/check/observation.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

/* Fills everything of *result (all zero before) that follows from scenario and observation. Restamps and
 * reorders the observation's events, so it can be judged once only. 0 or PB_ERR_MEMORY. */
int pb_check(struct pb_result *result, const struct pb_scenario *scenario,
             struct pb_observation *observation);

#endif
