/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/usb/server/peer.h"
#include "bench/sim/bench.h"
#include "host/rig/rig_sim.h"
#include "rtl/proto/gen/pb_regs.h"

#include <stdlib.h>

#define PS_PER_S INT64_C(1000000000000)

enum {
    FIFO_BYTE_PS = 125000, /* asynchronous 245: 8 MB/s */
    SYNC_BYTE_PS = 25000,  /* synchronous 245: 40 MB/s, the rate of the bus */
    ECHO_BYTES = 64,
    SEQUENCES = 256,
    SOURCE_STEPS = 16,
    BLOCK = 4096,
    READ_REPLY = PB_OPCODE_READ | PB_PACKET_REPLY
};

static struct pb_sim *sim_of(const struct vusb_peer *peer)
{
    return pb_bench_sim(pb_rig_sim_bench(peer->rig));
}

/* Builds packets as full as those of the core, one with each sequence number. */
static int make_stream(struct vusb_peer *peer, struct pb_diag *diag)
{
    struct pb_packet packet = {.opcode = PB_OPCODE_EVENTS, .length = PB_PACKET_PAYLOAD_MAX / 8 * 8};
    peer->stream = malloc(SEQUENCES * PB_PACKET_WIRE_MAX);
    if (!peer->stream)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for a source of packets");
    for (unsigned sequence = 0; sequence < SEQUENCES; sequence++) {
        packet.sequence = (uint8_t)sequence;
        for (unsigned i = 0; i < packet.length; i++)
            packet.payload[i] = (uint8_t)(sequence * i);
        peer->stream_bytes += pb_packet_encode(&packet, peer->stream + peer->stream_bytes);
    }
    return PB_OK;
}

static enum pb_sim_port port_of(const struct vusb_peer *peer)
{
    if (peer->port == PEER_UART)
        return PB_SIM_UART;
    /* At its pins the asynchronous port is slower than the chip. */
    if (!(peer->pins_given ? peer->pins : peer->port == PEER_SYNC))
        return PB_SIM_STREAM;
    return peer->port == PEER_SYNC ? PB_SIM_SYNC_FIFO : PB_SIM_FIFO;
}

int peer_open(struct vusb_peer *peer, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const struct pb_rig_sim port = {.port = port_of(peer), .baud_hz = peer->baud_hz};
    const struct pb_rig_options options = {
        .url = "sim:", .stop = peer->halt, .deadline_ns = peer->deadline_ns};
    if (peer->kind == PEER_SOURCE)
        return make_stream(peer, diag);
    return peer->kind == PEER_CORE ? pb_rig_sim_open(&peer->rig, &port, &options, scenario, diag) : PB_OK;
}

void peer_close(struct vusb_peer *peer)
{
    if (peer->rig)
        peer->rig->ops->close(peer->rig);
    peer->rig = NULL;
    free(peer->stream);
    peer->stream = NULL;
}

int64_t peer_now_ps(const struct vusb_peer *peer)
{
    return peer->rig ? pb_rig_sim_time_ps(peer->rig) : peer->now_ps;
}

int64_t peer_active_ps(const struct vusb_peer *peer)
{
    return peer->rig ? pb_rig_sim_active_ps(peer->rig) : 0;
}

int peer_check(const struct vusb_peer *peer, struct pb_diag *diag)
{
    return peer->rig ? pb_rig_sim_check(peer->rig, diag) : PB_OK;
}

bool peer_wants_time(const struct vusb_peer *peer)
{
    return peer->rig && pb_sim_host_unsent(sim_of(peer));
}

/* Returns the length of a frame, start to stop bits, in half bits. */
static unsigned frame_halves(const struct ft2232h_line *line)
{
    return 2 + 2 * line->data_bits + (line->parity == FT2232H_NONE ? 0 : 2) + line->stop_halves;
}

/* Discards the bytes that a UART sends on an unconnected wire. */
static void drain_nowhere(struct vusb_peer *peer, struct ft2232h *chip, unsigned channel)
{
    struct ft2232h_line line;
    uint8_t bytes[1];
    ft2232h_line(chip, channel, &line);
    if (line.mode != FT2232H_UART || !ft2232h_waiting(chip, channel)) {
        peer->idle_ps[channel] = 0;
        return;
    }
    const int64_t byte_ps = (int64_t)(PS_PER_S / ft2232h_baud(&line)) * frame_halves(&line) / 2;
    peer->idle_ps[channel] += PEER_STEP_PS;
    while (peer->idle_ps[channel] >= byte_ps && ft2232h_take(chip, channel, bytes, 1))
        peer->idle_ps[channel] -= byte_ps;
}

