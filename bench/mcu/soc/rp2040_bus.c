/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/mcu/soc/rp2040_soc.h"

#include <inttypes.h>
#include <stdio.h>

/* Blocks of registers by their address; `reset`: bit of RESETS, or -1. */
enum kind { SYSTEM, IO, PADS, UART, PIO, FOREIGN };
struct block {
    uint32_t base;
    const char *name;
    int8_t reset;
    enum kind kind;
    uint8_t index; /* of SYSTEM: enum rp2040_block; of PIO: 0, 1 */
};
static const struct block blocks[] = {
    {0x14000000, "XIP_CTRL", -1, FOREIGN, 0},
    {0x18000000, "SSI", -1, SYSTEM, RP2040_SSI},
    {0x40000000, "SYSINFO", -1, FOREIGN, 0},
    {0x40004000, "SYSCFG", -1, FOREIGN, 0},
    {0x40008000, "CLOCKS", -1, SYSTEM, RP2040_CLOCKS},
    {0x4000C000, "RESETS", -1, SYSTEM, RP2040_RESETS},
    {0x40010000, "PSM", -1, FOREIGN, 0},
    {0x40014000, "IO_BANK0", 5, IO, 0},
    {0x40018000, "IO_QSPI", -1, FOREIGN, 0},
    {0x4001C000, "PADS_BANK0", 8, PADS, 0},
    {0x40020000, "PADS_QSPI", -1, FOREIGN, 0},
    {0x40024000, "XOSC", -1, SYSTEM, RP2040_XOSC},
    {0x40028000, "PLL_SYS", 12, SYSTEM, RP2040_PLL_SYS},
    {0x4002C000, "PLL_USB", -1, FOREIGN, 0},
    {0x40030000, "BUSCTRL", -1, FOREIGN, 0},
    {0x40034000, "UART0", 22, UART, 0},
    {0x40038000, "UART1", -1, FOREIGN, 0},
    {0x4003C000, "SPI0", -1, FOREIGN, 0},
    {0x40040000, "SPI1", -1, FOREIGN, 0},
    {0x40044000, "I2C0", -1, FOREIGN, 0},
    {0x40048000, "I2C1", -1, FOREIGN, 0},
    {0x4004C000, "ADC", -1, FOREIGN, 0},
    {0x40050000, "PWM", -1, FOREIGN, 0},
    {0x40054000, "TIMER", 21, SYSTEM, RP2040_TIMER},
    {0x40058000, "WATCHDOG", -1, SYSTEM, RP2040_WATCHDOG},
    {0x4005C000, "RTC", -1, FOREIGN, 0},
    {0x40060000, "ROSC", -1, SYSTEM, RP2040_ROSC},
    {0x40064000, "VREG_AND_CHIP_RESET", -1, FOREIGN, 0},
    {0x4006C000, "TBMAN", -1, FOREIGN, 0},
    {0x50000000, "DMA", -1, FOREIGN, 0},
    {0x50100000, "USB", -1, FOREIGN, 0},
    {0x50200000, "PIO0", 10, PIO, 0},
    {0x50300000, "PIO1", 11, PIO, 1},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };
enum { ALIAS_PLAIN, ALIAS_XOR, ALIAS_SET, ALIAS_CLEAR };
enum {
    UART_DR = 0x00,
    PIO_TXF = 0x10,
    PIO_IRQ = 0x30,
    PIO_IRQ_FORCE = 0x34,
    PIO_INSTR_MEM = 0x48,
    PIO_SM0 = 0xC8
};
#define BLOCK_MASK UINT32_C(0xFFFFC000)
#define SIO UINT32_C(0xD0000000)

static const struct block *block_of(uint32_t address)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        if ((address & BLOCK_MASK) == blocks[i].base)
            return &blocks[i];
    return NULL;
}

/* False: the block cannot be used, and the trap is set. */
static bool usable(struct rp2040 *soc, const struct block *block)
{
    if (block->kind != FOREIGN && (block->reset < 0 || !(soc->system.resets >> block->reset & 1)))
        return true;
    snprintf(soc->words, sizeof soc->words, block->kind == FOREIGN ? "%s" : "%s, which is held in reset",
             block->name);
    rp2040_trap(soc, soc->words);
    return false;
}

