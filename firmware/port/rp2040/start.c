/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vectors and the code before main: it sets the clocks and copies the program to SRAM. Compiled without LTO,
 * so that nothing of it moves out of the section .early, and without calls to memcpy, which is not in SRAM
 * yet.
 */
#include "chip.h"

int main(void);
void pio0_irq_0(void);
void uart0_irq(void);
void start(void);

extern uint32_t stack_top[], early_end[], image_end[], bss_begin[], bss_end[];

/* 12 MHz * 125 / (6 * 2) = 125 MHz; XOSC starts for 47 * 256 cycles, 1 ms. */
enum {
    XOSC_1_MS = 47,
    PLL_FEEDBACK = 125,
    PLL_DIVIDERS = 6 << 16 | 2 << 12,
    PERI_ON = 1 << 11,
    TICK_1_US = 1 << 9 | 12
};
enum { SSI_DIVISOR = 4 }; /* 31 MHz; the read command 03h allows 50 MHz */

static void fault(void)
{
    for (;;)
        ;
}

/* Vector n is that of exception n; interrupts are from 16 on. */
__attribute__((section(".vectors"), used)) static const struct {
    const void *stack;
    void (*exception[15])(void);
    void (*interrupt[32])(void);
} vectors = {
    .stack = stack_top,
    .exception = {[0] = start, [1] = fault, [2] = fault, [10] = fault, [13] = fault, [14] = fault},
    .interrupt = {[IRQ_PIO0] = pio0_irq_0, [IRQ_UART0] = uart0_irq},
};

#define EARLY __attribute__((section(".early")))

EARLY static void release(uint32_t blocks)
{
    REG_CLEAR(RESETS_RESET) = blocks;
    while (~REG(RESETS_DONE) & blocks)
        ;
}

EARLY static void start_clocks(void)
{
    REG(CLOCKS_SYS_RESUS) = 0;
    REG(XOSC_CTRL) = 0xAA0; /* 1 to 15 MHz */
    REG(XOSC_STARTUP) = XOSC_1_MS;
    REG_SET(XOSC_CTRL) = 0xFAB000;
    while (!(REG(XOSC_STATUS) >> 31))
        ;
    REG(CLOCKS_REF_CTRL) = 2; /* XOSC */
    while (!(REG(CLOCKS_REF_SELECTED) & 4))
        ;
    release(RESET_PLL_SYS);
    REG(PLL_SYS_CS) = 1;
    REG(PLL_SYS_FBDIV) = PLL_FEEDBACK;
    REG_CLEAR(PLL_SYS_PWR) = 0x21; /* PLL and VCO on */
    while (!(REG(PLL_SYS_CS) >> 31))
        ;
    REG(PLL_SYS_PRIM) = PLL_DIVIDERS;
    REG_CLEAR(PLL_SYS_PWR) = 0x08; /* post dividers on */
    REG(CLOCKS_SYS_CTRL) = 0;      /* auxiliary source: PLL_SYS; then that */
    REG_SET(CLOCKS_SYS_CTRL) = 1;
    while (!(REG(CLOCKS_SYS_SELECTED) & 2))
        ;
    REG(CLOCKS_PERI_CTRL) = PERI_ON;
    REG(WATCHDOG_TICK) = TICK_1_US;
}

EARLY void start(void)
{
    start_clocks();
    REG(SSI_SSIENR) = 0;
    REG(SSI_BAUDR) = SSI_DIVISOR;
    REG(SSI_SSIENR) = 1;
    const volatile uint32_t *from =
        (const volatile uint32_t *)(FLASH_IMAGE + (uint32_t)early_end - UINT32_C(0x20000000));
    for (volatile uint32_t *to = early_end; to < image_end; to++)
        *to = *from++;
    for (volatile uint32_t *to = bss_begin; to < bss_end; to++)
        *to = 0;
    release(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_PIO0 | RESET_TIMER | RESET_UART0);
    main();
    fault();
}
