/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/emulator/mcu/rv32_mix.h"
#include "tests/emulator/mcu/rv32_list.h"
#include "tests/emulator/mcu/rv32_program.h"

#include "phasebench/random.h"

#include <stdlib.h>

static uint64_t state;

void mix_seed(uint64_t seed)
{
    state = seed;
}

static uint32_t random_word(void)
{
    const uint64_t z = pb_splitmix64(&state);
    return (uint32_t)(z >> 32) ^ (uint32_t)z;
}

static uint32_t below(uint32_t n)
{
    return random_word() % n;
}

bool chance(uint32_t percent)
{
    return below(100) < percent;
}

void load_value(uint32_t rd, uint32_t value)
{
    full(lui(rd, value + 0x800));
    full(addi(rd, rd, (int32_t)(value << 20) >> 20));
}

/* ---- operands */
bool is_free(uint32_t rd)
{
    return rd != SP && rd != GP && rd != TP && rd != S0 && rd != S1;
}

static uint32_t any(void)
{
    return below(32);
}

static uint32_t result(void)
{
    for (;;) {
        const uint32_t rd = any();
        if (is_free(rd))
            return rd;
    }
}

static uint32_t result_not_0(void)
{
    for (;;) {
        const uint32_t rd = result();
        if (rd)
            return rd;
    }
}

int32_t offset(uint32_t bytes)
{
    return (int32_t)(below(4096 / bytes) * bytes) - 2048;
}

static uint32_t writable_base(void)
{
    return chance(50) ? SP : S0;
}

static uint32_t special_float(void)
{
    static const uint32_t table[] = {
        0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFBFFFFF,
        0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x80800000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,
        0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0x4F000000, 0xCF000000,
        0x4EFFFFFF, 0xCF000001, 0x4F800000, 0x4F7FFFFF, 0xBF7FFFFF, 0x3F7FFFFF, 0x4B000000, 0x4B000001};
    return table[below(sizeof table / sizeof table[0])];
}

uint32_t random_float(void)
{
    const uint32_t sign_and_fraction = random_word() & 0x807FFFFF;
    switch (below(6)) {
    case 0:
        return special_float();
    case 1:
        return random_word();
    case 2: /* the neighbourhood of what is special */
        return special_float() + below(5) - 2;
    case 3: /* few bits in the fraction: ties and exact results */
        return (sign_and_fraction & 0x80700000) | (117 + below(20)) << 23;
    case 4: /* products and quotients near the ends of the range */
        return sign_and_fraction | (below(2) ? 1 + below(70) : 184 + below(70)) << 23;
    default:
        return sign_and_fraction | (107 + below(56)) << 23;
    }
}

uint32_t random_integer(void)
{
    static const uint32_t table[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE};
    return chance(40)   ? table[below(8)]
           : chance(30) ? (uint32_t)((int32_t)random_word() >> below(31))
                        : random_word();
}

/* ---- classes of instructions */
static void integer(void)
{
    static const uint8_t alternative[] = {0, 5};
    const uint32_t funct3 = below(8), rd = result(), rs1 = any();
    switch (below(7)) {
    case 0:
        full(lui(rd, random_word()));
        break;
    case 1: /* AUIPC */
        full((random_word() & 0xFFFFF000) | rd << 7 | 0x17);
        break;
    case 2:
        full(r_type(0x33, 0, funct3, rd, rs1, any()));
        break;
    case 3:
        full(r_type(0x33, 0x20, alternative[below(2)], rd, rs1, any()));
        break;
    case 4:
        full(r_type(0x33, 1, funct3, rd, rs1, any()));
        break;
    case 5:
        if (chance(30))
            load_value(rd, random_integer());
        else
            full(i_type(0x13, 1, rd, rs1, (int32_t)below(32)));
        break;
    default:
        if (funct3 == 1 || funct3 == 5)
            full(r_type(0x13, chance(50) ? 0x20 : 0, 5, rd, rs1, below(32)));
        else
            full(i_type(0x13, funct3, rd, rs1, (int32_t)below(4096)));
        break;
    }
}

