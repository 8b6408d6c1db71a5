/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a node in its flash: the bytes against a dump written by hand, what the firmware makes of
 * them against the same sums in wider arithmetic, and every single damaged bit.
 */
#include "bench/emulator/image/settings_block.h"
#include "firmware/port/settings.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static struct pb_node_config example(void)
{
    return (struct pb_node_config){
        .address = 0x2A3,
        PB_NODE_CUBE(12),
        .codec = PB_NODE_CODEC_SLOT,
        .rule = PB_NODE_OPPORTUNISTIC,
        .payload_bytes = 6,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = 115200,
        .head_guard_ps = 5000000,
    };
}

static struct node_settings block_of(const struct pb_node_config *config)
{
    struct node_settings settings;
    uint8_t bytes[PB_SETTINGS_BYTES];
    pb_settings_block(config, bytes);
    memcpy(&settings, bytes, sizeof settings);
    return settings;
}

TEST(test_bytes_in_flash)
{
    static const uint8_t want[PB_SETTINGS_BYTES - 2] = {
        'P',  'B',  'S',  '1',  0x40, 0x42, 0x0F, 0x00, 0x00, 0xC2, 0x01, 0x00, 0x80,
        0x96, 0x98, 0x00, 0x88, 0x13, 0x00, 0x00, 0xA3, 0x02, 12,   6,    2,    2,
        2,    2,    2,    2,    2,    2,    2,    2,    2,    2,    0,    1};
    const struct pb_node_config config = example();
    uint8_t bytes[PB_SETTINGS_BYTES];
    pb_settings_block(&config, bytes);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(bytes[38] | bytes[39] << 8, crc16(want, sizeof want));
}

TEST(test_firmware_reads_them)
{
    const struct pb_node_config config = example();
    const struct node_settings settings = block_of(&config);
    struct route_network network;
    struct node_config app;
    assert_true(settings_valid(&settings));
    settings_configure(&settings, "port", 125000000, &app, &network);
    assert_string_equal(app.name, "port");
    assert_ptr_equal(app.network, &network);
    assert_ptr_equal(app.rule, &route_opportunistic);
    assert_ptr_equal(app.codec, &codec_slot);
    assert_int_equal(app.payload_bytes, 6);
    assert_int_equal(app.period_ticks, 12500);
    assert_int_equal(app.head_guard_ticks, 625);
    assert_int_equal(network.nodes, 4096);
    assert_int_equal(network.phases, 24);
}

TEST(test_generalised_network_and_starc)
{
    struct pb_node_config config = example();
    config.digits = 3;
    config.radix[0] = config.radix[1] = 4;
    config.radix[2] = 3;
    config.address = 47;
    config.codec = PB_NODE_CODEC_STARC;
    config.rule = PB_NODE_ECUBE;
    const struct node_settings settings = block_of(&config);
    struct route_network network;
    struct node_config app;
    assert_true(settings_valid(&settings));
    settings_configure(&settings, "port", 1000000, &app, &network);
    assert_int_equal(network.nodes, 48);
    assert_int_equal(network.ports, 8);
    assert_ptr_equal(app.codec, &codec_starc);
    assert_ptr_equal(app.rule, &route_ecube);
    config.codec = PB_NODE_CODEC_BARE;
    const struct node_settings bare = block_of(&config);
    assert_true(settings_valid(&bare));
    settings_configure(&bare, "port", 1000000, &app, &network);
    assert_ptr_equal(app.codec, &codec_bare);
}

