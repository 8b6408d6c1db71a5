/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_sio.h"

#include <string.h>

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) TIME_##name = number,
#include "bench/emulator/soc/rp2040_timing.def"
#undef RP2040_TIMING
};
enum {
    FIFO_ST = 0x50,
    FIFO_WR = 0x54,
    FIFO_RD = 0x58,
    SPINLOCK_ST = 0x5C,
    DIV_UDIVIDEND = 0x60,
    DIV_UDIVISOR = 0x64,
    DIV_SDIVIDEND = 0x68,
    DIV_SDIVISOR = 0x6C,
    DIV_QUOTIENT = 0x70,
    DIV_REMAINDER = 0x74,
    DIV_CSR = 0x78,
    INTERP0 = 0x80,
    INTERP1 = 0xC0,
    SPINLOCK0 = 0x100,
    SIO_END = 0x180
};

void rp2040_sio_reset(struct rp2040_sio *sio)
{
    memset(sio, 0, sizeof *sio);
}

/* ---- FIFOs */

enum { ST_VALID = 1, ST_READY = 2, ST_FULL = 4, ST_EMPTY = 8 };

bool rp2040_sio_push(struct rp2040_sio *sio, unsigned to, uint32_t word)
{
    struct rp2040_sio_fifo *fifo = &sio->core[to].in;
    if (fifo->used == RP2040_SIO_FIFO)
        return false;
    fifo->word[(fifo->first + fifo->used++) % RP2040_SIO_FIFO] = word;
    return true;
}

bool rp2040_sio_pop(struct rp2040_sio *sio, unsigned of, uint32_t *word)
{
    struct rp2040_sio_fifo *fifo = &sio->core[of].in;
    if (!fifo->used)
        return false;
    *word = fifo->word[fifo->first];
    fifo->first = (uint8_t)((fifo->first + 1) % RP2040_SIO_FIFO);
    fifo->used--;
    return true;
}

static uint32_t fifo_status(const struct rp2040_sio *sio, unsigned core)
{
    const struct rp2040_sio_core *own = &sio->core[core];
    return (own->in.used ? ST_VALID : 0u) | (sio->core[!core].in.used < RP2040_SIO_FIFO ? ST_READY : 0u) |
           (own->full ? ST_FULL : 0u) | (own->empty ? ST_EMPTY : 0u);
}

bool rp2040_sio_line(const struct rp2040_sio *sio, unsigned core)
{
    return fifo_status(sio, core) & (ST_VALID | ST_FULL | ST_EMPTY);
}

/* ---- the divider */

static uint32_t result(struct rp2040_sio *sio, uint64_t cycle, const struct rp2040_divider *divider,
                       uint32_t value)
{
    if (cycle < divider->ready)
        sio->misuse = "a result of the divider before it is ready";
    return value;
}

static uint32_t read_divider(struct rp2040_sio *sio, unsigned core, uint64_t cycle, uint32_t offset)
{
    struct rp2040_divider *divider = &sio->core[core].divider;
    switch (offset) {
    case DIV_UDIVIDEND:
    case DIV_SDIVIDEND:
        return divider->dividend;
    case DIV_UDIVISOR:
    case DIV_SDIVISOR:
        return divider->divisor;
    case DIV_QUOTIENT:
        divider->dirty = false;
        return result(sio, cycle, divider, divider->quotient);
    case DIV_REMAINDER:
        return result(sio, cycle, divider, divider->remainder);
    default:
        return (uint32_t)(cycle >= divider->ready) | (uint32_t)divider->dirty << 1;
    }
}

/* By zero the quotient is -1, or 1 for a negative dividend, and the remainder the dividend. */
static void divide(struct rp2040_divider *divider)
{
    const uint32_t a = divider->dividend, b = divider->divisor;
    const bool negative_a = divider->is_signed && a >> 31, negative_b = divider->is_signed && b >> 31;
    const uint32_t ua = negative_a ? 0 - a : a, ub = negative_b ? 0 - b : b;
    if (!b) {
        divider->quotient = negative_a ? 1 : UINT32_MAX;
        divider->remainder = a;
        return;
    }
    divider->quotient = negative_a != negative_b ? 0 - ua / ub : ua / ub;
    divider->remainder = negative_a ? 0 - ua % ub : ua % ub;
}

static void write_divider(struct rp2040_divider *divider, uint64_t cycle, uint32_t offset, uint32_t value)
{
    divider->dirty = true;
    if (offset >= DIV_QUOTIENT) { /* restores what a context switch has saved: it is ready */
        *(offset == DIV_QUOTIENT ? &divider->quotient : &divider->remainder) = value;
        divider->ready = cycle;
        return;
    }
    if (offset == DIV_UDIVIDEND || offset == DIV_SDIVIDEND)
        divider->dividend = value;
    else
        divider->divisor = value;
    divider->is_signed = offset >= DIV_SDIVIDEND;
    divider->ready = cycle + TIME_divider;
    divide(divider);
}

