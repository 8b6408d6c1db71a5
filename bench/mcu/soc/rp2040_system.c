/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/mcu/soc/rp2040_system.h"

#include <string.h>

#define PS_PER_US INT64_C(1000000)
#define PS_PER_S INT64_C(1000000000000)
#define NEVER INT64_MAX

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) TIME_##name = number,
#include "bench/mcu/soc/rp2040_timing.def"
#undef RP2040_TIMING
};

/* ---- RESETS: all blocks are held after power-up but those that the boot ROM uses for the flash. */

#define RESETS_ALL UINT32_C(0x01FFFFFF)
#define RESETS_BOOT (RESETS_ALL & ~(UINT32_C(1) << 6 | UINT32_C(1) << 9)) /* IO_QSPI, PADS_QSPI run */

static uint32_t read_resets(const struct rp2040_system *s, uint32_t offset)
{
    switch (offset) {
    case 0x0:
        return s->resets;
    case 0x8:
        return ~s->resets & RESETS_ALL;
    default:
        return 0;
    }
}

/* ---- clocks */

enum {
    REF_CTRL = 0x30,
    REF_DIV = 0x34,
    REF_SELECTED = 0x38,
    SYS_CTRL = 0x3C,
    SYS_DIV = 0x40,
    SYS_SELECTED = 0x44,
    PERI_CTRL = 0x48,
    RESUS_CTRL = 0x78
};
enum { REF_ROSC = 0, REF_XOSC = 2, SYS_AUX = 1, AUX_PLL = 0, AUX_ROSC = 2, AUX_XOSC = 3 };
enum { PERI_ENABLE = 0x800, DIV_1 = 0x100 };
enum { PLL_PD = 0x01, PLL_POSTDIV_PD = 0x08, PLL_VCO_PD = 0x20, PLL_POWER_RESET = 0x2D };
#define PLL_LOCK UINT32_C(0x80000000)
#define XOSC_STABLE UINT32_C(0x80000000)
#define XOSC_ENABLED UINT32_C(0x00001000)
#define ROSC_STATUS UINT32_C(0x80001000) /* stable, enabled */

static struct clock_rate crystal(const struct rp2040_system *s, bool nominal)
{
    return clock_rate(RP2040_CRYSTAL_HZ, nominal ? 0 : s->ppm);
}

static uint64_t vco_hz(const struct rp2040_system *s)
{
    const uint32_t reference = s->pll_cs & 0x3F;
    return (uint64_t)RP2040_CRYSTAL_HZ / (reference ? reference : 1) * (s->pll_feedback & 0xFFF);
}

static struct clock_rate pll_rate(const struct rp2040_system *s, bool nominal)
{
    const uint32_t post1 = s->pll_post >> 16 & 7, post2 = s->pll_post >> 12 & 7;
    const uint32_t divisor = (post1 ? post1 : 1) * (post2 ? post2 : 1);
    return clock_rate(vco_hz(s) / divisor, nominal ? 0 : s->ppm);
}

static struct clock_rate ref_rate(const struct rp2040_system *s, bool nominal)
{
    return (s->ref_ctrl & 3) == REF_XOSC ? crystal(s, nominal) : clock_rate(TIME_rosc_hz, 0);
}

struct clock_rate rp2040_system_clock(const struct rp2040_system *s, bool nominal)
{
    if ((s->sys_ctrl & 1) != SYS_AUX)
        return ref_rate(s, nominal);
    switch (s->sys_ctrl >> 5 & 7) {
    case AUX_PLL:
        return pll_rate(s, nominal);
    case AUX_XOSC:
        return crystal(s, nominal);
    default:
        return clock_rate(TIME_rosc_hz, 0);
    }
}

bool rp2040_system_peri_clock(const struct rp2040_system *s)
{
    return s->peri_ctrl & PERI_ENABLE;
}

