/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `rest: reacts`: what a node on the rig loses is missing in the rest of the network, by brute force; a sound
 * node sees no difference; a replay makes the same run.
 */
#include "host/check/check.h"
#include "tests/bench/unit/naive_movement.h"
#include "tests/bench/unit/record_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

RUNS_ALONE

/* ---- two nodes in a cube of 16 */

/* All to 0xF, over its dimension 3, where one of four a superframe goes. */
#define LOADED(rest, nodes)                                                                                  \
    "cube: {dims: 4}\nrest: " rest "\nnodes: [" nodes ", {address: 0xF}]\n"                                  \
    "traffic:\n  - {from: 0, to: 0xF, repeat: 20}\n  - {from: 2, to: 0xF, repeat: 20}\n"                     \
    "  - {from: 4, to: 0xF, repeat: 20}\n  - {from: 6, to: 0xF, repeat: 20}\n"

enum { LAST = 0xF };

struct broken {
    const char *yaml[2]; /* ideal, reacts */
    uint32_t address;
    unsigned every, from;     /* occasions of the defect; the first superframe in which it shows */
    bool on_reception;        /* what is received is lost; else what is sent */
    uint64_t findings, taken; /* taken: at least */
};

/* A flipped bit keeps the queues of the node. What it drops on reception leaves a gap that the next messages
 * close: the node is found wrong in each slot until its queue is empty, but loses one message for each
 * gap. */
static const struct broken brokens[] = {
#define BROKEN(node) {LOADED("ideal", node), LOADED("reacts", node)}
    {BROKEN("{address: 1, kind: contract, defect: flipped_bit, defect_every: 3, defect_from: 2}"), 1, 3, 2,
     false, 6, 6},
    {BROKEN("{address: 3, kind: contract, defect: flipped_bit, defect_every: 3, defect_from: 2}"), 3, 3, 2,
     false, 12, 10},
    {BROKEN("{address: 1, kind: contract, defect: drops_frame, defect_every: 4}"), 1, 4, 0, true, 5, 4},
    {BROKEN("{address: 3, kind: contract, defect: drops_frame, defect_every: 3, defect_from: 2}"), 3, 3, 2,
     true, 0, 10},
#undef BROKEN
};

static struct naive naive_of(const struct defined *defined, const struct pb_traffic *traffic)
{
    return (struct naive){.defined = defined, .rule = PB_RULE_ECUBE, .traffic = traffic};
}

/* The messages that the node loses, each in the superframe in which it had to send it. A node counts the
 * superframes from 1 on; its defect begins when it has counted one more than `from`. */
static size_t lost_by(const struct broken *broken, const struct naive *ideal, struct naive_removal *lost)
{
    size_t count = 0;
    unsigned occasions = 0;
    for (size_t i = 0; i < ideal->record.count; i++) {
        const struct pb_crossing *crossing = &ideal->record.crossing[i];
        if ((broken->on_reception ? crossing->to : crossing->from) != broken->address ||
            crossing->superframe < broken->from || ++occasions % broken->every)
            continue;
        size_t leaves = i;
        while (ideal->record.crossing[leaves].from != broken->address ||
               ideal->record.crossing[leaves].message != crossing->message)
            leaves++;
        lost[count++] =
            (struct naive_removal){ideal->record.crossing[leaves].superframe, (size_t)crossing->message};
    }
    return count;
}

/* Messages that reach 0xF. */
static unsigned arrivals(const struct naive *naive, bool arrived[NAIVE_MESSAGES_MAX])
{
    unsigned count = 0;
    memset(arrived, 0, NAIVE_MESSAGES_MAX);
    for (size_t i = 0; i < naive->record.count; i++)
        if (naive->record.crossing[i].to == LAST) {
            arrived[naive->record.crossing[i].message] = true;
            count++;
        }
    return count;
}

