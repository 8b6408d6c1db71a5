/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * External text is untrusted: names from files, answers of nodes, serial numbers from an EEPROM, greetings
 * from a socket, anything from a recording. Pass such text through pb_utf8_clean or pb_utf8_next_printable
 * before it is printed to a terminal, a file or an error: it is then one line without control characters.
 */
#ifndef PB_REPORT_UTF8_H
#define PB_REPORT_UTF8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PB_UTF8_REPLACEMENT UINT32_C(0xFFFD)

/* Returns the code point at *cursor and advances *cursor; 0 at the end of the string. Each byte that is no
 * UTF-8 (also overlong, surrogate and truncated sequences) gives the replacement character. */
uint32_t pb_utf8_next(const char **cursor);

/* Writes the UTF-8 form of a valid code point without a terminator; returns its length, 1..4. */
size_t pb_utf8_put(char out[4], uint32_t code);

/* As pb_utf8_next. Controls (C0, C1, DEL), directional marks and overrides, line and paragraph separators,
 * and characters that XML forbids give the replacement character; tab, LF and CR give a space. */
uint32_t pb_utf8_next_printable(const char **cursor);

/* Copies text through pb_utf8_next_printable, truncated at a character to `size` bytes (>= 1) with
 * terminator. `out` and `text` must not overlap. */
void pb_utf8_clean(char *out, size_t size, const char *text);

/* Microseconds, with the micro sign (U+00B5) or the Greek letter (U+03BC). */
bool pb_utf8_is_us(const char *unit);

/* Writes a formatted text through pb_utf8_clean; `out` may be among the arguments. Of a text that does not
 * fit the longest word, as a path, loses its middle to "..." if enough of it is left; else the text ends
 * after a whole word with " ..." (`size` >= 8), after a character if the word takes half of the room. */
void pb_utf8_shorten(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void pb_utf8_shorten_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