/* The sums of the port in 128 bits, over timers from 32 kHz to 250 MHz. */
TEST(test_ticks)
{
    static const uint32_t tick_hz[] = {32768, 1000000, 16000000, 48000000, 125000000, 248000000};
    static const uint32_t rate_mhz[] = {1000, 333333, 10000000, 99999999, 100000000};
    static const uint32_t guard_ns[] = {0, 1, 999, 5000, 123457, 1000000000};
    for (unsigned i = 0; i < COUNT(tick_hz); i++)
        for (unsigned r = 0; r < COUNT(rate_mhz); r++)
            for (unsigned g = 0; g < COUNT(guard_ns); g++) {
                struct pb_node_config config = example();
                struct route_network network;
                struct node_config app;
                config.phase_rate_mhz = rate_mhz[r];
                config.head_guard_ps = (int64_t)guard_ns[g] * 1000;
                const struct node_settings settings = block_of(&config);
                settings_configure(&settings, "port", tick_hz[i], &app, &network);
                const unsigned __int128 twice_period =
                    ((unsigned __int128)tick_hz[i] * 2000 + rate_mhz[r]) / rate_mhz[r];
                assert_int_equal(app.period_ticks, (uint64_t)twice_period / 2);
                assert_int_equal(app.head_guard_ticks,
                                 ((uint64_t)guard_ns[g] * tick_hz[i] + 999999999) / 1000000000);
            }
}

TEST(test_guard_is_rounded_up_to_nanoseconds)
{
    struct pb_node_config config = example();
    config.head_guard_ps = 1001;
    assert_int_equal(block_of(&config).head_guard_ns, 2);
}

TEST(test_every_damaged_bit_is_found)
{
    const struct pb_node_config config = example();
    for (unsigned bit = 0; bit < 8 * PB_SETTINGS_BYTES; bit++) {
        uint8_t bytes[PB_SETTINGS_BYTES];
        struct node_settings settings;
        pb_settings_block(&config, bytes);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memcpy(&settings, bytes, sizeof settings);
        assert_false(settings_valid(&settings));
    }
}

/* With a correct check value. */
static bool valid(const struct pb_node_config *config)
{
    const struct node_settings settings = block_of(config);
    return settings_valid(&settings);
}

TEST(test_values_out_of_range)
{
    static const struct {
        uint32_t address, digits, radix, payload, rate_mhz, baud_hz, console_baud_hz;
        int64_t guard_ps;
        bool valid;
    } row[] = {
        {0, 1, 2, 80, 1000, 300, 300, 0, true},
        {4095, 12, 2, 0, 100000000, 12000000, 12000000, 1000000000000, true},
        {12, 1, 13, 6, 10000000, 1000000, 115200, 0, true},
        {13, 1, 13, 6, 10000000, 1000000, 115200, 0, false},
        {0, 1, 14, 6, 10000000, 1000000, 115200, 0, false},
        {0, 1, 1, 6, 10000000, 1000000, 115200, 0, false},
        {0, 0, 2, 6, 10000000, 1000000, 115200, 0, false},
        {2, 1, 2, 6, 10000000, 1000000, 115200, 0, false},
        {0, 1, 2, 81, 10000000, 1000000, 115200, 0, false},
        {0, 1, 2, 6, 999, 1000000, 115200, 0, false},
        {0, 1, 2, 6, 100000001, 1000000, 115200, 0, false},
        {0, 1, 2, 6, 10000000, 299, 115200, 0, false},
        {0, 1, 2, 6, 10000000, 12000001, 115200, 0, false},
        {0, 1, 2, 6, 10000000, 1000000, 299, 0, false},
        {0, 1, 2, 6, 10000000, 1000000, 12000001, 0, false},
        {0, 1, 2, 6, 10000000, 1000000, 115200, 1000000000001, false},
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        struct pb_node_config config = {
            .address = row[i].address,
            .digits = row[i].digits,
            .payload_bytes = row[i].payload,
            .phase_rate_mhz = row[i].rate_mhz,
            .baud_hz = row[i].baud_hz,
            .console_baud_hz = row[i].console_baud_hz,
            .head_guard_ps = row[i].guard_ps,
        };
        memset(config.radix, (int)row[i].radix, PB_NODE_DIGITS_MAX);
        if (valid(&config) != row[i].valid)
            fail_msg("row %u", i);
    }
}
