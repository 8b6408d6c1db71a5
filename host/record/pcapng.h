/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of the pcapng file format (draft-ietf-opsawg-pcapng), and the subset of it for a capture of USB
 * transfers: one section, one interface of link type 220 (LINKTYPE_USB_LINUX_MMAPPED), packets, and own
 * blocks. Other programs ignore these, as their type is in the range for local use. docs/use/recording.md
 * describes that file, docs/use/pcap.md the one of slot frames (slot_capture.c).
 */
#ifndef PB_RECORD_PCAPNG_H
#define PB_RECORD_PCAPNG_H

#include "host/record/urb.h"

#define PB_PCAPNG_MAGIC "\x0a\x0d\x0d\x0a"

enum {
    PB_PCAPNG_SECTION = 0x0a0d0d0a,
    PB_PCAPNG_INTERFACE = 1,
    PB_PCAPNG_STATISTICS = 5, /* of an interface */
    PB_PCAPNG_PACKET = 6,     /* enhanced packet */
    PB_PCAPNG_LINK_TYPE = 220,
    PB_PCAPNG_HEAD_BYTES = 8,   /* type (4), length (4) of the whole block, a multiple of 4 */
    PB_PCAPNG_FRAME_BYTES = 12, /* head, and the length again at the end */
    PB_PCAPNG_PACKET_HEAD_BYTES = 28, /* head, interface (4), time (4 + 4), captured (4), length (4) */
    PB_PCAPNG_PACKET_MAX = PB_PCAPNG_PACKET_HEAD_BYTES + PB_URB_HEAD_BYTES + PB_URB_DATA_MAX + 4,
    PB_PCAPNG_BEGIN_MAX = 512,
    PB_PCAPNG_OWN_TAIL_MAX = 7 /* padding and length */
};
#define PB_PCAPNG_OWN UINT32_C(0x80524250)

/* Options: of any block; of a section; of an interface; of its statistics. */
enum {
    PB_PCAPNG_COMMENT = 1,
    PB_PCAPNG_HARDWARE = 2,
    PB_PCAPNG_OS = 3,
    PB_PCAPNG_APPLICATION = 4,
    PB_PCAPNG_NAME = 2,
    PB_PCAPNG_SPEED = 8,
    PB_PCAPNG_RESOLUTION = 9,
    PB_PCAPNG_RECEIVED = 4
};

static inline size_t pb_pcapng_padded(size_t count)
{
    return (count + 3) & ~(size_t)3;
}

/* Parts of blocks, written in this order: the head of a block, its options, its end. Heads and options
 * return how many bytes they use, the end the length of the whole block. Every head leaves room for type and
 * length, which the end fills in. */
size_t pb_pcapng_section(uint8_t *block);
size_t pb_pcapng_interface(uint8_t *block, unsigned link_type);
/* time: in the resolution of the interface. The caller adds the bytes themselves, padded, then options. */
size_t pb_pcapng_packet_head(uint8_t *block, uint32_t interface, uint64_t time, uint32_t captured,
                             uint32_t whole);
size_t pb_pcapng_statistics(uint8_t *block, uint32_t interface, uint64_t time);
/* Uses pb_pcapng_padded(length) + 4 bytes; length at most 65535. */
size_t pb_pcapng_option(uint8_t *at, unsigned code, const void *value, size_t length);
size_t pb_pcapng_end(uint8_t *block, uint32_t type, size_t used);

/* Writes section and interface; uses at most 100 bytes of each UTF-8 text. Returns the number of bytes. */
size_t pb_pcapng_begin(uint8_t bytes[PB_PCAPNG_BEGIN_MAX], const char *program, const char *comment);
/* Writes a packet. */
size_t pb_pcapng_packet(uint8_t bytes[PB_PCAPNG_PACKET_MAX], const struct pb_urb *urb, int64_t time_us);
/* Writes the parts before and after `count` own bytes; returns the length of the part after. */
size_t pb_pcapng_own(uint8_t head[PB_PCAPNG_HEAD_BYTES], uint8_t tail[PB_PCAPNG_OWN_TAIL_MAX], size_t count);

#endif
