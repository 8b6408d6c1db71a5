/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What an RP2040 starts with: RESETS, clocks (CLOCKS, ROSC, XOSC, PLL_SYS, WATCHDOG tick), TIMER, and the
 * SSI that reads the flash ("RP2040 Datasheet", sections 2.14 to 2.17, 4.6, 4.7, 4.10).
 *
 * Times are picoseconds of the node. The crystal and all that is derived of it have the error `ppm`; ROSC
 * has none, as its tolerance is far larger than any that matters.
 *
 * Not modelled: clk_usb, clk_adc, clk_rtc, GPOUT, GPIN, PLL_USB, dormant modes, the watchdog's reset.
 */
#ifndef PB_MCU_RP2040_SYSTEM_H
#define PB_MCU_RP2040_SYSTEM_H

#include "firmware/port/native/clock.h"

#include <stdbool.h>
#include <stdint.h>

enum rp2040_block {
    RP2040_RESETS,
    RP2040_CLOCKS,
    RP2040_ROSC,
    RP2040_XOSC,
    RP2040_PLL_SYS,
    RP2040_WATCHDOG,
    RP2040_TIMER,
    RP2040_SSI
};
enum { RP2040_ALARMS = 4, RP2040_CRYSTAL_HZ = 12000000, RP2040_SYS_MAX_HZ = 133000000 };

struct rp2040_system {
    int32_t ppm;
    uint32_t resets; /* of RESETS: 1 = held in reset */
    uint32_t ref_ctrl, ref_div, sys_ctrl, sys_div, peri_ctrl;
    uint32_t xosc_ctrl, xosc_startup;
    uint32_t pll_cs, pll_power, pll_feedback, pll_post;
    int64_t xosc_stable_ps, pll_locked_ps; /* INT64_MAX: off */
    uint32_t tick;                         /* WATCHDOG_TICK */
    struct clock_rate tick_rate;           /* of TIMER; 0: it stands */
    int64_t timer_ps;                      /* when it had timer_us */
    uint64_t timer_us;
    uint64_t alarm_us[RP2040_ALARMS]; /* of the whole count, at which it occurs */
    uint32_t alarm[RP2040_ALARMS], armed, timer_raw, timer_enable, timer_force, latched_high;
    uint32_t ssi_enable, ssi_baud, ssi_ctrl0, ssi_ctrl1, ssi_spi_ctrl, ssi_slave;
    const char *trap; /* NULL, or what firmware used that is not modelled */
};

void rp2040_system_reset(struct rp2040_system *system, int64_t now_ps);

/* A register by its offset. */
uint32_t rp2040_system_read(struct rp2040_system *system, enum rp2040_block block, int64_t now_ps,
                            uint32_t offset);
void rp2040_system_write(struct rp2040_system *system, enum rp2040_block block, int64_t now_ps,
                         uint32_t offset, uint32_t value);

/* clk_sys, which is clk_peri, too; nominal = without the error of the crystal. */
struct clock_rate rp2040_system_clock(const struct rp2040_system *system, bool nominal);
bool rp2040_system_peri_clock(const struct rp2040_system *system); /* clk_peri runs */

/* SCK cycles x BAUDR of one read of a word by XIP; 0: the SSI is not set up for it (trap is set). */
uint32_t rp2040_system_flash_cycles(struct rp2040_system *system);

/* The next alarm, INT64_MAX: none. _step: processes those that are due. Lines: TIMER 0..3. */
int64_t rp2040_system_next_ps(const struct rp2040_system *system);
void rp2040_system_step(struct rp2040_system *system, int64_t now_ps);
unsigned rp2040_system_lines(const struct rp2040_system *system);
/* The microsecond of TIMER begins anew. */
void rp2040_system_align(struct rp2040_system *system, int64_t now_ps);

#endif
