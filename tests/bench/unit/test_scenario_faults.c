/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of faults in a scenario: defaults, every key, order, and every error with its line; the outside
 * clock, the drive of the links, the time of recovery. */
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "tests/bench/unit/run_fixture.h"

#include <string.h>

/* Lines 1 to 3; a fault that follows in one line is in line 4. */
#define BASE "superframes: 8\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n"
#define LONE "superframes: 8\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"
/* 0x2A2 is its neighbour on dimension 0. */
#define TWO "superframes: 8\nnodes: [{address: 0x2A3}, {address: 0x2A2}]\ntraffic: [{pattern: complement}]\n"
#define FAULT(text) "faults: [{" text "}]\n"

#define US INT64_C(1000000)

/* ---- the list of kinds */

TEST(test_kinds)
{
    unsigned count;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    assert_int_equal(count, 24);
    for (unsigned i = 0; i < count; i++) {
        assert_ptr_equal(pb_fault_info(info[i].kind), &info[i]);
        assert_ptr_equal(pb_fault_by_id(info[i].id), &info[i]);
        assert_true(*info[i].text);
        assert_in_range(info[i].finding, 0, PB_FINDING_KINDS - 1);
    }
    assert_null(pb_fault_info(15)); /* the gap between fault units and slot player */
    /* A receipt has 5 bits for the kind; the core knows those beyond as a slot frame with other bytes. */
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pb_fault_core_kind(info[i].kind),
                         info[i].kind < 32 ? info[i].kind : PB_FAULT_WRONG_BYTES);
    assert_null(pb_fault_by_id("stuck"));
}

/* ---- what an entry means */

/* At 10 kHz and 1 Mbaud: a phase of 100 us, 5 us of head guard, frames of 9 bytes, 90 us. 0x2A3 listens on
 * dimension 3 in phase 7 and sends there in phase 6. */
