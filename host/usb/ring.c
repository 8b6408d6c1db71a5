/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/usb/ring.h"
#include "host/usb/patience.h"
#include "host/usb/transfer_log.h"

#include <libusb-1.0/libusb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSFERS = 32,         /* 64 ms of buffer with the usual latency timer */
    TRANSFER_BYTES = 16384, /* 0.4 ms at 40 MB/s */
    OUT_BYTES = 4096,       /* the chip's buffer */
    WRITE_MS = 1000,
    CLOSE_MS = 2000
};
_Static_assert((int)TRANSFERS < (int)PB_TAP_BULK_IDS && (int)TRANSFER_BYTES <= (int)PB_URB_DATA_MAX,
               "a recorder takes them whole");

struct slot {
    struct libusb_transfer *transfer;
    struct pb_ring *ring;
    bool flying; /* submitted to libusb */
    int count;   /* after its end: stream bytes, at the front of bytes */
    uint8_t bytes[TRANSFER_BYTES];
};

struct pb_ring {
    struct pb_ring_config config;
    struct pb_ring_counters counters;
    struct slot *slot; /* owned, TRANSFERS of them; they end in order of submission */
    unsigned next;     /* slot that ends next, or is being read */
    int at;            /* bytes read of it */
    unsigned flying;   /* slots submitted to libusb */
    unsigned ended;    /* ended slots, total */
    struct libusb_transfer *sending;
    int sent;              /* libusb's completion flag of `sending` */
    bool stuck;            /* `sending` never completed */
    bool halted[2];        /* endpoints in and out: stalled until the halt is cleared */
    struct pb_diag broken; /* with code: the error of all further calls */
    int code;
};

static int fail(struct pb_ring *ring, struct pb_diag *diag)
{
    return pb_fail(diag, ring->code, "%s", ring->broken.text);
}

static void break_off(struct pb_ring *ring, bool unplugged, const char *what)
{
    if (ring->code)
        return;
    ring->code =
        unplugged
            ? pb_fail(&ring->broken, PB_ERR_LINK, "board %.64s was unplugged; plug it in and start again",
                      ring->config.label)
            : pb_fail(&ring->broken, PB_ERR_LINK,
                      "USB transfers with board %.64s fail: %s; plug it in again, without a hub in between",
                      ring->config.label, what);
}

static void give_up(struct pb_ring *ring, const char *what, unsigned after_ms)
{
    char text[64];
    snprintf(text, sizeof text, "the chip %s for %u s", what, after_ms / 1000);
    break_off(ring, false, text);
}

/* False: a virtual chip is waited for no longer. */
static bool is_patient(struct pb_ring *ring)
{
    struct pb_diag why;
    const int code = ring->code ? PB_OK : pb_patience_check(ring->config.label, &why);
    if (code) {
        ring->broken = why;
        ring->code = code;
    }
    return !ring->code;
}

/* Submits a transfer; returns libusb's code. number: for the tap. */
static int launch(struct pb_ring *ring, unsigned number, struct libusb_transfer *transfer)
{
    pb_tap_submit(ring->config.tap, number, transfer);
    const int code = libusb_submit_transfer(transfer);
    if (code)
        pb_tap_refused(ring->config.tap, number, transfer, code);
    return code;
}

static unsigned number_of(const struct slot *slot)
{
    return (unsigned)(slot - slot->ring->slot);
}

static void submit(struct pb_ring *ring, struct slot *slot)
{
    const int code = ring->code ? 0 : launch(ring, number_of(slot), slot->transfer);
    slot->flying = !code && !ring->code;
    ring->flying += slot->flying;
    if (code)
        break_off(ring, code == LIBUSB_ERROR_NO_DEVICE, libusb_strerror(code));
}

/* Reason of a transfer without completion. */
static void fail_transfer(struct pb_ring *ring, const struct libusb_transfer *transfer)
{
    const char *what = "bus error";
    if (transfer->status == LIBUSB_TRANSFER_STALL)
        what = "the endpoint stalls";
    else if (transfer->status == LIBUSB_TRANSFER_OVERFLOW)
        what = "more bytes came than were asked for";
    else if (transfer->status == LIBUSB_TRANSFER_CANCELLED)
        what = "a transfer was cancelled";
    ring->halted[transfer->endpoint == ring->config.out] |= transfer->status == LIBUSB_TRANSFER_STALL;
    break_off(ring, transfer->status == LIBUSB_TRANSFER_NO_DEVICE, what);
}

