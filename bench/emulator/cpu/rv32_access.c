/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Accesses to any memory and to devices, and atomic instructions.
 */
#include "bench/emulator/cpu/rv32_op.h"

static const struct pb_mcu_memory *memory_at(const struct pb_mcu_bus *bus, uint32_t address)
{
    for (unsigned i = 0; i < bus->memories; i++)
        if (address - bus->memory[i].base < bus->memory[i].bytes)
            return &bus->memory[i];
    return NULL;
}

static uint32_t get(const uint8_t *data, unsigned bytes)
{
    return bytes == 4 ? rv32_get32(data) : bytes == 2 ? rv32_get16(data) : *data;
}

static void put(uint8_t *data, unsigned bytes, uint32_t value)
{
    if (bytes == 4)
        rv32_put32(data, value);
    else if (bytes == 2)
        rv32_put16(data, value);
    else
        *data = (uint8_t)value;
}

static uint32_t mask_of(unsigned bytes)
{
    return UINT32_MAX >> (32 - 8 * bytes);
}

static enum rv32_outcome raise(struct rv32_exception *exception, enum rv32_cause cause, uint32_t address)
{
    *exception = (struct rv32_exception){cause, address};
    return RV32_EXCEPTION;
}

static uint32_t extended(enum rv32_opcode opcode, uint32_t value)
{
    return opcode == RV32_LB ? (uint32_t)(int8_t)value : opcode == RV32_LH ? (uint32_t)(int16_t)value : value;
}

static enum rv32_outcome load(struct pb_rv32 *hart, const struct rv32_op *op, unsigned bytes, uint64_t until,
                              struct rv32_exception *exception)
{
    const uint32_t address = hart->x[op->rs1] + (uint32_t)op->immediate;
    const struct pb_mcu_memory *memory = memory_at(&hart->bus, address);
    uint32_t value = 0;
    int waits;
    if (address % bytes)
        return raise(exception, RV32_CAUSE_LOAD_MISALIGNED, address);
    if (memory) {
        value = get(memory->data + (address - memory->base), bytes);
        waits = memory->read_waits;
    } else {
        if (hart->cycle >= until)
            return RV32_HELD;
        waits = hart->bus.read(hart->bus.context, hart->cycle, address, bytes, &value);
        if (waits < 0)
            return raise(exception, RV32_CAUSE_LOAD_FAULT, address);
        value &= mask_of(bytes);
    }
    if (op->opcode == RV32_FLW) {
        hart->f[op->rd] = value;
        hart->mstatus |= RV32_MSTATUS_FS | RV32_MSTATUS_SD;
    } else {
        hart->x[op->rd] = extended(op->opcode, value);
    }
    hart->cycle += hart->costs->load + (unsigned)waits;
    return RV32_DONE;
}

static enum rv32_outcome store(struct pb_rv32 *hart, const struct rv32_op *op, unsigned bytes, uint64_t until,
                               struct rv32_exception *exception)
{
    const uint32_t address = hart->x[op->rs1] + (uint32_t)op->immediate;
    const uint32_t value = (op->opcode == RV32_FSW ? hart->f : hart->x)[op->rs2];
    const struct pb_mcu_memory *memory = memory_at(&hart->bus, address);
    int waits;
    if (address % bytes)
        return raise(exception, RV32_CAUSE_STORE_MISALIGNED, address);
    if (memory) {
        if (!memory->writable)
            return raise(exception, RV32_CAUSE_STORE_FAULT, address);
        put(memory->data + (address - memory->base), bytes, value);
        waits = memory->write_waits;
    } else {
        if (hart->cycle >= until)
            return RV32_HELD;
        waits = hart->bus.write(hart->bus.context, hart->cycle, address, bytes, value & mask_of(bytes));
        if (waits < 0)
            return raise(exception, RV32_CAUSE_STORE_FAULT, address);
    }
    hart->cycle += hart->costs->store + (unsigned)waits;
    return RV32_DONE;
}

