/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The monitor's model, fed with events made by hand, and its picture in windows of many sizes. */
#include "phasebench/monitor.h"

#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>

#define PHASE_TICKS 1000u

static const struct pb_device_info info = {.clock_hz = 10000000}; /* a phase takes 100 us */
static struct pb_monitor_model model;
static uint64_t sequence;

static void event(unsigned kind, unsigned link, uint32_t value, uint64_t tick)
{
    const struct pb_event made = {
        .sequence = sequence++, .tick = tick, .value = value, .kind = (uint8_t)kind, .link = (uint8_t)link};
    pb_monitor_take(&model, &info, &made);
}

static void begin_phases(unsigned first, unsigned count, unsigned per_superframe)
{
    for (unsigned i = first; i < first + count; i++)
        event(PB_EVENT_PHASE, 0,
              PB_PUT(PB_EVENT_PHASE_PHASE, i % per_superframe) |
                  PB_PUT(PB_EVENT_PHASE_SUPERFRAME, i / per_superframe),
              (uint64_t)i * PHASE_TICKS);
}

enum { STOP = PB_PUT(PB_EVENT_BYTE_STOP, 1) };

/* Node 5 of a 3-cube: bits 1, 0, 1. Bit 0 of dimension d sends in phase 2d, bit 1 in 2d + 1. */
TEST(test_marks)
{
    pb_monitor_begin(&model,
                     parse_scenario("cube: {dims: 3}\nnodes: [{address: 5}]\ntraffic: [{from: 5, to: 2}]\n"));
    sequence = 100; /* the core may have been up before */
    static const char expected[3][7] = {"BN....", "..NB..", "....BN"};
    for (unsigned phase = 0; phase < 6; phase++) {
        begin_phases(phase, 1, 6);
        event(PB_EVENT_BYTE, phase / 2, 0x55 | STOP, phase * PHASE_TICKS + 500);
    }
    for (unsigned link = 0; link < 3; link++)
        for (unsigned phase = 0; phase < 6; phase++)
            assert_int_equal(pb_monitor_mark(&model, link, phase), expected[link][phase]);
    assert_int_equal(model.total.node_frames, 3);
    assert_int_equal(model.total.bench_frames, 3);
    assert_int_equal(model.total.lost, 0);

    begin_phases(6, 2, 6);
    event(PB_EVENT_BYTE, 0, 0x55, 7 * PHASE_TICKS + 500);        /* no stop bit */
    event(PB_EVENT_BYTE, 0, 0x55 | STOP, 6 * PHASE_TICKS + 990); /* late: of the phase before */
    event(PB_EVENT_EDGE, 2, 0, 7 * PHASE_TICKS + 10);            /* not in its phases */
    event(PB_EVENT_EDGE, 0, 0, 7 * PHASE_TICKS + 10);            /* in its phase: says nothing */
    event(PB_EVENT_ALARM, 1, PB_ALARM_GUARD, 7 * PHASE_TICKS + 20);
    event(PB_EVENT_ALARM, 63, PB_ALARM_SYNC, 7 * PHASE_TICKS + 20);
    assert_int_equal(pb_monitor_mark(&model, 0, 7), 'x');
    assert_int_equal(pb_monitor_mark(&model, 0, 6), 'B');
    assert_int_equal(pb_monitor_mark(&model, 2, 7), 'x');
    assert_int_equal(pb_monitor_mark(&model, 1, 7), '!');
    assert_int_equal(model.total.bad, 2);
    assert_int_equal(model.total.alarms, 2);
    assert_int_equal(model.link[1].alarms, 1);
    event(PB_EVENT_BYTE, 1, 0x55 | STOP, 7 * PHASE_TICKS + 600); /* nothing makes an alarm good again */
    assert_int_equal(pb_monitor_mark(&model, 1, 7), '!');

    /* 40 events are gone, three phases among them. */
    sequence += 40;
    begin_phases(11, 1, 6);
    assert_int_equal(model.total.lost, 40);
    assert_int_equal(model.newest, 11);
    assert_int_equal(pb_monitor_mark(&model, 0, 9), ' ');
    assert_int_equal(pb_monitor_mark(&model, 0, 11), '.');
    assert_int_equal(pb_monitor_time_ps(&model, 11), INT64_C(1100000000));
}

/* The session keeps the events to itself with which it measures the lines before the clock. */
TEST(numbers_before_the_clock_are_not_lost)
{
    pb_monitor_begin(&model,
                     parse_scenario("cube: {dims: 1}\nnodes: [{address: 0}]\ntraffic: [{from: 1, to: 0}]\n"));
    sequence = 0;
    event(PB_EVENT_EDGE, 0, 0, 0);
    sequence += 16;
    event(PB_EVENT_EDGE, 0, 0, 0);
    sequence += 16;
    begin_phases(0, 1, 2);
    assert_int_equal(model.total.lost, 0);
    sequence += 3;
    begin_phases(1, 1, 2);
    assert_int_equal(model.total.lost, 3);
}

