/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/slot.h"

#include <stdio.h>

enum { EDGE_LEFT_TOP = PB_EVENT_LEFT_MORE };

unsigned pb_slot_edges(const uint8_t *bytes, unsigned count)
{
    unsigned edges = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned bits = pb_slot_line_bits(bytes[i], true);
        edges += 1 + (unsigned)__builtin_popcount((bits ^ bits >> 1) & 0x1ff);
    }
    return edges;
}

void pb_slot_bytes_text(char *text, size_t size, const uint8_t *bytes, unsigned count)
{
    size_t at = 0;
    text[0] = 0;
    for (unsigned i = 0; i < count && at + 4 < size; i++)
        at += (size_t)snprintf(text + at, size - at, i ? " %02X" : "%02X", bytes[i]);
}

int pb_slot_first_difference(const uint8_t *expected, unsigned expected_count, const uint8_t *seen,
                             unsigned seen_count)
{
    const unsigned common = expected_count < seen_count ? expected_count : seen_count;
    for (unsigned i = 0; i < common; i++)
        if (expected[i] != seen[i])
            return (int)(10 * i + 1 + (unsigned)__builtin_ctz((unsigned)(expected[i] ^ seen[i])));
    return expected_count == seen_count ? -1 : (int)(10 * common);
}

bool pb_slot_last_edge(const struct pb_event *byte, uint32_t bit_period_q4, unsigned *bit, int64_t *position)
{
    const unsigned bits = pb_slot_line_bits(pb_event_data(byte), pb_event_stop_ok(byte));
    unsigned last = 9; /* the last bit that differs from its predecessor: the last edge is before it */
    while (last > 0 && (bits >> last & 1) == (bits >> (last - 1) & 1))
        last--;
    const uint32_t left = pb_event_edge_left(byte);
    *bit = last;
    *position = (int64_t)pb_sample_ticks(bit_period_q4, last) - left;
    return last > 0 && left < EDGE_LEFT_TOP;
}

bool pb_slot_baud_error(const struct pb_event *byte, uint32_t bit_period_q4, int32_t *error_ppm)
{
    unsigned last;
    int64_t position;
    if (!pb_slot_last_edge(byte, bit_period_q4, &last, &position) || last < PB_BAUD_BITS_MIN)
        return false;
    const int64_t nominal_q4 = (int64_t)last * bit_period_q4;
    *error_ppm = (int32_t)((16 * position - nominal_q4) * 1000000 / nominal_q4);
    return true;
}
