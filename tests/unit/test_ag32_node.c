/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware image of the AG32VF303 on its emulated part, at the pins: 1 Mbaud, head guard 5 us, and phases
 * of 100 us where nothing else is said. The native node is the reference for frames, phases and counters.
 */
#include "bench/emulator/soc/ag32.h"
#include "bench/emulator/soc/soc.h"
#include "tests/unit/node_fixture.h"
#include "tests/unit/tests.h"

#include <inttypes.h>

#define IMAGE "build/ag32/node.elf"
#define FIRST (2 * MS)
#define TICK INT64_C(10000) /* of the part, 100 MHz */
/* A start bit is late by the rounding of the edge to a tick, and by one sixteenth of a bit, the grid of the
 * UART. */
#define LATE(bit_ps) ((bit_ps) / 16 + 2 * TICK)

static struct pb_image *image;

static int read_image(void **state)
{
    struct pb_diag diag;
    (void)state;
    return pb_image_read(&image, IMAGE, &diag);
}

static int forget_image(void **state)
{
    (void)state;
    pb_image_destroy(image);
    return 0;
}

static struct pb_node *emulated(const struct pb_node_config *config)
{
    struct pb_node *node = NULL;
    struct pb_diag diag;
    assert_int_equal(pb_soc_ag32.create(&node, image, config, &diag), PB_OK);
    return node;
}

static struct pb_node *node_at(uint32_t address)
{
    const struct pb_node_config config = config_of(address);
    return emulated(&config);
}

static void assert_sound(const struct pb_node *node)
{
    struct pb_mcu_trap trap;
    const char *words;
    if (pb_soc_ag32.trapped(node, &trap, &words))
        fail_msg("trap %d at 0x%08" PRIx32 ", address 0x%08" PRIx32 ": %s", (int)trap.kind, trap.pc,
                 trap.address, words ? words : "");
}

static int64_t phase_ps(unsigned superframe, unsigned phase)
{
    return FIRST + (int64_t)(superframe * 24 + phase) * PERIOD;
}

static void ask_to_send(struct pins *pins)
{
    pins_run(pins, MS);
    assert_string_equal(console_ask(pins, 0, "S 91C 010203040506\n"), "+S 0");
    assert_true(pins->now < FIRST);
}

/* Start of the only transmission on a dimension, which must be these bytes back to back. */
static int64_t sent(struct pins *pins, struct probe probe, int64_t from, int64_t to, int64_t bit_ps,
                    const uint8_t *frame, size_t length)
{
    return sent_within(pins, probe, from, to, bit_ps, frame, length, TICK);
}

TEST(answers_within_a_millisecond_of_its_reset)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    pins_run(&pins, MS);
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=ag32 addr=2A3 dims=C fw=100");
    pins_change(&pins, pins.now + US, PIN_NRST, false);
    pins_change(&pins, pins.now + 10 * US, PIN_NRST, true);
    pins_run(&pins, pins.now + 10 * US + MS);
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=ag32 addr=2A3 dims=C fw=100");
    assert_sound(pins.node[0]);
    pins_free(&pins);
}

/* CLKCTRL has the source and the enables in bits 7..0 and the dividers of the flash in 15..8. The others are
 * not the firmware's: what the boot ROM left there is still there when it runs from the PLL. */
TEST(switching_the_clock_keeps_bits_31_to_16)
{
    const uint32_t left = 0xA5C30000;
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    struct ag32_system *system = ag32_system_of(pins.node[0]);
    pins_run(&pins, 10);
    assert_int_equal(system->clock_control, 0); /* out of reset, and before its first write */
    system->clock_control = left | 0xFF00;
    pins_run(&pins, MS);
    assert_int_equal(system->clock_control, left | 0x26); /* crystal and PLL on, PLL chosen, dividers 0 */
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=ag32 addr=2A3 dims=C fw=100");
    assert_sound(pins.node[0]);
    pins_free(&pins);
}

