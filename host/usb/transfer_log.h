/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Passes every USB transfer with one board to a recorder, as usbmon records them.
 *
 * The driver reports its bulk transfers. Control transfers come from libftdi1, which has no hook and calls
 * libusb_control_transfer. The command defines a function of that name (host/cli/usb_control.c); the dynamic
 * linker prefers it to that of libusb, and it calls pb_tap_control. The library does not define it: its
 * symbols begin with pb_. Do not use a tap from two threads at once.
 */
#ifndef PHASEBENCH_TRANSFER_LOG_H
#define PHASEBENCH_TRANSFER_LOG_H

#include "host/record/urb.h"

struct libusb_device;
struct libusb_device_handle;
struct libusb_transfer;

struct pb_tap {
    struct pb_recorder *recorder; /* borrowed; NULL: no call has an effect */
    struct libusb_device *device; /* referenced */
    struct pb_tap *next;          /* of the open taps */
    uint16_t bus;
    uint8_t address;
    uint64_t last_id; /* of a control transfer */
};

/* Starts to record control transfers, and reads the descriptors of the device, so that the file identifies
 * it. A recorder without a file for transfers: no effect. */
void pb_tap_open(struct pb_tap *tap, struct pb_recorder *recorder, struct libusb_device *device);
void pb_tap_close(struct pb_tap *tap); /* all zero: no effect */

/* Performs a control transfer by libusb, and records it if a tap is open on the device. Parameters and result
 * as libusb_control_transfer. LIBUSB_ERROR_NOT_SUPPORTED: the program is linked with a static libusb. */
int pb_tap_control(struct libusb_device_handle *handle, uint8_t type, uint8_t request, uint16_t value,
                   uint16_t index, unsigned char *data, uint16_t length, unsigned timeout);

enum { PB_TAP_BULK_IDS = 1000 };
/* Record a bulk transfer: before its submission, after a failed submission (code of libusb), at its end.
 * `id`, below PB_TAP_BULK_IDS, is unique among the transfers in flight. */
void pb_tap_submit(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer);
void pb_tap_refused(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer, int code);
void pb_tap_complete(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer);

#endif
