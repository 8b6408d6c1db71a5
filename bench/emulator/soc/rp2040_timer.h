/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * TIMER and WATCHDOG of an RP2040, and the tick that both count ("RP2040 Datasheet", sections 4.6 and 4.7).
 *
 * Times are picoseconds of the node. WATCHDOG decrements twice a tick (erratum RP2040-E1).
 */
#ifndef PB_MCU_RP2040_TIMER_H
#define PB_MCU_RP2040_TIMER_H

#include "bench/nodes/clock.h"

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_ALARMS = 4, RP2040_SCRATCH = 8 };

struct rp2040_timer {
    struct clock_rate tick; /* 0: it is stopped */
    bool paused;
    int64_t base_ps; /* when it had base_us */
    uint64_t base_us;
    uint64_t alarm_us[RP2040_ALARMS]; /* of the whole count, at which it occurs */
    uint32_t alarm[RP2040_ALARMS], armed, raw, enable, force, latched_high, written_low, debug_pause;
};

struct rp2040_watchdog {
    uint32_t tick_ctrl; /* TICK */
    uint32_t ctrl, load;
    uint32_t scratch[RP2040_SCRATCH], reason;
    struct clock_rate tick;
    int64_t loaded_ps; /* when it had `load` */
    bool fires;        /* at fires_ps, or by CTRL_TRIGGER at once */
    int64_t fires_ps;
};

void rp2040_timer_reset(struct rp2040_timer *timer, int64_t now_ps);
/* The tick has this rate from now on. */
void rp2040_timer_tick(struct rp2040_timer *timer, int64_t now_ps, struct clock_rate tick);
uint32_t rp2040_timer_read(struct rp2040_timer *timer, int64_t now_ps, uint32_t offset);
void rp2040_timer_write(struct rp2040_timer *timer, int64_t now_ps, uint32_t offset, uint32_t value);
/* The next alarm, INT64_MAX: none. _step: processes those that are due. Lines: TIMER 0..3. */
int64_t rp2040_timer_next_ps(const struct rp2040_timer *timer);
void rp2040_timer_step(struct rp2040_timer *timer, int64_t now_ps);
unsigned rp2040_timer_lines(const struct rp2040_timer *timer);
/* Its microsecond begins anew. */
void rp2040_timer_align(struct rp2040_timer *timer, int64_t now_ps);

/* After power-up; a reset by it keeps `scratch` and sets `reason`. */
void rp2040_watchdog_reset(struct rp2040_watchdog *watchdog, bool keep);
void rp2040_watchdog_tick(struct rp2040_watchdog *watchdog, int64_t now_ps, struct clock_rate reference);
uint32_t rp2040_watchdog_read(const struct rp2040_watchdog *watchdog, int64_t now_ps, uint32_t offset);
/* The caller then calls rp2040_watchdog_tick. */
void rp2040_watchdog_write(struct rp2040_watchdog *watchdog, int64_t now_ps, uint32_t offset, uint32_t value);

#endif