static uint32_t peek(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset)
{
    switch (block->kind) {
    case IO:
        return rp2040_io_read(&soc->pins, offset);
    case PADS:
        return rp2040_pads_read(&soc->pins, offset);
    case UART:
        return rp2040_uart_peek(&soc->uart, offset);
    case PIO:
        return rp2040_pio_peek(&soc->pio[block->index], cycle, offset);
    default:
        return rp2040_system_read(&soc->system, block->index, rp2040_ps(soc, cycle), offset);
    }
}

static uint32_t read_block(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset)
{
    if (block->kind == UART)
        return rp2040_uart_read(&soc->uart, cycle, offset);
    if (block->kind == PIO)
        return rp2040_pio_read(&soc->pio[block->index], cycle, offset);
    return peek(soc, block, cycle, offset);
}

/* A block that goes into reset loses its registers. */
static void hold_in_reset(struct rp2040 *soc, uint64_t cycle, uint32_t new_resets)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].reset < 0 || !(new_resets >> blocks[i].reset & 1))
            continue;
        switch (blocks[i].kind) {
        case IO:
            rp2040_pins_reset_io(&soc->pins);
            break;
        case PADS:
            rp2040_pins_reset_pads(&soc->pins);
            break;
        case UART:
            rp2040_uart_reset(&soc->uart, cycle);
            break;
        case PIO:
            rp2040_pio_reset(&soc->pio[blocks[i].index], cycle);
            break;
        default:
            rp2040_trap(soc, "a reset of PLL_SYS or TIMER in operation");
            break;
        }
    }
}

static void write_block(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset,
                        uint32_t value)
{
    const uint32_t resets = soc->system.resets;
    switch (block->kind) {
    case IO:
        rp2040_io_write(&soc->pins, offset, value);
        break;
    case PADS:
        rp2040_pads_write(&soc->pins, offset, value);
        break;
    case UART:
        if (!rp2040_system_peri_clock(&soc->system))
            rp2040_trap(soc, "UART0 without clk_peri");
        rp2040_uart_write(&soc->uart, cycle, offset, value);
        break;
    case PIO:
        rp2040_pio_write(&soc->pio[block->index], cycle, offset, value);
        break;
    default:
        rp2040_system_write(&soc->system, block->index, rp2040_ps(soc, cycle), offset, value);
        hold_in_reset(soc, cycle, soc->system.resets & ~resets);
        rp2040_new_clock(soc, cycle);
        break;
    }
}

/* A register whose write has another meaning than its read: an alias would not act on what it holds. */
static bool is_action(const struct block *block, uint32_t offset)
{
    if (block->kind == UART)
        return offset == UART_DR;
    return block->kind == PIO &&
           ((offset >= PIO_TXF && offset <= PIO_IRQ_FORCE) || (offset >= PIO_INSTR_MEM && offset < PIO_SM0));
}

static void report_device_traps(struct rp2040 *soc)
{
    const char **const traps[] = {&soc->system.trap, &soc->pins.trap, &soc->pio[0].trap, &soc->pio[1].trap,
                                  &soc->uart.trap};
    for (unsigned i = 0; i < sizeof traps / sizeof traps[0]; i++)
        if (*traps[i])
            rp2040_trap(soc, *traps[i]);
}

/* ---- the divider of SIO */

static bool read_divider(struct rp2040 *soc, uint64_t cycle, uint32_t offset, uint32_t *value)
{
    if (offset >= 0x70 && offset <= 0x74 && cycle < soc->divider.ready)
        rp2040_trap(soc, "a result of the divider before it is ready");
    switch (offset) {
    case 0x60:
    case 0x68:
        *value = soc->divider.dividend;
        return true;
    case 0x64:
    case 0x6C:
        *value = soc->divider.divisor;
        return true;
    case 0x70:
        soc->divider.dirty = false;
        *value = soc->divider.quotient;
        return true;
    case 0x74:
        *value = soc->divider.remainder;
        return true;
    case 0x78:
        *value = (uint32_t)(cycle >= soc->divider.ready) | (uint32_t)soc->divider.dirty << 1;
        return true;
    default:
        return false;
    }
}

