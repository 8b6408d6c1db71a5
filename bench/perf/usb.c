/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Receive rate from a board: the ftdi rig with packet codec and sequence check, alternating with a plain loop
 * of ftdi_read_data on the same board. Both run with the library of the virtual boards preloaded, against a
 * board that sends packets of events as fast as its synchronous FIFO takes them.
 *
 *   usb BYTES ROUNDS         prints megabytes per second of each, best round, and their ratio
 */
#include "phasebench/rig.h"
#include "rtl/proto/packet.h"

#include <libftdi1/ftdi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "usb: %s: %s\n", what, why);
    exit(4);
}

/* Returns megabytes per second; every packet must be valid and follow the last one. */
static double measure_rig(size_t bytes)
{
    static uint8_t block[1 << 16];
    const struct pb_rig_options options = {.url = "ftdi:?mode=syncfifo"};
    struct pb_transport *rig;
    struct pb_packet_decoder decoder = {0};
    struct pb_packet packet;
    struct pb_diag diag;
    uint64_t packets = 0, missing = 0;
    uint8_t next = 0;
    if (pb_rig_open(&rig, &options, NULL, &diag))
        die("rig", diag.text);
    const double begin_s = now_s();
    for (size_t got = 0; got < bytes;) {
        const int count = rig->ops->read(rig, block, sizeof block, 100, &diag);
        if (count < 0)
            die("rig", diag.text);
        for (int i = 0; i < count; i++)
            if (pb_packet_decode(&decoder, block[i], &packet)) {
                missing += packets++ && packet.sequence != next;
                next = (uint8_t)(packet.sequence + 1);
            }
        got += (size_t)count;
    }
    const double rate = (double)bytes / 1e6 / (now_s() - begin_s);
    /* The first packet may have begun before the rig was open. */
    if (missing || decoder.bad > 1 || packets < bytes / PB_PACKET_WIRE_MAX)
        die("rig", "packets are missing or bad");
    rig->ops->close(rig);
    return rate;
}

static double measure_plain(size_t bytes)
{
    static uint8_t block[1 << 16];
    struct ftdi_context *ftdi = ftdi_new();
    if (!ftdi)
        die("plain loop", "libftdi1 does not start");
    if (ftdi_set_interface(ftdi, INTERFACE_A) || ftdi_usb_open(ftdi, 0x0403, 0x6010) ||
        ftdi_set_bitmode(ftdi, 0, BITMODE_RESET) || ftdi_set_latency_timer(ftdi, 2) ||
        ftdi_set_bitmode(ftdi, 0xff, BITMODE_SYNCFF) || ftdi_read_data_set_chunksize(ftdi, 16384))
        die("plain loop", ftdi_get_error_string(ftdi));
    const double begin_s = now_s();
    for (size_t got = 0; got < bytes;) {
        const int count = ftdi_read_data(ftdi, block, sizeof block);
        if (count < 0)
            die("plain loop", ftdi_get_error_string(ftdi));
        got += (size_t)count;
    }
    const double rate = (double)bytes / 1e6 / (now_s() - begin_s);
    ftdi_set_bitmode(ftdi, 0, BITMODE_RESET);
    ftdi_usb_close(ftdi);
    ftdi_free(ftdi);
    return rate;
}

int main(int argc, char **argv)
{
    const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 64000000;
    const int rounds = argc > 2 ? atoi(argv[2]) : 3;
    double rig = 0, plain = 0;
    for (int round = 0; round < rounds; round++) {
        const double a = measure_plain(bytes), b = measure_rig(bytes);
        plain = a > plain ? a : plain;
        rig = b > rig ? b : rig;
    }
    printf("rig with checks %.1f MB/s, plain ftdi_read_data %.1f MB/s, ratio %.2f\n", rig, plain,
           rig / plain);
    return 0;
}
