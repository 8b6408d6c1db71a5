/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/device.h"
#include "rtl/proto/packet.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* A corrupted command does not feed the core's watchdog: an early repetition costs a few bytes, a late
     * repetition the run. */
    ATTEMPT_MS = 4,
    ATTEMPTS = 125,
    SLICE_MS = 2, /* longest single read during a wait for events */
    /* Of such reads, each counted in full; a read may take 1 ms longer. */
    KEEP_ALIVE_MS = PB_DEVICE_READS_ALIVE * SLICE_MS,
    QUIET_READS = 3,    /* of 1 ms; the core delays an event by at most 4096 ticks */
    SETTLE_READS = 20000,
    CREDIT_TOP = 4096, /* event packets granted at once; renewed when half are used */
    NODES_MAX = 16
};

struct pb_device {
    struct pb_transport *transport;
    struct pb_packet_decoder decoder;
    struct pb_event_unpacker unpacker;
    struct pb_device_info info;
    struct pb_events pending; /* events received during a wait for a reply */
    bool counting;            /* false: events are of an earlier session and discarded */
    uint64_t next_event_sequence;
    uint64_t overflowed;  /* events lost so far by the overflow events */
    uint32_t lost_before; /* EVENTS_LOST at the start of this session */
    uint8_t sequence;     /* of the last command */
    uint8_t next_event_packet;
    bool event_packet_seen;
    unsigned credits;       /* left in the core, as far as known */
    unsigned waited_ms;     /* in reads since the last read of STATUS */
    uint64_t packets_alive; /* event packets until then */
    int broken;              /* the code of the error that broke the link; 0: none */
    struct pb_diag broken_by; /* its text */
    struct pb_device_counters counters;
};

static uint32_t get32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t get64(const uint8_t *bytes)
{
    return get32(bytes) | (uint64_t)get32(bytes + 4) << 32;
}

/* Lost events by an OVERFLOW event; 0: other event. */
static uint32_t lost_before(uint64_t word)
{
    return PB_GET(PB_EVENT_KIND, word) == PB_EVENT_OVERFLOW ? (uint32_t)PB_GET(PB_EVENT_OVERFLOW_COUNT, word)
                                                            : 0;
}

static int take_events(struct pb_device *device, const struct pb_packet *packet, struct pb_diag *diag)
{
    struct pb_device_counters *counters = &device->counters;
    if (!device->counting)
        return PB_OK;
    if (packet->length < PB_PACKET_EVENTS_BYTES + PB_EVENT_BYTES ||
        (packet->length - PB_PACKET_EVENTS_BYTES) % PB_EVENT_BYTES) {
        counters->packets_stray++;
        return PB_OK;
    }
    /* The packet names its first event modulo 2^32; the difference to the expected number extends it. It
     * includes the lost events of an overflow event at the start of the packet. */
    const uint32_t ahead =
        PB_BYTES_GET(PB_PACKET_EVENTS_SEQUENCE, packet->payload) - (uint32_t)device->next_event_sequence;
    const uint64_t first = get64(packet->payload + PB_PACKET_EVENTS_BYTES);
    const uint32_t reported = lost_before(first);
    if (ahead >> 31 || reported > ahead) { /* duplicate, or invalid */
        counters->packets_stray++;
        return PB_OK;
    }
    const uint8_t missing = (uint8_t)(packet->sequence - device->next_event_packet);
    const unsigned used = device->event_packet_seen ? 1 + missing : 1;
    counters->event_packets_missing += used - 1;
    counters->events_missing += ahead - reported;
    device->overflowed += reported;
    device->event_packet_seen = true;
    device->next_event_packet = (uint8_t)(packet->sequence + 1);
    counters->event_packets++;
    device->credits -= device->credits < used ? device->credits : used;

    uint64_t sequence = device->next_event_sequence + ahead;
    for (unsigned at = PB_PACKET_EVENTS_BYTES; at < packet->length; at += PB_EVENT_BYTES) {
        struct pb_event event;
        const uint64_t word = get64(packet->payload + at);
        if (at > PB_PACKET_EVENTS_BYTES) {
            sequence += lost_before(word);
            device->overflowed += lost_before(word);
        }
        pb_event_unpack(&device->unpacker, word, sequence++, &event);
        if (pb_events_add(&device->pending, &event))
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for more than %zu events", device->pending.count);
        counters->events++;
    }
    counters->events_lost = device->overflowed;
    device->next_event_sequence = sequence;
    return PB_OK;
}

