/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Second stage of the boot as programs of the manufacturer's SDK have it: pads of the flash, quad mode by its
 * status register, one read that enters the continuous read mode, and the SSI set up for execution at half
 * the system clock. Then the vector table at 0x10000100.
 */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .boot2, "ax"
    .global boot2
boot2:
    ldr r0, =0x40020000         @ PADS_QSPI
    movs r1, #0x21              @ SCLK: 8 mA, fast
    str r1, [r0, #0x04]
    ldr r1, [r0, #0x08]
    movs r2, #0x02              @ data: no Schmitt trigger
    bics r1, r2
    str r1, [r0, #0x08]
    str r1, [r0, #0x0c]
    str r1, [r0, #0x10]
    str r1, [r0, #0x14]

    ldr r7, =0x18000000         @ SSI
    movs r6, #0
    str r6, [r7, #0x08]         @ SSIENR
    movs r1, #2
    str r1, [r7, #0x14]         @ BAUDR
    movs r1, #1
    movs r2, #0xf0
    str r1, [r7, r2]            @ RX_SAMPLE_DLY

    ldr r1, =0x00070000         @ CTRLR0: 8 bits, both directions
    str r1, [r7, #0x00]
    movs r1, #1
    str r1, [r7, #0x08]
    movs r0, #0x35              @ status register 2
    bl command
    movs r1, #2                 @ QE
    tst r0, r1
    bne quad
    movs r0, #0x06              @ write enable
    str r0, [r7, #0x60]
    bl idle
    ldr r0, [r7, #0x60]
    movs r0, #0x31              @ write status register 2
    str r0, [r7, #0x60]
    str r1, [r7, #0x60]
    bl idle
    ldr r0, [r7, #0x60]
    ldr r0, [r7, #0x60]
busy:
    movs r0, #0x05
    bl command
    movs r1, #1
    tst r0, r1
    bne busy
quad:
    str r6, [r7, #0x08]
    ldr r1, =0x005f0300         @ CTRLR0: quad, 32 bits, EEPROM read
    str r1, [r7, #0x00]
    str r6, [r7, #0x04]         @ CTRLR1
    ldr r4, =0x180000f4         @ SPI_CTRLR0
    ldr r1, =0x00002221         @ instruction on one line, then 32 bits and 4 dummy cycles
    str r1, [r4]
    movs r1, #1
    str r1, [r7, #0x08]
    movs r0, #0xeb              @ fast read quad I/O
    str r0, [r7, #0x60]
    movs r0, #0xa0              @ mode bits: continuous
    str r0, [r7, #0x60]
    bl idle
    str r6, [r7, #0x08]
    ldr r1, =0xa0002022         @ no instruction, mode bits A0h
    str r1, [r4]
    movs r1, #1
    str r1, [r7, #0x08]

    ldr r0, =0x10000100
    ldr r1, =0xe000ed08         @ VTOR
    str r0, [r1]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2

@ r0: command; returns the byte that follows it
command:
    push {r1, lr}
    str r0, [r7, #0x60]
    str r0, [r7, #0x60]
    bl idle
    ldr r0, [r7, #0x60]
    ldr r0, [r7, #0x60]
    pop {r1, pc}

@ until the transmit FIFO is empty and the SSI not busy
idle:
    ldr r3, [r7, #0x28]
    movs r5, #4
    tst r3, r5
    beq idle
    movs r5, #1
    tst r3, r5
    bne idle
    bx lr
    .ltorg
