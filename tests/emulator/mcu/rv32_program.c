/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/emulator/mcu/rv32_program.h"
#include "tests/emulator/mcu/rv32_list.h"
#include "tests/emulator/mcu/rv32_mix.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODE_MAX = 0x30000,
    BLOCK = 4096,
    CONSTANTS = 0x32000, /* the middle of a block, as the next two */
    SCRATCH = 0x36000,
    STACK = 0x3A000
};

static unsigned prologue(void)
{
    put(UPPER, lui(GP, 0), 4, 0);
    const unsigned upper = list_next() - 1;
    put(LOWER, addi(GP, GP, 0), 4, 0);
    full(csr(1, 0, 0x305, GP));
    full(lui(GP, 0x2000));
    full(csr(1, 0, 0x300, GP));
    load_value(SP, PROGRAM_BASE + STACK);
    load_value(S0, PROGRAM_BASE + SCRATCH);
    load_value(S1, PROGRAM_BASE + CONSTANTS);
    full(addi(GP, 0, -1));
    full(lui(TP, PROGRAM_MTIMECMP));
    full(sw(TP, GP, 4));
    for (uint32_t i = 0; i < 32; i++)
        full(i_type(0x07, 2, i, S1, offset(4)));
    for (uint32_t i = 0; i < 32; i++)
        if (is_free(i))
            full(i_type(0x03, 2, i, S1, offset(4)));
    const uint32_t cleared[] = {0x003, 0x304, 0x340, 0x341, 0x342, 0x343};
    for (unsigned i = 0; i < sizeof cleared / sizeof cleared[0]; i++)
        full(csr(1, 0, cleared[i], 0));
    return upper;
}

/* Reads all memory that the program changes, and ends. */
static void epilogue(void)
{
    static const uint32_t middle[] = {STACK, SCRATCH};
    full(csr(7, 0, 0x300, 8));
    for (unsigned i = 0; i < 2; i++) {
        load_value(GP, PROGRAM_BASE + middle[i] - BLOCK / 2);
        load_value(TP, PROGRAM_BASE + middle[i] + BLOCK / 2);
        const unsigned loop = list_next();
        full(i_type(0x03, 2, 5, GP, 0));
        full(addi(GP, GP, 4));
        put(BRANCH, 1 << 12 | GP << 15 | TP << 20 | 0x63, 4, loop);
    }
    load_value(GP, PROGRAM_FINISHED);
    full(lui(TP, PROGRAM_FINISH));
    full(sw(TP, GP, 0));
    full(0x0000006F);
}

static unsigned handler(void)
{
    const unsigned begin = list_next();
    full(csr(2, GP, 0x341, 0));
    full(csr(2, TP, 0x342, 0));
    put(BRANCH, 4 << 12 | TP << 15 | 0x63, 4, begin + 12); /* BLT tp, zero */
    full(addi(TP, TP, -1));
    put(BRANCH, TP << 15 | 0x63, 4, begin + 26); /* BEQ: fetch fault */
    full(i_type(0x03, 5, TP, GP, 0));
    full(i_type(0x13, 7, TP, TP, 3));
    full(addi(TP, TP, -3));
    full(i_type(0x13, 3, TP, TP, 1)); /* 1: 32 bits */
    full(r_type(0x33, 0, 0, GP, GP, TP));
    full(r_type(0x33, 0, 0, GP, GP, TP));
    put(JAL, 0x6F, 4, begin + 19);
    /* interrupt: 3 is of msip, the other one of mtimecmp */
    full(i_type(0x13, 7, GP, TP, 4));
    put(BRANCH, 1 << 12 | GP << 15 | 0x63, 4, begin + 17);
    full(lui(TP, PROGRAM_MSIP));
    full(sw(TP, 0, 0));
    full(0x30200073);
    full(lui(TP, PROGRAM_MTIMECMP));
    put(JAL, 0x6F, 4, begin + 21);
    full(addi(GP, GP, 2));
    put(JAL, 0x6F, 4, begin + 24);
    full(addi(GP, 0, -1));
    full(sw(TP, GP, 4));
    full(0x30200073);
    full(csr(1, 0, 0x341, GP));
    full(0x30200073);
    full(csr(1, 0, 0x341, 1)); /* after a fetch fault: ra */
    full(0x30200073);
    return begin;
}

static void write_word(struct program *program, uint32_t at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        program->image[at + i] = (uint8_t)(word >> 8 * i);
}

void program_random(struct program *program, uint64_t seed, unsigned instructions, bool every_compressed,
                    uint16_t first)
{
    memset(program, 0, sizeof *program);
    mix_seed(seed);
    list_clear();
    const unsigned vector = prologue();
    if (every_compressed)
        for (uint32_t c = first; c < 65536 && instructions; c++)
            if (tame(c)) {
                half(c);
                instructions--;
            }
    while (instructions) {
        const unsigned before = list_next();
        mix_one();
        const unsigned more = list_next() - before;
        instructions -= more < instructions ? more : instructions;
    }
    epilogue();
    if (list_bytes() % 4) /* mtvec is a multiple of 4 */
        half(1);
    const unsigned target = handler();
    list_retarget(vector, target);
    list_retarget(vector + 1, target);
    if (list_bytes() > CODE_MAX)
        abort();
    list_write(program->image, PROGRAM_BASE);
    for (uint32_t i = 0; i < BLOCK; i += 4) {
        write_word(program, CONSTANTS - BLOCK / 2 + i, chance(70) ? random_float() : random_integer());
        write_word(program, SCRATCH - BLOCK / 2 + i, random_integer());
        write_word(program, STACK - BLOCK / 2 + i, random_float());
    }
}
