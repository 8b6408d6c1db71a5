/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A RISC-V hart, RV32IMAFC with Zicsr and Zifencei, machine mode only; little endian, no MMU, no PMP.
 * "The RISC-V Instruction Set Manual", volumes I (20191213) and II (20211203).
 *
 * Timing: each instruction costs the cycles of its class in struct pb_rv32_costs and the waits of its memory.
 * No pipeline, cache or contention is modelled beyond that.
 *
 * Where the manual leaves a choice: local interrupts come after the standard ones, the lowest number first. A
 * misaligned access is an exception. LR, SC and AMO reach memory only; elsewhere they are access faults. The
 * CSR time does not exist. The counters 3 to 31 are 0. EBREAK and ECALL leave mtval 0. Each F instruction but
 * FSW, FMV.X.W and FCLASS.S makes mstatus.FS dirty.
 */
#ifndef PB_MCU_RV32_H
#define PB_MCU_RV32_H

#include "bench/emulator/cpu/cpu.h"

#include <stddef.h>

/* X(class): cycles of an instruction, at least 1. interrupt: entry into any trap. alu: also LUI and AUIPC;
 * fence: also WFI; amo: also LR and SC; f_add: also FSUB; f_move: also comparison, minimum, maximum, sign and
 * class. */
#define PB_RV32_COST_LIST(X)                                                                                 \
    X(alu) X(load) X(store) X(branch) X(branch_taken) X(jump) X(mul) X(div) X(amo) X(csr) X(fence)           \
    X(f_add) X(f_mul) X(f_madd) X(f_div) X(f_sqrt) X(f_move) X(f_convert) X(mret) X(interrupt)
struct pb_rv32_costs {
#define PB_RV32_COST(name) uint8_t name;
    PB_RV32_COST_LIST(PB_RV32_COST)
#undef PB_RV32_COST
};

/* Read-only code, decoded once and shared by all harts that execute it. */
struct pb_rv32_code;
/* Decodes `bytes` of code at a word-aligned base. NULL: out of memory. */
struct pb_rv32_code *pb_rv32_code_create(uint32_t base, const uint8_t *code, uint32_t bytes);
void pb_rv32_code_destroy(struct pb_rv32_code *code);

struct pb_rv32 {
    uint32_t x[32], f[32], pc;
    uint64_t cycle;        /* at which the next instruction begins */
    uint64_t instructions; /* executed */
    uint64_t idle;         /* cycles asleep */
    uint32_t mstatus, mie, mip, mtvec, mscratch, mepc, mcause, mtval, fcsr;
    uint32_t reserved; /* address of LR, or 1: none */
    uint64_t mcycle_begin, minstret_begin; /* where the counters mcycle and minstret were 0 */
    uint64_t interrupt_cycles, longest_interrupt; /* from the entry of an interrupt to its MRET */
    uint64_t interrupted;                         /* cycle of the outermost trap's entry */
    uint32_t traps_open;                          /* entered without an MRET so far */
    bool interrupt_open;                          /* the outermost one is an interrupt */
    bool asleep;
    struct pb_mcu_trap trap;
    uint64_t until; /* of the run in progress */
    /* Set by the owner before reset: */
    bool strict; /* illegal instructions, misaligned and faulting accesses stop it (PB_MCU_TRAPPED); else they
                  * are exceptions, as in silicon */
    const struct pb_rv32_costs *costs;
    const struct pb_rv32_code *code; /* where it executes fast; elsewhere it decodes each instruction */
    struct pb_mcu_bus bus;
};

/* Resets registers and CSRs; `cycle` continues. */
void pb_rv32_reset(struct pb_rv32 *hart, uint32_t pc);

/* Levels of the interrupt lines, bits of mip: 3 software, 7 timer, 11 external, 16..31 local. May be called
 * from a device access. */
void pb_rv32_lines(struct pb_rv32 *hart, uint32_t lines);

/* May be called from a device access: from now on the lines are known only until this cycle. Lowers `until`
 * of the run in progress; a later cycle has no effect. */
void pb_rv32_until(struct pb_rv32 *hart, uint64_t until);

/* Executes the instructions that begin before `until`, and then those before `ahead` (if later) that nothing
 * outside the hart could affect or see: no interrupt can be taken, mip is not read, no device is accessed,
 * and `strict` does not stop it. So a caller that knows the lines until `until` gets the earliest later cycle
 * at which the hart matters. Returns with hart->cycle at the next instruction; PB_MCU_ASLEEP with hart->cycle
 * at `until`, or later. */
enum pb_mcu_stop pb_rv32_run(struct pb_rv32 *hart, uint64_t until, uint64_t ahead);

/* False: asleep, and no line wakes it; pb_rv32_run then does what pb_rv32_sleep does. */
static inline bool pb_rv32_acts(const struct pb_rv32 *hart)
{
    return !hart->asleep || hart->mip & hart->mie;
}

static inline void pb_rv32_sleep(struct pb_rv32 *hart, uint64_t until)
{
    if (hart->cycle >= until)
        return;
    hart->idle += until - hart->cycle;
    hart->cycle = until;
}

#endif
