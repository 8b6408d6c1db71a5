/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_dma.h"

#include <string.h>

#define NEVER UINT64_MAX

enum {
    CTRL_EN = 1 << 0,
    CTRL_HIGH = 1 << 1,
    CTRL_INCR_READ = 1 << 4,
    CTRL_INCR_WRITE = 1 << 5,
    CTRL_RING_WRITE = 1 << 10,
    CTRL_QUIET = 1 << 21,
    CTRL_BSWAP = 1 << 22,
    CTRL_SNIFF = 1 << 23,
    CTRL_BUSY = 1 << 24
};
#define CTRL_WRITE_ERROR (UINT32_C(1) << 29)
#define CTRL_READ_ERROR (UINT32_C(1) << 30)
#define CTRL_AHB_ERROR (UINT32_C(1) << 31)
#define CTRL_WRITABLE UINT32_C(0x00FFFFFF)
#define SIZE(ctrl) (1u << ((ctrl) >> 2 & 3))
#define RING_BITS(ctrl) ((ctrl) >> 6 & 15)
#define CHAIN(ctrl) ((ctrl) >> 11 & 15)
#define REQUEST(ctrl) ((ctrl) >> 15 & 63)
enum { REQUEST_PIO_END = 16, REQUEST_UART0 = 20, REQUEST_UART_END = 24 };
enum { REQUEST_TIMER0 = 0x3B, REQUEST_PERMANENT = 0x3F };
enum {
    INTR = 0x400,
    INTE0 = 0x404,
    INTF0 = 0x408,
    INTS0 = 0x40C,
    INTR1 = 0x410,
    INTE1 = 0x414,
    INTF1 = 0x418,
    INTS1 = 0x41C,
    TIMER0 = 0x420,
    MULTI_CHAN_TRIGGER = 0x430,
    SNIFF_CTRL = 0x434,
    SNIFF_DATA = 0x438,
    FIFO_LEVELS = 0x440,
    CHAN_ABORT = 0x444,
    N_CHANNELS = 0x448
};

void rp2040_dma_reset(struct rp2040_dma *dma)
{
    memset(dma, 0, sizeof *dma);
    for (unsigned i = 0; i < RP2040_DMA_CHANNELS; i++)
        dma->channel[i].ctrl = i << 11; /* chained to itself: to none */
}

unsigned rp2040_dma_lines(const struct rp2040_dma *dma)
{
    unsigned lines = 0;
    for (unsigned i = 0; i < 2; i++)
        lines |= ((dma->raw & dma->enable[i]) | dma->force[i] ? 1u : 0u) << i;
    return lines;
}

/* ---- transfers */

/* The first cycle at which a channel's request is up. */
static uint64_t requested(const struct rp2040_dma *dma, unsigned i, uint64_t requests)
{
    const uint32_t request = REQUEST(dma->channel[i].ctrl);
    if (request == REQUEST_PERMANENT || requests >> request & 1)
        return dma->next;
    if (request < REQUEST_TIMER0)
        return NEVER;
    const uint64_t paced = dma->paced[request - REQUEST_TIMER0];
    return paced > dma->next ? paced : dma->next;
}

static bool active(const struct rp2040_dma *dma, unsigned i)
{
    return dma->busy >> i & 1 && dma->channel[i].ctrl & CTRL_EN;
}

uint64_t rp2040_dma_next(const struct rp2040_dma *dma, uint64_t requests)
{
    uint64_t next = NEVER;
    for (unsigned i = 0; dma->busy && i < RP2040_DMA_CHANNELS; i++)
        if (active(dma, i) && requested(dma, i, requests) < next)
            next = requested(dma, i, requests);
    return next;
}

/* In turn after the last one, those of high priority first. */
static int choose(const struct rp2040_dma *dma, uint64_t cycle, uint64_t requests)
{
    for (unsigned high = 2; high-- > 0;)
        for (unsigned k = 1; k <= RP2040_DMA_CHANNELS; k++) {
            const unsigned i = (dma->last + k) % RP2040_DMA_CHANNELS;
            if (active(dma, i) && !(dma->channel[i].ctrl & CTRL_HIGH) == !high &&
                requested(dma, i, requests) <= cycle)
                return (int)i;
        }
    return -1;
}

static void trigger(struct rp2040_dma *dma, unsigned i, uint64_t cycle)
{
    struct rp2040_dma_channel *channel = &dma->channel[i];
    const uint32_t request = REQUEST(channel->ctrl);
    if (!(channel->ctrl & CTRL_EN) || dma->busy >> i & 1)
        return;
    if (request >= REQUEST_PIO_END && request < REQUEST_TIMER0 &&
        (request < REQUEST_UART0 || request >= REQUEST_UART_END))
        dma->trap = "DMA by requests of a device other than PIO and UART";
    channel->left = channel->reload;
    if (!channel->left)
        return;
    dma->busy |= UINT32_C(1) << i;
    if (dma->next <= cycle)
        dma->next = cycle + 1;
}

