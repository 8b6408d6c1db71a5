/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <string.h>

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

void pb_utf8_clean(char *out, size_t size, const char *text)
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
}
