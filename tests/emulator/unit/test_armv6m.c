/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of the Armv6-M core, against DDI 0419: arithmetic against its pseudocode (AddWithCarry,
 * shifts bit by bit), the rest against tables by hand, and all halfwords against its encoding tables as bit
 * patterns.
 */
#include "tests/emulator/unit/armv6m_fixture.h"
#include "tests/bench/unit/tests.h"

enum { N = 8, Z = 4, C = 2, V = 1 };

static struct fixture fixture;

/* Executes one instruction at FIXTURE_CODE. */
static struct pb_armv6m *execute(uint32_t first, uint32_t second)
{
    fixture_put16(&fixture, FIXTURE_CODE, first);
    fixture_put16(&fixture, FIXTURE_CODE + 2, second);
    fixture.core.r[15] = FIXTURE_CODE;
    fixture_step(&fixture);
    return &fixture.core;
}

static unsigned flags(void)
{
    return fixture.core.apsr >> 28;
}

static const uint32_t operands[] = {0,          1,          2,          3,          31,         32,
                                    33,         34,         64,         255,        256,        257,
                                    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
                                    0x0000ff1f, 0x00000100, 0x12345678, 0xdeadbeef, 0x55555555, 0xaaaaaaaa};

struct result {
    uint32_t value;
    unsigned flags;
    bool stored;
};

static struct result with_nz(uint32_t value, unsigned carry, unsigned overflow)
{
    return (struct result){
        value, (value >> 31 ? N : 0) | (value ? 0 : Z) | (carry ? C : 0) | (overflow ? V : 0), true};
}

/* AddWithCarry of the manual: the sums as integers. */
static struct result add_with_carry(uint32_t x, uint32_t y, unsigned carry)
{
    const uint64_t unsigned_sum = (uint64_t)x + y + carry;
    const int64_t signed_sum = (int64_t)(int32_t)x + (int32_t)y + carry;
    const uint32_t value = (uint32_t)unsigned_sum;
    return with_nz(value, unsigned_sum != value, signed_sum != (int32_t)value);
}

enum shift { LSL, LSR, ASR, ROR };

/* Shift_C of the manual, one position at a time. */
static struct result shift(enum shift kind, uint32_t value, unsigned amount, unsigned in)
{
    unsigned carry = in >> 1 & 1;
    for (unsigned i = 0; i < amount; i++) {
        carry = kind == LSL ? value >> 31 : value & 1;
        value = kind == LSL   ? value * 2
                : kind == LSR ? value / 2
                : kind == ASR ? value / 2 | (value & 0x80000000)
                              : value / 2 | (value & 1) << 31;
    }
    return with_nz(value, carry, in & V);
}

static struct result not_stored(struct result result)
{
    result.stored = false;
    return result;
}

/* The sixteen of 010000, by opcode (A5.2.2): d and m are the operands, in the flags. */
static struct result data_processing(unsigned opcode, uint32_t d, uint32_t m, unsigned in)
{
    const unsigned c = in >> 1 & 1, v = in & V;
    switch (opcode) {
    case 0:
        return with_nz(d & m, c, v);
    case 1:
        return with_nz(d ^ m, c, v);
    case 2:
        return shift(LSL, d, m & 0xff, in);
    case 3:
        return shift(LSR, d, m & 0xff, in);
    case 4:
        return shift(ASR, d, m & 0xff, in);
    case 5:
        return add_with_carry(d, m, c);
    case 6:
        return add_with_carry(d, ~m, c);
    case 7:
        return shift(ROR, d, m & 0xff, in);
    case 8:
        return not_stored(with_nz(d & m, c, v));
    case 9:
        return add_with_carry(~m, 0, 1);
    case 10:
        return not_stored(add_with_carry(d, ~m, 1));
    case 11:
        return not_stored(add_with_carry(d, m, 0));
    case 12:
        return with_nz(d | m, c, v);
    case 13:
        return with_nz((uint32_t)((uint64_t)d * m), c, v);
    case 14:
        return with_nz(d & ~m, c, v);
    default:
        return with_nz(~m, c, v);
    }
}