static uint32_t combined(enum rv32_opcode opcode, uint32_t memory, uint32_t operand)
{
    switch (opcode) {
    case RV32_AMOADD:
        return memory + operand;
    case RV32_AMOXOR:
        return memory ^ operand;
    case RV32_AMOAND:
        return memory & operand;
    case RV32_AMOOR:
        return memory | operand;
    case RV32_AMOMIN:
        return (int32_t)memory < (int32_t)operand ? memory : operand;
    case RV32_AMOMAX:
        return (int32_t)memory > (int32_t)operand ? memory : operand;
    case RV32_AMOMINU:
        return memory < operand ? memory : operand;
    case RV32_AMOMAXU:
        return memory > operand ? memory : operand;
    default: /* AMOSWAP */
        return operand;
    }
}

static enum rv32_outcome load_reserved(struct pb_rv32 *hart, const struct rv32_op *op,
                                       struct rv32_exception *exception)
{
    const uint32_t address = hart->x[op->rs1];
    const struct pb_mcu_memory *memory = memory_at(&hart->bus, address);
    if (address % 4)
        return raise(exception, RV32_CAUSE_LOAD_MISALIGNED, address);
    if (!memory)
        return raise(exception, RV32_CAUSE_LOAD_FAULT, address);
    hart->x[op->rd] = rv32_get32(memory->data + (address - memory->base));
    hart->reserved = address;
    hart->cycle += hart->costs->amo + memory->read_waits;
    return RV32_DONE;
}

static enum rv32_outcome atomic(struct pb_rv32 *hart, const struct rv32_op *op,
                                struct rv32_exception *exception)
{
    const uint32_t address = hart->x[op->rs1], operand = hart->x[op->rs2];
    const struct pb_mcu_memory *memory = memory_at(&hart->bus, address);
    if (address % 4)
        return raise(exception, RV32_CAUSE_STORE_MISALIGNED, address);
    if (!memory || !memory->writable)
        return raise(exception, RV32_CAUSE_STORE_FAULT, address);
    uint8_t *data = memory->data + (address - memory->base);
    if (op->opcode == RV32_SC) {
        const bool success = hart->reserved == address;
        hart->reserved = 1;
        hart->x[op->rd] = !success;
        hart->cycle += hart->costs->amo;
        if (success) {
            rv32_put32(data, operand);
            hart->cycle += memory->write_waits;
        }
        return RV32_DONE;
    }
    const uint32_t before = rv32_get32(data);
    rv32_put32(data, combined(op->opcode, before, operand));
    hart->x[op->rd] = before;
    hart->cycle += (uint64_t)hart->costs->amo + memory->read_waits + memory->write_waits;
    return RV32_DONE;
}

enum rv32_outcome rv32_access(struct pb_rv32 *hart, const struct rv32_op *op, uint64_t until,
                              struct rv32_exception *exception)
{
    switch (op->opcode) {
    case RV32_LB:
    case RV32_LBU:
        return load(hart, op, 1, until, exception);
    case RV32_LH:
    case RV32_LHU:
        return load(hart, op, 2, until, exception);
    case RV32_LW:
    case RV32_FLW:
        return load(hart, op, 4, until, exception);
    case RV32_SB:
        return store(hart, op, 1, until, exception);
    case RV32_SH:
        return store(hart, op, 2, until, exception);
    case RV32_SW:
    case RV32_FSW:
        return store(hart, op, 4, until, exception);
    case RV32_LR:
        return load_reserved(hart, op, exception);
    default:
        return atomic(hart, op, exception);
    }
}

bool rv32_fetch(const struct pb_rv32 *hart, uint32_t pc, uint32_t *half)
{
    const struct pb_mcu_memory *memory = memory_at(&hart->bus, pc);
    if (!memory)
        return false;
    *half = rv32_get16(memory->data + (pc - memory->base));
    return true;
}
