/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of RV32 in their formats, and a list of them, of which some need the address of another. There
 * is one list at a time.
 */
#ifndef MCU_RV32_LIST_H
#define MCU_RV32_LIST_H

#include <stdint.h>

/* What in the instruction depends on its target: nothing, an offset, its address as LUI and ADDI make it. */
enum form { PLAIN, BRANCH, JAL, C_JUMP, C_BRANCH, UPPER, LOWER };

void list_clear(void);
/* The number that the next instruction gets. */
unsigned list_next(void);
/* Appends an instruction of 2 or 4 bytes; `target` is the number of another, perhaps of a later one. */
void put(enum form form, uint32_t word, unsigned bytes, unsigned target);
void full(uint32_t word); /* PLAIN, of 4 bytes */
void half(uint32_t word); /* PLAIN, of 2 bytes */
void list_retarget(unsigned number, unsigned target);
/* Bytes of all instructions so far. */
uint32_t list_bytes(void);
/* Writes the list; the first instruction is at address `base` and at image[0]. */
void list_write(uint8_t *image, uint32_t base);

/* ---- formats */
static inline uint32_t r_type(uint32_t opcode, uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1,
                              uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate)
{
    return (uint32_t)immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t s_type(uint32_t opcode, uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t immediate)
{
    const uint32_t bits = (uint32_t)immediate;
    return (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | opcode;
}

static inline uint32_t addi(uint32_t rd, uint32_t rs1, int32_t immediate)
{
    return i_type(0x13, 0, rd, rs1, immediate);
}

static inline uint32_t lui(uint32_t rd, uint32_t value)
{
    return (value & 0xFFFFF000) | rd << 7 | 0x37;
}

static inline uint32_t sw(uint32_t rs1, uint32_t rs2, int32_t offset)
{
    return s_type(0x23, 2, rs1, rs2, offset);
}

/* funct3: 1 write, 2 set, 3 clear; 5, 6, 7 with an immediate operand */
static inline uint32_t csr(uint32_t funct3, uint32_t rd, uint32_t number, uint32_t operand)
{
    return number << 20 | operand << 15 | funct3 << 12 | rd << 7 | 0x73;
}

#endif
