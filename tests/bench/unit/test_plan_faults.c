/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the plan makes of faults: records of the fault units byte for byte, marked slot frames, babble, who
 * gets which unit, and what a core cannot do. Ticks are worked out by hand: at 48 MHz and 10 kHz a phase has
 * 4800, of which TDMA_CLK is high for 2400; a bit at 1 Mbaud has 48. */
#include "host/plan/fault_slot.h"
#include "host/plan/fault_units.h"
#include "host/plan/frame.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/plan_fixture.h"

#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

static const struct pb_device_info core12 = {.clock_hz = 48000000,
                                             .links = 12,
                                             .lanes = 3,
                                             .nodes = 1,
                                             .faults = 2,
                                             .fault_feedback = true,
                                             .play_bytes = 2048,
                                             .event_buffer = 512};
static const struct pb_device_info core64 = {.clock_hz = 24000000,
                                             .links = 64,
                                             .lanes = 9,
                                             .nodes = 16,
                                             .faults = 4,
                                             .fault_feedback = true,
                                             .play_bytes = 2048,
                                             .event_buffer = 512};

#define BASE "superframes: 8\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n"

/* One frame, to 0x2A3 on dimension 3, in superframe 0: for tests that plan a thousand times. */
#define SMALL "superframes: 8\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2AB, to: 0x2A3}]\n"

static struct pb_scenario *small_with_fault(const char *entry)
{
    const char *yaml = formatted("%sfaults: [{%s}]\n", SMALL, entry);
    return parse_scenario(yaml);
}

static struct pb_scenario *with_fault(const char *entry)
{
    const char *yaml = formatted("%sfaults: [{%s}]\n", BASE, entry);
    return parse_scenario(yaml);
}

static void assert_refused(const char *yaml, const struct pb_device_info *info, const char *cause,
                           const char *remedy)
{
    struct pb_scenario *scenario = parse_scenario(yaml);
    struct pb_plan plan;
    struct pb_diag diag = {""};
    assert_int_equal(pb_plan_make(&plan, scenario, info, &diag), PB_ERR_CONFIG);
    if (!strstr(diag.text, cause) || !strstr(diag.text, remedy))
        fail_msg("'%s' does not say '%s' and '%s'", diag.text, cause, remedy);
    assert_null(strchr(diag.text, '\n'));
    assert_null(plan.fault);
    assert_null(plan.now.record);
    assert_int_equal(plan.faults, 0);
}

static uint32_t little(const uint8_t *bytes, unsigned count)
{
    return count ? bytes[0] | little(bytes + 1, count - 1) << 8 : 0;
}

/* ---- fault units */

/* The layout that rtl/core/pb_fault_unit.v reads, byte for byte. */
TEST(test_layout)
{
    static const uint8_t expected[20] = {1,    3, 4,    0,    2,    0,    0, 0, 0xE0, 0x01,
                                         0x00, 0, 0xC0, 0x03, 0x00, 0x00, 0, 0, 0,    0};
    struct pb_plan *plan = whole_plan(
        with_fault(
            "kind: stuck_low, node: 0x2A3, dimension: 3, superframe: 2, phase: 4, at: 10 us, length: 20 us"),
        &core12);
    assert_int_equal(plan->faults, 1);
    assert_int_equal(plan->fault[0].unit, 0);
    assert_int_equal(plan->fault[0].instant, 2 * 24 + 4);
    assert_memory_equal(plan->fault[0].bytes, expected, sizeof expected);
}

