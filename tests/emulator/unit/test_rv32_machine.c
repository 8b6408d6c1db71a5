/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Machine mode: CSRs, exceptions, interrupts, sleep, counters. Expected values by hand from volume II.
 */
#include "tests/emulator/unit/rv32_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>

enum { MIE = 1 << 3, MPIE = 1 << 7, MPP = 3 << 11, NOP = 0x13, SOFTWARE = 3, TIMER = 7, EXTERNAL = 11 };
enum {
    MSTATUS = 0x300,
    MISA = 0x301,
    MIE_CSR = 0x304,
    MTVEC = 0x305,
    MSCRATCH = 0x340,
    MEPC,
    MCAUSE,
    MTVAL,
    MIP
};

static struct rv32_machine *make(void)
{
    struct rv32_machine *machine = hand_over(malloc(sizeof *machine), free);
    assert_non_null(machine);
    rv32_machine_init(machine);
    for (uint32_t at = 0; at < RV32_BYTES; at += 4)
        rv32_write(machine, RV32_FLASH + at, NOP);
    return machine;
}

static struct rv32_machine *make_with(uint32_t instruction)
{
    struct rv32_machine *machine = make();
    rv32_write(machine, RV32_FLASH, instruction);
    return machine;
}

/* Writes, then reads a CSR. False: one of both is illegal. */
static bool write_and_read(uint32_t number, uint32_t value, uint32_t *back)
{
    struct rv32_machine *machine = make_with(rv32_csr(1, 0, number, 5));
    rv32_write(machine, RV32_FLASH + 4, rv32_csr(2, 6, number, 0));
    machine->hart.mstatus |= 1 << 13;
    machine->hart.x[5] = value;
    rv32_step(machine);
    rv32_step(machine);
    *back = machine->hart.x[6];
    return machine->hart.pc == RV32_FLASH + 8;
}

static bool can_read(uint32_t number, uint32_t *value)
{
    struct rv32_machine *machine = make_with(rv32_csr(2, 6, number, 0));
    machine->hart.mstatus |= 1 << 13;
    rv32_step(machine);
    *value = machine->hart.x[6];
    return machine->hart.pc == RV32_FLASH + 4;
}

enum kind { ABSENT, READ_ONLY, WRITABLE };

/* What this hart has of the table in volume II, 2.2. */
static enum kind kind_of(uint32_t number)
{
    static const struct {
        uint16_t first, last;
    } there[] = {{0x001, 0x003}, {0x300, 0x301}, {0x304, 0x305}, {0x310, 0x310},
                 {0x320, 0x320}, {0x323, 0x33F}, {0x340, 0x344}, {0xB00, 0xB00},
                 {0xB02, 0xB1F}, {0xB80, 0xB80}, {0xB82, 0xB9F}, {0xC00, 0xC00},
                 {0xC02, 0xC1F}, {0xC80, 0xC80}, {0xC82, 0xC9F}, {0xF11, 0xF15}};
    for (unsigned i = 0; i < COUNT(there); i++)
        if (number >= there[i].first && number <= there[i].last)
            return number >= 0xC00 ? READ_ONLY : WRITABLE;
    return ABSENT;
}

TEST(each_number_is_a_register_or_illegal)
{
    for (uint32_t number = 0; number < 4096; number++) {
        uint32_t value;
        const size_t held = handed_over();
        const enum kind kind = kind_of(number);
        if (can_read(number, &value) != (kind != ABSENT) ||
            write_and_read(number, 0, &value) != (kind == WRITABLE))
            fail_msg("CSR %03x is not as expected", number);
        release_back_to(held);
    }
}

