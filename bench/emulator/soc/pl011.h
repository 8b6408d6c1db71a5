/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Arm PrimeCell PL011 ("PrimeCell UART (PL011) Technical Reference Manual", DDI 0183), or a UART with its
 * registers, at its pins. Time is a number of system clock cycles; the UART's clock is `divider` of them.
 * Nothing happens between the events at `next`. What differs between parts is a struct pb_pl011_kind.
 *
 * Bits. Tick n of the baud generator comes floor(n * divisor / 64) UART clocks after its origin: the write of
 * LCR_H, which takes over the divisor, or of CR.UARTEN. A bit lasts 16 ticks. A character goes to the shift
 * register as soon as that is free, with the FIFOs off past the holding register (section 2.4.3), and begins
 * at the next tick. A receiver that searches begins a byte at the first tick that samples low after one that
 * sampled high; a start bit of value 1 is dropped. No synchroniser of the receiver is modelled; that of CTS
 * takes two UART clocks. The overrun bit of DR goes with the first character after the loss (section 2.4.3).
 * The timeout of the receiver counts from the last character or the last read of DR, as in a 16550; the
 * manual does not say whether a read counts.
 *
 * Not modelled: loopback, IrDA, RTS and the other modem lines, the requests for DMA.
 */
#ifndef PB_PL011_H
#define PB_PL011_H

#include <stdbool.h>
#include <stdint.h>

#define PB_PL011_NEVER UINT64_MAX

enum { PB_PL011_DEPTH_MAX = 32 };

struct pb_pl011_kind {
    unsigned depth;     /* of either FIFO, at most PB_PL011_DEPTH_MAX, a multiple of 8 */
    unsigned samples;   /* of each bit, 1 or 3, the middle one 8 ticks after its begin; the majority counts */
    bool clear_to_send; /* false: its CTS is not connected, and CR.CTSEN not modelled */
    bool holds_dmacr;   /* DMACR keeps its bits, which have no effect; false: they are not modelled */
    bool full_loses;    /* a write of DR with a full FIFO is lost; false: it is not modelled */
    unsigned revision;  /* in PeriphID2; 0: the part has no identity registers */
};

struct pb_pl011_fifo {
    uint16_t entry[PB_PL011_DEPTH_MAX];
    uint8_t at, used;
};

struct pb_pl011 {
    uint64_t next;    /* cycle of the next call of _advance needed; PB_PL011_NEVER */
    uint64_t visible; /* of the next one that can change tx or irq, at least `next` */
    bool tx;          /* level of the transmitter, idle high */
    bool irq;         /* combined interrupt */
    bool rx_level;    /* of the last _input */

    /* Private. */
    const struct pb_pl011_kind *kind;
    unsigned divider;
    uint64_t origin;  /* of the ticks, a cycle */
    uint32_t divisor; /* in 1/64; 0: none taken over yet */
    uint32_t ibrd, fbrd, lcr_h, cr, ifls, imsc, ris, rsr, dmacr;
    struct pb_pl011_fifo to_send, received;

    bool sends, waits;        /* a character is in the shift register; for its first tick */
    uint64_t tx_tick;         /* of its start bit */
    uint32_t tx_frame;        /* its bits, start bit first */
    unsigned tx_bit, tx_bits; /* the bit at which it is, and how many it has */
    bool cts, cts_input;      /* true: clear to send */
    uint64_t cts_cycle;       /* when cts follows its input; NEVER */

    bool seen_high, in_byte, overrun;
    uint64_t rx_tick;    /* all samples up to this tick are processed */
    uint64_t begin_tick; /* of the byte */
    unsigned vote, votes_high;
    uint32_t rx_frame;
    uint64_t timeout_tick; /* of the receive timeout; NEVER */
};

/* Resets the UART at a cycle: every register, both FIFOs, the line idle. The levels of its inputs stay; at
 * power-up they are RX high, CTS not asserted. The kind is borrowed, and must outlive the UART. */
void pb_pl011_power_up(struct pb_pl011 *uart, const struct pb_pl011_kind *kind, unsigned divider);
void pb_pl011_reset(struct pb_pl011 *uart);

/* From this cycle on the UART's clock takes `divider` cycles, at least 1. */
void pb_pl011_divide(struct pb_pl011 *uart, uint64_t cycle, unsigned divider);

/* The ticks begin anew at a cycle, if no character is in progress. */
void pb_pl011_align(struct pb_pl011 *uart, uint64_t cycle);

/* An input has a new level for clock edges from this cycle on. */
void pb_pl011_input(struct pb_pl011 *uart, uint64_t cycle, bool rx);
void pb_pl011_clear_to_send(struct pb_pl011 *uart, uint64_t cycle, bool asserted);

/* Processes what happens up to and including this cycle. Cycles never decrease. */
void pb_pl011_advance(struct pb_pl011 *uart, uint64_t cycle);

/* Access to the register at an offset below 0x1000, after _advance to its cycle. Returns NULL, or what the
 * model does not have. _peek: without side effect; 0 for DR. */
const char *pb_pl011_peek(const struct pb_pl011 *uart, uint32_t offset, uint32_t *value);
const char *pb_pl011_read(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t *value);
const char *pb_pl011_write(struct pb_pl011 *uart, uint64_t cycle, uint32_t offset, uint32_t value);

#endif