static void expect(struct result wanted, unsigned d, uint32_t before, uint32_t op)
{
    const uint32_t value = wanted.stored ? wanted.value : before;
    if (fixture.core.r[d] != value || flags() != wanted.flags || fixture.core.r[15] != FIXTURE_CODE + 2)
        fail_msg("%04x: %08x and flags %x, not %08x and %x", op, fixture.core.r[d], flags(), value,
                 wanted.flags);
}

TEST(data_processing_follows_the_pseudocode)
{
    fixture_init(&fixture, true);
    for (unsigned opcode = 0; opcode < 16; opcode++)
        for (unsigned i = 0; i < COUNT(operands); i++)
            for (unsigned j = 0; j < COUNT(operands); j++)
                for (unsigned in = 0; in < 16; in++) {
                    fixture.core.r[3] = operands[i];
                    fixture.core.r[6] = operands[j];
                    fixture.core.apsr = in << 28;
                    const uint32_t op = 0x4000 | opcode << 6 | 6 << 3 | 3;
                    execute(op, 0);
                    expect(data_processing(opcode, operands[i], operands[j], in), 3, operands[i], op);
                }
}

TEST(data_processing_on_one_register)
{
    fixture_init(&fixture, true);
    for (unsigned opcode = 0; opcode < 16; opcode++)
        for (unsigned i = 0; i < COUNT(operands); i++) {
            fixture.core.r[5] = operands[i];
            fixture.core.apsr = 0;
            execute(0x4000 | opcode << 6 | 5 << 3 | 5, 0);
            expect(data_processing(opcode, operands[i], operands[i], 0), 5, operands[i], opcode);
        }
}

TEST(shifts_by_an_immediate)
{
    fixture_init(&fixture, true);
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned imm = 0; imm < 32; imm++)
            for (unsigned i = 0; i < COUNT(operands); i++)
                for (unsigned in = 0; in < 16; in++) {
                    fixture.core.r[1] = operands[i];
                    fixture.core.r[2] = 77;
                    fixture.core.apsr = in << 28;
                    const uint32_t op = kind << 11 | imm << 6 | 1 << 3 | 2;
                    execute(op, 0);
                    /* 0 is 32 for LSR and ASR */
                    expect(shift((enum shift)kind, operands[i], kind && !imm ? 32 : imm, in), 2, 77, op);
                }
}

TEST(additions_and_immediates)
{
    fixture_init(&fixture, true);
    for (unsigned i = 0; i < COUNT(operands); i++)
        for (unsigned j = 0; j < COUNT(operands); j++) {
            const uint32_t a = operands[i], b = operands[j];
            fixture.core.r[1] = a;
            fixture.core.r[2] = b;
            execute(0x1800 | 2 << 6 | 1 << 3 | 0, 0);
            expect(add_with_carry(a, b, 0), 0, 0, 0x1800);
            execute(0x1a00 | 2 << 6 | 1 << 3 | 0, 0);
            expect(add_with_carry(a, ~b, 1), 0, 0, 0x1a00);
            execute(0x1c00 | (b & 7) << 6 | 1 << 3 | 0, 0);
            expect(add_with_carry(a, b & 7, 0), 0, 0, 0x1c00);
            execute(0x1e00 | (b & 7) << 6 | 1 << 3 | 0, 0);
            expect(add_with_carry(a, ~(b & 7), 1), 0, 0, 0x1e00);
            const uint32_t imm = b & 0xff;
            fixture.core.apsr = 0x30000000;
            execute(0x2400 | imm, 0);
            expect(with_nz(imm, 1, 1), 4, 0, 0x2400);
            fixture.core.r[4] = a;
            execute(0x2c00 | imm, 0);
            expect(not_stored(add_with_carry(a, ~imm, 1)), 4, a, 0x2c00);
            execute(0x3400 | imm, 0);
            expect(add_with_carry(a, imm, 0), 4, a, 0x3400);
            fixture.core.r[4] = a;
            execute(0x3c00 | imm, 0);
            expect(add_with_carry(a, ~imm, 1), 4, a, 0x3c00);
            /* CMP with high registers; ADD and MOV leave the flags */
            fixture.core.r[9] = a;
            fixture.core.r[14] = b;
            execute(0x4500 | 0x80 | 14 << 3 | 1, 0);
            expect(not_stored(add_with_carry(a, ~b, 1)), 9, a, 0x4500);
            const unsigned before = flags();
            execute(0x4400 | 0x80 | 14 << 3 | 1, 0);
            assert_int_equal(fixture.core.r[9], a + b);
            execute(0x4600 | 9 << 3 | 3, 0);
            assert_int_equal(fixture.core.r[3], a + b);
            assert_int_equal(flags(), before);
        }
}

