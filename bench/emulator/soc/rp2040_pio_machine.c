/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_pio_machine.h"

#include <stddef.h>

enum { AHEAD_STEPS = 64, NOP = 0xA042 /* mov y, y, without its delay */ };
#define GPIO_MASK UINT32_C(0x3FFFFFFF)

enum operation { OP_JMP, OP_WAIT, OP_IN, OP_OUT, OP_PUSH_PULL, OP_MOV, OP_IRQ, OP_SET };
enum place { PINS, X, Y, NULL_ZEROS, PINDIRS, PC, ISR, OSR_OR_EXEC };
/* MOV has two places of other meaning. */
enum { MOV_EXEC = 4, MOV_STATUS = 5 };

static enum operation operation(uint16_t instruction)
{
    return instruction >> 13;
}

static uint32_t low_bits(unsigned bits)
{
    return bits >= PIO_WORD_BITS ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static uint32_t rotate_left(uint32_t value, unsigned by)
{
    return by % PIO_WORD_BITS ? value << by % PIO_WORD_BITS | value >> (PIO_WORD_BITS - by % PIO_WORD_BITS)
                              : value;
}

static unsigned threshold(uint32_t field)
{
    return (field & 0x1F) ? field & 0x1F : PIO_WORD_BITS;
}

static unsigned push_threshold(const struct rp2040_pio_machine *m)
{
    return threshold(m->shiftctrl >> 20);
}

static unsigned pull_threshold(const struct rp2040_pio_machine *m)
{
    return threshold(m->shiftctrl >> 25);
}

/* ---- the divided clock */

/* Divisor in 1/256 cycles; an integer part of 0 is 65,536. */
static uint64_t divisor(const struct rp2040_pio_machine *m)
{
    const uint64_t whole = m->clkdiv >> 16;
    return (whole ? whole << 8 : UINT64_C(65536) << 8) + (m->clkdiv >> 8 & 0xFF);
}

static uint64_t pio_cycle_of(const struct rp2040_pio_machine *m, uint64_t tick)
{
    return m->origin + (tick * divisor(m) >> 8);
}

/* The first tick at or after a cycle. */
uint64_t pio_tick_at(const struct rp2040_pio_machine *m, uint64_t cycle)
{
    if (cycle <= m->origin)
        return 0;
    return (((cycle - m->origin) << 8) + divisor(m) - 1) / divisor(m);
}

void pio_due_at(struct rp2040_pio_machine *m, uint64_t tick)
{
    m->now.tick = tick;
    m->next = pio_cycle_of(m, tick);
}

/* ---- FIFOs */

void pio_put(struct rp2040_pio_fifo *fifo, uint32_t *words, uint32_t word)
{
    words[(fifo->first + fifo->used++) % fifo->depth] = word;
}

uint32_t pio_take(struct rp2040_pio_fifo *fifo, const uint32_t *words)
{
    const uint32_t word = words[fifo->first];
    fifo->first = (uint8_t)((fifo->first + 1) % fifo->depth);
    fifo->used--;
    return word;
}

uint32_t *pio_rx_words(struct rp2040_pio_machine *m)
{
    return m->fifo_words + m->tx.depth;
}

/* ---- one instruction */

static void drive(uint32_t *pins, unsigned base, unsigned count, uint32_t value)
{
    const uint32_t mask = rotate_left(low_bits(count), base) & GPIO_MASK;
    *pins = (*pins & ~mask) | (rotate_left(value, base) & mask);
}

static uint32_t in_pins(const struct rp2040_pio *pio, const struct rp2040_pio_machine *m)
{
    return rotate_left(pio->inputs, PIO_WORD_BITS - PINS_IN_BASE(m));
}

static unsigned flag_index(unsigned n, unsigned field)
{
    return field & 0x10 ? (field & 4) | ((field + n) & 3) : field & 7;
}

static bool stall(struct rp2040_pio_machine *m, enum rp2040_pio_stall on, unsigned index, bool level)
{
    m->now.stall = on;
    m->now.stall_index = (uint8_t)index;
    m->now.stall_level = level;
    return false;
}

static bool jump_taken(const struct rp2040_pio *pio, struct rp2040_pio_machine *m, unsigned condition)
{
    struct rp2040_pio_state *s = &m->now;
    switch (condition) {
    case 1:
        return s->x == 0;
    case 2:
        return s->x-- != 0;
    case 3:
        return s->y == 0;
    case 4:
        return s->y-- != 0;
    case 5:
        return s->x != s->y;
    case 6:
        return pio->inputs >> EXEC_JMP_PIN(m) & 1;
    case 7:
        return s->osr_count < pull_threshold(m);
    default:
        return true;
    }
}

/* Each returns false if the machine stalls. *pc is the next instruction of the program. */

static bool do_wait(struct rp2040_pio *pio, unsigned n, uint16_t instruction)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    const bool level = instruction >> 7 & 1;
    const unsigned source = instruction >> 5 & 3, field = instruction & 0x1F;

    if (source == 3) {
        pio->trap = "a reserved PIO instruction (WAIT)";
        return true;
    }
    if (source == 2) {
        const unsigned flag = flag_index(n, field);
        if ((pio->flags >> flag & 1) != level)
            return stall(m, PIO_ON_FLAG, flag, level);
        if (level)
            pio->flags_clear |= (uint8_t)(1u << flag);
        return true;
    }
    const unsigned pin = source == 0 ? field : (field + PINS_IN_BASE(m)) % PIO_WORD_BITS;
    if ((pio->inputs >> pin & 1) != level)
        return stall(m, PIO_ON_PIN, pin, level);
    return true;
}

