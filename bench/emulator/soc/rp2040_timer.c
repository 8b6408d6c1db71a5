/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_timer.h"

#include <string.h>

#define NEVER INT64_MAX

/* ---- TIMER */

enum {
    TIMEHW = 0x00,
    TIMELW = 0x04,
    TIMEHR = 0x08,
    TIMELR = 0x0C,
    ALARM0 = 0x10,
    ARMED = 0x20,
    TIMERAWH = 0x24,
    TIMERAWL = 0x28,
    DBGPAUSE = 0x2C,
    PAUSE = 0x30,
    INTR = 0x34,
    INTE = 0x38,
    INTF = 0x3C,
    INTS = 0x40
};

static bool counts(const struct rp2040_timer *t)
{
    return t->tick.micro_hz && !t->paused;
}

static uint64_t time_at(const struct rp2040_timer *t, int64_t now_ps)
{
    if (!counts(t) || now_ps <= t->base_ps)
        return t->base_us;
    /* clock_ticks rounds upwards, and a count has begun when its whole tick is over. */
    return t->base_us + (uint64_t)clock_ticks(t->tick, now_ps - t->base_ps + 1) - 1;
}

void rp2040_timer_align(struct rp2040_timer *t, int64_t now_ps)
{
    t->base_us = time_at(t, now_ps);
    t->base_ps = now_ps;
}

void rp2040_timer_tick(struct rp2040_timer *t, int64_t now_ps, struct clock_rate tick)
{
    rp2040_timer_align(t, now_ps);
    t->tick = tick;
}

void rp2040_timer_reset(struct rp2040_timer *t, int64_t now_ps)
{
    const struct clock_rate tick = t->tick;
    memset(t, 0, sizeof *t);
    t->tick = tick;
    t->base_ps = now_ps;
    t->debug_pause = 6;
}

static int64_t alarm_ps(const struct rp2040_timer *t, unsigned i)
{
    if (!(t->armed >> i & 1) || !counts(t))
        return NEVER;
    const int64_t left = (int64_t)(t->alarm_us[i] - t->base_us);
    return t->base_ps + (left > 0 ? clock_ps(t->tick, left) : 0);
}

int64_t rp2040_timer_next_ps(const struct rp2040_timer *t)
{
    int64_t next = NEVER;
    for (unsigned i = 0; t->armed && i < RP2040_ALARMS; i++)
        if (alarm_ps(t, i) < next)
            next = alarm_ps(t, i);
    return next;
}

void rp2040_timer_step(struct rp2040_timer *t, int64_t now_ps)
{
    for (unsigned i = 0; i < RP2040_ALARMS; i++)
        if (alarm_ps(t, i) <= now_ps) {
            t->armed &= ~(UINT32_C(1) << i);
            t->raw |= UINT32_C(1) << i;
        }
}

unsigned rp2040_timer_lines(const struct rp2040_timer *t)
{
    return (t->raw & t->enable) | t->force;
}

uint32_t rp2040_timer_read(struct rp2040_timer *t, int64_t now_ps, uint32_t offset)
{
    const uint64_t now = time_at(t, now_ps);
    if (offset >= ALARM0 && offset < ARMED)
        return t->alarm[(offset - ALARM0) / 4];
    switch (offset) {
    case TIMEHR: /* latched by a read of TIMELR */
        return t->latched_high;
    case TIMELR:
        t->latched_high = (uint32_t)(now >> 32);
        return (uint32_t)now;
    case ARMED:
        return t->armed;
    case TIMERAWH:
        return (uint32_t)(now >> 32);
    case TIMERAWL:
        return (uint32_t)now;
    case DBGPAUSE:
        return t->debug_pause;
    case PAUSE:
        return t->paused;
    case INTR:
        return t->raw;
    case INTE:
        return t->enable;
    case INTF:
        return t->force;
    case INTS:
        return rp2040_timer_lines(t);
    default:
        return 0;
    }
}

/* An alarm occurs when the low word of the time has its value. */
static void arm(struct rp2040_timer *t, unsigned i, uint64_t now)
{
    t->alarm_us[i] = now + (uint32_t)(t->alarm[i] - (uint32_t)now);
}

static void set_time(struct rp2040_timer *t, int64_t now_ps, uint64_t time_us)
{
    t->base_us = time_us;
    t->base_ps = now_ps;
    for (unsigned i = 0; i < RP2040_ALARMS; i++)
        arm(t, i, time_us);
}

