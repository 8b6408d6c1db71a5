/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A UART with the registers of ARM PrimeCell PL011 (ARM DDI 0183), at its pins. Time is a number of system
 * clock cycles; the UART's clock is `divider` of them. Nothing happens between the events at `next`.
 *
 * Bits. Tick n of the baud generator comes floor(n * divisor / 64) UART clocks after its origin: the write of
 * LCR_H, which takes over the divisor, or of CR.UARTEN. A bit lasts 16 ticks. A transmission begins at the
 * first tick after the byte is there. A receiver that searches begins a byte at the first tick that samples
 * low after one that sampled high; each bit is the majority of its samples 7, 8 and 9; a start bit of value 1
 * is dropped. No synchroniser of the receiver is modelled; that of CTS takes two UART clocks.
 *
 * Not modelled: loopback, IrDA, RTS and the other modem lines, DMA.
 */
#ifndef PB_PL011_H
#define PB_PL011_H

#include <stdbool.h>
#include <stdint.h>

#define PB_PL011_NEVER UINT64_MAX

struct pb_pl011_fifo {
    uint16_t entry[16];
    uint8_t at, used;
};

struct pb_pl011 {
    uint64_t next; /* cycle of the next call of _advance needed; PB_PL011_NEVER */
    bool tx;       /* level of the transmitter, idle high */
    bool irq;      /* combined interrupt */

    /* Private. */
    unsigned divider;
    uint64_t origin;  /* of the ticks, a cycle */
    uint32_t divisor; /* in 1/64; 0: none taken over yet */
    uint32_t ibrd, fbrd, lcr_h, cr, ifls, imsc, ris, rsr;
    struct pb_pl011_fifo to_send, received;

    bool sends;               /* a character is on the line */
    uint64_t tx_tick;         /* of its start bit; else of the next attempt to begin, or NEVER */
    uint32_t tx_frame;        /* its bits, start bit first */
    unsigned tx_bit, tx_bits; /* the bit at which it is, and how many it has */
    bool cts, cts_input;      /* true: clear to send */
    uint64_t cts_cycle;       /* when cts follows its input; NEVER */

    bool rx_level, seen_high, in_byte, overrun;
    uint64_t rx_tick;    /* all samples up to this tick are processed */
    uint64_t begin_tick; /* of the byte */
    unsigned vote, votes_high;
    uint32_t rx_frame;
    uint64_t timeout_tick; /* of the receive timeout; NEVER */
};

/* Resets the UART at a cycle: every register, both FIFOs, the line idle. The levels of its inputs stay; those
 * of a UART that is all zero become RX high, CTS not asserted. */
void pb_pl011_power_up(struct pb_pl011 *uart, unsigned divider);
void pb_pl011_reset(struct pb_pl011 *uart);

/* From this cycle on the UART's clock takes `divider` cycles, at least 1. */
void pb_pl011_divide(struct pb_pl011 *uart, uint64_t cycle, unsigned divider);

/* An input has a new level for clock edges from this cycle on. */
void pb_pl011_input(struct pb_pl011 *uart, uint64_t cycle, bool rx);
void pb_pl011_clear_to_send(struct pb_pl011 *uart, uint64_t cycle, bool asserted);

/* Processes what happens up to and including this cycle. Cycles never decrease. */
void pb_pl011_advance(struct pb_pl011 *uart, uint64_t cycle);

/* Access to the register at an offset below 0x1000, after _advance to its cycle. Returns NULL, or what the
 * model does not have. */
const char *pb_pl011_read(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t *value);
const char *pb_pl011_write(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t value);

#endif