static const struct record {
    const char *entry;
    unsigned kind, link, superframe, phase;
    uint32_t offset, length, parameter;
} records[] = {
    /* 2.5 us after the edge for a phase */
    {"kind: open, node: 0x2A3, dimension: 3, superframe: 2", 2, 3, 2, 7, 120, 4800, 0},
    {"kind: short, node: 0x2A3, dimension: 3, superframe: 2", 3, 3, 2, 7, 120, 4800, 0},
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2", 4, 3, 2, 7, 120, 4800, 12},
    /* ln 2 of 1 us is 33.27 ticks */
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2, time_constant: 1 us", 4, 3, 2, 7, 120, 4800,
     33},
    {"kind: glitch, node: 0x2A3, dimension: 3, superframe: 2", 5, 3, 2, 7, 120, 12, 0},
    {"kind: glitch, node: 0x2A3, dimension: 3, superframe: 2, length: 1 ps, at: 0 us", 5, 3, 2, 7, 0, 1, 0},
    {"kind: glitch, node: 0x2A3, dimension: 3, superframe: 2, at: 99.999999 us", 5, 3, 2, 7, 4799, 12, 0},
    {"kind: second_driver, node: 0x2A3, dimension: 3, superframe: 2", 6, 3, 2, 6, 720, 3840, 48},
    /* the clock: 2 us are 96 ticks; forced levels overlap the next one by 4 */
    {"kind: late_edge, superframe: 2, phase: 5", 7, 63, 2, 5, 0, 96, 0},
    {"kind: early_edge, superframe: 2, phase: 5", 8, 63, 2, 4, 4704, 100, 0},
    {"kind: early_edge, superframe: 2, phase: 0", 8, 63, 1, 23, 4704, 100, 0},
    {"kind: missing_edge, superframe: 2, phase: 5", 9, 63, 2, 5, 0, 2404, 0},
    {"kind: extra_edge, superframe: 2, phase: 5", 10, 63, 2, 5, 3300, 600, 0},
    {"kind: missing_sync, superframe: 2", 11, 63, 2, 0, 0, 4804, 0},
    {"kind: extra_sync, superframe: 2, phase: 5", 12, 63, 2, 4, 4784, 4800, 0},
    {"kind: extra_sync, superframe: 2, phase: 1", 12, 63, 2, 0, 4784, 4800, 0},
    {"kind: jitter, superframe: 2, seed: 0xABCD", 13, 63, 2, 0, 0, 0xFFFFFFFF, 0xABCD0000 | 48},
    {"kind: jitter, superframe: 2, phase: 3, seed: 1, shape: gaussian, length: 1 ms, amount: 20 us", 13, 63,
     2, 3, 0, 48000, 0x00011000 | 960},
    /* 1000 ppm fast: 4800 / 1.001 = 4795.204795, 4.795205 less, times 65536 = 314258.54; two's complement */
    {"kind: drift, superframe: 2", 14, 63, 2, 0, 0, 0xFFFFFFFF, 0x1000000 - 314259},
    /* 20 ppm slow: 4800 / 0.99998 - 4800 = 0.0960019, times 65536 = 6291.6 */
    {"kind: drift, superframe: 2, ppm: -20, length: 1 us", 14, 63, 2, 0, 0, 48, 6292},
};

TEST(test_records)
{
    for (size_t i = 0; i < COUNT(records); i++) {
        const struct record *want = &records[i];
        struct pb_scenario *s = with_fault(want->entry);
        struct pb_plan *plan = whole_plan(s, &core12);
        assert_int_equal(plan->faults, 1);
        const uint8_t *bytes = plan->fault[0].bytes;
        if (bytes[0] != want->kind || bytes[1] != want->link || little(bytes + 2, 2) != want->phase ||
            little(bytes + 4, 2) != want->superframe || little(bytes + 8, 3) != want->offset ||
            little(bytes + 12, 4) != want->length || little(bytes + 16, 4) != want->parameter)
            fail_msg("%s: link %u, superframe %u, phase %u, offset %u, length %u, parameter 0x%x",
                     want->entry, bytes[1], little(bytes + 4, 2), little(bytes + 2, 2), little(bytes + 8, 3),
                     little(bytes + 12, 4), little(bytes + 16, 4));
        assert_int_equal(bytes[11], want->kind == PB_FAULT_SHORT ? 4 : 0);
        assert_int_equal(plan->fault[0].instant, want->superframe * 24 + want->phase);
    }
}

/* At 7 kHz and 24 MHz a phase has 3428 4/7 ticks: the edges are at 0, 3428, 6857, 10285, 13714, 17142, 20571,
 * 24000. Phase 4 has 3428 ticks, phase 5 has 3429. */
TEST(test_fraction_of_a_tick)
{
    static const char yaml[] =
        "cube: {dims: 4}\nsuperframes: 4\nlink: {phase_rate: 7 kHz}\nnodes: [{address: 5}]\n"
        "traffic: [{pattern: complement}]\nfaults:\n"
        "  - {kind: early_edge, superframe: 0, phase: 5, amount: 1 us}\n"  /* before it 3428 */
        "  - {kind: early_edge, superframe: 0, phase: 6, amount: 1 us}\n"; /* before it 3429 */
    struct pb_plan *plan = whole_plan(parse_scenario(yaml), &core64);
    assert_int_equal(little(plan->fault[0].bytes + 2, 2), 4);
    assert_int_equal(little(plan->fault[0].bytes + 8, 3), 3428 - 24);
    assert_int_equal(little(plan->fault[1].bytes + 2, 2), 5);
    assert_int_equal(little(plan->fault[1].bytes + 8, 3), 3429 - 24);
}

