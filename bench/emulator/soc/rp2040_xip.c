/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_xip.h"

#include <stdlib.h>
#include <string.h>

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) TIME_##name = number,
#include "bench/emulator/soc/rp2040_timing.def"
#undef RP2040_TIMING
};

/* ---- the flash */

static void forget(void *flash)
{
    free(flash);
}

const uint8_t *rp2040_flash_of(struct pb_image *image, uint32_t base)
{
    if (image->derived)
        return image->derived;
    uint8_t *flash = malloc(RP2040_FLASH_BYTES);
    if (!flash)
        return NULL;
    memset(flash, 0xFF, RP2040_FLASH_BYTES);
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        memcpy(flash + (segment->address - base), segment->data, segment->bytes);
    }
    image->derived = flash;
    image->forget = forget;
    return flash;
}

static bool own(struct rp2040_xip *xip)
{
    if (!xip->own && (xip->own = malloc(RP2040_FLASH_BYTES)))
        memcpy(xip->own, xip->shared, RP2040_FLASH_BYTES);
    return xip->own;
}

bool rp2040_xip_erase(struct rp2040_xip *xip, uint32_t offset, uint32_t bytes)
{
    if (offset > RP2040_FLASH_BYTES || bytes > RP2040_FLASH_BYTES - offset || !own(xip))
        return false;
    memset(xip->own + offset, 0xFF, bytes);
    return true;
}

bool rp2040_xip_program(struct rp2040_xip *xip, uint32_t offset, uint8_t byte)
{
    if (offset >= RP2040_FLASH_BYTES || !own(xip))
        return false;
    xip->own[offset] &= byte;
    return true;
}

/* ---- the set-up of the SSI for execution */

enum { SLOW_READ = 0x03, SLOW_MAX_HZ = 50000000, FAST_MAX_HZ = 133000000 };
enum { TMOD_BOTH = 0, TMOD_SEND = 1, TMOD_EEPROM = 3 };
#define CTRLR0_TMOD(x) ((x) >> 8 & 3)
#define CTRLR0_BITS(x) (((x) >> 16 & 31) + 1)
#define CTRLR0_LINES(x) (1u << ((x) >> 21 & 3))

static const char *refuse(struct rp2040_xip *xip, const char *why, bool misuse)
{
    xip->miss = 0;
    xip->why_misuse = misuse;
    return why;
}

/* SCK cycles of a word: instruction, address and mode bits, dummy cycles, data. */
static uint32_t sck_cycles(const struct rp2040_xip *xip)
{
    static const uint8_t instruction_bits[] = {0, 4, 8, 16};
    const uint32_t lines = CTRLR0_LINES(xip->ctrl0), type = xip->spi_ctrl & 3;
    return instruction_bits[xip->spi_ctrl >> 8 & 3] / (type == 2 ? lines : 1) +
           4 * (xip->spi_ctrl >> 2 & 15) / (type ? lines : 1) + (xip->spi_ctrl >> 11 & 31) + 32 / lines;
}

/* Returns why a read of a word is none that is modelled, or NULL, with `miss` set. */
static const char *read_refusal(struct rp2040_xip *xip, uint64_t sys_hz)
{
    const uint32_t divisor = xip->baud & 0xFFFE, lines = CTRLR0_LINES(xip->ctrl0);
    const uint32_t address_bits = 4 * (xip->spi_ctrl >> 2 & 15);
    const bool instruction = xip->spi_ctrl >> 8 & 3;
    const uint8_t command = (uint8_t)(xip->spi_ctrl >> 24);
    if (!xip->connected)
        return refuse(xip, "a read of flash while IO_QSPI holds its pins", true);
    if (!xip->enable || !divisor || !xip->slave)
        return refuse(xip, "a read of flash while the SSI is off", true);
    if (CTRLR0_TMOD(xip->ctrl0) != TMOD_EEPROM || CTRLR0_BITS(xip->ctrl0) != 32 || xip->ctrl1 || lines > 4)
        return refuse(xip, "a read of flash with this CTRLR0 or CTRLR1 of the SSI", false);
    if (instruction ? xip->continuous : !xip->continuous)
        return refuse(xip, "a read of flash, which is not in the mode that the SSI is set up for", true);
    const bool known =
        instruction ? address_bits >= 24 && (command == SLOW_READ || command == 0x0B || command == 0x3B ||
                                             command == 0xBB || command == 0x6B || command == 0xEB)
                    : address_bits == 32;
    if (!known)
        return refuse(xip, "a read of flash by this command", false);
    const uint32_t limit_hz = instruction && command == SLOW_READ ? SLOW_MAX_HZ : FAST_MAX_HZ;
    if (sys_hz / divisor > limit_hz)
        return refuse(xip,
                      limit_hz == SLOW_MAX_HZ
                          ? "a read of flash with SCK above 50 MHz, the limit of command 03h"
                          : "a read of flash with SCK above 133 MHz",
                      true);
    xip->miss = xip->set_miss ? xip->set_miss : sck_cycles(xip) * divisor + TIME_xip;
    return NULL;
}

