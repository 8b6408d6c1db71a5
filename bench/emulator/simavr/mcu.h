/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An ATmega1284P on libsimavr, at the pins of docs/reference/avr.md: links and clock at the I/O ports, bit
 * for bit; USART0, which libsimavr models byte by byte, with its bits made here from the divisor in its
 * registers.
 *
 * Levels are those of phasebench/node_process.h. Time is cycles of the part since power-up.
 */
#ifndef BENCH_SIMAVR_MCU_H
#define BENCH_SIMAVR_MCU_H

#include "bench/emulator/image/image.h"

#include <stdbool.h>
#include <stdint.h>

#define MCU_CLOCK_HZ UINT64_C(20000000)

struct mcu;

struct mcu_event { /* outputs change */
    int64_t cycle;
    uint32_t pins;
};

/* Makes a part in reset, with the image in its flash, and the settings at their symbol. NULL, with *wrong
 * set: the image does not fit, has no settings, or there is no memory. */
struct mcu *mcu_create(const struct pb_image *image, const uint8_t *settings, const char **wrong);
void mcu_destroy(struct mcu *mcu);

/* The inputs from now on. NRST low: the part is in reset, and releases its outputs at once. */
void mcu_input(struct mcu *mcu, uint32_t pins);

/* A byte at the receiver of USART0, at the middle of its stop bit. */
void mcu_console_byte(struct mcu *mcu, uint8_t byte, bool framing_ok);
/* Cycles of a bit of USART0; 0: its receiver is off. */
uint32_t mcu_console_bit(const struct mcu *mcu);

/* Runs to a cycle, or up to 4 cycles further, to the end of an instruction. Returns false if the part has
 * crashed. */
bool mcu_run(struct mcu *mcu, int64_t cycle);
uint32_t mcu_pc(const struct mcu *mcu); /* byte address of the program */

/* Runs ahead with the inputs as they are: to a cycle, or to where it has done much or changed its outputs
 * often. Returns the cycle that it has reached, the given one or one before it; the time is then set back,
 * and only the changes of the outputs remain to be seen, up to the next call that moves the part. */
int64_t mcu_look_ahead(struct mcu *mcu, int64_t cycle);

/* Takes the next change of the outputs at or before a cycle; false: none. */
bool mcu_take(struct mcu *mcu, int64_t cycle, struct mcu_event *event);
/* Change i of those not yet taken, in order; false: there are i or fewer. */
bool mcu_coming(const struct mcu *mcu, unsigned i, struct mcu_event *event);

/* What firmware that does not start says: its first line, once it is complete; NULL: not yet. */
const char *mcu_first_line(const struct mcu *mcu);

#endif