/* ---- the interpolators */

enum { ACCUM0 = 0, BASE0 = 2, POP_LANE0 = 5, PEEK_LANE0 = 8, PEEK_FULL = 10, CTRL_LANE0 = 11 };
enum { ACCUM0_ADD = 13, BASE_1AND0 = 15, INTERPS = 16 };
#define LANE_SIGNED UINT32_C(0x8000)
#define LANE_CROSS_INPUT UINT32_C(0x10000)
#define LANE_CROSS_RESULT UINT32_C(0x20000)
#define LANE_ADD_RAW UINT32_C(0x40000)
#define LANE_FORCE_MSB(x) ((x) >> 19 & 3)
#define LANE0_BLEND UINT32_C(0x200000)
#define LANE1_CLAMP UINT32_C(0x400000)

/* Shifted and masked; signed: extended from the mask's highest bit. Not of CROSS_INPUT in the accumulator. */
static uint32_t masked(const struct rp2040_interp *interp, unsigned lane)
{
    const uint32_t ctrl = interp->ctrl[lane], shift = ctrl & 31, low = ctrl >> 5 & 31, high = ctrl >> 10 & 31;
    const uint32_t input = interp->accumulator[lane ^ (ctrl & LANE_CROSS_INPUT ? 1u : 0u)] >> shift;
    const uint32_t mask = (UINT32_MAX >> (31 - high)) & (UINT32_MAX << low);
    const uint32_t value = input & mask;
    return ctrl & LANE_SIGNED && value >> high & 1 ? value | (high < 31 ? UINT32_MAX << (high + 1) : 0)
                                                   : value;
}

static uint32_t unshifted(const struct rp2040_interp *interp, unsigned lane)
{
    return interp->accumulator[lane ^ (interp->ctrl[lane] & LANE_CROSS_INPUT ? 1u : 0u)];
}

static int64_t as_signed(bool is_signed, uint32_t word)
{
    return is_signed ? (int32_t)word : (int64_t)word;
}

struct results {
    uint32_t lane[2], full;
};

static struct results results_of(const struct rp2040_interp *interp, unsigned number)
{
    struct results result;
    uint32_t part[2];
    for (unsigned lane = 0; lane < 2; lane++) {
        part[lane] = masked(interp, lane);
        result.lane[lane] =
            (interp->ctrl[lane] & LANE_ADD_RAW ? unshifted(interp, lane) : part[lane]) + interp->base[lane];
    }
    result.full = part[0] + part[1] + interp->base[2];
    if (number == 0 && interp->ctrl[0] & LANE0_BLEND) {
        const uint32_t alpha = part[1] & 0xFF;
        const int64_t from = as_signed(interp->ctrl[1] & LANE_SIGNED, interp->base[0]);
        const int64_t to = as_signed(interp->ctrl[1] & LANE_SIGNED, interp->base[1]);
        result.lane[1] = (uint32_t)(from + ((to - from) * (int64_t)alpha >> 8));
        result.lane[0] = alpha;
        result.full = part[0] + interp->base[2];
    } else if (number == 1 && interp->ctrl[0] & LANE1_CLAMP) {
        const bool sign = interp->ctrl[0] & LANE_SIGNED;
        const int64_t value = as_signed(sign, part[0]);
        const int64_t least = as_signed(sign, interp->base[0]);
        const int64_t most = as_signed(sign, interp->base[1]);
        result.lane[0] = (uint32_t)(value < least ? least : value > most ? most : value);
    }
    for (unsigned lane = 0; lane < 2; lane++)
        result.lane[lane] |= LANE_FORCE_MSB(interp->ctrl[lane]) << 28;
    return result;
}

/* The results enter the accumulators. */
static void step(struct rp2040_interp *interp, const struct results *result)
{
    for (unsigned lane = 0; lane < 2; lane++)
        interp->accumulator[lane] = result->lane[lane ^ (interp->ctrl[lane] & LANE_CROSS_RESULT ? 1u : 0u)];
}

