/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is tried after the run (docs/node.md): every defect of the sentences that no run provokes is found in
 * all kinds of settings, sound nodes pass in the same ones, and each answer, frame and counter is judged.
 * Expected findings are those of the tables of the page; answers, frames and counters are worked out from it
 * by hand.
 *
 * evidence: sentences of the contract that no run provokes
 *   simulated: tested after the run; each of their defects is found, sound nodes of every kind pass
 */
#include "host/check/check.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

/* Settings, with a place for what else is to be said of the first node. All of these nodes have own messages.
 */
static const char *const setting[] = {
    /* the default codec, six bytes of payload, one node of the 4-cube */
    "cube: {dims: 4}\nnodes: [{address: 0x5%s}]\ntraffic: [{from: 0x5, to: 0x6}, {from: 0x4, to: 0xF}]\n",
    /* one dimension, one byte */
    "cube: {dims: 1}\nlink: {payload: 1 bytes}\nnodes: [{address: 0x1%s}]\ntraffic: [{from: 0x1, to: 0x0}]\n",
    /* the whole machine, the other end of each range */
    "cube: {dims: 12}\nnodes: [{address: 0xFFF%s}]\ntraffic: [{from: 0xFFF, to: 0x000}]\n",
    /* StarC frames, any way */
    "cube: {dims: 3, rule: opportunistic}\nlink: {phase_rate: 1 kHz, codec: starc, payload: 24 bytes}\n"
    "nodes: [{address: 0x2%s}]\ntraffic: [{from: 0x2, to: 0x5}]\n",
    /* driven lines, two nodes that are joined on the highest dimension, a slow console */
    "cube: {dims: 3}\nlink: {drive: push_pull, console_baud: 57600 baud}\n"
    "nodes: [{address: 0x1%s}, {address: 0x5}]\ntraffic: [{from: 0x1, to: 0x7}, {from: 0x5, to: 0x1}]\n",
    /* two nodes joined on dimension 0, the other one without counters */
    "cube: {dims: 2}\nnodes: [{address: 0x2%s}, {address: 0x3, kind: ref}]\n"
    "traffic: [{from: 0x2, to: 0x1}, {from: 0x3, to: 0x2}]\n",
    /* four nodes, each with two neighbours on the rig; bytes alone */
    "cube: {dims: 2}\ncapture: bytes\nnodes: [{address: 0x0%s}, {address: 0x1}, {address: 0x2}, {address: "
    "0x3}]\n"
    "traffic: [{pattern: complement}]\n",
    /* a single digit: the other address is a neighbour, and most that waits leaves on one link */
    "network: {family: generalised, radix: [6]}\nnodes: [{address: 0x4%s}]\n"
    "traffic: [{from: 0x4, to: 0x1}]\n",
    /* faults that last to the end of the run */
    "cube: {dims: 4}\nnodes: [{address: 0x5%s}]\ntraffic: [{from: 0x5, to: 0x6, repeat: 3}]\n"
    "faults: [{kind: stuck_low, node: 0x5, dimension: 3, phase: 6, superframe: 2}]\n",
};

static struct pb_result *run_setting(size_t i, const char *words)
{
    const char *yaml = formatted(setting[i], words);
    return run_yaml(yaml, NULL);
}

/* ---- sound and broken nodes */

TEST(test_sound_nodes_pass)
{
    static const char *const kind[] = {"", ", kind: contract, clock_error: 10000 ppm, irq_latency: 3 us",
                                       ", kind: ref"};
    for (size_t i = 0; i < COUNT(setting); i++)
        for (size_t k = 0; k < (i < 3 ? 3 : 2); k++) {
            struct pb_result *result = run_setting(i, kind[k]);
            assert_verdict(result, PB_VERDICT_PASS);
            const char *clause;
            unsigned unheard = 0; /* each of two resets listens to one node */
            for (unsigned c = 0; (clause = pb_result_unchecked(result, c)); c++)
                if (strstr(clause, "UART0_TX in the resets after the run"))
                    unheard += strstr(clause, "node 0x2") || strstr(clause, "node 0x3") ? 1 : 100;
                else
                    assert_true(!strstr(clause, "after the run"));
            assert_int_equal(unheard, strstr(setting[i], "{address: 0x1}, {address: 0x2}") ? 2 : 0);
        }
}