static bool push(struct rp2040_pio *pio, unsigned n, bool block)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (pio_full(&m->rx)) {
        pio->debug |= UINT32_C(1) << n; /* RXSTALL */
        if (block)
            return stall(m, PIO_ON_RX, 0, false);
    } else {
        pio_put(&m->rx, pio_rx_words(m), m->now.isr);
    }
    m->now.isr = 0;
    m->now.isr_count = 0;
    return true;
}

static bool pull(struct rp2040_pio *pio, unsigned n, bool block)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (m->tx.used == 0) {
        if (block) {
            pio->debug |= UINT32_C(1) << (24 + n); /* TXSTALL */
            return stall(m, PIO_ON_TX, 0, false);
        }
        m->now.osr = m->now.x;
    } else {
        m->now.osr = pio_take(&m->tx, m->fifo_words);
    }
    m->now.osr_count = 0;
    return true;
}

static bool do_in(struct rp2040_pio *pio, unsigned n, uint16_t instruction)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    struct rp2040_pio_state *s = &m->now;
    const unsigned bits = threshold(instruction);
    const unsigned count = s->isr_count + bits > PIO_WORD_BITS ? PIO_WORD_BITS : s->isr_count + bits;
    uint32_t data = 0;

    if (SHIFT_AUTOPUSH(m) && count >= push_threshold(m) && pio_full(&m->rx)) {
        pio->debug |= UINT32_C(1) << n;
        return stall(m, PIO_ON_RX, 0, false);
    }
    switch (instruction >> 5 & 7) {
    case PINS:
        data = in_pins(pio, m);
        break;
    case X:
        data = s->x;
        break;
    case Y:
        data = s->y;
        break;
    case NULL_ZEROS:
        break;
    case ISR:
        data = s->isr;
        break;
    case OSR_OR_EXEC:
        data = s->osr;
        break;
    default:
        pio->trap = "a reserved PIO instruction (IN)";
        break;
    }
    data &= low_bits(bits);
    if (bits == PIO_WORD_BITS)
        s->isr = data;
    else if (SHIFT_IN_RIGHT(m))
        s->isr = s->isr >> bits | data << (PIO_WORD_BITS - bits);
    else
        s->isr = s->isr << bits | data;
    s->isr_count = (uint8_t)count;
    return !SHIFT_AUTOPUSH(m) || count < push_threshold(m) || push(pio, n, true);
}

static void out_to_pins(struct rp2040_pio *pio, const struct rp2040_pio_machine *m, uint32_t value)
{
    if (!EXEC_INLINE_ENABLE(m) || value >> EXEC_ENABLE_BIT(m) & 1)
        drive(&pio->out, PINS_OUT_BASE(m), PINS_OUT_COUNT(m), value);
}

