/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is tried after the run (docs/node.md): every defect of the sentences that no run provokes is found in
 * all kinds of settings, sound nodes pass in the same ones, and each answer, frame and counter is judged.
 * Expected findings are those of the tables of the page; answers, frames and counters are worked out from it
 * by hand.
 */
#include "host/check/check.h"
#include "tests/unit/run_fixture.h"
#include "tests/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
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
            for (unsigned c = 0; (clause = pb_result_unchecked(result, c)); c++)
                assert_true(!strstr(clause, "after the run"));
        }
}

/* Each in a third of the settings, and in that with one dimension, in which a message to the node itself and
 * one to its neighbour want the same phase. */
TEST(test_each_defect_is_found)
{
    static const struct {
        const char *defect;
        enum pb_finding_kind kind,
            other; /* other: in one dimension; PB_FINDING_KINDS: another frame, or none */
    } row[] = {
        {"refused_counts", PB_FINDING_CONSOLE, PB_FINDING_CONSOLE},
        {"pads_ones", PB_FINDING_WRONG_BYTES, PB_FINDING_WRONG_BYTES},
        {"sends_to_itself", PB_FINDING_UNEXPECTED, PB_FINDING_WRONG_BYTES},
        {"keeps_counters", PB_FINDING_COUNTERS, PB_FINDING_COUNTERS},
        {"keeps_mode", PB_FINDING_MISSING, PB_FINDING_MISSING},
        {"echo_elsewhere", PB_FINDING_KINDS, PB_FINDING_KINDS},
        {"echo_altered", PB_FINDING_WRONG_BYTES, PB_FINDING_WRONG_BYTES},
        {"echo_routes", PB_FINDING_KINDS, PB_FINDING_MISSING},
        {"echo_stays", PB_FINDING_KINDS, PB_FINDING_UNEXPECTED},
        {"keeps_address", PB_FINDING_IDENTITY, PB_FINDING_IDENTITY},
        {"no_reason", PB_FINDING_CONSOLE, PB_FINDING_CONSOLE},
    };
    for (size_t d = 0; d < COUNT(row); d++)
        for (size_t i = 0; i < COUNT(setting); i++) {
            /* It needs a second dimension. */
            if (i == 1 ? !strcmp(row[d].defect, "echo_elsewhere") : (i + d) % 3 != 0)
                continue;
            struct pb_result *result =
                run_setting(i, formatted(", kind: contract, defect: %s", row[d].defect));
            assert_verdict(result, PB_VERDICT_FAIL);
            const struct pb_finding *first = NULL;
            for (size_t f = 0; f < result->findings; f++)
                if (result->finding[f].fault < 0) {
                    first = first ? first : &result->finding[f];
                    assert_int_equal(strncmp(result->finding[f].expected, "after the run: ", 15), 0);
                    assert_true(result->finding[f].superframe >= result->superframes);
                    assert_in_range(result->finding[f].time_ps,
                                    result->phase_ps * result->network.phases * result->superframes,
                                    INT64_MAX);
                }
            assert_non_null(first);
            const enum pb_finding_kind kind = result->network.ports == 1 ? row[d].other : row[d].kind;
            if (kind == PB_FINDING_KINDS)
                assert_true(first->kind == PB_FINDING_UNEXPECTED || first->kind == PB_FINDING_MISSING ||
                            first->kind == PB_FINDING_WRONG_BYTES);
            else
                assert_int_equal(first->kind, kind);
            assert_non_null(strstr(result->reason, "after the run"));
        }
}

/* ---- what cannot be tried is listed */

static bool is_unchecked(const struct pb_result *result, const char *what)
{
    const char *clause;
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++)
        if (strstr(clause, what))
            return true;
    return false;
}