static const struct meaning {
    const char *entry;
    struct pb_fault fault; /* without number and seed */
} meanings[] = {
    /* defaults */
    {"kind: stuck_low, node: 0x2A3, dimension: 3, superframe: 2",
     {PB_FAULT_STUCK_LOW, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US}},
    {"kind: open, node: 0x2A3, phase: 7, superframe: 2",
     {PB_FAULT_OPEN, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000, .length_ps = 100 * US}},
    {"kind: short, node: 0x2A3, dimension: 3, superframe: 2",
     {PB_FAULT_SHORT, .dimension = 3, .other_dimension = 4, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US}},
    {"kind: short, node: 0x2A3, dimension: 11, superframe: 2",
     {PB_FAULT_SHORT, .dimension = 11, .other_dimension = 0, .superframe = 2, .phase = 23, .at_ps = 2500000,
      .length_ps = 100 * US}},
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2",
     {PB_FAULT_SLOW_RISE, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US, .amount_ps = 250000}},
    {"kind: glitch, node: 0x2A3, dimension: 3, superframe: 2",
     {PB_FAULT_GLITCH, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000, .length_ps = 250000}},
    {"kind: second_driver, node: 0x2A3, dimension: 3, superframe: 2",
     {PB_FAULT_SECOND_DRIVER, .dimension = 3, .superframe = 2, .phase = 6, .at_ps = 15 * US,
      .length_ps = 80 * US, .amount_ps = US}},
    {"kind: late_edge, superframe: 2",
     {PB_FAULT_LATE_EDGE, .superframe = 2, .phase = 12, .amount_ps = 2 * US}},
    {"kind: early_edge, superframe: 2",
     {PB_FAULT_EARLY_EDGE, .superframe = 2, .phase = 12, .amount_ps = 2 * US}},
    {"kind: missing_edge, superframe: 2", {PB_FAULT_MISSING_EDGE, .superframe = 2, .phase = 12}},
    {"kind: extra_edge, superframe: 2", {PB_FAULT_EXTRA_EDGE, .superframe = 2, .phase = 12}},
    {"kind: missing_sync, superframe: 2", {PB_FAULT_MISSING_SYNC, .superframe = 2, .phase = 0}},
    {"kind: extra_sync, superframe: 2", {PB_FAULT_EXTRA_SYNC, .superframe = 2, .phase = 12}},
    {"kind: jitter, superframe: 2", {PB_FAULT_JITTER, .superframe = 2, .phase = 0, .amount_ps = US}},
    {"kind: drift, superframe: 2", {PB_FAULT_DRIFT, .superframe = 2, .phase = 0, .ppm = 1000}},
    {"kind: wrong_bytes, node: 0x2A3, dimension: 3, superframe: 0",
     {PB_FAULT_WRONG_BYTES, .dimension = 3, .phase = 7}},
    {"kind: framing, node: 0x2A3, phase: 7, superframe: 0",
     {PB_FAULT_FRAMING, .dimension = 3, .phase = 7, .bytes = 9}},
    {"kind: baud, node: 0x2A3, dimension: 3, superframe: 0",
     {PB_FAULT_BAUD, .dimension = 3, .phase = 7, .ppm = 40000}},
    {"kind: early_start, node: 0x2A3, dimension: 3, superframe: 0",
     {PB_FAULT_EARLY_START, .dimension = 3, .phase = 7, .amount_ps = 2500000}},
    /* between the 1 us that a node may be late and the 5 us that are left after the frame */
    {"kind: late_start, node: 0x2A3, dimension: 3, superframe: 0",
     {PB_FAULT_LATE_START, .dimension = 3, .phase = 7, .amount_ps = 3 * US}},
    {"kind: babble, node: 0x2A3, dimension: 3, superframe: 5",
     {PB_FAULT_BABBLE, .dimension = 3, .superframe = 5, .phase = 7, .at_ps = 5 * US, .bytes = 9}},
    {"kind: short_frame, node: 0x2A3, dimension: 3, superframe: 0",
     {PB_FAULT_SHORT_FRAME, .dimension = 3, .phase = 7, .bytes = 1}},
    {"kind: short_frame, node: 0x2A3, dimension: 3, superframe: 0, bytes: 6", /* all of the payload */
     {PB_FAULT_SHORT_FRAME, .dimension = 3, .phase = 7, .bytes = 6}},
    /* every key */
    {"kind: stuck_low, node: 0x2A3, dimension: 3, superframe: 2, phase: 4, at: 10 us, length: 20 us",
     {PB_FAULT_STUCK_LOW, .dimension = 3, .superframe = 2, .phase = 4, .at_ps = 10 * US,
      .length_ps = 20 * US}},
    {"kind: short, node: 0x2A3, dimension: 3, superframe: 2, other: {node: 0x2A3, dimension: 9}",
     {PB_FAULT_SHORT, .dimension = 3, .other_dimension = 9, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US}},
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2, amount: 2 us",
     {PB_FAULT_SLOW_RISE, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US, .amount_ps = 2 * US}},
    /* ln 2 of 1 us, and of 10 us */
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2, time_constant: 1 us",
     {PB_FAULT_SLOW_RISE, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US, .amount_ps = 693147}},
    {"kind: slow_rise, node: 0x2A3, dimension: 3, superframe: 2, time_constant: 10 us",
     {PB_FAULT_SLOW_RISE, .dimension = 3, .superframe = 2, .phase = 7, .at_ps = 2500000,
      .length_ps = 100 * US, .amount_ps = 6931470}},
    {"kind: glitch, node: 0x2A3, dimension: 3, superframe: 2, at: 0 us, length: 999.999 ns",
     {PB_FAULT_GLITCH, .dimension = 3, .superframe = 2, .phase = 7, .length_ps = 999999}},
    {"kind: second_driver, node: 0x2A3, dimension: 3, superframe: 2, amount: 1.5 us",
     {PB_FAULT_SECOND_DRIVER, .dimension = 3, .superframe = 2, .phase = 6, .at_ps = 15 * US,
      .length_ps = 80 * US, .amount_ps = 1500000}},
    {"kind: early_edge, superframe: 1, phase: 0, amount: 49.9 us",
     {PB_FAULT_EARLY_EDGE, .superframe = 1, .phase = 0, .amount_ps = 49900000}},
    {"kind: extra_sync, superframe: 2, phase: 23", {PB_FAULT_EXTRA_SYNC, .superframe = 2, .phase = 23}},
    {"kind: jitter, superframe: 2, phase: 5, length: 1 ms, amount: 50 ns, shape: gaussian, seed: auto",
     {PB_FAULT_JITTER, .superframe = 2, .phase = 5, .length_ps = 1000 * US, .amount_ps = 50000,
      .shape = PB_JITTER_GAUSSIAN}},
    {"kind: drift, superframe: 2, length: 2 ms, ppm: -20",
     {PB_FAULT_DRIFT, .superframe = 2, .length_ps = 2000 * US, .ppm = -20}},
    {"kind: drift, superframe: 2, ppm: 20000 ppm", {PB_FAULT_DRIFT, .superframe = 2, .ppm = 20000}},
    {"kind: baud, node: 0x2A3, dimension: 3, superframe: 0, ppm: -50 ppm",
     {PB_FAULT_BAUD, .dimension = 3, .phase = 7, .ppm = -50}},
    {"kind: early_start, node: 0x2A3, dimension: 3, superframe: 0, amount: 5 us",
     {PB_FAULT_EARLY_START, .dimension = 3, .phase = 7, .amount_ps = 5 * US}},
    {"kind: late_start, node: 0x2A3, dimension: 3, superframe: 0, amount: 5 us",
     {PB_FAULT_LATE_START, .dimension = 3, .phase = 7, .amount_ps = 5 * US}},
    {"kind: babble, node: 0x2A3, dimension: 3, superframe: 5, phase: 0, at: 70 us, bytes: 2",
     {PB_FAULT_BABBLE, .dimension = 3, .superframe = 5, .phase = 0, .at_ps = 70 * US, .bytes = 2}},
};

