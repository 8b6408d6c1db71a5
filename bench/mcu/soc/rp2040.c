/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins of the node: constants below; docs/rp2040.md has the table. Pads that the bench does not connect
 * have the level that the chip itself gives them, by its output or its pull, without delay; a pad without
 * either is low.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "bench/mcu/soc/look.h"
#include "bench/mcu/soc/rp2040_soc.h"
#include "phasebench/error.h"
#include "phasebench/traffic.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIN_UART_TX = 0, PIN_UART_RX = 1, PIN_LINK0 = 2, PIN_CLK = 14, PIN_SYNC = 15, LINKS = 12 };
#define LINK_PINS (UINT32_C(0xFFF) << PIN_LINK0)
#define INPUT_PINS (UINT32_C(1) << PIN_UART_RX | UINT32_C(1) << PIN_CLK | UINT32_C(1) << PIN_SYNC)
enum { LINE_TIMER0 = 0, LINE_PIO0 = 7, LINE_PIO1 = 9, LINE_IO_BANK0 = 13, LINE_UART0 = 20 };
enum { BOOT2_BYTES = 256, BOOT2_CRC_AT = 252, AHEAD_CYCLES = 1000000, PPM_MAX = 100000 };
#define BOOT2_AT UINT32_C(0x20041F00)
#define NEVER_PS INT64_MAX

static const struct pb_armv6m_costs costs = {
#define COST(name) .name = RP2040_##name,
    PB_ARMV6M_COST_LIST(COST)
#undef COST
};

/* ---- time */

int64_t rp2040_ps(const struct rp2040 *soc, uint64_t cycle)
{
    if (cycle <= soc->base_cycle)
        return soc->base_ps;
    return soc->base_ps + clock_ps(soc->rate, (int64_t)(cycle - soc->base_cycle));
}

/* The first cycle at or after an instant. */
static uint64_t cycle_at(const struct rp2040 *soc, int64_t ps)
{
    if (ps <= soc->base_ps)
        return soc->base_cycle;
    return soc->base_cycle + (uint64_t)clock_ticks(soc->rate, ps - soc->base_ps);
}

void rp2040_new_clock(struct rp2040 *soc, uint64_t cycle)
{
    const struct clock_rate rate = rp2040_system_clock(&soc->system, false);
    if (rate.micro_hz == soc->rate.micro_hz || soc->system.trap)
        return;
    soc->base_ps = rp2040_ps(soc, cycle);
    soc->base_cycle = cycle;
    soc->rate = rate;
}

/* ---- flash */

static uint8_t flash_byte(const struct rp2040 *soc, uint32_t address)
{
    if (soc->settings_address && address - soc->settings_address < PB_SETTINGS_BYTES)
        return soc->settings[address - soc->settings_address];
    for (unsigned i = 0; i < soc->image->segments; i++) {
        const struct pb_image_segment *segment = &soc->image->segment[i];
        if (address - segment->address < segment->bytes)
            return segment->data[address - segment->address];
    }
    return 0xFF; /* erased */
}

uint32_t rp2040_flash_word(const struct rp2040 *soc, uint32_t address)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)flash_byte(soc, address + i) << 8 * i;
    return word;
}

/* ---- outputs and lines */

void rp2040_trap(struct rp2040 *soc, const char *words)
{
    if (soc->core.trap.kind != PB_MCU_NONE)
        return;
    /* Within an access the core knows better, and fills it in. */
    soc->core.trap =
        (struct pb_mcu_trap){.kind = PB_MCU_DEVICE, .pc = soc->core.r[15], .cycle = soc->core.cycle};
    if (words != soc->words)
        snprintf(soc->words, sizeof soc->words, "%s", words);
}

static struct rp2040_drive driven(const struct rp2040 *soc)
{
    const struct rp2040_drive pio[2] = {{soc->pio[0].out, soc->pio[0].oe}, {soc->pio[1].out, soc->pio[1].oe}};
    return rp2040_pins_drive(&soc->pins, soc->uart.level, pio);
}

static bool same(const struct pb_node_outputs *a, const struct pb_node_outputs *b)
{
    return a->pull_low == b->pull_low && a->drive_high == b->drive_high && a->uart0_tx == b->uart0_tx;
}

