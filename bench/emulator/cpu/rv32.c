/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hart's loop. Decoded instructions are executed with computed jumps. Program counter, cycle and number
 * of instructions are local variables, which go to the hart before anything else may see them.
 */
#include "bench/emulator/cpu/float32.h"
#include "bench/emulator/cpu/rv32_op.h"

#include <string.h>

enum { DYNAMIC = 7, RM_SHIFT = 5 }; /* fields of an instruction and of fcsr */

/* False: illegal. */
static bool access_csr(struct pb_rv32 *hart, const struct rv32_op *op)
{
    const uint32_t number = (uint32_t)op->immediate;
    const uint32_t operand = op->opcode >= RV32_CSRRWI ? op->rs1 : hart->x[op->rs1];
    const bool replaces = op->opcode == RV32_CSRRW || op->opcode == RV32_CSRRWI;
    const bool sets = op->opcode == RV32_CSRRS || op->opcode == RV32_CSRRSI;
    uint32_t before;
    if (!rv32_csr_read(hart, number, &before))
        return false;
    if (replaces || op->rs1) {
        const uint32_t after = replaces ? operand : sets ? before | operand : before & ~operand;
        if (!rv32_csr_write(hart, number, after))
            return false;
    }
    hart->x[op->rd] = before;
    hart->x[0] = 0;
    hart->pc += 2u * op->halves;
    hart->cycle += hart->costs->csr;
    hart->instructions++;
    return true;
}

static void fall_asleep(struct pb_rv32 *hart, const struct rv32_op *op)
{
    hart->asleep = true;
    hart->pc += 2u * op->halves;
    hart->cycle += hart->costs->fence;
    hart->instructions++;
}

/* Fetches and decodes the instruction at pc. False: *fault is outside memory. */
static bool decode_at(const struct pb_rv32 *hart, uint32_t pc, struct rv32_op *op, uint32_t *fault)
{
    uint32_t raw, upper;
    *fault = pc;
    if (!rv32_fetch(hart, pc, &raw))
        return false;
    if (!rv32_is_compressed(raw)) {
        *fault = pc + 2;
        if (!rv32_fetch(hart, pc + 2, &upper))
            return false;
        raw |= upper << 16;
    }
    *op = rv32_decode(raw, pc);
    return true;
}

/* F is on and the rounding mode exists; its state is dirty from now on. */
static inline bool begin_float(struct pb_rv32 *hart, uint32_t rounding)
{
    if (!(hart->mstatus & RV32_MSTATUS_FS) || rounding >= PB_F32_ROUNDINGS)
        return false;
    hart->mstatus |= RV32_MSTATUS_FS | RV32_MSTATUS_SD;
    return true;
}

static inline uint32_t rounding_of(const struct pb_rv32 *hart, const struct rv32_op *op)
{
    return op->rounding == DYNAMIC ? hart->fcsr >> RM_SHIFT : op->rounding;
}

static uint32_t quotient(uint32_t a, uint32_t b)
{
    if (!b)
        return UINT32_MAX;
    return a == 0x80000000u && b == UINT32_MAX ? a : (uint32_t)((int32_t)a / (int32_t)b);
}

static uint32_t remainder_of(uint32_t a, uint32_t b)
{
    if (!b)
        return a;
    return a == 0x80000000u && b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}

/* The memory for accesses without a search: the first that is writable, as the stack is there. */
static struct pb_mcu_memory nearest(const struct pb_mcu_bus *bus)
{
    for (unsigned i = 0; i < bus->memories; i++)
        if (bus->memory[i].writable)
            return bus->memory[i];
    return (struct pb_mcu_memory){0};
}

/* ---- the loop. `i` is the instruction, element of `ops`, of which the first is at address `base`. */
#define INDEX ((uint32_t)(i - ops))
#define PC (base + 2 * INDEX)
#define TO_HART (hart->pc = PC, hart->cycle = cycle, hart->instructions = retired)
#define DISPATCH                                                                                             \
    do {                                                                                                     \
        if (cycle >= limit)                                                                                  \
            goto out_of_time;                                                                                \
        goto *label[i->opcode];                                                                              \
    } while (0)
/* Ends an instruction of this class that does not jump. */
#define NEXT(class)                                                                                          \
    do {                                                                                                     \
        cycle += costs->class;                                                                               \
        retired++;                                                                                           \
        i = (const struct rv32_op *)((const char *)i + i->step);                                             \
        DISPATCH;                                                                                            \
    } while (0)
#define JUMP(class, index)                                                                                   \
    do {                                                                                                     \
        const uint32_t to = index;                                                                           \
        cycle += costs->class;                                                                               \
        retired++;                                                                                           \
        if (to < count) {                                                                                    \
            i = ops + to;                                                                                    \
            DISPATCH;                                                                                        \
        }                                                                                                    \
        pc = base + 2 * to;                                                                                  \
        goto elsewhere;                                                                                      \
    } while (0)