/* Each in one of the settings, and in that with one dimension, in which a message to the node itself and one
 * to its neighbour want the same phase. */
TEST(test_each_defect_is_found)
{
    static const struct {
        const char *defect;
        enum pb_finding_kind kind; /* PB_FINDING_KINDS: of a frame, or of the A that it is in the way of */
    } row[] = {
        {"refused_counts", PB_FINDING_CONSOLE},
        {"pads_ones", PB_FINDING_WRONG_BYTES},
        {"sends_to_itself", PB_FINDING_KINDS},
        {"keeps_counters", PB_FINDING_COUNTERS},
        {"clears_some", PB_FINDING_COUNTERS},
        {"clears_some, defect_every: once", PB_FINDING_COUNTERS},
        {"keeps_counters, defect_every: once", PB_FINDING_COUNTERS},
        {"depth_off", PB_FINDING_COUNTERS},
        {"pads_ones, defect_every: once", PB_FINDING_WRONG_BYTES},
        {"pads_stale", PB_FINDING_WRONG_BYTES},
        {"reset_keeps_refused", PB_FINDING_COUNTERS},
        {"address_ends_mode", PB_FINDING_KINDS},
        {"identity_ends_mode", PB_FINDING_KINDS},
        {"mode_toggles", PB_FINDING_KINDS},
        {"mode_clears_depth", PB_FINDING_COUNTERS},
        {"show_clears", PB_FINDING_COUNTERS},
        {"refused_ends_mode", PB_FINDING_KINDS},
        {"crc_but_prbs", PB_FINDING_COUNTERS},
        {"prbs_takes_outside", PB_FINDING_KINDS},
        {"prbs_drops_own", PB_FINDING_COUNTERS},
        {"home_is_own", PB_FINDING_KINDS},
        {"clear_ends_echo", PB_FINDING_KINDS},
        {"show_ends_echo", PB_FINDING_KINDS},
        {"echo_once", PB_FINDING_KINDS},
        {"zeros_refused", PB_FINDING_CONSOLE},
        {"prbs_restarts", PB_FINDING_WRONG_BYTES},
        {"reset_keeps_echo", PB_FINDING_KINDS},
        {"clear_forgets", PB_FINDING_CONSOLE},
        {"clear_restarts", PB_FINDING_CONSOLE},
        {"reset_keeps_received", PB_FINDING_KINDS},
        {"reset_keeps_high", PB_FINDING_KINDS},
        {"reset_keeps_phase", PB_FINDING_COUNTERS},
        {"refused_twice", PB_FINDING_CONSOLE_NOISE},
        {"repeats_dropped", PB_FINDING_KINDS},
        {"crc_but_echo", PB_FINDING_KINDS},
        {"prbs_deaf", PB_FINDING_KINDS},
        {"self_uncounted", PB_FINDING_COUNTERS},
        {"crc_but_moved", PB_FINDING_KINDS},
        {"clear_drops_received", PB_FINDING_KINDS},
        {"count_forgets", PB_FINDING_KINDS},
        {"busy_by_own", PB_FINDING_CONSOLE},
        {"clear_ends_mode", PB_FINDING_KINDS},
        {"keeps_mode", PB_FINDING_KINDS},
        {"mode_forgets", PB_FINDING_KINDS},
        {"echo_elsewhere", PB_FINDING_KINDS},
        {"echo_altered", PB_FINDING_KINDS},
        {"echo_routes", PB_FINDING_KINDS},
        {"echo_drops_own", PB_FINDING_KINDS},
        {"echo_drops_outside", PB_FINDING_KINDS},
        {"echo_stays", PB_FINDING_KINDS},
        {"prbs_stays", PB_FINDING_CONSOLE},
        {"prbs_zeros", PB_FINDING_WRONG_BYTES},
        {"prbs_still", PB_FINDING_WRONG_BYTES},
        {"prbs_idle", PB_FINDING_MISSING},
        {"keeps_address", PB_FINDING_IDENTITY},
        {"busy_ignored", PB_FINDING_CONSOLE},
        {"address_said", PB_FINDING_KINDS},
        {"address_forgotten", PB_FINDING_KINDS},
        {"no_reason", PB_FINDING_CONSOLE},
        {"obeys_mode", PB_FINDING_KINDS},
        {"obeys_half", PB_FINDING_KINDS},
        {"takes_beyond", PB_FINDING_CONSOLE},
        {"reset_keeps_mode", PB_FINDING_KINDS},
        {"reset_keeps_address", PB_FINDING_KINDS},
        {"reset_keeps_counters", PB_FINDING_COUNTERS},
        {"warm_uart", PB_FINDING_RESET},
        {"warm_pull", PB_FINDING_LOW_BEFORE},
        {"warm_unused", PB_FINDING_BEYOND},
    };
    for (size_t d = 0; d < COUNT(row); d++)
        for (size_t i = 0; i < COUNT(setting); i++) {
            const bool two_dims = !strcmp(row[d].defect, "echo_elsewhere") ||
                                  !strcmp(row[d].defect, "reset_keeps_high") ||
                                  !strcmp(row[d].defect, "repeats_dropped");
            if (i == 1 ? two_dims : (i + d) % COUNT(setting) != 0)
                continue;
            /* No address is outside 12 dimensions, and no link beyond them; of several nodes none owns
             * one, and it is not known whose a second answer is. */
            if (i > 1 &&
                (!strcmp(row[d].defect, "echo_drops_outside") ||
                 !strcmp(row[d].defect, "prbs_takes_outside") || !strcmp(row[d].defect, "warm_unused") ||
                 !strcmp(row[d].defect, "refused_twice")))
                continue;
            struct pb_result *result =
                run_setting(i, formatted(", kind: contract, defect: %s", row[d].defect));
            assert_verdict(result, PB_VERDICT_FAIL);
            /* The lines before Z show it in the run itself. */
            const bool after = strcmp(row[d].defect, "keeps_counters") &&
                               strcmp(row[d].defect, "clears_some") && strcmp(row[d].defect, "depth_off");
            const struct pb_finding *first = NULL;
            for (size_t f = 0; f < result->findings; f++)
                if (result->finding[f].fault < 0) {
                    first = first ? first : &result->finding[f];
                    if (!after)
                        continue;
                    assert_int_equal(strncmp(result->finding[f].expected, "after the run: ", 15), 0);
                    assert_true(result->finding[f].superframe >= result->superframes);
                    assert_in_range(result->finding[f].time_ps,
                                    result->phase_ps * result->network.phases * result->superframes,
                                    INT64_MAX);
                }
            assert_non_null(first);
            if (row[d].kind != PB_FINDING_KINDS && first->kind != row[d].kind)
                fail_msg("%s in setting %zu: %s", row[d].defect, i, result->reason);
            if (row[d].kind == PB_FINDING_KINDS && first->kind != PB_FINDING_UNEXPECTED &&
                first->kind != PB_FINDING_MISSING && first->kind != PB_FINDING_WRONG_BYTES &&
                first->kind != PB_FINDING_CONSOLE)
                fail_msg("%s: %s", row[d].defect, result->reason);
            assert_int_equal(strstr(result->reason, "after the run") != NULL, after);
        }
}