TEST(registers_keep_the_bits_that_they_have)
{
    static const struct {
        uint32_t number, zeros, ones; /* read after all bits were written 0 or 1 */
    } row[] = {
        {0x001, 0, 0x1F},
        {0x002, 0, 7},
        {0x003, 0, 0xFF},
        {MSTATUS, 0x1800, 0x80007888},  /* MPP is machine mode; FS and with it SD */
        {MISA, 0x40001125, 0x40001125}, /* 32 bits, IMAFC */
        {MIE_CSR, 0, 0xFFFF0888},
        {MTVEC, 0, 0xFFFFFFFD}, /* direct or vectored */
        {0x310, 0, 0},
        {0x320, 0, 0},
        {0x323, 0, 0},
        {0x33F, 0, 0},
        {MSCRATCH, 0, 0xFFFFFFFF},
        {MEPC, 0, 0xFFFFFFFE}, /* instructions of 16 bits */
        {MCAUSE, 0, 0xFFFFFFFF},
        {MTVAL, 0, 0xFFFFFFFF},
        {MIP, 0, 0},
        {0xB03, 0, 0},
        {0xB9F, 0, 0},
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        uint32_t zeros, ones;
        if (row[i].number == MSTATUS) { /* with FS 0 no register of F, which this test does not use */
            assert_true(write_and_read(MSTATUS, 0, &zeros));
            assert_true(write_and_read(MSTATUS, UINT32_MAX, &ones));
        } else {
            assert_true(write_and_read(row[i].number, 0, &zeros));
            assert_true(write_and_read(row[i].number, UINT32_MAX, &ones));
        }
        if (zeros != row[i].zeros || ones != row[i].ones)
            fail_msg("CSR %03x: %08x, %08x; expected %08x, %08x", row[i].number, zeros, ones, row[i].zeros,
                     row[i].ones);
    }
    for (uint32_t number = 0xF11; number <= 0xF15; number++) {
        uint32_t value;
        assert_true(can_read(number, &value));
        assert_int_equal(value, 0);
    }
}

/* Volume I, 9.1: write, set, clear; by register or immediate; what writes nothing. */
TEST(instructions_on_registers)
{
    static const struct {
        uint32_t funct3, operand, after;
    } row[] = {{1, 5, 0x0FF0},  {2, 5, 0xFFF0},  {3, 5, 0xF000}, {5, 31, 31},
               {6, 31, 0xFF1F}, {7, 16, 0xFF00}, {2, 0, 0xFF00}, {3, 0, 0xFF00},
               {6, 0, 0xFF00},  {7, 0, 0xFF00},  {1, 0, 0},      {5, 0, 0}};
    for (unsigned i = 0; i < COUNT(row); i++)
        for (uint32_t rd = 0; rd < 8; rd += 7) {
            struct rv32_machine *machine = make_with(rv32_csr(row[i].funct3, rd, MSCRATCH, row[i].operand));
            machine->hart.mscratch = 0xFF00;
            machine->hart.x[5] = 0x0FF0;
            rv32_step(machine);
            assert_int_equal(machine->hart.mscratch, row[i].after);
            assert_int_equal(machine->hart.x[7], rd ? 0xFF00 : 0);
            assert_int_equal(machine->hart.x[0], 0);
            assert_int_equal(machine->hart.cycle, RV32_COST_OF(csr));
        }
    /* A read-only register: illegal is what would write, even the value that it has. */
    for (uint32_t funct3 = 1; funct3 < 8; funct3++)
        for (uint32_t operand = 0; operand < 2; operand++) {
            struct rv32_machine *machine = make_with(rv32_csr(funct3, 7, 0xF14, operand));
            rv32_step(machine);
            const bool legal = funct3 % 4 > 1 && !operand;
            assert_int_equal(machine->hart.pc, legal ? RV32_FLASH + 4 : RV32_HANDLER);
        }
}

