/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The RP2040 as a whole, by programs of a few instructions in place of boot2, assembled here: boot, pads,
 * SIO, register aliases, clocks, and what traps.
 */
#include "bench/emulator/soc/rp2040_soc.h"
#include "phasebench/error.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/node_fixture.h"
#include "tests/bench/unit/tests.h"

#include <elf.h>

#define BOOT2 UINT32_C(0x20041F00)
#define RESULTS UINT32_C(0x20000100)
#define RESETS UINT32_C(0x4000C000)
#define IO_BANK0 UINT32_C(0x40014000)
#define PADS_BANK0 UINT32_C(0x4001C000)
#define TIMER UINT32_C(0x40054000)
#define SIO UINT32_C(0xD0000000)
#define SET_ALIAS UINT32_C(0x2000)
#define CLEAR_ALIAS UINT32_C(0x3000)
#define XOR_ALIAS UINT32_C(0x1000)

/* ---- a program of stores and loads, by the instructions' encodings ("ARMv6-M Architecture Reference
 * Manual") */

static struct {
    uint8_t bytes[256];
    unsigned code, results;
    uint32_t literal[40]; /* pairs: the place of its LDR, the value */
    unsigned literals;
} program;

static void half(uint16_t instruction)
{
    program.bytes[program.code++] = (uint8_t)instruction;
    program.bytes[program.code++] = (uint8_t)(instruction >> 8);
}

static void load_literal(unsigned reg, uint32_t value)
{
    program.literal[program.literals++] = program.code;
    program.literal[program.literals++] = value;
    half((uint16_t)(0x4800 | reg << 8));
}

static void begin(void)
{
    memset(&program, 0, sizeof program);
    load_literal(7, RESULTS);
}

static void store(uint32_t address, uint32_t value)
{
    load_literal(0, address);
    load_literal(1, value);
    half(0x6001); /* str r1, [r0] */
}

static void store_byte(uint32_t address, uint8_t value)
{
    load_literal(0, address);
    load_literal(1, value);
    half(0x7001); /* strb r1, [r0] */
}

/* Its value is the next result. */
static void load(uint32_t address)
{
    load_literal(0, address);
    half(0x6801);                                                   /* ldr r1, [r0] */
    half((uint16_t)(0x6000 | program.results++ << 6 | 7 << 3 | 1)); /* str r1, [r7, #4 n] */
}

static void release(unsigned reset)
{
    store(RESETS + CLEAR_ALIAS, UINT32_C(1) << reset);
}

static uint32_t boot2_crc(const uint8_t *bytes)
{
    return division(bytes, 252, 32, 0x04C11DB7, UINT32_MAX);
}

/* Ends it with a loop, and places literals and CRC. */
static void finish(uint32_t crc_error)
{
    half(0xE7FE); /* b . */
    unsigned at = (program.code + 3) & ~3u;
    for (unsigned i = 0; i < program.literals; i += 2) {
        const unsigned place = program.literal[i];
        for (unsigned b = 0; b < 4; b++)
            program.bytes[at + b] = (uint8_t)(program.literal[i + 1] >> 8 * b);
        program.bytes[place] = (uint8_t)((at - ((place + 4) & ~3u)) / 4);
        at += 4;
    }
    assert_true(at <= 252);
    const uint32_t crc = boot2_crc(program.bytes) ^ crc_error;
    for (unsigned b = 0; b < 4; b++)
        program.bytes[252 + b] = (uint8_t)(crc >> 8 * b);
}

/* ---- the node */

static struct pb_image *shell; /* the real image, with another boot2 */
static struct pins pins;

static struct rp2040 *start(void)
{
    struct pb_diag diag = {""};
    struct pb_node *node = NULL;
    const struct pb_node_config config = {.digits = 1,
                                          .radix = {2},
                                          .phase_rate_mhz = 10000000,
                                          .baud_hz = 1000000,
                                          .console_baud_hz = 1000000};
    if (!shell && pb_image_read(&shell, "build/rp2040/node.elf", &diag))
        fail_msg("%s", diag.text);
    assert_int_equal(shell->segment[0].address, 0x10000000);
    assert_int_equal(shell->segment[0].bytes, 256);
    shell->segment[0].data = program.bytes;
    if (shell->derived) /* the flash of the last program */
        shell->forget(shell->derived);
    shell->derived = NULL;
    if (pb_soc_rp2040.create(&node, shell, &config, &diag))
        fail_msg("%s", diag.text);
    pins_init(&pins, node, NULL);
    return (struct rp2040 *)node;
}

