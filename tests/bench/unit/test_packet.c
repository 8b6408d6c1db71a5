/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The packet codec against rtl/proto/vectors.def, the published check value of the FCS, and everything that a
 * line can do to a packet. Whatever happens, only what was encoded may come out.
 */
#include "rtl/proto/packet.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { FLAG = 0x7e, ESCAPE = 0x7d };

static const struct vector {
    const char *name, *plain, *wire;
} vectors[] = {
#define VECTOR(name, plain, wire) {#name, plain, wire},
#include "rtl/proto/vectors.def"
#undef VECTOR
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static size_t parse_hex(const char *text, uint8_t *bytes)
{
    size_t count = 0;
    for (char *end; *text; text = end) {
        const unsigned long value = strtoul(text, &end, 16);
        if (end == text)
            break;
        assert_true(value < 256);
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

static void random_packet(struct pb_packet *packet, unsigned length)
{
    static const uint8_t special[] = {FLAG, ESCAPE, 0x5e, 0x5d};
    packet->opcode = (uint8_t)below(256);
    packet->sequence = (uint8_t)below(256);
    packet->length = (uint8_t)length;
    for (unsigned i = 0; i < length; i++)
        packet->payload[i] = below(2) ? special[below(4)] : (uint8_t)below(256);
}

static void assert_same(const struct pb_packet *a, const struct pb_packet *b)
{
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->payload, b->payload, a->length);
}

/* Feeds count bytes; returns the number of packets and keeps the last. */
static unsigned feed(struct pb_packet_decoder *decoder, const uint8_t *wire, size_t count,
                     struct pb_packet *packet)
{
    unsigned packets = 0;
    for (size_t i = 0; i < count; i++)
        packets += pb_packet_decode(decoder, wire[i], packet);
    return packets;
}

TEST(fcs_has_the_published_check_value)
{
    assert_int_equal(pb_packet_fcs((const uint8_t *)"123456789", 9), 0x906e);
    assert_int_equal(pb_packet_fcs((const uint8_t *)"", 0), 0x0000);
}

TEST(vectors_encode_and_decode)
{
    assert_true(VECTORS >= 15);
    for (size_t v = 0; v < VECTORS; v++) {
        uint8_t plain[512], wire[1024], encoded[PB_PACKET_WIRE_MAX];
        const size_t plain_count = parse_hex(vectors[v].plain, plain),
                     wire_count = parse_hex(vectors[v].wire, wire);
        struct pb_packet packet = {.opcode = plain[0], .sequence = plain[1], .length = plain[2]}, decoded;
        assert_int_equal(plain_count, 3u + packet.length);
        memcpy(packet.payload, plain + 3, packet.length);

        if (pb_packet_encode(&packet, encoded) != wire_count || memcmp(encoded, wire, wire_count))
            fail_msg("vector %s is encoded differently", vectors[v].name);
        struct pb_packet_decoder decoder = {0};
        if (feed(&decoder, wire, wire_count, &decoded) != 1 || decoder.bad)
            fail_msg("vector %s is not decoded", vectors[v].name);
        assert_same(&packet, &decoded);
    }
}

TEST(every_length_makes_a_round_trip)
{
    struct pb_packet_decoder decoder = {0};
    for (unsigned round = 0; round < 8; round++)
        for (unsigned length = 0; length <= PB_PACKET_PAYLOAD_MAX; length++) {
            uint8_t wire[PB_PACKET_WIRE_MAX];
            struct pb_packet packet, decoded;
            random_packet(&packet, length);
            const size_t count = pb_packet_encode(&packet, wire);
            assert_true(count >= length + 7u && count <= PB_PACKET_WIRE_MAX);
            assert_null(memchr(wire + 1, FLAG, count - 2));
            assert_int_equal(feed(&decoder, wire, count, &decoded), 1);
            assert_same(&packet, &decoded);
        }
    assert_int_equal(decoder.bad, 0);
}

TEST(worst_case_fills_the_wire_buffer_exactly)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    struct pb_packet packet = {.opcode = FLAG, .sequence = ESCAPE, .length = PB_PACKET_PAYLOAD_MAX};
    memset(packet.payload, FLAG, sizeof packet.payload);
    /* All but the length byte (250) and the two of the FCS are certain to be escaped. */
    assert_true(pb_packet_encode(&packet, wire) >= PB_PACKET_WIRE_MAX - 3);
    packet.length = PB_PACKET_PAYLOAD_MAX + 1;
    assert_int_equal(pb_packet_encode(&packet, wire), 0);
    packet.length = 255;
    assert_int_equal(pb_packet_encode(&packet, wire), 0);
}

TEST(every_flipped_bit_is_refused)
{
    for (size_t v = 0; v < VECTORS; v++) {
        uint8_t wire[1024];
        const size_t count = parse_hex(vectors[v].wire, wire);
        for (size_t bit = 0; bit < 8 * count; bit++) {
            struct pb_packet_decoder decoder = {0};
            struct pb_packet packet;
            wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
            /* A corrupted flag is only garbage in front (or a missing end, which the flag of the next packet
             * is). */
            assert_int_equal(feed(&decoder, wire, count, &packet), 0);
            if (bit >= 8 && bit < 8 * (count - 1))
                assert_true(decoder.bad >= 1);
            wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
            /* After the next flag it is synchronised again. */
            pb_packet_decode(&decoder, FLAG, &packet);
            assert_int_equal(feed(&decoder, wire, count, &packet), 1);
        }
    }
}

TEST(two_flipped_bits_are_refused)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    struct pb_packet packet, decoded;
    random_packet(&packet, 20);
    const size_t count = pb_packet_encode(&packet, wire);
    for (size_t a = 8; a < 8 * (count - 1); a++)
        for (size_t b = 8; b < a; b++) {
            struct pb_packet_decoder decoder = {0};
            wire[a / 8] ^= (uint8_t)(1u << a % 8);
            wire[b / 8] ^= (uint8_t)(1u << b % 8);
            assert_int_equal(feed(&decoder, wire, count, &decoded), 0);
            wire[a / 8] ^= (uint8_t)(1u << a % 8);
            wire[b / 8] ^= (uint8_t)(1u << b % 8);
        }
}