static void assert_fault(const struct pb_fault *seen, const struct pb_fault *expected, const char *entry)
{
    struct pb_fault fault = *seen;
    assert_true(fault.kind == PB_FAULT_JITTER ? fault.seed >= 1 && fault.seed <= 65535 : fault.seed == 0);
    fault.seed = expected->seed;
    if (fault.kind != expected->kind || fault.node_index != expected->node_index ||
        fault.dimension != expected->dimension || fault.other_node != expected->other_node ||
        fault.other_dimension != expected->other_dimension || fault.superframe != expected->superframe ||
        fault.phase != expected->phase || fault.at_ps != expected->at_ps ||
        fault.length_ps != expected->length_ps || fault.amount_ps != expected->amount_ps ||
        fault.ppm != expected->ppm || fault.shape != expected->shape || fault.bytes != expected->bytes)
        fail_msg(
            "%s: dimension %u, other %u, superframe %u, phase %u, at %lld, length %lld, amount %lld, ppm "
            "%d, bytes %u",
            entry, fault.dimension, fault.other_dimension, fault.superframe, fault.phase,
            (long long)fault.at_ps, (long long)fault.length_ps, (long long)fault.amount_ps, fault.ppm,
            fault.bytes);
}

TEST(test_meanings)
{
    for (size_t i = 0; i < COUNT(meanings); i++) {
        struct pb_scenario *s = parse_scenario(formatted(BASE "faults: [{%s}]\n", meanings[i].entry));
        assert_int_equal(s->fault_count, 1);
        assert_int_equal(s->fault[0].number, 0);
        assert_fault(&s->fault[0], &meanings[i].fault, meanings[i].entry);
    }
}

/* What a frame has to be like before these faults can corrupt it. At 10 kHz and 1 Mbaud nine bytes fit
 * between guards of 10 us; at 100 Hz 999, of which 96 are kept. */
