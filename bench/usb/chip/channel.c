/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One channel: two FIFOs, transfers waiting at each, packets with two status bytes, latency timer.
 */
#include "bench/usb/chip/chip.h"

#include <errno.h>
#include <string.h>

#define PS_PER_MS INT64_C(1000000000)

enum {
    LATENCY_DEFAULT_MS = 16,
    MODEM_HIGH_SPEED = 0x02, /* low half of the first status byte on a 480 Mbit/s bus */
    LINE_EMPTY = 0x60,       /* holding and shift register of the transmitter are empty */
    LINE_FIFO_ERROR = 0x80,
    DIVISOR_9600 = 0x04e2,
    INDEX_9600 = 0x0200,
    FORMAT_8N1 = 0x0008
};

static void put(struct fifo *fifo, uint8_t byte)
{
    fifo->byte[(fifo->head + fifo->count++) % FT2232H_FIFO_BYTES] = byte;
}

static uint8_t get(struct fifo *fifo)
{
    const uint8_t byte = fifo->byte[fifo->head];
    fifo->head = (fifo->head + 1) % FT2232H_FIFO_BYTES;
    fifo->count--;
    return byte;
}

void channel_drop(struct fifo *fifo)
{
    fifo->head = fifo->count = 0;
}

void channel_power_up(struct channel *channel, bool fifo_type, int64_t now_ps)
{
    const struct ft2232h_counters counters = channel->counters;
    *channel = (struct channel){
        .fifo_type = fifo_type,
        .divisor = DIVISOR_9600,
        .divisor_index = INDEX_9600,
        .format = FORMAT_8N1,
        .latency_ms = LATENCY_DEFAULT_MS,
        .due_ps = now_ps + LATENCY_DEFAULT_MS * PS_PER_MS,
        .counters = counters,
    };
}

enum ft2232h_mode channel_mode(const struct ft2232h *chip, unsigned channel)
{
    const struct channel *own = &chip->channel[channel], *a = &chip->channel[0];
    if (channel == 1 && a->fifo_type && a->mode == MODE_SYNC_FIFO)
        return FT2232H_TAKEN;
    if (own->mode == MODE_SYNC_FIFO && own->fifo_type && channel == 0)
        return FT2232H_SYNC_FIFO;
    if (own->mode != MODE_RESET && own->mode != MODE_SYNC_FIFO)
        return FT2232H_BITS;
    return own->fifo_type ? FT2232H_FIFO : FT2232H_UART;
}

void channel_status(const struct channel *channel, uint8_t status[2])
{
    status[0] = MODEM_HIGH_SPEED; /* CTS, DSR, RI and RLSD are wired on no board and read as inactive */
    status[1] = (uint8_t)(channel->errors | (channel->out.count ? 0 : LINE_EMPTY) |
                          (channel->errors & ~FT2232H_ERROR_OVERRUN ? LINE_FIFO_ERROR : 0));
}

static void append(struct queue *queue, struct ft2232h_transfer *transfer)
{
    transfer->next = NULL;
    if (queue->last)
        queue->last->next = transfer;
    else
        queue->first = transfer;
    queue->last = transfer;
}

static void end_first(struct queue *queue, int status)
{
    struct ft2232h_transfer *transfer = queue->first;
    queue->first = transfer->next;
    if (!queue->first)
        queue->last = NULL;
    transfer->next = NULL;
    transfer->status = status;
    transfer->done(transfer);
}

void channel_end(struct channel *channel, unsigned direction, int status)
{
    struct queue pending = channel->queue[direction];
    channel->queue[direction] = (struct queue){0};
    while (pending.first)
        end_first(&pending, status);
}

void channel_halt(struct ft2232h *chip, unsigned channel, unsigned direction, bool halted)
{
    chip->channel[channel].halted[direction] = halted;
    if (halted)
        channel_end(&chip->channel[channel], direction, -EPIPE);
    else
        channel_serve(chip, channel);
}

/* Moves one packet into the first transfer. True: the transfer ended. */
static bool send_packet(struct ft2232h *chip, struct channel *channel, unsigned payload)
{
    struct ft2232h_transfer *transfer = channel->queue[TO_HOST].first;
    uint8_t status[2];
    channel_status(channel, status);
    channel->errors = 0;
    channel->due_ps = chip->now_ps + channel->latency_ms * PS_PER_MS;
    channel->counters.packets++;
    unsigned put_in = 0;
    for (unsigned i = 0; i < payload + 2; i++) {
        const uint8_t byte = i < 2 ? status[i] : get(&channel->in);
        if (transfer->actual < transfer->length) {
            transfer->data[transfer->actual++] = byte;
            put_in++;
        }
    }
    channel->counters.bytes_in += payload;
    if (put_in < payload + 2)
        end_first(&channel->queue[TO_HOST], -EOVERFLOW);
    else if (payload < FT2232H_PAYLOAD_BYTES || transfer->actual == transfer->length)
        end_first(&channel->queue[TO_HOST], 0);
    else
        return false;
    return true;
}

static void serve_in(struct ft2232h *chip, struct channel *channel)
{
    const unsigned most = chip->packet_limit && chip->packet_limit < FT2232H_PAYLOAD_BYTES
                              ? chip->packet_limit
                              : (unsigned)FT2232H_PAYLOAD_BYTES;
    while (channel->queue[TO_HOST].first && !channel->halted[TO_HOST]) {
        if (!channel->queue[TO_HOST].first->length) {
            end_first(&channel->queue[TO_HOST], 0);
            continue;
        }
        const bool full = channel->in.count >= most;
        if (!full && !channel->flush && chip->now_ps < channel->due_ps)
            return;
        const unsigned payload = full ? most : channel->in.count;
        send_packet(chip, channel, payload);
        if (!channel->in.count)
            channel->flush = false;
    }
}

