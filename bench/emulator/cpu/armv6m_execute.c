/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter (DDI 0419, A5 to A7). Bits 15..6 of a halfword choose its handler: no decoded copy of the
 * code exists, so a store to code works at once. While it runs, flags, PC and cycle are in local variables.
 */
#include "bench/emulator/cpu/armv6m_core.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* The next instruction. `n` has N in bit 31, `z` is 0 if Z, `c` is 0 or 1, `v` has V in bit 31. */
#define NEXT                                                                                                 \
    do {                                                                                                     \
        if (UNLIKELY(cycle >= limit))                                                                        \
            goto leave;                                                                                      \
        offset = pc - code_base;                                                                             \
        if (UNLIKELY(offset >= code_bytes))                                                                  \
            goto other_code;                                                                                 \
        op = pb_arm_get16(code + offset);                                                                    \
        pc += 2;                                                                                             \
        instructions++;                                                                                      \
        goto *handler[op >> 6];                                                                              \
    } while (0)

/* An instruction of `cost` cycles is done. */
#define DONE(cost)                                                                                           \
    do {                                                                                                     \
        cycle += (cost);                                                                                     \
        NEXT;                                                                                                \
    } while (0)

#define SET_NZ(result) n = z = (result)

#define RD r[op & 7]
#define RN r[op >> 3 & 7]
#define RM r[op >> 6 & 7]
#define RDN8 r[op >> 8 & 7]
#define IMM3 (op >> 6 & 7)
#define IMM5 (op >> 6 & 31)
#define IMM8 (op & 0xff)
#define HIGH_D ((op & 7) | (op >> 4 & 8))
#define HIGH_M (op >> 3 & 15)
#define READ_HIGH(m) ((m) == 15 ? pc + 2 : r[m])

#define ADD_FLAGS(target, a, b)                                                                              \
    do {                                                                                                     \
        const uint32_t x = (a), y = (b), sum = x + y;                                                        \
        c = sum < x;                                                                                         \
        v = (x ^ sum) & (y ^ sum);                                                                           \
        SET_NZ(sum);                                                                                         \
        target;                                                                                              \
    } while (0)
#define SUBTRACT_FLAGS(target, a, b)                                                                         \
    do {                                                                                                     \
        const uint32_t x = (a), y = (b), sum = x - y;                                                        \
        c = x >= y;                                                                                          \
        v = (x ^ y) & (x ^ sum);                                                                             \
        SET_NZ(sum);                                                                                         \
        target;                                                                                              \
    } while (0)
#define CARRY_FLAGS(a, b)                                                                                    \
    do {                                                                                                     \
        const uint32_t x = (a), y = (b);                                                                     \
        const uint64_t wide = (uint64_t)x + y + c;                                                           \
        const uint32_t sum = (uint32_t)wide;                                                                 \
        c = (uint32_t)(wide >> 32);                                                                          \
        v = (x ^ sum) & (y ^ sum);                                                                           \
        SET_NZ(sum);                                                                                         \
        RD = sum;                                                                                            \
    } while (0)

#define BRANCH_IF(condition)                                                                                 \
    do {                                                                                                     \
        if (condition) {                                                                                     \
            pc += 2 + (uint32_t)((int32_t)(int8_t)IMM8 * 2);                                                 \
            DONE(costs->branch_taken);                                                                       \
        }                                                                                                    \
        DONE(costs->branch);                                                                                 \
    } while (0)

#define LOAD(where, size, get, target, expression)                                                           \
    do {                                                                                                     \
        const uint32_t address = (where);                                                                    \
        const uint32_t at = address - data->base;                                                            \
        uint32_t value;                                                                                      \
        if (LIKELY(at < data->bytes && !(address & ((size)-1)))) {                                           \
            value = get(data->data + at);                                                                    \
            cycle += costs->load + data->read_waits;                                                         \
        } else {                                                                                             \
            access.address = address;                                                                        \
            access.bytes = (size);                                                                           \
            core->cycle = cycle;                                                                             \
            r[15] = pc;                                                                                      \
            if (!pb_arm_read(core, &access))                                                                 \
                goto refused;                                                                                \
            value = access.value;                                                                            \
            data = access.memory ? access.memory : data;                                                     \
            cycle += (access.io ? costs->io : costs->load) + (unsigned)access.waits;                         \
            limit = core->attention ? 0 : limit;                                                             \
        }                                                                                                    \
        target = expression;                                                                                 \
        NEXT;                                                                                                \
    } while (0)

