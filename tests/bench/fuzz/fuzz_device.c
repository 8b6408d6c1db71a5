/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host link over a transport whose other side answers what the input says: nothing, noise, the right
 * answer, the right answer with bytes changed (its check made right again), events. Calls end, with a value
 * or a diagnostic, for any input; a value read is one that an answer to this very command carried.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/device.h"
#include "rtl/proto/packet.h"

#include <string.h>

enum { REGISTER_STEP = 0x01010101 };

struct peer {
    struct pb_transport base;
    struct input input;
    struct pb_packet_decoder decoder;
    struct pb_packet request;
    bool asked;
    uint8_t next_packet;
    bool closed;
};

/* The value of a register, so that a value from another address shows. */
static uint32_t value_of(unsigned address)
{
    static const uint32_t identity[] = {PB_ID_VALUE, PB_MAP_HASH};
    if (address < 2)
        return identity[address];
    if (address == PB_REG_CLK_HZ)
        return 48000000;
    if (address == PB_REG_SHAPE)
        return 1u << PB_SHAPE_NODES_LSB | 3u << PB_SHAPE_LANES_LSB | 12u << PB_SHAPE_LINKS_LSB;
    return address * REGISTER_STEP;
}

static void answer(const struct pb_packet *request, struct pb_packet *reply)
{
    const uint8_t *p = request->payload;
    *reply = (struct pb_packet){
        .opcode = request->opcode | PB_PACKET_REPLY, .sequence = request->sequence, .length = 4};
    switch (request->opcode) {
    case PB_OPCODE_READ:
        memcpy(reply->payload + 1, p, 3);
        reply->length = (uint8_t)(4 + 4 * p[2]);
        for (unsigned i = 0; i < p[2]; i++)
            for (unsigned byte = 0; byte < 4; byte++)
                reply->payload[4 + 4 * i + byte] = (uint8_t)(value_of((p[0] | p[1] << 8) + i) >> (8 * byte));
        break;
    case PB_OPCODE_WRITE:
        memcpy(reply->payload + 1, p, 2);
        reply->payload[3] = (uint8_t)((request->length - 3) / 4);
        break;
    case PB_OPCODE_PLAY:
        reply->payload[1] = p[0];
        break;
    default:
        memcpy(reply->payload + 1, p, 2);
    }
}

static int write_bytes(struct pb_transport *transport, const uint8_t *bytes, size_t count,
                       struct pb_diag *diag)
{
    struct peer *peer = (struct peer *)transport;
    MUST(!peer->closed && count <= PB_PACKET_WIRE_MAX);
    bool whole = false;
    for (size_t i = 0; i < count; i++)
        whole |= pb_packet_decode(&peer->decoder, bytes[i], &peer->request);
    MUST(whole);
    peer->asked = true;
    return peer->input.left % 97 == 96 ? pb_fail(diag, PB_ERR_LINK, "unplugged") : PB_OK;
}

static int send(const struct pb_packet *packet, uint8_t *bytes, size_t capacity)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    const size_t count = pb_packet_encode(packet, wire);
    MUST(count <= capacity);
    memcpy(bytes, wire, count);
    return (int)count;
}

static int read_bytes(struct pb_transport *transport, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                      struct pb_diag *diag)
{
    struct peer *peer = (struct peer *)transport;
    struct input *input = &peer->input;
    struct pb_packet packet = {0};
    size_t count;
    (void)timeout_ms;
    MUST(!peer->closed);
    const unsigned what = input->left ? take(input) : 1;
    switch (what % 8) {
    case 0: /* silence */
        return 0;
    case 2: { /* noise */
        const uint8_t *noise = take_bytes(input, take(input), &count);
        memcpy(bytes, noise, count);
        return (int)count;
    }
    case 3: /* the answer, with something changed */
        answer(&peer->request, &packet);
        for (unsigned changes = what / 8 % 4 + 1; changes--;) {
            const unsigned at = take(input), to = take(input);
            if (at < PB_PACKET_PAYLOAD_MAX)
                packet.payload[at] = (uint8_t)to;
            else if (at == 0xfb)
                packet.length = to < PB_PACKET_PAYLOAD_MAX ? (uint8_t)to : PB_PACKET_PAYLOAD_MAX;
            else if (at == 0xfc)
                packet.opcode = (uint8_t)to;
            else if (at == 0xfd)
                packet.sequence = (uint8_t)to;
        }
        return send(&packet, bytes, capacity);
    case 4: { /* events */
        packet.opcode = PB_OPCODE_EVENTS;
        packet.sequence = what & 0x80 ? take(input) : peer->next_packet++;
        const uint8_t *payload =
            take_bytes(input, what & 0x40 ? take(input) % PB_PACKET_PAYLOAD_MAX : 12, &count);
        packet.length = (uint8_t)count;
        memcpy(packet.payload, payload, count);
        return send(&packet, bytes, capacity);
    }
    case 5:
        return what / 8 == 7 ? pb_fail(diag, PB_ERR_LINK, "unplugged") : 0;
    default:
        if (!peer->asked)
            return 0;
        peer->asked = false;
        answer(&peer->request, &packet);
        return send(&packet, bytes, capacity);
    }
}

static void close_peer(struct pb_transport *transport)
{
    struct peer *peer = (struct peer *)transport;
    MUST(!peer->closed);
    peer->closed = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pb_transport_ops ops = {write_bytes, read_bytes, close_peer};
    struct peer peer = {.base = {&ops}, .input = {data, size}};
    struct pb_device *device;
    struct pb_events events = {0};
    struct pb_diag diag = {""};
    uint32_t value[100] = {0};
    uint8_t bytes[249] = {0};
    bool taken;
    unsigned free_bytes;

    int code = pb_device_open(&device, &peer.base, &diag);
    MUST((code == PB_OK) == (device != NULL) && (device || peer.closed));
    for (unsigned i = 0; device && i < 12 && peer.input.left; i++) {
        const unsigned what = take(&peer.input), argument = take(&peer.input);
        *diag.text = 0;
        switch (what % 4) {
        case 0:
            code = pb_device_read_many(device, argument, value, 1 + what / 4, &diag);
            break;
        case 1:
            code = pb_device_write_many(device, argument, value, 1 + what / 4, &diag);
            break;
        case 2:
            code = pb_device_play(device, argument % 3, bytes, what / 4 + 1, &taken, &free_bytes, &diag);
            break;
        default:
            code = pb_device_poll(device, 2, &events, &diag);
        }
        MUST(code >= 0 || *diag.text);
    }
    struct pb_device_counters counters;
    if (device) {
        pb_device_counters(device, &counters);
        MUST(counters.event_packets * 30 >= events.count);
    }
    pb_device_close(device);
    MUST(peer.closed);
    pb_events_free(&events);
    return 0;
}
