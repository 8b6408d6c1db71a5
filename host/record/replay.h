/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Internal to host/record: blocks of an open recording, transfers of a capture, end of a replayed session.
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
    uint64_t size; /* of the file at its opening */
    bool busy;     /* a recorder is still writing it */
    bool capture;  /* pcapng: the blocks are between packets */
    bool checked;  /* a capture: every frame was checked */
    struct pb_about_owner owner;
    struct pb_block_place data; /* after the description of the run */
    char cut[200];              /* why it ends too early; "": complete */
};

/* Reads the next block and advances. Returns 1, 0 (no complete block left) or PB_ERR_CONFIG (damaged). Sets
 * type and length only with 1. */
int pb_block_read(struct pb_recording *recording, struct pb_block_place *place, struct pb_block *block,
                  struct pb_diag *diag);

/* Reads count bytes inside the file. Returns 0 or PB_ERR_CONFIG. */
int pb_recording_bytes(struct pb_recording *recording, uint64_t offset, uint8_t *bytes, size_t count,
                       struct pb_diag *diag);

/* ---- captures */

/* The frame of a pcapng block. */
struct pb_capture_frame {
    uint32_t type;
    uint64_t body, end; /* offsets in the file: after the head, after the block */
};
/* Reads a frame. Returns 1, 0 (no complete block left) or PB_ERR_CONFIG (damaged). */
int pb_capture_frame(struct pb_recording *recording, uint64_t offset, struct pb_capture_frame *frame,
                     struct pb_diag *diag);

/* Checks every block of a capture. */
int pb_capture_check(struct pb_recording *recording, struct pb_diag *diag);

/* One direction of the stream of a channel, extracted from the transfers. */
struct pb_usb_stream {
    struct pb_usb_channel channel;
    bool in;
    uint64_t offset;    /* of the next pcapng block */
    uint64_t submitted; /* offset of the last submitted transfer out, whose number is id */
    uint64_t id;
    uint64_t overruns; /* packets so far with an overrun */
    size_t at, end;    /* in the data of packet: bytes not yet read */
    uint8_t packet[PB_PCAPNG_PACKET_MAX];
};
void pb_usb_stream_begin(struct pb_usb_stream *stream, const struct pb_usb_channel *channel, bool in);
/* Advances to the next transfer with a part of the stream that ended before offset `limit`. Returns 1, 0 or
 * PB_ERR_CONFIG. */
int pb_usb_stream_next(struct pb_usb_stream *stream, struct pb_recording *recording, uint64_t limit,
                       struct pb_diag *diag);
/* Reads count bytes; bytes NULL: skips them. Returns 1, 0 (fewer left) or PB_ERR_CONFIG. */
int pb_usb_stream_read(struct pb_usb_stream *stream, struct pb_recording *recording, uint8_t *bytes,
                       uint64_t count, struct pb_diag *diag);

/* pb_recording_capture for a transport that is no recorder. */
int pb_replay_capture(struct pb_transport *transport, struct pb_capture_choice *choice, struct pb_diag *diag);

/* pb_recording_node for a transport that is no recorder. */
int pb_replay_node(struct pb_transport *transport, unsigned node_index, char text[PB_RECORDING_NODE_TEXT],
                   struct pb_diag *diag);

/* pb_recording_session_end for a transport that is no recorder. */
int pb_replay_session_end(struct pb_transport *transport, int code, struct pb_diag *diag);

#endif
