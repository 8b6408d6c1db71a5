/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a gdb client sends: packets, and their commands to a processor of both sets of registers. Every reply
 * fits a packet and comes through the framing unchanged; the memory of the target is the only one that is
 * touched. Without the check sums, which no fuzzer guesses: those of the input are replaced.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "bench/emulator/watch/gdb_command.h"
#include "bench/emulator/soc/look.h"

#include <string.h>

enum { RAM = 0x20000000, RAM_BYTES = 256 };
static uint32_t reg[PB_MCU_REGISTERS_MAX];
static uint8_t ram[RAM_BYTES];

static void read_registers(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX])
{
    (void)node;
    memcpy(value, reg, sizeof reg);
}

static void write_register(struct pb_node *node, unsigned number, uint32_t value)
{
    (void)node;
    MUST(number < PB_RV32_GDB_REGISTERS);
    reg[number] = value;
}

static const struct pb_mcu_bus bus = {
    .memory = {{.base = RAM, .bytes = RAM_BYTES, .data = ram, .writable = true}}, .memories = 1};

static bool read_memory(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count)
{
    (void)node;
    return pb_mcu_bus_read(&bus, address, bytes, count);
}

static bool write_memory(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count)
{
    (void)node;
    return pb_mcu_bus_write(&bus, address, bytes, count);
}

static void command(struct pb_gdb_target *target, const char *text, size_t length)
{
    static char reply[PB_GDB_PACKET_MAX + 1], frame[PB_GDB_PACKET_MAX + 5];
    static struct pb_gdb_input input;
    pb_gdb_command(target, text, length, reply);
    MUST(memchr(reply, 0, sizeof reply));
    MUST(!strpbrk(reply, "#$}"));
    MUST(target->breakpoints <= PB_GDB_BREAKPOINTS && target->watchpoints <= PB_GDB_WATCHPOINTS);
    const size_t size = pb_gdb_frame(frame, reply);
    for (size_t i = 0; i + 1 < size; i++)
        MUST(pb_gdb_take(&input, (uint8_t)frame[i]) == PB_GDB_NOTHING);
    MUST(pb_gdb_take(&input, (uint8_t)frame[size - 1]) == PB_GDB_PACKET);
    MUST(input.length == strlen(reply) && !memcmp(input.text, reply, input.length));
    pb_gdb_stop_reply(target, reply);
    pb_gdb_breaks(target, reg[0]);
    target->hit = pb_gdb_watched(target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pb_gdb_input input;
    const bool arm = size && data[0] & 1;
    const struct pb_mcu_soc soc = {
        .registers = arm ? pb_arm_gdb_registers : pb_rv32_gdb_registers,
        .register_count = arm ? PB_ARM_GDB_REGISTERS : PB_RV32_GDB_REGISTERS,
        .pc = arm ? PB_ARM_GDB_PC : PB_RV32_GDB_PC,
        .architecture = "any",
        .read_registers = read_registers,
        .write_register = write_register,
        .read_memory = read_memory,
        .write_memory = write_memory,
    };
    struct pb_gdb_target target = {.soc = &soc, .hit = -1, .signal = PB_GDB_SIGTRAP};
    input = (struct pb_gdb_input){0};
    for (size_t i = 0; i < size; i++) {
        if (input.place == PB_GDB_SUM_HIGH || input.place == PB_GDB_SUM_LOW) { /* the correct one */
            const unsigned digit = input.place == PB_GDB_SUM_HIGH ? input.sum >> 4 : input.sum & 15;
            if (pb_gdb_take(&input, (uint8_t)"0123456789abcdef"[digit]) == PB_GDB_PACKET) {
                MUST(input.length <= PB_GDB_PACKET_MAX && !input.text[input.length]);
                command(&target, input.text, input.length);
            }
        }
        pb_gdb_take(&input, data[i]);
    }
    return 0;
}
