/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware image of the AG32VF303 on its emulated part, at the pins: the sentences of docs/node.md, its
 * clock and its sleep.
 */
#include "bench/emulator/soc/ag32.h"
#include "bench/emulator/soc/soc.h"
#include "tests/bench/unit/node_sentences.h"

#define FIRST (2 * MS)

/* CLKCTRL has the source and the enables in bits 7..0 and the dividers of the flash in 15..8. The others are
 * not the firmware's: what the boot ROM left there is still there when it runs from the PLL. */
TEST(switching_the_clock_keeps_bits_31_to_16)
{
    const uint32_t left = 0xA5C30000;
    struct pins pins;
    const struct pb_node_config config = config_of(0x2A3);
    pins_init(&pins, kind_ag32.make(&config), NULL);
    struct ag32_system *system = ag32_system_of(pins.node[0]);
    pins_run(&pins, 10);
    assert_int_equal(system->clock_control, 0); /* out of reset, and before its first write */
    system->clock_control = left | 0xFF00;
    pins_run(&pins, MS);
    assert_int_equal(system->clock_control, left | 0x26); /* crystal and PLL on, PLL chosen, dividers 0 */
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=ag32 addr=2A3 dims=C fw=100");
    assert_no_trap(&kind_ag32, pins.node[0]);
    pins_free(&pins);
}

TEST(sleeps_between_phases)
{
    struct pb_mcu_figures before, after;
    struct pins pins;
    const struct pb_node_config config = config_of(0x2A3);
    pins_init(&pins, kind_ag32.make(&config), NULL);
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

SENTENCES_OF(kind_ag32)
