/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of finite room: the movement against a naive one, and whole runs on nodes that are full. */
#include "tests/bench/unit/run_fixture.h"

#include "tests/bench/unit/naive_movement.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <stdio.h>
#include <string.h>

/* ---- against the naive movement */

#define MESSAGES_MAX NAIVE_MESSAGES_MAX

struct seen {
    struct record record; /* first: note() takes it */
    size_t message[MESSAGES_MAX], crossings_before[MESSAGES_MAX], drops;
};

static void note_drop(void *context, uint32_t superframe, unsigned phase, uint32_t node, size_t message)
{
    struct seen *seen = context;
    (void)superframe;
    (void)phase;
    (void)node;
    seen->crossings_before[seen->drops] = seen->record.count;
    seen->message[seen->drops++] = message;
}

TEST(movement_with_room_equals_the_naive_one)
{
    uint64_t random = 11;
    size_t dropped = 0;
    for (unsigned run = 0; run < 860; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 2, &random);
        struct naive naive = {
            .defined = &defined,
            .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
            .room = {.node = (uint32_t)(pb_splitmix64(&random) % defined.nodes), .fullest = 99},
            .traffic = &traffic};
        *(run / 2 / SMALL_NETWORKS % 2 ? &naive.room.in_all : &naive.room.per_dimension) =
            1 + (unsigned)(pb_splitmix64(&random) % 4);
        simulate_naively(&naive, NAIVE_SUPERFRAMES);

        struct pb_flow_room room = naive.room;
        struct pb_flow_stats stats;
        static struct seen seen;
        seen.record.count = seen.drops = 0;
        assert_int_equal(
            pb_flow_run_bounded(&network, naive.rule, &traffic, 0, &room, 1, note, note_drop, &seen, &stats),
            PB_OK);
        assert_same_crossings(&network, &seen.record, &naive.record);
        assert_int_equal(stats.dropped, naive.drops);
        assert_int_equal(seen.drops, naive.drops);
        assert_memory_equal(seen.message, naive.dropped, naive.drops * sizeof *naive.dropped);
        assert_memory_equal(seen.crossings_before, naive.crossings_before,
                            naive.drops * sizeof *naive.crossings_before);
        assert_int_equal(stats.delivered + stats.dropped, traffic.count);
        assert_int_equal(stats.crossings, naive.record.count);
        if (naive.drops) {
            assert_int_equal(stats.first_drop.node, room.node);
            assert_int_equal(stats.first_drop.instant, naive.first_drop);
            assert_int_equal(stats.first_drop.message, naive.dropped[0]);
        }
        if (naive.drops && (room.in_all || naive.rule == PB_RULE_ECUBE))
            assert_int_equal(room.fullest, room.in_all + room.per_dimension);
        dropped += naive.drops;
        pb_traffic_free(&traffic);
    }
    assert_true(dropped > 400);
}

/* ---- runs */

#define HEAD                                                                                                 \
    "cube: {dims: 3, rule: %s}\nlink: {payload: 2 bytes, console_baud: 1 Mbaud}\nnodes: [{address: 2, "      \
    "kind: "                                                                                                 \
    "%s}]\nlimits: {overflow: %s}\ntraffic:\n"
/* Two in each superframe for one that leaves: one more waits in each. From 3 by dimension 0, from 0 by
 * dimension 1; they leave by dimension 2. */
#define THROUGH "  - {from: 3, to: 6, repeat: 60}\n  - {from: 0, to: 6, repeat: 60}\n"

struct full {
    const char *rule, *kind, *traffic;
    unsigned own;                 /* 2 to 5 in superframe 0, phase 0 */
    unsigned messages, delivered; /* by hand, see below */
    const char *where;            /* the first that is one too many */
};

static void write_yaml(char *yaml, size_t size, const struct full *full, const char *overflow)
{
    int at = snprintf(yaml, size, HEAD "%s", full->rule, full->kind, overflow, full->traffic);
    for (unsigned i = 0; i < full->own; i++)
        at += snprintf(yaml + at, size - (size_t)at, "  - {from: 2, to: 5}\n");
}

