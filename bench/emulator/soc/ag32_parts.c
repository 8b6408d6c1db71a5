/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/ag32_parts.h"

#include <stddef.h>

#define NEVER PB_AG32_NEVER

static void put_word(uint64_t *value, bool high, uint32_t word)
{
    *value = high ? (*value & UINT32_MAX) | (uint64_t)word << 32 : (*value & ~(uint64_t)UINT32_MAX) | word;
}

/* ---- CLINT */

enum { MSIP = 0x0000, MTIMECMP = 0x4000, MTIME = 0xBFF8 };

void pb_clint_reset(struct pb_clint *clint, uint64_t cycle)
{
    *clint = (struct pb_clint){.begin = cycle, .compare = UINT64_MAX};
}

const char *pb_clint_read(struct pb_clint *clint, uint64_t cycle, uint32_t offset, uint32_t *value)
{
    const uint64_t now = cycle - clint->begin;
    switch (offset) {
    case MSIP:
        *value = clint->software;
        return NULL;
    case MTIMECMP:
    case MTIMECMP + 4:
        *value = (uint32_t)(clint->compare >> 8 * (offset - MTIMECMP));
        return NULL;
    case MTIME:
    case MTIME + 4:
        *value = (uint32_t)(now >> 8 * (offset - MTIME));
        return NULL;
    default:
        return "no such register of the CLINT";
    }
}

const char *pb_clint_write(struct pb_clint *clint, uint64_t cycle, uint32_t offset, uint32_t value)
{
    uint64_t now = cycle - clint->begin;
    switch (offset) {
    case MSIP:
        clint->software = value & 1;
        return NULL;
    case MTIMECMP:
    case MTIMECMP + 4:
        put_word(&clint->compare, offset != MTIMECMP, value);
        return NULL;
    case MTIME:
    case MTIME + 4:
        put_word(&now, offset != MTIME, value);
        clint->begin = cycle - now;
        return NULL;
    default:
        return "no such register of the CLINT";
    }
}

/* ---- TIMER0 */

enum { LOAD = 0x00, CTRL = 0x08, INTCLR = 0x0C, TIMER_RIS = 0x10 };
enum { CTRL_SIZE32 = 1 << 1, CTRL_INTERRUPT = 1 << 5, CTRL_PERIODIC = 1 << 6, CTRL_ENABLE = 1 << 7 };

void pb_ag32_timer_reset(struct pb_ag32_timer *timer)
{
    *timer = (struct pb_ag32_timer){.next = NEVER};
}

static void start(struct pb_ag32_timer *timer, uint64_t cycle, unsigned divider)
{
    const bool counts = timer->control & CTRL_ENABLE && timer->load > 0;
    timer->next = counts ? cycle + (uint64_t)timer->load * divider : NEVER;
}

void pb_ag32_timer_advance(struct pb_ag32_timer *timer, uint64_t cycle, unsigned divider)
{
    while (timer->next <= cycle) {
        timer->raised = true;
        if (timer->control & CTRL_PERIODIC)
            start(timer, timer->next, divider);
        else
            timer->next = NEVER;
    }
}

const char *pb_ag32_timer_read(struct pb_ag32_timer *timer, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case LOAD:
        *value = timer->load;
        return NULL;
    case CTRL:
        *value = timer->control;
        return NULL;
    case TIMER_RIS:
        *value = timer->raised;
        return NULL;
    default:
        return "no such register of TIMER0";
    }
}

const char *pb_ag32_timer_write(struct pb_ag32_timer *timer, uint64_t cycle, unsigned divider,
                                uint32_t offset, uint32_t value)
{
    const uint32_t has = CTRL_SIZE32 | CTRL_INTERRUPT | CTRL_PERIODIC | CTRL_ENABLE;
    switch (offset) {
    case LOAD:
        timer->load = value;
        start(timer, cycle, divider);
        return NULL;
    case CTRL:
        if (value & ~has || (value & CTRL_ENABLE && !(value & CTRL_SIZE32)))
            return "TIMER0 with a prescaler, 16 bits or another mode";
        timer->control = value;
        start(timer, cycle, divider);
        return NULL;
    case INTCLR:
        timer->raised = false;
        return NULL;
    default:
        return "no such register of TIMER0 that can be written";
    }
}

/* ---- GPIO */

enum { DATA_END = 0x400, DIR = 0x400, AFSEL = 0x420 };

const char *pb_ag32_gpio_read(const struct pb_ag32_gpio *gpio, uint32_t offset, uint32_t *value)
{
    if (offset < DATA_END)
        *value = gpio->data & gpio->direction & (offset >> 2);
    else if (offset == DIR)
        *value = gpio->direction;
    else if (offset == AFSEL)
        *value = gpio->hardware;
    else
        return "no such register of a GPIO";
    return NULL;
}

const char *pb_ag32_gpio_write(struct pb_ag32_gpio *gpio, uint32_t offset, uint32_t value)
{
    const uint8_t mask = (uint8_t)(offset >> 2);
    if (offset < DATA_END)
        gpio->data = (uint8_t)((gpio->data & ~mask) | (value & mask));
    else if (offset == DIR)
        gpio->direction = (uint8_t)value;
    else if (offset == AFSEL)
        gpio->hardware = (uint8_t)value;
    else
        return "no such register of a GPIO that can be written";
    return NULL;
}
