/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs in a generalised hypercube: sound nodes at every place pass, nodes with a wrong port, a wrong
 * order of the digits or a late start fail, and what is no such network is refused.
 */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include "host/check/check.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 48 }; /* of radix 4, 4, 3 */

#define NETWORK "network: {family: generalised, radix: [4, 4, 3]}\n"
#define TRAFFIC "traffic: [{pattern: 'perm:1', superframe: 1}, {pattern: 'perm:2', superframe: 3}]\n"

TEST(sound_nodes_pass_at_every_place)
{
    for (unsigned address = 0; address < NODES; address++) {
        const char *yaml =
            formatted("network: {family: generalised, radix: [4, 4, 3], rule: %s}\nsuperframes: 12\n"
                      "nodes: [{address: %u, kind: %s}]\n" TRAFFIC,
                      address % 3 ? "ecube" : "opportunistic", address, address % 2 ? "native" : "contract");
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_true(result->messages_through_rig > 0);
    }
}

/* Every pair that differs in the first digit, so that the ports to each other have other numbers in most.
 * Plan and check take the joined lines from one place: the nodes themselves say that the messages came
 * through. */
TEST(joined_nodes_pass)
{
    for (unsigned low = 0; low < 4; low++)
        for (unsigned high = low + 1; high < 4; high++) {
            const char *yaml =
                formatted(NETWORK "superframes: 8\nnodes: [{address: %u}, {address: %u, kind: contract}]\n"
                                  "traffic: [{from: %u, to: %u}, {from: %u, to: %u}]\n",
                          low, high, low, high, high, low);
            struct pb_result *result = run_yaml(yaml, NULL);
            assert_verdict(result, PB_VERDICT_PASS);
            for (unsigned i = 0; i < 2; i++)
                assert_true(result->node[i].counter[PB_COUNTER_DELIVERED] == 1);
        }
}

TEST(broken_nodes_fail)
{
    static const struct {
        const char *node;
        enum pb_finding_kind kind;
    } row[] = {
        {"kind: native, defect: swapped_links", PB_FINDING_MISSING},
        {"kind: native, defect: wrong_order", PB_FINDING_MISSING},
        {"kind: native, defect: late_start", PB_FINDING_LATE},
        {"kind: contract, defect: wrong_order", PB_FINDING_MISSING},
        {"kind: contract, defect: wrong_dimension", PB_FINDING_MISSING},
        {"kind: contract, defect: neighbours_phase", PB_FINDING_MISSING},
        {"kind: contract, defect: wrong_address", PB_FINDING_IDENTITY},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *yaml =
            formatted(NETWORK "superframes: 8\nnodes: [{address: 0x5, %s}]\n"
                              "traffic: [{from: 0x5, to: 0x2A}, {from: 0x4, to: 0x19}, {from: 0x6, to: 0x2D, "
                              "superframe: 1}]\n",
                      row[i].node);
        struct pb_result *result = run_yaml(yaml, NULL);
        bool found = false;
        for (size_t k = 0; k < result->findings; k++)
            found |= result->finding[k].kind == row[i].kind;
        assert_verdict(result, PB_VERDICT_FAIL);
        if (!found)
            fail_msg("%s: no finding %s; the first is %s", row[i].node, pb_finding_id(row[i].kind),
                     pb_finding_id(result->finding[0].kind));
    }
}

/* In a family of its own, the binary cube is the binary cube. */
TEST(radix_two_is_the_cube)
{
    static const char *const rest = "nodes: [{address: 0x5}]\nseed: 7\nsuperframes: 6\n"
                                    "traffic: [{pattern: complement}, {from: 0x4, to: 0x7, superframe: 1}]\n";
    char yaml[2][400];
    struct pb_observation *seen[2];
    snprintf(yaml[0], sizeof yaml[0], "network: {family: generalised, radix: [2, 2, 2, 2]}\n%s", rest);
    snprintf(yaml[1], sizeof yaml[1], "cube: {dims: 4}\n%s", rest);
    for (unsigned i = 0; i < 2; i++) {
        seen[i] = play_scenario(parse_scenario(yaml[i]), NULL);
        assert_verdict(run_yaml(yaml[i], NULL), PB_VERDICT_PASS);
    }
    assert_same_events(seen[0], seen[1]);
}

