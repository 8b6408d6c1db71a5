/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_clocks.h"

#include <string.h>

#define PS_PER_US INT64_C(1000000)
#define PS_PER_S INT64_C(1000000000000)
#define NEVER INT64_MAX

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) TIME_##name = number,
#include "bench/emulator/soc/rp2040_timing.def"
#undef RP2040_TIMING
};

/* ---- sources */

enum source { PLL_SYS, PLL_USB, ROSC, XOSC, CLK_REF, CLK_SYS, CLK_USB, CLK_ADC, CLK_RTC, PIN, OFF };
enum { DIV_1 = 0x100, ENABLE = 0x800 };
enum { PLL_PD = 0x01, PLL_POSTDIV_PD = 0x08, PLL_VCO_PD = 0x20, PLL_POWER_RESET = 0x2D };
#define PLL_LOCK UINT32_C(0x80000000)
#define STABLE UINT32_C(0x80000000)
#define ENABLED UINT32_C(0x00001000)
enum { VCO_MIN_HZ = 750000000, VCO_MAX_HZ = 1600000000 };

static enum source source_of(const struct rp2040_clocks *c, enum rp2040_clock clock)
{
    static const enum source ref[] = {ROSC, OFF, XOSC, OFF}, ref_aux[] = {PLL_USB, PIN, PIN, OFF},
                             sys_aux[] = {PLL_SYS, PLL_USB, ROSC, XOSC, PIN, PIN, OFF, OFF},
                             peri[] = {CLK_SYS, PLL_SYS, PLL_USB, ROSC, XOSC, PIN, PIN, OFF},
                             others[] = {PLL_USB, PLL_SYS, ROSC, XOSC, PIN, PIN, OFF, OFF},
                             out[] = {PLL_SYS, PIN,     PIN,     PLL_USB, ROSC, XOSC, CLK_SYS, CLK_USB,
                                      CLK_ADC, CLK_RTC, CLK_REF, OFF,     OFF,  OFF,  OFF,     OFF};
    const uint32_t ctrl = c->ctrl[clock];
    if (clock == RP2040_CLK_REF)
        return (ctrl & 3) == 1 ? ref_aux[ctrl >> 5 & 3] : ref[ctrl & 3];
    if (clock == RP2040_CLK_SYS)
        return ctrl & 1 ? sys_aux[ctrl >> 5 & 7] : CLK_REF;
    if (!(ctrl & ENABLE))
        return OFF;
    if (clock == RP2040_CLK_PERI)
        return peri[ctrl >> 5 & 7];
    return clock < RP2040_CLK_REF ? out[ctrl >> 5 & 15] : others[ctrl >> 5 & 7];
}

static uint64_t vco_hz(const struct rp2040_pll *pll)
{
    const uint32_t reference = pll->cs & 0x3F;
    return (uint64_t)RP2040_CRYSTAL_HZ / (reference ? reference : 1) * (pll->feedback & 0xFFF);
}

static struct clock_rate rate_of(const struct rp2040_clocks *c, enum source source, bool nominal)
{
    const int32_t ppm = nominal ? 0 : c->ppm;
    switch (source) {
    case PLL_SYS:
    case PLL_USB: {
        const struct rp2040_pll *pll = &c->pll[source == PLL_USB];
        const uint32_t post1 = pll->post >> 16 & 7, post2 = pll->post >> 12 & 7;
        return clock_rate(vco_hz(pll) / ((post1 ? post1 : 1) * (post2 ? post2 : 1)), ppm);
    }
    case ROSC:
        return clock_rate(TIME_rosc_hz, 0);
    case XOSC:
        return clock_rate(RP2040_CRYSTAL_HZ, ppm);
    case CLK_REF:
    case CLK_SYS:
        return rp2040_clock(c, source == CLK_REF ? RP2040_CLK_REF : RP2040_CLK_SYS, nominal);
    case CLK_USB:
    case CLK_ADC:
    case CLK_RTC:
        return rp2040_clock(c, (enum rp2040_clock)(RP2040_CLK_USB + (source - CLK_USB)), nominal);
    default:
        return (struct clock_rate){0};
    }
}

/* In 1/256; clk_ref has 1 to 4, clk_peri none. */
static uint32_t divisor_of(const struct rp2040_clocks *c, enum rp2040_clock clock)
{
    if (clock == RP2040_CLK_PERI)
        return DIV_1;
    if (clock == RP2040_CLK_REF)
        return c->div[clock] & 0x300 ? c->div[clock] & 0x300 : 4 * DIV_1;
    return c->div[clock];
}

