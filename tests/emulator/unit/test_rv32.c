/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of RV32IMA one by one: results by hand from the manual, cycles from the costs, and that
 * nothing else changes; each both where code is decoded once and where it is decoded on the fly.
 *
 * evidence: emulated CPUs: RV32IMAFC, Armv6-M
 *   simulated: registers equal QEMU's after every instruction of random programs; every instruction against
 *   its manual, F against the host's arithmetic
 *   also: make mcu-check, test_armv6m, test_float32
 */
#include "tests/emulator/unit/rv32_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { RD = 7, RS1 = 5, RS2 = 6 };
#define MIN 0x80000000u

static void *make(void)
{
    struct rv32_machine *machine = hand_over(malloc(sizeof *machine), free);
    assert_non_null(machine);
    rv32_machine_init(machine);
    return machine;
}

static void destroy_code(void *code)
{
    pb_rv32_code_destroy(code);
}

/* From now on the machine executes what is in its flash fast. */
static void decode_once(struct rv32_machine *machine)
{
    machine->hart.code = hand_over(pb_rv32_code_create(RV32_FLASH, machine->flash, RV32_BYTES), destroy_code);
    assert_non_null(machine->hart.code);
}

/* One instruction on a machine with these registers; *after has what else is expected. */
static void expect(const char *name, uint32_t instruction, const struct rv32_machine *before,
                   const struct pb_rv32 *after)
{
    for (unsigned fast = 0; fast < 2; fast++) {
        struct rv32_machine *machine = make();
        const size_t held = handed_over();
        machine->hart = before->hart;
        machine->hart.bus.context = machine;
        for (unsigned i = 0; i < 3; i++)
            machine->hart.bus.memory[i].data = (uint8_t *[]){machine->flash, machine->ram, machine->slow}[i];
        machine->hart.costs = &machine->costs;
        memcpy(machine->ram, before->ram, sizeof machine->ram);
        rv32_write(machine, RV32_FLASH + 0x100, instruction);
        machine->hart.pc = RV32_FLASH + 0x100;
        if (fast)
            decode_once(machine);
        assert_int_equal(rv32_step(machine), PB_MCU_TIME);
        const struct pb_rv32 *hart = &machine->hart;
        for (unsigned i = 0; i < 32; i++) {
            if (hart->x[i] != after->x[i])
                fail_msg("%s, fast %u: x%u is %08x; expected %08x", name, fast, i, hart->x[i], after->x[i]);
            assert_int_equal(hart->f[i], after->f[i]);
        }
        if (hart->pc != after->pc || hart->cycle != after->cycle || hart->instructions != after->instructions)
            fail_msg("%s, fast %u: pc %08x, %llu cycles, %llu instructions; expected %08x, %llu, %llu", name,
                     fast, hart->pc, (unsigned long long)hart->cycle, (unsigned long long)hart->instructions,
                     after->pc, (unsigned long long)after->cycle, (unsigned long long)after->instructions);
        release_back_to(held);
    }
}

/* x[RD] = value after an instruction of these operands; and the same with x0 as destination. */
static void computes(const char *name, uint32_t instruction, uint32_t a, uint32_t b, uint32_t value,
                     unsigned cost)
{
    struct rv32_machine *machine = make();
    machine->hart.x[RS1] = a;
    machine->hart.x[RS2] = b;
    machine->hart.x[RD] = 0x5EED5EED;
    struct pb_rv32 after = machine->hart;
    after.pc = RV32_FLASH + 0x104;
    after.cycle = cost;
    after.instructions = 1;
    expect(name, instruction & ~(31u << 7), machine, &after);
    after.x[RD] = value;
    expect(name, instruction, machine, &after);
}