/* Returns the value of a register in a core that differs from the simulated one. */
static uint32_t said_by_other_core(const struct vusb_peer *peer, unsigned address, uint32_t value)
{
    const uint32_t units = PB_SHAPE_FAULTS_MASK << PB_SHAPE_FAULTS_LSB | PB_SHAPE_FEEDBACK_MASK
                                                                             << PB_SHAPE_FEEDBACK_LSB;
    if (address == PB_REG_MAP_HASH && peer->other_map)
        return value ^ 1;
    if (address == PB_REG_SHAPE && peer->units != PEER_OWN_UNITS)
        return (value & ~units) | (peer->units == PEER_ONE_UNIT ? 1u << PB_SHAPE_FAULTS_LSB : 0);
    return value;
}

/* Emulates another core: changes the replies to READ in transit. */
static void give_other_core(struct vusb_peer *peer, struct ft2232h *chip, const uint8_t *bytes, size_t count)
{
    uint8_t wire[PB_PACKET_WIRE_MAX];
    struct pb_packet packet;
    for (size_t i = 0; i < count; i++) {
        if (!pb_packet_decode(&peer->decoder, bytes[i], &packet))
            continue;
        const unsigned first = PB_BYTES_GET(PB_REPLY_WORDS_ADDRESS, packet.payload),
                       words = PB_BYTES_GET(PB_REPLY_WORDS_WORDS, packet.payload);
        if (packet.opcode == READ_REPLY && packet.length == PB_REPLY_WORDS_BYTES + 4 * words)
            for (unsigned word = 0; word < words; word++) {
                uint8_t *at = packet.payload + PB_REPLY_WORDS_BYTES + 4 * word;
                const uint32_t value = said_by_other_core(
                    peer, first + word, at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24);
                for (unsigned k = 0; k < 4; k++)
                    at[k] = (uint8_t)(value >> 8 * k);
            }
        ft2232h_give(chip, peer->channel, wire, pb_packet_encode(&packet, wire), 0);
    }
}

static void give(struct vusb_peer *peer, struct ft2232h *chip, const uint8_t *bytes, size_t count,
                 unsigned errors)
{
    if (peer->other_map || peer->units != PEER_OWN_UNITS)
        give_other_core(peer, chip, bytes, count);
    else
        ft2232h_give(chip, peer->channel, bytes, count, errors);
}

/* Applies the chip's bit period and format, which may differ from the core's. */
static void set_line(const struct vusb_peer *peer, const struct ft2232h_line *line)
{
    struct pb_sim *sim = sim_of(peer);
    const struct pb_sim_host_line wire = {
        .bit_clocks_q16 = (int64_t)(pb_sim_clock_hz(sim) * 65536 / 8 * line->eighths / line->base_hz),
        .data_bits = line->data_bits,
        .stop_halves = line->stop_halves,
        .parity = (enum pb_sim_parity)line->parity,
        .pulled_low = line->pulled_low,
    };
    pb_sim_host_set_line(sim, &wire);
}

static unsigned line_errors(unsigned errors)
{
    return (errors & PB_SIM_ERROR_FRAMING ? FT2232H_ERROR_FRAMING : 0) |
           (errors & PB_SIM_ERROR_PARITY ? FT2232H_ERROR_PARITY : 0) |
           (errors & PB_SIM_ERROR_BREAK ? FT2232H_ERROR_BREAK : 0);
}

/* Passes as many bytes to the bench as leave in one step; the rest stays in the chip, where the host can drop
 * it. */
static void send(struct vusb_peer *peer, struct ft2232h *chip, int64_t byte_ps)
{
    uint8_t bytes[BLOCK];
    struct pb_sim *sim = sim_of(peer);
    size_t want = (size_t)(PEER_STEP_PS / byte_ps) + 1;
    const size_t unsent = pb_sim_host_unsent(sim);
    if (want > sizeof bytes)
        want = sizeof bytes;
    if (unsent < want)
        pb_sim_host_write(sim, bytes, ft2232h_take(chip, peer->channel, bytes, want - unsent));
}

static void run(struct vusb_peer *peer, size_t until_bytes)
{
    struct pb_bench *bench = pb_rig_sim_bench(peer->rig);
    pb_bench_run(bench, pb_bench_now_ps(bench) + PEER_STEP_PS, until_bytes);
}

static void step_uart(struct vusb_peer *peer, struct ft2232h *chip, const struct ft2232h_line *line)
{
    uint8_t bytes[BLOCK];
    struct pb_sim *sim = sim_of(peer);
    const bool wired = line->mode == FT2232H_UART;
    if (wired) {
        set_line(peer, line);
        send(peer, chip, (int64_t)(PS_PER_S / ft2232h_baud(line)) * frame_halves(line) / 2);
    }
    run(peer, 0);
    const size_t got = pb_sim_host_read(sim, bytes, sizeof bytes);
    const unsigned errors = line_errors(pb_sim_host_errors(sim));
    if (wired && (got || errors))
        give(peer, chip, bytes, got, errors);
}

