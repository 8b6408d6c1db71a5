/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libsimavr (github.com/buserror/simavr) is under the GNU GPL, version 3 or later. So is a program that is
 * linked with it, as build/simavr-node; no other program or library of this project is.
 *
 * Properties of libsimavr 1.6: an interrupt is entered in 0 cycles (the part takes 4 or more); a byte
 * of USART0 takes 11 bits to send and 11 to receive after mcu_console_byte, the second of which is undone
 * here; a write to TIFR clears all flags; its own avr_run sleeps in wall time and past the next event, so
 * the loop is here.
 *
 * To look ahead, all memory that a run changes is copied and put back: the object of the part with its
 * devices and timers, which point at each other but do not move, its data memory, and the values of its
 * IRQs.
 */
#include "mcu.h"

#include "bench/emulator/image/settings_block.h"
#include "phasebench/node_process.h"

#include <malloc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINKS_A = 8,
    LINKS_B_MASK = 0x0F,
    EVENTS = 128,
    EVENTS_AHEAD = 64,
    STEPS_AHEAD = 3000, /* instructions */
    REGIONS = 40,
    LINE_SIZE = 96,
    BYTE_BITS = 10,
    EXTERNAL_INTERRUPTS = 3,
    CLK_BIT = 6, /* of port D */
    SYNC_BIT = 2,
};
/* Data addresses of the ATmega1284P (Atmel 8272, register summary). */
enum {
    AT_PINA = 0x20,
    AT_PINB = 0x23,
    AT_PIND = 0x29,
    AT_UCSR0A = 0xC0,
    AT_UCSR0B = 0xC1,
    AT_UBRR0L = 0xC4,
    BIT_U2X0 = 1 << 1,
    BIT_RXEN0 = 1 << 4,
};

/* What a run changes, in addition to memory of libsimavr. */
struct state {
    uint32_t inputs;
    uint32_t pulls;      /* of the part */
    int64_t console_end; /* of the last byte sent */
    /* Changes of single pins, in the order of time; `out` is what they add up to so far. */
    struct {
        int64_t cycle;
        uint32_t mask, pins;
    } event[EVENTS];
    unsigned events;
    uint32_t out;
    char line[LINE_SIZE];
    unsigned line_length;
    bool line_complete;
};

struct mcu {
    avr_t *avr;
    avr_uart_t *uart;
    avr_irq_t *pins_a, *pins_b, *pins_d, *uart_input;
    struct state now, saved;
    bool ahead; /* the memory of libsimavr is that of the look-ahead */
    struct region {
        void *at, *copy;
        size_t bytes;
    } region[REGIONS];
    unsigned regions;
};

static int64_t now_of(const struct mcu *mcu)
{
    return (int64_t)mcu->avr->cycle;
}

static void add_event(struct mcu *mcu, int64_t cycle, uint32_t mask, uint32_t pins)
{
    unsigned at = mcu->now.events;
    if (at == EVENTS)
        abort(); /* two bytes of USART0 and a link have far fewer */
    for (; at && mcu->now.event[at - 1].cycle > cycle; at--)
        mcu->now.event[at] = mcu->now.event[at - 1];
    mcu->now.event[at].cycle = cycle;
    mcu->now.event[at].mask = mask;
    mcu->now.event[at].pins = pins;
    mcu->now.events++;
}

static void set_back(struct mcu *mcu)
{
    if (!mcu->ahead)
        return;
    for (unsigned i = 0; i < mcu->regions; i++)
        memcpy(mcu->region[i].at, mcu->region[i].copy, mcu->region[i].bytes);
    mcu->now = mcu->saved;
    mcu->ahead = false;
}

/* ---- I/O ports. A pin is low while the bench or the part pulls it. */

static void set_links(struct mcu *mcu)
{
    const uint32_t level = mcu->now.inputs & ~mcu->now.pulls;
    for (int i = 0; i < LINKS_A; i++)
        avr_raise_irq(mcu->pins_a + i, level >> i & 1);
    for (int i = 0; LINKS_B_MASK >> i; i++)
        avr_raise_irq(mcu->pins_b + i, level >> (LINKS_A + i) & 1);
}

