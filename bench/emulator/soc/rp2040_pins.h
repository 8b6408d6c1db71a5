/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pins of an RP2040: SIO outputs, the function of each pin (IO_BANK0) and its pad (PADS_BANK0), as
 * words with one bit a pin ("RP2040 Datasheet", sections 2.3.1 and 2.19).
 *
 * Not modelled: functions other than SIO, UART0, UART1, PIO0 and PIO1; modem lines; interrupt overrides;
 * GPIO_STATUS; drive strength, slew rate and the Schmitt trigger, which change no level here.
 */
#ifndef PB_MCU_RP2040_PINS_H
#define PB_MCU_RP2040_PINS_H

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_PINS = 30 };
#define RP2040_PINS_MASK UINT32_C(0x3FFFFFFF)

struct rp2040_drive {
    uint32_t out, oe;
};

struct rp2040_pins {
    struct rp2040_drive sio, sio_qspi; /* sio_qspi: GPIO_HI, without effect */
    uint32_t ctrl[RP2040_PINS];        /* IO_BANK0 GPIOn_CTRL */
    uint8_t pad[RP2040_PINS];          /* PADS_BANK0 GPIOn */
    uint32_t voltage;                  /* PADS_BANK0 VOLTAGE_SELECT, without effect */
    /* Derived of these: the pins of each function, the overrides, the pads. */
    uint32_t by_sio, by_uart, by_pio[2]; /* by_uart: of both */
    struct rp2040_pin_override {
        uint32_t invert, low, high;
    } out, oe, in;
    uint32_t input_enable, disabled, pull_up;
    uint32_t levels;     /* as the chip sees them, after the synchronisers */
    uint32_t rose, fell; /* edges that wait to be cleared */
    struct rp2040_pin_interrupts {
        uint32_t enable[4], force[4]; /* INTE, INTF */
    } core[2];                        /* PROC0, PROC1 */
    const char *trap;                 /* NULL, or what firmware used that is not modelled */
};

void rp2040_pins_reset_io(struct rp2040_pins *pins);
void rp2040_pins_reset_pads(struct rp2040_pins *pins);
void rp2040_pins_reset(struct rp2040_pins *pins); /* both, and SIO */

/* What the pads drive. uart_tx: levels of the two transmitters. pio: of the two blocks. */
struct rp2040_drive rp2040_pins_drive(const struct rp2040_pins *pins, const bool uart_tx[2],
                                      const struct rp2040_drive pio[2]);
/* What the chip sees of these levels at its pads. */
uint32_t rp2040_pins_seen(const struct rp2040_pins *pins, uint32_t pads);
/* New levels after the synchronisers, of rp2040_pins_seen. */
void rp2040_pins_input(struct rp2040_pins *pins, uint32_t levels);
/* The level at the receiver of UART0 or UART1. */
bool rp2040_pins_uart_rx(const struct rp2040_pins *pins, unsigned uart);

uint32_t rp2040_io_read(struct rp2040_pins *pins, uint32_t offset);
void rp2040_io_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value);
uint32_t rp2040_pads_read(struct rp2040_pins *pins, uint32_t offset);
void rp2040_pads_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value);
/* CPUID and GPIO registers of SIO, for a core. False: no such register. */
bool rp2040_sio_read(struct rp2040_pins *pins, unsigned core, uint32_t offset, uint32_t *value);
bool rp2040_sio_write(struct rp2040_pins *pins, uint32_t offset, uint32_t value);

bool rp2040_pins_line(const struct rp2040_pins *pins, unsigned core); /* IO_IRQ_BANK0 */

#endif
