/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names, numbers and features of the registers: "Debugging with GDB", appendix G.5 (Standard Target
 * Features).
 */
#include "bench/emulator/soc/look.h"

#define CPU "org.gnu.gdb.riscv.cpu"
#define FPU "org.gnu.gdb.riscv.fpu"
#define X(name) {name, "int", CPU}
#define F(name) {name, "ieee_single", FPU}
const struct pb_mcu_register pb_rv32_gdb_registers[PB_RV32_GDB_REGISTERS] = {
    X("zero"), {"ra", "code_ptr", CPU}, {"sp", "data_ptr", CPU}, X("gp"), X("tp"), X("t0"), X("t1"),
    X("t2"), X("fp"), X("s1"), X("a0"), X("a1"), X("a2"), X("a3"), X("a4"), X("a5"), X("a6"), X("a7"),
    X("s2"), X("s3"), X("s4"), X("s5"), X("s6"), X("s7"), X("s8"), X("s9"), X("s10"), X("s11"), X("t3"),
    X("t4"), X("t5"), X("t6"), {"pc", "code_ptr", CPU},
    F("ft0"), F("ft1"), F("ft2"), F("ft3"), F("ft4"), F("ft5"), F("ft6"), F("ft7"), F("fs0"), F("fs1"),
    F("fa0"), F("fa1"), F("fa2"), F("fa3"), F("fa4"), F("fa5"), F("fa6"), F("fa7"), F("fs2"), F("fs3"),
    F("fs4"), F("fs5"), F("fs6"), F("fs7"), F("fs8"), F("fs9"), F("fs10"), F("fs11"), F("ft8"), F("ft9"),
    F("ft10"), F("ft11"), {"fflags", "int", FPU}, {"frm", "int", FPU}, {"fcsr", "int", FPU},
};

#define M "org.gnu.gdb.arm.m-profile"
#define SYSTEM "org.gnu.gdb.arm.m-system"
#define R(name) {name, "int", M}
const struct pb_mcu_register pb_arm_gdb_registers[PB_ARM_GDB_REGISTERS] = {
    R("r0"), R("r1"), R("r2"), R("r3"), R("r4"), R("r5"), R("r6"), R("r7"), R("r8"), R("r9"), R("r10"),
    R("r11"), R("r12"), {"sp", "data_ptr", M}, R("lr"), {"pc", "code_ptr", M}, R("xpsr"),
    {"msp", "data_ptr", SYSTEM}, {"psp", "data_ptr", SYSTEM}, {"primask", "int", SYSTEM},
    {"control", "int", SYSTEM},
};

/* The address in host memory, as far as the memory goes; NULL: none. */
static uint8_t *find(const struct pb_mcu_bus *bus, uint32_t address, bool writes)
{
    for (unsigned i = 0; i < bus->memories; i++) {
        const struct pb_mcu_memory *memory = &bus->memory[i];
        if (address - memory->base < memory->bytes && (memory->writable || !writes))
            return memory->data + (address - memory->base);
    }
    return 0;
}

bool pb_mcu_bus_read(const struct pb_mcu_bus *bus, uint32_t address, uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *from = find(bus, address + i, false);
        if (!from)
            return false;
        bytes[i] = *from;
    }
    return true;
}

bool pb_mcu_bus_write(const struct pb_mcu_bus *bus, uint32_t address, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!find(bus, address + i, true))
            return false;
    for (unsigned i = 0; i < count; i++)
        *find(bus, address + i, true) = bytes[i];
    return true;
}
