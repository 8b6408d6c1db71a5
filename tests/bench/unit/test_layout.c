/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The layouts of regs.def as C has them, against words and bytes put together by hand after
 * docs/reference/protocol.md: nothing here comes from the generator but the names under test.
 * tests/rtl/tb_pb_layout.v is the same for Verilog.
 */
#include "phasebench/event.h"
#include "tests/bench/unit/tests.h"

/* name, word, value: the part holds `value` in `word`, which is all ones there and zero elsewhere or a word
 * of the example. */
#define PART(name, word, value)                                                                              \
    do {                                                                                                     \
        assert_true(PB_GET(name, word) == (value));                                                          \
        assert_true(PB_PUT(name, value) == ((word)&PB_PUT(name, ~UINT64_C(0))));                             \
    } while (0)
/* The part takes exactly these bits. */
#define BITS(name, first, width)                                                                             \
    do {                                                                                                     \
        assert_int_equal(name##_LSB, first);                                                                 \
        assert_int_equal(name##_WIDTH, width);                                                               \
        assert_true(name##_MASK == (UINT64_C(1) << (width)) - 1);                                            \
    } while (0)

TEST(test_bits_of_an_event)
{
    assert_int_equal(PB_EVENT_BITS, 64);
    BITS(PB_EVENT_STAMP, 0, 32);
    BITS(PB_EVENT_VALUE, 32, 22);
    BITS(PB_EVENT_LINK, 54, 6);
    BITS(PB_EVENT_KIND, 60, 4);
    BITS(PB_EVENT_PHASE_PHASE, 0, 9);
    BITS(PB_EVENT_PHASE_SUPERFRAME, 9, 13);
    BITS(PB_EVENT_EDGE_LEVEL, 0, 1);
    BITS(PB_EVENT_EDGE_HALF, 1, 2);
    BITS(PB_EVENT_BYTE_DATA, 0, 8);
    BITS(PB_EVENT_BYTE_STOP, 8, 1);
    BITS(PB_EVENT_BYTE_LEFT, 9, 13);
    BITS(PB_EVENT_CONSOLE_DATA, 0, 8);
    BITS(PB_EVENT_CONSOLE_STOP, 8, 1);
    BITS(PB_EVENT_OVERFLOW_STAMP, 0, 32);
    BITS(PB_EVENT_OVERFLOW_COUNT, 32, 28);
    BITS(PB_EVENT_OVERFLOW_KIND, 60, 4);
    BITS(PB_EVENT_UNDERRUN_PHASE, 0, 9);
    BITS(PB_EVENT_UNDERRUN_SUPERFRAME, 9, 13);
    BITS(PB_EVENT_HEARTBEAT_STAMP_HIGH, 0, 22);
    BITS(PB_EVENT_CLOCK_RUNNING, 0, 1);
    BITS(PB_EVENT_FAULT_KIND, 0, 5);
    BITS(PB_EVENT_FAULT_WHAT, 5, 2);
    BITS(PB_EVENT_FAULT_NUMBER, 7, 15);
    BITS(PB_EVENT_ALARM_CODE, 0, 5);
    BITS(PB_EVENT_ALARM_TICKS, 5, 17);
    BITS(PB_ALARM_PERIOD_SHORT, 0, 1);
    BITS(PB_ALARM_PERIOD_SIZE, 1, 16);
    BITS(PB_EVENT_TDMA_SYNC, 0, 1);
    BITS(PB_EVENT_TDMA_HALF, 1, 2);
    BITS(PB_EVENT_TDMA_AGE, 3, 17);
    BITS(PB_EVENT_TDMA_AGE_HALF, 20, 2);
}

/* The session that docs/reference/protocol.md shows byte by byte. */
TEST(test_events_of_the_example)
{
    const uint64_t clock = UINT64_C(0x800000010008D085), edge = UINT64_C(0x200000020008D175),
                   byte = UINT64_C(0x3000317E0008D33D), began = UINT64_C(0x900003A50008EB15),
                   ended = UINT64_C(0x900003850008EB21);
    PART(PB_EVENT_KIND, clock, 8);
    PART(PB_EVENT_STAMP, clock, 577669);
    PART(PB_EVENT_CLOCK_RUNNING, PB_GET(PB_EVENT_VALUE, clock), 1);
    PART(PB_EVENT_KIND, edge, 2);
    PART(PB_EVENT_STAMP, edge, 577909);
    PART(PB_EVENT_EDGE_LEVEL, PB_GET(PB_EVENT_VALUE, edge), 0);
    PART(PB_EVENT_EDGE_HALF, PB_GET(PB_EVENT_VALUE, edge), 1);
    PART(PB_EVENT_KIND, byte, 3);
    PART(PB_EVENT_BYTE_DATA, PB_GET(PB_EVENT_VALUE, byte), 0x7e);
    PART(PB_EVENT_BYTE_STOP, PB_GET(PB_EVENT_VALUE, byte), 1);
    PART(PB_EVENT_BYTE_LEFT, PB_GET(PB_EVENT_VALUE, byte), 24);
    PART(PB_EVENT_KIND, began, 9);
    PART(PB_EVENT_FAULT_KIND, PB_GET(PB_EVENT_VALUE, began), 5); /* GLITCH */
    PART(PB_EVENT_FAULT_WHAT, PB_GET(PB_EVENT_VALUE, began), 1);
    PART(PB_EVENT_FAULT_NUMBER, PB_GET(PB_EVENT_VALUE, began), 7);
    PART(PB_EVENT_FAULT_WHAT, PB_GET(PB_EVENT_VALUE, ended), 0);
}

/* Each part with a value of its own, so that no two could change places. */
TEST(test_words)
{
    assert_true((PB_PUT(PB_EVENT_KIND, 11) | PB_PUT(PB_EVENT_LINK, 37) | PB_PUT(PB_EVENT_VALUE, 0x2ABCDE) |
                 PB_PUT(PB_EVENT_STAMP, 0x12345678)) == UINT64_C(0xB96ABCDE12345678));
    assert_true((PB_PUT(PB_EVENT_OVERFLOW_KIND, 5) | PB_PUT(PB_EVENT_OVERFLOW_COUNT, 0xFEDCBA9) |
                 PB_PUT(PB_EVENT_OVERFLOW_STAMP, 0x89ABCDEF)) == UINT64_C(0x5FEDCBA989ABCDEF));
    assert_int_equal(PB_PUT(PB_EVENT_PHASE_PHASE, 0x155) | PB_PUT(PB_EVENT_PHASE_SUPERFRAME, 0x1234),
                     0x246955);
    assert_int_equal(PB_PUT(PB_EVENT_ALARM_CODE, 5) |
                         PB_PUT(PB_EVENT_ALARM_TICKS,
                                PB_PUT(PB_ALARM_PERIOD_SHORT, 1) | PB_PUT(PB_ALARM_PERIOD_SIZE, 0x8003)),
                     0x2000E5);
    assert_int_equal(PB_PUT(PB_EVENT_TDMA_SYNC, 1) | PB_PUT(PB_EVENT_TDMA_HALF, 2), 5);
    /* LINK[0] of docs/reference/protocol.md: virtual neighbour, not watched; and a joined one with pin 22,
     * phase 3. */
    assert_int_equal(PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR) | PB_PUT(PB_LINK_PHASE, PB_LINK_PHASE_ANY),
                     0x3F0001);
    assert_int_equal(PB_PUT(PB_LINK_MODE, PB_LINK_MODE_JOINED) | PB_PUT(PB_LINK_PARTNER, 22) |
                         PB_PUT(PB_LINK_PHASE, 3),
                     0x031602);
    assert_int_equal(PB_LINK_MODE_LISTEN, 0);
    assert_int_equal(PB_LINK_MODE_PUSH_PULL, 3);
    assert_int_equal(PB_PUT(PB_FAULT_JITTER_RANGE, 0xABC) | PB_PUT(PB_FAULT_JITTER_SHAPE, 1) |
                         PB_PUT(PB_FAULT_JITTER_SEED, 0x1234),
                     0x12341ABC);
    assert_int_equal(PB_PUT(PB_FAULT_DRIFT_CHANGE, -2), 0xFFFFFE);
    assert_int_equal(PB_SET(PB_LINK_PARTNER, 0x3F1602u, 1), 0x3F0102);
    /* What does not fit is cut off, and nothing else is touched. */
    assert_int_equal(PB_PUT(PB_LINK_MODE, 7), 3);
    assert_int_equal(PB_SET(PB_EVENT_FAULT_WHAT, 0x3FFFFFu, 4), 0x3FFF9F);
}

TEST(test_numbers)
{
    assert_int_equal(PB_EVENT_LINK_CLOCK, 63);
    assert_int_equal(PB_EVENT_LEFT_MORE, 8191);
    assert_int_equal(PB_EVENT_HALF_UNKNOWN, 0);
    assert_int_equal(PB_EVENT_HALF_FIRST, 1);
    assert_int_equal(PB_EVENT_HALF_SECOND, 2);
    assert_int_equal(PB_FAULT_WHAT_ENDED, 0);
    assert_int_equal(PB_FAULT_WHAT_BEGAN, 1);
    assert_int_equal(PB_FAULT_WHAT_LATE, 2);
    assert_int_equal(PB_FAULT_LENGTH_ENDLESS, 0xFFFFFFFF);
    assert_int_equal(PB_PLAY_TARGET_CONSOLE, 0x80);
    assert_int_equal(PB_PLAY_MARK_KIND, 15);
    assert_int_equal(PB_PLAY_MARK_FRAMING, PB_FAULT_FRAMING - 15);
    assert_int_equal(PB_PACKET_REPLY, 0x80);
    assert_int_equal(PB_PACKET_TARGET_FAULT, 0x80);
    assert_int_equal(PB_PACKET_WORDS_MAX, 60);
    assert_int_equal(PB_PACKET_EVENTS_MAX, 30);
}

#define PUT(part, value) PB_BYTES_PUT(PB_PLAY_RECORD_##part, bytes, value)
#define HAS(part, value) assert_int_equal(PB_BYTES_GET(PB_PLAY_RECORD_##part, bytes), value)
TEST(test_slot_player_record)
{
    static const uint8_t want[14] = {0x83, 0xB5, 0x55, 0xC1, 0x34, 0x12, 0x77,
                                     0x66, 0xCD, 0xAB, 0x89, 0x21, 0x43, 0x05};
    uint8_t bytes[16] = {0};
    assert_int_equal(PB_PLAY_RECORD_BYTES, 14);
    PUT(TARGET, 0x83);
    PUT(COUNT, 0x35);
    PUT(IMMEDIATE, 1);
    PUT(PHASE, 0x155);
    PUT(MARK, 6);
    PUT(SUPERFRAME, 0x1234);
    PUT(NUMBER, 0x6677);
    PUT(OFFSET, 0x89ABCD);
    PUT(PERIOD, 0x54321);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(bytes[14] | bytes[15], 0);
    HAS(TARGET, 0x83);
    HAS(COUNT, 0x35);
    HAS(IMMEDIATE, 1);
    HAS(PHASE, 0x155);
    HAS(MARK, 6);
    HAS(SUPERFRAME, 0x1234);
    HAS(NUMBER, 0x6677);
    HAS(OFFSET, 0x89ABCD);
    HAS(PERIOD, 0x54321);
    /* A part in a byte that holds another one leaves it as it is. */
    PUT(IMMEDIATE, 0);
    PUT(PHASE, 0);
    assert_int_equal(bytes[1], 0x35);
    assert_int_equal(bytes[2], 0);
    assert_int_equal(bytes[3], 0xC0);
}
#undef PUT
#undef HAS

#define PUT(part, value) PB_BYTES_PUT(PB_FAULT_RECORD_##part, bytes, value)
#define HAS(part, value) assert_int_equal(PB_BYTES_GET(PB_FAULT_RECORD_##part, bytes), value)
/* GLITCH on link 0 of docs/reference/protocol.md, then one with a value of its own in every part. */
TEST(test_fault_unit_record)
{
    static const uint8_t glitch[20] = {0x05, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07,
                                       0x00, 0xD0, 0x07, 0x00, 0x00, 0x0C};
    static const uint8_t want[20] = {0x13, 0x2A, 0xFF, 0x01, 0x34, 0x12, 0x66, 0x55, 0xEF, 0xCD,
                                     0xAB, 0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0x21, 0x43, 0x65, 0x87};
    uint8_t bytes[20] = {0};
    assert_int_equal(PB_FAULT_RECORD_BYTES, 20);
    PUT(KIND, 5);
    PUT(PHASE, 1);
    PUT(NUMBER, 7);
    PUT(OFFSET, 2000);
    PUT(LENGTH, 12);
    assert_memory_equal(bytes, glitch, sizeof glitch);
    PUT(KIND, 0x13);
    PUT(LINK, 0x2A);
    PUT(PHASE, 0x1FF);
    PUT(SUPERFRAME, 0x1234);
    PUT(NUMBER, 0x5566);
    PUT(OFFSET, 0xABCDEF);
    PUT(OTHER, 0x15);
    PUT(LENGTH, 0xFFFFFFFF);
    PUT(PARAMETER, 0x87654321);
    assert_memory_equal(bytes, want, sizeof want);
    HAS(KIND, 0x13);
    HAS(LINK, 0x2A);
    HAS(PHASE, 0x1FF);
    HAS(SUPERFRAME, 0x1234);
    HAS(NUMBER, 0x5566);
    HAS(OFFSET, 0xABCDEF);
    HAS(OTHER, 0x15);
    HAS(LENGTH, 0xFFFFFFFF);
    HAS(PARAMETER, 0x87654321);
}
#undef PUT
#undef HAS

/* Payloads of the session in docs/reference/protocol.md. */
TEST(test_packets)
{
    static const uint8_t read[4] = {0x00, 0x00, 0x3D, 0x00}, reply[4] = {0x00, 0x03, 0x00, 0x03},
                         write[3] = {0x11, 0x00, 0x00}, busy[4] = {0x01, 0x80, 0xFF, 0x07},
                         credit[4] = {0x00, 0x10, 0x02, 0x00}, fixed[4] = {0x34, 0x01, 0x3C, 0x01},
                         header[3] = {0x81, 0x7E, 0xFA}, events[4] = {0x08, 0, 0, 0x40};
    uint8_t bytes[4] = {0};
    assert_int_equal(PB_BYTES_GET(PB_PACKET_READ_WORDS, read), 61);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_READ_ADDRESS, read), 0);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_WORDS_STATUS, reply), 0);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_WORDS_ADDRESS, reply), 3);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_WORDS_WORDS, reply), 3);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_WRITE_ADDRESS, write), 0x11);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_WRITE_MODE, write), 0);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_PLAY_STATUS, busy), 1);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_PLAY_TARGET, busy), 0x80);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_PLAY_FREE, busy), 2047);
    assert_int_equal(PB_BYTES_GET(PB_REPLY_CREDIT_PACKETS, credit), 0x210);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_EVENTS_SEQUENCE, events), 0x40000008);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_OPCODE, header), 0x81);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_SEQUENCE, header), 0x7E);
    assert_int_equal(PB_BYTES_GET(PB_PACKET_LENGTH, header), 250);
    PB_BYTES_PUT(PB_PACKET_READ_ADDRESS, bytes, 0x134);
    PB_BYTES_PUT(PB_PACKET_READ_WORDS, bytes, 60);
    PB_BYTES_PUT(PB_PACKET_READ_MODE, bytes, 1);
    assert_memory_equal(bytes, fixed, sizeof fixed);
    assert_int_equal(PB_PACKET_WRITE_BYTES, 3);
    assert_int_equal(PB_PACKET_PLAY_BYTES, 1);
    assert_int_equal(PB_PACKET_CREDIT_BYTES, 2);
    assert_int_equal(PB_PACKET_EVENTS_BYTES, 4);
    assert_int_equal(PB_REPLY_PLAY_BYTES, 4);
}

