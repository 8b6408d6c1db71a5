/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs as the manufacturer's SDK makes them (tests/emulator/mcu/sdk), on the emulated RP2040. Expected
 * values are those of the programs by the "RP2040 Datasheet"; times by 125 MHz and the divisors that they
 * set.
 */
#include "bench/emulator/soc/rp2040_soc.h"
#include "bench/emulator/soc/rp2040_xip.h"
#include "phasebench/error.h"
#include "tests/bench/unit/node_fixture.h"
#include "tests/bench/unit/tests.h"

static struct pb_image *image;
static struct pins pins;

static struct rp2040 *start(const char *program)
{
    struct pb_diag diag = {""};
    struct pb_node *node = NULL;
    char file[64];
    const struct pb_node_config config = {
        .digits = 1, .radix = {2}, .phase_rate_mhz = 10000000, .baud_hz = 1000000, .console_baud_hz = 115200};
    snprintf(file, sizeof file, "build/sdk/%s.elf", program);
    if (pb_image_read(&image, file, &diag) || pb_soc_rp2040.create(&node, image, &config, &diag))
        fail_msg("%s", diag.text);
    pins_init(&pins, node, NULL);
    return (struct rp2040 *)node;
}

static void end(void)
{
    pins_free(&pins);
    pb_image_destroy(image);
}

static uint32_t result(const struct rp2040 *soc, unsigned n)
{
    uint32_t address = 0, bytes = 0, value = 0;
    uint8_t word[4];
    assert_true(pb_image_symbol(image, "results", &address, &bytes));
    assert_true(pb_soc_rp2040.read_memory(&soc->base, address + 4 * n, word, sizeof word));
    for (unsigned b = 0; b < 4; b++)
        value |= (uint32_t)word[b] << 8 * b;
    return value;
}

static void assert_runs(const struct rp2040 *soc)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;
    char place[200];
    if (!pb_soc_rp2040.trapped(&soc->base, &trap, &words))
        return;
    pb_image_place(image, trap.pc, place, sizeof place);
    fail_msg("trap %d %s at %s, address %08x", trap.kind, words ? words : "", place, trap.address);
}

/* Runs until a SIO or PIO output has this level, at most until `to`, in steps of `step`. */
static int64_t until_level(struct rp2040 *soc, unsigned pin, bool level, int64_t to, int64_t step)
{
    for (int64_t at = pins.now; at < to; at += step) {
        pins_run(&pins, at);
        const uint32_t high = (soc->pins.sio.out & soc->pins.sio.oe) | (soc->pio[1].out & soc->pio[1].oe);
        if ((high >> pin & 1) == level)
            return at;
    }
    fail_msg("GPIO %u does not become %d", pin, level);
    return 0;
}

TEST(blink_sleeps_by_an_alarm)
{
    struct rp2040 *soc = start("blink");
    int64_t last = until_level(soc, 25, true, 40 * MS, 10 * US);
    for (unsigned i = 0; i < 6; i++) {
        const int64_t at = until_level(soc, 25, i % 2, 90 * MS, 10 * US);
        assert_in_range(at - last, 4990 * US, 5030 * US);
        last = at;
    }
    assert_runs(soc);
    /* Asleep except a few microseconds of each 5 ms. */
    assert_true(soc->core[0].idle > soc->core[0].cycle / 2);
    end();
}

TEST(hello_sends_on_uart0_and_calls_the_boot_rom)
{
    struct rp2040 *soc = start("hello");
    pins_run(&pins, 12 * MS);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 13); /* F0F01234h has 8 + 1 + 1 + 2 + 1 ones */
    assert_int_equal(result(soc, 1), 15);
    assert_int_equal(result(soc, 2), 0xC8000000);
    assert_int_equal(result(soc, 3), 0);
    assert_int_equal(soc->uart[0].ibrd, 67); /* 125 MHz / (16 * 115,200) = 67.817 */
    assert_int_equal(soc->uart[0].fbrd, 52);
    end();
}

TEST(two_cores_share_fifos_and_spin_locks)
{
    struct rp2040 *soc = start("cores");
    pins_run(&pins, 20 * MS);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 1);  /* CPUID of the second core */
    assert_int_equal(result(soc, 1), 45); /* 3 * (1 + ... + 5) */
    assert_int_equal(result(soc, 2), 0xD09E);
    assert_int_equal(result(soc, 3), 2000);
    assert_int_equal(result(soc, 4), 0);
    assert_int_equal(result(soc, 5), 1);
    end();
}

