/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unit tests of the portable firmware, for the instruction set of each MCU. No library; the ports of port.h
 * are here. Each test adds what it computes to a digest, which is printed with its verdict, so machines that
 * all pass and compute something else differ in their output.
 */
#include "firmware/app/crc.h"
#include "firmware/app/node.h"
#include "target.h"

#include <string.h>

static uint32_t digest; /* FNV-1a of the values of a test */
static bool good;
static struct node node; /* for all tests: an MCU has room for one */

static void note(uint32_t value)
{
    for (uint8_t i = 0; i < 4; i++, value >>= 8)
        digest = (digest ^ (value & 0xFF)) * UINT32_C(16777619);
}

static void expect(uint32_t seen, uint32_t expected)
{
    note(seen);
    good &= seen == expected;
}

/* ---- port.h: keeps what the core asks for */

static struct {
    bool sends, listens;
    uint8_t dimension, length;
    uint32_t start_ticks;
    const uint8_t *bytes;
    char text[64];
    uint8_t text_length;
} line;

uint16_t port_address(struct port *port)
{
    (void)port;
    return 0x2A3;
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    (void)port;
    line.sends = true;
    line.dimension = dimension;
    line.start_ticks = start_ticks;
    line.bytes = bytes;
    line.length = length;
    return true;
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    (void)port;
    line.listens = true;
    line.dimension = dimension;
}

bool port_link_release(struct port *port)
{
    (void)port;
    line.sends = line.listens = false;
    return false;
}

void port_console_write(struct port *port, const char *text, size_t length)
{
    (void)port;
    for (; length && line.text_length < sizeof line.text; length--)
        line.text[line.text_length++] = *text++;
}

uint32_t port_irq_save(struct port *port)
{
    (void)port;
    return 0;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    (void)state;
}

/* ---- the tests */

static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};

/* The check values of the catalogue (docs/node.md). */
static void crc_check_values(void)
{
    uint8_t crc8 = CRC8_INITIAL;
    uint16_t crc16 = CRC16_INITIAL;
    for (uint8_t i = 0; i < sizeof digits; i++) {
        crc8 = crc8_byte(crc8, digits[i]);
        crc16 = crc16_byte(crc16, digits[i]);
    }
    expect(crc8, 0xF4);
    expect(crc16, 0x29B1);
}

/* Long division, bit by bit. */
static void crc_of_every_byte(void)
{
    for (uint16_t byte = 0; byte < 256; byte++) {
        uint8_t short_rest = (uint8_t)byte;
        uint16_t long_rest = (uint16_t)(byte << 8);
        for (uint8_t bit = 0; bit < 8; bit++) {
            short_rest = (uint8_t)(short_rest << 1 ^ (short_rest & 0x80 ? 0x07 : 0));
            long_rest = (uint16_t)(long_rest << 1 ^ (long_rest & 0x8000 ? 0x1021 : 0));
        }
        expect(crc8_byte(0, (uint8_t)byte), short_rest);
        expect(crc16_byte(0, (uint8_t)byte), long_rest);
    }
}

/* Period 127, 64 ones; each bit is the sum of those 7 and 6 before it. */
static void prbs_is_a_maximal_sequence(void)
{
    uint8_t state = PRBS7_SEED, ones = 0, bits[127 + 8];
    for (uint8_t i = 0; i < sizeof bits - 7; i += 8) {
        const uint8_t byte = prbs7_byte(&state);
        for (uint8_t bit = 0; bit < 8; bit++)
            bits[i + bit] = byte >> bit & 1;
    }
    for (uint8_t i = 0; i < 127; i++) {
        ones += bits[i];
        if (i >= 7)
            expect(bits[i], bits[i - 7] ^ bits[i - 6]);
    }
    expect(ones, 64);
    expect(bits[127], bits[0]);
}

static enum codec_status decode(const struct codec *codec, struct decoder *decoder, const uint8_t *bytes,
                                uint8_t length)
{
    enum codec_status status = CODEC_MORE;
    decoder_start(decoder, codec, 6);
    for (uint8_t i = 0; i < length && status == CODEC_MORE; i++)
        status = codec->decode(decoder, bytes[i]);
    return status;
}

static void fill(struct frame *frame, uint16_t destination, uint8_t sequence)
{
    frame->destination = destination;
    frame->sequence = sequence;
    frame->checked = false;
    for (uint8_t i = 0; i < 6; i++)
        frame->payload[i] = (uint8_t)(0x31 * i + sequence);
}

