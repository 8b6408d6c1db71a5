/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * DMA to a machine of PIO1 that inverts each word, and DMA back; an interrupt at the end. Another machine
 * makes a square wave on GPIO 20: 4 cycles of 1 MHz.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

#define PIO1 UINT32_C(0x50300000)
#define DMA UINT32_C(0x50000000)
enum { WORDS = 16, FUNCTION_PIO1 = 7, PIN = 20 };
volatile uint32_t results[16];
static uint32_t from[WORDS], to[WORDS];

static void done(void)
{
    REG(DMA + 0x40C) = 2;
    results[2]++;
}

int main(void)
{
    /* pull block; mov isr, ~osr; push block */
    static const uint16_t invert[] = {0x80A0, 0xA0CF, 0x8020};
    /* set pins, 1 [1]; set pins, 0; jmp 0 */
    static const uint16_t square[] = {0xE101, 0xE000, 0x0000};
    const unsigned at = pio_add_program(PIO1, invert, 3), wave = pio_add_program(PIO1, square, 3);
    for (uint32_t i = 0; i < WORDS; i++)
        from[i] = i * 0x01010101;
    REG(PIO1 + 0xCC) = (at + 2) << 12 | at << 7;
    REG(PIO1 + 0xD8) = at;
    REG(PIO1 + 0xC8 + 0x18) = 125 << 16;
    REG(PIO1 + 0xDC + 0x18) = 1 << 26 | PIN << 5;
    REG(PIO1 + 0xD8 + 0x18) = 0xE081; /* set pindirs, 1 */
    REG(PIO1 + 0xD8 + 0x18) = wave;
    gpio_set_function(PIN, FUNCTION_PIO1);
    irq_set_handler(IRQ_DMA0, done);
    REG(DMA + 0x404) = 2;
    irq_enable(IRQ_DMA0);
    /* Channel 1: of the RX FIFO; channel 0: into the TX FIFO. Words, by request. */
    REG(DMA + 0x40) = PIO1 + 0x20;
    REG(DMA + 0x44) = (uint32_t)to;
    REG(DMA + 0x48) = WORDS;
    REG(DMA + 0x4C) = 12 << 15 | 1 << 11 | 1 << 5 | 2 << 2 | 1;
    REG(DMA + 0x00) = (uint32_t)from;
    REG(DMA + 0x04) = PIO1 + 0x10;
    REG(DMA + 0x08) = WORDS;
    REG(DMA + 0x0C) = 8 << 15 | 0 << 11 | 1 << 4 | 2 << 2 | 1;
    REG_SET(PIO1) = 3;
    while (!results[2]) /* WFI would miss an interrupt that comes before it */
        __asm volatile("wfe");
    for (unsigned i = 0; i < WORDS; i++)
        results[0] += to[i] == ~from[i];
    results[1] = REG(DMA + 0x4C) >> 24 & 1;
    results[3] = 1;
    for (;;)
        __asm volatile("wfi");
}
