/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/urb.h"
#include "host/record/format.h"

#include <string.h>

enum { IN = 0x80, DIRECTION_IN = 0x200 /* URB_DIR_IN of linux/usb.h */, IN_PROGRESS = -115 };

enum place { /* in the header */
             ID = 0,
             EVENT = 8,
             TRANSFER = 9,
             ENDPOINT = 10,
             DEVICE = 11,
             BUS = 12,
             SETUP_FLAG = 14,
             DATA_FLAG = 15,
             SECONDS = 16,
             MICROSECONDS = 24,
             STATUS = 28,
             LENGTH = 32,
             CAPTURED = 36,
             SETUP = 40,
             FLAGS = 56
};

void pb_urb_encode(uint8_t head[PB_URB_HEAD_BYTES], const struct pb_urb *urb, int64_t time_us)
{
    const bool in = urb->endpoint & IN, submit = urb->event == PB_URB_SUBMIT;
    memset(head, 0, PB_URB_HEAD_BYTES);
    pb_put64(head + ID, urb->id);
    head[EVENT] = (uint8_t)urb->event;
    head[TRANSFER] = (uint8_t)urb->transfer;
    head[ENDPOINT] = urb->endpoint;
    head[DEVICE] = urb->device;
    pb_put16(head + BUS, urb->bus);
    head[SETUP_FLAG] = urb->setup ? 0 : '-';
    head[DATA_FLAG] = submit == in ? in ? '<' : '>' : 0; /* 0: the data is in this record */
    pb_put64(head + SECONDS, (uint64_t)(time_us / 1000000));
    pb_put32(head + MICROSECONDS, (uint32_t)(time_us % 1000000));
    pb_put32(head + STATUS, (uint32_t)(submit ? IN_PROGRESS : urb->status));
    pb_put32(head + LENGTH, urb->length);
    pb_put32(head + CAPTURED, urb->data_bytes);
    if (urb->setup)
        memcpy(head + SETUP, urb->setup, PB_URB_SETUP_BYTES);
    pb_put32(head + FLAGS, in ? DIRECTION_IN : 0);
}

const char *pb_urb_decode(struct pb_urb *urb, const uint8_t *bytes, size_t count)
{
    if (count < PB_URB_HEAD_BYTES)
        return "is shorter than a header of usbmon";
    *urb = (struct pb_urb){
        .id = pb_get64(bytes + ID),
        .event = bytes[EVENT],
        .transfer = bytes[TRANSFER],
        .endpoint = bytes[ENDPOINT],
        .device = bytes[DEVICE],
        .bus = (uint16_t)pb_get16(bytes + BUS),
        .status = (int32_t)pb_get32(bytes + STATUS),
        .length = pb_get32(bytes + LENGTH),
        .setup = bytes[SETUP_FLAG] ? NULL : bytes + SETUP,
        .data = bytes + PB_URB_HEAD_BYTES,
        .data_bytes = pb_get32(bytes + CAPTURED),
    };
    if (urb->event != PB_URB_SUBMIT && urb->event != PB_URB_COMPLETE && urb->event != PB_URB_ERROR)
        return "is neither a submission nor an end of a transfer";
    if (urb->transfer > PB_URB_BULK)
        return "has an unknown type of transfer";
    if (urb->data_bytes != count - PB_URB_HEAD_BYTES)
        return "has another length than its header says";
    return NULL;
}