void rp2040_xip_set_up(struct rp2040_xip *xip, uint64_t sys_hz)
{
    xip->why = read_refusal(xip, sys_hz);
}

void rp2040_xip_reset(struct rp2040_xip *xip)
{
    const struct rp2040_xip old = *xip;
    *xip = (struct rp2040_xip){.shared = old.shared,
                               .own = old.own,
                               .cache = old.cache,
                               .set_miss = old.set_miss,
                               .ctrl = 3,
                               .enable = 1,
                               .ctrl0 = 0x001F0300,
                               .spi_ctrl = 0x03000218,
                               .baud = 6,
                               .slave = 1,
                               .mask = 0x3F,
                               .status2 = 2, /* QE is set in the parts of the boards */
                               .connected = true};
    if (xip->cache)
        memset(xip->cache, 0, sizeof *xip->cache);
}

/* ---- the cache */

static int refused(struct rp2040_xip *xip)
{
    *(xip->why_misuse ? &xip->misuse : &xip->trap) = xip->why;
    return -1;
}

static unsigned recent_way(const struct rp2040_cache *cache, uint32_t set)
{
    return cache->recent[set / 8] >> set % 8 & 1;
}

static void use_way(struct rp2040_cache *cache, uint32_t set, unsigned way)
{
    cache->recent[set / 8] = (uint8_t)((cache->recent[set / 8] & ~(1u << set % 8)) | way << set % 8);
}

int rp2040_xip_read(struct rp2040_xip *xip, uint32_t offset, bool look, bool allocate)
{
    const uint32_t set = offset >> 3 & (RP2040_CACHE_SETS - 1), tag = offset >> 13;
    const uint16_t word = (uint16_t)(1 << (offset >> 2 & 1));
    const bool enabled = xip->ctrl & 1;
    xip->accesses += xip->accesses != UINT32_MAX;
    if (!xip->cache && enabled && !(xip->cache = calloc(1, sizeof *xip->cache))) {
        xip->trap = "no memory for the cache of the flash";
        return -1;
    }
    struct rp2040_cache *cache = xip->cache;
    for (unsigned way = 0; look && enabled && way < RP2040_CACHE_WAYS; way++)
        if (cache->line[set][way] & word && cache->line[set][way] >> 2 == tag) {
            use_way(cache, set, way);
            xip->hits += xip->hits != UINT32_MAX;
            return 0;
        }
    if (!xip->miss)
        return refused(xip);
    if (!allocate || !enabled)
        return (int)xip->miss;
    unsigned way = !recent_way(cache, set);
    for (unsigned i = 0; i < RP2040_CACHE_WAYS; i++)
        if (cache->line[set][i] & 3 && cache->line[set][i] >> 2 == tag)
            way = i;
    if (cache->line[set][way] >> 2 != tag)
        cache->line[set][way] = (uint16_t)(tag << 2);
    cache->line[set][way] |= word;
    use_way(cache, set, way);
    return (int)xip->miss;
}

void rp2040_xip_drop(struct rp2040_xip *xip, uint32_t offset)
{
    const uint32_t set = offset >> 3 & (RP2040_CACHE_SETS - 1), tag = offset >> 13;
    for (unsigned way = 0; xip->cache && way < RP2040_CACHE_WAYS; way++)
        if (xip->cache->line[set][way] >> 2 == tag)
            xip->cache->line[set][way] = 0;
}

void rp2040_xip_flush(struct rp2040_xip *xip, uint64_t cycle)
{
    if (xip->cache)
        memset(xip->cache, 0, sizeof *xip->cache);
    xip->flushed = cycle + RP2040_CACHE_SETS;
}

/* ---- XIP_CTRL */

enum { CTRL_EN = 1, CTRL_POWER_DOWN = 8, STAT_FLUSH_READY = 1, STAT_FIFO_EMPTY = 2 };

uint32_t rp2040_xip_ctrl_read(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset)
{
    switch (offset) {
    case 0x00:
        return xip->ctrl;
    case 0x04:
        return 0;
    case 0x08:
        return STAT_FIFO_EMPTY | (cycle >= xip->flushed ? STAT_FLUSH_READY : 0u);
    case 0x0C:
        return xip->hits;
    case 0x10:
        return xip->accesses;
    case 0x14:
        return xip->stream_addr;
    case 0x18:
        return 0;
    default:
        xip->trap = "XIP_CTRL: this register, or streaming";
        return 0;
    }
}

