/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/rig_ftdi.h"
#include "host/rig/ask.h"
#include "host/rig/ftdi_url.h"
#include "host/usb/eeprom.h"
#include "host/usb/lock.h"
#include "host/usb/patience.h"
#include "host/usb/ring.h"
#include "host/usb/transfer_log.h"
#include "rtl/proto/packet.h"

#include <libftdi1/ftdi.h>
#include <libusb-1.0/libusb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEARCH_NS 100000000L /* between searches for a missing board */

/* Rates of the core's FIFO ports (rtl/core/pb_host_fifo_async.v, pb_host_fifo_sync.v) with the chip. */
#define FIFO_BYTES_PER_S 8000000
#define SYNC_FIFO_BYTES_PER_S 30000000
enum { FIFO_CLOCKS_PER_BYTE = 10, BITS_PER_BYTE = 10 };

enum { BUSY = -5 /* of ftdi_usb_open_dev */ };

struct ftdi_rig {
    struct pb_transport base;
    struct pb_ftdi_url url;
    struct pb_chip chip;
    struct ftdi_context *ftdi;
    struct pb_ring *ring;
    struct pb_recorder *recorder;      /* borrowed; NULL: none */
    const volatile sig_atomic_t *stop; /* borrowed; NULL: none */
    struct pb_tap tap;
    unsigned baud_hz; /* at which the core answers; UART only */
    bool open;        /* the channel is claimed */
    int lock;
};

static int rig_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    return pb_ring_write(((struct ftdi_rig *)base)->ring, bytes, count, diag);
}

static int rig_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    return pb_ring_read(((struct ftdi_rig *)base)->ring, bytes, capacity, timeout_ms, diag);
}

static void be_patient(struct ftdi_rig *rig)
{
    rig->ftdi->usb_read_timeout = rig->ftdi->usb_write_timeout = (int)pb_patience_control_ms();
}

static void rig_close(struct pb_transport *base)
{
    struct ftdi_rig *rig = (struct ftdi_rig *)base;
    pb_ring_destroy(rig->ring);
    be_patient(rig);
    if (rig->open && rig->url.mode == PB_FTDI_SYNC_FIFO)
        ftdi_set_bitmode(rig->ftdi, 0, BITMODE_RESET);
    if (rig->open)
        ftdi_usb_close(rig->ftdi);
    pb_tap_close(&rig->tap);
    ftdi_free(rig->ftdi);
    pb_unlock(rig->lock);
    pb_patience_begin(0, NULL);
    free(rig);
}

static const struct pb_transport_ops rig_ops = {rig_write, rig_read, rig_close};

static int choose(struct ftdi_rig *rig, struct libusb_device **device, struct pb_diag *diag)
{
    const struct timespec pause = {.tv_nsec = SEARCH_NS};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t limit = now.tv_sec + (time_t)rig->url.wait_s;
    for (;;) {
        const int code = pb_chip_choose(rig->ftdi->usb_ctx, &rig->url.choice, &rig->chip, device, diag);
        clock_gettime(CLOCK_MONOTONIC, &now);
        /* A virtual board whose server is stopped does not report its name. */
        const int late = code ? pb_patience_check(rig->url.choice.name, diag) : PB_OK;
        if (late)
            return late;
        if (code != PB_ERR_IO || now.tv_sec >= limit)
            return code;
        /* A signal during the bus scan has only set the flag. */
        if ((rig->stop && *rig->stop) || nanosleep(&pause, NULL))
            return pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted while waiting for a board");
        /* Without udevd libusb does not notice a new board: scan the bus again. */
        struct ftdi_context *fresh = ftdi_new();
        if (!fresh)
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for libftdi1");
        ftdi_free(rig->ftdi);
        rig->ftdi = fresh;
    }
}

