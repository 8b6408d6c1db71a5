/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Packets. The bytes as a stream: whatever is taken for a packet encodes to one that decodes to the same. The
 * bytes as a packet: after any noise and a flag it comes through.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "rtl/proto/packet.h"

#include <string.h>

static bool same(const struct pb_packet *a, const struct pb_packet *b)
{
    return a->opcode == b->opcode && a->sequence == b->sequence && a->length == b->length &&
           !memcmp(a->payload, b->payload, a->length);
}

/* Feeds the wire form of a packet; true when exactly this packet came out, at the last byte. */
static bool comes_through(struct pb_packet_decoder *decoder, const struct pb_packet *packet)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    const size_t count = pb_packet_encode(packet, wire);
    struct pb_packet out;
    MUST(count >= 7 && count <= sizeof wire);
    for (size_t i = 0; i + 1 < count; i++)
        if (pb_packet_decode(decoder, wire[i], &out) && i)
            return false;
    return pb_packet_decode(decoder, wire[count - 1], &out) && same(&out, packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_packet_decoder decoder = {0}, second = {0};
    struct pb_packet packet;
    for (size_t i = 0; i < size; i++)
        if (pb_packet_decode(&decoder, data[i], &packet)) {
            MUST(packet.length <= PB_PACKET_PAYLOAD_MAX);
            MUST(comes_through(&second, &packet));
        }
    struct input input = {data, size};
    size_t count;
    packet.opcode = take(&input);
    packet.sequence = take(&input);
    const uint8_t *payload = take_bytes(&input, PB_PACKET_PAYLOAD_MAX, &count);
    packet.length = (uint8_t)count;
    memcpy(packet.payload, payload, count);
    MUST(comes_through(&decoder, &packet));
    return 0;
}
