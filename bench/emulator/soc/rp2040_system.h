/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers of an RP2040 that a program sets once: RESETS, PSM, SYSINFO, SYSCFG, TBMAN, VREG_AND_CHIP_RESET,
 * BUSCTRL, IO_QSPI, PADS_QSPI, and USB without a cable ("RP2040 Datasheet", sections 2.1.5, 2.10, 2.13, 2.14,
 * 2.19 to 2.22, 4.1).
 *
 * Most keep what is written and have no other effect: no drive strength of the flash, no supply, no priority
 * on the bus. USB reads as unplugged: no VBUS, no event.
 */
#ifndef PB_MCU_RP2040_SYSTEM_H
#define PB_MCU_RP2040_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

enum rp2040_block {
    RP2040_RESETS,
    RP2040_PSM,
    RP2040_SYSINFO,
    RP2040_SYSCFG,
    RP2040_TBMAN,
    RP2040_VREG,
    RP2040_BUSCTRL,
    RP2040_IO_QSPI,
    RP2040_PADS_QSPI,
    RP2040_USB
};
enum { RP2040_QSPI_PINS = 6, RP2040_USB_WORDS = 39 };
#define RP2040_PSM_PROC1 (UINT32_C(1) << 16)

struct rp2040_system {
    uint32_t resets, resets_watchdog; /* of RESETS: 1 = held in reset */
    uint32_t psm_on, psm_off, psm_watchdog;
    uint32_t syscfg[7], vreg, bod, bus_priority, bus_select[4];
    uint32_t qspi_ctrl[RP2040_QSPI_PINS], qspi_pad[1 + RP2040_QSPI_PINS];
    uint32_t usb[RP2040_USB_WORDS];
    const char *trap; /* NULL, or what firmware used that is not modelled */
};

void rp2040_system_reset(struct rp2040_system *system);
/* Of a block that RESETS has put into reset. */
void rp2040_system_block_reset(struct rp2040_system *system, enum rp2040_block block);
/* A register by its offset. */
uint32_t rp2040_system_read(struct rp2040_system *system, enum rp2040_block block, uint32_t offset);
void rp2040_system_write(struct rp2040_system *system, enum rp2040_block block, uint32_t offset,
                         uint32_t value);
/* The override of the select pin of the flash: 0 none, 2 low, 3 high. */
unsigned rp2040_system_select(const struct rp2040_system *system);

#endif