TEST(resynchronises_after_garbage)
{
    struct pb_packet_decoder decoder = {0};
    for (unsigned round = 0; round < 500; round++) {
        uint8_t wire[PB_PACKET_WIRE_MAX];
        struct pb_packet packet, decoded;
        for (unsigned i = below(700); i; i--)
            pb_packet_decode(&decoder, (uint8_t)below(256), &decoded);
        pb_packet_decode(&decoder, FLAG, &decoded);
        random_packet(&packet, below(PB_PACKET_PAYLOAD_MAX + 1));
        const size_t count = pb_packet_encode(&packet, wire);
        assert_int_equal(feed(&decoder, wire, count, &decoded), 1);
        assert_same(&packet, &decoded);
    }
    assert_true(decoder.bad > 0);
}

TEST(shared_and_idle_flags_are_no_error)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    struct pb_packet_decoder decoder = {0};
    struct pb_packet packet, decoded;
    for (unsigned i = 0; i < 10; i++)
        assert_false(pb_packet_decode(&decoder, FLAG, &decoded));
    random_packet(&packet, 9);
    const size_t count = pb_packet_encode(&packet, wire);
    assert_int_equal(feed(&decoder, wire, count, &decoded), 1);
    assert_int_equal(feed(&decoder, wire + 1, count - 1, &decoded),
                     1); /* the last flag opens the next packet */
    assert_int_equal(decoder.bad, 0);
}

TEST(truncated_and_merged_packets_are_refused)
{
    uint8_t a[PB_PACKET_WIRE_MAX], b[PB_PACKET_WIRE_MAX];
    struct pb_packet first, second, decoded;
    random_packet(&first, 30);
    random_packet(&second, 17);
    const size_t a_count = pb_packet_encode(&first, a), b_count = pb_packet_encode(&second, b);
    for (size_t cut = 2; cut < a_count - 1; cut++) {
        /* The start of one packet, then a whole one. */
        struct pb_packet_decoder decoder = {0};
        assert_int_equal(feed(&decoder, a, cut, &decoded), 0);
        assert_int_equal(feed(&decoder, b, b_count, &decoded), 1);
        assert_same(&second, &decoded);
        assert_int_equal(decoder.bad, 1);
        /* The start of one runs into the rest of the other without a flag. */
        decoder = (struct pb_packet_decoder){0};
        assert_int_equal(feed(&decoder, a, cut, &decoded), 0);
        assert_int_equal(feed(&decoder, b + 1, b_count - 1, &decoded), 0);
        assert_int_equal(decoder.bad, 1);
        assert_int_equal(feed(&decoder, b, b_count, &decoded), 1);
    }
}

TEST(wrong_lengths_are_refused)
{
    /* Correct FCS, wrong length byte; and stretches that are too short or too long. */
    for (unsigned claimed = 0; claimed < 256; claimed++) {
        uint8_t plain[8] = {1, 2, (uint8_t)claimed, 4, 5, 6};
        const uint16_t fcs = pb_packet_fcs(plain, 6);
        struct pb_packet_decoder decoder = {0};
        struct pb_packet decoded;
        plain[6] = (uint8_t)fcs;
        plain[7] = (uint8_t)(fcs >> 8);
        pb_packet_decode(&decoder, FLAG, &decoded);
        for (unsigned i = 0; i < sizeof plain; i++) {
            if (plain[i] == FLAG || plain[i] == ESCAPE)
                pb_packet_decode(&decoder, ESCAPE, &decoded);
            pb_packet_decode(&decoder, plain[i] == FLAG || plain[i] == ESCAPE ? plain[i] ^ 0x20 : plain[i],
                             &decoded);
        }
        assert_int_equal(pb_packet_decode(&decoder, FLAG, &decoded), claimed == 3);
    }
    for (unsigned count = 1; count < 1200; count++) {
        struct pb_packet_decoder decoder = {0};
        struct pb_packet decoded;
        for (unsigned i = 0; i < count; i++)
            assert_false(pb_packet_decode(&decoder, 0, &decoded));
        assert_false(pb_packet_decode(&decoder, FLAG, &decoded));
        assert_int_equal(decoder.bad, 1);
    }
}

TEST(packet_that_ends_in_an_escape_is_refused)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    struct pb_packet_decoder decoder = {0};
    struct pb_packet packet, decoded;
    random_packet(&packet, 5);
    const size_t count = pb_packet_encode(&packet, wire);
    assert_int_equal(feed(&decoder, wire, count - 1, &decoded), 0);
    assert_false(pb_packet_decode(&decoder, ESCAPE, &decoded));
    assert_false(pb_packet_decode(&decoder, FLAG, &decoded));
    assert_int_equal(decoder.bad, 1);
    assert_int_equal(feed(&decoder, wire, count, &decoded), 1);
}
