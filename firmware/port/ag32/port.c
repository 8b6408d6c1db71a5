/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware on the AG32VF303: its functions of port.h, interrupts and main loop.
 *
 * Time is TIME of the fabric, which also captures TDMA_CLK and holds back a transmission until its start. The
 * links share UART1, which the fabric connects to one of them. UART1 is reset at each phase edge: nothing
 * else ends a byte within it. The core sleeps whenever no line of the console waits.
 */
#include "firmware/app/node.h"
#include "firmware/port/ag32/registers.h"
#include "firmware/port/settings.h"

#define SYSCLK_HZ UINT32_C(100000000) /* of the PLL, as the fabric's image sets it, from a crystal of 8 MHz */

/* EDGE is later than the edge at the pin, and a start bit at the pin later than START, by these ticks
 * (rtl/node/ag32_fabric.v). UART1 adds up to a sixteenth of a bit, as its bits begin on its own grid. */
enum { EDGE_DELAY = 1, START_DELAY = 5 };

enum { PLL_PATIENCE = 5000, DIVISOR_MIN = 64, DIVISOR_MAX = 0x3FFFFF };

/* Of the links: a received byte waits in a register for one byte only, and interrupts wait for up to 8 us. */
enum { LINK_BAUD_MAX_HZ = 1000000, CONSOLE_BAUD_DEFAULT_HZ = 460800 };

enum { CONSOLE_RX_INTERRUPTS = UART_INT_RX | UART_INT_RX_TIMEOUT };

struct port {
    struct node node;
    struct route_network network;
    uint16_t address;
    enum link_use { LINK_FREE, LINK_SENDS, LINK_LISTENS } use;
    uint32_t divisor;     /* of UART1, in 1/64 */
    const uint8_t *tx_at; /* rest of the frame, which does not fit the FIFO yet */
    uint8_t tx_left;
    volatile bool console_byte; /* since the last check of the loop */
};

/* The programmer replaces it. Erased: the node waits for ever with its links released. Volatile: the compiler
 * must not take these values for those of the flash. */
const volatile struct node_settings node_settings
    __attribute__((section(".settings"), used)) = {.magic = UINT32_C(0xFFFFFFFF)};

static struct port port_object;

/* ---- the functions of port.h ---- */

uint16_t port_address(struct port *port)
{
    return port->address;
}

static void uart_open(struct uart_registers *uart, uint32_t divisor, uint32_t lcr_h, uint32_t interrupts,
                      uint32_t cr)
{
    uart->ibrd = divisor / 64;
    uart->fbrd = divisor % 64;
    uart->lcr_h = UART_LCR_8N1 | lcr_h; /* takes the divisor over */
    if (interrupts)                     /* else the value after its reset */
        uart->imsc = interrupts;
    uart->cr = UART_CR_ENABLE | cr;
}

static void fill_fifo(struct port *port)
{
    while (port->tx_left > 0 && !(UART1->fr & UART_FR_TXFF)) {
        UART1->dr = *port->tx_at++;
        port->tx_left--;
    }
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    FABRIC_SELECT = FABRIC_SELECT_ENABLE | FABRIC_SELECT_SEND | dimension;
    uart_open(UART1, port->divisor, UART_LCR_FIFO, length > UART_FIFO ? UART_INT_TX : 0,
              UART_CR_TX | UART_CR_CTS);
    UART1->dr = bytes[0];
    FABRIC_START = start_ticks - START_DELAY;
    /* The others follow while the first one waits or is on the line. */
    const uint8_t room = length < UART_FIFO ? length : UART_FIFO;
    for (uint8_t i = 1; i < room; i++)
        UART1->dr = bytes[i];
    port->use = LINK_SENDS;
    port->tx_at = bytes + room;
    port->tx_left = length - room;
    return !(FABRIC_STATUS & FABRIC_STATUS_LATE);
}

/* Without the FIFO, so that each byte interrupts at once. */
void port_link_listen(struct port *port, uint8_t dimension)
{
    FABRIC_SELECT = FABRIC_SELECT_ENABLE | dimension;
    uart_open(UART1, port->divisor, 0, UART_INT_RX, UART_CR_RX);
    port->use = LINK_LISTENS;
}

