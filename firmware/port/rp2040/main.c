/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware on an RP2040: settings, handlers and main loop. Edges, bytes of the links and of the
 * console have one priority, and so never interrupt one another.
 *
 * The instant of an edge is that of its handler, in microseconds: it serves only to count missed and extra
 * edges, since the guard machine of PIO0 times transmissions.
 */
#include "chip.h"
#include "firmware/port/settings.h"
#include "links.h"
#include "uart.h"

#include <string.h>

void pio0_irq_0(void);
void uart0_irq(void);
int main(void);

/* The defaults; a programmer replaces the block. The check is of the bytes before it
 * (tests/emulator/unit/test_rp2040_image.c). */
__attribute__((section(".settings"), used)) const volatile struct node_settings node_settings = {
    .magic = NODE_SETTINGS_MAGIC,
    .baud_hz = 1000000,
    .console_baud_hz = CONSOLE_BAUD_DEFAULT_HZ,
    .phase_rate_mhz = 10000000,
    .head_guard_ns = 5000,
    .address = 0,
    .digits = 12,
    .payload_bytes = 6,
    .radix = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    .codec = SETTINGS_SLOT,
    .rule = SETTINGS_ECUBE,
    .check = 0xe45d,
};

struct port {
    uint16_t address;
    volatile bool woken; /* the console's handler ran since the last check of the main loop */
    volatile bool asked; /* a node that does not start has received a line */
};

static struct node node;
static struct port port;
static const char *refusal; /* NULL, or why the node does not start */

uint16_t port_address(struct port *of)
{
    return of->address;
}

uint32_t port_irq_save(struct port *of)
{
    uint32_t state;
    (void)of;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

void port_irq_restore(struct port *of, uint32_t state)
{
    (void)of;
    __asm volatile("msr primask, %0" ::"r"(state) : "memory");
}

/* The bytes of the phase before the edge come first. */
void pio0_irq_0(void)
{
    uint8_t byte;
    bool framing_ok;
    while (links_byte(&byte, &framing_ok))
        node_on_rx_byte(&node, byte, framing_ok);
    links_refill();
    if (links_edge())
        node_on_phase_edge(&node, REG(TIMER_RAWL), REG(SIO_GPIO_IN) >> PIN_TDMA_SYNC & 1);
}

void uart0_irq(void)
{
    uint8_t byte;
    port.woken = true;
    if (uart_take(&byte)) {
        if (!refusal)
            node_on_console_byte(&node, byte);
        else if (byte == '\n')
            port.asked = true;
    }
    uart_send();
}

/* Prints the reason once unsolicited, then after each line. */
static void refuse(void)
{
    port.asked = false;
    port_console_write(&port, "-", 1);
    port_console_write(&port, refusal, strlen(refusal));
    port_console_write(&port, "\n", 1);
}

/* Sleeps until a handler has run. A handler that ran since the last check counts, so none is missed. */
static void sleep_until_woken(void)
{
    __asm volatile("cpsid i" ::: "memory");
    if (!port.woken)
        __asm volatile("wfi");
    port.woken = false;
    __asm volatile("cpsie i" ::: "memory");
}

static const char *why_not(const struct node_settings *settings)
{
    if (!settings_valid(settings))
        return "settings";
    if (settings->baud_hz < LINK_BAUD_MIN_HZ || settings->baud_hz > LINK_BAUD_MAX_HZ)
        return "settings baud, 300 to 1000000";
    if (settings->console_baud_hz > CONSOLE_BAUD_MAX_HZ)
        return "settings console_baud, 300 to 1000000";
    if (settings->head_guard_ns < LINK_GUARD_MIN_NS)
        return "settings head_guard, 328 ns or more";
    return NULL;
}

int main(void)
{
    static struct node_settings settings;
    static struct node_config config;
    static struct route_network network;
    static struct program program = {.ops = &program_ops};

    settings = node_settings;
    refusal = why_not(&settings);
    const bool console_ok = settings_valid(&settings) && settings.console_baud_hz <= CONSOLE_BAUD_MAX_HZ;
    uart_start(console_ok ? settings.console_baud_hz : CONSOLE_BAUD_DEFAULT_HZ);
    REG(NVIC_ISER) = UINT32_C(1) << IRQ_UART0;
    if (refusal) {
        port.asked = true;
        port.woken = true;
    } else {
        port.address = settings.address;
        settings_configure(&settings, "rp2040", TIMER_HZ, &config, &network);
        config.program = &program;
        node_init(&node, &config, &port);
        links_start(settings.baud_hz, settings.head_guard_ns);
        REG(NVIC_ISER) = UINT32_C(1) << IRQ_PIO0;
    }
    for (;;) {
        sleep_until_woken();
        if (!refusal)
            node_poll(&node);
        else if (port.asked)
            refuse();
    }
}