/* What the run made count: a Z must clear it with an odd seed, a reset with an even one. */
TEST(test_counters_of_faults_are_cleared)
{
    static const struct {
        const char *yaml, *key;
    } row[] = {
        {"{kind: extra_sync, superframe: 2, phase: 3}", "alignment_errors"},
        {"{kind: missing_edge, superframe: 2, phase: 3}", "missed_edges"},
        {"{kind: extra_edge, superframe: 2, phase: 1}", "extra_edges"},
        {"{kind: framing, node: 0x5, dimension: 3, superframe: 2}", "rx_framing_errors"},
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned seed = 1; seed <= 2; seed++)
            for (unsigned broken = 0; broken < 2; broken++) {
                const struct pb_result *result = run_yaml(
                    formatted("cube: {dims: 4}\nseed: %u\nnodes: [{address: 0x5, kind: contract%s}]\n"
                              "traffic: [{from: 0x5, to: 0x6, repeat: 4}, {from: 0xD, to: 0x5, repeat: 4}]\n"
                              "faults: [%s]\n",
                              seed, broken ? ", defect: clears_but_faults" : "", row[i].yaml),
                    NULL);
                const char *due = formatted("counts 0 of %s since Z", row[i].key);
                bool found = false;
                for (size_t f = 0; f < result->findings; f++)
                    found |= strstr(result->finding[f].expected, due) != NULL;
                assert_int_equal(found, broken && seed == 1);
                assert_verdict(result, found ? PB_VERDICT_FAIL : PB_VERDICT_PASS);
            }
}

