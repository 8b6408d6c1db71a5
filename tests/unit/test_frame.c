/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot frames byte by byte. Check sums come from a long division written here, proven on the published check
 * values. */
#include "host/plan/frame.h"
#include "tests/unit/run_fixture.h"

#include <stdio.h>
#include <string.h>

/* Remainder of the message polynomial times x^width, after adding `first` to its leading coefficients: school
 * division on an array of coefficients. */
static uint32_t remainder_of(const uint8_t *bytes, size_t count, unsigned width, uint32_t divisor,
                             uint32_t first)
{
    uint8_t coefficient[8 * 128 + 16] = {0};
    assert_true(count <= 128 && 8 * count >= width);
    for (size_t i = 0; i < 8 * count; i++)
        coefficient[i] = bytes[i / 8] >> (7 - i % 8) & 1;
    for (unsigned i = 0; i < width; i++)
        coefficient[i] ^= first >> (width - 1 - i) & 1;
    for (size_t i = 0; i < 8 * count; i++) {
        if (!coefficient[i])
            continue;
        coefficient[i] = 0; /* the divisor's leading one */
        for (unsigned k = 0; k < width; k++)
            coefficient[i + 1 + k] ^= divisor >> (width - 1 - k) & 1;
    }
    uint32_t rest = 0;
    for (unsigned k = 0; k < width; k++)
        rest = rest << 1 | coefficient[8 * count + k];
    return rest;
}

static uint8_t crc8(const uint8_t *bytes, size_t count)
{
    return (uint8_t)remainder_of(bytes, count, 8, 0x07, 0);
}

static uint16_t crc16(const uint8_t *bytes, size_t count)
{
    return (uint16_t)remainder_of(bytes, count, 16, 0x1021, 0xffff);
}

static void test_division_gives_the_published_check_values(void **state)
{
    static const uint8_t digits[] = "123456789";
    (void)state;
    assert_int_equal(crc8(digits, 9), 0xf4);
    assert_int_equal(crc16(digits, 9), 0x29b1);
}

static struct pb_scenario *one_message(const char *link, uint32_t from, uint32_t to)
{
    char yaml[300];
    snprintf(yaml, sizeof yaml,
             "seed: 5\nlink: {phase_rate: 1 kHz, %s}\nnodes: [{address: 0x%X}]\ntraffic: [{from: 0x%X, to: "
             "0x%X}]\n",
             link, from, from, to);
    return parse_scenario(yaml);
}

static void test_slot_frame(void **state)
{
    (void)state;
    for (unsigned payload = 1; payload <= 80; payload += payload < 8 ? 1 : 24) {
        char link[40];
        snprintf(link, sizeof link, "payload: %u bytes", payload);
        struct pb_scenario *scenario = one_message(link, 0x2A3, 0x91C);
        uint8_t frame[PB_FRAME_MAX], content[PB_FRAME_MAX];
        pb_payload(scenario, 0, content);
        for (unsigned sequence = 0; sequence < 16; sequence++) {
            assert_int_equal(pb_frame(scenario, 0, sequence, frame), 3 + payload);
            assert_int_equal(scenario->frame_bytes, 3 + payload);
            assert_int_equal(frame[0], 0x1C);
            assert_int_equal(frame[1], sequence << 4 | 0x9);
            assert_memory_equal(frame + 2, content, payload);
            assert_int_equal(frame[2 + payload], crc8(frame, 2 + payload));
        }
        pb_scenario_free(scenario);
    }
}

static void test_starc_frame(void **state)
{
    (void)state;
    for (unsigned payload = 1; payload <= 78; payload += 11) {
        char link[60];
        snprintf(link, sizeof link, "codec: starc, payload: %u bytes", payload);
        struct pb_scenario *scenario = one_message(link, 0x2A3, 0x91C);
        uint8_t frame[PB_FRAME_MAX], content[PB_FRAME_MAX];
        pb_payload(scenario, 0, content);
        assert_int_equal(pb_frame(scenario, 0, 11, frame), 7 + payload);
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
        pb_scenario_free(scenario);
    }
}

/* The generator is published with the output for state 0 (Steele, Lea, Flood; reference C code by Vigna):
 * E220A8397B1DCDAF 6E789E6AA1B965F4. A payload starts from the first output plus the message's index; here
 * the seed is chosen such that this is 0. */
static void test_payload_is_splitmix64(void **state)
{
    static const uint64_t output[] = {UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4)};
    (void)state;
    struct pb_scenario *scenario = one_message("payload: 16 bytes", 1, 2);
    uint64_t state0 = 0;
    assert_int_equal(pb_splitmix64(&state0), output[0]);
    assert_int_equal(pb_splitmix64(&state0), output[1]);
    scenario->seed = 0;
    uint8_t payload[16];
    pb_payload(scenario, (size_t)(0 - output[0]), payload); /* first output + index = 0 */
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(payload[i], output[i / 8] >> 8 * (i % 8) & 255);
    pb_scenario_free(scenario);
}