/* 40 in all, `ref` 32 on a dimension. In superframe s = 0, 1, ... two of THROUGH come, in phases 1 and 2, and
 * one leaves in phase 4: s + 2 are held between, so superframe 39 (31) is the first with none left for the
 * second; from there on to superframe 59 one of two is dropped, 21 (29) in all. */
static const struct full fulls[] = {
    {"ecube", "native", "", 45, 45, 40, "superframe 0, phase 0"},
    {"opportunistic", "native", "", 45, 45, 40, "superframe 0, phase 0"},
    {"ecube", "ref", "", 45, 45, 32, "superframe 0, phase 0"},
    {"ecube", "native", THROUGH, 0, 120, 99, "superframe 39, phase 2"},
    {"opportunistic", "native", THROUGH, 0, 120, 99, "superframe 39, phase 2"},
    {"ecube", "ref", THROUGH, 0, 120, 91, "superframe 31, phase 2"},
    /* Own ones come to a full node in phase 3, and to another queue: of the pool's 40 entries none is left
     * for either; the ref node has room on dimension 0. */
    {"ecube", "native",
     THROUGH "  - {from: 2, to: 6, superframe: 45, phase: 3, repeat: 4}\n"
             "  - {from: 2, to: 1, superframe: 50, phase: 3, repeat: 4}\n",
     0, 128, 99, "superframe 39, phase 2"},
    {"ecube", "ref", THROUGH "  - {from: 2, to: 1, superframe: 50, phase: 3, repeat: 4}\n", 0, 124, 95,
     "superframe 31, phase 2"},
};

TEST(a_full_node_drops_the_newcomer_as_expected)
{
    static char yaml[8000];
    for (size_t i = 0; i < COUNT(fulls); i++) {
        write_yaml(yaml, sizeof yaml, &fulls[i], "drop");
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->messages, fulls[i].messages);
        assert_int_equal(result->delivered, fulls[i].delivered);
        const struct pb_hypothesis *h = &result->hypothesis[result->hypotheses - 1];
        char dropped[40];
        snprintf(dropped, sizeof dropped, "; %u dropped", fulls[i].messages - fulls[i].delivered);
        assert_string_equal(h->name, "buffer occupancy");
        assert_false(h->holds);
        assert_non_null(strstr(h->detail, dropped));
    }
}

TEST(overflow_is_refused_unless_asked_for)
{
    static char yaml[8000];
    for (size_t i = 0; i < COUNT(fulls); i++) {
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        write_yaml(yaml, sizeof yaml, &fulls[i], "refuse");
        assert_int_equal(pb_scenario_parse(&scenario, "full.yaml", yaml, strlen(yaml), &diag), PB_ERR_CONFIG);
        if (!strstr(diag.text, fulls[i].where) || !strstr(diag.text, "limits.overflow") ||
            !strstr(diag.text, strcmp(fulls[i].kind, "ref")
                                   ? "(native) has room for 40 messages,"
                                   : "(ref) has room for 32 messages per dimension,"))
            fail_msg("%s", diag.text);
    }
}

/* Exactly full is not too full, and the hypothesis says how near it is. */
TEST(a_node_that_is_just_full_passes)
{
    static char yaml[8000];
    for (size_t i = 0; i < 3; i++) {
        struct full full = fulls[i];
        full.own = full.delivered;
        write_yaml(yaml, sizeof yaml, &full, "refuse");
        struct pb_result *result = run_yaml(yaml, NULL);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->delivered, full.own);
        const struct pb_hypothesis *h = &result->hypothesis[result->hypotheses - 1];
        const char *held = formatted("0x2 on the rig %u of %u", full.own, full.own);
        assert_true(h->holds);
        assert_non_null(strstr(h->detail, held));
    }
}

/* The bench expects a drop that the node does not make: a node with more room than it should have. */
TEST(a_node_that_does_not_drop_fails)
{
    static char yaml[8000];
    for (size_t i = 3; i < 6; i++) {
        write_yaml(yaml, sizeof yaml, &fulls[i], "drop");
        struct pb_scenario *scenario = parse_scenario(yaml);
        unsigned *room =
            scenario->node[0].room ? &scenario->node[0].room : &scenario->node[0].room_per_dimension;
        *room -= 1;
        assert_verdict(run_scenario(scenario, NULL), PB_VERDICT_FAIL);
    }
}
