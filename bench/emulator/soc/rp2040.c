/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins of the node: constants below; docs/reference/rp2040.md has the table. Pads that the bench does not
 * connect have the level that the chip itself gives them, by its output or its pull, without delay; a pad
 * without either is low.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "bench/emulator/soc/look.h"
#include "bench/emulator/soc/rp2040_soc.h"
#include "phasebench/error.h"
#include "phasebench/random.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIN_UART_TX = 0, PIN_UART_RX = 1, PIN_LINK0 = 2, PIN_CLK = 14, PIN_SYNC = 15, LINKS = 12 };
#define LINK_PINS (UINT32_C(0xFFF) << PIN_LINK0)
#define INPUT_PINS (UINT32_C(1) << PIN_UART_RX | UINT32_C(1) << PIN_CLK | UINT32_C(1) << PIN_SYNC)
enum {
    LINE_TIMER0 = 0,
    LINE_PIO0 = 7,
    LINE_PIO1 = 9,
    LINE_DMA0 = 11,
    LINE_IO_BANK0 = 13,
    LINE_SIO0 = 15,
    LINE_UART0 = 20,
    LINE_UART1 = 21
};
enum { PPM_MAX = 100000 };
#define NEVER_PS INT64_MAX
#define PS_PER_S INT64_C(1000000000000)

static const struct pb_armv6m_costs costs = {
#define COST(name) .name = RP2040_##name,
    PB_ARMV6M_COST_LIST(COST)
#undef COST
};

/* "RP2040 Datasheet", section 4.2: FIFOs of 32 entries, three readings of each sample, PeriphID2 34h (r1p5).
 * DMACR: the SDK sets it in every program. */
static const struct pb_pl011_kind uart_kind = {
    .depth = 32, .samples = 3, .holds_dmacr = true, .full_loses = true, .revision = 3};

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

/* The tick of WATCHDOG and TIMER, which clk_ref makes. */
static void follow_tick(struct rp2040 *soc, uint64_t cycle)
{
    const int64_t now_ps = rp2040_ps(soc, cycle);
    const struct clock_rate old = soc->watchdog.tick;
    rp2040_watchdog_tick(&soc->watchdog, now_ps, rp2040_clock(&soc->clocks, RP2040_CLK_REF, false));
    if (soc->watchdog.tick.micro_hz != old.micro_hz)
        rp2040_timer_tick(&soc->timer, now_ps, soc->watchdog.tick);
}

void rp2040_new_clock(struct rp2040 *soc, uint64_t cycle)
{
    if (soc->clocks.trap || soc->clocks.misuse)
        return;
    const struct clock_rate rate = rp2040_clock(&soc->clocks, RP2040_CLK_SYS, false);
    if (rate.micro_hz != soc->rate.micro_hz) {
        soc->base_ps = rp2040_ps(soc, cycle);
        soc->base_cycle = cycle;
        soc->rate = rate;
    }
    follow_tick(soc, cycle);
    rp2040_xip_set_up(&soc->xip,
                      (uint64_t)clock_ticks(rp2040_clock(&soc->clocks, RP2040_CLK_SYS, true), PS_PER_S));
}

/* ---- outputs and lines */

void rp2040_trap(struct rp2040 *soc, enum pb_mcu_trap_kind kind, const char *words)
{
    if (rp2040_stopped(soc))
        return;
    struct pb_armv6m *core = &soc->core[soc->master < RP2040_CORES ? soc->master : 0];
    /* Within an access the core knows better, and fills it in. */
    core->trap = (struct pb_mcu_trap){.kind = kind, .pc = core->r[15], .cycle = core->cycle};
    snprintf(soc->words, sizeof soc->words, "%s", words);
}

static struct rp2040_drive driven(const struct rp2040 *soc)
{
    const struct rp2040_drive pio[RP2040_PIOS] = {{soc->pio[0].out, soc->pio[0].oe},
                                                  {soc->pio[1].out, soc->pio[1].oe}};
    const bool uart_tx[RP2040_UARTS] = {soc->uart[0].tx, soc->uart[1].tx};
    return rp2040_pins_drive(&soc->pins, uart_tx, pio);
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
        for (unsigned i = 0; i < RP2040_PIOS; i++)
            rp2040_pio_inputs(&soc->pio[i], cycle, levels);
    }
    /* The function of a pin may have changed, too. */
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        if (rp2040_pins_uart_rx(&soc->pins, i) != soc->uart[i].rx_level)
            pb_pl011_input(&soc->uart[i], cycle, !soc->uart[i].rx_level);
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

