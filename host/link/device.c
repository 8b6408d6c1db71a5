/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/device.h"
#include "rtl/proto/packet.h"

#include <stdlib.h>
#include <string.h>

enum {
    REPLY_TIMEOUT_MS = 100,
    ATTEMPTS = 5,
    WORDS_MAX = 60,
    CREDIT_TOP = 4096,     /* event packets granted at once; half of them are renewed when half are used */
    REPLY_BYTES = 1 << 20, /* a reply that does not come among so many bytes is not coming */
    STATUS_DETAIL_BYTES = 4,
    LANES_MAX = 32,
    NODES_MAX = 16
};

struct pb_device {
    struct pb_transport *transport;
    struct pb_packet_decoder decoder;
    struct pb_event_unpacker unpacker;
    struct pb_device_info info;
    struct pb_events pending; /* events that came while a reply was awaited */
    uint64_t next_event_sequence;
    uint8_t sequence; /* of the last command */
    uint8_t next_event_packet;
    bool event_packet_seen;
    unsigned credits; /* that the core still has, as far as is known */
    bool broken;
    struct pb_device_counters counters;
};

static uint32_t get32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int take_events(struct pb_device *device, const struct pb_packet *packet, struct pb_diag *diag)
{
    if (packet->length < 12 || (packet->length - 4) % 8) {
        device->counters.packets_stray++;
        return PB_OK;
    }
    /* The packet names its first event modulo 2^32; the difference to what was expected extends it. */
    const uint32_t ahead = get32(packet->payload) - (uint32_t)device->next_event_sequence;
    uint64_t sequence = device->next_event_sequence + ahead;
    unsigned used = 1;
    if (device->event_packet_seen) {
        if (ahead >> 31) { /* came twice */
            device->counters.packets_stray++;
            return PB_OK;
        }
        const uint8_t missing = (uint8_t)(packet->sequence - device->next_event_packet);
        device->counters.event_packets_missing += missing;
        used += missing;
    }
    device->event_packet_seen = true;
    device->next_event_packet = (uint8_t)(packet->sequence + 1);
    device->counters.event_packets++;
    device->credits -= device->credits < used ? device->credits : used;

    for (unsigned at = 4; at < packet->length; at += 8) {
        struct pb_event event;
        const uint64_t word = get32(packet->payload + at) | (uint64_t)get32(packet->payload + at + 4) << 32;
        if (at > 4 && word >> 60 == PB_EVENT_OVERFLOW)
            sequence += word >> 32 & 0x0fffffff;
        pb_event_unpack(&device->unpacker, word, sequence++, &event);
        if (pb_events_add(&device->pending, &event))
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for more than %zu events", device->pending.count);
    }
    device->next_event_sequence = sequence;
    return PB_OK;
}

/* Reads once and hands every packet on. *reply is filled and true returned through *got when a reply came. */
static int pump(struct pb_device *device, unsigned timeout_ms, struct pb_packet *reply, bool *got,
                struct pb_diag *diag)
{
    uint8_t bytes[4096];
    const int count = device->transport->ops->read(device->transport, bytes, sizeof bytes, timeout_ms, diag);
    if (count < 0) {
        device->broken = true;
        return count;
    }
    device->counters.bytes_in += (unsigned)count;
    for (int i = 0; i < count; i++) {
        struct pb_packet packet;
        if (!pb_packet_decode(&device->decoder, bytes[i], &packet))
            continue;
        if (packet.opcode == PB_OPCODE_EVENTS) {
            const int code = take_events(device, &packet, diag);
            if (code)
                return code;
        } else if (reply && !*got && packet.sequence == device->sequence) {
            *reply = packet;
            *got = true;
        } else
            device->counters.packets_stray++;
    }
    device->counters.packets_bad = device->decoder.bad;
    return count;
}

