/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * IEEE 754 binary32 as the F extension of RISC-V has it: every NaN result is 0x7FC00000, and a result is tiny
 * if it is below 2^-126 after rounding to 24 bits. Integer arithmetic only: the host's floating point has no
 * effect.
 *
 * Operands and results are bit patterns. Each function adds the flags that it raises to *flags, which may
 * have other bits. `rounding` is one of the five modes.
 */
#ifndef PB_MCU_FLOAT32_H
#define PB_MCU_FLOAT32_H

#include <stdbool.h>
#include <stdint.h>

/* As in the field rm of an instruction. */
enum pb_f32_rounding { PB_F32_RNE, PB_F32_RTZ, PB_F32_RDN, PB_F32_RUP, PB_F32_RMM, PB_F32_ROUNDINGS };

/* As in fcsr. */
enum { PB_F32_NX = 1, PB_F32_UF = 2, PB_F32_OF = 4, PB_F32_DZ = 8, PB_F32_NV = 16 };

#define PB_F32_NAN 0x7FC00000u
#define PB_F32_SIGN 0x80000000u

uint32_t pb_f32_add(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags);
uint32_t pb_f32_mul(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags);
/* a * b + c, rounded once. */
uint32_t pb_f32_madd(uint32_t a, uint32_t b, uint32_t c, unsigned rounding, uint32_t *flags);
uint32_t pb_f32_div(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags);
uint32_t pb_f32_sqrt(uint32_t a, unsigned rounding, uint32_t *flags);

/* FMIN.S and FMAX.S: of a NaN and a number the number; -0 is below +0. */
uint32_t pb_f32_min(uint32_t a, uint32_t b, uint32_t *flags);
uint32_t pb_f32_max(uint32_t a, uint32_t b, uint32_t *flags);
/* FEQ.S is quiet: only a signalling NaN raises NV. For the other two each NaN does. */
bool pb_f32_eq(uint32_t a, uint32_t b, uint32_t *flags);
bool pb_f32_lt(uint32_t a, uint32_t b, uint32_t *flags);
bool pb_f32_le(uint32_t a, uint32_t b, uint32_t *flags);
/* FCLASS.S: one bit of ten. */
uint32_t pb_f32_class(uint32_t a);

/* Beyond the range of the integer: its nearest end, of a NaN the upper one, and NV. */
uint32_t pb_f32_to_int(uint32_t a, bool is_signed, unsigned rounding, uint32_t *flags);
uint32_t pb_f32_from_int(uint32_t value, bool is_signed, unsigned rounding, uint32_t *flags);

#endif
