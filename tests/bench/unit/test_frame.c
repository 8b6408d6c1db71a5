/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot frames byte by byte. Check sums come from the long division of the tests, proven here on the published
 * check values. */
#include "host/plan/frame.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <string.h>

TEST(test_division_gives_the_published_check_values)
{
    static const uint8_t digits[] = "123456789";
    assert_int_equal(crc8(digits, 9), 0xf4);
    assert_int_equal(crc16(digits, 9), 0x29b1);
    assert_int_equal(crc32_ieee(digits, 9), 0xcbf43926);
    assert_int_equal(division(digits, 9, 32, 0x04c11db7, UINT32_MAX), 0x0376e6e7);
}

static struct pb_scenario *one_message(const char *link, uint32_t from, uint32_t to)
{
    const char *yaml = formatted(
        "seed: 5\nlink: {phase_rate: 1 kHz, %s}\nnodes: [{address: 0x%X}]\ntraffic: [{from: 0x%X, to: "
        "0x%X}]\n",
        link, from, from, to);
    return parse_scenario(yaml);
}

TEST(test_slot_frame)
{
    for (unsigned payload = 1; payload <= 80; payload += payload < 8 ? 1 : 24) {
        struct pb_scenario *scenario = one_message(formatted("payload: %u bytes", payload), 0x2A3, 0x91C);
        uint8_t frame[PB_FRAME_MAX], content[PB_FRAME_MAX];
        pb_payload(scenario, 0, content);
        for (unsigned sequence = 0; sequence < 32; sequence++) {
            assert_int_equal(pb_frame(scenario, 0, 0x91C, sequence, frame), 3 + payload);
            assert_int_equal(scenario->frame_bytes, 3 + payload);
            assert_int_equal(frame[0], 0x1C);
            assert_int_equal(frame[1], sequence % 16 << 4 | 0x9);
            assert_memory_equal(frame + 2, content, payload);
            assert_int_equal(frame[2 + payload], crc8(frame, 2 + payload));
        }
    }
}

TEST(test_bare_frame)
{
    static const uint8_t digits[] = "123456789";
    const struct pb_scenario *scenario =
        parse_scenario("link: {codec: bare, payload: 9 bytes, phase_rate: 1 kHz}\nnodes: [{address: 5}]\n"
                       "traffic: [{program: sort}]\n");
    uint8_t frame[PB_FRAME_MAX];
    assert_int_equal(scenario->frame_bytes, 10);
    assert_int_equal(pb_frame_write(scenario, 0x91C, 11, digits, frame), 10);
    assert_memory_equal(frame, digits, 9);
    assert_int_equal(frame[9], 0xf4);
    assert_true(pb_frame_checks(scenario, frame, 10));
    assert_ptr_equal(pb_frame_payload(scenario, frame), frame);
    assert_int_equal(pb_frame_destination(scenario, frame), PB_NO_DESTINATION);
    assert_int_equal(pb_frame_sequence(scenario, frame), 0);
    for (unsigned bit = 0; bit < 80; bit++) {
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(pb_frame_checks(scenario, frame, 10));
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_false(pb_frame_checks(scenario, frame, 9));
}

TEST(test_starc_frame)
{
    for (unsigned payload = 1; payload <= 78; payload += 11) {
        struct pb_scenario *scenario =
            one_message(formatted("codec: starc, payload: %u bytes", payload), 0x2A3, 0x91C);
        uint8_t frame[PB_FRAME_MAX], content[PB_FRAME_MAX];
        pb_payload(scenario, 0, content);
        assert_int_equal(pb_frame(scenario, 0, 0x91C, 16 + 11, frame), 7 + payload);
        assert_int_equal(frame[0], 0xAA);
        assert_int_equal(frame[1], 11);
        assert_int_equal(frame[2], payload + 2);
        assert_int_equal(frame[3], 0x1C);
        assert_int_equal(frame[4], 0x09);
        assert_memory_equal(frame + 5, content, payload);
        /* Header, length and content; high byte first. */
        const uint16_t check = crc16(frame + 1, 4 + payload);
        assert_int_equal(frame[5 + payload], check >> 8);
        assert_int_equal(frame[6 + payload], check & 255);
    }
}

/* The generator is published with the output for state 0 (Steele, Lea, Flood; reference C code by Vigna):
 * E220A8397B1DCDAF 6E789E6AA1B965F4. A payload starts from the first output plus the message's index; here
 * the seed is chosen such that this is 0. */
TEST(test_payload_is_splitmix64)
{
    static const uint64_t output[] = {UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4)};
    struct pb_scenario *scenario = one_message("payload: 16 bytes", 1, 2);
    uint64_t state0 = 0;
    assert_int_equal(pb_splitmix64(&state0), output[0]);
    assert_int_equal(pb_splitmix64(&state0), output[1]);
    scenario->seed = 0;
    uint8_t payload[16];
    pb_payload(scenario, (size_t)(0 - output[0]), payload); /* first output + index = 0 */
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(payload[i], output[i / 8] >> 8 * (i % 8) & 255);
}

TEST(test_payloads_differ)
{
    struct pb_scenario *scenario = one_message("payload: 8 bytes", 1, 2);
    uint8_t payload[64][8];
    for (unsigned i = 0; i < 64; i++) {
        scenario->seed = i / 8;
        pb_payload(scenario, i % 8, payload[i]);
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(payload[i], payload[k], 8);
    }
}
