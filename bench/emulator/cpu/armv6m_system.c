/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * MRS, MSR and barriers (DDI 0419, A5.3 and B4.2).
 */
#include "bench/emulator/cpu/armv6m_core.h"

enum { SYSM_MSP = 8, SYSM_PSP = 9, SYSM_PRIMASK = 16, SYSM_CONTROL = 20 };

/* APSR, IAPSR, EAPSR, XPSR, IPSR, EPSR and IEPSR have the numbers 0 to 3 and 5 to 7. */
static bool is_psr(unsigned sysm)
{
    return sysm < 8 && sysm != 4;
}

static bool is_special(unsigned sysm)
{
    return is_psr(sysm) || sysm == SYSM_MSP || sysm == SYSM_PSP || sysm == SYSM_PRIMASK ||
           sysm == SYSM_CONTROL;
}

static uint32_t *stack_pointer(struct pb_armv6m *core, bool process)
{
    return process == pb_arm_uses_process_stack(core) ? &core->r[13] : &core->other_sp;
}

static uint32_t read_special(struct pb_armv6m *core, unsigned sysm)
{
    switch (sysm) {
    case SYSM_MSP:
    case SYSM_PSP:
        return *stack_pointer(core, sysm == SYSM_PSP);
    case SYSM_PRIMASK:
        return core->primask;
    case SYSM_CONTROL: /* SPSEL reads 0 in handler mode */
        return (uint32_t)pb_arm_uses_process_stack(core) << 1;
    default: /* a PSR; EPSR reads 0 */
        return (sysm & 4 ? 0 : core->apsr) | (sysm & 1 ? core->ipsr : 0);
    }
}

static void write_special(struct pb_armv6m *core, unsigned sysm, uint32_t value)
{
    switch (sysm) {
    case SYSM_MSP:
    case SYSM_PSP:
        *stack_pointer(core, sysm == SYSM_PSP) = value & ~UINT32_C(3);
        break;
    case SYSM_PRIMASK:
        core->primask = value & 1;
        core->attention = true;
        break;
    case SYSM_CONTROL:
        if (!core->ipsr)
            pb_arm_select_process_stack(core, value >> 1 & 1);
        break;
    default: /* IPSR and EPSR ignore writes */
        if (!(sysm & 4))
            core->apsr = value & 0xf0000000;
    }
}

bool pb_arm_system(struct pb_armv6m *core, uint32_t first, uint32_t second, unsigned *cycles)
{
    const unsigned sysm = second & 0xff;
    if (first == 0xf3ef && (second & 0xf000) == 0x8000) { /* MRS */
        const unsigned d = second >> 8 & 15;
        if (d == 13 || d == 15 || !is_special(sysm))
            return false;
        core->r[d] = read_special(core, sysm);
        *cycles = core->costs->msr;
        return true;
    }
    if ((first & 0xfff0) == 0xf380 && (second & 0xff00) == 0x8800) { /* MSR */
        const unsigned n = first & 15;
        if (n == 13 || n == 15 || !is_special(sysm))
            return false;
        write_special(core, sysm, core->r[n]);
        *cycles = core->costs->msr;
        return true;
    }
    if (first == 0xf3bf && (second & 0xff00) == 0x8f00 && (second & 0xf0) >= 0x40 &&
        (second & 0xf0) <= 0x60) {
        *cycles = core->costs->barrier; /* DSB, DMB, ISB: every access is complete and in order here */
        return true;
    }
    return false;
}