static void end(struct rp2040_dma *dma, unsigned i, uint64_t cycle)
{
    const uint32_t ctrl = dma->channel[i].ctrl;
    dma->busy &= ~(UINT32_C(1) << i);
    if (!(ctrl & CTRL_QUIET))
        dma->raw |= UINT32_C(1) << i;
    if (CHAIN(ctrl) != i && CHAIN(ctrl) < RP2040_DMA_CHANNELS)
        trigger(dma, CHAIN(ctrl), cycle);
}

static uint32_t swapped(uint32_t value, unsigned bytes)
{
    return bytes == 4 ? __builtin_bswap32(value) : bytes == 2 ? __builtin_bswap16((uint16_t)value) : value;
}

static uint32_t advanced(uint32_t address, unsigned bytes, unsigned ring_bits)
{
    const uint32_t mask = ring_bits ? (UINT32_C(1) << ring_bits) - 1 : UINT32_MAX;
    return (address & ~mask) | ((address + bytes) & mask);
}

/* Request of a pacing timer: clk_sys times X / Y. */
static void repace(struct rp2040_dma *dma, unsigned timer, uint64_t cycle)
{
    const uint32_t x = dma->timer[timer] >> 16, y = dma->timer[timer] & 0xFFFF;
    dma->paced[timer] = x && y >= x ? cycle + (y + x - 1) / x : NEVER;
}

static uint32_t reversed(uint32_t value, unsigned bits)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < bits; i++)
        result |= (value >> i & 1) << (bits - 1 - i);
    return result;
}

static void sniff(struct rp2040_dma *dma, uint32_t value, unsigned bytes)
{
    const unsigned kind = dma->sniff_ctrl >> 5 & 15;
    const uint32_t polynomial = kind <= 1 ? UINT32_C(0x04C11DB7) : UINT32_C(0x1021) << 16;
    if (dma->sniff_ctrl >> 9 & 1)
        value = swapped(value, bytes);
    if (kind == 15) {
        dma->sniff_data += value;
        return;
    }
    if (kind == 14) {
        dma->sniff_data ^= (uint32_t)__builtin_parity(value);
        return;
    }
    if (kind > 3) {
        dma->trap = "DMA: a sniffer of a reserved sum";
        return;
    }
    uint32_t crc = kind <= 1 ? dma->sniff_data : dma->sniff_data << 16;
    for (unsigned byte = 0; byte < bytes; byte++) {
        uint32_t data = value >> 8 * byte & 0xFF;
        data = kind & 1 ? reversed(data, 8) : data;
        crc ^= data << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 31 ? crc << 1 ^ polynomial : crc << 1;
    }
    dma->sniff_data = kind <= 1 ? crc : crc >> 16;
}

static void fail(struct rp2040_dma *dma, unsigned i, uint32_t error)
{
    dma->channel[i].ctrl |= error | CTRL_AHB_ERROR;
    dma->busy &= ~(UINT32_C(1) << i);
}

void rp2040_dma_step(struct rp2040_dma *dma, uint64_t cycle, const struct rp2040_dma_bus *bus)
{
    const int chosen = choose(dma, cycle, bus->requests(bus->context));
    if (chosen < 0)
        return;
    const unsigned i = (unsigned)chosen;
    struct rp2040_dma_channel *channel = &dma->channel[i];
    const uint32_t ctrl = channel->ctrl, request = REQUEST(ctrl);
    const unsigned bytes = SIZE(ctrl), ring = RING_BITS(ctrl);
    uint32_t value = 0;
    dma->last = (uint8_t)i;
    dma->next = cycle + 1;
    if (request >= REQUEST_TIMER0 && request < REQUEST_PERMANENT)
        repace(dma, request - REQUEST_TIMER0, cycle);
    if (channel->read % bytes || !bus->read(bus->context, cycle, channel->read, bytes, &value)) {
        fail(dma, i, CTRL_READ_ERROR);
        return;
    }
    if (ctrl & CTRL_SNIFF && dma->sniff_ctrl & 1 && (dma->sniff_ctrl >> 1 & 15) == i)
        sniff(dma, value, bytes);
    if (ctrl & CTRL_BSWAP)
        value = swapped(value, bytes);
    const uint32_t to = channel->write;
    if (ctrl & CTRL_INCR_READ)
        channel->read = advanced(channel->read, bytes, ctrl & CTRL_RING_WRITE ? 0 : ring);
    if (ctrl & CTRL_INCR_WRITE)
        channel->write = advanced(to, bytes, ctrl & CTRL_RING_WRITE ? ring : 0);
    const bool last = --channel->left == 0;
    if (to % bytes || !bus->write(bus->context, cycle, to, bytes, value)) {
        fail(dma, i, CTRL_WRITE_ERROR);
        return;
    }
    if (last && dma->busy >> i & 1)
        end(dma, i, cycle);
}

/* ---- registers */