TEST(starts_head_guard_after_the_edge)
{
    const uint32_t baud[] = {1000000, 921600, 460800, 115200};
    for (unsigned b = 0; b < COUNT(baud); b++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            const int64_t bit_ps = INT64_C(1000000000000) / baud[b], period = 100 * bit_ps + 20 * US;
            struct pb_node_config config = config_of(0x2A3);
            struct pins pins;
            config.baud_hz = baud[b];
            config.seed = seed;
            config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / period);
            pins_init(&pins, emulated(&config), NULL);
            ask_to_send(&pins);
            const int64_t first = FIRST + (int64_t)seed * 2777;
            pins_phases(&pins, first, period, 24, 24);
            pins_run(&pins, first + 24 * period);
            /* The nearest 64th of a divisor: the error of a bit is below one in 400. */
            struct decoded decoded;
            decode_uart(&pins, (struct probe){0, 0}, bit_ps, 0, pins.now, &decoded);
            assert_int_equal(decoded.length, 9);
            assert_memory_equal(decoded.byte, slot_frame(0x91C, 0, 6), 9);
            assert_in_range(decoded.start[0], first + period + GUARD, first + period + GUARD + LATE(bit_ps));
            assert_false(pulled(&pins, 0, 0, decoded.start[0]));
            assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
            assert_sound(pins.node[0]);
            pins_free(&pins);
        }
}

/* The guard is shorter than the path through the handler. */
TEST(late_start_is_counted)
{
    struct pb_node_config config = config_of(0x2A3);
    struct pins pins;
    config.head_guard_ps = US;
    pins_init(&pins, emulated(&config), NULL);
    ask_to_send(&pins);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    const int64_t start = sent(&pins, (struct probe){0, 0}, 0, pins.now, BIT, slot_frame(0x91C, 0, 6), 9);
    assert_in_range(start, phase_ps(0, 1) + US + LATE(BIT), phase_ps(0, 1) + GUARD);
    assert_int_equal(console_counter(&pins, 0, "late_starts"), 1);
    pins_free(&pins);
}

TEST(silent_before_sync)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    ask_to_send(&pins);
    for (int i = 0; i < 60; i++)
        pins_phase(&pins, FIRST + i * PERIOD, PERIOD, i == 50);
    pins_run(&pins, FIRST + 60 * PERIOD);
    const int64_t start = sent(&pins, (struct probe){0, 0}, 0, pins.now, BIT, slot_frame(0x91C, 0, 6), 9);
    assert_in_range(start, FIRST + 51 * PERIOD + GUARD, FIRST + 51 * PERIOD + GUARD + LATE(BIT));
    assert_false(pulled(&pins, 0, 0, start));
    pins_free(&pins);
}

/* More than the FIFO of 16 bytes; at 1 Mbaud a frame of 83 bytes takes 830 us. */
TEST(long_frames_without_a_pause)
{
    struct pb_node_config config = config_of(0x000);
    struct pins pins;
    char line[200] = "S 1 ";
    uint8_t frame[83];
    const int64_t period = MS;
    for (unsigned i = 0; i < 80; i++)
        sprintf(line + strlen(line), "%02X", 1 + i);
    strcat(line, "\n");
    config.payload_bytes = 80;
    config.phase_rate_mhz = 1000000;
    pins_init(&pins, emulated(&config), NULL);
    pins_run(&pins, MS);
    assert_string_equal(console_ask(&pins, 0, line), "+S 0");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, period, 24, 4);
    memcpy(frame, slot_frame(2, 3, 80), sizeof frame);
    pins_uart(&pins, PIN_LINE0, first + period + GUARD, BIT, frame, sizeof frame);
    pins_run(&pins, first + 4 * period);
    assert_in_range(sent(&pins, (struct probe){0, 0}, 0, pins.now, BIT, slot_frame(1, 0, 80), 83),
                    first + GUARD, first + GUARD + LATE(BIT));
    sent(&pins, (struct probe){0, 1}, 0, pins.now, BIT, frame, 83);
    assert_sound(pins.node[0]);
    pins_free(&pins);
}

/* 0x2A3 sends to 0x2A2 in phase 1, which sends it on along dimension 1 in phase 3. */
TEST(forwards_within_the_superframe)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), node_at(0x2A2));
    ask_to_send(&pins);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    sent(&pins, (struct probe){0, 0}, phase_ps(0, 1), phase_ps(0, 2), BIT, slot_frame(0x91C, 0, 6), 9);
    const int64_t start = sent(&pins, (struct probe){1, 1}, 0, pins.now, BIT, slot_frame(0x91C, 0, 6), 9);
    assert_in_range(start, phase_ps(0, 3) + GUARD, phase_ps(0, 3) + GUARD + LATE(BIT));
    assert_int_equal(console_counter(&pins, 1, "forwarded"), 1);
    assert_int_equal(console_counter(&pins, 1, "delivered"), 0);
    assert_sound(pins.node[0]);
    assert_sound(pins.node[1]);
    pins_free(&pins);
}

