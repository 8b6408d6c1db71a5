/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions: what is pending, entry, return, sleep (DDI 0419, B1.5).
 */
#include "bench/emulator/cpu/armv6m_core.h"

enum { FRAME_BYTES = 32 };

static bool is_active(const struct pb_armv6m *core, unsigned exception)
{
    return core->active[exception / 32] >> exception % 32 & 1;
}

void pb_arm_pend_lines(struct pb_armv6m *core, uint32_t rising)
{
    const uint32_t active = core->active[0] >> 16 | core->active[1] << 16;
    const uint32_t now = (rising | (core->lines & ~active)) & ~core->pending;
    if (!now)
        return;
    core->pending |= now;
    core->attention = true;
    if (core->scr & PB_ARM_SCR_SEVONPEND)
        core->event = true;
}

void pb_arm_pend_system(struct pb_armv6m *core, unsigned exception)
{
    const uint32_t bit = UINT32_C(1) << exception;
    if (core->system_pending & bit)
        return;
    core->system_pending |= bit;
    core->attention = true;
    if (core->scr & PB_ARM_SCR_SEVONPEND)
        core->event = true;
}

int pb_arm_priority(const struct pb_armv6m *core, unsigned exception)
{
    switch (exception) {
    case PB_ARM_NMI:
        return -2;
    case PB_ARM_HARDFAULT:
        return -1;
    case PB_ARM_SVCALL:
        return (int)(core->shpr[0] >> 30);
    case PB_ARM_PENDSV:
        return (int)(core->shpr[1] >> 22 & 3);
    case PB_ARM_SYSTICK:
        return (int)(core->shpr[1] >> 30);
    default:
        return core->priority[exception - 16] >> 6;
    }
}

int pb_arm_running_priority(const struct pb_armv6m *core, bool with_primask)
{
    int highest = PB_ARM_NO_PRIORITY;
    for (unsigned half = 0; half < 2; half++)
        for (uint32_t left = core->active[half]; left; left &= left - 1) {
            const int priority = pb_arm_priority(core, half * 32 + (unsigned)__builtin_ctz(left));
            if (priority < highest)
                highest = priority;
        }
    return with_primask && core->primask && highest > 0 ? 0 : highest;
}

unsigned pb_arm_first_pending(const struct pb_armv6m *core)
{
    unsigned first = 0;
    int highest = PB_ARM_NO_PRIORITY;
    /* By ascending number: of equal priorities the lower number goes first. */
    for (uint32_t left = core->system_pending; left; left &= left - 1) {
        const unsigned exception = (unsigned)__builtin_ctz(left);
        if (pb_arm_priority(core, exception) < highest) {
            first = exception;
            highest = pb_arm_priority(core, exception);
        }
    }
    for (uint32_t left = core->pending & core->enabled; left; left &= left - 1) {
        const unsigned exception = 16 + (unsigned)__builtin_ctz(left);
        if (pb_arm_priority(core, exception) < highest) {
            first = exception;
            highest = pb_arm_priority(core, exception);
        }
    }
    return first;
}

bool pb_arm_quiet(const struct pb_armv6m *core)
{
    if (!core->enabled || core->primask)
        return true;
    const int running = pb_arm_running_priority(core, true);
    if (running <= 0)
        return true;
    for (uint32_t left = core->enabled; left; left &= left - 1)
        if (core->priority[__builtin_ctz(left)] >> 6 < running)
            return false;
    return true;
}

bool pb_arm_uses_process_stack(const struct pb_armv6m *core)
{
    return core->process_stack && !core->ipsr;
}

static void swap_stacks(struct pb_armv6m *core)
{
    const uint32_t sp = core->r[13];
    core->r[13] = core->other_sp;
    core->other_sp = sp;
}

void pb_arm_select_process_stack(struct pb_armv6m *core, bool process)
{
    if (core->process_stack != process)
        swap_stacks(core);
    core->process_stack = process;
}

/* True if all the frame was stored. */
static bool push_frame(struct pb_armv6m *core, uint32_t sp)
{
    const uint32_t aligned = core->r[13] >> 2 & 1;
    const uint32_t psr = core->apsr | (core->arm_state ? 0 : UINT32_C(1) << 24) | aligned << 9 | core->ipsr;
    const uint32_t frame[8] = {core->r[0],  core->r[1],  core->r[2],  core->r[3],
                               core->r[12], core->r[14], core->r[15], psr};
    bool whole = true;
    for (unsigned i = 0; i < 8; i++) {
        const struct pb_mcu_memory *memory = pb_arm_memory(core, sp + 4 * i);
        if (memory && memory->writable) {
            pb_arm_put32(memory->data + (sp + 4 * i - memory->base), frame[i]);
            core->cycle += memory->write_waits;
        } else {
            whole = false;
        }
    }
    return whole;
}

static void lock_up(struct pb_armv6m *core)
{
    core->trap = (struct pb_mcu_trap){
        .kind = PB_MCU_LOCKUP, .pc = core->r[15], .address = core->r[15], .cycle = core->cycle};
    core->attention = true;
}

