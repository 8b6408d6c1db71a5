/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the check makes of a node that an emulated MCU stopped: what the data sheet forbids is the node's,
 * what the model lacks is the bench's. The observation is that of check_fixture.h; 1 tick is 1/48 us.
 */
#include "tests/bench/unit/check_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { PHASES = 12 };
#define PS_PER_PHASE INT64_C(100000000)

/* The node stops `in_ps` after the edge that begins this phase, and is silent from then on. */
static struct pb_observation *stopped(enum pb_trouble_kind kind, uint32_t superframe, unsigned phase,
                                      int64_t in_ps)
{
    struct pb_observation *seen = copy();
    struct pb_node_trouble *trouble = &seen->trouble[0];
    const int64_t first_ps = INT64_C(7000000000000);
    *trouble = (struct pb_node_trouble){.kind = kind,
                                        .name = "x.elf",
                                        .document = "docs/part.md",
                                        .text = "stopped at main",
                                        .clocked = true,
                                        .superframe = superframe,
                                        .phase = phase,
                                        .first_ps = first_ps,
                                        .edge_ps = first_ps + (superframe * PHASES + phase) * PS_PER_PHASE,
                                        .in_phase_ps = in_ps};
    return seen;
}

/* The frame of the node in superframe 0, phase 1 is missing. */
static void lose_first_frame(struct pb_observation *seen)
{
    erase_slot(seen, node_slot());
}

TEST(a_gap_of_the_model_is_inconclusive)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_GAP, 0, 0, PS_PER_PHASE / 2);
    lose_first_frame(seen);
    struct pb_result *result = judge_first(seen, PB_VERDICT_INCONCLUSIVE, PB_FINDING_NOT_MODELLED, 0, 0, -1);
    assert_int_equal(result->finding[0].time_ps, PS_PER_PHASE / 2);
    assert_non_null(strstr(result->finding[0].expected, "docs/part.md"));
    assert_non_null(strstr(result->reason, "stopped at main"));
    assert_false(pb_finding_is_of_node(&result->finding[0]));
}

TEST(what_the_data_sheet_forbids_fails)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_TRAPPED, 0, 0, PS_PER_PHASE / 2);
    lose_first_frame(seen);
    judge_first(seen, PB_VERDICT_FAIL, PB_FINDING_NODE_TRAPPED, 0, 0, -1);
}

/* The model stops in the phase whose frame it cuts. */
TEST(a_frame_that_a_gap_cuts_is_excused)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_GAP, 0, 1, INT64_C(60000000));
    lose_first_frame(seen);
    assert_verdict(judge(seen), PB_VERDICT_INCONCLUSIVE);
}

TEST(a_gap_does_not_excuse_what_was_before)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_GAP, 1, 1, 0);
    lose_first_frame(seen);
    judge_first(seen, PB_VERDICT_FAIL, PB_FINDING_MISSING, 0, 1, 0);
}

/* Edges that a fault adds count at its pins: by them this is superframe 9. */
TEST(the_instant_of_a_gap_does_not_count_edges)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_GAP, 0, 0, PS_PER_PHASE / 2);
    seen->trouble[0].superframe = 9;
    lose_first_frame(seen);
    assert_verdict(judge(seen), PB_VERDICT_INCONCLUSIVE);
}

/* A node that stops before the clock runs answers nothing either. */
TEST(a_gap_before_the_clock_excuses_all)
{
    struct pb_observation *seen = stopped(PB_TROUBLE_GAP, 0, 0, 0);
    seen->trouble[0].clocked = false;
    seen->trouble[0].first_ps = seen->trouble[0].edge_ps = 0;
    lose_first_frame(seen);
    snprintf(seen->answer[0].identity, sizeof seen->answer[0].identity, "+I node=other addr=1 dims=C");
    assert_verdict(judge(seen), PB_VERDICT_INCONCLUSIVE);
}

AROUND_ALL(play_demo, NULL)