/* Levels at all pads, of what the bench drives and of what the chip does to the others. */
static uint32_t pad_levels(const struct rp2040 *soc, const struct rp2040_drive *drive)
{
    const uint32_t by_bench = LINK_PINS | INPUT_PINS;
    const uint32_t own = (drive->out & drive->oe) | (soc->pins.pull_up & ~drive->oe);
    return (soc->pads & by_bench) | (own & ~by_bench);
}

static void see_inputs(struct rp2040 *soc, uint64_t cycle, const struct rp2040_drive *drive)
{
    const uint32_t levels = rp2040_pins_seen(&soc->pins, pad_levels(soc, drive));
    if (levels != soc->pins.levels) {
        rp2040_pins_input(&soc->pins, levels);
        for (unsigned i = 0; i < 2; i++)
            rp2040_pio_inputs(&soc->pio[i], cycle, levels);
    }
    /* The function of a pin may have changed, too. */
    if (rp2040_pins_uart_rx(&soc->pins) != soc->uart.rx_level)
        rp2040_uart_input(&soc->uart, cycle, !soc->uart.rx_level);
}

static void set_outputs(struct rp2040 *soc, uint64_t cycle, const struct pb_node_outputs *out)
{
    if (same(out, &soc->out_next))
        return;
    soc->out_next = *out;
    if (soc->changes == RP2040_OUTPUTS) /* a faster clock has made many cycles of few: the first are past */
        memmove(soc->change, soc->change + 1, --soc->changes * sizeof soc->change[0]);
    if (soc->changes == 0 || soc->change[soc->changes - 1].cycle != cycle)
        soc->changes++;
    soc->change[soc->changes - 1] = (struct rp2040_output){cycle, *out};
}

void rp2040_changed(struct rp2040 *soc, uint64_t cycle)
{
    const struct rp2040_drive drive = driven(soc);
    const uint32_t high = drive.oe & drive.out, low = drive.oe & ~drive.out;
    const bool tx_driven = drive.oe >> PIN_UART_TX & 1;
    const struct pb_node_outputs out = {
        .pull_low = (uint16_t)((low & LINK_PINS) >> PIN_LINK0),
        .drive_high = (uint16_t)((high & LINK_PINS) >> PIN_LINK0),
        .uart0_tx = !tx_driven || (high >> PIN_UART_TX & 1), /* the line has a pull-up at its far end */
    };
    if (drive.oe & INPUT_PINS)
        rp2040_trap(soc, "a pin that the bench drives, driven by the chip, too");
    set_outputs(soc, cycle + RP2040_output, &out);
    see_inputs(soc, cycle, &drive);
    const uint32_t lines = rp2040_system_lines(&soc->system) << LINE_TIMER0 |
                           rp2040_pio_lines(&soc->pio[0]) << LINE_PIO0 |
                           rp2040_pio_lines(&soc->pio[1]) << LINE_PIO1 |
                           (uint32_t)rp2040_pins_line(&soc->pins) << LINE_IO_BANK0 |
                           (uint32_t)rp2040_uart_line(&soc->uart) << LINE_UART0;
    if (lines != soc->core.lines)
        pb_armv6m_lines(&soc->core, lines);
}

/* ---- events of the devices */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_alarm(const struct rp2040 *soc)
{
    const int64_t ps = rp2040_system_next_ps(&soc->system);
    return ps == NEVER_PS ? RP2040_NEVER : cycle_at(soc, ps);
}

static uint64_t next_event(const struct rp2040 *soc)
{
    uint64_t next = earlier(rp2040_pio_next(&soc->pio[0]), rp2040_pio_next(&soc->pio[1]));
    next = earlier(next, rp2040_uart_next(&soc->uart));
    return earlier(next, next_alarm(soc));
}

static void process_event(struct rp2040 *soc, uint64_t cycle)
{
    for (unsigned i = 0; i < 2; i++)
        if (rp2040_pio_next(&soc->pio[i]) == cycle) {
            rp2040_pio_step(&soc->pio[i], cycle);
            if (soc->pio[i].trap)
                rp2040_trap(soc, soc->pio[i].trap);
        }
    if (rp2040_uart_next(&soc->uart) == cycle)
        rp2040_uart_step(&soc->uart, cycle);
    if (next_alarm(soc) <= cycle)
        rp2040_system_step(&soc->system, rp2040_ps(soc, cycle));
    rp2040_changed(soc, cycle);
}

