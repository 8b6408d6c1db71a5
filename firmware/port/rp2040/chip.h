/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the RP2040 that the port uses, and the pins of the node. Source: "RP2040 Datasheet",
 * chapters 2 to 4.
 */
#ifndef FW_RP2040_CHIP_H
#define FW_RP2040_CHIP_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))
/* The same register at its other addresses: a write sets or clears bits, or inverts them. */
#define REG_XOR(address) REG((address) + UINT32_C(0x1000))
#define REG_SET(address) REG((address) + UINT32_C(0x2000))
#define REG_CLEAR(address) REG((address) + UINT32_C(0x3000))

/* The pins of the node: Raspberry Pi Pico, GP numbers of its pinout ("Raspberry Pi Pico Datasheet", figure
 * 2). UART0 has these two pins. The links use adjacent pins only so that the words are short. */
enum {
    PIN_UART_TX = 0,
    PIN_UART_RX = 1,
    PIN_LINK0 = 2,
    PIN_LINKS = 12,
    PIN_TDMA_CLK = 14,
    PIN_TDMA_SYNC = 15
};

#define CLK_SYS_HZ UINT32_C(125000000)
#define TIMER_HZ UINT32_C(1000000)

#define FLASH_IMAGE UINT32_C(0x10000100)
#define SSI_SSIENR UINT32_C(0x18000008)
#define SSI_BAUDR UINT32_C(0x18000014)

#define CLOCKS_REF_CTRL UINT32_C(0x40008030)
#define CLOCKS_REF_SELECTED UINT32_C(0x40008038)
#define CLOCKS_SYS_CTRL UINT32_C(0x4000803C)
#define CLOCKS_SYS_SELECTED UINT32_C(0x40008044)
#define CLOCKS_PERI_CTRL UINT32_C(0x40008048)
#define CLOCKS_SYS_RESUS UINT32_C(0x40008078)
#define RESETS_RESET UINT32_C(0x4000C000)
#define RESETS_DONE UINT32_C(0x4000C008)
enum {
    RESET_IO_BANK0 = 1 << 5,
    RESET_PADS_BANK0 = 1 << 8,
    RESET_PIO0 = 1 << 10,
    RESET_PLL_SYS = 1 << 12,
    RESET_TIMER = 1 << 21,
    RESET_UART0 = 1 << 22
};
#define XOSC_CTRL UINT32_C(0x40024000)
#define XOSC_STATUS UINT32_C(0x40024004)
#define XOSC_STARTUP UINT32_C(0x4002400C)
#define PLL_SYS_CS UINT32_C(0x40028000)
#define PLL_SYS_PWR UINT32_C(0x40028004)
#define PLL_SYS_FBDIV UINT32_C(0x40028008)
#define PLL_SYS_PRIM UINT32_C(0x4002800C)
#define WATCHDOG_TICK UINT32_C(0x4005802C)
#define TIMER_RAWL UINT32_C(0x40054028)

#define IO_CTRL(pin) (UINT32_C(0x40014004) + 8u * (pin))
enum { FUNCTION_UART = 2, FUNCTION_PIO0 = 6 };
#define PAD(pin) (UINT32_C(0x4001C004) + 4u * (pin))
enum { PAD_INPUT = 0x40, PAD_4_MA = 0x10, PAD_PULL_UP = 0x08, PAD_SCHMITT = 0x02 };
#define SIO_GPIO_IN UINT32_C(0xD0000004)

#define UART_DR UINT32_C(0x40034000)
#define UART_IBRD UINT32_C(0x40034024)
#define UART_FBRD UINT32_C(0x40034028)
#define UART_LCR_H UINT32_C(0x4003402C)
#define UART_CR UINT32_C(0x40034030)
#define UART_IMSC UINT32_C(0x40034038)
#define UART_MIS UINT32_C(0x40034040)
#define UART_ICR UINT32_C(0x40034044)
enum { UART_8N1 = 0x60, UART_ON = 0x301, UART_RX_INT = 0x10, UART_TX_INT = 0x20, UART_ERRORS = 0xF00 };

#define PIO0 UINT32_C(0x50200000)
#define PIO_CTRL (PIO0 + 0x00)
#define PIO_FSTAT (PIO0 + 0x04)
#define PIO_TXF(machine) (PIO0 + 0x10 + 4u * (machine))
#define PIO_RXF(machine) (PIO0 + 0x20 + 4u * (machine))
#define PIO_IRQ (PIO0 + 0x30)
#define PIO_INSTR_MEM(word) (PIO0 + 0x48 + 4u * (word))
#define PIO_CLKDIV(machine) (PIO0 + 0xC8 + 0x18u * (machine))
#define PIO_EXECCTRL(machine) (PIO0 + 0xCC + 0x18u * (machine))
#define PIO_SHIFTCTRL(machine) (PIO0 + 0xD0 + 0x18u * (machine))
#define PIO_ADDR(machine) (PIO0 + 0xD4 + 0x18u * (machine))
#define PIO_INSTR(machine) (PIO0 + 0xD8 + 0x18u * (machine))
#define PIO_PINCTRL(machine) (PIO0 + 0xDC + 0x18u * (machine))
#define PIO_IRQ0_INTE (PIO0 + 0x12C)

#define NVIC_ISER UINT32_C(0xE000E100)
enum { IRQ_PIO0 = 7, IRQ_UART0 = 20 };

#endif
