/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_pio_machine.h"

#include <string.h>

#define CLKDIV_RESET UINT32_C(0x00010000)
#define EXECCTRL_RESET UINT32_C(0x0001F000)
#define SHIFTCTRL_RESET UINT32_C(0x000C0000)
#define PINCTRL_RESET UINT32_C(0x14000000)

/* Joined both ways, neither FIFO has a word. */
static void join(struct rp2040_pio_machine *m)
{
    const bool tx = m->shiftctrl >> 30 & 1, rx = m->shiftctrl >> 31 & 1;
    m->tx = (struct rp2040_pio_fifo){0, 0, rx ? 0 : tx ? 2 * RP2040_PIO_FIFO : RP2040_PIO_FIFO};
    m->rx = (struct rp2040_pio_fifo){0, 0, tx ? 0 : rx ? 2 * RP2040_PIO_FIFO : RP2040_PIO_FIFO};
}

/* ---- events */

static bool runs(const struct rp2040_pio_machine *m)
{
    return m->enabled || m->now.forced;
}

static void wake(struct rp2040_pio_machine *m, uint64_t cycle)
{
    m->now.stall = PIO_RUNS;
    if (runs(m))
        pio_due_at(m, pio_tick_at(m, cycle));
}

static void wake_if(struct rp2040_pio_machine *m, enum rp2040_pio_stall on, uint64_t cycle)
{
    if (m->now.stall == on)
        wake(m, cycle);
}

/* The flags change; machines see it from `cycle` on. */
static void change_flags(struct rp2040_pio *pio, uint8_t clear, uint8_t set, uint64_t cycle)
{
    pio->flags = (uint8_t)((pio->flags & ~clear) | set);
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        struct rp2040_pio_machine *m = &pio->machine[n];
        if (m->now.stall == PIO_ON_FLAG && (pio->flags >> m->now.stall_index & 1) == m->now.stall_level)
            wake(m, cycle);
    }
}

static void commit_flags(struct rp2040_pio *pio, uint64_t cycle)
{
    if (pio->flags_clear | pio->flags_set)
        change_flags(pio, pio->flags_clear, pio->flags_set, cycle);
    pio->flags_clear = pio->flags_set = 0;
}

uint64_t rp2040_pio_next(const struct rp2040_pio *pio)
{
    uint64_t next = RP2040_NEVER;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
        if (pio->machine[n].next < next)
            next = pio->machine[n].next;
    return next;
}

void rp2040_pio_step(struct rp2040_pio *pio, uint64_t cycle)
{
    unsigned stepped = 0;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
        if (pio->machine[n].next == cycle) {
            stepped |= 1u << n;
            pio_step(pio, n);
        }
    commit_flags(pio, cycle + 1);
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
        if (stepped >> n & 1)
            pio_run_ahead(pio, n);
}

void rp2040_pio_inputs(struct rp2040_pio *pio, uint64_t cycle, uint32_t inputs)
{
    pio->inputs = inputs;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        struct rp2040_pio_machine *m = &pio->machine[n];
        if (m->now.stall == PIO_ON_PIN && (inputs >> m->now.stall_index & 1) == m->now.stall_level)
            wake(m, cycle);
    }
}

void rp2040_pio_align(struct rp2040_pio *pio, uint64_t cycle)
{
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        struct rp2040_pio_machine *m = &pio->machine[n];
        pio_take_back(pio, n, cycle);
        const uint64_t ticks = m->next == RP2040_NEVER ? 0 : m->now.tick - pio_tick_at(m, cycle);
        m->origin = cycle;
        m->now.tick = ticks;
        if (m->next != RP2040_NEVER)
            pio_due_at(m, ticks);
    }
}

void rp2040_pio_reset(struct rp2040_pio *pio, uint64_t cycle)
{
    const uint32_t inputs = pio->inputs;
    memset(pio, 0, sizeof *pio);
    pio->inputs = inputs;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        struct rp2040_pio_machine *m = &pio->machine[n];
        m->clkdiv = CLKDIV_RESET;
        m->execctrl = EXECCTRL_RESET;
        m->shiftctrl = SHIFTCTRL_RESET;
        m->pinctrl = PINCTRL_RESET;
        m->now.osr_count = PIO_WORD_BITS;
        m->origin = cycle;
        m->next = RP2040_NEVER;
        join(m);
    }
}