/* Every later command fails alike, as it would hide the cause behind one of its own. diag: NULL only while
 * the link is closed. */
static int break_off(struct pb_device *device, int code, const struct pb_diag *diag)
{
    if (!device->broken && diag)
        device->broken_by = *diag;
    device->broken = device->broken ? device->broken : code;
    return code;
}

/* Reads once and handles every packet. On a reply fills *reply and sets *got. */
static int pump(struct pb_device *device, unsigned timeout_ms, struct pb_packet *reply, bool *got,
                struct pb_diag *diag)
{
    uint8_t bytes[4096];
    const int count = device->transport->ops->read(device->transport, bytes, sizeof bytes, timeout_ms, diag);
    if (count < 0)
        return break_off(device, count, diag);
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

/* Every reply begins with it. */
static unsigned status_of(const struct pb_packet *reply)
{
    return PB_BYTES_GET(PB_REPLY_WORDS_STATUS, reply->payload);
}

/* One command, one accepted reply. reply->payload starts with the status. */
static int exchange(struct pb_device *device, struct pb_packet *request, struct pb_packet *reply,
                    struct pb_diag *diag)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    request->sequence = ++device->sequence;
    const size_t length = pb_packet_encode(request, wire);

    if (device->broken)
        return pb_fail(diag, device->broken, "%s", device->broken_by.text);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int code = device->transport->ops->write(device->transport, wire, length, diag);
        if (code)
            return break_off(device, code, diag);
        device->counters.bytes_out += length;
        device->counters.retries += attempt > 0;
        bool got = false;
        for (unsigned reads = 0; !got && reads < ATTEMPT_MS; reads++) {
            code = pump(device, 1, reply, &got, diag);
            if (code < 0)
                return code;
        }
        if (!got)
            continue;
        if (reply->opcode != (request->opcode | PB_PACKET_REPLY) || reply->length < PB_REPLY_WORDS_BYTES) {
            device->counters.packets_stray++;
            continue;
        }
        const unsigned status = status_of(reply);
        if (status == PB_STATUS_OK || (status == PB_STATUS_BUSY && request->opcode == PB_OPCODE_PLAY))
            return PB_OK;
        return pb_fail(diag, PB_ERR_LINK, "the core refused opcode 0x%02x with status %u", request->opcode,
                       status);
    }
    const int code = pb_fail(
        diag, PB_ERR_LINK,
        "no answer from the core in %d ms, though the command was sent %d times; check cable and baud, "
        "and that a phasebench bitstream is loaded",
        ATTEMPTS * ATTEMPT_MS, ATTEMPTS);
    return break_off(device, code, diag);
}

static int mismatch(struct pb_device *device, struct pb_diag *diag)
{
    device->counters.packets_stray++;
    return pb_fail(diag, PB_ERR_LINK, "the core's reply does not fit the command; open the rig again");
}

static bool is_about(const struct pb_packet *reply, unsigned address, size_t words)
{
    return PB_BYTES_GET(PB_REPLY_WORDS_ADDRESS, reply->payload) == (address & PB_REPLY_WORDS_ADDRESS_MASK) &&
           PB_BYTES_GET(PB_REPLY_WORDS_WORDS, reply->payload) == words;
}

int pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *values, size_t count,
                        struct pb_diag *diag)
{
    for (size_t done = 0; done < count;) {
        const size_t words = count - done < PB_PACKET_WORDS_MAX ? count - done : PB_PACKET_WORDS_MAX;
        const unsigned from = address + (unsigned)done;
        struct pb_packet reply, request = {.opcode = PB_OPCODE_READ, .length = PB_PACKET_READ_BYTES};
        PB_BYTES_PUT(PB_PACKET_READ_ADDRESS, request.payload, from);
        PB_BYTES_PUT(PB_PACKET_READ_WORDS, request.payload, (uint32_t)words);
        const int code = exchange(device, &request, &reply, diag);
        if (code)
            return code;
        if (reply.length != PB_REPLY_WORDS_BYTES + 4 * words || !is_about(&reply, from, words))
            return mismatch(device, diag);
        for (size_t i = 0; i < words; i++)
            values[done + i] = get32(reply.payload + PB_REPLY_WORDS_BYTES + 4 * i);
        done += words;
    }
    return PB_OK;
}

int pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *values, size_t count,
                         struct pb_diag *diag)
{
    for (size_t done = 0; done < count;) {
        const size_t words = count - done < PB_PACKET_WORDS_MAX ? count - done : PB_PACKET_WORDS_MAX;
        const unsigned to = address + (unsigned)done;
        struct pb_packet reply, request = {.opcode = PB_OPCODE_WRITE,
                                           .length = (uint8_t)(PB_PACKET_WRITE_BYTES + 4 * words)};
        PB_BYTES_PUT(PB_PACKET_WRITE_ADDRESS, request.payload, to);
        for (size_t i = 0; i < 4 * words; i++)
            request.payload[PB_PACKET_WRITE_BYTES + i] = (uint8_t)(values[done + i / 4] >> (8 * (i % 4)));
        const int code = exchange(device, &request, &reply, diag);
        if (code)
            return code;
        if (reply.length != PB_REPLY_WORDS_BYTES || !is_about(&reply, to, words))
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

/* `target` is a lane, or PB_PACKET_TARGET_FAULT + a fault unit. */
static int append(struct pb_device *device, unsigned target, const uint8_t *bytes, size_t count, bool *taken,
                  unsigned *free_bytes, struct pb_diag *diag)
{
    const size_t most = PB_PACKET_PAYLOAD_MAX - PB_PACKET_PLAY_BYTES;
    struct pb_packet reply,
        request = {.opcode = PB_OPCODE_PLAY, .length = (uint8_t)(PB_PACKET_PLAY_BYTES + count)};
    if (count < 1 || count > most)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%zu bytes for the %s: 1 to %zu are possible", count,
                       target < PB_PACKET_TARGET_FAULT ? "slot player" : "fault unit", most);
    PB_BYTES_PUT(PB_PACKET_PLAY_TARGET, request.payload, target);
    memcpy(request.payload + PB_PACKET_PLAY_BYTES, bytes, count);
    const int code = exchange(device, &request, &reply, diag);
    if (code)
        return code;
    if (reply.length != PB_REPLY_PLAY_BYTES || PB_BYTES_GET(PB_REPLY_PLAY_TARGET, reply.payload) != target)
        return mismatch(device, diag);
    *taken = status_of(&reply) == PB_STATUS_OK;
    *free_bytes = PB_BYTES_GET(PB_REPLY_PLAY_FREE, reply.payload);
    return PB_OK;
}

int pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *bytes, size_t count, bool *taken,
                   unsigned *free_bytes, struct pb_diag *diag)
{
    if (lane >= PB_PACKET_TARGET_FAULT)
        return pb_fail(diag, PB_ERR_ARGUMENT, "lane %u: this core has lanes 0 to %u", lane,
                       device->info.lanes - 1);
    return append(device, lane, bytes, count, taken, free_bytes, diag);
}

int pb_device_fault(struct pb_device *device, unsigned unit, const uint8_t *bytes, size_t count, bool *taken,
                    unsigned *free_bytes, struct pb_diag *diag)
{
    if (unit >= device->info.faults)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "fault unit %u: this core has %u, numbered from 0; load a bitstream with more", unit,
                       device->info.faults);
    return append(device, PB_PACKET_TARGET_FAULT | unit, bytes, count, taken, free_bytes, diag);
}

/* Grants further event packets and reads back the core's count of credits, as packets may have been lost in
 * the host link. */
static int credit(struct pb_device *device, unsigned more, struct pb_diag *diag)
{
    struct pb_packet reply, request = {.opcode = PB_OPCODE_CREDIT, .length = PB_PACKET_CREDIT_BYTES};
    PB_BYTES_PUT(PB_PACKET_CREDIT_PACKETS, request.payload, more);
    const int code = exchange(device, &request, &reply, diag);
    if (code)
        return code;
    if (reply.length != PB_REPLY_CREDIT_BYTES)
        return mismatch(device, diag);
    device->credits = PB_BYTES_GET(PB_REPLY_CREDIT_PACKETS, reply.payload);
    return PB_OK;
}

