/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The AG32VF303 as a node: its clock in simulated time, its pins, its memories.
 *
 * Cycle k of the system clock is at base_ps + (k - base_cycle) periods. An input that changes at an instant
 * is seen by the first clock edge at or after it, an output changes at its clock edge.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "bench/emulator/soc/ag32.h"

#include "bench/emulator/image/settings_block.h"
#include "bench/emulator/soc/ag32_rom.h"
#include "bench/emulator/soc/look.h"
#include "bench/emulator/soc/soc.h"
#include "bench/emulator/soc/state.h"
#include "bench/nodes/limits.h"
#include "bench/nodes/clock.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SRAM_BASE UINT32_C(0x20000000)
enum { SRAM_BYTES = 128 * 1024 };
enum { BAUD_MIN_HZ = 300, BAUD_MAX_HZ = AG32_PLL_HZ / 16, PPM_MAX = 100000 };
/* How far a hart runs where nothing outside matters: a limit for programs that do nothing else. */
enum { AHEAD_CYCLES = 100000 };

static const struct pb_rv32_costs costs = {
#define AG32_COST(name, value) .name = (value),
#define AG32_TIME(name, value)
#include "bench/emulator/soc/ag32_timing.def"
#undef AG32_COST
#undef AG32_TIME
};

/* The flash of all nodes with one image. */
struct flash {
    struct pb_rv32_code *code;
    uint8_t data[PB_AG32_FLASH_SPAN];
};

struct ag32 {
    struct pb_node base;
    struct ag32_system system;
    struct flash *flash; /* of the image */
    /* Once BOOT0 was high at a reset: the boot loader, and a flash that it can write, whose code is NULL
     * until it is booted from. NULL: never. */
    struct pb_ag32_rom *rom;
    struct flash *own;
    bool loads; /* the boot loader runs */
    uint8_t *sram;
    uint32_t settings_at; /* address; 0: the image has none */
    uint8_t settings[PB_SETTINGS_BYTES];
    uint32_t stack_limit; /* SRAM from this offset on is the stack's */
    int32_t clock_ppm;
    uint64_t seed;

    int64_t base_ps;
    uint64_t base_cycle;
    struct clock_rate rate;
    struct pb_mcu_probe probe; /* before NULL: not observed */
    bool running; /* NRST is high */
    bool ran;     /* since power-up */
};

/* ---- time */

static int64_t time_of(const struct ag32 *node, uint64_t cycle)
{
    return node->base_ps + clock_ps(node->rate, (int64_t)(cycle - node->base_cycle));
}

/* Returns the first cycle at or after an instant. */
static uint64_t cycle_at(const struct ag32 *node, int64_t ps)
{
    return ps <= node->base_ps ? node->base_cycle
                               : node->base_cycle + (uint64_t)clock_ticks(node->rate, ps - node->base_ps);
}

/* Returns the first cycle that comes after an instant, or also at it. */
static uint64_t cycle_after(const struct ag32 *node, int64_t ps, bool including)
{
    const uint64_t cycle = cycle_at(node, ps);
    return including && time_of(node, cycle) == ps ? cycle + 1 : cycle;
}

static void set_rate(struct ag32 *node, uint64_t cycle)
{
    node->base_ps = time_of(node, cycle);
    node->base_cycle = cycle;
    node->rate = clock_rate(ag32_source_hz[node->system.source], node->clock_ppm);
}

/* ---- progress */

static bool stopped(const struct ag32 *node)
{
    return node->system.hart.trap.kind != PB_MCU_NONE || node->system.words;
}

/* As pb_rv32_run for one instruction, or for one entry into an interrupt. Only from `limit` on it goes on. */
static void step(struct ag32 *node, uint64_t limit, uint64_t ahead)
{
    struct pb_rv32 *hart = &node->system.hart;
    const struct pb_mcu_probe *probe = &node->probe;
    for (bool moves = true; moves && !stopped(node);) {
        const uint64_t cycle = hart->cycle, executed = hart->instructions;
        const bool acts = pb_rv32_acts(hart);
        struct pb_mcu_step one = {.pc = hart->pc, .at_ps = time_of(node, cycle)};
        if (acts) {
            probe->before(probe->context, &one);
            one.pc = hart->pc;
        }
        pb_rv32_run(hart, acts && cycle < limit ? cycle + 1 : limit, cycle < limit ? 0 : cycle + 1);
        one.executed = hart->instructions != executed;
        moves = hart->cycle != cycle && hart->cycle >= limit && hart->cycle < ahead && acts &&
                !probe->exact;
        if (one.executed || hart->pc != one.pc || stopped(node))
            probe->after(probe->context, &one);
    }
}