struct clock_rate rp2040_clock(const struct rp2040_clocks *c, enum rp2040_clock clock, bool nominal)
{
    struct clock_rate rate = rate_of(c, source_of(c, clock), nominal);
    const uint32_t divisor = divisor_of(c, clock);
    if (divisor == DIV_1)
        return rate;
    /* An integer part of 0 is 65536. */
    rate.micro_hz = rate.micro_hz * DIV_1 / (divisor >> 8 ? divisor : divisor + (UINT64_C(1) << 24));
    return rate;
}

static bool xosc_runs(const struct rp2040_clocks *c, int64_t now_ps)
{
    return c->xosc_stable_ps <= now_ps;
}

static bool pll_runs(const struct rp2040_pll *pll, int64_t now_ps)
{
    return pll->locked_ps <= now_ps && !(pll->power & PLL_POSTDIV_PD);
}

static bool rosc_runs(const struct rp2040_clocks *c)
{
    return c->rosc_ctrl >> 12 != 0xD1E;
}

/* A processor clock whose source is stopped stops the chip permanently. */
static void check_source(struct rp2040_clocks *c, enum rp2040_clock clock, int64_t now_ps)
{
    switch (source_of(c, clock)) {
    case XOSC:
        if (!xosc_runs(c, now_ps))
            c->misuse = "a clock from XOSC before it is stable";
        break;
    case PLL_SYS:
        if (!pll_runs(&c->pll[0], now_ps))
            c->misuse = "a clock from PLL_SYS without lock or post divider";
        break;
    case PLL_USB:
        if (!pll_runs(&c->pll[1], now_ps))
            c->misuse = "a clock from PLL_USB without lock or post divider";
        break;
    case ROSC:
        if (!rosc_runs(c))
            c->misuse = "a clock from ROSC, which is off";
        break;
    case PIN:
        c->trap = "a clock from a pin";
        break;
    case OFF:
        c->misuse = "a clock from a source that does not exist";
        break;
    default:
        break;
    }
}

static void check(struct rp2040_clocks *c, int64_t now_ps)
{
    check_source(c, RP2040_CLK_REF, now_ps);
    check_source(c, RP2040_CLK_SYS, now_ps);
    if (clock_ticks(rp2040_clock(c, RP2040_CLK_SYS, true), PS_PER_S) > RP2040_SYS_MAX_HZ)
        c->misuse = "clk_sys above 133 MHz";
    if (source_of(c, RP2040_CLK_PERI) != CLK_SYS && source_of(c, RP2040_CLK_PERI) != OFF)
        c->trap = "clk_peri from another source than clk_sys";
}

/* ---- CLOCKS */

enum {
    CLOCK_BYTES = 12,
    RESUS_CTRL = 0x78,
    RESUS_STATUS = 0x7C,
    FC0_REF_KHZ = 0x80,
    FC0_INTERVAL = 0x90,
    FC0_SRC = 0x94,
    FC0_STATUS = 0x98,
    FC0_RESULT = 0x9C,
    WAKE_EN0 = 0xA0,
    ENABLED0 = 0xB0,
    ENABLED1 = 0xB4,
    INTR = 0xB8,
    INTE = 0xBC,
    INTS = 0xC4
};
enum { FC0_DONE = 0x10, FC0_RUNNING = 0x100, RESUS_FORCE = 0x1000, RESUS_ENABLE = 0x100 };

/* The count of FC0_SRC in 1/32 kHz. */
static uint32_t count(const struct rp2040_clocks *c)
{
    static const enum source raw[] = {OFF, PLL_SYS, PLL_USB, ROSC, ROSC, XOSC, PIN, PIN};
    const uint32_t source = c->counter[(FC0_SRC - FC0_REF_KHZ) / 4] & 0xFF;
    struct clock_rate rate = {0};
    if (source < 8)
        rate = rate_of(c, raw[source], false);
    else if (source - 8 + RP2040_CLK_REF < RP2040_CLKS)
        rate = rp2040_clock(c, (enum rp2040_clock)(source - 8 + RP2040_CLK_REF), false);
    return (uint32_t)(rate.micro_hz / 1000000 * 32 / 1000);
}

static uint32_t read_counter(const struct rp2040_clocks *c, int64_t now_ps, uint32_t offset)
{
    if (offset == FC0_STATUS)
        return now_ps >= c->counted_ps ? FC0_DONE : FC0_RUNNING;
    return offset == FC0_RESULT ? c->count : c->counter[(offset - FC0_REF_KHZ) / 4];
}

