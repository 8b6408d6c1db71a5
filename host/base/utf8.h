/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text from outside is untrusted: a scenario's name comes from a file, what a node said comes from a wire, a
 * serial number from an EEPROM, a greeting from a socket, anything from a recording. Whatever prints such
 * text, to a terminal, into a file or as an error, takes it character by character through
 * pb_utf8_next_printable, most of them by pb_utf8_clean: then it is one line, and steers nothing.
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

/* As pb_utf8_next, but a character that could steer a terminal or turn text around (C0 and C1 controls, DEL,
 * directional marks and overrides, line and paragraph separators) or that XML forbids gives the replacement
 * character; tab, line feed and carriage return give a space. */
uint32_t pb_utf8_next_printable(const char **cursor);

/* Such characters only, as UTF-8, cut at a character so that it fits `size` bytes (at least 1) with its
 * terminator. `out` and `text` must not overlap. */
void pb_utf8_clean(char *out, size_t size, const char *text);

#endif