static void memory(void)
{
    static const uint8_t load[] = {0, 1, 2, 4, 5}, size[] = {1, 2, 4, 0, 1, 2};
    const uint32_t load_base = chance(30) ? S1 : writable_base(), which = load[below(5)], width = below(3);
    switch (below(4)) {
    case 0:
    case 1:
        full(i_type(0x03, which, result(), load_base, offset(size[which])));
        break;
    case 2:
        full(s_type(0x23, width, writable_base(), any(), offset(size[width])));
        break;
    default:
        if (chance(50))
            full(i_type(0x07, 2, any(), load_base, offset(4)));
        else
            full(s_type(0x27, 2, writable_base(), any(), offset(4)));
        break;
    }
}

static void atomic(void)
{
    static const uint8_t kind[] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
    const uint32_t pointer = result_not_0(), ordering = below(4);
    full(addi(pointer, writable_base(), offset(4)));
    if (chance(60)) {
        full(r_type(0x2F, (uint32_t)kind[below(9)] << 2 | ordering, 2, result(), pointer, any()));
        return;
    }
    /* A pair, without a store or a trap in between: whether SC fails then is up to the implementation. */
    if (chance(80)) {
        uint32_t rd = result();
        if (rd == pointer)
            rd = 0;
        full(r_type(0x2F, 2 << 2 | ordering, 2, rd, pointer, 0));
    }
    if (chance(20))
        full(addi(pointer, pointer, 4));
    full(r_type(0x2F, 3 << 2 | ordering, 2, result(), pointer, any()));
}

static uint32_t rounding(void)
{
    return chance(3) ? 5 + below(2) : chance(40) ? 7 : below(5);
}

static void floating(void)
{
    static const uint8_t fused[] = {0x43, 0x47, 0x4B, 0x4F}, arithmetic[] = {0x00, 0x04, 0x08, 0x0C};
    const uint32_t rd = any(), rs1 = any(), rs2 = any();
    if (chance(60))
        full(i_type(0x07, 2, rs1, S1, offset(4)));
    if (chance(60))
        full(i_type(0x07, 2, rs2, S1, offset(4)));
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        full(r_type(0x53, arithmetic[below(4)], rounding(), rd, rs1, rs2));
        break;
    case 3:
    case 4:
        full(r_type(fused[below(4)], any() << 2, rounding(), rd, rs1, rs2));
        break;
    case 5:
        full(r_type(0x53, 0x2C, rounding(), rd, rs1, 0));
        break;
    case 6:
        full(r_type(0x53, chance(50) ? 0x10 : 0x14, below(chance(95) ? 2 : 4), rd, rs1, rs2));
        break;
    case 7:
        full(r_type(0x53, 0x50, below(chance(95) ? 3 : 8), result(), rs1, rs2));
        break;
    case 8:
        if (chance(60))
            full(r_type(0x53, 0x60, rounding(), result(), rs1, below(2)));
        else
            full(r_type(0x53, 0x68, rounding(), rd, any(), below(2)));
        break;
    default:
        if (chance(60))
            full(r_type(0x53, 0x70, below(2), result(), rs1, 0));
        else
            full(r_type(0x53, 0x78, 0, rd, any(), 0));
        break;
    }
    if (chance(60)) /* the flags since the last look */
        full(csr(5, result(), 1, 0));
}