static int check_channel(struct ftdi_rig *rig, struct pb_diag *diag)
{
    if (!rig->url.channel)
        rig->url.channel = rig->chip.channels == 1 || rig->url.mode == PB_FTDI_SYNC_FIFO ? 1 : 2;
    if (rig->url.channel > rig->chip.channels)
        return pb_fail(diag, PB_ERR_ARGUMENT, "channel of rig ftdi: is %u, but the %s of board %s has %u",
                       rig->url.channel, rig->chip.type, pb_chip_label(&rig->chip), rig->chip.channels);
    return PB_OK;
}

/* Reports a failure of libftdi1. A chip that also did not report its serial number does not answer at all. */
static int refuse(const struct ftdi_rig *rig, const char *what, struct pb_diag *diag)
{
    const int code = pb_patience_check(pb_chip_label(&rig->chip), diag);
    if (code)
        return code;
    if (rig->chip.silent)
        return pb_fail(diag, PB_ERR_LINK,
                       "the %s at USB port %s is silent: it opens, but does not answer; plug it in again",
                       rig->chip.type, rig->chip.port);
    return pb_fail(diag, PB_ERR_LINK, "board %s refuses %s: %s; plug it in again", pb_chip_label(&rig->chip),
                   what, ftdi_get_error_string(rig->ftdi));
}

static int claim(struct ftdi_rig *rig, struct libusb_device *device, struct pb_diag *diag)
{
    const char *label = pb_chip_label(&rig->chip);
    const char channel = (char)('A' + rig->url.channel - 1);
    if (rig->chip.denied)
        return pb_fail(
            diag, PB_ERR_IO,
            "no permission to open board %s at USB port %s; 'phasebench doctor' says how to get it", label,
            rig->chip.port);
    const int late = rig->chip.accessible ? PB_OK : pb_patience_check(label, diag);
    if (late)
        return late;
    if (!rig->chip.accessible)
        return pb_fail(diag, PB_ERR_LINK, "board %s at USB port %s does not open; plug it in again", label,
                       rig->chip.port);
    ftdi_set_interface(rig->ftdi, (enum ftdi_interface)(INTERFACE_A + rig->url.channel - 1));
    /* Re-attaches the kernel's serial driver after the run. */
    rig->ftdi->module_detach_mode = AUTO_DETACH_REATACH_SIO_MODULE;
    be_patient(rig);
    const int code = ftdi_usb_open_dev(rig->ftdi, device);
    rig->open = !code;
    if (!code)
        return PB_OK;
    /* libftdi1 may leave the handle open after a failure. */
    if (rig->ftdi->usb_dev) {
        libusb_close(rig->ftdi->usb_dev);
        rig->ftdi->usb_dev = NULL;
    }
    if (code == BUSY)
        return pb_fail(
            diag, PB_ERR_IO,
            "channel %c of board %s is in use by another program; end it (a terminal, a programmer)", channel,
            label);
    char what[] = "to open channel A";
    what[sizeof what - 2] = channel;
    return refuse(rig, what, diag);
}

/* Only the chip's EEPROM can make a channel a FIFO, or anything but a UART. */
static int check_eeprom(struct ftdi_rig *rig, enum pb_channel_type type, struct pb_diag *diag)
{
    struct pb_eeprom eeprom;
    enum pb_channel_type is = PB_CHANNEL_UART;
    if (!pb_eeprom_read(&eeprom, rig->ftdi))
        return refuse(rig, "reading its EEPROM", diag);
    if (rig->url.channel <= PB_EEPROM_CHANNELS)
        is = eeprom.channel[rig->url.channel - 1];
    if (is == type)
        return PB_OK;
    const char *use = is == PB_CHANNEL_UART   ? ", or use mode=uart"
                      : is == PB_CHANNEL_FIFO ? ", or use mode=fifo"
                                              : "";
    return pb_fail(diag, PB_ERR_CONFIG,
                   "channel %c of board %s is no %s: its EEPROM %smakes it a %s; set it with ftdi_eeprom or "
                   "FT_PROG%s",
                   (char)('A' + rig->url.channel - 1), pb_chip_label(&rig->chip), pb_channel_text(type),
                   eeprom.good ? "" : "is blank or damaged, which ", pb_channel_text(is), use);
}

