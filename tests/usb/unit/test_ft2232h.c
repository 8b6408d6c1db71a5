/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The virtual FT2232H without a transport. Expected values: FTDI's AN_120 (baud divisors), the data sheet's
 * FIFO of 4 KiB, the packets of 512 bytes with two status bytes, USB 2.0 chapter 9.
 *
 * evidence: FT2232H
 *   emulated: the unmodified libusb and libftdi1 reach the simulated core through a virtual chip; faults,
 *   unplugging at every transfer, every baud rate; compared with no real chip
 *   also: make rig-check
 */
#include "bench/usb/chip/ft2232h.h"
#include "tests/bench/unit/tests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_MS INT64_C(1000000000)
enum {
    OUT = 0x40,
    IN = 0xc0,
    A = 1,
    B = 2,
    IN_A = 0x81,
    OUT_A = 0x02,
    IN_B = 0x83,
    OUT_B = 0x04,
    PENDING = 1
};

static struct ft2232h *plug(bool fifo_a, bool fifo_b)
{
    uint16_t word[FT2232H_EEPROM_WORDS];
    const struct ft2232h_identity identity = {.vendor = 0x0403,
                                              .product = 0x6010,
                                              .max_power_ma = 100,
                                              .fifo = {fifo_a, fifo_b},
                                              .manufacturer = "maker",
                                              .name = "thing",
                                              .serial = "S1"};
    assert_true(ft2232h_eeprom_build(word, &identity));
    struct ft2232h *chip = ft2232h_create(word);
    assert_non_null(chip);
    return chip;
}

static int order(struct ft2232h *chip, uint8_t request, unsigned value, unsigned index)
{
    const struct ft2232h_setup setup = {
        .type = OUT, .request = request, .value = (uint16_t)value, .index = (uint16_t)index};
    return ft2232h_control(chip, &setup, NULL);
}

static int ask(struct ft2232h *chip, uint8_t request, unsigned index, uint8_t *data, unsigned length)
{
    const struct ft2232h_setup setup = {
        .type = IN, .request = request, .index = (uint16_t)index, .length = (uint16_t)length};
    return ft2232h_control(chip, &setup, data);
}

static void done(struct ft2232h_transfer *transfer)
{
    assert_int_equal(*(int *)transfer->context, PENDING);
    *(int *)transfer->context = transfer->status;
}

struct bulk {
    struct ft2232h_transfer transfer;
    int status; /* PENDING until it is done */
    uint8_t data[16384];
};

static struct bulk *bulk(struct ft2232h *chip, uint8_t endpoint, size_t length)
{
    struct bulk *bulk = hand_over(calloc(1, sizeof *bulk), free);
    bulk->status = PENDING;
    bulk->transfer = (struct ft2232h_transfer){
        .endpoint = endpoint, .data = bulk->data, .length = length, .done = done, .context = &bulk->status};
    if (!(endpoint & 0x80))
        for (size_t i = 0; i < length; i++)
            bulk->data[i] = (uint8_t)(i * 7 + i / 256);
    assert_int_equal(ft2232h_submit(chip, &bulk->transfer), 0);
    return bulk;
}

static void give(struct ft2232h *chip, unsigned channel, size_t count)
{
    uint8_t *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i * 3 + i / 256);
    ft2232h_give(chip, channel, bytes, count, 0);
    free(bytes);
}

/* A transfer towards the host holds bytes `from`.. of give, in packets of 510 after two status bytes. */
static void assert_given(const struct bulk *bulk, size_t from, size_t count)
{
    size_t at = 0, seen = 0;
    while (at < bulk->transfer.actual) {
        const size_t packet = bulk->transfer.actual - at < 512 ? bulk->transfer.actual - at : 512;
        assert_true(packet >= 2);
        for (size_t i = 2; i < packet; i++, seen++)
            assert_int_equal(bulk->data[at + i], (uint8_t)((from + seen) * 3 + (from + seen) / 256));
        at += packet;
    }
    assert_int_equal(seen, count);
}