static void serve_out(struct ft2232h *chip, unsigned index)
{
    struct channel *channel = &chip->channel[index];
    const enum ft2232h_mode mode = channel_mode(chip, index);
    const bool swallow = mode == FT2232H_BITS || mode == FT2232H_TAKEN;
    struct ft2232h_transfer *transfer;
    while ((transfer = channel->queue[FROM_HOST].first) && !channel->halted[FROM_HOST]) {
        while (transfer->actual < transfer->length && channel->out.count < FT2232H_FIFO_BYTES) {
            const uint8_t byte = transfer->data[transfer->actual++];
            channel->counters.bytes_out++;
            if (swallow)
                channel->pins = (uint8_t)((channel->pins & ~channel->mask) | (byte & channel->mask));
            else
                put(&channel->out, byte);
        }
        if (transfer->actual < transfer->length)
            return;
        end_first(&channel->queue[FROM_HOST], 0);
    }
}

void channel_serve(struct ft2232h *chip, unsigned channel)
{
    serve_out(chip, channel);
    serve_in(chip, &chip->channel[channel]);
}

int ft2232h_submit(struct ft2232h *chip, struct ft2232h_transfer *transfer)
{
    unsigned channel, direction;
    if (!chip_endpoint(transfer->endpoint, &channel, &direction))
        return -ENOENT;
    transfer->actual = 0;
    append(&chip->channel[channel].queue[direction], transfer);
    if (chip->channel[channel].halted[direction])
        channel_end(&chip->channel[channel], direction, -EPIPE);
    else
        channel_serve(chip, channel);
    return 0;
}

bool ft2232h_cancel(struct ft2232h *chip, struct ft2232h_transfer *transfer)
{
    unsigned channel, direction;
    if (!chip_endpoint(transfer->endpoint, &channel, &direction))
        return false;
    struct queue *queue = &chip->channel[channel].queue[direction];
    struct ft2232h_transfer *before = NULL, *at = queue->first;
    for (; at && at != transfer; before = at, at = at->next)
        ;
    if (!at)
        return false;
    if (before)
        before->next = at->next;
    else
        queue->first = at->next;
    if (queue->last == at)
        queue->last = before;
    struct queue alone = {at, at};
    at->next = NULL;
    end_first(&alone, -ENOENT);
    return true;
}

size_t ft2232h_take(struct ft2232h *chip, unsigned index, uint8_t *bytes, size_t capacity)
{
    struct channel *channel = &chip->channel[index];
    const enum ft2232h_mode mode = channel_mode(chip, index);
    const uint8_t flow = (uint8_t)(channel->flow >> 8);
    size_t count = 0;
    /* CTS and DSR are not wired: with their handshake enabled the chip sends no byte. */
    if (mode == FT2232H_UART && (flow & (FLOW_RTS_CTS | FLOW_DTR_DSR) || channel->held))
        return 0;
    while (count < capacity && channel->out.count)
        bytes[count++] = get(&channel->out);
    if (count)
        channel_serve(chip, index);
    return count;
}

size_t ft2232h_waiting(const struct ft2232h *chip, unsigned channel)
{
    return chip->channel[channel].out.count;
}

size_t ft2232h_room(const struct ft2232h *chip, unsigned channel)
{
    return FT2232H_FIFO_BYTES - chip->channel[channel].in.count;
}

/* True: the byte is part of the handshake. */
static bool is_handshake(struct channel *channel, uint8_t byte)
{
    if (!(channel->flow >> 8 & FLOW_XON_XOFF) || (byte != channel->xon && byte != channel->xoff))
        return false;
    channel->held = byte == channel->xoff && byte != channel->xon;
    return true;
}

void ft2232h_give(struct ft2232h *chip, unsigned index, const uint8_t *bytes, size_t count, unsigned errors)
{
    struct channel *channel = &chip->channel[index];
    channel->errors |= (uint8_t)errors;
    for (size_t i = 0; i < count; i++) {
        if (is_handshake(channel, bytes[i]))
            continue;
        if (channel->lose || channel->in.count == FT2232H_FIFO_BYTES) {
            channel->lose -= channel->lose > 0;
            channel->errors |= FT2232H_ERROR_OVERRUN;
            channel->counters.lost++;
            continue;
        }
        put(&channel->in, bytes[i]);
        channel->flush |= channel->event_on && bytes[i] == channel->event;
        if (channel->in.count >= FT2232H_PAYLOAD_BYTES || channel->flush)
            serve_in(chip, channel);
    }
    serve_in(chip, channel);
}

void ft2232h_send_immediate(struct ft2232h *chip, unsigned index)
{
    struct channel *channel = &chip->channel[index];
    channel->flush |= channel->in.count > 0;
    serve_in(chip, channel);
}

void ft2232h_advance(struct ft2232h *chip, int64_t now_ps)
{
    if (now_ps > chip->now_ps)
        chip->now_ps = now_ps;
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        channel_serve(chip, i);
}

bool ft2232h_wants_time(const struct ft2232h *chip)
{
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        if (chip->channel[i].queue[TO_HOST].first || chip->channel[i].out.count)
            return true;
    return false;
}

void ft2232h_lose(struct ft2232h *chip, unsigned channel, unsigned count)
{
    chip->channel[channel].lose += count;
}

void ft2232h_counters(const struct ft2232h *chip, unsigned channel, struct ft2232h_counters *counters)
{
    *counters = chip->channel[channel].counters;
}