static int grant(struct pb_device *device, struct pb_diag *diag)
{
    return device->credits > CREDIT_TOP / 2 ? PB_OK : credit(device, CREDIT_TOP - device->credits, diag);
}

int pb_device_status(struct pb_device *device, uint32_t *status, struct pb_diag *diag)
{
    uint32_t limit_ms = 0;
    int code = pb_device_read(device, PB_REG_STATUS, status, diag);
    device->waited_ms = 0;
    if (code || !(*status >> PB_STATUS_TRIPPED_LSB & PB_STATUS_TRIPPED_MASK))
        return code;
    code = pb_device_read(device, PB_REG_WATCHDOG, &limit_ms, diag);
    return code
               ? code
               : pb_fail(
                     diag, PB_ERR_LINK,
                     "the core's watchdog has stopped the clock and released all lines: it heard nothing "
                     "from "
                     "this host for its limit of %u ms; do not suspend the host, or raise the limit, and run "
                     "again",
                     limit_ms);
}

/* After an outage the core may have used credits unknown to the host and be silent: read its count. */
static int keep_alive(struct pb_device *device, struct pb_diag *diag)
{
    uint32_t status;
    const bool silent = device->packets_alive == device->counters.event_packets;
    int code = pb_device_status(device, &status, diag);
    if (!code && silent)
        code = credit(device, 0, diag);
    if (!code)
        code = grant(device, diag);
    device->packets_alive = device->counters.event_packets;
    return code;
}

/* One counted read. Returns the number of bytes, or a negative code. */
static int listen_for(struct pb_device *device, unsigned ms, struct pb_diag *diag)
{
    const int count = pump(device, ms, NULL, NULL, diag);
    device->waited_ms += ms;
    if (count < 0 || device->waited_ms < KEEP_ALIVE_MS)
        return count;
    const int code = keep_alive(device, diag);
    return code ? code : count;
}

static int hand_over(struct pb_device *device, struct pb_events *events, struct pb_diag *diag)
{
    const size_t count = device->pending.count;
    for (size_t i = 0; i < count; i++)
        if (pb_events_add(events, &device->pending.event[i]))
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for more than %zu events", events->count);
    device->pending.count = 0;
    return (int)count;
}

int pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                   struct pb_diag *diag)
{
    int code = grant(device, diag);
    unsigned left_ms = device->pending.count ? 0 : timeout_ms;
    while (code >= 0) {
        const unsigned slice_ms = left_ms < SLICE_MS ? left_ms : SLICE_MS;
        code = listen_for(device, slice_ms, diag);
        left_ms -= slice_ms;
        if (code >= 0 && (device->pending.count || !left_ms))
            return hand_over(device, events, diag);
    }
    return code;
}

static bool has_event_after(const struct pb_events *events, uint64_t tick)
{
    return events->count && events->event[events->count - 1].tick > tick;
}

/* Waits until the core has sent all events, or one that is younger than `tick`. */
static int drain(struct pb_device *device, uint64_t tick, struct pb_diag *diag)
{
    unsigned quiet = 0;
    int code = credit(device, 0, diag);
    for (unsigned reads = 0; !code && quiet < QUIET_READS && !has_event_after(&device->pending, tick);
         reads++) {
        if (reads == SETTLE_READS)
            return pb_fail(diag, PB_ERR_LINK,
                           "the core goes on sending old events after %d ms; open the rig again",
                           SETTLE_READS);
        code = grant(device, diag);
        if (code)
            break;
        code = listen_for(device, 1, diag);
        quiet = code ? 0 : quiet + 1;
        code = code < 0 ? code : PB_OK;
    }
    return code;
}

/* The core's counts at one place in the stream of its packets. */
struct totals {
    uint32_t lost, sent;
};

static int read_totals(struct pb_device *device, struct totals *totals, struct pb_diag *diag)
{
    uint32_t words[PB_REG_EVENTS_SENT - PB_REG_EVENTS_LOST + 1];
    const int code =
        pb_device_read_many(device, PB_REG_EVENTS_LOST, words, sizeof words / sizeof words[0], diag);
    *totals = (struct totals){words[0], words[PB_REG_EVENTS_SENT - PB_REG_EVENTS_LOST]};
    return code;
}