/* The frame of README.md. */
static void slot_frame_on_the_line(void)
{
    static const uint8_t expected[] = {0x1C, 0x09, 0x1E, 0x61, 0x39, 0x74, 0x08, 0xAB, 0x0C};
    uint8_t bytes[CODEC_FRAME_MAX];
    struct frame *frame = &node.queues.entry[0].frame;
    fill(frame, 0x91C, 0);
    memcpy(frame->payload, expected + 2, 6);
    expect(codec_slot.encode(frame, 6, bytes), sizeof expected);
    for (uint8_t i = 0; i < sizeof expected; i++)
        expect(bytes[i], expected[i]);
    expect(decode(&codec_slot, &node.decoder, expected, sizeof expected), CODEC_COMPLETE);
    expect(node.decoder.frame.destination, 0x91C);
    bytes[4] ^= 0x10;
    expect(decode(&codec_slot, &node.decoder, bytes, sizeof expected), CODEC_BAD_CRC);
}

static void starc_frame_there_and_back(void)
{
    uint8_t bytes[CODEC_FRAME_MAX];
    struct frame *frame = &node.queues.entry[0].frame;
    fill(frame, 0xFEDC, 11);
    expect(codec_starc.encode(frame, 6, bytes), 13);
    expect(bytes[0], 0xAA);
    expect(bytes[2], 8);
    expect(decode(&codec_starc, &node.decoder, bytes, 13), CODEC_COMPLETE);
    expect(node.decoder.frame.destination, 0xFEDC);
    expect(node.decoder.frame.sequence, 11);
    for (uint8_t i = 0; i < 6; i++)
        expect(node.decoder.frame.payload[i], (uint8_t)(0x31 * i + 11));
    bytes[2] = 7;
    expect(decode(&codec_starc, &node.decoder, bytes, 13), CODEC_BAD_LENGTH);
    bytes[0] = 0xAB;
    expect(decode(&codec_starc, &node.decoder, bytes, 13), CODEC_BAD_MARK);
}

/* The worked example of README.md: ten hops of a lone message. */
static void route_of_the_worked_example(void)
{
    static const uint8_t phases[] = {1, 3, 4, 6, 8, 11, 15, 16, 19, 22};
    const struct route_network cube = route_cube(12);
    uint16_t at = 0x2A3;
    uint8_t hops = 0;
    for (uint8_t phase = 0; phase < cube.phases; phase++) {
        const uint16_t ways = cube.ways(&cube, at, 0x91C);
        const uint8_t turn = cube.turn(&cube, at, phase);
        if (!ways || !(turn & ROUTE_SENDS) || route_ecube.pick(ways) != 1u << (turn & 0x7F))
            continue;
        expect(phase, hops < sizeof phases ? phases[hops] : 0xFF);
        hops++;
        at = cube.neighbour(&cube, at, turn & 0x7F);
    }
    expect(hops, 10);
    expect(at, 0x91C);
}

/* Radix 4, 4, 3: each sender has a listener at the other end of its port. */
static void generalised_network_meets_in_pairs(void)
{
    static const uint8_t radix[] = {4, 4, 3};
    const struct route_network network = route_generalised(radix, sizeof radix);
    expect(network.nodes, 48);
    expect(network.ports, 8);
    expect(network.phases, 18);
    for (uint8_t own = 0; own < 48; own++)
        for (uint8_t phase = 0; phase < 18; phase++) {
            const uint8_t turn = network.turn(&network, own, phase), port = turn & 0x7F;
            note(turn);
            if (turn == ROUTE_IDLE)
                continue;
            const uint16_t peer = network.neighbour(&network, own, port);
            const uint8_t other = network.turn(&network, peer, phase);
            good &= other != ROUTE_IDLE && (turn ^ other) & ROUTE_SENDS;
            good &= network.neighbour(&network, peer, other & 0x7F) == own;
            good &= network.ways(&network, own, peer) == 1u << port;
        }
}

static void queue_keeps_order_and_limit(void)
{
    struct queues *queues = &node.queues;
    struct frame *frame = &node.decoder.frame;
    queue_init(queues);
    for (uint8_t i = 0; i < QUEUE_POOL; i++) {
        fill(frame, i, i & 15);
        good &= queue_put(queues, i % 3 == 0 ? QUEUE_ANY : 2, i % 2 ? 4 : 6, frame, 6) != QUEUE_NONE;
    }
    expect(queue_put(queues, 2, 4, frame, 6), QUEUE_NONE);
    expect(queues->stored, QUEUE_POOL);
    /* Dimension 1 gets the even ones of the shared queue: 0, 6, 12 ... */
    for (uint8_t i = 0; i < QUEUE_POOL; i += 6) {
        const uint8_t entry = queue_oldest(queues, 1);
        expect(queues->entry[entry].frame.destination, i);
        queue_remove(queues, 1, entry);
    }
    expect(queue_oldest(queues, 1), QUEUE_NONE);
    /* Dimension 2 gets its own ones in order, then what is left of the shared queue. */
    for (uint8_t i = 0; i < QUEUE_POOL; i++) {
        if (i % 3 == 0)
            continue;
        const uint8_t entry = queue_oldest(queues, 2);
        expect(queues->entry[entry].frame.destination, i);
        queue_remove(queues, 2, entry);
    }
    for (uint8_t i = 3; i < QUEUE_POOL; i += 6) {
        const uint8_t entry = queue_oldest(queues, 2);
        expect(queues->entry[entry].frame.destination, i);
        queue_remove(queues, 2, entry);
    }
    expect(queues->stored, 0);
}