/* ---- registers */

enum {
    CTRL = 0x00,
    FSTAT = 0x04,
    FDEBUG = 0x08,
    FLEVEL = 0x0C,
    TXF = 0x10,
    RXF = 0x20,
    IRQ = 0x30,
    IRQ_FORCE = 0x34,
    SYNC_BYPASS = 0x38,
    DBG_PADOUT = 0x3C,
    DBG_PADOE = 0x40,
    DBG_CFGINFO = 0x44,
    INSTR_MEM = 0x48,
    SM = 0xC8,
    SM_BYTES = 0x18,
    INTR = 0x128,
    INT0 = 0x12C, /* enable, force, status; the same of the second output after it */
    INT_BYTES = 0x0C,
    END = 0x144
};
enum {
    SM_CLKDIV = 0x00,
    SM_EXECCTRL = 0x04,
    SM_SHIFTCTRL = 0x08,
    SM_ADDR = 0x0C,
    SM_INSTR = 0x10,
    SM_PINCTRL = 0x14
};
#define CFGINFO UINT32_C(0x00200404) /* 32 words, 4 machines, FIFOs of 4 words */

static uint32_t raw_interrupts_of(const struct rp2040_pio *pio, uint32_t mask)
{
    uint32_t raw = (uint32_t)(pio->flags & 0xF) << 8;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        if (mask >> n & 1)
            raw |= (uint32_t)(pio->machine[n].rx.used > 0) << n;
        if (mask >> (4 + n) & 1)
            raw |= (uint32_t)!pio_full(&pio->machine[n].tx) << (4 + n);
    }
    return raw & mask;
}

static uint32_t raw_interrupts(const struct rp2040_pio *pio)
{
    return raw_interrupts_of(pio, UINT32_MAX);
}

unsigned rp2040_pio_lines(const struct rp2040_pio *pio)
{
    if (!(pio->enable[0] | pio->enable[1] | pio->force[0] | pio->force[1]))
        return 0;
    const uint32_t raw = raw_interrupts_of(pio, pio->enable[0] | pio->enable[1]);
    unsigned lines = 0;
    for (unsigned i = 0; i < 2; i++)
        lines |= (unsigned)(((raw & pio->enable[i]) | pio->force[i]) != 0) << i;
    return lines;
}

static uint32_t fifo_status(const struct rp2040_pio *pio)
{
    uint32_t status = 0;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        const struct rp2040_pio_machine *m = &pio->machine[n];
        status |= ((uint32_t)pio_full(&m->rx) | (uint32_t)(m->rx.used == 0) << 8 |
                   (uint32_t)pio_full(&m->tx) << 16 | (uint32_t)(m->tx.used == 0) << 24)
                  << n;
    }
    return status;
}

static uint32_t fifo_levels(const struct rp2040_pio *pio)
{
    uint32_t levels = 0;
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
        levels |= ((uint32_t)pio->machine[n].tx.used | (uint32_t)pio->machine[n].rx.used << 4) << 8 * n;
    return levels;
}

static uint32_t read_machine(struct rp2040_pio *pio, uint64_t cycle, unsigned n, uint32_t offset)
{
    const struct rp2040_pio_machine *m = &pio->machine[n];
    switch (offset) {
    case SM_CLKDIV:
        return m->clkdiv;
    case SM_EXECCTRL:
        return m->execctrl | (m->now.forced ? EXEC_STALLED : 0);
    case SM_SHIFTCTRL:
        return m->shiftctrl;
    case SM_PINCTRL:
        return m->pinctrl;
    case SM_ADDR:
        pio_take_back(pio, n, cycle);
        return m->now.pc;
    default:
        pio_take_back(pio, n, cycle);
        return m->now.forced ? m->now.instruction : pio->program[m->now.pc];
    }
}