static int set_baud(struct ftdi_rig *rig, struct pb_diag *diag)
{
    if (ftdi_set_line_property(rig->ftdi, BITS_8, STOP_BIT_1, NONE))
        return refuse(rig, "8N1", diag);
    if (ftdi_set_baudrate(rig->ftdi, (int)(rig->url.baud_hz ? rig->url.baud_hz : pb_usual_baud_hz[0])) == -1)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig ftdi: the chip cannot generate %u baud; use 12000000, 8000000, 6000000, 4000000 "
                       "or 3000000",
                       rig->url.baud_hz);
    return ftdi_setflowctrl(rig->ftdi, SIO_DISABLE_FLOW_CTRL) ? refuse(rig, "no flow control", diag) : PB_OK;
}

static int configure(struct ftdi_rig *rig, struct pb_diag *diag)
{
    int code = PB_OK;
    /* First: before it, libftdi1 may scale the baud for bit banging. */
    if (ftdi_set_bitmode(rig->ftdi, 0, BITMODE_RESET))
        return refuse(rig, "a reset of its bit mode", diag);
    if (ftdi_set_latency_timer(rig->ftdi, (unsigned char)rig->url.latency_ms))
        return refuse(rig, "the latency timer", diag);
    if (rig->url.mode == PB_FTDI_UART)
        code = set_baud(rig, diag);
    else
        code = check_eeprom(rig, PB_CHANNEL_FIFO, diag);
    /* The flag at the end of a packet makes the chip send at once, before its latency timer expires. Not in a
     * synchronous FIFO: its packet rate is too high. */
    if (!code && rig->url.mode != PB_FTDI_SYNC_FIFO && ftdi_set_event_char(rig->ftdi, PB_PACKET_FLAG, 1))
        code = refuse(rig, "the event character", diag);
    if (!code && rig->url.mode == PB_FTDI_SYNC_FIFO && ftdi_set_bitmode(rig->ftdi, 0xff, BITMODE_SYNCFF))
        code = refuse(rig, "the synchronous FIFO mode", diag);
    if (!code && ftdi_tcioflush(rig->ftdi))
        code = refuse(rig, "emptying its buffers", diag);
    return code;
}

/* Tries the usual bauds. Without a reply it sets the first baud again, and reports the cause if the EEPROM
 * shows one. */
static int find_baud(struct ftdi_rig *rig, struct pb_diag *diag)
{
    int answer = 0;
    be_patient(rig);
    for (unsigned i = 0; i < PB_USUAL_BAUDS && !answer; i++) {
        rig->baud_hz = pb_usual_baud_hz[i];
        if (i && ftdi_set_baudrate(rig->ftdi, (int)rig->baud_hz))
            return refuse(rig, "a baud", diag);
        answer = pb_rig_ask(&rig->base, diag);
    }
    if (answer)
        return answer < 0 ? answer : PB_OK;
    rig->baud_hz = pb_usual_baud_hz[0];
    if (ftdi_set_baudrate(rig->ftdi, (int)rig->baud_hz))
        return refuse(rig, "a baud", diag);
    return check_eeprom(rig, PB_CHANNEL_UART, diag);
}

/* At a baud that the URL gives. */
static int ask_at_baud(struct ftdi_rig *rig, struct pb_diag *diag)
{
    const int answer = pb_rig_ask(&rig->base, diag);
    if (answer)
        return answer < 0 ? answer : PB_OK;
    return check_eeprom(rig, PB_CHANNEL_UART, diag);
}

static void describe_channel(const struct ftdi_rig *rig)
{
    struct pb_ring_counters so_far;
    pb_ring_counters(rig->ring, &so_far);
    const struct pb_usb_channel channel = {
        .bus = rig->tap.bus,
        .device = rig->tap.address,
        .in = (uint8_t)rig->ftdi->out_ep,
        .out = (uint8_t)rig->ftdi->in_ep,
        .packet_bytes = rig->ftdi->max_packet_size,
        .bytes_in = so_far.bytes_in,
        .bytes_out = so_far.bytes_out,
    };
    pb_recorder_channel(rig->recorder, &channel);
}