TEST(test_what_is_left_out_is_listed)
{
    static const struct {
        const char *yaml, *clause;
    } row[] = {
        {"cube: {dims: 4}\nclock: {source: external}\nnodes: [{address: 0x5}]\n"
         "traffic: [{from: 0x5, to: 0x6, superframe: 1}]\n",
         "as the outside clock runs on"},
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

/* Two superframes of 2 s at most: 24 phases at 12 Hz. */
TEST(test_long_superframes_are_left_out)
{
    static const struct {
        const char *link;
        bool fits;
    } row[] = {{"link: {phase_rate: 12 Hz}", true},
               {"link: {phase_rate: 11.9 Hz}", false},
               {"clock: {source: external}", false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        assert_int_equal(pb_epilogue_fits(parse_scenario(formatted(
                             "%s\nnodes: [{address: 0x1}]\ntraffic: [{from: 0x1, to: 0x0}]\n", row[i].link))),
                         row[i].fits);
    }
}

/* ---- what was played, changed: node 0x5 of the 4-cube; two bytes of payload */

static struct pb_scenario *scenario;
static struct pb_observation *played;

static int play(void **state)
{
    (void)state;
    scenario = parse_scenario("cube: {dims: 4}\nlink: {payload: 2 bytes}\nnodes: [{address: 0x5}]\n"
                              "traffic: [{from: 0x5, to: 0x6}]\n");
    played = play_scenario(scenario, NULL);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    return 0;
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
        enum pb_finding_kind kind; /* PB_FINDING_KINDS: right */
    } row[] = {
        {PB_EPILOGUE_ADDRESS, "+A 4", PB_FINDING_KINDS},
        {PB_EPILOGUE_ADDRESS, "+A 004", PB_FINDING_KINDS},
        {PB_EPILOGUE_ADDRESS, "+A 5", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "+A", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "+A 4x", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "-busy", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ADDRESS, "", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_IDENTITY, "+I node=native addr=4 dims=4 fw=1", PB_FINDING_KINDS},
        {PB_EPILOGUE_IDENTITY, "+I node=native addr=5 dims=4 fw=1", PB_FINDING_IDENTITY},
        {PB_EPILOGUE_REFUSED, "-range", PB_FINDING_KINDS},
        {PB_EPILOGUE_REFUSED, "-syntax", PB_FINDING_KINDS},
        {PB_EPILOGUE_REFUSED, "-", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_REFUSED, "-rang", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_REFUSED, "-ranges", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_REFUSED, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_CLEAR, "-unknown", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_SELF, "+S 00", PB_FINDING_KINDS},
        {PB_EPILOGUE_SELF, "+S 1", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_SELF, "-range", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MESSAGE, "+S 1", PB_FINDING_KINDS},
        {PB_EPILOGUE_MESSAGE, "+S 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_MODE, "+M 2", PB_FINDING_KINDS},
        {PB_EPILOGUE_MODE, "+M 0", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ECHO, "+M 1", PB_FINDING_KINDS},
        {PB_EPILOGUE_ECHO, "+M 2", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ECHO, "-range", PB_FINDING_CONSOLE},
        {PB_EPILOGUE_ROUTE, "+M 0", PB_FINDING_KINDS},
        {PB_EPILOGUE_ROUTE, "+M 1", PB_FINDING_CONSOLE},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_observation *seen = copy_observation(played);
        char *answer = seen->epilogue.node[0].answer[row[i].line].text;
        const bool right = row[i].kind == PB_FINDING_KINDS;
        snprintf(answer, sizeof seen->epilogue.node[0].answer[0].text, "%s", row[i].answer);
        judge(seen, right ? PB_VERDICT_PASS : PB_VERDICT_FAIL, row[i].kind, !right);
    }
}

/* The bytes, in the order of time: 0x5 to 0xD on dimension 3, destination, sequence 1, 5A and 00, check;
 * then frames in phases 1, 2, 5 and 6. Then a frame of the bench to the node in phases 0, 3, 4 and 7, for
 * the neighbours on dimensions 1, 2, 3 and 0; in mode 1 they come back in phases 1 and 5 and, a superframe
 * later, 2 and 6; in mode 0 they leave in phases 2, 5 and 6 and, a superframe later, 1. Each byte, changed,
 * missing or doubled, is one finding. */
TEST(test_each_byte_is_judged)
{
    static const uint8_t frame[] = {0x0D, 0x10, 0x5A, 0x00};
    static const uint8_t link[] = {3, 0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 1, 3, 0, 1, 1, 2, 2, 3, 3, 0};
    /* From the sixth frame on: the dimension on which the bench sends it, and its destination. */
    static const uint8_t from[] = {0, 0, 1, 2, 2, 3, 1, 3, 0, 0, 1, 2, 1, 2, 3, 3},
                         to[] = {0x7, 0x1, 0xD, 0x4};
    size_t byte[128], bytes = 0;
    for (size_t i = 0; i < played->epilogue.events.count; i++)
        if (played->epilogue.events.event[i].kind == PB_EVENT_BYTE)
            byte[bytes++ % COUNT(byte)] = i;
    assert_int_equal(bytes, COUNT(link) * 5);
    for (size_t i = 0; i < bytes; i++) {
        const struct pb_event *event = &played->epilogue.events.event[byte[i]];
        assert_int_equal(event->link, link[i / 5]);
        if (i < COUNT(frame))
            assert_int_equal(pb_event_data(event), frame[i]);
        if (i >= 25 && i % 5 < 4) {
            const unsigned d = from[i / 5 - 5];
            const uint8_t due[] = {to[d], (uint8_t)(d << 4), (uint8_t)(0x5A + 16 * d),
                                   (uint8_t)(0x5B + 16 * d)};
            assert_int_equal(pb_event_data(event), due[i % 5]);
        }
        for (unsigned way = 0; way < 4; way++) {
            struct pb_observation *seen = copy_observation(played);
            struct pb_event *changed = &seen->epilogue.events.event[byte[i]];
            enum pb_finding_kind kind = PB_FINDING_WRONG_BYTES;
            if (way == 0)
                changed->value ^= 1; /* a bit */
            else if (way == 1)
                changed->value ^= 1 << 8; /* the stop bit */
            else if (way == 2)
                changed->kind = PB_EVENT_CONSOLE;
            else {
                changed->link = (uint8_t)((changed->link + 1) % 4);
                kind = PB_FINDING_KINDS; /* two lines are wrong at once: the lower one is told */
            }
            judge(seen, PB_VERDICT_FAIL, kind, 1);
        }
    }
}

/* No message that came, one to itself, one that left: since Z. */
TEST(test_each_counter_is_judged)
{
    static const struct {
        const char *key;
        unsigned value;
    } row[] = {
        {"edges", 8},        {"superframes", 1}, {"rx_frames", 0},   {"delivered", 1},      {"forwarded", 0},
        {"own_messages", 2}, {"tx_frames", 1},   {"queue_drops", 0}, {"console_errors", 0},
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned value = 0; value < 12; value++) {
            struct pb_observation *seen = copy_observation(played);
            char *said = seen->epilogue.node[0].statistics, text[sizeof played->epilogue.node[0].statistics],
                 key[40];
            const int length = snprintf(key, sizeof key, " %s=", row[i].key);
            const char *at = strstr(played->epilogue.node[0].statistics, key);
            assert_non_null(at);
            const char *rest = at + length + strcspn(at + length, " ");
            snprintf(text, sizeof text, "%.*s%X%s", (int)(at + length - played->epilogue.node[0].statistics),
                     played->epilogue.node[0].statistics, value, rest);
            memcpy(said, text, sizeof text);
            const bool right = value == row[i].value;
            judge(seen, right ? PB_VERDICT_PASS : PB_VERDICT_FAIL, PB_FINDING_COUNTERS, !right);
        }
}

/* Events of the epilogue that were lost, or a clock that is not the ordered one, are no word about a node. */
TEST(test_lost_events_prove_nothing)
{
    for (unsigned way = 0; way < 4; way++) {
        struct pb_observation *seen = copy_observation(played);
        struct pb_events *events = &seen->epilogue.events;
        for (size_t i = 0; i < events->count; i++) {
            if (events->event[i].kind == PB_EVENT_BYTE)
                events->event[i].kind = PB_EVENT_CONSOLE;
            if (way == 1 && events->event[i].kind == PB_EVENT_PHASE && pb_event_phase(&events->event[i]) == 3)
                events->event[i].kind = PB_EVENT_CONSOLE;
        }
        if (way == 0)
            seen->epilogue.lost = 1;
        if (way == 2)
            events->event[events->count - 1].tick = UINT64_MAX;
        if (way == 3)
            seen->epilogue.played = false;
        judge(seen, PB_VERDICT_PASS, PB_FINDING_KINDS, 0);
    }
}

/* The run's own judgement does not change: a finding of the run stands alone. */
TEST(test_a_failed_run_gains_nothing)
{
    struct pb_observation *seen = copy_observation(played);
    snprintf(seen->answer[0].identity, sizeof seen->answer[0].identity, "+I node=native addr=6 dims=4 fw=1");
    snprintf(seen->epilogue.node[0].answer[PB_EPILOGUE_SELF].text, 8, "+S 7");
    judge(seen, PB_VERDICT_FAIL, PB_FINDING_IDENTITY, 1);
}

int main(void)
{
    return test_all(play, forget);
}