/* Worked out by hand, across the wrap of the ticks. */
static void phase_after_missing_and_extra_edges(void)
{
    static const struct {
        int16_t after; /* ticks; the period is 1000 */
        bool sync;
        uint8_t phase;
    } edges[] = {{0, false, PHASE_UNKNOWN},
                 {1000, true, 0},
                 {1000, false, 1},
                 {300, false, 2},
                 {700, false, 3},
                 {2000, true, 0},
                 {1000, false, 1},
                 {1000, false, 2},
                 {1000, false, 3},
                 {1000, false, PHASE_UNKNOWN},
                 {1000, true, 0}};
    struct phase_tracker tracker;
    uint32_t ticks = UINT32_MAX - 2500;
    memset(&node.stats, 0, sizeof node.stats);
    phase_init(&tracker, 4, 1000);
    for (uint8_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        ticks += (uint32_t)edges[i].after;
        expect(phase_edge(&tracker, &node.stats, ticks, edges[i].sync), edges[i].phase);
    }
    expect(node.stats.extra_edges, 1);
    expect(node.stats.missed_edges, 1);
    expect(node.stats.alignment_errors, 1);
    expect(node.stats.edges, 11);
    expect(node.stats.superframes, 3);
}

static void type(const char *text)
{
    line.text_length = 0;
    while (*text)
        node_on_console_byte(&node, (uint8_t)*text++);
    node_poll(&node);
}

static void expect_text(const char *text)
{
    expect(line.text_length, (uint32_t)strlen(text));
    for (uint8_t i = 0; i < line.text_length; i++)
        expect((uint8_t)line.text[i], (uint8_t)text[i]);
}

/* Address 0x2A3: bit 0 is 1, so phase 1 is its first own one. */
static void node_sends_and_forwards(void)
{
    static struct route_network cube;
    const struct node_config config = {"target", &cube, &route_ecube, &codec_slot, 6, 1000, 50, NULL};
    static const uint8_t through[] = {0x1C, 0x09, 0x1E, 0x61, 0x39, 0x74, 0x08, 0xAB, 0x0C};
    cube = route_cube(12);
    node_init(&node, &config, NULL);
    type("S 91C 1E61397408AB\n");
    expect_text("+S 0\n");
    node_on_phase_edge(&node, 100, true);
    expect(line.listens && line.dimension == 0, 1);
    for (uint8_t i = 0; i < sizeof through; i++)
        node_on_rx_byte(&node, through[i], true);
    node_on_phase_edge(&node, 1100, false);
    expect(line.sends, 1);
    expect(line.dimension, 0);
    expect(line.start_ticks, 1150);
    expect(line.length, sizeof through);
    for (uint8_t i = 0; i < sizeof through; i++)
        expect(line.bytes[i], through[i]);
    expect(node.stats.forwarded, 1);
    expect(node.stats.tx_frames, 1);
    expect(node.queues.stored, 1);
    type("S FFFF\n");
    expect_text("-range\n");
    type("I\n");
    expect_text("+I node=target addr=2A3 dims=C fw=100\n");
}

/* ---- TAP */

static void say_text(const char *text)
{
    while (*text)
        say(*text++);
}

static void say_number(uint8_t number)
{
    if (number > 9)
        say((char)('0' + number / 10));
    say((char)('0' + number % 10));
}

int target_tests(void)
{
    static const struct {
        void (*run)(void);
        const char *name;
    } tests[] = {
#define TEST(name) {name, #name}
        TEST(crc_check_values),
        TEST(crc_of_every_byte),
        TEST(prbs_is_a_maximal_sequence),
        TEST(slot_frame_on_the_line),
        TEST(starc_frame_there_and_back),
        TEST(route_of_the_worked_example),
        TEST(generalised_network_meets_in_pairs),
        TEST(queue_keeps_order_and_limit),
        TEST(phase_after_missing_and_extra_edges),
        TEST(node_sends_and_forwards),
    };
    const uint8_t count = sizeof tests / sizeof tests[0];
    int failed = 0;
    for (uint8_t i = 0; i < count; i++) {
        digest = UINT32_C(2166136261);
        good = true;
        tests[i].run();
        failed += !good;
        say_text(good ? "ok " : "not ok ");
        say_number(i + 1);
        say_text(" - ");
        say_text(tests[i].name);
        say_text(" ");
        for (uint8_t nibble = 0; nibble < 8; nibble++)
            say("0123456789abcdef"[digest >> (28 - 4 * nibble) & 15]);
        say('\n');
    }
    say_text("1..");
    say_number(count);
    say('\n');
    return failed;
}