static void set_pulls(struct mcu *mcu, uint32_t pulls)
{
    if (pulls == mcu->now.pulls)
        return;
    mcu->now.pulls = pulls;
    add_event(mcu, now_of(mcu), PB_PROCESS_PULL, pulls);
    set_links(mcu);
}

static void on_ddr_a(struct avr_irq_t *irq, uint32_t value, void *context)
{
    struct mcu *mcu = context;
    (void)irq;
    set_pulls(mcu, (mcu->now.pulls & ~UINT32_C(0xFF)) | (value & 0xFF));
}

static void on_ddr_b(struct avr_irq_t *irq, uint32_t value, void *context)
{
    struct mcu *mcu = context;
    (void)irq;
    set_pulls(mcu, (mcu->now.pulls & 0xFF) | (value & LINKS_B_MASK) << LINKS_A);
}

/* ---- USART0 */

static uint32_t console_bit(const avr_t *avr)
{
    const uint32_t divisor = (avr->data[AT_UBRR0L] | (uint32_t)avr->data[AT_UBRR0L + 1] << 8) + 1;
    return divisor * (avr->data[AT_UCSR0A] & BIT_U2X0 ? 8 : 16);
}

uint32_t mcu_console_bit(const struct mcu *mcu)
{
    return mcu->avr->data[AT_UCSR0B] & BIT_RXEN0 ? console_bit(mcu->avr) : 0;
}

static void hear_line(struct mcu *mcu, char byte)
{
    if (byte == '\n')
        mcu->now.line_complete = true;
    else if (!mcu->now.line_complete && mcu->now.line_length + 1 < LINE_SIZE && byte >= ' ' && byte <= '~')
        mcu->now.line[mcu->now.line_length++] = byte;
}

static void on_console(struct avr_irq_t *irq, uint32_t value, void *context)
{
    struct mcu *mcu = context;
    const uint32_t bit = console_bit(mcu->avr), bits = (value & 0xFF) << 1 | 1u << (BYTE_BITS - 1);
    const int64_t start = now_of(mcu) > mcu->now.console_end ? now_of(mcu) : mcu->now.console_end;
    (void)irq;
    hear_line(mcu, (char)value);
    for (unsigned i = 0; i < BYTE_BITS; i++)
        if (i == 0 || (bits >> i & 1) != (bits >> (i - 1) & 1))
            add_event(mcu, start + i * bit, PB_PROCESS_UART0_TX, bits >> i & 1 ? PB_PROCESS_UART0_TX : 0);
    mcu->now.console_end = start + BYTE_BITS * bit;
}

void mcu_console_byte(struct mcu *mcu, uint8_t byte, bool framing_ok)
{
    set_back(mcu);
    const avr_cycle_count_t cycles = mcu->uart->cycles_per_byte;
    mcu->uart->cycles_per_byte = 1; /* the byte is complete */
    avr_raise_irq(mcu->uart_input, byte | (framing_ok ? 0 : UART_INPUT_FE));
    mcu->uart->cycles_per_byte = cycles;
}

const char *mcu_first_line(const struct mcu *mcu)
{
    return mcu->now.line_complete ? mcu->now.line : NULL;
}

/* ---- start */

static const char *load(avr_t *avr, const struct pb_image *image, const uint8_t *settings)
{
    uint32_t address, bytes;
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        if (segment->address > avr->flashend || segment->bytes > avr->flashend + 1 - segment->address)
            return "a segment lies beyond its flash of 128 KB";
        memcpy(avr->flash + segment->address, segment->data, segment->bytes);
    }
    if (!pb_image_symbol(image, PB_SETTINGS_SYMBOL, &address, &bytes) || bytes != PB_SETTINGS_BYTES ||
        address > avr->flashend + 1 - PB_SETTINGS_BYTES)
        return "it has no settings block: the symbol node_settings, 40 bytes of flash";
    memcpy(avr->flash + address, settings, PB_SETTINGS_BYTES);
    return NULL;
}

