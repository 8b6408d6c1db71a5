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
 * A phase begins, for a node, at the edge of TDMA_CLK that was captured at the pin; the bench goes by its own
 * schedule (PHASE events). What is wrong is told once per cause, by the most telling word for it
 * (classify.c), with the alarms of the core where the edges leave a choice or show nothing.
 *
 * What a node must send follows from the contract (docs/node.md) and from what was seen at its pins: edges of
 * TDMA_CLK, levels of TDMA_SYNC, frames (model.h, nodes.c). So a fault of the clock excuses no node.
 *
 * Injected faults: the receipts say that and when each one was there. A fault explains the findings that it
 * can cause (injected.c): by kind, by line, between its receipts, in its direction. A finding that a fault
 * explains counts against nobody. A fault without receipts, or one that began or lasted otherwise than
 * configured, is NOT_APPLIED; one that no finding of its kind names within a superframe of its start is
 * UNDETECTED.
 *
 * The verdict is fail only for what a node did while all was well with the bench: after an unexplained
 * finding about the stimulus or the clock, or when events were lost, it is inconclusive. An UNDETECTED fault
 * alone makes a run inconclusive, but does not excuse a node. Events that no core makes (links that are not
 * there, times beyond 46 days) count as lost. So do those that come while 2^20 others wait for their phase,
 * as lines babble and phases stop or are long, and an edge between two of the same direction on one line; the
 * latter is told as EDGE_LOST unless a loss is known anyway.
 *
 * An outside clock (scenario->follow) is not the node: what is wrong with it makes a run inconclusive, too.
 * Its rate may differ from the ordered one, with the controller's stated clock error, by 200 ppm (two
 * crystals); its edges may lie by the stated jitter and two ticks from the straight line through them.
 */
#ifndef PHASEBENCH_CHECK_H
#define PHASEBENCH_CHECK_H

#include "host/check/expectation.h"
#include "host/check/observation.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/transmission.h"

/* The check of one run, event by event. In memory that does not grow with the run. */
struct pb_checker;

/* Begins to fill *result, which pb_expect has filled so far, together with *expectation, which is copied.
 * scenario, result and observation stay borrowed until close; of
 * the observation is read now what was known before the clock started, later the lines that were typed
 * (typed, typings) and end_tick, and at close the rest; its events are not read. Loss that it tells of now
 * holds for the whole run. movement: that of the plan, of which nothing is read yet; the check becomes one of
 * its readers until close. NULL: it moves one of its own. 0 or PB_ERR_MEMORY; *out is then NULL. */
int pb_check_open(struct pb_checker **out, struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_expectation *expectation, const struct pb_observation *observation,
                  struct pb_movement *movement);
/* From now on the values of the figures that give samples go there, too. */
void pb_check_watch(struct pb_checker *check, const struct pb_sample_sink *samples);
/* From now on every transmission that was seen from the first phase edge to the end of the last phase goes
 * there, in the order of their first lows. */
void pb_check_watch_lines(struct pb_checker *check, const struct pb_transmission_sink *sink);
/* The next events, in the order in which they came from the core. The result does not depend on the portions.
 * 0 or PB_ERR_MEMORY: then close. */
int pb_check_push(struct pb_checker *check, const struct pb_event *event, size_t count);
/* What is found so far, as the result of a run that ends with what is judged by now, incomplete for the
 * reason `why`; to be released with pb_result_free. The check goes on. 0 or PB_ERR_MEMORY; *out is then NULL.
 */
int pb_check_so_far(const struct pb_checker *check, const char *why, struct pb_result **out);
/* How many of the lines that were typed at the console which is listened to are of no use to the check any
 * more. */
uint64_t pb_check_typed_done(const struct pb_checker *check);
/* No further event comes: finishes the result and frees the check. 0 or PB_ERR_MEMORY. */
int pb_check_close(struct pb_checker *check);

/* All of it at once. Sorts the observation's events. 0 or PB_ERR_MEMORY. */
int pb_check(struct pb_result *result, const struct pb_scenario *scenario,
             struct pb_observation *observation);

/* The same for a run of which no phase was observed: bound, hypotheses and an inconclusive verdict, for the
 * reason `why`. Leaves core_clock_hz alone. 0 or PB_ERR_MEMORY. */
int pb_check_none(struct pb_result *result, const struct pb_scenario *scenario, const char *why);

/* Marks a result as that of an incomplete run, inconclusive for the reason `why`. */
void pb_check_incomplete(struct pb_result *result, const char *why);

#endif
