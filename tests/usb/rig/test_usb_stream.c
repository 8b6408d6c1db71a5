/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes between a host and the Verilated core through the chip: rates, latency, losses, FIFO modes. Expected
 * values: registers ID and STAMP of the core (docs/reference/registers.md), FTDI's rules for the modes, and
 * what a wire does to a byte that is read at another rate.
 */
#include "rig_fixture.h"

#include "bench/usb/chip/ft2232h.h"
#include "rtl/proto/gen/pb_regs.h"
#include "rtl/proto/packet.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { CORE_ID = 0x50424331, CLOCKS_PER_MS = 48000, READS = 40 };

static void assert_core(struct ftdi_context *ftdi)
{
    uint32_t value = 0;
    assert_true(rig_read_register(ftdi, PB_REG_ID, &value, READS));
    assert_int_equal(value, CORE_ID);
}

/* The library has this for its own tests. */
int convert_baudrate_UT_export(int baudrate, struct ftdi_context *ftdi, unsigned short *value,
                               unsigned short *index);

/* Every rate that ftdi_set_baudrate takes: what the chip makes of the request is what the library meant. */
TEST(every_baud_rate)
{
    uint16_t word[FT2232H_EEPROM_WORDS] = {0};
    struct ft2232h *chip = ft2232h_create(word);
    struct ftdi_context *ftdi = ftdi_new();
    assert_non_null(chip);
    assert_non_null(ftdi);
    ftdi->type = TYPE_2232H;
    ftdi->index = INTERFACE_B;
    unsigned taken = 0, refused = 0;
    for (int baud = 1; baud <= 13000000; baud++) {
        struct ft2232h_setup setup = {.type = 0x40, .request = 3};
        struct ft2232h_line line;
        const int meant = convert_baudrate_UT_export(baud, ftdi, &setup.value, &setup.index);
        /* The tolerance of ftdi_set_baudrate. */
        if (meant <= 0 || meant * 2 < baud ||
            (meant < baud ? (int64_t)meant * 21 < (int64_t)baud * 20
                          : (int64_t)baud * 21 < (int64_t)meant * 20)) {
            refused++;
            continue;
        }
        taken++;
        assert_int_equal(ft2232h_control(chip, &setup, NULL), 0);
        ft2232h_line(chip, 1, &line);
        const double made = ft2232h_baud(&line);
        if (made < meant - 0.75 || made > meant + 0.75) /* it rounds to whole and half baud */
            fail_msg("%d baud: the library means %d, the chip makes %f", baud, meant, made);
    }
    assert_true(taken > 2000000);
    assert_true(refused > 100000);
    ftdi_free(ftdi);
    ft2232h_destroy(chip);
}

TEST(core_answers)
{
    struct rig_server server;
    uint32_t value;
    rig_serve(&server, NULL, 1, "mode=uart");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    for (unsigned i = 0; i < 5; i++)
        assert_core(ftdi);
    assert_true(rig_read_register(ftdi, PB_REG_CLK_HZ, &value, READS));
    assert_int_equal(value, 48000000);
    /* At another rate nothing that comes makes sense; back at the right one it does. */
    assert_int_equal(ftdi_set_baudrate(ftdi, 8000000), 0);
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 5));
    assert_int_equal(ftdi_set_baudrate(ftdi, 12000000), 0);
    assert_true(rig_read_register(ftdi, PB_REG_ID, &value, READS) ||
                rig_read_register(ftdi, PB_REG_ID, &value, READS));
    assert_core(ftdi);
    rig_close(ftdi);
    ftdi = rig_open(FIRST, INTERFACE_A, 12000000); /* wired to nothing */
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 5));
    rig_close(ftdi);
    rig_stop(&server);
}

/* A receiver that samples bits in the middle tolerates an error of 0.5 / 9.5 of the rate: 5.3 %. */
TEST(rate_tolerance)
{
    struct rig_server server;
    uint32_t value;
    rig_serve(&server, NULL, 1, "baud=1000000");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 1000000);
    assert_core(ftdi);
    assert_int_equal(ftdi_set_baudrate(ftdi, 1032258), 0); /* 12 MHz / 11.625 */
    assert_core(ftdi);
    assert_int_equal(ftdi_set_baudrate(ftdi, 970000), 0); /* 12 MHz / 12.375 */
    assert_core(ftdi);
    assert_int_equal(ftdi_set_baudrate(ftdi, 1116279), 0); /* 12 MHz / 10.75 */
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 5));
    rig_close(ftdi);
    rig_stop(&server);
}