TEST(the_pc_and_the_sp_as_operands)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    execute(0x4678, 0); /* MOV R0, PC */
    assert_int_equal(core->r[0], FIXTURE_CODE + 4);
    core->r[1] = 0x10;
    execute(0x4479, 0); /* ADD R1, PC */
    assert_int_equal(core->r[1], FIXTURE_CODE + 0x14);
    core->r[2] = FIXTURE_CODE + 0x101;
    execute(0x4697, 0); /* MOV PC, R2: bit 0 is no state */
    assert_int_equal(core->r[15], FIXTURE_CODE + 0x100);
    core->r[2] = 0x11;
    execute(0x4497, 0); /* ADD PC, R2 */
    assert_int_equal(core->r[15], FIXTURE_CODE + 4 + 0x10);
    core->r[3] = FIXTURE_RAM + 0x103;
    execute(0x469d, 0); /* MOV SP, R3: bits 1..0 are 0 */
    assert_int_equal(core->r[13], FIXTURE_RAM + 0x100);
    execute(0x449d, 0); /* ADD SP, R3 */
    assert_int_equal(core->r[13], (2 * FIXTURE_RAM + 0x200) & ~3u);
    core->r[13] = FIXTURE_RAM + 0x100;
    execute(0xaf01, 0); /* ADD R7, SP, #4 */
    assert_int_equal(core->r[7], FIXTURE_RAM + 0x104);
    execute(0xb07f, 0); /* ADD SP, #508 */
    assert_int_equal(core->r[13], FIXTURE_RAM + 0x2fc);
    execute(0xb0ff, 0);
    assert_int_equal(core->r[13], FIXTURE_RAM + 0x100);
    execute(0xa1ff, 0); /* ADR R1, PC + 1020, at a word */
    assert_int_equal(core->r[1], FIXTURE_CODE + 4 + 1020);
    fixture_put16(&fixture, FIXTURE_CODE + 2, 0xa101); /* at a halfword: Align(PC, 4) */
    core->r[15] = FIXTURE_CODE + 2;
    fixture_step(&fixture);
    assert_int_equal(core->r[1], FIXTURE_CODE + 8);
}

TEST(extensions_and_reversals)
{
    static const struct {
        uint32_t op, in, out;
    } rows[] = {{0xb208, 0x12348000, 0xffff8000}, {0xb208, 0xffff7fff, 0x00007fff},
                {0xb248, 0x12345680, 0xffffff80}, {0xb248, 0xffffff7f, 0x0000007f},
                {0xb288, 0x1234ffff, 0x0000ffff}, {0xb2c8, 0x123456ff, 0x000000ff},
                {0xba08, 0x01234567, 0x67452301}, {0xba48, 0x01234567, 0x23016745},
                {0xbac8, 0x12340180, 0xffff8001}, {0xbac8, 0x1234807f, 0x00007f80}};
    fixture_init(&fixture, true);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        fixture.core.r[1] = rows[i].in;
        fixture.core.apsr = 0xa0000000;
        execute(rows[i].op, 0);
        assert_int_equal(fixture.core.r[0], rows[i].out);
        assert_int_equal(flags(), N | C);
    }
}

