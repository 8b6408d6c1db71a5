/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole runs of programs: sound nodes at every place pass; one that starts from a wrong value, one with a
 * defect at its pins or in its program and one that knows no programs fail; what cannot be run is refused.
 *
 * evidence: programs of a node on the bench, with the others played
 *   simulated: each frame and the result, of native nodes, contract nodes, which share no code with them, and
 *   both firmware images in the 12-cube, and of all 16 nodes of a 4-cube; on no board yet
 */
#include "host/scenario/program.h"
#include "tests/bench/unit/run_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AG32 "'elf:build/ag32/node.elf'"
#define RP2040 "'elf:build/rp2040/node.elf'"

/* ---- a node that loads another input: these bits of its first byte are inverted */

static uint8_t flipped;

void __real_pb_program_load_line(char line[PB_PROGRAM_LINE_MAX], char answer[PB_PROGRAM_LINE_MAX],
                                 const struct pb_scenario *scenario, unsigned node_index);
void __wrap_pb_program_load_line(char line[PB_PROGRAM_LINE_MAX], char answer[PB_PROGRAM_LINE_MAX],
                                 const struct pb_scenario *scenario, unsigned node_index);
void __wrap_pb_program_load_line(char line[PB_PROGRAM_LINE_MAX], char answer[PB_PROGRAM_LINE_MAX],
                                 const struct pb_scenario *scenario, unsigned node_index)
{
    __real_pb_program_load_line(line, answer, scenario, node_index);
    if (!flipped)
        return;
    char *digits = strrchr(line, ' ') + 1;
    unsigned byte;
    assert_int_equal(sscanf(digits, "%2x", &byte), 1);
    const char rest = digits[2];
    snprintf(digits, 3, "%02X", byte ^ flipped);
    digits[2] = rest;
}

/* And one with another result than the one that the player has. */
static bool other_result;

void __real_pb_program_result_answer(char answer[PB_PROGRAM_LINE_MAX], const struct pb_scenario *scenario,
                                     unsigned node_index);
void __wrap_pb_program_result_answer(char answer[PB_PROGRAM_LINE_MAX], const struct pb_scenario *scenario,
                                     unsigned node_index);
void __wrap_pb_program_result_answer(char answer[PB_PROGRAM_LINE_MAX], const struct pb_scenario *scenario,
                                     unsigned node_index)
{
    __real_pb_program_result_answer(answer, scenario, node_index);
    char *last = answer + strlen(answer) - 1;
    if (other_result)
        *last = *last == '0' ? '1' : '0';
}

static struct pb_result *run_program(const char *dims, const char *nodes, const char *link,
                                     const char *program)
{
    return run_yaml(formatted("cube: {dims: %s}\nlink: {%s}\nnodes: [%s]\ntraffic: [{program: %s}]\n", dims,
                              link, nodes, program),
                    NULL);
}

/* ---- sound nodes */

static const char *const programs[] = {"broadcast, argument: 0x2A3", "broadcast, argument: 5",
                                       "allreduce, argument: 1",     "scan",
                                       "barrier, argument: 4",       "sort",
                                       "life, argument: 3",          "filter, argument: 2",
                                       "transpose, argument: 1",     "permute"};

TEST(one_node_among_4096_runs_each_program)
{
    for (size_t i = 0; i < COUNT(programs); i++)
        assert_verdict(run_program("12", "{address: 0x2A3, kind: native}", "", programs[i]), PB_VERDICT_PASS);
}

TEST(so_does_a_contract_node)
{
    static const char *const node = "{address: 0x91C, kind: contract}";
    for (size_t i = 0; i < COUNT(programs); i++)
        assert_verdict(run_program("12", node, "", programs[i]), PB_VERDICT_PASS);
    assert_verdict(run_program("12", node, "phase_rate: 5 kHz", "fft"), PB_VERDICT_PASS);
}

TEST(so_do_both_images)
{
    static const char *const nodes[] = {"{address: 0x91C, kind: " AG32 "}",
                                        "{address: 0x91C, kind: " RP2040 "}"};
    for (size_t i = 0; i < COUNT(nodes); i++) {
        for (size_t j = 0; j < COUNT(programs); j++)
            assert_verdict(run_program("12", nodes[i], "", programs[j]), PB_VERDICT_PASS);
        assert_verdict(run_program("12", nodes[i], "phase_rate: 5 kHz", "fft"), PB_VERDICT_PASS);
    }
}