static void force(struct rp2040_pio_machine *m, uint32_t instruction)
{
    m->now.forced = true;
    m->now.instruction = (uint16_t)instruction;
}

static bool do_out(struct rp2040_pio *pio, unsigned n, uint16_t instruction, uint8_t *pc)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    struct rp2040_pio_state *s = &m->now;
    const unsigned bits = threshold(instruction);

    if (SHIFT_AUTOPULL(m) && s->osr_count >= pull_threshold(m)) {
        if (m->tx.used == 0) {
            pio->debug |= UINT32_C(1) << (24 + n);
            return stall(m, PIO_ON_TX, 0, false);
        }
        /* The refill takes a cycle of its own, in which OUT stalls. */
        pull(pio, n, true);
        s->stall = PIO_RUNS;
        return false;
    }
    const uint32_t data = (SHIFT_OUT_RIGHT(m) ? s->osr : s->osr >> (PIO_WORD_BITS - bits)) & low_bits(bits);
    if (bits == PIO_WORD_BITS)
        s->osr = 0;
    else
        s->osr = SHIFT_OUT_RIGHT(m) ? s->osr >> bits : s->osr << bits;
    s->osr_count = (uint8_t)(s->osr_count + bits > PIO_WORD_BITS ? PIO_WORD_BITS : s->osr_count + bits);
    switch (instruction >> 5 & 7) {
    case PINS:
        out_to_pins(pio, m, data);
        break;
    case X:
        s->x = data;
        break;
    case Y:
        s->y = data;
        break;
    case NULL_ZEROS:
        break;
    case PINDIRS:
        drive(&pio->oe, PINS_OUT_BASE(m), PINS_OUT_COUNT(m), data);
        break;
    case PC:
        *pc = data & 0x1F;
        break;
    case ISR:
        s->isr = data;
        s->isr_count = (uint8_t)bits;
        break;
    default:
        force(m, data);
        break;
    }
    return true;
}

static bool do_push_pull(struct rp2040_pio *pio, unsigned n, uint16_t instruction)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    const bool pulls = instruction >> 7 & 1, if_due = instruction >> 6 & 1, block = instruction >> 5 & 1;

    if (instruction & 0x1F)
        pio->trap = "a reserved PIO instruction (PUSH or PULL)";
    if (!pulls)
        return (if_due && m->now.isr_count < push_threshold(m)) || push(pio, n, block);
    /* With autopull a PULL of a full OSR does nothing. */
    if ((if_due || SHIFT_AUTOPULL(m)) && m->now.osr_count < pull_threshold(m))
        return true;
    return pull(pio, n, block);
}

static uint32_t reversed(uint32_t value)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < PIO_WORD_BITS; bit++)
        result |= (value >> bit & 1) << (PIO_WORD_BITS - 1 - bit);
    return result;
}

static void do_mov(struct rp2040_pio *pio, unsigned n, uint16_t instruction, uint8_t *pc)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    struct rp2040_pio_state *s = &m->now;
    uint32_t value = 0;

    switch (instruction & 7) {
    case PINS:
        value = in_pins(pio, m);
        break;
    case X:
        value = s->x;
        break;
    case Y:
        value = s->y;
        break;
    case NULL_ZEROS:
        break;
    case MOV_STATUS:
        value = (EXEC_STATUS_RX(m) ? m->rx.used : m->tx.used) < EXEC_STATUS_N(m) ? UINT32_MAX : 0;
        break;
    case ISR:
        value = s->isr;
        break;
    case OSR_OR_EXEC:
        value = s->osr;
        break;
    default:
        pio->trap = "a reserved PIO instruction (MOV)";
        break;
    }
    switch (instruction >> 3 & 3) {
    case 1:
        value = ~value;
        break;
    case 2:
        value = reversed(value);
        break;
    case 3:
        pio->trap = "a reserved PIO instruction (MOV)";
        break;
    default:
        break;
    }
    switch (instruction >> 5 & 7) {
    case PINS:
        out_to_pins(pio, m, value);
        break;
    case X:
        s->x = value;
        break;
    case Y:
        s->y = value;
        break;
    case MOV_EXEC:
        force(m, value);
        break;
    case PC:
        *pc = value & 0x1F;
        break;
    case ISR:
        s->isr = value;
        s->isr_count = 0;
        break;
    case OSR_OR_EXEC:
        s->osr = value;
        s->osr_count = 0;
        break;
    default:
        pio->trap = "a reserved PIO instruction (MOV)";
        break;
    }
}

