/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The System Control Space: NVIC, SysTick, SCB (DDI 0419, B3).
 */
#include "bench/emulator/cpu/armv6m_core.h"

enum {
    ACTLR = 0xe008,
    SYST_CSR = 0xe010,
    SYST_RVR = 0xe014,
    SYST_CVR = 0xe018,
    SYST_CALIB = 0xe01c,
    NVIC_ISER = 0xe100,
    NVIC_ICER = 0xe180,
    NVIC_ISPR = 0xe200,
    NVIC_ICPR = 0xe280,
    NVIC_IPR = 0xe400,
    NVIC_IPR_END = 0xe420,
    CPUID = 0xed00,
    ICSR = 0xed04,
    VTOR = 0xed08,
    AIRCR = 0xed0c,
    SCR = 0xed10,
    CCR = 0xed14,
    SHPR2 = 0xed1c,
    SHPR3 = 0xed20,
    SHCSR = 0xed24,
    MPU_TYPE = 0xed90
};

#define CTRL_ENABLE UINT32_C(1)
#define CTRL_TICKINT UINT32_C(2)
#define CTRL_CLKSOURCE UINT32_C(4)
#define CTRL_COUNTFLAG (UINT32_C(1) << 16)
#define SYSTICK_MASK UINT32_C(0xffffff)

/* Cycles from systick_cycle until the counter reaches 0 from above; UINT64_MAX: never. */
static uint64_t to_zero(const struct pb_armv6m *core)
{
    if (!(core->systick_ctrl & CTRL_ENABLE))
        return UINT64_MAX;
    if (core->systick_value)
        return core->systick_value;
    return core->systick_load ? (uint64_t)core->systick_load + 1 : UINT64_MAX;
}

void pb_arm_systick(struct pb_armv6m *core)
{
    const uint64_t passed = core->cycle - core->systick_cycle, zero = to_zero(core);
    core->systick_cycle = core->cycle;
    if (!(core->systick_ctrl & CTRL_ENABLE) || !passed)
        return;
    if (passed >= zero) {
        core->systick_flag = true;
        if (core->systick_ctrl & CTRL_TICKINT)
            pb_arm_pend_system(core, PB_ARM_SYSTICK);
    }
    if (passed <= core->systick_value)
        core->systick_value -= (uint32_t)passed;
    else if (!core->systick_load)
        core->systick_value = 0;
    else
        core->systick_value = core->systick_load - (uint32_t)((passed - core->systick_value - 1) %
                                                              ((uint64_t)core->systick_load + 1));
}

uint64_t pb_arm_systick_next(const struct pb_armv6m *core)
{
    const uint64_t zero = core->systick_ctrl & CTRL_TICKINT ? to_zero(core) : UINT64_MAX;
    return zero == UINT64_MAX ? UINT64_MAX : core->systick_cycle + zero;
}

static uint32_t read_icsr(const struct pb_armv6m *core)
{
    return core->ipsr | pb_arm_first_pending(core) << 12 | (core->pending ? UINT32_C(1) << 22 : 0) |
           (core->system_pending >> PB_ARM_SYSTICK & 1) << 26 |
           (core->system_pending >> PB_ARM_PENDSV & 1) << 28 | (core->system_pending >> PB_ARM_NMI & 1) << 31;
}

static void write_icsr(struct pb_armv6m *core, uint32_t value)
{
    if (value >> 25 & 1)
        core->system_pending &= ~(UINT32_C(1) << PB_ARM_SYSTICK);
    if (value >> 27 & 1)
        core->system_pending &= ~(UINT32_C(1) << PB_ARM_PENDSV);
    if (value >> 26 & 1)
        pb_arm_pend_system(core, PB_ARM_SYSTICK);
    if (value >> 28 & 1)
        pb_arm_pend_system(core, PB_ARM_PENDSV);
    if (value >> 31)
        pb_arm_pend_system(core, PB_ARM_NMI);
}

static uint32_t read_priorities(const struct pb_armv6m *core, uint32_t first)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)core->priority[first + i] << 8 * i;
    return value;
}

static bool no_register(const struct pb_armv6m *core, struct pb_arm_access *access)
{
    access->value = 0;
    access->fault = PB_MCU_GAP;
    return !core->strict;
}

static bool not_ahead(struct pb_arm_access *access)
{
    access->fault = PB_MCU_NONE;
    return false;
}

