/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_pins.h"

#include <string.h>

enum { FUNCTION_UART = 2, FUNCTION_SIO = 5, FUNCTION_PIO0 = 6, FUNCTION_PIO1 = 7, FUNCTION_NONE = 31 };
enum { PAD_RESET = 0x56, PAD_OD = 0x80, PAD_IE = 0x40, PAD_PUE = 0x08 };
#define UART0_TX_PINS (UINT32_C(1) << 0 | UINT32_C(1) << 12 | UINT32_C(1) << 16 | UINT32_C(1) << 28)
#define UART1_TX_PINS (UINT32_C(1) << 4 | UINT32_C(1) << 8 | UINT32_C(1) << 20 | UINT32_C(1) << 24)
static const uint32_t uart_tx_pins[2] = {UART0_TX_PINS, UART1_TX_PINS};
#define UART_PINS ((UART0_TX_PINS | UART1_TX_PINS) * 3) /* RX is the pin after TX */

static uint32_t bit(unsigned pin)
{
    return UINT32_C(1) << pin;
}

static void add_override(struct rp2040_pin_override *override, unsigned pin, unsigned kind)
{
    uint32_t *const words[] = {NULL, &override->invert, &override->low, &override->high};
    if (kind)
        *words[kind] |= bit(pin);
}

static uint32_t overridden(const struct rp2040_pin_override *override, uint32_t word)
{
    return ((word ^ override->invert) & ~override->low) | override->high;
}

static const char *const foreign[32] = {
    [0] = "JTAG at a pin", [1] = "SPI at a pin",     [3] = "I2C at a pin",
    [4] = "PWM at a pin",  [8] = "a clock at a pin", [9] = "USB at a pin",
};

static void derive(struct rp2040_pins *pins)
{
    pins->by_sio = pins->by_uart = pins->by_pio[0] = pins->by_pio[1] = 0;
    pins->out = pins->oe = pins->in = (struct rp2040_pin_override){0, 0, 0};
    pins->input_enable = pins->disabled = pins->pull_up = 0;
    for (unsigned pin = 0; pin < RP2040_PINS; pin++) {
        const uint32_t ctrl = pins->ctrl[pin];
        switch (ctrl & 0x1F) {
        case FUNCTION_UART:
            pins->by_uart |= bit(pin);
            break;
        case FUNCTION_SIO:
            pins->by_sio |= bit(pin);
            break;
        case FUNCTION_PIO0:
        case FUNCTION_PIO1:
            pins->by_pio[(ctrl & 0x1F) - FUNCTION_PIO0] |= bit(pin);
            break;
        case FUNCTION_NONE:
            break;
        default:
            pins->trap = foreign[ctrl & 0x1F] ? foreign[ctrl & 0x1F] : "a reserved function of a pin";
            break;
        }
        if ((ctrl & 0x1F) == FUNCTION_UART && !(UART_PINS & bit(pin)))
            pins->trap = "modem lines of a UART at a pin";
        if (ctrl >> 28 & 3)
            pins->trap = "the interrupt override of a pin";
        add_override(&pins->out, pin, ctrl >> 8 & 3);
        add_override(&pins->oe, pin, ctrl >> 12 & 3);
        add_override(&pins->in, pin, ctrl >> 16 & 3);
        pins->input_enable |= pins->pad[pin] & PAD_IE ? bit(pin) : 0;
        pins->disabled |= pins->pad[pin] & PAD_OD ? bit(pin) : 0;
        pins->pull_up |= pins->pad[pin] & PAD_PUE ? bit(pin) : 0;
    }
}

void rp2040_pins_reset_io(struct rp2040_pins *pins)
{
    for (unsigned pin = 0; pin < RP2040_PINS; pin++)
        pins->ctrl[pin] = FUNCTION_NONE;
    memset(pins->core, 0, sizeof pins->core);
    pins->rose = pins->fell = 0;
    derive(pins);
}

void rp2040_pins_reset_pads(struct rp2040_pins *pins)
{
    memset(pins->pad, PAD_RESET, sizeof pins->pad);
    pins->voltage = 0;
    derive(pins);
}

void rp2040_pins_reset(struct rp2040_pins *pins)
{
    pins->sio = pins->sio_qspi = (struct rp2040_drive){0, 0};
    pins->trap = NULL;
    rp2040_pins_reset_io(pins);
    rp2040_pins_reset_pads(pins);
}

struct rp2040_drive rp2040_pins_drive(const struct rp2040_pins *pins, const bool uart_tx[2],
                                      const struct rp2040_drive pio[2])
{
    const uint32_t tx = pins->by_uart & (UART0_TX_PINS | UART1_TX_PINS);
    const uint32_t high = (uart_tx[0] ? UART0_TX_PINS : 0) | (uart_tx[1] ? UART1_TX_PINS : 0);
    const uint32_t out = (pins->sio.out & pins->by_sio) | (pio[0].out & pins->by_pio[0]) |
                         (pio[1].out & pins->by_pio[1]) | (tx & high);
    const uint32_t oe =
        (pins->sio.oe & pins->by_sio) | (pio[0].oe & pins->by_pio[0]) | (pio[1].oe & pins->by_pio[1]) | tx;
    return (struct rp2040_drive){overridden(&pins->out, out),
                                 overridden(&pins->oe, oe) & ~pins->disabled & RP2040_PINS_MASK};
}

uint32_t rp2040_pins_seen(const struct rp2040_pins *pins, uint32_t pads)
{
    return overridden(&pins->in, pads & pins->input_enable) & RP2040_PINS_MASK;
}

