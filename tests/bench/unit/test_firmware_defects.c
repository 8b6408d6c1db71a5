/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each deliberate defect is visible at the pins, and nothing else is. Same schedule as in test_native.c: node
 * 0x2A3 has one message for 0x91C, which a sound node sends on dimension 0 in phase 1.
 */
#include "tests/bench/unit/node_fixture.h"

#define FIRST (1 * MS)
#define TICK INT64_C(20834)

static const struct pb_node_config config = {
    .address = 0x2A3,
    PB_NODE_CUBE(12),
    .payload_bytes = 6,
    .phase_rate_mhz = 10000000,
    .baud_hz = 1000000,
    .console_baud_hz = 1000000,
    .head_guard_ps = GUARD,
};

static int64_t phase_ps(unsigned phase)
{
    return FIRST + (int64_t)phase * PERIOD;
}

/* Runs one superframe and a bit more with the message queued. */
static void play(struct pins *pins, struct pb_node *node)
{
    pins_init(pins, node, NULL);
    assert_string_equal(console_ask(pins, 0, "S 91C 010203040506\n"), "+S 0");
    pins_phases(pins, FIRST, PERIOD, 24, 26);
    pins_run(pins, phase_ps(26));
}

static struct pb_node *broken(enum pb_node_defect defect, int64_t amount_ps)
{
    return pb_node_add_defect(pb_node_native_create(&config), &config, defect, amount_ps);
}

/* The bytes sent on a dimension must be those of a sound node; returns the start. */
static int64_t sound_frame(struct pins *pins, int dimension)
{
    struct pins sound;
    struct decoded decoded, expected;
    play(&sound, pb_node_native_create(&config));
    decode_uart(&sound, (struct probe){0, 0}, BIT, 0, sound.now, &expected);
    pins_free(&sound);
    decode_uart(pins, (struct probe){0, dimension}, BIT, 0, pins->now, &decoded);
    assert_int_equal(expected.length, 9);
    assert_int_equal(decoded.length, 9);
    assert_int_equal(decoded.framing_errors, 0);
    assert_memory_equal(decoded.byte, expected.byte, 9);
    return decoded.start[0];
}

static void starts_at(struct pins *pins, int dimension, int64_t ps)
{
    const int64_t start = sound_frame(pins, dimension);
    assert_in_range(start, ps, ps + 2 * TICK);
    assert_false(pulled(pins, 0, 0, start));
    assert_false(pulled(pins, 0, start + 90 * BIT, pins->now));
}

TEST(none_is_the_node_itself)
{
    struct pb_node *node = pb_node_native_create(&config);
    assert_ptr_equal(pb_node_add_defect(node, &config, PB_DEFECT_NONE, 0), node);
    pb_node_destroy(node);
    assert_null(pb_node_add_defect(NULL, &config, PB_DEFECT_SILENT, 0));
    assert_null(broken(PB_DEFECT_WRONG_ORDER, 0));
    assert_null(broken(PB_DEFECT_LATE_START, -1));
    assert_null(broken(PB_DEFECT_LATE_START, 2 * MS));
}

/* 0x2A3 and 0x91C differ in bit 11; bit 11 of 0x2A3 is 0, so dimension 11 is sent on in phase 22. */
TEST(wrong_order)
{
    struct pins pins;
    play(&pins, pb_node_native_create_wrong_order(&config));
    starts_at(&pins, 11, phase_ps(22) + GUARD);
    pins_free(&pins);
}

/* SYNC seen in phase 1 makes that its phase 0; its phase 1 is phase 2. */
TEST(phase_off)
{
    struct pins pins;
    play(&pins, broken(PB_DEFECT_PHASE_OFF, 0));
    starts_at(&pins, 0, phase_ps(2) + GUARD);
    assert_int_equal(console_counter(&pins, 0, "superframes"), 2);
    assert_int_equal(console_counter(&pins, 0, "alignment_errors"), 0);
    pins_free(&pins);
}

TEST(late_start)
{
    struct pins pins;
    play(&pins, broken(PB_DEFECT_LATE_START, 0));
    starts_at(&pins, 0, phase_ps(1) + GUARD + 4 * US);
    pins_free(&pins);
    play(&pins, broken(PB_DEFECT_LATE_START, 123456789)); /* longer than a phase */
    starts_at(&pins, 0, phase_ps(1) + GUARD + 123456789);
    pins_free(&pins);
}

TEST(flipped_bit)
{
    struct pins pins;
    struct decoded decoded;
    play(&pins, broken(PB_DEFECT_FLIPPED_BIT, 0));
    decode_uart(&pins, (struct probe){0, 0}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_int_equal(decoded.framing_errors, 0);
    assert_int_equal(decoded.byte[0], 0x1C);
    assert_int_equal(decoded.byte[1], 0x09 ^ 0x01);
    assert_memory_equal(decoded.byte + 2, "\x01\x02\x03\x04\x05\x06", 6);
    assert_in_range(decoded.start[0], phase_ps(1) + GUARD, phase_ps(1) + GUARD + 2 * TICK);
    pins_free(&pins);
}

/* Even with a clock error, the inversion covers exactly one bit: no sliver appears between two edges. */
TEST(flipped_bit_leaves_no_sliver)
{
    struct pb_node_config slow = config;
    struct pins pins;
    slow.clock_ppm = -7777;
    play(&pins, pb_node_add_defect(pb_node_native_create(&slow), &slow, PB_DEFECT_FLIPPED_BIT, 0));
    int64_t last = 0;
    for (size_t i = 1; i < pins.samples; i++)
        if (pins.sample[i].pull[0] != pins.sample[i - 1].pull[0]) {
            assert_true(pins.sample[i].ps - last >= BIT);
            last = pins.sample[i].ps;
        }
    assert_true(last > 0);
    pins_free(&pins);
}

TEST(silent)
{
    struct pins pins;
    pins_init(&pins, broken(PB_DEFECT_SILENT, 0), NULL);
    pins_uart(&pins, PIN_UART0_RX, 10 * US, CONSOLE_BIT_PS, "S 91C\n", 6);
    pins_phases(&pins, FIRST, PERIOD, 24, 26);
    pins_run(&pins, phase_ps(26));
    assert_false(pulled(&pins, 0, 0, pins.now));
    assert_int_equal(next_fall(&pins, (struct probe){0, -1}, 0), -1);
    pins_free(&pins);
}

/* Sends on the pin of dimension 1 and receives dimension 1 on the pin of dimension 0. */
TEST(swapped_links)
{
    struct pins pins;
    struct decoded sent;
    play(&pins, broken(PB_DEFECT_SWAPPED_LINKS, 0));
    starts_at(&pins, 1, phase_ps(1) + GUARD);
    decode_uart(&pins, (struct probe){0, 1}, BIT, 0, pins.now, &sent);
    pins_free(&pins);

    /* Bit 1 of 0x2A3 is 1: it listens on dimension 1 in phase 2. */
    pins_init(&pins, broken(PB_DEFECT_SWAPPED_LINKS, 0), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, phase_ps(2) + GUARD, BIT, sent.byte, sent.length);
    pins_run(&pins, phase_ps(24));
    assert_int_equal(console_counter(&pins, 0, "rx_frames"), 1);
    pins_free(&pins);
}
