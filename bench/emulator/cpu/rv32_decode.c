/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * From instruction words to decoded instructions ("RISC-V Instruction Set Manual", volume I, chapter 24).
 */
#include "bench/emulator/cpu/rv32_op.h"

#include <stdlib.h>

enum { WORD = 2 /* funct3 of accesses of 32 bits */, DYNAMIC = 7 };

/* For tables by funct3: what is not in a table is ILLEGAL. */
#define AT(funct3, name) [funct3] = RV32_##name

static uint8_t known(uint8_t opcode)
{
    return opcode ? opcode : RV32_ILLEGAL;
}

static int32_t i_immediate(uint32_t raw)
{
    return (int32_t)raw >> 20;
}

static int32_t s_immediate(uint32_t raw)
{
    return (int32_t)((uint32_t)((int32_t)raw >> 25) << 5 | (raw >> 7 & 0x1F));
}

static int32_t b_immediate(uint32_t raw)
{
    return (int32_t)((raw >> 31 ? 0xFFFFF000u : 0) | (raw >> 7 & 1) << 11 | (raw >> 25 & 0x3F) << 5 |
                     (raw >> 8 & 0xF) << 1);
}

static int32_t j_immediate(uint32_t raw)
{
    return (int32_t)((raw >> 31 ? 0xFFF00000u : 0) | (raw & 0xFF000) | (raw >> 20 & 1) << 11 |
                     (raw >> 21 & 0x3FF) << 1);
}

static uint8_t immediate_op(uint32_t raw, struct rv32_op *op)
{
    static const uint8_t table[8] = {AT(0, ADDI), AT(2, SLTI), AT(3, SLTIU),
                                     AT(4, XORI), AT(6, ORI),  AT(7, ANDI)};
    const uint32_t funct3 = raw >> 12 & 7, funct7 = raw >> 25;
    op->immediate = i_immediate(raw);
    if (funct3 != 1 && funct3 != 5)
        return table[funct3];
    op->immediate = op->rs2;
    if (funct7 == 0)
        return funct3 == 1 ? RV32_SLLI : RV32_SRLI;
    return funct7 == 0x20 && funct3 == 5 ? RV32_SRAI : RV32_ILLEGAL;
}

static uint8_t register_op(uint32_t raw)
{
    static const uint8_t base[8] = {AT(0, ADD), AT(1, SLL), AT(2, SLT), AT(3, SLTU),
                                    AT(4, XOR), AT(5, SRL), AT(6, OR),  AT(7, AND)};
    static const uint8_t alternative[8] = {AT(0, SUB), AT(5, SRA)};
    static const uint8_t multiply[8] = {AT(0, MUL), AT(1, MULH), AT(2, MULHSU), AT(3, MULHU),
                                        AT(4, DIV), AT(5, DIVU), AT(6, REM),    AT(7, REMU)};
    const uint32_t funct3 = raw >> 12 & 7;
    switch (raw >> 25) {
    case 0x00:
        return base[funct3];
    case 0x01:
        return multiply[funct3];
    case 0x20:
        return alternative[funct3];
    default:
        return RV32_ILLEGAL;
    }
}

static uint8_t atomic_op(uint32_t raw)
{
    static const uint8_t table[32] = {AT(0x00, AMOADD), AT(0x01, AMOSWAP), AT(0x02, LR),     AT(0x03, SC),
                                      AT(0x04, AMOXOR), AT(0x08, AMOOR),   AT(0x0C, AMOAND), AT(0x10, AMOMIN),
                                      AT(0x14, AMOMAX), AT(0x18, AMOMINU), AT(0x1C, AMOMAXU)};
    const uint8_t opcode = table[raw >> 27];
    if ((raw >> 12 & 7) != WORD || (opcode == RV32_LR && (raw >> 20 & 0x1F)))
        return RV32_ILLEGAL;
    return opcode;
}

static uint8_t system_op(uint32_t raw, struct rv32_op *op)
{
    static const uint8_t csr[8] = {AT(1, CSRRW),  AT(2, CSRRS),  AT(3, CSRRC),
                                   AT(5, CSRRWI), AT(6, CSRRSI), AT(7, CSRRCI)};
    const uint32_t funct3 = raw >> 12 & 7;
    if (funct3) {
        op->immediate = (int32_t)(raw >> 20);
        return csr[funct3];
    }
    switch (raw) {
    case 0x00000073:
        return RV32_ECALL;
    case 0x00100073:
        return RV32_EBREAK;
    case 0x10500073:
        return RV32_WFI;
    case 0x30200073:
        return RV32_MRET;
    default:
        return RV32_ILLEGAL;
    }
}

/* An instruction whose field funct3 is the rounding mode. */
static uint8_t rounds(uint8_t opcode, const struct rv32_op *op)
{
    return op->rounding <= 4 || op->rounding == DYNAMIC ? opcode : RV32_ILLEGAL;
}