TEST(loads_and_stores_of_each_form)
{
    /* Memory holds bytes 80 81 82 .. from FIXTURE_RAM + 0x100 on; R1 = that, R2 = 6, the target is R0. */
    static const struct {
        uint32_t op, out;
    } loads[] = {{0x5688, 0xffffff86}, /* LDRSB [R1, R2] */
                 {0x5a88, 0x00008786}, /* LDRH */
                 {0x5c88, 0x00000086}, /* LDRB */
                 {0x5e88, 0xffff8786}, /* LDRSH */
                 {0x6848, 0x87868584}, /* LDR [R1, #4] */
                 {0x6fc8, 0xfffefdfc}, /* LDR [R1, #124] */
                 {0x7fc8, 0x0000009f}, /* LDRB [R1, #31] */
                 {0x8fc8, 0x0000bfbe}, /* LDRH [R1, #62] */
                 {0x9801, 0x87868584}, /* LDR [SP, #4] */
                 {0x9840, 0x0badf00d}};
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    for (unsigned i = 0; i < 128; i++)
        fixture.ram[0x100 + i] = (uint8_t)(0x80 + i);
    fixture_put32(&fixture, FIXTURE_RAM + 0x200, 0x0badf00d);
    core->r[1] = core->r[13] = FIXTURE_RAM + 0x100;
    core->r[2] = 6;
    for (unsigned i = 0; i < COUNT(loads); i++) {
        execute(loads[i].op, 0);
        assert_int_equal(core->r[0], loads[i].out);
    }
    core->r[2] = 8;
    execute(0x5888, 0); /* LDR [R1, R2] */
    assert_int_equal(core->r[0], 0x8b8a8988);
    fixture_put32(&fixture, FIXTURE_CODE + 4 + 1020, 0xcafe1234);
    execute(0x48ff, 0); /* LDR literal */
    assert_int_equal(core->r[0], 0xcafe1234);

    /* R0 = 0x11223344 to R1 + 8 over ff: the bytes after it. */
    static const struct {
        uint32_t op, word;
    } stores[] = {{0x5088, 0x11223344}, {0x5288, 0xffff3344}, {0x5488, 0xffffff44}, {0x6088, 0x11223344},
                  {0x7208, 0xffffff44}, {0x8108, 0xffff3344}, {0x9002, 0x11223344}};
    core->r[0] = 0x11223344;
    for (unsigned i = 0; i < COUNT(stores); i++) {
        fixture_put32(&fixture, FIXTURE_RAM + 0x108, 0xffffffff);
        execute(stores[i].op, 0);
        assert_int_equal(fixture_word(&fixture, FIXTURE_RAM + 0x108), stores[i].word);
        assert_int_equal(fixture_word(&fixture, FIXTURE_RAM + 0x104), 0x87868584);
    }
}

TEST(loads_and_stores_of_several_registers)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    const uint32_t base = FIXTURE_RAM + 0x100;
    for (unsigned i = 0; i < 8; i++)
        core->r[i] = 0x100 + i;
    core->r[5] = base;
    execute(0xc507, 0); /* STM R5!, {R0-R2} */
    assert_int_equal(core->r[5], base + 12);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fixture_word(&fixture, base + 4 * i), 0x100 + i);
    core->r[0] = base;
    execute(0xc003, 0); /* STM R0!, {R0, R1}: the first of the list is the base as it was */
    assert_int_equal(fixture_word(&fixture, base), base);
    assert_int_equal(core->r[0], base + 8);
    core->r[3] = base;
    execute(0xcb18, 0); /* LDM R3, {R3, R4}: no write-back over the loaded value */
    assert_int_equal(core->r[3], base);
    assert_int_equal(core->r[4], 0x101);
    core->r[3] = base;
    execute(0xcb30, 0); /* LDM R3!, {R4, R5} */
    assert_int_equal(core->r[3], base + 8);
    core->r[13] = base + 0x40;
    core->r[14] = 0x999;
    execute(0xb584, 0); /* PUSH {R2, R7, LR} */
    assert_int_equal(core->r[13], base + 0x34);
    assert_int_equal(core->lowest_sp, base + 0x34);
    assert_int_equal(fixture_word(&fixture, base + 0x34), 0x102);
    assert_int_equal(fixture_word(&fixture, base + 0x38), 0x107);
    assert_int_equal(fixture_word(&fixture, base + 0x3c), 0x999);
    execute(0xbd03, 0); /* POP {R0, R1, PC} */
    assert_int_equal(core->r[0], 0x102);
    assert_int_equal(core->r[1], 0x107);
    assert_int_equal(core->r[15], 0x998);
    assert_int_equal(core->r[13], base + 0x40);
}

/* ConditionPassed of the manual. */
static bool passes(unsigned condition, unsigned in)
{
    const bool n = in & N, z = in & Z, c = in & C, v = in & V;
    const bool result[7] = {z, c, n, v, c && !z, n == v, n == v && !z};
    return result[condition / 2] != (condition % 2 == 1);
}

