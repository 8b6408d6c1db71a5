/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The F extension in the hart: operands, rounding modes, flags in fcsr, mstatus.FS, cycles. test_float32
 * tests the arithmetic itself.
 */
#include "tests/emulator/unit/rv32_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>

enum {
    OVERFLOWED = 4,
    FS_OFF = 0,
    FS_CLEAN = 2 << 13,
    FS_DIRTY = 3 << 13,
    FD = 7,
    FS1 = 5,
    FS2 = 6,
    FS3 = 9,
    DYNAMIC = 7,
    MPP = 3 << 11
};
#define SD 0x80000000u

/* 1, 2, 3, 1.5, -1.5, 2^-24, -0, quiet and signalling NaN */
#define ONE 0x3F800000u
#define TWO 0x40000000u
#define THREE 0x40400000u
#define SMALL 0x33800000u
#define QUIET 0x7FC00000u
#define SIGNALLING 0x7F800001u

static struct rv32_machine *make(uint32_t instruction)
{
    struct rv32_machine *machine = hand_over(malloc(sizeof *machine), free);
    assert_non_null(machine);
    rv32_machine_init(machine);
    rv32_write(machine, RV32_FLASH, instruction);
    machine->hart.mstatus |= FS_CLEAN;
    return machine;
}

static const struct row {
    const char *name;
    uint32_t opcode, funct3, funct7, rs2;
    uint32_t a, b, c; /* of f registers, or a of an x register */
    uint32_t value, flags;
    unsigned cost;
    bool from_x, to_x, clean;
} row[] = {
    {"fadd", 0x53, 0, 0x00, FS2, ONE, TWO, 0, THREE, 0, RV32_COST_OF(f_add), false, false, false},
    {"fsub", 0x53, 0, 0x04, FS2, THREE, TWO, 0, ONE, 0, RV32_COST_OF(f_add), false, false, false},
    {"fmul", 0x53, 0, 0x08, FS2, THREE, TWO, 0, 0x40C00000, 0, RV32_COST_OF(f_mul), false, false, false},
    {"fdiv", 0x53, 0, 0x0C, FS2, THREE, TWO, 0, 0x3FC00000, 0, RV32_COST_OF(f_div), false, false, false},
    {"fdiv by 0", 0x53, 0, 0x0C, FS2, THREE, 0, 0, 0x7F800000, 8, RV32_COST_OF(f_div), false, false, false},
    {"fsqrt", 0x53, 0, 0x2C, 0, 0x40800000, 0, 0, TWO, 0, RV32_COST_OF(f_sqrt), false, false, false},
    {"fsqrt of -1", 0x53, 0, 0x2C, 0, 0xBF800000, 0, 0, QUIET, 16, RV32_COST_OF(f_sqrt), false, false, false},
    /* 3 * 2 + 1 = 7, 3 * 2 - 1 = 5, -(3 * 2) + 1 = -5, -(3 * 2) - 1 = -7 */
    {"fmadd", 0x43, 0, FS3 << 2, FS2, THREE, TWO, ONE, 0x40E00000, 0, RV32_COST_OF(f_madd), false, false,
     false},
    {"fmsub", 0x47, 0, FS3 << 2, FS2, THREE, TWO, ONE, 0x40A00000, 0, RV32_COST_OF(f_madd), false, false,
     false},
    {"fnmsub", 0x4B, 0, FS3 << 2, FS2, THREE, TWO, ONE, 0xC0A00000, 0, RV32_COST_OF(f_madd), false, false,
     false},
    {"fnmadd", 0x4F, 0, FS3 << 2, FS2, THREE, TWO, ONE, 0xC0E00000, 0, RV32_COST_OF(f_madd), false, false,
     false},
    {"fsgnj", 0x53, 0, 0x10, FS2, 0x80000001, ONE, 0, 1, 0, RV32_COST_OF(f_move), false, false, false},
    {"fsgnj of NaN", 0x53, 0, 0x10, FS2, SIGNALLING, 0x80000000, 0, 0xFF800001, 0, RV32_COST_OF(f_move),
     false, false, false},
    {"fsgnjn", 0x53, 1, 0x10, FS2, ONE, TWO, 0, 0xBF800000, 0, RV32_COST_OF(f_move), false, false, false},
    {"fsgnjx", 0x53, 2, 0x10, FS2, 0xBF800000, 0xC0000000, 0, ONE, 0, RV32_COST_OF(f_move), false, false,
     false},
    {"fmin", 0x53, 0, 0x14, FS2, ONE, TWO, 0, ONE, 0, RV32_COST_OF(f_move), false, false, false},
    {"fmin of -0, 0", 0x53, 0, 0x14, FS2, 0, 0x80000000, 0, 0x80000000, 0, RV32_COST_OF(f_move), false, false,
     false},
    {"fmax", 0x53, 1, 0x14, FS2, SIGNALLING, TWO, 0, TWO, 16, RV32_COST_OF(f_move), false, false, false},
    {"fle", 0x53, 0, 0x50, FS2, ONE, ONE, 0, 1, 0, RV32_COST_OF(f_move), false, true, false},
    {"flt", 0x53, 1, 0x50, FS2, ONE, QUIET, 0, 0, 16, RV32_COST_OF(f_move), false, true, false},
    {"feq", 0x53, 2, 0x50, FS2, ONE, QUIET, 0, 0, 0, RV32_COST_OF(f_move), false, true, false},
    {"fclass", 0x53, 1, 0x70, 0, SIGNALLING, 0, 0, 0x100, 0, RV32_COST_OF(f_move), false, true, true},
    {"fmv.x.w", 0x53, 0, 0x70, 0, SIGNALLING, 0, 0, SIGNALLING, 0, RV32_COST_OF(f_move), false, true, true},
    {"fmv.w.x", 0x53, 0, 0x78, 0, SIGNALLING, 0, 0, SIGNALLING, 0, RV32_COST_OF(f_move), true, false, false},
    {"fcvt.w.s", 0x53, 1, 0x60, 0, 0xBFC00000, 0, 0, 0xFFFFFFFF, 1, RV32_COST_OF(f_convert), false, true,
     false},
    {"fcvt.wu.s", 0x53, 1, 0x60, 1, 0xBFC00000, 0, 0, 0, 16, RV32_COST_OF(f_convert), false, true, false},
    {"fcvt.s.w", 0x53, 0, 0x68, 0, 0xFFFFFFFF, 0, 0, 0xBF800000, 0, RV32_COST_OF(f_convert), true, false,
     false},
    {"fcvt.s.wu", 0x53, 0, 0x68, 1, 0xFFFFFFFF, 0, 0, 0x4F800000, 1, RV32_COST_OF(f_convert), true, false,
     false},
};

