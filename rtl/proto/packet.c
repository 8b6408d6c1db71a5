/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "rtl/proto/packet.h"

#include <string.h>

enum { ESCAPE = 0x7d, ESCAPE_XOR = 0x20 };

uint16_t pb_packet_fcs(const uint8_t *bytes, size_t count)
{
    /* Each nibble after four shifts with the polynomial 0x8408. */
    static const uint16_t nibble[16] = {0x0000, 0x1081, 0x2102, 0x3183, 0x4204, 0x5285, 0x6306, 0x7387,
                                        0x8408, 0x9489, 0xa50a, 0xb58b, 0xc60c, 0xd68d, 0xe70e, 0xf78f};
    uint16_t fcs = 0xffff;
    while (count--) {
        fcs ^= *bytes++;
        fcs = fcs >> 4 ^ nibble[fcs & 15];
        fcs = fcs >> 4 ^ nibble[fcs & 15];
    }
    return (uint16_t)~fcs;
}

static uint8_t *put(uint8_t *wire, uint8_t byte)
{
    if (byte == PB_PACKET_FLAG || byte == ESCAPE) {
        *wire++ = ESCAPE;
        byte ^= ESCAPE_XOR;
    }
    *wire++ = byte;
    return wire;
}

size_t pb_packet_encode(const struct pb_packet *packet, uint8_t *wire)
{
    uint8_t plain[3 + PB_PACKET_PAYLOAD_MAX];
    uint8_t *end = wire;

    if (packet->length > PB_PACKET_PAYLOAD_MAX)
        return 0;
    plain[0] = packet->opcode;
    plain[1] = packet->sequence;
    plain[2] = packet->length;
    memcpy(plain + 3, packet->payload, packet->length);
    const size_t count = 3u + packet->length;
    const uint16_t fcs = pb_packet_fcs(plain, count);

    *end++ = PB_PACKET_FLAG;
    for (size_t i = 0; i < count; i++)
        end = put(end, plain[i]);
    end = put(end, (uint8_t)fcs);
    end = put(end, (uint8_t)(fcs >> 8));
    *end++ = PB_PACKET_FLAG;
    return (size_t)(end - wire);
}

static bool whole(const struct pb_packet_decoder *decoder)
{
    if (decoder->spoiled || decoder->escaped || decoder->count < 5 ||
        decoder->count != decoder->bytes[2] + 5u)
        return false;
    const uint8_t *fcs = decoder->bytes + decoder->count - 2;
    return pb_packet_fcs(decoder->bytes, decoder->count - 2) == (uint16_t)(fcs[0] | fcs[1] << 8);
}

bool pb_packet_decode(struct pb_packet_decoder *decoder, uint8_t byte, struct pb_packet *packet)
{
    if (byte == PB_PACKET_FLAG) {
        const bool good = whole(decoder);
        if (good) {
            packet->opcode = decoder->bytes[0];
            packet->sequence = decoder->bytes[1];
            packet->length = decoder->bytes[2];
            memcpy(packet->payload, decoder->bytes + 3, packet->length);
        } else if (decoder->count || decoder->spoiled || decoder->escaped)
            decoder->bad++;
        decoder->count = 0;
        decoder->escaped = decoder->spoiled = false;
        return good;
    }
    if (byte == ESCAPE && !decoder->escaped) {
        decoder->escaped = true;
        return false;
    }
    if (decoder->count == sizeof decoder->bytes) {
        decoder->spoiled = true;
        return false;
    }
    decoder->bytes[decoder->count++] = decoder->escaped ? byte ^ ESCAPE_XOR : byte;
    decoder->escaped = false;
    return false;
}
