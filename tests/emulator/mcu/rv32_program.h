/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random programs for RV32IMAFC with machine mode, which run the same on every implementation: no misaligned
 * access, no counter, and a trap handler that returns to the next instruction. Written from the manuals,
 * without the emulator's code.
 */
#ifndef MCU_RV32_PROGRAM_H
#define MCU_RV32_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* The machine that the programs expect: memory, a CLINT, and a register that ends the program. */
enum {
    PROGRAM_BYTES = 0x40000,   /* of memory at PROGRAM_BASE, to which the image is padded */
    PROGRAM_CHANGED = 0x34000, /* from here on the program changes it: half of the variables */
    PROGRAM_STACK = 0x38000,   /* and from here on the other half */
    PROGRAM_FINISH = 0x00100000,
    PROGRAM_FINISHED = 0x5555, /* written to PROGRAM_FINISH at the end */
    PROGRAM_MSIP = 0x02000000,
    PROGRAM_MTIMECMP = 0x02004000, /* 0 raises the interrupt at once, all bits 1 lowers it */
    PROGRAM_NOTHING = 0x08000000   /* no memory and no device for 4 KB */
};
#define PROGRAM_BASE 0x80000000u

struct program {
    uint8_t image[PROGRAM_BYTES];
};

/* Writes the program of a seed: about `instructions` random ones, up to 10000. With `every_compressed` the
 * first of them are compressed instructions in ascending order, from the encoding `first` on. */
void program_random(struct program *program, uint64_t seed, unsigned instructions, bool every_compressed,
                    uint16_t first);

#endif
