/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node at its pins. TDMA_CLK and TDMA_SYNC are driven by hand: 10 kHz, 1 Mbaud, head guard 5 us.
 * Expected phases are those of the worked example (0x2A3 to 0x91C: dimension 0 in phase 1, dimension 1 in
 * phase 3, ...).
 *
 * evidence: node firmware
 *   run on simulated pins (`native` port)
 *   also: make demo
 */
#include "tests/unit/node_fixture.h"
#include "tests/unit/tests.h"

#define FIRST (1 * MS)      /* phase 0 of superframe 0, after the console commands */
#define TICK INT64_C(20834) /* of the node, 48 MHz, rounded up */

static struct pb_node *node_at(uint32_t address)
{
    const struct pb_node_config config = config_of(address);
    return pb_node_native_create(&config);
}

static int64_t phase_ps(unsigned superframe, unsigned phase)
{
    return FIRST + (int64_t)(superframe * 24 + phase) * PERIOD;
}

static void ask_to_send(struct pins *pins)
{
    assert_string_equal(console_ask(pins, 0, "S 91C 010203040506\n"), "+S 0");
    assert_true(pins->now < FIRST);
}

/* Start of the only transmission, which must be the frame of ask_to_send on a dimension. */
static int64_t sent_frame(struct pins *pins, unsigned node, int dimension, int64_t from, int64_t to,
                          int64_t bit_ps)
{
    return sent_within(pins, (struct probe){node, dimension}, from, to, bit_ps, frame_to(0x91C), 9, 10);
}

TEST(starts_head_guard_after_the_edge)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    ask_to_send(&pins);
    pins_phases(&pins, FIRST, PERIOD, 24, 48);
    pins_run(&pins, phase_ps(2, 0));
    const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now, BIT);
    assert_in_range(start, phase_ps(0, 1) + GUARD, phase_ps(0, 1) + GUARD + 2 * TICK);
    assert_false(pulled(&pins, 0, 0, start));
    assert_false(pulled(&pins, 0, start + 90 * BIT, pins.now));
    assert_int_equal(console_counter(&pins, 0, "edges"), 48);
    assert_int_equal(console_counter(&pins, 0, "superframes"), 2);
    assert_int_equal(console_counter(&pins, 0, "tx_frames"), 1);
    pins_free(&pins);
}

/* With SYNC low for ever, then from the first SYNC on. */
TEST(silent_before_sync)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    ask_to_send(&pins);
    for (int i = 0; i < 60; i++)
        pins_phase(&pins, FIRST + i * PERIOD, PERIOD, i == 50);
    pins_run(&pins, FIRST + 60 * PERIOD);
    assert_false(pulled(&pins, 0, 0, FIRST + 50 * PERIOD));
    const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now, BIT);
    assert_in_range(start, FIRST + 51 * PERIOD + GUARD, FIRST + 51 * PERIOD + GUARD + 2 * TICK);
    pins_free(&pins);
}

/* Latency plus jitter up to the guard; then a latency beyond it, which is seen and counted. */
TEST(latency_within_the_guard_is_invisible)
{
    int64_t punctual = 0;
    for (int64_t latency = 0; latency <= 4 * US; latency += US) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        config.irq_latency_ps = latency;
        config.irq_jitter_ps = latency / 4;
        pins_init(&pins, pb_node_native_create(&config), NULL);
        ask_to_send(&pins);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_run(&pins, phase_ps(1, 0));
        const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now, BIT);
        if (latency == 0)
            punctual = start;
        assert_int_equal(start, punctual);
        assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
        pins_free(&pins);
    }

    int64_t earliest = INT64_MAX, latest = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        config.irq_latency_ps = 6 * US;
        config.irq_jitter_ps = 2 * US;
        config.seed = seed;
        pins_init(&pins, pb_node_native_create(&config), NULL);
        ask_to_send(&pins);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_run(&pins, phase_ps(1, 0));
        const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now, BIT);
        assert_in_range(start, phase_ps(0, 1) + 6 * US, phase_ps(0, 1) + 8 * US);
        earliest = start < earliest ? start : earliest;
        latest = start > latest ? start : latest;
        assert_int_equal(console_counter(&pins, 0, "late_starts"), 1);
        pins_free(&pins);
    }
    assert_true(latest - earliest > US); /* the jitter is there */
}