#define STORE(where, size, put, what)                                                                        \
    do {                                                                                                     \
        const uint32_t address = (where);                                                                    \
        const uint32_t at = address - data->base;                                                            \
        if (LIKELY(at < data->bytes && data->writable && !(address & ((size)-1)))) {                         \
            put(data->data + at, what);                                                                      \
            cycle += costs->store + data->write_waits;                                                       \
        } else {                                                                                             \
            access.address = address;                                                                        \
            access.bytes = (size);                                                                           \
            access.value = (what);                                                                           \
            core->cycle = cycle;                                                                             \
            r[15] = pc;                                                                                      \
            if (!pb_arm_write(core, &access))                                                                \
                goto refused;                                                                                \
            data = access.memory ? access.memory : data;                                                     \
            cycle += (access.io ? costs->io : costs->store) + (unsigned)access.waits;                        \
            limit = core->attention ? 0 : limit;                                                             \
        }                                                                                                    \
        NEXT;                                                                                                \
    } while (0)

static inline uint32_t get8(const uint8_t *from)
{
    return *from;
}

static inline void put8(uint8_t *to, uint32_t value)
{
    *to = (uint8_t)value;
}

static bool all_in_memory(const struct pb_armv6m *core, uint32_t address, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        if (!pb_arm_memory(core, address + 4 * i))
            return false;
    return true;
}

/* Loads or stores word by word; the loaded words go to value[0..]. False: access->fault, the address is of
 * the access that failed. Ahead nothing is done unless all of it is memory. */
static bool transfer(struct pb_armv6m *core, struct pb_arm_access *access, uint32_t address, unsigned words,
                     uint32_t value[9], bool store, unsigned *waits)
{
    *waits = 0;
    access->bytes = 4;
    access->address = address;
    access->fault = PB_MCU_NONE;
    if (access->ahead && !(address & 3) && !all_in_memory(core, address, words))
        return false;
    for (unsigned i = 0; i < words; i++) {
        access->address = address + 4 * i;
        access->value = value[i];
        if (!(store ? pb_arm_write : pb_arm_read)(core, access))
            return false;
        value[i] = access->value;
        *waits += (unsigned)access->waits;
    }
    return true;
}

/* The values of a list of registers, ascending, then of `last` unless it is 0. Returns how many. */
static unsigned gather(const uint32_t r[16], uint32_t list, unsigned last, uint32_t value[9])
{
    unsigned count = 0;
    for (; list; list &= list - 1)
        value[count++] = r[__builtin_ctz(list)];
    if (last)
        value[count++] = r[last];
    return count;
}

/* The opposite, without `last`. */
static void scatter(uint32_t r[16], uint32_t list, const uint32_t value[9])
{
    for (; list; list &= list - 1)
        r[__builtin_ctz(list)] = *value++;
}

/* True: a branch to `target` is the return from an interrupt whose line is high. It becomes pending again,
 * unless the line falls before. */
static bool pends_again(const struct pb_armv6m *core, uint32_t target)
{
    return target >> 28 == 15 && core->ipsr > 15 && core->lines >> (core->ipsr - 16) & 1;
}

/* True: `words` from `address` on are in this memory. */
static inline bool within(const struct pb_mcu_memory *memory, uint32_t address, unsigned words)
{
    const uint32_t at = address - memory->base;
    return !(address & 3) && at < memory->bytes && memory->bytes - at >= 4 * words;
}

/* Handlers of the halfwords whose bits 15..6 are those of `first` to those of `last`. */
#define OPS(first, last, name) [(first) >> 6 ...(last) >> 6] = &&name

