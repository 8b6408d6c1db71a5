/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_soc.h"

#include <inttypes.h>
#include <string.h>

/* Blocks of registers by their address; `reset`: bit of RESETS, or -1. */
enum kind { SYSTEM, CLOCKS, XOSC, ROSC, PLL, TIMER, WATCHDOG, IO, PADS, UART, PIO, DMA, SSI, XIP, FOREIGN };
struct block {
    uint32_t base;
    const char *name;
    int8_t reset;
    enum kind kind;
    uint8_t index; /* of SYSTEM: enum rp2040_block; else which of several */
};
static const struct block blocks[] = {
    {0x14000000, "XIP_CTRL", -1, XIP, 0},
    {0x18000000, "SSI", -1, SSI, 0},
    {0x40000000, "SYSINFO", 19, SYSTEM, RP2040_SYSINFO},
    {0x40004000, "SYSCFG", 18, SYSTEM, RP2040_SYSCFG},
    {0x40008000, "CLOCKS", -1, CLOCKS, 0},
    {0x4000C000, "RESETS", -1, SYSTEM, RP2040_RESETS},
    {0x40010000, "PSM", -1, SYSTEM, RP2040_PSM},
    {0x40014000, "IO_BANK0", 5, IO, 0},
    {0x40018000, "IO_QSPI", 6, SYSTEM, RP2040_IO_QSPI},
    {0x4001C000, "PADS_BANK0", 8, PADS, 0},
    {0x40020000, "PADS_QSPI", 9, SYSTEM, RP2040_PADS_QSPI},
    {0x40024000, "XOSC", -1, XOSC, 0},
    {0x40028000, "PLL_SYS", 12, PLL, 0},
    {0x4002C000, "PLL_USB", 13, PLL, 1},
    {0x40030000, "BUSCTRL", 1, SYSTEM, RP2040_BUSCTRL},
    {0x40034000, "UART0", 22, UART, 0},
    {0x40038000, "UART1", 23, UART, 1},
    {0x4003C000, "SPI0", 16, FOREIGN, 0},
    {0x40040000, "SPI1", 17, FOREIGN, 0},
    {0x40044000, "I2C0", 3, FOREIGN, 0},
    {0x40048000, "I2C1", 4, FOREIGN, 0},
    {0x4004C000, "ADC", 0, FOREIGN, 0},
    {0x40050000, "PWM", 14, FOREIGN, 0},
    {0x40054000, "TIMER", 21, TIMER, 0},
    {0x40058000, "WATCHDOG", -1, WATCHDOG, 0},
    {0x4005C000, "RTC", 15, FOREIGN, 0},
    {0x40060000, "ROSC", -1, ROSC, 0},
    {0x40064000, "VREG_AND_CHIP_RESET", -1, SYSTEM, RP2040_VREG},
    {0x4006C000, "TBMAN", 20, SYSTEM, RP2040_TBMAN},
    {0x50000000, "DMA", 2, DMA, 0},
    {0x50110000, "USB", 24, SYSTEM, RP2040_USB},
    {0x50200000, "PIO0", 10, PIO, 0},
    {0x50300000, "PIO1", 11, PIO, 1},
    {0x50400000, "XIP_AUX", -1, FOREIGN, 0},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };
enum { ALIAS_PLAIN, ALIAS_XOR, ALIAS_SET, ALIAS_CLEAR };
enum {
    UART_DR = 0x00,
    PIO_TXF = 0x10,
    PIO_IRQ = 0x30,
    PIO_IRQ_FORCE = 0x34,
    PIO_INSTR_MEM = 0x48,
    PIO_SM0 = 0xC8,
    DMA_CHANNELS_END = 0x300,
    PSM_FRCE_OFF = 0x4
};
#define BLOCK_MASK UINT32_C(0xFFFFC000)
#define SIO UINT32_C(0xD0000000)
#define UNSTRIPED UINT32_C(0x21000000)
#define USB_RAM UINT32_C(0x50100000)
#define CACHE_RAM UINT32_C(0x15000000)
#define CORE_BLOCK UINT32_C(0xE0000000)
enum {
    XIP_ALIASES = 4,
    XIP_ALIAS_SHIFT = 24,
    UNSTRIPED_BYTES = 0x40000,
    CTRL_BADWRITE = 2,
    CTRL_POWER_DOWN = 8
};

static const struct block *block_of(uint32_t address)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        if ((address & BLOCK_MASK) == blocks[i].base)
            return &blocks[i];
    return NULL;
}

/* True: one of the four windows of flash. */
static bool is_flash(uint32_t address)
{
    return (address >> XIP_ALIAS_SHIFT) - (RP2040_FLASH >> XIP_ALIAS_SHIFT) < XIP_ALIASES;
}

