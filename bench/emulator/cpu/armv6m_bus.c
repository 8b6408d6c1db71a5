/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/cpu/armv6m_core.h"

static bool is_scs(uint32_t address)
{
    return address >= 0xe000e000 && address <= 0xe000efff;
}

static bool fail(struct pb_arm_access *access, enum pb_mcu_trap_kind kind)
{
    access->fault = kind;
    return false;
}

/* What a device said: false if none answered. Notes what it did to the core. */
static bool answered(struct pb_armv6m *core, struct pb_arm_access *access, int waits)
{
    if (core->yield || core->trap.kind)
        core->attention = true;
    if (core->trap.kind) { /* a load or store is a halfword */
        core->trap.pc = core->r[15] - 2;
        core->trap.address = access->address;
        core->trap.cycle = core->cycle;
    }
    access->waits = waits < 0 ? 0 : waits;
    access->io = access->address - core->io_base < core->io_bytes;
    return waits >= 0;
}

bool pb_arm_read(struct pb_armv6m *core, struct pb_arm_access *access)
{
    const uint32_t address = access->address;
    access->memory = 0;
    access->waits = 0;
    access->io = false;
    if (address & (access->bytes - 1))
        return fail(access, PB_MCU_MISALIGNED);
    const struct pb_mcu_memory *memory = pb_arm_memory(core, address);
    if (memory) {
        const uint8_t *from = memory->data + (address - memory->base);
        access->value = access->bytes == 4   ? pb_arm_get32(from)
                        : access->bytes == 2 ? pb_arm_get16(from)
                                             : *from;
        access->waits = pb_arm_waits(core, memory, address);
        access->memory = memory->cached ? 0 : memory; /* else its next read would not ask */
        return access->waits >= 0 || fail(access, core->trap.kind);
    }
    if (is_scs(address))
        return access->bytes == 4 ? pb_arm_scs_read(core, access) : fail(access, PB_MCU_READ_FAULT);
    if (access->ahead)
        return fail(access, PB_MCU_NONE);
    access->value = 0;
    if (!answered(core, access,
                  core->bus.read(core->bus.context, core->cycle, address, access->bytes, &access->value)))
        return fail(access, PB_MCU_READ_FAULT);
    return true;
}

bool pb_arm_write(struct pb_armv6m *core, struct pb_arm_access *access)
{
    const uint32_t address = access->address;
    access->memory = 0;
    access->waits = 0;
    access->io = false;
    if (address & (access->bytes - 1))
        return fail(access, PB_MCU_MISALIGNED);
    const struct pb_mcu_memory *memory = pb_arm_memory(core, address);
    if (memory && !memory->cached) { /* the owner knows what a write to cached memory does */
        if (!memory->writable)
            return fail(access, PB_MCU_WRITE_FAULT);
        access->memory = memory;
        uint8_t *to = memory->data + (address - memory->base);
        if (access->bytes == 4)
            pb_arm_put32(to, access->value);
        else if (access->bytes == 2)
            pb_arm_put16(to, access->value);
        else
            *to = (uint8_t)access->value;
        access->waits = memory->write_waits;
        return true;
    }
    if (is_scs(address))
        return access->bytes == 4 ? pb_arm_scs_write(core, access) : fail(access, PB_MCU_WRITE_FAULT);
    if (access->ahead)
        return fail(access, PB_MCU_NONE);
    if (!answered(core, access,
                  core->bus.write(core->bus.context, core->cycle, address, access->bytes, access->value)))
        return fail(access, PB_MCU_WRITE_FAULT);
    return true;
}
