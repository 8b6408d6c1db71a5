/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/emulator/unit/rv32_fixture.h"

#include <stdlib.h>
#include <string.h>

static int answer(struct rv32_machine *machine, const struct rv32_access *access)
{
    if (access->address - RV32_DEVICE >= RV32_BYTES)
        return -1;
    if (machine->accesses == RV32_LOG_MAX)
        abort();
    machine->log[machine->accesses++] = *access;
    if (machine->sets_lines)
        pb_rv32_lines(&machine->hart, machine->lines);
    if (machine->until)
        pb_rv32_until(&machine->hart, machine->until);
    return machine->waits;
}

static int read_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    struct rv32_machine *machine = context;
    *value = machine->value;
    return answer(machine, &(struct rv32_access){cycle, address, machine->value, bytes, false});
}

static int write_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    return answer(context, &(struct rv32_access){cycle, address, value, bytes, true});
}

void rv32_machine_init(struct rv32_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    for (unsigned i = 0; i < sizeof machine->costs; i++)
        ((uint8_t *)&machine->costs)[i] = (uint8_t)(3 + i);
    machine->hart.costs = &machine->costs;
    machine->hart.bus = (struct pb_mcu_bus){.memory = {{RV32_FLASH, RV32_BYTES, machine->flash, false, 2, 0},
                                                       {RV32_RAM, RV32_BYTES, machine->ram, true, 1, 3},
                                                       {RV32_SLOW, RV32_BYTES, machine->slow, true, 5, 7}},
                                            .memories = 3,
                                            .context = machine,
                                            .read = read_device,
                                            .write = write_device};
    pb_rv32_reset(&machine->hart, RV32_FLASH);
    machine->hart.mtvec = RV32_HANDLER;
}

static uint8_t *byte_at(struct rv32_machine *machine, uint32_t address)
{
    for (unsigned i = 0; i < machine->hart.bus.memories; i++) {
        const struct pb_mcu_memory *memory = &machine->hart.bus.memory[i];
        if (address - memory->base < memory->bytes)
            return memory->data + (address - memory->base);
    }
    abort();
}

uint32_t rv32_write(struct rv32_machine *machine, uint32_t address, uint32_t instruction)
{
    const unsigned bytes = (instruction & 3) == 3 ? 4 : 2;
    for (unsigned i = 0; i < bytes; i++)
        *byte_at(machine, address + i) = (uint8_t)(instruction >> 8 * i);
    return address + bytes;
}

uint32_t rv32_word(const struct rv32_machine *machine, uint32_t address)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)*byte_at((struct rv32_machine *)machine, address + i) << 8 * i;
    return value;
}

void rv32_set_word(struct rv32_machine *machine, uint32_t address, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        *byte_at(machine, address + i) = (uint8_t)(value >> 8 * i);
}

enum pb_mcu_stop rv32_step(struct rv32_machine *machine)
{
    return pb_rv32_run(&machine->hart, machine->hart.cycle + 1, 0);
}
