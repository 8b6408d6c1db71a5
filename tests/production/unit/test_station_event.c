/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a validation: which are events, which are garbled, and how a stream of bytes is cut into them.
 * Expected: the interface in docs/use/station.md. */
#include "host/production/station/event.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

static struct station_event event;

static bool reads(const char *line)
{
    return station_event_read(&event, line, strlen(line));
}

TEST(each_event_is_read_with_its_members)
{
    assert_true(
        reads("{\"event\":\"begin\",\"serial\":\"TM-0042\",\"operator\":\"ann\",\"profile\":\"quick\","
              "\"steps\":[{\"id\":\"bench\",\"purpose\":\"why\"},{\"id\":\"x\"}],\"started_utc\":\"t\"}"));
    assert_int_equal(event.kind, STATION_EVENT_BEGIN);
    assert_string_equal(event.serial, "TM-0042");
    assert_int_equal(event.steps, 2);
    assert_string_equal(event.step[0].id, "bench");
    assert_string_equal(event.step[0].purpose, "why");
    assert_string_equal(event.step[1].purpose, "");
    assert_int_equal(event.pid, 0);
    assert_true(reads("{\"event\":\"begin\",\"pid\":4711,\"serial\":\"x\",\"steps\":[{\"id\":\"a\"}]}"));
    assert_int_equal(event.pid, 4711);
    assert_true(reads("{\"event\":\"step\",\"index\":31,\"state\":\"skipped\",\"reason\":\"r\"}"));
    assert_int_equal(event.kind, STATION_EVENT_STEP);
    assert_int_equal(event.index, 31);
    assert_int_equal(event.state, STATION_STEP_SKIPPED);
    assert_string_equal(event.reason, "r");
    assert_true(reads("{\"event\":\"progress\",\"index\":0,\"share\":0.31,\"left_s\":12.5}"));
    assert_int_equal(event.kind, STATION_EVENT_PROGRESS);
    assert_float_equal(event.share, 0.31, 1e-12);
    assert_float_equal(event.left_s, 12.5, 1e-12);
    assert_true(reads("{\"event\":\"progress\",\"index\":0,\"share\":1}"));
    assert_true(event.left_s < 0);
    assert_true(reads("{\"event\":\"value\",\"index\":2,\"name\":\"line_rise/link3\",\"text\":\"14.0 ns\","
                      "\"limits\":\"0.0 to 319.5 ns\",\"judgement\":\"marginal\",\"new\":1}"));
    assert_int_equal(event.kind, STATION_EVENT_VALUE);
    assert_string_equal(event.text, "14.0 ns");
    assert_int_equal(event.judgement, PB_JUDGED_MARGINAL);
    assert_true(reads("{\"event\":\"end\",\"go\":\"go, marginal\",\"look\":\"l\",\"worst\":\"w\"}"));
    assert_int_equal(event.kind, STATION_EVENT_END);
    assert_int_equal(event.go, PB_GO_MARGINAL);
    assert_string_equal(event.worst, "w");
}

TEST(each_state_and_outcome_is_read)
{
    static const char *const states[] = {"pass", "marginal", "fail", "error", "skipped", "running"};
    for (int i = 0; i < (int)COUNT(states); i++) {
        assert_true(reads(formatted("{\"event\":\"step\",\"index\":0,\"state\":\"%s\"}", states[i])));
        assert_int_equal(event.state, i);
        assert_string_equal(station_step_name(event.state), states[i]);
    }
    static const char *const outcomes[] = {"go", "go, marginal", "no-go", "bench not ready", "incomplete"};
    for (int i = 0; i < (int)COUNT(outcomes); i++) {
        assert_true(reads(formatted("{\"event\":\"end\",\"go\":\"%s\"}", outcomes[i])));
        assert_int_equal(event.go, i);
    }
}

