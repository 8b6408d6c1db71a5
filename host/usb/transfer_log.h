/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tells a recorder of every USB transfer with one board, as usbmon would.
 *
 * The driver reports its bulk transfers. Control transfers are made by libftdi1, which has no hook and calls
 * libusb_control_transfer. The command defines a function of that name (host/cli/usb_control.c), which the
 * dynamic linker prefers to libusb's and which calls pb_tap_control. The library itself defines none: its
 * symbols begin with pb_. Not safe for two threads at once.
 */
#ifndef PHASEBENCH_TRANSFER_LOG_H
#define PHASEBENCH_TRANSFER_LOG_H

#include "host/record/urb.h"

struct libusb_device;
struct libusb_device_handle;
struct libusb_transfer;

struct pb_tap {
    struct pb_recorder *recorder; /* borrowed; NULL: nobody wants to know, and all calls do nothing */
    struct libusb_device *device; /* referenced */
    struct pb_tap *next;          /* of those that are open */
    uint16_t bus;
    uint8_t address;
    uint64_t last_id; /* of a control transfer */
};

/* Begins with the control transfers, and asks the device for its descriptors, so that who reads the file
 * knows what it is of. A recorder that takes no transfers is as good as none. */
void pb_tap_open(struct pb_tap *tap, struct pb_recorder *recorder, struct libusb_device *device);
void pb_tap_close(struct pb_tap *tap); /* one that is all zero is fine */

/* Records a control transfer if a tap is open on the device, and has libusb make it: parameters and result
 * are those of libusb_control_transfer. LIBUSB_ERROR_NOT_SUPPORTED: the program is linked with a static
 * libusb. */
int pb_tap_control(struct libusb_device_handle *handle, uint8_t type, uint8_t request, uint16_t value,
                   uint16_t index, unsigned char *data, uint16_t length, unsigned timeout);

enum { PB_TAP_BULK_IDS = 1000 };
/* Just before a bulk transfer is submitted, when that failed with a code of libusb, and when it has ended.
 * `id`, below PB_TAP_BULK_IDS, is no other's meanwhile. */
void pb_tap_submit(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer);
void pb_tap_refused(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer, int code);
void pb_tap_complete(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer);

#endif
