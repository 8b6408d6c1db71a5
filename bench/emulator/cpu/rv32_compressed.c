/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C extension: each compressed instruction is expanded to the 32-bit one that it represents ("RISC-V
 * Instruction Set Manual", volume I, chapter 16). HINTs expand to instructions that write x0.
 */
#include "bench/emulator/cpu/rv32_op.h"

enum {
    OP_LOAD = 0x03,
    OP_FLW = 0x07,
    OP_IMM = 0x13,
    OP_STORE = 0x23,
    OP_FSW = 0x27,
    OP_REG = 0x33,
    OP_LUI = 0x37,
    OP_BRANCH = 0x63,
    OP_JALR = 0x67,
    OP_JAL = 0x6F,
    RA = 1,
    SP = 2,
    WORD = 2 /* funct3 of LW, FLW, SW, FSW */
};
#define EBREAK 0x00100073u
#define FUNCT7_ALT 0x20u /* SUB, SRA, SRAI */

/* Bits high..low of the instruction, moved up to bit `to`. */
static uint32_t field(uint32_t c, int high, int low, int to)
{
    return (c >> low & ((1u << (high - low + 1)) - 1)) << to;
}

static uint32_t sign_extended(uint32_t value, int bits)
{
    const uint32_t sign = 1u << (bits - 1);
    return (value ^ sign) - sign;
}

static uint32_t r_type(uint32_t funct7, uint32_t rs2, uint32_t rs1, uint32_t funct3, uint32_t rd)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | OP_REG;
}

static uint32_t i_type(uint32_t immediate, uint32_t rs1, uint32_t funct3, uint32_t rd, uint32_t opcode)
{
    return immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static uint32_t s_type(uint32_t immediate, uint32_t rs2, uint32_t rs1, uint32_t opcode)
{
    return (immediate >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | WORD << 12 | (immediate & 0x1F) << 7 |
           opcode;
}

static uint32_t branch(uint32_t offset, uint32_t rs1, uint32_t funct3)
{
    return (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25 | rs1 << 15 | funct3 << 12 |
           (offset >> 1 & 0xF) << 8 | (offset >> 11 & 1) << 7 | OP_BRANCH;
}

static uint32_t jal(uint32_t offset, uint32_t rd)
{
    return (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20 |
           (offset >> 12 & 0xFF) << 12 | rd << 7 | OP_JAL;
}

static uint32_t quadrant_0(uint32_t c)
{
    const uint32_t rd = 8 + field(c, 4, 2, 0), rs1 = 8 + field(c, 9, 7, 0);
    const uint32_t offset = field(c, 5, 5, 6) | field(c, 12, 10, 3) | field(c, 6, 6, 2);
    const uint32_t stack = field(c, 10, 7, 6) | field(c, 12, 11, 4) | field(c, 5, 5, 3) | field(c, 6, 6, 2);
    switch (c >> 13) {
    case 0: /* C.ADDI4SPN */
        return stack ? i_type(stack, SP, 0, rd, OP_IMM) : 0;
    case 2:
        return i_type(offset, rs1, WORD, rd, OP_LOAD);
    case 3:
        return i_type(offset, rs1, WORD, rd, OP_FLW);
    case 6:
        return s_type(offset, rd, rs1, OP_STORE);
    case 7:
        return s_type(offset, rd, rs1, OP_FSW);
    default:
        return 0;
    }
}

/* C.SRLI, C.SRAI, C.ANDI and those of two registers. */
static uint32_t arithmetic(uint32_t c, uint32_t immediate)
{
    const uint32_t rd = 8 + field(c, 9, 7, 0), rs2 = 8 + field(c, 4, 2, 0);
    const uint32_t kind = field(c, 11, 10, 0);
    if (kind == 2)
        return i_type(immediate, rd, 7, rd, OP_IMM);
    if (c >> 12 & 1) /* a shift by 32 or more, or an instruction of RV64 */
        return 0;
    if (kind < 2)
        return i_type((kind ? FUNCT7_ALT << 5 : 0) | (immediate & 0x1F), rd, 5, rd, OP_IMM);
    static const uint8_t funct3[] = {0, 4, 6, 7};
    const uint32_t which = field(c, 6, 5, 0);
    return r_type(which ? 0 : FUNCT7_ALT, rs2, rd, funct3[which], rd);
}

static uint32_t quadrant_1(uint32_t c)
{
    const uint32_t rd = field(c, 11, 7, 0);
    const uint32_t immediate = sign_extended(field(c, 12, 12, 5) | field(c, 6, 2, 0), 6);
    const uint32_t jump =
        sign_extended(field(c, 12, 12, 11) | field(c, 8, 8, 10) | field(c, 10, 9, 8) | field(c, 6, 6, 7) |
                          field(c, 7, 7, 6) | field(c, 2, 2, 5) | field(c, 11, 11, 4) | field(c, 5, 3, 1),
                      12);
    const uint32_t near = sign_extended(field(c, 12, 12, 8) | field(c, 6, 5, 6) | field(c, 2, 2, 5) |
                                            field(c, 11, 10, 3) | field(c, 4, 3, 1),
                                        9);
    const uint32_t stack = sign_extended(field(c, 12, 12, 9) | field(c, 4, 3, 7) | field(c, 5, 5, 6) |
                                             field(c, 2, 2, 5) | field(c, 6, 6, 4),
                                         10);
    switch (c >> 13) {
    case 0: /* C.ADDI, C.NOP */
        return i_type(immediate, rd, 0, rd, OP_IMM);
    case 1:
        return jal(jump, RA);
    case 2: /* C.LI */
        return i_type(immediate, 0, 0, rd, OP_IMM);
    case 3: /* C.LUI, C.ADDI16SP */
        if (!immediate)
            return 0;
        return rd == SP ? i_type(stack, SP, 0, SP, OP_IMM) : immediate << 12 | rd << 7 | OP_LUI;
    case 4:
        return arithmetic(c, immediate);
    case 5:
        return jal(jump, 0);
    default: /* C.BEQZ, C.BNEZ */
        return branch(near, 8 + field(c, 9, 7, 0), c >> 13 & 1);
    }
}

static uint32_t quadrant_2(uint32_t c)
{
    const uint32_t rd = field(c, 11, 7, 0), rs2 = field(c, 6, 2, 0);
    const bool link = c >> 12 & 1;
    const uint32_t load = field(c, 3, 2, 6) | field(c, 12, 12, 5) | field(c, 6, 4, 2);
    const uint32_t store = field(c, 8, 7, 6) | field(c, 12, 9, 2);
    switch (c >> 13) {
    case 0: /* C.SLLI; by 32 or more: not in RV32 */
        return link ? 0 : i_type(rs2, rd, 1, rd, OP_IMM);
    case 2:
        return rd ? i_type(load, SP, WORD, rd, OP_LOAD) : 0;
    case 3:
        return i_type(load, SP, WORD, rd, OP_FLW);
    case 4:
        if (rs2) /* C.ADD, C.MV */
            return r_type(0, rs2, link ? rd : 0, 0, rd);
        if (rd) /* C.JALR, C.JR */
            return i_type(0, rd, 0, link ? RA : 0, OP_JALR);
        return link ? EBREAK : 0;
    case 6:
        return s_type(store, rs2, SP, OP_STORE);
    case 7:
        return s_type(store, rs2, SP, OP_FSW);
    default:
        return 0;
    }
}

uint32_t rv32_expand(uint16_t compressed)
{
    switch (compressed & 3) {
    case 0:
        return quadrant_0(compressed);
    case 1:
        return quadrant_1(compressed);
    default:
        return quadrant_2(compressed);
    }
}
