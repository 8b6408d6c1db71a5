/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * host/link/device.c against a peer that cannot be trusted. A small model of the core lies in one way at a
 * time (another address, sequence, opcode, count; late, twice, never; noise without end). Every call must end
 * in bounded time with a correct value or an error.
 */
#include "phasebench/device.h"
#include "rtl/proto/packet.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { QUEUE = 1 << 16, ATTEMPTS_MS = 125 * 4 };

/* ---- a model of the core that lies */
enum lie {
    HONEST,
    WRONG_SEQUENCE,
    WRONG_OPCODE,
    WRONG_ADDRESS,
    WRONG_COUNT,
    WRONG_LENGTH,
    SHORT_REPLY,
    FLIPPED,
    TRUNCATED,
    SILENT,
    TWICE,
    LATE,
    MUTTERING,
    EVENT_STORM,
    WRITE_FAILS,
    READ_FAILS,
    LIES
};

struct liar {
    struct pb_transport base;
    enum lie lie;
    bool armed; /* honest before */
    unsigned lies_left;
    uint32_t reg[1024];
    struct pb_packet_decoder decoder;
    uint8_t queue[QUEUE];
    size_t head, tail;
    uint8_t late[PB_PACKET_WIRE_MAX];
    size_t late_count;
    bool answered_before;
    uint8_t last_sequence, last_opcode;
    unsigned writes_done; /* carried out */
    uint64_t waited_ms, reads;
    unsigned silent_ms, longest_silence_ms; /* without a command */
    unsigned credits, commands[128], status_reads;
    struct pb_packet played; /* the last PLAY */
    bool *closed;
};

static void push(struct liar *liar, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && liar->tail - liar->head < QUEUE; i++)
        liar->queue[liar->tail++ % QUEUE] = bytes[i];
}

static void send_reply(struct liar *liar, struct pb_packet *reply)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    enum lie lie = HONEST;
    if (liar->armed && liar->lies_left) {
        liar->lies_left--;
        lie = liar->lie;
    }
    if (lie == WRONG_SEQUENCE)
        reply->sequence++;
    if (lie == WRONG_OPCODE)
        reply->opcode ^= 3;
    if (lie == WRONG_ADDRESS)
        reply->payload[1]++;
    if (lie == WRONG_COUNT)
        reply->payload[3]++;
    if (lie == WRONG_LENGTH)
        reply->length = (uint8_t)(reply->length + 4);
    if (lie >= WRONG_SEQUENCE && lie <= WRONG_LENGTH)
        for (unsigned i = 4; i < reply->length; i++)
            reply->payload[i] ^= 0x55; /* the reply to another command has other values */
    if (lie == SHORT_REPLY)
        reply->length = 3;
    const size_t count = pb_packet_encode(reply, wire);
    if (lie == FLIPPED)
        wire[1 + below((uint32_t)count - 2)] ^= (uint8_t)(1 + below(255));
    if (lie == LATE) {
        push(liar, liar->late, liar->late_count);
        memcpy(liar->late, wire, count);
        liar->late_count = count;
        return;
    }
    if (liar->late_count) {
        push(liar, liar->late, liar->late_count);
        liar->late_count = 0;
    }
    if (lie != SILENT && lie != MUTTERING && lie != EVENT_STORM)
        push(liar, wire, lie == TRUNCATED ? count / 2 : count);
    if (lie == TWICE)
        push(liar, wire, count);
}