uint32_t rp2040_pio_peek(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset)
{
    uint32_t value = 0;
    if (offset >= INSTR_MEM && offset < SM)
        return 0; /* write-only */
    if (offset >= SM && offset < INTR)
        return read_machine(pio, cycle, (offset - SM) / SM_BYTES, (offset - SM) % SM_BYTES);
    switch (offset) {
    case CTRL:
        for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
            value |= (uint32_t)pio->machine[n].enabled << n;
        return value;
    case FSTAT:
        return fifo_status(pio);
    case FDEBUG:
        return pio->debug;
    case FLEVEL:
        return fifo_levels(pio);
    case IRQ:
        return pio->flags;
    case DBG_PADOUT:
        return pio->out;
    case DBG_PADOE:
        return pio->oe;
    case DBG_CFGINFO:
        return CFGINFO;
    case INTR:
        return raw_interrupts(pio);
    default:
        break;
    }
    if (offset < INT0 || offset >= END)
        return 0;
    const unsigned i = (offset - INT0) / INT_BYTES;
    switch ((offset - INT0) % INT_BYTES) {
    case 0:
        return pio->enable[i];
    case 4:
        return pio->force[i];
    default:
        return (raw_interrupts(pio) & pio->enable[i]) | pio->force[i];
    }
}

uint32_t rp2040_pio_read(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset)
{
    if (offset < RXF || offset >= RXF + 4 * RP2040_PIO_MACHINES)
        return rp2040_pio_peek(pio, cycle, offset);
    const unsigned n = (offset - RXF) / 4;
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (m->rx.used == 0) {
        pio->debug |= UINT32_C(1) << (8 + n); /* RXUNDER */
        return 0;
    }
    const uint32_t word = pio_take(&m->rx, pio_rx_words(m));
    wake_if(m, PIO_ON_RX, cycle);
    return word;
}

static void write_fifo(struct rp2040_pio *pio, uint64_t cycle, unsigned n, uint32_t value)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (pio_full(&m->tx)) {
        pio->debug |= UINT32_C(1) << (16 + n); /* TXOVER */
        return;
    }
    pio_put(&m->tx, m->fifo_words, value);
    if (m->now.stall == PIO_ON_TX)
        wake(m, cycle);
    else
        pio_refill(pio, n);
}

/* Clears counters, ISR, delay, and a stall with what was forced; PC, OSR, X and Y remain. */
static void restart(struct rp2040_pio_machine *m, uint64_t cycle)
{
    m->now.isr = 0;
    m->now.isr_count = 0;
    m->now.osr_count = PIO_WORD_BITS;
    m->now.irq_waits = m->now.forced = false;
    m->now.stall = PIO_RUNS;
    m->left = 0;
    m->next = RP2040_NEVER;
    if (m->enabled)
        pio_due_at(m, pio_tick_at(m, cycle + 1));
}

static void enable(struct rp2040_pio_machine *m, uint64_t cycle, bool on)
{
    if (m->enabled == on)
        return;
    m->enabled = on;
    if (on) {
        m->now.stall = PIO_RUNS; /* what it waited for may have come */
        pio_due_at(m, pio_tick_at(m, cycle + 1) + m->left);
        m->left = 0;
    } else {
        const uint64_t tick = pio_tick_at(m, cycle + 1);
        m->left = m->next != RP2040_NEVER && m->now.tick > tick ? m->now.tick - tick : 0;
        if (!m->now.forced)
            m->next = RP2040_NEVER;
    }
}

static void write_control(struct rp2040_pio *pio, uint64_t cycle, uint32_t value)
{
    for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++) {
        struct rp2040_pio_machine *m = &pio->machine[n];
        const bool on = value >> n & 1, clears = value >> (4 + n) & 1, clock = value >> (8 + n) & 1;
        if (m->enabled == on && !clears && !clock)
            continue;
        pio_take_back(pio, n, cycle);
        enable(m, cycle, on);
        if (clock) {
            const bool due = m->next != RP2040_NEVER;
            const uint64_t ticks = due ? m->now.tick - pio_tick_at(m, cycle + 1) : 0;
            m->origin = cycle + 1;
            m->now.tick = 0;
            if (due)
                pio_due_at(m, ticks);
        }
        if (clears)
            restart(m, cycle);
        pio_refill(pio, n);
    }
}

