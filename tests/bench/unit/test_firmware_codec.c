/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checks and codecs of the firmware; check values by long division.
 */
#include "firmware/app/codec.h"
#include "firmware/app/crc.h"
#include "firmware/app/testmode.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

TEST(crc_check_values)
{
    uint8_t short_crc = CRC8_INITIAL;
    uint16_t long_crc = CRC16_INITIAL;
    for (const char *c = "123456789"; *c; c++) {
        short_crc = crc8_byte(short_crc, (uint8_t)*c);
        long_crc = crc16_byte(long_crc, (uint8_t)*c);
    }
    assert_int_equal(short_crc, 0xF4);
    assert_int_equal(long_crc, 0x29B1);
}

TEST(crc_every_byte)
{
    for (unsigned value = 0; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        assert_int_equal(crc8_byte(0x5A, byte), division(&byte, 1, 8, 0x07, 0x5A));
        assert_int_equal(crc16_byte(0x8D31, byte), division(&byte, 1, 16, 0x1021, 0x8D31));
    }
}

static void fill(struct frame *frame, uint16_t destination, uint8_t sequence, unsigned payload_bytes)
{
    memset(frame, 0, sizeof *frame);
    frame->destination = destination;
    frame->sequence = sequence;
    for (unsigned i = 0; i < payload_bytes; i++)
        frame->payload[i] = (uint8_t)(0x11 * i + 7);
}

static enum codec_status decode(const struct codec *codec, const uint8_t *bytes, unsigned length,
                                uint8_t payload_bytes, struct decoder *decoder, unsigned *used)
{
    enum codec_status status = CODEC_MORE;
    decoder_start(decoder, codec, payload_bytes);
    for (*used = 0; *used < length && status == CODEC_MORE; ++*used)
        status = codec->decode(decoder, bytes[*used]);
    return status;
}

TEST(slot_bytes)
{
    struct frame frame;
    uint8_t bytes[CODEC_FRAME_MAX];
    fill(&frame, 0x91C, 0x5, 6);
    assert_int_equal(codec_slot.encode(&frame, 6, bytes), 9);
    assert_int_equal(bytes[0], 0x1C);
    assert_int_equal(bytes[1], 0x59);
    assert_memory_equal(bytes + 2, frame.payload, 6);
    assert_int_equal(bytes[8], crc8(bytes, 8));
}