TEST(full_packets_at_once)
{
    struct ft2232h *chip = plug(false, false);
    struct bulk *in = bulk(chip, IN_B, 1024);
    give(chip, 1, 1019);
    assert_int_equal(in->status, PENDING); /* one byte short of two full packets */
    give(chip, 1, 1);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 1024);
    ft2232h_destroy(chip);
}

TEST(latency_timer)
{
    struct ft2232h *chip = plug(false, false);
    for (unsigned ms = 1; ms <= 255; ms += 127) {
        uint8_t set;
        assert_int_equal(order(chip, 0x09, ms, B), 0);
        assert_int_equal(ask(chip, 0x0a, B, &set, 1), 1);
        assert_int_equal(set, ms);
    }
    assert_int_equal(order(chip, 0x09, 2, B), 0);
    struct bulk *in = bulk(chip, IN_B, 4096);
    give(chip, 1, 600);
    ft2232h_advance(chip, 2 * PS_PER_MS - 1);
    assert_int_equal(in->status, PENDING); /* the full packet waits in the transfer */
    ft2232h_advance(chip, 2 * PS_PER_MS);
    /* The timer began with the full packet, at 0. */
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 512 + 2 + 90);
    assert_given(in, 0, 600);
    in = bulk(chip, IN_B, 4096);
    ft2232h_advance(chip, 4 * PS_PER_MS - 1);
    assert_int_equal(in->status, PENDING);
    ft2232h_advance(chip, 4 * PS_PER_MS);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 2); /* status alone */
    /* Ran out without a read: the next read gets what there is. */
    ft2232h_advance(chip, 10 * PS_PER_MS);
    give(chip, 1, 3);
    in = bulk(chip, IN_B, 4096);
    assert_int_equal(in->status, 0);
    assert_given(in, 0, 3);
    assert_int_equal(order(chip, 0x09, 0, B), -EPIPE);
    assert_int_equal(order(chip, 0x09, 256, B), -EPIPE);
    ft2232h_destroy(chip);
}

TEST(event_character)
{
    struct ft2232h *chip = plug(false, false);
    assert_int_equal(order(chip, 0x06, 0x17e, B), 0);
    struct bulk *in = bulk(chip, IN_B, 512);
    ft2232h_give(chip, 1, (const uint8_t *)"ab", 2, 0);
    assert_int_equal(in->status, PENDING);
    ft2232h_give(chip, 1, (const uint8_t *)"\x7e", 1, 0);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 5);
    assert_memory_equal(in->data + 2, "ab\x7e", 3);
    ft2232h_destroy(chip);
}

/* SIWU#: a packet that is not full, and nothing of it left for what comes later. */
TEST(send_immediate)
{
    struct ft2232h *chip = plug(true, false);
    struct bulk *in = bulk(chip, IN_A, 4096);
    ft2232h_send_immediate(chip, 0);
    assert_int_equal(in->status, PENDING); /* nothing to send */
    give(chip, 0, 600);
    assert_int_equal(in->status, PENDING);
    ft2232h_send_immediate(chip, 0);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 512 + 2 + 90);
    assert_given(in, 0, 600);
    in = bulk(chip, IN_A, 4096);
    give(chip, 0, 3);
    assert_int_equal(in->status, PENDING);
    ft2232h_cancel(chip, &in->transfer);
    /* Without a read: the next one gets what there is. */
    ft2232h_send_immediate(chip, 0);
    in = bulk(chip, IN_A, 4096);
    assert_int_equal(in->status, 0);
    assert_given(in, 0, 3);
    ft2232h_destroy(chip);
}

