/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check: compares the observation with the expectation and fills the result.
 *
 * It judges every phase of every line of the rig. Where the analysis expects a frame, every byte and edge of
 * it must be seen, with begin and end inside the guards and within the limits. Where it expects none, the
 * line must remain high. Latency is judged against the bound, separately from the bound's hypotheses
 * (expectation.h).
 *
 * For a node, a phase begins at the TDMA_CLK edge captured at its pin; for the bench, at its own PHASE event.
 * Each cause gives one finding, of the most specific kind (classify.c). Where edges are ambiguous or absent,
 * the core's alarms decide.
 *
 * The expected frames of a node follow from the contract (docs/node.md) and from its inputs: edges of
 * TDMA_CLK, levels of TDMA_SYNC, frames (model.h, nodes.c). So a fault of the clock excuses no node.
 *
 * The receipts confirm each injected fault and its times. A fault explains the findings that it can cause
 * (injected.c): by kind, by line, between its receipts, in its direction. An explained finding does not
 * affect the verdict. A fault is NOT_APPLIED if it has no receipts, or a begin or a length other than
 * configured. It is UNDETECTED if no finding of its kind names it within a superframe of its start.
 *
 * The verdict is fail only for an error of a node while the bench worked. After an unexplained finding about
 * the stimulus or the clock, or a loss of events, it is inconclusive. An UNDETECTED fault alone makes a run
 * inconclusive, but does not excuse a node. Impossible events (links that do not exist, times beyond 46 days)
 * count as lost. So do events that arrive while 2^20 others wait for their phase, as lines babble and phases
 * stop or are long. So does an edge between two of the same direction on one line, reported as EDGE_LOST
 * unless another loss is known.
 *
 * An external clock (scenario->follow) is no part of the node: a finding about it makes a run inconclusive.
 * Its rate may differ from the configured one by the stated clock error of the controller and 200 ppm (two
 * crystals). Its edges may differ by the stated jitter and two ticks from the straight line through them.
 */
#ifndef PHASEBENCH_CHECK_H
#define PHASEBENCH_CHECK_H

#include "host/check/expectation.h"
#include "host/check/observation.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/transmission.h"

/* The check of one run, event by event. Its memory does not grow with the run. */
struct pb_checker;

/* Opens a check of a result that pb_expect has filled together with *expectation, which is copied. Borrows
 * scenario, result and observation until close. Of the observation it reads now what was known before the
 * clock started, later the typed lines (typed, typings) and end_tick, and at close the rest. It never reads
 * its events. A loss that the observation reports now applies to the whole run. movement: the plan's, still
 * unread; the check is one of its readers until close. NULL: the check moves one of its own. Returns 0, or
 * PB_ERR_MEMORY with *out NULL. */
int pb_check_open(struct pb_checker **out, struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_expectation *expectation, const struct pb_observation *observation,
                  struct pb_movement *movement);
/* From now on also passes the values of the figures that give samples to `samples`. */
void pb_check_watch(struct pb_checker *check, const struct pb_sample_sink *samples);
/* From now on passes every transmission seen from the first phase edge to the end of the last phase to
 * `sink`, in the order of their first lows. */
void pb_check_watch_lines(struct pb_checker *check, const struct pb_transmission_sink *sink);
/* Takes the next events, in the order in which they came from the core. The result does not depend on the
 * portions. Returns 0, or PB_ERR_MEMORY: then close. */
int pb_check_push(struct pb_checker *check, const struct pb_event *event, size_t count);
/* Makes a result of what is judged so far, incomplete for the reason `why`; release it with pb_result_free.
 * The check continues. Returns 0, or PB_ERR_MEMORY with *out NULL. */
int pb_check_so_far(const struct pb_checker *check, const char *why, struct pb_result **out);
/* Returns how many of the lines typed at the received console the check no longer needs. */
uint64_t pb_check_typed_done(const struct pb_checker *check);
/* No further event comes: finishes the result and frees the check. 0 or PB_ERR_MEMORY. */
int pb_check_close(struct pb_checker *check);

/* Opens, pushes all events of the observation, and closes. Sorts the observation's events. Returns 0 or
 * PB_ERR_MEMORY. */
int pb_check(struct pb_result *result, const struct pb_scenario *scenario,
             struct pb_observation *observation);

/* The same for a run of which no phase was observed: bound, hypotheses and an inconclusive verdict, for the
 * reason `why`. Leaves core_clock_hz alone. 0 or PB_ERR_MEMORY. */
int pb_check_none(struct pb_result *result, const struct pb_scenario *scenario, const char *why);

#endif
