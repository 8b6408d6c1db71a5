/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One state machine of a PIO block: fields, clock, FIFOs, instructions. Private to rp2040_pio.c (the block
 * and its registers) and rp2040_pio_machine.c.
 */
#ifndef PB_MCU_RP2040_PIO_MACHINE_H
#define PB_MCU_RP2040_PIO_MACHINE_H

#include "bench/emulator/soc/rp2040_pio.h"

enum { PIO_WORD_BITS = 32 };

/* Fields of the machines' registers. */
#define EXEC_STATUS_N(m) ((m)->execctrl & 0xF)
#define EXEC_STATUS_RX(m) ((m)->execctrl >> 4 & 1)
#define EXEC_WRAP_BOTTOM(m) ((m)->execctrl >> 7 & 0x1F)
#define EXEC_WRAP_TOP(m) ((m)->execctrl >> 12 & 0x1F)
#define EXEC_OUT_STICKY UINT32_C(0x00020000)
#define EXEC_INLINE_ENABLE(m) ((m)->execctrl >> 18 & 1)
#define EXEC_ENABLE_BIT(m) ((m)->execctrl >> 19 & 0x1F)
#define EXEC_JMP_PIN(m) ((m)->execctrl >> 24 & 0x1F)
#define EXEC_SIDE_PINDIRS(m) ((m)->execctrl >> 29 & 1)
#define EXEC_SIDE_ENABLE(m) ((m)->execctrl >> 30 & 1)
#define EXEC_STALLED UINT32_C(0x80000000)
#define SHIFT_AUTOPUSH(m) ((m)->shiftctrl >> 16 & 1)
#define SHIFT_AUTOPULL(m) ((m)->shiftctrl >> 17 & 1)
#define SHIFT_IN_RIGHT(m) ((m)->shiftctrl >> 18 & 1)
#define SHIFT_OUT_RIGHT(m) ((m)->shiftctrl >> 19 & 1)
#define SHIFT_JOIN UINT32_C(0xC0000000)
#define PINS_OUT_BASE(m) ((m)->pinctrl & 0x1F)
#define PINS_SET_BASE(m) ((m)->pinctrl >> 5 & 0x1F)
#define PINS_SIDE_BASE(m) ((m)->pinctrl >> 10 & 0x1F)
#define PINS_IN_BASE(m) ((m)->pinctrl >> 15 & 0x1F)
#define PINS_OUT_COUNT(m) ((m)->pinctrl >> 20 & 0x3F)
#define PINS_SET_COUNT(m) ((m)->pinctrl >> 26 & 7)
#define PINS_SIDE_COUNT(m) ((m)->pinctrl >> 29 & 7)

/* The next step comes at this tick. */
void pio_due_at(struct rp2040_pio_machine *m, uint64_t tick);
/* The first tick at or after a cycle. */
uint64_t pio_tick_at(const struct rp2040_pio_machine *m, uint64_t cycle);
/* FIFOs; the owner checks that there is room, or a word. */
static inline bool pio_full(const struct rp2040_pio_fifo *fifo)
{
    return fifo->used == fifo->depth;
}
void pio_put(struct rp2040_pio_fifo *fifo, uint32_t *words, uint32_t word);
uint32_t pio_take(struct rp2040_pio_fifo *fifo, const uint32_t *words);
uint32_t *pio_rx_words(struct rp2040_pio_machine *m);
/* Executes one instruction in the current cycle; flags that it changes are collected. False: the machine
 * stalls. */
bool pio_execute(struct rp2040_pio *pio, unsigned n, uint16_t instruction, uint8_t *pc);
/* One step at the tick that is due. */
void pio_step(struct rp2040_pio *pio, unsigned n);
/* With autopull an OSR that is empty is filled when the FIFO has a word. */
void pio_refill(struct rp2040_pio *pio, unsigned n);
/* Executes the steps that nothing outside sees. */
void pio_run_ahead(struct rp2040_pio *pio, unsigned n);
/* Takes back what a machine did ahead of `cycle`. */
void pio_take_back(struct rp2040_pio *pio, unsigned n, uint64_t cycle);

#endif