TEST(instructions_of_two_registers)
{
    static const struct {
        const char *name;
        uint32_t funct7, funct3, a, b, value;
    } row[] = {
        {"add", 0, 0, 5, 7, 12},
        {"add", 0, 0, 0xFFFFFFFF, 1, 0},
        {"add", 0, 0, 0x7FFFFFFF, 1, MIN},
        {"sub", 0x20, 0, 5, 7, 0xFFFFFFFE},
        {"sub", 0x20, 0, MIN, 1, 0x7FFFFFFF},
        {"sll", 0, 1, 1, 31, MIN},
        {"sll", 0, 1, 3, 32, 3},
        {"sll", 0, 1, 3, 0xFFFFFFE1, 6},
        {"slt", 0, 2, 0xFFFFFFFF, 0, 1},
        {"slt", 0, 2, MIN, 0x7FFFFFFF, 1},
        {"slt", 0, 2, 7, 7, 0},
        {"sltu", 0, 3, 0xFFFFFFFF, 0, 0},
        {"sltu", 0, 3, 0, 0xFFFFFFFF, 1},
        {"xor", 0, 4, 0xF0F0F0F0, 0xFF00FF00, 0x0FF00FF0},
        {"srl", 0, 5, MIN, 31, 1},
        {"srl", 0, 5, MIN, 33, 0x40000000},
        {"sra", 0x20, 5, MIN, 31, 0xFFFFFFFF},
        {"sra", 0x20, 5, MIN, 33, 0xC0000000},
        {"sra", 0x20, 5, 0x40000000, 30, 1},
        {"or", 0, 6, 0xF0F0F0F0, 0xFF00FF00, 0xFFF0FFF0},
        {"and", 0, 7, 0xF0F0F0F0, 0xFF00FF00, 0xF000F000},
    };
    for (unsigned i = 0; i < COUNT(row); i++)
        computes(row[i].name, rv32_r(0x33, row[i].funct3, row[i].funct7, RD, RS1, RS2), row[i].a, row[i].b,
                 row[i].value, RV32_COST_OF(alu));
}