enum { READ_ADDR, WRITE_ADDR, TRANS_COUNT, CTRL };
/* Of the four forms of a channel's registers; the last one of each triggers. */
static const uint8_t order[4][4] = {{READ_ADDR, WRITE_ADDR, TRANS_COUNT, CTRL},
                                    {CTRL, READ_ADDR, WRITE_ADDR, TRANS_COUNT},
                                    {CTRL, TRANS_COUNT, READ_ADDR, WRITE_ADDR},
                                    {CTRL, WRITE_ADDR, TRANS_COUNT, READ_ADDR}};
enum { CHANNEL_BYTES = 64, CHANNELS_END = CHANNEL_BYTES * RP2040_DMA_CHANNELS };

static uint32_t read_channel(const struct rp2040_dma *dma, uint32_t offset)
{
    const unsigned i = offset / CHANNEL_BYTES;
    const struct rp2040_dma_channel *channel = &dma->channel[i];
    switch (order[offset / 16 & 3][offset / 4 & 3]) {
    case READ_ADDR:
        return channel->read;
    case WRITE_ADDR:
        return channel->write;
    case TRANS_COUNT:
        return channel->left;
    default:
        return channel->ctrl | (dma->busy >> i & 1 ? CTRL_BUSY : 0u);
    }
}

static void write_channel(struct rp2040_dma *dma, uint64_t cycle, uint32_t offset, uint32_t value)
{
    const unsigned i = offset / CHANNEL_BYTES;
    struct rp2040_dma_channel *channel = &dma->channel[i];
    const bool triggers = (offset / 4 & 3) == 3;
    switch (order[offset / 16 & 3][offset / 4 & 3]) {
    case READ_ADDR:
        channel->read = value;
        break;
    case WRITE_ADDR:
        channel->write = value;
        break;
    case TRANS_COUNT:
        channel->reload = value;
        break;
    default: /* errors are cleared by writing 1 */
        channel->ctrl =
            (value & CTRL_WRITABLE) | (channel->ctrl & ~value & (CTRL_READ_ERROR | CTRL_WRITE_ERROR));
        break;
    }
    /* A null trigger raises the interrupt of a quiet channel instead. */
    if (triggers && !value && channel->ctrl & CTRL_QUIET)
        dma->raw |= UINT32_C(1) << i;
    else if (triggers && value)
        trigger(dma, i, cycle);
}

uint32_t rp2040_dma_read(struct rp2040_dma *dma, uint32_t offset)
{
    if (offset < CHANNELS_END)
        return read_channel(dma, offset);
    if (offset >= TIMER0 && offset < MULTI_CHAN_TRIGGER)
        return dma->timer[(offset - TIMER0) / 4];
    switch (offset) {
    case INTR:
    case INTR1:
        return dma->raw;
    case INTE0:
    case INTE1:
        return dma->enable[offset == INTE1];
    case INTF0:
    case INTF1:
        return dma->force[offset == INTF1];
    case INTS0:
    case INTS1:
        return (dma->raw & dma->enable[offset == INTS1]) | dma->force[offset == INTS1];
    case SNIFF_CTRL:
        return dma->sniff_ctrl;
    case SNIFF_DATA: {
        uint32_t data = dma->sniff_data;
        if (dma->sniff_ctrl >> 11 & 1)
            data = ~data;
        return dma->sniff_ctrl >> 10 & 1 ? reversed(data, 32) : data;
    }
    case MULTI_CHAN_TRIGGER:
    case FIFO_LEVELS:
    case CHAN_ABORT:
        return 0;
    case N_CHANNELS:
        return RP2040_DMA_CHANNELS;
    default:
        dma->trap = "DMA: a debug register";
        return 0;
    }
}

void rp2040_dma_write(struct rp2040_dma *dma, uint64_t cycle, uint32_t offset, uint32_t value)
{
    if (offset < CHANNELS_END) {
        write_channel(dma, cycle, offset, value);
        return;
    }
    if (offset >= TIMER0 && offset < MULTI_CHAN_TRIGGER) {
        dma->timer[(offset - TIMER0) / 4] = value;
        repace(dma, (offset - TIMER0) / 4, cycle);
        return;
    }
    switch (offset) {
    case INTR:
    case INTR1:
    case INTS0:
    case INTS1:
        dma->raw &= ~value;
        break;
    case INTE0:
    case INTE1:
        dma->enable[offset == INTE1] = value & 0xFFF;
        break;
    case INTF0:
    case INTF1:
        dma->force[offset == INTF1] = value & 0xFFF;
        break;
    case MULTI_CHAN_TRIGGER:
        for (unsigned i = 0; i < RP2040_DMA_CHANNELS; i++)
            if (value >> i & 1)
                trigger(dma, i, cycle);
        break;
    case SNIFF_CTRL:
        dma->sniff_ctrl = value & 0xFFF;
        break;
    case SNIFF_DATA:
        dma->sniff_data = value;
        break;
    case CHAN_ABORT: /* no transfer is in flight between two cycles */
        dma->busy &= ~value;
        break;
    default:
        dma->trap = "DMA: a debug register";
        break;
    }
}