/* Interrupts that both cores have. */
static uint32_t common_lines(const struct rp2040 *soc)
{
    return (uint32_t)rp2040_timer_lines(&soc->timer) << LINE_TIMER0 |
           (uint32_t)rp2040_pio_lines(&soc->pio[0]) << LINE_PIO0 |
           (uint32_t)rp2040_pio_lines(&soc->pio[1]) << LINE_PIO1 |
           (uint32_t)rp2040_dma_lines(&soc->dma) << LINE_DMA0 |
           (uint32_t)soc->uart[0].irq << LINE_UART0 |
           (uint32_t)soc->uart[1].irq << LINE_UART1;
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
        rp2040_trap(soc, PB_MCU_MISUSE, "a pin that the bench drives, driven by the chip, too");
    set_outputs(soc, cycle + RP2040_output, &out);
    see_inputs(soc, cycle, &drive);
    const uint32_t lines = common_lines(soc);
    for (unsigned i = 0; i < (soc->launch.state == RP2040_RUNS ? RP2040_CORES : 1u); i++) {
        const uint32_t own = lines | (uint32_t)rp2040_pins_line(&soc->pins, i) << LINE_IO_BANK0 |
                             (uint32_t)rp2040_sio_line(&soc->sio, i) << (LINE_SIO0 + i);
        if (own != soc->core[i].lines)
            pb_armv6m_lines(&soc->core[i], own);
    }
}

/* ---- events of the devices */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_alarm(const struct rp2040 *soc)
{
    int64_t ps = rp2040_timer_next_ps(&soc->timer);
    if (soc->watchdog.fires && soc->watchdog.fires_ps < ps)
        ps = soc->watchdog.fires_ps;
    return ps == NEVER_PS ? RP2040_NEVER : cycle_at(soc, ps);
}

static uint64_t next_transfer(const struct rp2040 *soc)
{
    return soc->dma.busy ? rp2040_dma_next(&soc->dma, rp2040_dma_bus.requests((void *)soc)) : RP2040_NEVER;
}

static uint64_t next_of_pios(const struct rp2040 *soc)
{
    return earlier(rp2040_pio_next(&soc->pio[0]), rp2040_pio_next(&soc->pio[1]));
}

static uint64_t next_of_others(const struct rp2040 *soc)
{
    uint64_t next = earlier(soc->uart[0].next, soc->uart[1].next);
    next = earlier(next, next_transfer(soc));
    next = earlier(next, soc->launch.answer);
    return earlier(next, next_alarm(soc));
}

static void reset(struct rp2040 *soc, uint64_t cycle, int64_t now_ps, bool by_watchdog);

/* True: the chip was reset. */
static bool watchdog_fires(struct rp2040 *soc, uint64_t cycle)
{
    const int64_t now_ps = rp2040_ps(soc, cycle);
    if (!soc->watchdog.fires || soc->watchdog.fires_ps > now_ps)
        return false;
    soc->watchdog.fires = false;
    if (!soc->system.psm_watchdog)
        return false;
    if (!(soc->system.psm_watchdog >> 15 & 1))
        rp2040_trap(soc, PB_MCU_GAP, "WATCHDOG: a reset that leaves out the first core");
    reset(soc, cycle, now_ps, true);
    return true;
}

static void process_event(struct rp2040 *soc, uint64_t cycle)
{
    if (watchdog_fires(soc, cycle))
        return;
    for (unsigned i = 0; i < RP2040_PIOS; i++)
        if (rp2040_pio_next(&soc->pio[i]) == cycle)
            rp2040_pio_step(&soc->pio[i], cycle);
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        pb_pl011_advance(&soc->uart[i], cycle);
    if (next_transfer(soc) <= cycle) {
        struct rp2040_dma_bus bus = rp2040_dma_bus;
        bus.context = soc;
        rp2040_dma_step(&soc->dma, cycle, &bus);
    }
    if (soc->launch.answer <= cycle)
        rp2040_step_launch(soc, cycle);
    if (next_alarm(soc) <= cycle)
        rp2040_timer_step(&soc->timer, rp2040_ps(soc, cycle));
    rp2040_changed(soc, cycle);
    rp2040_report_devices(soc);
}