void rp2040_xip_ctrl_write(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case 0x00:
        xip->ctrl = value & (value & CTRL_POWER_DOWN ? ~(uint32_t)CTRL_EN : UINT32_MAX) & 0xB;
        break;
    case 0x04:
        if (value & 1)
            rp2040_xip_flush(xip, cycle);
        break;
    case 0x0C:
        xip->hits = 0;
        break;
    case 0x10:
        xip->accesses = 0;
        break;
    case 0x14:
        xip->stream_addr = value & ~UINT32_C(3);
        break;
    default:
        if (offset != 0x18 || value)
            xip->trap = "XIP_CTRL: this register, or streaming";
        break;
    }
}

/* ---- the SSI by its registers, and the flash chip at it */

enum {
    SSI_CTRLR0 = 0x00,
    SSI_CTRLR1 = 0x04,
    SSI_ENR = 0x08,
    SSI_SER = 0x10,
    SSI_BAUDR = 0x14,
    SSI_TXFTLR = 0x18,
    SSI_RXFTLR = 0x1C,
    SSI_TXFLR = 0x20,
    SSI_RXFLR = 0x24,
    SSI_SR = 0x28,
    SSI_IMR = 0x2C,
    SSI_RISR = 0x34,
    SSI_DMACR = 0x4C,
    SSI_IDR = 0x58,
    SSI_VERSION = 0x5C,
    SSI_DR0 = 0x60,
    SSI_DR_END = 0xF0,
    SSI_RX_SAMPLE_DLY = 0xF0,
    SSI_SPI_CTRLR0 = 0xF4
};
enum { SR_BUSY = 0x01, SR_TFNF = 0x02, SR_TFE = 0x04, SR_RFNE = 0x08, SR_RFF = 0x10 };
enum {
    FLASH_WRITE_STATUS = 0x01,
    FLASH_READ_STATUS = 0x05,
    FLASH_WRITE_ENABLE = 0x06,
    FLASH_WRITE_STATUS2 = 0x31,
    FLASH_READ_STATUS2 = 0x35,
    FLASH_UNIQUE_ID = 0x4B,
    FLASH_JEDEC_ID = 0x9F,
    FLASH_RELEASE = 0xAB
};

/* The byte that the chip answers with, of the frame with this number of a command. */
static uint8_t chip_frame(struct rp2040_xip *xip, uint32_t number, uint8_t sent)
{
    static const uint8_t jedec[] = {0xEF, 0x40, 0x15}; /* W25Q16JV-IQ */
    const uint8_t command = (uint8_t)xip->command[0];
    switch (command) {
    case FLASH_WRITE_ENABLE:
        xip->write_enabled = true;
        return 0;
    case FLASH_READ_STATUS:
        return xip->write_enabled ? 2 : 0;
    case FLASH_READ_STATUS2:
        return xip->status2;
    case FLASH_WRITE_STATUS:
    case FLASH_WRITE_STATUS2:
        if (number == (command == FLASH_WRITE_STATUS ? 2 : 1) && xip->write_enabled)
            xip->status2 = sent;
        return 0;
    case FLASH_JEDEC_ID:
        return number >= 1 && number <= 3 ? jedec[number - 1] : 0;
    case FLASH_UNIQUE_ID: /* four dummy bytes, then eight */
        return number >= 5 && number <= 12 ? (uint8_t)(0xE0 + number) : 0;
    case FLASH_RELEASE:
    case 0xFF: /* leaves the continuous read mode */
        xip->continuous = false;
        return 0;
    default:
        xip->trap = "a command to the flash by registers of the SSI";
        return 0;
    }
}

static void receive(struct rp2040_xip *xip, uint32_t frame)
{
    if (xip->rx_used < RP2040_SSI_FIFO)
        xip->rx[(xip->rx_first + xip->rx_used++) % RP2040_SSI_FIFO] = frame;
}

/* A read with instruction and address enters the continuous mode by its mode bits, M5-4 = 10. */
static void read_by_register(struct rp2040_xip *xip, uint64_t cycle)
{
    const uint8_t command = (uint8_t)xip->command[0];
    if (command != 0xEB && command != 0xBB) {
        xip->trap = "a read of the flash by registers of the SSI";
        return;
    }
    xip->continuous = (xip->command[1] & 0x30) == 0x20;
    xip->idle = cycle + (uint64_t)sck_cycles(xip) * (xip->baud & 0xFFFE);
    receive(xip, 0);
}