/* The number in a PHASE event wraps at 8192; far jumps do not run over the history. */
TEST(test_long_runs)
{
    pb_monitor_begin(&model,
                     parse_scenario("cube: {dims: 1}\nnodes: [{address: 0}]\ntraffic: [{from: 1, to: 0}]\n"));
    sequence = 0;
    begin_phases(0, 2 * 8192 + 10, 2);
    assert_int_equal(model.newest, 2 * 8192 + 9);
    begin_phases(2 * 8192 + 10 + 5000, 1, 2);
    assert_int_equal(model.newest, 2 * 8192 + 10 + 5000);
    struct pb_monitor_counts sum;
    assert_true(pb_monitor_recent(&model, &sum) > 0);
}

TEST(test_rates)
{
    struct pb_scenario *scenario =
        parse_scenario("cube: {dims: 1}\nnodes: [{address: 0}]\ntraffic: [{from: 1, to: 0}]\n");
    struct pb_monitor_counts sum;
    pb_monitor_begin(&model, scenario);
    sequence = 0;
    assert_int_equal(pb_monitor_recent(&model, &sum), 0);
    for (unsigned superframe = 0; superframe < 40; superframe++) {
        begin_phases(2 * superframe, 2, 2);
        for (int i = 0; i < 7; i++)
            event(PB_EVENT_BYTE, 0, STOP, (uint64_t)(2 * superframe + 1) * PHASE_TICKS + 100);
    }
    const int64_t window_ps = pb_monitor_recent(&model, &sum);
    assert_int_equal(window_ps, INT64_C(15) * 200000000); /* 15 whole superframes of 200 us */
    assert_int_equal(sum.bytes, 15 * 7);
}

static void assert_fits(const char *screen, size_t length, unsigned columns, unsigned rows)
{
    unsigned column = 0, row = 1;
    for (size_t i = 0; i < length; i++) {
        if (screen[i] == '\033') {
            while (i < length && (screen[i] == '\033' || !strchr("HJKm", screen[i])))
                i++;
            continue;
        }
        if (screen[i] == '\n') {
            row++;
            column = 0;
        } else if (screen[i] != '\r')
            column++;
        assert_true(column <= columns);
        assert_true(row <= rows);
    }
}

TEST(test_picture_fits_every_window)
{
    static const char *const yaml[] = {
        "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0}]\n",
        "cube: {dims: 4}\nnodes: [{address: 0}, {address: 1}, {address: 2}, {address: 3}, {address: 4}, "
        "{address: 5}, "
        "{address: 6}, {address: 7}, {address: 8}, {address: 9}, {address: 10}, {address: 11}, {address: "
        "12}, "
        "{address: 13}, {address: 14}, {address: 15}]\ntraffic: [{from: 1, to: 0}]\n",
    };
    char *screen = malloc(PB_MONITOR_SCREEN_SIZE);
    for (size_t i = 0; i < COUNT(yaml); i++) {
        pb_monitor_begin(&model, parse_scenario(yaml[i]));
        sequence = 0;
        begin_phases(0, 2000, model.phases);
        for (unsigned columns = 1; columns <= 1500; columns += columns < 130 ? 1 : 337)
            for (unsigned rows = 1; rows <= 80; rows++)
                for (int colour = 0; colour < 2; colour++) {
                    const struct pb_monitor_style style = {
                        .columns = columns, .rows = rows, .colour = colour, .in_place = true, .title = "a b"};
                    const size_t length = pb_monitor_screen(&model, &style, screen);
                    assert_true(length > 0 && length < PB_MONITOR_SCREEN_SIZE);
                    assert_fits(screen, length, columns, rows);
                }
        const struct pb_monitor_style whole = {.columns = 80, .rows = 24, .in_place = true, .title = "a b"};
        screen[pb_monitor_screen(&model, &whole, screen)] = 0;
        assert_int_equal(!!strstr(screen, "48 more links"), i == 1);
        assert_non_null(strstr(screen, "! alarm"));
        assert_null(strstr(screen, "\033[3"));
        char line[PB_MONITOR_LINE_SIZE];
        assert_in_range(pb_monitor_json_line(&model, model.newest / model.phases, line), 1, sizeof line - 1);
        assert_in_range(pb_monitor_text_line(&model, model.newest / model.phases, line), 1, sizeof line - 1);
    }
    free(screen);
}
