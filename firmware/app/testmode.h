/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Test modes that the bench selects with the console command M, and the PRBS-7 payload.
 */
#ifndef FW_TESTMODE_H
#define FW_TESTMODE_H

#include <stdint.h>

enum test_mode {
    TEST_MODE_NORMAL,
    TEST_MODE_ECHO, /* a valid frame received on dimension d goes back on d, for any destination */
    TEST_MODE_PRBS, /* every own phase carries a frame for the neighbour with PRBS-7 payload; queues wait */
    TEST_MODE_COUNT
};

#define PRBS7_SEED UINT8_C(0x7F)

/* Returns the next 8 bits of the sequence x^7 + x^6 + 1 (period 127), the first in bit 0, which the UART
 * sends first. *state: 7 bits, not 0. The sequence continues from frame to frame. */
uint8_t prbs7_byte(uint8_t *state);

#endif