void rp2040_bring(struct rp2040 *soc, uint64_t cycle)
{
    for (uint64_t next; (next = next_event(soc)) < cycle;)
        process_event(soc, next);
}

/* ---- boot */

/* CRC-32 of the boot ROM: polynomial 0x04C11DB7, all ones first, most significant bit first. */
static uint32_t boot_crc(const uint8_t *bytes, unsigned count)
{
    uint32_t crc = UINT32_MAX;
    for (unsigned i = 0; i < count * 8; i++) {
        const bool out = crc >> 31 ^ (bytes[i / 8] >> (7 - i % 8) & 1);
        crc = crc << 1 ^ (out ? UINT32_C(0x04C11DB7) : 0);
    }
    return crc;
}

/* The end of the boot ROM: boot2 is entered with LR = 0 and the stack below it. */
static void boot(struct rp2040 *soc)
{
    uint8_t *boot2 = soc->sram + (BOOT2_AT - RP2040_SRAM);
    for (unsigned i = 0; i < BOOT2_BYTES; i++)
        boot2[i] = flash_byte(soc, RP2040_FLASH + i);
    const uint32_t crc = boot_crc(boot2, BOOT2_CRC_AT);
    const uint32_t stored = rp2040_flash_word(soc, RP2040_FLASH + BOOT2_CRC_AT);
    /* A reset takes stack pointer and entry from a table, which stands where boot2 comes next. */
    static const uint8_t table[8] = {0x00, 0x1F, 0x04, 0x20, 0x01, 0x1F, 0x04, 0x20};
    uint8_t saved[sizeof table];
    memcpy(saved, boot2, sizeof saved);
    memcpy(boot2, table, sizeof table);
    pb_armv6m_reset(&soc->core, BOOT2_AT);
    memcpy(boot2, saved, sizeof saved);
    soc->core.vtor = 0;
    soc->core.r[14] = 0;
    soc->booted = true;
    if (crc != stored) {
        char words[sizeof soc->words];
        snprintf(words, sizeof words, "boot ROM: boot2 has the CRC %08" PRIx32 ", its bytes have %08" PRIx32,
                 stored, crc);
        rp2040_trap(soc, words);
    }
}

static void reset(struct rp2040 *soc, int64_t now_ps)
{
    const uint64_t cycle = soc->done;
    rp2040_system_reset(&soc->system, now_ps);
    rp2040_pins_reset(&soc->pins);
    for (unsigned i = 0; i < 2; i++)
        rp2040_pio_reset(&soc->pio[i], cycle);
    rp2040_uart_reset(&soc->uart, cycle);
    memset(&soc->divider, 0, sizeof soc->divider);
    soc->core.trap = (struct pb_mcu_trap){.kind = PB_MCU_NONE};
    soc->core.longest_interrupt = soc->core.interrupt_cycles = 0;
    soc->rate = (struct clock_rate){0};
    soc->base_cycle = cycle;
    soc->base_ps = now_ps;
    rp2040_new_clock(soc, cycle);
    soc->booted = false;
    soc->boot_cycle = cycle + RP2040_boot_rom;
    soc->changes = 0;
    soc->out = soc->out_next = (struct pb_node_outputs){.uart0_tx = true};
    rp2040_changed(soc, cycle);
}

/* ---- the run */

/* As pb_armv6m_run for one instruction, or for one entry into an exception. Only from `until` on it goes
 * on. */
static void step_core(struct rp2040 *soc, uint64_t until, uint64_t ahead)
{
    struct pb_armv6m *core = &soc->core;
    const struct pb_mcu_probe *probe = &soc->probe;
    for (bool moves = true; moves && core->trap.kind == PB_MCU_NONE && !core->reset_request;) {
        const uint64_t executed = core->instructions, next = pb_armv6m_next(core);
        struct pb_mcu_step one = {.pc = core->r[15], .at_ps = rp2040_ps(soc, next)};
        const uint64_t cycle = core->cycle;
        if (next != RP2040_NEVER) {
            probe->before(probe->context, &one);
            one.pc = core->r[15];
        }
        pb_armv6m_run(core, next < until ? next + 1 : until, next < until ? 0 : cycle + 1);
        one.executed = core->instructions != executed;
        moves = core->cycle != cycle && core->cycle >= until && core->cycle < ahead && !core->asleep &&
                !probe->exact;
        if (one.executed || core->r[15] != one.pc || core->trap.kind != PB_MCU_NONE)
            probe->after(probe->context, &one);
    }
}