void pb_arm_enter(struct pb_armv6m *core, unsigned exception)
{
    const uint32_t sp = (core->r[13] - FRAME_BYTES) & ~UINT32_C(7);
    const uint64_t begin = core->cycle;
    if (!push_frame(core, sp)) {
        if (core->strict) {
            core->trap = (struct pb_mcu_trap){
                .kind = PB_MCU_WRITE_FAULT, .pc = core->r[15], .address = sp, .cycle = core->cycle};
            core->attention = true;
            return;
        }
        if (exception <= PB_ARM_HARDFAULT || pb_arm_running_priority(core, true) < 0) {
            lock_up(core);
            return;
        }
        exception = PB_ARM_HARDFAULT; /* in its place; it stays pending */
    }
    core->r[13] = sp;
    if (sp < core->lowest_sp)
        core->lowest_sp = sp;
    core->r[14] = core->ipsr ? 0xfffffff1 : core->process_stack ? 0xfffffffd : 0xfffffff9;
    if (!core->ipsr)
        core->interrupt_begin = begin;
    if (pb_arm_uses_process_stack(core))
        swap_stacks(core);
    core->ipsr = exception;
    core->active[exception / 32] |= UINT32_C(1) << exception % 32;
    if (exception < 16)
        core->system_pending &= ~(UINT32_C(1) << exception);
    else
        core->pending &= ~(UINT32_C(1) << (exception - 16));
    core->event = true;
    core->asleep = false;
    core->cycle += core->costs->entry;
    const uint32_t at = core->vtor + 4 * exception;
    const struct pb_mcu_memory *memory = pb_arm_memory(core, at);
    if (!memory) {
        if (core->strict || pb_arm_running_priority(core, true) < 0) {
            lock_up(core);
            return;
        }
        core->r[15] = 0;
        core->arm_state = true; /* its first instruction is a HardFault */
        return;
    }
    const int waits = pb_arm_waits(core, memory, at);
    core->cycle += waits < 0 ? 0 : (unsigned)waits;
    const uint32_t vector = pb_arm_get32(memory->data + (at - memory->base));
    core->r[15] = vector & ~UINT32_C(1);
    core->arm_state = !(vector & 1);
}

static unsigned active_count(const struct pb_armv6m *core)
{
    return (unsigned)(__builtin_popcount(core->active[0]) + __builtin_popcount(core->active[1]));
}

/* Reads the frame; false if not all of it is in memory. */
static bool pop_frame(const struct pb_armv6m *core, uint32_t sp, uint32_t frame[8], unsigned *waits)
{
    *waits = 0;
    for (unsigned i = 0; i < 8; i++) {
        const struct pb_mcu_memory *memory = pb_arm_memory(core, sp + 4 * i);
        if (!memory)
            return false;
        frame[i] = pb_arm_get32(memory->data + (sp + 4 * i - memory->base));
        *waits += memory->read_waits;
    }
    return true;
}

bool pb_arm_return(struct pb_armv6m *core, uint32_t value)
{
    const unsigned leaving = core->ipsr;
    const bool to_handler = (value & 0xf) == 1, to_process = (value & 0xf) == 13;
    if (value >> 4 != 0xfffffff || (!to_handler && !to_process && (value & 0xf) != 9) ||
        !is_active(core, leaving) || to_handler != (active_count(core) > 1))
        return false;
    const uint32_t sp = to_process ? core->other_sp : core->r[13];
    uint32_t frame[8];
    unsigned waits;
    if (!pop_frame(core, sp, frame, &waits) || ((frame[7] & 63) != 0) != to_handler)
        return false;
    core->active[leaving / 32] &= ~(UINT32_C(1) << leaving % 32);
    core->cycle += core->costs->exit + waits;
    const uint32_t after = (sp + FRAME_BYTES) | (frame[7] >> 9 & 1) << 2;
    core->process_stack = to_handler ? core->process_stack : to_process;
    if (to_process) {
        core->other_sp = core->r[13];
        core->r[13] = after;
    } else {
        core->r[13] = after;
    }
    for (unsigned i = 0; i < 4; i++)
        core->r[i] = frame[i];
    core->r[12] = frame[4];
    core->r[14] = frame[5];
    core->r[15] = frame[6] & ~UINT32_C(1);
    core->apsr = frame[7] & 0xf0000000;
    core->arm_state = !(frame[7] >> 24 & 1);
    core->ipsr = frame[7] & 63;
    core->event = true;
    pb_arm_pend_lines(core, 0);
    if (!core->ipsr) {
        const uint64_t spent = core->cycle - core->interrupt_begin;
        core->interrupt_cycles += spent;
        if (spent > core->longest_interrupt)
            core->longest_interrupt = spent;
        if (core->scr & PB_ARM_SCR_SLEEPONEXIT) {
            core->asleep = true;
            core->waits_event = false;
        }
    }
    core->attention = true;
    return true;
}

void pb_arm_hardfault(struct pb_armv6m *core)
{
    if (pb_arm_running_priority(core, false) < 0)
        lock_up(core);
    else
        pb_arm_enter(core, PB_ARM_HARDFAULT);
    core->attention = true;
}

void pb_arm_fault(struct pb_armv6m *core, enum pb_mcu_trap_kind kind, uint32_t pc, uint32_t address)
{
    core->r[15] = pc;
    core->attention = true;
    if (core->strict) {
        core->trap = (struct pb_mcu_trap){.kind = kind, .pc = pc, .address = address, .cycle = core->cycle};
        return;
    }
    pb_arm_hardfault(core);
}

bool pb_arm_wakes(const struct pb_armv6m *core)
{
    const unsigned first = pb_arm_first_pending(core);
    if (core->waits_event && core->event)
        return true;
    /* PRIMASK keeps WFI from nothing, WFE from waking. */
    return first && pb_arm_priority(core, first) < pb_arm_running_priority(core, core->waits_event);
}