static void test_payloads_differ(void **state)
{
    (void)state;
    struct pb_scenario *scenario = one_message("payload: 8 bytes", 1, 2);
    uint8_t payload[64][8];
    for (unsigned i = 0; i < 64; i++) {
        scenario->seed = i / 8;
        pb_payload(scenario, i % 8, payload[i]);
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(payload[i], payload[k], 8);
    }
    pb_scenario_free(scenario);
}

/* ---- order and sequence numbers */

static void assert_order(const char *traffic, size_t count, const uint8_t *sequence, const size_t *order)
{
    char yaml[900];
    uint8_t numbers[32];
    size_t indices[32];
    snprintf(yaml, sizeof yaml, "nodes: [{address: 0x2A3}]\ntraffic:\n%s", traffic);
    struct pb_scenario *scenario = parse_scenario(yaml);
    assert_int_equal(scenario->traffic.count, count);
    assert_int_equal(pb_message_order(scenario, numbers, indices), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(numbers[i], sequence[i]);
        assert_int_equal(indices[i], order[i]);
    }
    assert_int_equal(pb_message_order(scenario, numbers, NULL), 0);
    assert_memory_equal(numbers, sequence, count);
    pb_scenario_free(scenario);
}

static void test_order_by_release(void **state)
{
    (void)state;
    assert_order("  - {from: 0x2A3, to: 0x2A2, superframe: 3}\n"
                 "  - {from: 0x2A3, to: 0x2A2, superframe: 1}\n"
                 "  - {from: 0x001, to: 0x2A2, superframe: 2}\n"
                 "  - {from: 0x2A3, to: 0x2A2, superframe: 1}\n",
                 4, (const uint8_t[]){2, 0, 0, 1}, (const size_t[]){2, 1, 3, 0});
}

/* 0x2A3 = 10 1010 0011 sends on dimension 0 in phase 1, on 1 in 3, on 2 in 4, on 11 in 22. Released in phase
 * 0 the order is that; released in phase 4, dimension 2 comes first and 1 last. */
static void test_order_by_first_hop(void **state)
{
    (void)state;
    assert_order("  - {from: 0x2A3, to: 0xAA3}\n"
                 "  - {from: 0x2A3, to: 0x2A7}\n"
                 "  - {from: 0x2A3, to: 0x2A1}\n"
                 "  - {from: 0x2A3, to: 0x2A2}\n",
                 4, (const uint8_t[]){3, 2, 1, 0}, (const size_t[]){3, 2, 1, 0});
    assert_order("  - {from: 0x2A3, to: 0x2A2, superframe: 1, phase: 4}\n"
                 "  - {from: 0x2A3, to: 0xAA3, superframe: 1, phase: 4}\n"
                 "  - {from: 0x2A3, to: 0x2A1, superframe: 1, phase: 4}\n"
                 "  - {from: 0x2A3, to: 0x2A7, superframe: 1, phase: 4}\n",
                 4, (const uint8_t[]){2, 1, 3, 0}, (const size_t[]){3, 1, 0, 2});
}

static void test_sequence_wraps_at_sixteen(void **state)
{
    (void)state;
    struct pb_scenario *scenario =
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x2A2, repeat: 40}]\n");
    uint8_t numbers[40];
    assert_int_equal(pb_message_order(scenario, numbers, NULL), 0);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(numbers[i], i % 16);
    pb_scenario_free(scenario);
}

/* Pattern messages of a node to itself are never sent and take no number. */
static void test_message_to_itself_takes_no_number(void **state)
{
    (void)state;
    struct pb_scenario *scenario =
        parse_scenario("cube: {dims: 2}\nnodes: [{address: 1}]\ntraffic: [{pattern: 'hotspot:1'}, {from: 1, "
                       "to: 2}, {from: 0, to: 2}]\n");
    uint8_t numbers[8];
    assert_int_equal(pb_message_order(scenario, numbers, NULL), 0);
    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *message = &scenario->traffic.message[i];
        if (message->source == 1 && message->destination == 2)
            assert_int_equal(numbers[i], 0);
    }
    pb_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division_gives_the_published_check_values),
        cmocka_unit_test(test_slot_frame),
        cmocka_unit_test(test_starc_frame),
        cmocka_unit_test(test_payload_is_splitmix64),
        cmocka_unit_test(test_payloads_differ),
        cmocka_unit_test(test_order_by_release),
        cmocka_unit_test(test_order_by_first_hop),
        cmocka_unit_test(test_sequence_wraps_at_sixteen),
        cmocka_unit_test(test_message_to_itself_takes_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
