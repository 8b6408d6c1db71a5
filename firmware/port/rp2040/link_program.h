/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The programs of PIO0: guard, transmitter and receiver of the links. Cycles are of clk_sys in `guard`, of
 * the machine's divided clock in the others; a bit is 125 of these.
 *
 * guard waits for the edge of TDMA_CLK itself, so the latency of interrupts adds no jitter. It reports the
 * edge by flag 0, and permits the transmission by flag 4. With the count n in its OSR and a delay d
 * (0..31) of the MOV, the start bit falls 9 + d + 32 (n + 1) cycles after the edge.
 *
 * link_tx takes the number of bytes less one, then the bytes, four a word, least significant first,
 * inverted: a 1 makes the pin an output, whose level is 0 for ever. With flag 4 set already it starts at
 * once.
 *
 * link_rx gives words of 9 bits, the stop bit in bit 31, the byte below it.
 */
#ifndef FW_RP2040_LINK_PROGRAM_H
#define FW_RP2040_LINK_PROGRAM_H

#include <stdint.h>

enum { GUARD_MACHINE = 0, TX_MACHINE = 1, RX_MACHINE = 2 };
enum {
    GUARD_START = 0,
    GUARD_END = 6,
    TX_START = 7,
    TX_END = 21,
    RX_START = 22,
    RX_END = 30,
    LINK_WORDS = 31
};
enum { FLAG_EDGE = 0, FLAG_START = 4 };
enum { BIT_CYCLES = 125, GUARD_FIXED = 9, GUARD_STEP = 32, GUARD_DELAY_WORD = 4 };

static const uint16_t link_program[LINK_WORDS] = {
    /* guard */
    0x200e, /* wait 0 gpio 14 */
    0x208e, /* wait 1 gpio 14 */
    0xc044, /* irq clear 4 */
    0xc000, /* irq set 0 */
    0xa027, /* mov x, osr       [d], put in by the port */
    0x1f45, /* wt: jmp x-- wt   [31] */
    0xc004, /* irq set 4 */
    /* link_tx */
    0x80a0, /* tx: pull block */
    0x6040, /* out y, 32 */
    0x20c4, /* wait 1 irq 4 */
    0xff81, /* byte: set pindirs, 1 [31] */
    0xff27, /* set x, 7         [31] */
    0x9fe0, /* pull ifempty     [31] */
    0xbc42, /* nop              [28] */
    0x7f81, /* bit: out pindirs, 1 [31] */
    0xbf42, /* nop              [31] */
    0xbf42, /* nop              [31] */
    0x1c4e, /* jmp x-- bit      [28] */
    0xff80, /* set pindirs, 0   [31] */
    0xbf42, /* nop              [31] */
    0xbf42, /* nop              [31] */
    0x1c8a, /* jmp y-- byte     [28] */
    /* link_rx */
    0x20a0, /* rx: wait 1 pin 0 */
    0x3f20, /* wait 0 pin 0     [31] */
    0xfd28, /* set x, 8         [29] */
    0x01d6, /* jmp pin rx       [1]: no start bit */
    0xfa42, /* bit: set y, 2    [26] */
    0x1f9b, /* dly: jmp y-- dly [31] */
    0x4001, /* in pins, 1 */
    0x005a, /* jmp x-- bit */
    0x8000, /* push noblock */
};

/* Instructions that the port executes in a machine. */
enum { PIO_SET_PINDIRS_0 = 0xe080, PIO_PULL = 0x80a0, PIO_JMP = 0x0000 };

#endif