static bool do_irq(struct rp2040_pio *pio, unsigned n, uint16_t instruction)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    const unsigned flag = flag_index(n, instruction & 0x1F);
    const uint8_t mask = (uint8_t)(1u << flag);
    const bool clears = instruction >> 6 & 1, waits = instruction >> 5 & 1;

    if (clears) {
        pio->flags_clear |= mask;
        return true;
    }
    if (!m->now.irq_waits) {
        pio->flags_set |= mask;
        m->now.irq_waits = waits;
        return !waits || stall(m, PIO_ON_FLAG, flag, false);
    }
    if (pio->flags & mask)
        return stall(m, PIO_ON_FLAG, flag, false);
    m->now.irq_waits = false;
    return true;
}

static void do_set(struct rp2040_pio *pio, struct rp2040_pio_machine *m, uint16_t instruction)
{
    const uint32_t value = instruction & 0x1F;
    switch (instruction >> 5 & 7) {
    case PINS:
        drive(&pio->out, PINS_SET_BASE(m), PINS_SET_COUNT(m), value);
        break;
    case X:
        m->now.x = value;
        break;
    case Y:
        m->now.y = value;
        break;
    case PINDIRS:
        drive(&pio->oe, PINS_SET_BASE(m), PINS_SET_COUNT(m), value);
        break;
    default:
        pio->trap = "a reserved PIO instruction (SET)";
        break;
    }
}

/* The five bits of delay and side-set. Returns the delay. */
static unsigned side_set(struct rp2040_pio *pio, const struct rp2040_pio_machine *m, uint16_t instruction,
                         bool apply)
{
    unsigned count = PINS_SIDE_COUNT(m) > 5 ? 5 : PINS_SIDE_COUNT(m);
    const unsigned field = instruction >> 8 & 0x1F, delay = field & low_bits(5 - count);
    unsigned value = field >> (5 - count);

    if (count && EXEC_SIDE_ENABLE(m)) {
        count--;
        apply = apply && value >> count & 1;
    }
    if (apply && count)
        drive(EXEC_SIDE_PINDIRS(m) ? &pio->oe : &pio->out, PINS_SIDE_BASE(m), count, value);
    return delay;
}

/* Executes one instruction in the current cycle. Returns false if the machine stalls. */
bool pio_execute(struct rp2040_pio *pio, unsigned n, uint16_t instruction, uint8_t *pc)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    bool done = true;

    m->now.stall = PIO_RUNS;
    switch (operation(instruction)) {
    case OP_JMP:
        if (jump_taken(pio, m, instruction >> 5 & 7))
            *pc = instruction & 0x1F;
        break;
    case OP_WAIT:
        done = do_wait(pio, n, instruction);
        break;
    case OP_IN:
        done = do_in(pio, n, instruction);
        break;
    case OP_OUT:
        done = do_out(pio, n, instruction, pc);
        break;
    case OP_PUSH_PULL:
        done = do_push_pull(pio, n, instruction);
        break;
    case OP_MOV:
        do_mov(pio, n, instruction, pc);
        break;
    case OP_IRQ:
        done = do_irq(pio, n, instruction);
        break;
    case OP_SET:
        do_set(pio, m, instruction);
        break;
    }
    /* Side-set wins over the instruction's own write of a pin, and acts while it stalls, too. */
    side_set(pio, m, instruction, true);
    return done;
}

/* With autopull an OSR that is empty is filled when the FIFO has a word, in whatever the machine does. */
void pio_refill(struct rp2040_pio *pio, unsigned n)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (SHIFT_AUTOPULL(m) && m->enabled && m->now.osr_count >= pull_threshold(m) && m->tx.used)
        pull(pio, n, true);
}