/* Phase 1 ends in the middle of the frame: 60 us after its edge. */
TEST(an_early_edge_releases_the_line)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    ask_to_send(&pins);
    const int64_t edge = FIRST + PERIOD + 60 * US;
    pins_phase(&pins, FIRST, PERIOD, true);
    pins_phase(&pins, FIRST + PERIOD, 60 * US, false);
    pins_phase(&pins, edge, PERIOD, false);
    pins_run(&pins, edge + 2 * PERIOD);
    assert_true(pulled(&pins, 0, edge - 11 * BIT, edge)); /* the start bit of some byte */
    assert_false(pulled(&pins, 0, edge + US, pins.now));
    assert_int_equal(console_counter(&pins, 0, "tx_cut"), 1);
    pins_free(&pins);
}

/* 0x2A3 sends to 0x2A2 in phase 1, which sends it on along dimension 1 in phase 3. */
TEST(forwards_within_the_superframe)
{
    for (int64_t latency = 0; latency <= 4 * US; latency += 4 * US) {
        struct pb_node_config config = config_of(0x2A2);
        struct pins pins;
        config.irq_latency_ps = latency;
        pins_init(&pins, node_at(0x2A3), pb_node_native_create(&config));
        ask_to_send(&pins);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_run(&pins, phase_ps(1, 0));
        sent_frame(&pins, 0, 0, phase_ps(0, 1), phase_ps(0, 2), BIT);
        const int64_t start = sent_frame(&pins, 1, 1, 0, pins.now, BIT);
        assert_in_range(start, phase_ps(0, 3) + GUARD, phase_ps(0, 3) + GUARD + 2 * TICK);
        assert_int_equal(console_counter(&pins, 1, "forwarded"), 1);
        assert_int_equal(console_counter(&pins, 1, "tx_frames"), 1);
        assert_int_equal(console_counter(&pins, 1, "delivered"), 0);
        pins_free(&pins);
    }
}

/* Node 0 receives node 1 in phase 1 until just before the edge, and forwards the same frame along dimension 1
 * in phase 2. */
TEST(leaves_in_the_very_next_phase)
{
    struct pins pins;
    pins_init(&pins, node_at(0x000), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, phase_ps(0, 2) - 90 * BIT, BIT, frame_to(0x91E), 9);
    pins_run(&pins, phase_ps(1, 0));
    struct decoded decoded;
    decode_uart(&pins, (struct probe){0, 1}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, frame_to(0x91E), 9);
    assert_in_range(decoded.start[0], phase_ps(0, 2) + GUARD, phase_ps(0, 2) + GUARD + 2 * TICK);
    pins_free(&pins);
}

/* Plays one frame from the test's own transmitter to node 0x2A2 in phase 1 and returns a counter. */
static uint32_t after_frame(int32_t node_ppm, const uint8_t *frame, size_t length, int64_t start,
                            int64_t bit_ps, const char *counter)
{
    struct pb_node_config config = config_of(0x2A2);
    struct pins pins;
    config.clock_ppm = node_ppm;
    pins_init(&pins, pb_node_native_create(&config), NULL);
    pins.console_bit_ps = CONSOLE_BIT_PS * 1000000 / (1000000 + node_ppm); /* the console is not on trial */
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, phase_ps(0, 1) + start, bit_ps, frame, length);
    pins_run(&pins, phase_ps(1, 0));
    const uint32_t value = console_counter(&pins, 0, counter);
    pins_free(&pins);
    return value;
}

/* A start edge 1 ns after the handler has connected the receiver, at a rate at which a sixteenth of a bit is
 * longer than that and whatever the place of the sampling grid: the link was high when it was connected. */
