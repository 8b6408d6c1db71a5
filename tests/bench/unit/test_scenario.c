/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a scenario file means: defaults, every key, and every error with its line. */
#include "phasebench/scenario.h"
#include "tests/bench/unit/run_fixture.h"

#include <string.h>

/* Line 1 is the node, line 2 the message. */
#define NODE "nodes: [{address: 0x2A3}]\n"
#define MESSAGE "traffic: [{from: 0x2A3, to: 0x91C}]\n"
#define MESSAGE_TO_1 "traffic:\n  - {from: 0, to: 1}\n"
#define MESSAGE_FROM_1 "traffic:\n  - {from: 1, to: 0}\n"
#define MINIMAL NODE MESSAGE

static struct pb_scenario *parse(const char *text)
{
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag = {""};
    int code = pb_scenario_parse(&scenario, "dir/t.yaml", text, strlen(text), &diag);
    if (code != PB_OK)
        fail_msg("%s\n%s", diag.text, text);
    return hand_over_scenario(scenario);
}

TEST(test_defaults)
{
    struct pb_scenario *s = parse(MINIMAL);
    assert_string_equal(s->name, "t");
    assert_string_equal(s->description, "");
    assert_string_equal(s->path, "dir/t.yaml");
    assert_int_equal(s->network.dims, 12);
    assert_int_equal(s->rule, PB_RULE_ECUBE);
    assert_int_equal(s->codec, PB_CODEC_SLOT);
    assert_int_equal(s->phase_rate_mhz, 10000000);
    assert_int_equal(s->baud_hz, 1000000);
    assert_int_equal(s->console_baud_hz, 460800);
    assert_int_equal(s->guard_ps, 10000000);
    assert_int_equal(s->head_guard_ps, 5000000);
    assert_int_equal(s->payload_bytes, 6);
    assert_int_equal(s->frame_bytes, 9);
    assert_int_equal(s->superframes, 2); /* one for the lone message, one more */
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->node_count, 1);
    assert_int_equal(s->node[0].address, 0x2A3);
    assert_string_equal(s->node[0].kind, "native");
    assert_string_equal(s->node[0].defect, "none");
    assert_int_equal(s->node[0].defect_amount_ps, 0);
    assert_int_equal(s->node[0].clock_error_ppm, 0);
    assert_int_equal(s->node[0].irq_latency_ps, 1500000);
    assert_int_equal(s->node[0].irq_jitter_ps, 500000);
    assert_int_equal(s->traffic.count, 1);
    assert_int_equal(s->traffic.message[0].source, 0x2A3);
    assert_int_equal(s->traffic.message[0].destination, 0x91C);
    assert_int_equal(s->traffic.message[0].release_superframe, 0);
    assert_int_equal(s->traffic.message[0].release_phase, 0);
    assert_int_equal(s->limits.start_early_ps, 100000);
    assert_int_equal(s->limits.start_late_ps, 1000000); /* the stop bit of a frame that fills its slot */
    assert_int_equal(s->limits.boot_ps, 1000000000);
    assert_int_equal(s->limits.max_superframes, 0);
    assert_int_equal(s->limits.max_occupancy, 0);
    pb_scenario_free(NULL);
}

/* The defects of a contract node, and when they show. */
TEST(test_contract_defects)
{
    struct pb_scenario *s = parse(
        "cube: {dims: 3}\nnodes:\n"
        "  - {address: 0, kind: contract}\n"
        "  - {address: 1, kind: contract, defect: tail_pulse, defect_from: 7, defect_every: 3}\n"
        "  - {address: 2, kind: contract, defect: late_edge, defect_amount: 200 ns, defect_every: once}\n"
        "  - {address: 3, kind: contract, defect: boot_pull, defect_amount: 1 s, irq_latency: 3 us}\n"
        "traffic: [{from: 0, to: 1}]\n");
    static const struct {
        const char *defect;
        int64_t amount_ps, latency_ps;
        uint32_t from, every;
    } expected[] = {
        {"none", 0, 1500000, 0, 1},
        {"tail_pulse", 0, 1500000, 7, 3},
        {"late_edge", 200000, 1500000, 0, UINT32_MAX},
        {"boot_pull", INT64_C(1000000000000), 3000000, 0, 1},
    };
    assert_int_equal(s->node_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(s->node[i].kind, "contract");
        assert_string_equal(s->node[i].defect, expected[i].defect);
        assert_int_equal(s->node[i].defect_amount_ps, expected[i].amount_ps);
        assert_int_equal(s->node[i].irq_latency_ps, expected[i].latency_ps);
        assert_int_equal(s->node[i].defect_from, expected[i].from);
        assert_int_equal(s->node[i].defect_every, expected[i].every);
    }
}

