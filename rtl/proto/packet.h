/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The packet codec of the host link, both directions. Pure; no allocation, no I/O.
 *
 * On the wire: 0x7E, opcode, sequence, length, payload, FCS low, FCS high, 0x7E. Between the flags 0x7E and
 * 0x7D are sent as 0x7D and the byte with bit 5 inverted. The FCS is that of RFC 1662 (CRC-16/X-25) over
 * opcode to payload. Opcodes and payloads: regs.def. rtl/core/pb_packet_rx.v and pb_packet_tx.v are the other
 * implementation.
 */
#ifndef PB_PACKET_H
#define PB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PB_PACKET_FLAG 0x7e
#define PB_PACKET_PAYLOAD_MAX 250
#define PB_PACKET_WIRE_MAX (2 * (PB_PACKET_PAYLOAD_MAX + 5) + 2)

struct pb_packet {
    uint8_t opcode, sequence, length;
    uint8_t payload[PB_PACKET_PAYLOAD_MAX]; /* `length` bytes are valid */
};

/* Writes the packet to wire (PB_PACKET_WIRE_MAX bytes). Returns the number of bytes, or 0 if length exceeds
 * PB_PACKET_PAYLOAD_MAX. */
size_t pb_packet_encode(const struct pb_packet *packet, uint8_t *wire);

struct pb_packet_decoder {
    uint8_t bytes[PB_PACKET_PAYLOAD_MAX + 5];
    unsigned count;
    bool escaped, spoiled;
    uint64_t bad; /* byte sequences between two flags that were no valid packet */
};

/* Takes one byte. Returns true if it completed a valid packet, now in *packet. Initial state: all zero. */
bool pb_packet_decode(struct pb_packet_decoder *decoder, uint8_t byte, struct pb_packet *packet);

uint16_t pb_packet_fcs(const uint8_t *bytes, size_t count);

#endif