static void run_core(struct rp2040 *soc, uint64_t until)
{
    struct pb_armv6m *core = &soc->core;
    if (soc->probe.before) {
        step_core(soc, until, core->cycle + AHEAD_CYCLES);
        return;
    }
    /* All that follows from the devices until then is known, so lines do not change before. */
    pb_armv6m_run(core, until, core->cycle + AHEAD_CYCLES);
}

static void run(struct rp2040 *soc, uint64_t limit)
{
    struct pb_armv6m *core = &soc->core;
    if (!soc->booted) {
        if (soc->boot_cycle >= limit)
            return;
        core->cycle = soc->boot_cycle;
        boot(soc);
    }
    for (;;) {
        const uint64_t event = next_event(soc), instruction = pb_armv6m_next(core);
        if (event >= limit && instruction >= limit)
            break;
        if (instruction <= event) {
            run_core(soc, event < limit ? event + 1 : limit);
            if (core->reset_request) {
                rp2040_trap(soc, "a reset by AIRCR");
                break;
            }
        } else {
            if (core->cycle <= event && core->trap.kind == PB_MCU_NONE)
                pb_armv6m_run(core, event + 1, event + 1); /* asleep until then */
            process_event(soc, event);
        }
    }
}

/* The latest instant of the next call: of a change of the outputs, or of what may lead to one. */
static int64_t next_call(struct rp2040 *soc)
{
    if (soc->changes)
        return rp2040_ps(soc, soc->change[0].cycle);
    if (soc->core.trap.kind != PB_MCU_NONE)
        return NEVER_PS;
    if (!soc->booted)
        return rp2040_ps(soc, soc->boot_cycle);
    uint64_t next = earlier(rp2040_pio_next(&soc->pio[0]), rp2040_pio_next(&soc->pio[1]));
    next = earlier(next, rp2040_uart_visible(&soc->uart));
    next = earlier(next, next_alarm(soc));
    next = earlier(next, pb_armv6m_next(&soc->core));
    return next == RP2040_NEVER ? NEVER_PS : rp2040_ps(soc, next + RP2040_output);
}

static uint32_t pads_of(const struct pb_node_inputs *in)
{
    return (uint32_t)(in->line & 0xFFF) << PIN_LINK0 | (uint32_t)in->tdma_clk << PIN_CLK |
           (uint32_t)in->tdma_sync << PIN_SYNC | (uint32_t)in->uart0_rx << PIN_UART_RX;
}

static void take_inputs(struct rp2040 *soc, uint64_t cycle, const struct pb_node_inputs *in)
{
    soc->pads = pads_of(in);
    const struct rp2040_drive drive = driven(soc);
    see_inputs(soc, cycle, &drive);
    rp2040_changed(soc, cycle);
}

static void put_outputs(struct rp2040 *soc, int64_t now_ps, struct pb_node_outputs *out)
{
    unsigned past = 0;
    while (past < soc->changes && rp2040_ps(soc, soc->change[past].cycle) <= now_ps)
        soc->out = soc->change[past++].out;
    soc->changes -= past;
    memmove(soc->change, soc->change + past, soc->changes * sizeof soc->change[0]);
    if (soc->core.trap.kind != PB_MCU_NONE) {
        soc->changes = 0;
        soc->out = (struct pb_node_outputs){.uart0_tx = true};
    }
    *out = soc->out;
}

static int64_t advance(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct rp2040 *soc = (struct rp2040 *)node;

    if (!in->nrst) {
        soc->powered = false;
        *out = (struct pb_node_outputs){.uart0_tx = true};
        return NEVER_PS;
    }
    if (!soc->powered) {
        soc->powered = true;
        soc->pads = pads_of(in);
        reset(soc, now_ps);
    }
    /* A change of the clock within the run moves the limit. */
    for (uint64_t limit; limit = cycle_at(soc, now_ps) + RP2040_synchroniser,
                         soc->core.trap.kind == PB_MCU_NONE && limit > soc->done;) {
        run(soc, limit);
        soc->done = limit;
    }
    if (soc->core.trap.kind == PB_MCU_NONE && pads_of(in) != soc->pads)
        take_inputs(soc, soc->done, in);
    put_outputs(soc, now_ps, out);
    return next_call(soc);
}