TEST(counters_count_from_reset_and_can_be_written)
{
    struct rv32_machine *machine = make();
    struct pb_rv32 *const hart = &machine->hart;
    hart->cycle = UINT64_C(0x500000000);
    hart->instructions = 77;
    pb_rv32_reset(hart, RV32_FLASH);
    uint32_t at = rv32_write(machine, RV32_FLASH, rv32_csr(2, 10, 0xC02, 0));
    at = rv32_write(machine, at, rv32_csr(2, 11, 0xB00, 0));
    at = rv32_write(machine, at, rv32_csr(1, 12, 0xB00, 5)); /* mcycle = 0xFFFFFFFF */
    at = rv32_write(machine, at, rv32_csr(2, 13, 0xC00, 0));
    at = rv32_write(machine, at, rv32_csr(2, 14, 0xC80, 0));
    at = rv32_write(machine, at, rv32_csr(1, 15, 0xB82, 5)); /* minstreth = 0xFFFFFFFF */
    at = rv32_write(machine, at, rv32_csr(2, 16, 0xC82, 0));
    at = rv32_write(machine, at, rv32_csr(1, 0, 0xB02, 6)); /* minstret = 1000 */
    at = rv32_write(machine, at, rv32_csr(2, 17, 0xB02, 0));
    at = rv32_write(machine, at, rv32_csr(2, 18, 0xB02, 0));
    at = rv32_write(machine, at, rv32_csr(1, 0, 0xB80, 6));
    at = rv32_write(machine, at, rv32_csr(2, 19, 0xB80, 0));
    rv32_write(machine, at, rv32_csr(2, 20, 0xB00, 0));
    hart->x[5] = UINT32_MAX;
    hart->x[6] = 1000;
    for (unsigned i = 0; i < 13; i++)
        rv32_step(machine);
    const uint32_t cost = RV32_COST_OF(csr);
    assert_int_equal(hart->x[10], 0);
    assert_int_equal(hart->x[11], cost);
    assert_int_equal(hart->x[12], 2 * cost);
    assert_int_equal(hart->x[13], UINT32_MAX); /* as written; then it counts on */
    assert_int_equal(hart->x[14], 1);
    assert_int_equal(hart->x[16], UINT32_MAX);
    assert_int_equal(hart->x[17], 1000);
    assert_int_equal(hart->x[18], 1001);
    assert_int_equal(hart->x[19], 1000);
    assert_int_equal(hart->x[20], 9 * cost - 1); /* the lower half went on meanwhile: 9 instructions since */
}

/* ---- exceptions */
static const struct exception {
    const char *name;
    uint32_t instruction, operand; /* in x5 */
    uint32_t cause, value;
    enum pb_mcu_trap_kind kind; /* of a strict hart; PB_MCU_NONE: it goes on */
} exception[] = {
    {"ecall", RV32_I_ECALL, 0, 11, 0, PB_MCU_NONE},
    {"ebreak", RV32_I_EBREAK, 0, 3, 0, PB_MCU_NONE},
    {"c.ebreak", 0x9002, 0, 3, 0, PB_MCU_NONE},
    {"zeros", 0, 0, 2, 0, PB_MCU_ILLEGAL},
    {"ones", 0xFFFFFFFF, 0, 2, 0xFFFFFFFF, PB_MCU_ILLEGAL},
    {"slli by 32", 0x02529393, 0, 2, 0x02529393, PB_MCU_ILLEGAL},
    {"sret", 0x10200073, 0, 2, 0x10200073, PB_MCU_ILLEGAL},
    {"wfi with rd", 0x105000F3, 0, 2, 0x105000F3, PB_MCU_ILLEGAL},
    {"csr time", 0xC0102573, 0, 2, 0xC0102573, PB_MCU_ILLEGAL},
    {"lr with rs2", 0x1062A3AF, RV32_RAM, 2, 0x1062A3AF, PB_MCU_ILLEGAL},
    {"amo of 64 bits", 0x0062B3AF, RV32_RAM, 2, 0x0062B3AF, PB_MCU_ILLEGAL},
    {"lh at 1", 0x00029383, RV32_RAM + 1, 4, RV32_RAM + 1, PB_MCU_MISALIGNED},
    {"lw at 2", 0x0002A383, RV32_RAM + 2, 4, RV32_RAM + 2, PB_MCU_MISALIGNED},
    {"lw of a device at 1", 0x0002A383, RV32_DEVICE + 1, 4, RV32_DEVICE + 1, PB_MCU_MISALIGNED},
    {"lr at 2", 0x1002A3AF, RV32_RAM + 2, 4, RV32_RAM + 2, PB_MCU_MISALIGNED},
    {"sh at 1", 0x00629023, RV32_RAM + 1, 6, RV32_RAM + 1, PB_MCU_MISALIGNED},
    {"sw at 3", 0x0062A023, RV32_RAM + 3, 6, RV32_RAM + 3, PB_MCU_MISALIGNED},
    {"sc at 2", 0x1862A3AF, RV32_RAM + 2, 6, RV32_RAM + 2, PB_MCU_MISALIGNED},
    {"amoadd at 1", 0x0062A3AF, RV32_RAM + 1, 6, RV32_RAM + 1, PB_MCU_MISALIGNED},
    {"lb of nothing", 0x00028383, 0x50000000, 5, 0x50000000, PB_MCU_READ_FAULT},
    {"lw behind memory", 0x0002A383, RV32_RAM + RV32_BYTES, 5, RV32_RAM + RV32_BYTES, PB_MCU_READ_FAULT},
    {"lw before memory", 0x0002A383, RV32_RAM - 4, 5, RV32_RAM - 4, PB_MCU_READ_FAULT},
    {"lr of a device", 0x1002A3AF, RV32_DEVICE, 5, RV32_DEVICE, PB_MCU_READ_FAULT},
    {"sw to nothing", 0x0062A023, 0x50000000, 7, 0x50000000, PB_MCU_WRITE_FAULT},
    {"sw to flash", 0x0062A023, RV32_FLASH, 7, RV32_FLASH, PB_MCU_WRITE_FAULT},
    {"sb behind memory", 0x00628023, RV32_RAM + RV32_BYTES, 7, RV32_RAM + RV32_BYTES, PB_MCU_WRITE_FAULT},
    {"sc to flash", 0x1862A3AF, RV32_FLASH, 7, RV32_FLASH, PB_MCU_WRITE_FAULT},
    {"amoadd of a device", 0x0062A3AF, RV32_DEVICE, 7, RV32_DEVICE, PB_MCU_WRITE_FAULT},
};