static struct rp2040 *run_program(uint32_t crc_error)
{
    finish(crc_error);
    struct rp2040 *soc = start();
    pins_run(&pins, 20 * MS);
    return soc;
}

static uint32_t result(const struct rp2040 *soc, unsigned n)
{
    uint32_t value = 0;
    for (unsigned b = 0; b < 4; b++)
        value |= (uint32_t)soc->sram[RESULTS - RP2040_SRAM + 4 * n + b] << 8 * b;
    return value;
}

static const char *trap_of(const struct rp2040 *soc)
{
    static char text[160];
    struct pb_mcu_trap trap;
    const char *words = NULL;
    if (!pb_soc_rp2040.trapped(&soc->base, &trap, &words))
        return "";
    snprintf(text, sizeof text, "%d %s", trap.kind, words ? words : "");
    return text;
}

static void assert_runs(const struct rp2040 *soc)
{
    assert_string_equal(trap_of(soc), "");
}

static void assert_traps(enum pb_mcu_trap_kind kind, const char *words)
{
    char expected[160];
    const struct rp2040 *soc = run_program(0);
    snprintf(expected, sizeof expected, "%d %s", kind, words);
    assert_string_equal(trap_of(soc), expected);
    assert_int_equal(pins.out[0].pull_low, 0);
    pins_free(&pins);
}

/* ---- boot */

TEST(boot_rom_copies_256_bytes_and_enters_them)
{
    begin();
    load(BOOT2 + 252);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_memory_equal(&soc->sram[RESULTS - RP2040_SRAM], program.bytes + 252, 4);
    assert_int_equal(soc->core[0].r[14], 0);
    assert_int_equal(soc->core[0].r[13], BOOT2);
    pins_free(&pins);
}

TEST(a_wrong_crc_of_boot2_is_reported)
{
    begin();
    const struct rp2040 *soc = run_program(1);
    assert_non_null(strstr(trap_of(soc), "boot ROM: boot2 has the CRC"));
    pins_free(&pins);
}

/* The image got it from another program. */
TEST(the_image_carries_the_crc_of_its_boot2)
{
    struct pb_image *image;
    assert_succeeds(pb_image_read(&image, "build/rp2040/node.elf", &diag));
    const uint32_t crc = boot2_crc(image->segment[0].data);
    for (unsigned b = 0; b < 4; b++)
        assert_int_equal(image->segment[0].data[252 + b], crc >> 8 * b & 0xFF);
    pb_image_destroy(image);
}

/* ---- pins */

/* After reset a pad has its input on and a pull-down (56h), which an external pull-up beats; with IE off
 * it reads 0. */
TEST(pads_after_reset)
{
    begin();
    release(5);
    release(8);
    load(PADS_BANK0 + 4 + 4 * 2);
    load(SIO + 4);
    store(PADS_BANK0 + 4 + 4 * 2, 0x16);
    store(PADS_BANK0 + 4 + 4 * 20, 0x5A); /* pull-up on */
    load(SIO + 4);
    load(IO_BANK0 + 4);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 0x56);
    /* Links 2..13 and UART RX 1 are high, TDMA_CLK and TDMA_SYNC low, the rest is pulled down. */
    assert_int_equal(result(soc, 1), 0x3FFE);
    assert_int_equal(result(soc, 2), 0x103FFA);
    assert_int_equal(result(soc, 3), 31);
    pins_free(&pins);
}

/* GPIO 5 is link 3. An output that is high pushes, which open drain never does. */
TEST(sio_drives_a_link)
{
    begin();
    release(5);
    release(8);
    store(IO_BANK0 + 8 * 5 + 4, 5);
    store(SIO + 0x24, 1 << 5);
    store(SIO + 0x1C, 1 << 5);
    store(SIO + 0x1C, 1 << 5);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    unsigned seen = 0;
    for (size_t i = 1; i < pins.samples; i++) {
        const struct sample *a = &pins.sample[i - 1], *b = &pins.sample[i];
        if (a->pull[0] == b->pull[0] && a->high[0] == b->high[0])
            continue;
        static const uint16_t pull[] = {8, 0, 8}, high[] = {0, 8, 0};
        assert_true(seen < 3);
        assert_int_equal(b->pull[0], pull[seen]);
        assert_int_equal(b->high[0], high[seen++]);
    }
    assert_int_equal(seen, 3);
    pins_free(&pins);
}

/* ---- registers */