TEST(test_every_key)
{
    struct pb_scenario *s = parse("name: all keys\n"
                                  "description: 'one: two'\n"
                                  "cube: {dims: 4, rule: opportunistic}\n"
                                  "link:\n"
                                  "  phase_rate: 0.5kHz\n"
                                  "  baud: 115.2 kbaud\n"
                                  "  guard: 20 us\n"
                                  "  head_guard: 0.0125 ms\n"
                                  "  codec: starc\n"
                                  "  payload: 3 bytes\n"
                                  "  console_baud: 9600 baud\n"
                                  "superframes: 0x20\n"
                                  "seed: 18446744073709551615\n"
                                  "nodes:\n"
                                  "  - address: 15\n"
                                  "    kind: native\n"
                                  "    clock_error: -120 ppm\n"
                                  "    irq_latency: 2500 ns\n"
                                  "    irq_jitter: 1 ps\n"
                                  "    defect: late_start\n"
                                  "    defect_amount: 7.25 us\n"
                                  "  - {address: 0x0, defect: wrong_order}\n"
                                  "traffic:\n"
                                  "  - {from: 1, to: 0xE, superframe: 2, phase: 7, repeat: 3}\n"
                                  "limits:\n"
                                  "  start_early: 1\302\265s\n"
                                  "  start_late: 2 \316\274s\n"
                                  "  boot: 70.5 ms\n"
                                  "  max_superframes: 3\n"
                                  "  max_occupancy: 17\n");
    assert_string_equal(s->name, "all keys");
    assert_string_equal(s->description, "one: two");
    assert_int_equal(s->network.dims, 4);
    assert_int_equal(s->rule, PB_RULE_OPPORTUNISTIC);
    assert_int_equal(s->codec, PB_CODEC_STARC);
    assert_int_equal(s->phase_rate_mhz, 500000);
    assert_int_equal(s->baud_hz, 115200);
    assert_int_equal(s->guard_ps, 20000000);
    assert_int_equal(s->head_guard_ps, 12500000);
    assert_int_equal(s->payload_bytes, 3);
    assert_int_equal(s->frame_bytes, 10); /* 0xAA, header, length, 2 of destination, 3, 2 of CRC */
    assert_int_equal(s->console_baud_hz, 9600);
    assert_int_equal(s->superframes, 32);
    assert_true(s->seed == UINT64_MAX);
    assert_int_equal(s->node_count, 2);
    assert_int_equal(s->node[0].address, 15);
    assert_int_equal(s->node[0].clock_error_ppm, -120);
    assert_int_equal(s->node[0].irq_latency_ps, 2500000);
    assert_int_equal(s->node[0].irq_jitter_ps, 1);
    assert_string_equal(s->node[0].defect, "late_start");
    assert_int_equal(s->node[0].defect_amount_ps, 7250000);
    assert_string_equal(s->node[1].defect, "wrong_order");
    assert_int_equal(s->traffic.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(s->traffic.message[i].release_superframe, 2 + i);
        assert_int_equal(s->traffic.message[i].release_phase, 7);
    }
    assert_int_equal(s->limits.start_early_ps, 1000000);
    assert_int_equal(s->limits.start_late_ps, 2000000);
    assert_int_equal(s->limits.boot_ps, 70500000000);
    assert_int_equal(pb_scenario_boot_ms(s), 71);
    assert_int_equal(s->limits.max_superframes, 3);
    assert_int_equal(s->limits.max_occupancy, 17);
}

/* Figures worked out by hand from bytes = floor((1/f - guard) * baud / 10). */
TEST(test_frame_sizes)
{
    static const struct {
        const char *link;
        unsigned payload, frame;
        int64_t start_late_ps;
    } cases[] = {
        {"guard: 0 us", 7, 10, 1000000},
        {"guard: 20 us", 5, 8, 1000000},
        {"payload: 1 byte", 1, 4, 51000000},      /* 90 - 39 us */
        {"phase_rate: 1 kHz", 80, 83, 161000000}, /* 99 bytes fit, 80 is the most; 990 - 829 us */
        {"phase_rate: 1 kHz, codec: starc", 78, 85, 141000000},
        {"codec: starc", 2, 9, 1000000},
        {"phase_rate: 500 Hz, baud: 115.2 kbaud, guard: 20 us, codec: starc, payload: 3 bytes", 3, 10,
         1120625000}, /* 2000 - 20 us - 99 / 115200 s */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pb_scenario *s = parse(formatted(MINIMAL "link: {%s}\n", cases[i].link));
        assert_int_equal(s->payload_bytes, cases[i].payload);
        assert_int_equal(s->frame_bytes, cases[i].frame);
        assert_int_equal(s->limits.start_late_ps, cases[i].start_late_ps);
    }
}

/* The superframes after the last arrival; T of bit reversal and of the permutation from
 * docs/reference/timing.md's table. */
TEST(test_superframes_follow_traffic)
{
    static const struct {
        const char *rule, *entry;
        unsigned superframes;
    } cases[] = {
        {"ecube", "pattern: complement", 2},
        {"ecube", "pattern: complement, superframe: 3, repeat: 4", 8},
        {"ecube", "pattern: bitrev", 33},
        {"opportunistic", "pattern: bitrev", 4},
        {"ecube", "pattern: 'perm:1'", 6},
        /* 0x000 to 0x801, born when phase 0 is over: both hops wait for the next superframe */
        {"ecube", "from: 0, to: 0x801, phase: 1", 3},
        {"opportunistic", "from: 0, to: 0x801, phase: 1", 3},
        {"ecube", "pattern: 'xor:0'", 2}, /* nothing moves */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            parse(formatted("cube: {rule: %s}\n" NODE "traffic: [{%s}]\n", cases[i].rule, cases[i].entry))
                ->superframes,
            cases[i].superframes);
    }
}

/* The binary cube as an argument; it lives as long as the block. */
#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static void assert_pattern(const struct pb_scenario *s, size_t first, const char *pattern,
                           uint32_t superframe)
{
    struct pb_traffic expected;
    assert_int_equal(pb_traffic_generate(&expected, CUBE(s->network.dims), pattern, NULL), PB_OK);
    assert_true(first + expected.count <= s->traffic.count);
    for (size_t i = 0; i < expected.count; i++) {
        const struct pb_message *message = &s->traffic.message[first + i];
        assert_int_equal(message->source, expected.message[i].source);
        assert_int_equal(message->destination, expected.message[i].destination);
        assert_int_equal(message->release_superframe, superframe);
    }
    pb_traffic_free(&expected);
}

