/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bulk endpoints of one channel of an FTDI chip: a ring of asynchronous transfers. It empties the chip's
 * small buffer between calls, and removes the chip's status bytes from the stream.
 *
 * Time is that of the chip: an idle chip ends a transfer whenever its latency timer expires, and the ring
 * counts these ends. So a timeout has the same length on a board that is simulated slower than real time. A
 * chip that ends no transfer for PB_RING_HUNG_MS (patience.h) is an error. After an error every call fails
 * with it. Do not use a ring from two threads at once.
 */
#ifndef PHASEBENCH_RING_H
#define PHASEBENCH_RING_H

#include "host/base/ftdi_status.h"
#include "phasebench/error.h"

#include <stddef.h>
#include <stdint.h>

#define PB_RING_HUNG_MS 5000

struct libusb_context;
struct libusb_device_handle;
struct pb_ring;
struct pb_tap;

struct pb_ring_config {
    struct libusb_context *context;      /* borrowed */
    struct libusb_device_handle *handle; /* borrowed; the interface is claimed */
    unsigned char in, out;               /* endpoint addresses */
    unsigned packet_bytes;               /* of the endpoint in, status bytes included */
    unsigned latency_ms;                 /* of the chip's latency timer */
    const char *label;                   /* of the board, for messages; borrowed */
    struct pb_tap *tap;                  /* records every transfer; borrowed */
};

struct pb_ring_counters {
    uint64_t bytes_in, bytes_out;   /* read and written by the caller */
    struct pb_status_counts status; /* of all received packets */
};

/* Opens the ring and starts to read. Returns 0, PB_ERR_MEMORY or PB_ERR_LINK. */
int pb_ring_create(struct pb_ring **out, const struct pb_ring_config *config, struct pb_diag *diag);
/* Cancels all transfers and waits for their ends, at most 2 s. NULL: no effect. */
void pb_ring_destroy(struct pb_ring *ring);

/* As read and write of struct pb_transport_ops (device.h). A signal ends a read early with its bytes. */
int pb_ring_read(struct pb_ring *ring, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                 struct pb_diag *diag);
int pb_ring_write(struct pb_ring *ring, const uint8_t *bytes, size_t count, struct pb_diag *diag);

void pb_ring_counters(const struct pb_ring *ring, struct pb_ring_counters *counters);

#endif