bool port_link_release(struct port *port)
{
    FABRIC_SELECT = 0;
    const bool cut = port->use == LINK_SENDS && (port->tx_left > 0 || UART1->fr & UART_FR_BUSY);
    if (port->use != LINK_FREE) {
        SYSCTL_APB_RESET = APB_UART1;
        SYSCTL_APB_RESET = 0;
    }
    port->use = LINK_FREE;
    port->tx_left = 0;
    return cut;
}

uint32_t port_irq_save(struct port *port)
{
    uint32_t state;
    (void)port;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(state)::"memory");
    return state & MSTATUS_MIE;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    __asm__ volatile("csrs mstatus, %0" ::"r"(state) : "memory");
}

/* With the interrupts masked: a pending one ends the sleep, so none is missed. */
static void sleep_masked(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

/* Sleeps until the FIFO, which was full, has drained to its half. */
static void await_room(struct port *port)
{
    const uint32_t state = port_irq_save(port);
    UART0->icr = UART_INT_TX;
    UART0->imsc = CONSOLE_RX_INTERRUPTS | UART_INT_TX;
    if (UART0->fr & UART_FR_TXFF)
        sleep_masked();
    port_irq_restore(port, state);
}

/* Not inlined: each of the many places that write would have a copy. */
__attribute__((noinline)) void port_console_write(struct port *port, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while (UART0->fr & UART_FR_TXFF)
            await_room(port);
        UART0->dr = (uint8_t)text[i];
    }
}

/* ---- interrupts ---- */

static void console_interrupt(struct port *port)
{
    UART0->imsc = CONSOLE_RX_INTERRUPTS; /* that of the transmitter has woken the loop */
    while (!(UART0->fr & UART_FR_RXFE)) {
        const uint32_t data = UART0->dr;
        node_on_console_byte(&port->node, data & UART_DR_ERRORS ? 0 : (uint8_t)data);
        port->console_byte = true;
    }
}

/* A byte of the link, if there is one. */
static void receive(struct port *port)
{
    if (UART1->fr & UART_FR_RXFE)
        return;
    const uint32_t data = UART1->dr;
    node_on_rx_byte(&port->node, (uint8_t)data, !(data & UART_DR_FRAMING));
}

static void link_interrupt(struct port *port)
{
    if (port->use == LINK_LISTENS) {
        receive(port);
    } else if (port->use == LINK_SENDS) {
        fill_fifo(port);
        if (port->tx_left == 0)
            UART1->imsc = 0;
    }
}

static void phase_interrupt(struct port *port)
{
    const uint32_t edge_ticks = FABRIC_EDGE - EDGE_DELAY;
    node_on_phase_edge(&port->node, edge_ticks, FABRIC_STATUS & FABRIC_STATUS_SYNC);
}

static bool phase_pending(void)
{
    uint32_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    return pending >> CAUSE_FABRIC & 1;
}

static void external_interrupt(struct port *port)
{
    const uint32_t source = PLIC_CLAIM;
    if (source == PLIC_UART0)
        console_interrupt(port);
    else if (source == PLIC_UART1)
        link_interrupt(port);
    if (phase_pending()) /* an edge during a byte handler does not wait for another entry */
        phase_interrupt(port);
    PLIC_CLAIM = source;
}

/* From start.S, with mcause. */
void port_interrupt(uint32_t cause);
void port_interrupt(uint32_t cause)
{
    struct port *port = &port_object;
    if ((uint8_t)cause == CAUSE_EXTERNAL) {
        external_interrupt(port);
        return;
    }
    if (port->use == LINK_LISTENS)
        receive(port); /* a byte received before the edge is part of the phase that ends */
    phase_interrupt(port);
}

/* ---- start ---- */

/* From the internal oscillator to the PLL, which start.S has switched on. The flash allows 100 MHz, so its
 * dividers are 0. All other bits keep what the boot ROM has left in them. */