/* Whether what other devices or the cores see of the PIOs has changed since `was`. */
static bool pios_show(const struct rp2040 *soc, const struct rp2040_drive was[RP2040_PIOS])
{
    uint32_t lines = 0;
    for (unsigned i = 0; i < RP2040_PIOS; i++) {
        const struct rp2040_pio *pio = &soc->pio[i];
        if (pio->out != was[i].out || pio->oe != was[i].oe || pio->trap)
            return true;
        lines |= (uint32_t)rp2040_pio_lines(pio) << (i ? LINE_PIO1 : LINE_PIO0);
    }
    return (soc->core[0].lines & (UINT32_C(3) << LINE_PIO0 | UINT32_C(3) << LINE_PIO1)) != lines;
}

/* The events of the PIOs alone from this cycle on, up to the first that shows outside: most change nothing
 * there, and then the cores need not be looked at. All are before `until`, but that of this cycle. */
static void step_pios(struct rp2040 *soc, uint64_t cycle, uint64_t until)
{
    const struct rp2040_drive was[RP2040_PIOS] = {{soc->pio[0].out, soc->pio[0].oe},
                                                  {soc->pio[1].out, soc->pio[1].oe}};
    do {
        for (unsigned i = 0; i < RP2040_PIOS; i++)
            if (rp2040_pio_next(&soc->pio[i]) == cycle)
                rp2040_pio_step(&soc->pio[i], cycle);
        soc->seen = cycle;
        if (pios_show(soc, was)) {
            rp2040_bring_sleepers(soc, cycle);
            rp2040_changed(soc, cycle);
            rp2040_report_devices(soc);
            return;
        }
    } while (!soc->dma.busy && (cycle = next_of_pios(soc)) < until);
}

/* Processes the next event, which is at this cycle, and of the PIOs more before `until`; others: the next one
 * that is not of a PIO. */
static void go_on(struct rp2040 *soc, uint64_t cycle, uint64_t others, uint64_t until)
{
    if (cycle < others) {
        step_pios(soc, cycle, earlier(others, until));
        return;
    }
    rp2040_bring_sleepers(soc, cycle);
    process_event(soc, cycle);
}

void rp2040_bring(struct rp2040 *soc, uint64_t cycle)
{
    for (uint64_t others, next;
         others = next_of_others(soc), (next = earlier(next_of_pios(soc), others)) < cycle;)
        go_on(soc, next, others, cycle);
}

/* ---- reset */

static void reset(struct rp2040 *soc, uint64_t cycle, int64_t now_ps, bool by_watchdog)
{
    rp2040_clocks_reset(&soc->clocks);
    rp2040_watchdog_reset(&soc->watchdog, by_watchdog);
    rp2040_timer_reset(&soc->timer, now_ps);
    rp2040_system_reset(&soc->system);
    rp2040_pins_reset(&soc->pins);
    for (unsigned i = 0; i < RP2040_PIOS; i++)
        rp2040_pio_reset(&soc->pio[i], cycle);
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        pb_pl011_reset(&soc->uart[i]);
    rp2040_sio_reset(&soc->sio);
    rp2040_dma_reset(&soc->dma);
    rp2040_xip_reset(&soc->xip);
    for (unsigned i = 0; i < RP2040_CORES; i++) {
        soc->core[i].trap = (struct pb_mcu_trap){.kind = PB_MCU_NONE};
        soc->core[i].longest_interrupt = soc->core[i].interrupt_cycles = 0;
        soc->core[i].lines = 0;
    }
    soc->master = 0;
    *soc->words = '\0';
    soc->rate = (struct clock_rate){0};
    soc->base_cycle = cycle;
    soc->base_ps = now_ps;
    rp2040_new_clock(soc, cycle);
    soc->booted = false;
    soc->boot_cycle = cycle + RP2040_boot_rom;
    rp2040_hold_second(soc);
    if (!by_watchdog) {
        soc->changes = 0;
        soc->out = soc->out_next = (struct pb_node_outputs){.uart0_tx = true};
    }
    rp2040_changed(soc, cycle);
}

/* ---- the run */

/* The cycle at which a change of the outputs comes back through a line. */
static uint64_t seen_cycle(const struct rp2040_output *change)
{
    return change->cycle + 1 + RP2040_synchroniser;
}

/* Processes all cycles before the limit; if `returns`, before one in which an output comes back. Returns the
 * first cycle that it has not processed. */