struct ag32_system *ag32_system_of(struct pb_node *node)
{
    return &((struct ag32 *)node)->system;
}

/* Processes all cycles before an instant, or also that at the instant. */
static void run(struct ag32 *node, int64_t ps, bool including)
{
    struct ag32_system *system = &node->system;
    struct pb_rv32 *hart = &system->hart;

    uint64_t until = cycle_after(node, ps, including);
    while (node->running && !stopped(node)) {
        uint64_t edge = ag32_next_edge(system);
        const uint64_t limit = edge < until ? edge + 1 : until;

        if (!pb_rv32_acts(hart)) {
            pb_rv32_sleep(hart, limit);
        } else if (hart->cycle < limit) {
            if (node->probe.before)
                step(node, limit, until + AHEAD_CYCLES);
            else
                pb_rv32_run(hart, limit, until + AHEAD_CYCLES);
            edge = ag32_next_edge(system);
        }
        if (system->source_changed) {
            system->source_changed = false;
            set_rate(node, hart->cycle);
            until = cycle_after(node, ps, including);
        } else if (edge < limit && edge < hart->cycle) {
            ag32_edge(system, edge);
        } else if (hart->cycle >= until && edge >= until) {
            break;
        }
    }
}

static int64_t next_ps(const struct ag32 *node)
{
    const struct pb_rv32 *hart = &node->system.hart;
    uint64_t next = ag32_next_edge(&node->system);
    if (pb_rv32_acts(hart) && hart->cycle < next)
        next = hart->cycle;
    return next == PB_AG32_NEVER ? INT64_MAX : time_of(node, next);
}

static void add_memory(struct pb_mcu_bus *bus, uint32_t base, uint32_t bytes, uint8_t *data, bool writable)
{
    const uint8_t waits = writable ? AG32_SRAM_WAITS : AG32_FLASH_WAITS;
    if (bytes > 0)
        bus->memory[bus->memories++] = (struct pb_mcu_memory){.base = base,
                                                              .bytes = bytes,
                                                              .data = data,
                                                              .writable = writable,
                                                              .read_waits = waits,
                                                              .write_waits = waits};
}

/* ---- reset */

/* Without memory the node stays silent, as one whose boot loader does not start. */
static void enter_boot_loader(struct ag32 *node, int64_t now_ps, bool level)
{
    node->loads = true;
    if (!node->rom)
        node->rom = malloc(sizeof *node->rom);
    if (!node->own && (node->own = malloc(sizeof *node->own))) {
        node->own->code = NULL;
        memcpy(node->own->data, node->flash->data, PB_AG32_FLASH_SPAN);
        if (node->settings_at)
            memcpy(node->own->data + (node->settings_at - PB_AG32_FLASH_BASE), node->settings,
                   PB_SETTINGS_BYTES);
    }
    if (node->rom && node->own)
        pb_ag32_rom_start(node->rom, node->own->data, now_ps, node->clock_ppm, level);
}

static struct pb_rv32_code *decode(const struct flash *flash)
{
    uint32_t bytes = PB_AG32_FLASH_SPAN;
    while (bytes > 4 && flash->data[bytes - 1] == 0xFF)
        bytes--;
    return pb_rv32_code_create(PB_AG32_FLASH_BASE, flash->data, (bytes + 3) & ~3u);
}

/* Executes it from now on. */
static void map_own_flash(struct ag32 *node)
{
    struct pb_rv32 *hart = &node->system.hart;
    hart->code = node->own->code;
    hart->bus.memories = 0;
    add_memory(&hart->bus, SRAM_BASE, SRAM_BYTES, node->sram, true);
    add_memory(&hart->bus, PB_AG32_FLASH_BASE, PB_AG32_FLASH_SPAN, node->own->data, false);
}

/* The boot loader may have written: everything is decoded again. */
static void boot_own_flash(struct ag32 *node)
{
    struct pb_rv32_code *code = decode(node->own);
    if (!code) {
        node->system.words = "no memory for the new content of the flash";
        return;
    }
    pb_rv32_code_destroy(node->own->code);
    node->own->code = code;
    map_own_flash(node);
}