/* Nodes of two kinds take turns. */
static void run_whole_cube(const char *dims, const char *even, const char *odd, const char *program)
{
    char nodes[1000] = "";
    size_t at = 0;
    for (unsigned i = 0; i < 1u << atoi(dims); i++)
        at += (size_t)snprintf(nodes + at, sizeof nodes - at, "{address: %u, kind: %s}, ", i,
                               i % 2 ? odd : even);
    struct pb_result *result = run_program(dims, nodes, "", program);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_true(result->messages_through_rig > 0);
}

TEST(so_do_all_nodes_of_a_cube)
{
    static const char *const of_cubes[] = {"sort",     "life, argument: 4", "exchange",
                                           "alltoall", "permute",           "scan"};
    for (size_t i = 0; i < COUNT(of_cubes); i++)
        run_whole_cube("4", "native", "native", of_cubes[i]);
}

TEST(so_do_contract_nodes_alone_and_among_native_ones)
{
    static const char *const of_squares[] = {
        "filter, argument: 1", "life, argument: 2", "transpose", "sort", "exchange", "alltoall", "permute"};
    for (size_t i = 0; i < COUNT(of_squares); i++)
        run_whole_cube("2", "contract", i % 2 ? "native" : "contract", of_squares[i]);
    run_whole_cube("3", "native", "contract", "exchange, argument: 1");
    run_whole_cube("3", "native", "contract", "alltoall, argument: 1");
}

TEST(each_kind_sends_one_message_to_each_node)
{
    static const char *const nodes[] = {"{address: 37, kind: native}", "{address: 37, kind: contract}",
                                        "{address: 37, kind: " AG32 "}", "{address: 37, kind: " RP2040 "}"};
    for (size_t i = 0; i < COUNT(nodes); i++) {
        const struct pb_result *result = run_program("6", nodes[i], "", "alltoall");
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->messages_through_rig, 32 * 6 * 2);
    }
    assert_verdict(run_program("8", nodes[1], "", "alltoall, argument: 1"), PB_VERDICT_PASS);
}

/* With 64 bytes of result, the most of a node, an answer to R with pairs of its own is the longest one. */
TEST(what_the_contract_leaves_to_a_node_passes)
{
    static const char *const link[] = {"", "codec: bare"};
    for (size_t i = 0; i < COUNT(link); i++)
        assert_verdict(run_program("4", "{address: 9, kind: contract, freedom: all}", link[i], "exchange"),
                       PB_VERDICT_PASS);
}

/* ---- frames without a header */

/* An image needs more than 10 us for a butterfly of fft. All kinds run all programs with headers, above. */
TEST(each_kind_runs_them_without_headers)
{
    static const char *const nodes[] = {"{address: 9, kind: native}", "{address: 9, kind: contract}",
                                        "{address: 9, kind: " AG32 "}", "{address: 9, kind: " RP2040 "}",
                                        "{address: 9, kind: native}, {address: 8, kind: contract}"};
    static const char *const of_a_cube[] = {
        "broadcast, argument: 5", "allreduce", "scan",      "barrier",  "sort",     "fft",
        "life, argument: 2",      "filter",    "transpose", "exchange", "alltoall", "permute"};
    for (size_t i = 0; i < COUNT(nodes); i++)
        for (size_t j = 0; j < COUNT(of_a_cube); j += i < 2 ? 1 : 4) {
            const struct pb_result *result = run_program(
                "4", nodes[i], of_a_cube[j][0] == 'f' ? "codec: bare, phase_rate: 5 kHz" : "codec: bare",
                of_a_cube[j]);
            assert_verdict(result, PB_VERDICT_PASS);
            assert_string_equal(result->codec, "bare");
            assert_int_equal(result->frame_bytes, result->payload_bytes + 1);
        }
}

/* 9 bytes at 10 kHz, 1 Mbaud and 10 us of guard, with which a slot frame has 6 of payload. */
TEST(a_phase_has_room_for_8_bytes_without_header)
{
    const struct pb_result *result = run_program("12", "{address: 0x2A3, kind: native}",
                                                 "codec: bare, phase_rate: 10 kHz, guard: 10 us", "fft");
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->payload_bytes, 8);
}

TEST(wrong_frames_without_header_fail)
{
    static const struct {
        const char *defect, *program;
        enum pb_finding_kind kind;
    } row[] = {{"wrong_crc", "sort", PB_FINDING_WRONG_BYTES},
               {"program_keeps_larger", "sort", PB_FINDING_WRONG_BYTES},
               {"program_mixes", "scan", PB_FINDING_WRONG_BYTES},
               {"program_skips", "sort", PB_FINDING_MISSING},
               {"program_speaks", "sort", PB_FINDING_UNEXPECTED}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_result *result =
            run_program("4", formatted("{address: 9, kind: contract, defect: %s}", row[i].defect),
                        "codec: bare", row[i].program);
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_int_equal(result->finding[0].kind, row[i].kind);
    }
}