const char *rp2040_lacks(uint32_t address)
{
    const struct block *block = block_of(address);
    if (is_flash(address))
        return "flash beyond 2 MB, or executed without the cache";
    if (address - UNSTRIPED < UNSTRIPED_BYTES)
        return "execution of unstriped SRAM";
    if (address - CACHE_RAM < RP2040_CACHE_RAM_BYTES)
        return "the cache as SRAM";
    if (address - USB_RAM < RP2040_USB_RAM_BYTES)
        return "execution of the memory of USB";
    if (address >> 20 == CORE_BLOCK >> 20)
        return "the core's own block: NVIC, SysTick, SCB, MPU, debug units";
    return block ? block->name : NULL;
}

/* ---- traps */

static void report(struct rp2040 *soc, const char **gap, const char **misuse)
{
    if (gap && *gap)
        rp2040_trap(soc, PB_MCU_GAP, *gap);
    if (misuse && *misuse)
        rp2040_trap(soc, PB_MCU_MISUSE, *misuse);
    if (gap)
        *gap = NULL;
    if (misuse)
        *misuse = NULL;
}

void rp2040_report_devices(struct rp2040 *soc)
{
    report(soc, &soc->clocks.trap, &soc->clocks.misuse);
    report(soc, &soc->system.trap, NULL);
    report(soc, &soc->pins.trap, NULL);
    report(soc, &soc->sio.trap, &soc->sio.misuse);
    report(soc, &soc->dma.trap, NULL);
    report(soc, &soc->xip.trap, &soc->xip.misuse);
    for (unsigned i = 0; i < RP2040_PIOS; i++)
        report(soc, &soc->pio[i].trap, NULL);
}

/* False: the block is not modelled, and the trap is set. */
static bool usable(struct rp2040 *soc, const struct block *block)
{
    if (block->kind == FOREIGN)
        rp2040_trap(soc, PB_MCU_GAP, block->name);
    return block->kind != FOREIGN;
}

/* In reset a block has its reset values, and keeps them. */
static bool is_held(const struct rp2040 *soc, const struct block *block)
{
    return block->reset >= 0 && soc->system.resets >> block->reset & 1;
}

/* ---- blocks of registers */

/* words: NULL, or what the model does not have. */
static void uart_lacks(struct rp2040 *soc, const char *words)
{
    if (words)
        rp2040_trap(soc, PB_MCU_GAP, words);
}

/* A value without the side effects of its read, which the set, clear and XOR aliases change. */
static uint32_t peek(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset)
{
    const int64_t now_ps = rp2040_ps(soc, cycle);
    uint32_t value = 0;
    switch (block->kind) {
    case SYSTEM:
        return rp2040_system_read(&soc->system, block->index, offset);
    case CLOCKS:
        return rp2040_clocks_read(&soc->clocks, now_ps, offset);
    case XOSC:
        return rp2040_xosc_read(&soc->clocks, now_ps, offset);
    case ROSC:
        return rp2040_rosc_read(&soc->clocks, now_ps, offset);
    case PLL:
        return rp2040_pll_read(&soc->clocks, block->index, now_ps, offset);
    case TIMER:
        return rp2040_timer_read(&soc->timer, now_ps, offset);
    case WATCHDOG:
        return rp2040_watchdog_read(&soc->watchdog, now_ps, offset);
    case IO:
        return rp2040_io_read(&soc->pins, offset);
    case PADS:
        return rp2040_pads_read(&soc->pins, offset);
    case UART:
        uart_lacks(soc, pb_pl011_peek(&soc->uart[block->index], offset, &value));
        return value;
    case PIO:
        return rp2040_pio_peek(&soc->pio[block->index], cycle, offset);
    case DMA:
        return rp2040_dma_read(&soc->dma, offset);
    case SSI:
        return rp2040_ssi_peek(&soc->xip, cycle, offset);
    case XIP:
        return rp2040_xip_ctrl_read(&soc->xip, cycle, offset);
    case FOREIGN:
        break;
    }
    return 0;
}

static uint32_t read_block(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset)
{
    uint32_t value = 0;
    switch (block->kind) {
    case UART:
        uart_lacks(soc, pb_pl011_read(&soc->uart[block->index], cycle, offset, &value));
        return value;
    case PIO:
        return rp2040_pio_read(&soc->pio[block->index], cycle, offset);
    case SSI:
        return rp2040_ssi_read(&soc->xip, cycle, offset);
    default:
        return peek(soc, block, cycle, offset);
    }
}