static uint32_t selected(const struct rp2040_clocks *c, unsigned clock)
{
    return clock == RP2040_CLK_REF || clock == RP2040_CLK_SYS ? UINT32_C(1) << (c->ctrl[clock] & 3) : 1;
}

uint32_t rp2040_clocks_read(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset)
{
    if (offset < RESUS_CTRL) {
        const unsigned clock = offset / CLOCK_BYTES;
        return offset % CLOCK_BYTES == 0   ? c->ctrl[clock]
               : offset % CLOCK_BYTES == 4 ? c->div[clock]
                                           : selected(c, clock);
    }
    if (offset >= FC0_REF_KHZ && offset <= FC0_RESULT)
        return read_counter(c, now_ps, offset);
    if (offset >= WAKE_EN0 && offset < ENABLED0)
        return c->enable[(offset - WAKE_EN0) / 4];
    switch (offset) {
    case RESUS_CTRL:
        return c->resus;
    case ENABLED0:
    case ENABLED1: /* awake, as the processor that reads it is */
        return c->enable[(offset - ENABLED0) / 4];
    case INTE:
        return c->interrupt;
    default:
        return 0;
    }
}

static void write_clock(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset, uint32_t value)
{
    const unsigned clock = offset / CLOCK_BYTES;
    if (offset % CLOCK_BYTES == 0)
        c->ctrl[clock] = value & (clock == RP2040_CLK_REF ? 0x63 : clock == RP2040_CLK_SYS ? 0xE1 : 0x131DE0);
    else if (offset % CLOCK_BYTES == 4)
        c->div[clock] = value;
    check(c, now_ps);
}

void rp2040_clocks_write(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset < RESUS_CTRL) {
        write_clock(c, now_ps, offset, value);
    } else if (offset == RESUS_CTRL) {
        c->resus = value & 0x111FF;
        if (value & (RESUS_FORCE | RESUS_ENABLE))
            c->trap = "resuscitation of clk_sys";
    } else if (offset >= FC0_REF_KHZ && offset <= FC0_SRC) {
        c->counter[(offset - FC0_REF_KHZ) / 4] = value;
        if (offset == FC0_SRC) { /* for 0.98 us times 2^interval */
            c->counted_ps = now_ps + (INT64_C(980000) << (c->counter[(FC0_INTERVAL - FC0_REF_KHZ) / 4] & 15));
            c->count = count(c);
        }
    } else if (offset >= WAKE_EN0 && offset < ENABLED0) {
        c->enable[(offset - WAKE_EN0) / 4] = value;
    } else if (offset == INTE) {
        c->interrupt = value & 1;
    } else if (offset > INTS) {
        c->trap = "a register of CLOCKS";
    }
}

/* ---- XOSC */

uint32_t rp2040_xosc_read(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset)
{
    switch (offset) {
    case 0x00:
        return c->xosc_ctrl;
    case 0x04:
        return (xosc_runs(c, now_ps) ? STABLE : 0) | (c->xosc_stable_ps != NEVER ? ENABLED : 0);
    case 0x0C:
        return c->xosc_startup;
    default:
        c->trap = "XOSC: its dormant mode or its counter";
        return 0;
    }
}

void rp2040_xosc_write(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset == 0x0C) {
        c->xosc_startup = value & 0x3FFF;
    } else if (offset == 0) {
        c->xosc_ctrl = value & 0xFFFFFF;
        if ((value & 0xFFF) != 0xAA0)
            c->misuse = "XOSC with another range than 1 to 15 MHz";
        if (value >> 12 == 0xFAB && c->xosc_stable_ps == NEVER)
            c->xosc_stable_ps = now_ps + clock_ps(rate_of(c, XOSC, false), (int64_t)c->xosc_startup * 256);
        else if (value >> 12 == 0xD1E)
            c->xosc_stable_ps = NEVER;
        check(c, now_ps);
    } else {
        c->trap = "XOSC: its dormant mode or its counter";
    }
}

/* ---- ROSC */

