/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Check values of the tests, apart from those of host/plan and firmware/: long division, one bit of the
 * message at a time. test_frame.c holds them against the published ones.
 */
#ifndef PB_TEST_CHECK_VALUES_H
#define PB_TEST_CHECK_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* The remainder by x^width + polynomial, highest bit first, that begins as `rest`. */
static inline uint32_t division(const uint8_t *bytes, size_t count, unsigned width, uint32_t polynomial,
                                uint32_t rest)
{
    for (size_t i = 0; i < 8 * count; i++) {
        const uint32_t out = (rest >> (width - 1) ^ bytes[i / 8] >> (7 - i % 8)) & 1;
        rest = (rest << 1 ^ (out ? polynomial : 0)) & UINT32_MAX >> (32 - width);
    }
    return rest;
}

/* Of a frame of the codec slot. */
static inline uint8_t crc8(const uint8_t *bytes, size_t count)
{
    return (uint8_t)division(bytes, count, 8, 0x07, 0);
}

/* CRC-16/CCITT-FALSE, of the codec starc and the settings in flash. */
static inline uint16_t crc16(const uint8_t *bytes, size_t count)
{
    return (uint16_t)division(bytes, count, 16, 0x1021, 0xFFFF);
}

/* IEEE 802.3: each byte begins with its lowest bit, and so does the remainder. */
static inline uint32_t crc32_ieee(const uint8_t *bytes, size_t count)
{
    uint32_t rest = UINT32_MAX;
    for (size_t i = 0; i < 8 * count; i++)
        rest = rest >> 1 ^ ((rest ^ bytes[i / 8] >> i % 8) & 1 ? 0xEDB88320 : 0);
    return ~rest;
}

#endif
