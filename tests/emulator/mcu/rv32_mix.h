/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random instructions of all classes, appended to the list of rv32_list.h.
 *
 * Fixed registers: sp and s0 point into the middle of 4 KB that the program changes, s1 of 4 KB of constants.
 * The trap handler and short sequences use gp and tp. All others are random. mstatus is never read,
 * and mepc only written by the handler: QEMU lets MPP and the lowest bit of mepc be what this hart does not
 * have.
 */
#ifndef MCU_RV32_MIX_H
#define MCU_RV32_MIX_H

#include <stdbool.h>
#include <stdint.h>

enum { SP = 2, GP = 3, TP = 4, S0 = 8, S1 = 9 };

void mix_seed(uint64_t seed);
/* An instruction, or a short sequence. */
void mix_one(void);

bool chance(uint32_t percent);
bool is_free(uint32_t rd);
/* From -2048 to 2047, aligned. */
int32_t offset(uint32_t bytes);
uint32_t random_float(void);
uint32_t random_integer(void);
/* LUI and ADDI. */
void load_value(uint32_t rd, uint32_t value);
/* Whether a compressed instruction, or reserved encoding, neither jumps nor changes a fixed register. */
bool tame(uint32_t c);

#endif
