/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flash of an RP2040 board and what reads it: SSI, XIP cache, XIP_CTRL ("RP2040 Datasheet", sections
 * 2.6.3 and 4.10; commands of the flash: "W25Q16JV", section 8).
 *
 * The cache has 1024 sets of two lines of 8 bytes. A miss reads one word, which is what the SSI transfers in
 * an access with CTRLR1 = 0. Assumed: of two lines the least recently used one is replaced. A miss adds the
 * SCK cycles of the set-up times BAUDR, and RP2040_xip cycles; or `set_miss` cycles, if that is not 0.
 *
 * Set-ups for execution: frames of 32 bits, EEPROM read, instruction or mode bits, one, two or four lines.
 * Commands by register: status, identity, and those that enter the continuous read mode. Not modelled: other
 * set-ups and commands, streaming, interrupts and DMA of the SSI.
 */
#ifndef PB_MCU_RP2040_XIP_H
#define PB_MCU_RP2040_XIP_H

#include "bench/emulator/image/image.h"

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_FLASH_BYTES = 2 << 20 };
enum { RP2040_SSI_FIFO = 16, RP2040_CACHE_SETS = 1024, RP2040_CACHE_WAYS = 2 };

struct rp2040_cache {
    uint16_t line[RP2040_CACHE_SETS][RP2040_CACHE_WAYS]; /* the tag, times 4; bit 0, 1: this word is valid */
    uint8_t recent[RP2040_CACHE_SETS / 8];               /* the way used last, a bit for each set */
};

struct rp2040_xip {
    /* Pointers: the flash of the image, shared; the whole of it once the node has written any, or NULL; the
     * cache once it was used, or NULL. */
    const uint8_t *shared;
    uint8_t *own;
    struct rp2040_cache *cache;
    uint32_t set_miss; /* cycles; 0: by the set-up */
    uint32_t ctrl, hits, accesses, stream_addr;
    uint64_t flushed; /* cycle at which the last flush ends */
    uint32_t enable, baud, ctrl0, ctrl1, spi_ctrl, slave, sample_delay, mask; /* of the SSI */
    uint32_t rx[RP2040_SSI_FIFO];
    uint8_t rx_first, rx_used;
    uint64_t idle; /* cycle at which the last frame ends */
    /* The flash chip. */
    uint32_t command[2]; /* the first frames since it was selected */
    uint32_t frames;
    uint8_t status2;
    bool write_enabled, continuous;
    bool selected;   /* IO_QSPI holds the select pin low */
    bool connected;  /* IO_QSPI gives the pins to the SSI */
    uint32_t miss;   /* cycles by the set-up; 0: `why` */
    const char *why; /* the set-up reads nothing */
    bool why_misuse;
    const char *trap, *misuse; /* NULL, or what firmware used that is not modelled, or that is forbidden */
};

/* The flash with the image in it, for all its nodes; the image owns it. NULL: out of memory. */
const uint8_t *rp2040_flash_of(struct pb_image *image, uint32_t base);

/* As the boot ROM leaves it: a slow read by command 03h, by which it took boot2. */
void rp2040_xip_reset(struct rp2040_xip *xip);
/* After a change of the SSI or of clk_sys. */
void rp2040_xip_set_up(struct rp2040_xip *xip, uint64_t sys_hz);

static inline const uint8_t *rp2040_xip_flash(const struct rp2040_xip *xip)
{
    return xip->own ? xip->own : xip->shared;
}

/* A read of a word by its offset. Returns the cycles that it adds, or -1: trap or misuse is set. `look`: in
 * the cache; `allocate`: it enters the cache. */
int rp2040_xip_read(struct rp2040_xip *xip, uint32_t offset, bool look, bool allocate);
/* A write to the cached alias drops the word from the cache. */
void rp2040_xip_drop(struct rp2040_xip *xip, uint32_t offset);
void rp2040_xip_flush(struct rp2040_xip *xip, uint64_t cycle);
/* Erases to 0xFF; programs 1 to 0. False: out of memory, or not within the flash. */
bool rp2040_xip_erase(struct rp2040_xip *xip, uint32_t offset, uint32_t bytes);
bool rp2040_xip_program(struct rp2040_xip *xip, uint32_t offset, uint8_t byte);

uint32_t rp2040_xip_ctrl_read(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset);
void rp2040_xip_ctrl_write(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset, uint32_t value);
uint32_t rp2040_ssi_peek(const struct rp2040_xip *xip, uint64_t cycle, uint32_t offset);
uint32_t rp2040_ssi_read(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset);
void rp2040_ssi_write(struct rp2040_xip *xip, uint64_t cycle, uint32_t offset, uint32_t value);
/* The override of the select pin in IO_QSPI: 0 none, 2 low, 3 high. */
void rp2040_xip_select(struct rp2040_xip *xip, unsigned override);

#endif
