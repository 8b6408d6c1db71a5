/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define UNITS_MAX 7
#define DECIMALS_MOST 18 /* ten to this power fits a uint64_t */
#define DIGITS "0123456789"
#define BLANKS " \t"

struct unit {
    const char *name;
    unsigned decimals; /* the unit is ten to this power base units, ... */
    unsigned times;    /* ... times this factor */
};

/* Units in descending size; a second name of the same size comes later, so that formatting finds the first.
 */
static const struct {
    struct unit unit[UNITS_MAX];
    const char *units, *example, *step;
} kinds[] = {
    [PB_QUANTITY_FREQUENCY] = {{{"MHz", 9, 1}, {"kHz", 6, 1}, {"Hz", 3, 1}},
                               "Hz, kHz or MHz",
                               "10 kHz",
                               "0.001 Hz"},
    [PB_QUANTITY_BAUD] = {{{"Mbaud", 6, 1}, {"kbaud", 3, 1}, {"baud", 0, 1}},
                          "baud, kbaud or Mbaud",
                          "1 Mbaud",
                          "1 baud"},
    /* Microseconds also with the micro sign (U+00B5) and with the Greek letter (U+03BC). */
    [PB_QUANTITY_TIME] = {{{"s", 12, 1},
                           {"ms", 9, 1},
                           {"us", 6, 1},
                           {"\302\265s", 6, 1},
                           {"\316\274s", 6, 1},
                           {"ns", 3, 1},
                           {"ps", 0, 1}},
                          "s, ms, us, ns or ps",
                          "10 us",
                          "1 ps"},
    [PB_QUANTITY_RATIO] = {{{"ppm", 0, 1}}, "ppm", "50 ppm", "1 ppm"},
    [PB_QUANTITY_SIZE] = {{{"bytes", 0, 1}, {"byte", 0, 1}}, "byte or bytes", "6 bytes", "1 byte"},
    [PB_QUANTITY_SPAN] = {{{"d", 0, 86400}, {"h", 0, 3600}, {"m", 0, 60}, {"s", 0, 1}},
                          "s, m, h or d",
                          "90 m",
                          "1 s"},
    [PB_QUANTITY_OFFSET] = {{{"ppm", 6, 1}, {"ppb", 3, 1}}, "ppb or ppm", "20 ppb", "0.001 ppb"},
};

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

/* In base units. */
static uint64_t size_of(const struct unit *unit)
{
    return power_of_ten(unit->decimals) * unit->times;
}

static const struct unit *find_unit(const char *text, enum pb_quantity_kind kind)
{
    size_t length = strcspn(text, BLANKS);
    if (text[length + strspn(text + length, BLANKS)])
        return NULL;
    for (size_t i = 0; i < UNITS_MAX && kinds[kind].unit[i].name; i++) {
        const struct unit *unit = &kinds[kind].unit[i];
        if (strlen(unit->name) == length && strncmp(unit->name, text, length) == 0)
            return unit;
    }
    return NULL;
}

/* Whether the text ends with a unit of the kind; then the number before it is the error. */
static bool ends_with_unit(const char *text, enum pb_quantity_kind kind)
{
    size_t length = strlen(text);
    while (length && strchr(BLANKS, text[length - 1]))
        length--;
    for (size_t i = 0; i < UNITS_MAX && kinds[kind].unit[i].name; i++) {
        const char *name = kinds[kind].unit[i].name;
        const size_t own = strlen(name);
        size_t number = length > own ? length - own : 0;
        while (number && strchr(BLANKS, text[number - 1]))
            number--;
        const char before = number ? text[number - 1] : '\0';
        const bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        if (before && !is_letter && !strncmp(text + length - own, name, own) && strpbrk(text, DIGITS))
            return true;
    }
    return false;
}

enum pb_quantity_fault pb_quantity_parse(const char *text, enum pb_quantity_kind kind, int64_t *value)
{
    text += strspn(text, BLANKS);
    bool negative = *text == '-';
    text += negative;
    size_t length = strspn(text, DIGITS), decimals = 0;
    if (length == 0)
        return ends_with_unit(text, kind) ? PB_QUANTITY_WRONG_NUMBER : PB_QUANTITY_NO_NUMBER;
    if (text[length] == '.') {
        decimals = strspn(text + length + 1, DIGITS);
        if (decimals == 0)
            return ends_with_unit(text, kind) ? PB_QUANTITY_WRONG_NUMBER : PB_QUANTITY_NO_NUMBER;
        length += 1 + decimals;
    }
    const char *name = text + length + strspn(text + length, BLANKS);
    if (!*name)
        return PB_QUANTITY_NO_UNIT;
    const struct unit *unit = find_unit(name, kind);
    if (!unit)
        return ends_with_unit(text, kind) ? PB_QUANTITY_WRONG_NUMBER : PB_QUANTITY_WRONG_UNIT;

    while (decimals && text[length - 1] == '0') {
        length--;
        decimals--;
    }
    uint64_t digits;
    if (decimals > DECIMALS_MOST)
        return PB_QUANTITY_TOO_FINE;
    if (!pb_parse_decimal(text, length, (unsigned)decimals, &digits))
        return PB_QUANTITY_TOO_LARGE;
    const unsigned __int128 scaled = (unsigned __int128)digits * size_of(unit);
    const uint64_t one = power_of_ten((unsigned)decimals);
    if (scaled % one)
        return PB_QUANTITY_TOO_FINE;
    if (scaled / one > INT64_MAX)
        return PB_QUANTITY_TOO_LARGE;
    *value = negative ? -(int64_t)(scaled / one) : (int64_t)(scaled / one);
    return PB_QUANTITY_OK;
}

char *pb_quantity_format(char *out, size_t size, enum pb_quantity_kind kind, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const struct unit *unit = &kinds[kind].unit[0];
    for (size_t i = 1; i < UNITS_MAX && kinds[kind].unit[i].name; i++)
        if (magnitude < size_of(unit) || (unit->times > 1 && magnitude % size_of(unit)))
            unit = &kinds[kind].unit[i];

    if (kind == PB_QUANTITY_SIZE && magnitude == 1)
        unit = &kinds[kind].unit[1];

    uint64_t one = size_of(unit), rest = magnitude % one;
    char fraction[24] = "."; /* decimals without trailing zeros */
    size_t length = 1;
    for (uint64_t place = one; rest; rest %= place) {
        place /= 10;
        fraction[length++] = (char)('0' + rest / place);
    }
    snprintf(out, size, "%s%" PRIu64 "%.*s %s", value < 0 ? "-" : "", magnitude / one,
             length > 1 ? (int)length : 0, fraction, unit->name);
    return out;
}

const char *pb_quantity_units(enum pb_quantity_kind kind)
{
    return kinds[kind].units;
}

const char *pb_quantity_example(enum pb_quantity_kind kind)
{
    return kinds[kind].example;
}

const char *pb_quantity_step(enum pb_quantity_kind kind)
{
    return kinds[kind].step;
}
