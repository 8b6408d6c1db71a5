/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset and the interrupt entry. The boot ROM jumps to the first byte of flash. Both interrupts use one
 * entry; mstatus.MIE stays 0 in a handler, so neither interrupts the other.
 */
    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, trap_entry
    csrw mtvec, t0
    csrw mie, zero

    /* The crystal starts and the PLL locks while memory is cleared; main waits for them. */
    li t0, 0x0300000C
    lw t1, 0(t0)
    andi t1, t1, 0xF7 - 0x100 /* no bypass of the crystal */
    ori t1, t1, 0x24          /* crystal and PLL on */
    sw t1, 0(t0)

    la t0, __data_load
    la t1, __data_start
    la t2, __data_end
    beq t1, t2, 2f
1:  lw t3, 0(t0) /* both ends are multiples of 16 */
    lw t4, 4(t0)
    lw t5, 8(t0)
    lw t6, 12(t0)
    sw t3, 0(t1)
    sw t4, 4(t1)
    sw t5, 8(t1)
    sw t6, 12(t1)
    addi t0, t0, 16
    addi t1, t1, 16
    bltu t1, t2, 1b
2:  la t1, __bss_start
    la t2, __bss_end
    beq t1, t2, 4f
3:  sw zero, 0(t1) /* as here */
    sw zero, 4(t1)
    sw zero, 8(t1)
    sw zero, 12(t1)
    addi t1, t1, 16
    bltu t1, t2, 3b
4:  j main

/* The handlers are C, so the registers that a call does not preserve are saved. Nothing uses the FPU. */
    .balign 4
trap_entry:
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw a0, 16(sp)
    sw a1, 20(sp)
    sw a2, 24(sp)
    sw a3, 28(sp)
    sw a4, 32(sp)
    sw a5, 36(sp)
    sw a6, 40(sp)
    sw a7, 44(sp)
    sw t3, 48(sp)
    sw t4, 52(sp)
    sw t5, 56(sp)
    sw t6, 60(sp)
    csrr a0, mcause
    bgez a0, fault
    call port_interrupt
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw a0, 16(sp)
    lw a1, 20(sp)
    lw a2, 24(sp)
    lw a3, 28(sp)
    lw a4, 32(sp)
    lw a5, 36(sp)
    lw a6, 40(sp)
    lw a7, 44(sp)
    lw t3, 48(sp)
    lw t4, 52(sp)
    lw t5, 56(sp)
    lw t6, 60(sp)
    addi sp, sp, 64
    mret

/* An exception: the node stops with its links released, so that the bench finds it silent. */
fault:
    li t0, 0x60000010
    sw zero, 0(t0)
1:  j 1b
