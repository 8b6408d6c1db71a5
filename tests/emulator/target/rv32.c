/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * QEMU's machine `virt` for RV32: UART 16550 at 0x10000000, whose bytes QEMU takes at once, and the device
 * that ends QEMU at 0x100000.
 */
#include "target.h"

#include <stdint.h>

#define UART (*(volatile uint8_t *)0x10000000)
#define FINISH (*(volatile uint32_t *)0x100000)
enum { FINISH_PASS = 0x5555, FINISH_FAIL = 0x3333 | 1 << 16 };

void say(char character)
{
    UART = (uint8_t)character;
}

void run(void);
void run(void)
{
    FINISH = target_tests() ? FINISH_FAIL : FINISH_PASS;
    for (;;)
        ;
}

__asm__(".section .text.start\n"
        ".global _start\n"
        "_start: la sp, stack_top\n"
        "call run\n");
