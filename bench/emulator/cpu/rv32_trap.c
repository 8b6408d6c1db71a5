/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset, interrupt lines, entry into traps and return ("RISC-V Instruction Set Manual", volume II, 3.1).
 */
#include "bench/emulator/cpu/rv32_op.h"

#include <string.h>

enum { NO_RESERVATION = 1, VECTORED = 1, MCAUSE_INTERRUPT_SHIFT = 31 };

void pb_rv32_reset(struct pb_rv32 *hart, uint32_t pc)
{
    memset(hart->x, 0, sizeof hart->x);
    memset(hart->f, 0, sizeof hart->f);
    hart->pc = pc;
    hart->mcycle_begin = hart->cycle;
    hart->minstret_begin = hart->instructions;
    hart->mstatus = RV32_MSTATUS_MPP;
    hart->mie = hart->mtvec = hart->mscratch = hart->mepc = hart->mcause = hart->mtval = hart->fcsr = 0;
    hart->reserved = NO_RESERVATION;
    hart->traps_open = 0;
    hart->asleep = false;
    hart->trap = (struct pb_mcu_trap){0};
}

void pb_rv32_lines(struct pb_rv32 *hart, uint32_t lines)
{
    hart->mip = lines & RV32_INTERRUPTS;
}

void pb_rv32_until(struct pb_rv32 *hart, uint64_t until)
{
    if (until < hart->until)
        hart->until = until;
}

static void enter(struct pb_rv32 *hart, bool interrupt, uint32_t cause, uint32_t value)
{
    const uint32_t base = hart->mtvec & ~3u, mstatus = hart->mstatus;
    if (!hart->traps_open++) {
        hart->interrupted = hart->cycle;
        hart->interrupt_open = interrupt;
    }
    hart->mepc = hart->pc;
    hart->mcause = (uint32_t)interrupt << MCAUSE_INTERRUPT_SHIFT | cause;
    hart->mtval = value;
    hart->mstatus = mstatus & ~(uint32_t)(RV32_MSTATUS_MIE | RV32_MSTATUS_MPIE);
    if (mstatus & RV32_MSTATUS_MIE)
        hart->mstatus |= RV32_MSTATUS_MPIE;
    hart->pc = interrupt && (hart->mtvec & VECTORED) ? base + 4 * cause : base;
    hart->cycle += hart->costs->interrupt;
}

void rv32_enter_interrupt(struct pb_rv32 *hart)
{
    enum { EXTERNAL = 11 };
    const uint32_t due = hart->mip & hart->mie;
    uint32_t cause = (uint32_t)__builtin_ctz(due); /* the timer's bit is above the one for software */
    if (due >> EXTERNAL & 1)
        cause = EXTERNAL;
    enter(hart, true, cause, 0);
}

void rv32_leave_trap(struct pb_rv32 *hart)
{
    const bool enabled = hart->mstatus & RV32_MSTATUS_MPIE;
    hart->mstatus &= ~(uint32_t)RV32_MSTATUS_MIE;
    hart->mstatus |= RV32_MSTATUS_MPIE | (enabled ? RV32_MSTATUS_MIE : 0);
    hart->pc = hart->mepc;
    hart->cycle += hart->costs->mret;
    hart->instructions++;
    if (hart->traps_open && !--hart->traps_open && hart->interrupt_open) {
        const uint64_t cycles = hart->cycle - hart->interrupted;
        hart->interrupt_cycles += cycles;
        if (cycles > hart->longest_interrupt)
            hart->longest_interrupt = cycles;
    }
}

static bool stops(const struct pb_rv32 *hart, enum rv32_cause cause)
{
    return hart->strict && cause != RV32_CAUSE_ECALL && cause != RV32_CAUSE_BREAKPOINT;
}

/* Registers that a hart with machine mode may have beyond those of this one: physical memory protection,
 * triggers, and what the manufacturer of the core adds. */
static bool is_other_csr(uint32_t instruction)
{
    const uint32_t number = instruction >> 20;
    return (instruction & 0x7F) == 0x73 && instruction >> 12 & 3 &&
           ((number >= 0x3A0 && number <= 0x3EF) || (number >= 0x7A0 && number <= 0x7FF) ||
            (number >= 0xBC0 && number <= 0xBFF) || number >= 0xFC0);
}

static enum pb_mcu_trap_kind kind_of(const struct rv32_exception *exception)
{
    switch (exception->cause) {
    case RV32_CAUSE_FETCH_FAULT:
        return PB_MCU_FETCH_FAULT;
    case RV32_CAUSE_LOAD_FAULT:
        return PB_MCU_READ_FAULT;
    case RV32_CAUSE_STORE_FAULT:
        return PB_MCU_WRITE_FAULT;
    case RV32_CAUSE_LOAD_MISALIGNED:
    case RV32_CAUSE_STORE_MISALIGNED:
        return PB_MCU_MISALIGNED;
    default:
        return is_other_csr(exception->value) ? PB_MCU_GAP : PB_MCU_ILLEGAL;
    }
}

bool rv32_raise(struct pb_rv32 *hart, const struct rv32_exception *exception)
{
    if (!stops(hart, exception->cause)) {
        enter(hart, false, exception->cause, exception->value);
        return true;
    }
    if (hart->cycle < hart->until)
        hart->trap = (struct pb_mcu_trap){kind_of(exception), hart->pc, exception->value, hart->cycle};
    return false;
}
