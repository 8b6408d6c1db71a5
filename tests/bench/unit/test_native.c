/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node at its pins: the sentences of docs/node.md, and what only a node of stated latency shows.
 *
 * evidence: node firmware
 *   run on simulated pins (`native` port)
 *   also: make demo
 */
#include "tests/bench/unit/node_sentences.h"

#define FIRST (1 * MS)

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

SENTENCES_OF(kind_native)