static bool xosc_runs(const struct rp2040_system *s, int64_t now_ps)
{
    return s->xosc_stable_ps <= now_ps;
}

static bool pll_runs(const struct rp2040_system *s, int64_t now_ps)
{
    return s->pll_locked_ps <= now_ps && !(s->pll_power & PLL_POSTDIV_PD);
}

/* A clock that is selected while its source stands stops the chip for good. */
static void check_sources(struct rp2040_system *s, int64_t now_ps)
{
    const bool sys_aux = (s->sys_ctrl & 1) == SYS_AUX;
    const uint32_t aux = s->sys_ctrl >> 5 & 7;
    if (((s->ref_ctrl & 3) == REF_XOSC || (sys_aux && aux == AUX_XOSC)) && !xosc_runs(s, now_ps))
        s->trap = "a clock from XOSC before it is stable";
    else if (sys_aux && aux == AUX_PLL && !pll_runs(s, now_ps))
        s->trap = "clk_sys from PLL_SYS without lock or post divider";
    else if ((s->ref_ctrl & 3) != REF_ROSC && (s->ref_ctrl & 3) != REF_XOSC)
        s->trap = "clk_ref from another source than ROSC or XOSC";
    else if (sys_aux && aux != AUX_PLL && aux != AUX_ROSC && aux != AUX_XOSC)
        s->trap = "clk_sys from PLL_USB or a pin";
    else if (clock_ticks(rp2040_system_clock(s, true), PS_PER_S) > RP2040_SYS_MAX_HZ)
        s->trap = "clk_sys above 133 MHz";
}

static uint32_t read_clocks(const struct rp2040_system *s, uint32_t offset)
{
    switch (offset) {
    case REF_CTRL:
        return s->ref_ctrl;
    case REF_DIV:
        return s->ref_div;
    case REF_SELECTED:
        return UINT32_C(1) << (s->ref_ctrl & 3);
    case SYS_CTRL:
        return s->sys_ctrl;
    case SYS_DIV:
        return s->sys_div;
    case SYS_SELECTED:
        return UINT32_C(1) << (s->sys_ctrl & 1);
    case PERI_CTRL:
        return s->peri_ctrl;
    default:
        return 0;
    }
}

static void set_tick(struct rp2040_system *s, int64_t now_ps);

static void write_clocks(struct rp2040_system *s, int64_t now_ps, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case REF_CTRL:
        s->ref_ctrl = value & 0x63;
        check_sources(s, now_ps);
        set_tick(s, now_ps);
        break;
    case SYS_CTRL:
        s->sys_ctrl = value & 0xE1;
        check_sources(s, now_ps);
        break;
    case REF_DIV:
    case SYS_DIV:
        if (value != DIV_1)
            s->trap = "a divided clk_ref or clk_sys";
        break;
    case PERI_CTRL:
        s->peri_ctrl = value & 0xCE0;
        if (value & 0xE0)
            s->trap = "clk_peri from another source than clk_sys";
        break;
    case RESUS_CTRL:
        if (value & 0x1100)
            s->trap = "resuscitation of clk_sys";
        break;
    default:
        s->trap = "a clock other than clk_ref, clk_sys and clk_peri";
        break;
    }
}

static uint32_t read_xosc(const struct rp2040_system *s, int64_t now_ps, uint32_t offset)
{
    switch (offset) {
    case 0x0:
        return s->xosc_ctrl;
    case 0x4:
        return (xosc_runs(s, now_ps) ? XOSC_STABLE : 0) | (s->xosc_stable_ps != NEVER ? XOSC_ENABLED : 0);
    case 0xC:
        return s->xosc_startup;
    default:
        return 0;
    }
}