/* Volume I, 7.2: table 7.1 for division by zero and overflow. */
TEST(multiplication_and_division)
{
    static const struct {
        const char *name;
        uint32_t funct3, a, b, value;
    } row[] = {
        {"mul", 0, 7, 6, 42},
        {"mul", 0, 0x10000, 0x10000, 0},
        {"mul", 0, 0xFFFFFFFF, 0xFFFFFFFF, 1},
        {"mulh", 1, MIN, MIN, 0x40000000},
        {"mulh", 1, 0xFFFFFFFF, 1, 0xFFFFFFFF},
        {"mulh", 1, 0x7FFFFFFF, 0x7FFFFFFF, 0x3FFFFFFF},
        {"mulhsu", 2, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
        {"mulhsu", 2, MIN, 0xFFFFFFFF, MIN},
        {"mulhsu", 2, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFE},
        {"mulhu", 3, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
        {"mulhu", 3, MIN, 2, 1},
    };
    static const struct {
        const char *name;
        uint32_t funct3, a, b, value;
    } slow[] = {
        {"div", 4, 7, 0xFFFFFFFE, 0xFFFFFFFD},
        {"div", 4, 0xFFFFFFF9, 2, 0xFFFFFFFD},
        {"div", 4, 7, 0, 0xFFFFFFFF},
        {"div", 4, MIN, 0xFFFFFFFF, MIN},
        {"div", 4, MIN, 0, 0xFFFFFFFF},
        {"divu", 5, 0xFFFFFFFF, 2, 0x7FFFFFFF},
        {"divu", 5, 7, 0, 0xFFFFFFFF},
        {"divu", 5, MIN, 0xFFFFFFFF, 0},
        {"rem", 6, 7, 0xFFFFFFFE, 1},
        {"rem", 6, 0xFFFFFFF9, 2, 0xFFFFFFFF},
        {"rem", 6, 7, 0, 7},
        {"rem", 6, MIN, 0xFFFFFFFF, 0},
        {"rem", 6, 0xFFFFFFF9, 0, 0xFFFFFFF9},
        {"remu", 7, 0xFFFFFFFF, 16, 15},
        {"remu", 7, 0xFFFFFFFF, 0, 0xFFFFFFFF},
        {"remu", 7, MIN, 0xFFFFFFFF, MIN},
    };
    for (unsigned i = 0; i < COUNT(row); i++)
        computes(row[i].name, rv32_r(0x33, row[i].funct3, 1, RD, RS1, RS2), row[i].a, row[i].b, row[i].value,
                 RV32_COST_OF(mul));
    for (unsigned i = 0; i < COUNT(slow); i++)
        computes(slow[i].name, rv32_r(0x33, slow[i].funct3, 1, RD, RS1, RS2), slow[i].a, slow[i].b,
                 slow[i].value, RV32_COST_OF(div));
}

TEST(instructions_with_an_immediate_operand)
{
    static const struct {
        const char *name;
        uint32_t funct3;
        int32_t immediate;
        uint32_t a, value;
    } row[] = {
        {"addi", 0, 2047, 1, 2048},
        {"addi", 0, -2048, 0, 0xFFFFF800},
        {"slli", 1, 31, 3, MIN},
        {"slli", 1, 0, 3, 3},
        {"slti", 2, -1, 0xFFFFFFFE, 1},
        {"slti", 2, -1, 0, 0},
        {"sltiu", 3, -1, 0, 1},
        {"sltiu", 3, 1, 0, 1},
        {"sltiu", 3, 1, 1, 0},
        {"xori", 4, -1, 0x12345678, 0xEDCBA987},
        {"srli", 5, 31, MIN, 1},
        {"srai", 5, 0x400 | 31, MIN, 0xFFFFFFFF},
        {"srai", 5, 0x400 | 4, 0x7FFFFFFF, 0x07FFFFFF},
        {"ori", 6, -2048, 1, 0xFFFFF801},
        {"andi", 7, 0x7FF, 0xFFFFFFFF, 0x7FF},
        {"andi", 7, -1, 0x12345678, 0x12345678},
    };
    for (unsigned i = 0; i < COUNT(row); i++)
        computes(row[i].name, rv32_i(0x13, row[i].funct3, RD, RS1, row[i].immediate), row[i].a, 0,
                 row[i].value, RV32_COST_OF(alu));
    computes("lui", rv32_u(0x37, RD, 0xFFFFF000), 0, 0, 0xFFFFF000, RV32_COST_OF(alu));
    computes("auipc", rv32_u(0x17, RD, 0x1000), 0, 0, RV32_FLASH + 0x1100, RV32_COST_OF(alu));
    computes("auipc", rv32_u(0x17, RD, 0xFFFFF000), 0, 0, RV32_FLASH + 0x100 - 0x1000, RV32_COST_OF(alu));
    computes("fence", 0x0FF0000F | RD << 7, 0, 0, 0x5EED5EED, RV32_COST_OF(fence));
    computes("fence.i", 0x0000100F | RD << 7, 0, 0, 0x5EED5EED, RV32_COST_OF(fence));
}

TEST(branches)
{
    static const struct {
        const char *name;
        uint32_t funct3, a, b;
        bool taken;
    } row[] = {
        {"beq", 0, 1, 1, true},           {"beq", 0, 1, 2, false},          {"bne", 1, 1, 2, true},
        {"bne", 1, 2, 2, false},          {"blt", 4, 0xFFFFFFFF, 0, true},  {"blt", 4, 0, 0xFFFFFFFF, false},
        {"blt", 4, 3, 3, false},          {"bge", 5, 0, 0xFFFFFFFF, true},  {"bge", 5, 3, 3, true},
        {"bge", 5, MIN, 0, false},        {"bltu", 6, 0, 0xFFFFFFFF, true}, {"bltu", 6, 0xFFFFFFFF, 0, false},
        {"bgeu", 7, 0xFFFFFFFF, 0, true}, {"bgeu", 7, 3, 3, true},          {"bgeu", 7, 0, 1, false},
    };
    static const int32_t offsets[] = {8, -4, 2, -256, 4094, -4096, 2046, -2};
    for (unsigned i = 0; i < COUNT(row); i++)
        for (unsigned k = 0; k < COUNT(offsets); k++) {
            struct rv32_machine *machine = make();
            machine->hart.x[RS1] = row[i].a;
            machine->hart.x[RS2] = row[i].b;
            struct pb_rv32 after = machine->hart;
            after.pc = RV32_FLASH + 0x100 + (row[i].taken ? (uint32_t)offsets[k] : 4);
            after.cycle = row[i].taken ? RV32_COST_OF(branch_taken) : RV32_COST_OF(branch);
            after.instructions = 1;
            expect(row[i].name, rv32_b(row[i].funct3, RS1, RS2, offsets[k]), machine, &after);
        }
}

TEST(jumps)
{
    static const int32_t offsets[] = {8, -4, 2, 0xFFFFE, -0x100000, 0x7FE, 0x800};
    for (unsigned i = 0; i < COUNT(offsets); i++) {
        struct rv32_machine *machine = make();
        struct pb_rv32 after = machine->hart;
        after.pc = RV32_FLASH + 0x100 + (uint32_t)offsets[i];
        after.cycle = RV32_COST_OF(jump);
        after.instructions = 1;
        expect("jal x0", rv32_jal(0, offsets[i]), machine, &after);
        after.x[RD] = RV32_FLASH + 0x104;
        expect("jal", rv32_jal(RD, offsets[i]), machine, &after);
    }
    static const struct {
        uint32_t rd, base;
        int32_t offset;
        uint32_t target;
    } row[] = {
        {RD, RV32_FLASH + 0x200, 4, RV32_FLASH + 0x204},
        {RD, RV32_FLASH + 0x200, 5, RV32_FLASH + 0x204}, /* the lowest bit is cleared */
        {0, RV32_FLASH + 0x200, -2, RV32_FLASH + 0x1FE},
        {RD, RV32_RAM, -2048, RV32_RAM - 2048},
        {RD, 1, -2, 0xFFFFFFFE},
        {RS1, RV32_FLASH + 0x200, 0, RV32_FLASH + 0x200}, /* the target is read before the link is written */
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        struct rv32_machine *machine = make();
        machine->hart.x[RS1] = row[i].base;
        struct pb_rv32 after = machine->hart;
        after.x[row[i].rd] = row[i].rd ? RV32_FLASH + 0x104 : 0;
        after.pc = row[i].target;
        after.cycle = RV32_COST_OF(jump);
        after.instructions = 1;
        expect("jalr", rv32_i(0x67, 0, row[i].rd, RS1, row[i].offset), machine, &after);
    }
}

/* The memory has 0x8899AABB at `base` + 8. */
TEST(loads)
{
    static const struct {
        const char *name;
        uint32_t funct3;
        int32_t offset;
        uint32_t value;
    } row[] = {
        {"lb", 0, 8, 0xFFFFFFBB},  {"lb", 0, 11, 0xFFFFFF88}, {"lh", 1, 8, 0xFFFFAABB},
        {"lh", 1, 10, 0xFFFF8899}, {"lw", 2, 8, 0x8899AABB},  {"lbu", 4, 9, 0xAA},
        {"lbu", 4, 8, 0xBB},       {"lhu", 5, 10, 0x8899},
    };
    static const struct {
        uint32_t base;
        unsigned waits;
    } where[] = {{RV32_FLASH, 2}, {RV32_RAM, 1}, {RV32_SLOW, 5}};
    for (unsigned i = 0; i < COUNT(row); i++)
        for (unsigned k = 0; k < COUNT(where); k++)
            for (uint32_t rd = 0; rd <= RD; rd += RD) {
                struct rv32_machine *machine = make();
                rv32_set_word(machine, where[k].base + 8, 0x8899AABB);
                rv32_write(machine, RV32_FLASH + 0x100,
                           rv32_i(0x03, row[i].funct3, rd, RS1, row[i].offset - 16));
                machine->hart.pc = RV32_FLASH + 0x100;
                machine->hart.x[RS1] = where[k].base + 16;
                assert_int_equal(rv32_step(machine), PB_MCU_TIME);
                assert_int_equal(machine->hart.x[RD], rd ? row[i].value : 0);
                assert_int_equal(machine->hart.x[0], 0);
                assert_int_equal(machine->hart.cycle, RV32_COST_OF(load) + where[k].waits);
            }
}

TEST(stores)
{
    static const struct {
        uint32_t funct3;
        int32_t offset;
        uint32_t word;
    } row[] = {
        {0, 8, 0x111111DD}, {0, 11, 0xDD111111}, {1, 8, 0x1111CCDD}, {1, 10, 0xCCDD1111}, {2, 8, 0xAABBCCDD}};
    static const struct {
        uint32_t base;
        unsigned waits;
    } where[] = {{RV32_RAM, 3}, {RV32_SLOW, 7}};
    for (unsigned i = 0; i < COUNT(row); i++)
        for (unsigned k = 0; k < COUNT(where); k++) {
            struct rv32_machine *machine = make();
            for (uint32_t at = 0; at < 20; at += 4)
                rv32_set_word(machine, where[k].base + at, 0x11111111);
            rv32_write(machine, RV32_FLASH, rv32_s(0x23, row[i].funct3, RS1, RS2, row[i].offset - 16));
            machine->hart.x[RS1] = where[k].base + 16;
            machine->hart.x[RS2] = 0xAABBCCDD;
            assert_int_equal(rv32_step(machine), PB_MCU_TIME);
            for (uint32_t at = 0; at < 20; at += 4)
                assert_int_equal(rv32_word(machine, where[k].base + at), at == 8 ? row[i].word : 0x11111111);
            assert_int_equal(machine->hart.cycle, RV32_COST_OF(store) + where[k].waits);
        }
}

TEST(accesses_to_a_device)
{
    static const unsigned size[] = {1, 2, 4};
    static const uint32_t stored[] = {0xDD, 0xCCDD, 0xAABBCCDD},
                          loaded[] = {0xFFFFFF88, 0xFFFF9988, 0xBBAA9988};
    for (unsigned i = 0; i < 3; i++) {
        struct rv32_machine *machine = make();
        machine->value = 0xBBAA9988;
        machine->waits = 9;
        rv32_write(machine, rv32_write(machine, RV32_FLASH, rv32_s(0x23, i, RS1, RS2, 8)),
                   rv32_i(0x03, i, RD, RS1, 12));
        machine->hart.x[RS1] = RV32_DEVICE;
        machine->hart.x[RS2] = 0xAABBCCDD;
        rv32_step(machine);
        rv32_step(machine);
        assert_int_equal(machine->accesses, 2);
        const struct rv32_access *log = machine->log;
        assert_true(log[0].write && log[0].address == RV32_DEVICE + 8 && log[0].bytes == size[i]);
        assert_int_equal(log[0].value, stored[i]);
        assert_int_equal(log[0].cycle, 0);
        assert_true(!log[1].write && log[1].address == RV32_DEVICE + 12 && log[1].bytes == size[i]);
        assert_int_equal(log[1].cycle, RV32_COST_OF(store) + 9);
        assert_int_equal(machine->hart.x[RD], loaded[i]);
        assert_int_equal(machine->hart.cycle, RV32_COST_OF(store) + RV32_COST_OF(load) + 18);
    }
}

TEST(atomic_memory_operations)
{
    static const struct {
        const char *name;
        uint32_t funct5, memory, operand, after;
    } row[] = {
        {"amoswap", 1, 5, 7, 7},
        {"amoadd", 0, 0xFFFFFFFF, 2, 1},
        {"amoxor", 4, 0xFF00, 0x0FF0, 0xF0F0},
        {"amoand", 12, 0xFF00, 0x0FF0, 0x0F00},
        {"amoor", 8, 0xFF00, 0x0FF0, 0xFFF0},
        {"amomin", 16, MIN, 1, MIN},
        {"amomin", 16, 1, 0xFFFFFFFF, 0xFFFFFFFF},
        {"amomax", 20, MIN, 1, 1},
        {"amomax", 20, 1, 0xFFFFFFFF, 1},
        {"amominu", 24, MIN, 1, 1},
        {"amominu", 24, 1, 0xFFFFFFFF, 1},
        {"amomaxu", 28, MIN, 1, MIN},
        {"amomaxu", 28, 1, 0xFFFFFFFF, 0xFFFFFFFF},
    };
    for (unsigned i = 0; i < COUNT(row); i++)
        for (uint32_t ordering = 0; ordering < 4; ordering++) {
            struct rv32_machine *machine = make();
            rv32_set_word(machine, RV32_RAM + 8, row[i].memory);
            rv32_write(machine, RV32_FLASH, rv32_r(0x2F, 2, row[i].funct5 << 2 | ordering, RD, RS1, RS2));
            machine->hart.x[RS1] = RV32_RAM + 8;
            machine->hart.x[RS2] = row[i].operand;
            rv32_step(machine);
            assert_int_equal(machine->hart.x[RD], row[i].memory);
            assert_int_equal(rv32_word(machine, RV32_RAM + 8), row[i].after);
            assert_int_equal(machine->hart.cycle, RV32_COST_OF(amo) + 1 + 3);
            assert_int_equal(machine->hart.pc, RV32_FLASH + 4);
        }
}

/* LR at one address, then twice SC at another: does the first one store? The second one never does. */
static void pair(uint32_t loaded, uint32_t stored, bool success)
{
    struct rv32_machine *machine = make();
    uint32_t at = RV32_FLASH;
    rv32_set_word(machine, RV32_RAM + 8, 0x1234);
    at = rv32_write(machine, at, rv32_r(0x2F, 2, 2 << 2, RD, RS1, 0));
    at = rv32_write(machine, at, rv32_r(0x2F, 2, 3 << 2, 10, 11, RS2));
    at = rv32_write(machine, at, rv32_r(0x2F, 2, 3 << 2, 12, 11, RS2));
    machine->hart.x[RS1] = loaded;
    machine->hart.x[RS2] = 0x5678;
    machine->hart.x[11] = stored;
    machine->hart.x[10] = machine->hart.x[12] = 99;
    rv32_step(machine);
    assert_int_equal(machine->hart.x[RD], loaded == RV32_RAM + 8 ? 0x1234 : 0);
    assert_int_equal(machine->hart.cycle, RV32_COST_OF(amo) + 1);
    rv32_step(machine);
    assert_int_equal(machine->hart.x[10], success ? 0 : 1);
    assert_int_equal(rv32_word(machine, stored), success ? 0x5678 : stored == RV32_RAM + 8 ? 0x1234 : 0);
    assert_int_equal(machine->hart.cycle, 2 * RV32_COST_OF(amo) + 1 + (success ? 3 : 0));
    rv32_set_word(machine, stored, 1);
    rv32_step(machine);
    assert_int_equal(machine->hart.x[12], 1);
    assert_int_equal(rv32_word(machine, stored), 1);
}

TEST(store_conditional_needs_the_reservation_of_its_address)
{
    pair(RV32_RAM + 8, RV32_RAM + 8, true);
    pair(RV32_RAM + 12, RV32_RAM + 8, false);
    pair(RV32_RAM + 8, RV32_RAM + 12, false);
}

/* Volume II, 3.1.6: reset; volume I, 8.2: a reservation does not outlive it. */
TEST(reset_clears_registers_and_goes_on_in_time)
{
    struct rv32_machine *machine = make();
    struct pb_rv32 *hart = &machine->hart;
    memset(hart->x, 1, sizeof hart->x);
    memset(hart->f, 1, sizeof hart->f);
    hart->cycle = 1000;
    hart->instructions = 500;
    hart->reserved = RV32_RAM;
    hart->mstatus = hart->mie = hart->fcsr = hart->mepc = UINT32_MAX;
    hart->asleep = true;
    hart->trap.kind = PB_MCU_ILLEGAL;
    pb_rv32_reset(hart, RV32_FLASH + 4);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(hart->x[i] | hart->f[i], 0);
    assert_int_equal(hart->pc, RV32_FLASH + 4);
    assert_int_equal(hart->cycle, 1000);
    assert_int_equal(hart->mstatus, 0x1800);
    assert_int_equal(hart->mie | hart->fcsr | hart->mepc, 0);
    assert_int_equal(hart->reserved, 1);
    rv32_write(machine, RV32_FLASH + 4, rv32_addi(1, 0, 1));
    assert_int_equal(rv32_step(machine), PB_MCU_TIME);
    assert_int_equal(hart->x[1], 1);
}
