/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text of a result is untrusted: a scenario name comes from a file, what a node said comes from a wire. These
 * decode it so that every report can decide, character by character, what it lets through.
 */
#ifndef PB_REPORT_UTF8_H
#define PB_REPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PB_UTF8_REPLACEMENT UINT32_C(0xFFFD)

/* Code point at *cursor, which moves behind it; 0 at the end of the string, where it stays. Bytes that are no
 * UTF-8 (overlong forms, surrogates and cut sequences too) give the replacement character, one for each. */
uint32_t pb_utf8_next(const char **cursor);

/* Writes the UTF-8 form of a valid code point without a terminator; returns its length, 1..4. */
size_t pb_utf8_put(char out[4], uint32_t code);

/* The same, but a character that could steer a terminal or turn text around (C0 and C1 controls, DEL,
 * directional overrides, line and paragraph separators) or that XML forbids gives the replacement character.
 * Tab, line feed and carriage return pass. */
uint32_t pb_utf8_next_printable(const char **cursor);

/* Valid UTF-8 from any bytes, cut at a character so that it fits `size` bytes with its terminator. */
void pb_utf8_copy(char *out, size_t size, const char *text);

#endif
