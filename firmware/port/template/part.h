/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers of an imaginary minimal part. Replace this file with the registers of your part; port.c names the
 * ones that it needs.
 *
 * The part has a timer with a capture unit for TDMA_CLK, one UART for all links with a multiplexer, whose
 * transmitter waits for an instant of the timer, a UART for the console, and one interrupt for each of them.
 */
#ifndef FW_TEMPLATE_PART_H
#define FW_TEMPLATE_PART_H

#include <stdint.h>

#define PART_CLOCK_HZ UINT32_C(48000000)
#define PART_DIVISOR_MIN 16 /* a UART takes 16 samples a bit */
#define PART_DIVISOR_MAX 0xFFFF

#define REG(address) (*(volatile uint32_t *)(address))

#define TIMER_NOW REG(0x40000000)     /* one tick per clock, free running */
#define TIMER_CAPTURE REG(0x40000004) /* TIMER_NOW at the last rising edge of TDMA_CLK */
#define SYNC_LEVEL REG(0x40000008)    /* TDMA_SYNC, bit 0 */

#define LINK_DIVISOR REG(0x40001000) /* clocks of a bit */
#define LINK_SELECT REG(0x40001004)  /* write: a link, or LINK_NONE, at once; drops the byte in progress */
#define LINK_NONE 0xFF
#define LINK_MODE REG(0x40001008) /* LINK_SENDS drives open drain; LINK_LISTENS */
#define LINK_LISTENS 0
#define LINK_SENDS 1
#define LINK_START REG(0x4000100C)  /* the first start bit waits for TIMER_NOW == this */
#define LINK_DATA REG(0x40001010)   /* FIFO of LINK_FIFO bytes each way; read: bit 8 is the stop bit */
#define LINK_STATUS REG(0x40001014) /* the bits below */
#define LINK_FIFO 8
#define LINK_BYTE_WAITS 1u /* received */
#define LINK_FIFO_FULL 2u  /* of the transmitter */
#define LINK_BUSY 4u       /* a byte waits or is being sent */

#define CONSOLE_DIVISOR REG(0x40002000)
#define CONSOLE_DATA REG(0x40002004) /* read: bit 8 is the stop bit */
#define CONSOLE_STATUS REG(0x40002008)
#define CONSOLE_BYTE_WAITS 1u
#define CONSOLE_FULL 2u

#define IRQ_ENABLE REG(0x40003000) /* bit 0: all three of equal priority; reads back */
#define IRQ_PENDING REG(0x40003004)
#define IRQ_EDGE 1u /* cleared by reading TIMER_CAPTURE */
#define IRQ_LINK 2u
#define IRQ_CONSOLE 4u
#define PART_SLEEP REG(0x40003008) /* a write sleeps until an interrupt is pending, enabled or not */

#endif
