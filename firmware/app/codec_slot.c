/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Default codec: destination and sequence in two bytes, payload, CRC-8.
 */
#include "codec.h"

#include "crc.h"

#include <string.h>

enum { HEADER_BYTES = 2 };

static void put_header(const struct frame *frame, uint8_t *bytes)
{
    bytes[0] = (uint8_t)frame->destination;
    bytes[1] = (uint8_t)((frame->sequence << 4) | ((frame->destination >> 8) & 0x0F));
}

static uint8_t crc_over(uint8_t crc, const uint8_t *bytes, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++)
        crc = crc8_byte(crc, bytes[i]);
    return crc;
}

static void seal(struct frame *frame, uint8_t payload_bytes)
{
    uint8_t header[HEADER_BYTES];
    put_header(frame, header);
    frame->check = crc_over(crc_over(CRC8_INITIAL, header, HEADER_BYTES), frame->payload, payload_bytes);
    frame->checked = true;
}

static uint8_t encode(const struct frame *frame, uint8_t payload_bytes, uint8_t *bytes)
{
    const uint8_t covered = HEADER_BYTES + payload_bytes;

    put_header(frame, bytes);
    memcpy(bytes + HEADER_BYTES, frame->payload, payload_bytes);
    bytes[covered] = frame->checked ? frame->check : crc_over(CRC8_INITIAL, bytes, covered);
    return covered + 1;
}

static enum codec_status decode(struct decoder *decoder, uint8_t byte)
{
    struct frame *frame = &decoder->frame;
    const uint8_t index = decoder->count++;

    if (index == HEADER_BYTES + decoder->payload_bytes) {
        frame->checked = true;
        frame->check = byte;
        return byte == decoder->crc ? CODEC_COMPLETE : CODEC_BAD_CRC;
    }
    decoder->crc = crc8_byte((uint8_t)decoder->crc, byte);
    if (index == 0) {
        frame->destination = byte;
    } else if (index == 1) {
        frame->destination |= (uint16_t)((byte & 0x0F) << 8);
        frame->sequence = byte >> 4;
    } else {
        frame->payload[index - HEADER_BYTES] = byte;
    }
    return CODEC_MORE;
}

const struct codec codec_slot = {CODEC_PAYLOAD_MAX, encode, decode, CRC8_INITIAL, seal};
