/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program for the ATmega1284P on libsimavr until it sleeps with interrupts masked, and prints what it
 * writes to USART0. libsimavr is under the GNU GPL, version 3 or later; so is this program as a whole.
 */
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>

#define CLOCK_HZ 20000000
#define CYCLES_MAX UINT64_C(400000000)

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    (void)context;
    putchar((int)value);
}

static void stay_silent(struct avr_t *avr, const int level, const char *format, va_list values)
{
    (void)avr;
    (void)level;
    (void)format;
    (void)values;
}

int main(int argc, char **argv)
{
    const uint32_t no_flags = 0;
    elf_firmware_t firmware = {0};
    avr_global_logger_set(stay_silent);
    avr_t *avr = avr_make_mcu_by_name("atmega1284p");
    if (argc != 2 || !avr || avr_init(avr) || elf_read_firmware(argv[1], &firmware)) {
        fprintf(stderr, "avr_run: %s\n", argc == 2 ? "no such program" : "usage: avr_run FILE");
        return 2;
    }
    avr_load_firmware(avr, &firmware);
    avr->frequency = CLOCK_HZ;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), (void *)&no_flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte, NULL);
    while (avr->cycle < CYCLES_MAX)
        if (avr_run(avr) != cpu_Running)
            break;
    if (avr->state == cpu_Done)
        return 0;
    fprintf(stderr, "avr_run: %s\n", avr->cycle < CYCLES_MAX ? "crashed" : "no end after 400 million cycles");
    return 1;
}