static uint8_t float_op(uint32_t raw, const struct rv32_op *op)
{
    static const uint8_t sign[8] = {AT(0, FSGNJ), AT(1, FSGNJN), AT(2, FSGNJX)};
    static const uint8_t extreme[8] = {AT(0, FMIN), AT(1, FMAX)};
    static const uint8_t compare[8] = {AT(0, FLE), AT(1, FLT), AT(2, FEQ)};
    static const uint8_t look[8] = {AT(0, FMV_X_W), AT(1, FCLASS)};
    static const uint8_t move[8] = {AT(0, FMV_W_X)};
    const uint32_t funct3 = raw >> 12 & 7, rs2 = op->rs2;
    switch (raw >> 25) {
    case 0x00:
        return rounds(RV32_FADD, op);
    case 0x04:
        return rounds(RV32_FSUB, op);
    case 0x08:
        return rounds(RV32_FMUL, op);
    case 0x0C:
        return rounds(RV32_FDIV, op);
    case 0x2C:
        return rs2 ? RV32_ILLEGAL : rounds(RV32_FSQRT, op);
    case 0x10:
        return sign[funct3];
    case 0x14:
        return extreme[funct3];
    case 0x50:
        return compare[funct3];
    case 0x60:
        return rs2 > 1 ? RV32_ILLEGAL : rounds(rs2 ? RV32_FCVT_WU_S : RV32_FCVT_W_S, op);
    case 0x68:
        return rs2 > 1 ? RV32_ILLEGAL : rounds(rs2 ? RV32_FCVT_S_WU : RV32_FCVT_S_W, op);
    case 0x70:
        return rs2 ? RV32_ILLEGAL : look[funct3];
    case 0x78:
        return rs2 ? RV32_ILLEGAL : move[funct3];
    default:
        return RV32_ILLEGAL;
    }
}

static uint8_t fused_op(uint32_t raw, uint8_t opcode, const struct rv32_op *op)
{
    return raw >> 25 & 3 ? RV32_ILLEGAL : rounds(opcode, op); /* format S, single precision, alone */
}

static uint8_t opcode_of(uint32_t raw, uint32_t pc, struct rv32_op *op)
{
    static const uint8_t load[8] = {AT(0, LB), AT(1, LH), AT(2, LW), AT(4, LBU), AT(5, LHU)};
    static const uint8_t store[8] = {AT(0, SB), AT(1, SH), AT(2, SW)};
    static const uint8_t branch[8] = {AT(0, BEQ), AT(1, BNE),  AT(4, BLT),
                                      AT(5, BGE), AT(6, BLTU), AT(7, BGEU)};
    const uint32_t funct3 = raw >> 12 & 7;
    switch (raw & 0x7F) {
    case 0x03:
        op->immediate = i_immediate(raw);
        return load[funct3];
    case 0x07:
        op->immediate = i_immediate(raw);
        return funct3 == WORD ? RV32_FLW : RV32_ILLEGAL;
    case 0x0F: /* FENCE and FENCE.I: the fields of later extensions are ignored */
        return funct3 <= 1 ? RV32_FENCE : RV32_ILLEGAL;
    case 0x13:
        return immediate_op(raw, op);
    case 0x17: /* AUIPC */
        op->immediate = (int32_t)(pc + (raw & 0xFFFFF000u));
        return RV32_LI;
    case 0x23:
        op->immediate = s_immediate(raw);
        return store[funct3];
    case 0x27:
        op->immediate = s_immediate(raw);
        return funct3 == WORD ? RV32_FSW : RV32_ILLEGAL;
    case 0x2F:
        return atomic_op(raw);
    case 0x33:
        return register_op(raw);
    case 0x37:
        op->immediate = (int32_t)(raw & 0xFFFFF000u);
        return RV32_LI;
    case 0x43:
        return fused_op(raw, RV32_FMADD, op);
    case 0x47:
        return fused_op(raw, RV32_FMSUB, op);
    case 0x4B:
        return fused_op(raw, RV32_FNMSUB, op);
    case 0x4F:
        return fused_op(raw, RV32_FNMADD, op);
    case 0x53:
        return float_op(raw, op);
    case 0x63:
        op->immediate = b_immediate(raw);
        return branch[funct3];
    case 0x67:
        op->immediate = i_immediate(raw);
        return funct3 ? RV32_ILLEGAL : RV32_JALR;
    case 0x6F:
        op->immediate = j_immediate(raw);
        return RV32_JAL;
    case 0x73:
        return system_op(raw, op);
    default:
        return RV32_ILLEGAL;
    }
}

struct rv32_op rv32_decode(uint32_t raw, uint32_t pc)
{
    const bool compressed = rv32_is_compressed(raw);
    const uint32_t word = compressed ? rv32_expand((uint16_t)raw) : raw;
    struct rv32_op op = {.rd = word >> 7 & 0x1F,
                         .rs1 = word >> 15 & 0x1F,
                         .rs2 = word >> 20 & 0x1F,
                         .rs3 = (uint8_t)(word >> 27),
                         .rounding = word >> 12 & 7,
                         .halves = compressed ? 1 : 2,
                         .step = (compressed ? 1 : 2) * sizeof(struct rv32_op),
                         .raw = compressed ? (uint16_t)raw : raw};
    op.opcode = known(opcode_of(word, pc, &op));
    return op;
}

struct pb_rv32_code *pb_rv32_code_create(uint32_t base, const uint8_t *code, uint32_t bytes)
{
    const uint32_t halves = bytes / 2;
    struct pb_rv32_code *decoded = calloc(1, sizeof *decoded + ((size_t)halves + 1) * sizeof decoded->op[0]);
    if (!decoded)
        return NULL;
    decoded->base = base;
    decoded->halves = halves;
    for (uint32_t i = 0; i < halves; i++) {
        uint32_t raw = rv32_get16(code + 2 * (size_t)i);
        if (!rv32_is_compressed(raw)) {
            if (i + 1 == halves)
                break; /* its second half is outside; so OUTSIDE, as what follows */
            raw |= rv32_get16(code + 2 * (size_t)i + 2) << 16;
        }
        decoded->op[i] = rv32_decode(raw, base + 2 * i);
    }
    return decoded;
}

void pb_rv32_code_destroy(struct pb_rv32_code *code)
{
    free(code);
}