static void write_xosc(struct rp2040_system *s, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset == 0xC) {
        s->xosc_startup = value & 0x3FFF;
    } else if (offset == 0) {
        s->xosc_ctrl = value & 0xFFFFFF;
        if ((value & 0xFFF) != 0xAA0)
            s->trap = "XOSC with another range than 1 to 15 MHz";
        if (value >> 12 == 0xFAB && s->xosc_stable_ps == NEVER)
            s->xosc_stable_ps = now_ps + clock_ps(crystal(s, false), (int64_t)s->xosc_startup * 256);
        else if (value >> 12 == 0xD1E)
            s->xosc_stable_ps = NEVER;
    } else {
        s->trap = "a dormant oscillator";
    }
}

static uint32_t read_pll(const struct rp2040_system *s, int64_t now_ps, uint32_t offset)
{
    switch (offset) {
    case 0x0:
        return s->pll_cs | (s->pll_locked_ps <= now_ps ? PLL_LOCK : 0);
    case 0x4:
        return s->pll_power;
    case 0x8:
        return s->pll_feedback;
    default:
        return s->pll_post;
    }
}

static void write_pll(struct rp2040_system *s, int64_t now_ps, uint32_t offset, uint32_t value)
{
    const bool was_on = !(s->pll_power & (PLL_PD | PLL_VCO_PD));
    switch (offset) {
    case 0x0:
        s->pll_cs = value & 0x13F;
        if (value & 0x100)
            s->trap = "PLL_SYS bypassed";
        break;
    case 0x4:
        s->pll_power = value & 0x2D;
        break;
    case 0x8:
        s->pll_feedback = value & 0xFFF;
        break;
    default:
        s->pll_post = value & 0x77000;
        break;
    }
    const bool on = !(s->pll_power & (PLL_PD | PLL_VCO_PD));
    if (!on)
        s->pll_locked_ps = NEVER;
    else if (!was_on)
        s->pll_locked_ps = now_ps + TIME_pll_lock * PS_PER_US;
    if (on && (vco_hz(s) < 750000000 || vco_hz(s) > 1600000000))
        s->trap = "PLL_SYS outside 750 to 1600 MHz";
    else if (on && !xosc_runs(s, now_ps))
        s->trap = "PLL_SYS before XOSC is stable";
}

/* ---- TIMER, which counts the tick of WATCHDOG */

static uint64_t timer_at(const struct rp2040_system *s, int64_t now_ps)
{
    if (s->tick_rate.micro_hz == 0 || now_ps <= s->timer_ps)
        return s->timer_us;
    /* clock_ticks rounds upwards, and a count has begun when its whole tick is over. */
    return s->timer_us + (uint64_t)clock_ticks(s->tick_rate, now_ps - s->timer_ps + 1) - 1;
}

static void set_tick(struct rp2040_system *s, int64_t now_ps)
{
    const uint32_t cycles = s->tick & 0x1FF;
    s->timer_us = timer_at(s, now_ps);
    s->timer_ps = now_ps;
    s->tick_rate.micro_hz = s->tick & 0x200 && cycles ? ref_rate(s, false).micro_hz / cycles : 0;
}

static int64_t alarm_ps(const struct rp2040_system *s, unsigned i)
{
    if (!(s->armed >> i & 1) || s->tick_rate.micro_hz == 0)
        return NEVER;
    return s->timer_ps + clock_ps(s->tick_rate, (int64_t)(s->alarm_us[i] - s->timer_us));
}

int64_t rp2040_system_next_ps(const struct rp2040_system *s)
{
    int64_t next = NEVER;
    for (unsigned i = 0; s->armed && i < RP2040_ALARMS; i++)
        if (alarm_ps(s, i) < next)
            next = alarm_ps(s, i);
    return next;
}

void rp2040_system_step(struct rp2040_system *s, int64_t now_ps)
{
    for (unsigned i = 0; i < RP2040_ALARMS; i++)
        if (alarm_ps(s, i) <= now_ps) {
            s->armed &= ~(UINT32_C(1) << i);
            s->timer_raw |= UINT32_C(1) << i;
        }
}

unsigned rp2040_system_lines(const struct rp2040_system *s)
{
    return (s->timer_raw & s->timer_enable) | s->timer_force;
}

