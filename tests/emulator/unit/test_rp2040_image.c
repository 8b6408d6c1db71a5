/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The image of the RP2040 port on the emulated chip: the sentences of docs/node.md, its settings and
 * its files.
 */
#include "firmware/port/settings.h"
#include "bench/emulator/soc/soc.h"
#include "phasebench/error.h"
#include "tests/bench/unit/node_sentences.h"

#define IMAGE "build/rp2040/node.elf"

static struct pb_image *image;

TEST(answers_on_its_console)
{
    struct pins pins;
    const struct pb_node_config config = config_of(0x2A3);
    pins_open(&pins, &kind_rp2040, &config);
    assert_true(pins.due[0] == INT64_MAX); /* asleep, it asks for no call */
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=rp2040 addr=2A3 dims=C fw=100");
    assert_string_equal(console_ask(&pins, 0, "X\n"), "-unknown");
    assert_int_equal(console_counter(&pins, 0, "console_lines"), 3);
    pins_free(&pins);
}

TEST(settings_that_do_not_fit_are_refused_with_a_reason)
{
    static const struct {
        uint32_t baud, console_baud;
        int64_t guard;
        const char *reason;
    } wrong[] = {
        {1000001, 1000000, GUARD, "-settings baud, 300 to 1000000"},
        {1000000, 1500000, GUARD, "-settings console_baud, 300 to 1000000"},
        {1000000, 1000000, 327000, "-settings head_guard, 328 ns or more"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        struct decoded decoded;
        config.baud_hz = wrong[i].baud;
        config.console_baud_hz = wrong[i].console_baud;
        config.head_guard_ps = wrong[i].guard;
        pins_init(&pins, kind_rp2040.make(&config), NULL);
        pins_run(&pins, 20 * MS);
        pins.console_bit_ps = wrong[i].console_baud > 1000000 ? INT64_C(2170139) : CONSOLE_BIT_PS;
        decode_uart(&pins, (struct probe){0, -1}, pins.console_bit_ps, 0, pins.now, &decoded);
        assert_int_equal(decoded.length, strlen(wrong[i].reason) + 1);
        assert_memory_equal(decoded.byte, wrong[i].reason, strlen(wrong[i].reason));
        assert_string_equal(console_ask(&pins, 0, "I\n"), wrong[i].reason);
        pins_phases(&pins, pins.now + MS, PERIOD, 24, 24);
        pins_run(&pins, pins.now + 10 * MS);
        assert_false(pulled(&pins, 0, 0, pins.now));
        pins_free(&pins);
    }
}

/* ---- the files */

static uint32_t word_of(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* By the UF2 specification: 512-byte blocks of 256 bytes each for the family of the RP2040. */
TEST(uf2_holds_the_image)
{
    struct pb_diag diag = {""};
    static uint8_t flash[65536];
    if (!image && pb_image_read(&image, IMAGE, &diag))
        fail_msg("%s", diag.text);
    memset(flash, 0xFF, sizeof flash);
    for (unsigned i = 0; i < image->segments; i++)
        memcpy(flash + (image->segment[i].address - 0x10000000), image->segment[i].data,
               image->segment[i].bytes);
    size_t bytes;
    const uint8_t *const file = (const uint8_t *)file_read("build/rp2040/node.uf2", &bytes);
    assert_true(bytes > 0 && bytes % 512 == 0);
    bool programmed[256] = {false};
    for (size_t i = 0; i < bytes / 512; i++) {
        const uint8_t *block = file + 512 * i;
        const uint32_t address = word_of(block + 12);
        assert_int_equal(word_of(block), 0x0A324655);
        assert_int_equal(word_of(block + 4), 0x9E5D5157);
        assert_int_equal(word_of(block + 8), 0x2000);
        assert_int_equal(word_of(block + 16), 256);
        assert_int_equal(word_of(block + 20), i);
        assert_int_equal(word_of(block + 24), bytes / 512);
        assert_int_equal(word_of(block + 28), 0xE48BFF56);
        assert_int_equal(word_of(block + 508), 0x0AB16F30);
        assert_in_range(address, 0x10000000, 0x10000000 + sizeof flash - 256);
        assert_memory_equal(block + 32, flash + (address - 0x10000000), 256);
        programmed[(address - 0x10000000) / 256] = true;
    }
    for (unsigned page = 0; page < 256; page++)
        for (unsigned i = 0; i < 256; i++)
            assert_true(programmed[page] || flash[256 * page + i] == 0xFF);
}

/* The block of the image as built: what a board has that is not configured. */
TEST(the_image_has_valid_settings_of_its_own)
{
    struct pb_diag diag = {""};
    struct node_settings settings;
    uint32_t address, bytes;
    if (!image && pb_image_read(&image, IMAGE, &diag))
        fail_msg("%s", diag.text);
    assert_true(pb_image_symbol(image, "node_settings", &address, &bytes));
    assert_int_equal(address % 4096, 0);
    assert_int_equal(bytes, sizeof settings);
    const struct pb_image_segment *last = &image->segment[image->segments - 1];
    assert_int_equal(last->address, address);
    memcpy(&settings, last->data, sizeof settings);
    assert_true(settings_valid(&settings));
}

/* A UF2 file for one node has its address in the settings, and nothing else that differs. */
TEST(pack_sets_an_address)
{
    struct node_settings settings;
    assert_int_equal(
        system("build/rp2040/pack build/rp2040/node.elf build/rp2040/test.bin build/rp2040/test.uf2 0x2A3"),
        0);
    size_t bytes, one_bytes;
    const char *const common = file_read("build/rp2040/node.bin", &bytes);
    char *const one = file_read("build/rp2040/test.bin", &one_bytes);
    assert_int_equal(one_bytes, bytes);
    memcpy(&settings, one + 0x8000, sizeof settings);
    assert_true(settings_valid(&settings));
    assert_int_equal(settings.address, 0x2A3);
    memcpy(one + 0x8000, common + 0x8000, sizeof settings);
    assert_memory_equal(one, common, bytes);
    assert_int_not_equal(system("build/rp2040/pack build/rp2040/node.elf build/rp2040/test.bin "
                                "build/rp2040/test.uf2 0x1000 2>/dev/null"),
                         0);
}

SENTENCES_OF(kind_rp2040)
