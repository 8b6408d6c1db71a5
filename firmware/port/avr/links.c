/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The links of the ATmega1284P. The flags of timer 1 are never written: its interrupts remain enabled, and
 * each handler checks itself whether its compare value is due. So a flag of an older value has no effect.
 */
#include "links.h"

#include "firmware/app/port.h"
#include "pins.h"

#include <avr/interrupt.h>
#include <util/atomic.h>

enum { DATA_BITS = 8, TOP_BIT = 0x80, FIFO_BYTES = 4, START_AHEAD = 100 };
/* From the change of a line to the reading of the timer, and from a compare match to the sample. */
enum { CHANGE_DELAY = 35, SAMPLE_DELAY = 50 };

static uint16_t bit_ticks, time_high;

static volatile bool edge_waits, edge_sync;
static uint32_t edge_time;

static struct {
    volatile bool active; /* up to the end of the last stop bit */
    bool last, cut;       /* in the last stop bit; an edge has ended the frame */
    volatile uint8_t *ddr;
    uint8_t mask, level; /* of the link; what the next compare match writes to *ddr */
    uint8_t bits, left;  /* of this byte after the next match; bytes after this one */
    uint8_t shift;       /* the next bit lowest; ones come after the data */
    const uint8_t *bytes;
} tx;

static struct {
    volatile enum receiver { RX_OFF, RX_HUNTS, RX_IN_BYTE } state;
    volatile uint8_t *pin, *change_mask;
    uint8_t mask, bits, shift;
} rx;

static struct {
    uint8_t value;
    bool framing_ok;
} fifo[FIFO_BYTES];
static uint8_t fifo_in, fifo_out; /* free-running; their difference is the number of bytes in it */

void links_start(uint16_t ticks)
{
    bit_ticks = ticks;
    TCCR1A = 0;
    TCCR1B = _BV(ICES1) | _BV(CS10);
    TIFR1 = _BV(ICF1) | _BV(OCF1B) | _BV(OCF1A) | _BV(TOV1);
    TIMSK1 = _BV(ICIE1) | _BV(OCIE1B) | _BV(OCIE1A) | _BV(TOIE1);
    PCICR |= _BV(PCIE0) | _BV(PCIE1);
}

static uint32_t extend(uint16_t low)
{
    uint16_t high = time_high;
    if (TIFR1 & _BV(TOV1) && low < 0x8000)
        high++; /* the overflow that its interrupt has not counted yet */
    return (uint32_t)high << 16 | low;
}

ISR(TIMER1_OVF_vect)
{
    time_high++;
}

/* ---- transmitter */

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    const bool on_a = dimension < PORT_A_LINKS;
    bool in_time;
    (void)port;
    tx.ddr = on_a ? &DDRA : &DDRB;
    tx.mask = tx.level = (uint8_t)(1u << (on_a ? dimension : dimension - PORT_A_LINKS));
    tx.bits = DATA_BITS + 1;
    tx.left = length - 1;
    tx.shift = bytes[0];
    tx.bytes = bytes + 1;
    tx.last = false;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        const uint32_t now = extend(TCNT1);
        in_time = (int32_t)(start_ticks - now) >= START_AHEAD;
        OCR1A = in_time ? (uint16_t)start_ticks : (uint16_t)now + START_AHEAD;
        tx.active = true;
    }
    return in_time;
}

ISR(TIMER1_COMPA_vect)
{
    if (!tx.active || (int16_t)(TCNT1 - OCR1A) < 0)
        return;
    *tx.ddr = tx.level;
    OCR1A += bit_ticks;
    if (tx.bits) {
        tx.bits--;
        tx.level = tx.shift & 1 ? 0 : tx.mask;
        tx.shift = tx.shift >> 1 | TOP_BIT;
    } else if (tx.left) {
        tx.left--;
        tx.level = tx.mask;
        tx.shift = *tx.bytes++;
        tx.bits = DATA_BITS + 1;
    } else if (tx.last) {
        tx.active = false;
    } else {
        tx.last = true;
    }
}

