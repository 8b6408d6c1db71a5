/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plan superframe by superframe: of traffic that repeats for ever against the same written out, across
 * the wrap of the core's numbers, and what is refused when it comes.
 */
#include "tests/bench/unit/plan_fixture.h"

#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SUPERFRAMES = 60 };

static const struct pb_device_info core64 = {.clock_hz = 24000000,
                                             .links = 64,
                                             .lanes = 9,
                                             .nodes = 16,
                                             .faults = 2,
                                             .play_bytes = 2048,
                                             .event_buffer = 512};

static unsigned below(uint64_t *random, unsigned limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

/* Two nodes of a cube that send, pass on and receive. */
static void draw(char *yaml, size_t size, bool forever, uint64_t seed)
{
    static const char *const pattern[] = {"complement", "uniform:3", "perm:5", "xor:3"};
    static const unsigned apart[] = {1, 3, 4, 5, 6, 7}; /* not by the dimension of the babble */
    uint64_t random = seed;
    char repeat[30];
    const unsigned address = below(&random, 8);
    size_t length =
        (size_t)snprintf(yaml, size,
                         "cube: {dims: 3, rule: %s}\nsuperframes: %u\nlink: {phase_rate: %u kHz, payload: 2 "
                         "bytes, console_baud: 1 "
                         "Mbaud}\nlimits: {overflow: drop}\n"
                         "nodes: [{address: %u}, {address: %u, kind: contract}]\n"
                         "faults: [{kind: babble, node: %u, superframe: 0, dimension: 1}]\ntraffic:\n",
                         below(&random, 2) ? "ecube" : "opportunistic", SUPERFRAMES, 2 + below(&random, 3),
                         address, address ^ apart[below(&random, 6)], address);
    snprintf(repeat, sizeof repeat, "forever");
    for (unsigned i = 0; i < 2; i++) {
        const unsigned every = 2 + below(&random, 3), superframe = 1 + below(&random, 3);
        if (!forever)
            snprintf(repeat, sizeof repeat, "%u", (SUPERFRAMES - 1 - superframe) / every + 1);
        length += (size_t)snprintf(yaml + length, size - length,
                                   "  - {pattern: '%s', superframe: %u, every: %u, phase: %u, repeat: %s}\n",
                                   pattern[below(&random, 4)], superframe, every,
                                   below(&random, 2) * below(&random, 6), repeat);
    }
}

/* Where and when each record is, and what it is; the payload of a message follows its number, which differs.
 */
static void assert_same_records(const struct pb_plan *plan, const struct pb_plan *other,
                                unsigned payload_bytes)
{
    assert_int_equal(plan->now.records, other->now.records);
    for (size_t i = 0; i < plan->now.records; i++) {
        const struct pb_record *a = &plan->now.record[i], *b = &other->now.record[i];
        const uint8_t *left = plan->now.bytes + a->at, *right = other->now.bytes + b->at;
        assert_int_equal(a->instant, b->instant);
        /* Frames without end leave fewer lanes to the consoles. */
        assert_true(a->lane == b->lane || left[0] >= PB_PLAY_TARGET_CONSOLE);
        assert_int_equal(a->length, b->length);
        assert_memory_equal(left, right, PB_PLAY_RECORD_BYTES);
        if (!PB_BYTES_GET(PB_PLAY_RECORD_MARK, left) && left[0] < PB_PLAY_TARGET_CONSOLE)
            assert_memory_equal(left + PB_PLAY_RECORD_BYTES, right + PB_PLAY_RECORD_BYTES,
                                a->length - PB_PLAY_RECORD_BYTES - payload_bytes - 1);
    }
}

TEST(test_for_ever_is_planned_as_written_out)
{
    size_t compared = 0, typed = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        char yaml[2][1200];
        struct pb_scenario *scenario[2];
        struct pb_plan plan[2];
        struct pb_diag diag[2] = {{""}, {""}};
        int code[2];
        for (unsigned i = 0; i < 2; i++) {
            draw(yaml[i], sizeof yaml[i], i == 1, seed);
            scenario[i] = parse_scenario(yaml[i]);
            code[i] = pb_plan_make(&plan[i], scenario[i], &core64, &diag[i]);
        }
        assert_int_equal(scenario[0]->endless_count, 0);
        assert_int_equal(scenario[1]->endless_count, 2);
        assert_int_equal(code[0], code[1]);
        while (!code[0] && plan[0].superframe < SUPERFRAMES) {
            for (unsigned i = 0; i < 2; i++)
                if (pb_plan_next(&plan[i], &diag[i]))
                    fail_msg("seed %u: %s", (unsigned)seed, diag[i].text);
            assert_same_records(&plan[0], &plan[1], scenario[0]->payload_bytes);
            assert_int_equal(plan[0].typed_lines, plan[1].typed_lines);
            for (size_t k = 0; k < plan[0].typed_lines; k++) {
                assert_int_equal(plan[0].typed[k].node_index, plan[1].typed[k].node_index);
                assert_string_equal(plan[0].typed[k].answer, plan[1].typed[k].answer);
                assert_true(plan[0].typed[k].start_ps == plan[1].typed[k].start_ps);
            }
            compared += plan[0].now.records;
            typed += plan[0].typed_lines;
        }
        for (unsigned i = 0; i < 2; i++)
            pb_plan_free(&plan[i]);
    }
    assert_true(compared > 10000 && typed > 1000);
}