static void start_clock(void)
{
    const uint32_t mine = CLKCTRL_SOURCE | CLKCTRL_HSE_READY | CLKCTRL_PLL_READY | CLKCTRL_FLASH_DIVIDERS;
    const uint32_t control = SYSCTL_CLKCTRL & ~mine;
    while (!(SYSCTL_CLKCTRL & CLKCTRL_HSE_READY))
        ;
    for (uint32_t tries = 0; !(SYSCTL_CLKCTRL & CLKCTRL_PLL_READY); tries++)
        if (tries == PLL_PATIENCE) {
            /* A PLL that began without its crystal may not lock until it is started again. */
            SYSCTL_CLKCTRL = control & ~(uint32_t)CLKCTRL_PLL_ENABLE;
            SYSCTL_CLKCTRL = control;
            tries = 0;
        }
    SYSCTL_CLKCTRL = control | CLKCTRL_SOURCE_PLL;
}

static void start_interrupts(void)
{
    PLIC_PRIORITY(PLIC_UART0) = 1;
    PLIC_PRIORITY(PLIC_UART1) = 1;
    PLIC_THRESHOLD = 0;
    PLIC_ENABLE = 1u << PLIC_UART0 | 1u << PLIC_UART1;
    (void)FABRIC_EDGE; /* an edge before the start */
    const uint32_t causes = 1u << CAUSE_EXTERNAL | 1u << CAUSE_FABRIC;
    __asm__ volatile("csrw mie, %0" ::"r"(causes));
    port_irq_restore(&port_object, MSTATUS_MIE);
}

/* Returns 0 if the UART cannot generate the baud. */
static uint32_t divisor_of(uint32_t baud_hz)
{
    const uint32_t divisor = (4 * SYSCLK_HZ + baud_hz / 2) / baud_hz;
    return divisor >= DIVISOR_MIN && divisor <= DIVISOR_MAX ? divisor : 0;
}

static void copy_settings(struct node_settings *settings)
{
    const volatile uint8_t *from = (const volatile uint8_t *)&node_settings;
    for (size_t i = 0; i < sizeof *settings; i++)
        ((uint8_t *)settings)[i] = from[i];
}

static const char *why_not(const struct node_settings *settings)
{
    if (FABRIC_ID != FABRIC_ID_VALUE)
        return "-settings fabric, another image is in the flash\n";
    if (!settings_valid(settings))
        return "-settings\n";
    if (settings->baud_hz > LINK_BAUD_MAX_HZ || divisor_of(settings->baud_hz) == 0)
        return "-settings baud, 300 to 1000000\n";
    return divisor_of(settings->console_baud_hz) == 0 ? "-settings console_baud, 300 to 6250000\n" : NULL;
}

/* Prints the reason, and sleeps for ever with the links released. */
static void refuse(uint32_t console_divisor, const char *why)
{
    uart_open(UART0, console_divisor ? console_divisor : divisor_of(CONSOLE_BAUD_DEFAULT_HZ), UART_LCR_FIFO,
              0, UART_CR_TX);
    for (; *why; why++) {
        while (UART0->fr & UART_FR_TXFF)
            ;
        UART0->dr = (uint8_t)*why;
    }
    for (;;)
        sleep_masked();
}

int main(void)
{
    struct port *port = &port_object;
    struct node_settings settings;
    struct node_config config;
    static struct program program = {.ops = &program_ops};

    start_clock();
    SYSCTL_APB_ENABLE |= APB_UART0 | APB_UART1;
    copy_settings(&settings);
    const char *why = why_not(&settings);
    const uint32_t console_divisor = settings_valid(&settings) ? divisor_of(settings.console_baud_hz) : 0;
    if (why)
        refuse(console_divisor, why);
    port->divisor = divisor_of(settings.baud_hz);
    port->address = settings.address;
    settings_configure(&settings, "ag32", SYSCLK_HZ, &config, &port->network);
    config.program = &program;
    node_init(&port->node, &config, port);
    uart_open(UART0, console_divisor, UART_LCR_FIFO, CONSOLE_RX_INTERRUPTS, UART_CR_TX | UART_CR_RX);
    start_interrupts();
    for (;;) {
        port->console_byte = false;
        node_poll(&port->node);
        const uint32_t state = port_irq_save(port);
        if (!port->console_byte)
            sleep_masked();
        port_irq_restore(port, state);
    }
}
