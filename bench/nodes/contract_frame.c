/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node's frames. A reception is stored whole and checked by division, not byte by byte.
 */
#include "bench/nodes/contract.h"

#include <string.h>

enum { SLOT_HEAD = 2, STARC_HEAD = 5, STARC_MARK = 0xAA, DESTINATION_BYTES = 2 };

/* Remainder of a string of bytes, most significant bit first, in a register of `width` bits. */
static unsigned remainder_of(const uint8_t *bytes, unsigned count, unsigned width, unsigned polynomial,
                             unsigned initial)
{
    unsigned rest = initial;
    for (unsigned bit = 0; bit < 8 * count; bit++) {
        const unsigned in = bytes[bit / 8] >> (7 - bit % 8) & 1;
        const unsigned out = rest >> (width - 1) & 1;
        rest = (rest << 1 & ((1u << width) - 1)) ^ (in != out ? polynomial : 0);
    }
    return rest;
}

static unsigned crc8(const uint8_t *bytes, unsigned count)
{
    return remainder_of(bytes, count, 8, 0x07, 0);
}

static unsigned crc16(const uint8_t *bytes, unsigned count)
{
    return remainder_of(bytes, count, 16, 0x1021, 0xFFFF);
}

unsigned contract_frame_bytes(enum pb_node_codec codec, unsigned payload_bytes)
{
    return payload_bytes + (codec == PB_NODE_CODEC_STARC  ? STARC_HEAD + 2
                            : codec == PB_NODE_CODEC_SLOT ? SLOT_HEAD + 1
                                                          : 1);
}

unsigned contract_frame_write(enum pb_node_codec codec, const struct contract_message *message,
                              unsigned payload_bytes, uint8_t *bytes)
{
    if (codec == PB_NODE_CODEC_SLOT) {
        bytes[0] = (uint8_t)message->destination;
        bytes[1] = (uint8_t)(message->sequence << 4 | (message->destination >> 8 & 0x0F));
        memcpy(bytes + SLOT_HEAD, message->payload, payload_bytes);
        bytes[SLOT_HEAD + payload_bytes] = (uint8_t)crc8(bytes, SLOT_HEAD + payload_bytes);
    } else if (codec == PB_NODE_CODEC_BARE) {
        memcpy(bytes, message->payload, payload_bytes);
        bytes[payload_bytes] = (uint8_t)crc8(bytes, payload_bytes);
    } else {
        bytes[0] = STARC_MARK;
        bytes[1] = message->sequence;
        bytes[2] = (uint8_t)(payload_bytes + DESTINATION_BYTES);
        bytes[3] = (uint8_t)message->destination;
        bytes[4] = (uint8_t)(message->destination >> 8);
        memcpy(bytes + STARC_HEAD, message->payload, payload_bytes);
        const unsigned crc = crc16(bytes + 1, STARC_HEAD - 1 + payload_bytes);
        bytes[STARC_HEAD + payload_bytes] = (uint8_t)(crc >> 8);
        bytes[STARC_HEAD + payload_bytes + 1] = (uint8_t)crc;
    }
    return contract_frame_bytes(codec, payload_bytes);
}

static enum contract_reading read_slot(const uint8_t *bytes, unsigned payload_bytes,
                                       struct contract_message *message)
{
    message->destination = bytes[0] | (uint32_t)(bytes[1] & 0x0F) << 8;
    message->sequence = bytes[1] >> 4;
    memcpy(message->payload, bytes + SLOT_HEAD, payload_bytes);
    return bytes[SLOT_HEAD + payload_bytes] == crc8(bytes, SLOT_HEAD + payload_bytes) ? CONTRACT_GOOD
                                                                                      : CONTRACT_BAD_CRC;
}

/* It names no destination: the node that receives it is meant. */
static enum contract_reading read_bare(const uint8_t *bytes, unsigned payload_bytes,
                                       struct contract_message *message)
{
    message->destination = CONTRACT_NO_DESTINATION;
    message->sequence = 0;
    memcpy(message->payload, bytes, payload_bytes);
    return bytes[payload_bytes] == crc8(bytes, payload_bytes) ? CONTRACT_GOOD : CONTRACT_BAD_CRC;
}

static enum contract_reading read_starc(const uint8_t *bytes, unsigned payload_bytes,
                                        struct contract_message *message)
{
    const unsigned end = STARC_HEAD + payload_bytes;
    message->sequence = bytes[1] & 0x0F;
    message->destination = bytes[3] | (uint32_t)bytes[4] << 8;
    memcpy(message->payload, bytes + STARC_HEAD, payload_bytes);
    return (unsigned)(bytes[end] << 8 | bytes[end + 1]) == crc16(bytes + 1, end - 1) ? CONTRACT_GOOD
                                                                                     : CONTRACT_BAD_CRC;
}

enum contract_reading contract_frame_read(enum pb_node_codec codec, const uint8_t *bytes, unsigned count,
                                          unsigned payload_bytes, struct contract_message *message)
{
    if (codec == PB_NODE_CODEC_STARC && bytes[0] != STARC_MARK)
        return CONTRACT_BAD_MARK;
    if (codec == PB_NODE_CODEC_STARC && count > 2 && bytes[2] != payload_bytes + DESTINATION_BYTES)
        return CONTRACT_BAD_LENGTH;
    if (count < contract_frame_bytes(codec, payload_bytes))
        return CONTRACT_MORE;
    if (codec == PB_NODE_CODEC_BARE)
        return read_bare(bytes, payload_bytes, message);
    return codec == PB_NODE_CODEC_SLOT ? read_slot(bytes, payload_bytes, message)
                                       : read_starc(bytes, payload_bytes, message);
}

unsigned contract_frame_wrong_bits(enum pb_node_codec codec, const uint8_t *bytes, unsigned count)
{
    if (codec != PB_NODE_CODEC_STARC)
        return bytes[count - 1] ^ crc8(bytes, count - 1);
    return (unsigned)(bytes[count - 2] << 8 | bytes[count - 1]) ^ crc16(bytes + 1, count - 3);
}

uint8_t contract_prbs_byte(uint8_t *state)
{
    unsigned byte = 0;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned next = (*state >> 6 ^ *state >> 5) & 1;
        byte |= next << i;
        *state = (uint8_t)((*state << 1 | next) & 0x7F);
    }
    return (uint8_t)byte;
}