void rp2040_timer_write(struct rp2040_timer *t, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset >= ALARM0 && offset < ARMED) {
        const unsigned i = (offset - ALARM0) / 4;
        t->alarm[i] = value;
        arm(t, i, time_at(t, now_ps));
        t->armed |= UINT32_C(1) << i;
        return;
    }
    switch (offset) {
    case TIMEHW: /* takes effect with it */
        set_time(t, now_ps, (uint64_t)value << 32 | t->written_low);
        break;
    case TIMELW:
        t->written_low = value;
        break;
    case ARMED:
        t->armed &= ~value;
        break;
    case DBGPAUSE: /* no debugger halts a core */
        t->debug_pause = value & 6;
        break;
    case PAUSE:
        rp2040_timer_align(t, now_ps);
        t->paused = value & 1;
        break;
    case INTR:
        t->raw &= ~value;
        break;
    case INTE:
        t->enable = value & 0xF;
        break;
    case INTF:
        t->force = value & 0xF;
        break;
    default: /* read-only */
        break;
    }
}

/* ---- WATCHDOG */

enum { CTRL = 0x00, LOAD = 0x04, REASON = 0x08, SCRATCH0 = 0x0C, TICK = 0x2C };
enum { TICK_ENABLE = 0x200, TICK_RUNNING = 0x400, REASON_TIMER = 1, REASON_FORCE = 2 };
#define CTRL_ENABLE (UINT32_C(1) << 30)
#define CTRL_TRIGGER (UINT32_C(1) << 31)
#define CTRL_TIME UINT32_C(0xFFFFFF)

/* What is left, in steps of half a tick. */
static uint32_t left(const struct rp2040_watchdog *w, int64_t now_ps)
{
    if (!(w->ctrl & CTRL_ENABLE) || !w->tick.micro_hz)
        return w->load;
    const uint64_t passed = 2 * (uint64_t)clock_ticks(w->tick, now_ps - w->loaded_ps);
    return passed < w->load ? w->load - (uint32_t)passed : 0;
}

static void schedule(struct rp2040_watchdog *w)
{
    const bool runs = w->ctrl & CTRL_ENABLE && w->tick.micro_hz;
    w->fires = runs || w->ctrl & CTRL_TRIGGER;
    w->fires_ps = w->ctrl & CTRL_TRIGGER ? w->loaded_ps
                  : runs                 ? w->loaded_ps + clock_ps(w->tick, (w->load + 1) / 2)
                                         : NEVER;
}

static void reload(struct rp2040_watchdog *w, int64_t now_ps, uint32_t load)
{
    w->load = load;
    w->loaded_ps = now_ps;
    schedule(w);
}

void rp2040_watchdog_tick(struct rp2040_watchdog *w, int64_t now_ps, struct clock_rate reference)
{
    const uint32_t cycles = w->tick_ctrl & 0x1FF, now = left(w, now_ps);
    w->tick.micro_hz = w->tick_ctrl & TICK_ENABLE && cycles ? reference.micro_hz / cycles : 0;
    reload(w, now_ps, now);
}

uint32_t rp2040_watchdog_read(const struct rp2040_watchdog *w, int64_t now_ps, uint32_t offset)
{
    if (offset >= SCRATCH0 && offset < TICK)
        return w->scratch[(offset - SCRATCH0) / 4];
    switch (offset) {
    case CTRL:
        return (w->ctrl & ~CTRL_TIME) | left(w, now_ps);
    case REASON:
        return w->reason;
    case TICK:
        return w->tick_ctrl | (w->tick_ctrl & TICK_ENABLE ? TICK_RUNNING : 0u);
    default:
        return 0;
    }
}

void rp2040_watchdog_write(struct rp2040_watchdog *w, int64_t now_ps, uint32_t offset, uint32_t value)
{
    if (offset >= SCRATCH0 && offset < TICK) {
        w->scratch[(offset - SCRATCH0) / 4] = value;
        return;
    }
    switch (offset) {
    case CTRL: {
        const uint32_t now = left(w, now_ps);
        w->ctrl = value & ~CTRL_TIME;
        reload(w, now_ps, now);
        break;
    }
    case LOAD:
        reload(w, now_ps, value & CTRL_TIME);
        break;
    case TICK:
        w->tick_ctrl = value & 0x3FF;
        break;
    default: /* read-only */
        break;
    }
}

void rp2040_watchdog_reset(struct rp2040_watchdog *w, bool keep)
{
    const struct rp2040_watchdog old = *w;
    *w = (struct rp2040_watchdog){.tick_ctrl = TICK_ENABLE, .ctrl = UINT32_C(7) << 24, .fires_ps = NEVER};
    if (!keep)
        return;
    memcpy(w->scratch, old.scratch, sizeof w->scratch);
    w->reason = old.ctrl & CTRL_TRIGGER ? REASON_FORCE : REASON_TIMER;
}
