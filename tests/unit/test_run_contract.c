/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs with contract nodes: sound ones pass the shipped scenarios, a rare defect is found where it
 * shows.
 */
#include "tests/unit/run_fixture.h"
#include "tests/unit/tests.h"

#include <stdio.h>
#include <string.h>

TEST(sound_nodes_pass)
{
    static const char *const shipped[] = {
        "complement",        "opportunistic",     "starc",         "push-pull",
        "two-boards",        "cube4-ref",         "outside-clock", "faults/late-clock",
        "faults/bad-frames", "faults/odd-frames",
    };
    for (size_t i = 0; i < COUNT(shipped); i++) {
        struct pb_scenario *scenario = load_shipped(shipped[i]);
        for (unsigned n = 0; n < scenario->node_count; n++) {
            scenario->node[n].kind = "contract";
            scenario->node[n].irq_latency_ps = 1500000;
            scenario->node[n].irq_jitter_ps = 500000;
        }
        assert_verdict(run_scenario(scenario, NULL), PB_VERDICT_PASS);
    }
}

/* An own message in each of the superframes 0 to 5, to 0x4: dimension 0, phase 1, link 0. */
TEST(rare_defects_are_found_where_they_show)
{
    static const struct {
        const char *when;
        unsigned superframe, findings;
    } one[] = {
        {"defect_every: 5", 4, 1},
        {"defect_from: 3", 3, 3},
        {"defect_every: once", 0, 1},
        {"defect_from: 2, defect_every: once", 2, 1},
        {"defect_from: 2, defect_every: 2", 3, 2},
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        const char *yaml = formatted("cube: {dims: 5}\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n"
                                     "nodes: [{address: 0x5, kind: contract, defect: wrong_crc, %s}]\n"
                                     "traffic: [{from: 0x5, to: 0x4, repeat: 6}]\n",
                                     one[i].when);
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_finding(result, 0, PB_FINDING_WRONG_BYTES, one[i].superframe, 1, 0);
        assert_int_equal(result->findings_total, one[i].findings);
    }
}