/* The second node's dimension 5 is link 17, and superframes beyond 2^16 keep their low half. */
TEST(test_link_of_the_second_node)
{
    struct pb_scenario *s = parse_scenario(
        "superframes: 70002\nnodes: [{address: 0x2A3}, {address: 5}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"
        "faults: [{kind: short, node: 5, dimension: 5, superframe: 70000, other: {node: 0x2A3}}]\n");
    struct pb_plan *plan = whole_plan(s, &core64);
    assert_int_equal(plan->fault[0].bytes[1], 17);
    assert_int_equal(plan->fault[0].bytes[11], 5);
    assert_int_equal(little(plan->fault[0].bytes + 4, 2), 70000 - 65536);
    assert_int_equal(plan->fault[0].instant / 24, 70000);
}

/* ---- who gets which unit */

#define AT(dimension, at, length)                                                                            \
    "  - {kind: stuck_low, node: 0x2A3, dimension: " dimension ", phase: 2, superframe: 1, at: " at          \
    " us, length: " length " us}\n"

TEST(test_faults_that_overlap_go_to_different_units)
{
    struct pb_plan *plan = whole_plan(parse_scenario(BASE "faults:\n" AT("1", "30", "30") AT("2", "10", "30")
                                                         AT("3", "70", "10") AT("4", "42.1", "5")),
                                      &core12);
    static const unsigned at[] = {480, 1440, 2021, 3360}; /* 10, 30, 42.1 and 70 us */
    static const unsigned link[] = {2, 1, 4, 3};
    assert_int_equal(plan->faults, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(little(plan->fault[i].bytes + 8, 3), at[i]);
        assert_int_equal(plan->fault[i].bytes[1], link[i]);
        assert_int_equal(little(plan->fault[i].bytes + 6, 2), link[i] - 1); /* number: place in the file */
    }
    /* 10..40 us on one, 30..60 us on the other; 42.1 us fits after the first, and 70 us too: it goes where
     * there was rest for longer, 47.1 against 60 us */
    assert_int_equal(plan->fault[0].unit, 0);
    assert_int_equal(plan->fault[1].unit, 1);
    assert_int_equal(plan->fault[2].unit, 0);
    assert_int_equal(plan->fault[3].unit, 0);
}

/* A unit needs 90 ticks between two faults; the plan grants 96, that is 2 us. */
TEST(test_gap_between_two_faults_of_a_unit)
{
    static const struct pb_device_info one = {
        .clock_hz = 48000000, .links = 12, .lanes = 3, .nodes = 1, .faults = 1};
    struct pb_plan *plan =
        whole_plan(parse_scenario(BASE "faults:\n" AT("1", "10", "30") AT("2", "42", "5")), &one);
    assert_int_equal(plan->faults, 2);
    assert_refused(BASE "faults:\n" AT("1", "10", "30") AT("2", "41.97", "5"), &one,
                   "2 act at the same time in superframe 1, phase 2", "has 1 fault units");
}

/* Under drift the phases are up to a 32nd longer than scheduled: 1440 ticks of a fault take 45 more. */
TEST(test_gap_between_two_faults_under_drift)
{
#define DRIFT BASE "faults:\n  - {kind: drift, superframe: 0}\n"
    struct pb_plan *plan =
        whole_plan(parse_scenario(DRIFT AT("1", "10", "30") AT("2", "42.95", "5")), &core12);
    assert_int_equal(plan->faults, 3);
    assert_refused(DRIFT AT("1", "10", "30") AT("2", "42.9", "5"), &core12,
                   "3 act at the same time in superframe 1, phase 2", "has 2 fault units");
}

TEST(test_more_than_the_units)
{
    static const struct pb_device_info none = {.clock_hz = 48000000, .links = 12, .lanes = 3, .nodes = 1};
    assert_refused(BASE "faults:\n" AT("1", "10", "30") AT("2", "10", "30") AT("3", "39", "1"), &core12,
                   "3 act at the same time in superframe 1, phase 2", "has 2 fault units; move them apart");
    /* one without end stays */
    assert_refused(BASE "faults:\n  - {kind: jitter, superframe: 0}\n  - {kind: drift, superframe: 0}\n"
                        "  - {kind: late_edge, superframe: 7}\n",
                   &core12, "3 act at the same time in superframe 7", "has 2 fault units");
    assert_refused(BASE "faults: [{kind: late_edge, superframe: 1}]\n", &none,
                   "'late_edge' needs a fault unit", "this core has 0");
    /* frames need none */
    struct pb_plan *plan =
        whole_plan(with_fault("kind: framing, node: 0x2A3, dimension: 3, superframe: 0"), &none);
    assert_int_equal(plan->faults, 0);
}