TEST(overrun)
{
    struct ft2232h *chip = plug(false, false);
    assert_int_equal(ft2232h_room(chip, 1), 4096);
    give(chip, 1, 4096);
    assert_int_equal(ft2232h_room(chip, 1), 0);
    uint8_t status[2];
    assert_int_equal(ask(chip, 0x05, B, status, 2), 2);
    assert_int_equal(status[1] & 0x02, 0); /* full is not lost */
    ft2232h_give(chip, 1, (const uint8_t *)"x", 1, 0);
    assert_int_equal(ask(chip, 0x05, B, status, 2), 2);
    assert_int_equal(status[1] & 0x02, 0x02);
    struct bulk *in = bulk(chip, IN_B, 16384);
    ft2232h_advance(chip, 16 * PS_PER_MS);
    assert_int_equal(in->status, 0);
    assert_given(in, 0, 4096);
    assert_int_equal(in->data[1] & 0x02, 0x02); /* said once */
    assert_int_equal(in->data[513] & 0x02, 0);
    struct ft2232h_counters counters;
    ft2232h_counters(chip, 1, &counters);
    assert_int_equal(counters.lost, 1);
    assert_int_equal(counters.bytes_in, 4096);
    ft2232h_destroy(chip);
}

TEST(full_towards_the_line)
{
    struct ft2232h *chip = plug(false, false);
    uint8_t bytes[5000];
    struct bulk *out = bulk(chip, OUT_B, 5000);
    assert_int_equal(out->status, PENDING); /* 904 bytes have no room */
    assert_int_equal(ft2232h_waiting(chip, 1), 4096);
    assert_int_equal(ft2232h_take(chip, 1, bytes, 903), 903);
    assert_int_equal(out->status, PENDING);
    assert_int_equal(ft2232h_take(chip, 1, bytes + 903, 1), 1);
    assert_int_equal(out->status, 0);
    assert_int_equal(ft2232h_take(chip, 1, bytes + 904, sizeof bytes), 4096);
    assert_memory_equal(bytes, out->data, 5000);
    ft2232h_destroy(chip);
}

TEST(drops)
{
    struct ft2232h *chip = plug(false, false);
    bulk(chip, OUT_B, 10);
    give(chip, 1, 10);
    assert_int_equal(order(chip, 0x00, 1, B), 0); /* host to line */
    assert_int_equal(ft2232h_waiting(chip, 1), 0);
    assert_int_equal(ft2232h_room(chip, 1), 4086);
    assert_int_equal(order(chip, 0x00, 2, B), 0); /* line to host */
    assert_int_equal(ft2232h_room(chip, 1), 4096);
    assert_int_equal(order(chip, 0x00, 3, B), -EPIPE);
    ft2232h_destroy(chip);
}

TEST(cancels)
{
    struct ft2232h *chip = plug(false, false);
    struct bulk *first = bulk(chip, IN_B, 1024), *second = bulk(chip, IN_B, 1024),
                *third = bulk(chip, IN_B, 1024);
    give(chip, 1, 510);
    assert_true(ft2232h_cancel(chip, &second->transfer));
    assert_int_equal(second->status, -ENOENT);
    assert_false(ft2232h_cancel(chip, &second->transfer));
    assert_true(ft2232h_cancel(chip, &first->transfer));
    assert_int_equal(first->status, -ENOENT);
    assert_int_equal(first->transfer.actual, 512); /* what had come is not lost */
    give(chip, 1, 1020);
    assert_int_equal(third->status, 0);
    ft2232h_destroy(chip);
}

TEST(stalls)
{
    static const struct ft2232h_setup clear = {.type = 0x02, .request = 1, .index = IN_B};
    struct ft2232h *chip = plug(false, false);
    struct bulk *pending = bulk(chip, IN_B, 512);
    ft2232h_stall(chip, IN_B);
    assert_int_equal(pending->status, -EPIPE);
    struct bulk *later = bulk(chip, IN_B, 512);
    assert_int_equal(later->status, -EPIPE);
    struct bulk *out = bulk(chip, OUT_B, 1);
    assert_int_equal(out->status, 0); /* the other endpoint goes on */
    assert_int_equal(ft2232h_control(chip, &clear, NULL), 0);
    struct bulk *after = bulk(chip, IN_B, 512);
    assert_int_equal(after->status, PENDING);
    struct ft2232h_transfer nowhere = {.endpoint = 0x85};
    assert_int_equal(ft2232h_submit(chip, &nowhere), -ENOENT);
    ft2232h_destroy(chip);
    assert_int_equal(after->status, -ESHUTDOWN);
}

