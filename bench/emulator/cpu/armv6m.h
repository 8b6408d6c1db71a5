/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An Armv6-M core (Cortex-M0+) with NVIC, SysTick and SCB: "ARMv6-M Architecture Reference Manual" (DDI
 * 0419), cycles by "Cortex-M0+ Technical Reference Manual" (DDI 0484). Single core, no MPU, no debug unit.
 * All code is privileged (CONTROL.nPRIV reads 0). SysTick counts core clocks also during sleep (CLKSOURCE
 * reads 1).
 *
 * Strictness: encodings and exception returns that the manual calls unpredictable are illegal instructions.
 * Registers of the core's own block take words alone. A register of it that is not modelled is PB_MCU_GAP if
 * `strict`, else it reads 0. A second fault within HardFault or NMI is PB_MCU_LOCKUP.
 *
 * Timing: each instruction costs the cycles of its class and the waits of its memory. Fetches wait in cached
 * memory alone, once for each 4 bytes. An
 * exception that follows another at once costs exit plus entry (tail-chaining saves no time). The frame and
 * the vector of an exception wait as loads and stores do. A faulting instruction costs nothing but the entry.
 */
#ifndef PB_MCU_ARMV6M_H
#define PB_MCU_ARMV6M_H

#include "bench/emulator/cpu/cpu.h"

/* X(class): cycles of an instruction. Of LDM, STM, PUSH and POP: `multiple`, or pop_pc, and one more for each
 * register. branch_taken: also ADD and MOV to the PC. bx: also BLX. msr: also MRS. barrier: also WFI and WFE.
 * io: a load or store at the single-cycle I/O port. entry and exit: of an exception; exit is added to its BX
 * or POP. */
#define PB_ARMV6M_COST_LIST(X)                                                                               \
    X(alu) X(load) X(store) X(io) X(multiple) X(branch) X(branch_taken) X(bl) X(bx) X(pop_pc) X(mul) X(msr)  \
    X(barrier) X(entry) X(exit)
struct pb_armv6m_costs {
#define PB_ARMV6M_COST(name) uint8_t name;
    PB_ARMV6M_COST_LIST(PB_ARMV6M_COST)
#undef PB_ARMV6M_COST
};

struct pb_armv6m {
    uint32_t r[16]; /* r[13]: the current stack pointer; r[15]: address of the next instruction */
    uint32_t other_sp; /* of the stack that is not in use */
    uint32_t apsr, ipsr; /* N Z C V in bits 31..28; exception number */
    bool primask, process_stack; /* process_stack: CONTROL.SPSEL in thread mode */
    uint64_t cycle;        /* at which the next instruction begins */
    uint64_t instructions; /* executed */
    uint64_t idle;         /* cycles asleep */
    uint64_t interrupt_cycles, longest_interrupt; /* from the entry in thread mode to the return there */
    uint32_t lowest_sp;                           /* that r[13] had after PUSH, SUB and exceptions */
    bool asleep, event;
    bool reset_request; /* AIRCR.SYSRESETREQ was written: nothing is executed until pb_armv6m_reset */
    bool yield; /* set by the owner in a device access: the run ends after this instruction and clears it */
    bool sent;  /* SEV was executed; if `paired` the run ends after it. The owner clears it */
    uint32_t vtor, lines, pending, enabled; /* NVIC: 32 interrupts */
    uint8_t priority[32];                   /* bits 7..6 */
    uint32_t active[2], system_pending;     /* private to the core, as all to systick_cycle */
    bool arm_state;                         /* EPSR.T is 0: the next instruction is a fault */
    bool waits_event;                       /* asleep by WFE */
    bool attention;                         /* exceptions or stops are due for a look */
    bool systick_flag;                      /* COUNTFLAG */
    uint64_t interrupt_begin;
    uint32_t shpr[2], scr, systick_ctrl, systick_load, systick_value;
    uint64_t systick_cycle;
    /* A device access may set its kind, PB_MCU_GAP or PB_MCU_MISUSE: the core fills in the rest and stops. */
    struct pb_mcu_trap trap;
    /* Set by the owner before reset: */
    bool strict; /* undefined instructions, unaligned and faulting accesses stop it (PB_MCU_TRAPPED); else
                  * they are HardFaults, as in silicon */
    bool paired;                /* another core gets the events that it sends */
    uint32_t io_base, io_bytes; /* devices at the single-cycle I/O port; io_bytes 0: it has none */
    const struct pb_armv6m_costs *costs;
    struct pb_mcu_bus bus; /* without 0xE000E000..0xE000EFFF, which the core has itself */
};

/* Takes stack pointer and reset vector from the table at vtor, which must be in memory (else PB_MCU_LOCKUP).
 * `cycle`, `instructions`, `idle` and the levels of the lines continue. */
void pb_armv6m_reset(struct pb_armv6m *core, uint32_t vtor);

/* Levels of the interrupt lines. May be called from a device access. */
void pb_armv6m_lines(struct pb_armv6m *core, uint32_t lines);

/* As pb_rv32_run (rv32.h): executes what begins before `until`, then, before `ahead`, what nothing outside
 * the core could affect or see: PRIMASK is set, or no enabled interrupt has a priority above that of what
 * runs. Ahead it stops before an access to a device or to a register with pending interrupts, and before the
 * return from an interrupt whose line is high. Returns with core->cycle at the next instruction;
 * PB_MCU_ASLEEP with core->cycle at `until`, or later. */
enum pb_mcu_stop pb_armv6m_run(struct pb_armv6m *core, uint64_t until, uint64_t ahead);

/* The cycle at which the core acts next if no line changes: `cycle`, or of a sleeping core the one at which
 * SysTick may wake it, UINT64_MAX if nothing does. */
uint64_t pb_armv6m_next(const struct pb_armv6m *core);

#endif