/* Of all kinds a core with no unit injects the six of frames, one whose units do not follow a line all but
 * two: docs/start/boards.md. What it does not inject the plan refuses, by name. */
TEST(test_kinds_that_a_core_lacks)
{
    static const struct pb_device_info none = {.clock_hz = 48000000, .links = 12, .lanes = 3, .nodes = 1},
                                       some = {.clock_hz = 48000000,
                                               .links = 12,
                                               .lanes = 3,
                                               .nodes = 1,
                                               .faults = 1};
    static const struct {
        const struct pb_device_info *info;
        unsigned kinds;
        const char *text;
    } core[] = {{&none, 10, "no fault units: only faults of slot frames"},
                {&some, 22, "1 fault unit: all kinds but short and slow_rise"},
                {&core12, 24, "2 fault units: all kinds"}};
    for (size_t i = 0; i < sizeof core / sizeof core[0]; i++) {
        char text[PB_FAULT_UNITS_TEXT];
        unsigned count, kinds = 0;
        const struct pb_fault_info *info = pb_fault_infos(&count);
        for (unsigned k = 0; k < count; k++)
            kinds += pb_core_injects(core[i].info, info[k].kind);
        assert_int_equal(kinds, core[i].kinds);
        pb_core_faults_text(text, sizeof text, core[i].info);
        assert_string_equal(text, core[i].text);
    }
    assert_refused(BASE
                   "faults: [{kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 1, amount: 1 us}]\n",
                   &some, "'slow_rise' needs fault units that follow", "not possible on it");
    assert_refused(BASE
                   "faults: [{kind: short, node: 0x2A3, dimension: 3, superframe: 1, other: {node: 0x2A3, "
                   "dimension: 4}}]\n",
                   &some, "'short' needs fault units that follow", "not possible on it");
    struct pb_plan *plan =
        whole_plan(with_fault("kind: stuck_low, node: 0x2A3, dimension: 3, superframe: 1"), &some);
    assert_int_equal(plan->faults, 1);
}

TEST(test_values_that_no_record_holds)
{
    /* 20000 ppm of 480000 ticks */
    assert_refused("superframes: 8\nlink: {phase_rate: 100 Hz}\nnodes: [{address: 0x2A3}]\n"
                   "traffic: [{pattern: complement}]\nfaults: [{kind: drift, superframe: 0, ppm: 20000}]\n",
                   &core12, "480000 ticks by 128 ticks or more", "raise phase_rate");
    /* 100 us are 4800 ticks, the core's generator has 12 bits */
    assert_refused(
        "superframes: 8\nlink: {phase_rate: 1 kHz}\nnodes: [{address: 0x2A3}]\n"
        "traffic: [{pattern: complement}]\nfaults: [{kind: jitter, superframe: 0, amount: 100 us}]\n",
        &core12, "an amount of 4800 ticks", "1 to 4095");
    /* 0.4 s are 19.2 million ticks, a start has 24 bits */
    assert_refused("superframes: 8\nlink: {phase_rate: 1 Hz}\nnodes: [{address: 0x2A3}]\n"
                   "traffic: [{pattern: complement}]\n"
                   "faults: [{kind: open, node: 0x2A3, phase: 0, superframe: 0, at: 400 ms}]\n",
                   &core12, "a start of 19200000 ticks", "0 to 16777215");
    /* 90 s at 48 MHz are more than 2^32 ticks */
    assert_refused("superframes: 8\nlink: {phase_rate: 1 Hz}\nnodes: [{address: 0x2A3}]\n"
                   "traffic: [{pattern: complement}]\n"
                   "faults: [{kind: open, node: 0x2A3, phase: 0, superframe: 0, at: 0 s, length: 90 s}]\n",
                   &core12, "a length of 4320000000 ticks", "1 to 4294967294");
    assert_refused(
        "superframes: 8\nlink: {phase_rate: 1 Hz}\nnodes: [{address: 0x2A3}]\n"
        "traffic: [{pattern: complement}]\n"
        "faults: [{kind: slow_rise, node: 0x2A3, phase: 0, superframe: 0, at: 0 s, amount: 1 s}]\n",
        &core12, "an amount of 48000000 ticks", "1 to 16777215");
    /* 820 bits at 48 MHz / 3648354 = 13.157, rounded to 13.1875 ticks, are 10814 ticks from tick 578 on, in a
     * phase of 11369 */
    assert_refused(
        "superframes: 8\nlink: {phase_rate: 4221.897 Hz, baud: 3648354 baud, head_guard: 9218707 ps}\n"
        "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2AB, to: 0x2A3}]\nfaults: [{kind: late_start, "
        "node: 0x2A3, dimension: 3, superframe: 0, amount: 2831632 ps}]\n",
        &core12, "ends 0.474 us after its phase; a bit of this core takes 13.1875 ticks",
        "let it start earlier");
}