TEST(identity_names_the_network)
{
    static const struct {
        const char *answer;
        bool right;
    } row[] = {
        {"+I node=native addr=5 radix=4,4,3 fw=100", true},
        {"+I fw=100 radix=4,4,3 addr=5 node=native", true},
        {"+I node=native addr=5 radix=04,4,3 fw=100", true},
        {"+I node=native addr=5 radix=4,4,3", false},
        {"+I node=native addr=5 dims=6 fw=100", false},
        {"+I node=native addr=5 radix=4,3,4 fw=100", false},
        {"+I node=native addr=5 radix=4,4 fw=100", false},
        {"+I node=native addr=5 radix=4,4,3,2", false},
        {"+I node=native addr=5 radix=4,4,3x", false},
        {"+I node=native addr=5 radix= fw=100", false},
        {"+I node=native addr=5 radix=4,4,", false},
        {"+I node=native addr=5", false},
    };
    struct pb_scenario *scenario =
        parse_scenario(NETWORK "superframes: 3\nnodes: [{address: 0x5}]\ntraffic: [{from: 0x5, to: 0x2A}]\n");
    struct pb_observation *const played = play_scenario(scenario, NULL);
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *seen = copy_observation(played);
        snprintf(seen->answer[0].identity, sizeof seen->answer[0].identity, "%s", row[i].answer);
        const struct pb_result *result = judge_seen(scenario, seen);
        bool found = false;
        for (size_t k = 0; k < result->findings; k++)
            found |= result->finding[k].kind == PB_FINDING_IDENTITY;
        if (found == row[i].right)
            fail_msg("%s: %s", row[i].answer, found ? "is right" : "is wrong");
    }
}

TEST(other_networks_are_refused)
{
#define REST "nodes: [{address: 0}]\ntraffic: [{from: 0, to: 1}]\n"
    static const struct {
        const char *yaml, *word[3];
    } row[] = {
        {"network: {family: generalised}\n" REST, {"network.radix", "has 0 entries", "[4, 4, 3]"}},
        {"network: {family: generalised, radix: []}\n" REST,
         {"network.radix", "has 0 entries", "give 1 to 12"}},
        {"network: {family: generalised, radix: [4, 1]}\n" REST,
         {"network.radix[1]", "1 is out of range", "2"}},
        {"network: {family: generalised, radix: [0]}\n" REST, {"network.radix[0]", "0 is out of range", "2"}},
        {"network: {family: generalised, radix: [14]}\n" REST,
         {"network.radix[0]", "14 is out of range", "13"}},
        {"network: {family: generalised, radix: [four]}\n" REST, {"network.radix[0]", "'four'", "give"}},
        {"network: {family: generalised, radix: 4}\n" REST, {"network.radix", "a single value", "a list"}},
        {"network: {family: generalised, radix: [5, 5, 6]}\n" REST, {"network.radix", "13 ports", "has 12"}},
        {"network: {family: generalised, radix: [2,2,2,2,2,2,2,2,2,2,2,2,2]}\n" REST,
         {"network.radix", "has 13 entries", "1 to 12"}},
        {"network: {family: generalised, radix: [4, 4], dims: 4}\n" REST,
         {"network.dims", "is a key of family cube", "remove"}},
        {"network: {family: cube, radix: [2, 2]}\n" REST,
         {"network.radix", "is a key of family generalised", "remove"}},
        {"network: {family: torus}\n" REST, {"network.family", "'torus' is unknown", "generalised"}},
        {"network: {dims: 13}\n" REST, {"network.dims", "13 is out of range", "12"}},
        {"network: {radx: [2]}\n" REST, {"network", "unknown key 'radx'", "did you mean 'radix'"}},
        {"network: {dims: 3}\ncube: {dims: 3}\n" REST, {"cube", "short for network", "remove one"}},
        {"network: {family: generalised, radix: [4, 4, 3]}\nnodes: [{address: 48}]\ntraffic: [{from: 0, to: "
         "1}]\n",
         {"nodes[0].address", "radix 4,4,3", "0x0 to 0x2F"}},
        {"network: {family: generalised, radix: [4, 4, 3]}\nnodes: [{address: 0}]\n"
         "traffic: [{from: 0, to: 1, phase: 18}]\n",
         {"traffic[0].phase", "18 is out of range", "17"}},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        const int code = pb_scenario_parse(&scenario, "t.yaml", row[i].yaml, strlen(row[i].yaml), &diag);
        if (code != PB_ERR_CONFIG)
            fail_msg("not refused: %s", row[i].yaml);
        for (unsigned k = 0; k < 3; k++)
            if (!strstr(diag.text, row[i].word[k]))
                fail_msg("no '%s' in: %s", row[i].word[k], diag.text);
    }
}