/* A record has the superframe modulo 2^16 and, as one number more without a meaning, the rest. */
TEST(test_superframes_beyond_the_numbers_of_a_record)
{
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 1}\nsuperframes: 65600\nlink: {payload: 1 byte}\nnodes: [{address: 0}]\n"
        "traffic: [{from: 1, to: 0, superframe: 65530, repeat: 20}, {from: 1, to: 0, every: 1000, repeat: "
        "forever}]\n");
    struct pb_plan plan;
    assert_succeeds(pb_plan_make(&plan, scenario, &core64, &diag));
    while (plan.superframe < scenario->superframes) {
        const uint32_t superframe = plan.superframe;
        assert_succeeds(pb_plan_next(&plan, &diag));
        assert_int_equal(plan.now.records,
                         (superframe >= 65530 && superframe < 65550) || superframe % 1000 == 0);
        for (size_t i = 0; i < plan.now.records; i++) {
            const uint8_t *record = plan.now.bytes + plan.now.record[i].at;
            assert_int_equal(PB_BYTES_GET(PB_PLAY_RECORD_SUPERFRAME, record), superframe % 65536);
            assert_int_equal(PB_BYTES_GET(PB_PLAY_RECORD_NUMBER, record), superframe / 65536);
            assert_true(plan.now.record[i].instant == UINT64_C(2) * superframe + 1);
        }
    }
    pb_plan_free(&plan);
}

/* A look ahead of 100000 superframes does not reach it; the superframe itself does. */
TEST(test_fault_beyond_the_look_ahead)
{
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 1}\nsuperframes: 260000\nlink: {payload: 1 byte}\nnodes: [{address: 0}]\n"
        "faults: [{kind: framing, node: 0, superframe: 250000, dimension: 0}, {kind: framing, node: 0, "
        "superframe: "
        "250001, dimension: 0}]\n"
        "traffic: [{from: 1, to: 0, every: 2, repeat: forever}, {from: 1, to: 0, superframe: 99999, repeat: "
        "1}]\n");
    struct pb_diag diag = {""};
    struct pb_plan plan;
    int code = pb_plan_make(&plan, scenario, &core64, &diag);
    if (code)
        fail_msg("%s", diag.text);
    while (!code && plan.superframe < scenario->superframes)
        code = pb_plan_next(&plan, &diag);
    assert_int_equal(code, PB_ERR_CONFIG);
    assert_int_equal(plan.superframe, 250001);
    assert_non_null(strstr(diag.text, "needs a frame, but the bench sends none to 0x0 in superframe 250001"));
    pb_plan_free(&plan);
}

/* CPU time of a look-ahead at messages of a node in this many superframes, written out. No frame comes to
 * the node after which they would have to wait, so each looks back for one. */
static double look_ahead_s(unsigned superframes)
{
    struct timespec from, to;
    struct pb_plan plan;
    struct pb_scenario *scenario =
        parse_scenario(formatted("network: {dims: 3}\nlink: {console_baud: 1 Mbaud}\nnodes: [{address: 0}]\n"
                                 "traffic: [{pattern: xor:7, repeat: %u}]\n",
                                 superframes));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_succeeds(pb_plan_make(&plan, scenario, &core64, &diag));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    pb_plan_free(&plan);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Eight times as many messages take about eight times as long; 64 times if each checked all before it. */
TEST(test_look_ahead_takes_time_by_messages)
{
    const double some_s = look_ahead_s(2500), many_s = look_ahead_s(20000);
    if (many_s > 24 * some_s)
        fail_msg("%.3f s for 2500 messages, %.3f s for 20000", some_s, many_s);
}