/* ---- slot frames */

/* The record for this slot, or NULL. */
static const uint8_t *slot(const struct pb_plan *plan, unsigned link, unsigned superframe, unsigned phase)
{
    for (size_t i = 0; i < plan->now.records; i++) {
        const uint8_t *bytes = plan->now.bytes + plan->now.record[i].at;
        if (bytes[0] == link && (little(bytes + 2, 2) & 511) == phase && little(bytes + 4, 2) == superframe)
            return bytes;
    }
    return NULL;
}

static const struct frame_case {
    const char *entry;
    unsigned mark;
    uint32_t offset, bit_period;
} frame_cases[] = {
    {"kind: wrong_bytes, node: 0x2A3, dimension: 3, superframe: 0", 1, 240, 768},
    {"kind: framing, node: 0x2A3, dimension: 3, superframe: 0", 2, 240, 768},
    /* 768 / 1.04 = 738.46, 768 / 0.96 = 800 */
    {"kind: baud, node: 0x2A3, dimension: 3, superframe: 0", 3, 240, 738},
    {"kind: baud, node: 0x2A3, dimension: 3, superframe: 0, ppm: -40000", 3, 240, 800},
    {"kind: early_start, node: 0x2A3, dimension: 3, superframe: 0", 4, 120, 768},
    {"kind: early_start, node: 0x2A3, dimension: 3, superframe: 0, amount: 5 us", 4, 0, 768},
    {"kind: late_start, node: 0x2A3, dimension: 3, superframe: 0", 5, 240 + 144, 768},
};

TEST(test_marked_frames)
{
    struct pb_plan *before = whole_plan(parse_scenario(BASE), &core12);
    const uint8_t *right = slot(before, 3, 0, 7);
    assert_non_null(right);
    for (size_t i = 0; i < COUNT(frame_cases); i++) {
        struct pb_plan *plan = whole_plan(with_fault(frame_cases[i].entry), &core12);
        const uint8_t *spoiled = slot(plan, 3, 0, 7);
        assert_non_null(spoiled);
        assert_int_equal(plan->now.records, before->now.records);
        assert_int_equal(spoiled[1], 9);
        assert_int_equal(little(spoiled + 2, 2), frame_cases[i].mark << 13 | 7);
        assert_int_equal(little(spoiled + 4, 2), 0);
        assert_int_equal(little(spoiled + 6, 2), 0);
        assert_int_equal(little(spoiled + 8, 3), frame_cases[i].offset);
        assert_int_equal(little(spoiled + 11, 3), frame_cases[i].bit_period);
        unsigned differing = 0;
        for (unsigned k = 0; k < 9; k++)
            differing += (unsigned)__builtin_popcount((unsigned)(spoiled[14 + k] ^ right[14 + k]));
        assert_int_equal(differing, frame_cases[i].mark == 1 ? 1 : 0);
        /* and no other record has a mark */
        for (size_t k = 0; k < plan->now.records; k++)
            if (plan->now.bytes + plan->now.record[k].at != spoiled)
                assert_int_equal(plan->now.bytes[plan->now.record[k].at + 3] >> 5, 0);
    }
}

/* Wrong frames with a correct check value. */
#define AT_2A3 "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2AB, to: 0x2A3}]\nsuperframes: 8\n"