static bool add_region(struct mcu *mcu, void *at, size_t bytes)
{
    struct region *region = &mcu->region[mcu->regions];
    if (mcu->regions == REGIONS || !(region->copy = malloc(bytes)))
        return false;
    region->at = at;
    region->bytes = bytes;
    mcu->regions++;
    return true;
}

static bool add_regions(struct mcu *mcu)
{
    avr_t *avr = mcu->avr;
    bool good = add_region(mcu, avr, malloc_usable_size(avr)) && add_region(mcu, avr->data, avr->ramend + 1u);
    for (avr_io_t *io = avr->io_port; io && good; io = io->next)
        if (io->irq_count)
            good = add_region(mcu, io->irq, (size_t)io->irq_count * sizeof *io->irq);
    return good;
}

static avr_uart_t *find_uart0(avr_t *avr)
{
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (io->kind && !strcmp(io->kind, "uart") && ((avr_uart_t *)io)->name == '0')
            return (avr_uart_t *)io;
    return NULL;
}

/* libsimavr speaks on stdout; a fault shows in its state. */
static void stay_silent(struct avr_t *avr, const int level, const char *format, va_list values)
{
    (void)avr;
    (void)level;
    (void)format;
    (void)values;
}

struct mcu *mcu_create(const struct pb_image *image, const uint8_t *settings, const char **wrong)
{
    const uint32_t no_flags = 0;
    struct mcu *mcu = calloc(1, sizeof *mcu);
    avr_global_logger_set(stay_silent);
    *wrong = "out of memory";
    if (!mcu || !(mcu->avr = avr_make_mcu_by_name("atmega1284p")) || avr_init(mcu->avr)) {
        free(mcu);
        return NULL;
    }
    avr_t *avr = mcu->avr;
    avr->frequency = MCU_CLOCK_HZ;
    mcu->uart = find_uart0(avr);
    *wrong = !mcu->uart          ? "libsimavr has no USART0 of this part"
             : !add_regions(mcu) ? "out of memory"
                                 : load(avr, image, settings);
    if (*wrong) {
        mcu_destroy(mcu);
        return NULL;
    }
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), (void *)&no_flags);
    mcu->pins_a = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('A'), 0);
    mcu->pins_b = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 0);
    mcu->pins_d = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 0);
    mcu->uart_input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(mcu->pins_a + IOPORT_IRQ_DIRECTION_ALL, on_ddr_a, mcu);
    avr_irq_register_notify(mcu->pins_b + IOPORT_IRQ_DIRECTION_ALL, on_ddr_b, mcu);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_console, mcu);
    mcu->now.out = PB_PROCESS_UART0_TX;
    return mcu;
}

void mcu_destroy(struct mcu *mcu)
{
    for (unsigned i = 0; i < mcu->regions; i++)
        free(mcu->region[i].copy);
    avr_terminate(mcu->avr);
    free(mcu->avr);
    free(mcu);
}

static bool in_reset(const struct mcu *mcu)
{
    return !(mcu->now.inputs & PB_PROCESS_NRST);
}

static void reset(struct mcu *mcu)
{
    mcu->now.events = 0;
    mcu->now.pulls = 0;
    mcu->now.console_end = 0;
    add_event(mcu, now_of(mcu), PB_PROCESS_PULL | PB_PROCESS_UART0_TX, PB_PROCESS_UART0_TX);
}

/* avr_reset clears the input registers; their IRQs keep the levels and would not bring them again. */
static void start(struct mcu *mcu)
{
    avr_reset(mcu->avr);
    /* By default a low pin of an external interrupt is polled in each cycle, with memory of its own. */
    for (uint8_t i = 0; i < EXTERNAL_INTERRUPTS; i++)
        avr_extint_set_strict_lvl_trig(mcu->avr, i, 0);
    avr_irq_t *ddr_a = mcu->pins_a + IOPORT_IRQ_DIRECTION_ALL,
              *ddr_b = mcu->pins_b + IOPORT_IRQ_DIRECTION_ALL;
    ddr_a->value = ddr_b->value = 0;
    mcu->avr->data[AT_PINA] = (uint8_t)mcu->now.inputs;
    mcu->avr->data[AT_PINB] = mcu->now.inputs >> LINKS_A & LINKS_B_MASK;
    mcu->avr->data[AT_PIND] = (uint8_t)(!!(mcu->now.inputs & PB_PROCESS_CLK) << CLK_BIT |
                                        !!(mcu->now.inputs & PB_PROCESS_SYNC) << SYNC_BIT);
}

