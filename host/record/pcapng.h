/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The subset of the pcapng file format (draft-ietf-opsawg-pcapng) for a capture of USB transfers: one
 * section, one interface of link type 220 (LINKTYPE_USB_LINUX_MMAPPED), packets, and own blocks. Other
 * programs ignore these, as their type is in the range for local use. docs/recording.md describes the file.
 */
#ifndef PB_RECORD_PCAPNG_H
#define PB_RECORD_PCAPNG_H

#include "host/record/urb.h"

#define PB_PCAPNG_MAGIC "\x0a\x0d\x0d\x0a"

enum {
    PB_PCAPNG_SECTION = 0x0a0d0d0a,
    PB_PCAPNG_INTERFACE = 1,
    PB_PCAPNG_PACKET = 6, /* enhanced packet */
    PB_PCAPNG_LINK_TYPE = 220,
    PB_PCAPNG_HEAD_BYTES = 8,   /* type (4), length (4) of the whole block, a multiple of 4 */
    PB_PCAPNG_FRAME_BYTES = 12, /* head, and the length again at the end */
    PB_PCAPNG_PACKET_HEAD_BYTES = 28, /* head, interface (4), time (4 + 4), captured (4), length (4) */
    PB_PCAPNG_PACKET_MAX = PB_PCAPNG_PACKET_HEAD_BYTES + PB_URB_HEAD_BYTES + PB_URB_DATA_MAX + 4,
    PB_PCAPNG_BEGIN_MAX = 512,
    PB_PCAPNG_OWN_TAIL_MAX = 7 /* padding and length */
};
#define PB_PCAPNG_OWN UINT32_C(0x80524250)

/* Writes section and interface; uses at most 100 bytes of each UTF-8 text. Returns the number of bytes. */
size_t pb_pcapng_begin(uint8_t bytes[PB_PCAPNG_BEGIN_MAX], const char *program, const char *comment);
/* Writes a packet. */
size_t pb_pcapng_packet(uint8_t bytes[PB_PCAPNG_PACKET_MAX], const struct pb_urb *urb, int64_t time_us);
/* Writes the parts before and after `count` own bytes; returns the length of the part after. */
size_t pb_pcapng_own(uint8_t head[PB_PCAPNG_HEAD_BYTES], uint8_t tail[PB_PCAPNG_OWN_TAIL_MAX], size_t count);

#endif