void rp2040_system_align(struct rp2040_system *s, int64_t now_ps)
{
    s->timer_us = timer_at(s, now_ps);
    s->timer_ps = now_ps;
}

static uint32_t read_timer(struct rp2040_system *s, int64_t now_ps, uint32_t offset)
{
    const uint64_t now = timer_at(s, now_ps);
    if (offset >= 0x10 && offset < 0x20)
        return s->alarm[(offset - 0x10) / 4];
    switch (offset) {
    case 0x08: /* TIMEHR, latched by a read of TIMELR */
        return s->latched_high;
    case 0x0C:
        s->latched_high = (uint32_t)(now >> 32);
        return (uint32_t)now;
    case 0x20:
        return s->armed;
    case 0x24:
        return (uint32_t)(now >> 32);
    case 0x28:
        return (uint32_t)now;
    case 0x34:
        return s->timer_raw;
    case 0x38:
        return s->timer_enable;
    case 0x3C:
        return s->timer_force;
    case 0x40:
        return rp2040_system_lines(s);
    default:
        return 0;
    }
}

static void write_timer(struct rp2040_system *s, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset >= 0x10 && offset < 0x20) {
        const unsigned i = (offset - 0x10) / 4;
        const uint64_t now = timer_at(s, now_ps);
        s->alarm[i] = value;
        s->alarm_us[i] = now + (uint32_t)(value - (uint32_t)now);
        s->armed |= UINT32_C(1) << i;
        return;
    }
    switch (offset) {
    case 0x20:
        s->armed &= ~value;
        break;
    case 0x34:
        s->timer_raw &= ~value;
        break;
    case 0x38:
        s->timer_enable = value & 0xF;
        break;
    case 0x3C:
        s->timer_force = value & 0xF;
        break;
    default:
        s->trap = "a write of the time of TIMER";
        break;
    }
}

/* ---- SSI */

enum {
    SSI_CTRLR0 = 0x00,
    SSI_CTRLR1 = 0x04,
    SSI_ENR = 0x08,
    SSI_SER = 0x10,
    SSI_BAUDR = 0x14,
    SSI_SR = 0x28,
    SSI_SPI_CTRLR0 = 0xF4
};
#define READ_CTRLR0 UINT32_C(0x001F0300)     /* frames of 32 bits, EEPROM read, one data line */
#define READ_SPI_CTRLR0 UINT32_C(0x03000218) /* instruction 03h of 8 bits, address of 24 bits */
enum { READ_SCK = 8 + 24 + 32, SCK_MAX_HZ = 50000000 };

uint32_t rp2040_system_flash_cycles(struct rp2040_system *s)
{
    const uint32_t divisor = s->ssi_baud & 0xFFFE;
    if (!s->ssi_enable || !divisor || s->ssi_ctrl0 != READ_CTRLR0 || s->ssi_ctrl1 != 0 ||
        s->ssi_spi_ctrl != READ_SPI_CTRLR0) {
        s->trap = "a read of flash with another set-up of the SSI than command 03h";
        return 0;
    }
    if (clock_ticks(rp2040_system_clock(s, true), PS_PER_S) / divisor > SCK_MAX_HZ) {
        s->trap = "a read of flash with SCK above 50 MHz, the limit of command 03h";
        return 0;
    }
    return READ_SCK * divisor + TIME_xip;
}

static uint32_t read_ssi(const struct rp2040_system *s, uint32_t offset)
{
    switch (offset) {
    case SSI_CTRLR0:
        return s->ssi_ctrl0;
    case SSI_CTRLR1:
        return s->ssi_ctrl1;
    case SSI_ENR:
        return s->ssi_enable;
    case SSI_SER:
        return s->ssi_slave;
    case SSI_BAUDR:
        return s->ssi_baud;
    case SSI_SR:
        return 0x6; /* transmit FIFO empty and not full */
    default:
        return offset == SSI_SPI_CTRLR0 ? s->ssi_spi_ctrl : 0;
    }
}