/* Node 0 receives node 1 in phase 1, until a head guard before the edge, and forwards it in phase 2. */
TEST(leaves_in_the_very_next_phase)
{
    for (int64_t shift = 0; shift < US; shift += 100001) {
        struct pins pins;
        pins_init(&pins, node_at(0x000), NULL);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_uart(&pins, PIN_LINE0, phase_ps(0, 2) - GUARD - 90 * BIT - shift, BIT, slot_frame(0x91E, 0, 6),
                  9);
        pins_run(&pins, phase_ps(1, 0));
        const int64_t start = sent(&pins, (struct probe){0, 1}, 0, pins.now, BIT, slot_frame(0x91E, 0, 6), 9);
        assert_in_range(start, phase_ps(0, 2) + GUARD, phase_ps(0, 2) + GUARD + LATE(BIT));
        assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
        pins_free(&pins);
    }
}

/* Phase 1 ends in the middle of a frame, 60 us after its edge; nothing of it is in the frame of phase 2. */
TEST(an_early_edge_ends_the_frame)
{
    struct pins pins;
    pins_init(&pins, node_at(0x2A1), NULL);
    ask_to_send(&pins);
    assert_string_equal(console_ask(&pins, 0, "S 2A3 010203040506\n"), "+S 1");
    const int64_t first = pins.now + MS, edge = first + PERIOD + 60 * US;
    pins_phase(&pins, first, PERIOD, true);
    pins_phase(&pins, first + PERIOD, 60 * US, false);
    pins_phase(&pins, edge, PERIOD, false);
    pins_run(&pins, edge + PERIOD);
    assert_true(pulled(&pins, 0, edge - 11 * BIT, edge)); /* the start bit of some byte */
    assert_false(pulled(&pins, 0, edge + 2 * US, edge + GUARD));
    const int64_t start = sent(&pins, (struct probe){0, 1}, edge, pins.now, BIT, slot_frame(0x2A3, 1, 6), 9);
    assert_in_range(start, edge + GUARD, edge + GUARD + LATE(BIT));
    assert_int_equal(console_counter(&pins, 0, "tx_cut"), 1);
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
    assert_int_equal(console_counter(&pins, 0, "superframes"), 2);
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    assert_sound(pins.node[0]);
    pins_free(&pins);
}

TEST(clock_error_of_the_transmitter)
{
    for (int32_t ppm = -10000; ppm <= 10000; ppm += 20000) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        config.clock_ppm = ppm;
        pins_init(&pins, emulated(&config), NULL);
        ask_to_send(&pins);
        pins_phases(&pins, FIRST, PERIOD, 24, 24);
        pins_run(&pins, phase_ps(1, 0));
        /* A clock that is fast by e makes bits and guard short by e / (1 + e). */
        const int64_t bit_ps = BIT * 1000000 / (1000000 + ppm), guard = GUARD * 1000000 / (1000000 + ppm);
        const int64_t start =
            sent(&pins, (struct probe){0, 0}, 0, pins.now, bit_ps, slot_frame(0x91C, 0, 6), 9);
        assert_in_range(start, phase_ps(0, 1) + guard - TICK, phase_ps(0, 1) + guard + LATE(BIT) + TICK);
        pins_free(&pins);
    }
}

/* Frames of every kind of soundness on all links, and lines on the console; the same for each kind of node.
 * */
static void play(struct pins *pins, uint32_t seed)
{
    char line[40];
    pins_run(pins, MS + 500 * US);
    for (unsigned superframe = 0; superframe < 4; superframe++)
        for (unsigned phase = 0; phase < 24; phase++) {
            seed = seed * 1664525 + 1013904223;
            const unsigned kind = seed >> 28;
            pins_phase(pins, phase_ps(superframe, phase), PERIOD, phase == 0);
            if (kind == 15 && phase % 3 == 0) {
                snprintf(line, sizeof line, "S %X %02X\n", seed >> 8 & 0xFFF, seed & 0xFF);
                pins_uart(pins, PIN_UART0_RX, phase_ps(superframe, phase) + 30 * US, CONSOLE_BIT_PS, line,
                          strlen(line));
            }
            if (phase % 2 == ((0x2A2u >> phase / 2) & 1)) /* its own phase */
                continue;
            uint8_t frame[9];
            int64_t start = phase_ps(superframe, phase) + GUARD, bit_ps = BIT;
            size_t length = 9;
            memcpy(frame, slot_frame(kind < 3 ? 0x2A2 : seed >> 12 & 0xFFF, seed & 15, 6), sizeof frame);
            switch (kind) {
            case 8:
                frame[seed >> 5 & 7] ^= 1;
                break;
            case 9:
                length = 5;
                break;
            case 10:
                start += 30 * US; /* the next edge cuts it */
                break;
            case 11:
                bit_ps = BIT / 2;
                break;
            case 12:
                length = 0;
                break;
            }
            pins_uart(pins, PIN_LINE0 + phase / 2, start, bit_ps, frame, length);
        }
    pins_run(pins, phase_ps(4, 0) + PERIOD);
}