static void carry_out(struct liar *liar, const struct pb_packet *request)
{
    const uint8_t *p = request->payload;
    const unsigned address = p[0] | (unsigned)p[1] << 8;
    struct pb_packet reply = {
        .opcode = request->opcode | PB_PACKET_REPLY, .sequence = request->sequence, .length = 4};
    const bool repeated = liar->answered_before && request->sequence == liar->last_sequence &&
                          request->opcode == liar->last_opcode;
    switch (request->opcode) {
    case PB_OPCODE_READ:
        liar->status_reads += address == PB_REG_STATUS;
        memcpy(reply.payload + 1, p, 3);
        for (unsigned i = 0; i < p[2]; i++)
            for (unsigned b = 0; b < 4; b++)
                reply.payload[4 + 4 * i + b] = (uint8_t)(liar->reg[(address + i) % 1024] >> (8 * b));
        reply.length = (uint8_t)(4 + 4 * p[2]);
        break;
    case PB_OPCODE_WRITE:
        memcpy(reply.payload + 1, p, 2);
        reply.payload[3] = (uint8_t)((request->length - 3) / 4);
        for (unsigned i = 0; !repeated && i < reply.payload[3]; i++) {
            const uint8_t *w = p + 3 + 4 * i;
            liar->writes_done++;
            if (address + i > PB_REG_BUFFERS || address + i == PB_REG_SCRATCH)
                liar->reg[(address + i) % 1024] =
                    w[0] | (uint32_t)w[1] << 8 | (uint32_t)w[2] << 16 | (uint32_t)w[3] << 24;
        }
        break;
    case PB_OPCODE_PLAY:
        liar->played = *request;
        reply.payload[1] = p[0];
        reply.payload[2] = 42;
        break;
    default:
        liar->credits += repeated ? 0 : address;
        reply.payload[1] = (uint8_t)liar->credits;
        reply.payload[2] = (uint8_t)(liar->credits >> 8);
        break;
    }
    liar->commands[request->opcode & 127]++;
    liar->answered_before = true;
    liar->last_sequence = request->sequence;
    liar->last_opcode = request->opcode;
    send_reply(liar, &reply);
}

static int liar_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct liar *liar = (struct liar *)base;
    struct pb_packet request;
    if (liar->lie == WRITE_FAILS && liar->armed)
        return pb_fail(diag, PB_ERR_IO, "the wire is cut");
    for (size_t i = 0; i < count; i++)
        if (pb_packet_decode(&liar->decoder, bytes[i], &request)) {
            liar->silent_ms = 0;
            carry_out(liar, &request);
        }
    return PB_OK;
}

static int liar_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                     struct pb_diag *diag)
{
    struct liar *liar = (struct liar *)base;
    liar->reads++;
    liar->silent_ms += timeout_ms;
    if (liar->silent_ms > liar->longest_silence_ms)
        liar->longest_silence_ms = liar->silent_ms;
    if (liar->lie == READ_FAILS && liar->armed)
        return pb_fail(diag, PB_ERR_IO, "the wire is cut");
    if (liar->head == liar->tail && liar->lies_left && liar->armed) {
        if (liar->lie == MUTTERING) {
            for (size_t i = 0; i < capacity; i++)
                bytes[i] = (uint8_t)below(256);
            return (int)capacity;
        }
        if (liar->lie == EVENT_STORM) {
            struct pb_packet storm = {
                .opcode = PB_OPCODE_EVENTS, .sequence = (uint8_t)below(256), .length = 12};
            uint8_t wire[PB_PACKET_WIRE_MAX];
            const size_t count = pb_packet_encode(&storm, wire);
            memcpy(bytes, wire, count);
            return (int)count;
        }
    }
    if (liar->head == liar->tail)
        liar->waited_ms += timeout_ms;
    size_t count = 0;
    while (count < capacity && liar->head != liar->tail)
        bytes[count++] = liar->queue[liar->head++ % QUEUE];
    return (int)count;
}

static void liar_close(struct pb_transport *base)
{
    *((struct liar *)base)->closed = true;
}

static const struct pb_transport_ops liar_ops = {liar_write, liar_read, liar_close};

static struct liar liar; /* large */
static struct pb_device *device;
static struct pb_diag diag;
static struct pb_events events;
static bool closed;

static void liar_init(void)
{
    closed = false;
    diag.text[0] = '\0';
    memset(&liar, 0, sizeof liar);
    liar.base.ops = &liar_ops;
    liar.closed = &closed;
    liar.reg[PB_REG_ID] = PB_ID_VALUE;
    liar.reg[PB_REG_MAP_HASH] = PB_MAP_HASH;
    liar.reg[PB_REG_CLK_HZ] = 48000000;
    liar.reg[PB_REG_SHAPE] = 12 | 3u << 8 | 1u << 16 | 2u << 24;
    liar.reg[PB_REG_BUFFERS] = 2048 | 512u << 16;
    liar.reg[PB_REG_STATUS] = 0x12345678;
}

static void open_device(void)
{
    assert_int_equal(pb_device_open(&device, &liar.base, &diag), 0);
}

static void open_honest(void)
{
    liar_init();
    open_device();
}

static void close_device(void)
{
    pb_events_free(&events);
    pb_device_close(device);
}