TEST(conditional_branches)
{
    fixture_init(&fixture, true);
    for (unsigned condition = 0; condition < 14; condition++)
        for (unsigned in = 0; in < 16; in++)
            for (unsigned imm = 0; imm < 256; imm += 51) {
                fixture.core.apsr = in << 28;
                const uint64_t cycle = fixture.core.cycle;
                execute(0xd000 | condition << 8 | imm, 0);
                const uint32_t to = FIXTURE_CODE + 4 + 2 * (imm < 128 ? imm : imm - 256);
                assert_int_equal(fixture.core.r[15], passes(condition, in) ? to : FIXTURE_CODE + 2);
                assert_int_equal(fixture.core.cycle - cycle, passes(condition, in) ? 2 : 1);
            }
}

TEST(branches_and_calls)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    assert_int_equal(execute(0xe3ff, 0)->r[15], FIXTURE_CODE + 4 + 2046);
    assert_int_equal(execute(0xe400, 0)->r[15], FIXTURE_CODE + 4 - 2048);
    /* BL by S, imm10, imm11 with J1 = J2 = not S exclusive or I: worked out by hand */
    static const struct {
        uint32_t first, second, offset;
    } bl[] = {{0xf000, 0xf800, 0},          {0xf000, 0xf801, 2},          {0xf7ff, 0xffff, 0xfffffffe},
              {0xf3ff, 0xd7ff, 0x00fffffe}, {0xf400, 0xd000, 0xff000000}, {0xf000, 0xd800, 0x00800000},
              {0xf000, 0xf000, 0x00400000}, {0xf400, 0xf800, 0xffc00000}};
    for (unsigned i = 0; i < COUNT(bl); i++) {
        execute(bl[i].first, bl[i].second);
        assert_int_equal(core->r[15], FIXTURE_CODE + 4 + bl[i].offset);
        assert_int_equal(core->r[14], (FIXTURE_CODE + 4) | 1);
    }
    core->r[9] = 0x301;
    assert_int_equal(execute(0x4748, 0)->r[15], 0x300); /* BX R9 */
    assert_int_equal(core->r[14], (FIXTURE_CODE + 4) | 1);
    assert_int_equal(execute(0x47c8, 0)->r[15], 0x300); /* BLX R9 */
    assert_int_equal(core->r[14], (FIXTURE_CODE + 2) | 1);
    core->r[14] = 0x401;
    assert_int_equal(execute(0x47f0, 0)->r[15], 0x400); /* BLX LR */
    assert_int_equal(core->r[14], (FIXTURE_CODE + 2) | 1);
    core->r[0] = 0x300;
    execute(0x4700, 0); /* BX to an even address: the fault is that of the next instruction */
    assert_int_equal(core->trap.kind, PB_MCU_NONE);
    fixture_step(&fixture);
    assert_int_equal(core->trap.kind, PB_MCU_ILLEGAL);
    assert_int_equal(core->trap.pc, 0x300);
}

TEST(special_registers)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    const uint32_t msp = core->r[13];
    core->r[0] = 0xffffffff;
    execute(0xf380, 0x8800); /* MSR APSR, R0: the flags alone */
    assert_int_equal(core->apsr, 0xf0000000);
    core->apsr = 0xa0000000;
    core->ipsr = 5;
    static const uint32_t psr[8] = {0xa0000000, 0xa0000005, 0xa0000000, 0xa0000005, 0, 5, 0, 5};
    for (unsigned sysm = 0; sysm < 8; sysm++)
        if (sysm != 4) {
            execute(0xf3ef, 0x8100 | sysm);
            assert_int_equal(core->r[1], psr[sysm]);
        }
    execute(0xf380, 0x8805); /* MSR IPSR: ignored */
    assert_int_equal(core->ipsr, 5);
    core->ipsr = 0;
    core->r[0] = FIXTURE_RAM + 0x103;
    execute(0xf380, 0x8809); /* MSR PSP */
    execute(0xf3ef, 0x8209);
    assert_int_equal(core->r[2], FIXTURE_RAM + 0x100);
    assert_int_equal(core->r[13], msp);
    core->r[0] = 3;
    execute(0xf380, 0x8814); /* MSR CONTROL: SPSEL; nPRIV stays 0 */
    assert_int_equal(core->r[13], FIXTURE_RAM + 0x100);
    execute(0xf3ef, 0x8314);
    assert_int_equal(core->r[3], 2);
    execute(0xf3ef, 0x8408); /* MRS MSP */
    assert_int_equal(core->r[4], msp);
    core->r[0] = 0xff;
    execute(0xf380, 0x8810);
    execute(0xf3ef, 0x8510); /* PRIMASK */
    assert_int_equal(core->r[5], 1);
    execute(0xb662, 0);
    assert_false(core->primask);
    execute(0xb672, 0);
    assert_true(core->primask);
}

