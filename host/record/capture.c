/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading a capture: its pcapng blocks, and the stream of a channel out of the transfers in them. */
#include "host/record/pcapng.h"
#include "host/record/replay.h"
#include "host/base/ftdi_status.h"

#include <inttypes.h>
#include <string.h>

enum { SECTION_BYTES = 28, INTERFACE_BYTES = 20 };
#define BYTE_ORDER_MAGIC UINT32_C(0x1a2b3c4d)

static int damaged(const struct pb_recording *recording, uint64_t offset, struct pb_diag *diag,
                   const char *what)
{
    return pb_fail(diag, PB_ERR_CONFIG,
                   "the capture '%.120s' is damaged: the block at byte %" PRIu64
                   " %s; copy it anew, or record again",
                   recording->path, offset, what);
}

int pb_capture_frame(struct pb_recording *recording, uint64_t offset, struct pb_capture_frame *frame,
                     struct pb_diag *diag)
{
    uint8_t head[PB_PCAPNG_HEAD_BYTES], tail[4];
    const uint64_t there = recording->size - offset;
    if (there < sizeof head)
        return 0;
    int code = pb_recording_bytes(recording, offset, head, sizeof head, diag);
    if (code)
        return code;
    const uint32_t total = pb_get32(head + 4);
    if (total < PB_PCAPNG_FRAME_BYTES || total % 4)
        return damaged(recording, offset, diag, "has an impossible length");
    if (total > there)
        return 0;
    pb_put32(tail, total);
    if (!recording->checked)
        code = pb_recording_bytes(recording, offset + total - sizeof tail, tail, sizeof tail, diag);
    if (code)
        return code;
    if (pb_get32(tail) != total)
        return damaged(recording, offset, diag, "has another length at its end than at its start");
    *frame = (struct pb_capture_frame){pb_get32(head), offset + sizeof head, offset + total};
    return 1;
}

/* ---- check of every block */

static int check_section(struct pb_recording *recording, struct pb_diag *diag)
{
    uint8_t head[16];
    if (recording->size < sizeof head)
        return damaged(recording, 0, diag, "is cut off");
    const int code = pb_recording_bytes(recording, 0, head, sizeof head, diag);
    if (code)
        return code;
    if (pb_get32(head + 8) == UINT32_C(0x4d3c2b1a))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the capture '%.120s' is big endian, those of --record-usb are little endian; record "
                       "the run with --record-usb",
                       recording->path);
    if (pb_get32(head + 8) != BYTE_ORDER_MAGIC)
        return damaged(recording, 0, diag, "has no byte order");
    if (pb_get16(head + 12) != 1)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "the capture '%.120s' has pcapng version %u, this program reads 1; record the run with "
            "--record-usb",
            recording->path, pb_get16(head + 12));
    return PB_OK;
}

static int check_interface(struct pb_recording *recording, const struct pb_capture_frame *frame,
                           struct pb_diag *diag)
{
    uint8_t body[8];
    const uint64_t offset = frame->body - PB_PCAPNG_HEAD_BYTES;
    if (frame->end - offset < INTERFACE_BYTES)
        return damaged(recording, offset, diag, "is too short for an interface");
    const int code = pb_recording_bytes(recording, frame->body, body, sizeof body, diag);
    if (code || pb_get16(body) == PB_PCAPNG_LINK_TYPE)
        return code;
    return pb_fail(
        diag, PB_ERR_CONFIG,
        "the capture '%.120s' has link type %u, USB transfers have %d (LINKTYPE_USB_LINUX_MMAPPED); "
        "record the run with --record-usb",
        recording->path, pb_get16(body), PB_PCAPNG_LINK_TYPE);
}

enum { BODY_HEAD = PB_PCAPNG_PACKET_HEAD_BYTES - PB_PCAPNG_HEAD_BYTES };

/* Reads the packet of a frame into bytes; *urb points into it. */
static int read_packet(struct pb_recording *recording, const struct pb_capture_frame *frame,
                       struct pb_urb *urb, uint8_t bytes[PB_PCAPNG_PACKET_MAX], struct pb_diag *diag)
{
    const uint64_t offset = frame->body - PB_PCAPNG_HEAD_BYTES, there = frame->end - frame->body - 4;
    if (there < BODY_HEAD)
        return damaged(recording, offset, diag, "is too short for a packet");
    const size_t size = there < PB_PCAPNG_PACKET_MAX ? (size_t)there : PB_PCAPNG_PACKET_MAX;
    const int code = pb_recording_bytes(recording, frame->body, bytes, size, diag);
    if (code)
        return code;
    const uint32_t captured = pb_get32(bytes + 12);
    if (pb_get32(bytes))
        return damaged(recording, offset, diag, "is of an interface that is not described");
    if (captured > size - BODY_HEAD || captured > PB_URB_HEAD_BYTES + PB_URB_DATA_MAX)
        return damaged(recording, offset, diag, "has an impossible number of bytes");
    const char *wrong = pb_urb_decode(urb, bytes + BODY_HEAD, captured);
    return wrong ? damaged(recording, offset, diag, wrong) : PB_OK;
}

