/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/cpu/armv6m_core.h"

#include <string.h>

void pb_armv6m_reset(struct pb_armv6m *core, uint32_t vtor)
{
    memset(core->r, 0, sizeof core->r);
    memset(core->priority, 0, sizeof core->priority);
    memset(core->active, 0, sizeof core->active);
    memset(core->shpr, 0, sizeof core->shpr);
    core->other_sp = core->apsr = core->ipsr = core->enabled = core->system_pending = core->scr = 0;
    core->systick_ctrl = core->systick_load = core->systick_value = 0;
    core->systick_cycle = core->cycle;
    core->primask = core->process_stack = core->asleep = core->event = core->reset_request = core->yield =
        false;
    core->waits_event = core->systick_flag = false;
    core->trap = (struct pb_mcu_trap){.kind = PB_MCU_NONE};
    core->pending = core->lines;
    core->vtor = vtor;
    core->r[14] = 0xffffffff;
    const struct pb_mcu_memory *memory = pb_arm_memory(core, vtor);
    if (!memory || vtor - memory->base + 8 > memory->bytes) {
        core->trap =
            (struct pb_mcu_trap){.kind = PB_MCU_LOCKUP, .pc = vtor, .address = vtor, .cycle = core->cycle};
        return;
    }
    const uint8_t *vectors = memory->data + (vtor - memory->base);
    const uint32_t start = pb_arm_get32(vectors + 4);
    core->r[13] = core->lowest_sp = pb_arm_get32(vectors) & ~UINT32_C(3);
    core->r[15] = start & ~UINT32_C(1);
    core->arm_state = !(start & 1);
}

void pb_armv6m_lines(struct pb_armv6m *core, uint32_t lines)
{
    const uint32_t rising = lines & ~core->lines;
    core->lines = lines;
    pb_arm_pend_lines(core, rising);
}

uint64_t pb_armv6m_next(const struct pb_armv6m *core)
{
    if (core->trap.kind || core->reset_request)
        return UINT64_MAX;
    return !core->asleep || pb_arm_wakes(core) ? core->cycle : pb_arm_systick_next(core);
}

/* Asleep: advances to `until`, or to the SysTick that may wake it. True: it is awake. */
static bool wake(struct pb_armv6m *core, uint64_t until)
{
    while (!pb_arm_wakes(core)) {
        const uint64_t tick = pb_arm_systick_next(core);
        const uint64_t to = tick < until ? tick : until;
        if (core->cycle >= until)
            return false;
        core->idle += to - core->cycle;
        core->cycle = to;
        pb_arm_systick(core);
    }
    if (core->waits_event)
        core->event = false;
    core->asleep = false;
    return true;
}

enum pb_mcu_stop pb_armv6m_run(struct pb_armv6m *core, uint64_t until, uint64_t ahead)
{
    for (;;) {
        if (core->trap.kind)
            return PB_MCU_TRAPPED;
        if (core->yield || core->reset_request) {
            core->yield = false;
            return PB_MCU_TIME;
        }
        pb_arm_systick(core);
        if (core->asleep && !wake(core, until))
            return PB_MCU_ASLEEP;
        const bool early = core->cycle < until;
        if (!early && (core->cycle >= ahead || !pb_arm_quiet(core)))
            return PB_MCU_TIME;
        const unsigned first = pb_arm_first_pending(core);
        if (first && pb_arm_priority(core, first) < pb_arm_running_priority(core, true)) {
            pb_arm_enter(core, first);
            continue;
        }
        if (core->arm_state) {
            pb_arm_fault(core, PB_MCU_ILLEGAL, core->r[15], 0);
            continue;
        }
        core->attention = false;
        const uint64_t tick = pb_arm_systick_next(core);
        const uint64_t limit = early ? until : ahead;
        if (!pb_arm_execute(core, tick < limit ? tick : limit, !early))
            return PB_MCU_TIME;
    }
}
