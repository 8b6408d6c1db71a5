/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/pcapng.h"
#include "host/record/format.h"

#include <string.h>

enum { COMMENT = 1, INTERFACE_NAME = 2, APPLICATION = 4, TEXT_MAX = 100, BYTE_ORDER_MAGIC = 0x1a2b3c4d };

static size_t padded(size_t count)
{
    return (count + 3) & ~(size_t)3;
}

static size_t put_option(uint8_t *at, unsigned code, const char *text)
{
    const size_t length = strnlen(text, TEXT_MAX);
    memset(at, 0, 4 + padded(length));
    pb_put16(at, code);
    pb_put16(at + 2, (unsigned)length);
    memcpy(at + 4, text, length);
    return 4 + padded(length);
}

/* Ends the options and the block that starts at `block`. */
static size_t end_block(uint8_t *block, uint32_t type, size_t used)
{
    pb_put32(block + used, 0); /* end of options */
    const uint32_t total = (uint32_t)used + 8;
    pb_put32(block, type);
    pb_put32(block + 4, total);
    pb_put32(block + total - 4, total);
    return total;
}

size_t pb_pcapng_begin(uint8_t bytes[PB_PCAPNG_BEGIN_MAX], const char *program, const char *comment)
{
    size_t used = 24;
    pb_put32(bytes + 8, BYTE_ORDER_MAGIC);
    pb_put16(bytes + 12, 1); /* version 1.0 */
    pb_put16(bytes + 14, 0);
    pb_put64(bytes + 16, UINT64_MAX); /* length of the section: unknown */
    used += put_option(bytes + used, APPLICATION, program);
    used += put_option(bytes + used, COMMENT, comment);
    uint8_t *interface = bytes + end_block(bytes, PB_PCAPNG_SECTION, used);
    pb_put16(interface + 8, PB_PCAPNG_LINK_TYPE);
    pb_put16(interface + 10, 0);
    pb_put32(interface + 12, 0); /* no limit of the packet length */
    used = 16 + put_option(interface + 16, INTERFACE_NAME, "driver of the board");
    return (size_t)(interface - bytes) + end_block(interface, PB_PCAPNG_INTERFACE, used);
}

size_t pb_pcapng_packet(uint8_t bytes[PB_PCAPNG_PACKET_MAX], const struct pb_urb *urb, int64_t time_us)
{
    uint8_t *packet = bytes + PB_PCAPNG_PACKET_HEAD_BYTES;
    struct pb_urb cut = *urb;
    cut.data_bytes = urb->data_bytes < PB_URB_DATA_MAX ? urb->data_bytes : PB_URB_DATA_MAX;
    const uint32_t captured = PB_URB_HEAD_BYTES + cut.data_bytes;
    const uint32_t whole = PB_URB_HEAD_BYTES + urb->data_bytes;
    const size_t total = PB_PCAPNG_PACKET_HEAD_BYTES + padded(captured) + 4;
    pb_put32(bytes + total - 8, 0); /* padding, overwritten by the data */
    pb_put32(bytes, PB_PCAPNG_PACKET);
    pb_put32(bytes + 4, (uint32_t)total);
    pb_put32(bytes + 8, 0); /* the first interface */
    pb_put32(bytes + 12, (uint32_t)((uint64_t)time_us >> 32));
    pb_put32(bytes + 16, (uint32_t)time_us);
    pb_put32(bytes + 20, captured);
    pb_put32(bytes + 24, whole);
    pb_urb_encode(packet, &cut, time_us);
    if (cut.data_bytes)
        memcpy(packet + PB_URB_HEAD_BYTES, cut.data, cut.data_bytes);
    pb_put32(bytes + total - 4, (uint32_t)total);
    return total;
}

size_t pb_pcapng_own(uint8_t head[PB_PCAPNG_HEAD_BYTES], uint8_t tail[PB_PCAPNG_OWN_TAIL_MAX], size_t count)
{
    const size_t padding = padded(count) - count;
    const uint32_t total = (uint32_t)(PB_PCAPNG_FRAME_BYTES + padded(count));
    pb_put32(head, PB_PCAPNG_OWN);
    pb_put32(head + 4, total);
    memset(tail, 0, PB_PCAPNG_OWN_TAIL_MAX);
    pb_put32(tail + padding, total);
    return padding + 4;
}