int pb_capture_check(struct pb_recording *recording, struct pb_diag *diag)
{
    uint8_t bytes[PB_PCAPNG_PACKET_MAX];
    struct pb_capture_frame frame = {.end = 0};
    struct pb_urb urb;
    unsigned interfaces = 0, own = 0;
    int found, code = check_section(recording, diag);
    if (code)
        return code;
    for (uint64_t offset = 0; !code && (found = pb_capture_frame(recording, offset, &frame, diag)) != 0;
         offset = frame.end) {
        if (found < 0)
            return found;
        own += frame.type == PB_PCAPNG_OWN;
        if (frame.type == PB_PCAPNG_SECTION && offset)
            code = damaged(recording, offset, diag, "begins a second capture");
        else if (frame.type == PB_PCAPNG_INTERFACE && interfaces++)
            code = damaged(recording, offset, diag, "describes a second interface");
        else if (frame.type == PB_PCAPNG_INTERFACE)
            code = check_interface(recording, &frame, diag);
        else if (frame.type == PB_PCAPNG_PACKET && !interfaces)
            code = damaged(recording, offset, diag, "is of an interface that is not described");
        else if (frame.type == PB_PCAPNG_PACKET)
            code = read_packet(recording, &frame, &urb, bytes, diag);
    }
    recording->checked = !code;
    if (code || own)
        return code;
    return pb_fail(
        diag, PB_ERR_CONFIG,
        "the capture '%.120s' is not of phasebench: it holds neither the scenario of a run nor its "
        "calls, so it cannot be replayed; record the run with --record-usb",
        recording->path);
}

/* ---- the stream of a channel */

void pb_usb_stream_begin(struct pb_usb_stream *stream, const struct pb_usb_channel *channel, bool in)
{
    stream->channel = *channel;
    stream->in = in;
    stream->offset = stream->submitted = stream->id = stream->overruns = 0;
    stream->at = stream->end = 0;
}

static uint8_t *data_of(struct pb_usb_stream *stream)
{
    return stream->packet + BODY_HEAD + PB_URB_HEAD_BYTES;
}

static bool is_of(const struct pb_usb_stream *stream, const struct pb_urb *urb)
{
    const struct pb_usb_channel *channel = &stream->channel;
    return urb->transfer == PB_URB_BULK && urb->bus == channel->bus && urb->device == channel->device &&
           urb->endpoint == (stream->in ? channel->in : channel->out);
}

/* Handles a successful transfer. Its completion holds the bytes to the host; its submission those to the
 * chip, of which the chip may have taken fewer. */
static int take(struct pb_usb_stream *stream, struct pb_recording *recording, const struct pb_urb *urb,
                struct pb_diag *diag)
{
    struct pb_capture_frame frame;
    struct pb_status_counts counts = {0};
    struct pb_urb submission;
    const uint32_t length = urb->length;
    stream->at = stream->end = 0;
    if (stream->in) {
        stream->end =
            pb_status_strip(data_of(stream), urb->data_bytes, stream->channel.packet_bytes, &counts);
        stream->overruns += counts.overruns;
        return 1;
    }
    if (urb->id != stream->id || !stream->submitted)
        return damaged(recording, stream->offset, diag, "ends a transfer that was not submitted");
    int code = pb_capture_frame(recording, stream->submitted, &frame, diag);
    if (code > 0)
        code = read_packet(recording, &frame, &submission, stream->packet, diag);
    if (code)
        return code;
    if (length > submission.data_bytes)
        return damaged(recording, stream->offset, diag, "ends a transfer with more bytes than it had");
    stream->end = length;
    return 1;
}

int pb_usb_stream_next(struct pb_usb_stream *stream, struct pb_recording *recording, uint64_t limit,
                       struct pb_diag *diag)
{
    struct pb_capture_frame frame;
    struct pb_urb urb;
    while (stream->offset < limit) {
        int code = pb_capture_frame(recording, stream->offset, &frame, diag);
        if (code <= 0)
            return code;
        const uint64_t offset = stream->offset;
        stream->offset = frame.end;
        if (frame.type != PB_PCAPNG_PACKET)
            continue;
        code = read_packet(recording, &frame, &urb, stream->packet, diag);
        if (code)
            return code;
        if (!is_of(stream, &urb))
            continue;
        if (urb.event == PB_URB_SUBMIT) {
            stream->id = urb.id;
            stream->submitted = offset;
        }
        if (urb.event == PB_URB_COMPLETE && !urb.status)
            return take(stream, recording, &urb, diag);
    }
    return 0;
}

int pb_usb_stream_read(struct pb_usb_stream *stream, struct pb_recording *recording, uint8_t *bytes,
                       uint64_t count, struct pb_diag *diag)
{
    while (count) {
        const uint64_t left = stream->end - stream->at, part = left < count ? left : count;
        if (bytes && part) {
            memcpy(bytes, data_of(stream) + stream->at, part);
            bytes += part;
        }
        stream->at += part;
        count -= part;
        const int code = count ? pb_usb_stream_next(stream, recording, recording->size, diag) : 1;
        if (code <= 0)
            return code;
    }
    return 1;
}