TEST(exceptions_enter_the_handler)
{
    for (const struct exception *e = exception; e < exception + COUNT(exception); e++)
        for (uint32_t enabled = 0; enabled < 2; enabled++) {
            struct rv32_machine *machine = make_with(e->instruction);
            struct pb_rv32 *const hart = &machine->hart;
            hart->x[5] = e->operand;
            hart->x[7] = 99;
            hart->mtvec = RV32_HANDLER | 1; /* vectors are of interrupts alone */
            hart->mstatus |= enabled ? MIE : 0;
            assert_int_equal(rv32_step(machine), PB_MCU_TIME);
            if (hart->mcause != e->cause || hart->mtval != e->value || hart->pc != RV32_HANDLER)
                fail_msg("%s: cause %u, value %08x, pc %08x", e->name, hart->mcause, hart->mtval, hart->pc);
            assert_int_equal(hart->mepc, RV32_FLASH);
            assert_int_equal(hart->mstatus, MPP | (enabled ? MPIE : 0));
            assert_int_equal(hart->cycle, RV32_COST_OF(interrupt));
            assert_int_equal(hart->instructions, 0);
            assert_int_equal(hart->x[7], 99);
            assert_int_equal(machine->accesses, 0);
        }
}

TEST(a_strict_hart_stops_where_silicon_would_go_on)
{
    for (const struct exception *e = exception; e < exception + COUNT(exception); e++) {
        struct rv32_machine *machine = make_with(e->instruction);
        struct pb_rv32 *const hart = &machine->hart;
        hart->x[5] = e->operand;
        hart->strict = true;
        hart->cycle = 1000;
        const enum pb_mcu_stop stop = rv32_step(machine);
        if (hart->trap.kind != e->kind)
            fail_msg("%s: trap %u; expected %u", e->name, hart->trap.kind, e->kind);
        assert_int_equal(stop, e->kind ? PB_MCU_TRAPPED : PB_MCU_TIME);
        if (!e->kind)
            continue;
        assert_int_equal(hart->trap.pc, RV32_FLASH);
        assert_int_equal(hart->trap.address, e->value);
        assert_int_equal(hart->trap.cycle, 1000);
        assert_int_equal(hart->pc, RV32_FLASH);
        /* It does nothing more. */
        assert_int_equal(pb_rv32_run(hart, 5000, 9000), PB_MCU_TRAPPED);
        assert_int_equal(hart->cycle, 1000);
        /* Ahead of its time the outside must not see it stop. */
        hart->trap.kind = PB_MCU_NONE;
        assert_int_equal(pb_rv32_run(hart, 1000, 2000), PB_MCU_TIME);
        assert_int_equal(hart->cycle, 1000);
    }
}