/* Halfwords that the manual's tables A5-1 to A5-8 and the instructions' own pages define, MSB first. */
static const char *const defined[] = {
    "000xxxxxxxxxxxxx", "001xxxxxxxxxxxxx", "010000xxxxxxxxxx", "01000100xxxxxxxx", "01000101xxxxxxxx",
    "01000110xxxxxxxx", "01000111xxxxx000", "01001xxxxxxxxxxx", "0101xxxxxxxxxxxx", "011xxxxxxxxxxxxx",
    "1000xxxxxxxxxxxx", "1001xxxxxxxxxxxx", "1010xxxxxxxxxxxx", "10110000xxxxxxxx", "10110010xxxxxxxx",
    "1011010xxxxxxxxx", "10110110011x0010", "1011101000xxxxxx", "1011101001xxxxxx", "1011101011xxxxxx",
    "1011110xxxxxxxxx", "10111111xxxx0000", "1100xxxxxxxxxxxx", "1101xxxxxxxxxxxx", "11100xxxxxxxxxxx"};
/* Those of them that are unpredictable or undefined. */
static const char *const undefined[] = {"0100010011111111" /* ADD PC, PC */,
                                        "0100010100xxxxxx" /* CMP low, low */,
                                        "010001011xxxx111" /* CMP PC */,
                                        "01000101x1111xxx" /* CMP .., PC */,
                                        "01000111x1111xxx" /* BX, BLX PC */,
                                        "1011010000000000" /* no list */,
                                        "1011110000000000",
                                        "1100xxxx00000000",
                                        "11011110xxxxxxxx" /* UDF */};

static bool matches(const char *const *patterns, unsigned count, uint32_t halfword)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned bit = 0;
        while (bit < 16 && (patterns[i][bit] == 'x' ||
                            (unsigned)(patterns[i][bit] - '0') == (halfword >> (15 - bit) & 1)))
            bit++;
        if (bit == 16)
            return true;
    }
    return false;
}

static void prepare_registers(struct pb_armv6m *core)
{
    for (unsigned i = 0; i < 13; i++)
        core->r[i] = FIXTURE_RAM + 0x400;
    core->r[13] = core->r[14] = FIXTURE_RAM + 0x800;
    core->trap.kind = PB_MCU_NONE;
    core->asleep = core->arm_state = core->primask = false;
}

TEST(every_halfword_is_defined_or_illegal)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    for (uint32_t op = 0; op < 0xe800; op++) {
        prepare_registers(core);
        if (op >> 12 == 5) /* with an offset in a register */
            core->r[op >> 6 & 7] = (op >> 6 & 7) == (op >> 3 & 7) ? FIXTURE_RAM / 2 : 0;
        const uint64_t instructions = core->instructions;
        execute(op, 0);
        const bool legal = matches(defined, COUNT(defined), op) && !matches(undefined, COUNT(undefined), op);
        if (op >> 12 == 5 && (op >> 6 & 7) == (op >> 3 & 7)) { /* the sum is an address: 2 * 0x10000000 */
            assert_int_equal(core->trap.kind, PB_MCU_NONE);
            continue;
        }
        if ((core->trap.kind == PB_MCU_NONE) != legal || core->instructions - instructions != legal)
            fail_msg("%04x: trap %d, legal %d", op, core->trap.kind, legal);
        if (!legal) {
            assert_int_equal(core->trap.kind, op >> 8 == 0xbe ? PB_MCU_BREAKPOINT : PB_MCU_ILLEGAL);
            assert_int_equal(core->trap.pc, FIXTURE_CODE);
            assert_int_equal(core->trap.address, op);
        }
        core->system_pending = 0; /* SVC */
    }
}

