/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An Armv6-M core with 64 KB of flash at 0, 16 KB of SRAM at 0x20000000, and devices elsewhere whose accesses
 * are noted.
 */
#ifndef PB_TEST_ARMV6M_FIXTURE_H
#define PB_TEST_ARMV6M_FIXTURE_H

#include "bench/emulator/cpu/armv6m.h"

#include <string.h>

enum { FIXTURE_FLASH_BYTES = 64 * 1024, FIXTURE_RAM_BYTES = 16 * 1024, FIXTURE_ACCESSES = 64 };
#define FIXTURE_RAM UINT32_C(0x20000000)
#define FIXTURE_DEVICE UINT32_C(0x40000000) /* 4 KB that answer; other addresses do not */
#define FIXTURE_IO UINT32_C(0xd0000000)     /* 4 KB at the single-cycle port */
#define FIXTURE_CODE UINT32_C(0x200)

struct fixture {
    struct pb_armv6m core;
    uint8_t flash[FIXTURE_FLASH_BYTES], ram[FIXTURE_RAM_BYTES];
    struct {
        uint64_t cycle;
        uint32_t address, value;
        unsigned bytes;
        bool write;
    } access[FIXTURE_ACCESSES];
    unsigned accesses;
    uint32_t answer;      /* to reads */
    int waits;            /* of devices */
    uint32_t lines_on[2]; /* [0]: a write to the device at its base sets the lines to this */
    bool yields, traps;   /* further effects of a write to the device */
};

static inline int fixture_note(struct fixture *at, uint64_t cycle, uint32_t address, unsigned bytes,
                               uint32_t value, bool write)
{
    if (at->accesses < FIXTURE_ACCESSES) {
        at->access[at->accesses].cycle = cycle;
        at->access[at->accesses].address = address;
        at->access[at->accesses].bytes = bytes;
        at->access[at->accesses].value = value;
        at->access[at->accesses++].write = write;
    }
    return address - FIXTURE_DEVICE < 4096 ? at->waits : address - FIXTURE_IO < 4096 ? 0 : -1;
}

static inline int fixture_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes,
                               uint32_t *value)
{
    struct fixture *const at = context;
    *value = at->answer;
    return fixture_note(at, cycle, address, bytes, at->answer, false);
}

static inline int fixture_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes,
                                uint32_t value)
{
    struct fixture *const at = context;
    if (address == FIXTURE_DEVICE) {
        pb_armv6m_lines(&at->core, at->lines_on[0]);
        at->core.yield = at->yields;
        if (at->traps)
            at->core.trap.kind = PB_MCU_GAP;
    }
    return fixture_note(at, cycle, address, bytes, value, true);
}

static inline void fixture_put16(struct fixture *at, uint32_t address, uint32_t halfword)
{
    uint8_t *const to = address >= FIXTURE_RAM ? at->ram + (address - FIXTURE_RAM) : at->flash + address;
    to[0] = (uint8_t)halfword;
    to[1] = (uint8_t)(halfword >> 8);
}

static inline void fixture_put32(struct fixture *at, uint32_t address, uint32_t word)
{
    fixture_put16(at, address, word & 0xffff);
    fixture_put16(at, address + 2, word >> 16);
}

static inline uint32_t fixture_word(const struct fixture *at, uint32_t address)
{
    const uint8_t *const from =
        address >= FIXTURE_RAM ? at->ram + (address - FIXTURE_RAM) : at->flash + address;
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* Costs that all differ: DDI 0484 except io, mul, entry and exit. */
static const struct pb_armv6m_costs fixture_costs = {.alu = 1,
                                                     .load = 2,
                                                     .store = 2,
                                                     .io = 1,
                                                     .multiple = 1,
                                                     .branch = 1,
                                                     .branch_taken = 2,
                                                     .bl = 3,
                                                     .bx = 2,
                                                     .pop_pc = 3,
                                                     .mul = 1,
                                                     .msr = 3,
                                                     .barrier = 3,
                                                     .entry = 15,
                                                     .exit = 12};

/* A core at FIXTURE_CODE, its stack at the end of SRAM. The handler of exception e is at 0x1000 + 0x100 e. */
static inline void fixture_init(struct fixture *at, bool strict)
{
    memset(at, 0, sizeof *at);
    fixture_put32(at, 0, FIXTURE_RAM + FIXTURE_RAM_BYTES);
    fixture_put32(at, 4, FIXTURE_CODE | 1);
    for (uint32_t e = 2; e < 48; e++)
        fixture_put32(at, 4 * e, (0x1000 + 0x100 * e) | 1);
    at->core.strict = strict;
    at->core.costs = &fixture_costs;
    at->core.io_base = FIXTURE_IO;
    at->core.io_bytes = 4096;
    at->core.bus = (struct pb_mcu_bus){
        .memory = {{.bytes = FIXTURE_FLASH_BYTES, .data = at->flash},
                   {.base = FIXTURE_RAM, .bytes = FIXTURE_RAM_BYTES, .data = at->ram, .writable = true}},
        .memories = 2,
        .context = at,
        .read = fixture_read,
        .write = fixture_write};
    pb_armv6m_reset(&at->core, 0);
}

static inline uint32_t fixture_handler(unsigned exception)
{
    return 0x1000 + 0x100 * exception;
}

/* One instruction, or the entry to an exception. */
static inline enum pb_mcu_stop fixture_step(struct fixture *at)
{
    return pb_armv6m_run(&at->core, at->core.cycle + 1, 0);
}

#endif
