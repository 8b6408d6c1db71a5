/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * DMA of an RP2040: twelve channels ("RP2040 Datasheet", section 2.5).
 *
 * One transfer a cycle of clk_sys, of the channels in turn, those of high priority first. Assumed: the write
 * of a transfer is in the cycle of its read, and a channel begins a cycle after its trigger.
 *
 * Not modelled: requests of devices other than PIO, UART and the pacing timers; the sniffer of another sum
 * than CRC-32, CRC-16-CCITT, even parity and 32-bit addition.
 */
#ifndef PB_MCU_RP2040_DMA_H
#define PB_MCU_RP2040_DMA_H

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_DMA_CHANNELS = 12, RP2040_DMA_TIMERS = 4 };

struct rp2040_dma_channel {
    uint32_t read, write, ctrl, left, reload; /* reload: of TRANS_COUNT at the next trigger */
};

struct rp2040_dma {
    struct rp2040_dma_channel channel[RP2040_DMA_CHANNELS];
    uint32_t busy; /* channels */
    uint32_t raw, enable[2], force[2];
    uint32_t timer[RP2040_DMA_TIMERS], sniff_ctrl, sniff_data;
    uint64_t paced[RP2040_DMA_TIMERS]; /* cycle of the next request of a timer */
    uint64_t next;                     /* the first cycle of the next transfer */
    uint8_t last;                      /* the channel that had the last one */
    const char *trap;                  /* NULL, or what firmware used that is not modelled */
};

/* Accesses of a transfer, and the request lines of devices: bits by TREQ_SEL, for 0 to 63. */
struct rp2040_dma_bus {
    void *context;
    bool (*read)(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value);
    bool (*write)(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value);
    uint64_t (*requests)(void *context);
};

void rp2040_dma_reset(struct rp2040_dma *dma);
/* The cycle of the next transfer, with these requests; UINT64_MAX: none without another request. */
uint64_t rp2040_dma_next(const struct rp2040_dma *dma, uint64_t requests);
void rp2040_dma_step(struct rp2040_dma *dma, uint64_t cycle, const struct rp2040_dma_bus *bus);
uint32_t rp2040_dma_read(struct rp2040_dma *dma, uint32_t offset);
void rp2040_dma_write(struct rp2040_dma *dma, uint64_t cycle, uint32_t offset, uint32_t value);
/* Levels of DMA_IRQ_0 and _1. */
unsigned rp2040_dma_lines(const struct rp2040_dma *dma);

#endif