TEST(an_honest_core_is_believed)
{
    uint32_t value;
    liar_init();
    liar.reg[PB_REG_CTRL] = 3;
    open_device();
    assert_int_equal(pb_device_info(device)->links, 12);
    assert_int_equal(pb_device_info(device)->faults, 2);
    assert_int_equal(liar.reg[PB_REG_CTRL], 0);
    assert_int_equal(liar.reg[PB_REG_ABORT], 1);
    for (uint32_t i = 0; i < 600; i++) { /* the sequence number wraps */
        assert_int_equal(pb_device_write(device, PB_REG_SCRATCH, i * 0x01010101u, &diag), 0);
        assert_int_equal(pb_device_read(device, PB_REG_SCRATCH, &value, &diag), 0);
        assert_int_equal(value, i * 0x01010101u);
    }
    liar.reg[PB_REG_CTRL] = 3;
    liar.reg[PB_REG_ABORT] = 0;
    close_device();
    assert_int_equal(liar.reg[PB_REG_CTRL], 0);
    assert_int_equal(liar.reg[PB_REG_ABORT], 1);
    assert_true(closed);
    assert_int_equal(liar.waited_ms, 0);
}

TEST(strangers_are_refused_at_the_door)
{
    liar_init();
    liar.reg[PB_REG_ID]++;
    assert_int_equal(pb_device_open(&device, &liar.base, &diag), PB_ERR_MAP);
    assert_null(device);
    assert_true(closed);
    liar_init();
    liar.reg[PB_REG_MAP_HASH] ^= 0x80000000u;
    assert_int_equal(pb_device_open(&device, &liar.base, &diag), PB_ERR_MAP);
    assert_non_null(strstr(diag.text, "bitstream"));
    assert_true(closed);
    assert_int_equal(liar.writes_done, 0);
    for (enum lie lie = WRONG_SEQUENCE; lie < LIES; lie++) {
        if (lie == TWICE)
            continue; /* without effect */
        liar_init();
        liar.lie = lie;
        liar.armed = true;
        liar.lies_left = 1000000;
        const int code = pb_device_open(&device, &liar.base, &diag);
        if (lie == LATE) { /* each repetition brings the answer to the one before: correct, and true */
            assert_int_equal(code, 0);
            close_device();
        } else {
            assert_true(code < 0);
            assert_null(device);
        }
        assert_true(closed);
        assert_true(liar.reads < 300000);
    }
}

/* One to many lies in the middle of a session, for each kind of command. */
TEST(lies_end_in_an_error_or_in_the_truth)
{
    for (enum lie lie = HONEST; lie < LIES; lie++)
        for (unsigned lies = 1; lies <= 16; lies += lies)
            for (unsigned what = 0; what < 4; what++) {
                if ((lie == MUTTERING || lie == EVENT_STORM) && lies != 1 && lies != 8)
                    continue; /* slow: a megabyte for every attempt */
                bool taken = false;
                unsigned room = 0;
                uint32_t value = 0, words[70];
                liar_init();
                liar.lie = lie;
                liar.lies_left = lies;
                open_device();
                liar.armed = true;
                const unsigned writes = liar.writes_done;
                int code = 0;
                switch (what) {
                case 0:
                    code = pb_device_read(device, PB_REG_STATUS, &value, &diag);
                    assert_true(code || value == 0x12345678);
                    break;
                case 1:
                    code = pb_device_write(device, PB_REG_SCRATCH, 0xcafe0001u, &diag);
                    assert_true(code || liar.reg[PB_REG_SCRATCH] == 0xcafe0001u);
                    assert_true(liar.writes_done - writes <= 1); /* a repetition is recognised */
                    break;
                case 2:
                    code = pb_device_play(device, 1, (const uint8_t *)"abc", 3, &taken, &room, &diag);
                    /* The free space is no part of what can be checked: only there may WRONG_COUNT be
                     * accepted. */
                    assert_true(code || (taken && (room == 42 || lie == WRONG_COUNT)));
                    break;
                default:
                    for (unsigned i = 0; i < 70; i++)
                        liar.reg[0x100 + i] = i * 77;
                    code = pb_device_read_many(device, 0x100, words, 70, &diag);
                    for (unsigned i = 0; !code && i < 70; i++)
                        assert_int_equal(words[i], i * 77);
                    break;
                }
                if (lie == WRONG_ADDRESS || lie == WRONG_LENGTH || (lie == WRONG_COUNT && what != 2))
                    assert_true(code < 0);
                if (code)
                    assert_true(diag.text[0]);
                /* A single lie that leaves no trace but silence is corrected by the next attempt. */
                const bool mended = lie == HONEST || lie == WRONG_SEQUENCE || lie == WRONG_OPCODE ||
                                    lie == SHORT_REPLY || lie == FLIPPED || lie == TRUNCATED ||
                                    lie == SILENT || lie == TWICE || lie == LATE;
                if (mended && lies <= 2 && code)
                    fail_msg("lie %d (%u times), command %u: %s", (int)lie, lies, what, diag.text);
                assert_true(liar.waited_ms <= 2 * ATTEMPTS_MS && liar.reads < 300000);
                /* Whatever happened, the next command is not answered with the old one's words. */
                code = pb_device_read(device, PB_REG_CLK_HZ, &value, &diag);
                assert_true(code || value == 48000000);
                close_device();
                assert_true(closed);
                assert_true(liar.waited_ms <= 5 * ATTEMPTS_MS && liar.reads < 400000);
            }
}