TEST(first_start_bit_right_after_the_handler)
{
    for (uint32_t baud = 19200; baud <= 115200; baud += 6007)
        for (uint64_t seed = 0; seed < 4; seed++) {
            const int64_t bit_ps = INT64_C(1000000000000) / baud, period_ps = 100 * bit_ps;
            struct pb_node_config config = config_of(0x2A2);
            struct pins pins;
            config.baud_hz = baud;
            config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / period_ps);
            config.irq_latency_ps = (int64_t)seed * 777 * 1000;
            pins_init(&pins, pb_node_native_create(&config), NULL);
            pins_phases(&pins, FIRST, period_ps, 24, 24);
            pins_uart(&pins, PIN_LINE0, FIRST + period_ps + config.irq_latency_ps + 1000, bit_ps,
                      frame_to(0x91C), 9);
            pins_run(&pins, FIRST + 24 * period_ps);
            assert_int_equal(console_counter(&pins, 0, "rx_frames"), 1);
            pins_free(&pins);
        }
}

TEST(clock_error_of_the_receiver)
{
    for (int32_t ppm = -10000; ppm <= 10000; ppm += 5000)
        assert_int_equal(after_frame(ppm, frame_to(0x2A2), 9, GUARD, BIT, "delivered"), 1);
    assert_int_equal(after_frame(60000, frame_to(0x2A2), 9, GUARD, BIT, "rx_frames"), 0);
    assert_int_equal(after_frame(-60000, frame_to(0x2A2), 9, GUARD, BIT, "rx_frames"), 0);
}

/* The start edge may fall anywhere between two samples. */
TEST(any_sampling_phase)
{
    for (int64_t shift = 0; shift < BIT / 8; shift += 7919) {
        assert_int_equal(after_frame(0, frame_to(0x2A2), 9, GUARD + shift, BIT, "delivered"), 1);
        assert_int_equal(after_frame(10000, frame_to(0x2A2), 9, GUARD + shift, BIT * 101 / 100, "delivered"),
                         1);
        assert_int_equal(after_frame(-10000, frame_to(0x2A2), 9, GUARD + shift, BIT * 99 / 100, "delivered"),
                         1);
    }
}

TEST(clock_error_of_the_transmitter)
{
    for (int32_t ppm = -10000; ppm <= 10000; ppm += 20000) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        config.clock_ppm = ppm;
        pins_init(&pins, pb_node_native_create(&config), NULL);
        ask_to_send(&pins);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_run(&pins, phase_ps(1, 0));
        /* A clock that is fast by e makes bits and guard short by e / (1 + e). */
        const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now, BIT * 1000000 / (1000000 + ppm));
        const int64_t guard = GUARD * 1000000 / (1000000 + ppm);
        assert_in_range(start, phase_ps(0, 1) + guard - 1, phase_ps(0, 1) + guard + 2 * TICK);
        pins_free(&pins);
    }
}

TEST(spoilt_frames_are_counted)
{
    uint8_t frame[10];
    memcpy(frame, frame_to(0x2A2), 9);
    frame[9] = 0x55;
    assert_int_equal(after_frame(0, frame, 9, GUARD, BIT / 2, "rx_framing_errors"), 1);
    assert_int_equal(after_frame(0, frame, 8, GUARD, BIT, "rx_cut"), 1);
    assert_int_equal(after_frame(0, frame, 9, 20 * US, BIT, "rx_cut"), 1); /* the next edge comes first */
    assert_int_equal(after_frame(0, frame, 10, US / 2, BIT * 98 / 100, "rx_length_errors"), 1);
    frame[4] ^= 0x10;
    assert_int_equal(after_frame(0, frame, 9, GUARD, BIT, "rx_crc_errors"), 1);
    assert_int_equal(after_frame(0, frame, 9, GUARD, BIT, "rx_frames"), 0);
}

