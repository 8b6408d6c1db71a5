/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One PIO block of an RP2040: four state machines, 32 words of program, flags, FIFOs ("RP2040 Datasheet",
 * chapter 3).
 *
 * Time is a cycle of clk_sys. A machine costs nothing while it waits. Steps that only change the machine's
 * own registers run ahead of time at once; an access that could see or change them takes them back first.
 * So rp2040_pio_next is the cycle of a step that matters outside the machine, or reads a pin.
 *
 * Order within a cycle: all machines see the state before the cycle, except that writes to one pin by
 * several machines are resolved (the highest machine wins). A flag that a machine sets is seen one cycle
 * later.
 *
 * Not modelled: OUT_STICKY, INPUT_SYNC_BYPASS, reserved instructions. Their use sets `trap`.
 */
#ifndef PB_MCU_RP2040_PIO_H
#define PB_MCU_RP2040_PIO_H

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_PIO_MACHINES = 4, RP2040_PIO_WORDS = 32, RP2040_PIO_FIFO = 4 };
#define RP2040_NEVER UINT64_MAX

/* What a restart or a step changes; copied to take steps back. */
struct rp2040_pio_state {
    uint32_t x, y, osr, isr;
    uint8_t osr_count, isr_count; /* bits shifted out or in, 0..32 */
    uint8_t pc;
    enum rp2040_pio_stall { PIO_RUNS, PIO_ON_PIN, PIO_ON_FLAG, PIO_ON_TX, PIO_ON_RX } stall;
    uint8_t stall_index; /* of the pin or flag */
    bool stall_level;    /* that ends the stall */
    bool irq_waits;      /* IRQ WAIT has set its flag */
    bool forced;         /* `instruction` runs in place of the program's next one */
    uint16_t instruction;
    uint64_t tick; /* of the machine's divided clock, at which the next step is due */
};

struct rp2040_pio_fifo {
    uint8_t first, used, depth;
};

struct rp2040_pio_machine {
    uint32_t clkdiv, execctrl, shiftctrl, pinctrl;
    bool enabled;
    struct rp2040_pio_state now;
    bool ahead; /* `now` has private steps of the future; `before` is the state without them */
    struct rp2040_pio_state before;
    uint64_t origin; /* cycle of tick 0 */
    uint64_t next;   /* cycle of the next step, RP2040_NEVER: stalled or disabled */
    uint64_t left;   /* ticks of delay when it was disabled */
    uint32_t fifo_words[2 * RP2040_PIO_FIFO];
    struct rp2040_pio_fifo tx, rx; /* tx from word 0 on, rx after it */
};

struct rp2040_pio {
    struct rp2040_pio_machine machine[RP2040_PIO_MACHINES];
    uint16_t program[RP2040_PIO_WORDS];
    uint8_t flags;                  /* 8 */
    uint8_t flags_set, flags_clear; /* in the cycle in progress */
    uint32_t inputs;                /* after the synchronisers */
    uint32_t out, oe;               /* one bit a pin */
    uint32_t debug;                 /* FDEBUG */
    uint32_t enable[2], force[2];   /* of the interrupts */
    const char *trap;               /* NULL, or what firmware used that is not modelled */
};

/* As after power-up; cycle: the origin of the clock dividers. */
void rp2040_pio_reset(struct rp2040_pio *pio, uint64_t cycle);

/* The earliest cycle at which a machine has a step to do; RP2040_NEVER. */
uint64_t rp2040_pio_next(const struct rp2040_pio *pio);
/* Executes the steps of all machines that are due at `cycle`, which is rp2040_pio_next. */
void rp2040_pio_step(struct rp2040_pio *pio, uint64_t cycle);

/* The following are called when all steps before `cycle` are done. */
/* The pins after the synchronisers, from this cycle on. */
void rp2040_pio_inputs(struct rp2040_pio *pio, uint64_t cycle, uint32_t inputs);
/* A register by its offset, word-aligned; seen by the machines from this cycle on. */
uint32_t rp2040_pio_read(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset);
void rp2040_pio_write(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset, uint32_t value);
/* The value that the set, clear and XOR aliases change; has no side effect. */
uint32_t rp2040_pio_peek(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset);
/* The clock dividers restart at this cycle. */
void rp2040_pio_align(struct rp2040_pio *pio, uint64_t cycle);

/* Levels of the two interrupt outputs, bits 0 and 1. */
unsigned rp2040_pio_lines(const struct rp2040_pio *pio);

#endif