static void reset_block(struct rp2040 *soc, const struct block *block, uint64_t cycle)
{
    switch (block->kind) {
    case SYSTEM:
        rp2040_system_block_reset(&soc->system, block->index);
        break;
    case PLL:
        rp2040_pll_reset(&soc->clocks, block->index, rp2040_ps(soc, cycle));
        break;
    case TIMER:
        rp2040_timer_reset(&soc->timer, rp2040_ps(soc, cycle));
        break;
    case IO:
        rp2040_pins_reset_io(&soc->pins);
        break;
    case PADS:
        rp2040_pins_reset_pads(&soc->pins);
        break;
    case UART:
        pb_pl011_reset(&soc->uart[block->index]);
        break;
    case PIO:
        rp2040_pio_reset(&soc->pio[block->index], cycle);
        break;
    case DMA:
        rp2040_dma_reset(&soc->dma);
        break;
    default:
        break;
    }
}

/* A block that goes into reset loses its registers; a core that PSM switches off stops. */
static void follow_system(struct rp2040 *soc, uint64_t cycle, const struct rp2040_system *old)
{
    const uint32_t resets = soc->system.resets & ~old->resets;
    const uint32_t off = soc->system.psm_off ^ old->psm_off;
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].reset >= 0 && resets >> blocks[i].reset & 1)
            reset_block(soc, &blocks[i], cycle);
    if (off & RP2040_PSM_PROC1 && soc->system.psm_off & RP2040_PSM_PROC1)
        rp2040_hold_second(soc);
    else if (off & RP2040_PSM_PROC1)
        rp2040_start_second(soc, cycle);
    rp2040_xip_select(&soc->xip, rp2040_system_select(&soc->system));
}

static void write_block(struct rp2040 *soc, const struct block *block, uint64_t cycle, uint32_t offset,
                        uint32_t value)
{
    const int64_t now_ps = rp2040_ps(soc, cycle);
    switch (block->kind) {
    case SYSTEM: {
        const struct rp2040_system old = soc->system;
        rp2040_system_write(&soc->system, block->index, offset, value);
        follow_system(soc, cycle, &old);
        break;
    }
    case CLOCKS:
        rp2040_clocks_write(&soc->clocks, now_ps, offset, value);
        break;
    case XOSC:
        rp2040_xosc_write(&soc->clocks, now_ps, offset, value);
        break;
    case ROSC:
        rp2040_rosc_write(&soc->clocks, offset, value);
        break;
    case PLL:
        rp2040_pll_write(&soc->clocks, block->index, now_ps, offset, value);
        break;
    case TIMER:
        rp2040_timer_write(&soc->timer, now_ps, offset, value);
        return;
    case WATCHDOG:
        rp2040_watchdog_write(&soc->watchdog, now_ps, offset, value);
        break;
    case IO:
        rp2040_io_write(&soc->pins, offset, value);
        return;
    case PADS:
        rp2040_pads_write(&soc->pins, offset, value);
        return;
    case UART:
        if (!rp2040_clock(&soc->clocks, RP2040_CLK_PERI, true).micro_hz)
            rp2040_trap(soc, PB_MCU_GAP, block->index ? "UART1 without clk_peri" : "UART0 without clk_peri");
        uart_lacks(soc, pb_pl011_write(&soc->uart[block->index], cycle, offset, value));
        return;
    case PIO:
        rp2040_pio_write(&soc->pio[block->index], cycle, offset, value);
        return;
    case DMA:
        rp2040_dma_write(&soc->dma, cycle, offset, value);
        return;
    case SSI:
        rp2040_ssi_write(&soc->xip, cycle, offset, value);
        break;
    case XIP:
        rp2040_xip_ctrl_write(&soc->xip, cycle, offset, value);
        return;
    case FOREIGN:
        return;
    }
    rp2040_new_clock(soc, cycle);
}

/* A register whose write has another meaning than its read: an alias would not act on what it holds. */
static bool is_action(const struct block *block, uint32_t offset)
{
    switch (block->kind) {
    case UART:
        return offset == UART_DR;
    case PIO:
        return (offset >= PIO_TXF && offset <= PIO_IRQ_FORCE) ||
               (offset >= PIO_INSTR_MEM && offset < PIO_SM0);
    default:
        return false;
    }
}

/* ---- memories that are not mapped into the cores */

