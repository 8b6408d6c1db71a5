/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Second stage of the boot: the boot ROM copies these 256 bytes to the end of SRAM, checks their CRC-32,
 * which pack.c puts into the last four, and enters them at their first byte with LR = 0 and clk_sys =
 * ROSC.
 *
 * They set the SSI to the read command 03h, which every flash has, and copy the vectors and the early code
 * to SRAM. That code sets the clocks and copies the rest, 19 times faster.
 */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .boot2, "ax"
    .global boot2
boot2:
    ldr r3, =0x18000000         @ SSI
    movs r1, #0
    str r1, [r3, #0x08]         @ SSIENR: off
    movs r2, #2
    str r2, [r3, #0x14]         @ BAUDR: ROSC / 2, at most 6 MHz
    ldr r2, =0x001f0300         @ frames of 32 bits, EEPROM read
    str r2, [r3, #0x00]         @ CTRLR0
    str r1, [r3, #0x04]         @ CTRLR1: one frame
    ldr r2, =0x03000218         @ instruction 03h of 8 bits, address of 24
    movs r4, #0xf4
    str r2, [r3, r4]            @ SPI_CTRLR0
    movs r1, #1
    str r1, [r3, #0x08]         @ SSIENR: on

    ldr r0, =0x10000100
    ldr r1, =0x20000000
    ldr r2, =early_bytes
copy:
    subs r2, #4
    ldr r4, [r0, r2]
    str r4, [r1, r2]
    bne copy

    ldr r0, =0xe000ed08         @ VTOR
    str r1, [r0]
    ldr r0, [r1, #0]
    msr msp, r0
    ldr r0, [r1, #4]
    bx r0
    .ltorg