/* A link that is stuck low costs one framing error a phase; a short glitch costs nothing. */
TEST(stuck_and_glitching_lines)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A2), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_change(&pins, phase_ps(0, 1) + 20 * US, PIN_LINE0, false);
    pins_change(&pins, phase_ps(0, 2) - 1 * US, PIN_LINE0, true);
    for (int i = 1; i < 9; i++) {
        pins_change(&pins, phase_ps(0, 5) + i * 10 * US, PIN_LINE0 + 2, false);
        pins_change(&pins, phase_ps(0, 5) + i * 10 * US + i * US / 20, PIN_LINE0 + 2, true);
    }
    pins_run(&pins, phase_ps(1, 0));
    assert_int_equal(console_counter(&pins, 0, "rx_framing_errors"), 1);
    assert_int_equal(console_counter(&pins, 0, "rx_cut"), 0);
    pins_free(&pins);
}

TEST(reset_releases_and_forgets)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    ask_to_send(&pins);
    pins_phases(&pins, FIRST, PERIOD, 24, 72);
    pins_change(&pins, phase_ps(0, 1) + 30 * US, PIN_NRST, false); /* in the middle of the frame */
    pins_change(&pins, phase_ps(0, 5) + 10 * US, PIN_NRST, true);
    pins_run(&pins, phase_ps(3, 0));
    assert_true(pulled(&pins, 0, phase_ps(0, 1), phase_ps(0, 1) + 30 * US));
    assert_false(pulled(&pins, 0, phase_ps(0, 1) + 30 * US, pins.now));
    assert_int_equal(console_counter(&pins, 0, "edges"), 18 + 48);
    assert_int_equal(console_counter(&pins, 0, "superframes"), 2);
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    pins_free(&pins);
}

/* Node 0 gets a message for node 3 in phase 0: e-cube waits for dimension 0, phase 0 of the next superframe;
 * opportunistic crosses dimension 1 in phase 2. */
TEST(opportunistic_takes_the_first_chance)
{
    for (int opportunistic = 0; opportunistic < 2; opportunistic++) {
        struct pb_node_config config = config_of(0x000);
        struct pins pins;
        struct decoded decoded;
        config.rule = opportunistic ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        pins_init(&pins, pb_node_native_create(&config), NULL);
        pins_phases(&pins, FIRST, PERIOD, 24, 48);
        pins_uart(&pins, PIN_UART0_RX, phase_ps(0, 0) + 10 * US, CONSOLE_BIT_PS, "S 3\n", 4);
        pins_run(&pins, phase_ps(2, 0));
        const int64_t chance = opportunistic ? phase_ps(0, 2) : phase_ps(1, 0);
        decode_uart(&pins, (struct probe){0, opportunistic}, BIT, 0, pins.now, &decoded);
        assert_int_equal(decoded.length, 9);
        assert_in_range(decoded.start[0], chance + GUARD, chance + GUARD + 2 * TICK);
        assert_false(pulled(&pins, 0, 0, decoded.start[0]));
        pins_free(&pins);
    }
}

/* Node 1 sends in phase 1 and in phase 2: while the first frame is on the line the second is made ready. */
TEST(frames_in_consecutive_phases)
{
    struct pins pins;
    struct decoded decoded;
    pins_init(&pins, node_at(0x001), NULL);
    assert_string_equal(console_ask(&pins, 0, "S 0 AAAAAAAAAAAA\n"), "+S 0");
    assert_string_equal(console_ask(&pins, 0, "S 3 555555555555\n"), "+S 1");
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    decode_uart(&pins, (struct probe){0, 0}, BIT, phase_ps(0, 1), phase_ps(0, 2), &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, "\x00\x00\xAA\xAA\xAA\xAA\xAA\xAA", 8);
    decode_uart(&pins, (struct probe){0, 1}, BIT, phase_ps(0, 2), phase_ps(0, 3), &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, "\x03\x10\x55\x55\x55\x55\x55\x55", 8);
    pins_free(&pins);
}

/* SYNC comes where phase 4 was due and a frame for dimension 2 was ready: the message for dimension 0 goes at
 * once, the other one in the true phase 4. */
