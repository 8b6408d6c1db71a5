/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Byte by byte: small, and the firmware copies a few bytes at a time. Compiled without the replacement of
 * loops by calls, which would make each of these call itself.
 */
#include <string.h>

#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    uint8_t *at = to;
    const uint8_t *source = from;
    for (; bytes >= 4; bytes -= 4, at += 4, source += 4) {
        const uint8_t a = source[0], b = source[1], c = source[2], d = source[3];
        at[0] = a;
        at[1] = b;
        at[2] = c;
        at[3] = d;
    }
    while (bytes-- > 0)
        *at++ = *source++;
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *at = to;
    while (bytes-- > 0)
        *at++ = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a, *right = b;
    for (size_t i = 0; i < bytes; i++)
        if (left[i] != right[i])
            return left[i] - right[i];
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
