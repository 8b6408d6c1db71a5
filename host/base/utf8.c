/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 8192, WORD_HEAD = 24, WORD_TAIL = 48 };
static const char cut[] = "..."; /* in the middle of a word */

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

uint32_t pb_utf8_next(const char **cursor)
{
    const unsigned char *at = (const unsigned char *)*cursor;
    if (!at[0])
        return 0;
    if (at[0] < 0x80) {
        *cursor += 1;
        return at[0];
    }
    unsigned length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = at[0] & (0x7Fu >> length);
    bool valid = at[0] >= 0xC2 && at[0] <= 0xF4;
    for (unsigned i = 1; valid && i < length; i++) {
        valid = is_continuation(at[i]);
        code = code << 6 | (at[i] & 0x3Fu);
    }
    if (!valid || code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        *cursor += 1;
        return PB_UTF8_REPLACEMENT;
    }
    *cursor += length;
    return code;
}

size_t pb_utf8_put(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[length] | code);
    return length;
}

uint32_t pb_utf8_next_printable(const char **cursor)
{
    uint32_t code = pb_utf8_next(cursor);
    if (code == '\t' || code == '\n' || code == '\r')
        return ' ';
    bool control = (code < 0x20 && code) || (code >= 0x7F && code <= 0x9F);
    bool directional = code == 0x061C || code == 0x200E || code == 0x200F ||
                       (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    bool noncharacter = (code & 0xFFFE) == 0xFFFE;
    return control || directional || noncharacter ? PB_UTF8_REPLACEMENT : code;
}

bool pb_utf8_is_us(const char *unit)
{
    return !strcmp(unit, "\302\265s") || !strcmp(unit, "\316\274s");
}

/* As pb_utf8_clean; false: it was truncated. */
static bool copy_clean(char *out, size_t size, const char *text)
{
    size_t used = 0;
    uint32_t code;
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        char bytes[4];
        size_t length = pb_utf8_put(bytes, code);
        if (used + length >= size)
            break;
        memcpy(out + used, bytes, length);
        used += length;
    }
    out[used] = '\0';
    return !code;
}

void pb_utf8_clean(char *out, size_t size, const char *text)
{
    copy_clean(out, size, text);
}

/* The longest run of bytes that are no blank; returns its length. */
static size_t longest_word(const char *text, const char **word)
{
    size_t longest = 0;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, " ");
        if (length > longest) {
            longest = length;
            *word = at;
        }
        at += length + strspn(at + length, " ");
    }
    return longest;
}

/* Removes at least `excess` bytes from the middle of the longest word, such as a path, whose end is more
 * useful than its middle. False: too little of it would remain. */
static bool cut_word(char *text, size_t excess)
{
    const char *word = text;
    const size_t length = longest_word(text, &word);
    if (length < excess + WORD_HEAD + sizeof cut + WORD_TAIL)
        return false;
    size_t from = (size_t)(word - text) + WORD_HEAD, to = from + excess + sizeof cut - 1;
    while (is_continuation((unsigned char)text[from]))
        from--;
    while (is_continuation((unsigned char)text[to]))
        to++;
    memmove(text + from + sizeof cut - 1, text + to, strlen(text + to) + 1);
    memcpy(text + from, cut, sizeof cut - 1);
    return true;
}

void pb_utf8_shorten_list(char *out, size_t size, const char *format, va_list arguments)
{
    static const char more[] = " ...";
    char text[LONGEST_TEXT], clean[LONGEST_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    copy_clean(clean, sizeof clean, text);
    const size_t wanted = strlen(clean);
    if (wanted >= size)
        cut_word(clean, wanted - (size - 1));
    if (copy_clean(out, size, clean))
        return;
    const size_t length = strlen(out), most = size - sizeof more < length ? size - sizeof more : length;
    size_t at = most;
    while (at > length / 2 && out[at] != ' ')
        at--;
    for (at = out[at] == ' ' ? at : most; is_continuation((unsigned char)out[at]); at--)
        ; /* not within a character */
    while (at && strchr(" ,;:", out[at - 1]))
        at--;
    strcpy(out + at, more);
}

void pb_utf8_shorten(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_utf8_shorten_list(out, size, format, arguments);
    va_end(arguments);
}