TEST(packet_longer_than_the_rest)
{
    struct ft2232h *chip = plug(false, false);
    struct bulk *in = bulk(chip, IN_B, 100);
    give(chip, 1, 98);
    ft2232h_advance(chip, 16 * PS_PER_MS);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 100);
    in = bulk(chip, IN_B, 100);
    give(chip, 1, 99);
    ft2232h_advance(chip, 32 * PS_PER_MS);
    assert_int_equal(in->status, -EOVERFLOW);
    ft2232h_destroy(chip);
}

/* AN_120: the divisor's whole part, eighths in the order of its table, 12 MHz or 3 MHz; 0 is 1, 1 is 1.5. */
TEST(baud_rates)
{
    static const struct {
        unsigned value, index;
        double baud;
    } known[] = {
        {0x0000, 0x0202, 12e6},         {0x0001, 0x0202, 8e6},          {0x0002, 0x0202, 6e6},
        {0x0003, 0x0202, 4e6},          {0x0004, 0x0202, 3e6},          {0x000c, 0x0202, 1e6},
        {0x04e2, 0x0202, 9600},         {0x0000, 0x0002, 3e6},          {0x0001, 0x0002, 2e6},
        {0x4138, 0x0002, 3e6 / 312.5},  {0xc002, 0x0202, 12e6 / 2.125}, {0x8002, 0x0202, 12e6 / 2.25},
        {0x0002, 0x0302, 12e6 / 2.375}, {0x4002, 0x0202, 12e6 / 2.5},   {0x4002, 0x0302, 12e6 / 2.625},
        {0x8002, 0x0302, 12e6 / 2.75},  {0xc002, 0x0302, 12e6 / 2.875}, {0x3fff, 0x0002, 3e6 / 16383},
    };
    struct ft2232h *chip = plug(false, false);
    struct ft2232h_line line;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(order(chip, 0x03, known[i].value, known[i].index), 0);
        ft2232h_line(chip, 1, &line);
        assert_true(ft2232h_baud(&line) > known[i].baud * (1 - 1e-12));
        assert_true(ft2232h_baud(&line) < known[i].baud * (1 + 1e-12));
    }
    ft2232h_line(chip, 0, &line);
    assert_int_equal((int)ft2232h_baud(&line), 9600); /* the other channel has its own */
    assert_int_equal(order(chip, 0x04, 7 | 2 << 8 | 2 << 11 | 1 << 14, B), 0);
    ft2232h_line(chip, 1, &line);
    assert_int_equal(line.data_bits, 7);
    assert_int_equal(line.parity, FT2232H_EVEN);
    assert_int_equal(line.stop_halves, 4);
    assert_true(line.pulled_low);
    ft2232h_destroy(chip);
}

static enum ft2232h_mode mode(struct ft2232h *chip, unsigned channel)
{
    struct ft2232h_line line;
    ft2232h_line(chip, channel, &line);
    return line.mode;
}

TEST(modes)
{
    struct ft2232h *chip = plug(false, false);
    assert_int_equal(mode(chip, 0), FT2232H_UART);
    assert_int_equal(order(chip, 0x0b, 0x40ff, A), 0);
    assert_int_equal(mode(chip, 0), FT2232H_UART); /* the memory does not say FIFO */
    assert_int_equal(mode(chip, 1), FT2232H_UART);
    ft2232h_destroy(chip);

    chip = plug(true, true);
    assert_int_equal(mode(chip, 0), FT2232H_FIFO);
    assert_int_equal(mode(chip, 1), FT2232H_FIFO);
    assert_int_equal(order(chip, 0x0b, 0x40ff, B), 0);
    assert_int_equal(mode(chip, 1), FT2232H_FIFO); /* channel A only */
    assert_int_equal(order(chip, 0x0b, 0x40ff, A), 0);
    assert_int_equal(mode(chip, 0), FT2232H_SYNC_FIFO);
    assert_int_equal(mode(chip, 1), FT2232H_TAKEN);
    bulk(chip, OUT_B, 5);
    uint8_t bytes[8];
    assert_int_equal(ft2232h_take(chip, 1, bytes, sizeof bytes), 0);
    assert_int_equal(order(chip, 0x0b, 0x0000, A), 0);
    assert_int_equal(mode(chip, 0), FT2232H_FIFO);
    assert_int_equal(order(chip, 0x0b, 0x010f, B), 0); /* bit-bang, four outputs */
    assert_int_equal(mode(chip, 1), FT2232H_BITS);
    struct bulk *pins = bulk(chip, OUT_B, 2);
    assert_int_equal(ask(chip, 0x0c, B, bytes, 1), 1);
    assert_int_equal(bytes[0], 0xf0 | (pins->data[1] & 0x0f));
    ft2232h_destroy(chip);
}