/* Dividers, TIMER and the phase of clk_sys begin anew, so that a run does not depend on its start. */
static void align(struct pb_node *node, int64_t now_ps)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    uint64_t random = soc->seed;
    if (!soc->powered || !soc->booted || soc->core.trap.kind != PB_MCU_NONE)
        return;
    const int64_t period_ps = clock_ps(soc->rate, 1);
    const uint64_t cycle = soc->done;
    const int64_t begin_ps = now_ps + (int64_t)(pb_splitmix64(&random) % (uint64_t)period_ps);
    /* Cycles up to `done` are past, though two of them were still to come. */
    soc->base_cycle = cycle;
    soc->base_ps = begin_ps + RP2040_synchroniser * period_ps;
    for (unsigned i = 0; i < 2; i++)
        rp2040_pio_align(&soc->pio[i], cycle);
    rp2040_uart_align(&soc->uart, cycle);
    rp2040_system_align(&soc->system, soc->base_ps);
}

static void destroy(struct pb_node *node)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    if (soc->sram)
        munmap(soc->sram, RP2040_SRAM_BYTES);
    free(soc);
}

static const struct pb_node_ops ops = {.advance = advance, .align = align, .destroy = destroy};

/* ---- struct pb_mcu_soc */

static int check(const struct pb_image *image, const struct pb_node_config *config, struct pb_diag *diag)
{
    if (config->clock_ppm < -PPM_MAX || config->clock_ppm > PPM_MAX)
        return pb_fail(diag, PB_ERR_CONFIG, "clock_error in ppm: %" PRId32 " is out of range; give %d to %d",
                       config->clock_ppm, -PPM_MAX, PPM_MAX);
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        const uint32_t at = segment->address - RP2040_FLASH;
        if (at > RP2040_FLASH_BYTES || segment->bytes > RP2040_FLASH_BYTES - at)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "image: %" PRIu32 " bytes at 0x%08" PRIx32
                           " are outside the flash of the RP2040 board; "
                           "link it to 0x%08" PRIx32 ", at most %d bytes",
                           segment->bytes, segment->address, RP2040_FLASH, RP2040_FLASH_BYTES);
    }
    return PB_OK;
}

static int create(struct pb_node **out, struct pb_image *image, const struct pb_node_config *config,
                  struct pb_diag *diag)
{
    const int error = check(image, config, diag);
    if (error)
        return error;
    struct rp2040 *soc = calloc(1, sizeof *soc);
    /* A page of it takes memory once it is written. */
    void *sram =
        soc ? mmap(NULL, RP2040_SRAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            : MAP_FAILED;
    if (sram == MAP_FAILED) {
        free(soc);
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for an RP2040");
    }
    uint32_t bytes;
    soc->base.ops = &ops;
    soc->image = image;
    soc->sram = sram;
    soc->seed = config->seed;
    soc->system.ppm = config->clock_ppm;
    pb_settings_block(config, soc->settings);
    pb_image_symbol(image, PB_SETTINGS_SYMBOL, &soc->settings_address, &bytes);
    soc->core.strict = true;
    soc->core.costs = &costs;
    soc->core.io_base = UINT32_C(0xD0000000);
    soc->core.io_bytes = 0x200;
    soc->core.bus = (struct pb_mcu_bus){
        .memory = {{.base = RP2040_SRAM, .bytes = RP2040_SRAM_BYTES, .data = sram, .writable = true}},
        .memories = 1,
        .context = soc,
        .read = rp2040_bus_read,
        .write = rp2040_bus_write,
    };
    *out = &soc->base;
    return PB_OK;
}

static bool trapped(const struct pb_node *node, struct pb_mcu_trap *trap, const char **words)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    if (!soc->powered || soc->core.trap.kind == PB_MCU_NONE)
        return false;
    *trap = soc->core.trap;
    *words = trap->kind == PB_MCU_DEVICE ? soc->words : NULL;
    return true;
}