static int open_chip(struct ftdi_rig *rig, struct pb_diag *diag)
{
    struct libusb_device *device;
    int code = choose(rig, &device, diag);
    if (code)
        return code;
    code = check_channel(rig, diag);
    if (!code)
        code = pb_lock(&rig->lock, rig->chip.port, diag);
    if (!code)
        pb_tap_open(&rig->tap, rig->recorder, device);
    if (!code)
        code = claim(rig, device, diag);
    libusb_unref_device(device);
    if (!code)
        code = configure(rig, diag);
    if (code)
        return code;
    /* libftdi1 names the endpoints from the side of the chip: in_ep is out. */
    const struct pb_ring_config config = {
        .context = rig->ftdi->usb_ctx,
        .handle = rig->ftdi->usb_dev,
        .in = (unsigned char)rig->ftdi->out_ep,
        .out = (unsigned char)rig->ftdi->in_ep,
        .packet_bytes = rig->ftdi->max_packet_size,
        .latency_ms = rig->url.latency_ms,
        .label = pb_chip_label(&rig->chip),
        .tap = &rig->tap,
    };
    code = pb_ring_create(&rig->ring, &config, diag);
    if (!code && rig->url.mode == PB_FTDI_UART)
        code = rig->url.baud_hz ? ask_at_baud(rig, diag) : find_baud(rig, diag);
    if (!code)
        describe_channel(rig);
    return code;
}

uint64_t pb_rig_ftdi_bytes_per_s(const struct pb_transport *transport, uint32_t clock_hz)
{
    const struct ftdi_rig *rig = (const struct ftdi_rig *)transport;
    if (transport->ops != &rig_ops)
        return 0;
    switch (rig->url.mode) {
    case PB_FTDI_FIFO:
        return clock_hz / FIFO_CLOCKS_PER_BYTE < FIFO_BYTES_PER_S ? clock_hz / FIFO_CLOCKS_PER_BYTE
                                                                  : FIFO_BYTES_PER_S;
    case PB_FTDI_SYNC_FIFO:
        return SYNC_FIFO_BYTES_PER_S;
    default:
        return rig->baud_hz / BITS_PER_BYTE;
    }
}

int64_t pb_rig_ftdi_overruns(const struct pb_transport *transport)
{
    struct pb_ring_counters counters;
    if (transport->ops != &rig_ops)
        return -1;
    pb_ring_counters(((const struct ftdi_rig *)transport)->ring, &counters);
    return (int64_t)counters.status.overruns;
}

int pb_rig_ftdi_check(const char *url, struct pb_diag *diag)
{
    struct pb_ftdi_url parsed;
    return pb_ftdi_url_parse(&parsed, url, diag);
}

int pb_rig_ftdi_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag)
{
    struct pb_ftdi_url parsed;
    int code = pb_ftdi_url_parse(&parsed, options->url, diag);
    *out = NULL;
    if (code)
        return code;
    struct ftdi_rig *rig = calloc(1, sizeof *rig);
    if (!rig)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for rig ftdi:");
    rig->base.ops = &rig_ops;
    rig->url = parsed;
    rig->recorder = options->recorder;
    rig->stop = options->stop;
    rig->baud_hz = parsed.baud_hz;
    rig->lock = -1;
    pb_patience_begin(options->deadline_ns, options->stop);
    rig->ftdi = ftdi_new();
    code = rig->ftdi ? open_chip(rig, diag)
                     : pb_fail(diag, PB_ERR_IO, "libftdi1 cannot start; is /dev/bus/usb there?");
    if (code) {
        if (rig->ftdi)
            rig_close(&rig->base);
        else
            free(rig);
        return code;
    }
    *out = &rig->base;
    return PB_OK;
}