TEST(silence_breaks_the_link_once)
{
    uint32_t value;
    liar_init();
    liar.lie = SILENT;
    liar.lies_left = 1000;
    open_device();
    liar.armed = true;
    assert_int_equal(pb_device_read(device, PB_REG_ID, &value, &diag), PB_ERR_LINK);
    assert_int_equal(liar.waited_ms, ATTEMPTS_MS);
    const uint64_t reads = liar.reads;
    diag.text[0] = '\0';
    assert_int_equal(pb_device_read(device, PB_REG_ID, &value, &diag), PB_ERR_LINK);
    assert_int_equal(liar.reads, reads); /* does not wait all over again */
    assert_non_null(strstr(diag.text, "no answer from the core")); /* and does not hide the cause */
    close_device();
    assert_true(closed);
    assert_int_equal(liar.waited_ms, ATTEMPTS_MS);
}

/* ---- events: lost, doubled and malformed packets */
static void push_events(uint8_t packet_sequence, uint32_t first, unsigned count, uint32_t stamp,
                        unsigned length_error)
{
    struct pb_packet packet = {
        .opcode = PB_OPCODE_EVENTS, .sequence = packet_sequence, .length = (uint8_t)(4 + 8 * count)};
    uint8_t wire[PB_PACKET_WIRE_MAX];
    for (unsigned b = 0; b < 4; b++)
        packet.payload[b] = (uint8_t)(first >> (8 * b));
    for (unsigned i = 0; i < count; i++) {
        const uint64_t word = PB_PUT(PB_EVENT_KIND, PB_EVENT_EDGE) |
                              PB_PUT(PB_EVENT_VALUE, PB_PUT(PB_EVENT_EDGE_LEVEL, i)) | (stamp + i);
        for (unsigned b = 0; b < 8; b++)
            packet.payload[4 + 8 * i + b] = (uint8_t)(word >> (8 * b));
    }
    packet.length = (uint8_t)(packet.length + length_error);
    push(&liar, wire, pb_packet_encode(&packet, wire));
}

TEST(events_keep_their_numbers)
{
    struct pb_device_counters counters;
    open_honest();
    push_events(7, 100, 3, 5000, 0);
    push_events(7, 100, 3, 5000, 0); /* the same again: dropped */
    push_events(8, 103, 2, 5003, 0);
    push_events(9, 105, 2, 5005, 1); /* length that is no number of events: dropped, nothing of it accepted */
    push_events(9, 0, 0, 0, 0);
    push_events(11, 130, 1, 6000, 0); /* one packet with 25 events is missing */
    for (unsigned polls = 0; polls < 10; polls++)
        assert_true(pb_device_poll(device, 1, &events, &diag) >= 0);
    assert_int_equal(events.count, 6);
    static const uint64_t number[] = {100, 101, 102, 103, 104, 130},
                          tick[] = {5000, 5001, 5002, 5003, 5004, 6000};
    for (size_t i = 0; i < events.count; i++) {
        assert_int_equal(events.event[i].sequence, number[i]);
        assert_int_equal(events.event[i].tick, tick[i]);
    }
    pb_device_counters(device, &counters);
    assert_int_equal(counters.event_packets, 3);
    assert_int_equal(counters.event_packets_missing, 2);
    assert_int_equal(counters.packets_stray, 3);
    assert_int_equal(counters.events, 6);
    assert_int_equal(counters.events_lost, 0);
    assert_int_equal(counters.events_missing, 100 + 25); /* before the first one, and the lost packet */
    close_device();
}