static uint8_t after(const struct rp2040_pio_machine *m, uint8_t pc)
{
    return pc == EXEC_WRAP_TOP(m) ? EXEC_WRAP_BOTTOM(m) : (pc + 1) & 0x1F;
}

/* One step at the machine's tick. */
void pio_step(struct rp2040_pio *pio, unsigned n)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    struct rp2040_pio_state *s = &m->now;
    const bool forced = s->forced;
    const uint16_t instruction = forced ? s->instruction : pio->program[s->pc];
    uint8_t pc = forced ? s->pc : after(m, s->pc);

    s->forced = false;
    if (!pio_execute(pio, n, instruction, &pc)) {
        s->forced = forced;
        pio_due_at(m, s->tick + 1);
        if (s->stall != PIO_RUNS)
            m->next = RP2040_NEVER;
        return;
    }
    s->pc = pc;
    /* The delay of an instruction that forces another one is not waited. */
    pio_due_at(m, s->tick + 1 + (s->forced ? 0 : side_set(pio, m, instruction, false)));
    pio_refill(pio, n);
}

/* ---- steps that nothing outside sees */

/* True: the instruction neither reads nor changes anything but registers of its machine, which has neither
 * side-set nor autopull: these drive pins, or take a word of the FIFO. */
static bool is_private(const struct rp2040_pio_machine *m, uint16_t instruction)
{
    const unsigned field = instruction >> 5 & 7;
    switch (operation(instruction)) {
    case OP_JMP:
        return field != 6;
    case OP_IN:
        return !SHIFT_AUTOPUSH(m) && field != PINS;
    case OP_OUT:
        return field != PINS && field != PINDIRS && field != OSR_OR_EXEC;
    case OP_MOV:
        return field != PINS && field != MOV_EXEC && (instruction & 7) != PINS &&
               (instruction & 7) != MOV_STATUS;
    case OP_SET:
        return field == X || field == Y;
    default:
        return false;
    }
}

void pio_run_ahead(struct rp2040_pio *pio, unsigned n)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    struct rp2040_pio_state *s = &m->now;
    uint16_t instruction;
    m->ahead = false;
    if (m->next == RP2040_NEVER || s->forced || PINS_SIDE_COUNT(m) || SHIFT_AUTOPULL(m))
        return;
    for (uint32_t steps = 0; steps < AHEAD_STEPS && is_private(m, instruction = pio->program[s->pc]);) {
        if (!m->ahead)
            m->before = *s;
        m->ahead = true;
        /* As pio_step: it neither stalls nor forces an instruction. */
        const unsigned field = instruction >> 5 & 7;
        uint32_t *const counter = field == 2 ? &s->x : field == 4 ? &s->y : NULL;
        uint32_t times = 1;
        uint8_t pc = after(m, s->pc);
        if (operation(instruction) != OP_JMP) {
            if ((instruction & 0xE0FF) != NOP)
                pio_execute(pio, n, instruction, &pc);
        } else if (counter && *counter && (instruction & 0x1F) == s->pc) {
            /* A delay: it jumps to itself until its register is 0. */
            times = *counter < AHEAD_STEPS - steps ? *counter : AHEAD_STEPS - steps;
            *counter -= times;
            pc = s->pc;
        } else if (jump_taken(pio, m, field)) {
            pc = instruction & 0x1F;
        }
        s->pc = pc;
        s->tick += times * (uint64_t)(1 + (instruction >> 8 & 0x1F));
        steps += times;
    }
    if (m->ahead)
        pio_due_at(m, s->tick);
}

/* Takes back what a machine did ahead of `cycle`. */
void pio_take_back(struct rp2040_pio *pio, unsigned n, uint64_t cycle)
{
    struct rp2040_pio_machine *m = &pio->machine[n];
    if (!m->ahead)
        return;
    m->ahead = false;
    m->now = m->before;
    m->next = pio_cycle_of(m, m->now.tick);
    while (m->next < cycle)
        pio_step(pio, n);
}
