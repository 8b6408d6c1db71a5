/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as users write them, read exactly: no locale, no floating point, no silent wrap, no octal.
 */
#ifndef PHASEBENCH_NUMBER_H
#define PHASEBENCH_NUMBER_H

#include "phasebench/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

/* Reads all of text[0..length) as decimal or 0x hexadecimal. False, and *value untouched, for an empty text,
 * a sign, white space, any other character, or a value above UINT64_MAX. */
bool pb_parse_number(const char *text, size_t length, uint64_t *value);

/* Reads all of text[0..length) as decimal digits with at most one point ("10", "0.5", ".5") into *scaled =
 * value * 10^decimals. False, and *scaled untouched, when malformed, when a digit would have to be dropped
 * (a non-zero one beyond `decimals`), or when the result is above UINT64_MAX. */
bool pb_parse_decimal(const char *text, size_t length, unsigned decimals, uint64_t *scaled);

PB_API_END

#endif