bool pb_arm_scs_read(struct pb_armv6m *core, struct pb_arm_access *access)
{
    const uint32_t offset = access->address & 0xffff;
    uint32_t value = 0;
    switch (offset) {
    case ACTLR:
    case MPU_TYPE:
        break;
    case SYST_CSR:
        pb_arm_systick(core);
        value = core->systick_ctrl | CTRL_CLKSOURCE | (core->systick_flag ? CTRL_COUNTFLAG : 0);
        core->systick_flag = false;
        break;
    case SYST_RVR:
        value = core->systick_load;
        break;
    case SYST_CVR:
        pb_arm_systick(core);
        value = core->systick_value;
        break;
    case SYST_CALIB: /* NOREF: there is no other clock; how many cycles make 10 ms is unknown */
        value = UINT32_C(1) << 31;
        break;
    case NVIC_ISER:
    case NVIC_ICER:
        value = core->enabled;
        break;
    case NVIC_ISPR:
    case NVIC_ICPR:
        if (access->ahead)
            return not_ahead(access);
        value = core->pending;
        break;
    case CPUID: /* Cortex-M0+ r0p1 */
        value = 0x410cc601;
        break;
    case ICSR:
        if (access->ahead)
            return not_ahead(access);
        pb_arm_systick(core);
        value = read_icsr(core);
        break;
    case VTOR:
        value = core->vtor;
        break;
    case AIRCR:
        value = 0xfa050000;
        break;
    case SCR:
        value = core->scr;
        break;
    case CCR: /* STKALIGN, UNALIGN_TRP */
        value = 0x208;
        break;
    case SHPR2:
    case SHPR3:
        value = core->shpr[(offset - SHPR2) / 4];
        break;
    case SHCSR: /* SVCALLPENDED */
        value = (core->system_pending >> PB_ARM_SVCALL & 1) << 15;
        break;
    default:
        if (offset < NVIC_IPR || offset >= NVIC_IPR_END)
            return no_register(core, access);
        value = read_priorities(core, offset - NVIC_IPR);
    }
    access->value = value;
    return true;
}

/* An outside line could have made pending what this write clears, or see what it does. */
static bool write_matters_outside(uint32_t offset)
{
    return offset == NVIC_ICPR || offset == AIRCR;
}

static void write_systick(struct pb_armv6m *core, uint32_t offset, uint32_t value)
{
    pb_arm_systick(core);
    if (offset == SYST_CSR) {
        core->systick_ctrl = value & (CTRL_ENABLE | CTRL_TICKINT);
    } else if (offset == SYST_RVR) {
        core->systick_load = value & SYSTICK_MASK;
    } else {
        core->systick_value = 0;
        core->systick_flag = false;
    }
}

bool pb_arm_scs_write(struct pb_armv6m *core, struct pb_arm_access *access)
{
    const uint32_t offset = access->address & 0xffff, value = access->value;
    if (access->ahead && write_matters_outside(offset))
        return not_ahead(access);
    core->attention = true;
    switch (offset) {
    case ACTLR:
    case SYST_CALIB:
    case CPUID:
    case CCR:
    case SHCSR:
    case MPU_TYPE: /* read-only */
        return true;
    case SYST_CSR:
    case SYST_RVR:
    case SYST_CVR:
        write_systick(core, offset, value);
        return true;
    case NVIC_ISER:
        core->enabled |= value;
        return true;
    case NVIC_ICER:
        core->enabled &= ~value;
        return true;
    case NVIC_ISPR:
        pb_arm_pend_lines(core, value);
        return true;
    case NVIC_ICPR: /* a level that is still high makes it pending again */
        core->pending &= ~value;
        pb_arm_pend_lines(core, 0);
        return true;
    case ICSR:
        pb_arm_systick(core);
        write_icsr(core, value);
        return true;
    case VTOR:
        core->vtor = value & 0xffffff00;
        return true;
    case AIRCR:
        if (value >> 16 == 0x05fa && value & 4)
            core->reset_request = true;
        return true;
    case SCR:
        core->scr = value & 0x16;
        return true;
    case SHPR2:
        core->shpr[0] = value & 0xc0000000;
        return true;
    case SHPR3:
        core->shpr[1] = value & 0xc0c00000;
        return true;
    default:
        if (offset < NVIC_IPR || offset >= NVIC_IPR_END)
            return no_register(core, access);
        for (unsigned i = 0; i < 4; i++)
            core->priority[offset - NVIC_IPR + i] = (uint8_t)(value >> 8 * i & 0xc0);
        return true;
    }
}