/* By zero the quotient is -1, or 1 for a negative dividend, and the remainder the dividend. */
static void divide(struct rp2040 *soc)
{
    const uint32_t a = soc->divider.dividend, b = soc->divider.divisor;
    const bool negative_a = soc->divider.is_signed && a >> 31, negative_b = soc->divider.is_signed && b >> 31;
    const uint32_t ua = negative_a ? 0 - a : a, ub = negative_b ? 0 - b : b;
    if (!b) {
        soc->divider.quotient = negative_a ? 1 : UINT32_MAX;
        soc->divider.remainder = a;
        return;
    }
    soc->divider.quotient = negative_a != negative_b ? 0 - ua / ub : ua / ub;
    soc->divider.remainder = negative_a ? 0 - ua % ub : ua % ub;
}

static bool write_divider(struct rp2040 *soc, uint64_t cycle, uint32_t offset, uint32_t value)
{
    if (offset < 0x60 || offset > 0x74)
        return false;
    soc->divider.dirty = true;
    switch (offset) {
    case 0x70:
        soc->divider.quotient = value;
        return true;
    case 0x74:
        soc->divider.remainder = value;
        return true;
    case 0x60:
    case 0x68:
        soc->divider.dividend = value;
        break;
    default:
        soc->divider.divisor = value;
        break;
    }
    soc->divider.is_signed = offset >= 0x68;
    soc->divider.ready = cycle + RP2040_divider;
    divide(soc);
    return true;
}

/* ---- the bus */

static uint32_t lanes(uint32_t value, unsigned bytes)
{
    return bytes == 4 ? value : bytes == 2 ? (value & 0xFFFF) * 0x10001u : (value & 0xFF) * 0x1010101u;
}

static uint32_t lane(uint32_t word, uint32_t address, unsigned bytes)
{
    return bytes == 4 ? word : word >> 8 * (address & 3) & (bytes == 2 ? 0xFFFFu : 0xFFu);
}

int rp2040_bus_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    struct rp2040 *soc = context;
    const uint32_t word = address & ~UINT32_C(3);
    uint32_t read = 0;
    int waits = RP2040_ahb;

    rp2040_bring(soc, cycle);
    if (address >= RP2040_FLASH && address - RP2040_FLASH < RP2040_FLASH_BYTES) {
        read = rp2040_flash_word(soc, word);
        waits = (int)rp2040_system_flash_cycles(&soc->system);
    } else if ((address & BLOCK_MASK) == SIO) {
        if (!rp2040_sio_read(&soc->pins, word - SIO, &read) && !read_divider(soc, cycle, word - SIO, &read))
            rp2040_trap(soc, "SIO beyond GPIO and divider");
    } else {
        const struct block *block = block_of(address);
        if (!block)
            return -1;
        if (!usable(soc, block))
            return 0;
        read = read_block(soc, block, cycle, word & 0xFFF);
        waits = block->kind == PIO ? RP2040_ahb : RP2040_apb_read;
        rp2040_changed(soc, cycle);
    }
    report_device_traps(soc);
    *value = lane(read, address, bytes);
    soc->core.yield = true;
    return waits;
}

int rp2040_bus_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct rp2040 *soc = context;
    const uint32_t word = address & ~UINT32_C(3);
    int waits = RP2040_ahb;

    value = lanes(value, bytes);
    rp2040_bring(soc, cycle);
    if ((address & BLOCK_MASK) == SIO) {
        if (!rp2040_sio_write(&soc->pins, word - SIO, value) && !write_divider(soc, cycle, word - SIO, value))
            rp2040_trap(soc, "SIO beyond GPIO and divider");
    } else {
        const struct block *block = block_of(address);
        const uint32_t offset = word & 0xFFF;
        if (!block)
            return -1;
        if (!usable(soc, block))
            return 0;
        const unsigned alias = block->base == 0x18000000 ? ALIAS_PLAIN : word >> 12 & 3;
        const uint32_t old =
            alias == ALIAS_PLAIN || is_action(block, offset) ? 0 : peek(soc, block, cycle, offset);
        if (alias == ALIAS_XOR)
            value ^= old;
        else if (alias == ALIAS_SET)
            value |= old;
        else if (alias == ALIAS_CLEAR)
            value = old & ~value;
        write_block(soc, block, cycle, offset, value);
        waits = block->kind == PIO ? RP2040_ahb : RP2040_apb_write;
    }
    rp2040_changed(soc, cycle);
    report_device_traps(soc);
    soc->core.yield = true;
    return waits;
}