/* One command, one believed reply. reply->payload starts with the status. */
static int exchange(struct pb_device *device, struct pb_packet *request, struct pb_packet *reply,
                    struct pb_diag *diag)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    request->sequence = ++device->sequence;
    const size_t length = pb_packet_encode(request, wire);

    if (device->broken)
        return pb_fail(diag, PB_ERR_LINK, "the host link broke earlier; open the rig again");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int code = device->transport->ops->write(device->transport, wire, length, diag);
        if (code) {
            device->broken = true;
            return code;
        }
        device->counters.bytes_out += length;
        device->counters.retries += attempt > 0;
        bool got = false;
        int left = REPLY_BYTES;
        do {
            code = pump(device, REPLY_TIMEOUT_MS, reply, &got, diag);
            if (code < 0)
                return code;
            left -= code;
        } while (!got && code > 0 && left > 0);
        if (!got)
            continue;
        if (reply->opcode != (request->opcode | 0x80) || reply->length < STATUS_DETAIL_BYTES) {
            device->counters.packets_stray++;
            continue;
        }
        if (reply->payload[0] == PB_STATUS_OK ||
            (reply->payload[0] == PB_STATUS_BUSY && request->opcode == PB_OPCODE_PLAY))
            return PB_OK;
        return pb_fail(diag, PB_ERR_LINK, "the core refused opcode 0x%02x with status %u", request->opcode,
                       reply->payload[0]);
    }
    device->broken = true;
    return pb_fail(diag, PB_ERR_LINK,
                   "no answer from the core: %d attempts of %d ms each; is this bitstream a phasebench core?",
                   ATTEMPTS, REPLY_TIMEOUT_MS);
}

static int mismatch(struct pb_device *device, struct pb_diag *diag)
{
    device->counters.packets_stray++;
    return pb_fail(diag, PB_ERR_LINK, "the core's reply does not fit the command; open the rig again");
}

int pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *values, size_t count,
                        struct pb_diag *diag)
{
    for (size_t done = 0; done < count;) {
        const size_t words = count - done < WORDS_MAX ? count - done : WORDS_MAX;
        const unsigned from = address + (unsigned)done;
        struct pb_packet reply, request = {.opcode = PB_OPCODE_READ,
                                           .length = 4,
                                           .payload = {from & 255, from >> 8 & 255, (uint8_t)words, 0}};
        const int code = exchange(device, &request, &reply, diag);
        if (code)
            return code;
        if (reply.length != 4 + 4 * words || memcmp(reply.payload + 1, request.payload, 3))
            return mismatch(device, diag);
        for (size_t i = 0; i < words; i++)
            values[done + i] = get32(reply.payload + 4 + 4 * i);
        done += words;
    }
    return PB_OK;
}

int pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *values, size_t count,
                         struct pb_diag *diag)
{
    for (size_t done = 0; done < count;) {
        const size_t words = count - done < WORDS_MAX ? count - done : WORDS_MAX;
        const unsigned to = address + (unsigned)done;
        struct pb_packet reply, request = {.opcode = PB_OPCODE_WRITE,
                                           .length = (uint8_t)(3 + 4 * words),
                                           .payload = {to & 255, to >> 8 & 255, 0}};
        for (size_t i = 0; i < 4 * words; i++)
            request.payload[3 + i] = (uint8_t)(values[done + i / 4] >> (8 * (i % 4)));
        const int code = exchange(device, &request, &reply, diag);
        if (code)
            return code;
        if (reply.length != 4 || memcmp(reply.payload + 1, request.payload, 2) || reply.payload[3] != words)
            return mismatch(device, diag);
        done += words;
    }
    return PB_OK;
}

int pb_device_read(struct pb_device *device, unsigned address, uint32_t *value, struct pb_diag *diag)
{
    return pb_device_read_many(device, address, value, 1, diag);
}

int pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag)
{
    return pb_device_write_many(device, address, &value, 1, diag);
}

int pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *bytes, size_t count, bool *taken,
                   unsigned *free_bytes, struct pb_diag *diag)
{
    struct pb_packet reply,
        request = {.opcode = PB_OPCODE_PLAY, .length = (uint8_t)(1 + count), .payload = {(uint8_t)lane}};
    if (count < 1 || count >= PB_PACKET_PAYLOAD_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%zu bytes for the slot player: 1 to %d are possible", count,
                       PB_PACKET_PAYLOAD_MAX - 1);
    memcpy(request.payload + 1, bytes, count);
    const int code = exchange(device, &request, &reply, diag);
    if (code)
        return code;
    if (reply.length != 4 || reply.payload[1] != lane)
        return mismatch(device, diag);
    *taken = reply.payload[0] == PB_STATUS_OK;
    *free_bytes = reply.payload[2] | (unsigned)reply.payload[3] << 8;
    return PB_OK;
}

static int grant(struct pb_device *device, struct pb_diag *diag)
{
    if (device->credits > CREDIT_TOP / 2)
        return PB_OK;
    const unsigned more = CREDIT_TOP - device->credits;
    struct pb_packet reply,
        request = {.opcode = PB_OPCODE_CREDIT, .length = 2, .payload = {more & 255, (uint8_t)(more >> 8)}};
    const int code = exchange(device, &request, &reply, diag);
    if (code)
        return code;
    if (reply.length != 4)
        return mismatch(device, diag);
    /* The core's own count is the truth: packets may have been lost on the way. */
    device->credits = reply.payload[1] | (unsigned)reply.payload[2] << 8;
    return PB_OK;
}

int pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                   struct pb_diag *diag)
{
    int code = grant(device, diag);
    if (code)
        return code;
    do {
        code = pump(device, device->pending.count ? 0 : timeout_ms, NULL, NULL, diag);
        if (code < 0)
            return code;
    } while (!device->pending.count && code > 0);
    const size_t count = device->pending.count;
    for (size_t i = 0; i < count; i++)
        if (pb_events_add(events, &device->pending.event[i]))
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for more than %zu events", events->count);
    device->pending.count = 0;
    return (int)count;
}

static int identify(struct pb_device *device, struct pb_diag *diag)
{
    uint32_t words[PB_REG_BUFFERS + 1];
    const int code = pb_device_read_many(device, PB_REG_ID, words, sizeof words / sizeof words[0], diag);
    if (code)
        return code;
    if (words[PB_REG_ID] != PB_ID_VALUE)
        return pb_fail(diag, PB_ERR_MAP,
                       "this is no phasebench core: ID reads 0x%08x, not 0x%08x; load a phasebench bitstream",
                       words[PB_REG_ID], PB_ID_VALUE);
    if (words[PB_REG_MAP_HASH] != PB_MAP_HASH)
        return pb_fail(diag, PB_ERR_MAP,
                       "the core has register map 0x%08x, this host 0x%08x; load the bitstream that was "
                       "built with this host",
                       words[PB_REG_MAP_HASH], PB_MAP_HASH);
    device->info = (struct pb_device_info){
        .map_hash = words[PB_REG_MAP_HASH],
        .clock_hz = words[PB_REG_CLK_HZ],
        .links = words[PB_REG_SHAPE] >> PB_SHAPE_LINKS_LSB & PB_SHAPE_LINKS_MASK,
        .lanes = words[PB_REG_SHAPE] >> PB_SHAPE_LANES_LSB & PB_SHAPE_LANES_MASK,
        .nodes = words[PB_REG_SHAPE] >> PB_SHAPE_NODES_LSB & PB_SHAPE_NODES_MASK,
        .play_bytes = words[PB_REG_BUFFERS] >> PB_BUFFERS_PLAY_BYTES_LSB & PB_BUFFERS_PLAY_BYTES_MASK,
        .event_buffer = words[PB_REG_BUFFERS] >> PB_BUFFERS_EVENTS_LSB & PB_BUFFERS_EVENTS_MASK,
    };
    const struct pb_device_info *info = &device->info;
    if (!info->clock_hz || !info->links || info->links > PB_REG_LINK_COUNT || info->lanes < 2 ||
        info->lanes > LANES_MAX || !info->nodes || info->nodes > NODES_MAX)
        return pb_fail(diag, PB_ERR_MAP,
                       "the core claims %u links, %u lanes, %u node ports at %u Hz; 1..%u, 2..%u and 1..%u "
                       "are possible; load another bitstream",
                       info->links, info->lanes, info->nodes, info->clock_hz, PB_REG_LINK_COUNT, LANES_MAX,
                       NODES_MAX);
    return PB_OK;
}

/* ABORT lets go of everything at once, but a joined pair would pull again while its other side is low. */
static int make_safe(struct pb_device *device, struct pb_diag *diag)
{
    static const uint32_t listen_only[PB_REG_LINK_COUNT];
    int code = pb_device_write(device, PB_REG_ABORT, 1, diag);
    if (!code)
        code = pb_device_write_many(device, PB_REG_LINK, listen_only, device->info.links, diag);
    return code ? code : pb_device_write(device, PB_REG_CTRL, 0, diag);
}

int pb_device_open(struct pb_device **out, struct pb_transport *transport, struct pb_diag *diag)
{
    *out = NULL;
    struct pb_device *device = calloc(1, sizeof *device);
    if (!device) {
        transport->ops->close(transport);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the host link");
    }
    device->transport = transport;
    int code = identify(device, diag);
    if (!code)
        code = make_safe(device, diag);
    if (code) {
        device->broken = true;
        pb_device_close(device);
        return code;
    }
    *out = device;
    return PB_OK;
}

void pb_device_close(struct pb_device *device)
{
    if (!device)
        return;
    if (!device->broken)
        make_safe(device, NULL);
    device->transport->ops->close(device->transport);
    pb_events_free(&device->pending);
    free(device);
}

const struct pb_device_info *pb_device_info(const struct pb_device *device)
{
    return &device->info;
}

void pb_device_counters(const struct pb_device *device, struct pb_device_counters *counters)
{
    *counters = device->counters;
}