/* Where a byte is on the host; NULL: nowhere. */
static uint8_t *plain(struct rp2040 *soc, uint32_t address)
{
    const uint32_t unstriped = address - UNSTRIPED;
    if (unstriped < UNSTRIPED_BYTES) /* four banks, in turn word by word */
        return soc->sram + (unstriped & 0xFFFC) * 4 + (unstriped >> 16) * 4 + (unstriped & 3);
    if (address - USB_RAM < RP2040_USB_RAM_BYTES)
        return soc->system.resets >> 24 & 1 ? NULL : soc->sram + RP2040_USB_RAM_AT + (address - USB_RAM);
    if (address - CACHE_RAM < RP2040_CACHE_RAM_BYTES && !(soc->xip.ctrl & (1 | CTRL_POWER_DOWN)))
        return soc->sram + RP2040_CACHE_RAM_AT + (address - CACHE_RAM);
    if (soc->master == RP2040_DMA_MASTER && address - RP2040_SRAM < RP2040_SRAM_BYTES)
        return soc->sram + (address - RP2040_SRAM);
    return NULL;
}

static uint32_t get(const uint8_t *from, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

static uint32_t lanes(uint32_t value, unsigned bytes)
{
    return bytes == 4 ? value : bytes == 2 ? (value & 0xFFFF) * 0x10001u : (value & 0xFF) * 0x1010101u;
}

static uint32_t lane(uint32_t word, uint32_t address, unsigned bytes)
{
    return bytes == 4 ? word : word >> 8 * (address & 3) & (bytes == 2 ? 0xFFFFu : 0xFFu);
}

int rp2040_bus_cache(void *context, uint32_t address)
{
    struct rp2040 *soc = context;
    const int waits = rp2040_xip_read(&soc->xip, address - RP2040_FLASH, true, true);
    if (waits < 0)
        report(soc, &soc->xip.trap, &soc->xip.misuse);
    return waits;
}

/* By any of the four windows. */
static int read_flash(struct rp2040 *soc, uint32_t address, unsigned bytes, uint32_t *value)
{
    const uint32_t offset = address & 0xFFFFFF, window = address >> XIP_ALIAS_SHIFT & 3;
    if (offset >= RP2040_FLASH_BYTES) {
        rp2040_trap(soc, PB_MCU_GAP, rp2040_lacks(address));
        return 0;
    }
    const int waits = rp2040_xip_read(&soc->xip, offset & ~UINT32_C(3), window < 2, !(window & 1));
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint32_t)rp2040_flash_byte(soc, offset + i) << 8 * i;
    return waits < 0 ? 0 : waits;
}

/* ---- the bus */

/* An access of the master to a device or to a memory above. Returns the cycles that it adds; -1: nothing. */
static int read_any(struct rp2040 *soc, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    const uint32_t word = address & ~UINT32_C(3);
    const uint8_t *from = plain(soc, address);
    uint32_t read = 0;
    *value = 0;
    if (from) {
        *value = get(from, bytes);
        return RP2040_ahb;
    }
    if (is_flash(address))
        return read_flash(soc, address, bytes, value);
    if ((address & BLOCK_MASK) == SIO && soc->master != RP2040_DMA_MASTER) {
        if (!rp2040_sio_read(&soc->pins, soc->master, word - SIO, &read) &&
            !rp2040_sio_core_read(&soc->sio, soc->master, cycle, word - SIO, &read))
            rp2040_trap(soc, PB_MCU_GAP, "SIO: this register");
        *value = lane(read, address, bytes);
        return RP2040_ahb;
    }
    const struct block *block = block_of(address);
    if (!block) {
        if (rp2040_lacks(address) && address - CACHE_RAM >= RP2040_CACHE_RAM_BYTES)
            rp2040_trap(soc, PB_MCU_GAP, rp2040_lacks(address));
        return rp2040_stopped(soc) ? 0 : -1;
    }
    if (!usable(soc, block))
        return 0;
    const uint32_t offset = word & 0xFFF;
    read = is_held(soc, block) ? peek(soc, block, cycle, offset) : read_block(soc, block, cycle, offset);
    *value = lane(read, address, bytes);
    return block->kind == PIO || block->kind == DMA ? RP2040_ahb : RP2040_apb_read;
}

static int write_flash(struct rp2040 *soc, uint32_t address)
{
    if (address >> XIP_ALIAS_SHIFT == RP2040_FLASH >> XIP_ALIAS_SHIFT)
        rp2040_xip_drop(&soc->xip, address & 0xFFFFFF);
    else if (soc->xip.ctrl & CTRL_BADWRITE)
        return -1;
    return RP2040_ahb;
}

