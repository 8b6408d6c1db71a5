/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SIO of an RP2040 but its GPIO registers (rp2040_pins.h): spin locks, FIFOs between the cores, and of each
 * core divider and interpolators ("RP2040 Datasheet", section 2.3.1).
 */
#ifndef PB_MCU_RP2040_SIO_H
#define PB_MCU_RP2040_SIO_H

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_SIO_FIFO = 8, RP2040_CORES = 2 };

struct rp2040_sio_fifo {
    uint32_t word[RP2040_SIO_FIFO];
    uint8_t first, used;
};

struct rp2040_divider {
    uint32_t dividend, divisor, quotient, remainder;
    bool is_signed, dirty;
    uint64_t ready; /* cycle */
};

struct rp2040_interp {
    uint32_t accumulator[2], base[3], ctrl[2];
};

struct rp2040_sio {
    uint32_t locks; /* claimed */
    struct rp2040_sio_core {
        struct rp2040_sio_fifo in; /* for it, from the other core */
        bool full, empty;          /* it wrote a full FIFO; it read an empty one */
        struct rp2040_divider divider;
        struct rp2040_interp interp[2];
    } core[RP2040_CORES];
    const char *trap, *misuse; /* NULL, or what firmware used that is not modelled, or that is forbidden */
};

void rp2040_sio_reset(struct rp2040_sio *sio);
/* Registers from 0x50 on, of a core at a cycle. False: no such register. */
bool rp2040_sio_core_read(struct rp2040_sio *sio, unsigned core, uint64_t cycle, uint32_t offset,
                          uint32_t *value);
bool rp2040_sio_core_write(struct rp2040_sio *sio, unsigned core, uint64_t cycle, uint32_t offset,
                           uint32_t value);
/* Words for a core. False: full, or empty. */
bool rp2040_sio_push(struct rp2040_sio *sio, unsigned to, uint32_t word);
bool rp2040_sio_pop(struct rp2040_sio *sio, unsigned of, uint32_t *word);
/* The interrupt SIO_IRQ_PROC0 or _PROC1. */
bool rp2040_sio_line(const struct rp2040_sio *sio, unsigned core);

#endif