TEST(nothing_is_tried_after_a_run_without_headers)
{
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 4}\nlink: {codec: bare}\nnodes: [{address: 9}]\ntraffic: [{program: sort}]\n");
    assert_false(play_scenario(scenario, NULL)->epilogue.played);
    const struct pb_result *result = run_program("4", "{address: 9}", "codec: bare", "sort");
    assert_verdict(result, PB_VERDICT_PASS);
    assert_true(is_unchecked(
        result, "what is tried after the run (docs/node.md), as frames of the codec bare name no "
                "destination"));
}

/* ---- wrong ones */

/* Stage 1 of 12 uses dimension 11 alone; bit 11 of 0x2A3 is 0, so its own phase is 22. */
TEST(a_wrong_key_fails_at_its_first_frame)
{
    flipped = 0x10;
    struct pb_result *result = run_program("12", "{address: 0x2A3, kind: native}", "", "sort");
    flipped = 0;
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_finding(result, 0, PB_FINDING_WRONG_BYTES, 0, 22, 11);
}

/* Numbers may have leading zeros and small digits, pairs any order, and others may be among them; no other
 * word, as in the answers to S and T (docs/node.md, Console). */
TEST(answers_of_other_forms_pass)
{
    static const struct {
        const char *loaded, *program;
        bool sound;
    } row[] = {{"+P 4", "+R state=done superframe=4 phase=7 result=%s", true},
               {"+P 04", "+R result=%s superframe=0004 more=x state=done", true},
               {"+P 0x4", "+R state=done superframe=4 result=%s", false},
               {"+P 000000004", "+R state=done superframe=4 result=%s", false},
               {"+P 4 7", "+R state=done superframe=4 result=%s", false},
               {"+P 4 room=1", "+R state=done superframe=4 result=%s", false},
               {"+S 4", "+R state=done superframe=4 result=%s", false},
               {"+P 4", "+R state=DONE superframe=4 result=%s", false},
               {"+P 4", "+R state=done junk superframe=4 result=%s", false},
               {"+P 5", "+R state=done superframe=4 result=%s", false},
               {"+P", "+R state=done superframe=4 result=%s", false},
               {"+P 4x", "+R state=done superframe=4 result=%s", false},
               {"+P 4", "+R state=done superframe=3 result=%s", false},
               {"+P 4", "+R state=stopped superframe=4 result=%s", false},
               {"+P 4", "+R state=done superframe=4 result=%s result=%s", false},
               {"+P 4", "+R state=done superframe=4 result=00%s", false}};
    struct pb_scenario *scenario = parse_scenario("cube: {dims: 4}\nnodes: [{address: 9, kind: native}]\n"
                                                  "traffic: [{program: sort}]\n");
    struct pb_observation *const seen = play_scenario(scenario, NULL);
    char result[20];
    assert_int_equal(sscanf(strstr(seen->answer->program, "result="), "result=%19s", result), 1);
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *const other = copy_observation(seen);
        snprintf(other->answer->loaded, sizeof other->answer->loaded, "%s", row[i].loaded);
        const char *text = row[i].program, *at = strstr(text, "%s");
        snprintf(other->answer->program, sizeof other->answer->program, "%.*s%s%s%s", (int)(at - text), text,
                 result, strstr(at + 2, "%s") ? " result=" : "", strstr(at + 2, "%s") ? result : at + 2);
        struct pb_result *judged = judge_seen(scenario, other);
        if ((judged->verdict == PB_VERDICT_PASS) != row[i].sound)
            fail_msg("%s, %s: %s", row[i].loaded, row[i].program, judged->reason);
    }
}

static bool same_program(const struct pb_scenario *a, const struct pb_scenario *b)
{
    const struct pb_scenario_program *p = a->program, *q = b->program;
    return a->traffic.count == b->traffic.count && memcmp(p->input, q->input, p->input_bytes) == 0 &&
           memcmp(p->result, q->result, p->result_bytes) == 0 &&
           memcmp(p->payload, q->payload, a->traffic.count * p->program->payload_bytes) == 0;
}

