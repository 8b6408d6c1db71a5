/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "uart.h"

#include "chip.h"
#include "firmware/app/port.h"

enum { RING = 1024 }; /* bytes; a power of two, more than the longest answer */

static struct {
    uint8_t bytes[RING];
    volatile uint32_t written, sent; /* in all */
    volatile bool busy;              /* the UART has a byte, whose end is an interrupt */
} ring;

void uart_start(uint32_t baud_hz)
{
    /* In 1/64: clk_peri / (16 baud). */
    const uint32_t divisor = (CLK_SYS_HZ * 4u + baud_hz / 2) / baud_hz;
    REG(PAD(PIN_UART_TX)) = PAD_4_MA;
    REG(PAD(PIN_UART_RX)) = PAD_INPUT | PAD_PULL_UP | PAD_SCHMITT;
    REG(IO_CTRL(PIN_UART_TX)) = FUNCTION_UART;
    REG(IO_CTRL(PIN_UART_RX)) = FUNCTION_UART;
    REG(UART_IBRD) = divisor >> 6;
    REG(UART_FBRD) = divisor & 0x3F;
    REG(UART_LCR_H) = UART_8N1;
    REG(UART_IMSC) = UART_RX_INT | UART_TX_INT;
    REG(UART_CR) = UART_ON;
}

bool uart_take(uint8_t *byte)
{
    if (!(REG(UART_MIS) & UART_RX_INT))
        return false;
    const uint32_t data = REG(UART_DR);
    *byte = data & UART_ERRORS ? 0 : (uint8_t)data;
    return true;
}

static void send_next(void)
{
    ring.busy = ring.sent != ring.written;
    if (ring.busy)
        REG(UART_DR) = ring.bytes[ring.sent++ % RING];
}

void uart_send(void)
{
    if (!(REG(UART_MIS) & UART_TX_INT))
        return;
    REG(UART_ICR) = UART_TX_INT;
    send_next();
}

void port_console_write(struct port *port, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        uint32_t state = port_irq_save(port);
        while (ring.written - ring.sent == RING) {
            /* The interrupt that makes room wakes it, and runs when it is permitted. */
            __asm volatile("wfi");
            port_irq_restore(port, state);
            state = port_irq_save(port);
        }
        ring.bytes[ring.written++ % RING] = (uint8_t)text[i];
        if (!ring.busy)
            send_next();
        port_irq_restore(port, state);
    }
}