static int write_any(struct rp2040 *soc, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    const uint32_t word = address & ~UINT32_C(3);
    uint8_t *to = plain(soc, address);
    if (to) {
        for (unsigned i = 0; i < bytes; i++)
            to[i] = (uint8_t)(value >> 8 * i);
        return RP2040_ahb;
    }
    if (is_flash(address))
        return write_flash(soc, address);
    value = lanes(value, bytes);
    if ((address & BLOCK_MASK) == SIO && soc->master != RP2040_DMA_MASTER) {
        const unsigned waiting = soc->sio.core[1].in.used;
        if (!rp2040_sio_write(&soc->pins, word - SIO, value) &&
            !rp2040_sio_core_write(&soc->sio, soc->master, cycle, word - SIO, value))
            rp2040_trap(soc, PB_MCU_GAP, "SIO: this register");
        if (soc->sio.core[1].in.used > waiting)
            rp2040_word_for_second(soc, cycle);
        return RP2040_ahb;
    }
    const struct block *block = block_of(address);
    const uint32_t offset = word & 0xFFF;
    if (!block) {
        if (rp2040_lacks(address) && address - CACHE_RAM >= RP2040_CACHE_RAM_BYTES)
            rp2040_trap(soc, PB_MCU_GAP, rp2040_lacks(address));
        return rp2040_stopped(soc) ? 0 : -1;
    }
    if (!usable(soc, block))
        return 0;
    const unsigned alias = block->kind == SSI || block->kind == XIP ? ALIAS_PLAIN : word >> 12 & 3;
    const uint32_t old =
        alias == ALIAS_PLAIN || is_action(block, offset) ? 0 : peek(soc, block, cycle, offset);
    if (alias == ALIAS_XOR)
        value ^= old;
    else if (alias == ALIAS_SET)
        value |= old;
    else if (alias == ALIAS_CLEAR)
        value = old & ~value;
    if (!is_held(soc, block))
        write_block(soc, block, cycle, offset, value);
    return block->kind == PIO || block->kind == DMA ? RP2040_ahb : RP2040_apb_write;
}

int rp2040_bus_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    struct rp2040 *soc = context;
    const unsigned master = soc->master;
    rp2040_bring(soc, cycle);
    rp2040_bring_sleepers(soc, cycle);
    soc->master = master;
    const int waits = read_any(soc, cycle, address, bytes, value);
    rp2040_changed(soc, cycle);
    rp2040_report_devices(soc);
    soc->core[master].yield = true;
    return waits;
}

int rp2040_bus_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct rp2040 *soc = context;
    const unsigned master = soc->master;
    rp2040_bring(soc, cycle);
    rp2040_bring_sleepers(soc, cycle);
    soc->master = master;
    const int waits = write_any(soc, cycle, address, bytes, value);
    rp2040_changed(soc, cycle);
    rp2040_report_devices(soc);
    soc->core[master].yield = true;
    return waits;
}

/* ---- DMA */

static bool dma_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    struct rp2040 *soc = context;
    soc->master = RP2040_DMA_MASTER;
    return read_any(soc, cycle, address, bytes, value) >= 0;
}

static bool dma_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct rp2040 *soc = context;
    soc->master = RP2040_DMA_MASTER;
    return write_any(soc, cycle, address, bytes, value) >= 0;
}

/* Of a UART: it can take a byte, it has one; while its DMACR says so. */
static uint64_t uart_requests(const struct pb_pl011 *uart)
{
    enum { FR = 0x18, RXFE = 0x10, TXFF = 0x20, DMACR = 0x48, RXDMAE = 1, TXDMAE = 2 };
    uint32_t flags = 0, enabled = 0;
    pb_pl011_peek(uart, FR, &flags);
    pb_pl011_peek(uart, DMACR, &enabled);
    return (enabled & TXDMAE && !(flags & TXFF) ? 1u : 0u) | (enabled & RXDMAE && !(flags & RXFE) ? 2u : 0u);
}

/* Of PIO0 and PIO1: four machines that can take a word, four that have one. */
static uint64_t dma_requests(void *context)
{
    enum { UART0_REQUEST = 20 };
    const struct rp2040 *soc = context;
    uint64_t requests = 0;
    for (unsigned i = 0; i < RP2040_PIOS; i++)
        for (unsigned m = 0; m < RP2040_PIO_MACHINES; m++) {
            const struct rp2040_pio_machine *machine = &soc->pio[i].machine[m];
            requests |= (uint64_t)(machine->tx.used < machine->tx.depth) << (8 * i + m);
            requests |= (uint64_t)(machine->rx.used > 0) << (8 * i + RP2040_PIO_MACHINES + m);
        }
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        requests |= uart_requests(&soc->uart[i]) << (UART0_REQUEST + 2 * i);
    return requests;
}

const struct rp2040_dma_bus rp2040_dma_bus = {.read = dma_read, .write = dma_write, .requests = dma_requests};