#define A (x[i->rs1])
#define B (x[i->rs2])
#define IMMEDIATE ((uint32_t)i->immediate)
#define RESULT(name, class, value)                                                                           \
    do_##name : x[i->rd] = value;                                                                            \
    x[0] = 0;                                                                                                \
    NEXT(class);
#define BRANCH(name, condition)                                                                              \
    do_##name : if (condition) JUMP(branch_taken, INDEX + (uint32_t)(i->immediate >> 1));                    \
    NEXT(branch);
/* An aligned access to the near memory at `at`; any other one is done at `access`. */
#define NEAR(size)                                                                                           \
    const uint32_t at = A + IMMEDIATE - near.base;                                                           \
    if (at >= near.bytes || at % (size))                                                                     \
        goto access;
#define LOAD(name, size, to, value)                                                                          \
    do_##name:                                                                                               \
    {                                                                                                        \
        NEAR(size)                                                                                           \
        const uint8_t *const data = near.data + at;                                                          \
        to = value;                                                                                          \
        x[0] = 0;                                                                                            \
        cycle += near.read_waits;                                                                            \
        NEXT(load);                                                                                          \
    }
#define STORE(name, size, statement)                                                                         \
    do_##name:                                                                                               \
    {                                                                                                        \
        NEAR(size)                                                                                           \
        uint8_t *const data = near.data + at;                                                                \
        statement;                                                                                           \
        cycle += near.write_waits;                                                                           \
        NEXT(store);                                                                                         \
    }
/* An F instruction: `r` is its rounding mode, *flags are those of fcsr. */
#define FLOAT(name, class, rounding, to, value)                                                              \
    do_##name:                                                                                               \
    {                                                                                                        \
        const uint32_t r = rounding;                                                                         \
        if (!begin_float(hart, r))                                                                           \
            goto illegal;                                                                                    \
        to = value;                                                                                          \
        x[0] = 0;                                                                                            \
        NEXT(class);                                                                                         \
    }
/* One that changes no state of F. */
#define FLOAT_LOOK(name, class, value)                                                                       \
    do_##name : if (!(hart->mstatus & RV32_MSTATUS_FS)) goto illegal;                                        \
    x[i->rd] = value;                                                                                        \
    x[0] = 0;                                                                                                \
    NEXT(class);
#define FA (f[i->rs1])
#define FB (f[i->rs2])
#define FC (f[i->rs3])
#define ROUNDED rounding_of(hart, i)
#define EXACT 0

enum pb_mcu_stop pb_rv32_run(struct pb_rv32 *hart, uint64_t until, uint64_t ahead)
{
#define RV32_LABEL(name) &&do_##name,
    static const void *const label[] = {RV32_OP_LIST(RV32_LABEL)};
#undef RV32_LABEL
    const struct pb_rv32_costs *const costs = hart->costs;
    const struct pb_rv32_code *const code = hart->code;
    const struct pb_mcu_memory near = nearest(&hart->bus);
    uint32_t *const x = hart->x, *const f = hart->f, *const flags = &hart->fcsr;
    struct rv32_op decoded[3]; /* an instruction that is not in `code`, and OUTSIDE for each place after it */
    const struct rv32_op *i, *ops;
    uint32_t base, count, pc;
    uint64_t cycle, retired, limit;
    struct rv32_exception exception;

    if (hart->trap.kind)
        return PB_MCU_TRAPPED;
    hart->until = until;