/* Second halfwords by the tables A5-9 and A5-10, and the pages of MRS, MSR and the barriers. */
static bool wide_is_legal(uint32_t first, uint32_t second)
{
    static const char *const bl[] = {"11x1xxxxxxxxxxxx"}, *const mrs[] = {"1000xxxxxxxxxxxx"},
                             *const msr[] = {"10001000xxxxxxxx"},
                             *const barriers[] = {"100011110100xxxx", "100011110101xxxx", "100011110110xxxx"};
    static const char *const sysm[] = {"xxxxxxxx000000xx", "xxxxxxxx0000011x", "xxxxxxxx00000101",
                                       "xxxxxxxx0000100x", "xxxxxxxx00010000", "xxxxxxxx00010100"};
    if (first >> 11 != 30)
        return false;
    if (matches(bl, 1, second))
        return true;
    const unsigned d = second >> 8 & 15, n = first & 15;
    if (first == 0xf3ef)
        return matches(mrs, 1, second) && d != 13 && d != 15 && matches(sysm, COUNT(sysm), second);
    if (first >> 4 == 0xf38)
        return matches(msr, 1, second) && n != 13 && n != 15 && matches(sysm, COUNT(sysm), second);
    return first == 0xf3bf && matches(barriers, 3, second);
}

TEST(every_wide_instruction_is_defined_or_illegal)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    for (uint32_t first = 0xe800; first < 0x10000; first++) {
        const bool whole = first == 0xf3ef || first == 0xf3bf || first == 0xf380 || first == 0xf38d;
        for (uint32_t second = whole ? 0 : first * 77 % 61; second < 0x10000; second += whole ? 1 : 509) {
            prepare_registers(core);
            core->process_stack = false;
            execute(first, second);
            const bool legal = wide_is_legal(first, second);
            if ((core->trap.kind == PB_MCU_NONE) != legal)
                fail_msg("%04x %04x: trap %d, legal %d", first, second, core->trap.kind, legal);
        }
    }
}

TEST(hints_and_sleep_without_interrupts)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    for (unsigned hint = 0; hint < 16; hint++) {
        core->asleep = false;
        core->event = false;
        execute(0xbf00 | hint << 4, 0);
        assert_int_equal(core->asleep, hint == 2 || hint == 3);
        assert_int_equal(core->event, hint == 4);
    }
    execute(0xbf40, 0); /* SEV, then WFE goes on and takes the event */
    core->asleep = false;
    execute(0xbf20, 0);
    assert_false(core->asleep);
    assert_false(core->event);
}

TEST(cycles_of_each_class)
{
    /* DDI 0484, table 3-1, with the fixture's costs; R1 is in SRAM, R2 at a device, R3 at the I/O port. */
    static const struct {
        uint32_t first, second;
        unsigned cycles;
    } rows[] = {{0x0000, 0, 1},      {0x4348, 0, 1},      {0x6808, 0, 2},      {0x6008, 0, 2},
                {0x6810, 0, 2 + 7},  {0x6010, 0, 2 + 7},  {0x6818, 0, 1},      {0x6018, 0, 1},
                {0xb40f, 0, 1 + 4},  {0xbc30, 0, 1 + 2},  {0xe000, 0, 2},      {0xf000, 0xf800, 3},
                {0x4720, 0, 2},      {0x47a0, 0, 2},      {0xb530, 0, 1 + 3},  {0xbd30, 0, 3 + 3},
                {0xf3ef, 0x8000, 3}, {0xf380, 0x8800, 3}, {0xf3bf, 0x8f4f, 3}, {0xc901, 0, 1 + 1},
                {0x46a7, 0, 2},      {0xb672, 0, 1},      {0x4804, 0, 2}};
    fixture_init(&fixture, true);
    fixture.waits = 7;
    struct pb_armv6m *const core = &fixture.core;
    for (unsigned i = 0; i < COUNT(rows); i++) {
        core->r[1] = FIXTURE_RAM + 0x100;
        core->r[2] = FIXTURE_DEVICE + 4;
        core->r[3] = FIXTURE_IO;
        core->r[4] = core->r[14] = FIXTURE_CODE | 1;
        const uint64_t cycle = core->cycle;
        execute(rows[i].first, rows[i].second);
        if (core->trap.kind || core->cycle - cycle != rows[i].cycles)
            fail_msg("%04x: %d cycles, not %u", rows[i].first, (int)(core->cycle - cycle), rows[i].cycles);
    }
    /* Waits of memory: for each word of several, too. */
    core->bus.memory[1].read_waits = 3;
    core->bus.memory[1].write_waits = 5;
    core->r[1] = core->r[13] = FIXTURE_RAM + 0x100;
    static const struct {
        uint32_t op;
        unsigned cycles;
    } waits[] = {{0x6808, 2 + 3}, {0x6008, 2 + 5}, {0xb40f, 1 + 4 + 4 * 5}, {0xbc0c, 1 + 2 + 2 * 3}};
    for (unsigned i = 0; i < COUNT(waits); i++) {
        const uint64_t cycle = core->cycle;
        execute(waits[i].op, 0);
        assert_int_equal(core->cycle - cycle, waits[i].cycles);
    }
}

