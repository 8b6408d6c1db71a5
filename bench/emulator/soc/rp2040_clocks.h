/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of an RP2040: CLOCKS with its frequency counter, ROSC, XOSC, PLL_SYS, PLL_USB ("RP2040
 * Datasheet", sections 2.15 to 2.18).
 *
 * Times are picoseconds of the node. The crystal and all that is derived of it have the error `ppm`; ROSC has
 * none, as its tolerance is far larger than any that matters. A multiplexer switches at once.
 *
 * Not modelled: clocks of pins (GPIN, GPOUT), resuscitation, another frequency of ROSC, dormant oscillators,
 * a bypassed PLL, clk_peri from another source than clk_sys.
 */
#ifndef PB_MCU_RP2040_CLOCKS_H
#define PB_MCU_RP2040_CLOCKS_H

#include "bench/nodes/clock.h"

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_CRYSTAL_HZ = 12000000, RP2040_SYS_MAX_HZ = 133000000 };

enum rp2040_clock { /* in the order of their registers */
                    RP2040_CLK_GPOUT0,
                    RP2040_CLK_REF = 4,
                    RP2040_CLK_SYS,
                    RP2040_CLK_PERI,
                    RP2040_CLK_USB,
                    RP2040_CLK_ADC,
                    RP2040_CLK_RTC,
                    RP2040_CLKS
};

struct rp2040_pll {
    uint32_t cs, power, feedback, post;
    int64_t locked_ps; /* INT64_MAX: off */
};

struct rp2040_clocks {
    int32_t ppm;
    uint32_t ctrl[RP2040_CLKS], div[RP2040_CLKS];
    uint32_t resus, enable[4], interrupt;
    uint32_t counter[6];      /* FC0_REF_KHZ to FC0_SRC */
    uint32_t count;           /* FC0_RESULT */
    int64_t counted_ps;       /* when the count is done */
    struct rp2040_pll pll[2]; /* PLL_SYS, PLL_USB */
    uint32_t xosc_ctrl, xosc_startup;
    int64_t xosc_stable_ps; /* INT64_MAX: off */
    uint32_t rosc_ctrl, rosc_div;
    const char *trap, *misuse; /* NULL, or what firmware used that is not modelled, or that is forbidden */
};

void rp2040_clocks_reset(struct rp2040_clocks *clocks);
/* RESETS has put PLL_SYS (0) or PLL_USB (1) into reset. */
void rp2040_pll_reset(struct rp2040_clocks *clocks, unsigned pll, int64_t now_ps);

/* nominal: without the error of the crystal. A clock that is off has 0 Hz. */
struct clock_rate rp2040_clock(const struct rp2040_clocks *clocks, enum rp2040_clock clock, bool nominal);

uint32_t rp2040_clocks_read(struct rp2040_clocks *clocks, int64_t now_ps, uint32_t offset);
void rp2040_clocks_write(struct rp2040_clocks *clocks, int64_t now_ps, uint32_t offset, uint32_t value);
uint32_t rp2040_pll_read(const struct rp2040_clocks *clocks, unsigned pll, int64_t now_ps, uint32_t offset);
void rp2040_pll_write(struct rp2040_clocks *clocks, unsigned pll, int64_t now_ps, uint32_t offset,
                      uint32_t value);
uint32_t rp2040_xosc_read(struct rp2040_clocks *clocks, int64_t now_ps, uint32_t offset);
void rp2040_xosc_write(struct rp2040_clocks *clocks, int64_t now_ps, uint32_t offset, uint32_t value);
uint32_t rp2040_rosc_read(struct rp2040_clocks *clocks, int64_t now_ps, uint32_t offset);
void rp2040_rosc_write(struct rp2040_clocks *clocks, uint32_t offset, uint32_t value);

#endif