static void figures(const struct pb_node *node, struct pb_mcu_figures *out)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    *out = (struct pb_mcu_figures){
        .cycles = soc->core.cycle,
        .idle_cycles = soc->core.idle,
        .instructions = soc->core.instructions,
        .longest_interrupt_cycles = soc->core.longest_interrupt,
        .clock_hz = (uint64_t)clock_ticks(rp2040_system_clock(&soc->system, true), INT64_C(1000000000000)),
    };
    /* The stack begins at the end of SRAM. */
    if (soc->core.lowest_sp >= RP2040_SRAM && soc->core.lowest_sp <= RP2040_SRAM + RP2040_SRAM_BYTES)
        out->stack_bytes = RP2040_SRAM + RP2040_SRAM_BYTES - soc->core.lowest_sp;
}

/* ---- who looks at it */

static void observe(struct pb_node *node, const struct pb_mcu_probe *probe)
{
    ((struct rp2040 *)node)->probe = *probe;
}

/* The stack pointers of the two modes. */
static uint32_t *stack_pointer(struct pb_armv6m *core, bool process)
{
    const bool uses_process = core->process_stack && !core->ipsr;
    return process == uses_process ? &core->r[13] : &core->other_sp;
}

static void read_registers(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX])
{
    struct pb_armv6m core = ((const struct rp2040 *)node)->core;
    memcpy(value, core.r, sizeof core.r);
    value[PB_ARM_GDB_XPSR] = core.apsr | core.ipsr | (core.arm_state ? 0 : UINT32_C(1) << 24);
    value[PB_ARM_GDB_MSP] = *stack_pointer(&core, false);
    value[PB_ARM_GDB_PSP] = *stack_pointer(&core, true);
    value[PB_ARM_GDB_PRIMASK] = core.primask;
    value[PB_ARM_GDB_CONTROL] = (uint32_t)core.process_stack << 1;
}

static void write_register(struct pb_node *node, unsigned number, uint32_t value)
{
    struct pb_armv6m *core = &((struct rp2040 *)node)->core;
    if (number < 13 || number == 14)
        core->r[number] = value;
    else if (number == 15)
        core->r[15] = value & ~UINT32_C(1);
    else if (number == 13)
        core->r[13] = value & ~UINT32_C(3);
    else if (number == PB_ARM_GDB_XPSR)
        core->apsr = value & UINT32_C(0xF0000000);
    else if (number == PB_ARM_GDB_MSP || number == PB_ARM_GDB_PSP)
        *stack_pointer(core, number == PB_ARM_GDB_PSP) = value & ~UINT32_C(3);
    else if (number == PB_ARM_GDB_PRIMASK)
        core->primask = value & 1;
}

static uint32_t handler(const struct pb_node *node)
{
    return ((const struct rp2040 *)node)->core.ipsr;
}

static bool is_wide(uint16_t first)
{
    return first >= 0xE800;
}

/* The flash is no memory of the core: its reads take time by the settings of the SSI. */
static bool read_memory(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    if (address < RP2040_FLASH || address - RP2040_FLASH > RP2040_FLASH_BYTES ||
        count > RP2040_FLASH_BYTES - (address - RP2040_FLASH))
        return pb_mcu_bus_read(&soc->core.bus, address, bytes, count);
    for (unsigned i = 0; i < count; i++)
        bytes[i] = flash_byte(soc, address + i);
    return true;
}

static bool write_memory(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count)
{
    return pb_mcu_bus_write(&((struct rp2040 *)node)->core.bus, address, bytes, count);
}

const struct pb_mcu_soc pb_soc_rp2040 = {
    .name = "rp2040",
    .text = "RP2040",
    .timing = "RP2040, rp2040_timing.def, not calibrated",
    .machine = EM_ARM,
    .flash_base = RP2040_FLASH,
    .flash_bytes = RP2040_FLASH_BYTES,
    .create = create,
    .trapped = trapped,
    .figures = figures,
    .observe = observe,
    .save = rp2040_save,
    .restore = rp2040_restore,
    .registers = pb_arm_gdb_registers,
    .register_count = PB_ARM_GDB_REGISTERS,
    .pc = PB_ARM_GDB_PC,
    .architecture = "arm",
    .read_registers = read_registers,
    .write_register = write_register,
    .handler = handler,
    .is_wide = is_wide,
    .read_memory = read_memory,
    .write_memory = write_memory,
};