static bool is_zero(const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

/* What is zero stays as it is: a page that was never written takes no memory. */
static void clear_stack(struct ag32 *node)
{
    enum { PAGE = 4096 };
    for (uint32_t at = node->stack_limit, end; at < SRAM_BYTES; at = end) {
        end = (at / PAGE + 1) * PAGE;
        if (!is_zero(node->sram + at, end - at))
            memset(node->sram + at, 0, end - at);
    }
}

static void reset(struct ag32 *node, int64_t now_ps, const struct pb_node_inputs *in)
{
    struct ag32_system *system = &node->system;
    system->hart.cycle = cycle_at(node, now_ps);
    pb_ag32_fabric_reset(&system->fabric, system->hart.cycle, in->line, in->tdma_clk, in->tdma_sync);
    ag32_system_reset(system, PB_AG32_FLASH_BASE);
    if (node->own)
        boot_own_flash(node);
    if (node->ran)
        clear_stack(node);
    node->ran = true;
    set_rate(node, system->hart.cycle);
}

static void apply(struct ag32 *node, int64_t now_ps, const struct pb_node_inputs *in)
{
    const uint64_t cycle = cycle_at(node, now_ps);
    pb_ag32_fabric_pins(&node->system.fabric, cycle, in->line, in->tdma_clk, in->tdma_sync);
    pb_pl011_input(&node->system.uart0, cycle, in->uart0_rx);
}

static int64_t advance(struct pb_node *base, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct ag32 *node = (struct ag32 *)base;
    *out = (struct pb_node_outputs){.uart0_tx = true};
    if (!in->nrst) {
        run(node, now_ps, false);
        node->running = node->loads = false;
        return INT64_MAX;
    }
    if (!node->running && !node->loads && in->boot0)
        enter_boot_loader(node, now_ps, in->uart0_rx);
    if (node->loads)
        return node->rom && node->own ? pb_ag32_rom_advance(node->rom, now_ps, in, out) : INT64_MAX;
    if (node->running)
        run(node, now_ps, false);
    else
        reset(node, now_ps, in);
    node->running = true;
    apply(node, now_ps, in);
    run(node, now_ps, true);
    if (stopped(node))
        return INT64_MAX;
    out->pull_low = node->system.fabric.out.pull_low;
    out->uart0_tx = node->system.uart0.tx;
    return next_ps(node);
}

struct observer {
    struct ag32 *node;
    const struct pb_node_inputs *in;
    const struct pb_node_changes *changes;
};

static void changed(void *context, uint64_t cycle)
{
    const struct observer *observer = context;
    struct ag32_system *system = &observer->node->system;
    const struct pb_node_outputs out = {.pull_low = system->pull_low, .uart0_tx = system->uart0_tx};
    /* Its own level comes back after the edge that changed it. */
    pb_ag32_fabric_pins(&system->fabric, cycle + 1, observer->in->line & (uint16_t)~out.pull_low,
                        observer->in->tdma_clk, observer->in->tdma_sync);
    observer->changes->changed(observer->changes->context, time_of(observer->node, cycle), &out);
}

static int64_t advance_until(struct pb_node *base, int64_t now_ps, int64_t until_ps,
                             const struct pb_node_inputs *in, const struct pb_node_changes *changes)
{
    struct ag32 *node = (struct ag32 *)base;
    struct ag32_system *system = &node->system;
    struct observer observer = {node, in, changes};
    if (!in->nrst || !node->running)
        return pb_node_steps_until(base, system->pull_low, now_ps, until_ps, in, changes);
    system->context = &observer;
    system->changed = changed;
    run(node, now_ps, false);
    struct pb_node_inputs seen = *in;
    seen.line &= (uint16_t)~system->pull_low;
    apply(node, now_ps, &seen);
    run(node, until_ps, false);
    system->changed = NULL;
    return stopped(node) ? INT64_MAX : next_ps(node);
}

/* Nodes are not powered up together: spreads the first clock edges of different seeds over one period. */
static int64_t first_edge_ps(const struct ag32 *node)
{
    return (int64_t)((node->seed * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % clock_ps(node->rate, 1);
}

static void align(struct pb_node *base, int64_t now_ps)
{
    struct ag32 *node = (struct ag32 *)base;
    run(node, now_ps, false);
    node->base_cycle = cycle_at(node, now_ps);
    node->base_ps = now_ps + first_edge_ps(node);
}

/* ---- memories */

static void forget_flash(void *derived)
{
    struct flash *flash = derived;
    pb_rv32_code_destroy(flash->code);
    free(flash);
}

/* Returns the flash with the image in it, which the image owns. NULL: out of memory. */
static struct flash *program(struct pb_image *image)
{
    if (image->derived)
        return image->derived;
    struct flash *flash = malloc(sizeof *flash);
    if (!flash)
        return NULL;
    uint32_t end = 0;
    memset(flash->data, 0xFF, sizeof flash->data);
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        memcpy(flash->data + (segment->address - PB_AG32_FLASH_BASE), segment->data, segment->bytes);
        end = segment->address - PB_AG32_FLASH_BASE + segment->bytes;
    }
    flash->code = pb_rv32_code_create(PB_AG32_FLASH_BASE, flash->data, (end + 3) & ~3u);
    if (!flash->code) {
        free(flash);
        return NULL;
    }
    image->derived = flash;
    image->forget = forget_flash;
    return flash;
}

/* The settings are the only bytes of flash in which nodes differ. */
static void map_memories(struct ag32 *node)
{
    struct pb_mcu_bus *bus = &node->system.hart.bus;
    const uint32_t settings = node->settings_at;
    const uint32_t before = settings ? settings - PB_AG32_FLASH_BASE : PB_AG32_FLASH_SPAN;
    uint8_t *const flash = node->flash->data;
    node->system.hart.code = node->flash->code;
    bus->memories = 0;
    add_memory(bus, SRAM_BASE, SRAM_BYTES, node->sram, true);
    add_memory(bus, PB_AG32_FLASH_BASE, before, flash, false);
    if (settings) {
        const uint32_t after = before + PB_SETTINGS_BYTES;
        add_memory(bus, settings, PB_SETTINGS_BYTES, node->settings, false);
        add_memory(bus, PB_AG32_FLASH_BASE + after, PB_AG32_FLASH_SPAN - after, flash + after, false);
    }
}

/* ---- making one */

static void forget_own_flash(struct ag32 *node)
{
    if (node->own)
        pb_rv32_code_destroy(node->own->code);
    free(node->own);
    free(node->rom);
}

static void destroy(struct pb_node *base)
{
    struct ag32 *node = (struct ag32 *)base;
    pb_ag32_fabric_destroy(&node->system.fabric);
    if (node->sram)
        munmap(node->sram, SRAM_BYTES);
    forget_own_flash(node);
    free(node);
}

static int check_image(const struct pb_image *image, struct pb_diag *diag)
{
    bool boots = false;
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        if (segment->address < PB_AG32_FLASH_BASE || segment->bytes > PB_AG32_FLASH_SPAN ||
            segment->address - PB_AG32_FLASH_BASE > PB_AG32_FLASH_SPAN - segment->bytes)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "kind: the image has %u bytes at 0x%08X; the flash of the AG32VF303 is 0x%08X to 0x%08X",
                (unsigned)segment->bytes, (unsigned)segment->address, (unsigned)PB_AG32_FLASH_BASE,
                (unsigned)(PB_AG32_FLASH_BASE + PB_AG32_FLASH_SPAN - 1));
        boots |= segment->address == PB_AG32_FLASH_BASE;
    }
    return boots ? PB_OK
                 : pb_fail(diag, PB_ERR_CONFIG,
                           "kind: the image has nothing at 0x%08X, where an AG32VF303 begins",
                           (unsigned)PB_AG32_FLASH_BASE);
}