static void system_register(void)
{
    static const uint16_t safe[] = {0x001, 0x002, 0x003, 0x340, 0x342, 0x343};
    static const uint16_t absent[] = {0x000, 0x004, 0x5C0, 0x7C0, 0x800, 0xBC0, 0xCC0, 0xFC0};
    const uint32_t number = safe[below(6)], funct3 = 1 + below(3) + (chance(50) ? 4 : 0);
    switch (below(10)) {
    case 0:
        full(csr(funct3, result(), absent[below(8)], any()));
        break;
    case 1: /* mhartid, read-only */
        if (chance(50))
            full(csr(2 + below(2), result(), 0xF14, 0));
        else
            full(csr(1 + below(2) * 4, result(), 0xF14, any()));
        break;
    case 2: /* F off, F on */
        full(lui(GP, 0x6000));
        full(csr(3, 0, 0x300, GP));
        floating();
        full(lui(GP, 0x2000 << below(2)));
        full(csr(2, 0, 0x300, GP));
        break;
    case 3:
        full(csr(5, result(), 2, below(5)));
        break;
    case 4: /* mie, of which only the bits of the CLINT; mip is read-only */
        full(lui(GP, 0));
        full(addi(GP, GP, (int32_t)(below(2) << 3 | below(2) << 7)));
        full(csr(1 + below(3), result(), 0x304, GP));
        full(csr(2, result(), 0x344, 0));
        break;
    case 5:
        full(csr(chance(50) ? 6 : 7, 0, 0x300, 8));
        break;
    default:
        full(csr(funct3, result(), number, any()));
        break;
    }
}

static void interrupt(void)
{
    const bool enabled = chance(50);
    full(csr(enabled ? 6 : 7, 0, 0x300, 8));
    full(addi(GP, 0, 0x88));
    full(csr(1, 0, 0x304, GP));
    full(lui(TP, PROGRAM_MSIP));
    full(addi(GP, 0, 1));
    if (chance(70))
        full(sw(TP, GP, 0));
    full(lui(TP, PROGRAM_MTIMECMP));
    full(sw(TP, 0, 0));
    if (chance(70))
        full(sw(TP, 0, 4));
    if (!enabled) {
        full(csr(2, result(), 0x344, 0));
        /* One of them at least must be pending for WFI. */
        full(sw(TP, 0, 4));
        if (chance(50))
            full(0x10500073);
        full(csr(6, 0, 0x300, 8));
    }
}

static void trap(void)
{
    switch (below(5)) {
    case 0:
        full(0x00000073);
        break;
    case 1:
        full(0x00100073);
        break;
    case 2:
        half(0x9002);
        break;
    case 3:
        full(lui(TP, PROGRAM_NOTHING));
        full(chance(50) ? i_type(0x03, 2, result(), TP, (int32_t)(below(512) * 4))
                        : sw(TP, any(), (int32_t)(below(500) * 4)));
        break;
    default: /* the handler goes on at ra */
        full(lui(TP, PROGRAM_NOTHING));
        full(i_type(0x67, 0, 1, TP, (int32_t)below(1024)));
        break;
    }
}

bool tame(uint32_t c)
{
    const uint32_t funct3 = c >> 13, rd = c >> 7 & 31, short_rd = c >> 2 & 7, base = c >> 7 & 7;
    switch (c & 3) {
    case 0:
        if (funct3 == 0)
            return short_rd > 1;
        if (funct3 == 2)
            return short_rd > 1 && base < 2;
        if (funct3 == 3)
            return base < 2;
        return funct3 < 6 || base == 0;
    case 1:
        if (funct3 == 1 || funct3 >= 5)
            return false;
        return funct3 == 4 ? base > 1 : is_free(rd) || (funct3 == 3 && !(c & 0x107C));
    case 2:
        if (funct3 == 4 && !(c >> 2 & 31))
            return rd == 0;
        return funct3 == 1 || funct3 == 3 || funct3 >= 5 || is_free(rd);
    default:
        return false;
    }
}

static void compressed(void)
{
    for (;;) {
        uint32_t c = random_word() & 0xFFFF;
        if (tame(c)) {
            half(c);
            return;
        }
    }
}

