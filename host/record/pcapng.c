/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/pcapng.h"
#include "host/record/format.h"

#include <string.h>

enum { TEXT_MAX = 100, BYTE_ORDER_MAGIC = 0x1a2b3c4d };

/* ---- parts of blocks */

size_t pb_pcapng_section(uint8_t *block)
{
    pb_put32(block + 8, BYTE_ORDER_MAGIC);
    pb_put16(block + 12, 1); /* version 1.0 */
    pb_put16(block + 14, 0);
    pb_put64(block + 16, UINT64_MAX); /* length of the section: unknown */
    return 24;
}

size_t pb_pcapng_interface(uint8_t *block, unsigned link_type)
{
    pb_put16(block + 8, link_type);
    pb_put16(block + 10, 0);
    pb_put32(block + 12, 0); /* no limit of the packet length */
    return 16;
}

static void put_time(uint8_t *at, uint64_t time)
{
    pb_put32(at, (uint32_t)(time >> 32));
    pb_put32(at + 4, (uint32_t)time);
}

size_t pb_pcapng_packet_head(uint8_t *block, uint32_t interface, uint64_t time, uint32_t captured,
                             uint32_t whole)
{
    pb_put32(block + 8, interface);
    put_time(block + 12, time);
    pb_put32(block + 20, captured);
    pb_put32(block + 24, whole);
    return PB_PCAPNG_PACKET_HEAD_BYTES;
}

size_t pb_pcapng_statistics(uint8_t *block, uint32_t interface, uint64_t time)
{
    pb_put32(block + 8, interface);
    put_time(block + 12, time);
    return 20;
}

size_t pb_pcapng_option(uint8_t *at, unsigned code, const void *value, size_t length)
{
    memset(at, 0, 4 + pb_pcapng_padded(length));
    pb_put16(at, code);
    pb_put16(at + 2, (unsigned)length);
    memcpy(at + 4, value, length);
    return 4 + pb_pcapng_padded(length);
}

/* Type and length, the latter at the end again. */
static size_t frame_block(uint8_t *block, uint32_t type, size_t used)
{
    const uint32_t total = (uint32_t)used + 4;
    pb_put32(block, type);
    pb_put32(block + 4, total);
    pb_put32(block + used, total);
    return total;
}

size_t pb_pcapng_end(uint8_t *block, uint32_t type, size_t used)
{
    pb_put32(block + used, 0); /* end of options */
    return frame_block(block, type, used + 4);
}

/* ---- a capture of USB transfers */

static size_t put_text(uint8_t *at, unsigned code, const char *text)
{
    return pb_pcapng_option(at, code, text, strnlen(text, TEXT_MAX));
}

size_t pb_pcapng_begin(uint8_t bytes[PB_PCAPNG_BEGIN_MAX], const char *program, const char *comment)
{
    size_t used = pb_pcapng_section(bytes);
    used += put_text(bytes + used, PB_PCAPNG_APPLICATION, program);
    used += put_text(bytes + used, PB_PCAPNG_COMMENT, comment);
    uint8_t *interface = bytes + pb_pcapng_end(bytes, PB_PCAPNG_SECTION, used);
    used = pb_pcapng_interface(interface, PB_PCAPNG_LINK_TYPE);
    used += put_text(interface + used, PB_PCAPNG_NAME, "driver of the board");
    return (size_t)(interface - bytes) + pb_pcapng_end(interface, PB_PCAPNG_INTERFACE, used);
}

size_t pb_pcapng_packet(uint8_t bytes[PB_PCAPNG_PACKET_MAX], const struct pb_urb *urb, int64_t time_us)
{
    uint8_t *packet = bytes + PB_PCAPNG_PACKET_HEAD_BYTES;
    struct pb_urb cut = *urb;
    cut.data_bytes = urb->data_bytes < PB_URB_DATA_MAX ? urb->data_bytes : PB_URB_DATA_MAX;
    const uint32_t captured = PB_URB_HEAD_BYTES + cut.data_bytes;
    const uint32_t whole = PB_URB_HEAD_BYTES + urb->data_bytes;
    size_t used = pb_pcapng_packet_head(bytes, 0, (uint64_t)time_us, captured, whole);
    used += pb_pcapng_padded(captured);
    pb_put32(bytes + used - 4, 0); /* padding, overwritten by the data */
    pb_urb_encode(packet, &cut, time_us);
    if (cut.data_bytes)
        memcpy(packet + PB_URB_HEAD_BYTES, cut.data, cut.data_bytes);
    return frame_block(bytes, PB_PCAPNG_PACKET, used);
}

size_t pb_pcapng_own(uint8_t head[PB_PCAPNG_HEAD_BYTES], uint8_t tail[PB_PCAPNG_OWN_TAIL_MAX], size_t count)
{
    const size_t padding = pb_pcapng_padded(count) - count;
    const uint32_t total = (uint32_t)(PB_PCAPNG_FRAME_BYTES + pb_pcapng_padded(count));
    pb_put32(head, PB_PCAPNG_OWN);
    pb_put32(head + 4, total);
    memset(tail, 0, PB_PCAPNG_OWN_TAIL_MAX);
    pb_put32(tail + padding, total);
    return padding + 4;
}
