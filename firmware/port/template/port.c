/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port to copy: the firmware on an imaginary part (part.h). It compiles and links; no such part exists. A
 * new port keeps the structure and replaces the parts that the PART comments name.
 * docs/start/your-firmware.md has the steps.
 *
 * Contexts (firmware/app/port.h): interrupt() is "edge" and "byte", main() is "loop". All handlers have one
 * priority: the core does not lock against itself.
 */
#include "firmware/port/settings.h"
#include "part.h"

#include <string.h>

enum { CONSOLE_BAUD_DEFAULT_HZ = 115200 };
/* From an edge to a transmitter that waits: the longest byte handler and the edge handler. Measure it. */
#define HEAD_GUARD_MIN_NS UINT32_C(5000)

/* The settings: a page of flash of its own, which the programmer and the bench write (settings.h).
 * PART: the place, by the linker script. The erased block is not valid: a node without settings
 * says so and sends nothing. */
__attribute__((section(".settings"), used)) const volatile struct node_settings node_settings = {0};

struct port {
    struct node node;
    struct route_network network;
    uint16_t address;
    const uint8_t *bytes; /* not yet in the FIFO */
    uint8_t left;
    volatile bool woken; /* the console has received since the last check of the loop */
};
static struct port port_object;

/* ---- firmware/app/port.h ---- */

/* Called by node_init, before any interrupt. May take milliseconds.
 * PART: any place that outlasts a reset; this one is in the settings. */
uint16_t port_address(struct port *port)
{
    return port->address;
}

static void fill_fifo(struct port *port)
{
    while (port->left && !(LINK_STATUS & LINK_FIFO_FULL)) {
        LINK_DATA = *port->bytes++;
        port->left--;
    }
}

/* Called by the edge handler, after port_link_release, when a frame is due in this phase. Arms the
 * transmitter and returns within a microsecond or two: whatever it takes comes off the head guard. The
 * falling edge of the first start bit must come at start_ticks, never before it. Later bytes follow
 * without a pause, so whatever feeds them must keep up (here the FIFO and its interrupt). `bytes` stay
 * valid until the next release. PART: a compare unit that starts a UART, or starts the interrupts of a
 * bit-banged one; open drain. */
bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    const bool in_time = (int32_t)(start_ticks - TIMER_NOW) > 0;
    LINK_MODE = LINK_SENDS;
    LINK_START = in_time ? start_ticks : TIMER_NOW + 1;
    LINK_SELECT = dimension;
    port->bytes = bytes;
    port->left = length;
    fill_fifo(port);
    return in_time;
}

/* Called by the edge handler, after port_link_release, when the node listens in this phase. A byte that
 * began before is not received. PART: the multiplexer of the receiver; clear what it has collected. */
void port_link_listen(struct port *port, uint8_t dimension)
{
    (void)port;
    LINK_MODE = LINK_LISTENS;
    LINK_SELECT = dimension;
}

/* Called first by every edge handler, and by node_init. All lines are high when it returns: another node may
 * send from now on. Ends a byte in the middle, in both directions; returns whether a frame was cut off.
 * PART: prefer hardware that releases the line at the edge itself. */
bool port_link_release(struct port *port)
{
    const bool cut = port->left || (LINK_STATUS & LINK_BUSY);
    LINK_SELECT = LINK_NONE;
    port->left = 0;
    return cut;
}

/* Called by the loop only, with parts of an answer. May block until the UART has taken the text, since edges
 * and bytes interrupt it. PART: the console's UART; a ring and an interrupt if the loop must sleep. */
void port_console_write(struct port *port, const char *text, size_t length)
{
    (void)port;
    for (; length; length--) {
        while (CONSOLE_STATUS & CONSOLE_FULL)
            ;
        CONSOLE_DATA = (uint8_t)*text++;
    }
}

/* Called by the loop only, around what it shares with the handlers; calls nest. The longest mask encodes one
 * frame, and the head guard must cover it. PART: the interrupt mask of the processor, and a barrier. */
uint32_t port_irq_save(struct port *port)
{
    const uint32_t state = IRQ_ENABLE;
    (void)port;
    IRQ_ENABLE = 0;
    return state;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    IRQ_ENABLE = state;
}

/* ---- interrupts ---- */

/* PART: the vector of all three. Bytes that are complete before an edge are part of the phase before it, so
 * they are handled first. TDMA_SYNC changes with the edge, so it is read after it. */
void interrupt(void);
void interrupt(void)
{
    struct port *port = &port_object;
    while (LINK_STATUS & LINK_BYTE_WAITS) {
        const uint32_t data = LINK_DATA;
        node_on_rx_byte(&port->node, (uint8_t)data, data >> 8 & 1);
    }
    fill_fifo(port);
    if (IRQ_PENDING & IRQ_EDGE) {
        const uint32_t edge_ticks = TIMER_CAPTURE;
        node_on_phase_edge(&port->node, edge_ticks, SYNC_LEVEL & 1);
    }
    while (CONSOLE_STATUS & CONSOLE_BYTE_WAITS) {
        const uint32_t data = CONSOLE_DATA;
        node_on_console_byte(&port->node, data >> 8 & 1 ? (uint8_t)data : 0);
        port->woken = true;
    }
}

/* ---- start ---- */

/* Returns 0 if the UART cannot generate the baud. */
static uint32_t divisor_of(uint32_t baud_hz)
{
    const uint32_t divisor = (PART_CLOCK_HZ + baud_hz / 2) / baud_hz;
    return divisor >= PART_DIVISOR_MIN && divisor <= PART_DIVISOR_MAX ? divisor : 0;
}

/* PART: every setting that the port cannot keep, with its range. The words go to the console; the bench
 * shows them and skips what they refuse. */
static const char *why_not(const struct node_settings *settings)
{
    if (!settings_valid(settings))
        return "-settings\n";
    if (!divisor_of(settings->baud_hz))
        return "-settings baud, 733 to 3000000\n";
    if (!divisor_of(settings->console_baud_hz))
        return "-settings console_baud, 733 to 3000000\n";
    return settings->head_guard_ns < HEAD_GUARD_MIN_NS ? "-settings head_guard, 5 us or more\n" : NULL;
}

int main(void)
{
    struct port *port = &port_object;
    static struct program program = {.ops = &program_ops};
    struct node_settings settings;
    struct node_config config;

    for (size_t i = 0; i < sizeof settings; i++)
        ((uint8_t *)&settings)[i] = ((const volatile uint8_t *)&node_settings)[i];
    const char *why = why_not(&settings);
    const uint32_t console = settings_valid(&settings) ? divisor_of(settings.console_baud_hz) : 0;
    CONSOLE_DIVISOR = console ? console : divisor_of(CONSOLE_BAUD_DEFAULT_HZ);
    if (why) {
        port_console_write(port, why, strlen(why));
        for (;;)
            PART_SLEEP = 1;
    }
    LINK_DIVISOR = divisor_of(settings.baud_hz);
    port->address = settings.address;
    settings_configure(&settings, "template", PART_CLOCK_HZ, &config, &port->network);
    config.program = &program; /* less than 200 bytes of RAM; without it the node runs no programs */
    node_init(&port->node, &config, port);
    IRQ_ENABLE = 1;
    for (;;) {
        port->woken = false;
        node_poll(&port->node);
        const uint32_t state = port_irq_save(port);
        if (!port->woken)
            PART_SLEEP = 1;
        port_irq_restore(port, state);
    }
}