TEST(test_frames_that_suit)
{
    static const struct {
        const char *link, *entry;
        unsigned bytes;
    } cases[] = {
        {"link: {payload: 5 bytes}\n", "kind: long_frame", 1},
        {"link: {payload: 1 byte}\n", "kind: long_frame, bytes: 5", 5},
        {"link: {codec: starc, payload: 1 byte}\n", "kind: long_frame", 1},
        {"link: {phase_rate: 100 Hz, payload: 80 bytes}\n", "kind: long_frame, bytes: 13", 13},
        {"link: {codec: starc}\n", "kind: wrong_length", 0},
        {"link: {codec: starc}\n", "kind: outside_address", 0},
        {"link: {codec: starc}\n", "kind: short_frame, bytes: 2", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pb_scenario *s =
            parse_scenario(formatted("%s" BASE "faults: [{%s, node: 0x2A3, dimension: 3, superframe: 0}]\n",
                                     cases[i].link, cases[i].entry));
        assert_int_equal(s->fault[0].bytes, cases[i].bytes);
        assert_true(pb_fault_suits(s, s->fault[0].kind));
    }
    struct pb_scenario *s =
        parse_scenario("cube: {dims: 11}\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n"
              "faults: [{kind: outside_address, node: 0x2A3, dimension: 3, superframe: 0}]\n");
    assert_int_equal(s->fault[0].kind, PB_FAULT_OUTSIDE_ADDRESS);
    assert_false(pb_fault_suits(s, PB_FAULT_WRONG_LENGTH));
    assert_false(pb_fault_suits(s, PB_FAULT_LONG_FRAME));
}

TEST(test_no_faults)
{
    assert_int_equal(parse_scenario(BASE "faults: []\n")->fault_count, 0);
}

/* By superframe and phase, then as in the file; repeated ones among them. */
TEST(test_order)
{
    struct pb_scenario *s = parse_scenario(BASE "faults:\n"
                                       "  - {kind: late_edge, superframe: 3, phase: 5, repeat: 2}\n"
                                       "  - {kind: jitter, superframe: 1, phase: 9, seed: 77}\n"
                                       "  - {kind: framing, node: 0x2A3, superframe: 0, phase: 7}\n"
                                       "  - {kind: missing_edge, superframe: 4, phase: 5}\n"
                                       "  - {kind: extra_edge, superframe: 4, phase: 4}\n");
    static const unsigned kinds[] = {PB_FAULT_FRAMING,    PB_FAULT_JITTER,    PB_FAULT_LATE_EDGE,
                                     PB_FAULT_EXTRA_EDGE, PB_FAULT_LATE_EDGE, PB_FAULT_MISSING_EDGE};
    assert_int_equal(s->fault_count, COUNT(kinds));
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        assert_int_equal(s->fault[i].kind, kinds[i]);
        assert_int_equal(s->fault[i].number, i);
    }
    assert_int_equal(s->fault[1].seed, 77);
    assert_int_equal(s->fault[2].superframe, 3);
    assert_int_equal(s->fault[4].superframe, 4);
}

TEST(test_seed_follows_the_scenario)
{
    struct pb_scenario *one = parse_scenario("seed: 1\n" BASE FAULT("kind: jitter, superframe: 0")),
                       *again =
                           parse_scenario("seed: 1\n" BASE FAULT("kind: jitter, superframe: 0, seed: auto")),
                       *two = parse_scenario("seed: 2\n" BASE FAULT("kind: jitter, superframe: 0"));
    assert_int_equal(one->fault[0].seed, again->fault[0].seed);
    assert_int_not_equal(one->fault[0].seed, two->fault[0].seed);
}

TEST(test_second_node_and_other_line)
{
    struct pb_scenario *s = parse_scenario(
        TWO FAULT("kind: short, node: 0x2A2, dimension: 5, superframe: 1, other: {node: 0x2A3}"));
    assert_int_equal(s->fault[0].node_index, 1);
    assert_int_equal(s->fault[0].phase, 10); /* bit 5 of 0x2A2 is 1: it sends in 11 */
    assert_int_equal(s->fault[0].other_node, 0);
    assert_int_equal(s->fault[0].other_dimension, 5);
}

TEST(test_clock_drive_recovery)
{
    struct pb_scenario *s = parse_scenario(BASE);
    assert_false(s->follow);
    assert_false(s->push_pull);
    assert_int_equal(s->limits.recovery_superframes, 0);
    assert_int_equal(s->controller.clock_error_ppm, 0);
    assert_int_equal(s->controller.jitter_ps, 0);
    assert_int_equal(s->controller.sync_skew_ps, 0);

    s = parse_scenario("clock: {source: external, error: -20 ppm, jitter: 50 ns, sync_skew: -25 us}\nlink: "
                       "{drive: push_pull}\n"
                       "limits: {recovery: 3}\n" BASE);
    assert_true(s->follow);
    assert_true(s->push_pull);
    assert_int_equal(s->limits.recovery_superframes, 3);
    assert_int_equal(s->controller.clock_error_ppm, -20);
    assert_int_equal(s->controller.jitter_ps, 50000);
    assert_int_equal(s->controller.sync_skew_ps, -25000000);

    s = parse_scenario("clock: {source: bench}\nlink: {drive: open_drain}\nlimits: {recovery: 0}\n" BASE);
    assert_false(s->follow);
    assert_false(s->push_pull);
    assert_int_equal(s->limits.recovery_superframes, 0);
}