    /* The hart is complete here: interrupts and sleep are considered, and how far it may go. */
enter:
    if (hart->asleep) {
        if (hart->cycle >= hart->until)
            return PB_MCU_ASLEEP;
        if (!pb_rv32_acts(hart)) {
            pb_rv32_sleep(hart, hart->until);
            return PB_MCU_ASLEEP;
        }
        hart->asleep = false;
    }
    if (hart->cycle < hart->until && rv32_interrupt_is_due(hart))
        rv32_enter_interrupt(hart);
    until = hart->until;
    limit = rv32_can_be_interrupted(hart) || ahead < until ? until : ahead;
    pc = hart->pc;
    cycle = hart->cycle;
    retired = hart->instructions;

elsewhere: /* goes on at pc */
    if (cycle >= limit) {
        hart->pc = pc;
        hart->cycle = cycle;
        hart->instructions = retired;
        return PB_MCU_TIME;
    }
    if (code && (pc - code->base) / 2 < code->halves && code->op[(pc - code->base) / 2].opcode) {
        ops = code->op;
        base = code->base;
        count = code->halves;
        i = ops + (pc - base) / 2;
    } else {
        i = ops = decoded;
        base = pc;
        count = 0;
        memset(decoded, 0, sizeof decoded);
        if (!decode_at(hart, pc, decoded, &exception.value)) {
            exception.cause = RV32_CAUSE_FETCH_FAULT;
            goto raise;
        }
    }
    goto *label[i->opcode];

out_of_time:
    TO_HART;
    return PB_MCU_TIME;

do_OUTSIDE:
    pc = PC;
    goto elsewhere;

do_ILLEGAL:
illegal:
    exception = (struct rv32_exception){RV32_CAUSE_ILLEGAL_INSTRUCTION, i->raw};
raise:
    TO_HART;
    if (rv32_raise(hart, &exception))
        goto enter;
    return hart->trap.kind ? PB_MCU_TRAPPED : PB_MCU_TIME;

do_LR:
do_SC:
do_AMOSWAP:
do_AMOADD:
do_AMOXOR:
do_AMOAND:
do_AMOOR:
do_AMOMIN:
do_AMOMAX:
do_AMOMINU:
do_AMOMAXU:
access:
    TO_HART;
    switch (rv32_access(hart, i, until, &exception)) {
    case RV32_HELD:
        return PB_MCU_TIME;
    case RV32_EXCEPTION:
        goto raise;
    case RV32_DONE:
        break;
    }
    x[0] = 0;
    hart->instructions = ++retired;
    hart->pc += 2u * i->halves;
    if (hart->until != until || rv32_interrupt_is_due(hart))
        goto enter;
    cycle = hart->cycle;
    i = (const struct rv32_op *)((const char *)i + i->step);
    DISPATCH;

do_CSRRW:
do_CSRRS:
do_CSRRC:
do_CSRRWI:
do_CSRRSI:
do_CSRRCI:
    TO_HART;
    if (i->immediate == RV32_CSR_MIP && cycle >= until) /* the lines are not known */
        return PB_MCU_TIME;
    if (!access_csr(hart, i))
        goto illegal;
    goto enter;
do_MRET:
    TO_HART;
    rv32_leave_trap(hart);
    goto enter;
do_WFI:
    TO_HART;
    fall_asleep(hart, i);
    goto enter;
do_ECALL:
    exception = (struct rv32_exception){RV32_CAUSE_ECALL, 0};
    goto raise;
do_EBREAK:
    exception = (struct rv32_exception){RV32_CAUSE_BREAKPOINT, 0};
    goto raise;
do_FENCE: /* also FENCE.I: code outside `code` is decoded each time */
    NEXT(fence);

do_JAL:
    x[i->rd] = PC + 2u * i->halves;
    x[0] = 0;
    JUMP(jump, INDEX + (uint32_t)(i->immediate >> 1));
do_JALR : {
    const uint32_t target = (A + IMMEDIATE - base) >> 1;
    x[i->rd] = PC + 2u * i->halves;
    x[0] = 0;
    JUMP(jump, target);
}
    BRANCH(BEQ, A == B)
    BRANCH(BNE, A != B)
    BRANCH(BLT, (int32_t)A < (int32_t)B)
    BRANCH(BGE, (int32_t)A >= (int32_t)B)
    BRANCH(BLTU, A < B)
    BRANCH(BGEU, A >= B)

    LOAD(LB, 1, x[i->rd], (uint32_t)(int8_t)*data)
    LOAD(LH, 2, x[i->rd], (uint32_t)(int16_t)rv32_get16(data))
    LOAD(LW, 4, x[i->rd], rv32_get32(data))
    LOAD(LBU, 1, x[i->rd], *data)
    LOAD(LHU, 2, x[i->rd], rv32_get16(data))
    STORE(SB, 1, *data = (uint8_t)B)
    STORE(SH, 2, rv32_put16(data, B))
    STORE(SW, 4, rv32_put32(data, B))
do_FLW : {
    if (!(hart->mstatus & RV32_MSTATUS_FS))
        goto illegal;
    NEAR(4)
    begin_float(hart, EXACT);
    f[i->rd] = rv32_get32(near.data + at);
    cycle += near.read_waits;
    NEXT(load);
}
do_FSW : {
    if (!(hart->mstatus & RV32_MSTATUS_FS))
        goto illegal;
    NEAR(4)
    rv32_put32(near.data + at, FB);
    cycle += near.write_waits;
    NEXT(store);
}