TEST(code_that_was_just_stored_is_executed)
{
    fixture_init(&fixture, true);
    struct pb_armv6m *const core = &fixture.core;
    core->r[0] = FIXTURE_RAM;
    core->r[1] = 0x2507;                              /* MOVS R5, #7 */
    fixture_put16(&fixture, FIXTURE_RAM, 0x8041);     /* STRH R1, [R0, #2] */
    fixture_put16(&fixture, FIXTURE_RAM + 2, 0x2501); /* MOVS R5, #1 */
    core->r[15] = FIXTURE_RAM;
    pb_armv6m_run(core, core->cycle + 3, 0);
    assert_int_equal(core->r[5], 7);
}

/* Each access that fails, in both modes. */
TEST(faults_of_accesses)
{
    static const struct {
        uint32_t op, address;
        enum pb_mcu_trap_kind kind;
    } rows[] = {{0x6808, FIXTURE_RAM + 2, PB_MCU_MISALIGNED},
                {0x6808, FIXTURE_RAM + 1, PB_MCU_MISALIGNED},
                {0x8808, FIXTURE_RAM + 1, PB_MCU_MISALIGNED},
                {0x6008, FIXTURE_RAM + 2, PB_MCU_MISALIGNED},
                {0x8008, FIXTURE_RAM + 3, PB_MCU_MISALIGNED},
                {0xc905, FIXTURE_RAM + 2, PB_MCU_MISALIGNED},
                {0xc105, FIXTURE_RAM + 1, PB_MCU_MISALIGNED},
                {0x6808, 0x60000000, PB_MCU_READ_FAULT},
                {0x6008, 0x60000000, PB_MCU_WRITE_FAULT},
                {0x7008, 0x00001000, PB_MCU_WRITE_FAULT},
                {0x7808, FIXTURE_RAM + FIXTURE_RAM_BYTES, PB_MCU_READ_FAULT},
                {0x6808, 0xe000e300, PB_MCU_GAP},
                {0x6008, 0xe000e300, PB_MCU_GAP},
                {0x7808, 0xe000ed04, PB_MCU_READ_FAULT}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        fixture_init(&fixture, true);
        fixture.core.r[1] = rows[i].address;
        fixture.core.r[0] = 0x1234;
        execute(rows[i].op, 0);
        assert_int_equal(fixture.core.trap.kind, rows[i].kind);
        assert_int_equal(fixture.core.trap.pc, FIXTURE_CODE);
        assert_int_equal(fixture.core.trap.address, rows[i].address);
        assert_int_equal(fixture.core.r[1], rows[i].address);
        assert_int_equal(fixture_step(&fixture), PB_MCU_TRAPPED);
        if (rows[i].address == 0xe000e300)
            continue; /* reads 0 */
        fixture_init(&fixture, false);
        fixture.core.r[1] = rows[i].address;
        execute(rows[i].op, 0);
        assert_int_equal(fixture.core.trap.kind, PB_MCU_NONE);
        assert_int_equal(fixture.core.ipsr, 3);
        assert_int_equal(fixture.core.r[15], fixture_handler(3));
        assert_int_equal(fixture_word(&fixture, fixture.core.r[13] + 24), FIXTURE_CODE);
    }
    fixture_init(&fixture, true);
    fixture.core.r[0] = 0x60000001;
    execute(0x4700, 0);
    fixture_step(&fixture);
    assert_int_equal(fixture.core.trap.kind, PB_MCU_FETCH_FAULT);
    assert_int_equal(fixture.core.trap.pc, 0x60000000);
}