static uint64_t run(struct rp2040 *soc, uint64_t limit, bool returns)
{
    while (!rp2040_stopped(soc)) {
        if (returns && soc->changes && seen_cycle(soc->change) < limit)
            limit = seen_cycle(soc->change);
        if (!soc->booted) {
            if (soc->boot_cycle >= limit)
                break;
            soc->core[0].cycle = soc->boot_cycle;
            rp2040_boot(soc);
            rp2040_start_second(soc, soc->boot_cycle);
            rp2040_changed(soc, soc->boot_cycle);
            continue;
        }
        const uint64_t others = next_of_others(soc), event = earlier(next_of_pios(soc), others),
                       instruction = rp2040_next_instruction(soc);
        if (event >= limit && instruction >= limit)
            break;
        if (instruction <= event)
            rp2040_run_cores(soc, event < limit ? event + 1 : limit);
        else
            go_on(soc, event, others, earlier(instruction, limit));
    }
    rp2040_bring_sleepers(soc, soc->seen);
    return limit;
}

/* The latest instant of the next call: of a change of the outputs, or of what may lead to one. */
static int64_t next_call(struct rp2040 *soc)
{
    if (soc->changes)
        return rp2040_ps(soc, soc->change[0].cycle);
    if (rp2040_stopped(soc))
        return NEVER_PS;
    if (!soc->booted)
        return rp2040_ps(soc, soc->boot_cycle);
    uint64_t next = earlier(rp2040_pio_next(&soc->pio[0]), rp2040_pio_next(&soc->pio[1]));
    next = earlier(next, soc->uart[0].visible);
    next = earlier(next, soc->uart[1].visible);
    next = earlier(next, next_transfer(soc));
    next = earlier(next, soc->launch.answer);
    next = earlier(next, next_alarm(soc));
    next = earlier(next, rp2040_next_instruction(soc));
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
    rp2040_changed(soc, cycle);
}

static void put_outputs(struct rp2040 *soc, int64_t now_ps, struct pb_node_outputs *out)
{
    unsigned past = 0;
    while (past < soc->changes && rp2040_ps(soc, soc->change[past].cycle) <= now_ps)
        soc->out = soc->change[past++].out;
    soc->changes -= past;
    memmove(soc->change, soc->change + past, soc->changes * sizeof soc->change[0]);
    if (rp2040_stopped(soc)) {
        soc->changes = 0;
        soc->out = (struct pb_node_outputs){.uart0_tx = true};
    }
    *out = soc->out;
}

/* The inputs of a node that pulls these lines itself. */
static struct pb_node_inputs with_own(const struct pb_node_inputs *in, uint16_t own)
{
    struct pb_node_inputs seen = *in;
    seen.line &= (uint16_t)~own;
    return seen;
}

static void see_lines(struct rp2040 *soc, const struct pb_node_inputs *in, uint16_t own)
{
    const struct pb_node_inputs seen = with_own(in, own);
    if (rp2040_stopped(soc) || pads_of(&seen) == soc->pads)
        return;
    rp2040_bring_sleepers(soc, soc->done - 1);
    take_inputs(soc, soc->done, &seen);
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
        reset(soc, soc->done, now_ps, false);
    }
    /* A change of the clock within the run moves the limit. */
    for (uint64_t limit;
         limit = cycle_at(soc, now_ps) + RP2040_synchroniser, !rp2040_stopped(soc) && limit > soc->done;)
        soc->done = run(soc, limit, false);
    see_lines(soc, in, 0);
    put_outputs(soc, now_ps, out);
    return next_call(soc);
}

static int64_t advance_until(struct pb_node *node, int64_t now_ps, int64_t until_ps,
                             const struct pb_node_inputs *in, const struct pb_node_changes *changes)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    struct pb_node_outputs out;

    if (!in->nrst || !soc->powered)
        return pb_node_steps_until(node, soc->out.pull_low, now_ps, until_ps, in, changes);
    struct pb_node_inputs seen = with_own(in, soc->out.pull_low);
    advance(node, now_ps, &seen, &out);
    changes->changed(changes->context, now_ps, &out);
    if (out.pull_low != (in->line & ~seen.line) && now_ps + 1 < until_ps) {
        seen = with_own(in, out.pull_low);
        advance(node, ++now_ps, &seen, &out);
        changes->changed(changes->context, now_ps, &out);
    }
    while (!rp2040_stopped(soc)) {
        const uint64_t limit = cycle_at(soc, until_ps - 1) + RP2040_synchroniser, done = soc->done;
        if (done < limit)
            soc->done = run(soc, limit, true);
        const int64_t at_ps = soc->changes ? rp2040_ps(soc, soc->change[0].cycle) : NEVER_PS;
        if (at_ps < until_ps) {
            put_outputs(soc, at_ps, &out);
            changes->changed(changes->context, at_ps, &out);
            if (at_ps + 1 < until_ps)
                see_lines(soc, in, out.pull_low);
        } else if (soc->done == done) {
            break;
        }
    }
    return next_call(soc);
}