/* ---- receiver */

static bool line_high(void)
{
    return *rx.pin & rx.mask;
}

static void begin_byte(uint16_t start)
{
    PCMSK0 = PCMSK1 = 0;
    rx.bits = 0;
    OCR1B = start + bit_ticks / 2 - SAMPLE_DELAY;
    rx.state = RX_IN_BYTE;
}

/* The start bit of a fast sender may have begun during the stop bit before it. */
static void hunt(bool low_is_start)
{
    rx.state = RX_HUNTS;
    *rx.change_mask = rx.mask;
    if (low_is_start && !line_high())
        begin_byte(TCNT1);
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    const bool on_a = dimension < PORT_A_LINKS;
    (void)port;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        rx.pin = on_a ? &PINA : &PINB;
        rx.change_mask = on_a ? &PCMSK0 : &PCMSK1;
        rx.mask = (uint8_t)(1u << (on_a ? dimension : dimension - PORT_A_LINKS));
        hunt(false);
    }
}

ISR(PCINT0_vect)
{
    if (rx.state == RX_HUNTS && !line_high())
        begin_byte(TCNT1 - CHANGE_DELAY);
}

ISR(PCINT1_vect, ISR_ALIASOF(PCINT0_vect));

ISR(TIMER1_COMPB_vect)
{
    if (rx.state != RX_IN_BYTE || (int16_t)(TCNT1 - OCR1B) < 0)
        return;
    const bool high = line_high();
    const uint8_t bits = rx.bits++;
    OCR1B += bit_ticks;
    if (bits == 0) {
        if (high)
            hunt(false); /* a pulse */
    } else if (bits <= DATA_BITS) {
        rx.shift = (uint8_t)(rx.shift >> 1 | (high ? TOP_BIT : 0));
    } else {
        if ((uint8_t)(fifo_in - fifo_out) < FIFO_BYTES) {
            fifo[fifo_in % FIFO_BYTES].value = rx.shift;
            fifo[fifo_in++ % FIFO_BYTES].framing_ok = high;
        }
        hunt(high);
        PORT_REQUEST();
    }
}

bool links_byte(uint8_t *byte, bool *framing_ok)
{
    if (fifo_in == fifo_out)
        return false;
    *byte = fifo[fifo_out % FIFO_BYTES].value;
    *framing_ok = fifo[fifo_out++ % FIFO_BYTES].framing_ok;
    return true;
}

/* ---- the phase clock */

static bool stop(void)
{
    const bool cut = tx.active;
    DDRA = DDRB = 0;
    tx.active = false;
    rx.state = RX_OFF;
    PCMSK0 = PCMSK1 = 0;
    return cut;
}

bool port_link_release(struct port *port)
{
    bool cut;
    (void)port;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        cut = stop() || tx.cut;
        tx.cut = false;
    }
    return cut;
}

/* Releases all lines before the registers are saved. */
ISR(TIMER1_CAPT_vect, ISR_NAKED)
{
    __asm__ volatile("push r24\n\t"
                     "ldi r24, 0\n\t"
                     "out %[a], r24\n\t"
                     "out %[b], r24\n\t"
                     "pop r24\n\t"
                     "jmp __vector_edge" ::[a] "I"(_SFR_IO_ADDR(DDRA)),
                     [b] "I"(_SFR_IO_ADDR(DDRB)));
}

/* An edge that is not handled yet is lost. */
void __vector_edge(void) __attribute__((signal, used));
void __vector_edge(void)
{
    tx.cut |= stop();
    edge_time = extend(ICR1);
    edge_sync = PIND & _BV(TDMA_SYNC_PIN);
    edge_waits = true;
    PORT_REQUEST();
}

bool links_edge(uint32_t *edge_ticks, bool *sync)
{
    if (!edge_waits)
        return false;
    edge_waits = false;
    *edge_ticks = edge_time;
    *sync = edge_sync;
    return true;
}