/* Random bits in 32: mostly illegal. Of loads, stores, jumps and system instructions only a wrong funct3. */
static void wild(void)
{
    static const uint8_t free_of_effects[] = {0x0F, 0x1B, 0x1F, 0x3B, 0x3F, 0x57, 0x5F, 0x6B,
                                              0x77, 0x7F, 0x0B, 0x2B, 0x5B, 0x7B, 0x13, 0x33,
                                              0x53, 0x53, 0x43, 0x47, 0x4B, 0x4F};
    static const uint32_t no_load[] = {3, 6, 7};
    const uint32_t word = random_word() & ~(31u << 7) & ~0x7Fu;
    const uint32_t rest = word & ~(7u << 12), rd = result() << 7;
    switch (below(8)) {
    case 0:
        full(rest | rd | no_load[below(3)] << 12 | 0x03);
        break;
    case 1:
        full(rest | rd | (3 + below(5)) << 12 | 0x23);
        break;
    case 2:
        full(rest | rd | (2 + below(2)) << 12 | 0x63);
        break;
    case 3:
        full(rest | rd | (1 + below(7)) << 12 | 0x67);
        break;
    case 4:
        full(rest | rd | 4 << 12 | 0x73);
        break;
    case 5:
        full(rest | rd | (chance(50) ? below(2) : 3 + below(5)) << 12 | 0x2F);
        break;
    default:
        full(word | rd | free_of_effects[below(sizeof free_of_effects)]);
        break;
    }
}

/* A jump over some instructions, or over a block and back into it. `target` counts from the next item. */
static void jump(void)
{
    const unsigned over = 1 + below(4), target = list_next() + 1 + over;
    static const uint8_t condition[] = {0, 1, 4, 5, 6, 7};
    switch (below(7)) {
    case 0:
    case 1:
        put(BRANCH, (uint32_t)condition[below(6)] << 12 | any() << 15 | any() << 20 | 0x63, 4, target);
        break;
    case 2:
        put(JAL, result() << 7 | 0x6F, 4, target);
        break;
    case 3:
        put(C_JUMP, chance(50) ? 0x2001 : 0xA001, 2, target);
        break;
    case 4:
        put(C_BRANCH, (chance(50) ? 0xC001 : 0xE001) | below(8) << 7, 2, target);
        break;
    case 5: { /* through a register */
        const uint32_t pointer = result_not_0();
        put(UPPER, lui(pointer, 0), 4, target + 2);
        put(LOWER, addi(pointer, pointer, 0), 4, target + 2);
        if (chance(50))
            half((chance(50) ? 0x8002 : 0x9002) | pointer << 7);
        else
            full(i_type(0x67, 0, result(), pointer, (int32_t)below(2)));
        break;
    }
    default: { /* j far; back: two instructions; j on; far: jump to back; on: */
        const unsigned back = list_next() + 1;
        put(JAL, 0x6F, 4, back + 3);
        integer();
        while (list_next() < back + 2)
            half(0x0001);
        put(JAL, 0x6F, 4, back + 4);
        if (list_next() != back + 3)
            abort();
        switch (below(3)) {
        case 0: /* BEQ of x0 and x0, BGEU of anything and x0 */
            put(BRANCH, chance(50) ? 0x63 : 0x7063 | any() << 15, 4, back);
            break;
        case 1:
            put(C_JUMP, 0xA001, 2, back);
            break;
        default:
            put(JAL, result() << 7 | 0x6F, 4, back);
            break;
        }
        return;
    }
    }
    for (unsigned i = 0; i < over; i++)
        if (chance(50))
            compressed();
        else
            full(r_type(0x33, below(2), below(8), result(), any(), any()));
}

void mix_one(void)
{
    const uint32_t which = below(100);
    if (which < 22)
        integer();
    else if (which < 34)
        memory();
    else if (which < 40)
        atomic();
    else if (which < 62)
        floating();
    else if (which < 70)
        system_register();
    else if (which < 72)
        interrupt();
    else if (which < 75)
        trap();
    else if (which < 80)
        wild();
    else if (which < 90)
        jump();
    else
        compressed();
}