TEST(aliases_and_narrow_writes)
{
    const uint32_t inte = UINT32_C(0x5020012C);
    begin();
    release(10);
    store(inte, 0x0F0);
    store(inte + SET_ALIAS, 0x003);
    load(inte);
    store(inte + CLEAR_ALIAS, 0x030);
    load(inte);
    store(inte + XOR_ALIAS, 0x0C3);
    load(inte);
    store_byte(inte + 1, 0xA5); /* all lanes get the byte */
    load(inte);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 0x0F3);
    assert_int_equal(result(soc, 1), 0x0C3);
    assert_int_equal(result(soc, 2), 0x000);
    assert_int_equal(result(soc, 3), 0x5A5);
    pins_free(&pins);
}

/* A block in reset has its reset values and keeps them, whatever is written. */
TEST(a_block_in_reset_ignores_writes)
{
    const uint32_t inte = UINT32_C(0x5020012C);
    begin();
    store(inte, 0x0F0);
    load(inte);
    release(10);
    load(inte);
    store(inte, 0x0F0);
    load(inte);
    store(RESETS + SET_ALIAS, 1 << 10);
    load(inte);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 0);
    assert_int_equal(result(soc, 1), 0);
    assert_int_equal(result(soc, 2), 0x0F0);
    assert_int_equal(result(soc, 3), 0);
    pins_free(&pins);
}

TEST(divider)
{
    begin();
    store(SIO + 0x68, (uint32_t)-1000);
    store(SIO + 0x6C, 7);
    for (unsigned i = 0; i < 8; i++)
        half(0xBF00); /* nop */
    load(SIO + 0x74);
    load(SIO + 0x70);
    load(SIO + 0x78);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), (uint32_t)-6);
    assert_int_equal(result(soc, 1), (uint32_t)-142);
    assert_int_equal(result(soc, 2), 1);
    pins_free(&pins);
}

/* Of ROSC the tick is 6.5 MHz / 13 = 500 kHz; an alarm 100 ticks ahead occurs 200 us later. */
TEST(an_alarm_wakes)
{
    begin();
    release(21);
    store(UINT32_C(0x4005802C), 1 << 9 | 13);
    store(TIMER + 0x38, 1);
    store(UINT32_C(0xE000E100), 1);
    store(TIMER + 0x10, 100);
    half(0xB672); /* cpsid i */
    half(0xBF30); /* wfi */
    load(TIMER + 0x28);
    load(TIMER + 0x40);
    const struct rp2040 *soc = run_program(0);
    assert_runs(soc);
    assert_int_equal(result(soc, 0), 100);
    assert_int_equal(result(soc, 1), 1);
    assert_in_range(soc->core[0].idle, 1150, 1300); /* 200 us of 6.5 MHz, less what the tick had */
    pins_free(&pins);
}

/* ---- what traps */

TEST(what_is_not_modelled_traps_with_its_name)
{
    begin();
    load(UINT32_C(0x4004C000));
    assert_traps(PB_MCU_GAP, "ADC");
    begin();
    load(SIO + 0x17F0);
    assert_traps(PB_MCU_GAP, "SIO: this register");
    begin();
    store(UINT32_C(0x40008030), 2);
    assert_traps(PB_MCU_MISUSE, "a clock from XOSC before it is stable");
    begin();
    store(UINT32_C(0x18000008), 0);
    load(UINT32_C(0x10000000));
    assert_traps(PB_MCU_MISUSE, "a read of flash while the SSI is off");
    begin();
    release(5);
    store(IO_BANK0 + 4, 1);
    assert_traps(PB_MCU_GAP, "SPI at a pin");
    begin();
    release(5);
    store(IO_BANK0 + 8 * 14 + 4, 5);
    store(SIO + 0x24, 1 << 14);
    assert_traps(PB_MCU_MISUSE, "a pin that the bench drives, driven by the chip, too");
    begin();
    release(22);
    store(UINT32_C(0x40034024), 1);
    assert_traps(PB_MCU_GAP, "UART0 without clk_peri");
}

/* NRST holds the chip: its outputs are released, and it boots anew. */
TEST(nrst)
{
    begin();
    release(5);
    release(8);
    store(IO_BANK0 + 8 * 5 + 4, 5);
    store(SIO + 0x24, 1 << 5);
    const struct rp2040 *soc = run_program(0);
    assert_int_equal(pins.out[0].pull_low, 8);
    pins_change(&pins, 21 * MS, PIN_NRST, false);
    pins_change(&pins, 22 * MS, PIN_NRST, true);
    pins_run(&pins, 21 * MS);
    assert_int_equal(pins.out[0].pull_low, 0);
    pins_run(&pins, 23 * MS);
    assert_int_equal(pins.out[0].pull_low, 0);
    pins_run(&pins, 40 * MS);
    assert_int_equal(pins.out[0].pull_low, 8);
    assert_runs(soc);
    pins_free(&pins);
}
