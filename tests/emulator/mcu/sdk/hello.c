/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A text on UART0 at 115,200 baud every millisecond, and functions of the boot ROM.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

volatile uint32_t results[16];

int main(void)
{
    uint32_t (*const popcount)(uint32_t) = (uint32_t(*)(uint32_t))rom_function('P', '3');
    uint32_t (*const zeros)(uint32_t) = (uint32_t(*)(uint32_t))rom_function('L', '3');
    uint32_t (*const reverse)(uint32_t) = (uint32_t(*)(uint32_t))rom_function('R', '3');
    uart_init(115200);
    results[0] = popcount(0xF0F01234);
    results[1] = zeros(0x00012345);
    results[2] = reverse(0x00000013);
    results[3] = (uint32_t)rom_function('?', '?');
    for (;;) {
        uart_puts("hello\n");
        sleep_us(1000);
    }
}