TEST(handshakes)
{
    struct ft2232h *chip = plug(false, false);
    uint8_t bytes[8];
    bulk(chip, OUT_B, 4);
    assert_int_equal(order(chip, 0x02, 0, 0x0102), 0); /* RTS/CTS: no side pulls CTS low */
    assert_int_equal(ft2232h_take(chip, 1, bytes, 8), 0);
    assert_int_equal(order(chip, 0x02, 0x1311, 0x0402), 0); /* XON 0x11, XOFF 0x13 */
    ft2232h_give(chip, 1, (const uint8_t *)"a\x13", 2, 0);
    assert_int_equal(ft2232h_take(chip, 1, bytes, 8), 0);
    ft2232h_give(chip, 1, (const uint8_t *)"\x11z", 2, 0);
    assert_int_equal(ft2232h_take(chip, 1, bytes, 8), 4);
    assert_int_equal(ft2232h_room(chip, 1), 4094); /* a and z */
    ft2232h_destroy(chip);
}

TEST(unknown_requests_stall)
{
    struct ft2232h *chip = plug(false, false);
    uint8_t data[64];
    static const uint8_t known_out[] = {0, 1, 2, 3, 4, 6, 7, 9, 0x0b, 0x91, 0x92},
                         known_in[] = {5, 0x0a, 0x0c, 0x90};
    for (unsigned request = 0; request < 256; request++) {
        const bool out = memchr(known_out, (int)request, sizeof known_out);
        const bool in = memchr(known_in, (int)request, sizeof known_in);
        assert_int_equal(order(chip, (uint8_t)request, 1, B) == -EPIPE, !out);
        assert_int_equal(ask(chip, (uint8_t)request, B, data, 2) == -EPIPE, !in);
    }
    assert_int_equal(order(chip, 0, 0, 3), -EPIPE); /* there is no channel C */
    ft2232h_destroy(chip);
}

TEST(memory)
{
    struct ft2232h_identity identity;
    struct ft2232h *chip = plug(true, false);
    uint8_t word[2];
    /* The sum, as FTDI's own tools form it. */
    uint16_t sum = 0xaaaa;
    for (unsigned i = 0; i < 128; i++) {
        assert_int_equal(ask(chip, 0x90, i, word, 2), 2);
        if (i == 127)
            assert_int_equal(word[0] | word[1] << 8, sum);
        sum ^= (uint16_t)(word[0] | word[1] << 8);
        sum = (uint16_t)(sum << 1 | sum >> 15);
    }
    assert_true(ft2232h_eeprom_read(ft2232h_memory(chip), &identity));
    assert_string_equal(identity.serial, "S1");
    assert_true(identity.fifo[0]);
    assert_int_equal(order(chip, 0x91, 0x1234, 5), 0);
    assert_int_equal(ask(chip, 0x90, 5 + 128, word, 2), 2); /* addresses wrap */
    assert_int_equal(word[0] | word[1] << 8, 0x1234);
    assert_false(ft2232h_eeprom_read(ft2232h_memory(chip), &identity));
    assert_int_equal(mode(chip, 0), FT2232H_FIFO); /* until it is plugged in again */
    ft2232h_reset(chip);
    assert_int_equal(mode(chip, 0), FT2232H_UART);
    assert_int_equal(order(chip, 0x92, 0, 0), 0);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(ft2232h_memory(chip)[i], 0xffff);
    ft2232h_destroy(chip);

    struct ft2232h_identity wordy = {.vendor = 1};
    uint16_t words[FT2232H_EEPROM_WORDS];
    memset(wordy.manufacturer, 'm', 40);
    memset(wordy.name, 'n', 7);
    assert_true(ft2232h_eeprom_build(words, &wordy));
    wordy.serial[0] = 's';
    assert_false(ft2232h_eeprom_build(words, &wordy));
}