static void LIBUSB_CALL end_in(struct libusb_transfer *transfer)
{
    struct slot *slot = transfer->user_data;
    struct pb_ring *ring = slot->ring;
    slot->flying = false;
    slot->count = 0;
    ring->flying--;
    ring->ended++;
    pb_tap_complete(ring->config.tap, number_of(slot), transfer);
    if (transfer->status == LIBUSB_TRANSFER_COMPLETED)
        slot->count = (int)pb_status_strip(slot->bytes, (size_t)transfer->actual_length,
                                           ring->config.packet_bytes, &ring->counters.status);
    else
        fail_transfer(ring, transfer);
}

static void LIBUSB_CALL end_out(struct libusb_transfer *transfer)
{
    struct pb_ring *ring = transfer->user_data;
    ring->sent = 1;
    pb_tap_complete(ring->config.tap, TRANSFERS, transfer);
}

/* Runs libusb for up to ms, or a slice of them, until a transfer has ended. False after a signal. */
static bool handle(struct pb_ring *ring, int64_t ms, int *completed)
{
    if (ms > PB_PATIENCE_SLICE_MS)
        ms = PB_PATIENCE_SLICE_MS;
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    const int code = libusb_handle_events_timeout_completed(ring->config.context, &limit, completed);
    if (code && code != LIBUSB_ERROR_INTERRUPTED)
        break_off(ring, code == LIBUSB_ERROR_NO_DEVICE, libusb_strerror(code));
    return code != LIBUSB_ERROR_INTERRUPTED;
}

/* Copies bytes from an ended slot, and resubmits it once it is empty. */
static size_t take(struct pb_ring *ring, uint8_t *bytes, size_t capacity)
{
    struct slot *slot = &ring->slot[ring->next];
    const size_t left = (size_t)(slot->count - ring->at), count = left < capacity ? left : capacity;
    if (count)
        memcpy(bytes, slot->bytes + ring->at, count);
    ring->at += (int)count;
    if (count == left) {
        ring->at = 0;
        ring->next = (ring->next + 1) % TRANSFERS;
        submit(ring, slot);
    }
    return count;
}

static bool has_ended(const struct pb_ring *ring)
{
    return !ring->slot[ring->next].flying;
}

static bool is_empty(const struct pb_ring *ring)
{
    return has_ended(ring) && !ring->slot[ring->next].count;
}

/* Transfers that ended before this call do not count as time. */
static void forget_idle(struct pb_ring *ring)
{
    handle(ring, 0, NULL);
    for (unsigned i = 0; i < TRANSFERS && !ring->code && is_empty(ring); i++)
        take(ring, NULL, 0);
}

int pb_ring_read(struct pb_ring *ring, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                 struct pb_diag *diag)
{
    size_t taken = 0;
    unsigned waited_ms = 0;
    int64_t last_ms = pb_patience_ms();
    forget_idle(ring);
    while (!ring->code) {
        while (!ring->code && taken < capacity && has_ended(ring)) {
            waited_ms += is_empty(ring) ? ring->config.latency_ms : 0;
            taken += take(ring, bytes + taken, capacity - taken);
            last_ms = pb_patience_ms();
        }
        if (taken || waited_ms >= timeout_ms)
            break;
        const int64_t left_ms = last_ms + PB_RING_HUNG_MS - pb_patience_ms();
        const unsigned ended = ring->ended;
        if (left_ms <= 0)
            give_up(ring, "has not answered", PB_RING_HUNG_MS);
        else if (is_patient(ring) && !handle(ring, left_ms, NULL) && ended == ring->ended)
            break;
    }
    ring->counters.bytes_in += taken;
    return taken || !ring->code ? (int)taken : fail(ring, diag);
}