static void send_frame(struct rp2040_xip *xip, uint64_t cycle, uint32_t value)
{
    const uint32_t mode = CTRLR0_TMOD(xip->ctrl0);
    if (!xip->enable)
        return;
    if (!xip->selected && cycle >= xip->idle)
        xip->frames = 0;
    if (xip->frames < 2)
        xip->command[xip->frames] = value;
    const uint32_t number = xip->frames++;
    if (mode == TMOD_EEPROM) {
        if (number == 1)
            read_by_register(xip, cycle);
        else
            xip->idle = cycle + 8;
        return;
    }
    if (CTRLR0_BITS(xip->ctrl0) != 8 || CTRLR0_LINES(xip->ctrl0) != 1) {
        xip->trap = "frames of the SSI other than 8 bits on one line";
        return;
    }
    const uint8_t answer = chip_frame(xip, number, (uint8_t)value);
    xip->idle = (cycle > xip->idle ? cycle : xip->idle) + 8 * (uint64_t)(xip->baud & 0xFFFE);
    if (mode == TMOD_BOTH)
        receive(xip, answer);
}

/* Received frames whose last bit is in. */
static bool has_received(const struct rp2040_xip *xip, uint64_t cycle)
{
    return xip->rx_used && (cycle >= xip->idle || xip->rx_used > 1);
}

static uint32_t status(const struct rp2040_xip *xip, uint64_t cycle)
{
    return SR_TFNF | SR_TFE | (cycle < xip->idle ? SR_BUSY : 0u) | (has_received(xip, cycle) ? SR_RFNE : 0u) |
           (xip->rx_used == RP2040_SSI_FIFO ? SR_RFF : 0u);
}

uint32_t rp2040_ssi_peek(const struct rp2040_xip *xip, uint64_t cycle, uint32_t offset)
{
    switch (offset) {
    case SSI_CTRLR0:
        return xip->ctrl0;
    case SSI_CTRLR1:
        return xip->ctrl1;
    case SSI_ENR:
        return xip->enable;
    case SSI_SER:
        return xip->slave;
    case SSI_BAUDR:
        return xip->baud;
    case SSI_RXFLR:
        return xip->rx_used;
    case SSI_SR:
        return status(xip, cycle);
    case SSI_IMR:
        return xip->mask;
    case SSI_IDR:
        return 0x51535049;
    case SSI_VERSION:
        return 0x3430312A;
    case SSI_RX_SAMPLE_DLY:
        return xip->sample_delay;
    case SSI_SPI_CTRLR0:
        return xip->spi_ctrl;
    default:
        return 0;
    }
}

uint32_t rp2040_ssi_read(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset)
{
    if (offset < SSI_DR0 || offset >= SSI_DR_END)
        return rp2040_ssi_peek(xip, cycle, offset);
    if (!xip->rx_used)
        return 0;
    const uint32_t frame = xip->rx[xip->rx_first];
    xip->rx_first = (uint8_t)((xip->rx_first + 1) % RP2040_SSI_FIFO);
    xip->rx_used--;
    return frame;
}

/* Registers that the SSI takes only while it is off. False: none of them. */
static bool configure(struct rp2040_xip *xip, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case SSI_CTRLR0:
        xip->ctrl0 = value;
        return true;
    case SSI_CTRLR1:
        xip->ctrl1 = value & 0xFFFF;
        return true;
    case SSI_BAUDR:
        xip->baud = value & 0xFFFF;
        return true;
    case SSI_RX_SAMPLE_DLY:
        xip->sample_delay = value & 0xFF;
        return true;
    case SSI_SPI_CTRLR0:
        xip->spi_ctrl = value;
        return true;
    default:
        return false;
    }
}

void rp2040_ssi_write(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset, uint32_t value)
{
    if (offset >= SSI_DR0 && offset < SSI_DR_END) {
        send_frame(xip, cycle, value);
        return;
    }
    switch (offset) {
    case SSI_ENR:
        xip->enable = value & 1;
        if (!xip->enable)
            xip->rx_used = 0;
        break;
    case SSI_SER:
        xip->slave = value & 1;
        break;
    case SSI_IMR:
        xip->mask = value & 0x3F;
        if (xip->mask)
            xip->trap = "interrupts of the SSI";
        break;
    case SSI_TXFTLR:
    case SSI_RXFTLR:
        break; /* of interrupts alone */
    case SSI_DMACR:
        if (value)
            xip->trap = "DMA of the SSI";
        break;
    default: { /* while it is on they keep their values */
        struct rp2040_xip on = *xip;
        if (!configure(xip->enable ? &on : xip, offset, value))
            xip->trap = "a register of the SSI";
    }
    }
}

void rp2040_xip_select(struct rp2040_xip *xip, unsigned override)
{
    const bool selected = override == 2;
    if (selected && !xip->selected)
        xip->frames = 0;
    xip->selected = selected;
    xip->connected = override == 0;
}