static void assert_received(const struct pb_result *result, const bool wanted[NAIVE_MESSAGES_MAX],
                            unsigned count)
{
    bool seen[NAIVE_MESSAGES_MAX] = {false};
    assert_int_equal(result->node[1].address, LAST);
    assert_int_equal(result->node[1].received, count);
    assert_int_equal(result->node[1].counter[PB_COUNTER_RX_FRAMES], count);
    assert_true(result->hops == result->hops_total);
    for (size_t i = 0; i < result->hops; i++)
        if (result->hop[i].to == LAST && result->hop[i].seen && result->hop[i].correct)
            seen[result->hop[i].message] = true;
    assert_memory_equal(seen, wanted, sizeof seen);
}

static void assert_one_is_blamed(const struct pb_result *result, const struct broken *broken)
{
    assert_verdict(result, PB_VERDICT_FAIL);
    for (size_t i = 0; i < result->findings; i++)
        assert_true(result->finding[i].kind == PB_FINDING_COUNTERS || result->finding[i].link < 4);
    if (broken->findings)
        assert_int_equal(result->findings_total, broken->findings);
}

TEST(test_losses_starve_the_neighbours)
{
    static const unsigned radix[] = {2, 2, 2, 2};
    static struct naive ideal, real;
    const struct defined defined = define(radix, 4);
    for (size_t k = 0; k < COUNT(brokens); k++) {
        const struct broken *broken = &brokens[k];
        struct naive_removal lost[NAIVE_MESSAGES_MAX], removed[NAIVE_MESSAGES_MAX];
        bool all[NAIVE_MESSAGES_MAX], rest[NAIVE_MESSAGES_MAX];
        struct pb_scenario *scenario[2];
        struct pb_result *result[2];
        for (unsigned i = 0; i < 2; i++) {
            scenario[i] = parse_scenario(broken->yaml[i]);
            result[i] = run_scenario(scenario[i], NULL);
            assert_one_is_blamed(result[i], broken);
        }
        ideal = naive_of(&defined, &scenario[0]->traffic);
        simulate_naively(&ideal, NAIVE_SUPERFRAMES + 40);
        assert_int_equal(arrivals(&ideal, all), 80);
        assert_received(result[0], all, 80);
        assert_int_equal(result[0]->lost_messages, 0);

        const size_t losses = lost_by(broken, &ideal, lost);
        const uint32_t delay = result[1]->reaction_superframes;
        assert_in_range(delay, 5, 16); /* 4 of look-ahead; 2 and 4 ms ahead of the clock */
        real = naive_of(&defined, &scenario[1]->traffic);
        real.removal = removed;
        real.removals = losses;
        for (size_t i = 0; i < losses; i++)
            removed[i] = (struct naive_removal){lost[i].superframe + delay, lost[i].message};
        simulate_naively(&real, NAIVE_SUPERFRAMES + 40);
        assert_int_equal(result[1]->lost_messages, losses);
        assert_in_range(result[1]->taken_out, broken->taken, losses);
        assert_int_equal(result[1]->taken_out, real.lost);
        assert_int_equal(arrivals(&real, rest), 80 - real.lost);
        assert_received(result[1], rest, 80 - (unsigned)real.lost);
        assert_int_equal(result[1]->delivered, 80 - losses);
    }
}

/* Over a line that joins both nodes, too: the second does not get it, nor do its neighbours. */
TEST(test_loss_between_two_nodes)
{
    struct pb_result *result = run_yaml(
        "cube: {dims: 4}\nrest: reacts\nnodes: [{address: 1, kind: contract, defect: flipped_bit, "
        "defect_every: 3}, {address: 3}]\ntraffic:\n  - {from: 0, to: 0xF, repeat: 20}\n"
        "  - {from: 4, to: 0xF, repeat: 20}\n  - {from: 6, to: 0xF, repeat: 20}\n",
        NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->lost_messages, 20 / 3);
    assert_in_range(result->taken_out, 3, 20 / 3);
    assert_int_equal(result->delivered, 60 - 20 / 3);
    assert_int_equal(result->node[1].forwarded, 20 - 20 / 3);
    for (size_t i = 0; i < result->findings; i++)
        assert_true(result->finding[i].link < 4 || result->finding[i].link == 5); /* 3 by dimension 1 is 1 */
}

