/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that do wrong before the phase clock starts, on pins that the network does not use, or on their
 * console. Each is a sound node with one thing changed at its pins; nothing of it is known to the check. Each
 * must fail, with the finding that names it. Linked with --wrap=pb_bench_create.
 */
#include "bench/sim/bench.h"
#include "host/check/check.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

RUNS_ALONE

#define PS_PER_US INT64_C(1000000)
#define PS_PER_MS INT64_C(1000000000)

/* ---- a node with a failure injected at its pins */

struct mischief {
    struct pb_node base;
    struct pb_node *inner;
    bool reset_seen, sync_seen, typed;
    int64_t until_ps;
    int64_t reset_ps, released_ps, sync_ps; /* of the last edge of NRST, of the first SYNC */
};

/* Changes what the node sees, then what it does; may ask to be called again at *next_ps. */
struct trick {
    void (*in)(struct mischief *node, struct pb_node_inputs *in);
    void (*out)(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                struct pb_node_outputs *out, int64_t *next_ps);
};
static const struct trick *trick;

static int64_t advance(struct pb_node *base, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct mischief *node = (struct mischief *)base;
    struct pb_node_inputs seen = *in;
    int64_t next_ps = INT64_MAX;
    if (!in->nrst && !node->reset_seen) {
        node->reset_seen = true;
        node->reset_ps = now_ps;
    }
    if (in->nrst && node->reset_seen && !node->released_ps)
        node->released_ps = now_ps;
    if (node->released_ps && in->tdma_clk && in->tdma_sync && !node->sync_seen) {
        node->sync_seen = true;
        node->sync_ps = now_ps;
    }
    if (trick->in)
        trick->in(node, &seen);
    const int64_t inner_ps = node->inner->ops->advance(node->inner, now_ps, &seen, out);
    if (trick->out)
        trick->out(node, now_ps, in, out, &next_ps);
    return inner_ps < next_ps ? inner_ps : next_ps;
}

static void align(struct pb_node *base, int64_t now_ps)
{
    struct mischief *node = (struct mischief *)base;
    node->inner->ops->align(node->inner, now_ps);
}

static void destroy(struct pb_node *base)
{
    struct mischief *node = (struct mischief *)base;
    pb_node_destroy(node->inner);
    free(node);
}

static const struct pb_node_ops mischief_ops = {.advance = advance, .align = align, .destroy = destroy};

struct pb_bench *__real_pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                        unsigned nodes, unsigned dims);
struct pb_bench *__wrap_pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                        unsigned nodes, unsigned dims);
struct pb_bench *__wrap_pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                        unsigned nodes, unsigned dims)
{
    struct pb_node *all[16];
    memcpy(all, node, nodes * sizeof *all);
    struct mischief *first = calloc(1, sizeof *first);
    assert_non_null(first);
    *first = (struct mischief){.base = {&mischief_ops}, .inner = node[0]};
    all[0] = &first->base;
    return __real_pb_bench_create(config, all, nodes, dims);
}

/* ---- the tricks */

static void low_to_reset(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                         struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)now_ps, (void)in, (void)next_ps;
    if (!node->reset_seen)
        out->pull_low |= 1u << 2;
}

/* Until the host types its first character: its rise is recorded, its fall is not. */
static void low_to_typing(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                          struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)now_ps, (void)next_ps;
    node->typed |= !in->uart0_rx;
    if (!node->typed)
        out->pull_low |= 1u << 2;
}

static void low_under_reset(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                            struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)node, (void)now_ps, (void)next_ps;
    if (!in->nrst)
        out->pull_low |= 1u << 1;
}

/* Late under NRST, and short. */
static void pulse_under_reset(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                              struct pb_node_outputs *out, int64_t *next_ps)
{
    const int64_t from_ps = node->reset_ps + PS_PER_MS + PS_PER_MS / 2;
    if (in->nrst)
        return;
    if (now_ps < from_ps)
        *next_ps = from_ps;
    else if (now_ps < from_ps + PS_PER_US) {
        *next_ps = from_ps + PS_PER_US;
        out->pull_low |= 1u << 3;
    }
}

static void low_before_sync(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                            struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)in;
    const int64_t from_ps = node->released_ps + 1500 * PS_PER_US;
    if (!node->released_ps || node->sync_seen)
        return;
    if (now_ps < from_ps)
        *next_ps = from_ps;
    else if (now_ps < from_ps + 5 * PS_PER_US) {
        *next_ps = from_ps + 5 * PS_PER_US;
        out->pull_low |= 1u;
    }
}

