/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bus of the AG32VF303 and its system control.
 */
#include "bench/emulator/soc/ag32.h"

#include <string.h>

#define NEVER PB_AG32_NEVER

enum { IRQ_TIMER0 = 17, IRQ_UART0 = 24, IRQ_UART1 = 25 };
enum { MIP_SOFTWARE = 3, MIP_TIMER = 7, MIP_EXTERNAL = 11, MIP_FABRIC = 16 };
enum { APB_GPIO0 = 4, APB_TIMER0 = 14, APB_UART0 = 21, APB_UART1 = 22 };
enum {
    CLKCTRL = 0x0C,
    PBUS = 0x38,
    APB_RESET = 0x40,
    AHB_RESET = 0x50,
    APB_ENABLE = 0x60,
    AHB_ENABLE = 0x70,
    DEVICE_ID = 0x100
};
enum {
    CLK_SOURCE = 3,
    CLK_HSE_ON = 1 << 2,
    CLK_HSE_READY = 1 << 4,
    CLK_PLL_ON = 1 << 5,
    CLK_PLL_READY = 1 << 6,
    CLK_READY = CLK_HSE_READY | CLK_PLL_READY
};
#define DEVICE_ID_VALUE UINT32_C(0x40200001)

const uint64_t ag32_source_hz[AG32_SOURCES] = {AG32_HSI_HZ, AG32_HSE_HZ, AG32_PLL_HZ};

/* AG32 MCU Reference Manual: FIFOs of 16 entries. The samples are those of the PL011's manual, section
 * 2.4.3. */
static const struct pb_pl011_kind uart_kind = {.depth = 16, .samples = 3, .clear_to_send = true};

/* ---- clock edges */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t ag32_next_edge(const struct ag32_system *system)
{
    uint64_t next = earlier(system->uart0.next, system->uart1.next);
    next = earlier(next, system->fabric.next);
    next = earlier(next, system->timer.next);
    return system->timer_due ? next : earlier(next, pb_clint_next(&system->clint));
}

/* A line that stays changes nothing in the PLIC: the end of a claim looks at it again. */
static void interrupt(struct pb_plic *plic, unsigned source, bool level)
{
    if ((plic->line >> source & 1) != level)
        pb_plic_line(plic, source, level);
}

/* After the devices have changed in a cycle: wires between them, and the interrupts. */
static void wire(struct ag32_system *system, uint64_t cycle)
{
    if (system->fabric.in.tx != system->uart1.tx)
        pb_ag32_fabric_tx(&system->fabric, cycle + 1, system->uart1.tx);
    if (system->uart1.rx_level != system->fabric.out.rx)
        pb_pl011_input(&system->uart1, cycle + 1, system->fabric.out.rx);
    if (system->uart1.cts_input != system->fabric.out.clear_to_send)
        pb_pl011_clear_to_send(&system->uart1, cycle + 1, system->fabric.out.clear_to_send);
    interrupt(&system->plic, IRQ_UART0, system->uart0.irq);
    interrupt(&system->plic, IRQ_UART1, system->uart1.irq);
    interrupt(&system->plic, IRQ_TIMER0, system->timer.raised);
    system->timer_due = pb_clint_timer(&system->clint, cycle);
    pb_rv32_lines(&system->hart, (uint32_t)system->clint.software << MIP_SOFTWARE |
                                     (uint32_t)system->timer_due << MIP_TIMER |
                                     (uint32_t)pb_plic_interrupts(&system->plic) << MIP_EXTERNAL |
                                     (uint32_t)system->fabric.out.interrupt << MIP_FABRIC);
    if (system->pull_low != system->fabric.out.pull_low || system->uart0_tx != system->uart0.tx) {
        system->pull_low = system->fabric.out.pull_low;
        system->uart0_tx = system->uart0.tx;
        if (system->changed)
            system->changed(system->context, cycle);
    }
}

void ag32_edge(struct ag32_system *system, uint64_t cycle)
{
    pb_ag32_fabric_advance(&system->fabric, cycle);
    if (system->uart0.next <= cycle)
        pb_pl011_advance(&system->uart0, cycle);
    if (system->uart1.next <= cycle)
        pb_pl011_advance(&system->uart1, cycle);
    pb_ag32_timer_advance(&system->timer, cycle, system->bus_divider);
    wire(system, cycle);
}

/* ---- system control */

static void reset_devices(struct ag32_system *system, uint32_t mask)
{
    if (mask >> APB_UART0 & 1)
        pb_pl011_reset(&system->uart0);
    if (mask >> APB_UART1 & 1)
        pb_pl011_reset(&system->uart1);
    if (mask >> APB_TIMER0 & 1)
        pb_ag32_timer_reset(&system->timer);
    for (unsigned i = 0; i < AG32_GPIOS; i++)
        if (mask >> (APB_GPIO0 + i) & 1)
            system->gpio[i] = (struct pb_ag32_gpio){0};
}

static uint64_t frequency(const struct ag32_system *system)
{
    return ag32_source_hz[system->source];
}

