/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The driver of a board alone: bytes through its ring of transfers, at full rate. The sender counts its
 * packets and gives each a checksum, so that no byte can be missing, come twice or be one of the chip's
 * status bytes.
 */
#include "rig_fixture.h"

#include "phasebench/rig.h"
#include "rtl/proto/packet.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { BYTES = 6000000, LARGEST = 70000 };

/* Reads of ever other sizes, from one byte to more than a transfer holds. */
static size_t next_size(size_t size)
{
    return size * 7 % LARGEST + 1;
}

static void read_all(const char *options)
{
    static uint8_t block[LARGEST];
    const struct pb_rig_options board = {.url = "ftdi:?mode=syncfifo"};
    struct rig_server server;
    struct pb_transport *rig;
    struct pb_packet_decoder decoder = {0};
    struct pb_packet packet;
    struct pb_diag diag;
    unsigned packets = 0;
    uint8_t next = 0;
    rig_serve(&server, NULL, 1, options);
    assert_int_equal(pb_rig_open(&rig, &board, NULL, &diag), PB_OK);
    for (size_t got = 0, size = 1; got < BYTES; size = next_size(size)) {
        const int count = rig->ops->read(rig, block, size, 1000, &diag);
        assert_in_range(count, 1, size);
        for (int i = 0; i < count; i++)
            if (pb_packet_decode(&decoder, block[i], &packet)) {
                assert_true(!packets++ || packet.sequence == next);
                next = (uint8_t)(packet.sequence + 1);
            }
        got += (size_t)count;
    }
    assert_in_range(decoder.bad, 0, 1); /* the first may have begun before the rig listened */
    assert_in_range(packets, BYTES / PB_PACKET_WIRE_MAX, BYTES);
    assert_int_equal(pb_rig_overruns(rig), 0);
    rig->ops->close(rig);
    rig_stop(&server);
}

TEST(full_packets)
{
    read_all("mode=sync&device=source");
}

TEST(short_packets)
{
    read_all("mode=sync&device=source&short=37");
}

/* Gives the second board the serial number of the first, its channel B that type, and plugs it in again. */
static void program_second(struct rig_server *server, int type)
{
    struct ftdi_context *ftdi = rig_open(SECOND, INTERFACE_A, 0);
    assert_int_equal(ftdi_eeprom_initdefaults(ftdi, "phasebench", "virtual FT2232H", FIRST), 0);
    assert_int_equal(ftdi_set_eeprom_value(ftdi, CHIP_TYPE, 0x56), 0);
    assert_int_equal(ftdi_set_eeprom_value(ftdi, CHANNEL_B_TYPE, type), 0);
    assert_true(ftdi_eeprom_build(ftdi) >= 0);
    assert_int_equal(ftdi_write_eeprom(ftdi), 0);
    rig_close(ftdi);
    rig_write(server, SECOND, "unplug");
    rig_wait(server, "unplugged");
    rig_write(server, SECOND, "plug");
    rig_wait(server, "plugged in");
}

static void assert_refused(const char *url, int code, const char *text)
{
    const struct pb_rig_options board = {.url = url};
    struct pb_transport *rig;
    struct pb_diag diag;
    assert_int_equal(pb_rig_open(&rig, &board, NULL, &diag), code);
    if (!strstr(diag.text, text))
        fail_msg("'%s' is not in '%s'", text, diag.text);
}

TEST(two_boards_of_one_serial_number)
{
    const struct pb_rig_options by_port = {.url = "ftdi:200-1"};
    struct rig_server server;
    struct pb_transport *rig;
    rig_serve(&server, NULL, 2, "");
    program_second(&server, CHANNEL_IS_UART);
    assert_refused("ftdi:" FIRST, PB_ERR_CONFIG,
                   "2 boards fit: PB0001 at 200-1, PB0001 at 200-3; name one by its port, as in ftdi:200-1");
    assert_succeeds(pb_rig_open(&rig, &by_port, NULL, &diag));
    rig->ops->close(rig);
    rig_stop(&server);
}

/* The types of FTDI's data sheet, by libftdi1's numbers. */
TEST(channel_of_another_type)
{
    static const struct {
        int type;
        const char *text;
    } row[] = {{CHANNEL_IS_FIFO, "is no UART: its EEPROM makes it a 245 FIFO; set it with ftdi_eeprom or "
                                 "FT_PROG, or use mode=fifo"},
               {CHANNEL_IS_OPTO,
                "is no UART: its EEPROM makes it a port for optocouplers (fast serial); set it"},
               {CHANNEL_IS_CPU, "is no UART: its EEPROM makes it a CPU FIFO; set it"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct rig_server server;
        rig_serve(&server, NULL, 2, "device=silent");
        program_second(&server, row[i].type);
        assert_refused("ftdi:200-3", PB_ERR_CONFIG, row[i].text);
        assert_refused("ftdi:200-3?baud=3000000", PB_ERR_CONFIG, row[i].text);
        rig_stop(&server);
    }
}
