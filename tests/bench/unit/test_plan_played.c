/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plans played to the end against a stub core, whose node knows the lines and nothing of the movement, and
 * judged: long runs of traffic that repeats for ever.
 */
#include "host/check/check.h"
#include "phasebench/random.h"
#include "tests/bench/unit/check_fixture.h"
#include "tests/bench/unit/stub_core.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

enum { SUPERFRAMES = 150, TIME_TO_ARRIVE = 30 };

static unsigned below(uint64_t *random, unsigned limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

static struct pb_result *play(const struct pb_scenario *scenario, uint64_t lie_superframe)
{
    struct pb_result *result = calloc(1, sizeof *result);
    struct pb_expectation expectation;
    struct pb_checker *check;
    struct pb_plan plan;
    struct stub_core core;
    struct pb_diag diag = {""};
    assert_succeeds(pb_plan_make(&plan, scenario, &STUB_INFO, &diag));
    assert_non_null(result);
    result->network = scenario->network;
    assert_int_equal(stub_core_open(&core, scenario, &plan), PB_OK);
    core.lie_superframe = lie_superframe;
    assert_int_equal(pb_expect(&expectation, result, scenario), PB_OK);
    assert_int_equal(pb_check_open(&check, result, scenario, &expectation, &core.seen, plan.movement), PB_OK);
    while (plan.superframe < scenario->superframes) {
        if (pb_plan_next(&plan, &diag))
            fail_msg("superframe %u: %s", plan.superframe, diag.text);
        assert_int_equal(stub_core_next(&core), PB_OK);
        assert_int_equal(pb_check_push(check, core.pins.events.event, core.pins.events.count), PB_OK);
        stub_core_forget_typed(&core, pb_check_typed_done(check));
    }
    stub_core_end(&core);
    assert_int_equal(pb_check_close(check), PB_OK);
    stub_core_close(&core);
    pb_plan_free(&plan);
    return result;
}

/* Each with what crosses the lines of its node, by hand: of xor each directed link carries one message; the
 * last one has messages from 5 to 6 over node 4, which shares its link to 6 with those of its own to 2. */
TEST(test_long_runs)
{
    static const struct {
        const char *yaml;
        uint32_t lie;
        uint64_t hops;
    } run[] = {
        {"superframes: 60\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: xor:0xFFF, repeat: forever}]\n", 59,
         60 * 24},
        {"superframes: 12000\nnetwork: {dims: 3}\nnodes: [{address: 5}]\nlink: {console_baud: 1 Mbaud}\n"
         "traffic: [{pattern: xor:7, every: 2, repeat: forever}]\n",
         11998, 6000 * 6},
        {"superframes: 9000\nnetwork: {dims: 3}\nnodes: [{address: 4}]\ntraffic:\n"
         "  - {from: 5, to: 6, every: 2, repeat: forever}\n  - {from: 4, to: 2, every: 3, repeat: forever}\n",
         8998, 4500 * 2 + 3000},
    };
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        struct pb_scenario *scenario = parse_scenario(run[i].yaml);
        struct pb_result *result = play(scenario, UINT64_MAX);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->slots_checked, (uint64_t)scenario->superframes * scenario->network.ports *
                                                    scenario->network.phases);
        assert_int_equal(result->hops_total, run[i].hops);
        assert_true(result->node[0].counted);
        pb_result_free(result);
        result = play(scenario, run[i].lie);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_int_equal(result->finding[0].kind, PB_FINDING_WRONG_BYTES);
        assert_int_equal(result->finding[0].superframe, run[i].lie);
        pb_result_free(result);
    }
}

/* Traffic of a node and of its neighbours, often more than its links carry at once; for ever, or with time to
 * arrive. */
static void draw(char *yaml, size_t size, uint64_t seed)
{
    static const char *const pattern[] = {"complement", "uniform:3", "perm:5", "xor:3"};
    uint64_t random = seed;
    const unsigned dims = 2 + below(&random, 3), nodes = 1u << dims, node = below(&random, nodes);
    size_t at = (size_t)snprintf(yaml, size,
                                 "network: {dims: %u}\nsuperframes: %u\nlink: {phase_rate: %u kHz, payload: "
                                 "2 bytes, console_baud: 1 Mbaud}\nnodes: [{address: %u}]\ntraffic:\n",
                                 dims, SUPERFRAMES, 1 + below(&random, 4), node);
    for (unsigned i = 0; i < 4; i++) {
        char what[60], repeat[20] = "forever";
        const unsigned every = 4 + below(&random, 4), first = below(&random, 4),
                       from = below(&random, 2) ? node : below(&random, nodes),
                       to = from ^ (1 + below(&random, nodes - 1));
        snprintf(what, sizeof what, "from: %u, to: %u", from, to);
        if (below(&random, 3) == 0)
            snprintf(what, sizeof what, "pattern: '%s'", pattern[below(&random, 4)]);
        if (seed % 2)
            snprintf(repeat, sizeof repeat, "%u", (SUPERFRAMES - TIME_TO_ARRIVE - first) / every);
        at += (size_t)snprintf(yaml + at, size - at,
                               "  - {%s, superframe: %u, phase: %u, every: %u, repeat: %s}\n", what, first,
                               below(&random, 2 * dims), every, repeat);
    }
}

/* Each line comes to the node when its message is to be queued, whatever else crosses the node. */
TEST(test_random_traffic)
{
    uint64_t own = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        char yaml[1200];
        draw(yaml, sizeof yaml, seed);
        struct pb_scenario *scenario = parse_scenario(yaml);
        struct pb_result *result = play(scenario, UINT64_MAX);
        if (result->verdict != PB_VERDICT_PASS)
            print_message("seed %u:\n%s", (unsigned)seed, yaml);
        assert_verdict(result, PB_VERDICT_PASS);
        own += result->node[0].sent;
        pb_result_free(result);
    }
    assert_true(own > 10000);
}
