/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "testmode.h"

uint8_t prbs7_byte(uint8_t *state)
{
    uint8_t byte = 0;
    for (uint8_t i = 0; i < 8; i++) {
        const uint8_t bit = ((*state >> 6) ^ (*state >> 5)) & 1;
        *state = (uint8_t)((*state << 1) | bit) & 0x7F;
        byte |= (uint8_t)(bit << i);
    }
    return byte;
}