/* The accessors of event.h on values put together by hand. */
TEST(test_accessors_of_events)
{
    const struct pb_event phase = {.kind = PB_EVENT_PHASE, .value = 0x1234u << 9 | 0x155},
                          edge = {.kind = PB_EVENT_EDGE, .value = 5},
                          byte = {.kind = PB_EVENT_BYTE, .value = 0x3000FF | 0x100};
    assert_int_equal(pb_event_phase(&phase), 0x155);
    assert_int_equal(pb_event_superframe(&phase), 0x1234);
    assert_true(pb_event_high(&edge));
    assert_int_equal(pb_event_half(&edge), PB_HALF_SECOND);
    assert_int_equal(pb_event_data(&byte), 0xFF);
    assert_true(pb_event_stop_ok(&byte));
    assert_int_equal(pb_event_edge_left(&byte), 0x1800);

    struct pb_event_unpacker unpacker = {0};
    struct pb_event event;
    pb_event_unpack(&unpacker, UINT64_C(0xB96ABCDE12345678), 3, &event);
    assert_int_equal(event.kind, 11);
    assert_int_equal(event.link, 37);
    assert_int_equal(event.value, 0x2ABCDE);
    assert_true(event.tick == 0x12345678);
    pb_event_unpack(&unpacker, UINT64_C(0x5FEDCBA912345679), 4, &event);
    assert_int_equal(event.kind, 5);
    assert_int_equal(event.link, 0);
    assert_int_equal(event.value, 0xFEDCBA9);
}