static uint32_t read_interp(struct rp2040_interp *interp, unsigned number, uint32_t reg)
{
    const struct results result = results_of(interp, number);
    if (reg < BASE0)
        return interp->accumulator[reg];
    if (reg < POP_LANE0)
        return interp->base[reg - BASE0];
    if (reg < CTRL_LANE0) {
        if (reg < PEEK_LANE0)
            step(interp, &result);
        const uint32_t what = (reg - POP_LANE0) % 3;
        return what == 2 ? result.full : result.lane[what];
    }
    if (reg < ACCUM0_ADD) {
        const unsigned lane = reg - CTRL_LANE0;
        /* OVERF0, OVERF1 and OVERF of lane 0: bits above the mask are set. */
        uint32_t flags = 0;
        for (unsigned i = 0; i < 2 && lane == 0; i++) {
            const uint32_t mask = interp->ctrl[i] >> 10 & 31;
            if (mask < 31 && unshifted(interp, i) >> (interp->ctrl[i] & 31) >> (mask + 1))
                flags |= UINT32_C(1) << (23 + i) | UINT32_C(1) << 25;
        }
        return interp->ctrl[lane] | flags;
    }
    if (reg < BASE_1AND0)
        return masked(interp, reg - ACCUM0_ADD);
    return 0;
}

static void write_interp(struct rp2040_interp *interp, unsigned number, uint32_t reg, uint32_t value)
{
    if (reg < BASE0) {
        interp->accumulator[reg] = value;
    } else if (reg < POP_LANE0) {
        interp->base[reg - BASE0] = value;
    } else if (reg >= CTRL_LANE0 && reg < ACCUM0_ADD) {
        const uint32_t special = reg > CTRL_LANE0 ? 0 : number ? LANE1_CLAMP : LANE0_BLEND;
        interp->ctrl[reg - CTRL_LANE0] = value & (UINT32_C(0x1FFFFF) | special);
    } else if (reg >= ACCUM0_ADD && reg < BASE_1AND0) { /* 24 bits are added */
        interp->accumulator[reg - ACCUM0_ADD] += value & 0xFFFFFF;
    } else if (reg == BASE_1AND0) {
        const bool blend = number == 0 && interp->ctrl[0] & LANE0_BLEND;
        for (unsigned lane = 0; lane < 2; lane++) {
            const uint32_t half = value >> 16 * lane & 0xFFFF;
            const bool sign = interp->ctrl[blend ? 1 : lane] & LANE_SIGNED;
            interp->base[lane] = sign ? (uint32_t)(int32_t)(int16_t)half : half;
        }
    }
}

/* ---- registers */

bool rp2040_sio_core_read(struct rp2040_sio *sio, unsigned core, uint64_t cycle, uint32_t offset,
                          uint32_t *value)
{
    struct rp2040_sio_core *own = &sio->core[core];
    *value = 0;
    if (offset >= SPINLOCK0 && offset < SIO_END) { /* a read claims it */
        const uint32_t lock = UINT32_C(1) << (offset - SPINLOCK0) / 4;
        *value = sio->locks & lock ? 0 : lock;
        sio->locks |= lock;
    } else if (offset >= INTERP0 && offset < SPINLOCK0) {
        *value = read_interp(&own->interp[offset >= INTERP1], offset >= INTERP1, offset / 4 % INTERPS);
    } else if (offset >= DIV_UDIVIDEND && offset <= DIV_CSR) {
        *value = read_divider(sio, core, cycle, offset);
    } else if (offset == FIFO_ST) {
        *value = fifo_status(sio, core);
    } else if (offset == FIFO_RD) {
        own->empty |= !rp2040_sio_pop(sio, core, value);
    } else if (offset == SPINLOCK_ST) {
        *value = sio->locks;
    } else if (offset != FIFO_WR) {
        return false;
    }
    return true;
}

bool rp2040_sio_core_write(struct rp2040_sio *sio, unsigned core, uint64_t cycle, uint32_t offset,
                           uint32_t value)
{
    struct rp2040_sio_core *own = &sio->core[core];
    if (offset >= SPINLOCK0 && offset < SIO_END) { /* any write releases it */
        sio->locks &= ~(UINT32_C(1) << (offset - SPINLOCK0) / 4);
    } else if (offset >= INTERP0 && offset < SPINLOCK0) {
        write_interp(&own->interp[offset >= INTERP1], offset >= INTERP1, offset / 4 % INTERPS, value);
    } else if (offset >= DIV_UDIVIDEND && offset <= DIV_REMAINDER) {
        write_divider(&own->divider, cycle, offset, value);
    } else if (offset == FIFO_ST) {
        own->full &= !(value & ST_FULL);
        own->empty &= !(value & ST_EMPTY);
    } else if (offset == FIFO_WR) {
        own->full |= !rp2040_sio_push(sio, !core, value);
    } else {
        return offset == FIFO_RD || offset == SPINLOCK_ST || offset == DIV_CSR;
    }
    return true;
}