static uint32_t encoded(const struct row *r)
{
    return rv32_r(r->opcode, r->funct3, r->funct7, FD, FS1, r->rs2);
}

static void set_operands(struct rv32_machine *machine, const struct row *r)
{
    if (r->from_x)
        machine->hart.x[FS1] = r->a;
    else
        machine->hart.f[FS1] = r->a;
    machine->hart.f[FS2] = r->b;
    machine->hart.f[FS3] = r->c;
}

TEST(each_instruction_has_its_operands_flags_and_cycles)
{
    for (const struct row *r = row; r < row + COUNT(row); r++) {
        struct rv32_machine *machine = make(encoded(r));
        struct pb_rv32 *const hart = &machine->hart;
        set_operands(machine, r);
        hart->fcsr = OVERFLOWED;
        rv32_step(machine);
        const uint32_t value = r->to_x ? hart->x[FD] : hart->f[FD];
        if (value != r->value || hart->fcsr != (OVERFLOWED | r->flags))
            fail_msg("%s: %08x, fcsr %02x; expected %08x, flags %02x", r->name, value, hart->fcsr, r->value,
                     r->flags);
        assert_int_equal(r->to_x ? hart->f[FD] : hart->x[FD], 0);
        assert_int_equal(hart->cycle, r->cost);
        assert_int_equal(hart->pc, RV32_FLASH + 4);
        assert_int_equal(hart->mstatus, MPP | (r->clean ? FS_CLEAN : FS_DIRTY | SD));
    }
}