/* One bulk transfer by hand, so that its status bytes are seen. */
static int raw_read(struct ftdi_context *ftdi, uint8_t *bytes, int size)
{
    int got = 0;
    assert_int_equal(libusb_bulk_transfer(ftdi->usb_dev, 0x83, bytes, size, &got, 0), 0);
    return got;
}

/* An answer that is read with another format than it was sent in: the status of its packet says so. */
TEST(parity)
{
    struct rig_server server;
    struct pb_packet packet = {.opcode = PB_OPCODE_READ, .length = 4, .payload = {0, 0, 30}};
    uint8_t wire[PB_PACKET_WIRE_MAX], bytes[512];
    unsigned short status = 0;
    rig_serve(&server, NULL, 1, "mode=uart");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    assert_core(ftdi);
    assert_int_equal(ftdi_poll_modem_status(ftdi, &status), 0);
    assert_int_equal(status & 0xff00, 0x6000); /* nothing to send, nothing wrong */
    const int count = (int)pb_packet_encode(&packet, wire);
    assert_int_equal(ftdi_write_data(ftdi, wire, count), count);
    /* The command has left before a read asks for the answer: time does not advance until then. */
    do
        assert_int_equal(ftdi_poll_modem_status(ftdi, &status), 0);
    while ((status & 0x4000) == 0);
    assert_int_equal(ftdi_set_line_property(ftdi, BITS_8, STOP_BIT_1, SPACE), 0);
    assert_true(raw_read(ftdi, bytes, sizeof bytes) > 2);
    assert_int_equal(bytes[1] & 0x04, 0x04);
    assert_int_equal(ftdi_set_line_property(ftdi, BITS_8, STOP_BIT_1, NONE), 0);
    assert_int_equal(ftdi_tcioflush(ftdi), 0);
    assert_core(ftdi);
    rig_close(ftdi);
    rig_stop(&server);
}

static uint32_t stamp(struct ftdi_context *ftdi)
{
    uint32_t value = 0;
    assert_true(rig_read_register(ftdi, PB_REG_STAMP, &value, READS));
    return value;
}

/* Ticks of the core between two answers, with `reads` empty reads in between. */
static uint32_t ticks(struct ftdi_context *ftdi, unsigned reads)
{
    uint8_t byte;
    const uint32_t before = stamp(ftdi);
    while (reads--)
        assert_int_equal(ftdi_read_data(ftdi, &byte, 1), 0);
    return stamp(ftdi) - before;
}

/* A read that brings nothing takes the time of the latency timer, by the core's own clock; not by the wall's.
 */
TEST(latency)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "mode=uart");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    for (unsigned ms = 1; ms <= 16; ms *= 4) {
        assert_int_equal(ftdi_set_latency_timer(ftdi, (unsigned char)ms), 0);
        ticks(ftdi, 0);
        const uint32_t none = ticks(ftdi, 0), three = ticks(ftdi, 3);
        assert_in_range(three - none, (3 * ms - 1) * CLOCKS_PER_MS, (3 * ms + 1) * CLOCKS_PER_MS);
        /* After a packet with bytes ftdi_read_data asks for another one. */
        assert_in_range(none, (2 * ms - 1) * CLOCKS_PER_MS, (2 * ms + 1) * CLOCKS_PER_MS);
    }
    rig_close(ftdi);
    rig_stop(&server);
}

/* While no read waits and nothing is to be sent, no time passes: a host that is held up loses nothing. */
TEST(time_stands)
{
    struct rig_server server;
    unsigned short status;
    rig_serve(&server, NULL, 1, "mode=uart");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    const uint32_t before = ticks(ftdi, 0);
    const uint32_t first = stamp(ftdi);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(ftdi_poll_modem_status(ftdi, &status), 0);
    assert_in_range(stamp(ftdi) - first, 0, 2 * before + CLOCKS_PER_MS);
    rig_order(&server, FIRST, "free=1");
    const uint32_t second = stamp(ftdi);
    uint32_t last = second;
    /* A free one goes on by itself: there is an end to this loop. */
    while (last - second < 20 * CLOCKS_PER_MS) {
        for (unsigned i = 0; i < 100; i++)
            assert_int_equal(ftdi_poll_modem_status(ftdi, &status), 0);
        last = stamp(ftdi);
    }
    rig_close(ftdi);
    rig_stop(&server);
}