static const struct odd_frame {
    const char *link, *entry;
    unsigned length;  /* of the correct frame */
    int added;        /* bytes */
    unsigned at, bits; /* an inner byte that differs, and in which bits it may; 0: none */
} odd_frames[] = {
    {"", "short_frame", 9, -1, 0, 0},
    {"", "short_frame, bytes: 6", 9, -6, 0, 0},
    {"link: {payload: 4 bytes}\n", "long_frame", 7, 1, 0, 0},
    {"link: {payload: 4 bytes}\n", "long_frame, bytes: 2", 7, 2, 0, 0},
    {"cube: {dims: 10}\n", "outside_address", 9, 0, 1, 0x0C}, /* 0x2A3 in 10 of 12 bits */
    {"cube: {dims: 11}\n", "outside_address", 9, 0, 1, 0x08},
    {"link: {codec: starc}\n", "short_frame", 9, -1, 0, 0},
    {"link: {codec: starc}\n", "short_frame, bytes: 2", 9, -2, 0, 0},
    {"link: {codec: starc, payload: 1 byte}\n", "long_frame", 8, 1, 0, 0},
    {"link: {codec: starc}\n", "wrong_length", 9, 0, 2, 0xFF},
    {"link: {codec: starc}\n", "outside_address", 9, 0, 4, 0xF0},
    {"cube: {dims: 10}\nlink: {codec: starc}\n", "outside_address", 9, 0, 4, 0xFC},
};

TEST(test_odd_frames)
{
    for (size_t i = 0; i < COUNT(odd_frames); i++) {
        const struct odd_frame *want = &odd_frames[i];
        const bool starc = strstr(want->link, "starc") != NULL;
        const unsigned count = want->length + (unsigned)want->added, checks = starc ? 2 : 1;
        char yaml[512];
        uint8_t expected[32];
        snprintf(yaml, sizeof yaml, "%s" AT_2A3, want->link);
        struct pb_scenario *clean = parse_scenario(yaml);
        snprintf(yaml, sizeof yaml,
                 "%s" AT_2A3 "faults: [{kind: %s, node: 0x2A3, dimension: 3, superframe: 0}]\n", want->link,
                 want->entry);
        struct pb_scenario *s = parse_scenario(yaml);
        struct pb_plan *before = whole_plan(clean, &core12), *plan = whole_plan(s, &core12);
        const uint8_t *right = slot(before, 3, 0, 7), *odd = slot(plan, 3, 0, 7);
        assert_int_equal(right[1], want->length);
        assert_int_equal(plan->now.records, before->now.records);
        assert_int_equal(odd[1], count);
        assert_int_equal(little(odd + 2, 2), 1 << 13 | 7); /* the core knows it as other bytes */
        assert_int_equal(little(odd + 8, 3), 240);
        assert_int_equal(little(odd + 11, 3), 768);
        memcpy(expected, right + 14, want->length);
        if (want->at) {
            const unsigned differs = expected[want->at] ^ odd[14 + want->at];
            assert_true(differs && !(differs & ~want->bits));
            expected[want->at] = odd[14 + want->at];
        }
        if (want->added <= 0 && starc) {
            const unsigned check = crc16(expected + 1, count - 1 - checks);
            expected[count - 2] = (uint8_t)(check >> 8);
            expected[count - 1] = (uint8_t)check;
        } else if (want->added <= 0)
            expected[count - 1] = crc8(expected, count - 1);
        assert_memory_equal(odd + 14, expected, count < want->length ? count : want->length);
        assert_false(pb_frame_checks(s, odd + 14, count) && strncmp(want->entry, "outside", 7));
    }
}

/* The receipt's number is the place in the sorted list: this one is the third. */
/* 16 * 48 / 1.02 = 752.94 and 16 * 48 / 0.97 = 791.75 sixteenths of a tick. */
TEST(test_other_bauds_are_rounded)
{
    static const struct {
        const char *ppm;
        unsigned period_q4;
    } row[] = {{"20000", 753}, {"-30000", 792}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *entry =
            formatted("kind: baud, ppm: %s ppm, node: 0x2A3, dimension: 3, superframe: 0", row[i].ppm);
        struct pb_plan *plan = whole_plan(with_fault(entry), &core12);
        assert_int_equal(little(slot(plan, 3, 0, 7) + 11, 3), row[i].period_q4);
    }
}