/* Event packets that got lost have used up credit, too: the core must not run dry. */
TEST(lost_event_packets_do_not_use_up_the_credit)
{
    open_honest();
    for (unsigned i = 0; i < 20000; i++) {
        assert_true(pb_device_poll(device, 1, &events, &diag) >= 0);
        assert_true(liar.credits > 0 && liar.credits <= 4096);
        liar.credits--;
        if (i % 4 == 0) /* three of four are lost */
            push_events((uint8_t)i, i, 1, 1000 + i, 0);
        events.count = 0;
    }
    close_device();
}

/* All packets of a long outage are lost, so the host cannot know what they cost. */
TEST(a_silent_core_is_asked_for_its_credits)
{
    open_honest();
    assert_int_equal(pb_device_poll(device, 1, &events, &diag), 0);
    assert_int_equal(liar.credits, 4096);
    liar.credits = 0;
    assert_int_equal(pb_device_poll(device, 20, &events, &diag), 0);
    assert_int_equal(liar.credits, 4096);
    close_device();
}

/* ---- keep-alive: time is what was given to reads */
TEST(waiting_is_cut_into_slices)
{
    static const unsigned timeout_ms[] = {1, 2, 3, 5, 13, 20, 21, 1000};
    for (size_t i = 0; i < sizeof timeout_ms / sizeof timeout_ms[0]; i++) {
        open_honest();
        const unsigned before = liar.status_reads;
        unsigned waited = 0;
        for (; waited < 1000; waited += timeout_ms[i])
            assert_int_equal(pb_device_poll(device, timeout_ms[i], &events, &diag), 0);
        assert_int_equal(liar.waited_ms, waited); /* no more, and no less */
        assert_true(liar.longest_silence_ms <= 20);
        assert_true(liar.status_reads - before >= waited / 20);
        /* Nor is a poll that does not wait a reason to talk. */
        const unsigned credits = liar.commands[PB_OPCODE_CREDIT], reads = liar.commands[PB_OPCODE_READ];
        for (unsigned polls = 0; polls < 100; polls++)
            assert_int_equal(pb_device_poll(device, 0, &events, &diag), 0);
        assert_int_equal(liar.commands[PB_OPCODE_CREDIT] + liar.commands[PB_OPCODE_READ], credits + reads);
        close_device();
    }
}

/* Events that never pause leave no read without bytes; the core must hear from its host all the same. */
TEST(a_stream_of_events_does_not_silence_the_host)
{
    open_honest();
    for (unsigned i = 0; i < 1000; i++) {
        push_events((uint8_t)i, i, 1, 1000 + i, 0);
        assert_int_equal(pb_device_poll(device, 2, &events, &diag), 1);
    }
    assert_true(liar.longest_silence_ms <= 20);
    assert_int_equal(liar.waited_ms, 0);
    close_device();
}

TEST(a_tripped_watchdog_is_told)
{
    uint32_t status;
    liar_init();
    liar.reg[PB_REG_WATCHDOG] = 123;
    liar.reg[PB_REG_STATUS] = 2; /* of an earlier session: opening cures it */
    open_device();
    liar.reg[PB_REG_STATUS] = 0xfffffffd;
    assert_int_equal(pb_device_status(device, &status, &diag), 0);
    assert_int_equal(status, 0xfffffffd);
    assert_int_equal(pb_device_poll(device, 100, &events, &diag), 0);
    liar.reg[PB_REG_STATUS] = 2;
    liar.waited_ms = 0;
    assert_int_equal(pb_device_poll(device, 100, &events, &diag), PB_ERR_LINK);
    assert_true(liar.waited_ms <= 20);
    assert_non_null(strstr(diag.text, "watchdog"));
    assert_non_null(strstr(diag.text, "123 ms"));
    assert_int_equal(pb_device_status(device, &status, &diag), PB_ERR_LINK);
    /* The link works: closing makes safe. */
    liar.reg[PB_REG_ABORT] = 0;
    close_device();
    assert_int_equal(liar.reg[PB_REG_ABORT], 1);
}

