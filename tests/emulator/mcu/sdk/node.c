/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node written on such a library: start-up, main loop and console run from flash, handlers from SRAM. The
 * main loop waits in sleep_us. The links are those of the RP2040 port.
 */
#include "firmware/port/rp2040/links.h"
#include "firmware/port/rp2040/uart.h"
#include "firmware/port/settings.h"
#include "tests/emulator/mcu/sdk/sdk.h"

#define TIME_CRITICAL __attribute__((section(".time_critical"), noinline))
enum { POLL_US = 20 };

volatile uint32_t results[16];

__attribute__((section(".settings"), used)) const volatile struct node_settings node_settings = {
    .magic = NODE_SETTINGS_MAGIC,
    .baud_hz = 1000000,
    .console_baud_hz = 460800,
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
};

static struct node node;
static struct port port;

uint16_t port_address(struct port *of)
{
    return of->address;
}

TIME_CRITICAL uint32_t port_irq_save(struct port *of)
{
    uint32_t state;
    (void)of;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

TIME_CRITICAL void port_irq_restore(struct port *of, uint32_t state)
{
    (void)of;
    __asm volatile("msr primask, %0" ::"r"(state) : "memory");
}

TIME_CRITICAL static void on_links(void)
{
    uint8_t byte;
    bool framing_ok;
    while (links_byte(&byte, &framing_ok))
        node_on_rx_byte(&node, byte, framing_ok);
    links_refill();
    if (links_edge())
        node_on_phase_edge(&node, REG(TIMER_RAWL), REG(SIO_GPIO_IN) >> PIN_TDMA_SYNC & 1);
}

TIME_CRITICAL static void on_console(void)
{
    uint8_t byte;
    if (uart_take(&byte))
        node_on_console_byte(&node, byte);
    uart_send();
}

int main(void)
{
    static struct node_config config;
    static struct route_network network;
    const struct node_settings settings = node_settings;
    uart_start(settings.console_baud_hz);
    irq_set_handler(IRQ_UART0, on_console);
    port.address = settings.address;
    settings_configure(&settings, "sdk", TIMER_HZ, &config, &network);
    node_init(&node, &config, &port);
    links_start(settings.baud_hz, settings.head_guard_ns);
    irq_set_handler(IRQ_PIO0, on_links);
    irq_enable(IRQ_UART0);
    irq_enable(IRQ_PIO0);
    for (;;) {
        node_poll(&node);
        sleep_us(POLL_US);
    }
}