/* As the help of `machine` has them. */
TEST(without_an_argument_it_is_that_of_the_program)
{
    static const struct {
        const char *name;
        uint32_t argument;
    } row[] = {{"barrier", 4}, {"life", 64}, {"filter", 1}, {"sort", 0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_scenario *scenario =
            parse_scenario(formatted("cube: {dims: 4}\nnodes: [{address: 9, kind: native}]\n"
                                     "traffic: [{program: %s}]\n",
                                     row[i].name));
        assert_int_equal(scenario->program->argument, row[i].argument);
        assert_true(scenario->traffic.count > 0);
    }
}

/* As the seed of the file does, so that --seed tries other inputs. */
TEST(a_seed_draws_the_inputs)
{
    static const char *const yaml = "seed: %s\ncube: {dims: 4}\nnodes: [{address: 9, kind: native}]\n"
                                    "traffic: [{program: sort}]\n";
    struct pb_scenario *one = parse_scenario(formatted(yaml, "1")),
                       *seven = parse_scenario(formatted(yaml, "7"));
    assert_false(same_program(one, seven));
    assert_int_equal(pb_scenario_set_seed(one, 7, NULL), PB_OK);
    assert_int_equal(one->seed, 7);
    assert_true(same_program(one, seven));
    assert_verdict(run_scenario(one, NULL), PB_VERDICT_PASS);
}

/* An interrupted run says nothing of lines that were not typed. */
TEST(a_run_that_is_cut_before_the_program_is_loaded_blames_nobody)
{
    struct pb_scenario *scenario = parse_scenario("cube: {dims: 4}\nnodes: [{address: 9, kind: native}]\n"
                                                  "traffic: [{program: sort}]\n");
    struct pb_observation *const seen = play_scenario(scenario, NULL);
    struct pb_observation *const cut = copy_observation(seen);
    cut->answer->typed = false;
    cut->answer->loaded[0] = cut->answer->program[0] = '\0';
    snprintf(cut->cut, sizeof cut->cut, "interrupted");
    assert_int_equal(judge_seen(scenario, cut)->findings_total, 0);
    struct pb_observation *const silent = copy_observation(seen);
    silent->answer->loaded[0] = '\0';
    assert_int_equal(judge_seen(scenario, silent)->verdict, PB_VERDICT_FAIL);
}

TEST(a_fault_is_refused)
{
    struct pb_scenario *scenario =
        parse_scenario("name: t\ncube: {dims: 4}\nnodes: [{address: 9, kind: native}]\n"
                       "traffic: [{program: sort}]\n");
    const struct pb_fault_text fault = {.kind = "open", .superframe = "0", .phase = "0"};
    struct pb_diag diag = {""};
    assert_int_equal(pb_scenario_add_fault(scenario, &fault, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "traffic[0].program: a fault ends a program at the first frame"));
}

TEST(a_wrong_result_fails_at_the_end)
{
    other_result = true;
    struct pb_result *result = run_program("4", "{address: 9, kind: native}", "", "scan");
    other_result = false;
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->findings_total, 1);
    assert_finding(result, 0, PB_FINDING_CONSOLE, 1, 7, -1);
    assert_non_null(strstr(result->finding[0].expected, "to the line 'R'"));
}

TEST(defects_at_the_pins_fail)
{
    static const struct {
        const char *defect;
        enum pb_finding_kind kind;
    } row[] = {{"swapped_links", PB_FINDING_MISSING},
               {"flipped_bit", PB_FINDING_WRONG_BYTES},
               {"late_start", PB_FINDING_LATE}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *node = formatted("{address: 9, kind: native, defect: %s}", row[i].defect);
        struct pb_result *result = run_program("4", node, "", "scan");
        bool found = false;
        assert_verdict(result, PB_VERDICT_FAIL);
        for (size_t j = 0; j < result->findings; j++)
            found |= result->finding[j].kind == row[i].kind;
        if (!found)
            fail_msg("%s: no finding of its kind", row[i].defect);
    }
}