void rp2040_pins_input(struct rp2040_pins *pins, uint32_t levels)
{
    pins->rose |= levels & ~pins->levels;
    pins->fell |= ~levels & pins->levels;
    pins->levels = levels;
}

bool rp2040_pins_uart_rx(const struct rp2040_pins *pins, unsigned uart)
{
    const uint32_t rx = pins->by_uart & uart_tx_pins[uart] << 1;
    return !rx || (pins->levels & rx);
}

/* ---- IO_BANK0 */

enum { INTR = 0xF0, PROC0 = 0x100, PROC1 = 0x130, IO_END = 0x160, PINS_A_WORD = 8 };
enum { INTE = 0x00, INTF = 0x10, INTS = 0x20 }; /* from PROC0, PROC1 */

/* Four bits a pin: low, high, fell, rose. */
static uint32_t events(const struct rp2040_pins *pins, unsigned word)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < PINS_A_WORD && word * PINS_A_WORD + i < RP2040_PINS; i++) {
        const unsigned pin = word * PINS_A_WORD + i;
        value |= ((~pins->levels >> pin & 1) | (pins->levels >> pin & 1) << 1 | (pins->fell >> pin & 1) << 2 |
                  (pins->rose >> pin & 1) << 3)
                 << 4 * i;
    }
    return value;
}

bool rp2040_pins_line(const struct rp2040_pins *pins, unsigned core)
{
    const struct rp2040_pin_interrupts *own = &pins->core[core];
    for (unsigned word = 0; word < 4; word++)
        if (own->force[word] || (own->enable[word] && (events(pins, word) & own->enable[word])))
            return true;
    return false;
}

uint32_t rp2040_io_read(struct rp2040_pins *pins, uint32_t offset)
{
    const unsigned word = offset >> 2 & 3;
    if (offset < 8 * RP2040_PINS) {
        const unsigned pin = offset / 8;
        if (offset & 4)
            return pins->ctrl[pin];
        pins->trap = "GPIO_STATUS";
        return 0;
    }
    if (offset < PROC0)
        return events(pins, word);
    if (offset < IO_END) {
        const struct rp2040_pin_interrupts *core = &pins->core[offset >= PROC1];
        switch (offset - (offset >= PROC1 ? PROC1 : PROC0) - 4 * word) {
        case INTE:
            return core->enable[word];
        case INTF:
            return core->force[word];
        default:
            return (events(pins, word) & core->enable[word]) | core->force[word];
        }
    }
    pins->trap = "interrupts of pins for dormant mode";
    return 0;
}

void rp2040_io_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value)
{
    const unsigned word = offset >> 2 & 3;
    if (offset < 8 * RP2040_PINS) {
        if (offset & 4)
            pins->ctrl[offset / 8] = value & UINT32_C(0x3003331F);
        derive(pins);
    } else if (offset < PROC0) {
        for (unsigned i = 0; i < PINS_A_WORD && word * PINS_A_WORD + i < RP2040_PINS; i++) {
            if (value >> 4 * i & 4)
                pins->fell &= ~bit(word * PINS_A_WORD + i);
            if (value >> 4 * i & 8)
                pins->rose &= ~bit(word * PINS_A_WORD + i);
        }
    } else if (offset < IO_END) {
        struct rp2040_pin_interrupts *core = &pins->core[offset >= PROC1];
        const uint32_t reg = offset - (offset >= PROC1 ? PROC1 : PROC0) - 4 * word;
        if (reg == INTE)
            core->enable[word] = value;
        else if (reg == INTF)
            core->force[word] = value;
    } else {
        pins->trap = "interrupts of pins for dormant mode";
    }
}

/* ---- PADS_BANK0 */

uint32_t rp2040_pads_read(struct rp2040_pins *pins, uint32_t offset)
{
    if (offset == 0)
        return pins->voltage;
    if (offset < 4 + 4 * RP2040_PINS)
        return pins->pad[offset / 4 - 1];
    return 0x56; /* of the debug port */
}

void rp2040_pads_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value)
{
    if (offset == 0)
        pins->voltage = value & 1;
    else if (offset < 4 + 4 * RP2040_PINS)
        pins->pad[offset / 4 - 1] = (uint8_t)value;
    derive(pins);
}

/* ---- SIO */

enum { QSPI_PINS_MASK = 0x3F };

bool rp2040_sio_read(struct rp2040_pins *pins, unsigned core, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case 0x00: /* CPUID */
        *value = core;
        return true;
    case 0x04:
        *value = pins->levels;
        return true;
    case 0x08: /* the pins of the flash: BOOTSEL is not pressed */
        *value = QSPI_PINS_MASK;
        return true;
    case 0x10:
        *value = pins->sio.out;
        return true;
    case 0x20:
        *value = pins->sio.oe;
        return true;
    case 0x30:
        *value = pins->sio_qspi.out;
        return true;
    case 0x40:
        *value = pins->sio_qspi.oe;
        return true;
    default:
        return false;
    }
}

bool rp2040_sio_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value)
{
    uint32_t *const words[] = {&pins->sio.out, &pins->sio.oe, &pins->sio_qspi.out, &pins->sio_qspi.oe};
    if (offset < 0x10 || offset >= 0x50)
        return false;
    uint32_t *word = words[offset / 0x10 - 1];
    switch (offset & 0xC) {
    case 0x0:
        *word = value;
        break;
    case 0x4:
        *word |= value;
        break;
    case 0x8:
        *word &= ~value;
        break;
    default:
        *word ^= value;
        break;
    }
    *word &= offset < 0x30 ? RP2040_PINS_MASK : QSPI_PINS_MASK;
    return true;
}
