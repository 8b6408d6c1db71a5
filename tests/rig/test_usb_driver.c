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
#include "tests/unit/tests.h"

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

int main(int argc, char **argv)
{
    (void)argc;
    rig_preload(argv);
    return test_all(NULL, NULL);
}
