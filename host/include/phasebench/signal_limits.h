/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Limits of what a node sends, by docs/node.md: sentences T5 and C10. The check judges by them. The default
 * limits of a validation (host/production/limits/default.yaml) are the same at 1 Mbaud. Pure arithmetic.
 *
 * T5 is the tolerance of a receiver that takes 16 samples a bit and finds the start edge up to one sample
 * late. It demands the same level at samples 7, 8 and 9 of a bit, and its clock is off by 1.25 %. So it reads
 * a bit between 7/16 and 10/16 of it. The edge at boundary k, counted in bits from the byte's own start edge,
 * may come
 *     late   7/16 - (k + 7/16) / 80 bits: after that, bit k is read too soon
 *     early  6/16 - (k - 6/16) / 80 bits: before that, bit k - 1 is read too late.
 * k is 1 to 8 before a data bit, 9 before the stop bit, 10 at the start edge of the next byte of the frame.
 * At k = 10 a sender that is fast by 2.5 %, the limit of the bit time, is just within it.
 */
#ifndef PHASEBENCH_SIGNAL_LIMITS_H
#define PHASEBENCH_SIGNAL_LIMITS_H

#include "phasebench/api.h"

#include <stdint.h>

PB_API_BEGIN

/* Bits of a character, 8N1; its boundaries are 1 to PB_CHARACTER_BITS. */
#define PB_CHARACTER_BITS 10

/* Largest deviation from the nominal bit time of a link (T5) and of UART0_TX (C10). The receiver above loses
 * a bit when it and its sender differ by 3.75 % over 10 bits; two thirds of that are the sender's. */
#define PB_BIT_TIME_LIMIT_PPM 25000
#define PB_CONSOLE_BIT_TIME_LIMIT_PPM 20000

/* Return how late, and how early, the edge at a boundary may be, in ps, rounded towards 0. bit_ps: nominal
 * bit time, below 10^15; boundary: 1 to PB_CHARACTER_BITS. */
int64_t pb_edge_late_ps(int64_t bit_ps, unsigned boundary);
int64_t pb_edge_early_ps(int64_t bit_ps, unsigned boundary);

/* Returns the longest permitted rise of a line, in ps: the late limit of the edge before a stop bit, the
 * strictest late limit of a byte. */
int64_t pb_rise_most_ps(int64_t bit_ps);

PB_API_END

#endif