TEST(surprising_sync_voids_the_choice)
{
    struct pins pins;
    struct decoded decoded;
    pins_init(&pins, node_at(0x000), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 4);
    pins_phases(&pins, phase_ps(0, 4), PERIOD, 24, 24);
    pins_uart(&pins, PIN_UART0_RX, phase_ps(0, 1), CONSOLE_BIT_PS, "S 4\nS 1\n", 8);
    pins_run(&pins, phase_ps(1, 4));
    decode_uart(&pins, (struct probe){0, 0}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, "\x01\x10", 2);
    assert_in_range(decoded.start[0], phase_ps(0, 4) + GUARD, phase_ps(0, 4) + GUARD + 2 * TICK);
    decode_uart(&pins, (struct probe){0, 2}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, "\x04\x00", 2);
    assert_in_range(decoded.start[0], phase_ps(0, 8) + GUARD, phase_ps(0, 8) + GUARD + 2 * TICK);
    assert_int_equal(console_counter(&pins, 0, "alignment_errors"), 1);
    pins_free(&pins);
}

TEST(test_modes)
{
    struct pins pins;
    struct decoded decoded;

    /* Echo: node 0 receives 1 in phase 1 and answers in phase 0 of the next superframe, whatever the
     * destination. */
    pins_init(&pins, node_at(0x000), NULL);
    assert_string_equal(console_ask(&pins, 0, "M 1\n"), "+M 1");
    pins_phases(&pins, FIRST, PERIOD, 24, 48);
    pins_uart(&pins, PIN_LINE0, phase_ps(0, 1) + GUARD, BIT, frame_to(0x000), 9);
    pins_run(&pins, phase_ps(2, 0));
    decode_uart(&pins, (struct probe){0, 0}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, frame_to(0x000), 9);
    assert_in_range(decoded.start[0], phase_ps(1, 0) + GUARD, phase_ps(1, 0) + GUARD + 2 * TICK);
    pins_free(&pins);

    /* PRBS: two neighbours, one superframe each way: 12 frames sent, one of them for the other. */
    pins_init(&pins, node_at(0x000), node_at(0x001));
    assert_string_equal(console_ask(&pins, 0, "M 2\n"), "+M 2");
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    assert_int_equal(console_counter(&pins, 0, "tx_frames"), 12);
    assert_int_equal(console_counter(&pins, 1, "delivered"), 1);
    decode_uart(&pins, (struct probe){0, 5}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_int_equal(decoded.byte[0], 0x20);
    assert_int_equal(decoded.byte[1], 0x50); /* the sixth frame */
    pins_free(&pins);
}

TEST(starc_on_the_line)
{
    struct pb_node_config config = config_of(0x2A3);
    struct pins pins;
    struct decoded decoded;
    config.codec = PB_NODE_CODEC_STARC;
    config.payload_bytes = 1;
    pins_init(&pins, pb_node_native_create(&config), NULL);
    assert_string_equal(console_ask(&pins, 0, "S 91C 5A\n"), "+S 0");
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    decode_uart(&pins, (struct probe){0, 0}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 8);
    assert_memory_equal(decoded.byte, "\xAA\x00\x03\x1C\x09\x5A", 6);
    pins_free(&pins);
}

TEST(configuration_limits)
{
    struct pb_node_config config;
#define REFUSED(change)                                                                                      \
    config = config_of(0x2A3);                                                                               \
    change;                                                                                                  \
    assert_null(pb_node_native_create(&config))
    REFUSED(config.digits = 0);
    REFUSED(config.digits = 13);
    REFUSED(config.address = 0x1000);
    REFUSED(config.payload_bytes = 81);
    REFUSED((config.codec = PB_NODE_CODEC_STARC, config.payload_bytes = 79));
    REFUSED(config.phase_rate_mhz = 999);
    REFUSED(config.baud_hz = 0);
    REFUSED(config.console_baud_hz = 12000001);
    REFUSED(config.head_guard_ps = -1);
    REFUSED(config.clock_ppm = 100001);
    REFUSED(config.irq_latency_ps = -1);
    REFUSED(config.irq_jitter_ps = -1);
#undef REFUSED
}

/* An idle node asks for no call: there is one for each edge of TDMA_CLK. */
TEST(few_calls)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 2400);
    pins_run(&pins, phase_ps(100, 0));
    assert_in_range(pins.calls, 2 * 2400, 2 * 2400 + 10);
    pins_free(&pins);
}
