/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the test programs use of a library like the manufacturer's SDK, written anew from the "RP2040
 * Datasheet". Times are microseconds, from the start of TIMER.
 */
#ifndef TESTS_MCU_SDK_H
#define TESTS_MCU_SDK_H

#include "firmware/port/rp2040/chip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPIO_SIO = 5, IRQ_TIMER3 = 3, IRQ_DMA0 = 11 };

/* Of main's file, read by the test. */
extern volatile uint32_t results[16];

void gpio_set_function(unsigned pin, unsigned function);
void gpio_init_output(unsigned pin);
void gpio_put(unsigned pin, bool level);

/* Handlers are installed in the vector table in SRAM. */
void irq_set_handler(unsigned irq, void (*handler)(void));
void irq_enable(unsigned irq);

uint64_t time_us(void);
/* Sleeps by alarm 3 and WFE, as the SDK does. */
void sleep_us(uint32_t us);

void uart_init(uint32_t baud_hz);
void uart_puts(const char *text);

/* Launches core 1 by the protocol of the boot ROM. */
void core1_launch(void (*entry)(void));
void fifo_push(uint32_t word);
uint32_t fifo_pop(void);
uint32_t spin_lock(unsigned number); /* returns PRIMASK before */
void spin_unlock(unsigned number, uint32_t primask);

/* Puts a program into PIO at the highest place that is free; returns it. */
unsigned pio_add_program(uint32_t pio, const uint16_t *program, unsigned words);

/* A function of the boot ROM, by its two letters. */
void *rom_function(char a, char b);

#endif
