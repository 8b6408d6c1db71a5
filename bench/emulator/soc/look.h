/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers by gdb's numbers, and memory through a bus, for the SoCs.
 */
#ifndef PB_MCU_LOOK_H
#define PB_MCU_LOOK_H

#include "bench/emulator/cpu/cpu.h"
#include "bench/emulator/soc/soc.h"

/* x0..x31, pc, f0..f31, fflags, frm, fcsr */
enum {
    PB_RV32_GDB_PC = 32,
    PB_RV32_GDB_F0,
    PB_RV32_GDB_FFLAGS = PB_RV32_GDB_F0 + 32,
    PB_RV32_GDB_FRM,
    PB_RV32_GDB_FCSR,
    PB_RV32_GDB_REGISTERS
};
extern const struct pb_mcu_register pb_rv32_gdb_registers[PB_RV32_GDB_REGISTERS];

/* r0..r15, xpsr, msp, psp, primask, control */
enum {
    PB_ARM_GDB_PC = 15,
    PB_ARM_GDB_XPSR,
    PB_ARM_GDB_MSP,
    PB_ARM_GDB_PSP,
    PB_ARM_GDB_PRIMASK,
    PB_ARM_GDB_CONTROL,
    PB_ARM_GDB_REGISTERS
};
extern const struct pb_mcu_register pb_arm_gdb_registers[PB_ARM_GDB_REGISTERS];

/* False: not all of it is memory; of a write, writable memory. Then nothing is changed. */
bool pb_mcu_bus_read(const struct pb_mcu_bus *bus, uint32_t address, uint8_t *bytes, unsigned count);
bool pb_mcu_bus_write(const struct pb_mcu_bus *bus, uint32_t address, const uint8_t *bytes, unsigned count);

#endif