uint32_t rp2040_rosc_read(struct rp2040_clocks *c, int64_t now_ps, uint32_t offset)
{
    switch (offset) {
    case 0x00:
        return c->rosc_ctrl;
    case 0x10:
        return c->rosc_div;
    case 0x18:
        return rosc_runs(c) ? STABLE | ENABLED : 0;
    case 0x1C: { /* RANDOMBIT: of the time, so that a run can be repeated */
        uint64_t mix = (uint64_t)now_ps * UINT64_C(0x9E3779B97F4A7C15);
        mix ^= mix >> 29;
        return mix * UINT64_C(0xBF58476D1CE4E5B9) >> 63;
    }
    default:
        return 0;
    }
}

void rp2040_rosc_write(struct rp2040_clocks *c, uint32_t offset, uint32_t value)
{
    if (offset == 0x00 && ((value & 0xFFF) == (c->rosc_ctrl & 0xFFF)))
        c->rosc_ctrl = value & 0xFFFFFF;
    else if (offset != 0x18)
        c->trap = "ROSC with another frequency, or dormant";
    if (!rosc_runs(c) && (source_of(c, RP2040_CLK_REF) == ROSC || (source_of(c, RP2040_CLK_SYS) == ROSC)))
        c->misuse = "a clock from ROSC, which is off";
}

/* ---- PLLs */

static const struct rp2040_pll pll_at_reset = {
    .cs = 1, .power = PLL_POWER_RESET, .post = 0x77000, .locked_ps = NEVER};

void rp2040_pll_reset(struct rp2040_clocks *c, unsigned i, int64_t now_ps)
{
    c->pll[i] = pll_at_reset;
    check(c, now_ps);
}

uint32_t rp2040_pll_read(const struct rp2040_clocks *c, unsigned i, int64_t now_ps, uint32_t offset)
{
    const struct rp2040_pll *pll = &c->pll[i];
    switch (offset) {
    case 0x0:
        return pll->cs | (pll->locked_ps <= now_ps ? PLL_LOCK : 0);
    case 0x4:
        return pll->power;
    case 0x8:
        return pll->feedback;
    default:
        return offset == 0xC ? pll->post : 0;
    }
}

static bool pll_on(const struct rp2040_pll *pll)
{
    return !(pll->power & (PLL_PD | PLL_VCO_PD));
}

/* It locks a while after it is on, its reference runs and its feedback is set. */
static void lock(struct rp2040_clocks *c, struct rp2040_pll *pll, int64_t now_ps)
{
    const int64_t from_ps =
        c->xosc_stable_ps == NEVER || c->xosc_stable_ps < now_ps ? now_ps : c->xosc_stable_ps;
    pll->locked_ps = pll_on(pll) && pll->feedback && c->xosc_stable_ps != NEVER
                         ? from_ps + TIME_pll_lock * PS_PER_US
                         : NEVER;
    if (pll_on(pll) && pll->feedback && (vco_hz(pll) < VCO_MIN_HZ || vco_hz(pll) > VCO_MAX_HZ))
        c->misuse = "a PLL outside 750 to 1600 MHz";
}

void rp2040_pll_write(struct rp2040_clocks *c, unsigned i, int64_t now_ps, uint32_t offset, uint32_t value)
{
    struct rp2040_pll *pll = &c->pll[i];
    const struct rp2040_pll old = *pll;
    switch (offset) {
    case 0x0:
        pll->cs = value & 0x13F;
        if (value & 0x100)
            c->trap = "a PLL that is bypassed";
        break;
    case 0x4:
        pll->power = value & 0x2D;
        break;
    case 0x8:
        pll->feedback = value & 0xFFF;
        break;
    default:
        pll->post = value & 0x77000;
        break;
    }
    if (pll_on(pll) != pll_on(&old) || pll->feedback != old.feedback || pll->cs != old.cs)
        lock(c, pll, now_ps);
    check(c, now_ps);
}

void rp2040_clocks_reset(struct rp2040_clocks *c)
{
    const int32_t ppm = c->ppm;
    memset(c, 0, sizeof *c);
    c->ppm = ppm;
    for (unsigned i = 0; i < RP2040_CLKS; i++)
        c->div[i] = DIV_1;
    memset(c->enable, 0xFF, sizeof c->enable);
    for (unsigned i = 0; i < 2; i++)
        c->pll[i] = pll_at_reset;
    c->xosc_ctrl = 0xD1EAA0;
    c->xosc_startup = 0xC4;
    c->xosc_stable_ps = NEVER;
    c->rosc_ctrl = 0xAA0;
    c->rosc_div = 0xAA0 + 16;
    c->counter[(FC0_INTERVAL - FC0_REF_KHZ) / 4] = 8;
    c->resus = 0xFF;
}