/* ---- with an external clock */

TEST(test_an_outside_clock_leaves_lines_and_resets)
{
    static const struct {
        const char *defect;
        enum pb_finding_kind kind;
    } row[] = {
        {"none", PB_FINDING_KINDS},
        {"reset_keeps_queue", PB_FINDING_LOW_BEFORE},
        {"reset_keeps_mode", PB_FINDING_LOW_BEFORE},
        {"reset_keeps_address", PB_FINDING_IDENTITY},
        {"busy_ignored", PB_FINDING_CONSOLE},
        {"takes_beyond", PB_FINDING_CONSOLE},
        {"warm_uart", PB_FINDING_RESET},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_result *result = run_yaml(
            formatted("cube: {dims: 3}\nclock: {source: external}\nnodes: [{address: 0x5, kind: contract, "
                      "defect: %s}]\ntraffic: [{from: 0x4, to: 0x7, superframe: 1}]\n",
                      row[i].defect),
            NULL);
        const bool sound = row[i].kind == PB_FINDING_KINDS;
        if (result->verdict != (sound ? PB_VERDICT_PASS : PB_VERDICT_FAIL) ||
            (!sound && result->finding[0].kind != row[i].kind))
            fail_msg("%s: %s", row[i].defect, result->reason);
    }
}

/* ---- what cannot be tried is listed */