/* Attributes of the configuration are those of the memory; the feature and its status bit, USB 2.0, 9.4. */
TEST(remote_wakeup)
{
    for (unsigned able = 0; able < 2; able++) {
        uint16_t word[FT2232H_EEPROM_WORDS];
        uint8_t descriptors[FT2232H_DESCRIPTOR_BYTES], status[2] = {0xff, 0xff};
        const struct ft2232h_identity identity = {.vendor = 1, .remote_wakeup = able};
        const struct ft2232h_setup set = {.request = 3, .value = 1}, clear = {.request = 1, .value = 1},
                                   get = {.type = 0x80, .request = 0, .length = 2};
        assert_true(ft2232h_eeprom_build(word, &identity));
        struct ft2232h *chip = ft2232h_create(word);
        assert_non_null(chip);
        ft2232h_descriptors(chip, descriptors);
        assert_int_equal(descriptors[18 + 7], able ? 0xa0 : 0x80);
        assert_int_equal(ft2232h_control(chip, &set, NULL), able ? 0 : -EPIPE);
        assert_int_equal(ft2232h_control(chip, &get, status), 2);
        assert_int_equal(status[0] | status[1] << 8, able ? 2 : 0);
        assert_int_equal(ft2232h_control(chip, &clear, NULL), able ? 0 : -EPIPE);
        assert_int_equal(ft2232h_control(chip, &get, status), 2);
        assert_int_equal(status[0] | status[1] << 8, 0);
        assert_int_equal(ft2232h_control(chip, &set, NULL), able ? 0 : -EPIPE);
        ft2232h_reset(chip);
        assert_int_equal(ft2232h_control(chip, &get, status), 2);
        assert_int_equal(status[0] | status[1] << 8, 0);
        ft2232h_destroy(chip);
    }
}

TEST(faults)
{
    struct ft2232h *chip = plug(false, false);
    ft2232h_limit_packets(chip, 7);
    struct bulk *in = bulk(chip, IN_B, 512);
    give(chip, 1, 7);
    assert_int_equal(in->status, 0);
    assert_int_equal(in->transfer.actual, 9);
    ft2232h_limit_packets(chip, 0);
    ft2232h_lose(chip, 1, 2);
    in = bulk(chip, IN_B, 512);
    ft2232h_give(chip, 1, (const uint8_t *)"abcd", 4, 0);
    ft2232h_advance(chip, 16 * PS_PER_MS);
    assert_int_equal(in->transfer.actual, 4);
    assert_memory_equal(in->data + 2, "cd", 2);
    assert_int_equal(in->data[1] & 0x02, 0x02);
    ft2232h_destroy(chip);
}

TEST(wants_time)
{
    struct ft2232h *chip = plug(false, false);
    uint8_t byte;
    assert_false(ft2232h_wants_time(chip));
    give(chip, 1, 100);
    assert_false(ft2232h_wants_time(chip)); /* no read asks for them */
    bulk(chip, OUT_B, 1);
    assert_true(ft2232h_wants_time(chip));
    assert_int_equal(ft2232h_take(chip, 1, &byte, 1), 1);
    assert_false(ft2232h_wants_time(chip));
    struct bulk *in = bulk(chip, IN_A, 512);
    assert_true(ft2232h_wants_time(chip));
    ft2232h_advance(chip, 16 * PS_PER_MS);
    assert_int_equal(in->status, 0);
    assert_false(ft2232h_wants_time(chip));
    ft2232h_destroy(chip);
}