/* Cycles of the present clock in as long as this many of HSI. */
static uint64_t cycles_of(const struct ag32_system *system, uint64_t hsi_cycles)
{
    return hsi_cycles * frequency(system) / AG32_HSI_HZ;
}

static uint32_t clock_status(const struct ag32_system *system, uint64_t cycle)
{
    return system->clock_control | (cycle >= system->crystal_ready ? CLK_HSE_READY : 0u) |
           (cycle >= system->pll_ready ? CLK_PLL_READY : 0u);
}

static const char *control_clock(struct ag32_system *system, uint64_t cycle, uint32_t value)
{
    const uint32_t before = system->clock_control;
    const enum ag32_source source = value & CLK_SOURCE;

    system->clock_control = value & ~(uint32_t)CLK_READY; /* bits without a model are held */
    if (!(value & CLK_HSE_ON))
        system->crystal_ready = NEVER;
    else if (!(before & CLK_HSE_ON))
        system->crystal_ready = cycle + cycles_of(system, AG32_HSE_START_CYCLES);
    if (!(value & CLK_PLL_ON) || system->crystal_ready == NEVER)
        system->pll_ready = NEVER;
    else if (system->pll_ready == NEVER)
        system->pll_ready = (cycle > system->crystal_ready ? cycle : system->crystal_ready) +
                            cycles_of(system, AG32_PLL_LOCK_CYCLES);
    if (source >= AG32_SOURCES)
        return "system clock from the fabric";
    if ((source == AG32_HSE && cycle < system->crystal_ready) ||
        (source == AG32_PLL && cycle < system->pll_ready)) {
        system->misuse = true;
        return "system clock from a source that is not ready";
    }
    system->source_changed = source != system->source;
    system->source = source;
    return NULL;
}

static const char *read_system(struct ag32_system *system, uint64_t cycle, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case CLKCTRL:
        *value = clock_status(system, cycle);
        return NULL;
    case PBUS:
        *value = system->bus_divider - 1;
        return NULL;
    case APB_RESET:
        *value = system->apb_reset;
        return NULL;
    case AHB_RESET:
        *value = system->ahb_reset;
        return NULL;
    case APB_ENABLE:
        *value = system->apb_enable;
        return NULL;
    case AHB_ENABLE:
        *value = system->ahb_enable;
        return NULL;
    case DEVICE_ID:
        *value = DEVICE_ID_VALUE;
        return NULL;
    default:
        return "this register of SYSCTL";
    }
}

static const char *write_system(struct ag32_system *system, uint64_t cycle, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case CLKCTRL:
        return control_clock(system, cycle, value);
    case PBUS:
        system->bus_divider = (value & 0xF) + 1;
        pb_pl011_divide(&system->uart0, cycle, system->bus_divider);
        pb_pl011_divide(&system->uart1, cycle, system->bus_divider);
        return NULL;
    case APB_RESET:
        system->apb_reset = value;
        reset_devices(system, value);
        return NULL;
    case AHB_RESET:
        system->ahb_reset = value;
        return NULL;
    case APB_ENABLE:
        system->apb_enable = value;
        return NULL;
    case AHB_ENABLE:
        system->ahb_enable = value;
        return NULL;
    default:
        return "this register of SYSCTL";
    }
}

/* ---- addresses */

enum device {
    NOTHING,
    CLINT,
    PLIC,
    SYSCTL,
    GPIO,
    TIMER,
    UART_0,
    UART_1,
    OTHER_APB, /* of the part, without a model */
    OTHER_AHB,
    FABRIC
};

/* Finds the device; *offset is within it, *bit its enable and reset in SYSCTL, or -1. */
static enum device device_at(uint32_t address, uint32_t *offset, int *bit)
{
    *bit = -1;
    *offset = address & 0xFFF;
    if (address >> 16 == 0x0200) {
        *offset = address & 0xFFFF;
        return CLINT;
    }
    if (address >> 24 == 0x0C) {
        *offset = address & 0xFFFFFF;
        return PLIC;
    }
    if (address >> 12 == 0x03000)
        return SYSCTL;
    if (address >> 28 == 0x6) {
        *offset = address & 0x0FFFFFFF;
        return FABRIC;
    }
    const uint32_t page = (address >> 12) - 0x40014;
    if (page < AG32_GPIOS) {
        *bit = APB_GPIO0 + (int)page;
        return GPIO;
    }
    switch (address >> 12) {
    case 0x4001E:
        *bit = APB_TIMER0;
        return TIMER;
    case 0x40025:
        *bit = APB_UART0;
        return UART_0;
    case 0x40026:
        *bit = APB_UART1;
        return UART_1;
    }
    if (address >> 12 >= 0x40000 && address >> 12 <= 0x4002C)
        return OTHER_APB;
    return address >> 20 == 0x410 ? OTHER_AHB : NOTHING;
}

static int waits_of(enum device device)
{
    switch (device) {
    case FABRIC:
        return AG32_FABRIC_WAITS;
    case CLINT:
    case PLIC:
    case SYSCTL:
        return AG32_CORE_WAITS;
    default:
        return AG32_APB_WAITS;
    }
}