/* Bytes and phases of all transmissions, as text. */
static void list_sent(const struct pins *pins, char *text, size_t size)
{
    struct decoded decoded;
    size_t at = 0;
    for (int d = 0; d < 12; d++) {
        decode_uart(pins, (struct probe){0, d}, BIT, FIRST, pins->now, &decoded);
        for (size_t i = 0; i < decoded.length; i++)
            at += (size_t)snprintf(text + at, size - at, "%d:%" PRId64 ":%02X ", d,
                                   (decoded.start[i] - FIRST) / PERIOD, decoded.byte[i]);
    }
    assert_true(at > 100);
}

TEST(equals_the_native_node)
{
    for (uint32_t seed = 1; seed <= 5; seed++)
        for (int opportunistic = 0; opportunistic < 2; opportunistic++) {
            static char text[2][20000], counters[2][2048];
            for (int kind = 0; kind < 2; kind++) {
                struct pb_node_config config = config_of(0x2A2);
                struct pins pins;
                config.rule = opportunistic ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
                pins_init(&pins, kind ? emulated(&config) : pb_node_native_create(&config), NULL);
                play(&pins, seed);
                list_sent(&pins, text[kind], sizeof text[kind]);
                strcpy(counters[kind], console_ask(&pins, 0, "T\n"));
                if (kind)
                    assert_sound(pins.node[0]);
                pins_free(&pins);
            }
            assert_string_equal(text[1], text[0]);
            assert_string_equal(counters[1], counters[0]);
        }
}

/* More calls than the node asks for change nothing, to the picosecond. */
TEST(waveform_does_not_depend_on_the_calls)
{
    struct pins pins[2];
    for (int often = 0; often < 2; often++) {
        pins_init(&pins[often], node_at(0x2A2), NULL);
        if (often)
            for (int64_t ps = 3; ps < phase_ps(4, 0); ps += 12347 * (1 + ps % 29))
                pins_change(&pins[often], ps, PIN_NRST, true); /* as it was */
        play(&pins[often], 7);
    }
    assert_true(pins[1].calls > 2 * pins[0].calls);
    size_t other = 0;
    for (size_t i = 1; i < pins[0].samples; i++) {
        const struct sample *at = &pins[0].sample[i], *before = at - 1;
        if (at->pull[0] == before->pull[0] && at->uart0_tx[0] == before->uart0_tx[0])
            continue;
        while (other < pins[1].samples && pins[1].sample[other].ps < at->ps)
            other++;
        assert_true(other < pins[1].samples);
        assert_int_equal(pins[1].sample[other].ps, at->ps);
        assert_int_equal(pins[1].sample[other].pull[0], at->pull[0]);
        assert_int_equal(pins[1].sample[other].uart0_tx[0], at->uart0_tx[0]);
    }
    pins_free(&pins[0]);
    pins_free(&pins[1]);
}

TEST(sleeps_between_phases)
{
    struct pb_mcu_figures before, after;
    struct pins pins;
    pins_init(&pins, node_at(0x2A3), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, FIRST - US);
    pb_soc_ag32.figures(pins.node[0], &before);
    const uint64_t calls = pins.calls;
    pins_run(&pins, FIRST + 24 * PERIOD);
    pb_soc_ag32.figures(pins.node[0], &after);
    assert_int_equal(after.clock_hz, 100000000);
    assert_in_range(after.cycles - before.cycles, 240000, 240200);
    assert_true(after.idle_cycles - before.idle_cycles > 200000);
    assert_in_range(after.longest_interrupt_cycles, 200, 1000);
    assert_in_range(after.stack_bytes, 256, 2048);
    assert_true(pins.calls - calls < 24 * 100);
    pins_free(&pins);
}

int main(void)
{
    return test_all(read_image, forget_image);
}