TEST(bare_bytes)
{
    struct frame frame;
    struct decoder decoder;
    uint8_t bytes[CODEC_FRAME_MAX];
    unsigned used;
    fill(&frame, 0x91C, 0x5, 6);
    assert_int_equal(codec_bare.encode(&frame, 6, bytes), 7);
    assert_memory_equal(bytes, frame.payload, 6);
    assert_int_equal(bytes[6], crc8(bytes, 6));
    assert_int_equal(decode(&codec_bare, bytes, 7, 6, &decoder, &used), CODEC_COMPLETE);
    assert_int_equal(used, 7);
    assert_int_equal(decoder.frame.destination, CODEC_NO_DESTINATION);
    assert_memory_equal(decoder.frame.payload, frame.payload, 6);
    for (unsigned bit = 0; bit < 56; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(decode(&codec_bare, bytes, 7, 6, &decoder, &used), CODEC_BAD_CRC);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(codec_bare.encode(&frame, 0, bytes), 1); /* the check value alone */
    assert_int_equal(decode(&codec_bare, bytes, 1, 0, &decoder, &used), CODEC_COMPLETE);
}

TEST(starc_bytes)
{
    struct frame frame;
    uint8_t bytes[CODEC_FRAME_MAX];
    fill(&frame, 0x91C, 0x5, 6);
    assert_int_equal(codec_starc.encode(&frame, 6, bytes), 13);
    assert_int_equal(bytes[0], 0xAA);
    assert_int_equal(bytes[1], 0x05);
    assert_int_equal(bytes[2], 8);
    assert_int_equal(bytes[3], 0x1C);
    assert_int_equal(bytes[4], 0x09);
    assert_memory_equal(bytes + 5, frame.payload, 6);
    const uint16_t crc = crc16(bytes + 1, 10);
    assert_int_equal(bytes[11], crc >> 8);
    assert_int_equal(bytes[12], crc & 0xFF);
}

static void round_trip(const struct codec *codec, unsigned overhead)
{
    for (unsigned payload = 0; payload <= codec->payload_max; payload++) {
        struct frame frame;
        struct decoder decoder;
        uint8_t bytes[CODEC_FRAME_MAX];
        unsigned used;
        fill(&frame, (uint16_t)(0xFFF - payload), (uint8_t)(payload & 15), payload);
        const uint8_t length = codec->encode(&frame, (uint8_t)payload, bytes);
        assert_int_equal(length, payload + overhead);
        assert_true(length <= CODEC_FRAME_MAX);
        assert_int_equal(decode(codec, bytes, length, (uint8_t)payload, &decoder, &used), CODEC_COMPLETE);
        assert_int_equal(used, length);
        assert_int_equal(decoder.frame.destination, frame.destination);
        assert_int_equal(decoder.frame.sequence, frame.sequence);
        assert_memory_equal(decoder.frame.payload, frame.payload, payload);
    }
}

TEST(both_round_trip)
{
    round_trip(&codec_slot, 3);
    round_trip(&codec_starc, 7);
    assert_int_equal(codec_slot.payload_max, 80);
    assert_int_equal(codec_starc.payload_max, 78);
}

/* The CRC in advance: the same bytes, and then the payload is not read again. */
TEST(a_sealed_frame_has_the_bytes_of_one_that_is_not)
{
    assert_null(codec_starc.seal);
    for (unsigned payload = 0; payload <= CODEC_PAYLOAD_MAX; payload++) {
        struct frame frame = {.destination = (uint16_t)(0x5A3 + payload), .sequence = payload & 15};
        uint8_t plain[CODEC_FRAME_MAX], sealed[CODEC_FRAME_MAX];
        for (unsigned i = 0; i < payload; i++)
            frame.payload[i] = (uint8_t)(i * 73 + payload);
        assert_int_equal(codec_slot.encode(&frame, (uint8_t)payload, plain), payload + 3);
        codec_slot.seal(&frame, (uint8_t)payload);
        assert_true(frame.checked);
        assert_int_equal(codec_slot.encode(&frame, (uint8_t)payload, sealed), payload + 3);
        assert_memory_equal(plain, sealed, payload + 3);
    }
}

/* No single flipped bit may pass, nor may it keep the decoder from ending with the frame or before. */
static void single_flips(const struct codec *codec)
{
    static const uint8_t payloads[] = {0, 1, 6, 78};
    for (unsigned p = 0; p < sizeof payloads; p++) {
        struct frame frame;
        uint8_t bytes[CODEC_FRAME_MAX];
        fill(&frame, 0x2A3, 9, payloads[p]);
        const uint8_t length = codec->encode(&frame, payloads[p], bytes);
        for (unsigned bit = 0; bit < 8u * length; bit++) {
            struct decoder decoder;
            unsigned used;
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const enum codec_status status = decode(codec, bytes, length, payloads[p], &decoder, &used);
            assert_true(status == CODEC_BAD_CRC || status == CODEC_BAD_LENGTH || status == CODEC_BAD_MARK);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

TEST(single_flips_are_seen)
{
    single_flips(&codec_slot);
    single_flips(&codec_starc);
}

/* A burst no longer than the check is never a multiple of its polynomial. */
TEST(slot_bursts_are_seen)
{
    struct frame frame;
    struct decoder decoder;
    uint8_t bytes[CODEC_FRAME_MAX];
    unsigned used;
    fill(&frame, 0x2A3, 9, 6);
    const uint8_t length = codec_slot.encode(&frame, 6, bytes);
    for (unsigned at = 0; at + 8 <= 8u * length; at++)
        for (unsigned burst = 0; burst < 256; burst += 2) {
            uint8_t spoilt[CODEC_FRAME_MAX];
            memcpy(spoilt, bytes, length);
            for (unsigned i = 0; i < 8; i++) /* CRC bit order: the first bit of a byte is its highest */
                if (((burst | 1) >> i) & 1)
                    spoilt[(at + i) / 8] ^= (uint8_t)(0x80u >> (at + i) % 8);
            assert_int_equal(decode(&codec_slot, spoilt, length, 6, &decoder, &used), CODEC_BAD_CRC);
        }
}

TEST(starc_refuses_early)
{
    struct decoder decoder;
    unsigned used;
    const uint8_t wrong_mark[] = {0xAB, 0, 8}, wrong_length[] = {0xAA, 0, 9, 1};
    assert_int_equal(decode(&codec_starc, wrong_mark, 3, 6, &decoder, &used), CODEC_BAD_MARK);
    assert_int_equal(used, 1);
    assert_int_equal(decode(&codec_starc, wrong_length, 4, 6, &decoder, &used), CODEC_BAD_LENGTH);
    assert_int_equal(used, 3);
}

/* Of any m-sequence of 7 stages: period 127 and no less, 64 ones, and each bit is the sum of the 6th and 7th
 * before. */
TEST(prbs7_is_maximal)
{
    uint8_t bit[127 * 8 * 2], generator = PRBS7_SEED;
    unsigned ones = 0;
    for (unsigned i = 0; i < sizeof bit; i += 8) {
        const uint8_t byte = prbs7_byte(&generator);
        for (unsigned b = 0; b < 8; b++)
            bit[i + b] = (byte >> b) & 1;
    }
    for (unsigned i = 7; i < sizeof bit; i++)
        assert_int_equal(bit[i], bit[i - 6] ^ bit[i - 7]);
    for (unsigned i = 0; i < 127; i++)
        ones += bit[i];
    assert_int_equal(ones, 64);
    for (unsigned shift = 1; shift <= 127; shift++)
        assert_int_equal(memcmp(bit, bit + shift, 127) == 0, shift == 127);
}
