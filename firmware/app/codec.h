/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot frames. A codec encodes a frame into line bytes and decodes byte by byte; the result is known at the
 * last byte. The formats are in docs/node.md. All frames of a run have the same length.
 */
#ifndef FW_CODEC_H
#define FW_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#define CODEC_PAYLOAD_MAX 80
#define CODEC_FRAME_MAX 85 /* line bytes: StarC with 80 bytes of content */

struct frame {
    uint16_t destination; /* 12 bits; StarC 16 */
    uint8_t sequence;     /* 4 bits */
    bool checked; /* `check` is the CRC of the frame: as it was received, or of `seal` */
    uint8_t check;
    uint8_t payload[CODEC_PAYLOAD_MAX];
};

enum codec_status {
    CODEC_MORE,     /* the frame is incomplete */
    CODEC_COMPLETE, /* decoder->frame is complete and its CRC is valid */
    CODEC_BAD_CRC,
    CODEC_BAD_LENGTH, /* the length field differs from the frame length of this run */
    CODEC_BAD_MARK    /* invalid first byte */
};

struct decoder {
    struct frame frame;
    uint16_t crc;
    uint8_t count; /* bytes taken since the start */
    uint8_t payload_bytes;
};

struct codec {
    uint8_t payload_max;
    /* Writes the line bytes of a frame, at most CODEC_FRAME_MAX. Returns their number. */
    uint8_t (*encode)(const struct frame *frame, uint8_t payload_bytes, uint8_t *bytes);
    /* Decodes the next byte. After any status other than CODEC_MORE restart the decoder. */
    enum codec_status (*decode)(struct decoder *decoder, uint8_t byte);
    uint16_t crc_initial;
    /* Computes the CRC in advance, so that `encode` only copies. NULL: this codec cannot. */
    void (*seal)(struct frame *frame, uint8_t payload_bytes);
};

/* Of a frame that names none; no network has such an address. */
#define CODEC_NO_DESTINATION UINT16_C(0xFFFF)

extern const struct codec codec_slot;  /* default: 3 bytes more than the payload */
extern const struct codec codec_starc; /* 7 bytes more than the payload */
extern const struct codec codec_bare;  /* 1 byte more; without a destination: for programs alone */

static inline void decoder_start(struct decoder *decoder, const struct codec *codec, uint8_t payload_bytes)
{
    decoder->crc = codec->crc_initial;
    decoder->count = 0;
    decoder->frame.checked = false;
    decoder->payload_bytes = payload_bytes;
}

#endif