/* A chip in a mode that does not match its board moves no byte. */
static void step_fifo(struct vusb_peer *peer, struct ft2232h *chip, const struct ft2232h_line *line)
{
    uint8_t bytes[BLOCK];
    struct pb_sim *sim = sim_of(peer);
    const bool sync = peer->port == PEER_SYNC,
               wired = line->mode == (sync ? FT2232H_SYNC_FIFO : FT2232H_FIFO);
    const int64_t byte_ps = sync ? SYNC_BYTE_PS : FIFO_BYTE_PS;
    size_t room = wired ? ft2232h_room(chip, peer->channel) : 0;
    if (room > (size_t)(PEER_STEP_PS / byte_ps))
        room = (size_t)(PEER_STEP_PS / byte_ps);
    if (wired)
        send(peer, chip, byte_ps);
    pb_sim_host_clock(sim, wired);
    const int64_t until_ps = peer_now_ps(peer) + PEER_STEP_PS;
    pb_sim_host_stall(sim, !room);
    run(peer, room);
    pb_sim_host_stall(sim, true); /* the chip is full, or its share of this step is used up */
    if (peer_now_ps(peer) < until_ps)
        pb_bench_run(pb_rig_sim_bench(peer->rig), until_ps, 0);
    const size_t got = pb_sim_host_read(sim, bytes, room < sizeof bytes ? room : sizeof bytes);
    if (got)
        give(peer, chip, bytes, got, 0);
    /* Bytes still without room in the chip were sent before SIWU#. */
    if (!pb_sim_host_pending(sim) && pb_sim_host_send_immediate(sim))
        ft2232h_send_immediate(chip, peer->channel);
}

static void step_source(struct vusb_peer *peer, struct ft2232h *chip, const struct ft2232h_line *line)
{
    size_t room = ft2232h_room(chip, peer->channel);
    const size_t most =
        (size_t)(PEER_STEP_PS / (line->mode == FT2232H_SYNC_FIFO ? SYNC_BYTE_PS : FIFO_BYTE_PS));
    if (line->mode != FT2232H_FIFO && line->mode != FT2232H_SYNC_FIFO)
        return;
    for (room = room < most ? room : most; room;) {
        const size_t left = peer->stream_bytes - peer->stream_at, count = left < room ? left : room;
        ft2232h_give(chip, peer->channel, peer->stream + peer->stream_at, count, 0);
        peer->stream_at = (peer->stream_at + count) % peer->stream_bytes;
        room -= count;
    }
}

static void step_foreign(struct vusb_peer *peer, struct ft2232h *chip, const struct ft2232h_line *line)
{
    uint8_t bytes[ECHO_BYTES];
    /* A source takes several steps at once; otherwise the server would mostly poll its sockets. */
    for (unsigned step = 0; step < (peer->kind == PEER_SOURCE ? SOURCE_STEPS : 1); step++) {
        peer->now_ps += PEER_STEP_PS;
        if (peer->kind == PEER_SOURCE)
            step_source(peer, chip, line);
    }
    if (peer->kind != PEER_ECHO ||
        (line->mode != FT2232H_UART && line->mode != FT2232H_FIFO && line->mode != FT2232H_SYNC_FIFO)) {
        drain_nowhere(peer, chip, peer->channel);
        return;
    }
    const size_t room = ft2232h_room(chip, peer->channel);
    const size_t got = ft2232h_take(chip, peer->channel, bytes, room < sizeof bytes ? room : sizeof bytes);
    if (got)
        ft2232h_give(chip, peer->channel, bytes, got, 0);
}

void peer_step(struct vusb_peer *peer, struct ft2232h *chip)
{
    struct ft2232h_line line;
    ft2232h_line(chip, peer->channel, &line);
    if (!peer->rig)
        step_foreign(peer, chip, &line);
    else if (peer->port == PEER_UART)
        step_uart(peer, chip, &line);
    else
        step_fifo(peer, chip, &line);
    drain_nowhere(peer, chip, !peer->channel);
    ft2232h_advance(chip, peer_now_ps(peer));
}

void peer_idle(struct vusb_peer *peer)
{
    uint8_t bytes[BLOCK];
    if (!peer->rig) {
        peer->now_ps += PEER_STEP_PS;
        return;
    }
    run(peer, 0);
    pb_sim_host_read(sim_of(peer), bytes, sizeof bytes);
    pb_sim_host_errors(sim_of(peer));
}