TEST(test_seeds_advance)
{
    struct pb_scenario *s = parse("cube: {dims: 5}\nseed: 40\nnodes: [{address: 1}]\ntraffic:\n"
                                  "  - {pattern: perm:7, superframe: 1, repeat: 2}\n"
                                  "  - {pattern: uniform:auto, repeat: 3}\n"
                                  "  - {pattern: xor:0x11, repeat: 2}\n");
    assert_int_equal(s->traffic.count, 7 * 32);
    assert_pattern(s, 0, "perm:7", 1);
    assert_pattern(s, 32, "perm:8", 2);
    assert_pattern(s, 64, "uniform:40", 0);
    assert_pattern(s, 96, "uniform:41", 1);
    assert_pattern(s, 128, "uniform:42", 2);
    assert_pattern(s, 160, "xor:0x11", 0);
    assert_pattern(s, 192, "xor:0x11", 1);
}

TEST(test_loads_are_independent)
{
    struct pb_scenario *first = parse("name: first\nseed: 5\n" MINIMAL);
    struct pb_scenario *second, *failed;
    assert_int_equal(pb_scenario_parse(&second, "second", MINIMAL, sizeof MINIMAL - 1, NULL), PB_OK);
    assert_int_equal(pb_scenario_parse(&failed, "bad", "x: 1", 4, NULL), PB_ERR_CONFIG);
    assert_null(failed);
    pb_scenario_free(second);
    assert_string_equal(first->name, "first");
    assert_int_equal(first->seed, 5);
}

/* What must be in the diagnostic: where (line 0: the file as a whole), the value, the limit, the remedy. */
struct refusal {
    const char *text;
    unsigned line;
    const char *value, *limit, *remedy;
};

