/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_system.h"

#include <string.h>

/* After power-up all blocks are held but those that the boot ROM uses for the flash. */
#define RESETS_ALL UINT32_C(0x01FFFFFF)
#define RESETS_BOOT (RESETS_ALL & ~(UINT32_C(1) << 6 | UINT32_C(1) << 9)) /* IO_QSPI, PADS_QSPI run */
#define PSM_ALL UINT32_C(0x1FFFF)
enum { CHIP_ID = 0x20002927, PLATFORM_ASIC = 2, TBMAN_ASIC = 1, HAD_POR = 0x100, ROK = 0x1000 };
enum { QSPI_SS = 1, SIE_STATUS = 0x50, BUFF_STATUS = 0x58, USB_INTR = 0x8C, USB_INTS = 0x98 };

static void reset_qspi_pads(struct rp2040_system *s)
{
    /* VOLTAGE_SELECT, SCLK, SD0 to SD3, SS */
    static const uint32_t pads[1 + RP2040_QSPI_PINS] = {0, 0x56, 0x52, 0x52, 0x52, 0x52, 0x5A};
    memcpy(s->qspi_pad, pads, sizeof pads);
}

void rp2040_system_block_reset(struct rp2040_system *s, enum rp2040_block block)
{
    switch (block) {
    case RP2040_SYSCFG:
        memset(s->syscfg, 0, sizeof s->syscfg);
        break;
    case RP2040_BUSCTRL:
        s->bus_priority = 0;
        for (unsigned i = 0; i < 4; i++)
            s->bus_select[i] = 0x1F;
        break;
    case RP2040_IO_QSPI:
        for (unsigned i = 0; i < RP2040_QSPI_PINS; i++)
            s->qspi_ctrl[i] = 0x1F;
        break;
    case RP2040_PADS_QSPI:
        reset_qspi_pads(s);
        break;
    case RP2040_USB:
        memset(s->usb, 0, sizeof s->usb);
        break;
    default:
        break;
    }
}

void rp2040_system_reset(struct rp2040_system *s)
{
    memset(s, 0, sizeof *s);
    s->resets = RESETS_BOOT;
    s->vreg = 0xB1;
    s->bod = 0x91;
    for (enum rp2040_block block = RP2040_SYSCFG; block <= RP2040_USB; block++)
        rp2040_system_block_reset(s, block);
    memset(s->qspi_ctrl, 0, sizeof s->qspi_ctrl); /* the boot ROM gives the pins to the SSI */
}

unsigned rp2040_system_select(const struct rp2040_system *s)
{
    return s->qspi_ctrl[QSPI_SS] >> 8 & 3;
}

static uint32_t lacks(struct rp2040_system *s, const char *what)
{
    s->trap = what;
    return 0;
}

static uint32_t read_usb(struct rp2040_system *s, uint32_t offset)
{
    if (offset == SIE_STATUS || offset == BUFF_STATUS || offset == USB_INTR || offset == USB_INTS)
        return 0;
    return offset / 4 < RP2040_USB_WORDS ? s->usb[offset / 4] : 0;
}

static uint32_t read_qspi(struct rp2040_system *s, uint32_t offset)
{
    if (offset < 8 * RP2040_QSPI_PINS)
        return offset & 4 ? s->qspi_ctrl[offset / 8] : lacks(s, "IO_QSPI: the status of a pin");
    return 0;
}

uint32_t rp2040_system_read(struct rp2040_system *s, enum rp2040_block block, uint32_t offset)
{
    switch (block) {
    case RP2040_RESETS:
        return offset == 0   ? s->resets
               : offset == 4 ? s->resets_watchdog
               : offset == 8 ? ~s->resets & RESETS_ALL
                             : 0;
    case RP2040_PSM:
        return offset == 0    ? s->psm_on
               : offset == 4  ? s->psm_off
               : offset == 8  ? s->psm_watchdog
               : offset == 12 ? PSM_ALL & ~s->psm_off
                              : 0;
    case RP2040_SYSINFO:
        return offset == 0 ? CHIP_ID : offset == 4 ? PLATFORM_ASIC : 0;
    case RP2040_SYSCFG:
        return offset / 4 < sizeof s->syscfg / sizeof *s->syscfg ? s->syscfg[offset / 4] : 0;
    case RP2040_TBMAN:
        return offset == 0 ? TBMAN_ASIC : 0;
    case RP2040_VREG:
        return offset == 0 ? s->vreg | ROK : offset == 4 ? s->bod : offset == 8 ? HAD_POR : 0;
    case RP2040_BUSCTRL:
        if (offset >= 8)
            return offset & 4 ? s->bus_select[offset / 8 & 3] : lacks(s, "BUSCTRL: performance counters");
        return offset ? 1 : s->bus_priority;
    case RP2040_IO_QSPI:
        return read_qspi(s, offset);
    case RP2040_PADS_QSPI:
        return offset / 4 <= RP2040_QSPI_PINS ? s->qspi_pad[offset / 4] : 0;
    case RP2040_USB:
        return read_usb(s, offset);
    }
    return 0;
}

static void write_psm(struct rp2040_system *s, uint32_t offset, uint32_t value)
{
    if (offset == 0)
        s->psm_on = value & PSM_ALL;
    else if (offset == 4)
        s->psm_off = value & PSM_ALL;
    else if (offset == 8)
        s->psm_watchdog = value & PSM_ALL;
    if (s->psm_off & ~RP2040_PSM_PROC1)
        s->trap = "PSM: a block other than the second core, switched off";
}

static void write_syscfg(struct rp2040_system *s, uint32_t offset, uint32_t value)
{
    if (offset / 4 < sizeof s->syscfg / sizeof *s->syscfg)
        s->syscfg[offset / 4] = value;
    if (value && offset != 0x8)
        s->trap = "SYSCFG: NMI, input synchronisers, debug or memory power";
}

void rp2040_system_write(struct rp2040_system *s, enum rp2040_block block, uint32_t offset, uint32_t value)
{
    switch (block) {
    case RP2040_RESETS:
        if (offset == 0)
            s->resets = value & RESETS_ALL;
        else if (offset == 4)
            s->resets_watchdog = value & RESETS_ALL;
        break;
    case RP2040_PSM:
        write_psm(s, offset, value);
        break;
    case RP2040_SYSCFG:
        write_syscfg(s, offset, value);
        break;
    case RP2040_VREG:
        if (offset == 0)
            s->vreg = value & 0xF3;
        else if (offset == 4)
            s->bod = value & 0xF1;
        break;
    case RP2040_BUSCTRL:
        if (offset == 0)
            s->bus_priority = value & 0x1111;
        else if (offset >= 8 && offset & 4)
            s->bus_select[offset / 8 & 3] = value & 0x1F;
        break;
    case RP2040_IO_QSPI:
        if (offset < 8 * RP2040_QSPI_PINS && offset & 4)
            s->qspi_ctrl[offset / 8] = value & UINT32_C(0x3003331F);
        else if (offset >= 8 * RP2040_QSPI_PINS && value)
            s->trap = "IO_QSPI: interrupts of its pins";
        break;
    case RP2040_PADS_QSPI:
        if (offset / 4 <= RP2040_QSPI_PINS)
            s->qspi_pad[offset / 4] = value & 0xFF;
        break;
    case RP2040_USB:
        if (offset / 4 < RP2040_USB_WORDS)
            s->usb[offset / 4] = value;
        break;
    case RP2040_SYSINFO:
    case RP2040_TBMAN: /* read-only */
        break;
    }
}