/* The first finding of each; docs/node.md has these at the sentence of the defect. */
TEST(defects_of_programs_fail)
{
    static const struct {
        const char *defect, *program;
        enum pb_finding_kind kind;
    } row[] = {{"program_keeps_larger", "allreduce, argument: 1", PB_FINDING_WRONG_BYTES},
               {"program_keeps_larger", "sort", PB_FINDING_WRONG_BYTES},
               {"program_speaks", "sort", PB_FINDING_UNEXPECTED},
               {"program_skips", "sort", PB_FINDING_MISSING},
               {"program_unnumbered", "scan", PB_FINDING_WRONG_BYTES},
               {"program_mixes", "scan", PB_FINDING_WRONG_BYTES},
               {"program_late", "scan", PB_FINDING_WRONG_BYTES},
               {"program_shifted", "scan", PB_FINDING_MISSING},
               {"program_stale", "sort", PB_FINDING_CONSOLE},
               {"program_misplaced", "sort", PB_FINDING_CONSOLE},
               {"program_runs_on", "scan", PB_FINDING_CONSOLE},
               {"program_survives", "scan", PB_FINDING_CONSOLE}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *node = formatted("{address: 9, kind: contract, defect: %s}", row[i].defect);
        struct pb_result *result = run_program("4", node, "", row[i].program);
        assert_verdict(result, PB_VERDICT_FAIL);
        if (result->finding[0].kind != row[i].kind)
            fail_msg("%s: found as %d", row[i].defect, (int)result->finding[0].kind);
    }
    struct pb_result *result = run_program("4", "{address: 9, kind: contract, defect: program_pads_ones}",
                                           "payload: 6 bytes", "life, argument: 1");
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->finding[0].kind, PB_FINDING_WRONG_BYTES);
}

/* Without a program there is nothing that they could change. */
TEST(defects_of_programs_do_nothing_without_one)
{
    static const char *const defect[] = {"program_speaks", "program_goes_on", "program_leaks",
                                         "program_survives"};
    for (size_t i = 0; i < COUNT(defect); i++)
        assert_verdict(run_yaml(formatted("cube: {dims: 3}\ntraffic: [{pattern: complement}]\n"
                                          "nodes: [{address: 5, kind: contract, defect: %s}]\n",
                                          defect[i]),
                                NULL),
                       PB_VERDICT_PASS);
}

TEST(a_node_without_programs_fails)
{
    struct pb_result *result = run_program("4", "{address: 5, kind: ref}", "", "sort");
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(result->finding[0].kind, PB_FINDING_CONSOLE);
    assert_non_null(strstr(result->finding[0].expected, "answers '+P 4' to the line 'P sort 0 "));
    assert_string_equal(result->finding[0].seen, "it answered '-unknown'");
}

/* ---- what cannot be run */

TEST(scenarios_that_cannot_be_run_are_refused)
{
    static const struct {
        const char *yaml, *says;
    } row[] = {
        {"traffic: [{program: sorted}]\n", "'sorted' is no program; give broadcast, allreduce"},
        {"traffic: [{program: sort, argument: 1}]\n", "the argument of program 'sort' is 1; give 0..0"},
        {"traffic: [{program: sort, repeat: 2}]\n", "runs once, from superframe 0 on; leave out superframe"},
        {"traffic: [{program: sort, pattern: complement}]\n",
         "has 2 of pattern, file, program, and from with to"},
        {"traffic: [{program: sort}, {from: 0, to: 1}]\n",
         "is in a list with a program, which is alone there"},
        {"traffic: [{from: 0, to: 1}, {program: sort}]\n",
         "is in a list with a program, which is alone there"},
        {"traffic: [{program: exchange}]\n", "program 'exchange' has 16384 bytes of input of a node"},
        {"traffic: [{program: fft}]\n",
         "program 'fft' has payloads of 8 bytes, those of the run have 6; leave link.payload out"},
        {"  - {address: 2, kind: native}\n  - {address: 4, kind: native}\n  - {address: 7, kind: native}\n"
         "cube: {dims: 4}\ntraffic: [{program: life, argument: 65535}]\n",
         "makes more than 1048576 frames at the nodes of the rig in 65535 superframes; lower argument"},
        {"traffic: [{program: life, argument: 0}]\n", "program 'life' has no superframe"},
        {"traffic: [{pattern: complement, argument: 1}]\n", "is of a program; leave it out, or give program"},
        {"clock: {source: external}\ntraffic: [{program: scan}]\n", "an external clock runs before"},
        {"traffic: [{program: scan}]\nfaults: [{kind: missing_edge, superframe: 0, phase: 2}]\n",
         "faults: a fault ends a program at the first frame that it alters"},
        {"network: {family: generalised, radix: [4, 3]}\ntraffic: [{program: sort}]\n",
         "program 'sort' runs on a binary cube"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *yaml = formatted("nodes:\n  - {address: 1, kind: native}\n%s", row[i].yaml);
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        assert_int_equal(pb_scenario_parse(&scenario, "t", yaml, strlen(yaml), &diag), PB_ERR_CONFIG);
        if (!strstr(diag.text, row[i].says))
            fail_msg("%s: refused by '%s', expected '%s'", row[i].yaml, diag.text, row[i].says);
    }
}