static const struct refusal refusals[] = {
    /* structure */
    {MINIMAL "sed: 3\n", 3, "unknown key 'sed'", "Known here: name, description", "did you mean 'seed'?"},
    {MINIMAL "link:\n  baud: 1 Mbaud\n  pay_load: 3 bytes\n", 5, "'pay_load' in link",
     "Known here: phase_rate", "did you mean 'payload'?"},
    {"nodes:\n  - {address: 1}\n  - {address: 2,\n     adress: 3}\n" MESSAGE, 4, "'adress' in nodes[1]",
     "defect_every, defect_port, ...", "did you mean 'address'?"},
    {NODE "traffic:\n - patern: complement\n", 3, "'patern' in traffic[0]", "repeat",
     "did you mean 'pattern'?"},
    {NODE "traffic: complement\n", 2, "traffic is a single value", "", "write a list"},
    {"nodes:\n" MESSAGE, 1, "nodes is empty", "", "write a list"},
    {"nodes: {address: 1}\n" MESSAGE, 1, "nodes is a mapping", "", "write a list"},
    {"nodes:\n  - 0x2A3\n" MESSAGE, 2, "nodes[0] is a single value", "", "write a mapping"},
    {MINIMAL "name: [a]\n", 3, "name is a list", "", "write a single value"},
    {MINIMAL "cube: 12\n", 3, "cube is a single value", "", "write a mapping"},
    {"- a\n", 1, "the file is a list", "", "write a mapping"},
    {"hello\n", 1, "the file is a single value", "", "write a mapping"},
    {MESSAGE, 0, "names no node", "at least one", "address"},
    {"nodes: []\n" MESSAGE, 1, "names no node", "at least one", "address"},
    {"{}", 0, "names no node", "at least one", "address"},
    {NODE, 0, "has no message", "at least one", "pattern"},
    {NODE "traffic: []\n", 2, "has no message", "at least one", "pattern"},
    {"seed: 1\nseed: 2\n" MINIMAL, 2, "'seed'", "already set in line 1", "remove one"},
    {"nodes: [{address: 1, address: 1}]\n" MESSAGE, 1, "'address'", "already set", "remove one"},
    {"name: &a x\n" MINIMAL, 1, "anchor '&a'", "no anchors", "write the value out"},
    {NODE "name: *a\n", 2, "alias '*a'", "no anchors and aliases", "write the value out"},
    {"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "anchor '&a'", "no anchors", "write the value out"},
    {"<<: *a\n", 1, "alias '*a'", "", ""},
    {"seed: !!int 3\n" MINIMAL, 1, "tag 'tag:yaml.org,2002:int'", "no tags", "remove it"},
    {"? [a]\n: b\n", 1, "used as a key", "", "a plain word"},
    {MINIMAL "---\nseed: 1\n", 3, "second document", "a file holds one", "split it"},
    {"name: {a: {b: {c: {d: {e: {f: {g: {h: 1}}}}}}}}\n", 1, "nested deeper", "8 levels", "needs 4"},
    {"name: \"a\\0b\"\n" MINIMAL, 1, "0x00", "control character", "plain text"},
    {NODE "traffic: [\n", 3, "not valid YAML", "", "check indentation"},
    {MINIMAL "seed: 1\n bad: 2\n", 4, "not valid YAML", "", "check"},
    {MINIMAL "\tseed: 1\n", 3, "a tab in column 1", "YAML indents with blanks", "put blanks in its place"},
    {"cube:\n\tdims: 1\n" MINIMAL, 2, "a tab in column 1", "", ""},
    {"link:\n  -\t baud: 1\n" MINIMAL, 2, "a tab in column 4", "", ""},
    {"link:\n  guard: 1 us\n  \tbaud: 1\n" MINIMAL, 3, "a tab in column 3", "", ""},
    {"description: >\n\ttext\n" MINIMAL, 2, "a tab in column 1", "", ""},
    {"\xEF\xBB\xBF# 5 \302\265s\r\nlink:\r\n\tbaud: 1\r\n" MINIMAL, 3, "a tab in column 1", "", ""},
    {"# a\ttab\nlink:\n  baud: `1`\n" MINIMAL, 3, "not valid YAML", "", "check"},
    {MINIMAL "name: \xff\xfe\n", 3, "not UTF-8", "byte", "save the file as UTF-8"},
    {MINIMAL "\x01", 3, "byte 0x01", "binary file", "YAML text"},
    {"", 0, "is empty", "at least nodes and traffic", ""},
    {" \n\n", 0, "is empty", "", ""},
    {"# only a comment\n", 0, "is empty", "", ""},
    {"name: ''\n" MINIMAL, 1, "''", "1 to 80 bytes", "give one line"},
    {"name: \"a\\nb\"\n" MINIMAL, 1, "'a b'", "1 to 80 bytes", "give one line"},
    /* numbers and units */
    {"cube:\n  dims: 13\n" MINIMAL, 2, "13", "1 to 12", "give"},
    {"cube:\n  dims: 0\n" MINIMAL, 2, "0 is out of range", "1 to 12", "give"},
    {"cube:\n  dims: twelve\n" MINIMAL, 2, "'twelve'", "1 to 12", "not a whole number"},
    {"cube:\n  dims:\n" MINIMAL, 2, "''", "1 to 12", "give"},
    {"cube: {rule: e-cube}\n" MINIMAL, 1, "'e-cube' is unknown", "Known: ecube, opportunistic",
     "mean 'ecube'"},
    {"seed: -1\n" MINIMAL, 1, "'-1'", "0 to 18446744073709551615", "give"},
    {"seed: 18446744073709551616\n" MINIMAL, 1, "'18446744073709551616'", "0 to 18446744073709551615",
     "give"},
    {"link:\n  phase_rate: 10\n" MINIMAL, 2, "'10' has no unit", "Hz, kHz or MHz", "for example '10 kHz'"},
    {"link:\n  phase_rate: 10 kbaud\n" MINIMAL, 2, "'10 kbaud' has another unit", "Hz, kHz or MHz", "10 kHz"},
    {"link:\n  phase_rate: 1e3 Hz\n" MINIMAL, 2, "'1e3 Hz' has a number that cannot be read",
     "without +, exponent, comma", "Hz, kHz or MHz"},
    {"link:\n  phase_rate: 10,0 kHz\n" MINIMAL, 2, "'10,0 kHz' has a number that cannot be read",
     "without +, exponent, comma", "Hz, kHz or MHz"},
    {"link:\n  phase_rate: 10_000 Hz\n" MINIMAL, 2, "'10_000 Hz' has a number that cannot be read",
     "without +, exponent, comma", "Hz, kHz or MHz"},
    {"link:\n  phase_rate: .6kHz\n" MINIMAL, 2, "'.6kHz' has a number that cannot be read",
     "without +, exponent, comma", "Hz, kHz or MHz"},
    {"link:\n  phase_rate: +6 kHz\n" MINIMAL, 2, "'+6 kHz' has a number that cannot be read",
     "without +, exponent, comma", "Hz, kHz or MHz"},
    {"link:\n  phase_rate: fast\n" MINIMAL, 2, "'fast' is not a decimal number", "Hz, kHz or MHz", "10 kHz"},
    {"link:\n  phase_rate: 0.9 Hz\n" MINIMAL, 2, "'0.9 Hz'", "1 Hz to 100 kHz", "give"},
    {"link:\n  phase_rate: 100.001 kHz\n" MINIMAL, 2, "'100.001 kHz'", "1 Hz to 100 kHz", "give"},
    {"link:\n  phase_rate: 10.0001 Hz\n" MINIMAL, 2, "'10.0001 Hz'", "multiple of 0.001 Hz", "round it"},
    {"link:\n  phase_rate: 1e4 Hz\n" MINIMAL, 2, "'1e4 Hz'", "Hz, kHz or MHz", "10 kHz"},
    {"link:\n  phase_rate: 10 kHz kHz\n" MINIMAL, 2, "'10 kHz kHz'", "Hz, kHz or MHz", "10 kHz"},
    {"link: {baud: 9600}\n" MINIMAL, 1, "'9600' has no unit", "baud, kbaud or Mbaud", "1 Mbaud"},
    {"link: {baud: 0.5 baud}\n" MINIMAL, 1, "'0.5 baud'", "multiple of 1 baud", "round it"},
    {"link: {baud: 13 Mbaud}\n" MINIMAL, 1, "'13 Mbaud'", "300 baud to 12 Mbaud", "give"},
    {"link: {console_baud: 1 baud}\n" MINIMAL, 1, "'1 baud'", "300 baud to 12 Mbaud", "give"},
    {"link: {guard: -1 us}\n" MINIMAL, 1, "'-1 us'", "0 ps to 1 s", "give"},
    {"link: {guard: 10 min}\n" MINIMAL, 1, "'10 min'", "s, ms, us, ns or ps", "10 us"},
    {"link: {guard: 99999999999999999999 s}\n" MINIMAL, 1, "'99999999999999999999 s'", "0 ps to 1 s", "give"},
    {"link: {guard: 1. us}\n" MINIMAL, 1, "'1. us'", "s, ms, us, ns or ps", "10 us"},
    {"link:\n  guard: 10 us\n  head_guard: 11 us\n" MINIMAL, 3, "11 us is more than", "(10 us)", "lower it"},
    {"link: {codec: bare}\n" MINIMAL, 1, "link.codec", "name no destination",
     "give slot or starc, or a program"},
    {"link: {codec: star}\n" MINIMAL, 1, "'star' is unknown", "Known: slot, starc, bare", "mean 'starc'"},
    {"link: {payload: 6}\n" MINIMAL, 1, "'6' has no unit", "byte or bytes", "6 bytes"},
    {"link: {payload: 0 bytes}\n" MINIMAL, 1, "'0 bytes'", "1 byte to 80 bytes", "give"},
    {"link: {payload: 79 bytes, codec: starc}\n" MINIMAL, 1, "'79 bytes'", "1 byte to 78 bytes", "give"},
    /* the budget: 10 and 15 bytes into 90 bit times; figures from floor((1/f - guard) * baud / 10) */
    {"link:\n  payload: 7 bytes\n" MINIMAL, 2, "7 bytes of payload make a frame of 10 bytes", "holds 9",
     "payload 6 bytes or less, phase_rate 9.090909 kHz or less, baud 1.111112 Mbaud or more, guard 0 ps or "
     "less"},
    {"link:\n  payload: 12 bytes\n" MINIMAL, 2, "12 bytes of payload make a frame of 15 bytes", "holds 9",
     "payload 6 bytes or less, phase_rate 6.25 kHz or less, baud 1.666667 Mbaud or more"},
    {"link:\n  phase_rate: 100 kHz\n" MINIMAL, 1, "1 byte of payload make a frame of 4 bytes", "holds 0",
     "phase_rate 20 kHz or less"},
    {"link:\n  guard: 200 us\n" MINIMAL, 1, "guard 200 us", "holds 0", "guard 60 us or less"},
    {"link: {phase_rate: 100 kHz, baud: 300 baud, guard: 1 s}\n" MINIMAL, 1, "guard 1 s", "holds 0",
     "no single setting helps"},
    /* nodes */
    {"nodes:\n  - kind: ref\n" MESSAGE, 2, "nodes[0].address", "is missing", "give the address"},
    {"nodes:\n  - address: 0x1000\n" MESSAGE, 2, "'0x1000'", "0x0 to 0xFFF (4095)", "give"},
    {"cube: {dims: 3}\nnodes: [{address: 8}]\n" MESSAGE, 2, "'8'", "3 dimensions; give 0x0 to 0x7",
     "or a larger network"},
    {"nodes: [{address: here}]\n" MESSAGE, 1, "'here'", "0x0 to 0xFFF", "give"},
    {"nodes:\n  - address: 0x2A3\n  - address: 1\n  - address: 675\n" MESSAGE, 4, "nodes[2].address: 0x2A3",
     "nodes[0] (line 2)", "change one"},
    {"nodes: [{address: 1, kind: natve}]\n" MESSAGE, 1, "'natve' is unknown", "Known: native, ref, contract",
     "'native'"},
    {"nodes: [{address: 1, kind: contract, defect: lateedge}]\n" MESSAGE, 1, "'lateedge' is unknown",
     "Known: none", "mean 'late_edge'"},
    {"nodes: [{address: 1, defect: late_edge}]\n" MESSAGE, 1, "'late_edge'", "kind 'native' has no defect",
     "use kind contract"},
    {"nodes: [{address: 1, defect: silent, defect_from: 1}]\n" MESSAGE, 1, "nodes[0].defect_from",
     "kind 'native'", "use kind contract"},
    {"nodes: [{address: 1, kind: ref, defect_every: 2}]\n" MESSAGE, 1, "nodes[0].defect_every", "kind 'ref'",
     "remove the key"},
    {"nodes: [{address: 1, kind: contract, defect_every: 2}]\n" MESSAGE, 1, "nodes[0].defect_every",
     "has no defect", "give a defect"},
    {"nodes: [{address: 1, kind: contract, defect: boot_pull, defect_from: 2}]\n" MESSAGE, 1,
     "nodes[0].defect_from", "'boot_pull' acts before", "remove the key"},
    {"nodes: [{address: 1, kind: contract, defect: wrong_crc, defect_every: 0}]\n" MESSAGE, 1, "0 is out",
     "1 to 1000000", "give"},
    {"nodes: [{address: 1, kind: contract, defect: wrong_crc, defect_from: 100000}]\n" MESSAGE, 1,
     "100000 is out", "0 to 99999", "give"},
    {"nodes: [{address: 1, kind: contract, defect: wrong_crc, defect_amount: 1 us}]\n" MESSAGE, 1,
     "'wrong_crc' has no amount", "defect_amount", "remove"},
    {"nodes: [{address: 1, kind: contract, defect_amount: 1 us}]\n" MESSAGE, 1, "'none' has no amount",
     "defect_amount", "remove"},
    {"nodes: [{address: 1, kind: contract, defect: late_edge, defect_amount: 1 ms}]\n" MESSAGE, 1, "'1 ms'",
     "1 ps to 100 us", ""},
    {"nodes: [{address: 1, kind: contract, defect: boot_pull, defect_amount: 2 s}]\n" MESSAGE, 1, "'2 s'",
     "1 ps to 1 s", ""},
    {"nodes: [{address: 1, kind: contract, defect: pulls_unused}]\n" MESSAGE, 1, "'pulls_unused' needs",
     "does not use", "give a smaller one"},
    {"link: {drive: push_pull}\nnodes: [{address: 1, kind: contract, defect: drives_frame}]\n" MESSAGE, 2,
     "'drives_frame' needs", "open drain", "remove link.drive"},
    {"cube: {rule: opportunistic}\nnodes: [{address: 1, kind: contract, defect: wrong_order}]\n" MESSAGE, 2,
     "'wrong_order' needs", "rule ecube", "change the rule"},
    {"cube: {dims: 1}\nnodes: [{address: 1, kind: contract, defect: swapped_links}]\ntraffic: [{from: 0, to: "
     "1}]\n",
     2, "'swapped_links' needs", "2 dimensions", "give a larger one"},
    {"nodes: [{address: 1, defect: late}]\n" MESSAGE, 1, "'late' is unknown", "swapped_links",
     "mean 'late_start'"},
    {"nodes: [{address: 1, clock_error: 50}]\n" MESSAGE, 1, "'50' has no unit", "ppm", "50 ppm"},
    {"nodes: [{address: 1, clock_error: 10 %}]\n" MESSAGE, 1, "'10 %'", "ppm", "50 ppm"},
    {"nodes: [{address: 1, clock_error: -100001 ppm}]\n" MESSAGE, 1, "-100001", "-100000 ppm to 100000 ppm",
     "give"},
    {"nodes: [{address: 1, irq_latency: 101 us}]\n" MESSAGE, 1, "'101 us'", "0 ps to 100 us", "give"},
    {"nodes: [{address: 1, irq_jitter: 2}]\n" MESSAGE, 1, "'2' has no unit", "s, ms, us, ns or ps", "10 us"},
    {"nodes: [{address: 1, kind: ref, irq_jitter: 2 us}]\n" MESSAGE, 1, "irq_jitter",
     "kind 'ref' does not take it", "use kind native or contract"},
    {"nodes:\n  - address: 1\n    kind: ref\n    defect: wrong_order\n" MESSAGE, 4,
     "kind 'ref' has no defect 'wrong_order'", "nodes[0].defect", "use kind native or contract"},
    {"nodes: [{address: 1, defect_amount: 2 us}]\n" MESSAGE, 1, "'none' has no amount", "defect_amount",
     "remove"},
    {"nodes: [{address: 1, defect: late_start, defect_amount: 1 ms}]\n" MESSAGE, 1, "'1 ms'",
     "1 ps to 100 us", ""},
    {"link: {phase_rate: 100 Hz}\nnodes: [{address: 1, defect: late_start, defect_amount: 2 ms}]\n" MESSAGE,
     2, "'2 ms'", "1 ps to 1 ms", ""},
    {"cube: {dims: 1}\nnodes: [{address: 1, defect: swapped_links}]\ntraffic: [{from: 0, to: 1}]\n", 2,
     "'swapped_links' needs", "2 dimensions", "give a larger one"},
    {"link: {codec: starc}\nnodes:\n - address: 1\n   kind: ref\n" MESSAGE, 4, "kind 'ref'",
     "does not speak codec starc", "use kind native or contract"},
    {"network: {family: generalised, radix: [3]}\nnodes: [{address: 1, kind: ref}]\ntraffic: [{from: 0, to: "
     "1}]\n",
     2, "kind 'ref'", "binary cubes only, and network is radix 3", "use kind native or contract"},
    {"cube: {rule: opportunistic}\nnodes: [{address: 1, kind: ref}]\n" MESSAGE, 2, "kind 'ref'",
     "does not route by rule opportunistic", "use kind native or contract"},
    /* rtl/node/ref_node.v: a bit of 7.96875 clocks of 16 MHz is rounded to 8, a longer one of the console
       to 16. */
    {"link: {baud: 2007844 baud}\nnodes: [{address: 1, kind: ref}]\n" MESSAGE, 2, "nodes[0].kind",
     "300 to 2007843 baud, link.baud is 2007844", "use another kind"},
    {"link: {console_baud: 1001957 baud}\nnodes: [{address: 1, kind: ref}]\n" MESSAGE, 2, "nodes[0].kind",
     "300 to 1001956 baud, link.console_baud is 1001957", "use another kind"},
    {"nodes: [{address: 1}, {address: 2}, {address: 3}, {address: 4}, {address: 5}, {address: 6}]\n" MESSAGE,
     1, "6 nodes with 12 links", "the core has 64 links and takes at most 5", "remove some"},
    /* What the nodes cannot keep: 5 us of head guard, less 0.1 us, to listen in time; 1 us later still to
     * send (the default of start_late: a bit of 1 us), less 0.1 us. A neighbour that is 1 % fast starts 49.5
     * ns early. */
    {"nodes: [{address: 1, irq_latency: 4500 ns, irq_jitter: 401 ns}]\n" MESSAGE_TO_1, 1,
     "irq_latency: with irq_jitter it takes 4.901 us", "head_guard 5 us leaves 4.9 us",
     "set link.head_guard to 5.01 us"},
    {"nodes: [{address: 1, irq_latency: 5900 ns, irq_jitter: 1 ns}]\n" MESSAGE_FROM_1, 1, "it takes 5.901 us",
     "leaves 5.9 us", "set link.head_guard to 5.01 us"},
    {"link: {guard: 0 us}\nnodes: [{address: 1}]\n" MESSAGE_TO_1, 2, "it takes 0 ps", "leaves no time",
     "set link.head_guard to 100 ns or more"},
    {"cube: {dims: 3}\nnodes:\n - {address: 1, irq_latency: 4851 ns, irq_jitter: 0 us}\n"
     " - {address: 0, clock_error: 10000 ppm}\n" MESSAGE_TO_1,
     3, "takes 4.851 us", "leaves 4.850495 us", "set link.head_guard to"},
    {"link: {baud: 2 Mbaud, guard: 1 us, head_guard: 300 ns}\nnodes: [{address: 1, kind: "
     "ref}]\n" MESSAGE_TO_1,
     2, "takes 500 ns", "leaves 425 ns", "use another kind"},
    {"link: {baud: 2 Mbaud, guard: 1 us, head_guard: 500 ns, phase_rate: 20 kHz, payload: 6 bytes}\n"
     "limits: {start_late: 800 ns}\nnodes: [{address: 1, kind: ref}]\n" MESSAGE_FROM_1,
     3, "takes 1.25 us", "leaves 1.2 us", "set link.head_guard to 550 ns"},
    /* 256 MHz / 1615133 = 158.50, so 159 sixteenths; of 819 bits that is 1.597 us; 82 bytes leave 1.236 us.
     */
    {"link: {baud: 1615133 baud, guard: 56517 ns, phase_rate: 1770.437 Hz}\n"
     "nodes: [{address: 1, kind: ref}]\n" MESSAGE_FROM_1,
     2, "159/256 us", "lasts 1.596798 us longer, with 1.236315 us left", "set link.baud to 1610062"},
    /* traffic */
    {NODE "traffic:\n  - {pattern: complment}\n", 3, "complment", "complement", "traffic[0].pattern"},
    {NODE "traffic:\n  - {pattern: 'xor:0x1000'}\n", 3, "0x1000", "0xFFF", "lower it"},
    {NODE "traffic:\n  - {pattern: 'perm:x'}\n", 3, "'x'", "2^64", "give"},
    {NODE "traffic:\n  - {pattern: total}\n", 3, "total", "10", "lower it"},
    {NODE "traffic:\n  - {superframe: 1}\n", 3, "0 of pattern, file", "exactly one", "give"},
    {NODE "traffic:\n  - {pattern: complement, file: x}\n", 3, "2 of pattern, file", "exactly one", "give"},
    {NODE "traffic:\n  - {pattern: complement, to: 3}\n", 3, "2 of pattern, file", "exactly one", "give"},
    {NODE "traffic:\n  - {from: 1}\n", 3, "traffic[0].to", "is missing", "a message has from and to"},
    {NODE "traffic:\n  - {to: 1}\n", 3, "traffic[0].from", "is missing", "a message has from and to"},
    {NODE "traffic:\n  - from: 1\n    to: 4096\n", 4, "'4096'", "0x0 to 0xFFF", "give"},
    {NODE "traffic:\n  - from: -1\n    to: 0\n", 3, "'-1'", "0x0 to 0xFFF", "give"},
    {NODE "traffic:\n  - from: 1\n    to: 0x1\n", 4, "0x1 is the source", "no link", "change one"},
    {NODE "traffic: [{from: 1, to: 2, phase: 24}]\n", 2, "24 is out of range", "0 to 23", "give"},
    {NODE "traffic: [{from: 1, to: 2, repeat: 0}]\n", 2, "0 is out of range", "1 to 100000", "give"},
    {NODE "traffic: [{from: 1, to: 2, repeat: for ever}]\n", 2, "'for ever'", "1 to 100000", "not a whole"},
    {NODE "traffic: [{from: 1, to: 2, every: 0}]\n", 2, "0 is out of range", "1 to 100000", "give"},
    {NODE "traffic: [{from: 1, to: 2, superframe: 9, every: 100, repeat: 1001}]\n", 2, "1001 is out of range",
     "1 to 1000", "give"},
    {"superframes: 5\n" NODE "traffic: [{from: 1, to: 2, superframe: 5, repeat: forever}]\n", 1,
     "5 superframes end before", "superframe 5", "at least 6"},
    {NODE "traffic: [{from: 1, to: 2, superframe: 99999, repeat: 2}]\n", 2, "2 is out of range", "1 to 1",
     "give"},
    {NODE "traffic:\n - {from: 1, to: 2}\n - {pattern: complement, repeat: 256}\n", 4, "traffic[1]",
     "1048576 messages", "lower repeat"},
    {"superframes: 3\n" NODE "traffic: [{from: 1, to: 2, superframe: 5}]\n", 1, "3 superframes end before",
     "superframe 5", "at least 6"},
    {"superframes: 0\n" MINIMAL, 1, "0 is out of range", "1 to 1620833332", "give"},
    {"superframes: 4294967296\ncube: {dims: 1}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 1}]\n", 1,
     "4294967296 is out of range", "1 to 4294967295", "give"},
    /* limits */
    {MINIMAL "limits:\n  start_early: 6 us\n", 4, "'6 us'", "0 ps to 5 us", "give"},
    {MINIMAL "limits:\n  start_late: 1\n", 4, "'1' has no unit", "s, ms, us, ns or ps", "10 us"},
    {MINIMAL "limits:\n  start_late: 96 us\n", 4, "'96 us'", "0 ps to 95 us", "give"},
    {MINIMAL "limits:\n  boot: 999 us\n", 4, "'999 us'", "1 ms to 10 s", "give"},
    {MINIMAL "limits:\n  boot: 11 s\n", 4, "'11 s'", "1 ms to 10 s", "give"},
    {MINIMAL "limits:\n  max_superframes: 1 s\n", 4, "'1 s'", "0 to 100000", "not a whole number"},
    {MINIMAL "rest: react\n", 3, "rest: 'react' is unknown", "Known: ideal, reacts", ""},
    {MINIMAL "limits:\n  overflow: lose\n", 4, "'lose' is unknown", "Known: refuse, drop", ""},
    {MINIMAL "limits:\n  max_occupancy: lots\n", 4, "'lots'", "0 to 1048576", "not a whole number"},
};

static void assert_sentence(const char *sentence, const char *path, const struct refusal *expected)
{
    const char *start = formatted(expected->line ? "%s:%u: " : "%s: ", path, expected->line);
    if (strncmp(sentence, start, strlen(start)) != 0)
        fail_msg("'%s' does not start with '%s'", sentence, start);
    const char *needle[] = {expected->value, expected->limit, expected->remedy};
    for (size_t i = 0; i < COUNT(needle); i++)
        if (!strstr(sentence, needle[i]))
            fail_msg("'%s' does not say '%s'", sentence, needle[i]);
    assert_null(strchr(sentence, '\n'));
}

TEST(test_refusals)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct pb_scenario *scenario = (struct pb_scenario *)&refusals;
        struct pb_diag diag = {""};
        int code = pb_scenario_parse(&scenario, "t.yaml", refusals[i].text, strlen(refusals[i].text), &diag);
        if (code != PB_ERR_CONFIG)
            fail_msg("code %d for\n%s", code, refusals[i].text);
        assert_null(scenario);
        assert_sentence(diag.text, "t.yaml", &refusals[i]);
        assert_int_equal(
            pb_scenario_parse(&scenario, "t.yaml", refusals[i].text, strlen(refusals[i].text), NULL),
            PB_ERR_CONFIG);
    }
}

