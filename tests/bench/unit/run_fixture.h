/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads and runs scenarios for the tests of whole runs; a failure fails the test. Runs from the repository
 * root.
 */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include "host/run/session.h"
#include "phasebench/run.h"

#include "tests/bench/unit/tests.h"

/* Scenarios and results of this fixture are handed over (tests.h): the test frees none of them. */
struct pb_result *hand_over_result(struct pb_result *result);
struct pb_scenario *hand_over_scenario(struct pb_scenario *scenario);
/* One without content except its network. */
struct pb_result *new_result(struct pb_network network);

/* A shipped scenario: "demo", "broken/silent". */
struct pb_scenario *load_shipped(const char *name);
struct pb_scenario *parse_scenario(const char *yaml);

/* In a program: nothing is tried after its runs (docs/node.md). That takes most of the time of a run, and is
 * not the subject of the program. */
extern bool runs_alone;
#define RUNS_ALONE                                                                                           \
    __attribute__((constructor)) static void set_runs_alone(void)                                            \
    {                                                                                                        \
        runs_alone = true;                                                                                   \
    }

/* Runs it on a rig (NULL: "sim:"). */
struct pb_result *run_scenario(const struct pb_scenario *scenario, const char *rig_url);
/* The same for a text; the scenario is released before the result is read. */
struct pb_result *run_yaml(const char *yaml, const char *rig_url);

/* Plays it without a judgement, and judges what was seen. Observations are handed over, too. */
struct pb_observation *play_scenario(const struct pb_scenario *scenario, const char *rig_url);
struct pb_result *judge_seen(const struct pb_scenario *scenario, struct pb_observation *seen);
/* A copy with events and typed lines of its own. */
struct pb_observation *copy_observation(const struct pb_observation *observation);

/* A clause that the result lists as unchecked has this text. */
bool is_unchecked(const struct pb_result *result, const char *what);
/* Fails with the result's reason and first findings when the verdict is another one. */
void assert_verdict(const struct pb_result *result, enum pb_verdict verdict);
/* The finding at this index has this kind at this place. link -1: no particular one. */
void assert_finding(const struct pb_result *result, size_t index, enum pb_finding_kind kind,
                    uint32_t superframe, unsigned phase, int link);
/* From the start of the phase clock on both saw the same events, tick by tick; consoles, which keep no step
 * with it, apart. */
void assert_same_events(const struct pb_observation *left, const struct pb_observation *right);
/* Two runs saw and reported the same, except wall time and date. */
void assert_same_result(const struct pb_result *left, const struct pb_result *right);

#endif