    RESULT(LI, alu, IMMEDIATE)
    RESULT(ADDI, alu, A + IMMEDIATE)
    RESULT(SLTI, alu, (int32_t)A < i->immediate)
    RESULT(SLTIU, alu, A < IMMEDIATE)
    RESULT(XORI, alu, A ^ IMMEDIATE)
    RESULT(ORI, alu, A | IMMEDIATE)
    RESULT(ANDI, alu, A & IMMEDIATE)
    RESULT(SLLI, alu, A << IMMEDIATE)
    RESULT(SRLI, alu, A >> IMMEDIATE)
    RESULT(SRAI, alu, (uint32_t)((int32_t)A >> IMMEDIATE))
    RESULT(ADD, alu, A + B)
    RESULT(SUB, alu, A - B)
    RESULT(SLL, alu, A << (B & 31))
    RESULT(SLT, alu, (int32_t)A < (int32_t)B)
    RESULT(SLTU, alu, A < B)
    RESULT(XOR, alu, A ^ B)
    RESULT(SRL, alu, A >> (B & 31))
    RESULT(SRA, alu, (uint32_t)((int32_t)A >> (B & 31)))
    RESULT(OR, alu, A | B)
    RESULT(AND, alu, A & B)
    RESULT(MUL, mul, A * B)
    RESULT(MULH, mul, (uint32_t)((int64_t)(int32_t)A * (int32_t)B >> 32))
    RESULT(MULHSU, mul, (uint32_t)((int64_t)(int32_t)A * B >> 32))
    RESULT(MULHU, mul, (uint32_t)((uint64_t)A * B >> 32))
    RESULT(DIV, div, quotient(A, B))
    RESULT(DIVU, div, B ? A / B : UINT32_MAX)
    RESULT(REM, div, remainder_of(A, B))
    RESULT(REMU, div, B ? A % B : A)

    FLOAT(FADD, f_add, ROUNDED, f[i->rd], pb_f32_add(FA, FB, r, flags))
    FLOAT(FSUB, f_add, ROUNDED, f[i->rd], pb_f32_add(FA, FB ^ PB_F32_SIGN, r, flags))
    FLOAT(FMUL, f_mul, ROUNDED, f[i->rd], pb_f32_mul(FA, FB, r, flags))
    FLOAT(FDIV, f_div, ROUNDED, f[i->rd], pb_f32_div(FA, FB, r, flags))
    FLOAT(FSQRT, f_sqrt, ROUNDED, f[i->rd], pb_f32_sqrt(FA, r, flags))
    FLOAT(FMADD, f_madd, ROUNDED, f[i->rd], pb_f32_madd(FA, FB, FC, r, flags))
    FLOAT(FMSUB, f_madd, ROUNDED, f[i->rd], pb_f32_madd(FA, FB, FC ^ PB_F32_SIGN, r, flags))
    FLOAT(FNMSUB, f_madd, ROUNDED, f[i->rd], pb_f32_madd(FA ^ PB_F32_SIGN, FB, FC, r, flags))
    FLOAT(FNMADD, f_madd, ROUNDED, f[i->rd], pb_f32_madd(FA ^ PB_F32_SIGN, FB, FC ^ PB_F32_SIGN, r, flags))
    FLOAT(FSGNJ, f_move, EXACT, f[i->rd], (FA & ~PB_F32_SIGN) | (FB & PB_F32_SIGN))
    FLOAT(FSGNJN, f_move, EXACT, f[i->rd], (FA & ~PB_F32_SIGN) | (~FB & PB_F32_SIGN))
    FLOAT(FSGNJX, f_move, EXACT, f[i->rd], FA ^ (FB & PB_F32_SIGN))
    FLOAT(FMIN, f_move, EXACT, f[i->rd], pb_f32_min(FA, FB, flags))
    FLOAT(FMAX, f_move, EXACT, f[i->rd], pb_f32_max(FA, FB, flags))
    FLOAT(FEQ, f_move, EXACT, x[i->rd], pb_f32_eq(FA, FB, flags))
    FLOAT(FLT, f_move, EXACT, x[i->rd], pb_f32_lt(FA, FB, flags))
    FLOAT(FLE, f_move, EXACT, x[i->rd], pb_f32_le(FA, FB, flags))
    FLOAT(FCVT_W_S, f_convert, ROUNDED, x[i->rd], pb_f32_to_int(FA, true, r, flags))
    FLOAT(FCVT_WU_S, f_convert, ROUNDED, x[i->rd], pb_f32_to_int(FA, false, r, flags))
    FLOAT(FCVT_S_W, f_convert, ROUNDED, f[i->rd], pb_f32_from_int(A, true, r, flags))
    FLOAT(FCVT_S_WU, f_convert, ROUNDED, f[i->rd], pb_f32_from_int(A, false, r, flags))
    FLOAT(FMV_W_X, f_move, EXACT, f[i->rd], A)
    FLOAT_LOOK(FMV_X_W, f_move, FA)
    FLOAT_LOOK(FCLASS, f_move, pb_f32_class(FA))
}