TEST(test_what_is_left_out_is_listed)
{
    static const struct {
        const char *yaml, *clause;
    } row[] = {
        {"cube: {dims: 4}\nclock: {source: external}\nnodes: [{address: 0x5}]\n"
         "traffic: [{from: 0x5, to: 0x6, superframe: 1}]\n",
         "as the external clock runs on"},
        {"cube: {dims: 4}\nlink: {console_baud: 3000 baud}\nnodes: [{address: 0x5}]\n"
         "traffic: [{from: 0x4, to: 0x7, repeat: 2}]\n",
         "as its console is too slow"},
        {"cube: {dims: 4}\nnodes: [{address: 0x5, kind: ref}]\ntraffic: [{from: 0x5, to: 0x6}]\n",
         "the console commands A, M and Z"},
        /* its frames end at the next edge */
        {"cube: {dims: 4}\nlink: {guard: 0 us, payload: 6 bytes}\nnodes: [{address: 0x5}]\n"
         "traffic: [{from: 0x5, to: 0x6}]\n",
         "its frames after the run"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_result *result = run_yaml(row[i].yaml, NULL);
        if (result->verdict != PB_VERDICT_PASS && result->verdict != PB_VERDICT_MARGINAL)
            fail_msg("%s: %s", row[i].clause, result->reason);
        if (!is_unchecked(result, row[i].clause))
            fail_msg("not listed: %s", row[i].clause);
    }
}

/* Superframes of 2 s at most: 24 phases at 12 Hz. */
TEST(test_long_superframes_are_left_out)
{
    static const struct {
        const char *link;
        bool fits;
    } row[] = {{"link: {phase_rate: 12 Hz}", true},
               {"link: {phase_rate: 11.9 Hz}", false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        assert_int_equal(!pb_epilogue_unfit(parse_scenario(formatted(
                             "%s\nnodes: [{address: 0x1}]\ntraffic: [{from: 0x1, to: 0x0}]\n", row[i].link))),
                         row[i].fits);
    }
}

/* ---- what was played, changed: node 0x5 of the 4-cube; two bytes of payload */

static struct pb_scenario *scenario;
static struct pb_observation *played;

static void play(void)
{
    scenario = parse_scenario("cube: {dims: 4}\nlink: {payload: 2 bytes}\nnodes: [{address: 0x5}]\n"
                              "traffic: [{from: 0x5, to: 0x6}]\n");
    played = play_scenario(scenario, NULL);
}

/* The first finding is of this kind; PB_FINDING_KINDS: of any. */
static void judge(struct pb_observation *seen, enum pb_verdict verdict, enum pb_finding_kind kind,
                  size_t findings)
{
    const struct pb_result *result = judge_seen(scenario, seen);
    assert_verdict(result, verdict);
    assert_int_equal(result->findings, findings);
    if (findings && kind != PB_FINDING_KINDS)
        assert_int_equal(result->finding[0].kind, kind);
}

TEST(test_each_answer_is_judged)
{
    static const struct {
        enum pb_epilogue_line line;
        const char *answer;
        enum pb_finding_kind kind; /* PB_FINDING_KINDS: correct */
    } row[] = {
        {PB_EPILOGUE_ADDRESS, "+A A", PB_FINDING_KINDS},
        {PB_EPILOGUE_ADDRESS, "+A 00a", PB_FINDING_KINDS},
        {PB_EPILOGUE_ADDRESS, "+A 5", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "+A", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "+A Ax", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "-busy", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_IDENTITY, "+I node=native addr=A dims=4 fw=1", PB_FINDING_KINDS},
        {PB_EPILOGUE_IDENTITY, "+I node=native addr=5 dims=4 fw=1", PB_FINDING_IDENTITY},
        {PB_EPILOGUE_IDENTITY, "+I addr=A", PB_FINDING_IDENTITY},
        {PB_EPILOGUE_IDENTITY, "+Ice node=native addr=A dims=4 fw=1", PB_FINDING_IDENTITY},
        {PB_EPILOGUE_IDENTITY, "+I node=native addr=A dims=5 fw=1", PB_FINDING_IDENTITY},
        {PB_EPILOGUE_CLEAR, "+Zebra", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MESSAGE, "+S 000000000", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_FAR, "-range", PB_FINDING_KINDS},
        {PB_EPILOGUE_FAR, "-syntax", PB_FINDING_KINDS},
        {PB_EPILOGUE_FAR, "-", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_FAR, "-rang", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_FAR, "-ranges", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_FAR, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_CLEAR, "-unknown", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_FOUND, "+M 2", PB_FINDING_KINDS},
        {PB_EPILOGUE_FOUND, "-range", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MESSAGE, "+S 00", PB_FINDING_KINDS},
        {PB_EPILOGUE_MESSAGE, "+S 1", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MESSAGE, "-range", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_SELF, "+S 2", PB_FINDING_KINDS},
        {PB_EPILOGUE_SELF, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_AGAIN, "+S 1", PB_FINDING_KINDS},
        {PB_EPILOGUE_AGAIN, "+S 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_PRBS, "+M 2", PB_FINDING_KINDS},
        {PB_EPILOGUE_PRBS, "+M 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ECHO, "+M 1", PB_FINDING_KINDS},
        {PB_EPILOGUE_ECHO, "+M 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ECHO, "-range", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ROUTE, "+M 0", PB_FINDING_KINDS},
        {PB_EPILOGUE_ROUTE, "+M 1", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_CLEAR, "+S 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_STAYING, "+M 1", PB_FINDING_KINDS},
        {PB_EPILOGUE_STAYING, "+M 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_BUSY, "-full", PB_FINDING_KINDS},
        {PB_EPILOGUE_BUSY, "+A D", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_LEFT, "+S 5", PB_FINDING_KINDS},
        {PB_EPILOGUE_LEFT, "+S 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_EMPTY, "-empty", PB_FINDING_KINDS},
        {PB_EPILOGUE_BARE, "+M 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_EMPTY, "+", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_CHARACTER, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_UNKNOWN, "+Q", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_HALF, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_LENGTH, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MISSING, "+M 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MODE, "+M 3", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_BEYOND, "+A 10", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_OUTSIDE, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_LAST, "+S 0", PB_FINDING_KINDS},
        {PB_EPILOGUE_LAST, "+S 1", PB_FINDING_CONSOLE},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *seen = copy_observation(played);
        struct pb_epilogue_node *node = &seen->epilogue.node[0];
        const int at = pb_epilogue_long(row[i].line);
        const bool right = row[i].kind == PB_FINDING_KINDS;
        if (at < 0)
            snprintf(node->answer[row[i].line].text, sizeof node->answer[0].text, "%s", row[i].answer);
        else
            snprintf(node->longs[at], sizeof node->longs[0], "%s", row[i].answer);
        judge(seen, right ? PB_VERDICT_PASS : PB_VERDICT_FAIL, row[i].kind, !right);
    }
}

/* A line that is low from the reset to the first edge after it, without an edge between, by the levels. */
TEST(test_a_line_that_is_low_through_a_reset)
{
    for (unsigned reset = 0; reset < played->epilogue.resets; reset++)
        for (unsigned link = 0; link < 4; link++) {
            struct pb_observation *seen = copy_observation(played);
            seen->epilogue.reset[reset].level_end ^= UINT64_C(1) << link;
            judge(seen, PB_VERDICT_FAIL, PB_FINDING_RESET, 1);
        }
}

/* The frames by their links, superframe by superframe, worked out from the page by a program of its own. At
 * 0x5 the node sends in phases 1, 2, 5, 6 and listens in 0, 3, 4, 7; at 0xA the other way round. First eight
 * frames of the bench, one of them a byte short, and the message to 0xD. Five superframes of mode 2. The
 * second message. At 0xA two superframes in which the bench sends what comes back, except one that is short
 * and one with a wrong bit, and one more. Two superframes of mode 2, with the same frames of the bench, one
 * without them, and two with those of the beginning; one without a phase; seven in which what waits leaves,
 * the first two of them with such frames again. At 0x5 four frames, of which three go on. At 0xA one of
 * mode 2; at 0x5 one without a phase, and last four frames, the node's own message, and what goes on. */
TEST(test_each_byte_is_judged)
{
    static const char links[] =
        "01233" "0123" "0123" "0123" "0123" "0123" "0123" "3" "01123" "00112233" "2" "00112233" "00112233"
        "0123" "00112233" "00112233" "0123" "00112233" "00112233" "03" "0" "0" "012233" "0" "00112233"
        "0123" "012233" "03";
    char seen[160] = "";
    size_t byte[800], bytes = 0, frames = 0;
    uint64_t last_tick = 0;
    for (size_t i = 0; i < played->epilogue.events.count; i++) {
        const struct pb_event *event = &played->epilogue.events.event[i];
        if (event->kind != PB_EVENT_BYTE)
            continue;
        /* A frame is 50 us long, a phase 100. */
        if (!frames || event->tick > last_tick + 15 * 48)
            seen[frames++ % (sizeof seen - 1)] = (char)('0' + event->link);
        last_tick = event->tick;
        byte[bytes++ % COUNT(byte)] = i;
    }
    assert_string_equal(seen, links);
    assert_int_equal(bytes, 5 * frames - 6);
    for (size_t i = 0; i < bytes; i++)
        for (unsigned way = 0; way < 4; way++) {
            struct pb_observation *changed_seen = copy_observation(played);
            struct pb_event *changed = &changed_seen->epilogue.events.event[byte[i]];
            if (way == 0)
                changed->value ^= 1; /* a bit */
            else if (way == 1)
                changed->value ^= 1 << 8; /* the stop bit */
            else if (way == 2)
                changed->kind = PB_EVENT_CONSOLE;
            else
                changed->link = (uint8_t)((changed->link + 1) % 4);
            /* Of two lines that are wrong at once the lower one is reported. */
            judge(changed_seen, PB_VERDICT_FAIL, way == 3 ? PB_FINDING_KINDS : PB_FINDING_WRONG_BYTES, 1);
        }
}

/* What was seen, with another value of a counter in one of the answers. */
static struct pb_observation *with_counter(const struct pb_observation *sound, const char *key,
                                           unsigned value, unsigned which)
{
    struct pb_observation *seen = copy_observation(sound);
    const char *whole = sound->epilogue.node[0].longs[which];
    char *said = seen->epilogue.node[0].longs[which], text[sizeof sound->epilogue.node[0].longs[0]], name[40];
    const int length = snprintf(name, sizeof name, " %s=", key);
    const char *at = strstr(whole, name);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%X%s", (int)(at + length - whole), whole, value,
             at + length + strcspn(at + length, " "));
    memcpy(said, text, sizeof text);
    return seen;
}

static void check_counter(const char *key, unsigned value, unsigned due, unsigned which)
{
    judge(with_counter(played, key, value, which), value == due ? PB_VERDICT_PASS : PB_VERDICT_FAIL,
          PB_FINDING_COUNTERS, value != due);
}

/* Since the first reset of a run with a fault and an even seed: two superframes of eight phases, with the
 * eight frames of the bench, and the message. The fault is forgotten. */
TEST(test_each_counter_since_the_reset_is_judged)
{
    static const struct {
        const char *key;
        unsigned due;
    } row[] = {{"edges", 16},           {"superframes", 2},      {"missed_edges", 0},
               {"extra_edges", 0},      {"alignment_errors", 0}, {"rx_framing_errors", 0},
               {"rx_length_errors", 0}, {"own_messages", 1},     {"queue_drops", 0}};
    const struct pb_scenario *const faulty =
        parse_scenario("cube: {dims: 4}\nseed: 2\nlink: {payload: 2 bytes}\nnodes: [{address: 0x5}]\n"
                       "traffic: [{from: 0x5, to: 0x6, superframe: 4}]\n"
                       "faults: [{kind: extra_edge, superframe: 2, phase: 1}]\n");
    const struct pb_observation *sound = play_scenario(faulty, NULL);
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned value = row[i].due ? row[i].due - 1 : 0; value <= row[i].due + 1; value++) {
            const struct pb_result *result =
                judge_seen(faulty, with_counter(sound, row[i].key, value,
                                                (unsigned)pb_epilogue_count(PB_EPILOGUE_SINCE)));
            const char *due = formatted("counts %u of %s since the reset", row[i].due, row[i].key);
            bool found = false;
            for (size_t f = 0; f < result->findings; f++)
                found |= strstr(result->finding[f].expected, due) != NULL;
            assert_int_equal(found, value != row[i].due);
            assert_verdict(result, found ? PB_VERDICT_FAIL : PB_VERDICT_PASS);
        }
}

/* By the same program. Since the first Z: five superframes of mode 2, a message to itself and one that
 * leaves. Since the second: three superframes of echoes, two of mode 2 in which the bench sends four frames
 * each, one in which it sends none. Since the third: two of mode 2 and seven of mode 0, with eight frames in
 * each two, four of which are whole and valid, one without a phase, three at home, one of mode 2. Since the
 * last reset: a superframe without a phase, a message, and four frames. */
TEST(test_each_counter_is_judged)
{
    enum { RANGE = 1000 };
    static const struct {
        const char *key;
        unsigned due[4]; /* since each Z, and since the reset */
    } row[] = {
        {"edges", {48, 48, 112, 24}},
        {"superframes", {6, 6, 13, 2}},
        {"delivered", {1, 0, 3, 1}},
        {"forwarded", {0, 14, 9, 3}},
        {"own_messages", {1, 1, 3, 1}},
        {"tx_frames", {21, 18, 27, 4}},
        {"queue_drops", {0, 0, 0, 0}},
        {"console_errors", {2, 2, 0, 0}},
        {"rx_frames", {0, 14, RANGE, 4}},
        {"rx_cut", {0, 1, 4, 0}},
        {"rx_crc_errors", {0, 1, 4, 0}},
        {"rx_bad_destinations", {0, 0, 4, 0}},
        {"tx_cut", {0, 0, 0, 0}},
        {"rx_framing_errors", {0, 0, 0, 0}},
        {"extra_edges", {0, 0, 0, 0}},
        {"late_starts", {0, 0, 0, 0}},
        {"alignment_errors", {0, 0, 1, 0}},
        {"max_queue", {RANGE, 3, 4, RANGE}},
        {"max_stored", {RANGE, 9, 11, RANGE}},
    };
    static const struct {
        enum pb_epilogue_line line;
        unsigned since;
    } shown[] = {{PB_EPILOGUE_ECHOING, 0},
                 {PB_EPILOGUE_SHOWN, 1},
                 {PB_EPILOGUE_HELD, 1},
                 {PB_EPILOGUE_LEFT_COUNTS, 2},
                 {PB_EPILOGUE_FINAL, 3}};
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned t = 0; t < COUNT(shown); t++) {
            const unsigned due = row[i].due[shown[t].since],
                           which = (unsigned)pb_epilogue_count(shown[t].line);
            if (due == RANGE)
                continue;
            for (unsigned value = due ? due - 1 : 0; value <= due + 1; value++)
                check_counter(row[i].key, value, due, which);
            check_counter(row[i].key, due + 32, due, which);
        }
}

/* A line that is refused may count as a line, and a frame for an address outside as a frame: of eleven lines
 * since the first Z two are refused, T is the last. */
TEST(test_each_range_is_judged)
{
    static const struct {
        const char *key;
        enum pb_epilogue_line line;
        unsigned least, most;
    } row[] = {{"console_lines", PB_EPILOGUE_ECHOING, 9, 11},
               {"console_lines", PB_EPILOGUE_SHOWN, 4, 6},
               {"console_lines", PB_EPILOGUE_HELD, 6, 8},
               {"console_lines", PB_EPILOGUE_LEFT_COUNTS, 10, 10},
               {"rx_frames", PB_EPILOGUE_LEFT_COUNTS, 12, 16},
               {"console_lines", PB_EPILOGUE_FINAL, 3, 3}};
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned value = row[i].least - 1; value <= row[i].most + 1; value++) {
            const bool right = value >= row[i].least && value <= row[i].most;
            check_counter(row[i].key, value, right ? value : value + 1,
                          (unsigned)pb_epilogue_count(row[i].line));
        }
}

/* With fewer dimensions than kinds of frames, too: whatever the seed begins with. */
TEST(test_each_kind_of_frame_is_sent)
{
    static const char *const defect[] = {"echo_drops_own", "echo_drops_outside"};
    for (unsigned dims = 2; dims <= 3; dims++)
        for (unsigned seed = 0; seed < 4; seed++)
            for (size_t d = 0; d < COUNT(defect); d++)
                assert_verdict(run_yaml(formatted("cube: {dims: %u}\nseed: %u\n"
                                                  "nodes: [{address: 1, kind: contract, defect: %s}]\n"
                                                  "traffic: [{from: 1, to: 2}]\n",
                                                  dims, seed, defect[d]),
                                        NULL),
                               PB_VERDICT_FAIL);
}

/* Events of the epilogue that were lost, or a clock off the configured rate, are no finding about a node. */
TEST(test_lost_events_prove_nothing)
{
    for (unsigned way = 0; way < 4; way++) {
        struct pb_observation *seen = copy_observation(played);
        struct pb_events *events = &seen->epilogue.events;
        size_t kept = 0;
        for (size_t i = 0; i < events->count; i++) {
            const struct pb_event *event = &events->event[i];
            if (event->kind != PB_EVENT_BYTE &&
                !(way == 1 && event->kind == PB_EVENT_PHASE && pb_event_phase(event) == 3))
                events->event[kept++] = *event;
        }
        events->count = kept;
        if (way == 0)
            seen->epilogue.lost = 1;
        if (way == 2)
            events->event[events->count - 1].tick = UINT64_MAX;
        if (way == 3)
            seen->epilogue.played = false;
        judge(seen, PB_VERDICT_PASS, PB_FINDING_KINDS, 0);
    }
}

/* The run's own judgement does not change: a finding of the run stays the only one. */
TEST(test_a_failed_run_gains_nothing)
{
    struct pb_observation *seen = copy_observation(played);
    snprintf(seen->answer[0].identity, sizeof seen->answer[0].identity, "+I node=native addr=6 dims=4 fw=1");
    snprintf(seen->epilogue.node[0].answer[PB_EPILOGUE_SELF].text, 8, "+S 7");
    judge(seen, PB_VERDICT_FAIL, PB_FINDING_IDENTITY, 1);
}

/* A run alone: a node that is broken after it alone passes, and nothing is listed as not checked. */
TEST(test_a_run_alone_tries_nothing_after_it)
{
    struct pb_scenario *scenario =
        parse_scenario(formatted(setting[0], ", kind: contract, defect: echo_stays"));
    const struct pb_run_options options = {.run_only = true};
    struct pb_result *result;
    assert_succeeds(pb_run(&result, scenario, &options, &diag));
    assert_verdict(result, PB_VERDICT_PASS);
    for (unsigned c = 0; pb_result_unchecked(result, c); c++)
        assert_null(strstr(pb_result_unchecked(result, c), "after the run"));
    pb_result_free(result);
}

AROUND_ALL(play, NULL)
