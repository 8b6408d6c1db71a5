/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both cores: words through the FIFOs, and a counter behind a spin lock.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

enum { LOCK = 3, ROUNDS = 1000 };
volatile uint32_t results[16];
static volatile uint32_t counter;

static void count(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t saved = spin_lock(LOCK);
        const uint32_t value = counter;
        counter = value + 1;
        spin_unlock(LOCK, saved);
    }
}

static void second(void)
{
    results[0] = REG(0xD0000000);
    for (unsigned i = 0; i < 5; i++)
        fifo_push(3 * fifo_pop());
    count();
    fifo_push(0xD09E);
    for (;;)
        __asm volatile("wfe");
}

int main(void)
{
    core1_launch(second);
    for (uint32_t i = 1; i <= 5; i++) {
        fifo_push(i);
        results[1] += fifo_pop();
    }
    count();
    results[2] = fifo_pop();
    results[3] = counter;
    results[4] = REG(0xD0000000);
    results[5] = 1;
    for (;;)
        __asm volatile("wfe");
}
