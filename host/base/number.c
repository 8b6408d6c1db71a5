/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/number.h"

/* Value of a digit character, 16 for any other. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static bool append_digit(uint64_t *value, unsigned base, char c)
{
    unsigned digit = digit_value(c);
    if (digit >= base || *value > (UINT64_MAX - digit) / base)
        return false;
    *value = *value * base + digit;
    return true;
}

bool pb_parse_number(const char *text, size_t length, uint64_t *value)
{
    bool hexadecimal = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uint64_t result = 0;

    if (length == 0)
        return false;
    for (size_t i = hexadecimal ? 2 : 0; i < length; i++)
        if (!append_digit(&result, hexadecimal ? 16 : 10, text[i]))
            return false;
    *value = result;
    return true;
}

bool pb_parse_decimal(const char *text, size_t length, unsigned decimals, uint64_t *scaled)
{
    uint64_t result = 0;
    unsigned places = 0;
    bool point = false, digits = false;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        digits = true;
        if (point && places == decimals) {
            if (text[i] != '0')
                return false;
            continue;
        }
        if (!append_digit(&result, 10, text[i]))
            return false;
        places += point;
    }
    if (!digits)
        return false;
    for (; places < decimals; places++)
        if (!append_digit(&result, 10, '0'))
            return false;
    *scaled = result;
    return true;
}