/* Executes an instruction now, even of a machine that is disabled. */
static void write_instruction(struct rp2040_pio *pio, uint64_t cycle, unsigned n, uint16_t instruction)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    uint8_t pc = m->now.pc;

    m->now.forced = m->now.irq_waits = false;
    const bool stalled = m->now.stall != PIO_RUNS;
    const bool done = pio_execute(pio, n, instruction, &pc);
    commit_flags(pio, cycle + 1);
    if (done) {
        m->now.pc = pc;
        if (stalled)
            wake(m, cycle + 1);
    } else {
        m->now.forced = true;
        m->now.instruction = instruction;
        m->next = RP2040_NEVER;
        if (m->now.stall == PIO_RUNS)
            pio_due_at(m, pio_tick_at(m, cycle + 1));
    }
    pio_refill(pio, n);
}

static void write_machine(struct rp2040_pio *pio, uint64_t cycle, unsigned n, uint32_t offset, uint32_t value)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    uint64_t ticks = 0;

    pio_take_back(pio, n, cycle);
    switch (offset) {
    case SM_CLKDIV:
        if (m->next != RP2040_NEVER)
            ticks = m->now.tick - pio_tick_at(m, cycle);
        m->clkdiv = value & UINT32_C(0xFFFFFF00);
        m->origin = cycle;
        m->now.tick = 0;
        if (m->next != RP2040_NEVER)
            pio_due_at(m, ticks);
        break;
    case SM_EXECCTRL:
        if (value & EXEC_OUT_STICKY)
            pio->trap = "PIO OUT_STICKY";
        m->execctrl = value & ~EXEC_STALLED;
        break;
    case SM_SHIFTCTRL: {
        const bool joins = ((m->shiftctrl ^ value) & SHIFT_JOIN) != 0;
        m->shiftctrl = value & UINT32_C(0xFFFF0000);
        if (joins) {
            join(m);
            wake_if(m, PIO_ON_RX, cycle);
        }
        pio_refill(pio, n);
        break;
    }
    case SM_INSTR:
        write_instruction(pio, cycle, n, (uint16_t)value);
        break;
    case SM_PINCTRL:
        m->pinctrl = value;
        wake_if(m, PIO_ON_PIN, cycle); /* it may wait for another pin now */
        break;
    default:
        break; /* ADDR is read-only */
    }
}

void rp2040_pio_write(struct rp2040_pio *pio, uint64_t cycle, uint32_t offset, uint32_t value)
{
    if (offset >= INSTR_MEM && offset < SM) {
        for (unsigned n = 0; n < RP2040_PIO_MACHINES; n++)
            pio_take_back(pio, n, cycle);
        pio->program[(offset - INSTR_MEM) / 4] = (uint16_t)value;
    } else if (offset >= SM && offset < INTR) {
        write_machine(pio, cycle, (offset - SM) / SM_BYTES, (offset - SM) % SM_BYTES, value);
    } else if (offset >= TXF && offset < RXF) {
        write_fifo(pio, cycle, (offset - TXF) / 4, value);
    } else if (offset >= INT0 && offset < END) {
        const unsigned i = (offset - INT0) / INT_BYTES;
        if ((offset - INT0) % INT_BYTES == 0)
            pio->enable[i] = value & 0xFFF;
        else if ((offset - INT0) % INT_BYTES == 4)
            pio->force[i] = value & 0xFFF;
    } else if (offset == CTRL) {
        write_control(pio, cycle, value);
    } else if (offset == FDEBUG) {
        pio->debug &= ~value;
    } else if (offset == IRQ) {
        change_flags(pio, (uint8_t)value, 0, cycle);
    } else if (offset == IRQ_FORCE) {
        change_flags(pio, 0, (uint8_t)value, cycle);
    } else if (offset == SYNC_BYPASS && value) {
        pio->trap = "PIO INPUT_SYNC_BYPASS";
    }
}
