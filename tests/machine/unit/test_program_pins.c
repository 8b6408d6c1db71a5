/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs at the pins: two nodes on one link, each the native firmware, a firmware image or the contract
 * node, load a program by their consoles, exchange its frames while the phase clock runs, and give the result
 * of the other one. What a node does after a wrong frame is in node_programs.h.
 *
 * evidence: programs at the pins of nodes
 *   simulated: native nodes, both firmware images and contract nodes, in all pairs; on no board yet
 */
#include "tests/bench/unit/node_fixture.h"

static const struct node_kind *const kinds[] = {&kind_native, &kind_ag32, &kind_rp2040, &kind_contract};

static struct pins pins;

/* Both of a 1-cube, booted. */
static void open_two(const struct node_kind *zero, const struct node_kind *one)
{
    struct pb_node_config config[2] = {config_of(0), config_of(1)};
    for (unsigned i = 0; i < 2; i++) {
        config[i].digits = 1;
        config[i].payload_bytes = 4;
        memset(config[i].radix + 1, 0, sizeof config[i].radix - 1);
    }
    pins_init(&pins, zero->make(&config[0]), one->make(&config[1]));
    pins_run(&pins, zero->boot_ps > one->boot_ps ? zero->boot_ps : one->boot_ps);
}

static void asks_both(const char *zero, const char *one, const char *answer_zero, const char *answer_one)
{
    assert_string_equal(console_ask(&pins, 0, zero), answer_zero);
    assert_string_equal(console_ask(&pins, 1, one), answer_one);
}

static void run_superframes(unsigned count)
{
    const int64_t from = pins.now + MS;
    pins_phases(&pins, from, PERIOD, 2, 2 * count);
    pins_run(&pins, from + 2 * count * PERIOD + 2 * PERIOD);
}

static void play_between(const struct node_kind *zero, const struct node_kind *one)
{
    open_two(zero, one);
    asks_both("R\n", "R\n", "+R state=none", "+R state=none");
    asks_both("P exchange 0 0102030405060708\n", "P exchange 0 1112131415161718\n", "+P 1", "+P 1");
    run_superframes(1);
    asks_both("R\n", "R\n", "+R state=done superframe=1 phase=1 result=0102030411121314",
              "+R state=done superframe=1 phase=1 result=0506070815161718");
    asks_both("P barrier 4 02000000\n", "P barrier 4 00000000\n", "+P 4", "+P 4");
    run_superframes(4);
    asks_both("R\n", "R\n", "+R state=done superframe=4 phase=1 result=03000000",
              "+R state=done superframe=4 phase=1 result=03000000");
    assert_int_equal(console_counter(&pins, 0, "tx_frames"), 5);
    assert_int_equal(console_counter(&pins, 1, "rx_frames"), 5);
    /* Of a node that knows nothing of the program no frame comes. */
    asks_both("P fft 0 01000200\n", "P\n", "-length", "+P");
    assert_string_equal(console_ask(&pins, 0, "P sort 0 09000000\n"), "+P 1");
    run_superframes(1);
    run_superframes(1);
    assert_string_equal(console_ask(&pins, 0, "R\n"), "+R state=stopped superframe=0 phase=1");
    assert_int_equal(console_counter(&pins, 0, "tx_frames"), 6);
    assert_no_trap(zero, pins.node[0]);
    assert_no_trap(one, pins.node[1]);
    pins_free(&pins);
}

TEST(two_nodes_run_a_program_at_their_pins)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (size_t j = 0; j < COUNT(kinds); j++)
            play_between(kinds[i], kinds[j]);
}

/* A line that ends from 25 us before an edge to 5 us after it, each in another superframe: what it masks
 * delays neither a start nor the receiver. */
TEST(a_question_at_the_edge_delays_nothing)
{
    enum { ROUNDS = 120, APART = 4 /* superframes, for the answer */, LINE_BITS = 20 };
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned phase = 0; phase < 2; phase++) {
            open_two(kinds[k], &kind_native);
            asks_both("P barrier 200 00000000\n", "P barrier 200 00000000\n", "+P 200", "+P 200");
            const int64_t first = pins.now + MS;
            pins.console = 0;
            pins_phases(&pins, first, PERIOD, 2, 2 * 0x200);
            for (int64_t i = 0; i < ROUNDS; i++)
                pins_uart(&pins, PIN_UART0_RX,
                          first + (2 * APART * (i + 1) + phase) * PERIOD + (i - 100) * US / 4 -
                              LINE_BITS * US,
                          US, "R\n", 2);
            pins_run(&pins, first + (2 * 0x200 + 2) * PERIOD);
            assert_string_equal(console_ask(&pins, 0, "R\n"),
                                "+R state=done superframe=200 phase=1 result=01000000");
            assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
            assert_int_equal(console_counter(&pins, 0, "console_lines"), ROUNDS + 4);
            assert_int_equal(console_counter(&pins, 1, "rx_frames"), 0x200);
            assert_no_trap(kinds[k], pins.node[0]);
            pins_free(&pins);
        }
}

/* Node 3 of a square in the place of node 1: what comes on its link is for node 1. */
TEST(a_frame_for_another_node_ends_it)
{
    struct pb_node_config config[2] = {config_of(0), config_of(3)};
    for (unsigned i = 0; i < 2; i++) {
        config[i].digits = 2;
        config[i].payload_bytes = 4;
        memset(config[i].radix + 2, 0, sizeof config[i].radix - 2);
    }
    pins_init(&pins, pb_node_native_create(&config[0]), pb_node_native_create(&config[1]));
    asks_both("P scan 0 01000000\n", "P scan 0 02000000\n", "+P 1", "+P 1");
    pins_phases(&pins, pins.now + MS, PERIOD, 4, 4);
    pins_run(&pins, pins.now + MS + 6 * PERIOD);
    assert_string_equal(console_ask(&pins, 1, "R\n"), "+R state=stopped superframe=0 phase=0");
    assert_int_equal(console_counter(&pins, 1, "queue_drops"), 1);
    assert_int_equal(console_counter(&pins, 1, "tx_frames"), 0);
    pins_free(&pins);
}

TEST(a_reset_ends_it)
{
    open_two(&kind_native, &kind_native);
    asks_both("P sort 0 09000000\n", "P sort 0 08000000\n", "+P 1", "+P 1");
    pins_change(&pins, pins.now + MS, PIN_NRST, false);
    pins_change(&pins, pins.now + 2 * MS, PIN_NRST, true);
    pins_run(&pins, pins.now + 4 * MS);
    asks_both("R\n", "R\n", "+R state=none", "+R state=none");
}
