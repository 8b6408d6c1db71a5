/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All encodings of 16 bits against the tables of the C extension (volume I, 16.8), typed here as patterns.
 */
#include "bench/emulator/cpu/rv32_op.h"
#include "tests/emulator/unit/rv32_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

/* What a row expands to, with the operands of the pattern. */
enum meaning {
    I_SP_TO_D,  /* addi d, sp, i */
    LOAD_SHORT, /* lw or flw d, i(r) */
    STORE_SHORT,
    ADDI,
    JAL_RA,
    LI,
    ADDI16SP,
    LUI,
    SHIFT,     /* srli, srai, andi d, d, i */
    REGISTERS, /* sub, xor, or, and d, d, s */
    JUMP,
    BRANCH_ZERO,
    SLLI,
    LOAD_SP,
    JR,
    MV,
    EBREAK,
    JALR,
    ADD,
    STORE_SP
};

/* Bit 15 first. 0 and 1 are fixed. d r s: rd', rs1', rs2' (x8 to x15). D and S: rd and rs2 (x0 to x31). i:
 * the bits of the immediate operand; `bits` lists their numbers in the same order, ended by END. */
enum { END = 99, IS_SIGNED = 1, NOT_0 = 2, D_NOT_0 = 4, S_NOT_0 = 8 };
static const struct {
    const char *pattern;
    uint8_t bits[12];
    unsigned rules;
    enum meaning meaning;
    uint32_t a, b; /* opcode and funct3, or as the meaning says */
} row[] = {
    {"000iiiiiiiiddd00", {5, 4, 9, 8, 7, 6, 2, 3, END}, NOT_0, I_SP_TO_D, 0, 0},
    {"010iiirrriiddd00", {5, 4, 3, 2, 6, END}, 0, LOAD_SHORT, 0x03, 0},
    {"011iiirrriiddd00", {5, 4, 3, 2, 6, END}, 0, LOAD_SHORT, 0x07, 0},
    {"110iiirrriisss00", {5, 4, 3, 2, 6, END}, 0, STORE_SHORT, 0x23, 0},
    {"111iiirrriisss00", {5, 4, 3, 2, 6, END}, 0, STORE_SHORT, 0x27, 0},
    {"000iDDDDDiiiii01", {5, 4, 3, 2, 1, 0, END}, IS_SIGNED, ADDI, 0, 0},
    {"001iiiiiiiiiii01", {11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5, END}, IS_SIGNED, JAL_RA, 0, 0},
    {"010iDDDDDiiiii01", {5, 4, 3, 2, 1, 0, END}, IS_SIGNED, LI, 0, 0},
    {"011i00010iiiii01", {9, 4, 6, 8, 7, 5, END}, IS_SIGNED | NOT_0, ADDI16SP, 0, 0},
    {"011iDDDDDiiiii01", {17, 16, 15, 14, 13, 12, END}, IS_SIGNED | NOT_0, LUI, 0, 0},
    {"100000dddiiiii01", {4, 3, 2, 1, 0, END}, 0, SHIFT, 5, 0},
    {"100001dddiiiii01", {4, 3, 2, 1, 0, END}, 0, SHIFT, 5, 0x400},
    {"100i10dddiiiii01", {5, 4, 3, 2, 1, 0, END}, IS_SIGNED, SHIFT, 7, 0},
    {"100011ddd00sss01", {END}, 0, REGISTERS, 0, 0x20},
    {"100011ddd01sss01", {END}, 0, REGISTERS, 4, 0},
    {"100011ddd10sss01", {END}, 0, REGISTERS, 6, 0},
    {"100011ddd11sss01", {END}, 0, REGISTERS, 7, 0},
    {"101iiiiiiiiiii01", {11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5, END}, IS_SIGNED, JUMP, 0, 0},
    {"110iiirrriiiii01", {8, 4, 3, 7, 6, 2, 1, 5, END}, IS_SIGNED, BRANCH_ZERO, 0, 0},
    {"111iiirrriiiii01", {8, 4, 3, 7, 6, 2, 1, 5, END}, IS_SIGNED, BRANCH_ZERO, 1, 0},
    {"0000DDDDDiiiii10", {4, 3, 2, 1, 0, END}, 0, SLLI, 0, 0},
    {"010iDDDDDiiiii10", {5, 4, 3, 2, 7, 6, END}, D_NOT_0, LOAD_SP, 0x03, 0},
    {"011iDDDDDiiiii10", {5, 4, 3, 2, 7, 6, END}, 0, LOAD_SP, 0x07, 0},
    {"1000DDDDD0000010", {END}, D_NOT_0, JR, 0, 0},
    {"1000DDDDDSSSSS10", {END}, S_NOT_0, MV, 0, 0},
    {"1001000000000010", {END}, 0, EBREAK, 0, 0},
    {"1001DDDDD0000010", {END}, D_NOT_0, JALR, 0, 0},
    {"1001DDDDDSSSSS10", {END}, S_NOT_0, ADD, 0, 0},
    {"110iiiiiiSSSSS10", {5, 4, 3, 2, 7, 6, END}, 0, STORE_SP, 0x23, 0},
    {"111iiiiiiSSSSS10", {5, 4, 3, 2, 7, 6, END}, 0, STORE_SP, 0x27, 0},
};