TEST(test_number_in_a_marked_frame)
{
    struct pb_scenario *s =
        parse_scenario(BASE "faults:\n  - {kind: framing, node: 0x2A3, dimension: 8, superframe: 0}\n"
                            "  - {kind: late_edge, superframe: 0, phase: 2}\n"
                            "  - {kind: early_start, node: 0x2A3, dimension: 3, superframe: 0}\n");
    struct pb_plan *plan = whole_plan(s, &core12);
    assert_int_equal(little(slot(plan, 8, 0, 17) + 6, 2), 2);
    assert_int_equal(little(slot(plan, 3, 0, 7) + 6, 2), 1);
    assert_int_equal(little(plan->fault[0].bytes + 6, 2), 0);
}

TEST(test_frame_that_is_not_there)
{
    /* Complement traffic ends with superframe 0; its last frame to the node comes in phase 23. */
    assert_refused(BASE "faults: [{kind: baud, node: 0x2A3, dimension: 3, superframe: 2}]\n", &core12,
                   "'baud' needs a frame, but the bench sends none to 0x2A3 in superframe 2, phase 7, "
                   "dimension 3",
                   "the nearest frame is in superframe 0, phase 23, dimension 11");
    assert_refused("superframes: 8\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"
                   "faults: [{kind: framing, node: 0x2A3, dimension: 3, superframe: 2}]\n",
                   &core12, "needs a frame", "it sends it nothing at all");
    /* Of two nodes on the bench only frames to the right one count: 5 is sent nothing in superframe 1. */
    assert_refused("superframes: 8\nnodes: [{address: 0x2A3}, {address: 5}]\n"
                   "traffic: [{from: 0x2A7, to: 0x2A3, superframe: 1}, {from: 4, to: 5, superframe: 5}]\n"
                   "faults: [{kind: framing, node: 5, dimension: 2, superframe: 2}]\n",
                   &core64, "sends none to 0x5",
                   "the nearest frame is in superframe 5, phase 0, dimension 0");
}

/* ---- babble */

TEST(test_babble)
{
    struct pb_scenario *clean = parse_scenario(BASE),
                       *s = with_fault("kind: babble, node: 0x2A3, dimension: 3, superframe: 5, at: 20 us");
    struct pb_plan *before = whole_plan(clean, &core12), *plan = whole_plan(s, &core12),
                   *again = whole_plan(s, &core12);
    assert_int_equal(plan->now.records, before->now.records + 1);
    const uint8_t *record = slot(plan, 3, 5, 7);
    assert_non_null(record);
    assert_int_equal(record[1], 8); /* what fits into 80 us */
    assert_int_equal(little(record + 2, 2), 6 << 13 | 7);
    assert_int_equal(little(record + 8, 3), 960);
    assert_int_equal(little(record + 11, 3), 768);
    assert_memory_equal(record, slot(again, 3, 5, 7), 14 + 8);
}

/* Nine bytes in 1000 seeds: about four would have the correct check by chance. */
TEST(test_babble_is_never_a_frame)
{
    struct pb_scenario *s = small_with_fault("kind: babble, node: 0x2A3, dimension: 3, superframe: 5");
    for (s->seed = 0; s->seed < 1000; s->seed++) {
        struct pb_plan *plan = whole_plan(s, &core12);
        assert_false(pb_frame_checks(s, slot(plan, 3, 5, 7) + 14, 9));
    }
}

TEST(test_check_of_a_frame)
{
    static const char *const yaml[] = {BASE, "link: {phase_rate: 1 kHz, codec: starc}\n" BASE};
    for (size_t i = 0; i < COUNT(yaml); i++) {
        struct pb_scenario *s = parse_scenario(yaml[i]);
        uint8_t frame[PB_FRAME_MAX];
        const unsigned count = pb_frame(s, 7, 0, 3, frame);
        assert_true(pb_frame_checks(s, frame, count));
        assert_false(pb_frame_checks(s, frame, count - 1));
        frame[count - 2] ^= 1;
        assert_false(pb_frame_checks(s, frame, count));
        frame[count - 2] ^= 1;
        frame[count - 1] ^= 1;
        assert_false(pb_frame_checks(s, frame, count));
        frame[count - 1] ^= 1;
        /* A StarC frame needs its first byte and its length field, too, of which only one is in the check. */
        for (unsigned at = 0; at <= 2 && i == 1; at += 2) {
            frame[at] ^= 1;
            pb_frame_seal(s, frame, count);
            assert_false(pb_frame_checks(s, frame, count));
            frame[at] ^= 1;
            pb_frame_seal(s, frame, count);
            assert_true(pb_frame_checks(s, frame, count));
        }
    }
}

/* A lane of its own: the neighbour that sends in the same phase on another line has one, and two lanes serve
 * links. */
