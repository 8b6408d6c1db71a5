/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node of the 12-cube at its pins, for tests of several kinds of node: phases of 100 us, 1 Mbaud, head
 * guard 5 us; slot frames whose CRC-8 comes from long division.
 */
#ifndef PIN_FRAME_H
#define PIN_FRAME_H

#include "tests/unit/test_firmware_pins.h"

#define PERIOD (100 * US)
#define GUARD (5 * US)
#define BIT US

static inline struct pb_node_config config_of(uint32_t address)
{
    return (struct pb_node_config){
        .address = address,
        PB_NODE_CUBE(12),
        .payload_bytes = 6,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = 1000000,
        .head_guard_ps = GUARD,
        .seed = 1,
    };
}

/* The payload counts from 1. Valid until the next call. */
static inline const uint8_t *slot_frame(uint16_t destination, uint8_t sequence, uint8_t payload)
{
    static uint8_t frame[100];
    uint8_t crc = 0;
    frame[0] = (uint8_t)destination;
    frame[1] = (uint8_t)(destination >> 8 | sequence << 4);
    for (uint8_t i = 0; i < payload; i++)
        frame[2 + i] = (uint8_t)(1 + i);
    for (unsigned bit = 0; bit < 8u * (2u + payload); bit++) {
        const bool out = (crc >> 7) ^ ((frame[bit / 8] >> (7 - bit % 8)) & 1);
        crc = (uint8_t)(crc << 1) ^ (out ? 0x07 : 0);
    }
    frame[2 + payload] = crc;
    return frame;
}

/* The first message to a destination. */
static inline const uint8_t *frame_to(uint16_t destination)
{
    return slot_frame(destination, 0, 6);
}

/* Start of the only transmission on a dimension, which must be these bytes back to back, each within
 * tolerance_ps. */
static inline int64_t sent_within(struct pins *pins, struct probe probe, int64_t from, int64_t to,
                                  int64_t bit_ps, const uint8_t *frame, size_t length, int64_t tolerance_ps)
{
    struct decoded decoded;
    decode_uart(pins, probe, bit_ps, from, to, &decoded);
    assert_int_equal(decoded.length, length);
    assert_int_equal(decoded.framing_errors, 0);
    assert_memory_equal(decoded.byte, frame, length);
    for (size_t i = 1; i < length; i++) {
        const int64_t off = decoded.start[i] - decoded.start[0] - 10 * (int64_t)i * bit_ps;
        assert_in_range(off + tolerance_ps, 0, 2 * tolerance_ps);
    }
    return decoded.start[0];
}

#endif
