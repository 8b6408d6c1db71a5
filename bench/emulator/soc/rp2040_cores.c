/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both cores, their memories, and the boot ROM. While the second core or DMA runs, a core does not run ahead
 * of what either may write to its memory: the cores alternate, each up to the next instruction of the other.
 */
#include "bench/emulator/soc/rp2040_rom.h"
#include "bench/emulator/soc/rp2040_soc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BOOT2_BYTES = 256, BOOT2_CRC_AT = 252, AHEAD_CYCLES = 1000000 };
enum { SECTOR_BYTES = 4096, PAGE_BYTES = 256, US_PER_S = 1000000 };
#define PS_PER_S INT64_C(1000000000000)
#define BOOT2_AT UINT32_C(0x20041F00)
#define SCRATCH_MAGIC UINT32_C(0xB007C0D3)

/* ---- memories */

uint8_t rp2040_flash_byte(const struct rp2040 *soc, uint32_t offset)
{
    const uint32_t settings = soc->settings_address - RP2040_FLASH;
    if (!soc->xip.own && soc->settings_address && offset - settings < PB_SETTINGS_BYTES)
        return soc->settings[offset - settings];
    return rp2040_xip_flash(&soc->xip)[offset];
}

static void add(struct pb_mcu_bus *bus, uint32_t base, uint32_t bytes, const uint8_t *data)
{
    if (bytes)
        bus->memory[bus->memories++] =
            (struct pb_mcu_memory){.base = base, .bytes = bytes, .data = (uint8_t *)data, .cached = true};
}