/* The begin of the instruction in mepc, the half that is missing in mtval. */
TEST(execution_outside_memory)
{
    const uint32_t last = RV32_FLASH + RV32_BYTES - 2;
    static const uint32_t nowhere = 0x50000000;
    for (unsigned fast = 0; fast < 2; fast++)
        for (unsigned strict = 0; strict < 2; strict++) {
            struct rv32_machine *machine = make_with(rv32_i(0x67, 0, 0, 5, 0));
            struct pb_rv32 *const hart = &machine->hart;
            rv32_set_word(machine, RV32_FLASH + RV32_BYTES - 4,
                          0x00130001); /* c.nop, the first half of addi */
            if (fast)
                hart->code = pb_rv32_code_create(RV32_FLASH, machine->flash, RV32_BYTES);
            hart->strict = strict;
            hart->x[5] = nowhere;
            rv32_step(machine);
            assert_int_equal(hart->pc, nowhere);
            assert_int_equal(rv32_step(machine), strict ? PB_MCU_TRAPPED : PB_MCU_TIME);
            assert_int_equal(strict ? hart->trap.pc : hart->mepc, nowhere);
            assert_int_equal(strict ? hart->trap.address : hart->mtval, nowhere);
            hart->trap.kind = PB_MCU_NONE;
            hart->pc = last - 2;
            rv32_step(machine);
            assert_int_equal(hart->pc, last);
            rv32_step(machine);
            assert_int_equal(strict ? hart->trap.kind : 0, strict ? PB_MCU_FETCH_FAULT : 0);
            assert_int_equal(strict ? hart->trap.pc : hart->mepc, last);
            assert_int_equal(strict ? hart->trap.address : hart->mtval, last + 2);
            assert_int_equal(strict ? 1 : hart->mcause, 1);
            pb_rv32_code_destroy((struct pb_rv32_code *)hart->code);
        }
}

/* ---- interrupts */
TEST(an_interrupt_needs_its_line_its_enable_and_mie)
{
    for (uint32_t line = 0; line < 32; line++)
        for (uint32_t enables = 0; enables < 4; enables++) {
            const bool exists = line == SOFTWARE || line == TIMER || line == EXTERNAL || line >= 16;
            struct rv32_machine *machine = make();
            struct pb_rv32 *const hart = &machine->hart;
            hart->mstatus |= enables & 1 ? MIE : 0;
            hart->mie = enables & 2 ? 0xFFFF0888 : 0xFFFF0888 & ~(1u << line);
            pb_rv32_lines(hart, 1u << line);
            assert_int_equal(hart->mip, exists ? 1u << line : 0);
            rv32_step(machine);
            if (exists && enables == 3) {
                assert_int_equal(hart->pc, RV32_HANDLER);
                assert_int_equal(hart->mcause, 0x80000000 | line);
                assert_int_equal(hart->mepc, RV32_FLASH);
                assert_int_equal(hart->mtval, 0);
                assert_int_equal(hart->mstatus, MPP | MPIE);
                assert_int_equal(hart->cycle, RV32_COST_OF(interrupt));
                assert_int_equal(hart->instructions, 0);
            } else {
                assert_int_equal(hart->pc, RV32_FLASH + 4);
            }
        }
}

