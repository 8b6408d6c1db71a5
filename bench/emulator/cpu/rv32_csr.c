/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Control and status registers of a hart that has machine mode alone ("RISC-V Instruction Set Manual",
 * volume II).
 */
#include "bench/emulator/cpu/rv32_op.h"

enum csr {
    FFLAGS = 0x001,
    FRM = 0x002,
    FCSR = 0x003,
    MSTATUS = 0x300,
    MISA = 0x301,
    MIE = 0x304,
    MTVEC = 0x305,
    MSTATUSH = 0x310,
    MCOUNTINHIBIT = 0x320,
    MHPMEVENT3 = 0x323,
    MHPMEVENT31 = 0x33F,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343,
    MCYCLE = 0xB00,
    MINSTRET = 0xB02,
    MHPMCOUNTER3 = 0xB03,
    MHPMCOUNTER31 = 0xB1F,
    MCYCLEH = 0xB80,
    MINSTRETH = 0xB82,
    MHPMCOUNTER3H = 0xB83,
    MHPMCOUNTER31H = 0xB9F,
    CYCLE = 0xC00,
    INSTRET = 0xC02,
    HPMCOUNTER3 = 0xC03,
    HPMCOUNTER31 = 0xC1F,
    CYCLEH = 0xC80,
    INSTRETH = 0xC82,
    HPMCOUNTER3H = 0xC83,
    HPMCOUNTER31H = 0xC9F,
    MVENDORID = 0xF11,
    MCONFIGPTR = 0xF15
};

enum { FLAGS = 0x1F, RM_SHIFT = 5, RM = 7 << RM_SHIFT, EXTENSION_A = 1 << 0 };
#define MISA_VALUE                                                                                           \
    (1u << 30 | 1u << ('M' - 'A') | 1u << ('I' - 'A') | 1u << ('F' - 'A') | 1u << ('C' - 'A') | EXTENSION_A)

/* Registers that always read as 0: no such counter, no such feature, or not assigned. */
static bool is_zero(uint32_t number)
{
    return number == MSTATUSH || number == MCOUNTINHIBIT || (number >= MHPMEVENT3 && number <= MHPMEVENT31) ||
           (number >= MHPMCOUNTER3 && number <= MHPMCOUNTER31) ||
           (number >= MHPMCOUNTER3H && number <= MHPMCOUNTER31H) ||
           (number >= HPMCOUNTER3 && number <= HPMCOUNTER31) ||
           (number >= HPMCOUNTER3H && number <= HPMCOUNTER31H) ||
           (number >= MVENDORID && number <= MCONFIGPTR);
}

static bool is_of_float(uint32_t number)
{
    return number == FFLAGS || number == FRM || number == FCSR;
}

bool rv32_csr_read(const struct pb_rv32 *hart, uint32_t number, uint32_t *value)
{
    const uint64_t cycle = hart->cycle - hart->mcycle_begin;
    const uint64_t retired = hart->instructions - hart->minstret_begin;
    if (is_of_float(number) && !(hart->mstatus & RV32_MSTATUS_FS))
        return false;
    switch (number) {
    case FFLAGS:
        *value = hart->fcsr & FLAGS;
        return true;
    case FRM:
        *value = hart->fcsr >> RM_SHIFT;
        return true;
    case FCSR:
        *value = hart->fcsr;
        return true;
    case MSTATUS:
        *value = hart->mstatus;
        return true;
    case MISA:
        *value = MISA_VALUE;
        return true;
    case MIE:
        *value = hart->mie;
        return true;
    case RV32_CSR_MIP:
        *value = hart->mip;
        return true;
    case MTVEC:
        *value = hart->mtvec;
        return true;
    case MSCRATCH:
        *value = hart->mscratch;
        return true;
    case MEPC:
        *value = hart->mepc;
        return true;
    case MCAUSE:
        *value = hart->mcause;
        return true;
    case MTVAL:
        *value = hart->mtval;
        return true;
    case MCYCLE:
    case CYCLE:
        *value = (uint32_t)cycle;
        return true;
    case MCYCLEH:
    case CYCLEH:
        *value = (uint32_t)(cycle >> 32);
        return true;
    case MINSTRET:
    case INSTRET:
        *value = (uint32_t)retired;
        return true;
    case MINSTRETH:
    case INSTRETH:
        *value = (uint32_t)(retired >> 32);
        return true;
    default:
        *value = 0;
        return is_zero(number);
    }
}

static void write_fcsr(struct pb_rv32 *hart, uint32_t value)
{
    hart->fcsr = value;
    hart->mstatus |= RV32_MSTATUS_FS | RV32_MSTATUS_SD;
}

static void write_mstatus(struct pb_rv32 *hart, uint32_t value)
{
    const uint32_t writable = RV32_MSTATUS_MIE | RV32_MSTATUS_MPIE | RV32_MSTATUS_FS;
    const bool dirty = (value & RV32_MSTATUS_FS) == RV32_MSTATUS_FS;
    hart->mstatus = (value & writable) | RV32_MSTATUS_MPP | (dirty ? RV32_MSTATUS_SD : 0);
}

/* Where a counter was 0, if one half of it is to have this value `now`; the other half has counted on. */
static uint64_t begin_of(uint64_t begin, uint64_t now, uint32_t value, bool high)
{
    const uint64_t count = now - begin;
    return now - (high ? (uint64_t)value << 32 | (uint32_t)count : (count >> 32 << 32) | value);
}

/* A written value is that after the instruction. */
static void write_cycle(struct pb_rv32 *hart, uint32_t value, bool high)
{
    hart->mcycle_begin = begin_of(hart->mcycle_begin, hart->cycle + hart->costs->csr, value, high);
}

static void write_instret(struct pb_rv32 *hart, uint32_t value, bool high)
{
    hart->minstret_begin = begin_of(hart->minstret_begin, hart->instructions + 1, value, high);
}

bool rv32_csr_write(struct pb_rv32 *hart, uint32_t number, uint32_t value)
{
    uint32_t present;
    if (number >> 10 == 3 || !rv32_csr_read(hart, number, &present))
        return false;
    switch (number) {
    case FFLAGS:
        write_fcsr(hart, (hart->fcsr & RM) | (value & FLAGS));
        break;
    case FRM:
        write_fcsr(hart, (hart->fcsr & FLAGS) | (value << RM_SHIFT & RM));
        break;
    case FCSR:
        write_fcsr(hart, value & (RM | FLAGS));
        break;
    case MSTATUS:
        write_mstatus(hart, value);
        break;
    case MIE:
        hart->mie = value & RV32_INTERRUPTS;
        break;
    case MTVEC: /* direct or vectored */
        hart->mtvec = value & ~2u;
        break;
    case MSCRATCH:
        hart->mscratch = value;
        break;
    case MEPC:
        hart->mepc = value & ~1u;
        break;
    case MCAUSE:
        hart->mcause = value;
        break;
    case MTVAL:
        hart->mtval = value;
        break;
    case MCYCLE:
    case MCYCLEH:
        write_cycle(hart, value, number == MCYCLEH);
        break;
    case MINSTRET:
    case MINSTRETH:
        write_instret(hart, value, number == MINSTRETH);
        break;
    default: /* misa, mip and what reads as 0 keep their values */
        break;
    }
    return true;
}
