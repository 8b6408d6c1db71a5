/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The LED of a Pico, GPIO 25: 5 ms on, 5 ms off.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

volatile uint32_t results[16];

int main(void)
{
    gpio_init_output(25);
    for (;;) {
        gpio_put(25, true);
        sleep_us(5000);
        gpio_put(25, false);
        sleep_us(5000);
    }
}
