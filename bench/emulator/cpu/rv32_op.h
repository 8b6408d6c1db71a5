/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decoded RV32IMAFC instructions, and what the files of the hart share; private to it.
 */
#ifndef PB_MCU_RV32_OP_H
#define PB_MCU_RV32_OP_H

#include "bench/emulator/cpu/rv32.h"

/* X(instruction). OUTSIDE is no instruction: what follows is not in this array. */
#define RV32_OP_LIST(X)                                                                                      \
    X(OUTSIDE)                                                                                               \
    X(ILLEGAL)                                                                                               \
    X(LI) X(JAL) X(JALR) X(BEQ) X(BNE) X(BLT) X(BGE) X(BLTU) X(BGEU) X(LB) X(LH) X(LW) X(LBU) X(LHU) X(FLW)  \
        X(SB) X(SH) X(SW) X(FSW) X(ADDI) X(SLTI) X(SLTIU) X(XORI) X(ORI) X(ANDI) X(SLLI) X(SRLI) X(SRAI)     \
            X(ADD) X(SUB) X(SLL) X(SLT) X(SLTU) X(XOR) X(SRL) X(SRA) X(OR) X(AND) X(MUL) X(MULH) X(MULHSU)   \
                X(MULHU) X(DIV) X(DIVU) X(REM) X(REMU) X(FENCE) X(ECALL) X(EBREAK) X(MRET) X(WFI) X(CSRRW)   \
                    X(CSRRS) X(CSRRC) X(CSRRWI) X(CSRRSI) X(CSRRCI) X(LR) X(SC) X(AMOSWAP) X(AMOADD)         \
                        X(AMOXOR) X(AMOAND) X(AMOOR) X(AMOMIN) X(AMOMAX) X(AMOMINU) X(AMOMAXU) X(FADD)       \
                            X(FSUB) X(FMUL) X(FDIV) X(FSQRT) X(FMADD) X(FMSUB) X(FNMSUB) X(FNMADD) X(FSGNJ)  \
                                X(FSGNJN) X(FSGNJX) X(FMIN) X(FMAX) X(FEQ) X(FLT) X(FLE) X(FCLASS)           \
                                    X(FCVT_W_S) X(FCVT_WU_S) X(FCVT_S_W) X(FCVT_S_WU) X(FMV_X_W) X(FMV_W_X)

enum rv32_opcode {
#define RV32_OP_ENUM(name) RV32_##name,
    RV32_OP_LIST(RV32_OP_ENUM)
#undef RV32_OP_ENUM
};

struct rv32_op {
    uint8_t opcode;
    uint8_t rd, rs1, rs2, rs3;
    uint8_t rounding; /* field rm of an F instruction: 0..4, or 7: as fcsr says */
    uint8_t halves;   /* of 16 bits: 1 or 2 */
    uint8_t step;     /* bytes to the next instruction in an array that has an element for each half */
    /* LI (also LUI, AUIPC): the value. Shifts: the amount. CSR: the number; rs1 is the immediate operand. */
    int32_t immediate;
    uint32_t raw; /* as in memory: 16 or 32 bits */
};

/* Decodes the instruction at pc; of a compressed one only the low 16 bits of raw are used. */
struct rv32_op rv32_decode(uint32_t raw, uint32_t pc);

/* The 32-bit instruction that the compressed one represents; 0, which is illegal, for a reserved encoding. */
uint32_t rv32_expand(uint16_t compressed);

static inline bool rv32_is_compressed(uint32_t raw)
{
    return (raw & 3) != 3;
}

struct pb_rv32_code {
    uint32_t base;
    uint32_t halves; /* elements of op, without the last one, an OUTSIDE */
    struct rv32_op op[];
};

/* rv32_csr.c. False: there is no such CSR, it is read-only, or F is off. A read comes before the instruction,
 * a write after it. */
bool rv32_csr_read(const struct pb_rv32 *hart, uint32_t number, uint32_t *value);
bool rv32_csr_write(struct pb_rv32 *hart, uint32_t number, uint32_t value);

enum {
    RV32_MSTATUS_MIE = 1 << 3,
    RV32_MSTATUS_MPIE = 1 << 7,
    RV32_MSTATUS_MPP = 3 << 11, /* always machine mode */
    RV32_MSTATUS_FS = 3 << 13,
    RV32_CSR_MIP = 0x344
};
#define RV32_MSTATUS_SD 0x80000000u
#define RV32_INTERRUPTS 0xFFFF0888u /* the bits of mip and mie */

/* rv32_access.c: what an access to memory or a device came to. */
enum rv32_outcome {
    RV32_DONE,
    RV32_HELD,     /* it reaches a device at or after `until`: nothing was done */
    RV32_EXCEPTION /* `cause` and `value` say which */
};

enum rv32_cause {
    RV32_CAUSE_FETCH_FAULT = 1,
    RV32_CAUSE_ILLEGAL_INSTRUCTION = 2,
    RV32_CAUSE_BREAKPOINT = 3,
    RV32_CAUSE_LOAD_MISALIGNED = 4,
    RV32_CAUSE_LOAD_FAULT = 5,
    RV32_CAUSE_STORE_MISALIGNED = 6, /* also of AMO and SC */
    RV32_CAUSE_STORE_FAULT = 7,
    RV32_CAUSE_ECALL = 11
};

struct rv32_exception {
    enum rv32_cause cause;
    uint32_t value; /* for mtval */
};

/* Executes a load, a store, LR, SC or an AMO at hart->cycle, its cost included, without moving hart->pc. */
enum rv32_outcome rv32_access(struct pb_rv32 *hart, const struct rv32_op *op, uint64_t until,
                              struct rv32_exception *exception);
/* Reads 16 bits of code. False: pc is outside memory. */
bool rv32_fetch(const struct pb_rv32 *hart, uint32_t pc, uint32_t *half);

/* rv32_trap.c. Enters the interrupt that is due and comes first. */
void rv32_enter_interrupt(struct pb_rv32 *hart);
/* Enters the handler of an exception. False: the hart is strict and stops. hart->trap is filled before
 * `until`; later the instruction is held. */
bool rv32_raise(struct pb_rv32 *hart, const struct rv32_exception *exception);
/* MRET */
void rv32_leave_trap(struct pb_rv32 *hart);

static inline bool rv32_interrupt_is_due(const struct pb_rv32 *hart)
{
    return (hart->mstatus & RV32_MSTATUS_MIE) && (hart->mip & hart->mie);
}

/* Whether some levels of the lines would interrupt it. */
static inline bool rv32_can_be_interrupted(const struct pb_rv32 *hart)
{
    return (hart->mstatus & RV32_MSTATUS_MIE) && hart->mie;
}

/* Little endian, on any host. */
static inline uint32_t rv32_get16(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8;
}

static inline uint32_t rv32_get32(const uint8_t *data)
{
    return rv32_get16(data) | rv32_get16(data + 2) << 16;
}

static inline void rv32_put16(uint8_t *data, uint32_t value)
{
    data[0] = (uint8_t)value;
    data[1] = (uint8_t)(value >> 8);
}

static inline void rv32_put32(uint8_t *data, uint32_t value)
{
    rv32_put16(data, value);
    rv32_put16(data + 2, value >> 16);
}

#endif