TEST(what_is_no_event_is_garbled)
{
    static const char *const lines[] = {
        "",
        "x",
        "1",
        "null",
        "[]",
        "{}",
        "{\"event\":1}",
        "{\"event\":\"other\"}",
        "{\"event\":\"end\",\"go\":\"go\"} x",
        "{\"event\":\"end\",\"go\":\"go\",\"go\":\"no-go\"}",
        "{\"event\":\"end\"}",
        "{\"event\":\"end\",\"go\":\"GO\"}",
        "{\"event\":\"end\",\"go\":0}",
        "{\"event\":\"end\",\"go\":\"go\",\"look\":1}",
        "{\"event\":\"end\",\"go\":\"go",
        "{\"event\":\"begin\",\"serial\":\"x\"}",
        "{\"event\":\"begin\",\"pid\":0,\"serial\":\"x\",\"steps\":[{\"id\":\"a\"}]}",
        "{\"event\":\"begin\",\"pid\":-1,\"serial\":\"x\",\"steps\":[{\"id\":\"a\"}]}",
        "{\"event\":\"begin\",\"pid\":4294967297,\"serial\":\"x\",\"steps\":[{\"id\":\"a\"}]}",
        "{\"event\":\"begin\",\"pid\":\"1\",\"serial\":\"x\",\"steps\":[{\"id\":\"a\"}]}",
        "{\"event\":\"begin\",\"serial\":\"x\",\"steps\":[]}",
        "{\"event\":\"begin\",\"serial\":\"x\",\"steps\":[1]}",
        "{\"event\":\"begin\",\"serial\":\"x\",\"steps\":[{}]}",
        "{\"event\":\"begin\",\"serial\":\"\",\"steps\":[{\"id\":\"a\"}]}",
        "{\"event\":\"begin\",\"serial\":\"x\",\"steps\":[{\"id\":\"a\",\"purpose\":1}]}",
        "{\"event\":\"step\",\"state\":\"pass\"}",
        "{\"event\":\"step\",\"index\":-1,\"state\":\"pass\"}",
        "{\"event\":\"step\",\"index\":32,\"state\":\"pass\"}",
        "{\"event\":\"step\",\"index\":1.0,\"state\":\"pass\"}",
        "{\"event\":\"step\",\"index\":4294967296,\"state\":\"pass\"}",
        "{\"event\":\"step\",\"index\":0,\"state\":\"pending\"}",
        "{\"event\":\"step\",\"index\":0,\"state\":\"\"}",
        "{\"event\":\"progress\",\"index\":0}",
        "{\"event\":\"progress\",\"index\":0,\"share\":\"1\"}",
        "{\"event\":\"progress\",\"index\":0,\"share\":1,\"left_s\":\"1\"}",
        "{\"event\":\"progress\",\"index\":0,\"share\":1e999}",
        "{\"event\":\"value\",\"index\":0,\"judgement\":\"pass\"}",
        "{\"event\":\"value\",\"index\":0,\"name\":\"n\"}",
        "{\"event\":\"value\",\"index\":0,\"name\":\"n\",\"judgement\":\"good\"}",
        "{\"event\":\"value\",\"index\":0,\"name\":\"\\u0000\",\"judgement\":\"pass\"}",
        "{\"event\":\"end\",\"go\":\"\377\"}",
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        if (reads(lines[i]))
            fail_msg("read: %s", lines[i]);
}

TEST(steps_are_at_most_32)
{
    for (int steps = 32; steps <= 33; steps++) {
        FILE *stream = open_text();
        fprintf(stream, "{\"event\":\"begin\",\"serial\":\"x\",\"steps\":[");
        for (int i = 0; i < steps; i++)
            fprintf(stream, "%s{\"id\":\"s%d\"}", i ? "," : "", i);
        fprintf(stream, "]}");
        assert_int_equal(reads(close_text(stream)), steps == 32);
    }
}

TEST(numbers_beyond_their_range_are_moved_to_its_end)
{
    assert_true(reads("{\"event\":\"progress\",\"index\":0,\"share\":1.0000001,\"left_s\":-1e-9}"));
    assert_float_equal(event.share, 1, 0);
    assert_float_equal(event.left_s, 0, 0);
    assert_true(reads("{\"event\":\"progress\",\"index\":0,\"share\":-3,\"left_s\":1e300}"));
    assert_float_equal(event.share, 0, 0);
    assert_float_equal(event.left_s, 1e7, 0);
}

TEST(texts_are_one_line_and_cut)
{
    char longest[1000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_true(reads(formatted(
        "{\"event\":\"end\",\"go\":\"go\",\"look\":\"a\\nb\\u001b[1m\",\"worst\":\"%s\"}", longest)));
    assert_null(strpbrk(event.look, "\n\033"));
    assert_int_equal(strlen(event.worst), sizeof event.worst - 1);
}

/* ---- the stream */

struct seen {
    unsigned events, garbled;
    char order[64];
};

static void on_event(void *context, const struct station_event *one)
{
    struct seen *seen = context;
    assert_true(seen->events + seen->garbled < sizeof seen->order - 1);
    seen->order[seen->events++ + seen->garbled] = (char)('0' + one->index);
}

static void on_garbled(void *context)
{
    struct seen *seen = context;
    seen->order[seen->events + seen->garbled++] = '-';
}

static struct seen cut(const char *bytes, size_t count, size_t portion)
{
    static struct station_lines lines;
    struct seen seen = {.events = 0};
    const struct station_lines_sink sink = {on_event, on_garbled, &seen};
    station_lines_clear(&lines);
    for (size_t at = 0; at < count; at += portion)
        station_lines_take(&lines, bytes + at, count - at < portion ? count - at : portion, &sink);
    return seen;
}

#define STEP(index) "{\"event\":\"step\",\"index\":" #index ",\"state\":\"pass\"}"

TEST(lines_are_the_same_in_any_portions)
{
    static const char bytes[] = STEP(1) "\n\n" STEP(2) "\nbad\n" STEP(3) "\r\n" STEP(4) "\n\0\n" STEP(5);
    for (size_t portion = 1; portion <= sizeof bytes; portion++)
        assert_string_equal(cut(bytes, sizeof bytes - 1, portion).order, "12-34-");
}

TEST(a_line_longer_than_32768_bytes_is_garbled_once)
{
    /* Blanks may follow an object, so that the longest line is an event. */
    for (size_t length = STATION_LINE_MAX - 1; length <= STATION_LINE_MAX + 1; length++) {
        char *bytes = hand_over(malloc(length + 200), free);
        memset(bytes, ' ', length);
        memcpy(bytes, STEP(1), strlen(STEP(1)));
        memcpy(bytes + length, "\n" STEP(2) "\n", strlen("\n" STEP(2) "\n"));
        const size_t count = length + strlen("\n" STEP(2) "\n");
        for (size_t portion = 1000; portion < 70000; portion *= 3)
            assert_string_equal(cut(bytes, count, portion).order, length <= STATION_LINE_MAX ? "12" : "-2");
    }
    char *endless = hand_over(malloc(1000000), free);
    memset(endless, 'x', 1000000);
    assert_string_equal(cut(endless, 1000000, 65536).order, "");
}