/* Dividers, TIMER and the phase of clk_sys begin anew, so that a run does not depend on its start. */
static void align(struct pb_node *node, int64_t now_ps)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    uint64_t random = soc->seed;
    if (!soc->powered || !soc->booted || rp2040_stopped(soc))
        return;
    const int64_t period_ps = clock_ps(soc->rate, 1);
    const uint64_t cycle = soc->done;
    const int64_t begin_ps = now_ps + (int64_t)(pb_splitmix64(&random) % (uint64_t)period_ps);
    /* Cycles up to `done` are past, though two of them were still to come. */
    soc->base_cycle = cycle;
    soc->base_ps = begin_ps + RP2040_synchroniser * period_ps;
    for (unsigned i = 0; i < RP2040_PIOS; i++)
        rp2040_pio_align(&soc->pio[i], cycle);
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        pb_pl011_align(&soc->uart[i], cycle);
    rp2040_timer_align(&soc->timer, soc->base_ps);
}

static void destroy(struct pb_node *node)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    if (soc->sram)
        munmap(soc->sram, RP2040_RAM_BYTES);
    free(soc->xip.own);
    free(soc->xip.cache);
    free(soc);
}

static const struct pb_node_ops ops = {
    .advance = advance, .align = align, .destroy = destroy, .advance_until = advance_until};

/* ---- making one */

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
    uint32_t settings = 0;
    int error = check(image, config, diag);
    if (!error)
        error = pb_settings_find(image, RP2040_FLASH, RP2040_FLASH_BYTES, &settings, diag);
    if (error)
        return error;
    struct rp2040 *soc = calloc(1, sizeof *soc);
    const uint8_t *flash = rp2040_flash_of(image, RP2040_FLASH);
    /* A page of it takes memory once it is written. */
    void *sram = soc && flash ? mmap(NULL, RP2040_RAM_BYTES, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                              : MAP_FAILED;
    if (sram == MAP_FAILED) {
        free(soc);
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for an RP2040");
    }
    soc->base.ops = &ops;
    soc->image = image;
    soc->sram = sram;
    soc->xip.shared = flash;
    soc->xip.set_miss = config->flash_miss_cycles;
    soc->seed = config->seed;
    soc->clocks.ppm = config->clock_ppm;
    pb_settings_block(config, soc->settings);
    soc->settings_address = settings;
    for (unsigned i = 0; i < RP2040_UARTS; i++)
        pb_pl011_power_up(&soc->uart[i], &uart_kind, 1);
    for (unsigned i = 0; i < RP2040_CORES; i++) {
        soc->core[i].strict = true;
        soc->core[i].costs = &costs;
        soc->core[i].io_base = UINT32_C(0xD0000000);
        soc->core[i].io_bytes = 0x200;
    }
    rp2040_connect(soc);
    *out = &soc->base;
    return PB_OK;
}

/* ---- struct pb_mcu_soc */

/* A fault at what the part has is a gap of the model. */
static bool trapped(const struct pb_node *node, struct pb_mcu_trap *trap, const char **words)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    if (!soc->powered || !rp2040_stopped(soc))
        return false;
    *trap = soc->core[soc->core[0].trap.kind == PB_MCU_NONE].trap;
    *words = *soc->words ? soc->words : NULL;
    const bool outside = trap->kind == PB_MCU_FETCH_FAULT || (trap->kind == PB_MCU_GAP && !*words);
    if (outside && rp2040_lacks(trap->address)) {
        trap->kind = PB_MCU_GAP;
        *words = rp2040_lacks(trap->address);
    }
    return true;
}

static void observe(struct pb_node *node, const struct pb_mcu_probe *probe)
{
    ((struct rp2040 *)node)->probe = *probe;
}

static uint32_t handler(const struct pb_node *node)
{
    return ((const struct rp2040 *)node)->core[0].ipsr;
}

static bool is_wide(uint16_t first)
{
    return first >= 0xE800;
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
    .figures = rp2040_figures,
    .observe = observe,
    .save = rp2040_save,
    .restore = rp2040_restore,
    .registers = pb_arm_gdb_registers,
    .register_count = PB_ARM_GDB_REGISTERS,
    .pc = PB_ARM_GDB_PC,
    .architecture = "arm",
    .read_registers = rp2040_read_registers,
    .write_register = rp2040_write_register,
    .handler = handler,
    .is_wide = is_wide,
    .read_memory = rp2040_read_memory,
    .write_memory = rp2040_write_memory,
};