static void write_ssi(struct rp2040_system *s, uint32_t offset, uint32_t value)
{
    if (offset == SSI_ENR) {
        s->ssi_enable = value & 1;
        return;
    }
    if (s->ssi_enable) {
        s->trap = "a change of the SSI while it is enabled";
        return;
    }
    switch (offset) {
    case SSI_CTRLR0:
        s->ssi_ctrl0 = value;
        break;
    case SSI_CTRLR1:
        s->ssi_ctrl1 = value;
        break;
    case SSI_SER:
        s->ssi_slave = value & 1;
        break;
    case SSI_BAUDR:
        s->ssi_baud = value & 0xFFFF;
        break;
    case SSI_SPI_CTRLR0:
        s->ssi_spi_ctrl = value;
        break;
    default:
        s->trap = "a register of the SSI that no read of flash needs";
        break;
    }
}

/* ---- all */

void rp2040_system_reset(struct rp2040_system *s, int64_t now_ps)
{
    const int32_t ppm = s->ppm;
    memset(s, 0, sizeof *s);
    s->ppm = ppm;
    s->resets = RESETS_BOOT;
    s->ref_div = s->sys_div = DIV_1;
    s->xosc_ctrl = 0xD1EAA0;
    s->xosc_startup = 0xC4;
    s->pll_cs = 1;
    s->pll_power = PLL_POWER_RESET;
    s->pll_post = 0x77000;
    s->xosc_stable_ps = s->pll_locked_ps = NEVER;
    s->timer_ps = now_ps;
    s->ssi_slave = 1;
    /* The boot ROM leaves a slow read set up, by which it took boot2. */
    s->ssi_enable = 1;
    s->ssi_ctrl0 = READ_CTRLR0;
    s->ssi_spi_ctrl = READ_SPI_CTRLR0;
    s->ssi_baud = 6;
}

uint32_t rp2040_system_read(struct rp2040_system *s, enum rp2040_block block, int64_t now_ps, uint32_t offset)
{
    switch (block) {
    case RP2040_RESETS:
        return read_resets(s, offset);
    case RP2040_CLOCKS:
        return read_clocks(s, offset);
    case RP2040_ROSC:
        return offset == 0x18 ? ROSC_STATUS : 0;
    case RP2040_XOSC:
        return read_xosc(s, now_ps, offset);
    case RP2040_PLL_SYS:
        return read_pll(s, now_ps, offset);
    case RP2040_WATCHDOG:
        return offset == 0x2C ? s->tick | (s->tick & 0x200) << 1 : 0;
    case RP2040_TIMER:
        return read_timer(s, now_ps, offset);
    case RP2040_SSI:
        return read_ssi(s, offset);
    }
    return 0;
}

void rp2040_system_write(struct rp2040_system *s, enum rp2040_block block, int64_t now_ps, uint32_t offset,
                         uint32_t value)
{
    switch (block) {
    case RP2040_RESETS:
        if (offset == 0)
            s->resets = value & RESETS_ALL;
        break;
    case RP2040_CLOCKS:
        write_clocks(s, now_ps, offset, value);
        break;
    case RP2040_ROSC:
        s->trap = "a change of ROSC";
        break;
    case RP2040_XOSC:
        write_xosc(s, now_ps, offset, value);
        break;
    case RP2040_PLL_SYS:
        write_pll(s, now_ps, offset, value);
        break;
    case RP2040_WATCHDOG:
        if (offset == 0x2C) {
            s->tick = value & 0x3FF;
            set_tick(s, now_ps);
        } else {
            s->trap = "the watchdog";
        }
        break;
    case RP2040_TIMER:
        write_timer(s, now_ps, offset, value);
        break;
    case RP2040_SSI:
        write_ssi(s, offset, value);
        break;
    }
}
