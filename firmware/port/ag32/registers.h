/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the AG32VF303 that the port uses, and those of the fabric (rtl/node/ag32_fabric.v).
 *
 * Sources: AG32 MCU Reference Manual (AGM, 2025-05-15), chapters on clocks, UART and interrupts, as quoted by
 * the open SDK of github.com/bbenchoff/AGaMEMnon; the fields of CLKCTRL as its examples/firmware use them.
 */
#ifndef AG32_REGISTERS_H
#define AG32_REGISTERS_H

#include <stdint.h>

#define AG32_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* ---- system control */
#define SYSCTL_CLKCTRL AG32_REGISTER(0x0300000C)
#define SYSCTL_APB_RESET AG32_REGISTER(0x03000040)
#define SYSCTL_APB_ENABLE AG32_REGISTER(0x03000060)
enum {
    CLKCTRL_SOURCE = 3, /* bits 1..0; 0: the internal oscillator */
    CLKCTRL_SOURCE_PLL = 2,
    CLKCTRL_HSE_READY = 1 << 4,
    CLKCTRL_PLL_ENABLE = 1 << 5,
    CLKCTRL_PLL_READY = 1 << 6,
    CLKCTRL_FLASH_DIVIDERS = 0xFF00, /* bits 31..16 have other functions: keep them */
    APB_UART0 = 1 << 21,
    APB_UART1 = 1 << 22
};

/* ---- interrupts */
#define PLIC_PRIORITY(source) AG32_REGISTER(0x0C000000 + 4 * (source))
#define PLIC_ENABLE AG32_REGISTER(0x0C002000) /* sources 0..31 */
#define PLIC_THRESHOLD AG32_REGISTER(0x0C200000)
#define PLIC_CLAIM AG32_REGISTER(0x0C200004)
enum { PLIC_UART0 = 24, PLIC_UART1 = 25 };

enum { CAUSE_EXTERNAL = 11, CAUSE_FABRIC = 16, MSTATUS_MIE = 1 << 3 };

/* ---- UART, the layout of PL011 */
struct uart_registers {
    volatile uint32_t dr, rsr, reserved0[4], fr, reserved1[2], ibrd, fbrd, lcr_h, cr, ifls, imsc, ris, mis,
        icr;
};
#define UART0 ((struct uart_registers *)(uintptr_t)0x40025000)
#define UART1 ((struct uart_registers *)(uintptr_t)0x40026000)
enum {
    UART_DR_FRAMING = 1 << 8,
    UART_DR_ERRORS = 0xF << 8,
    UART_FR_BUSY = 1 << 3,
    UART_FR_RXFE = 1 << 4,
    UART_FR_TXFF = 1 << 5,
    UART_LCR_FIFO = 1 << 4,
    UART_LCR_8N1 = 3 << 5,
    UART_CR_ENABLE = 1 << 0,
    UART_CR_TX = 1 << 8,
    UART_CR_RX = 1 << 9,
    UART_CR_CTS = 1 << 15,
    UART_INT_RX = 1 << 4,
    UART_INT_TX = 1 << 5,
    UART_INT_RX_TIMEOUT = 1 << 6,
    UART_FIFO = 16
};

/* ---- the fabric, docs/reference/ag32.md */
#define FABRIC_ID AG32_REGISTER(0x60000000)
#define FABRIC_EDGE AG32_REGISTER(0x60000008)
#define FABRIC_STATUS AG32_REGISTER(0x6000000C)
#define FABRIC_SELECT AG32_REGISTER(0x60000010)
#define FABRIC_START AG32_REGISTER(0x60000014)
#define FABRIC_ID_VALUE UINT32_C(0x31474250)
enum {
    FABRIC_STATUS_SYNC = 1 << 1,
    FABRIC_STATUS_LATE = 1 << 4,
    FABRIC_SELECT_SEND = 1 << 8,
    FABRIC_SELECT_ENABLE = 1 << 9
};

#endif
