/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between the parts of host/record: blocks of an open recording, the transfers of a capture, and the end of
 * a replayed session.
 */
#ifndef PB_RECORD_REPLAY_H
#define PB_RECORD_REPLAY_H

#include "host/record/metadata.h"
#include "host/record/format.h"
#include "host/record/pcapng.h"

#include <limits.h>

/* A place between two blocks. */
struct pb_block_place {
    uint64_t offset;
    uint32_t sequence;
};

struct pb_block {
    uint32_t type;
    size_t length;
    uint8_t payload[PB_BLOCK_MAX];
};

struct pb_recording {
    int file;
    char path[PATH_MAX];
    uint64_t size; /* of the file, when it was opened */
    bool busy;     /* somebody is still writing it */
    bool capture;  /* pcapng: the blocks stand between packets */
    bool checked;  /* a capture: every frame was looked at */
    struct pb_about_owner owner;
    struct pb_block_place data; /* behind the description of the run */
    char cut[200];              /* why it ends too early; "" when it is whole */
};

/* Reads the next block and moves on. 1; 0 where no whole block is left; PB_ERR_CONFIG for a damaged one. Type
 * and length change only with 1. */
int pb_block_read(struct pb_recording *recording, struct pb_block_place *place, struct pb_block *block,
                  struct pb_diag *diag);

/* Reads exactly count bytes, which are known to be there. PB_ERR_CONFIG. */
int pb_recording_bytes(struct pb_recording *recording, uint64_t offset, uint8_t *bytes, size_t count,
                       struct pb_diag *diag);

/* ---- captures */

/* The frame of a pcapng block. */
struct pb_capture_frame {
    uint32_t type;
    uint64_t body, end; /* offsets in the file: behind the head, behind the block */
};
/* 1; 0 where no whole block is left; PB_ERR_CONFIG for a damaged one. */
int pb_capture_frame(struct pb_recording *recording, uint64_t offset, struct pb_capture_frame *frame,
                     struct pb_diag *diag);

/* Is this a capture that can be read? Looks at every block once. */
int pb_capture_check(struct pb_recording *recording, struct pb_diag *diag);

/* One direction of the stream of a channel, taken out of the transfers. */
struct pb_usb_stream {
    struct pb_usb_channel channel;
    bool in;
    uint64_t offset;    /* of the next pcapng block */
    uint64_t submitted; /* where the transfer out was that was submitted last, whose number is id */
    uint64_t id;
    uint64_t overruns; /* packets so far that told of one */
    size_t at, end;    /* in its data, which is in packet: what is taken out of it and not read yet */
    uint8_t packet[PB_PCAPNG_PACKET_MAX];
};
void pb_usb_stream_begin(struct pb_usb_stream *stream, const struct pb_usb_channel *channel, bool in);
/* Goes on to the next transfer that carried a part of the stream and ended before `limit`, an offset. 1, 0 or
 * PB_ERR_CONFIG. */
int pb_usb_stream_next(struct pb_usb_stream *stream, struct pb_recording *recording, uint64_t limit,
                       struct pb_diag *diag);
/* Reads exactly count bytes, or passes over them when bytes is NULL. 1; 0 when there are not so many;
 * PB_ERR_CONFIG. */
int pb_usb_stream_read(struct pb_usb_stream *stream, struct pb_recording *recording, uint8_t *bytes,
                       uint64_t count, struct pb_diag *diag);

/* pb_recording_capture for a transport that is no recorder. */
int pb_replay_capture(struct pb_transport *transport, struct pb_capture_choice *choice, struct pb_diag *diag);

/* pb_recording_session_end for a transport that is no recorder. */
int pb_replay_session_end(struct pb_transport *transport, int code, struct pb_diag *diag);

#endif
