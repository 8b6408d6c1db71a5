/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sentences about reset, console, counters and test modes.
 */
#include "tests/bench/unit/node_sentence.h"

/* ---- reset and console */

/* In the middle of the frame. */
void reset_releases_and_forgets(const struct node_kind *kind)
{
    const int64_t release = kind->bit & KIND_REF ? 4 * INT64_C(62500) : 1;
    open_at(kind, 0x2A3);
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 72);
    const int64_t cut = phase_at(0, 1) + 30 * US;
    pins_change(&pins, cut, PIN_NRST, false);
    pins_change(&pins, phase_at(0, 5) + 10 * US, PIN_NRST, true);
    pins_run(&pins, phase_at(3, 0));
    assert_true(pulled(&pins, 0, phase_at(0, 1), cut));
    pins_run(&pins, pins.now + kind->boot_ps);
    assert_false(pulled(&pins, 0, cut + release, pins.now));
    assert_true(next_fall(&pins, (struct probe){0, -1}, cut) < 0);
    counts(kind, "superframes", kind->boot_ps > MS ? 0 : 2);
    counts(kind, "own_messages", 0);
    asks("S 91C 010203040506", "+S 0");
    close_node(kind);
}

/* From the boot on, also after a reset, and without a word before. */
void identifies_itself(const struct node_kind *kind)
{
    static const uint32_t bauds[] = {9600, 115200, 230400, 1000000};
    for (size_t i = 0; i < COUNT(bauds); i++) {
        const char *start = formatted("+I node=%s addr=2A3 dims=C fw=", kind->name), *answer;
        struct pb_node_config config = config_of(0x2A3);
        config.console_baud_hz = bauds[i];
        config.clock_ppm = kind->slow ? 0 : 5000;
        pins_open(&pins, kind, &config);
        assert_true(next_fall(&pins, (struct probe){0, -1}, 0) < 0);
        answer = console_ask(&pins, 0, "I\r\n");
        assert_memory_equal(answer, start, strlen(start));
        pins_change(&pins, pins.now + US, PIN_NRST, false);
        pins_change(&pins, pins.now + 10 * US, PIN_NRST, true);
        pins_run(&pins, pins.now + 10 * US + kind->boot_ps);
        answer = console_ask(&pins, 0, "I\n");
        assert_memory_equal(answer, start, strlen(start));
        close_node(kind);
    }
}

void refused_lines_have_no_effect(const struct node_kind *kind)
{
    static const char *const wrong[] = {"", "X", "S", "S 1000", "S 1 0", "S 1 XX", "I 1", "A 1000", "M 3"};
    open_at(kind, 0x2A3);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(console_ask(&pins, 0, formatted("%s\n", wrong[i]))[0], '-');
    asks("S 2A3 01", "+S 0");
    asks("S 91C 010203040506", "+S 1");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 48);
    pins_run(&pins, first + 48 * PERIOD);
    sent(kind, (struct probe){0, 0}, 0, pins.now, first + PERIOD, slot_frame(0x91C, 1, 6));
    counts(kind, "delivered", 1);
    close_node(kind);
}

void clears_its_counters_and_takes_an_address(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    asks("S 91C 01", "+S 0");
    asks("A 91C", "-busy");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 1);
    assert_int_equal(console_counter(&pins, 0, "console_errors"), 1);
    asks("Z", "+Z");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    assert_int_equal(console_counter(&pins, 0, "console_lines"), 2);
    pins.first = pins.now;
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    asks("A 2A2", "+A 2A2");
    assert_non_null(strstr(console_ask(&pins, 0, "I\n"), " addr=2A2 "));
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 24);
    pins_run(&pins, first + 24 * PERIOD);
    sent(kind, (struct probe){0, 0}, first, pins.now, first, slot_frame(0x2A3, 1, 6)); /* phase 0 */
    close_node(kind);
}

void test_modes(const struct node_kind *kind)
{
    struct decoded decoded;
    /* Echo: node 0 receives 1 in phase 1 and answers in phase 0 of the next superframe, whatever the
     * destination. */
    open_at(kind, 0x000);
    asks("M 1", "+M 1");
    pins_phases(&pins, first_edge(), PERIOD, 24, 48);
    pins_uart(&pins, PIN_LINE0, phase_at(0, 1) + GUARD, BIT, frame_to(0x000), 9);
    pins_run(&pins, phase_at(2, 0) - US);
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(1, 0), frame_to(0x000));
    /* PRBS: a frame in each of the 12 own phases; bit k of the payload is bit k - 6 and bit k - 7. */
    asks("M 2", "+M 2");
    const int64_t second = pins.now + MS;
    pins_phases(&pins, second, PERIOD, 24, 24);
    pins_run(&pins, second + 24 * PERIOD);
    counts(kind, "tx_frames", 1 + 12);
    for (int d = 0; d < 12; d++) {
        bool bit[48];
        decode_uart(&pins, (struct probe){0, d}, BIT, second, pins.now, &decoded);
        assert_int_equal(decoded.length, 9);
        for (unsigned i = 0; i < 48; i++) {
            bit[i] = decoded.byte[2 + i / 8] >> i % 8 & 1;
            assert_true(i < 7 || bit[i] == (bit[i - 6] != bit[i - 7]));
        }
        static uint8_t before;
        assert_true(d == 0 || decoded.byte[1] >> 4 == (before + 1) % 16);
        before = decoded.byte[1] >> 4;
    }
    asks("M 0", "+M 0");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, first + PERIOD + GUARD, BIT, frame_to(0x000), 9);
    pins_run(&pins, first + 24 * PERIOD);
    assert_false(pulled(&pins, 0, first, pins.now));
    counts(kind, "delivered", 1);
    close_node(kind);
}