int pb_device_settle(struct pb_device *device, struct pb_events *events, struct pb_diag *diag)
{
    const int code = drain(device, UINT64_MAX, diag);
    return code ? code : pb_device_tally(device, events, diag);
}

int pb_device_catch_up(struct pb_device *device, uint64_t tick, struct pb_events *events,
                       struct pb_diag *diag)
{
    int code = drain(device, tick, diag);
    if (!code)
        code = hand_over(device, events, diag);
    return code < 0 ? code : PB_OK;
}

int pb_device_tally(struct pb_device *device, struct pb_events *events, struct pb_diag *diag)
{
    struct pb_device_counters *counters = &device->counters;
    struct totals totals = {0, 0};
    int code = read_totals(device, &totals, diag);
    if (code)
        return code;
    const uint32_t tail = totals.sent - (uint32_t)device->next_event_sequence;
    /* Until now, losses in the core with a lost report counted as missing. */
    const uint32_t unreported = totals.lost - device->lost_before - (uint32_t)device->overflowed;
    if (tail >> 31 || unreported >> 31)
        return pb_fail(
            diag, PB_ERR_LINK,
            "events up to number %u came with %u reported as lost, the core has sent %u and lost %u; the "
            "link corrupts data, open the rig again",
            (unsigned)device->next_event_sequence, (unsigned)device->overflowed, (unsigned)totals.sent,
            (unsigned)(totals.lost - device->lost_before));
    counters->events_missing += tail;
    device->next_event_sequence += tail;
    device->overflowed += unreported;
    counters->events_lost = device->overflowed;
    counters->events_missing -= counters->events_missing < unreported ? counters->events_missing : unreported;
    code = hand_over(device, events, diag);
    return code < 0 ? code : PB_OK;
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
        .faults = words[PB_REG_SHAPE] >> PB_SHAPE_FAULTS_LSB & PB_SHAPE_FAULTS_MASK,
        .fault_feedback = words[PB_REG_SHAPE] >> PB_SHAPE_FEEDBACK_LSB & PB_SHAPE_FEEDBACK_MASK,
        .play_bytes = words[PB_REG_BUFFERS] >> PB_BUFFERS_PLAY_BYTES_LSB & PB_BUFFERS_PLAY_BYTES_MASK,
        .half_ticks = words[PB_REG_SHAPE] >> PB_SHAPE_HALF_TICKS_LSB & PB_SHAPE_HALF_TICKS_MASK,
        .event_buffer = words[PB_REG_BUFFERS] >> PB_BUFFERS_EVENTS_LSB & PB_BUFFERS_EVENTS_MASK,
    };
    const struct pb_device_info *info = &device->info;
    if (!info->clock_hz || !info->links || info->links > PB_REG_LINK_COUNT || info->lanes < 2 ||
        info->lanes > PB_DEVICE_LANES_MAX || !info->nodes || info->nodes > NODES_MAX)
        return pb_fail(diag, PB_ERR_MAP,
                       "the core claims %u links, %u lanes, %u node ports at %u Hz; 1..%u, 2..%u and 1..%u "
                       "are possible; load another bitstream",
                       info->links, info->lanes, info->nodes, info->clock_hz, PB_REG_LINK_COUNT,
                       PB_DEVICE_LANES_MAX, NODES_MAX);
    return PB_OK;
}

static int make_safe(struct pb_device *device, struct pb_diag *diag)
{
    const int code = pb_device_write(device, PB_REG_ABORT, 1, diag);
    return code ? code : pb_device_write(device, PB_REG_CTRL, 0, diag);
}

/* Starts counting events. A core that was in use may still hold events, and credits to send them. */
static int begin_counting(struct pb_device *device, struct pb_diag *diag)
{
    struct totals totals = {0, 0};
    int code = credit(device, 0, diag);
    if (!code)
        code = read_totals(device, &totals, diag);
    if (!code && (device->credits || totals.lost || totals.sent)) {
        code = drain(device, UINT64_MAX, diag);
        if (!code)
            code = read_totals(device, &totals, diag);
    }
    device->next_event_sequence = totals.sent;
    device->lost_before = totals.lost;
    device->counting = true;
    return code;
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
    if (!code)
        code = begin_counting(device, diag);
    if (code) {
        break_off(device, code, diag);
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
