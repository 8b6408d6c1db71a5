/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Codec of programs: payload, CRC-8. Every node knows who sends what, so a frame has no header.
 */
#include "codec.h"

#include "crc.h"

#include <stddef.h>

static uint8_t encode(const struct frame *frame, uint8_t payload_bytes, uint8_t *bytes)
{
    uint8_t crc = CRC8_INITIAL;

    for (uint8_t i = 0; i < payload_bytes; i++)
        crc = crc8_byte(crc, bytes[i] = frame->payload[i]);
    bytes[payload_bytes] = crc;
    return payload_bytes + 1;
}

static enum codec_status decode(struct decoder *decoder, uint8_t byte)
{
    const uint8_t index = decoder->count++;

    if (index == decoder->payload_bytes)
        return byte == decoder->crc ? CODEC_COMPLETE : CODEC_BAD_CRC;
    decoder->crc = crc8_byte((uint8_t)decoder->crc, byte);
    decoder->frame.payload[index] = byte;
    decoder->frame.destination = CODEC_NO_DESTINATION;
    return CODEC_MORE;
}

const struct codec codec_bare = {CODEC_PAYLOAD_MAX, encode, decode, CRC8_INITIAL, NULL};
