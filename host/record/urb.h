/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * USB transfers as the kernel's usbmon tells of them: one record when a URB is submitted, one when it is
 * complete. A recorder that was given a file for them (record.h) takes them from the driver of a board.
 */
#ifndef PB_RECORD_URB_H
#define PB_RECORD_URB_H

#include "phasebench/record.h"

enum {
    PB_URB_HEAD_BYTES = 64,  /* struct usbmon_packet of the kernel's Documentation/usb/usbmon.rst */
    PB_URB_DATA_MAX = 65536, /* of a record; what is longer is cut */
    PB_URB_SETUP_BYTES = 8
};
enum pb_urb_event { PB_URB_SUBMIT = 'S', PB_URB_COMPLETE = 'C', PB_URB_ERROR = 'E' /* of submitting */ };
enum pb_urb_transfer { PB_URB_ISOCHRONOUS, PB_URB_INTERRUPT, PB_URB_CONTROL, PB_URB_BULK };

struct pb_urb {
    uint64_t id; /* the same at both ends, and of no other transfer under way */
    enum pb_urb_event event;
    enum pb_urb_transfer transfer;
    uint8_t endpoint, device; /* endpoint 0x80: control towards the host */
    uint16_t bus;
    int32_t status;       /* of an end: 0 or a negative errno of Linux; ignored for PB_URB_SUBMIT */
    uint32_t length;      /* bytes asked for, or at the end those that went; of control without the setup */
    const uint8_t *setup; /* 8 bytes, of PB_URB_SUBMIT of a control transfer; else NULL */
    const uint8_t *data;  /* what went with this record: out when submitted, in when complete */
    uint32_t data_bytes;
};

/* The 64 bytes in front of the data, little endian. */
void pb_urb_encode(uint8_t head[PB_URB_HEAD_BYTES], const struct pb_urb *urb, int64_t time_us);
/* Takes a whole record, whose bytes *urb then points to. NULL, or what is wrong with it. */
const char *pb_urb_decode(struct pb_urb *urb, const uint8_t *bytes, size_t count);

/* Where the stream of a board is in its transfers, and how much of it went before the first call that is
 * recorded. */
struct pb_usb_channel {
    uint16_t bus;
    uint8_t device, in, out; /* endpoints */
    unsigned packet_bytes;   /* of the endpoint in, two status bytes included */
    uint64_t bytes_in, bytes_out;
};

/* NULL, or a recorder without a file for transfers: false, and the others do nothing. */
bool pb_recorder_takes_urbs(const struct pb_recorder *recorder);
void pb_recorder_urb(struct pb_recorder *recorder, const struct pb_urb *urb);
/* Once, before pb_recorder_attach. */
void pb_recorder_channel(struct pb_recorder *recorder, const struct pb_usb_channel *channel);

#endif