/* Volume II, 3.1.9: external, software, timer; then, as rv32.h says, local ones by their number. */
TEST(interrupts_have_an_order)
{
    static const uint8_t order[] = {EXTERNAL, SOFTWARE, TIMER, 16, 17, 18, 19, 20, 21, 22,
                                    23,       24,       25,    26, 27, 28, 29, 30, 31};
    for (uint32_t vectored = 0; vectored < 2; vectored++) {
        uint32_t lines = 0;
        for (unsigned i = COUNT(order); i-- > 0;) {
            struct rv32_machine *machine = make();
            lines |= 1u << order[i];
            machine->hart.mtvec = RV32_HANDLER | vectored;
            machine->hart.mstatus |= MIE;
            machine->hart.mie = 0xFFFF0888;
            pb_rv32_lines(&machine->hart, lines);
            rv32_step(machine);
            assert_int_equal(machine->hart.mcause, 0x80000000 | order[i]);
            assert_int_equal(machine->hart.pc, RV32_HANDLER + (vectored ? 4u * order[i] : 0));
        }
    }
}

TEST(a_line_that_an_access_raises_interrupts_before_the_next_instruction)
{
    for (uint32_t is_store = 0; is_store < 2; is_store++) {
        struct rv32_machine *machine =
            make_with(is_store ? rv32_s(0x23, 2, 5, 6, 0) : rv32_i(0x03, 2, 6, 5, 0));
        struct pb_rv32 *const hart = &machine->hart;
        hart->mstatus |= MIE;
        hart->mie = 1 << TIMER;
        hart->x[5] = RV32_DEVICE;
        machine->sets_lines = true;
        machine->lines = 1 << TIMER;
        const uint64_t access = is_store ? RV32_COST_OF(store) : RV32_COST_OF(load);
        assert_int_equal(pb_rv32_run(hart, access + 1, 0), PB_MCU_TIME);
        assert_int_equal(hart->pc, RV32_HANDLER);
        assert_int_equal(hart->mepc, RV32_FLASH + 4);
        assert_int_equal(hart->cycle, access + RV32_COST_OF(interrupt));
    }
}

/* A write to mie or mstatus, or MRET, lets in what is pending before the next instruction. */
TEST(an_enable_interrupts_before_the_next_instruction)
{
    const uint32_t enable[] = {rv32_csr(6, 0, MSTATUS, MIE), rv32_csr(2, 0, MIE_CSR, 5), RV32_I_MRET};
    static const unsigned cost[] = {RV32_COST_OF(csr), RV32_COST_OF(csr), RV32_COST_OF(mret)};
    for (unsigned i = 0; i < COUNT(enable); i++) {
        struct rv32_machine *machine = make_with(enable[i]);
        struct pb_rv32 *const hart = &machine->hart;
        hart->mstatus |= i == 1 ? MIE : MPIE;
        hart->mie = i == 1 ? 0 : 1 << TIMER;
        hart->x[5] = 1 << TIMER;
        hart->mepc = RV32_FLASH + 4;
        pb_rv32_lines(hart, 1 << TIMER);
        pb_rv32_run(hart, cost[i] + 1, 0);
        assert_int_equal(hart->pc, RV32_HANDLER);
        assert_int_equal(hart->mepc, RV32_FLASH + 4);
        assert_int_equal(hart->instructions, 1);
    }
}

TEST(mret_returns_and_restores_mie)
{
    for (uint32_t enabled = 0; enabled < 2; enabled++) {
        struct rv32_machine *machine = make_with(RV32_I_MRET);
        machine->hart.mepc = RV32_FLASH + 0x102;
        machine->hart.mstatus = MPP | (enabled ? MPIE : MIE);
        rv32_step(machine);
        assert_int_equal(machine->hart.pc, RV32_FLASH + 0x102);
        assert_int_equal(machine->hart.mstatus, MPP | MPIE | (enabled ? MIE : 0));
        assert_int_equal(machine->hart.cycle, RV32_COST_OF(mret));
    }
}