/* Volume II, 3.1.6.6 */
TEST(each_instruction_is_illegal_while_f_is_off)
{
    const uint32_t more[] = {rv32_i(0x07, 2, FD, 0, 0), rv32_s(0x27, 2, 0, FD, 0), 0x6000 /* c.flw */,
                             0xE000 /* c.fsw */,        rv32_csr(2, 1, 1, 0),      rv32_csr(2, 1, 2, 0),
                             rv32_csr(1, 0, 3, 0)};
    for (unsigned i = 0; i < COUNT(row) + COUNT(more); i++) {
        const uint32_t instruction = i < COUNT(row) ? encoded(&row[i]) : more[i - COUNT(row)];
        struct rv32_machine *machine = make(instruction);
        machine->hart.mstatus = MPP | FS_OFF;
        rv32_step(machine);
        assert_int_equal(machine->hart.mcause, 2);
        assert_int_equal(machine->hart.mtval, instruction);
        assert_int_equal(machine->hart.f[FD] | machine->hart.x[FD], 0);
    }
}

/* 1 + 2^-24 is a tie; the modes by their numbers in volume I, table 11.1. */
TEST(rounding_modes_are_static_or_dynamic)
{
    static const uint32_t above[] = {ONE, ONE, ONE, ONE + 1, ONE + 1};
    static const uint32_t below[] = {0xBF800000, 0xBF800000, 0xBF800001, 0xBF800000, 0xBF800001};
    for (uint32_t mode = 0; mode < 5; mode++)
        for (unsigned dynamic = 0; dynamic < 2; dynamic++)
            for (unsigned negative = 0; negative < 2; negative++) {
                struct rv32_machine *machine = make(rv32_r(0x53, dynamic ? DYNAMIC : mode, 0, FD, FS1, FS2));
                machine->hart.fcsr = (dynamic ? mode : (mode + 1) % 5) << 5;
                machine->hart.f[FS1] = negative ? 0xBF800000 : ONE;
                machine->hart.f[FS2] = negative ? SMALL | SD : SMALL;
                rv32_step(machine);
                assert_int_equal(machine->hart.f[FD], negative ? below[mode] : above[mode]);
                assert_int_equal(machine->hart.fcsr & 31, 1);
            }
}

TEST(rounding_modes_that_are_reserved_are_illegal)
{
    for (const struct row *r = row; r < row + COUNT(row); r++) {
        const bool rounds =
            r->opcode != 0x53 || (r->funct7 < 0x10) || r->funct7 == 0x2C || (r->funct7 & 0x77) == 0x60;
        for (uint32_t mode = 5; mode < 10; mode++) {
            if (!rounds)
                continue;
            /* 5 and 6 in the instruction; 5 to 7 in frm */
            const uint32_t field = mode < 7 ? mode : DYNAMIC;
            struct rv32_machine *machine = make((encoded(r) & ~(7u << 12)) | field << 12);
            machine->hart.fcsr = mode < 7 ? 0 : (mode - 2) << 5;
            rv32_step(machine);
            if (machine->hart.mcause != 2)
                fail_msg("%s with mode %u is not illegal", r->name, mode);
            assert_int_equal(machine->hart.mstatus & SD, 0);
        }
    }
}

