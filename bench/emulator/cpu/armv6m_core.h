/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the Armv6-M core share: private to them.
 */
#ifndef PB_MCU_ARMV6M_CORE_H
#define PB_MCU_ARMV6M_CORE_H

#include "bench/emulator/cpu/armv6m.h"

enum { PB_ARM_NMI = 2, PB_ARM_HARDFAULT = 3, PB_ARM_SVCALL = 11, PB_ARM_PENDSV = 14, PB_ARM_SYSTICK = 15 };
enum { PB_ARM_NO_PRIORITY = 4 }; /* of thread mode: below the four that exceptions can have */
#define PB_ARM_SCR_SLEEPONEXIT UINT32_C(2)
#define PB_ARM_SCR_SEVONPEND UINT32_C(16)

/* An access that is not to the memory used last. */
struct pb_arm_access {
    uint32_t address, value;
    unsigned bytes;
    bool ahead;                         /* nothing that the outside could see or affect is done */
    const struct pb_mcu_memory *memory; /* that answered, or NULL */
    int waits;                          /* cycles added */
    bool io;                            /* at the single-cycle I/O port */
    enum pb_mcu_trap_kind fault;        /* if it failed; PB_MCU_NONE: `ahead` forbids it */
};

static inline const struct pb_mcu_memory *pb_arm_memory(const struct pb_armv6m *core, uint32_t address)
{
    for (unsigned i = 0; i < core->bus.memories; i++)
        if (address - core->bus.memory[i].base < core->bus.memory[i].bytes)
            return &core->bus.memory[i];
    return 0;
}

static inline uint32_t pb_arm_get16(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8;
}

static inline uint32_t pb_arm_get32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline void pb_arm_put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static inline void pb_arm_put32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

/* armv6m_bus.c: any address, aligned or not. False: failed, nothing is changed. The cycle is core->cycle. */
bool pb_arm_read(struct pb_armv6m *core, struct pb_arm_access *access);
/* Cycles that a read of a word of memory waits; -1: the cache refused, and the trap is set. */
static inline int pb_arm_waits(const struct pb_armv6m *core, const struct pb_mcu_memory *memory,
                               uint32_t address)
{
    return memory->cached ? core->bus.cache(core->bus.context, address) : memory->read_waits;
}
bool pb_arm_write(struct pb_armv6m *core, struct pb_arm_access *access);

/* armv6m_scs.c: words of 0xE000E000..0xE000EFFF. False as above. */
bool pb_arm_scs_read(struct pb_armv6m *core, struct pb_arm_access *access);
bool pb_arm_scs_write(struct pb_armv6m *core, struct pb_arm_access *access);
/* Brings SysTick to core->cycle. */
void pb_arm_systick(struct pb_armv6m *core);
/* The cycle, after that of the last pb_arm_systick, at which it becomes pending next; UINT64_MAX: never. */
uint64_t pb_arm_systick_next(const struct pb_armv6m *core);

/* armv6m_exception.c */
/* Makes interrupts pending whose lines are high and that are not active, and those of `rising`. */
void pb_arm_pend_lines(struct pb_armv6m *core, uint32_t rising);
void pb_arm_pend_system(struct pb_armv6m *core, unsigned exception);
/* -2..3, PB_ARM_NO_PRIORITY: what runs; an exception of a lower number preempts it. */
int pb_arm_running_priority(const struct pb_armv6m *core, bool with_primask);
int pb_arm_priority(const struct pb_armv6m *core, unsigned exception);
/* The pending and enabled exception of the highest priority; 0: none. */
unsigned pb_arm_first_pending(const struct pb_armv6m *core);
/* True while no interrupt could preempt what runs, whatever the lines do. */
bool pb_arm_quiet(const struct pb_armv6m *core);
/* Takes an exception before the instruction at r[15]. */
void pb_arm_enter(struct pb_armv6m *core, unsigned exception);
/* Returns by an EXC_RETURN value. False: it is unpredictable, and nothing is changed. */
bool pb_arm_return(struct pb_armv6m *core, uint32_t value);
/* A fault of the instruction at `pc`: HardFault, or a trap. */
void pb_arm_fault(struct pb_armv6m *core, enum pb_mcu_trap_kind kind, uint32_t pc, uint32_t address);
/* HardFault that is taken at once with return address r[15], or lockup. */
void pb_arm_hardfault(struct pb_armv6m *core);
/* Asleep: true once something wakes it. */
bool pb_arm_wakes(const struct pb_armv6m *core);
/* CONTROL and the banked stack pointers, which r[13] and other_sp hold by mode. */
bool pb_arm_uses_process_stack(const struct pb_armv6m *core);
void pb_arm_select_process_stack(struct pb_armv6m *core, bool process);

/* armv6m_execute.c: the instructions that begin before `limit`, until one requires a check for exceptions.
 * False: it stopped before an instruction that `ahead` forbids. */
bool pb_arm_execute(struct pb_armv6m *core, uint64_t limit, bool ahead);
/* armv6m_system.c: MRS, MSR, barriers and all other 32-bit encodings except BL. At core->cycle;
 * sets *cycles. False: undefined. */
bool pb_arm_system(struct pb_armv6m *core, uint32_t first, uint32_t second, unsigned *cycles);

#endif