/* Returns what is wrong with an access to the device at all, or NULL. */
static const char *refusal(struct ag32_system *system, enum device device, int bit, unsigned bytes)
{
    if (device == OTHER_APB || device == OTHER_AHB)
        return "a peripheral that is not modelled";
    if (bytes != 4)
        return "an access to a peripheral that is not a word";
    system->misuse = true;
    if (bit >= 0 && !(system->apb_enable >> bit & 1))
        return "a peripheral without its clock (SYSCTL APB enable)";
    if (bit >= 0 && system->apb_reset >> bit & 1)
        return "a peripheral in reset (SYSCTL APB reset)";
    system->misuse = false;
    return NULL;
}

static const char *read_device(struct ag32_system *system, enum device device, uint64_t cycle,
                               uint32_t address, uint32_t offset, uint32_t *value)
{
    switch (device) {
    case CLINT:
        return pb_clint_read(&system->clint, cycle, offset, value);
    case PLIC:
        return pb_plic_read(&system->plic, offset, value);
    case SYSCTL:
        return read_system(system, cycle, offset, value);
    case GPIO:
        return pb_ag32_gpio_read(&system->gpio[(address >> 12) - 0x40014], offset, value);
    case TIMER:
        return pb_ag32_timer_read(&system->timer, offset, value);
    case UART_0:
        return pb_pl011_read(&system->uart0, cycle, offset, value);
    case UART_1:
        return pb_pl011_read(&system->uart1, cycle, offset, value);
    default:
        if (offset >= 0x18)
            return "this register of the fabric";
        *value = pb_ag32_fabric_read(&system->fabric, cycle, offset);
        return NULL;
    }
}

static const char *write_device(struct ag32_system *system, enum device device, uint64_t cycle,
                                uint32_t address, uint32_t offset, uint32_t value)
{
    switch (device) {
    case CLINT:
        return pb_clint_write(&system->clint, cycle, offset, value);
    case PLIC:
        return pb_plic_write(&system->plic, offset, value);
    case SYSCTL:
        return write_system(system, cycle, offset, value);
    case GPIO:
        return pb_ag32_gpio_write(&system->gpio[(address >> 12) - 0x40014], offset, value);
    case TIMER:
        return pb_ag32_timer_write(&system->timer, cycle, system->bus_divider, offset, value);
    case UART_0:
        return pb_pl011_write(&system->uart0, cycle, offset, value);
    case UART_1:
        return pb_pl011_write(&system->uart1, cycle, offset, value);
    default:
        if (offset != 0x10 && offset != 0x14)
            return "this register of the fabric cannot be written";
        pb_ag32_fabric_write(&system->fabric, cycle, offset, value);
        return NULL;
    }
}

static int transfer(struct ag32_system *system, uint64_t cycle, uint32_t address, unsigned bytes, bool writes,
                    uint32_t *value)
{
    uint32_t offset;
    int bit;
    const enum device device = device_at(address, &offset, &bit);
    if (device == NOTHING)
        return -1;
    /* The fabric takes the transfer in the same edge. */
    if (device != FABRIC && ag32_next_edge(system) <= cycle)
        ag32_edge(system, cycle);
    const char *words = refusal(system, device, bit, bytes);
    if (!words)
        words = writes ? write_device(system, device, cycle, address, offset, *value)
                       : read_device(system, device, cycle, address, offset, value);
    if (words) {
        system->words = words;
        system->words_address = address;
        return -1;
    }
    wire(system, cycle);
    const uint64_t next = ag32_next_edge(system);
    if (next != NEVER)
        pb_rv32_until(&system->hart, next + 1);
    if (system->source_changed)
        pb_rv32_until(&system->hart, cycle + 1);
    return waits_of(device);
}

static int bus_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    return transfer(context, cycle, address, bytes, false, value);
}

static int bus_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    return transfer(context, cycle, address, bytes, true, &value);
}

void ag32_bus_connect(struct ag32_system *system)
{
    system->hart.bus.context = system;
    system->hart.bus.read = bus_read;
    system->hart.bus.write = bus_write;
}

void ag32_system_reset(struct ag32_system *system, uint32_t pc)
{
    const uint64_t cycle = system->hart.cycle;
    system->clock_control = system->apb_reset = system->ahb_reset = system->apb_enable = system->ahb_enable =
        0;
    system->bus_divider = 1;
    system->crystal_ready = system->pll_ready = NEVER;
    system->source = AG32_HSI;
    system->words = NULL;
    system->misuse = false;
    pb_pl011_power_up(&system->uart0, &uart_kind, 1);
    pb_pl011_power_up(&system->uart1, &uart_kind, 1);
    pb_ag32_timer_reset(&system->timer);
    pb_clint_reset(&system->clint, cycle);
    memset(&system->plic, 0, sizeof system->plic);
    memset(system->gpio, 0, sizeof system->gpio);
    pb_rv32_reset(&system->hart, pc);
    wire(system, cycle);
}