TEST(dma_feeds_pio_and_takes_from_it)
{
    struct rp2040 *soc = start("pio_dma");
    pins_run(&pins, 12 * MS);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 16);
    assert_int_equal(result(soc, 1), 0); /* not busy */
    assert_int_equal(result(soc, 2), 1); /* interrupts */
    assert_int_equal(result(soc, 3), 1);
    /* High for 2 of 4 cycles of 1 MHz. */
    const int64_t low = until_level(soc, 20, false, 20 * MS, US / 8);
    const int64_t rise = until_level(soc, 20, true, low + 10 * US, US / 8);
    const int64_t fall = until_level(soc, 20, false, rise + 10 * US, US / 8);
    const int64_t again = until_level(soc, 20, true, fall + 10 * US, US / 8);
    assert_in_range(fall - rise, 2 * US - US / 8, 2 * US + US / 8);
    assert_in_range(again - rise, 4 * US - US / 8, 4 * US + US / 8);
    end();
}

TEST(a_device_that_is_not_modelled_is_a_gap)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;
    struct rp2040 *soc = start("gap");
    pins_run(&pins, 12 * MS);
    assert_true(pb_soc_rp2040.trapped(&soc->base, &trap, &words));
    assert_int_equal(trap.kind, PB_MCU_GAP);
    assert_string_equal(words, "ADC");
    assert_int_equal(trap.address, 0x4004C000);
    end();
}

/* A state that is restored goes on in the same way: cache, second core, DMA, clocks. */
TEST(a_saved_state_goes_on_the_same)
{
    static const char *const program[] = {"hello", "cores", "pio_dma"};
    for (unsigned i = 0; i < COUNT(program); i++) {
        struct rp2040 *soc = start(program[i]);
        pins_run(&pins, INT64_C(5750) * US);
        struct pb_mcu_state *state = pb_soc_rp2040.save(&soc->base);
        assert_non_null(state);
        pins_run(&pins, 12 * MS);
        const uint64_t instructions[2] = {soc->core[0].instructions, soc->core[1].instructions};
        const uint64_t cycle = soc->core[0].cycle;
        struct pb_node_inputs in = {.line = 0xFFFF, .nrst = true, .uart0_rx = true};
        struct pb_node_outputs out;
        assert_true(pb_soc_rp2040.restore(&soc->base, state));
        for (int64_t at = INT64_C(5750) * US, next; at < 12 * MS; at = next) {
            next = soc->base.ops->advance(&soc->base, at, &in, &out);
            next = next > 12 * MS ? 12 * MS : next;
        }
        soc->base.ops->advance(&soc->base, 12 * MS, &in, &out);
        assert_runs(soc);
        assert_int_equal(soc->core[0].cycle, cycle);
        assert_int_equal(soc->core[0].instructions, instructions[0]);
        assert_int_equal(soc->core[1].instructions, instructions[1]);
        pb_mcu_state_free(state);
        end();
    }
}

/* ---- the cache of the flash */

static struct rp2040_xip xip_of(const uint8_t *flash)
{
    struct rp2040_xip xip = {.shared = flash};
    rp2040_xip_reset(&xip);
    return xip;
}

/* Quad, continuous: 8 + 4 + 8 cycles of SCK, each of two, and the assumed 8. */
TEST(a_miss_costs_the_cycles_of_the_set_up)
{
    static const uint8_t flash[RP2040_FLASH_BYTES];
    struct rp2040_xip xip = xip_of(flash);
    rp2040_xip_set_up(&xip, 12000000);
    assert_int_equal(rp2040_xip_read(&xip, 0, true, true), (8 + 24 + 32) * 6 + 8);
    assert_int_equal(rp2040_xip_read(&xip, 0, true, true), 0);
    assert_int_equal(rp2040_xip_read(&xip, 4, true, true), (8 + 24 + 32) * 6 + 8); /* the other word */
    xip.continuous = true;
    xip.ctrl0 = 0x005F0300;
    xip.spi_ctrl = 0xA0002022;
    xip.baud = 2;
    rp2040_xip_set_up(&xip, 125000000);
    assert_int_equal(rp2040_xip_read(&xip, 64, true, true), (8 + 4 + 8) * 2 + 8);
    xip.set_miss = 100;
    rp2040_xip_set_up(&xip, 125000000);
    assert_int_equal(rp2040_xip_read(&xip, 128, true, true), 100);
    /* Two ways of 8 KB: the third address of a set replaces the one used least recently. */
    assert_int_equal(rp2040_xip_read(&xip, 0x2000, true, true), 100);
    assert_int_equal(rp2040_xip_read(&xip, 0, true, true), 0);
    assert_int_equal(rp2040_xip_read(&xip, 0x4000, true, true), 100);
    assert_int_equal(rp2040_xip_read(&xip, 0, true, true), 0);
    assert_int_equal(rp2040_xip_read(&xip, 0x2000, true, true), 100);
    rp2040_xip_drop(&xip, 0);
    assert_int_equal(rp2040_xip_read(&xip, 0, true, true), 100);
    assert_int_equal(xip.hits, 3);
    /* The set-up and the mode of the flash differ. */
    xip.continuous = false;
    rp2040_xip_set_up(&xip, 125000000);
    assert_int_equal(rp2040_xip_read(&xip, 0x6000, true, true), -1);
    assert_non_null(xip.misuse);
    free(xip.cache);
}