/* A line that the bench pulls stays low for longer than the bench pulls it. */
static void stretches(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                      struct pb_node_outputs *out, int64_t *next_ps)
{
    if (node->released_ps && !(in->line & 1) && !node->until_ps)
        node->until_ps = now_ps + 20 * PS_PER_US;
    if (now_ps < node->until_ps) {
        out->pull_low |= 1u;
        *next_ps = node->until_ps;
    }
}

static void never_in_reset(struct mischief *node, struct pb_node_inputs *in)
{
    (void)node;
    in->nrst = true;
}

/* Its pins are those of a node in reset, but it forgets nothing. */
static void mute_under_reset(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                             struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)node, (void)now_ps, (void)next_ps;
    if (!in->nrst)
        *out = (struct pb_node_outputs){.uart0_tx = true};
}

static void high_when_idle(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                           struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)node, (void)now_ps, (void)next_ps;
    if (in->nrst)
        out->drive_high = (uint16_t)~out->pull_low;
}

static void high_against_neighbour(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                                   struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)node, (void)now_ps, (void)next_ps;
    out->drive_high = (uint16_t)(~in->line & ~out->pull_low);
}

/* From the first SYNC on alone: no pull before the run shows it. */
static void high_in_run(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                        struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)now_ps, (void)in, (void)next_ps;
    if (node->sync_seen)
        out->drive_high = (uint16_t)~out->pull_low;
}

static void unused_low(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)node, (void)now_ps, (void)in, (void)next_ps;
    out->pull_low |= 1u << 11;
}

static void unused_pulse(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                         struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)in;
    const int64_t from_ps = node->sync_ps + 333 * PS_PER_US;
    if (!node->sync_seen)
        return;
    if (now_ps < from_ps)
        *next_ps = from_ps;
    else if (now_ps < from_ps + PS_PER_US) {
        *next_ps = from_ps + PS_PER_US;
        out->pull_low |= 1u << 4;
    }
}

/* Sends this byte, and a low of 20 bits, on the console, at 460,800 baud from from_ps on. */
static void speak(int64_t now_ps, int64_t from_ps, unsigned byte, struct pb_node_outputs *out,
                  int64_t *next_ps)
{
    static const int64_t bit_ps = 2170139;
    const uint32_t frame = byte << 1 | 0xfffffe00u;
    if (now_ps < from_ps)
        *next_ps = from_ps;
    else if (now_ps < from_ps + 20 * bit_ps) {
        const int64_t bit = (now_ps - from_ps) / bit_ps;
        *next_ps = from_ps + (bit + 1) * bit_ps;
        out->uart0_tx = byte > 0xff ? false : frame >> bit & 1;
    }
}

static void speaks_unasked(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                           struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)in;
    if (node->released_ps)
        speak(now_ps, node->released_ps + 100 * PS_PER_US, '!', out, next_ps);
}

static void speaks_in_run(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                          struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)in;
    if (node->sync_seen)
        speak(now_ps, node->sync_ps + 444 * PS_PER_US, '+', out, next_ps);
}

static void break_in_run(struct mischief *node, int64_t now_ps, const struct pb_node_inputs *in,
                         struct pb_node_outputs *out, int64_t *next_ps)
{
    (void)in;
    if (node->sync_seen)
        speak(now_ps, node->sync_ps + 555 * PS_PER_US, 0x100, out, next_ps);
}

/* ---- */

static const char *const small = "name: small\n"
                                 "cube: {dims: 4}\n"
                                 "superframes: 3\n"
                                 "nodes:\n"
                                 "  - {address: 0x5}\n"
                                 "traffic:\n"
                                 "  - {from: 0x4, to: 0x7}\n"
                                 "  - {from: 0x5, to: 0x6}\n";

struct expected {
    const char *name;
    struct trick trick;
    enum pb_finding_kind kind;
    int link; /* -1: none */
};

static const struct expected cases[] = {
    {"low_to_reset", {NULL, low_to_reset}, PB_FINDING_LOW_BEFORE, 2},
    {"low_to_typing", {NULL, low_to_typing}, PB_FINDING_LOW_BEFORE, 2},
    {"low_under_reset", {NULL, low_under_reset}, PB_FINDING_LOW_BEFORE, 1},
    {"pulse_under_reset", {NULL, pulse_under_reset}, PB_FINDING_RESET, 3},
    {"low_before_sync", {NULL, low_before_sync}, PB_FINDING_LOW_BEFORE, 0},
    {"stretches", {NULL, stretches}, PB_FINDING_LOW_BEFORE, 0},
    {"never_in_reset", {never_in_reset, NULL}, PB_FINDING_RESET, -1},
    {"mute_under_reset", {never_in_reset, mute_under_reset}, PB_FINDING_UNEXPECTED, 0},
    {"high_when_idle", {NULL, high_when_idle}, PB_FINDING_HELD_HIGH, 0},
    {"high_against_neighbour", {NULL, high_against_neighbour}, PB_FINDING_HELD_HIGH, 0},
    {"high_in_run", {NULL, high_in_run}, PB_FINDING_HELD_HIGH, 0},
    {"unused_low", {NULL, unused_low}, PB_FINDING_BEYOND, 11},
    {"unused_pulse", {NULL, unused_pulse}, PB_FINDING_BEYOND, 4},
    {"speaks_unasked", {NULL, speaks_unasked}, PB_FINDING_CONSOLE_NOISE, -1},
    {"speaks_in_run", {NULL, speaks_in_run}, PB_FINDING_CONSOLE_NOISE, -1},
    {"break_in_run", {NULL, break_in_run}, PB_FINDING_CONSOLE_NOISE, -1},
};