bool pb_arm_execute(struct pb_armv6m *core, uint64_t limit, bool ahead)
{
    static const void *const handler[1024] = {
        OPS(0x0000, 0x003f, movs_register),
        OPS(0x0040, 0x07ff, lsls_immediate),
        OPS(0x0800, 0x0fff, lsrs_immediate),
        OPS(0x1000, 0x17ff, asrs_immediate),
        OPS(0x1800, 0x19ff, adds_register),
        OPS(0x1a00, 0x1bff, subs_register),
        OPS(0x1c00, 0x1dff, adds_immediate3),
        OPS(0x1e00, 0x1fff, subs_immediate3),
        OPS(0x2000, 0x27ff, movs_immediate),
        OPS(0x2800, 0x2fff, cmp_immediate),
        OPS(0x3000, 0x37ff, adds_immediate8),
        OPS(0x3800, 0x3fff, subs_immediate8),
        OPS(0x4000, 0x403f, ands),
        OPS(0x4040, 0x407f, eors),
        OPS(0x4080, 0x40bf, lsls_register),
        OPS(0x40c0, 0x40ff, lsrs_register),
        OPS(0x4100, 0x413f, asrs_register),
        OPS(0x4140, 0x417f, adcs),
        OPS(0x4180, 0x41bf, sbcs),
        OPS(0x41c0, 0x41ff, rors),
        OPS(0x4200, 0x423f, tst),
        OPS(0x4240, 0x427f, rsbs),
        OPS(0x4280, 0x42bf, cmp_register),
        OPS(0x42c0, 0x42ff, cmn),
        OPS(0x4300, 0x433f, orrs),
        OPS(0x4340, 0x437f, muls),
        OPS(0x4380, 0x43bf, bics),
        OPS(0x43c0, 0x43ff, mvns),
        OPS(0x4400, 0x44ff, add_high),
        OPS(0x4500, 0x453f, illegal),
        OPS(0x4540, 0x45ff, cmp_high),
        OPS(0x4600, 0x46ff, mov_high),
        OPS(0x4700, 0x477f, bx),
        OPS(0x4780, 0x47ff, blx),
        OPS(0x4800, 0x4fff, ldr_literal),
        OPS(0x5000, 0x51ff, str_register),
        OPS(0x5200, 0x53ff, strh_register),
        OPS(0x5400, 0x55ff, strb_register),
        OPS(0x5600, 0x57ff, ldrsb_register),
        OPS(0x5800, 0x59ff, ldr_register),
        OPS(0x5a00, 0x5bff, ldrh_register),
        OPS(0x5c00, 0x5dff, ldrb_register),
        OPS(0x5e00, 0x5fff, ldrsh_register),
        OPS(0x6000, 0x67ff, str_immediate),
        OPS(0x6800, 0x6fff, ldr_immediate),
        OPS(0x7000, 0x77ff, strb_immediate),
        OPS(0x7800, 0x7fff, ldrb_immediate),
        OPS(0x8000, 0x87ff, strh_immediate),
        OPS(0x8800, 0x8fff, ldrh_immediate),
        OPS(0x9000, 0x97ff, str_sp),
        OPS(0x9800, 0x9fff, ldr_sp),
        OPS(0xa000, 0xa7ff, adr),
        OPS(0xa800, 0xafff, add_sp_register),
        OPS(0xb000, 0xb07f, add_sp),
        OPS(0xb080, 0xb0ff, sub_sp),
        OPS(0xb100, 0xb1ff, illegal),
        OPS(0xb200, 0xb23f, sxth),
        OPS(0xb240, 0xb27f, sxtb),
        OPS(0xb280, 0xb2bf, uxth),
        OPS(0xb2c0, 0xb2ff, uxtb),
        OPS(0xb300, 0xb3ff, illegal),
        OPS(0xb400, 0xb5ff, push),
        OPS(0xb600, 0xb63f, illegal),
        OPS(0xb640, 0xb67f, cps),
        OPS(0xb680, 0xb9ff, illegal),
        OPS(0xba00, 0xba3f, rev),
        OPS(0xba40, 0xba7f, rev16),
        OPS(0xba80, 0xbabf, illegal),
        OPS(0xbac0, 0xbaff, revsh),
        OPS(0xbb00, 0xbbff, illegal),
        OPS(0xbc00, 0xbdff, pop),
        OPS(0xbe00, 0xbeff, bkpt),
        OPS(0xbf00, 0xbfff, hint),
        OPS(0xc000, 0xc7ff, stm),
        OPS(0xc800, 0xcfff, ldm),
        OPS(0xd000, 0xd0ff, beq),
        OPS(0xd100, 0xd1ff, bne),
        OPS(0xd200, 0xd2ff, bcs),
        OPS(0xd300, 0xd3ff, bcc),
        OPS(0xd400, 0xd4ff, bmi),
        OPS(0xd500, 0xd5ff, bpl),
        OPS(0xd600, 0xd6ff, bvs),
        OPS(0xd700, 0xd7ff, bvc),
        OPS(0xd800, 0xd8ff, bhi),
        OPS(0xd900, 0xd9ff, bls),
        OPS(0xda00, 0xdaff, bge),
        OPS(0xdb00, 0xdbff, blt),
        OPS(0xdc00, 0xdcff, bgt),
        OPS(0xdd00, 0xddff, ble),
        OPS(0xde00, 0xdeff, udf),
        OPS(0xdf00, 0xdfff, svc),
        OPS(0xe000, 0xe7ff, b),
        OPS(0xe800, 0xefff, illegal),
        OPS(0xf000, 0xf7ff, wide),
        OPS(0xf800, 0xffff, illegal),
    };
    uint32_t *const r = core->r;
    const struct pb_armv6m_costs *const costs = core->costs;
    const struct pb_mcu_memory *data = core->bus.memory;
    const uint8_t *code = 0;
    uint32_t code_base = 0, code_bytes = 0, offset, op = 0;
    uint32_t pc = r[15], n, z, c, v;
    uint64_t cycle = core->cycle, instructions = core->instructions;
    struct pb_arm_access access = {.ahead = ahead};
    uint32_t value[9];
    unsigned waits;

#define TAKE_FLAGS                                                                                           \
    do {                                                                                                     \
        n = core->apsr;                                                                                      \
        z = ~core->apsr & UINT32_C(1) << 30;                                                                 \
        c = core->apsr >> 29 & 1;                                                                            \
        v = core->apsr << 3;                                                                                 \
    } while (0)
#define GIVE_FLAGS core->apsr = (n >> 31) << 31 | (uint32_t)!z << 30 | c << 29 | (v >> 31) << 28
#define GIVE_ALL                                                                                             \
    do {                                                                                                     \
        GIVE_FLAGS;                                                                                          \
        core->cycle = cycle;                                                                                 \
        core->instructions = instructions;                                                                   \
        r[15] = pc;                                                                                          \
    } while (0)

    TAKE_FLAGS;
    NEXT;

other_code:;
    const struct pb_mcu_memory *const memory = pb_arm_memory(core, pc);
    if (!memory) {
        GIVE_ALL;
        pb_arm_fault(core, PB_MCU_FETCH_FAULT, pc, pc);
        return true;
    }
    code = memory->data;
    code_base = memory->base;
    code_bytes = memory->bytes;
    if (memory->cached) { /* the fetch of a word, which is known until the next one */
        GIVE_ALL;
        const int fetch = core->bus.cache(core->bus.context, pc & ~UINT32_C(3));
        if (fetch < 0) {
            pb_arm_fault(core, core->trap.kind, pc, pc);
            return true;
        }
        code_base = pc & ~UINT32_C(3);
        code += code_base - memory->base;
        code_bytes = 4;
        cycle += (unsigned)fetch;
    }
    NEXT;

movs_register:
    RD = SET_NZ(RN);
    DONE(costs->alu);
lsls_immediate:
    c = RN >> (32 - IMM5) & 1;
    RD = SET_NZ(RN << IMM5);
    DONE(costs->alu);
lsrs_immediate:
    offset = IMM5 ? IMM5 : 32;
    c = RN >> (offset - 1) & 1;
    RD = SET_NZ((uint32_t)((uint64_t)RN >> offset));
    DONE(costs->alu);
asrs_immediate:
    offset = IMM5 ? IMM5 : 32;
    c = RN >> (offset - 1) & 1;
    RD = SET_NZ((uint32_t)((int64_t)(int32_t)RN >> offset));
    DONE(costs->alu);
adds_register:
    ADD_FLAGS(RD = sum, RN, RM);
    DONE(costs->alu);
subs_register:
    SUBTRACT_FLAGS(RD = sum, RN, RM);
    DONE(costs->alu);
adds_immediate3:
    ADD_FLAGS(RD = sum, RN, IMM3);
    DONE(costs->alu);
subs_immediate3:
    SUBTRACT_FLAGS(RD = sum, RN, IMM3);
    DONE(costs->alu);
movs_immediate:
    RDN8 = SET_NZ(IMM8);
    DONE(costs->alu);
cmp_immediate:
    SUBTRACT_FLAGS((void)sum, RDN8, IMM8);
    DONE(costs->alu);
adds_immediate8:
    ADD_FLAGS(RDN8 = sum, RDN8, IMM8);
    DONE(costs->alu);
subs_immediate8:
    SUBTRACT_FLAGS(RDN8 = sum, RDN8, IMM8);
    DONE(costs->alu);

ands:
    RD = SET_NZ(RD & RN);
    DONE(costs->alu);
eors:
    RD = SET_NZ(RD ^ RN);
    DONE(costs->alu);
lsls_register: /* by the low byte; by 32 the carry is bit 0, by more it is 0 */
    offset = RN & 0xff;
    if (offset) {
        c = offset > 32 ? 0 : RD >> (32 - offset) & 1;
        RD = offset > 31 ? 0 : RD << offset;
    }
    SET_NZ(RD);
    DONE(costs->alu);
lsrs_register:
    offset = RN & 0xff;
    if (offset) {
        c = offset > 32 ? 0 : RD >> (offset - 1) & 1;
        RD = offset > 31 ? 0 : RD >> offset;
    }
    SET_NZ(RD);
    DONE(costs->alu);
asrs_register:
    offset = RN & 0xff;
    if (offset) {
        offset = offset > 32 ? 32 : offset;
        c = RD >> (offset - 1) & 1;
        RD = (uint32_t)((int64_t)(int32_t)RD >> offset);
    }
    SET_NZ(RD);
    DONE(costs->alu);
adcs:
    CARRY_FLAGS(RD, RN);
    DONE(costs->alu);
sbcs:
    CARRY_FLAGS(RD, ~RN);
    DONE(costs->alu);
rors: /* by the low byte modulo 32; the carry is bit 31 of the result unless the byte is 0 */
    if (RN & 0xff) {
        offset = RN & 31;
        RD = RD >> offset | RD << (-offset & 31);
        c = RD >> 31;
    }
    SET_NZ(RD);
    DONE(costs->alu);
tst:
    SET_NZ(RD & RN);
    DONE(costs->alu);
rsbs:
    SUBTRACT_FLAGS(RD = sum, 0, RN);
    DONE(costs->alu);
cmp_register:
    SUBTRACT_FLAGS((void)sum, RD, RN);
    DONE(costs->alu);
cmn:
    ADD_FLAGS((void)sum, RD, RN);
    DONE(costs->alu);
orrs:
    RD = SET_NZ(RD | RN);
    DONE(costs->alu);
muls:
    RD = SET_NZ(RD * RN);
    DONE(costs->mul);
bics:
    RD = SET_NZ(RD & ~RN);
    DONE(costs->alu);
mvns:
    RD = SET_NZ(~RN);
    DONE(costs->alu);

add_high:
    offset = HIGH_D;
    if (LIKELY(offset != 15)) {
        r[offset] += READ_HIGH(HIGH_M);
        r[13] &= ~UINT32_C(3);
        DONE(costs->alu);
    }
    if (HIGH_M == 15)
        goto illegal;
    pc = (pc + 2 + r[HIGH_M]) & ~UINT32_C(1);
    DONE(costs->branch_taken);
cmp_high:
    if (HIGH_D == 15 || HIGH_M == 15 || (HIGH_D < 8 && HIGH_M < 8))
        goto illegal;
    SUBTRACT_FLAGS((void)sum, r[HIGH_D], r[HIGH_M]);
    DONE(costs->alu);
mov_high:
    offset = HIGH_D;
    if (LIKELY(offset != 15)) {
        r[offset] = READ_HIGH(HIGH_M);
        r[13] &= ~UINT32_C(3);
        DONE(costs->alu);
    }
    pc = READ_HIGH(HIGH_M) & ~UINT32_C(1);
    DONE(costs->branch_taken);
bx:
    if (op & 7 || HIGH_M == 15)
        goto illegal;
    offset = r[HIGH_M];
    if (ahead && pends_again(core, offset))
        goto forbidden;
    cycle += costs->bx;
    goto interwork;
blx:
    if (op & 7 || HIGH_M == 15)
        goto illegal;
    offset = r[HIGH_M];
    r[14] = pc | 1;
    pc = offset & ~UINT32_C(1);
    cycle += costs->bx;
    if (!(offset & 1))
        goto arm_state;
    NEXT;
interwork: /* to `offset`: an address with the state in bit 0, in handler mode also an EXC_RETURN */
    if (UNLIKELY(offset >> 28 == 15 && core->ipsr)) {
        GIVE_ALL;
        if (!pb_arm_return(core, offset)) {
            core->instructions--;
            pb_arm_fault(core, PB_MCU_ILLEGAL, pc - 2, op);
        }
        return true;
    }
    pc = offset & ~UINT32_C(1);
    if (LIKELY(offset & 1))
        NEXT;
arm_state:
    core->arm_state = true;
    goto leave;

ldr_literal:
    LOAD(((pc + 2) & ~UINT32_C(3)) + IMM8 * 4, 4, pb_arm_get32, RDN8, value);
str_register:
    STORE(RN + RM, 4, pb_arm_put32, RD);
strh_register:
    STORE(RN + RM, 2, pb_arm_put16, RD);
strb_register:
    STORE(RN + RM, 1, put8, RD);
ldrsb_register:
    LOAD(RN + RM, 1, get8, RD, (uint32_t)(int32_t)(int8_t)value);
ldr_register:
    LOAD(RN + RM, 4, pb_arm_get32, RD, value);
ldrh_register:
    LOAD(RN + RM, 2, pb_arm_get16, RD, value);
ldrb_register:
    LOAD(RN + RM, 1, get8, RD, value);
ldrsh_register:
    LOAD(RN + RM, 2, pb_arm_get16, RD, (uint32_t)(int32_t)(int16_t)value);
str_immediate:
    STORE(RN + IMM5 * 4, 4, pb_arm_put32, RD);
ldr_immediate:
    LOAD(RN + IMM5 * 4, 4, pb_arm_get32, RD, value);
strb_immediate:
    STORE(RN + IMM5, 1, put8, RD);
ldrb_immediate:
    LOAD(RN + IMM5, 1, get8, RD, value);
strh_immediate:
    STORE(RN + IMM5 * 2, 2, pb_arm_put16, RD);
ldrh_immediate:
    LOAD(RN + IMM5 * 2, 2, pb_arm_get16, RD, value);
str_sp:
    STORE(r[13] + IMM8 * 4, 4, pb_arm_put32, RDN8);
ldr_sp:
    LOAD(r[13] + IMM8 * 4, 4, pb_arm_get32, RDN8, value);

adr:
    RDN8 = ((pc + 2) & ~UINT32_C(3)) + IMM8 * 4;
    DONE(costs->alu);
add_sp_register:
    RDN8 = r[13] + IMM8 * 4;
    DONE(costs->alu);
add_sp:
    r[13] += (op & 127) * 4;
    DONE(costs->alu);
sub_sp:
    r[13] -= (op & 127) * 4;
    if (r[13] < core->lowest_sp)
        core->lowest_sp = r[13];
    DONE(costs->alu);
sxth:
    RD = (uint32_t)(int32_t)(int16_t)RN;
    DONE(costs->alu);
sxtb:
    RD = (uint32_t)(int32_t)(int8_t)RN;
    DONE(costs->alu);
uxth:
    RD = RN & 0xffff;
    DONE(costs->alu);
uxtb:
    RD = RN & 0xff;
    DONE(costs->alu);
rev:
    RD = __builtin_bswap32(RN);
    DONE(costs->alu);
rev16:
    offset = RN;
    RD = (offset >> 8 & 0x00ff00ff) | (offset << 8 & 0xff00ff00);
    DONE(costs->alu);
revsh:
    offset = RN;
    RD = (uint32_t)(int32_t)(int16_t)(offset >> 8 & 0xff) | (uint32_t)((int32_t)(int8_t)offset * 256);
    DONE(costs->alu);

push : {
    const unsigned words = gather(r, IMM8, op & 0x100 ? 14 : 0, value);
    const uint32_t address = r[13] - 4 * words;
    if (!words)
        goto illegal;
    if (LIKELY(within(data, address, words) && data->writable)) {
        for (unsigned i = 0; i < words; i++)
            pb_arm_put32(data->data + (address - data->base) + 4 * i, value[i]);
        waits = words * data->write_waits;
    } else {
        core->cycle = cycle;
        r[15] = pc;
        if (!transfer(core, &access, address, words, value, true, &waits))
            goto refused;
        data = access.memory ? access.memory : data;
        limit = core->attention ? 0 : limit;
    }
    r[13] = address;
    if (address < core->lowest_sp)
        core->lowest_sp = address;
    DONE(costs->multiple + words + waits);
}
stm : {
    const unsigned words = gather(r, IMM8, 0, value);
    const uint32_t address = RDN8;
    if (!words)
        goto illegal;
    if (LIKELY(within(data, address, words) && data->writable)) {
        for (unsigned i = 0; i < words; i++)
            pb_arm_put32(data->data + (address - data->base) + 4 * i, value[i]);
        waits = words * data->write_waits;
    } else {
        core->cycle = cycle;
        r[15] = pc;
        if (!transfer(core, &access, address, words, value, true, &waits))
            goto refused;
        data = access.memory ? access.memory : data;
        limit = core->attention ? 0 : limit;
    }
    RDN8 = address + 4 * words;
    DONE(costs->multiple + words + waits);
}
ldm : {
    const unsigned words = (unsigned)__builtin_popcount(IMM8);
    const uint32_t address = RDN8;
    if (!words)
        goto illegal;
    if (LIKELY(within(data, address, words))) {
        for (unsigned i = 0; i < words; i++)
            value[i] = pb_arm_get32(data->data + (address - data->base) + 4 * i);
        waits = words * data->read_waits;
    } else {
        core->cycle = cycle;
        r[15] = pc;
        if (!transfer(core, &access, address, words, value, false, &waits))
            goto refused;
        data = access.memory ? access.memory : data;
        limit = core->attention ? 0 : limit;
    }
    RDN8 = address + 4 * words; /* unless it is loaded */
    scatter(r, IMM8, value);
    DONE(costs->multiple + words + waits);
}
pop : {
    const bool to_pc = op & 0x100;
    const unsigned words = (unsigned)__builtin_popcount(IMM8) + to_pc;
    const uint32_t address = r[13];
    if (!words)
        goto illegal;
    if (LIKELY(within(data, address, words))) {
        for (unsigned i = 0; i < words; i++)
            value[i] = pb_arm_get32(data->data + (address - data->base) + 4 * i);
        waits = words * data->read_waits;
    } else {
        core->cycle = cycle;
        r[15] = pc;
        if (!transfer(core, &access, address, words, value, false, &waits))
            goto refused;
        data = access.memory ? access.memory : data;
        limit = core->attention ? 0 : limit;
    }
    if (ahead && to_pc && pends_again(core, value[words - 1]))
        goto forbidden;
    r[13] = address + 4 * words;
    scatter(r, IMM8, value);
    cycle += (to_pc ? costs->pop_pc : costs->multiple) + words + waits;
    offset = value[words - 1];
    if (to_pc)
        goto interwork;
    NEXT;
}

cps:
    if (op != 0xb662 && op != 0xb672)
        goto illegal;
    core->primask = op == 0xb672;
    cycle += costs->alu;
    if (core->primask)
        NEXT;
    goto leave; /* an interrupt may be due */
hint:
    if (op & 15)
        goto illegal;
    if (op == 0xbf40) { /* SEV */
        core->event = core->sent = true;
        if (core->paired) {
            core->yield = core->attention = true;
            cycle += costs->alu;
            goto leave;
        }
    }
    if (op == 0xbf20 && core->event) { /* WFE */
        core->event = false;
        DONE(costs->barrier);
    }
    if (op == 0xbf20 || op == 0xbf30) {
        core->asleep = true;
        core->waits_event = op == 0xbf20;
        cycle += costs->barrier;
        goto leave;
    }
    DONE(costs->alu); /* NOP, YIELD; the other numbers are NOPs */

beq:
    BRANCH_IF(!z);
bne:
    BRANCH_IF(z);
bcs:
    BRANCH_IF(c);
bcc:
    BRANCH_IF(!c);
bmi:
    BRANCH_IF(n >> 31);
bpl:
    BRANCH_IF(!(n >> 31));
bvs:
    BRANCH_IF(v >> 31);
bvc:
    BRANCH_IF(!(v >> 31));
bhi:
    BRANCH_IF(c && z);
bls:
    BRANCH_IF(!c || !z);
bge:
    BRANCH_IF(!((n ^ v) >> 31));
blt:
    BRANCH_IF((n ^ v) >> 31);
bgt:
    BRANCH_IF(z && !((n ^ v) >> 31));
ble:
    BRANCH_IF(!z || (n ^ v) >> 31);
b:
    pc += 2 + ((op & 0x7ff) ^ 0x400) * 2 - 0x800;
    DONE(costs->branch_taken);

svc:
    cycle += costs->alu;
    GIVE_ALL;
    if (pb_arm_priority(core, PB_ARM_SVCALL) < pb_arm_running_priority(core, true)) {
        pb_arm_pend_system(core, PB_ARM_SVCALL);
    } else {
        r[15] = pc - 2;
        pb_arm_hardfault(core);
    }
    return true;

wide : {
    const struct pb_mcu_memory *const second_memory = pb_arm_memory(core, pc);
    if (!second_memory) {
        GIVE_ALL;
        core->instructions--;
        pb_arm_fault(core, PB_MCU_FETCH_FAULT, pc - 2, pc);
        return true;
    }
    if (second_memory->cached && !(pc & 2)) { /* in the next word */
        GIVE_ALL;
        const int fetch = core->bus.cache(core->bus.context, pc);
        if (fetch < 0) {
            core->instructions--;
            pb_arm_fault(core, core->trap.kind, pc - 2, pc);
            return true;
        }
        cycle += (unsigned)fetch;
    }
    const uint32_t second = pb_arm_get16(second_memory->data + (pc - second_memory->base));
    if ((second & 0xd000) == 0xd000) { /* BL: imm24 is S I1 I2 imm10 imm11 with I = not (J xor S) */
        const uint32_t s = op >> 10 & 1, i1 = ~(second >> 13 ^ s) & 1, i2 = ~(second >> 11 ^ s) & 1;
        const uint32_t imm = i1 << 23 | i2 << 22 | (op & 0x3ff) << 12 | (second & 0x7ff) << 1;
        r[14] = (pc + 2) | 1;
        pc += 2 + imm - (s << 24);
        DONE(costs->bl);
    }
    GIVE_ALL;
    if (!pb_arm_system(core, op, second, &waits)) {
        core->instructions--;
        pb_arm_fault(core, PB_MCU_ILLEGAL, pc - 2, op << 16 | second);
        return true;
    }
    TAKE_FLAGS;
    pc += 2;
    limit = core->attention ? 0 : limit;
    DONE(waits);
}

udf : {
    const struct pb_mcu_memory *const native = pb_arm_memory(core, pc - 2);
    if (!native->native)
        goto illegal;
    if (ahead)
        goto forbidden;
    GIVE_ALL;
    core->bus.call(core->bus.context, op & 0xff);
    core->attention = true;
    return true;
}

illegal:
    GIVE_ALL;
    core->instructions--;
    pb_arm_fault(core, PB_MCU_ILLEGAL, pc - 2, op);
    return true;

bkpt: /* a HardFault, as no debugger is attached */
    GIVE_ALL;
    core->instructions--;
    pb_arm_fault(core, PB_MCU_BREAKPOINT, pc - 2, op);
    return true;

forbidden:
    access.fault = PB_MCU_NONE;
refused: /* an access failed, or `ahead` forbids it */
    pc -= 2;
    instructions--;
    GIVE_ALL;
    if (access.fault == PB_MCU_NONE)
        return false;
    pb_arm_fault(core, access.fault, pc, access.address);
    return true;

leave:
    GIVE_ALL;
    return true;
}