TEST(fault_units_are_fed_like_lanes)
{
    bool taken;
    unsigned room = 0;
    uint8_t record[250] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    open_honest();
    for (unsigned unit = 0; unit < 2; unit++) {
        taken = false;
        assert_int_equal(pb_device_fault(device, unit, record, 20, &taken, &room, &diag), 0);
        assert_true(taken);
        assert_int_equal(room, 42);
        assert_int_equal(liar.played.length, 21);
        assert_int_equal(liar.played.payload[0], 0x80 + unit);
        assert_memory_equal(liar.played.payload + 1, record, 20);
    }
    const unsigned played = liar.commands[PB_OPCODE_PLAY];
    assert_int_equal(pb_device_fault(device, 2, record, 20, &taken, &room, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "fault unit 2: this core has 2"));
    assert_int_equal(pb_device_fault(device, 0, record, 0, &taken, &room, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(pb_device_fault(device, 0, record, 250, &taken, &room, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "250 bytes for the fault unit"));
    assert_int_equal(pb_device_play(device, 0x80, record, 20, &taken, &room, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(liar.commands[PB_OPCODE_PLAY], played);
    close_device();
}

/* ---- the end of a run: what the core's own counts say about what did not come */
static void set_totals(uint32_t sent, uint32_t lost)
{
    liar.reg[PB_REG_EVENTS_SENT] = sent;
    liar.reg[PB_REG_EVENTS_LOST] = lost;
}

static void push_overflow(uint8_t packet_sequence, uint32_t number, uint32_t lost)
{
    struct pb_packet packet = {.opcode = PB_OPCODE_EVENTS, .sequence = packet_sequence, .length = 20};
    const uint64_t overflow =
        PB_PUT(PB_EVENT_OVERFLOW_KIND, PB_EVENT_OVERFLOW) | PB_PUT(PB_EVENT_OVERFLOW_COUNT, lost);
    const uint64_t words[] = {overflow, overflow};
    uint8_t wire[PB_PACKET_WIRE_MAX];
    for (unsigned b = 0; b < 4; b++)
        packet.payload[b] = (uint8_t)(number >> (8 * b));
    for (unsigned b = 0; b < 16; b++)
        packet.payload[4 + b] = (uint8_t)(words[b / 8] >> (8 * (b % 8)));
    push(&liar, wire, pb_packet_encode(&packet, wire));
}

TEST(losses_are_told_apart)
{
    static const struct {
        uint32_t sent, lost; /* the core's counts, from the beginning of the session */
        int code;
        uint64_t events, events_lost, events_missing;
    } end[] = {
        /* Events 0..2, an overflow that reports 10 (number 13), another one (24), events 30..31 */
        {32, 20, PB_OK, 7, 20, 5},      {40, 20, PB_OK, 7, 20, 13}, /* the tail is missing */
        {40, 23, PB_OK, 7, 23, 10},     /* of which 3 never left the core: their report was lost */
        {31, 20, PB_ERR_LINK, 0, 0, 0}, /* more came than was sent */
        {32, 19, PB_ERR_LINK, 0, 0, 0}, /* more was reported than was lost */
    };
    for (unsigned old = 0; old < 2; old++)
        for (size_t i = 0; i < sizeof end / sizeof end[0]; i++) {
            const uint32_t sent = old ? UINT32_MAX - 5 : 0, lost = old ? UINT32_MAX - 8 : 0;
            struct pb_device_counters counters;
            liar_init();
            set_totals(sent, lost);
            push_events(0, 77, 3, 400, 0); /* of an earlier session */
            open_device();
            assert_int_equal(pb_device_poll(device, 1, &events, &diag), 0);
            push_events(200, sent, 3, 5000, 0);
            push_overflow(201, sent + 13, 10);
            push_events(202, sent + 30, 2, 5000, 0);
            assert_true(pb_device_poll(device, 1, &events, &diag) > 0);
            set_totals(sent + end[i].sent, lost + end[i].lost);
            assert_int_equal(pb_device_settle(device, &events, &diag), end[i].code);
            if (end[i].code)
                assert_non_null(strstr(diag.text, "corrupts data"));
            else {
                pb_device_counters(device, &counters);
                assert_int_equal(counters.events, end[i].events);
                assert_int_equal(events.count, end[i].events);
                assert_int_equal(counters.events_lost, end[i].events_lost);
                assert_int_equal(counters.events_missing, end[i].events_missing);
                /* Nothing happened since: the same again. */
                assert_int_equal(pb_device_settle(device, &events, &diag), 0);
                pb_device_counters(device, &counters);
                assert_int_equal(counters.events + counters.events_lost + counters.events_missing,
                                 end[i].sent);
            }
            close_device();
        }
}
