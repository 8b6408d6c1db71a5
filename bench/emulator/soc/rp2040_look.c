/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inspection of an RP2040: figures, registers and memory. Registers are those of core 0.
 */
#include "bench/emulator/soc/look.h"
#include "bench/emulator/soc/rp2040_soc.h"

#include <string.h>

/* The stack of core 0 begins at the end of SRAM; load and interrupts are its, instructions those of both. */
void rp2040_figures(const struct pb_node *node, struct pb_mcu_figures *out)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    const struct pb_armv6m *core = &soc->core[0];
    const struct clock_rate nominal = rp2040_clock(&soc->clocks, RP2040_CLK_SYS, true);
    *out = (struct pb_mcu_figures){
        .cycles = core->cycle,
        .idle_cycles = core->idle,
        .instructions = core->instructions + soc->core[1].instructions,
        .longest_interrupt_cycles = core->longest_interrupt,
        .clock_hz = (uint64_t)clock_ticks(nominal, INT64_C(1000000000000)),
    };
    if (core->lowest_sp >= RP2040_SRAM && core->lowest_sp <= RP2040_SRAM + RP2040_SRAM_BYTES)
        out->stack_bytes = RP2040_SRAM + RP2040_SRAM_BYTES - core->lowest_sp;
}

/* The stack pointers of the two modes. */
static uint32_t *stack_pointer(struct pb_armv6m *core, bool process)
{
    const bool uses_process = core->process_stack && !core->ipsr;
    return process == uses_process ? &core->r[13] : &core->other_sp;
}

void rp2040_read_registers(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX])
{
    struct pb_armv6m core = ((const struct rp2040 *)node)->core[0];
    memcpy(value, core.r, sizeof core.r);
    value[PB_ARM_GDB_XPSR] = core.apsr | core.ipsr | (core.arm_state ? 0 : UINT32_C(1) << 24);
    value[PB_ARM_GDB_MSP] = *stack_pointer(&core, false);
    value[PB_ARM_GDB_PSP] = *stack_pointer(&core, true);
    value[PB_ARM_GDB_PRIMASK] = core.primask;
    value[PB_ARM_GDB_CONTROL] = (uint32_t)core.process_stack << 1;
}

void rp2040_write_register(struct pb_node *node, unsigned number, uint32_t value)
{
    struct pb_armv6m *core = &((struct rp2040 *)node)->core[0];
    if (number < 13 || number == 14)
        core->r[number] = value;
    else if (number == 15)
        core->r[15] = value & ~UINT32_C(1);
    else if (number == 13)
        core->r[13] = value & ~UINT32_C(3);
    else if (number == PB_ARM_GDB_XPSR)
        core->apsr = value & UINT32_C(0xF0000000);
    else if (number == PB_ARM_GDB_MSP || number == PB_ARM_GDB_PSP)
        *stack_pointer(core, number == PB_ARM_GDB_PSP) = value & ~UINT32_C(3);
    else if (number == PB_ARM_GDB_PRIMASK)
        core->primask = value & 1;
}

bool rp2040_read_memory(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count)
{
    return pb_mcu_bus_read(&((const struct rp2040 *)node)->core[0].bus, address, bytes, count);
}

bool rp2040_write_memory(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count)
{
    return pb_mcu_bus_write(&((struct rp2040 *)node)->core[0].bus, address, bytes, count);
}