void mcu_input(struct mcu *mcu, uint32_t pins)
{
    set_back(mcu);
    const bool was_reset = in_reset(mcu);
    mcu->now.inputs = pins;
    if (in_reset(mcu))
        reset(mcu);
    set_links(mcu);
    avr_raise_irq(mcu->pins_d + SYNC_BIT, !!(pins & PB_PROCESS_SYNC));
    avr_raise_irq(mcu->pins_d + CLK_BIT, !!(pins & PB_PROCESS_CLK));
    if (was_reset && !in_reset(mcu))
        start(mcu);
}

/* ---- time */

/* One instruction, or the sleep up to the next event or a cycle. */
static bool run_once(avr_t *avr, avr_cycle_count_t cycle)
{
    if (avr->state == cpu_Running)
        avr->pc = avr_run_one(avr);
    else if (avr->state != cpu_Sleeping)
        return false;
    const avr_cycle_count_t idle = avr_cycle_timer_process(avr);
    if (avr->state == cpu_Sleeping && avr->cycle < cycle)
        avr->cycle += idle < cycle - avr->cycle ? idle : cycle - avr->cycle;
    if (avr->interrupt_state)
        avr_service_interrupts(avr);
    return true;
}

bool mcu_run(struct mcu *mcu, int64_t cycle)
{
    avr_t *avr = mcu->avr;
    set_back(mcu);
    if (in_reset(mcu) && (int64_t)avr->cycle < cycle)
        avr->cycle = (avr_cycle_count_t)cycle;
    while ((int64_t)avr->cycle < cycle)
        if (!run_once(avr, (avr_cycle_count_t)cycle))
            return false;
    return true;
}

int64_t mcu_look_ahead(struct mcu *mcu, int64_t cycle)
{
    avr_t *avr = mcu->avr;
    int64_t reached = cycle;
    set_back(mcu);
    if (in_reset(mcu))
        return cycle;
    for (unsigned i = 0; i < mcu->regions; i++)
        memcpy(mcu->region[i].copy, mcu->region[i].at, mcu->region[i].bytes);
    mcu->saved = mcu->now;
    mcu->ahead = true;
    for (unsigned steps = 0; (int64_t)avr->cycle < cycle; steps++)
        if (steps == STEPS_AHEAD || mcu->now.events >= EVENTS_AHEAD ||
            !run_once(avr, (avr_cycle_count_t)cycle)) {
            reached = now_of(mcu);
            break;
        }
    return reached;
}

uint32_t mcu_pc(const struct mcu *mcu)
{
    return mcu->avr->pc;
}

/* ---- outputs */

bool mcu_coming(const struct mcu *mcu, unsigned i, struct mcu_event *event)
{
    if (i >= mcu->now.events)
        return false;
    event->pins = mcu->now.out;
    for (unsigned k = 0; k <= i; k++)
        event->pins = (event->pins & ~mcu->now.event[k].mask) | mcu->now.event[k].pins;
    event->cycle = mcu->now.event[i].cycle;
    return true;
}

bool mcu_take(struct mcu *mcu, int64_t cycle, struct mcu_event *event)
{
    if (!mcu->now.events || mcu->now.event[0].cycle > cycle)
        return false;
    mcu_coming(mcu, 0, event);
    mcu->now.out = event->pins;
    mcu->now.events--;
    memmove(mcu->now.event, mcu->now.event + 1, mcu->now.events * sizeof mcu->now.event[0]);
    return true;
}