static void each_is_found(const char *rig_url)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        trick = &cases[i].trick;
        struct pb_result *result = run_yaml(small, rig_url);
        bool found = false;
        for (size_t k = 0; k < result->findings; k++)
            found |= result->finding[k].kind == cases[i].kind && result->finding[k].link == cases[i].link;
        if (!found || result->verdict != PB_VERDICT_FAIL)
            print_error("%s:\n", cases[i].name);
        assert_verdict(result, PB_VERDICT_FAIL);
        if (!found)
            fail_msg("%s: no finding %s on link %d; the first is %s on link %d: %s", cases[i].name,
                     pb_finding_id(cases[i].kind), cases[i].link, pb_finding_id(result->finding[0].kind),
                     result->finding[0].link, result->finding[0].seen);
    }
}

TEST(test_with_edges_each_is_found)
{
    each_is_found("sim:");
}

TEST(test_with_bytes_alone_each_is_found)
{
    each_is_found("sim:?port=uart&baud=1000000");
}

static void add_edge(struct pb_observation *seen, unsigned link, uint64_t tick, bool high)
{
    const struct pb_event edge = {
        .tick = tick, .kind = PB_EVENT_EDGE, .link = (uint8_t)link, .value = high ? 1 : 0};
    assert_int_equal(pb_events_add(&seen->events, &edge), 0);
}

/* With an external clock the nodes send before their reset. The capture begins first, then the host reads
 * the levels: a line whose first edge falls was high when the capture began, whatever the host read. A line
 * that rises first, or has no edge, was low as the host read it. */
TEST(test_levels_are_read_after_the_capture_began)
{
    static const struct {
        bool falls, rises; /* a fall late before the reset, a rise 5 us after it */
        enum pb_verdict verdict;
    } row[] = {
        {true, true, PB_VERDICT_PASS}, {false, true, PB_VERDICT_FAIL}, {false, false, PB_VERDICT_FAIL}};
    static const struct trick none = {NULL, NULL};
    const unsigned link = 2;
    trick = &none;
    struct pb_scenario *scenario =
        parse_scenario("cube: {dims: 4}\nclock: {source: external}\nsuperframes: 3\n"
                       "nodes: [{address: 0x5}]\n"
                       "traffic: [{from: 0x5, to: 0x6, superframe: 1}]\n");
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *const seen = play_scenario(scenario, NULL);
        const uint64_t from_tick = seen->before.capture_tick, reset_tick = seen->before.reset_from_tick,
                       us = seen->info.clock_hz / 1000000;
        assert_true(reset_tick > from_tick + 1000 * us); /* a frame of 9 bytes lasts 90 us */
        for (size_t k = 0; k < seen->events.count; k++)
            assert_false(seen->events.event[k].kind == PB_EVENT_EDGE && seen->events.event[k].link == link &&
                         seen->events.event[k].tick < reset_tick);
        seen->before.level_capture &= ~(UINT64_C(1) << link);
        if (row[i].falls)
            add_edge(seen, link, reset_tick - 100 * us, false);
        if (row[i].rises)
            add_edge(seen, link, reset_tick - 95 * us, true);
        pb_events_sort(&seen->events);
        const struct pb_result *result = judge_seen(scenario, seen);
        assert_verdict(result, row[i].verdict);
        if (row[i].verdict == PB_VERDICT_FAIL)
            assert_int_equal(result->finding[0].kind, PB_FINDING_LOW_BEFORE);
    }
}

TEST(test_a_sound_node_passes)
{
    static const struct trick none = {NULL, NULL};
    trick = &none;
    for (unsigned uart = 0; uart < 2; uart++) {
        struct pb_result *result = run_yaml(small, uart ? "sim:?port=uart&baud=1000000" : "sim:");
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->findings_total, 0);
    }
}