/* libyaml skips a byte order mark and both kinds of line end. */
TEST(test_line_ends)
{
    parse("\xef\xbb\xbf"
          "seed: 1\r\nnodes: [{address: 1}]\r\ntraffic: [{from: 1, to: 2}]\r\n");
}

/* ---- all errors at once */

static size_t errors_of(const char *path, const char *text, struct pb_diag *error, size_t most)
{
    file_write_text(path, text);
    return pb_scenario_errors(path, error, most);
}

/* Each of these texts has one mistake: what follows from it is no second one. */
TEST(one_mistake_is_one_error)
{
    const char *path = formatted("%s/t.yaml", new_folder());
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct pb_diag error[8];
        const size_t count = errors_of(path, refusals[i].text, error, COUNT(error));
        if (count != 1)
            fail_msg("%zu errors, the last '%s', for\n%s", count, error[count ? count - 1 : 0].text,
                     refusals[i].text);
        assert_sentence(error[0].text, path, &refusals[i]);
    }
    struct pb_diag error;
    assert_int_equal(errors_of(path, MINIMAL, &error, 1), 0);
}

TEST(all_mistakes_are_told_in_order)
{
    static const char text[] = "cube: {dims: 4, ruel: ecube}\n"
                               "link:\n"
                               "  guard: 5 min\n"
                               "  baud: 13 Mbaud\n"
                               "nodes:\n"
                               "  - {address: 5, kind: nativ}\n"
                               "  - {address: 6, irq_latency: 3 years}\n"
                               "  - {adress: 7}\n"
                               "traffic:\n"
                               "  - {from: 5, to: nowhere}\n"
                               "  - {from: 5, to: 2, superframe: soon}\n"
                               "  - text\n"
                               "faults:\n"
                               "  - {kind: stuck, node: 5, dimension: 0, superframe: x}\n"
                               "limits: {boot: never}\n";
    static const char *const wanted[] = {"1: unknown key 'ruel'", "3: link.guard: '5 min'",
                                         "4: link.baud: '13 Mbaud'", "6: nodes[0].kind: 'nativ'",
                                         "7: nodes[1].irq_latency: '3 years'", "8: unknown key 'adress'",
                                         "10: traffic[0].to: 'nowhere'", "11: traffic[1].superframe: 'soon'",
                                         "12: traffic[2] is a single value", "14: faults[0].kind: 'stuck'",
                                         "14: faults[0].superframe: 'x'", "15: limits.boot: 'never'"};
    struct pb_diag error[COUNT(wanted) + 1];
    const char *path = formatted("%s/t.yaml", new_folder());
    assert_int_equal(errors_of(path, text, error, COUNT(error)), COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const char *start = formatted("%s:%s", path, wanted[i]);
        if (strncmp(error[i].text, start, strlen(start)))
            fail_msg("'%s' is not '%s...'", error[i].text, start);
    }
    assert_int_equal(errors_of(path, text, error, 2), COUNT(wanted)); /* counts those without room */
}

/* What contradicts another entry is reported with other mistakes, unless it may follow from one. */
TEST(entries_are_judged_apart)
{
    struct pb_diag error[8];
    const char *path = formatted("%s/t.yaml", new_folder());
    assert_int_equal(errors_of(path,
                               "cube: {dims: 3}\n"
                               "nodes:\n"
                               "  - {address: 9}\n"
                               "  - {address: 1}\n"
                               "  - {address: 1}\n"
                               "  - {}\n"
                               "traffic:\n"
                               "  - {from: 1}\n"
                               "  - {from: 1, to: 9}\n",
                               error, COUNT(error)),
                     4);
    assert_non_null(strstr(error[0].text, ":3: nodes[0].address: '9'"));
    assert_non_null(strstr(error[1].text, ":5: nodes[2].address: 0x1 is the address of nodes[1]"));
    assert_non_null(strstr(error[2].text, ":6: nodes[3].address: is missing"));
    assert_non_null(strstr(error[3].text, ":8: traffic[0].to: is missing"));
}
