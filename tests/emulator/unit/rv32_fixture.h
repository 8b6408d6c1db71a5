/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A RISC-V hart with flash, RAM and a device, for tests; instructions in the formats of the manual.
 */
#ifndef RV32_FIXTURE_H
#define RV32_FIXTURE_H

#include "bench/emulator/cpu/rv32.h"

enum {
    RV32_FLASH = 0x10000000, /* read-only, 2 waits for a load */
    RV32_RAM = 0x20000000,   /* 1 wait for a load, 3 for a store */
    RV32_SLOW = 0x30000000,  /* writable, 5 waits for a load, 7 for a store */
    RV32_DEVICE = 0x40000000,
    RV32_BYTES = 4096, /* of each */
    RV32_HANDLER = RV32_FLASH + 0x800,
    RV32_LOG_MAX = 4096
};

struct rv32_access {
    uint64_t cycle;
    uint32_t address, value;
    unsigned bytes;
    bool write;
};

struct rv32_machine {
    struct pb_rv32 hart;
    struct pb_rv32_costs
        costs; /* all different: 3 cycles for the first class, one more for each further one */
    uint8_t flash[RV32_BYTES], ram[RV32_BYTES], slow[RV32_BYTES];
    struct rv32_access log[RV32_LOG_MAX]; /* of the device */
    unsigned accesses;
    /* What the device does at an access: its value and waits; lines from then on, if `sets_lines`; a new
     * `until`, if not 0. */
    uint32_t value, lines;
    int waits;
    bool sets_lines;
    uint64_t until;
};

/* Cleared, stopped at the begin of the flash, mtvec at RV32_HANDLER. It has no code to execute fast. */
void rv32_machine_init(struct rv32_machine *machine);
/* Writes an instruction of 16 or 32 bits at an address of flash or RAM; returns the address after it. */
uint32_t rv32_write(struct rv32_machine *machine, uint32_t address, uint32_t instruction);
uint32_t rv32_word(const struct rv32_machine *machine, uint32_t address);
void rv32_set_word(struct rv32_machine *machine, uint32_t address, uint32_t value);
/* One instruction, or one entry into an interrupt. */
enum pb_mcu_stop rv32_step(struct rv32_machine *machine);

/* ---- formats */
static inline uint32_t rv32_r(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd, uint32_t rs1,
                              uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t rv32_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate)
{
    return (uint32_t)immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t rv32_s(uint32_t opcode, uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t immediate)
{
    const uint32_t bits = (uint32_t)immediate;
    return (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | opcode;
}

static inline uint32_t rv32_b(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t offset)
{
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}

static inline uint32_t rv32_jal(uint32_t rd, int32_t offset)
{
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 1023) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 255) << 12 | rd << 7 | 0x6F;
}

static inline uint32_t rv32_u(uint32_t opcode, uint32_t rd, uint32_t value)
{
    return (value & 0xFFFFF000) | rd << 7 | opcode;
}

static inline uint32_t rv32_addi(uint32_t rd, uint32_t rs1, int32_t immediate)
{
    return rv32_i(0x13, 0, rd, rs1, immediate);
}

/* funct3: 1 write, 2 set, 3 clear; 5, 6, 7 with an immediate operand. */
static inline uint32_t rv32_csr(uint32_t funct3, uint32_t rd, uint32_t number, uint32_t operand)
{
    return number << 20 | operand << 15 | funct3 << 12 | rd << 7 | 0x73;
}

enum {
    RV32_I_ECALL = 0x00000073,
    RV32_I_EBREAK = 0x00100073,
    RV32_I_WFI = 0x10500073,
    RV32_I_MRET = 0x30200073
};

/* Costs of the fixture by class. */
#define RV32_COST_OF(name) (3u + (unsigned)offsetof(struct pb_rv32_costs, name))

#endif
