/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The layout of a recording, see docs/use/recording.md. Numbers are little endian.
 */
#ifndef PB_RECORD_FORMAT_H
#define PB_RECORD_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define PB_RECORDING_MAGIC "\x89PBREC\r\n"

enum {
    PB_PROLOGUE_BYTES = 16, /* magic (8), version (2), 0 (2), CRC-32 of these 12 */
    PB_BLOCK_HEAD_BYTES =
        20,               /* type (4), sequence (4), length (4), CRC-32 of the payload, CRC-32 of these 16 */
    PB_BLOCK_MAX = 65536, /* of the payload */
    PB_NOTE_HEAD_BYTES = 16 /* kind (1), 0 (1), timeout_ms (2), length (4), time_ps (8) */
};

enum pb_block_type {
    PB_BLOCK_ABOUT = 1, /* part of the JSON description of the run */
    PB_BLOCK_DATA = 2,  /* notes, each whole */
    PB_BLOCK_END = 3    /* JSON: the end of the run; the last block */
};

enum pb_note_kind {
    PB_NOTE_WRITE = 1,        /* the bytes */
    PB_NOTE_READ = 2,         /* the bytes; none: timeout */
    PB_NOTE_WRITE_FAILED = 3, /* directly after its WRITE: code (4), diagnostic */
    PB_NOTE_READ_FAILED = 4,  /* code (4), sentence */
    PB_NOTE_SESSION_END = 5,  /* code (4), sentence */
    /* Captures only: the packets hold the bytes. */
    PB_NOTE_SENT = 6,  /* a WRITE: number of bytes (4), their CRC-32 (4) */
    PB_NOTE_TAKEN = 7, /* a non-empty READ, likewise */
    PB_NOTE_CHANNEL =
        8, /* the first: bus (2), device, in, out (1 each), 0, packet bytes (2), bytes in, out (8 each) */
    /* Recordings and captures. */
    PB_NOTE_CAPTURE = 9, /* captured of the lines: 1 edges and bytes, 2 bytes (1), sentence */
    PB_NOTE_NODE = 10    /* what the rig reports of a node in addition to its pins: index (1), text */
};
enum { PB_NOTE_SUM_BYTES = 8, PB_NOTE_CHANNEL_BYTES = 24 };

static inline void pb_put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}
static inline void pb_put32(uint8_t *at, uint32_t value)
{
    pb_put16(at, value & 0xffff);
    pb_put16(at + 2, value >> 16);
}
static inline void pb_put64(uint8_t *at, uint64_t value)
{
    pb_put32(at, (uint32_t)value);
    pb_put32(at + 4, (uint32_t)(value >> 32));
}
static inline unsigned pb_get16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}
static inline uint32_t pb_get32(const uint8_t *at)
{
    return pb_get16(at) | (uint32_t)pb_get16(at + 2) << 16;
}
static inline uint64_t pb_get64(const uint8_t *at)
{
    return pb_get32(at) | (uint64_t)pb_get32(at + 4) << 32;
}

#endif
