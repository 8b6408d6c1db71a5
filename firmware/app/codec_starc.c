/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * StarC frame. Its published text leaves fields undefined; docs/node.md lists the assumptions made here.
 */
#include "codec.h"

#include "crc.h"

#include <string.h>

enum { MARK = 0xAA, AT_HEADER = 1, AT_LENGTH = 2, AT_DESTINATION = 3, AT_PAYLOAD = 5, DESTINATION_BYTES = 2 };

static uint8_t encode(const struct frame *frame, uint8_t payload_bytes, uint8_t *bytes)
{
    const uint8_t end = AT_PAYLOAD + payload_bytes;
    uint16_t crc = CRC16_INITIAL;

    bytes[0] = MARK;
    bytes[AT_HEADER] = frame->sequence & 0x0F;
    bytes[AT_LENGTH] = payload_bytes + DESTINATION_BYTES;
    bytes[AT_DESTINATION] = (uint8_t)frame->destination;
    bytes[AT_DESTINATION + 1] = (uint8_t)(frame->destination >> 8);
    memcpy(bytes + AT_PAYLOAD, frame->payload, payload_bytes);
    for (uint8_t i = AT_HEADER; i < end; i++)
        crc = crc16_byte(crc, bytes[i]);
    bytes[end] = (uint8_t)(crc >> 8);
    bytes[end + 1] = (uint8_t)crc;
    return end + 2;
}

static enum codec_status decode(struct decoder *decoder, uint8_t byte)
{
    struct frame *frame = &decoder->frame;
    const uint8_t end = AT_PAYLOAD + decoder->payload_bytes;
    const uint8_t index = decoder->count++;

    if (index == 0)
        return byte == MARK ? CODEC_MORE : CODEC_BAD_MARK;
    /* The CRC over its own value is 0, so both check bytes are processed like the others. */
    decoder->crc = crc16_byte(decoder->crc, byte);
    if (index == AT_HEADER)
        frame->sequence = byte & 0x0F;
    else if (index == AT_LENGTH)
        return byte == decoder->payload_bytes + DESTINATION_BYTES ? CODEC_MORE : CODEC_BAD_LENGTH;
    else if (index == AT_DESTINATION)
        frame->destination = byte;
    else if (index == AT_DESTINATION + 1)
        frame->destination |= (uint16_t)((uint16_t)byte << 8);
    else if (index < end)
        frame->payload[index - AT_PAYLOAD] = byte;
    else if (index == end + 1)
        return decoder->crc == 0 ? CODEC_COMPLETE : CODEC_BAD_CRC;
    return CODEC_MORE;
}

const struct codec codec_starc = {CODEC_PAYLOAD_MAX - DESTINATION_BYTES, encode, decode, CRC16_INITIAL, NULL};
