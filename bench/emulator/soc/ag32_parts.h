/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Small devices of the AG32VF303: core-local timer, TIMER0, GPIO. Accesses are words; each returns NULL, or
 * what the model does not have. Cycles are those of the system clock.
 */
#ifndef PB_AG32_PARTS_H
#define PB_AG32_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#define PB_AG32_NEVER UINT64_MAX

/* CLINT. mtime counts the system clock. */
struct pb_clint {
    uint64_t begin; /* cycle at which mtime was 0, modulo 2^64 */
    uint64_t compare;
    bool software;
};
void pb_clint_reset(struct pb_clint *clint, uint64_t cycle);
/* The timer interrupt. */
static inline bool pb_clint_timer(const struct pb_clint *clint, uint64_t cycle)
{
    return cycle - clint->begin >= clint->compare;
}
/* Returns the cycle at which the timer interrupt rises or rose, or NEVER. */
static inline uint64_t pb_clint_next(const struct pb_clint *clint)
{
    return clint->compare < PB_AG32_NEVER - clint->begin ? clint->begin + clint->compare : PB_AG32_NEVER;
}
const char *pb_clint_read(struct pb_clint *clint, uint64_t cycle, uint32_t offset, uint32_t *value);
const char *pb_clint_write(struct pb_clint *clint, uint64_t cycle, uint32_t offset, uint32_t value);

/* TIMER0: a down counter of 32 bits with one LOAD, CTRL, INTCLR and RIS. It counts the peripheral clock, of
 * which each takes `divider` cycles, and raises its interrupt when it reaches 0. Periodic, or once from LOAD.
 * */
struct pb_ag32_timer {
    uint32_t load, control;
    bool raised;
    uint64_t next; /* at which it reaches 0; NEVER */
};
void pb_ag32_timer_reset(struct pb_ag32_timer *timer);
void pb_ag32_timer_advance(struct pb_ag32_timer *timer, uint64_t cycle, unsigned divider);
const char *pb_ag32_timer_read(struct pb_ag32_timer *timer, uint32_t offset, uint32_t *value);
const char *pb_ag32_timer_write(struct pb_ag32_timer *timer, uint64_t cycle, unsigned divider,
                                uint32_t offset, uint32_t value);

/* One GPIO of 8 lines. DATA at offset mask << 2 reads and writes the lines of the mask alone. Nothing is
 * connected to its inputs, which read 0; an output reads what was written. */
struct pb_ag32_gpio {
    uint8_t data, direction, hardware;
};
const char *pb_ag32_gpio_read(const struct pb_ag32_gpio *gpio, uint32_t offset, uint32_t *value);
const char *pb_ag32_gpio_write(struct pb_ag32_gpio *gpio, uint32_t offset, uint32_t value);

#endif
