/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program of mcu_armv6m.c, for a Cortex-M0+ with flash at 0 and SRAM at 0x20000000: ROUNDS times a
 * generator, a CRC and a sort of 64 bytes. It ends with the exit of semihosting, BKPT 0xAB.
 */
#include <stdint.h>

static uint8_t buffer[64];
static volatile uint32_t result;

static uint32_t crc(const uint8_t *data, uint32_t bytes)
{
    uint32_t crc = 0xffff;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= (uint32_t)data[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    return crc & 0xffff;
}

static uint32_t sort(uint8_t *data, uint32_t bytes)
{
    uint32_t moves = 0;
    for (uint32_t i = 1; i < bytes; i++) {
        const uint8_t key = data[i];
        uint32_t j = i;
        for (; j > 0 && data[j - 1] > key; j--, moves++)
            data[j] = data[j - 1];
        data[j] = key;
    }
    return moves;
}

static void start(void)
{
    uint32_t x = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < sizeof buffer; i++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            buffer[i] = (uint8_t)x;
        }
        result = result * 31 + crc(buffer, sizeof buffer) + sort(buffer, sizeof buffer);
    }
    register uint32_t r0 __asm__("r0") = 0x18;
    register uint32_t r1 __asm__("r1") = 0x20026;
    __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1));
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t stack;
    void (*reset)(void);
} vectors = {0x20004000, start};