TEST(encodings_that_are_reserved_are_illegal)
{
    const uint32_t illegal[] = {
        rv32_r(0x53, 0, 0x2C, FD, FS1, 1), /* fsqrt with rs2 */
        rv32_r(0x53, 3, 0x10, FD, FS1, FS2),
        rv32_r(0x53, 2, 0x14, FD, FS1, FS2),
        rv32_r(0x53, 3, 0x50, FD, FS1, FS2),
        rv32_r(0x53, 0, 0x60, FD, FS1, 2), /* to 64 bits */
        rv32_r(0x53, 0, 0x68, FD, FS1, 2),
        rv32_r(0x53, 2, 0x70, FD, FS1, 0),
        rv32_r(0x53, 0, 0x70, FD, FS1, 1),
        rv32_r(0x53, 1, 0x78, FD, FS1, 0),
        rv32_r(0x53, 0, 0x01, FD, FS1, FS2), /* double precision */
        rv32_r(0x43, 0, FS3 << 2 | 1, FD, FS1, FS2),
        rv32_i(0x07, 3, FD, FS1, 0),
        rv32_s(0x27, 3, FS1, FS2, 0),
    };
    for (unsigned i = 0; i < COUNT(illegal); i++) {
        struct rv32_machine *machine = make(illegal[i]);
        rv32_step(machine);
        assert_int_equal(machine->hart.mcause, 2);
        assert_int_equal(machine->hart.mtval, illegal[i]);
    }
}

/* All 32 bits move, also of a signalling NaN. */
TEST(loads_and_stores)
{
    static const struct {
        uint32_t base;
        unsigned load_waits, store_waits;
    } where[] = {{RV32_RAM, 1, 3}, {RV32_SLOW, 5, 7}, {RV32_DEVICE, 9, 9}};
    for (unsigned i = 0; i < COUNT(where); i++) {
        struct rv32_machine *machine = make(rv32_i(0x07, 2, FD, FS1, -4));
        struct pb_rv32 *const hart = &machine->hart;
        rv32_write(machine, RV32_FLASH + 4, rv32_s(0x27, 2, FS1, FD, 4));
        if (where[i].base != RV32_DEVICE)
            rv32_set_word(machine, where[i].base + 12, SIGNALLING);
        machine->value = SIGNALLING;
        machine->waits = 9;
        hart->x[FS1] = where[i].base + 16;
        rv32_step(machine);
        assert_int_equal(hart->f[FD], SIGNALLING);
        assert_int_equal(hart->x[FD], 0);
        assert_int_equal(hart->mstatus, MPP | FS_DIRTY | SD);
        assert_int_equal(hart->cycle, RV32_COST_OF(load) + where[i].load_waits);
        hart->mstatus = MPP | FS_CLEAN;
        rv32_step(machine);
        assert_int_equal(hart->mstatus, MPP | FS_CLEAN);
        if (where[i].base == RV32_DEVICE)
            assert_int_equal(machine->log[1].value, SIGNALLING);
        else
            assert_int_equal(rv32_word(machine, where[i].base + 20), SIGNALLING);
        assert_int_equal(hart->cycle, RV32_COST_OF(load) + RV32_COST_OF(store) + where[i].load_waits +
                                          where[i].store_waits);
    }
}

/* Volume I, 11.2: fflags and frm are parts of fcsr, whose upper 24 bits are 0. */
TEST(fcsr_in_parts)
{
    struct rv32_machine *machine = make(rv32_csr(1, 10, 3, 5));
    struct pb_rv32 *const hart = &machine->hart;
    uint32_t at = RV32_FLASH + 4;
    at = rv32_write(machine, at, rv32_csr(2, 11, 1, 0));
    at = rv32_write(machine, at, rv32_csr(2, 12, 2, 0));
    at = rv32_write(machine, at, rv32_csr(5, 13, 2, 1));
    at = rv32_write(machine, at, rv32_csr(7, 14, 1, 0x1E));
    rv32_write(machine, at, rv32_csr(2, 15, 3, 0));
    hart->x[5] = 0xFFFFFF9F;
    for (unsigned i = 0; i < 6; i++)
        rv32_step(machine);
    assert_int_equal(hart->x[11], 0x1F);
    assert_int_equal(hart->x[12], 4);
    assert_int_equal(hart->x[13], 4);
    assert_int_equal(hart->x[14], 0x1F);
    assert_int_equal(hart->x[15], 0x21);
    assert_int_equal(hart->mstatus, MPP | FS_DIRTY | SD);
}