/* Submits a chunk and waits for its completion. */
static int send(struct pb_ring *ring, const uint8_t *bytes, size_t count)
{
    /* libusb takes a non-const pointer, and does not write to it. */
    union {
        const uint8_t *in;
        uint8_t *out;
    } chunk = {bytes};
    libusb_fill_bulk_transfer(ring->sending, ring->config.handle, ring->config.out, chunk.out, (int)count,
                              end_out, ring, 0);
    ring->sent = 0;
    const int code = launch(ring, TRANSFERS, ring->sending);
    if (code) {
        break_off(ring, code == LIBUSB_ERROR_NO_DEVICE, libusb_strerror(code));
        return 0;
    }
    bool cancelled = false;
    for (int64_t limit_ms = pb_patience_ms() + WRITE_MS; !ring->sent;) {
        const int64_t left_ms = limit_ms - pb_patience_ms();
        const bool over = left_ms <= 0 || !is_patient(ring);
        if (over && cancelled)
            break; /* a cancelled transfer does not end: libusb keeps it */
        if (over) {
            libusb_cancel_transfer(ring->sending);
            cancelled = true;
            limit_ms = pb_patience_ms() + WRITE_MS;
        }
        handle(ring, over ? WRITE_MS : left_ms, &ring->sent);
    }
    ring->stuck = !ring->sent;
    if (cancelled)
        give_up(ring, "took no byte", WRITE_MS);
    else if (ring->sending->status != LIBUSB_TRANSFER_COMPLETED)
        fail_transfer(ring, ring->sending);
    return ring->code ? 0 : ring->sending->actual_length;
}

int pb_ring_write(struct pb_ring *ring, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    if (!ring->code)
        forget_idle(ring);
    while (!ring->code && count) {
        const int sent = send(ring, bytes, count < OUT_BYTES ? count : OUT_BYTES);
        bytes += sent;
        count -= (size_t)sent;
        ring->counters.bytes_out += (uint64_t)sent;
    }
    return ring->code ? fail(ring, diag) : PB_OK;
}

void pb_ring_counters(const struct pb_ring *ring, struct pb_ring_counters *counters)
{
    *counters = ring->counters;
}

int pb_ring_create(struct pb_ring **out, const struct pb_ring_config *config, struct pb_diag *diag)
{
    struct pb_ring *ring = calloc(1, sizeof *ring);
    *out = NULL;
    if (ring)
        ring->slot = calloc(TRANSFERS, sizeof *ring->slot);
    bool made = ring && ring->slot && (ring->sending = libusb_alloc_transfer(0));
    for (unsigned i = 0; made && i < TRANSFERS; i++)
        made = (ring->slot[i].transfer = libusb_alloc_transfer(0)) != NULL;
    if (!made) {
        pb_ring_destroy(ring);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %d USB transfers", TRANSFERS);
    }
    ring->config = *config;
    for (unsigned i = 0; i < TRANSFERS; i++) {
        struct slot *slot = &ring->slot[i];
        slot->ring = ring;
        libusb_fill_bulk_transfer(slot->transfer, config->handle, config->in, slot->bytes, TRANSFER_BYTES,
                                  end_in, slot, 0);
        submit(ring, slot);
    }
    if (ring->code) {
        const int code = fail(ring, diag);
        pb_ring_destroy(ring);
        return code;
    }
    *out = ring;
    return PB_OK;
}

void pb_ring_destroy(struct pb_ring *ring)
{
    if (!ring)
        return;
    for (unsigned i = 0; ring->slot && i < TRANSFERS; i++)
        if (ring->slot[i].flying)
            libusb_cancel_transfer(ring->slot[i].transfer);
    for (int64_t limit_ms = pb_patience_ms() + CLOSE_MS; ring->flying && pb_patience_ms() < limit_ms;) {
        struct pb_diag unused;
        handle(ring, limit_ms - pb_patience_ms(), NULL);
        if (pb_patience_check(ring->config.label, &unused))
            break;
    }
    if (ring->flying || ring->stuck)
        return; /* libusb may still write to them: leak them */
    for (unsigned out = 0; out < 2; out++)
        if (ring->halted[out]) /* leave it working for the next host */
            libusb_clear_halt(ring->config.handle, out ? ring->config.out : ring->config.in);
    for (unsigned i = 0; ring->slot && i < TRANSFERS; i++)
        libusb_free_transfer(ring->slot[i].transfer);
    libusb_free_transfer(ring->sending);
    free(ring->slot);
    free(ring);
}
