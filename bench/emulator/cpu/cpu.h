/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the emulated CPUs have in common: the bus that each one sees, why it stops, and its possible errors.
 *
 * Time is a number of CPU clock cycles since power-up. A CPU never reads simulated time: its SoC converts.
 */
#ifndef PB_MCU_CPU_H
#define PB_MCU_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum { PB_MCU_MEMORIES_MAX = 6 };

/* Memory without side effects, little endian. Several CPUs may share one that is not writable. */
struct pb_mcu_memory {
    uint32_t base, bytes; /* word-aligned; the ranges of a bus do not overlap */
    uint8_t *data;
    bool writable; /* false: a store is PB_MCU_WRITE_FAULT */
    uint8_t read_waits, write_waits; /* cycles added to each load or store */
    bool cached; /* each read asks `cache` of the bus, a write is the bus's. Of an Armv6-M core only */
    bool native; /* UDF in it is `call` of the bus. Of an Armv6-M core only */
};

/* Everything that is not memory is a device. */
struct pb_mcu_bus {
    struct pb_mcu_memory memory[PB_MCU_MEMORIES_MAX];
    unsigned memories;
    void *context;
    /* An aligned access of 1, 2 or 4 bytes by the instruction that begins at this cycle. The SoC first brings
     * its devices to that cycle; it may change the CPU's interrupt lines. Returns the cycles that the access
     * adds, or -1: no device answers (PB_MCU_READ_FAULT, PB_MCU_WRITE_FAULT). */
    int (*read)(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value);
    int (*write)(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value);
    /* A read of a word of cached memory, by an instruction or a fetch. Returns the cycles that it adds, or -1
     * with the trap of the CPU set. NULL: no memory is cached. */
    int (*cache)(void *context, uint32_t address);
    /* An instruction `udf #number` of native memory, with core->cycle at it and r[15] after it: changes
     * registers, memory and the cycle. NULL: no memory is native. */
    void (*call)(void *context, unsigned number);
};

enum pb_mcu_stop {
    PB_MCU_TIME,   /* the next instruction begins at or after the time asked for */
    PB_MCU_ASLEEP, /* WFI: it does nothing until an interrupt is pending */
    PB_MCU_TRAPPED /* it cannot go on: see its trap; it does nothing more */
};

/* X(identifier, words). All but GAP are what the data sheet of the part forbids, so the firmware is at fault.
 * GAP is what the part has, or what its data sheet does not forbid, and the model lacks. */
#define PB_MCU_TRAP_LIST(X)                                                                                  \
    X(NONE, "")                                                                                              \
    X(ILLEGAL, "illegal instruction")                                                                        \
    X(BREAKPOINT, "breakpoint instruction without a debugger")                                               \
    X(FETCH_FAULT, "execution outside memory")                                                               \
    X(READ_FAULT, "read of an address where nothing is")                                                     \
    X(WRITE_FAULT, "write to an address where nothing can be written")                                       \
    X(MISALIGNED, "misaligned access")                                                                       \
    X(LOCKUP, "fault within a fault handler")                                                                \
    X(MISUSE, "use that data sheet or wiring forbid")                                                        \
    X(GAP, "use of what the model does not have")
enum pb_mcu_trap_kind {
#define PB_MCU_TRAP_ENUM(id, words) PB_MCU_##id,
    PB_MCU_TRAP_LIST(PB_MCU_TRAP_ENUM)
#undef PB_MCU_TRAP_ENUM
};

struct pb_mcu_trap {
    enum pb_mcu_trap_kind kind;
    uint32_t pc;      /* of the instruction */
    uint32_t address; /* of the access; of ILLEGAL and BREAKPOINT the instruction itself */
    uint64_t cycle;
};

#endif