/* The command adds one to a scenario that is there. */
TEST(test_add)
{
    struct pb_scenario *s = parse_scenario(BASE FAULT("kind: late_edge, superframe: 3"));
    struct pb_diag diag = {""};
    const struct pb_fault_text glitch = {
        .kind = "glitch", .node = "0x2A3", .dimension = "3", .superframe = "1", .length = "500 ns"};
    assert_int_equal(pb_scenario_add_fault(s, &glitch, &diag), PB_OK);
    assert_int_equal(s->fault_count, 2);
    assert_int_equal(s->fault[0].kind, PB_FAULT_GLITCH);
    assert_int_equal(s->fault[0].number, 0);
    assert_int_equal(s->fault[0].length_ps, 500000);
    assert_int_equal(s->fault[1].number, 1);

    struct pb_fault_text bad = glitch;
    bad.time_constant = "1 us";
    assert_int_equal(pb_scenario_add_fault(s, &bad, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text, "fault: --time-constant: means nothing to 'glitch'. "
                                   "It takes --node, --dimension, --superframe, --phase, "
                                   "--at, --length, --repeat");
    /* The second of the repeated ones is the one that is there: none of them stays. */
    bad = glitch;
    bad.superframe = "0";
    bad.repeat = "2";
    assert_int_equal(pb_scenario_add_fault(s, &bad, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "fault: --kind: in superframe 1, phase 7 there is a 'glitch'"));
    assert_int_equal(s->fault_count, 2);
    assert_int_equal(s->fault[0].superframe, 1);
}

/* ---- errors */

static const struct refusal {
    const char *text;
    unsigned line;
    const char *place, *cause, *remedy;
} refusals[] = {
    /* structure, kind, keys */
    {BASE "faults:\n  - {kind: open, nod: 1}\n", 5, "unknown key 'nod' in faults[0]", "did you mean 'node'?",
     "Known here: kind, node"},
    {BASE "faults:\n  - kind: short\n    other: {nodes: 1}\n", 6, "'nodes' in faults[0].other", "'node'",
     "dimension"},
    {BASE "faults: stuck_low\n", 4, "faults is a single value", "", "write a list"},
    {BASE "faults: [stuck_low]\n", 4, "faults[0] is a single value", "", "write a mapping"},
    {BASE FAULT("node: 0x2A3"), 4, "faults[0].kind", "is missing", "give one of stuck_low"},
    {BASE "faults:\n - superframe: 1\n   kind: stuck\n", 6, "faults[0].kind", "'stuck' is unknown",
     "mean 'stuck_low'? Known: stuck_low, open,"},
    {BASE "faults:\n - kind: stuck_low\n   ppm: 3\n", 6, "faults[0].ppm: means nothing to 'stuck_low'",
     "", "It takes node, dimension, superframe, phase, at, length, repeat"},
    {BASE FAULT("kind: jitter, superframe: 1, node: 0x2A3"), 4, "faults[0].node", "means nothing to 'jitter'",
     "It takes superframe, phase, length, amount, shape, seed, repeat"},
    {BASE FAULT("kind: missing_sync, superframe: 1, phase: 0"), 4, "faults[0].phase",
     "means nothing to 'missing_sync'", "It takes superframe, repeat"},
    {BASE FAULT("kind: open, other: {dimension: 3}"), 4, "faults[0].other", "means nothing to 'open'",
     "It takes node"},
    {BASE FAULT("kind: wrong_bytes, bytes: 3"), 4, "faults[0].bytes", "means nothing", "It takes node"},
    {BASE FAULT("kind: outside_address, bytes: 3"), 4, "faults[0].bytes", "means nothing", "It takes node"},
    /* frames that rule a kind out */
    {BASE FAULT("kind: long_frame, node: 0x2A3, dimension: 3, superframe: 0"), 4, "faults[0].kind",
     "a frame of 9 bytes leaves no room for one more before the tail guard, 9 fit",
     "lower link.payload by 1"},
    {"link: {payload: 4 bytes}\n" BASE FAULT(
         "kind: long_frame, node: 0x2A3, dimension: 3, superframe: 0, bytes: 3"),
     5, "faults[0].bytes", "3 is out of range", "give 1 to 2"},
    {"link: {phase_rate: 100 Hz, payload: 80 bytes}\n" BASE FAULT(
         "kind: long_frame, node: 0x2A3, dimension: 3, superframe: 0, bytes: 14"),
     5, "faults[0].bytes", "14 is out of range", "give 1 to 13"},
    {BASE FAULT("kind: wrong_length, node: 0x2A3, dimension: 3, superframe: 0"), 4, "faults[0].kind",
     "codec slot has no length field", "give link.codec starc, or kind short_frame"},
    {BASE FAULT("kind: outside_address, node: 0x2A3, dimension: 3, superframe: 0"), 4, "faults[0].kind",
     "no address outside a network of 4096 nodes",
     "give a network of 2048 nodes or less, or link.codec starc"},
    {BASE FAULT("kind: short_frame, node: 0x2A3, dimension: 3, superframe: 0, bytes: 7"), 4,
     "faults[0].bytes", "7 is out of range", "give 1 to 6"},
    {BASE FAULT("kind: short_frame, node: 0x2A3, dimension: 3, superframe: 0, bytes: 0"), 4,
     "faults[0].bytes", "0 is out of range", "give 1 to 6"},
    /* place */
    {BASE FAULT("kind: open, node: 0x2A3, dimension: 3"), 4, "faults[0].superframe", "is missing",
     "give 0 to 7"},
    {BASE FAULT("kind: open, superframe: 1, dimension: 3"), 4, "faults[0].node", "is missing",
     "for example 0x2A3"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3"), 4, "faults[0].dimension", "is missing",
     "give 0 to 11, or the phase"},
    {BASE FAULT("kind: open, superframe: 8, node: 0x2A3, dimension: 3"), 4, "faults[0].superframe",
     "8 is out of range", "give 0 to 7"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A2, dimension: 3"), 4, "faults[0].node",
     "0x2A2 is not on the bench", "give one of 0x2A3"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x1000, dimension: 3"), 4, "faults[0].node", "'0x1000'",
     "0x0 to 0xFFF"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3, dimension: 12"), 4, "faults[0].dimension",
     "12 is out of range", "give 0 to 11"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3, phase: 24"), 4, "faults[0].phase",
     "24 is out of range", "give 0 to 23"},
    {BASE FAULT("kind: framing, superframe: 1, node: 0x2A3, dimension: 3, phase: 6"), 4, "faults[0].phase",
     "sends to 0x2A3 on dimension 3 in phase 7, not in 6", "remove the key"},
    {TWO FAULT("kind: framing, superframe: 1, node: 0x2A3, dimension: 0"), 4, "faults[0].dimension",
     "leads to 0x2A2, which is on the bench itself", "give another"},
    {TWO FAULT("kind: babble, superframe: 1, node: 0x2A2, phase: 1"), 4, "faults[0].phase",
     "leads to 0x2A3, which is on the bench itself", "give another"},
    {BASE FAULT("kind: extra_sync, superframe: 1, phase: 0"), 4, "faults[0].phase", "high in phase 0",
     "give 1 to 23"},
    {BASE FAULT("kind: early_edge, superframe: 0, phase: 0"), 4, "faults[0].phase", "no phase before it",
     "give a later one"},
    {"clock: {source: external}\n" BASE FAULT("kind: drift, superframe: 0"), 5, "faults[0].kind",
     "'drift' corrupts the bench's own clock", "set clock.source bench"},
    /* times and amounts */
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3, dimension: 3, at: 100 us"), 4, "faults[0].at",
     "'100 us' is out of range", "0 ps to 99.999999 us"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3, dimension: 3, at: 3"), 4, "faults[0].at",
     "'3' has no unit", "10 us"},
    {BASE FAULT("kind: open, superframe: 1, node: 0x2A3, dimension: 3, length: 0 us"), 4, "faults[0].length",
     "'0 us' is out of range", "1 ps to 19.2 ms"},
    {BASE FAULT("kind: open, superframe: 7, node: 0x2A3, phase: 23, at: 50 us, length: 51 us"), 4,
     "faults[0].length", "ends 1 us after the run", "give more superframes"},
    {BASE FAULT("kind: open, superframe: 7, node: 0x2A3, phase: 23"), 4, "faults[0].length",
     "ends 2.5 us after the run", "shorten it"},
    {BASE FAULT("kind: stuck_low, superframe: 6, node: 0x2A3, phase: 23, repeat: 2, length: 98 us"), 4,
     "faults[0].length", "ends 500 ns after the run", "shorten it"},
    {BASE FAULT("kind: glitch, superframe: 1, node: 0x2A3, phase: 7, length: 1 us"), 4, "faults[0].length",
     "'1 us' is out of range", "1 ps to 999.999 ns"},
    {BASE FAULT("kind: slow_rise, superframe: 1, node: 0x2A3, phase: 7, amount: 1 us, time_constant: 1 us"),
     4, "faults[0].time_constant", "the same as amount", "remove one"},
    {BASE FAULT("kind: slow_rise, superframe: 1, node: 0x2A3, phase: 7, amount: 101 us"), 4,
     "faults[0].amount", "'101 us' is out of range", "1 ps to 100 us"},
    {BASE FAULT("kind: short, superframe: 1, node: 0x2A3, dimension: 3, other: {dimension: 3}"), 4,
     "faults[0].other", "is the same line", "a short needs two"},
    {TWO FAULT("kind: short, superframe: 1, node: 0x2A3, dimension: 0, other: {node: 0x2A2}"), 4,
     "faults[0].other", "is joined with that line", "give another"},
    {BASE FAULT("kind: short, superframe: 1, node: 0x2A3, dimension: 3, other: {node: 5}"), 4,
     "faults[0].other.node", "0x5 is not on the bench", "give one of 0x2A3"},
    {BASE FAULT("kind: late_edge, superframe: 1, amount: 50 us"), 4, "faults[0].amount",
     "'50 us' is out of range", "1 ps to 49.999999 us"},
    {BASE FAULT("kind: jitter, superframe: 1, amount: 26 us"), 4, "faults[0].amount",
     "'26 us' is out of range", "1 ps to 25 us"},
    {BASE FAULT("kind: jitter, superframe: 1, shape: round"), 4, "faults[0].shape", "'round' is unknown",
     "uniform, gaussian"},
    {BASE FAULT("kind: jitter, superframe: 1, seed: 0"), 4, "faults[0].seed", "0 is out of range",
     "1 to 65535"},
    {BASE FAULT("kind: jitter, superframe: 1, repeat: 2"), 4, "faults[0].repeat", "to the end of the run",
     "give one"},
    {BASE FAULT("kind: drift, superframe: 1, ppm: 0"), 4, "faults[0].ppm", "0 ppm is no fault",
     "-20000 to 20000 ppm"},
    {BASE FAULT("kind: drift, superframe: 1, ppm: 20001"), 4, "faults[0].ppm", "out of range",
     "-20000 ppm to 20000 ppm"},
    {BASE FAULT("kind: drift, superframe: 1, ppm: fast"), 4, "faults[0].ppm", "'fast'", "ppm"},
    {BASE FAULT("kind: drift, superframe: 1, length: 20 ms"), 4, "faults[0].length", "'20 ms'", "19.2 ms"},
    /* 90 us of frame in the 95 us after the head guard: 52631.6 ppm slower */
    {BASE FAULT("kind: baud, superframe: 1, node: 0x2A3, phase: 7, ppm: -52632"), 4, "faults[0].ppm",
     "out of range", "-52631 ppm to 100000 ppm"},
    {BASE FAULT("kind: early_start, superframe: 1, node: 0x2A3, phase: 7, amount: 5001 ns"), 4,
     "faults[0].amount", "'5001 ns' is out of range", "1 ps to 5 us"},
    /* A node that listens to no other needs no head guard. */
    {"link: {guard: 0 us}\n" LONE FAULT("kind: early_start, superframe: 1, node: 0x2A3, phase: 7"), 5,
     "faults[0].kind", "without a head guard", "link.head_guard"},
    {BASE FAULT("kind: late_start, superframe: 1, node: 0x2A3, phase: 7, amount: 5001 ns"), 4,
     "faults[0].amount", "'5001 ns' is out of range", "1 ps to 5 us"},
    {"link: {head_guard: 10 us}\n" BASE FAULT("kind: late_start, superframe: 1, node: 0x2A3, phase: 7"), 5,
     "faults[0].kind", "fills the phase to its end", "link.payload"},
    {BASE FAULT("kind: babble, superframe: 1, node: 0x2A3, phase: 7, bytes: 10"), 4, "faults[0].bytes",
     "10 is out of range", "1 to 9"},
    {BASE FAULT("kind: babble, superframe: 1, node: 0x2A3, phase: 7, at: 91 us"), 4, "faults[0].at",
     "no byte fits between 91 us", "an earlier time"},
    /* the list */
    {BASE FAULT("kind: late_edge, superframe: 1, repeat: 8"), 4, "faults[0].repeat", "8 is out of range",
     "1 to 7"},
    {BASE "faults:\n  - {kind: late_edge, superframe: 1}\n  - {kind: late_edge, superframe: 0, repeat: 3}\n",
     6, "faults[1].kind", "in superframe 1, phase 12 there is a 'late_edge'", "remove one"},
    {BASE "faults:\n  - {kind: baud, superframe: 0, node: 0x2A3, phase: 7}\n"
          "  - {kind: framing, superframe: 0, node: 0x2A3, phase: 7}\n",
     6, "faults[1].kind", "there is a 'baud' at the same place", "remove one"},
    {"superframes: 1001\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 2}]\n" FAULT(
         "kind: late_edge, superframe: 0, repeat: 1001"),
     4, "faults[0].repeat", "more than 1000 faults", "lower repeat"},
    /* clock, drive, recovery */
    {"clock: {source: extern}\n" BASE, 1, "clock.source", "'extern' is unknown", "mean 'external'?"},
    {"clock:\n  error: 20 ppm\n" BASE, 2, "clock.error", "is a key of an external clock",
     "set clock.source external"},
    {"clock: {source: bench, jitter: 1 ns}\n" BASE, 1, "clock.jitter", "is a key of an external clock",
     "remove the key"},
    {"clock: {source: external, error: 10001 ppm}\n" BASE, 1, "clock.error", "out of range", "10000 ppm"},
    {"clock: {source: external, jitter: 13 us}\n" BASE, 1, "clock.jitter", "'13 us'", "0 ps to 12.5 us"},
    {"clock: {source: external, sync_skew: 25.1 us}\n" BASE, 1, "clock.sync_skew", "'25.1 us'",
     "-25 us to 25 us"},
    {"clock: {sync_skew: 1 ns}\n" BASE, 1, "clock.sync_skew", "is a key of an external clock",
     "remove the key"},
    {"clock: {sorce: external}\n" BASE, 1, "unknown key 'sorce' in clock", "'source'",
     "error, jitter, sync_skew"},
    {"link: {drive: both}\n" BASE, 1, "link.drive", "'both' is unknown", "open_drain, push_pull"},
    {"limits: {recovery: -1}\n" BASE, 1, "limits.recovery", "'-1'", "0 to 100000"},
};

TEST(test_refusals)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        if (pb_scenario_parse(&scenario, "t.yaml", refusal->text, strlen(refusal->text), &diag) !=
            PB_ERR_CONFIG)
            fail_msg("'%s' for\n%s", diag.text, refusal->text);
        assert_null(scenario);
        const char *start = formatted("t.yaml:%u: ", refusal->line);
        if (strncmp(diag.text, start, strlen(start)) != 0 || !strstr(diag.text, refusal->place) ||
            !strstr(diag.text, refusal->cause) || !strstr(diag.text, refusal->remedy))
            fail_msg("'%s' is not '%s%s ... %s ... %s'", diag.text, start, refusal->place, refusal->cause,
                     refusal->remedy);
        assert_null(strchr(diag.text, '\n'));
    }
}

/* Exactly as many as allowed. */
TEST(test_as_many_as_allowed)
{
    struct pb_scenario *s =
        parse_scenario("superframes: 1001\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 2}]\n" FAULT(
            "kind: late_edge, superframe: 0, repeat: 1000"));
    assert_int_equal(s->fault_count, 1000);
    assert_int_equal(s->fault[999].superframe, 999);
    assert_int_equal(s->fault[999].number, 999);
}