/* Operands of an encoding by the letters of a pattern. False: a fixed bit differs, or a rule is broken. */
static bool match(unsigned which, uint32_t c, uint32_t *operand)
{
    const char *const pattern = row[which].pattern;
    unsigned listed = 0;
    memset(operand, 0, 128 * sizeof operand[0]);
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t bit = c >> (15 - i) & 1;
        const unsigned letter = (unsigned char)pattern[i];
        if (letter == 'i')
            operand['i'] |= bit << row[which].bits[listed++];
        else if (letter != '0' && letter != '1')
            operand[letter] = operand[letter] << 1 | bit;
        else if (bit != letter - '0')
            return false;
    }
    assert_int_equal(row[which].bits[listed], END);
    operand['d'] += 8;
    operand['r'] += 8;
    operand['s'] += 8;
    const unsigned rules = row[which].rules;
    unsigned sign = 0;
    for (unsigned i = 0; i < listed; i++)
        sign = row[which].bits[i] > sign ? row[which].bits[i] : sign;
    if ((rules & NOT_0 && !operand['i']) || (rules & D_NOT_0 && !operand['D']) ||
        (rules & S_NOT_0 && !operand['S']))
        return false;
    if (rules & IS_SIGNED && operand['i'] >> sign)
        operand['i'] -= 2u << sign;
    return true;
}

static uint32_t expansion(unsigned which, const uint32_t *operand)
{
    const uint32_t a = row[which].a, b = row[which].b, d = operand['d'], r = operand['r'], s = operand['s'],
                   full_d = operand['D'], full_s = operand['S'];
    const int32_t i = (int32_t)operand['i'];
    enum { SP = 2 };
    switch (row[which].meaning) {
    case I_SP_TO_D:
        return rv32_addi(d, SP, i);
    case LOAD_SHORT:
        return rv32_i(a, 2, d, r, i);
    case STORE_SHORT:
        return rv32_s(a, 2, r, s, i);
    case ADDI:
        return rv32_addi(full_d, full_d, i);
    case JAL_RA:
        return rv32_jal(1, i);
    case LI:
        return rv32_addi(full_d, 0, i);
    case ADDI16SP:
        return rv32_addi(SP, SP, i);
    case LUI:
        return rv32_u(0x37, full_d, operand['i']);
    case SHIFT:
        return rv32_i(0x13, a, d, d, a == 5 ? i | (int32_t)b : i);
    case REGISTERS:
        return rv32_r(0x33, a, b, d, d, s);
    case JUMP:
        return rv32_jal(0, i);
    case BRANCH_ZERO:
        return rv32_b(a, r, 0, i);
    case SLLI:
        return rv32_i(0x13, 1, full_d, full_d, i);
    case LOAD_SP:
        return rv32_i(a, 2, full_d, SP, i);
    case JR:
        return rv32_i(0x67, 0, 0, full_d, 0);
    case MV:
        return rv32_r(0x33, 0, 0, full_d, 0, full_s);
    case EBREAK:
        return RV32_I_EBREAK;
    case JALR:
        return rv32_i(0x67, 0, 1, full_d, 0);
    case ADD:
        return rv32_r(0x33, 0, 0, full_d, full_d, full_s);
    default:
        return rv32_s(a, 2, SP, full_s, i);
    }
}

/* The first row that matches counts: C.ADDI16SP is before C.LUI, which excludes x2. */
static uint32_t by_the_tables(uint32_t c)
{
    uint32_t operand[128];
    for (unsigned i = 0; i < COUNT(row); i++)
        if (match(i, c, operand))
            return expansion(i, operand);
    return 0;
}

TEST(every_encoding_of_16_bits_expands_as_the_tables_say)
{
    unsigned reserved = 0;
    for (uint32_t c = 0; c < 0x10000; c++) {
        if ((c & 3) == 3)
            continue;
        const uint32_t want = by_the_tables(c), got = rv32_expand((uint16_t)c);
        if (got != want)
            fail_msg("%04x expands to %08x; expected %08x", c, got, want);
        reserved += !want;
        const struct rv32_op op = rv32_decode(c | 0xABCD0000, RV32_FLASH);
        assert_int_equal(op.raw, c);
        assert_int_equal(op.halves, 1);
        assert_int_equal(op.opcode == RV32_ILLEGAL, !want);
    }
    assert_true(reserved > 5 * 0x800); /* five whole values of funct3 in quadrants 0 and 2 */
}

/* Links and jumps count from a compressed instruction; mtval has its 16 bits. */
TEST(compressed_instructions_are_2_bytes_long)
{
    struct rv32_machine *machine = hand_over(malloc(sizeof *machine), free);
    rv32_machine_init(machine);
    struct pb_rv32 *const hart = &machine->hart;
    uint32_t at = rv32_write(machine, RV32_FLASH, 0x4515); /* c.li a0, 5 */
    at = rv32_write(machine, at, rv32_addi(11, 10, 1));    /* at a half of a word */
    rv32_write(machine, at, 0x2011);                       /* c.jal +4 */
    rv32_write(machine, at + 4, 0x9502);                   /* c.jalr a0 */
    rv32_write(machine, RV32_FLASH + 0x200, 0x8002);       /* reserved: c.jr x0 */
    rv32_step(machine);
    assert_int_equal(hart->pc, RV32_FLASH + 2);
    rv32_step(machine);
    assert_int_equal(hart->x[11], 6);
    rv32_step(machine);
    assert_int_equal(hart->x[1], at + 2);
    assert_int_equal(hart->pc, at + 4);
    hart->x[10] = RV32_FLASH + 0x200;
    rv32_step(machine);
    assert_int_equal(hart->x[1], at + 6);
    rv32_step(machine);
    assert_int_equal(hart->pc, RV32_HANDLER);
    assert_int_equal(hart->mcause, 2);
    assert_int_equal(hart->mepc, RV32_FLASH + 0x200);
    assert_int_equal(hart->mtval, 0x8002);
}
