/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * USB transfers in the format of the kernel's usbmon: one record at the submission of a URB, one at its
 * completion. A recorder with a file for them (record.h) takes them from the driver of a board.
 */
#ifndef PB_RECORD_URB_H
#define PB_RECORD_URB_H

#include "phasebench/record.h"

enum {
    PB_URB_HEAD_BYTES = 64,  /* struct usbmon_packet of the kernel's Documentation/usb/usbmon.rst */
    PB_URB_DATA_MAX = 65536, /* of a record; longer data is truncated */
    PB_URB_SETUP_BYTES = 8
};
enum pb_urb_event { PB_URB_SUBMIT = 'S', PB_URB_COMPLETE = 'C', PB_URB_ERROR = 'E' /* of the submission */ };
enum pb_urb_transfer { PB_URB_ISOCHRONOUS, PB_URB_INTERRUPT, PB_URB_CONTROL, PB_URB_BULK };

struct pb_urb {
    uint64_t id; /* of both records; unique among the transfers in flight */
    enum pb_urb_event event;
    enum pb_urb_transfer transfer;
    uint8_t endpoint, device; /* endpoint 0x80: control towards the host */
    uint16_t bus;
    int32_t status;       /* of a completion: 0 or -errno of Linux; ignored for PB_URB_SUBMIT */
    uint32_t length;      /* requested bytes, or transferred at completion; control: without the setup */
    const uint8_t *setup; /* 8 bytes, of PB_URB_SUBMIT of a control transfer; else NULL */
    const uint8_t *data;  /* of this record: out at submission, in at completion */
    uint32_t data_bytes;
};

/* Writes the 64 bytes before the data, little endian. */
void pb_urb_encode(uint8_t head[PB_URB_HEAD_BYTES], const struct pb_urb *urb, int64_t time_us);
/* Parses a record; *urb points into its bytes. Returns NULL, or the error as text. */
const char *pb_urb_decode(struct pb_urb *urb, const uint8_t *bytes, size_t count);

/* Place of a board's stream in its transfers, and its bytes before the first recorded call. */
struct pb_usb_channel {
    uint16_t bus;
    uint8_t device, in, out; /* endpoints */
    unsigned packet_bytes;   /* of the endpoint in, two status bytes included */
    uint64_t bytes_in, bytes_out;
};

/* False: NULL or a recorder without a file for transfers; the other calls then have no effect. */
bool pb_recorder_takes_urbs(const struct pb_recorder *recorder);
void pb_recorder_urb(struct pb_recorder *recorder, const struct pb_urb *urb);
/* Call once, before pb_recorder_attach. */
void pb_recorder_channel(struct pb_recorder *recorder, const struct pb_usb_channel *channel);

#endif
