/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware on an ATmega1284P at 20 MHz: settings, console on USART0, handlers and main loop.
 *
 * Three levels. Interrupts: one bit, one byte of the console, an edge; some microseconds, all others masked.
 * Handlers: the edge and byte handlers of node.h, one at a time, in an interrupt that the others request and
 * that masks none of them, so that a handler never delays a bit. The loop: console commands.
 */
#include "firmware/app/console.h"
#include "firmware/port/settings.h"
#include "links.h"
#include "pins.h"

#include <avr/interrupt.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <string.h>
#include <util/atomic.h>

enum { RX_RING = 16, TX_RING = 64 };

/* The defaults; a programmer replaces the block (mk/firmware.mk places it). The check is of the bytes
 * before it (tests/emulator/mcu/avr.sh). */
__attribute__((section(".settings"), used)) const volatile struct node_settings node_settings = {
    .magic = NODE_SETTINGS_MAGIC,
    .baud_hz = 40000,
    .console_baud_hz = CONSOLE_BAUD_DEFAULT_HZ,
    .phase_rate_mhz = 400000,
    .head_guard_ns = 125000,
    .address = 0,
    .digits = 12,
    .payload_bytes = 6,
    .radix = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    .codec = SETTINGS_SLOT,
    .rule = SETTINGS_ECUBE,
    .check = 0xdab1,
};

/* Not cleared at the start, which would take a millisecond: node_init writes all of it. */
static struct node node __attribute__((section(".noinit")));

struct port {
    uint16_t address;
};
static struct port port;

static volatile uint8_t busy = 1; /* a handler runs, or the loop masks them */
static volatile bool woken;       /* the console's handler ran since the last check of the loop */

static uint8_t rx_ring[RX_RING], tx_ring[TX_RING];
static volatile uint8_t rx_in, rx_out, tx_in, tx_out; /* free-running; their difference is the number of bytes
                                                         in the ring */

uint16_t port_address(struct port *of)
{
    return of->address;
}

/* ---- handlers */

static bool console_taken(uint8_t *byte)
{
    if (rx_in == rx_out)
        return false;
    *byte = rx_ring[rx_out++ % RX_RING];
    return true;
}

/* Runs the handlers that have work: bytes of a link before the edge after them. */
static void run_handlers(void)
{
    uint32_t edge_ticks;
    uint8_t byte;
    bool flag;
    cli();
    if (!busy) {
        busy = 1;
        for (;;) {
            if (links_byte(&byte, &flag)) {
                sei();
                node_on_rx_byte(&node, byte, flag);
            } else if (links_edge(&edge_ticks, &flag)) {
                sei();
                node_on_phase_edge(&node, edge_ticks, flag);
            } else if (console_taken(&byte)) {
                sei();
                node_on_console_byte(&node, byte);
                woken = true;
            } else {
                break;
            }
            cli();
        }
        busy = 0;
    }
    sei();
}

ISR(PCINT2_vect, ISR_NOBLOCK)
{
    run_handlers();
}

uint32_t port_irq_save(struct port *of)
{
    const uint8_t before = busy;
    (void)of;
    busy = 1;
    __asm__ volatile("" ::: "memory");
    return before;
}

void port_irq_restore(struct port *of, uint32_t state)
{
    (void)of;
    __asm__ volatile("" ::: "memory");
    if (state)
        return;
    busy = 0;
    run_handlers();
}

/* ---- console */

ISR(USART0_RX_vect)
{
    const bool framing_ok = !(UCSR0A & _BV(FE0));
    const uint8_t byte = UDR0, in = rx_in;
    if ((uint8_t)(in - rx_out) < RX_RING) {
        rx_ring[in % RX_RING] = framing_ok ? byte : 0;
        rx_in = in + 1;
    }
    PORT_REQUEST();
}

ISR(USART0_UDRE_vect)
{
    const uint8_t out = tx_out;
    if (out != tx_in) {
        UDR0 = tx_ring[out % TX_RING];
        tx_out = out + 1;
    } else {
        UCSR0B &= ~_BV(UDRIE0);
    }
}

/* Sleeps until the next interrupt; masked at the call, enabled after it. SEI takes effect after the next
 * instruction, so no interrupt comes between. */
static void sleep_unmask(void)
{
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
}

void port_console_write(struct port *of, const char *text, size_t length)
{
    (void)of;
    while (length) {
        cli();
        if ((uint8_t)(tx_in - tx_out) == TX_RING) {
            sleep_unmask();
            continue;
        }
        tx_ring[tx_in % TX_RING] = (uint8_t)*text++;
        tx_in++;
        UCSR0B |= _BV(UDRIE0);
        sei();
        length--;
    }
}

/* The divisor of USART0 at double speed. */
static uint16_t divisor_of(uint32_t baud_hz)
{
    return (uint16_t)((F_CPU / 4 / baud_hz + 1) / 2);
}

static bool console_baud_ok(uint32_t baud_hz)
{
    if (baud_hz < CONSOLE_BAUD_MIN_HZ || baud_hz > CONSOLE_BAUD_MAX_HZ)
        return false;
    const uint32_t made_hz = F_CPU / 8 / divisor_of(baud_hz);
    const uint32_t error_hz = made_hz > baud_hz ? made_hz - baud_hz : baud_hz - made_hz;
    return error_hz <= baud_hz / CONSOLE_ERROR_MAX;
}

static void console_start(uint32_t baud_hz)
{
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UBRR0 = divisor_of(baud_hz) - 1;
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

/* ---- start */

static const char *why_not(const struct node_settings *settings)
{
    if (!settings_valid(settings))
        return "-settings\n";
    if (settings->baud_hz < LINK_BAUD_MIN_HZ || settings->baud_hz > LINK_BAUD_MAX_HZ)
        return "-settings baud, 1000 to 40000\n";
    if (!console_baud_ok(settings->console_baud_hz))
        return "-settings console_baud, 1000 to 125000 within 1.5 % of 2500000 / n\n";
    if (settings->head_guard_ns < LINK_GUARD_MIN_NS || settings->head_guard_ns > LINK_GUARD_MAX_NS)
        return "-settings head_guard, 120 us to 1500 us\n";
    return NULL;
}

int main(void)
{
    static struct route_network network;
    static struct program program = {.ops = &program_ops};
    struct node_settings settings;
    struct node_config config;

    memcpy_P(&settings, (const void *)&node_settings, sizeof settings);
    const bool console_ok = settings_valid(&settings) && console_baud_ok(settings.console_baud_hz);
    DDRC = _BV(REQUEST_PIN);
    PCMSK2 = _BV(PCINT16);
    PCICR = _BV(PCIE2);
    console_start(console_ok ? settings.console_baud_hz : CONSOLE_BAUD_DEFAULT_HZ);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    const char *why = why_not(&settings);
    if (why) {
        port_console_write(&port, why, strlen(why));
        for (;;) {
            cli();
            sleep_unmask();
        }
    }
    port.address = settings.address;
    settings_configure(&settings, "avr", F_CPU, &config, &network);
    config.program = &program;
    node_init(&node, &config, &port);
    const uint16_t bit_ticks = (uint16_t)((F_CPU * 2 / settings.baud_hz + 1) / 2);
    cli();
    links_start(bit_ticks);
    port_irq_restore(&port, 0);
    for (;;) {
        node_poll(&node);
        cli();
        if (woken)
            sei();
        else
            sleep_unmask();
        woken = false;
    }
}