/* From the entry to the end of MRET; an exception within counts in, one alone does not. */
TEST(time_in_interrupts_is_measured)
{
    struct rv32_machine *machine = make();
    struct pb_rv32 *const hart = &machine->hart;
    uint32_t at = rv32_write(machine, RV32_HANDLER, rv32_csr(2, 10, MCAUSE, 0));
    at = rv32_write(machine, at, rv32_b(4, 10, 0, 16)); /* of an interrupt: to the second part */
    at = rv32_write(machine, at, rv32_csr(2, 11, MEPC, 0));
    at = rv32_write(machine, at, rv32_addi(11, 11, 4));
    at = rv32_write(machine, at, rv32_jal(0, 16));
    at = rv32_write(machine, at, rv32_csr(2, 11, MEPC, 0));
    at = rv32_write(machine, at, RV32_I_ECALL);
    at = rv32_write(machine, at, rv32_csr(2, 11, MSCRATCH, 0));
    at = rv32_write(machine, at, rv32_csr(1, 0, MEPC, 11));
    rv32_write(machine, at, RV32_I_MRET);
    rv32_write(machine, RV32_FLASH, RV32_I_ECALL);
    hart->mscratch = RV32_FLASH + 8;
    const uint64_t csr = RV32_COST_OF(csr), entry = RV32_COST_OF(interrupt), mret = RV32_COST_OF(mret);
    const uint64_t first =
        entry + csr + RV32_COST_OF(branch) + csr + RV32_COST_OF(alu) + RV32_COST_OF(jump) + csr + mret;
    pb_rv32_run(hart, first + 1, 0);
    assert_int_equal(hart->interrupt_cycles, 0);
    hart->mstatus |= MIE;
    hart->mie = 1 << TIMER;
    pb_rv32_lines(hart, 1 << TIMER);
    const uint64_t begin = hart->cycle;
    rv32_step(machine);
    pb_rv32_lines(hart, 0);
    const uint64_t whole = entry + csr + RV32_COST_OF(branch_taken) + csr + first + csr + csr + mret;
    pb_rv32_run(hart, begin + whole, 0);
    assert_int_equal(hart->cycle, begin + whole);
    assert_int_equal(hart->pc, RV32_FLASH + 8);
    assert_int_equal(hart->interrupt_cycles, whole);
    assert_int_equal(hart->longest_interrupt, whole);
}

/* ---- sleep */
TEST(sleep_lasts_until_a_line_is_up_that_is_enabled)
{
    for (uint32_t enabled = 0; enabled < 2; enabled++) {
        struct rv32_machine *machine = make_with(RV32_I_WFI);
        struct pb_rv32 *const hart = &machine->hart;
        const uint64_t asleep = RV32_COST_OF(fence);
        hart->mstatus |= enabled ? MIE : 0;
        hart->mie = 1 << 20;
        pb_rv32_lines(hart, 1 << 21 | 1 << TIMER); /* not enabled */
        assert_int_equal(pb_rv32_run(hart, 100, 0), PB_MCU_ASLEEP);
        assert_int_equal(hart->cycle, 100);
        assert_int_equal(hart->idle, 100 - asleep);
        assert_int_equal(hart->instructions, 1);
        assert_int_equal(pb_rv32_run(hart, 250, 1000), PB_MCU_ASLEEP);
        assert_int_equal(hart->cycle, 250);
        pb_rv32_lines(hart, 1 << 20);
        /* Not before a time at which the line is known. */
        assert_int_equal(pb_rv32_run(hart, 250, 1000), PB_MCU_ASLEEP);
        assert_int_equal(pb_rv32_run(hart, 251, 0), PB_MCU_TIME);
        assert_int_equal(hart->idle, 250 - asleep);
        assert_int_equal(hart->pc, enabled ? RV32_HANDLER : RV32_FLASH + 8);
        assert_int_equal(enabled ? hart->mepc : RV32_FLASH + 4, RV32_FLASH + 4);
    }
}

TEST(sleep_ends_at_once_while_an_interrupt_is_pending)
{
    struct rv32_machine *machine = make_with(RV32_I_WFI);
    machine->hart.mie = 1 << EXTERNAL;
    pb_rv32_lines(&machine->hart, 1 << EXTERNAL);
    assert_int_equal(pb_rv32_run(&machine->hart, RV32_COST_OF(fence) + 1, 0), PB_MCU_TIME);
    assert_int_equal(machine->hart.pc, RV32_FLASH + 8);
    assert_int_equal(machine->hart.idle, 0);
}