/* The memories of both cores: SRAM, flash, boot ROM. After a change of the flash again. */
static void map_memories(struct rp2040 *soc)
{
    const uint8_t *flash = rp2040_xip_flash(&soc->xip);
    const uint32_t settings =
        soc->settings_address && !soc->xip.own ? soc->settings_address - RP2040_FLASH : RP2040_FLASH_BYTES;
    for (unsigned i = 0; i < RP2040_CORES; i++) {
        struct pb_mcu_bus *bus = &soc->core[i].bus;
        bus->memory[0] = (struct pb_mcu_memory){
            .base = RP2040_SRAM, .bytes = RP2040_SRAM_BYTES, .data = soc->sram, .writable = true};
        bus->memory[1] = (struct pb_mcu_memory){
            .bytes = RP2040_ROM_BYTES, .data = (uint8_t *)rp2040_rom(), .native = true};
        bus->memories = 2;
        add(bus, RP2040_FLASH, settings, flash);
        if (settings == RP2040_FLASH_BYTES)
            continue;
        const uint32_t after = settings + PB_SETTINGS_BYTES;
        add(bus, RP2040_FLASH + settings, PB_SETTINGS_BYTES, soc->settings);
        add(bus, RP2040_FLASH + after, RP2040_FLASH_BYTES - after, flash + after);
    }
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

/* A program that it prepared for after a reset by the watchdog: scratch 4 and 5 say that 6 and 7 are a stack
 * pointer and an entry. */
static bool boot_by_scratch(struct rp2040 *soc)
{
    uint32_t *scratch = soc->watchdog.scratch;
    if (scratch[4] != SCRATCH_MAGIC || (scratch[5] ^ scratch[7]) + SCRATCH_MAGIC != 0)
        return false;
    scratch[4] = 0;
    soc->core[0].r[13] = scratch[6] & ~UINT32_C(3);
    soc->core[0].r[15] = scratch[7] & ~UINT32_C(1);
    soc->core[0].arm_state = !(scratch[7] & 1);
    return true;
}

/* boot2 is entered with LR = 0 and the stack below it. */
void rp2040_boot(struct rp2040 *soc)
{
    struct pb_armv6m *core = &soc->core[0];
    uint8_t *boot2 = soc->sram + (BOOT2_AT - RP2040_SRAM);
    soc->booted = true;
    pb_armv6m_reset(core, 0);
    core->r[14] = 0;
    core->r[15] = BOOT2_AT;
    core->arm_state = false;
    if (boot_by_scratch(soc))
        return;
    for (unsigned i = 0; i < BOOT2_BYTES; i++)
        boot2[i] = rp2040_flash_byte(soc, i);
    uint32_t stored = 0;
    for (unsigned i = 0; i < 4; i++)
        stored |= (uint32_t)boot2[BOOT2_CRC_AT + i] << 8 * i;
    const uint32_t crc = boot_crc(boot2, BOOT2_CRC_AT);
    if (crc == stored)
        return;
    char words[sizeof soc->words];
    snprintf(words, sizeof words, "boot ROM: boot2 has the CRC %08" PRIx32 ", its bytes have %08" PRIx32,
             stored, crc);
    rp2040_trap(soc, PB_MCU_MISUSE, words);
}

/* ---- the second core */

static void send_event(struct rp2040 *soc, unsigned to, uint64_t cycle)
{
    rp2040_bring_sleepers(soc, cycle);
    soc->core[to].event = true;
}

void rp2040_hold_second(struct rp2040 *soc)
{
    soc->launch = (struct rp2040_launch){.state = RP2040_HELD, .answer = RP2040_NEVER};
    soc->core[0].paired = soc->core[1].paired = false;
}

/* It empties its FIFO, and sends a 0 that says so. */
static void begin_handshake(struct rp2040 *soc, uint64_t cycle)
{
    uint32_t word;
    while (rp2040_sio_pop(&soc->sio, 1, &word)) {
    }
    soc->launch.words = 0;
    soc->launch.answer = RP2040_NEVER;
    if (rp2040_sio_push(&soc->sio, 0, 0))
        send_event(soc, 0, cycle);
}

void rp2040_start_second(struct rp2040 *soc, uint64_t cycle)
{
    soc->launch = (struct rp2040_launch){.state = RP2040_WAITS, .answer = RP2040_NEVER};
    soc->core[0].paired = soc->core[1].paired = false;
    begin_handshake(soc, cycle);
}

void rp2040_word_for_second(struct rp2040 *soc, uint64_t cycle)
{
    if (soc->launch.state == RP2040_WAITS && soc->launch.answer == RP2040_NEVER)
        soc->launch.answer = cycle + RP2040_rom_launch;
}

static void launch(struct rp2040 *soc, uint64_t cycle)
{
    struct pb_armv6m *core = &soc->core[1];
    const uint32_t *word = soc->launch.word;
    soc->launch.state = RP2040_RUNS;
    core->cycle = cycle;
    pb_armv6m_reset(core, 0);
    core->vtor = word[1] & UINT32_C(0xFFFFFF00);
    core->r[13] = core->lowest_sp = word[2] & ~UINT32_C(3);
    core->r[14] = 0x100 | 1; /* a return ends in the ROM, for good */
    core->r[15] = word[3] & ~UINT32_C(1);
    core->arm_state = !(word[3] & 1);
    soc->core[0].paired = core->paired = true;
}

/* One word: 0 begins anew, 1 begins the sequence; each is sent back. */
void rp2040_step_launch(struct rp2040 *soc, uint64_t cycle)
{
    struct rp2040_launch *l = &soc->launch;
    uint32_t word;
    l->answer = RP2040_NEVER;
    if (!rp2040_sio_pop(&soc->sio, 1, &word))
        return;
    if (!word || (!l->words && word != 1)) {
        begin_handshake(soc, cycle);
        return;
    }
    l->word[l->words++] = word;
    if (rp2040_sio_push(&soc->sio, 0, word))
        send_event(soc, 0, cycle);
    if (l->words == sizeof l->word / sizeof *l->word)
        launch(soc, cycle);
    else if (soc->sio.core[1].in.used)
        l->answer = cycle + RP2040_rom_launch;
}

/* ---- the run */

static bool runs(const struct rp2040 *soc, unsigned i)
{
    return i == 0 || soc->launch.state == RP2040_RUNS;
}

static uint64_t next_of(const struct rp2040 *soc, unsigned i)
{
    return runs(soc, i) ? pb_armv6m_next(&soc->core[i]) : RP2040_NEVER;
}

uint64_t rp2040_next_instruction(const struct rp2040 *soc)
{
    const uint64_t first = next_of(soc, 0);
    if (soc->launch.state != RP2040_RUNS)
        return first;
    const uint64_t second = next_of(soc, 1);
    return first < second ? first : second;
}

void rp2040_bring_sleepers(struct rp2040 *soc, uint64_t cycle)
{
    for (unsigned i = 0; i < RP2040_CORES; i++) {
        struct pb_armv6m *core = &soc->core[i];
        if (runs(soc, i) && core->asleep && core->cycle <= cycle && pb_armv6m_next(core) > cycle &&
            core->trap.kind == PB_MCU_NONE)
            pb_armv6m_run(core, cycle + 1, cycle + 1);
    }
}

/* As pb_armv6m_run for one instruction, or for one entry into an exception. Only from `until` on it goes
 * on. */
static void step_core(struct rp2040 *soc, struct pb_armv6m *core, uint64_t until, uint64_t ahead)
{
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

void rp2040_run_cores(struct rp2040 *soc, uint64_t until)
{
    unsigned i = 0;
    if (soc->launch.state == RP2040_RUNS) {
        const uint64_t first = next_of(soc, 0), second = next_of(soc, 1);
        i = second < first;
        const uint64_t other = i ? first : second;
        until = other < until ? other + 1 : until;
    }
    struct pb_armv6m *core = &soc->core[i];
    const bool alone = soc->launch.state != RP2040_RUNS && !soc->dma.busy;
    const uint64_t ahead = alone ? core->cycle + AHEAD_CYCLES : until;
    soc->master = i;
    if (soc->probe.before && i == 0)
        step_core(soc, core, until, ahead);
    else /* all that follows from the devices until then is known, so lines do not change before */
        pb_armv6m_run(core, until, ahead);
    if (core->sent && core->paired) {
        const uint64_t cycle = core->cycle;
        rp2040_bring_sleepers(soc, cycle - 1);
        soc->core[!i].event = true;
    }
    core->sent = false;
    if (core->reset_request)
        rp2040_trap(soc, PB_MCU_GAP, "a reset by AIRCR");
}

/* ---- the boot ROM's functions */

static bool rom_read(void *context, uint32_t address, uint8_t *byte)
{
    struct rp2040 *soc = context;
    struct pb_armv6m *core = &soc->core[soc->master];
    const struct pb_mcu_bus *bus = &core->bus;
    for (unsigned i = 0; i < bus->memories; i++) {
        const struct pb_mcu_memory *memory = &bus->memory[i];
        if (address - memory->base >= memory->bytes)
            continue;
        if (memory->cached && !(address & 3)) {
            const int waits = rp2040_bus_cache(soc, address);
            core->cycle += waits > 0 ? (unsigned)waits : 0;
        }
        *byte = memory->data[address - memory->base];
        return true;
    }
    return false;
}

static bool rom_write(void *context, uint32_t address, uint8_t byte)
{
    struct rp2040 *soc = context;
    if (address - RP2040_SRAM >= RP2040_SRAM_BYTES)
        return false;
    soc->sram[address - RP2040_SRAM] = byte;
    return true;
}

static uint64_t cycles_of_us(const struct rp2040 *soc, uint64_t us)
{
    return us * (uint64_t)clock_ticks(soc->rate, PS_PER_S) / US_PER_S;
}

static void flash_connect(void *context)
{
    struct rp2040 *soc = context;
    memset(soc->system.qspi_ctrl, 0, sizeof soc->system.qspi_ctrl);
    rp2040_xip_select(&soc->xip, 0);
    rp2040_new_clock(soc, soc->core[soc->master].cycle);
}

static void flash_exit_xip(void *context)
{
    struct rp2040 *soc = context;
    soc->xip.continuous = false;
    soc->xip.ctrl0 = 0x00070000; /* frames of 8 bits, both directions */
    soc->xip.baud = 6;
    soc->xip.enable = 1;
    rp2040_new_clock(soc, soc->core[soc->master].cycle);
}

static void flash_enter_xip(void *context)
{
    struct rp2040 *soc = context;
    soc->xip.ctrl0 = 0x001F0300;
    soc->xip.ctrl1 = 0;
    soc->xip.spi_ctrl = 0x03000218;
    soc->xip.enable = 1;
    rp2040_new_clock(soc, soc->core[soc->master].cycle);
}

static void flash_flush(void *context)
{
    struct rp2040 *soc = context;
    struct pb_armv6m *core = &soc->core[soc->master];
    rp2040_xip_flush(&soc->xip, core->cycle);
    core->cycle += RP2040_CACHE_SETS;
    flash_connect(context);
}

/* The flash of the node differs from the image's from now on; its settings are part of it. */
static bool own_flash(struct rp2040 *soc)
{
    const bool had = soc->xip.own;
    if (!rp2040_xip_erase(&soc->xip, 0, 0))
        return false;
    if (!had && soc->settings_address)
        memcpy(soc->xip.own + (soc->settings_address - RP2040_FLASH), soc->settings, PB_SETTINGS_BYTES);
    map_memories(soc);
    return true;
}

static void flash_erase(void *context, uint32_t offset, uint32_t bytes)
{
    struct rp2040 *soc = context;
    const uint32_t within = SECTOR_BYTES - 1, begin = offset & ~within,
                   end = (offset + bytes + within) & ~within;
    if (!own_flash(soc) || !rp2040_xip_erase(&soc->xip, begin, end - begin)) {
        rp2040_trap(soc, PB_MCU_MISUSE, "boot ROM: an erase outside the flash");
        return;
    }
    soc->core[soc->master].cycle += (end - begin) / SECTOR_BYTES * cycles_of_us(soc, RP2040_flash_erase);
}

static void flash_program(void *context, uint32_t offset, uint32_t from, uint32_t bytes)
{
    struct rp2040 *soc = context;
    bool good = own_flash(soc);
    for (uint32_t i = 0; good && i < bytes; i++) {
        uint8_t byte;
        good = rom_read(soc, from + i, &byte) && rp2040_xip_program(&soc->xip, offset + i, byte);
    }
    if (!good) {
        rp2040_trap(soc, PB_MCU_MISUSE, "boot ROM: a program outside the flash");
        return;
    }
    soc->core[soc->master].cycle +=
        (bytes + PAGE_BYTES - 1) / PAGE_BYTES * cycles_of_us(soc, RP2040_flash_program);
}

static void boot_again(void *context)
{
    struct rp2040 *soc = context;
    if (soc->master) { /* the holding pen */
        rp2040_start_second(soc, soc->core[1].cycle);
        return;
    }
    flash_exit_xip(soc);
    flash_enter_xip(soc);
    rp2040_boot(soc);
    soc->core[0].cycle += RP2040_boot_rom;
}

static void wait_for_launch(void *context)
{
    struct rp2040 *soc = context;
    if (soc->master)
        rp2040_start_second(soc, soc->core[1].cycle);
    else
        rp2040_trap(soc, PB_MCU_GAP, "boot ROM: the first core waits for its launch");
}

static void refuse(void *context, const char *why)
{
    rp2040_trap(context, PB_MCU_GAP, why);
}

static void call(void *context, unsigned number)
{
    struct rp2040 *soc = context;
    struct pb_armv6m *core = &soc->core[soc->master];
    const struct rp2040_rom_bus bus = {.context = soc,
                                       .read = rom_read,
                                       .write = rom_write,
                                       .flash_connect = flash_connect,
                                       .flash_exit_xip = flash_exit_xip,
                                       .flash_enter_xip = flash_enter_xip,
                                       .flash_flush = flash_flush,
                                       .flash_erase = flash_erase,
                                       .flash_program = flash_program,
                                       .boot = boot_again,
                                       .wait = wait_for_launch,
                                       .refuse = refuse};
    const uint32_t caller = core->r[14] - 2;
    rp2040_rom_call(core, number, &bus);
    if (core->trap.kind != PB_MCU_NONE) { /* the place in the program */
        core->trap.address = core->r[15];
        core->trap.pc = caller & ~UINT32_C(1);
    }
    core->yield = true;
}

void rp2040_connect(struct rp2040 *soc)
{
    for (unsigned i = 0; i < RP2040_CORES; i++)
        soc->core[i].bus = (struct pb_mcu_bus){.context = soc,
                                               .read = rp2040_bus_read,
                                               .write = rp2040_bus_write,
                                               .cache = rp2040_bus_cache,
                                               .call = call};
    map_memories(soc);
}