/* 7 has a queue of its own. What 1 loses comes to it in the same superframe, as the bench has planned it: it
 * sends all of it. */
TEST(test_what_the_bench_has_sent_stays)
{
    struct pb_result *result = run_yaml(
        "cube: {dims: 4}\nrest: reacts\nnodes: [{address: 1, kind: contract, defect: flipped_bit, "
        "defect_every: 3}, {address: 7}]\ntraffic:\n  - {from: 0, to: 0xF, repeat: 20}\n"
        "  - {from: 4, to: 0xF, repeat: 20}\n  - {from: 6, to: 0xF, repeat: 19}\n",
        NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->lost_messages, 20 / 3);
    assert_int_equal(result->taken_out, 0);
    assert_int_equal(result->findings_total, 20 / 3);
    assert_int_equal(result->node[1].forwarded, 59);
    assert_int_equal(result->delivered, 59 - 20 / 3);
}

/* ---- sound nodes */

TEST(test_sound_nodes_see_no_difference)
{
    static const char *const name[] = {"demo",          "generalised",   "two-boards",
                                       "opportunistic", "outside-clock", "permutation-overload"};
    for (size_t i = 0; i < COUNT(name); i++) {
        struct pb_scenario *scenario = load_shipped(name[i]);
        const struct pb_observation *const ideal = play_scenario(scenario, NULL);
        scenario->reacts = true;
        assert_same_events(ideal, play_scenario(scenario, NULL));
        struct pb_result *result = run_scenario(scenario, NULL);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->lost_messages, 0);
        assert_int_equal(result->events, ideal->events.count);
    }
}

/* ---- played again */

TEST(test_replay_reacts_alike)
{
    struct pb_scenario *scenario;
    struct pb_result *result, *again;
    struct pb_diag diag = {""};
    struct pb_recorder *recorder = begin(path, brokens[1].yaml[1], &scenario);
    const struct pb_run_options options = {.recorder = recorder};
    if (pb_run(&result, scenario, &options, &diag) ||
        pb_recorder_close(recorder, 1, "fail", result->reason, &diag) || replay(path, url, &again, &diag))
        fail_msg("%s", diag.text);
    assert_true(again->taken_out > 5);
    assert_int_equal(again->taken_out, result->taken_out);
    assert_int_equal(again->reaction_superframes, result->reaction_superframes);
    assert_int_equal(again->events, result->events);
    assert_int_equal(again->delivered, result->delivered);
    assert_string_equal(again->reason, result->reason);
    pb_result_free(result);
}

/* A check without a plan: no reaction is possible. A record that came too late names the remedy. */
TEST(test_nothing_reacts_to_what_was_observed_before)
{
    struct pb_scenario *scenario = parse_scenario(brokens[0].yaml[1]);
    struct pb_observation *seen = play_scenario(scenario, NULL);
    struct pb_event late = seen->events.event[seen->events.count / 2];
    late.kind = PB_EVENT_UNDERRUN;
    late.sequence = seen->events.event[seen->events.count - 1].sequence + 1;
    assert_int_equal(pb_events_add(&seen->events, &late), PB_OK);
    const struct pb_result *result = judge_seen(scenario, seen);
    assert_int_equal(result->node[1].received, 80);
    assert_int_equal(result->taken_out, 0);
    assert_int_equal(result->findings_total, brokens[0].findings + 1);
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == PB_FINDING_STIMULUS)
            assert_non_null(strstr(result->finding[i].seen, "lower phase_rate, or set rest ideal"));
        else
            assert_int_equal(result->finding[i].kind, PB_FINDING_WRONG_BYTES);
}
