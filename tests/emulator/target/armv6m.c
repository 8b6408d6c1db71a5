/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * QEMU's machine `microbit` (Cortex-M0, 256 KB of flash at 0, 16 KB of SRAM), with semihosting.
 */
#include "target.h"

#include <stdint.h>

enum { SYS_WRITEC = 0x03, SYS_EXIT = 0x18, APPLICATION_EXIT = 0x20026, RUNTIME_ERROR = 0x20023 };

static void semihost(uint32_t operation, uint32_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uint32_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void say(char character)
{
    semihost(SYS_WRITEC, (uint32_t)&character);
}

static void run(void)
{
    semihost(SYS_EXIT, target_tests() ? RUNTIME_ERROR : APPLICATION_EXIT);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {(void (*)(void))0x20004000,
                                                                                   run};