TEST(lost_bytes)
{
    struct rig_server server;
    uint8_t bytes[512];
    rig_serve(&server, NULL, 1, "device=echo");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    assert_int_equal(ftdi_write_data(ftdi, (const uint8_t *)"hello", 5), 5);
    assert_int_equal(raw_read(ftdi, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes + 2, "hello", 5);
    assert_int_equal(bytes[1] & 0x02, 0);
    rig_order(&server, FIRST, "lose=2");
    assert_int_equal(ftdi_write_data(ftdi, (const uint8_t *)"hello", 5), 5);
    assert_int_equal(raw_read(ftdi, bytes, sizeof bytes), 5);
    assert_memory_equal(bytes + 2, "llo", 3);
    assert_int_equal(bytes[1] & 0x02, 0x02);
    rig_order(&server, FIRST, "short=2");
    assert_int_equal(ftdi_write_data(ftdi, (const uint8_t *)"hello", 5), 5);
    assert_int_equal(raw_read(ftdi, bytes, sizeof bytes), 4);
    assert_int_equal(raw_read(ftdi, bytes, sizeof bytes), 4);
    assert_int_equal(raw_read(ftdi, bytes, sizeof bytes), 3);
    assert_int_equal(bytes[2], 'o');
    rig_close(ftdi);
    rig_stop(&server);
}

/* A long stream through libftdi1 arrives whole: status bytes are nowhere in it. */
TEST(long_stream)
{
    enum { BYTES = 200000, BLOCK = 3000 };
    struct rig_server server;
    uint8_t *sent = malloc(BYTES), *got = malloc(BYTES);
    rig_serve(&server, NULL, 1, "device=echo&mode=fifo&channel=A");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_A, 0);
    assert_non_null(sent);
    assert_non_null(got);
    ftdi_read_data_set_chunksize(ftdi, 16384);
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (uint8_t)below(256);
    for (int at = 0, back = 0; back < BYTES;) {
        const int more = BYTES - at < BLOCK ? BYTES - at : BLOCK;
        if (more)
            assert_int_equal(ftdi_write_data(ftdi, sent + at, more), more);
        at += more;
        const int count = ftdi_read_data(ftdi, got + back, BYTES - back < BLOCK ? BYTES - back : BLOCK);
        assert_true(count >= 0);
        back += count;
    }
    assert_memory_equal(sent, got, BYTES);
    free(sent);
    free(got);
    rig_close(ftdi);
    rig_stop(&server);
}

TEST(synchronous_fifo)
{
    struct rig_server server;
    uint32_t value;
    rig_serve(&server, NULL, 1, "mode=sync");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_A, 0);
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 3)); /* asynchronous until set_bitmode */
    assert_int_equal(ftdi_set_bitmode(ftdi, 0xff, BITMODE_RESET), 0);
    assert_int_equal(ftdi_set_bitmode(ftdi, 0xff, BITMODE_SYNCFF), 0);
    assert_int_equal(ftdi_tcioflush(ftdi), 0);
    assert_core(ftdi);
    assert_core(ftdi);
    assert_int_equal(ftdi_set_bitmode(ftdi, 0xff, BITMODE_RESET), 0);
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 3));
    rig_close(ftdi);
    rig_stop(&server);
    /* A memory that says UART: the request is taken and does nothing. */
    rig_serve(&server, NULL, 1, "mode=sync&eeprom=uart");
    ftdi = rig_open(FIRST, INTERFACE_A, 0);
    assert_int_equal(ftdi_set_bitmode(ftdi, 0xff, BITMODE_SYNCFF), 0);
    assert_false(rig_read_register(ftdi, PB_REG_ID, &value, 3));
    rig_close(ftdi);
    rig_stop(&server);
}

TEST(asynchronous_fifo)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "mode=fifo");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 0);
    assert_core(ftdi);
    rig_close(ftdi);
    rig_stop(&server);
}

TEST(another_map)
{
    struct rig_server server;
    uint32_t value;
    rig_serve(&server, NULL, 1, "map=other");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 12000000);
    assert_core(ftdi);
    assert_true(rig_read_register(ftdi, PB_REG_MAP_HASH, &value, READS));
    assert_int_not_equal(value, PB_MAP_HASH);
    rig_close(ftdi);
    rig_stop(&server);
}
