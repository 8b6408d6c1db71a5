/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs with contract nodes: sound ones pass the shipped scenarios, a rare defect is found where it
 * shows, and what a kind of node cannot do is refused with its cause.
 */
#include "tests/unit/run_fixture.h"

#include <stdio.h>
#include <string.h>

static void sound_nodes_pass(void **state)
{
    static const char *const shipped[] = {
        "complement",        "opportunistic",     "starc",         "push-pull",
        "two-boards",        "cube4-ref",         "outside-clock", "faults/late-clock",
        "faults/bad-frames", "faults/odd-frames",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(shipped); i++) {
        struct pb_scenario *scenario = load_shipped(shipped[i]);
        for (unsigned n = 0; n < scenario->node_count; n++) {
            scenario->node[n].kind = "contract";
            scenario->node[n].irq_latency_ps = 1500000;
            scenario->node[n].irq_jitter_ps = 500000;
        }
        struct pb_result *result = run_scenario(scenario, NULL);
        assert_verdict(result, PB_VERDICT_PASS);
        pb_result_free(result);
        pb_scenario_free(scenario);
    }
}

/* An own message in each of the superframes 0 to 5, to 0x4: dimension 0, phase 1, link 0. */
static void rare_defects_are_found_where_they_show(void **state)
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
    (void)state;
    for (size_t i = 0; i < COUNT(one); i++) {
        char yaml[300];
        snprintf(yaml, sizeof yaml,
                 "cube: {dims: 5}\nlink: {phase_rate: 2 kHz, payload: 2 bytes}\n"
                 "nodes: [{address: 0x5, kind: contract, defect: wrong_crc, %s}]\n"
                 "traffic: [{from: 0x5, to: 0x4, repeat: 6}]\n",
                 one[i].when);
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_finding(result, 0, PB_FINDING_WRONG_BYTES, one[i].superframe, 1, 0);
        assert_int_equal(result->findings_total, one[i].findings);
        pb_result_free(result);
    }
}

static void what_a_kind_cannot_do_is_refused(void **state)
{
    static const struct {
        const char *yaml, *says;
    } one[] = {
        {"link: {baud: 3 Mbaud}\nnodes: [{address: 1, kind: ref}]\ntraffic: [{from: 1, to: 2}]\n",
         "nodes[0]: link.baud: 3000000 is out of range for kind 'ref'; give 245 to 2007843"},
        {"link: {console_baud: 2 Mbaud}\nnodes: [{address: 1}, {address: 5, kind: ref}]\ntraffic: [{from: 1, "
         "to: "
         "2}]\n",
         "nodes[1]: link.console_baud: 2000000 is out of range for kind 'ref'; give 245 to 1001956"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(one); i++) {
        struct pb_scenario *scenario = parse_scenario(one[i].yaml);
        const struct pb_run_options options = {0};
        struct pb_result *result = NULL;
        struct pb_diag diag = {""};
        assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_CONFIG);
        pb_result_free(result); /* what there is of it */
        assert_non_null(strstr(diag.text, one[i].says));
        pb_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_nodes_pass),
        cmocka_unit_test(rare_defects_are_found_where_they_show),
        cmocka_unit_test(what_a_kind_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