static int create(struct pb_node **out, struct pb_image *image, const struct pb_node_config *config,
                  struct pb_diag *diag)
{
    static const struct pb_node_ops ops = {
        .advance = advance, .align = align, .destroy = destroy, .advance_until = advance_until};
    const struct pb_node_limit limit[] = {
        {"link.baud", config->baud_hz, BAUD_MIN_HZ, BAUD_MAX_HZ},
        {"link.console_baud", config->console_baud_hz, BAUD_MIN_HZ, BAUD_MAX_HZ},
        {"clock_error in ppm", config->clock_ppm, -PPM_MAX, PPM_MAX},
    };
    uint32_t settings = 0, bss_end, size;
    int error = pb_node_check_limits("ag32", limit, sizeof limit / sizeof limit[0], diag);
    if (!error)
        error = check_image(image, diag);
    if (!error)
        error = pb_settings_find(image, PB_AG32_FLASH_BASE, PB_AG32_FLASH_SPAN, &settings, diag);
    if (error)
        return error;

    struct ag32 *node = calloc(1, sizeof *node);
    if (!node)
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for an AG32VF303");
    node->base.ops = &ops;
    void *sram = mmap(NULL, SRAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    node->sram = sram == MAP_FAILED ? NULL : sram;
    node->flash = program(image);
    if (!pb_ag32_fabric_create(&node->system.fabric) || !node->sram || !node->flash) {
        destroy(&node->base);
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for an AG32VF303");
    }
    pb_settings_block(config, node->settings);
    node->settings_at = settings;
    map_memories(node);
    if (pb_image_symbol(image, "__bss_end", &bss_end, &size) && bss_end - SRAM_BASE < SRAM_BYTES)
        node->stack_limit = bss_end - SRAM_BASE;
    node->clock_ppm = config->clock_ppm;
    node->seed = config->seed;
    node->rate = clock_rate(AG32_HSI_HZ, config->clock_ppm);
    node->base_ps = first_edge_ps(node);
    node->system.hart.strict = true;
    node->system.hart.costs = &costs;
    ag32_bus_connect(&node->system);
    *out = &node->base;
    return PB_OK;
}

/* ---- what became of it */

static bool trapped(const struct pb_node *base, struct pb_mcu_trap *trap, const char **words)
{
    const struct ag32 *node = (const struct ag32 *)base;
    *words = node->system.words;
    *trap = node->system.hart.trap;
    if (node->system.words)
        trap->kind = node->system.misuse ? PB_MCU_MISUSE : PB_MCU_GAP;
    return stopped(node);
}

/* The stack grows down from the end of the SRAM; what it has used is not all zero. */
static uint32_t stack_used(const struct ag32 *node)
{
    enum { BLOCK = 16 };
    uint32_t at = node->stack_limit;
    while (at + BLOCK <= SRAM_BYTES && is_zero(node->sram + at, BLOCK))
        at += BLOCK;
    return SRAM_BYTES - at;
}

static void figures(const struct pb_node *base, struct pb_mcu_figures *figures)
{
    const struct ag32 *node = (const struct ag32 *)base;
    const struct pb_rv32 *hart = &node->system.hart;
    *figures = (struct pb_mcu_figures){
        .cycles = hart->cycle,
        .idle_cycles = hart->idle,
        .instructions = hart->instructions,
        .longest_interrupt_cycles = hart->longest_interrupt,
        .stack_bytes = stack_used(node),
        .clock_hz = ag32_source_hz[node->system.source],
    };
}

/* ---- observers */

static void observe(struct pb_node *base, const struct pb_mcu_probe *probe)
{
    ((struct ag32 *)base)->probe = *probe;
}

static void read_registers(const struct pb_node *base, uint32_t value[PB_MCU_REGISTERS_MAX])
{
    const struct pb_rv32 *hart = &((const struct ag32 *)base)->system.hart;
    memcpy(value, hart->x, sizeof hart->x);
    value[PB_RV32_GDB_PC] = hart->pc;
    memcpy(value + PB_RV32_GDB_F0, hart->f, sizeof hart->f);
    value[PB_RV32_GDB_FFLAGS] = hart->fcsr & 0x1F;
    value[PB_RV32_GDB_FRM] = hart->fcsr >> 5 & 7;
    value[PB_RV32_GDB_FCSR] = hart->fcsr;
}

static void write_register(struct pb_node *base, unsigned number, uint32_t value)
{
    struct pb_rv32 *hart = &((struct ag32 *)base)->system.hart;
    if (number > 0 && number < PB_RV32_GDB_PC)
        hart->x[number] = value;
    else if (number == PB_RV32_GDB_PC)
        hart->pc = value & ~UINT32_C(1);
    else if (number >= PB_RV32_GDB_F0 && number < PB_RV32_GDB_FFLAGS)
        hart->f[number - PB_RV32_GDB_F0] = value;
    else if (number == PB_RV32_GDB_FCSR)
        hart->fcsr = value & 0xFF;
}

static uint32_t handler(const struct pb_node *base)
{
    return ((const struct ag32 *)base)->system.hart.traps_open;
}

static bool is_wide(uint16_t first)
{
    return (first & 3) == 3;
}

static bool read_memory(const struct pb_node *base, uint32_t address, uint8_t *bytes, unsigned count)
{
    const struct pb_mcu_bus *bus = &((const struct ag32 *)base)->system.hart.bus;
    return pb_mcu_bus_read(bus, address, bytes, count);
}

static bool write_memory(struct pb_node *base, uint32_t address, const uint8_t *bytes, unsigned count)
{
    return pb_mcu_bus_write(&((struct ag32 *)base)->system.hart.bus, address, bytes, count);
}

/* ---- its state */

/* The hart executes what the boot loader may have written. */
static bool boots_own_flash(const struct ag32 *node)
{
    return node->own && node->system.hart.code == node->own->code;
}

static struct pb_mcu_state *save(const struct pb_node *base)
{
    const struct ag32 *node = (const struct ag32 *)base;
    struct pb_mcu_state *state = calloc(1, sizeof *state);
    struct ag32 *part = pb_mcu_copy(node, sizeof *node);
    if (!state || !part) {
        free(state);
        free(part);
        return NULL;
    }
    if (boots_own_flash(node))
        part->system.hart.code = NULL; /* to be decoded again */
    state->part = part;
    state->sram = pb_mcu_pages_save(node->sram, NULL, SRAM_BYTES);
    state->fabric = ag32_fabric_model_save(node->system.fabric.model);
    state->flash =
        node->own ? pb_mcu_pages_save(node->own->data, node->flash->data, PB_AG32_FLASH_SPAN) : NULL;
    state->rom = node->rom ? pb_mcu_copy(node->rom, sizeof *node->rom) : NULL;
    if (state->sram && state->fabric && !node->own == !state->flash && !node->rom == !state->rom)
        return state;
    pb_mcu_state_free(state);
    return NULL;
}

/* NULL: out of memory. */
static struct flash *own_flash(const struct pb_mcu_state *state, const struct flash *origin, bool decoded)
{
    struct flash *own = malloc(sizeof *own);
    if (!own)
        return NULL;
    own->code = NULL;
    memcpy(own->data, origin->data, PB_AG32_FLASH_SPAN);
    pb_mcu_pages_restore(state->flash, own->data, origin->data, PB_AG32_FLASH_SPAN);
    if (!decoded || (own->code = decode(own)))
        return own;
    free(own);
    return NULL;
}

static bool restore(struct pb_node *base, const struct pb_mcu_state *state)
{
    struct ag32 *node = (struct ag32 *)base;
    struct ag32 next = *(const struct ag32 *)state->part;
    const bool decoded = !next.system.hart.code;
    next.flash = node->flash;
    next.sram = node->sram;
    next.probe = node->probe;
    next.system.hart.bus = node->system.hart.bus;
    next.system.fabric.model = node->system.fabric.model;
    next.own = state->flash ? own_flash(state, node->flash, decoded) : NULL;
    next.rom = state->rom ? pb_mcu_copy(state->rom, sizeof *next.rom) : NULL;
    if (!next.own != !state->flash || !next.rom != !state->rom ||
        !ag32_fabric_model_restore(node->system.fabric.model, state->fabric)) {
        forget_own_flash(&next);
        return false;
    }
    forget_own_flash(node);
    *node = next;
    if (node->rom)
        node->rom->flash = node->own->data;
    if (decoded)
        map_own_flash(node);
    else
        map_memories(node);
    pb_mcu_pages_restore(state->sram, node->sram, NULL, SRAM_BYTES);
    return true;
}

const struct pb_mcu_soc pb_soc_ag32 = {
    .name = "ag32",
    .text = "AG32VF303",
    .timing = "AG32VF303, ag32_timing.def, not calibrated",
    .machine = EM_RISCV,
    .flash_base = PB_AG32_FLASH_BASE,
    .flash_bytes = PB_AG32_FLASH_SPAN,
    .create = create,
    .trapped = trapped,
    .figures = figures,
    .observe = observe,
    .save = save,
    .restore = restore,
    .registers = pb_rv32_gdb_registers,
    .register_count = PB_RV32_GDB_REGISTERS,
    .pc = PB_RV32_GDB_PC,
    .architecture = "riscv:rv32",
    .read_registers = read_registers,
    .write_register = write_register,
    .handler = handler,
    .is_wide = is_wide,
    .read_memory = read_memory,
    .write_memory = write_memory,
};