TEST(test_babble_takes_a_free_lane)
{
    struct pb_plan *plan = whole_plan(
        parse_scenario(BASE "faults: [{kind: babble, node: 0x2A3, dimension: 9, superframe: 0, phase: 7}]\n"),
        &core12);
    unsigned lanes = 0;
    for (size_t i = 0; i < plan->now.records; i++)
        if (plan->now.record[i].instant == 7)
            lanes |= 1u << plan->now.record[i].lane;
    assert_int_equal(lanes, 3);
    assert_refused(BASE "faults:\n  - {kind: babble, node: 0x2A3, dimension: 9, superframe: 0, phase: 7}\n"
                        "  - {kind: babble, node: 0x2A3, dimension: 10, superframe: 0, phase: 7}\n",
                   &core12, "more than 2 virtual neighbours", "the core has 2 lanes");
}

TEST(test_babble_over_a_frame)
{
    /* of the bench, and of the node: it sends on dimension 3 in phase 6 */
    assert_refused(BASE "faults: [{kind: babble, node: 0x2A3, dimension: 3, superframe: 0}]\n", &core12,
                   "there is a frame in superframe 0, phase 7", "give another place");
    assert_refused(BASE "faults: [{kind: babble, node: 0x2A3, phase: 6, superframe: 0}]\n", &core12,
                   "there is a frame in superframe 0, phase 6", "give another place");
}

/* ---- a place for a fault that was given none */

static const struct aim_case {
    unsigned kind;
    struct pb_fault_slot open, found;
} aims[] = {
    /* Frames to 0x2A3 come in superframe 1, first in phase 0; all of them in superframe 3 again. */
    {PB_FAULT_OPEN, {-1, -1, -1}, {1, 0, 0}},
    {PB_FAULT_FRAMING, {-1, -1, -1}, {1, 0, 0}},
    {PB_FAULT_FRAMING, {2, -1, -1}, {-1, 0, 0}}, /* none */
    {PB_FAULT_FRAMING, {-1, 7, -1}, {1, 7, 3}},
    {PB_FAULT_FRAMING, {-1, -1, 4}, {1, 9, 4}},
    {PB_FAULT_FRAMING, {3, -1, 4}, {3, 9, 4}},
    {PB_FAULT_FRAMING, {-1, 6, -1}, {-1, 0, 0}}, /* it is the node that sends in phase 6 */
    {PB_FAULT_GLITCH, {-1, -1, -1}, {2, 0, 0}},  /* the first quiet one */
    {PB_FAULT_BABBLE, {-1, -1, 4}, {2, 9, 4}},
    {PB_FAULT_GLITCH, {1, -1, -1}, {-1, 0, 0}},
    {PB_FAULT_SECOND_DRIVER, {-1, -1, -1}, {1, 1, 0}}, /* the node sends its first in phase 1 */
    {PB_FAULT_SECOND_DRIVER, {-1, 7, -1}, {-1, 0, 0}},
    {PB_FAULT_STUCK_LOW, {-1, 6, 3}, {1, 6, 3}}, /* any place will do for a line */
    {PB_FAULT_STUCK_LOW, {-1, 7, 3}, {1, 7, 3}},
    {PB_FAULT_LATE_EDGE, {-1, -1, -1}, {1, -1, -1}},
    {PB_FAULT_LATE_EDGE, {3, 5, -1}, {3, 5, -1}},
};

TEST(test_aim)
{
    struct pb_scenario *s = parse_scenario("nodes: [{address: 0x2A3}]\ntraffic:\n"
                                           "  - {pattern: complement, superframe: 1}\n"
                                           "  - {pattern: complement, superframe: 3}\n");
    for (size_t i = 0; i < COUNT(aims); i++) {
        struct pb_fault_slot aim = aims[i].open;
        struct pb_diag diag = {""};
        const int code = pb_fault_slot_choose(&aim, s, 0, aims[i].kind, &diag);
        if (aims[i].found.superframe < 0) {
            assert_int_equal(code, PB_ERR_CONFIG);
            assert_non_null(strstr(diag.text, "needs a slot in which"));
            continue;
        }
        assert_int_equal(code, PB_OK);
        if (aim.superframe != aims[i].found.superframe || aim.phase != aims[i].found.phase ||
            aim.dimension != aims[i].found.dimension)
            fail_msg("case %zu: superframe %lld, phase %d, dimension %d", i, (long long)aim.superframe,
                     aim.phase, aim.dimension);
    }
}
